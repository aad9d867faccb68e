//! A worker of a queue that is used like a queue of redis-work-queue:
//! `cargo run --example work_queue -- URL QUEUE [once]`.
//!
//! Each item is a whole number. Its square is stored in the hash `squares`, under the item's id. With `once` an item is
//! completed before the work begins, so no crash makes it run twice.

use std::time::Duration;

use blueque::{Client, WorkItem};

/// A lease longer than the work on any item.
const LEASE: Duration = Duration::from_secs(1);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let url = args.next().unwrap_or_else(|| "redis://127.0.0.1/".to_owned());
    let name = args.next().unwrap_or_else(|| "numbers".to_owned());
    let once = args.next().as_deref() == Some("once");
    let mut results = redis::Client::open(url.as_str())?.get_connection()?;
    let mut queue = Client::open(&url)?.work_queue(&name)?;

    loop {
        let Some(item) = queue.lease(Some(Duration::from_millis(200)), LEASE)? else {
            let number = queue.light_clean()?; // any process may do it, and one must
            println!("nothing to do, {number} given back");
            continue;
        };
        if once && !queue.complete(&item)? {
            continue;
        }
        println!("working on {}", item.id());
        work(&item, &mut results)?;
        if !once && queue.complete(&item)? {
            println!("completed {}", item.id());
        }
    }
}

fn work(item: &WorkItem, results: &mut redis::Connection) -> Result<(), Box<dyn std::error::Error>> {
    let number: u64 = item.data_json()?;
    if number == 0 {
        std::thread::sleep(Duration::from_secs(3600)); // work that takes longer than its lease
    }
    std::thread::sleep(Duration::from_millis(number % 20));
    redis::cmd("HSET").arg("squares").arg(item.id()).arg(number * number).exec(results)?;
    Ok(())
}
