//! A task every second: `cargo run --example schedules -- URL`. Any number of workers may run: each slot creates one
//! task.

use std::time::Duration;

use blueque::{Client, Context, Overlap, Plan, Recurrence, Stop, Submit, Worker};

fn main() -> blueque::Result<()> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "redis://127.0.0.1/".to_owned());
    let client = Client::open(&url)?;
    // With the feature `cron` also: Recurrence::cron("0 3 * * *", "Europe/Berlin")?
    let recurrence = Recurrence::every(Duration::from_secs(1))?;
    let plan = Plan::default().overlap(Overlap::Skip).times(3).task(Submit::default().tag("clock"));
    let schedule = client.schedule("clock")?;
    schedule.set("clock", &recurrence, "tick", &plan)?;

    let (tell, told) = std::sync::mpsc::channel();
    let worker = Worker::builder(&client)
        .queue("clock")?
        .handle(move |word: String, cx: &Context| {
            println!("{word}: {}", cx.reservation().id);
            Ok(tell.send(())?)
        })
        .build()?;
    let stops = worker.clone();
    let runs = std::thread::spawn(move || worker.run());
    let ticks = told.iter().take(3).count();
    println!("{ticks} tasks, {} made", schedule.info()?.made());
    stops.stop(Stop::Drain);
    schedule.remove()?;
    runs.join().map_or_else(|panic| std::panic::resume_unwind(panic), |summary| summary.map(drop))
}
