use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

const PREFACE: usize = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".len();

// Kinds of frames.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;

// Flags.
const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

const MAX_CONCURRENT_STREAMS: u16 = 3;
const REFUSED_STREAM: u32 = 7;
/// `:status: 200`, by its number in the static table.
const STATUS_200: u8 = 0x88;

/// The server's end of an HTTP/2 connection, frame by frame.
pub(crate) struct Frames {
    stream: TcpStream,
    /// The first request, which may come before the client has seen the settings.
    early: Option<Sent>,
}

/// What a client sent, as far as it matters.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// The head of a request, on the stream with this number.
    Request(u32),
    /// It has taken note of the settings that were sent before.
    SettingsAck,
    /// It has got all that was sent before.
    PingAck,
    /// It has closed the connection.
    End,
}

impl Frames {
    /// The next connection, of which the server allows so many streams.
    pub(crate) async fn accept(listener: &TcpListener, most_streams: u32) -> Self {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        stream.read_exact(&mut [0; PREFACE]).await.expect("a preface");
        let mut frames = Self { stream, early: None };
        frames.allow(most_streams).await;
        loop {
            match frames.read().await {
                Sent::SettingsAck => return frames,
                other => frames.early = Some(other),
            }
        }
    }

    /// Tells how many streams may be open from now on.
    pub(crate) async fn allow(&mut self, most_streams: u32) {
        let setting = [&MAX_CONCURRENT_STREAMS.to_be_bytes()[..], &most_streams.to_be_bytes()].concat();
        self.send(SETTINGS, 0, 0, &setting).await;
    }

    pub(crate) async fn answer(&mut self, stream: u32) {
        self.send(HEADERS, END_HEADERS, stream, &[STATUS_200]).await;
        self.send(DATA, END_STREAM, stream, b"hi").await;
    }

    /// Resets a stream that it has not looked at.
    pub(crate) async fn refuse(&mut self, stream: u32) {
        self.send(RST_STREAM, 0, stream, &REFUSED_STREAM.to_be_bytes()).await;
    }

    /// Serves streams up to this one, and no other.
    pub(crate) async fn go_away(&mut self, last_stream: u32) {
        const NO_ERROR: u32 = 0;
        self.send(GOAWAY, 0, 0, &[last_stream.to_be_bytes(), NO_ERROR.to_be_bytes()].concat()).await;
    }

    pub(crate) async fn ping(&mut self) {
        self.send(PING, 0, 0, b"12345678").await;
    }

    /// The next thing that matters.
    pub(crate) async fn next(&mut self) -> Sent {
        match self.early.take() {
            Some(early) => early,
            None => self.read().await,
        }
    }

    async fn read(&mut self) -> Sent {
        loop {
            let mut head = [0; 9];
            if self.stream.read_exact(&mut head).await.is_err() {
                return Sent::End;
            }
            let [a, b, c, kind, flags, id @ ..] = head;
            let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
            self.stream.read_exact(&mut payload).await.expect("a whole frame");
            match (kind, flags & ACK) {
                (HEADERS, _) => return Sent::Request(u32::from_be_bytes(id)),
                (SETTINGS, ACK) => return Sent::SettingsAck,
                (SETTINGS, _) => self.send(SETTINGS, ACK, 0, &[]).await,
                (PING, ACK) => return Sent::PingAck,
                _ => {}
            }
        }
    }

    /// The numbers of the next so many requests, with nothing in between.
    pub(crate) async fn requests(&mut self, count: usize) -> Vec<u32> {
        let mut streams = Vec::new();
        while streams.len() < count {
            match self.next().await {
                Sent::Request(stream) => streams.push(stream),
                other => panic!("{other:?}"),
            }
        }
        streams
    }

    async fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        let [_, a, b, c] = u32::try_from(payload.len()).expect("a short payload").to_be_bytes();
        let head = [&[a, b, c, kind, flags][..], &stream.to_be_bytes()].concat();
        self.stream.write_all(&[&head, payload].concat()).await.expect("a client that reads");
    }
}
