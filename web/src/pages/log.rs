//! The log of a task: its end in the page, new output as it appears, earlier output on scroll.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::extract::{Path, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};
use blueque::tokio::Client;
use blueque::{LogEntry, TaskId};
use futures_util::stream::{self, Stream, StreamExt};
use maud::{Markup, PreEscaped, html};
use tokio::sync::watch;

use crate::failure::Failure;
use crate::feed::log::{Reading, Ring};
use crate::here::{Here, escaped};
use crate::read::log::{Part, after, before, end};
use crate::read::task::{Cost, Task};
use crate::{text, time};

/// The source of the entry with which a supervisor closes the log of an attempt.
pub const EXIT: &str = "exit";

/// Number of entries that scrolling up reads.
const EARLIER: usize = 500;

/// Time after which a browser connects again.
const RETRY: Duration = Duration::from_secs(2);

/// The part of a page with the log.
pub async fn section(
    here: &Here,
    client: &Client,
    task: &Task,
    query: &HashMap<String, String>,
) -> Result<Markup, Failure> {
    let attempt = query.get("attempt").and_then(|text| text.parse().ok());
    let part = end(client, &task.id, attempt).await?;
    let path = format!("/tasks/{}", escaped(task.id.as_str()));
    let only = attempt.map_or(String::new(), |attempt| format!("&attempt={attempt}"));
    let stream = here.link(&format!("{path}/log?stream{only}"));
    let attempts = task.info.attempt();
    Ok(html! {
        section.card #log-card {
            header.line {
                h2 { "Log" }
                div.row {
                    @if attempts > 1 {
                        nav.row aria-label="Attempts" {
                            a.button href=(here.link(&path)) aria-current=[attempt.is_none().then_some("true")] { "All attempts" }
                            @for number in attempts.saturating_sub(4).max(1)..=attempts {
                                a.button href=(here.link(&format!("{path}?attempt={number}#log-card"))) aria-current=[(attempt == Some(number)).then_some("true")] { (number) }
                            }
                        }
                    }
                    label.hidden for="log-source" { "Output" }
                    select #log-source { option value="" { "All output" } option value="stdout" { "stdout" } option value="stderr" { "stderr" } }
                    label.hidden for="log-search" { "Search the log" }
                    input #log-search type="search" placeholder="Search the log" autocomplete="off";
                    label { input #log-follow type="checkbox" checked; " Follow" }
                    a.button href=(here.link(&format!("{path}/raw/log"))) download { "Download" }
                }
            }
            div.log tabindex="0" role="log" aria-label="Output of the task" aria-live="off"
                data-log=(stream) data-last=(part.last) data-earlier=(earlier_link(here, &task.id, &part, &only)) {
                (lines(&part.entries, true))
            }
            @if part.earlier { p.note { "Scroll up for earlier output." } }
        }
    })
}

fn earlier_link(here: &Here, id: &TaskId, part: &Part, only: &str) -> String {
    match part.entries.first().filter(|_| part.earlier) {
        Some(first) => {
            let micros = first.at.duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
            here.link(&format!("/tasks/{}/log/earlier?before={micros}{only}", escaped(id.as_str())))
        }
        None => String::new(),
    }
}

/// The lines of entries. An entry may end within a line, which the next entry of the same source continues.
fn lines(entries: &[LogEntry], begins: bool) -> Markup {
    let mut html = String::new();
    let mut attempt = entries.first().map(|entry| if begins { 1 } else { entry.attempt });
    let mut open: Option<(&LogEntry, Vec<u8>)> = None;
    let mut all: Vec<(&LogEntry, Vec<u8>)> = Vec::new();
    for entry in entries {
        if attempt != Some(entry.attempt) {
            all.extend(open.take());
            attempt = Some(entry.attempt);
        }
        let mut rest: &[u8] = &entry.text;
        if let Some((first, mut line)) = open.take() {
            if first.source == entry.source {
                let at = rest.iter().position(|byte| *byte == b'\n');
                let (head, tail) = at.map_or((rest, &[][..]), |at| {
                    (rest.get(..at).unwrap_or_default(), rest.get(at + 1..).unwrap_or_default())
                });
                line.extend_from_slice(head);
                rest = tail;
                if at.is_some() { all.push((first, line)) } else { open = Some((first, line)) }
            } else {
                all.push((first, line));
            }
        }
        while let Some(at) = rest.iter().position(|byte| *byte == b'\n') {
            all.push((entry, rest.get(..at).unwrap_or_default().to_vec()));
            rest = rest.get(at + 1..).unwrap_or_default();
        }
        if !rest.is_empty() {
            open = Some((entry, rest.to_vec()));
        }
    }
    all.extend(open);
    let mut shown = u32::from(begins);
    for (entry, line) in all {
        if entry.attempt != shown {
            if shown != 0 || entry.attempt > 1 {
                html.push_str(
                    &html! { p.gone data-attempt=(entry.attempt) { "Attempt " (entry.attempt) } }.into_string(),
                );
            }
            shown = entry.attempt;
        }
        html.push_str(&row(entry, &line).into_string());
    }
    PreEscaped(html)
}

/// The end of an attempt, in words.
fn exit(line: &[u8]) -> String {
    let Ok(cost) = serde_json::from_slice::<Cost>(line) else { return "The attempt has ended".to_owned() };
    let oom = if cost.oom { ", out of memory" } else { "" };
    format!("{} after {}{oom}", cost.end(), time::span(Duration::from_millis(cost.wall_ms)))
}

