//! A connection to a server that loses a reply on request: the call was executed, and its reply never arrived.

#![allow(dead_code)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::support::{Folder, Server, script};

/// The call whose reply is lost, by the digest of its script; and an action that runs before the client notices.
struct Loss {
    digest: String,
    meanwhile: Box<dyn FnOnce() + Send>,
    /// True if all connections are cut and no new connections are accepted.
    closed: bool,
}

struct Way {
    server: Mutex<PathBuf>,
    loss: Mutex<Option<Loss>>,
    lost: AtomicU32,
    closed: AtomicBool,
    /// The accepted connections.
    clients: Mutex<Vec<UnixStream>>,
}

impl Way {
    /// The loss that applies to these bytes of a client.
    fn meant(&self, bytes: &[u8]) -> Option<Loss> {
        let mut loss = self.loss.lock().unwrap_or_else(PoisonError::into_inner);
        let digest = loss.as_ref()?.digest.clone().into_bytes();
        if bytes.windows(digest.len()).any(|part| part == digest) { loss.take() } else { None }
    }

    /// Cuts every connection, and accepts no others.
    fn close(&self) {
        self.closed.store(true, Ordering::Release);
        for client in self.clients.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = client.shutdown(std::net::Shutdown::Both);
        }
    }

    fn serve(self: &Arc<Self>, client: UnixStream) -> std::io::Result<()> {
        let socket = self.server.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let server = UnixStream::connect(socket)?;
        self.clients.lock().unwrap_or_else(PoisonError::into_inner).push(client.try_clone()?);
        if self.closed.load(Ordering::Acquire) {
            return client.shutdown(std::net::Shutdown::Both);
        }
        let (mut from, mut to) = (client.try_clone()?, server.try_clone()?);
        let losing: Arc<Mutex<Option<Loss>>> = Arc::default();
        let (way, armed) = (Arc::clone(self), Arc::clone(&losing));
        thread::spawn(move || {
            let mut bytes = vec![0; 1 << 16];
            while let Ok(length @ 1..) = from.read(&mut bytes) {
                if let Some(loss) = way.meant(&bytes[..length]) {
                    *armed.lock().unwrap() = Some(loss);
                }
                if to.write_all(&bytes[..length]).is_err() {
                    break;
                }
            }
            let _ = to.shutdown(std::net::Shutdown::Both);
        });
        let (mut server, mut client) = (server, client);
        let mut bytes = vec![0; 1 << 16];
        while let Ok(length @ 1..) = server.read(&mut bytes) {
            if let Some(loss) = losing.lock().unwrap().take() {
                if loss.closed {
                    self.close();
                }
                (loss.meanwhile)();
                self.lost.fetch_add(1, Ordering::Release);
                break;
            }
            client.write_all(&bytes[..length])?;
        }
        client.shutdown(std::net::Shutdown::Both)
    }
}

/// A socket that leads to a server.
pub struct Proxy {
    folder: Folder,
    server: redis::Client,
    way: Arc<Way>,
}

impl Proxy {
    pub fn to(server: &Server) -> Self {
        let folder = Folder::new();
        let listener = UnixListener::bind(folder.path().join("proxy")).unwrap();
        let socket = Mutex::new(server.socket());
        let way = Arc::new(Way {
            server: socket,
            loss: Mutex::default(),
            lost: AtomicU32::new(0),
            closed: false.into(),
            clients: Mutex::default(),
        });
        let shared = Arc::clone(&way);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let way = Arc::clone(&shared);
                if !way.closed.load(Ordering::Acquire) {
                    thread::spawn(move || way.serve(client));
                }
            }
        });
        Self { folder, server: redis::Client::open(server.url()).unwrap(), way }
    }

    pub fn url(&self) -> String {
        format!("unix://{}", self.folder.path().join("proxy").display())
    }

    /// Executes the next call of this command, and loses its reply together with the connection. The action runs in
    /// between.
    pub fn lose(&self, command: &str, meanwhile: impl FnOnce() + Send + 'static) {
        self.arm(command, meanwhile, false);
    }

    /// Loses the reply to the next call of this command. The server cannot be reached until `open` is called.
    pub fn lose_and_close(&self, command: &str) {
        self.arm(command, || {}, true);
    }

    pub fn open(&self) {
        self.way.closed.store(false, Ordering::Release);
    }

    /// New connections go to this server; existing ones stay, as after a failover that cuts none.
    pub fn lead_to(&self, server: &Server) {
        *self.way.server.lock().unwrap_or_else(PoisonError::into_inner) = server.socket();
    }

    fn arm(&self, command: &str, meanwhile: impl FnOnce() + Send + 'static, closed: bool) {
        let mut connection = self.server.get_connection().unwrap();
        // Known to the server: the first call is executed.
        let digest = redis::cmd("SCRIPT").arg("LOAD").arg(script(command)).query(&mut connection).unwrap();
        let loss = Loss { digest, meanwhile: Box::new(meanwhile), closed };
        *self.way.loss.lock().unwrap_or_else(PoisonError::into_inner) = Some(loss);
    }

    /// Number of replies lost.
    pub fn lost(&self) -> u32 {
        self.way.lost.load(Ordering::Acquire)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.folder.path().join("proxy"));
    }
}
