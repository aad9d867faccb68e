//! A blocking connection to a server. A command and its whole reply share one time limit, and a reply has a size limit,
//! even if the server sends it in small pieces.

mod certificates;
#[cfg(feature = "tls-rustls")]
mod tls;

use std::cell::Cell;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use redis::{ConnectionAddr, ConnectionInfo, ConnectionLike, RedisConnectionInfo, RedisError, RedisResult, Value};

use crate::deadline::Deadline;
pub(crate) use certificates::certificate;

/// Maximum size of a reply. Scripts stop a reply after 8 MiB, and the record of a task is below 64 MiB, but `doctor`
/// reads whole hashes, which may have fields for millions of tenants.
const LARGEST: u64 = 256 << 20;

/// The error for a larger reply.
const TOO_LONG: &str = "the reply is over 256 MiB";

/// The error for a user or password that the server does not accept.
const REFUSED: &str = "the server refuses this user or password";

/// A connection for the caller's own commands: see [`Address::connect`](crate::Address::connect).
///
/// A command and its whole reply take no longer than the limit, and a reply over 256 MiB is refused. Both errors close
/// the connection, and so does every other failure that is not a reply.
pub struct Connection {
    stream: Stream,
    parser: redis::Parser,
    limit: Cell<Duration>,
    database: i64,
    open: bool,
}

impl Connection {
    /// Connects to a server, and sends the password and the number of the database.
    pub(crate) fn open(server: &Server, end: Deadline) -> RedisResult<Self> {
        let stream = Stream::connect(server, end)?;
        let settings = server.info.redis_settings();
        let (parser, limit) = (redis::Parser::new(), Cell::new(some(end)));
        let mut connection = Self { stream, parser, limit, database: settings.db(), open: true };
        connection.greet(settings, end)?;
        Ok(connection)
    }

    fn greet(&mut self, settings: &RedisConnectionInfo, end: Deadline) -> RedisResult<()> {
        if let Some(password) = settings.password() {
            let auth = redis::cmd("AUTH").arg(settings.username()).arg(password).to_owned();
            if let Err(error) = auth.exec(self) {
                let refused = error.code().is_some();
                return Err(if refused { (redis::ErrorKind::AuthenticationFailed, REFUSED).into() } else { error });
            }
        }
        if settings.db() != 0 {
            self.set_limit(some(end));
            redis::cmd("SELECT").arg(settings.db()).exec(self)?;
        }
        Ok(())
    }

    /// Sets the time limit of each later command with its whole reply.
    pub fn set_limit(&self, limit: Duration) {
        self.limit.set(limit);
    }

    /// Receives data that the server sends without a command, such as the messages of a channel.
    ///
    /// # Errors
    /// If no complete message arrives within the limit of the connection.
    pub fn receive(&mut self) -> RedisResult<Value> {
        self.begin()?;
        self.reply()
    }

    /// Starts the time limit of the next command or message.
    fn begin(&mut self) -> RedisResult<()> {
        if !self.open {
            return Err(io::Error::from(ErrorKind::NotConnected).into());
        }
        self.stream.bounds().end = Deadline::after(self.limit.get());
        Ok(())
    }

    fn send(&mut self, bytes: &[u8]) -> RedisResult<()> {
        self.begin()?;
        let sent = self.stream.write_all(bytes).and_then(|()| self.stream.flush());
        sent.map_err(|error| self.broken(error.into()))
    }

    fn reply(&mut self) -> RedisResult<Value> {
        self.stream.bounds().left = LARGEST;
        self.parser.parse_value(&mut self.stream).map_err(|error| self.broken(error))
    }

    /// Closes the connection after a failure: further data on it belongs to no command.
    fn broken(&mut self, error: RedisError) -> RedisError {
        self.open = false;
        let _ = self.stream.bounds().socket.close();
        explained(error)
    }
}

