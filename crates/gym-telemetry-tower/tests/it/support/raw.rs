use std::net::SocketAddr;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// An HTTP/1.1 client that does what it is told, byte by byte.
pub(crate) struct Raw {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Raw {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        Self { stream: TcpStream::connect(address).await.unwrap(), read: Vec::new() }
    }

    /// Connects and sends a request without a body.
    pub(crate) async fn request(address: SocketAddr, method: &str, path: &str) -> Self {
        let mut raw = Self::connect(address).await;
        raw.send(&format!("{method} {path} HTTP/1.1\r\nhost: test\r\n\r\n")).await;
        raw
    }

    pub(crate) async fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).await.unwrap();
    }

    /// Reads until the text that has come ends with, or holds, some other; gives what came up to its end.
    pub(crate) async fn read_until(&mut self, wanted: &str) -> String {
        loop {
            let found = self.read.windows(wanted.len()).position(|window| window == wanted.as_bytes());
            if let Some(at) = found {
                let rest = self.read.split_off(at + wanted.len());
                return String::from_utf8_lossy(&std::mem::replace(&mut self.read, rest)).into_owned();
            }
            let mut buffer = [0; 4096];
            let read = self.stream.read(&mut buffer).await.unwrap();
            assert!(read > 0, "the server closed before {wanted:?}: {:?}", String::from_utf8_lossy(&self.read));
            self.read.extend_from_slice(&buffer[..read]);
        }
    }

    pub(crate) async fn read_head(&mut self) -> String {
        self.read_until("\r\n\r\n").await
    }

    /// Reads what is left, until the server closes, properly or not.
    pub(crate) async fn read_to_close(mut self) -> String {
        let mut rest = self.read;
        drop(self.stream.read_to_end(&mut rest).await);
        String::from_utf8_lossy(&rest).into_owned()
    }

    /// Says that nothing more is coming, and goes on reading.
    pub(crate) async fn half_close(&mut self) {
        self.stream.shutdown().await.unwrap();
    }

    /// Closes with a reset: what the server sends from here on is an error.
    pub(crate) fn reset(self) {
        self.stream.set_zero_linger().unwrap();
    }
}
