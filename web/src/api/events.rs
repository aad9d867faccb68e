//! Events of queues as a stream, with a cursor that survives reconnects. One reader for each queue serves all clients.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Extension;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use blueque::calls::by_name::Values;
use blueque::contract::commands::command;
use futures_util::stream::{self, Stream};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};

use super::problem::Problem;
use crate::place::Place;
use crate::site::Site;

/// Time between two reads of a queue without new events.
const PERIOD: Duration = Duration::from_millis(500);

/// Number of events that one call reads.
const PAGE: usize = 200;

/// Number of the latest events of a queue that are kept for clients that reconnect.
const KEPT: usize = 1000;

/// Maximum number of queues of one stream.
const QUEUES: usize = 16;

/// Maximum number of queues that are read at the same time.
const TAILS: usize = 500;

/// Time after which a stream ends. The client continues with its cursor, and shows its token again.
const LONGEST: Duration = Duration::from_secs(900);

/// An event: its cursor, and its JSON.
type Entry = (Cursor, Arc<str>);

/// Position of an event in the events of its queue: microseconds, and a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Cursor(u64, u64);

impl Cursor {
    fn parse(text: &str) -> Option<Self> {
        let (at, number) = text.split_once('-').unwrap_or((text, "0"));
        Some(Self(at.parse().ok()?, number.parse().ok()?))
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.0, self.1)
    }
}

/// The queues that are read now.
#[derive(Clone, Debug, Default)]
pub struct Tails(Arc<Mutex<HashMap<Name, watch::Sender<Tail>>>>);

/// Names of a place and a queue.
type Name = (String, String);

/// The latest events of a queue.
#[derive(Clone, Debug, Default)]
struct Tail {
    /// All events after this cursor are in `events`.
    from: Cursor,
    /// The last event that was read.
    last: Cursor,
    events: VecDeque<Entry>,
    trouble: Option<Arc<str>>,
}

/// The reply of `events`.
#[derive(Deserialize)]
struct Page {
    last: String,
    missed: bool,
    items: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Named {
    event: String,
}

/// Reads the events of a queue after a cursor.
async fn read(place: &Place, queue: &str, after: Cursor) -> Result<(Vec<Entry>, Cursor, bool), Problem> {
    let client = place.client().await?;
    let raw = |json: String| RawValue::from_string(json).map_err(|_| Problem::wrong("A value is not JSON."));
    let text = |text: &str| raw(serde_json::to_string(text).unwrap_or_default());
    let mut values = Values::new();
    values.insert("queue".to_owned(), text(queue)?);
    values.insert("after".to_owned(), text(&after.to_string())?);
    values.insert("limit".to_owned(), raw(PAGE.to_string())?);
    let reply = client.call(&client.calls().by_name("events", &values)?).await?;
    let unreadable =
        || Problem::known(StatusCode::BAD_GATEWAY, "REPLY", "The server's reply does not match the contract.");
    let json = command("events").and_then(|events| events.json(&reply, &values, &<[u8]>::to_vec));
    let page: Page = json.and_then(|json| serde_json::from_str(&json).ok()).ok_or_else(unreadable)?;
    let entry = |item: &RawValue| {
        let Named { event } = serde_json::from_str(item.get()).ok()?;
        Some((Cursor::parse(&event)?, with_queue(queue, item.get()).into()))
    };
    let entries: Option<Vec<Entry>> = page.items.iter().map(|item| entry(item)).collect();
    let last = Cursor::parse(&page.last).ok_or_else(unreadable)?;
    Ok((entries.ok_or_else(unreadable)?, last, page.missed))
}

/// Adds the queue to the JSON of an event.
fn with_queue(queue: &str, json: &str) -> String {
    let rest = json.strip_prefix('{').unwrap_or_default();
    format!("{{\"queue\":{},{rest}", serde_json::to_string(queue).unwrap_or_default())
}

impl Tails {
    /// Returns the latest events of a queue as they come. The first client starts the reader.
    fn follow(&self, place: &Place, queue: &str, now: Cursor) -> Option<watch::Receiver<Tail>> {
        let name = (place.name().to_owned(), queue.to_owned());
        let mut tails = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tail) = tails.get(&name) {
            return Some(tail.subscribe());
        }
        if tails.len() >= TAILS {
            return None;
        }
        let (sender, receiver) = watch::channel(Tail { from: now, last: now, ..Tail::default() });
        tails.insert(name.clone(), sender.clone());
        let (all, place) = (self.clone(), place.clone());
        tokio::spawn(async move { all.tail(&place, name, &sender).await });
        Some(receiver)
    }