impl ConnectionLike for Connection {
    fn req_packed_command(&mut self, cmd: &[u8]) -> RedisResult<Value> {
        self.send(cmd)?;
        self.reply()
    }

    fn req_packed_commands(&mut self, cmd: &[u8], offset: usize, count: usize) -> RedisResult<Vec<Value>> {
        self.send(cmd)?;
        // All replies are read. An unread reply would be taken for the reply to the next command.
        let replies = (0..offset + count).map(|_| self.reply()).collect::<RedisResult<Vec<_>>>()?;
        let mut replies = replies.into_iter();
        // Skipped replies are ignored unless one is an error. After such an error the server has executed none of the
        // remaining commands.
        let refused = replies.by_ref().take(offset).map(Value::extract_error).find_map(Result::err);
        refused.map_or_else(|| Ok(replies.collect()), Err)
    }

    fn get_db(&self) -> i64 {
        self.database
    }

    fn check_connection(&mut self) -> bool {
        redis::cmd("PING").exec(self).is_ok()
    }

    fn is_open(&self) -> bool {
        self.open
    }
}

/// Connections of `open_cluster` to each node.
#[cfg(feature = "cluster")]
impl redis::cluster::Connect for Connection {
    fn connect<T: redis::IntoConnectionInfo>(info: T, limit: Option<Duration>) -> RedisResult<Self> {
        let server = Server {
            info: info.into_connection_info()?,
            #[cfg(feature = "tls-rustls")]
            certificates: None,
        };
        Self::open(&server, Deadline::after(limit.unwrap_or(Duration::MAX)))
    }

    fn send_packed_command(&mut self, cmd: &[u8]) -> RedisResult<()> {
        self.send(cmd)
    }

    fn set_write_timeout(&self, limit: Option<Duration>) -> RedisResult<()> {
        self.set_read_timeout(limit)
    }

    fn set_read_timeout(&self, limit: Option<Duration>) -> RedisResult<()> {
        self.set_limit(limit.unwrap_or(Duration::MAX));
        Ok(())
    }

    fn recv_response(&mut self) -> RedisResult<Value> {
        self.reply()
    }
}

/// A server, and its connection settings.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) info: ConnectionInfo,
    #[cfg(feature = "tls-rustls")]
    pub(crate) certificates: Option<redis::TlsCertificates>,
}

impl Server {
    /// Returns a client of the crate `redis`, which can open other kinds of connections.
    #[cfg(feature = "tokio")]
    pub(crate) fn client(&self) -> RedisResult<redis::Client> {
        #[cfg(feature = "tls-rustls")]
        if let Some(certificates) = &self.certificates {
            return redis::Client::build_with_tls(self.info.clone(), certificates.clone());
        }
        redis::Client::open(self.info.clone())
    }
}

/// The byte stream of a connection.
enum Stream {
    Plain(Bounded),
    #[cfg(feature = "tls-rustls")]
    Tls(Box<rustls::StreamOwned<rustls::ClientConnection, Bounded>>),
}

impl Stream {
    fn connect(server: &Server, end: Deadline) -> RedisResult<Self> {
        let bounded = |socket| Bounded { socket, end, left: LARGEST };
        Ok(match server.info.addr() {
            ConnectionAddr::Tcp(host, port) => Self::Plain(bounded(tcp(host, *port, end)?)),
            ConnectionAddr::Unix(path) => Self::Plain(bounded(Socket::Unix(UnixStream::connect(path)?))),
            #[cfg(feature = "tls-rustls")]
            ConnectionAddr::TcpTls { host, port, insecure: false, .. } => {
                let mut session = tls::session(host, server.certificates.as_ref())?;
                let mut socket = bounded(tcp(host, *port, end)?);
                while session.is_handshaking() {
                    session.complete_io(&mut socket).map_err(|error| explained(error.into()))?;
                }
                Self::Tls(Box::new(rustls::StreamOwned::new(session, socket)))
            }
            _ => {
                let text = "this program was built without what the URL asks for";
                return Err((redis::ErrorKind::InvalidClientConfig, text).into());
            }
        })
    }

