//! The open connections. Their number is limited, and a connection without output ends, so that clients that open many,
//! or send a request byte by byte, keep nobody out.

use std::collections::HashMap;
use std::io::{self, IoSlice};
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep, sleep};

use crate::access::network;

/// Maximum number of open connections.
const MOST: usize = 1_000;

/// Number of open files that the rest of the process needs.
const OTHERS: usize = 100;

/// Time without output after which a connection ends. A stream of events writes every 15 seconds.
pub const QUIET: Duration = Duration::from_secs(60);

/// Returns the number of connections for which the process may open files. Raises its limit if it may.
pub fn most() -> usize {
    let needed = (MOST + OTHERS) as u64;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < needed) {
        let raised = limit.maximum.map_or(needed, |maximum| maximum.min(needed));
        // Without the right to it, the limit stays.
        let _ = setrlimit(Resource::Nofile, rustix::process::Rlimit { current: Some(raised), ..limit });
    }
    let files = getrlimit(Resource::Nofile).current.map_or(MOST, |files| usize::try_from(files).unwrap_or(MOST));
    files.saturating_sub(OTHERS).clamp(OTHERS, MOST)
}

/// A listener whose connections are limited.
pub struct Connections {
    listener: TcpListener,
    open: Open,
    most: usize,
    quiet: Duration,
    last: u64,
}

/// The open connections by their numbers.
type Open = Arc<Mutex<HashMap<u64, Entry>>>;

struct Entry {
    from: IpAddr,
    /// False before the first output.
    has_written: bool,
    /// Time of the last output, or of the beginning.
    since: Instant,
    /// Ends the connection when it is dropped.
    _end: oneshot::Sender<()>,
}

impl Connections {
    pub fn new(listener: TcpListener, most: usize, quiet: Duration) -> Self {
        Self { listener, open: Open::default(), most, quiet, last: 0 }
    }

    /// Registers a connection. If there are too many, another one ends, of the network with most connections: the oldest
    /// without any output, or else the one with the oldest output.
    fn add(&mut self, stream: TcpStream, from: IpAddr) -> Connection {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= self.most {
            let mut networks: HashMap<IpAddr, usize> = HashMap::new();
            open.values().for_each(|entry| *networks.entry(entry.from).or_default() += 1);
            let busiest = networks.into_iter().max_by_key(|(_, number)| *number).map(|(network, _)| network);
            let of_it = open.iter().filter(|(_, entry)| Some(entry.from) == busiest);
            if let Some(oldest) =
                of_it.min_by_key(|(_, entry)| (entry.has_written, entry.since)).map(|(number, _)| *number)
            {
                open.remove(&oldest);
            }
        }
        self.last += 1;
        let (end, ended) = oneshot::channel();
        open.insert(self.last, Entry { from: network(from), has_written: false, since: Instant::now(), _end: end });
        let (open, timer) = (Arc::clone(&self.open), Box::pin(sleep(self.quiet)));
        Connection { stream, number: self.last, open, ended, timer, quiet: self.quiet }
    }
}

impl Listener for Connections {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        let (stream, from) = Listener::accept(&mut self.listener).await;
        (self.add(stream, from.ip()), from)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// Address of the client of a connection.
#[derive(Clone, Copy)]
pub struct Client(pub SocketAddr);

impl Connected<IncomingStream<'_, Connections>> for Client {
    fn connect_info(stream: IncomingStream<'_, Connections>) -> Self {
        Self(*stream.remote_addr())
    }
}

/// A connection that ends without output, or when another one needs its place.
pub struct Connection {
    stream: TcpStream,
    number: u64,
    open: Open,
    ended: oneshot::Receiver<()>,
    timer: Pin<Box<Sleep>>,
    quiet: Duration,
}

impl Connection {
    /// Returns an error if the connection must end.
    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let is_ended = Pin::new(&mut self.ended).poll(context).is_ready();
        if is_ended || self.timer.as_mut().poll(context).is_ready() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(())
    }

    /// Notes the time of an output.
    fn wrote(&mut self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if matches!(written, Poll::Ready(Ok(bytes)) if bytes > 0) {
            let now = Instant::now();
            self.timer.as_mut().reset(now + self.quiet);
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(entry) = open.get_mut(&self.number) {
                (entry.has_written, entry.since) = (true, now);
            }
        }
        written
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.check(context)?;
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.wrote(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    /// Serves a page `text`, and a stream `stream` that writes a line every 50 milliseconds.
    async fn served(most: usize, quiet: Duration) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let lines = || async {
            let each = futures_util::stream::unfold((), |()| async {
                sleep(Duration::from_millis(50)).await;
                Some((Ok::<_, io::Error>("line\n"), ()))
            });
            axum::body::Body::from_stream(each)
        };
        let router = axum::Router::new()
            .route("/text", axum::routing::post(|text: String| async { text }))
            .route("/stream", axum::routing::get(lines));
        tokio::spawn(async move { axum::serve(Connections::new(listener, most, quiet), router).await });
        address
    }

    /// Sends bytes one by one until the server ends the connection.
    async fn is_ended(address: SocketAddr, begin: &str) -> bool {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(begin.as_bytes()).await.unwrap();
        let (mut reader, mut writer) = stream.split();
        let mut answer = Vec::new();
        tokio::select! {
            read = reader.read_to_end(&mut answer) => read.is_err() || answer.is_empty(),
            () = async { loop {
                sleep(Duration::from_millis(20)).await;
                if writer.write_all(b"x").await.is_err() { std::future::pending::<()>().await }
            } } => unreachable!(),
        }
    }

    #[tokio::test]
    async fn a_request_that_arrives_byte_by_byte_ends_and_a_stream_of_events_does_not() {
        let address = served(10, Duration::from_secs(1)).await;
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(b"GET /stream HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
        let (head, body) = ("POST /text HTTP/1.1\r\nhost: a\r\nx-slow: ", "content-length: 1000000\r\n\r\n");
        assert!(is_ended(address, head).await, "slow headers");
        assert!(is_ended(address, &format!("{head}no\r\n{body}")).await, "a slow body");
        let mut bytes = vec![0; 64 * 1_024];
        // The kernel has kept some output. The stream still goes on after it.
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(2) {
            assert!(stream.read(&mut bytes).await.unwrap() > 0);
        }
    }

    #[tokio::test]
    async fn a_new_connection_ends_the_one_without_output_of_the_busiest_network() {
        let address = served(4, QUIET).await;
        let from = |last: u8| async move {
            let socket = tokio::net::TcpSocket::new_v4().unwrap();
            socket.bind(([127, 0, 0, last], 0).into()).unwrap();
            socket.connect(address).await.unwrap()
        };
        let mut alone = from(2).await;
        let mut busy = from(3).await;
        busy.write_all(b"GET /stream HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
        let mut bytes = [0; 1_024];
        assert!(busy.read(&mut bytes).await.unwrap() > 0);
        let mut idle = from(3).await;
        let mut fourth = from(3).await;
        fourth.write_all(b"GET").await.unwrap();
        let _fifth = from(3).await;
        assert_eq!(idle.read(&mut bytes).await.unwrap_or_default(), 0, "the oldest without output");
        assert!(busy.read(&mut bytes).await.unwrap() > 0, "a stream stays");
        alone.write_all(b"POST /text HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\n\r\nx").await.unwrap();
        assert!(alone.read(&mut bytes).await.unwrap() > 0, "another network is not touched");
    }
}
