//! Interrupted work continues at its checkpoint, and a cancel stops it: `cargo run --example checkpoints -- URL`.

use std::thread;
use std::time::Duration;

use blueque::{Client, Context, Error, HandlerError, Stop, Submit, Worker};

/// Counts to a number, with a checkpoint after each step.
fn count(to: u64, cx: &Context) -> Result<String, HandlerError> {
    let first = cx.last_checkpoint()?.unwrap_or(0_u64);
    for n in first..to {
        cx.check()?; // cancelled, drained or lost: the error ends the attempt as it should
        thread::sleep(Duration::from_millis(20));
        cx.checkpoint(&(n + 1))?;
        cx.progress(n + 1, to, "steps")?;
    }
    Ok(format!("attempt {} went on at {first}", cx.reservation().attempt))
}

fn begin(client: &Client) -> blueque::Result<(Worker, thread::JoinHandle<blueque::Result<blueque::Summary>>)> {
    let worker =
        Worker::builder(client).queue("counts")?.heartbeat(Duration::from_millis(100)).handle(count).build()?;
    let runs = worker.clone();
    Ok((worker, thread::spawn(move || runs.run())))
}

fn main() -> Result<(), HandlerError> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "redis://127.0.0.1/".to_owned());
    let client = Client::open(&url)?;
    let task = client.queue("counts")?.submit(&50, Submit::default())?;

    let (first, ends) = begin(&client)?;
    while task.info()?.checkpoint::<u64>()?.is_none_or(|n| n < 5) {
        thread::sleep(Duration::from_millis(10));
    }
    first.stop(Stop::Release); // same stop as before an upgrade of the program
    println!("given back: {}", ends.join().map_err(|_| "the worker panicked")??.released);

    let (second, ends) = begin(&client)?;
    println!("{}", task.result::<String>(Duration::from_secs(60))?);

    let endless = client.queue("counts")?.submit(&u64::MAX, Submit::default())?;
    while endless.info()?.progress_bytes().is_none() {
        thread::sleep(Duration::from_millis(10));
    }
    endless.cancel("it takes too long")?;
    match endless.result::<String>(Duration::from_secs(60)) {
        Err(Error::TaskCancelled(reason)) => println!("cancelled: {reason}"),
        other => println!("{other:?}"),
    }
    second.stop(Stop::Drain);
    ends.join().map_err(|_| "the worker panicked")??;
    Ok(())
}
