//! Servers that reply without end: each call ends within its limit, keeps no more than the bound of a reply, and gives
//! the connection up.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::io::{Read, Write, copy};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{iter, thread};

use blueque::{Address, Client, Code, Error, Namespace, Submit};
use support::{Server, eventually};

/// Ways in which a reply goes on.
const HONEST: u8 = 0;
const DRIPS: u8 = 1;
const FLOODS: u8 = 2;

/// Far more than the largest reply; drops follow it.
const FLOOD: usize = 1 << 30;

/// The time of one call. The drops come more often.
const LIMIT: Duration = Duration::from_secs(2);

/// A port that leads to a server. It can replace the server's replies by replies that do not end.
#[derive(Clone)]
struct Port(Arc<State>);

struct State {
    url: String,
    way: AtomicU8,
    /// Bytes of replies without end that were accepted.
    sent: AtomicU64,
    /// Connections that the client has closed during a reply without end.
    closed: AtomicU64,
}

impl Port {
    fn to(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("redis://{}/", listener.local_addr().unwrap());
        let port = Self(Arc::new(State { url, way: HONEST.into(), sent: 0.into(), closed: 0.into() }));
        let (shared, socket) = (port.clone(), server.socket());
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let (port, socket) = (shared.clone(), socket.clone());
                thread::spawn(move || port.serve(client, &socket));
            }
        });
        port
    }

    fn serve(&self, mut client: TcpStream, socket: &Path) -> std::io::Result<()> {
        let mut server = UnixStream::connect(socket)?;
        let (mut from, mut to) = (client.try_clone()?, server.try_clone()?);
        thread::spawn(move || copy(&mut from, &mut to));
        let mut bytes = vec![0; 1 << 16];
        while let length @ 1.. = server.read(&mut bytes)? {
            let flood = match self.0.way.load(Ordering::Acquire) {
                HONEST => {
                    client.write_all(&bytes[..length])?;
                    continue;
                }
                way => usize::from(way == FLOODS) * (FLOOD >> 20),
            };
            client.write_all(b"$8000000000\r\n")?;
            let pieces = iter::repeat_n(vec![b'x'; 1 << 20], flood).chain(iter::repeat_n(vec![b'x'], 3_000));
            for piece in pieces {
                if client.write_all(&piece).is_err() {
                    self.0.closed.fetch_add(1, Ordering::Release);
                    return Ok(());
                }
                self.0.sent.fetch_add(piece.len() as u64, Ordering::Release);
                if piece.len() == 1 {
                    thread::sleep(Duration::from_millis(20));
                }
            }
        }
        client.shutdown(std::net::Shutdown::Both)
    }

    fn now(&self, way: u8) {
        self.0.way.store(way, Ordering::Release);
    }

    /// Waits until the client has closed this number of connections whose reply does not end.
    fn is_closed(&self, number: u64) {
        eventually("the connection is closed", || (self.0.closed.load(Ordering::Acquire) >= number).then_some(()));
    }

    /// A client that has worked before.
    fn client(&self) -> Client {
        Client::builder().limit(LIMIT).open(&self.0.url).unwrap()
    }
}

/// The error of a call that must end within a few times its limit.
fn ended<T>(call: impl FnOnce() -> Result<T, Error>) -> Error {
    let begun = Instant::now();
    let error = call().err().expect("no reply");
    assert!(begun.elapsed() < 10 * LIMIT, "{:?}: {error}", begun.elapsed());
    error
}

#[test]
fn a_reply_that_drips_is_waited_for_no_longer_than_the_limit_of_its_call() {
    let server = Server::start();
    let port = Port::to(&server);
    let client = port.client();
    port.now(DRIPS);
    let error = ended(|| client.queue("q")?.submit("x", Submit::default()));
    assert_eq!(error.code(), Some(Code::Unavailable), "{error:?}");
    port.is_closed(1);
    let error = ended(|| Client::builder().limit(LIMIT).open(&port.0.url));
    assert_eq!(error.code(), Some(Code::Unavailable), "{error:?}");
    port.now(HONEST);
    client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
}

#[test]
fn a_listener_whose_wait_drips_looks_again_after_its_time() {
    let server = Server::start();
    let port = Port::to(&server);
    let client = port.client();
    let mut listener = client.listener(&["q"]).unwrap();
    port.now(DRIPS);
    let begun = Instant::now();
    let _ = listener.listen(Duration::from_millis(500)).map(|taken| assert!(taken.is_none()));
    assert!(begun.elapsed() < 10 * LIMIT, "{:?}", begun.elapsed());
    port.now(HONEST);
}

#[test]
fn a_reply_over_the_bound_is_refused_and_not_kept() {
    let server = Server::start();
    let port = Port::to(&server);
    let client = Client::builder().limit(30 * LIMIT).open(&port.0.url).unwrap();
    port.now(FLOODS);
    let error = ended(|| client.queue("q")?.submit("x", Submit::default()));
    assert_eq!(error.code(), Some(Code::Reply), "{error:?}");
    assert!(error.to_string().contains("over 256 MiB"), "{error}");
    port.is_closed(1);
    let sent = port.0.sent.load(Ordering::Acquire) >> 20;
    assert!(sent < 512, "{sent} MiB were read");
    port.now(HONEST);
    client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
}

#[test]
fn a_connection_for_commands_of_ones_own_has_the_same_bounds() {
    let server = Server::start();
    let port = Port::to(&server);
    let open = || Address::parse(&port.0.url).unwrap().connect(&Namespace::default(), LIMIT).unwrap();
    for way in [DRIPS, FLOODS] {
        let mut connection = open();
        port.now(way);
        let begun = Instant::now();
        let error = redis::cmd("PING").exec(&mut connection).unwrap_err();
        assert!(begun.elapsed() < 10 * LIMIT, "{:?}: {error}", begun.elapsed());
        port.now(HONEST);
        // The rest of the reply belongs to no command: the connection is given up.
        redis::cmd("PING").exec(&mut connection).unwrap_err();
    }
}

#[cfg(feature = "tokio")]
#[tokio::test(flavor = "multi_thread")]
async fn an_asynchronous_client_gives_up_a_connection_whose_reply_does_not_end() {
    let server = Server::start();
    let port = Port::to(&server);
    let client = blueque::tokio::Client::builder().limit(LIMIT).open(&port.0.url).await.unwrap();
    let queue = client.queue("q").unwrap();
    for (way, closed) in [(DRIPS, 1), (FLOODS, 2)] {
        port.now(way);
        let begun = Instant::now();
        let error = queue.submit("x", Submit::default()).await.unwrap_err();
        assert!(begun.elapsed() < 10 * LIMIT, "{:?}: {error}", begun.elapsed());
        assert_eq!(error.code(), Some(Code::Unavailable), "{error:?}");
        port.now(HONEST);
        port.is_closed(closed);
        queue.submit("x", Submit::default()).await.unwrap();
    }
}
