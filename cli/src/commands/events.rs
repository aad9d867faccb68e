//! `blueque events`

use std::collections::VecDeque;
use std::io::{self, Write};
use std::thread;
use std::time::Duration;

use blueque::{Event, QueueName};
use clap::Args;
use serde::Serialize;

use super::{Session, queue_name, times};
use crate::output::table::{self, Row};
use crate::output::{Code, Format, fault};

const PAGE: u32 = 500;

#[derive(Args, Debug)]
pub struct Options {
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: QueueName,
    /// Go on as things happen
    #[arg(short, long)]
    follow: bool,
    /// Only the last ones [default: 10 with --follow, else all that are kept]
    #[arg(short = 'n', long, value_name = "N")]
    last: Option<usize>,
}

/// A transition.
#[derive(Serialize)]
struct EventView {
    at: Option<String>,
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    to: String,
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    why: String,
}

impl From<Event> for EventView {
    fn from(event: Event) -> Self {
        let Event { id, from, to, attempt, at, by, why, .. } = event;
        Self { at: times::exact(at), id, from, to, attempt, by, why }
    }
}

impl Row for EventView {
    const HEADS: &'static [&'static str] = &["at", "id", "from", "to", "attempt", "by", "why"];

    fn id(&self) -> &str {
        &self.id
    }

    fn cells(&self) -> Vec<String> {
        vec![
            self.at.clone().unwrap_or_default(),
            self.id.clone(),
            self.from.clone().unwrap_or_else(|| "-".to_owned()),
            self.to.clone(),
            self.attempt.to_string(),
            self.by.clone().unwrap_or_else(|| "-".to_owned()),
            self.why.clone(),
        ]
    }
}

pub fn run(session: &Session, options: &Options) -> anyhow::Result<Code> {
    if options.follow && session.format == Format::Json {
        return Err(fault(Code::Usage, "what is followed has no end: use -o jsonl"));
    }
    let keep = options.last.unwrap_or(if options.follow { 10 } else { usize::MAX });
    let mut after = "0".to_owned();
    let mut kept: VecDeque<EventView> = VecDeque::new();
    loop {
        let page = session.client.call(&session.client.calls().events(&options.queue, &after, PAGE))?;
        let over = page.items.len() < PAGE as usize;
        after = page.last;
        for event in page.items {
            kept.push_back(event.into());
            if kept.len() > keep {
                kept.pop_front();
            }
        }
        if over {
            break;
        }
    }
    let kept = Vec::from(kept);
    if !options.follow {
        table::write(session.format, &kept)?;
        return Ok(Code::Ok);
    }
    kept.iter().try_for_each(|event| table::write_one(session.format, event))?;
    loop {
        io::stdout().flush()?;
        let page = session.client.call(&session.client.calls().events(&options.queue, &after, PAGE))?;
        after = page.last;
        if page.items.is_empty() {
            thread::sleep(Duration::from_millis(200));
        }
        for event in page.items {
            table::write_one(session.format, &EventView::from(event))?;
        }
    }
}
