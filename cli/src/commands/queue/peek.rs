//! `blueque queue peek`

use blueque::calls::PeekOptions;
use blueque::{ListenerId, Peeked, QueueName};
use clap::Args;
use serde::Serialize;

use crate::input::values::{queue_name, whole_number};
use crate::output::Code;
use crate::output::table::{Cell, Column, Row, or_dash};
use crate::session::Session;
use crate::subcommand::Subcommand;
use crate::times;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: QueueName,
    /// Show at most this number of tasks that run next, and at most as many tasks that are skipped
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10, value_parser = whole_number::<u32>(1, 500))]
    limit: u32,
    /// Show the order for a listener with these capabilities, such as gpu,memory=64
    #[arg(long, value_name = "OFFER")]
    has: Option<String>,
    /// Show the order for this listener and its capabilities
    #[arg(long, value_name = "LISTENER")]
    listener: Option<ListenerId>,
}

/// A task with its place in the order, or with the reason why it is skipped.
#[derive(Serialize)]
struct View {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    passed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
}

impl Row for View {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::whole("next"), |row| or_dash(row.place)),
        (Column::id("id"), |row| row.id.clone()),
        (Column::text("passed over"), |row| or_dash(row.passed.as_deref().map(sentence))),
        (Column::whole("until").rank(1), |row| or_dash(row.until.as_ref())),
    ];
}

/// Returns the text for a reason.
fn sentence(why: &str) -> &str {
    match why {
        "paused" => "the queue is paused",
        "draining" => "the listener drains",
        "queue_full" => "all places of the queue are taken",
        "queue_rate" => "the rate of the queue",
        "behind" => "a task before it waits",
        "key_full" => "all places of its key are taken",
        "key_rate" => "the rate of its key",
        "needs" => "its needs are not met",
        "limit_full" => "all places of a shared limit are taken",
        "limit_rate" => "the rate of a shared limit",
        "limit_turn" => "others have their turn at a shared limit",
        "gone" => "it is not pending any more",
        other => other,
    }
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let call = self.listener.iter().map(ToString::to_string).fold(PeekOptions::new(), PeekOptions::listener);
        let call = self.has.iter().fold(call, PeekOptions::has);
        let found = session.client.queue(self.queue.as_str())?.peek(self.limit, &call)?;
        if found.is_empty() {
            session.must_exist(std::slice::from_ref(&self.queue))?;
        }
        let view = |(at, task): (usize, Peeked)| {
            let place = task.why.is_none().then_some(at + 1);
            View { id: task.id.to_string(), place, passed: task.why, until: task.until.and_then(times::exact) }
        };
        let views: Vec<View> = found.into_iter().enumerate().map(view).collect();
        session.write(&views)?;
        Ok(Code::Ok)
    }
}
