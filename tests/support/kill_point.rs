//! The only way from a process to its servers, on which it is killed before a chosen call.

#![allow(dead_code)]

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::{env, thread};

use super::support::{Folder, Server};

pub struct Gate {
    /// The number of the call before which the process is killed.
    death: Option<usize>,
    calls: AtomicUsize,
    child: Mutex<Option<Child>>,
}

impl Gate {
    pub fn new(death: Option<usize>) -> Arc<Self> {
        Arc::new(Self { death, calls: AtomicUsize::new(0), child: Mutex::new(None) })
    }

    /// Runs a test in a process of its own, with a variable of addresses that lead through here.
    pub fn run(self: &Arc<Self>, test: &str, (variable, addresses): (&str, &str), servers: &[Server], folder: &Folder) {
        let mut through = addresses.to_owned();
        for (at, server) in servers.iter().enumerate() {
            let path = self.open(folder, &at.to_string(), server.socket());
            through = through.replace(&server.url(), &format!("unix://{}", path.display()));
        }
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", test]).env(variable, through).stdout(Stdio::null()).stderr(Stdio::null());
        // Held while the process starts: it may be killed at once.
        let mut child = self.child.lock().unwrap();
        *child = Some(command.spawn().unwrap());
    }

    /// The path of a socket that leads to a server.
    fn open(self: &Arc<Self>, folder: &Folder, name: &str, server: PathBuf) -> PathBuf {
        let path = folder.path().join(name);
        let listener = UnixListener::bind(&path).unwrap();
        let gate = Arc::clone(self);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let (gate, server) = (Arc::clone(&gate), server.clone());
                thread::spawn(move || {
                    let _ = gate.pass(&client, &server);
                });
            }
        });
        path
    }

    /// Passes requests and replies on, in turn: a connection of the blocking client has one request under way.
    fn pass(&self, client: &UnixStream, server: &Path) -> std::io::Result<()> {
        let server = UnixStream::connect(server)?;
        let (mut requests, mut to) = (client.try_clone()?, server.try_clone()?);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut bytes = vec![0; 1 << 16];
                while let Ok(length @ 1..) = requests.read(&mut bytes) {
                    let request = &bytes[..length];
                    let calls = request.windows(7).filter(|word| word == b"EVALSHA").count()
                        + request.windows(8).filter(|word| word == b"\r\nEVAL\r\n").count();
                    let last = self.calls.fetch_add(calls, Ordering::SeqCst) + calls;
                    if calls > 0 && self.death.is_some_and(|death| last >= death) {
                        self.kill();
                        break;
                    }
                    if to.write_all(request).is_err() {
                        break;
                    }
                }
                let _ = to.shutdown(Shutdown::Both);
            });
            let (mut from, mut client) = (&server, client);
            let mut bytes = vec![0; 1 << 16];
            while let Ok(length @ 1..) = from.read(&mut bytes) {
                if client.write_all(&bytes[..length]).is_err() {
                    break;
                }
            }
            let _ = client.shutdown(Shutdown::Both);
        });
        Ok(())
    }

    /// The calls that have come.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    pub fn kill(&self) {
        if let Some(mut child) = self.child.lock().unwrap().take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub fn has_killed(&self) -> bool {
        self.child.lock().unwrap().is_none()
    }

    /// Returns true if the process has ended by itself. It must have ended without an error.
    pub fn has_ended(&self) -> bool {
        let ended = self.child.lock().unwrap().as_mut().and_then(|child| child.try_wait().unwrap());
        ended.inspect(|status| assert!(status.success(), "{status}")).is_some()
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.kill();
    }
}
