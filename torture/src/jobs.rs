//! The tasks under test: their submits, their program, and the records of their attempts.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Result;
use blueque::{Client, Code, Error, GlobalId, PartitionName, Partitions, Submit, TaskId};

use crate::receiver::EVENTS;
use crate::way::Way;

pub const QUEUE: &str = "work";

/// Methods of the tasks. The first prints each step and writes its result to a file; the other methods print only their
/// result. `named`, and a child that outlives `named`, have odd names. The output of `tees` goes through `tee`.
const METHODS: [&str; 4] = ["talks", "prints", NAMED, "tees"];

const NAMED: &str = "named";

/// A name that the kernel cuts after 15 bytes, in the middle of a character.
const ODD: &str = "vierzehn-zeich\u{e4}-lang";

/// Method of a task that gets the result of a task in another partition.
const JOINS: &str = "joins";

/// Number to which a task of the method `joins` counts.
const JOIN: u64 = 10;

/// The program counts to the number in its parameters and saves after each step. All processes of an attempt hold a
/// lock while they run. A failing write ends the attempt.
const PROGRAM: &str = r#"#!/bin/sh
set -e
exec 9>> 'FOLDER/locks/'"$BLUEQUE_TASK_ID"
case $BLUEQUE_METHOD in
  named) setsid 'FOLDER/children/ODD' 600 > /dev/null 2>&1 & ;;
  tees) mkfifo pipe; tee copy < pipe & exec > pipe ;;
esac
flock -n 9 || echo "$(cut -d' ' -f1 /proc/uptime) $BLUEQUE_TASK_ID $BLUEQUE_ATTEMPT" >> 'FOLDER/overlaps'
note() { echo "$BLUEQUE_ATTEMPT $1" >> 'FOLDER/attempts/'"$BLUEQUE_TASK_ID"; }
input=$(cat)
goal=$(printf %s "$input" | tr -dc 0-9); [ "$BLUEQUE_METHOD" != joins ] || goal=10
n=0; [ ! -e "$BLUEQUE_CHECKPOINT" ] || n=$(cat "$BLUEQUE_CHECKPOINT")
trap 'note signalled' USR1
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
result="{\"steps\": $n, \"attempt\": $BLUEQUE_ATTEMPT, \"input\": $input}"
case $BLUEQUE_METHOD in
  talks | joins) echo "$result" > "$BLUEQUE_RESULT"; note ended ;;
  *) note ended; echo "$result" ;;
esac
"#;

/// A task whose submit was acknowledged.
#[derive(Clone, Debug)]
pub struct Job {
    /// Number of the task's namespace.
    pub way: usize,
    pub steps: u64,
    /// Upstream whose result the task gets.
    pub upstream: Option<String>,
    pub acknowledged: Instant,
    /// True if the server may have lost the task after the acknowledgement.
    pub doubtful: bool,
}

/// Returns true if a task notifies the receiver.
pub fn notifies(id: &str) -> bool {
    id.ends_with(['0', '2', '4', '6', '8'])
}

/// Returns true if a task is held at its submit.
fn held(id: &str) -> bool {
    id.ends_with('8')
}

/// An attempt that began.
#[derive(Clone, Copy, Debug)]
pub struct Began {
    /// Step from which the attempt continued.
    pub step: u64,
    /// Start of the attempt in seconds since boot.
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
    /// Time at which the server last forgot data. A reply that was on its way at that time may come from the lost
    /// state.
    forgot: Option<Instant>,
}

impl Jobs {
    pub fn new(folder: &Path) -> Result<Self> {
        for name in ["locks", "attempts", "worker.d", "programs", "children"] {
            fs::create_dir(folder.join(name))?;
        }
        fs::set_permissions(folder.join("worker.d"), PermissionsExt::from_mode(0o755))?;
        let text = PROGRAM.replace("FOLDER", &folder.to_string_lossy()).replace("ODD", ODD);
        let program = |path: &Path, text: &str| {
            fs::write(path, text)?;
            fs::set_permissions(path, PermissionsExt::from_mode(0o755))
        };
        for method in METHODS.into_iter().chain([JOINS]).filter(|method| *method != NAMED) {
            program(&folder.join("worker.d").join(method), &text)?;
        }
        let odd = folder.join("programs").join(ODD);
        program(&odd, &text)?;
        program(&folder.join("worker.d").join(NAMED), &format!("#!/bin/sh\nexec '{}'\n", odd.display()))?;
        symlink("/bin/sleep", folder.join("children").join(ODD))?;
        Ok(Self { folder: folder.to_owned(), sent: Mutex::default() })
    }

    pub fn programs(&self) -> PathBuf {
        self.folder.join("worker.d")
    }

