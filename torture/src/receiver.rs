//! The receiver of the tasks' notices: a webhook that refuses some of them, or answers late or not at all.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use fastrand::Rng;
use serde_json::Value;

/// Name of the target.
pub const TARGET: &str = "hook";

/// Events of which the tasks notify.
pub const EVENTS: &str = "hook:end+pending=1s+no-progress=2s";

/// Maximum time for a request.
const LIMIT: Duration = Duration::from_secs(5);

/// A notice that has come.
#[derive(Clone, Debug)]
pub struct Received {
    pub at: Instant,
    pub task: String,
    pub number: u64,
    pub event: String,
}

pub struct Receiver {
    received: Arc<Mutex<Vec<Received>>>,
    good: Arc<AtomicBool>,
    pub config: PathBuf,
}

impl Receiver {
    /// Starts the receiver, and writes the configuration that names it.
    pub fn start(folder: &Path, seed: u64) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let (config, address) = (folder.join("config.toml"), listener.local_addr()?);
        fs::write(&config, format!("[notify.{TARGET}]\nurl = \"http://{address}/\"\ntimeout = \"5s\"\n"))?;
        let (received, good) = (Arc::<Mutex<Vec<Received>>>::default(), Arc::new(AtomicBool::new(false)));
        let (into, is_good, mut random) = (Arc::clone(&received), Arc::clone(&good), Rng::with_seed(seed));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut random = random.fork();
                let (into, is_good) = (Arc::clone(&into), Arc::clone(&is_good));
                thread::spawn(move || {
                    let Some(notice) = read(&stream) else { return };
                    let mood = if is_good.load(Ordering::Acquire) { 20 } else { random.u32(..20) };
                    if mood == 0 {
                        return answer(&stream, "503 Service Unavailable");
                    }
                    into.lock().unwrap_or_else(PoisonError::into_inner).push(notice);
                    match mood {
                        1 => _ = stream.shutdown(Shutdown::Both),
                        2 | 3 => {
                            thread::sleep(Duration::from_millis(random.u64(..2_000)));
                            answer(&stream, "200 OK");
                        }
                        _ => answer(&stream, "200 OK"),
                    }
                });
            }
        });
        Ok(Self { received, good, config })
    }

    /// Acknowledges all further notices at once.
    pub fn recover(&self) {
        self.good.store(true, Ordering::Release);
    }

    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Reads a notice of a task. Returns none for a request that is cut.
fn read(mut stream: &TcpStream) -> Option<Received> {
    stream.set_read_timeout(Some(LIMIT)).ok()?;
    let (mut text, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
        text.extend_from_slice(buffer.get(..count)?);
        let all = String::from_utf8_lossy(&text);
        let Some((_, body)) = all.split_once("\r\n\r\n") else { continue };
        if let Ok(notice) = serde_json::from_str::<Value>(body) {
            let word = |place: &str| notice.pointer(place).and_then(Value::as_str).map(str::to_owned);
            let number = notice.pointer("/data/number").and_then(Value::as_u64)?;
            let event = word("/type")?.strip_prefix("task.")?.to_owned();
            return Some(Received { at: Instant::now(), task: word("/data/task")?, number, event });
        }
    }
}

fn answer(mut stream: &TcpStream, status: &str) {
    // The worker may have been killed.
    let _ = stream.write_all(format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").as_bytes());
}
