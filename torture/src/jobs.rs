//! The tasks: who submits them, what their program does, and what it records.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Result;
use blueque::{Client, Submit, TaskId};

pub const QUEUE: &str = "work";

/// The methods: one prints each step and writes its result to a file, the other prints only its result.
const METHODS: [&str; 2] = ["talks", "prints"];

/// Counts to the number that it gets and saves after each step. All processes of an attempt hold a lock while they
/// run; a failing write ends the attempt.
const PROGRAM: &str = r#"#!/bin/sh
set -e
exec 9>> 'FOLDER/locks/'"$BLUEQUE_TASK_ID"
flock -n 9 || echo "$(cut -d' ' -f1 /proc/uptime) $BLUEQUE_TASK_ID $BLUEQUE_ATTEMPT" >> 'FOLDER/overlaps'
note() { echo "$BLUEQUE_ATTEMPT $1" >> 'FOLDER/attempts/'"$BLUEQUE_TASK_ID"; }
goal=$(tr -dc 0-9)
n=0; [ ! -e "$BLUEQUE_CHECKPOINT" ] || n=$(cat "$BLUEQUE_CHECKPOINT")
note "began at $n $(cut -d' ' -f1 /proc/uptime) ${BLUEQUE_RUN##*.}"
while [ "$n" -lt "$goal" ]; do
  [ ! -e "$BLUEQUE_STOP" ] || exit 85
  n=$((n + 1))
  setsid sleep 0.05
  if [ "$BLUEQUE_METHOD" = talks ]; then echo "row $BLUEQUE_ATTEMPT $n"; fi
  echo "{\"progress\": {\"done\": $n, \"total\": $goal}}" >> "$BLUEQUE_EVENTS"
  echo "$n" > "$BLUEQUE_CHECKPOINT.new" && mv "$BLUEQUE_CHECKPOINT.new" "$BLUEQUE_CHECKPOINT"
done
echo "$BLUEQUE_ATTEMPT" > "$BLUEQUE_OUTPUT_DIR/attempt"
result="{\"steps\": $n, \"attempt\": $BLUEQUE_ATTEMPT}"
if [ "$BLUEQUE_METHOD" = talks ]; then echo "$result" > "$BLUEQUE_RESULT"; else echo "$result"; fi
note ended
"#;

/// A task whose submit was acknowledged.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    pub steps: u64,
    pub acknowledged: Instant,
    /// The server that acknowledged it may have lost it since.
    pub doubtful: bool,
}

/// An attempt that began.
#[derive(Clone, Copy, Debug)]
pub struct Began {
    /// The step from which it continued.
    pub step: u64,
    /// Seconds since boot.
    pub time: f64,
    pub token: u64,
}

pub struct Jobs {
    folder: PathBuf,
    sent: Mutex<Sent>,
}

#[derive(Default)]
struct Sent {
    jobs: BTreeMap<String, Job>,
    /// When the server last forgot something: a reply that was under way then may be that of a server that is gone.
    forgot: Option<Instant>,
}

impl Jobs {
    pub fn new(folder: &Path) -> Result<Self> {
        for name in ["locks", "attempts", "worker.d"] {
            fs::create_dir(folder.join(name))?;
        }
        fs::set_permissions(folder.join("worker.d"), PermissionsExt::from_mode(0o755))?;
        let text = PROGRAM.replace("FOLDER", &folder.to_string_lossy());
        for method in METHODS {
            let path = folder.join("worker.d").join(method);
            fs::write(&path, &text)?;
            fs::set_permissions(&path, PermissionsExt::from_mode(0o755))?;
        }
        Ok(Self { folder: folder.to_owned(), sent: Mutex::default() })
    }

    pub fn programs(&self) -> PathBuf {
        self.folder.join("worker.d")
    }

    /// Submits a task again and again until that is acknowledged, some each second, until it is told to stop.
    pub fn send(self: &Arc<Self>, url: String, seed: u64, stop: Arc<AtomicBool>) -> JoinHandle<()> {
        let jobs = Arc::clone(self);
        thread::spawn(move || {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut number = 0;
            while !stop.load(Ordering::Acquire) {
                number += 1;
                let (id, long) = (format!("t{number}"), random.u64(..8) == 0);
                let steps = random.u64(if long { 80..160 } else { 10..40 });
                let method = METHODS.get(random.usize(..METHODS.len())).copied().unwrap_or_default();
                while !stop.load(Ordering::Acquire) {
                    let begun = Instant::now();
                    if submitted(&url, &id, method, steps).is_ok() {
                        let mut sent = jobs.lock();
                        let doubtful = sent.forgot.is_some_and(|forgot| begun <= forgot);
                        sent.jobs.insert(id, Job { steps, acknowledged: Instant::now(), doubtful });
                        break;
                    }
                    thread::sleep(Duration::from_millis(100));
                }
                thread::sleep(Duration::from_millis(random.u64(100..900)));
            }
        })
    }

    pub fn all(&self) -> BTreeMap<String, Job> {
        self.lock().jobs.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Sent> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server forgets what it has acknowledged since.
    pub fn doubt(&self, since: Instant) {
        let mut sent = self.lock();
        sent.forgot = Some(Instant::now());
        for job in sent.jobs.values_mut().filter(|job| job.acknowledged >= since) {
            job.doubtful = true;
        }
    }

    /// Which attempts of a task reached their end.
    pub fn ended(&self, id: &str) -> Vec<u64> {
        let notes = fs::read_to_string(self.folder.join("attempts").join(id)).unwrap_or_default();
        let ended = notes.lines().filter_map(|line| line.strip_suffix(" ended"));
        ended.filter_map(|attempt| attempt.parse().ok()).collect()
    }

    /// The attempts of a task.
    pub fn began(&self, id: &str) -> Vec<Began> {
        let notes = fs::read_to_string(self.folder.join("attempts").join(id)).unwrap_or_default();
        let read = |line: &str| {
            let mut words = line.split_once(" began at ")?.1.split(' ');
            let (step, time, token) = (words.next()?, words.next()?, words.next()?);
            Some(Began { step: step.parse().ok()?, time: time.parse().ok()?, token: token.parse().ok()? })
        };
        notes.lines().filter_map(read).collect()
    }

    /// When a second tree ran for a task, by the time since boot: seconds, the task, the attempt.
    pub fn overlaps(&self) -> Vec<(f64, String, String)> {
        let notes = fs::read_to_string(self.folder.join("overlaps")).unwrap_or_default();
        let read = |line: &str| {
            let mut words = line.split(' ');
            Some((words.next()?.parse().ok()?, words.next()?.to_owned(), words.next()?.to_owned()))
        };
        notes.lines().filter_map(read).collect()
    }
}

fn submitted(url: &str, id: &str, method: &str, steps: u64) -> blueque::Result<()> {
    let how = Submit::default().id(TaskId::new(id)?).method(method).max_losses(1_000).max_failures(1_000);
    let how = how.delay(Duration::from_millis(100)).max_delay(Duration::from_secs(1));
    Client::open(url)?.queue(QUEUE)?.submit(&[steps], how).map(|_| ())
}