    /// Reads the events of a queue until nobody listens.
    async fn tail(&self, place: &Place, name: Name, sender: &watch::Sender<Tail>) {
        loop {
            let last = sender.borrow().last;
            let is_full = match read(place, &name.1, last).await {
                Ok((entries, last, _)) => {
                    let is_full = entries.len() >= PAGE;
                    sender.send_if_modified(|tail| {
                        let is_new = !entries.is_empty() || tail.trouble.take().is_some();
                        tail.last = last;
                        tail.events.extend(entries);
                        while tail.events.len() > KEPT {
                            tail.from = tail.events.pop_front().map_or(tail.from, |(cursor, _)| cursor);
                        }
                        is_new
                    });
                    is_full
                }
                Err(problem) => {
                    let text: Arc<str> = serde_json::to_string(&problem).unwrap_or_default().into();
                    sender.send_if_modified(|tail| tail.trouble.replace(text.clone()).as_ref() != Some(&text));
                    false
                }
            };
            if !is_full {
                sleep(PERIOD).await;
            }
            let mut tails = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if sender.receiver_count() == 0 {
                tails.remove(&name);
                return;
            }
        }
    }
}

/// `GET /api/v1/events?place=PLACE&queue=QUEUE&after=CURSOR`.
pub(super) async fn follow(
    State(site): State<Site>,
    Extension(tails): Extension<Tails>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let asked = Asked::read(&site, query.as_deref().unwrap_or_default(), &headers)?;
    let client = asked.place.client().await?;
    let now = client.call(&client.calls().handshake()).await?.now;
    let now = now.duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_micros();
    let now = Cursor(u64::try_from(now).unwrap_or_default(), 0);
    let mut queues = Vec::new();
    for (queue, after) in asked.queues {
        let many = || {
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "TOOMANY", "Too many queues are watched.", "Try again later.")
        };
        let tail = tails.follow(&asked.place, &queue, now).ok_or_else(many)?;
        // Without a cursor the stream begins now. A reader may begin a little later.
        queues.push(Watched { queue, after: after.unwrap_or(now), is_new: after.is_none(), tail });
    }
    let stream =
        Follower { place: asked.place, queues, ready: VecDeque::new(), trouble: None, end: Instant::now() + LONGEST };
    let sse = Sse::new(stream.events()).keep_alive(KeepAlive::new().interval(Duration::from_secs(15)));
    let mut answer = sse.into_response();
    // Proxies such as nginx would keep events back.
    answer.headers_mut().insert("x-accel-buffering", axum::http::HeaderValue::from_static("no"));
    Ok(answer)
}

/// The query of a stream.
struct Asked {
    place: Place,
    queues: Vec<(String, Option<Cursor>)>,
}

impl Asked {
    fn read(site: &Site, query: &str, headers: &HeaderMap) -> Result<Self, Problem> {
        let (mut place, mut queues, mut after) = (None, Vec::new(), None);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = percent_encoding::percent_decode_str(value).decode_utf8();
            let value = value.map_err(|_| Problem::wrong("The query is not UTF-8."))?.into_owned();
            match name {
                "place" => place = Some(value),
                "queue" => queues.push(value),
                "after" => after = Some(value),
                _ => return Err(Problem::wrong(format!("A stream has no argument {name}."))),
            }
        }
        // A browser that reconnects sends the id of the last event.
        let resumed = headers.get("last-event-id").and_then(|id| id.to_str().ok()).filter(|id| !id.is_empty());
        let after = resumed.map(str::to_owned).or(after);
        let place = match (place, site.places()) {
            (Some(name), _) => site.place(&name).ok_or_else(|| Problem::place(&name))?,
            (None, [only]) => only,
            (None, _) => return Err(Problem::wrong("place is missing: there are several.")),
        };
        queues.dedup();
        if queues.is_empty() || queues.len() > QUEUES {
            return Err(Problem::wrong(format!("queue is missing, or given over {QUEUES} times.")));
        }
        for queue in &queues {
            blueque::QueueName::new(queue.as_str())?;
        }
        let after = after.unwrap_or_default();
        let cursor = |queue: &String| -> Result<_, Problem> {
            let single = Some(after.as_str()).filter(|after| !after.contains(':') && !after.is_empty());
            let own = after.split(',').filter_map(|part| part.rsplit_once(':')).find(|(name, _)| name == queue);
            let text = own.map(|(_, cursor)| cursor).or(single);
            let cursor =
                text.map(|text| Cursor::parse(text).ok_or_else(|| Problem::wrong("after is not the id of an event.")));
            Ok((queue.clone(), cursor.transpose()?))
        };
        let queues = queues.iter().map(cursor).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { place: place.clone(), queues })
    }
}

