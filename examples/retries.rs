//! Failures and retries: `cargo run --example retries -- URL`.

use std::time::Duration;

use blueque::{Client, Context, Error, Failure, HandlerError, Stop, Submit, Worker};

/// The first attempt chooses its retry itself. The second attempt uses the task's backoff.
fn fetch(page: &str, cx: &Context) -> Result<String, HandlerError> {
    if page == "no such page" {
        return Err(Failure::new("not found").permanent().into()); // fails the task regardless of remaining retries
    }
    match cx.reservation().failures {
        0 => Err(Failure::new("too many requests").group("busy").again_in(Duration::from_millis(100)).into()),
        1 => Err("the connection was reset".into()),
        failures => Ok(format!("{page}, after {failures} failures")),
    }
}

fn main() -> blueque::Result<()> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "redis://127.0.0.1/".to_owned());
    let client = Client::open(&url)?;
    let queue = client.queue("pages")?;
    let worker =
        Worker::builder(&client).queue("pages")?.handle(|page: String, cx: &Context| fetch(&page, cx)).build()?;
    let stops = worker.clone();
    let runs = std::thread::spawn(move || worker.run());

    let how = || Submit::default().max_failures(5).delay(Duration::from_millis(100));
    let page = queue.submit("a page", how())?;
    let lost = queue.submit("no such page", how())?;
    println!("{}", page.result::<String>(Duration::from_secs(60))?);
    for step in page.history()? {
        let error = step.error.unwrap_or_default();
        println!("attempt {}: {} {}", step.attempt, step.to, String::from_utf8_lossy(&error));
    }
    match lost.result::<String>(Duration::from_secs(60)) {
        Err(Error::Failed(error)) => println!("failed for good: {error}"),
        other => println!("{other:?}"),
    }
    stops.stop(Stop::Drain);
    runs.join().map_or_else(|panic| std::panic::resume_unwind(panic), |summary| summary.map(drop))
}
