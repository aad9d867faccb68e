//! A worker with asynchronous handlers: `cargo run --example async_worker --features tokio -- URL [QUEUE]`.
//!
//! Tasks without a method are "transcoded" in chunks, with checkpoints. Tasks with the method `thumbnail` block on a
//! thread. Ctrl-C lets running tasks finish for ten seconds. Unfinished tasks then go back to the queue, for another
//! worker.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use blueque::tokio::{Client, Context, Worker};
use blueque::{HandlerError, Stop};

async fn transcode(name: String, cx: Arc<Context>) -> Result<String, HandlerError> {
    // The previous attempt may have saved a checkpoint.
    let first = cx.last_checkpoint()?.unwrap_or(0_u64);
    for chunk in first..5 {
        tokio::select! {
            stopped = cx.stopped() => return Err(stopped.into()), // cancelled, drained or lost
            () = encode(chunk) => {}
        }
        cx.checkpoint(&(chunk + 1)).await?;
        cx.progress(chunk + 1, 5, "chunks").await?;
    }
    Ok(format!("{name}.mp4"))
}

async fn encode(_chunk: u64) {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let url = args.next().unwrap_or_else(|| "redis://127.0.0.1/".to_owned());
    let queue = args.next().unwrap_or_else(|| "transcode".to_owned());
    let client = Client::open(&url).await?;
    let worker = Worker::builder(&client)
        .queue(&queue)?
        .slots(20)
        .handle(transcode)
        .handle_method_blocking("thumbnail", |name: String, cx| {
            cx.block_on(cx.progress(1, 1, "pictures"))?;
            Ok(format!("{name}.png"))
        })
        .build()?;
    let stops = worker.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stops.stop(Stop::ReleaseAfter(Duration::from_secs(10)));
        }
    });
    let summary = worker.run().await?;
    println!("{} complete, {} given back", summary.complete, summary.released);
    Ok(())
}