fn row(entry: &LogEntry, line: &[u8]) -> Markup {
    if entry.source == EXIT {
        return html! { p.gone data-source="exit" { (exit(line)) } };
    }
    let source = match entry.source.as_str() {
        "stdout" => "out",
        "stderr" => "err",
        other => other,
    };
    html! {
        p data-source=(text::line(&entry.source)) {
            time datetime=(time::exact(entry.at)) title=(time::plain(entry.at)) data-time="second" { (time::of_day(entry.at)) }
            b { (text::line(source)) }
            span { (PreEscaped(text::log(line))) }
        }
    }
}

/// Output before the first line of a page.
pub async fn earlier(
    here: Here,
    Path((_, id)): Path<(String, String)>,
    Query(query): Query<HashMap<String, String>>,
) -> Response {
    let read = async {
        let id = TaskId::new(id)?;
        let micros = query.get("before").and_then(|text| text.parse().ok());
        let micros: u64 = micros.ok_or_else(|| Failure::wrong("The field before is not a time."))?;
        let time = SystemTime::UNIX_EPOCH + Duration::from_micros(micros.min(1 << 52));
        let mut part = before(&here.client().await?, &id, time, EARLIER).await?;
        let attempt: Option<u32> = query.get("attempt").and_then(|text| text.parse().ok());
        part.entries.retain(|entry| attempt.is_none_or(|attempt| entry.attempt == attempt));
        let only = attempt.map_or(String::new(), |attempt| format!("&attempt={attempt}"));
        let next = earlier_link(&here, &id, &part, &only);
        Ok(html! {
            @if !next.is_empty() { p hidden data-earlier=(next) {} }
            (lines(&part.entries, !part.earlier))
        })
    };
    match read.await {
        Ok(html) => ([(header::CACHE_CONTROL, "no-store")], Html(Markup::into_string(html))).into_response(),
        Err::<_, Failure>(failure) => (failure.status(), failure.text()).into_response(),
    }
}

/// What one browser has read.
struct Seen {
    rings: watch::Receiver<Arc<Ring>>,
    last: String,
    attempt: Option<u32>,
    client: Client,
    id: TaskId,
}

/// New output as it appears. The id of each event is the last entry in it, so that a browser that connects again
/// continues where it was.
pub async fn stream(
    here: Here,
    Path((_, id)): Path<(String, String)>,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    let (Ok(id), Ok(client)) = (TaskId::new(id), here.client().await) else {
        return (StatusCode::SERVICE_UNAVAILABLE, "The server does not answer.\n").into_response();
    };
    let known = headers.get("last-event-id").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let last = known.or_else(|| query.get("after").cloned()).unwrap_or_else(|| "0".to_owned());
    // Only what the scripts take as a cursor.
    if last.len() > 40 || !last.chars().all(|c| c.is_ascii_digit() || c == '-') {
        return (StatusCode::BAD_REQUEST, "The cursor is not one of a log.\n").into_response();
    }
    let reading = {
        let (here, id) = (here.clone(), id.clone());
        move |last: String| -> Reading {
            let (here, id) = (here.clone(), id.clone());
            Box::pin(async move { Ok(after(&here.client().await?, &id, &last).await?) })
        }
    };
    let name = format!("{}/{id}", here.place.name());
    let Some(rings) = here.site.logs().follow(&name, &last, reading) else {
        return (StatusCode::SERVICE_UNAVAILABLE, "Too many logs are followed: reload this page later.\n")
            .into_response();
    };
    let attempt = query.get("attempt").and_then(|text| text.parse().ok());
    let seen = Seen { rings, last, attempt, client, id };
    // The answer begins at once, also if the task prints nothing.
    let begin = stream::once(async { Ok(Event::default().retry(RETRY).comment("follows")) });
    let events = Sse::new(begin.chain(events(seen))).keep_alive(KeepAlive::default());
    ([(header::CACHE_CONTROL, "no-store"), (header::HeaderName::from_static("x-accel-buffering"), "no")], events)
        .into_response()
}

fn events(mut seen: Seen) -> impl Stream<Item = Result<Event, Infallible>> {
    seen.rings.mark_changed();
    stream::unfold(seen, |mut seen| async move {
        loop {
            let ring = Arc::clone(&seen.rings.borrow_and_update());
            let part = if seen.last == ring.last {
                seen.rings.changed().await.ok()?;
                continue;
            } else if let Some(chunk) = ring.chunks.iter().find(|chunk| chunk.after == seen.last) {
                chunk.part.clone()
            } else {
                // The browser is behind the kept parts: it reads for itself until it has caught up.
                match after(&seen.client, &seen.id, &seen.last).await {
                    Ok(part) if !part.entries.is_empty() => part,
                    _ => {
                        seen.rings.changed().await.ok()?;
                        continue;
                    }
                }
            };
            seen.last.clone_from(&part.last);
            let mut entries = part.entries;
            entries.retain(|entry| seen.attempt.is_none_or(|attempt| entry.attempt == attempt));
            if entries.is_empty() {
                continue;
            }
            let html = lines(&entries, false).into_string();
            let event = Event::default().event("lines").id(seen.last.clone()).retry(RETRY).data(html);
            return Some((Ok(event), seen));
        }
    })
}
