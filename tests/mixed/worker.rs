//! The role `crate` of the mixed runs: a worker that squares numbers until it gets SIGTERM:
//! `mixed_worker URL QUEUE LEASE`.

use std::env;
use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::time::Duration;

use blueque::tokio::{Client, Context, Tokio, Worker};
use blueque::{Failure, HandlerError, Hooks, Stop};
use tokio::signal::unix::{SignalKind, signal};

#[derive(serde::Deserialize)]
struct Given {
    n: u64,
    ms: u64,
    #[serde(default)]
    fails: u32,
}

#[derive(serde::Serialize)]
struct Done {
    square: u64,
    attempt: u32,
    worker: String,
}

type Noted<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Records as `handler.py` does: a line at once, so that lines of several processes do not mix.
fn note(file: &str, what: &str, cx: &Context, more: &str) -> Noted<()> {
    let path = Path::new(&env::var("MIXED")?).join(file);
    let line = format!("{what} {} {} {more}\n", cx.processor().id(), cx.reservation().attempt);
    OpenOptions::new().append(true).create(true).open(path)?.write_all(line.as_bytes())?;
    Ok(())
}

/// Records the calls of the hooks of attempts. Every second attempt's hooks panic.
struct Notes(String);

impl Notes {
    fn note(&self, what: &str, cx: &Context) {
        let noted = note("hooks", what, cx, &self.0);
        assert!(noted.is_ok() && cx.reservation().attempt.is_multiple_of(2), "a hook changes no outcome");
    }
}

impl Hooks<Tokio> for Notes {
    fn before_attempt(&self, attempt: &Context) -> Result<(), Failure> {
        self.note("before", attempt);
        Ok(())
    }

    fn after_attempt(&self, attempt: &Context, _error: Option<&(dyn Error + 'static)>) -> Result<(), Failure> {
        self.note("after", attempt);
        Ok(())
    }

    fn on_success(&self, attempt: &Context) {
        self.note("success", attempt);
    }

    fn on_failure(&self, attempt: &Context, _error: &str) {
        self.note("failure", attempt);
    }

    fn on_retry(&self, attempt: &Context, _error: &str) {
        self.note("retry", attempt);
    }

    fn on_cancel(&self, attempt: &Context) {
        self.note("cancel", attempt);
    }

    fn on_release(&self, attempt: &Context) {
        self.note("release", attempt);
    }

    fn on_lost(&self, attempt: &Context) {
        self.note("lost", attempt);
    }
}

/// Who else is running a task, if anybody. A process that was killed has left its file behind, and at most a zombie.
fn beside(file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let (pid, worker) = text.split_once(' ')?;
    let stat = fs::read_to_string(Path::new("/proc").join(pid).join("stat")).ok()?;
    (!stat.contains(") Z ")).then(|| worker.to_owned())
}

/// An attempt that has recorded its begin. It records its end when it is dropped, however it ends.
struct Running<'a> {
    cx: &'a Context,
    worker: &'a str,
    file: PathBuf,
}

impl<'a> Running<'a> {
    fn begin(cx: &'a Context, worker: &'a str) -> Noted<Self> {
        let file = Path::new(&env::var("MIXED")?).join("running").join(cx.processor().id().as_str());
        let other = beside(&file);
        note("history", "begin", cx, &format!("{worker} {}", other.as_deref().unwrap_or("-")))?;
        fs::write(&file, format!("{} {worker}", process::id()))?;
        Ok(Self { cx, worker, file })
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.file);
        let _ = note("history", "end", self.cx, &format!("{} -", self.worker));
    }
}

async fn square(given: Given, cx: Arc<Context>) -> Result<Done, HandlerError> {
    let worker = env::var("MIXED_WORKER")?;
    let running = Running::begin(&cx, &worker)?;
    tokio::select! {
        stopped = cx.stopped() => return Err(stopped.into()),
        () = tokio::time::sleep(Duration::from_millis(given.ms)) => {}
    }
    drop(running);
    if cx.reservation().attempt <= given.fails {
        return Err("as the task orders".into());
    }
    Ok(Done { square: given.n * given.n, attempt: cx.reservation().attempt, worker })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let [url, queue, lease] = env::args().skip(1).collect::<Vec<_>>().try_into().map_err(|_| "URL QUEUE LEASE")?;
    let client = Client::open(&url).await?;
    let lease = Duration::from_secs(lease.parse()?);
    let worker = Worker::builder(&client).queue(&queue)?.slots(2).lease(lease);
    let worker = worker.hooks(Notes(env::var("MIXED_WORKER")?)).handle(square).build()?;
    let (stops, mut ended) = (worker.clone(), signal(SignalKind::terminate())?);
    tokio::spawn(async move {
        ended.recv().await;
        stops.stop(Stop::ReleaseAfter(Duration::from_secs(1)));
    });
    worker.run().await?;
    Ok(())
}