struct Watched {
    queue: String,
    after: Cursor,
    is_new: bool,
    tail: watch::Receiver<Tail>,
}

/// A client of a stream.
struct Follower {
    place: Place,
    queues: Vec<Watched>,
    ready: VecDeque<Event>,
    trouble: Option<Arc<str>>,
    end: Instant,
}

impl Follower {
    fn events(self) -> impl Stream<Item = Result<Event, Infallible>> {
        stream::unfold(self, |mut follower| async move { follower.next().await.map(|event| (Ok(event), follower)) })
    }

    /// Returns the next event, or none at the end of the stream.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if Instant::now() >= self.end {
                return None;
            }
            let mut is_behind = false;
            for at in 0..self.queues.len() {
                is_behind |= self.catch_up(at).await;
            }
            if self.ready.is_empty() && !is_behind {
                let changes = self.queues.iter_mut().map(|watched| Box::pin(watched.tail.changed()));
                let first = futures_util::future::select_all(changes);
                match timeout_at(self.end, first).await {
                    Ok((Ok(()), _, _)) => {}
                    Ok((Err(_), _, _)) | Err(_) => return None,
                }
            }
        }
    }

    /// Takes the new events of a queue: from its reader, or from the server if the reader has forgotten them. Returns true
    /// if the reader may have more.
    async fn catch_up(&mut self, at: usize) -> bool {
        let Some(watched) = self.queues.get_mut(at) else { return false };
        let (queue, after) = (watched.queue.clone(), watched.after);
        let (new, trouble) = {
            let tail = watched.tail.borrow_and_update();
            let is_kept = watched.is_new || after >= tail.from;
            let new =
                is_kept.then(|| tail.events.iter().filter(|(cursor, _)| *cursor > after).cloned().collect::<Vec<_>>());
            (new, tail.trouble.clone())
        };
        let mut is_behind = new.is_none();
        let (entries, missed) = if let Some(entries) = new {
            (entries, false)
        } else if let Ok((entries, last, missed)) = read(&self.place, &queue, after).await {
            if entries.is_empty() {
                // The server has nothing between the cursor and the events of the reader.
                watched.after = watched.after.max(last);
                watched.is_new = true;
            }
            (entries, missed && after != Cursor::default())
        } else {
            sleep(PERIOD).await;
            // While the server is away, the reader says so, and that it is back.
            is_behind = trouble.is_none();
            (Vec::new(), false)
        };
        // The state of an event is a cursor of every queue.
        if missed {
            self.ready.push_back(
                Event::default()
                    .event("missed")
                    .data(format!("{{\"queue\":{}}}", serde_json::to_string(&queue).unwrap_or_default())),
            );
        }
        for (cursor, json) in entries {
            if let Some(watched) = self.queues.get_mut(at) {
                watched.after = cursor;
            }
            let id: Vec<String> =
                self.queues.iter().map(|watched| format!("{}:{}", watched.queue, watched.after)).collect();
            self.ready.push_back(Event::default().event("transition").id(id.join(",")).data(&*json));
        }
        if trouble != self.trouble {
            let text = trouble.clone().unwrap_or_else(|| "null".into());
            self.ready.push_back(Event::default().event("server").data(&*text));
            self.trouble = trouble;
        }
        is_behind
    }
}
