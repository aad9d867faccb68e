//! Search and events as streams: `cargo run --example events --features tokio -- URL`.

use blueque::tokio::Client;
use blueque::{Action, Filter, Force, Status, Submit};
use futures_util::{StreamExt, TryStreamExt};

#[tokio::main(flavor = "current_thread")]
async fn main() -> blueque::Result<()> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "redis://127.0.0.1/".to_owned());
    let queue = Client::open(&url).await?.queue("nightly")?;
    let mut events = queue.follow("0"); // from the oldest event that is kept; store event.cursor to continue later
    for name in ["a", "b", "c"] {
        queue.submit(name, Submit::default().tag("night").priority(5)).await?;
    }

    let waiting = Filter::new().tag("night").status(Status::Pending);
    let found: Vec<String> = queue.search(&waiting).try_collect().await?;
    println!("{} tasks wait", found.len());

    let cancel = Action::Cancel { reason: "the night is over".to_owned(), force: Force::No };
    println!("{} cancelled", queue.bulk(&cancel, &waiting).await?.changed);
    let mut cancelled = 0;
    while cancelled < found.len()
        && let Some(event) = events.next().await
    {
        let event = event?;
        println!("{} → {}", event.from.as_deref().unwrap_or("new"), event.to);
        cancelled += usize::from(event.to == "cancelled");
    }
    Ok(())
}
