use anyhow::Result;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use crate::child;

/// The name of this server.
pub(crate) const NAME: &str = "two bytes";

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi";

/// Answers two bytes to whatever comes, with as little work as can be: what is slow is the client.
pub(crate) async fn serve() -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    child::announce(listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        // A client that goes away is what ends it.
        tokio::spawn(async { drop(answer(stream).await) });
    }
}

/// Each request comes in one piece, since none has a body and the next waits for the answer.
async fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut request = [0; 4096];
    while stream.read(&mut request).await? > 0 {
        stream.write_all(ANSWER).await?;
    }
    Ok(())
}
