use std::{net::SocketAddr, thread};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    runtime, select,
    sync::watch,
};

/// A door in front of a receiver. While it is shut, connections are cut and new ones get nowhere.
pub(crate) struct Gate {
    pub(crate) url: String,
    open: watch::Sender<bool>,
}

impl Gate {
    /// A gate that is shut, in front of what listens at `url`.
    pub(crate) fn shut_before(url: &str) -> Self {
        let behind: SocketAddr = url.trim_start_matches("http://").parse().unwrap();
        let (open, state) = watch::channel(false);
        let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        thread::spawn(move || runtime.block_on(let_through(listener, behind, state)));
        Self { url, open }
    }

    pub(crate) fn set_open(&self, open: bool) {
        self.open.send_replace(open);
    }
}

async fn let_through(listener: TcpListener, behind: SocketAddr, state: watch::Receiver<bool>) {
    loop {
        let (mut client, _) = listener.accept().await.unwrap();
        let mut state = state.clone();
        if *state.borrow_and_update() {
            tokio::spawn(async move {
                let mut server = TcpStream::connect(behind).await.unwrap();
                select! {
                    _ = copy_bidirectional(&mut client, &mut server) => {}
                    _ = state.changed() => {}
                }
            });
        }
    }
}
