//! The role `crate` of the mixed runs: a worker that squares numbers until it gets SIGTERM:
//! `mixed_worker URL QUEUE LEASE`.

use std::error::Error;
use std::io::Write as _;
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

/// Leaves word as `handler.py` does: a line at once, so that lines of several processes do not mix.
fn note(what: &str, cx: &Context, worker: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
    let path = std::path::Path::new(&std::env::var("MIXED")?).join("history");
    let line = format!("{what} {} {} {worker}\n", cx.processor().id(), cx.reservation().attempt);
    std::fs::OpenOptions::new().append(true).create(true).open(path)?.write_all(line.as_bytes())?;
    Ok(())
}

async fn square(given: Given, cx: Arc<Context>) -> Result<Done, HandlerError> {
    let worker = std::env::var("MIXED_WORKER")?;
    note("begin", &cx, &worker)?;
    tokio::select! {
        stopped = cx.stopped() => return Err(stopped.into()),
        () = tokio::time::sleep(Duration::from_millis(given.ms)) => {}
    }
    note("end", &cx, &worker)?;
    Ok(Done { square: given.n * given.n, attempt: cx.reservation().attempt, worker })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let [url, queue, lease] = std::env::args().skip(1).collect::<Vec<_>>().try_into().map_err(|_| "URL QUEUE LEASE")?;
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
