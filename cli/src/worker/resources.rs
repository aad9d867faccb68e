//! The shares of the host that a worker offers in `--has`: processors, memory and GPUs. A running task holds the shares
//! that it needs. All workers with the same state folder add up the shares of all its run folders, so that no host gives
//! more than it has, even after a restart.

use std::env;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use nix::fcntl::Flock;

use crate::input::values::bytes;
use crate::output::{Code, fault};
use crate::process::text;
use crate::run_folder::lock::try_lock;
use crate::run_folder::{Limits, RunFolder};

/// Names of the shares, as capabilities and as needs.
pub const CPUS: &str = "cpus";
pub const MEMORY: &str = "memory";
pub const GPUS: &str = "gpus";

/// Minimum of the memory that a worker offers. A smaller number is not in bytes.
const LEAST_MEMORY: u64 = 1 << 20;

/// Maximum number of GPUs of a host.
const MOST_GPUS: usize = 64;

/// Maximum time for which a worker waits while other workers of the host start tasks.
const PATIENCE: Duration = Duration::from_secs(10);

/// The shares of a task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shares {
    pub cpus: Option<f64>,
    pub memory: Option<u64>,
    pub gpus: Option<usize>,
}

impl Shares {
    /// Returns the shares in the needs of a task, such as `cpus>=4,memory>=1073741824`.
    pub fn of(needs: &str) -> Self {
        let mut shares = Self::default();
        for need in needs.split(',') {
            let Some(at) = need.find(['>', '=', '<']) else { continue };
            let (name, rest) = need.split_at(at);
            let Ok(number) = rest.trim_start_matches(['>', '=']).parse::<f64>() else { continue };
            match name {
                CPUS => shares.cpus = Some(number),
                MEMORY => shares.memory = Some(whole(number)),
                GPUS => shares.gpus = usize::try_from(whole(number)).ok(),
                _ => {}
            }
        }
        shares
    }
}

/// The capabilities of a worker.
#[derive(Debug)]
pub struct Resources {
    /// All other capabilities, as a list.
    others: Vec<String>,
    cpus: Option<f64>,
    memory: Option<u64>,
    gpus: Option<Vec<String>>,
    /// The capabilities that the worker has last offered.
    offered: Mutex<String>,
}

/// The shares that running tasks hold.
#[derive(Debug, Default)]
struct Held {
    cpus: f64,
    memory: u64,
    gpus: Vec<String>,
}

impl Resources {
    /// Parses `--has`. A share without a number stands for all that the host has.
    pub fn parse(has: &str) -> anyhow::Result<Self> {
        let mut found = Self { others: Vec::new(), cpus: None, memory: None, gpus: None, offered: Mutex::default() };
        for item in has.split(',') {
            let (name, value) = item.split_once('=').map_or((item, None), |(name, value)| (name, Some(value)));
            let wrong = |what: &str| fault(Code::Usage, format!("--has {item}: {what}"));
            match name {
                CPUS => {
                    let own = || {
                        thread::available_parallelism()
                            .map_or(1.0, |cpus| f64::from(u32::try_from(cpus.get()).unwrap_or(1)))
                    };
                    let given = value.map(|value| value.parse().map_err(|_| wrong("must be a number of processors")));
                    let cpus = given.unwrap_or_else(|| Ok(own()))?;
                    found.cpus = Some(cpus).filter(|cpus| (0.0..1e6).contains(cpus));
                    found.cpus.ok_or_else(|| wrong("must be a number of processors"))?;
                }
                MEMORY => {
                    let memory = match value {
                        Some(value) => bytes(value).map_err(|text| wrong(&text))?,
                        None => {
                            total_memory().context("the memory of this host is not known: give --has memory=BYTES")?
                        }
                    };
                    if memory < LEAST_MEMORY {
                        return Err(wrong("memory is in bytes: give it a unit, such as 64G"));
                    }
                    found.memory = Some(memory);
                }
                GPUS => {
                    let number = |value: &str| value.parse().ok().filter(|number| *number <= MOST_GPUS);
                    let number = value.map(|value| number(value).ok_or_else(|| wrong("must be a number up to 64")));
                    found.gpus = Some(gpus(number.transpose()?));
                }
                _ => found.others.push(item.to_owned()),
            }
        }
        found.offered = Mutex::new(found.offer(&Held::default()));
        Ok(found)
    }

