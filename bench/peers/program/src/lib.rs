//! The program of every peer: it reads orders from stdin, one JSON object a line, and replies to each with a line.

use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, io};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Bytes of a lone task's payload as JSON.
const BYTES: usize = 100;

/// The queue that every peer uses.
pub const QUEUE: &str = "peers";

/// What a task carries.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Payload {
    pub n: u64,
    pub pad: String,
}

impl Payload {
    fn new(n: u64, bytes: usize) -> Self {
        let taken = format!(r#"{{"n":{n},"pad":""}}"#).len();
        Self { n, pad: "x".repeat(bytes.saturating_sub(taken)) }
    }
}

/// How to work.
#[derive(Clone, Debug, Deserialize)]
pub struct Work {
    /// Tasks at a time.
    pub slots: usize,
    /// Seconds that the handler takes.
    pub hold: u64,
    /// Seconds after which a silent worker counts as dead; none: the peer's default.
    pub lease: Option<u64>,
    /// The result of each task.
    pub who: Option<String>,
}

impl Work {
    #[must_use]
    pub fn lease(&self) -> Option<Duration> {
        self.lease.map(Duration::from_secs)
    }
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
enum Order {
    Add { first: u64, count: u64, batch: usize, bytes: usize },
    Lone { number: u64 },
    Work(Work),
    Result,
    Stop,
}

/// Where handlers record that they ran: 16 bytes, the task's number and the time.
#[derive(Clone)]
pub struct Records(Arc<File>);

impl Records {
    fn open(path: &str) -> io::Result<Self> {
        Ok(Self(Arc::new(OpenOptions::new().append(true).create(true).open(path)?)))
    }

    /// # Errors
    /// If the file cannot be written.
    pub fn handled(&self, payload: &Payload) -> io::Result<()> {
        let mut record = [0; 16];
        let (number, time) = record.split_at_mut(8);
        number.copy_from_slice(&payload.n.to_le_bytes());
        time.copy_from_slice(&nanoseconds().to_le_bytes());
        self.0.as_ref().write_all(&record)
    }
}

fn nanoseconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// A task queue.
pub trait Peer: Sized {
    /// Runs handlers until it is stopped.
    type Working;

    /// # Errors
    /// If the server does not reply.
    fn open(url: &str) -> Result<Self>;

    /// # Errors
    /// If the task was not accepted.
    fn add(&self, payload: &Payload) -> Result<()>;

    /// # Errors
    /// If the tasks were not accepted.
    fn add_many(&self, payloads: &[Payload]) -> Result<()>;

    /// The result of the task that was added last, if it has one.
    fn result(&self) -> Option<String>;

    /// # Errors
    /// If no worker could be started.
    fn work(&self, how: &Work, records: &Records) -> Result<Self::Working>;

    /// Ends the worker.
    ///
    /// # Errors
    /// Those that the worker ended with.
    fn stop(&self, working: Self::Working) -> Result<()>;
}

/// Carries out orders until there are no more.
///
/// # Errors
/// Those of the peer.
pub fn serve<P: Peer>() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let (Some(url), Some(records)) = (arguments.next(), arguments.next()) else {
        return Err("usage: PROGRAM URL RECORDS".into());
    };
    let records = Records::open(&records)?;
    let peer = P::open(&url)?;
    let mut working = None;
    answer(&json!({ "ready": true }))?;
    for line in io::stdin().lock().lines() {
        match serde_json::from_str(&line?)? {
            Order::Add { first, count, batch, bytes } => {
                let payloads: Vec<Payload> = (first..first + count).map(|number| Payload::new(number, bytes)).collect();
                let began = Instant::now();
                if batch == 1 {
                    payloads.iter().try_for_each(|payload| peer.add(payload))?;
                } else {
                    payloads.chunks(batch).try_for_each(|payloads| peer.add_many(payloads))?;
                }
                answer(&json!({ "seconds": began.elapsed().as_secs_f64() }))?;
            }
            Order::Lone { number } => {
                let payload = Payload::new(number, BYTES);
                let sent = nanoseconds();
                peer.add(&payload)?;
                answer(&json!({ "sent": sent }))?;
            }
            Order::Work(how) => {
                working = Some(peer.work(&how, &records)?);
                answer(&json!({ "working": true }))?;
            }
            Order::Result => answer(&json!({ "result": peer.result() }))?,
            Order::Stop => break,
        }
    }
    working.map_or(Ok(()), |working| peer.stop(working))?;
    answer(&json!({ "stopped": true }))
}

fn answer(value: &Value) -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{value}")?;
    Ok(out.flush()?)
}
