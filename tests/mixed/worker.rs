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

use blueque::tokio::{Client, Context, Worker};
use blueque::{HandlerError, Stop};
use tokio::signal::unix::{SignalKind, signal};

#[derive(serde::Deserialize)]
struct Given {
    n: u64,
    ms: u64,
}

#[derive(serde::Serialize)]
struct Done {
    square: u64,
    attempt: u32,
    worker: String,
}

type Noted<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Records as `handler.py` does: a line at once, so that lines of several processes do not mix.
fn note(what: &str, cx: &Context, worker: &str, other: &str) -> Noted<()> {
    let path = Path::new(&env::var("MIXED")?).join("history");
    let line = format!("{what} {} {} {worker} {other}\n", cx.processor().id(), cx.reservation().attempt);
    OpenOptions::new().append(true).create(true).open(path)?.write_all(line.as_bytes())?;
    Ok(())
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
        note("begin", cx, worker, beside(&file).as_deref().unwrap_or("-"))?;
        fs::write(&file, format!("{} {worker}", process::id()))?;
        Ok(Self { cx, worker, file })
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.file);
        let _ = note("end", self.cx, self.worker, "-");
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
    Ok(Done { square: given.n * given.n, attempt: cx.reservation().attempt, worker })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let [url, queue, lease] = env::args().skip(1).collect::<Vec<_>>().try_into().map_err(|_| "URL QUEUE LEASE")?;
    let client = Client::open(&url).await?;
    let lease = Duration::from_secs(lease.parse()?);
    let worker = Worker::builder(&client).queue(&queue)?.slots(2).lease(lease).handle(square).build()?;
    let (stops, mut ended) = (worker.clone(), signal(SignalKind::terminate())?);
    tokio::spawn(async move {
        ended.recv().await;
        stops.stop(Stop::ReleaseAfter(Duration::from_secs(1)));
    });
    worker.run().await?;
    Ok(())
}