    /// Returns a warning for a capability that has almost the name of a share, such as `gpu=2`: tasks get no share of it.
    pub fn mistaken(has: &str) -> Option<String> {
        has.split(',').find_map(|item| {
            let (name, value) = item.split_once('=')?;
            let share = match name {
                "cpu" => CPUS,
                "mem" | "ram" => MEMORY,
                "gpu" => GPUS,
                _ => return None,
            };
            Some(format!("--has {item} gives tasks no {share}: did you mean {share}={value}?"))
        })
    }

    /// Returns true if the worker offers shares.
    pub fn any(&self) -> bool {
        self.cpus.is_some() || self.memory.is_some() || self.gpus.is_some()
    }

    /// Returns the capabilities that the worker has last offered.
    pub fn offered(&self) -> String {
        self.offered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the capabilities to offer now, if they differ from the last offer.
    pub fn changed(&self, state: &Path) -> io::Result<Option<String>> {
        if !self.any() {
            return Ok(None);
        }
        let now = self.offer(&held(state)?);
        let mut offered = self.offered.lock().unwrap_or_else(PoisonError::into_inner);
        if *offered == now {
            return Ok(None);
        }
        offered.clone_from(&now);
        Ok(Some(now))
    }

    /// Forgets the last offer, so that the next offer is made even if it is the same.
    pub fn forget_offer(&self) {
        self.offered.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn offer(&self, held: &Held) -> String {
        let cpus = self.cpus.map(|cpus| format!("{CPUS}={}", ((cpus - held.cpus).max(0.0) * 1e3).round() / 1e3));
        let memory = self.memory.map(|memory| format!("{MEMORY}={}", memory.saturating_sub(held.memory)));
        let gpus = self.gpus.as_ref().map(|_| format!("{GPUS}={}", self.free_gpus(held).count()));
        let shares = [cpus, memory, gpus].into_iter().flatten();
        self.others.iter().cloned().chain(shares).collect::<Vec<_>>().join(",")
    }

    fn free_gpus<'a>(&'a self, held: &'a Held) -> impl Iterator<Item = &'a String> {
        self.gpus.iter().flatten().filter(|gpu| !held.gpus.contains(gpu))
    }

    /// Gives a task its shares. The lock must be held until its run folder exists. Returns `None` if other tasks of
    /// the host have taken them.
    pub fn take(&self, state: &Path, limits: &mut Limits) -> anyhow::Result<Option<Flock<File>>> {
        let lock = lock(state).context("the shares of this host cannot be locked")?;
        let held = held(state).context("the shares of running tasks cannot be read")?;
        let gpus: Vec<String> = self.free_gpus(&held).take(limits.gpus_needed).cloned().collect();
        let memory = limits.memory.filter(|_| limits.of_task.memory);
        // A sum of fractions may be a little too large.
        let fits = self.cpus.zip(limits.cpus).is_none_or(|(all, more)| held.cpus + more <= all + 1e-6)
            && self.memory.zip(memory).is_none_or(|(all, more)| held.memory.saturating_add(more) <= all)
            && (self.gpus.is_none() || gpus.len() == limits.gpus_needed);
        if !fits {
            return Ok(None);
        }
        limits.gpus = self.gpus.as_ref().map(|_| gpus);
        Ok(Some(lock))
    }
}

/// Adds up the shares of all tasks that run on this host.
fn held(state: &Path) -> io::Result<Held> {
    let mut held = Held::default();
    for folder in RunFolder::all(state)? {
        // A folder that has just been removed, and a program that has ended, hold nothing.
        if folder.has_ended() {
            continue;
        }
        let Ok(run) = folder.read() else { continue };
        held.cpus += run.limits.cpus.unwrap_or(0.0).max(0.0);
        let memory = run.limits.memory.filter(|_| run.limits.of_task.memory);
        held.memory = held.memory.saturating_add(memory.unwrap_or(0));
        held.gpus.extend(run.limits.gpus.into_iter().flatten());
    }
    Ok(held)
}

fn lock(state: &Path) -> io::Result<Flock<File>> {
    let path = state.join("shares.lock");
    let begun = Instant::now();
    loop {
        let file = File::options().create(true).truncate(false).write(true).open(&path)?;
        match try_lock(file)? {
            Some(lock) => return Ok(lock),
            None if begun.elapsed() > PATIENCE => return Err(io::ErrorKind::TimedOut.into()),
            None => thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// Returns the names of the GPUs that a worker may give to tasks: those in its own environment, or else the first ones of
/// the host.
fn gpus(number: Option<usize>) -> Vec<String> {
    let own = env::var("CUDA_VISIBLE_DEVICES").ok().filter(|own| !own.is_empty());
    let own = own.map(|own| own.split(',').map(|gpu| gpu.trim().to_owned()).collect::<Vec<_>>());
    match (own, number) {
        (Some(own), number) => own.into_iter().take(number.unwrap_or(MOST_GPUS)).collect(),
        (None, number) => (0..number.unwrap_or_else(devices)).map(|index| index.to_string()).collect(),
    }
}

/// Returns the number of NVIDIA devices of this host.
fn devices() -> usize {
    let names = fs::read_dir("/dev").into_iter().flatten().flatten().map(|entry| entry.file_name());
    let is_gpu = |name: &str| name.strip_prefix("nvidia").is_some_and(|index| index.parse::<u32>().is_ok());
    names.filter(|name| name.to_str().is_some_and(is_gpu)).count().min(MOST_GPUS)
}

fn total_memory() -> Option<u64> {
    let memory = text("/proc/meminfo")?;
    let kib: u64 =
        memory.lines().find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next()?.parse().ok())?;
    Some(kib << 10)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the number is rounded, and not negative")]
fn whole(number: f64) -> u64 {
    number.max(0.0).ceil() as u64
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Held, Resources, Shares};

    #[test]
    fn shares_are_read_from_needs() {
        let shares = Shares::of("gpu,cpus>=2.5,memory>=1024,transcoder<3,gpus=2");
        assert_eq!(shares, Shares { cpus: Some(2.5), memory: Some(1024), gpus: Some(2) });
        assert_eq!(Shares::of("cpus,memory<5,gpu>=1"), Shares::default());
    }

    #[test]
    fn a_worker_offers_what_running_tasks_leave() {
        let resources = Resources::parse("ssd,cpus=4,memory=2G,gpus=3").unwrap();
        assert_eq!(resources.offered(), "ssd,cpus=4,memory=2147483648,gpus=3");
        let held = Held { cpus: 2.5, memory: 3 << 30, gpus: vec!["1".into()] };
        assert_eq!(resources.offer(&held), "ssd,cpus=1.5,memory=0,gpus=2");
        assert_eq!(resources.free_gpus(&held).collect::<Vec<_>>(), ["0", "2"]);
        assert!(!Resources::parse("ssd,transcoder=3").unwrap().any());
        assert_eq!(Resources::mistaken("ssd,gpu,gpus=2,cpus=4"), None);
        for wrong in ["cpus=x", "cpus=-1", "memory=64", "memory=64X", "gpus=65", "gpus=-1"] {
            assert!(Resources::parse(wrong).is_err(), "{wrong}");
        }
        assert!(Resources::parse("cpus,memory").unwrap().offered().starts_with("cpus="));
    }
}
