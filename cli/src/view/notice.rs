//! Views of the notices of a task.

use blueque::{Notice, TaskInfo};
use serde::Serialize;

use super::record::text;
use crate::session::Session;
use crate::times;

/// A notice in JSON.
#[derive(Debug, Serialize)]
pub struct NoticeView {
    pub number: u64,
    pub target: String,
    pub event: String,
    pub at: Option<String>,
    pub stage: String,
    pub tries: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    #[serde(skip)]
    delivery: String,
}

impl NoticeView {
    /// Reads the notices of a task, if it may have any.
    pub fn all(session: &Session, id: &str, info: &TaskInfo) -> anyhow::Result<Vec<Self>> {
        if !text(info, "flags").is_some_and(|flags| flags.contains('n')) {
            return Ok(Vec::new());
        }
        Ok(session.client.task(id)?.notices()?.into_iter().map(Self::new).collect())
    }

    /// Reads the notices of a graph.
    pub fn of_graph(session: &Session, id: &str) -> anyhow::Result<Vec<Self>> {
        let notices = session.client.call(&session.client.calls().notices("graph", id))?;
        Ok(notices.into_iter().map(Self::new).collect())
    }

    fn new(notice: Notice) -> Self {
        Self {
            delivery: notice.delivery(),
            number: notice.number,
            target: notice.target,
            event: notice.event,
            at: times::exact(notice.at),
            stage: notice.stage.unwrap_or_default(),
            tries: notice.tries,
            answered: notice.answered.and_then(times::exact),
            answer: notice.answer.map(|answer| String::from_utf8_lossy(&answer).into_owned()),
        }
    }

    /// Returns a sentence for people.
    pub fn words(&self) -> String {
        let Self { target, event, delivery, .. } = self;
        let answer = self.answer.as_deref().map_or(String::new(), |answer| format!(" ({answer})"));
        format!("{target}: {event}, {delivery}{answer}")
    }
}
