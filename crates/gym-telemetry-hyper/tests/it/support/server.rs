use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::{JoinHandle, JoinSet},
};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi";

/// A server whose answer is in the path that is asked for, and which looks at what comes in.
///
/// | path | answer |
/// | --- | --- |
/// | `/held` | after [`Server::release`] |
/// | `/stream` | a head and half of the body, the rest after [`Server::release`] |
/// | `/last` | an answer, then it closes without having said so |
/// | `/close` | an answer that says that it closes |
/// | `/broken` | half of what was promised, then it closes |
/// | `/lost` | none: it reads the request and closes |
/// | `/empty` | without a body |
/// | `/moved` | a redirect to `/` |
/// | `/early` | before the body of the request was read, and that never is |
/// | `/upgrade` | another protocol, which lasts until the client closes |
/// | any other | `hi` |
pub(crate) struct Server {
    address: SocketAddr,
    seen: Arc<Seen>,
    task: JoinHandle<()>,
}

/// What it saw.
#[derive(Default)]
struct Seen {
    accepted: AtomicUsize,
    closed: AtomicUsize,
    /// The most sockets that the kernel had open at once, as of when one of them was accepted.
    most_sockets: AtomicUsize,
    under_way: AtomicUsize,
    most_under_way: AtomicUsize,
    requests: Mutex<Vec<String>>,
    gate: Gate,
}

struct Gate(Semaphore);

impl Default for Gate {
    fn default() -> Self {
        Self(Semaphore::new(0))
    }
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::start_at([127, 0, 0, 1]).await
    }

    pub(crate) async fn start_at(ip: [u8; 4]) -> Self {
        let listener = TcpListener::bind((IpAddr::V4(Ipv4Addr::from(ip)), 0)).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let seen = Arc::<Seen>::default();
        let task = tokio::spawn(Arc::clone(&seen).serve(listener));
        Self { address, seen, task }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Lets this many answers go on.
    pub(crate) fn release(&self, answers: usize) {
        self.seen.gate.0.add_permits(answers);
    }

    /// How many connections have come in so far.
    pub(crate) fn accepted(&self) -> usize {
        self.seen.accepted.load(Ordering::SeqCst)
    }

    /// How many of them are over.
    pub(crate) fn closed(&self) -> usize {
        self.seen.closed.load(Ordering::SeqCst)
    }

    /// The most sockets at once.
    pub(crate) fn most_sockets(&self) -> usize {
        self.seen.most_sockets.load(Ordering::SeqCst)
    }

    /// The most requests at once.
    pub(crate) fn most_under_way(&self) -> usize {
        self.seen.most_under_way.load(Ordering::SeqCst)
    }

    /// The paths that were asked for, in the order in which they came.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.seen.requests.lock().expect("no panic").clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Seen {
    async fn serve(self: Arc<Self>, listener: TcpListener) {
        let mut connections = JoinSet::new();
        let address = listener.local_addr().expect("an address");
        loop {
            let (stream, _) = listener.accept().await.expect("a connection");
            self.most_sockets.fetch_max(established(address), Ordering::SeqCst);
            self.accepted.fetch_add(1, Ordering::SeqCst);
            let seen = Arc::clone(&self);
            connections.spawn(async move {
                // A client that closes at any moment is what many of the tests are about.
                drop(seen.talk(BufReader::new(stream)).await);
                seen.closed.fetch_add(1, Ordering::SeqCst);
            });
        }
    }

    async fn talk(&self, mut stream: BufReader<TcpStream>) -> std::io::Result<()> {
        while let Some((path, length)) = head(&mut stream).await? {
            self.requests.lock().expect("no panic").push(path.clone());
            if path == "/early" {
                stream.write_all(b"HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n").await?;
                std::future::pending::<()>().await;
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).await?;
            self.most_under_way.fetch_max(self.under_way.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let goes_on = self.answer(&path, &mut stream).await;
            self.under_way.fetch_sub(1, Ordering::SeqCst);
            if !goes_on? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Answers, and tells whether another request may come.
    async fn answer(&self, path: &str, stream: &mut BufReader<TcpStream>) -> std::io::Result<bool> {
        match path {
            "/held" => {
                self.pass(stream).await?;
                stream.write_all(OK).await?;
            }
            "/stream" => {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nh").await?;
                self.pass(stream).await?;
                stream.write_all(b"i").await?;
            }
            "/close" => {
                stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nhi").await?;
            }
            "/empty" => stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await?,
            "/moved" => {
                stream.write_all(b"HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n").await?;
            }
            "/upgrade" => {
                stream
                    .write_all(b"HTTP/1.1 101 Switching Protocols\r\nupgrade: echo\r\nconnection: upgrade\r\n\r\n")
                    .await?;
                stream.read_to_end(&mut Vec::new()).await?;
            }
            "/broken" => stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nh").await?,
            "/lost" => {}
            _ => stream.write_all(OK).await?,
        }
        Ok(!matches!(path, "/last" | "/close" | "/broken" | "/lost" | "/upgrade"))
    }

    /// Waits to be released, or for the client to go.
    async fn pass(&self, stream: &mut BufReader<TcpStream>) -> std::io::Result<()> {
        tokio::select! {
            permit = self.gate.0.acquire() => permit.expect("it is never closed").forget(),
            read = stream.fill_buf() => drop(read?),
        }
        Ok(())
    }
}

/// The path of the next request and the length of its body; none at the end.
async fn head(stream: &mut BufReader<TcpStream>) -> std::io::Result<Option<(String, usize)>> {
    let (mut path, mut length, mut line) = (None, 0, String::new());
    loop {
        line.clear();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        match line.trim_end() {
            "" => return Ok(path.map(|path| (path, length))),
            header => match header.split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.parse().expect("a length");
                }
                Some(_) => {}
                None => path = header.split(' ').nth(1).map(str::to_owned),
            },
        }
    }
}

/// How many sockets the kernel has open between this address and clients that have not closed theirs.
fn established(address: SocketAddr) -> usize {
    let SocketAddr::V4(address) = address else { panic!("an IPv4 address") };
    let local = format!("{:08X}:{:04X}", u32::from_le_bytes(address.ip().octets()), address.port());
    let table = std::fs::read_to_string("/proc/self/net/tcp").expect("the kernel's table of sockets");
    let is_open = |line: &&str| {
        let mut fields = line.split_whitespace().skip(1);
        fields.next() == Some(&local) && fields.nth(1) == Some("01")
    };
    table.lines().filter(is_open).count()
}
