//! The end of an attempt, stored on disk before it is sent, so that it survives a crash or a lost connection.

use std::fs;
use std::io;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::notice::Refusal;
use super::step::Step;
use super::{RunFolder, VERSION, open, spare};
use crate::hex::hex;

/// Maximum size of a file that Blueque wrote.
const MOST: u64 = 16 << 20;

/// The outcome that is sent to the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Complete,
    Fail,
    #[default]
    Release,
}

/// The maximum size of a cost that the server accepts.
const MOST_COST: usize = 1 << 10;

/// The cost of an attempt, and the location of its output. The supervisor sends it with the end, and commands show it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cost {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// True if the kernel killed the program when memory ran out.
    pub oom: bool,
    /// Maximum memory of the largest process.
    pub max_rss_kib: i64,
    /// Processor time of all processes.
    pub cpu_ms: u64,
    pub wall_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted: Option<Counted>,
    /// The way in which the limit on memory was enforced, if there was a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<Enforcement>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The folder on `host` in which the output is published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The last refusals of calls by the server that have ended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Refusal>,
}

/// The way in which a limit on the memory of all processes together is enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Enforcement {
    /// The kernel enforces the limit for the control group.
    Group,
    /// The supervisor adds up the memory of the processes.
    Sum,
}

/// The way in which the bytes that a program read and wrote were counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Counted {
    /// The bytes were counted in system calls such as `read` and `write`.
    Calls,
    /// The bytes were counted in reads from and writes to the disk.
    Blocks,
}

impl Cost {
    /// Returns the JSON that is sent to the server with this outcome, or `None` if nothing is known.
    pub fn told(&self, outcome: Outcome) -> Option<Vec<u8>> {
        let mut told = Self { refused: Vec::new(), ..self.clone() };
        if told == Self::default() {
            return None;
        }
        told.refused.clone_from(&self.refused);
        if outcome != Outcome::Complete {
            told.output = None; // published only then
        }
        let shortened: [fn(&mut Self); 3] = [|_| {}, |cost| cost.refused.clear(), |cost| cost.output = None];
        shortened.into_iter().find_map(|shorten| {
            shorten(&mut told);
            serde_json::to_vec(&told).ok().filter(|text| text.len() <= MOST_COST)
        })
    }
}

/// The data about a program after its end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PostMortem {
    #[serde(flatten)]
    pub cost: Cost,
    /// The last 4 KiB of stderr.
    pub stderr: String,
}

/// The contents of `end.json`. The result or the error is in a separate file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct End {
    pub version: u32,
    pub outcome: Outcome,
    /// The group of a failure, or the reason for a release.
    pub word: Option<String>,
    /// True if the failure is not retried.
    pub permanent: bool,
    /// Number of seconds before the next attempt. The program requested the delay, or this host caused the release.
    pub again: Option<f64>,
    /// True if the task did not cause its release, so that the attempt does not count.
    pub uncounted: bool,
    /// The tasks for which the task waits before it runs again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<String>,
    /// The queue in which a completed task continues with its next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Changes that the next step makes to the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<Step>,
    /// The queue into which a task is given back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub into: Option<String>,
    /// True if the checkpoint file may be newer than the checkpoint on the server.
    pub checkpoint: bool,
    /// The digest of the result or error.
    payload: String,
    pub post_mortem: PostMortem,
}

impl End {
    pub fn new(outcome: Outcome, word: Option<&str>, post_mortem: PostMortem) -> Self {
        Self { version: VERSION, outcome, word: word.map(str::to_owned), post_mortem, ..Self::default() }
    }
}

/// The result of a search for a stored end.
#[derive(Debug)]
pub enum Found {
    Nothing,
    Damaged(anyhow::Error),
    Whole(Box<End>, Vec<u8>),
}

impl RunFolder {
    /// Returns true if the end of the attempt is stored, so that it only has to be sent.
    pub fn has_ended(&self) -> bool {
        self.end_file().exists()
    }

    /// Returns the stored end. Fails on a disk error, because the end is then unknown.
    pub fn find_end(&self) -> io::Result<Found> {
        match fs::exists(self.end_file()) {
            Ok(true) => {}
            Err(error) if !open::is_by_hand(&error) => return Err(error),
            _ => return Ok(Found::Nothing),
        }
        match self.read_end() {
            Ok((end, payload)) => Ok(Found::Whole(Box::new(end), payload)),
            Err(error) => match error.downcast::<io::Error>() {
                Ok(error) if !open::is_by_hand(&error) => Err(error),
                Ok(error) => Ok(Found::Damaged(error.into())),
                Err(error) => Ok(Found::Damaged(error)),
            },
        }
    }

    /// Writes the end to the disk. `end.json` is written after the payload, so that its existence proves that the end
    /// is complete.
    pub fn write_end(&self, end: &mut End, payload: &[u8]) -> io::Result<()> {
        end.payload = digest(payload);
        spare::write(&self.end_payload(), payload)?;
        spare::write(&self.end_file(), &serde_json::to_vec(&end)?)
    }

    /// Reads the stored end. Returns an error if any part is damaged.
    pub fn read_end(&self) -> anyhow::Result<(End, Vec<u8>)> {
        let end: End = serde_json::from_slice(&open::read(&self.end_file(), MOST)?)?;
        let payload = open::read(&self.end_payload(), MOST)?;
        anyhow::ensure!(end.version == VERSION, "end.json has version {}", end.version);
        anyhow::ensure!(end.payload == digest(&payload), "end.payload is not what end.json says");
        Ok((end, payload))
    }
}

fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}
