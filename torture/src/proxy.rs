//! The network between clients and a server: a proxy that imposes network faults on connections.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use blueque::bundle::{self, Command};
use socket2::SockRef;

/// Pause of a thread between two checks.
const LOOK: Duration = Duration::from_millis(5);

/// Treatment of the traffic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weather {
    #[default]
    Fair,
    /// The next request never arrives, and its connection ends.
    CutBefore,
    /// The next reply never arrives, and its connection ends: the call was executed.
    CutAfter,
    /// All data arrives later.
    Delay(Duration),
    /// Nothing passes until the weather changes.
    Hole,
    /// Requests arrive, but replies do not arrive until the weather changes.
    OneWay,
    /// The reply of a reserve never arrives, and its connection ends: the call was executed.
    CutAfterReserve,
    /// Nothing passes from the first start of a task on.
    HoleAtStart,
    /// Bytes pass one by one, at one byte per millisecond.
    Drip,
    /// New connections are refused.
    Refuse,
}

struct Route {
    server: AtomicU16,
    weather: Mutex<Weather>,
    /// Both ends of every connection.
    open: Mutex<Vec<TcpStream>>,
    stopped: AtomicBool,
}

/// A route to the server. All users of the route share its weather.
pub struct Proxy {
    pub port: u16,
    route: Arc<Route>,
}

impl Proxy {
    pub fn start(server: u16) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").context("no port for a proxy")?;
        let port = listener.local_addr()?.port();
        let route = Arc::new(Route {
            server: server.into(),
            weather: Mutex::default(),
            open: Mutex::default(),
            stopped: false.into(),
        });
        let shared = Arc::clone(&route);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if shared.stopped.load(Ordering::Acquire) {
                    break;
                }
                if shared.weather() == Weather::Refuse {
                    reset(&client);
                } else {
                    // Without a server, the connection of the client ends.
                    let _ = shared.join(client);
                }
            }
        });
        Ok(Self { port, route })
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// Leads new connections to this server.
    pub fn lead_to(&self, server: u16) {
        self.route.server.store(server, Ordering::Release);
    }

    pub fn set(&self, weather: Weather) {
        self.route.set(weather);
    }

    /// Ends every connection by RST.
    pub fn cut(&self) {
        for end in lock(&self.route.open).drain(..) {
            reset(&end);
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.route.stopped.store(true, Ordering::Release);
        self.cut();
        // A connection wakes the accepting thread.
        #[expect(clippy::disallowed_methods, reason = "on this machine, to a socket of its own")]
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

impl Route {
    fn set(&self, weather: Weather) {
        *lock(&self.weather) = weather;
    }

    fn weather(&self) -> Weather {
        *lock(&self.weather)
    }

    /// Returns true if this is the current weather, and ends it.
    fn strikes(&self, weather: Weather) -> bool {
        let mut now = lock(&self.weather);
        let strikes = *now == weather;
        if strikes {
            *now = Weather::Fair;
        }
        strikes
    }

    fn join(self: &Arc<Self>, client: TcpStream) -> Result<()> {
        #[expect(clippy::disallowed_methods, reason = "on this machine")]
        let server = TcpStream::connect(("127.0.0.1", self.server.load(Ordering::Acquire)))?;
        for end in [&client, &server] {
            end.set_nodelay(true)?;
            end.set_read_timeout(Some(Duration::from_secs(1)))?;
        }
        let mut open = lock(&self.open);
        open.retain(|end| end.peer_addr().is_ok());
        open.extend([client.try_clone()?, server.try_clone()?]);
        drop(open);
        // True if a reply must be lost.
        let unheard = Arc::new(AtomicBool::new(false));
        for (from, to, asks) in [(client.try_clone()?, server.try_clone()?, true), (server, client, false)] {
            let (route, unheard) = (Arc::clone(self), Arc::clone(&unheard));
            thread::spawn(move || {
                // Connections are expected to end.
                let _ = route.pass(&from, &to, asks, &unheard);
                let _ = from.shutdown(Shutdown::Both);
                let _ = to.shutdown(Shutdown::Both);
            });
        }
        Ok(())
    }

    fn pass(&self, mut from: &TcpStream, mut to: &TcpStream, asks: bool, unheard: &AtomicBool) -> std::io::Result<()> {
        let mut buffer = [0; 16 << 10];
        loop {
            let read = match from.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(read) => read,
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => continue,
                Err(error) => return Err(error),
            };
            let bytes = buffer.get(..read).unwrap_or_default();
            let cut = if asks { Weather::CutBefore } else { Weather::CutAfter };
            if self.weather() == Weather::CutAfterReserve && asks && calls(bytes, "reserve") {
                unheard.store(true, Ordering::Release);
            }
            if self.strikes(cut) || (!asks && unheard.load(Ordering::Acquire)) {
                reset(from);
                reset(to);
                return Ok(());
            }
            match self.weather() {
                Weather::HoleAtStart if asks && calls(bytes, "start") => self.set(Weather::Hole),
                Weather::Delay(time) => thread::sleep(time),
                Weather::Drip => {
                    for byte in bytes.chunks(1) {
                        to.write_all(byte)?;
                        if self.weather() == Weather::Drip {
                            thread::sleep(Duration::from_millis(1));
                        }
                    }
                    continue;
                }
                _ => {}
            }
            while self.weather() == Weather::Hole || (!asks && self.weather() == Weather::OneWay) {
                thread::sleep(LOOK);
            }
            to.write_all(bytes)?;
        }
    }
}

/// Returns true if these bytes of a client call this command.
fn calls(bytes: &[u8], command: &str) -> bool {
    let digest = bundle::command(command).map_or("", Command::sha1).as_bytes();
    !digest.is_empty() && bytes.windows(digest.len()).any(|part| part == digest)
}

fn reset(end: &TcpStream) {
    let _ = SockRef::from(end).set_linger(Some(Duration::ZERO));
    let _ = end.shutdown(Shutdown::Both);
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
