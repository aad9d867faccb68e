//! Server-sent events: the parts of a page that have changed.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::Query;
use axum::http::{StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use serde_json::json;
use tokio::sync::watch;

use super::{bulk, graphs, now, queue, task, workers};
use crate::act::Fields;
use crate::feed::{Frame, Reading};
use crate::here::Here;

/// Time after which a browser connects again.
const RETRY: Duration = Duration::from_secs(2);

/// The parts of the pages that share one reading.
const NOW: &[&str] = &["now-sum", "now-running", "now-queues", "now-failures"];
const QUEUES: &[&str] = &["queues", "shared-limits"];

/// Number of frames without a change after which a browser gets a message, so that it knows that the page is current.
const BEAT: u64 = 5;

pub async fn events(here: Here, Query(query): Query<Vec<(String, String)>>) -> Response {
    let joined = Instant::now();
    let fields = Fields::new(query);
    let topic = fields.get("topic").unwrap_or_default();
    let topic_name = format!("{}/{topic}", here.place.name());
    let frames = match topic.split_once(':').unwrap_or((topic, "")) {
        ("task", id) => match blueque::TaskId::new(id) {
            Ok(id) => here.site.feeds().follow(&topic_name, task::reading(&here, id)),
            Err(_) => None,
        },
        ("queue", name) => match blueque::QueueName::new(name) {
            Ok(queue) => here.site.feeds().follow(&topic_name, queue::reading(&here, queue)),
            Err(_) => None,
        },
        ("bulk", id) => here.site.feeds().follow(&topic_name, bulk::reading(&here, id)),
        ("workers", "") => here.site.feeds().follow(&topic_name, workers::reading(&here)),
        ("graph", id) => match blueque::GraphId::new(id) {
            Ok(id) => {
                let own = format!("{topic_name} {}", fields.all("open").join(" "));
                here.site.feeds().follow(&own, graphs::reading(&here, id, &fields))
            }
            Err(_) => None,
        },
        ("now" | "queues", "") => here.site.feeds().follow(&format!("{}/now", here.place.name()), now::reading(&here)),
        _ => return (StatusCode::NOT_FOUND, "There is no such topic.\n").into_response(),
    };
    let Some(frames) = frames else {
        return (StatusCode::SERVICE_UNAVAILABLE, "Too many pages are watched: reload this page later.\n")
            .into_response();
    };
    let of = match topic {
        "now" => Some(NOW),
        "queues" => Some(QUEUES),
        _ => None,
    };
    let events = Sse::new(stream(frames, joined, of)).keep_alive(KeepAlive::default());
    ([(header::CACHE_CONTROL, "no-store"), (header::HeaderName::from_static("x-accel-buffering"), "no")], events)
        .into_response()
}

/// What one browser has seen.
struct Seen {
    joined: Instant,
    /// The parts that the page has; without them, all.
    of: Option<&'static [&'static str]>,
    frames: watch::Receiver<Arc<Frame>>,
    parts: HashMap<String, Arc<str>>,
    trouble: Option<String>,
    beat: u64,
}

fn stream(
    frames: watch::Receiver<Arc<Frame>>,
    joined: Instant,
    of: Option<&'static [&'static str]>,
) -> impl Stream<Item = Result<Event, Infallible>> {
    let mut frames = frames;
    frames.mark_changed();
    let seen = Seen { joined, of, frames, parts: HashMap::new(), trouble: None, beat: 0 };
    stream::unfold(seen, |mut seen| async move {
        loop {
            seen.frames.changed().await.ok()?;
            let frame = Arc::clone(&seen.frames.borrow_and_update());
            // The page of this browser is newer than what was read before, for example before its action.
            if frame.begun.is_none_or(|begun| begun < seen.joined) {
                continue;
            }
            let changed: Vec<_> = frame
                .parts
                .iter()
                .filter(|(id, _)| seen.of.is_none_or(|of| of.contains(&id.as_str())))
                .filter(|(id, html)| seen.parts.get(id).is_none_or(|old| !Arc::ptr_eq(old, html)))
                .map(|(id, html)| json!({"id": id, "html": **html}))
                .collect();
            let silent = changed.is_empty() && seen.trouble == frame.trouble && frame.number < seen.beat + BEAT;
            if silent {
                continue;
            }
            seen.parts = frame.parts.iter().cloned().collect();
            seen.trouble.clone_from(&frame.trouble);
            seen.beat = frame.number;
            let data = json!({"parts": changed, "trouble": frame.trouble});
            let event = Event::default().event("frame").retry(RETRY).data(data.to_string());
            return Some((Ok(event), seen));
        }
    })
}

/// A reading of a topic, from a function that renders its parts.
pub fn reading<F, Fut>(read: F) -> impl Fn() -> Reading + Send + Sync + 'static
where
    F: Fn() -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Vec<(&'static str, maud::Markup)>, crate::failure::Failure>> + Send + 'static,
{
    move || {
        let future = read();
        Box::pin(async move {
            let parts = future.await?;
            Ok(parts.into_iter().map(|(id, html)| (id.to_owned(), Arc::from(html.into_string()))).collect())
        })
    }
}