    /// Submits a few tasks each second until it is stopped. Each submit is repeated until it is acknowledged. With
    /// partitions, many tasks are followed by a task of another partition that gets their result.
    pub fn send(
        self: &Arc<Self>,
        ways: Vec<Way>,
        partitions: Option<Partitions>,
        seed: u64,
        stop: Arc<AtomicBool>,
    ) -> JoinHandle<()> {
        let jobs = Arc::clone(self);
        thread::spawn(move || {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut number = 0;
            while !stop.load(Ordering::Acquire) {
                number += 1;
                let (id, long) = (format!("t{number}"), random.u64(..8) == 0);
                let steps = random.u64(if long { 80..160 } else { 10..40 });
                let method = METHODS.get(random.usize(..METHODS.len())).copied().unwrap_or_default();
                let at = random.usize(..ways.len());
                let Some(way) = ways.get(at) else { continue };
                jobs.until(&stop, &id, at, steps, None, || submitted(way, &id, method, steps));
                if let Some(partitions) = &partitions
                    && random.bool()
                {
                    let (joins, to) = (format!("{id}-joins"), (at + 1) % ways.len());
                    jobs.until(&stop, &joins, to, JOIN, Some(&id), || joined(partitions, &id, at, &joins, to));
                }
                thread::sleep(Duration::from_millis(random.u64(100..900)));
            }
        })
    }

    /// Repeats a submit until it is acknowledged.
    fn until(
        &self,
        stop: &AtomicBool,
        id: &str,
        way: usize,
        steps: u64,
        upstream: Option<&str>,
        submit: impl Fn() -> blueque::Result<()>,
    ) {
        while !stop.load(Ordering::Acquire) {
            let begun = Instant::now();
            match submit() {
                Ok(()) => {
                    let mut sent = self.lock();
                    let doubtful = sent.forgot.is_some_and(|forgot| begun <= forgot);
                    let upstream = upstream.map(str::to_owned);
                    let job = Job { way, steps, upstream, acknowledged: Instant::now(), doubtful };
                    sent.jobs.insert(id.to_owned(), job);
                    return;
                }
                // The server has forgotten the upstream.
                Err(Error::NotFound) => return,
                Err(error) if error.code() == Some(Code::Upstream) => return,
                Err(_) => thread::sleep(Duration::from_millis(100)),
            }
        }
    }

    pub fn all(&self) -> BTreeMap<String, Job> {
        self.lock().jobs.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Sent> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks the tasks acknowledged since this time as doubtful, because the server forgot them.
    pub fn doubt(&self, since: Instant) {
        let mut sent = self.lock();
        sent.forgot = Some(Instant::now());
        for job in sent.jobs.values_mut().filter(|job| job.acknowledged >= since) {
            job.doubtful = true;
        }
    }

    /// Returns the attempts of a task that reached their end.
    pub fn ended(&self, id: &str) -> Vec<u64> {
        let notes = fs::read_to_string(self.folder.join("attempts").join(id)).unwrap_or_default();
        let ended = notes.lines().filter_map(|line| line.strip_suffix(" ended"));
        ended.filter_map(|attempt| attempt.parse().ok()).collect()
    }

    /// Returns the number of signals that the attempts of a task have received.
    pub fn signalled(&self, id: &str) -> usize {
        let notes = fs::read_to_string(self.folder.join("attempts").join(id)).unwrap_or_default();
        notes.lines().filter(|line| line.ends_with(" signalled")).count()
    }

    /// Returns the attempts of a task.
    pub fn began(&self, id: &str) -> Vec<Began> {
        let notes = fs::read_to_string(self.folder.join("attempts").join(id)).unwrap_or_default();
        let read = |line: &str| {
            let mut words = line.split_once(" began at ")?.1.split(' ');
            let (step, time, token) = (words.next()?, words.next()?, words.next()?);
            Some(Began { step: step.parse().ok()?, time: time.parse().ok()?, token: token.parse().ok()? })
        };
        notes.lines().filter_map(read).collect()
    }

    /// Returns the times at which a second process tree ran for a task: seconds since boot, the task, the attempt.
    pub fn overlaps(&self) -> Vec<(f64, String, String)> {
        let notes = fs::read_to_string(self.folder.join("overlaps")).unwrap_or_default();
        let read = |line: &str| {
            let mut words = line.split(' ');
            Some((words.next()?.parse().ok()?, words.next()?.to_owned(), words.next()?.to_owned()))
        };
        notes.lines().filter_map(read).collect()
    }
}

fn how(id: &str, method: &str) -> blueque::Result<Submit> {
    let how = Submit::default().id(TaskId::new(id)?).method(method).max_losses(1_000).max_failures(1_000);
    let how = if notifies(id) { how.notify(EVENTS) } else { how };
    let how = if held(id) { how.hold() } else { how };
    Ok(how.delay(Duration::from_millis(100)).max_delay(Duration::from_secs(1)))
}

fn submitted(way: &Way, id: &str, method: &str, steps: u64) -> blueque::Result<()> {
    way.open(Client::builder())?.queue(QUEUE)?.submit(&[steps], how(id, method)?).map(|_| ())
}

/// Submits a task that gets the result of another partition's task.
fn joined(partitions: &Partitions, upstream: &str, from: usize, id: &str, to: usize) -> blueque::Result<()> {
    let upstream = GlobalId::new(PartitionName::new(from.to_string())?, TaskId::new(upstream)?);
    let to = PartitionName::new(to.to_string())?;
    let stands_for_it = partitions.link(&upstream, &to)?;
    let how = how(id, JOINS)?.result_of(0, &stands_for_it);
    partitions.submit_bytes_in(&to, QUEUE, b"", how).map(|_| ())
}
