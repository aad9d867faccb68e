//! Submits, cancels and adds with the crate, on command: `mixed_client URL QUEUE ITEMS`. It reads a JSON object a
//! line, and answers each with one, as `client.mjs` does.

use std::error::Error;
use std::io::{BufRead as _, Write as _};

use blueque::{Client, Submit, TaskId, WorkItem};

#[derive(serde::Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
enum Order {
    Submit { id: String, parameters: serde_json::Value },
    Cancel { id: String },
    Add { id: String, data: String },
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: [String; 3] = std::env::args().skip(1).collect::<Vec<_>>().try_into().map_err(|_| "URL QUEUE ITEMS")?;
    let [url, queue, items] = words;
    let client = Client::open(&url)?;
    let (queue, items) = (client.queue(&queue)?, client.work_queue(&items)?);
    for line in std::io::stdin().lock().lines() {
        let ok = match serde_json::from_str(&line?)? {
            Order::Submit { id, parameters } => {
                let how = Submit::default().id(TaskId::new(id)?).method("square").max_losses(1000);
                queue.submit(&parameters, how)?;
                true
            }
            // A cancel fails if the task has already ended.
            Order::Cancel { id } => match client.task(&id)?.cancel("by chance") {
                Ok(_) => true,
                Err(blueque::Error::State { .. } | blueque::Error::NotFound) => false,
                Err(error) => return Err(error.into()),
            },
            Order::Add { id, data } => items.add_item(&WorkItem::with_id(id, data))?,
        };
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", serde_json::json!({ "ok": ok }))?;
        out.flush()?;
    }
    Ok(())
}