    fn bounds(&mut self) -> &mut Bounded {
        match self {
            Self::Plain(bounded) => bounded,
            #[cfg(feature = "tls-rustls")]
            Self::Tls(stream) => &mut stream.sock,
        }
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(bounded) => bounded.read(into),
            #[cfg(feature = "tls-rustls")]
            Self::Tls(stream) => stream.read(into),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(bounded) => bounded.write(bytes),
            #[cfg(feature = "tls-rustls")]
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(bounded) => bounded.flush(),
            #[cfg(feature = "tls-rustls")]
            Self::Tls(stream) => stream.flush(),
        }
    }
}

/// A socket with a deadline for reads and writes, and a limit for the bytes that are read.
struct Bounded {
    socket: Socket,
    end: Deadline,
    left: u64,
}

enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    fn close(&self) -> io::Result<()> {
        match self {
            Self::Tcp(socket) => socket.shutdown(Shutdown::Both),
            Self::Unix(socket) => socket.shutdown(Shutdown::Both),
        }
    }
}

/// Returns the time left for one read or write.
fn time(end: Deadline) -> io::Result<Option<Duration>> {
    let left = end.left();
    if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
}

/// Returns the outcome of one read or write. Repeats the call if a signal interrupts it.
fn whole(mut step: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match step() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Err(ErrorKind::TimedOut.into()),
            outcome => return outcome,
        }
    }
}

impl Read for Bounded {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::new(ErrorKind::InvalidData, TOO_LONG));
        }
        let Self { socket, end, .. } = self;
        let read = whole(|| match socket {
            Socket::Tcp(socket) => socket.set_read_timeout(time(*end)?).and_then(|()| socket.read(into)),
            Socket::Unix(socket) => socket.set_read_timeout(time(*end)?).and_then(|()| socket.read(into)),
        })?;
        self.left = self.left.saturating_sub(read as u64);
        Ok(read)
    }
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Self { socket, end, .. } = self;
        whole(|| match socket {
            Socket::Tcp(socket) => socket.set_write_timeout(time(*end)?).and_then(|()| socket.write(bytes)),
            Socket::Unix(socket) => socket.set_write_timeout(time(*end)?).and_then(|()| socket.write(bytes)),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn explained(error: RedisError) -> RedisError {
    certificate(&error).unwrap_or(error)
}

/// Returns true if a reply was over the size limit.
pub(crate) fn is_too_long(error: &RedisError) -> bool {
    error.is_io_error() && error.to_string().contains(TOO_LONG)
}

/// Returns the time left, at least a millisecond, because callees treat 0 as no limit.
pub(crate) fn some(end: Deadline) -> Duration {
    end.left().max(Duration::from_millis(1))
}

fn tcp(host: &str, port: u16, end: Deadline) -> RedisResult<Socket> {
    let mut failure = io::Error::from(ErrorKind::NotFound);
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, some(end)) {
            Ok(socket) => {
                socket.set_nodelay(true)?;
                return Ok(Socket::Tcp(socket));
            }
            Err(error) => failure = error,
        }
    }
    Err(failure.into())
}

#[cfg(test)]
mod tests {
    use super::{LARGEST, TOO_LONG};
    use crate::Error;

    #[test]
    fn the_bound_of_a_reply_is_that_of_its_errors_and_of_the_client_for_python() {
        let bound = format!("{} MiB", LARGEST >> 20);
        let error = Error::ReplyTooBig((redis::ErrorKind::Io, "").into());
        assert!(TOO_LONG.contains(&bound) && error.to_string().contains(&bound), "{bound}");
        let python = std::fs::read_to_string("clients/python/src/blueque_client/bounds.py").unwrap_or_default();
        assert!(python.contains(&format!("\nLARGEST = {} << 20\n", LARGEST >> 20)), "{bound}");
    }
}
