//! The description of a running program: what its supervisor finds on its host.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Lists have a maximum length. The fields `more_…` have the number of omitted entries.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Description {
    pub host: String,
    /// The name of the worker.
    pub listener: String,
    pub attempt: u32,
    pub pid: u32,
    /// The run folder.
    pub folder: String,
    pub cwd: Option<String>,
    /// The environment of the program at its start. `None` for a value that was not requested or may be secret.
    pub environment: BTreeMap<String, Option<String>>,
    pub more_variables: usize,
    pub processes: Vec<Process>,
    pub more_processes: usize,
    pub files: Vec<OpenFile>,
    pub more_files: usize,
    /// Number of open sockets.
    pub sockets: usize,
    /// Lines of `nvidia-smi`, or `None` if the host does not have it.
    pub gpus: Option<Vec<Gpu>>,
    /// The end of the program's log, or `None` if the host keeps no log.
    pub log: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Process {
    pub pid: i32,
    pub parent: i32,
    /// The state as `ps` shows it.
    pub state: char,
    /// Share of a processor, during a fifth of a second.
    pub cpu_percent: f64,
    pub cpu_seconds: f64,
    /// Resident memory in bytes.
    pub memory: u64,
    pub threads: u32,
    /// Time since the start of the process, in seconds.
    pub age_seconds: f64,
    pub command: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OpenFile {
    pub pid: i32,
    pub fd: i32,
    pub path: String,
    pub position: Option<u64>,
    pub size: Option<u64>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Gpu {
    pub index: String,
    pub name: String,
    pub busy_percent: Option<f64>,
    /// Used memory of all programs, in MiB.
    pub memory_mib: Option<f64>,
    pub total_mib: Option<f64>,
}
