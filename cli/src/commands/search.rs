//! `blueque find`, `tag`, `untag`, `tags`, `groups`

use blueque::{Group, QueueName, Tag, TaskId};
use clap::Args;
use serde::Serialize;

use crate::input::filter::TaskFilter;
use crate::input::values::{plain, queue_name, whole_number};
use crate::output::table::{self, Column, Row};
use crate::output::{Code, Format, say};
use crate::session::Session;
use crate::times;
use crate::view::tasks::TaskList;

#[derive(Args, Debug)]
pub struct Find {
    /// The queue [default: all]
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: Option<QueueName>,
    /// So many at most
    #[arg(long, default_value_t = 50, allow_negative_numbers = true, value_parser = whole_number::<u32>(1, 100_000))]
    limit: u32,
    #[command(flatten)]
    tasks: TaskFilter,
}

#[derive(Args, Debug)]
pub struct Tags {
    /// The id, or an unambiguous beginning of it
    #[arg(value_name = "ID")]
    id: String,
    /// The tags
    #[arg(required = true, value_name = "TAG", value_parser = plain)]
    tags: Vec<String>,
}

#[derive(Args, Debug)]
pub struct Queues {
    /// The queue [default: all]
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: Option<QueueName>,
}

/// The tags of a task.
#[derive(Serialize)]
struct Tagged {
    id: String,
    tags: Vec<String>,
}

impl Row for Tagged {
    const COLUMNS: &'static [Column] = &[Column::id("id"), Column::text("tags")];

    fn id(&self) -> &str {
        &self.id
    }

    fn cells(&self) -> Vec<String> {
        vec![self.id.clone(), self.tags.join(" ")]
    }
}

/// A tag of a queue.
#[derive(Serialize)]
struct TagView {
    tag: String,
    queue: String,
    tasks: u64,
}

impl Row for TagView {
    const COLUMNS: &'static [Column] = &[Column::text("tag"), Column::text("queue"), Column::whole("tasks")];

    fn id(&self) -> &str {
        &self.tag
    }

    fn cells(&self) -> Vec<String> {
        vec![self.tag.clone(), self.queue.clone(), self.tasks.to_string()]
    }
}

/// A group of failures of a queue.
#[derive(Serialize)]
struct GroupView {
    group: String,
    queue: String,
    tasks: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    #[serde(skip)]
    age: String,
}

impl Row for GroupView {
    const COLUMNS: &'static [Column] = &[
        Column::text("group"),
        Column::text("queue"),
        Column::whole("tasks"),
        Column::id("last").rank(2),
        Column::whole("failed").rank(1),
    ];

    fn id(&self) -> &str {
        &self.group
    }

    fn cells(&self) -> Vec<String> {
        let name = if self.group.is_empty() { "(none)".to_owned() } else { self.group.clone() };
        let last = self.last.clone().unwrap_or_default();
        vec![name, self.queue.clone(), self.tasks.to_string(), last, self.age.clone()]
    }
}

pub fn find(session: &Session, options: &Find) -> anyhow::Result<Code> {
    let filter = options.tasks.filter(&[]);
    let limit = options.limit as usize;
    let mut ids = Vec::new();
    for queue in session.queues(options.queue.as_slice())? {
        // One more than is shown tells whether there are more.
        ids.extend(session.client.queue(queue.as_str())?.find(&filter, limit + 1 - ids.len())?);
        if ids.len() > limit {
            ids.truncate(limit);
            say(format!("the first {limit} tasks; --limit shows more"));
            break;
        }
    }
    if ids.is_empty() {
        session.must_exist(options.queue.as_slice())?;
    }
    TaskList::of(session, ids)?.write(session)?;
    Ok(Code::Ok)
}

pub fn tag(session: &Session, options: &Tags) -> anyhow::Result<Code> {
    change(session, options, |id, tags| session.client.call(&session.client.calls().tag(id, tags)))
}

pub fn untag(session: &Session, options: &Tags) -> anyhow::Result<Code> {
    change(session, options, |id, tags| session.client.call(&session.client.calls().untag(id, tags)))
}

fn change(
    session: &Session,
    options: &Tags,
    call: impl Fn(&TaskId, &[&str]) -> blueque::Result<Vec<String>>,
) -> anyhow::Result<Code> {
    let id = session.find(&options.id)?;
    let tags: Vec<&str> = options.tags.iter().map(String::as_str).collect();
    let tags = call(&id, &tags)?;
    table::write(session.format, &[Tagged { id: id.to_string(), tags }])?;
    Ok(Code::Ok)
}

pub fn tags(session: &Session, options: &Queues) -> anyhow::Result<Code> {
    let mut views = Vec::new();
    for queue in session.queues(options.queue.as_slice())? {
        let view = |tag: Tag| TagView { tag: tag.name, queue: queue.to_string(), tasks: tag.tasks };
        views.extend(session.client.queue(queue.as_str())?.tags()?.into_iter().map(view));
    }
    if views.is_empty() {
        session.must_exist(options.queue.as_slice())?;
    }
    table::write(session.format, &views)?;
    Ok(Code::Ok)
}

pub fn groups(session: &Session, options: &Queues) -> anyhow::Result<Code> {
    let (mut views, now) = (Vec::new(), times::now());
    for queue in session.queues(options.queue.as_slice())? {
        let view = |group: Group| GroupView {
            group: group.name,
            queue: queue.to_string(),
            tasks: group.tasks,
            last: group.last,
            at: group.at.and_then(times::exact),
            age: group.at.map(|at| times::relative(at.min(now), now)).unwrap_or_default(),
        };
        views.extend(session.client.queue(queue.as_str())?.groups()?.into_iter().map(view));
    }
    if views.is_empty() {
        session.must_exist(options.queue.as_slice())?;
    }
    if session.format == Format::Id {
        // A name that is empty is no line that anybody can use.
        views.retain(|view| !view.group.is_empty());
    }
    table::write(session.format, &views)?;
    Ok(Code::Ok)
}
