//! Submits, schedules, cancels and adds with the crate, on command: `mixed_client URL QUEUE ITEMS`. It reads a JSON
//! object a line, and answers each with one, as `client.mjs` does.

use std::error::Error;
use std::io::{BufRead as _, Write as _};
use std::time::Duration;

use blueque::{Client, Missed, Overlap, Plan, Recurrence, Submit, TaskId, WorkItem};

#[derive(serde::Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
enum Order {
    Submit { id: String, parameters: serde_json::Value },
    Schedule { name: String, cron: Option<String>, parameters: serde_json::Value },
    Cancel { id: String },
    Add { id: String, data: String },
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: [String; 3] = std::env::args().skip(1).collect::<Vec<_>>().try_into().map_err(|_| "URL QUEUE ITEMS")?;
    let [url, queue, items] = words;
    let client = Client::builder().around_submit(|mut submit, run| {
        submit.options = submit.options.tag("hooked");
        run(submit)
    });
    let client = client.open(&url)?;
    let how = || Submit::default().method("square").max_losses(1000).max_failures(1).delay(Duration::ZERO);
    let (name, queue, items) = (queue.clone(), client.queue(&queue)?, client.work_queue(&items)?);
    for line in std::io::stdin().lock().lines() {
        let ok = match serde_json::from_str(&line?)? {
            Order::Submit { id, parameters } => {
                queue.submit(&parameters, how().id(TaskId::new(id)?))?;
                true
            }
            Order::Schedule { name: schedule, cron, parameters } => {
                let recurrence = match cron {
                    Some(cron) => Recurrence::cron(&cron, "UTC")?,
                    None => Recurrence::every(Duration::from_secs(1))?,
                };
                let plan = Plan::default().overlap(Overlap::Allow).missed(Missed::All).task(how());
                client.schedule(&schedule)?.set(&name, &recurrence, &parameters, &plan)?;
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
