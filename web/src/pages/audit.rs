//! Audit: who changed what.

use std::time::{Duration, SystemTime};

use axum::extract::Query as Form;
use axum::response::Response;
use blueque::Change;
use blueque::calls::AuditOptions;
use maud::{Markup, html};

use crate::act::Fields;
use crate::failure::Failure;
use crate::here::{Here, escaped};
use crate::parts::look;
use crate::read::query::duration;
use crate::shell::Tab;
use crate::{text, time};

/// Number of changes on the page.
const ROWS: usize = 300;

/// Number of calls that look for them.
const CALLS: usize = 20;

pub async fn page(here: Here, Form(fields): Form<Vec<(String, String)>>) -> Response {
    let content = content(&here, &Fields::new(fields)).await;
    here.page(Tab::Audit, "Audit", content)
}

async fn content(here: &Here, fields: &Fields) -> Result<Markup, Failure> {
    let client = here.client().await?;
    let options = fields.get("by").into_iter().fold(AuditOptions::new(), AuditOptions::by);
    let options = fields.get("what").into_iter().fold(options, AuditOptions::what);
    let options = fields.get("on").into_iter().fold(options, AuditOptions::on);
    let since = fields.get("since").unwrap_or("7d");
    let span =
        duration(since).ok_or_else(|| Failure::wrong(format!("`{since}` is not a time: write 2h, 3d or 1w.")))?;
    let (changes, more) = read(&client, &options, span).await?;
    let field = |name: &str, label: &str, value: &str, hint: &str| {
        html! {
            div.field { label { (label) input name=(name) value=(value) placeholder=(hint) autocomplete="off"; } }
        }
    };
    Ok(html! {
        h1 { "Audit" }
        form.card action=(here.link("/audit")) {
            div.fields {
                (field("by", "Who", fields.get("by").unwrap_or_default(), "anna@host"))
                (field("what", "Command", fields.get("what").unwrap_or_default(), "cancel"))
                (field("on", "On", fields.get("on").unwrap_or_default(), "a task, queue, schedule or graph"))
                (field("since", "Since", since, "7d"))
            }
            button.primary { "Find" }
        }
        @if changes.is_empty() {
            (look::empty("No changes.", "Settings, limits, pauses, cancels, edits, retries, deletions and bulk actions are recorded here, with their authors.", None))
        } @else {
            div.table { table {
                thead { tr { th { "When" } th { "Who" } th { "Command" } th { "On" } th { "Change" } th.wide { "Detail" } } }
                tbody { @for change in &changes { (row(here, change)) } }
            } }
            @if more { p.note { "The latest " (ROWS) " changes: name an author, a command or an object for earlier ones." } }
        }
    })
}

/// Reads the latest changes, the latest first.
async fn read(
    client: &blueque::tokio::Client,
    options: &AuditOptions,
    span: Duration,
) -> Result<(Vec<Change>, bool), Failure> {
    let from = SystemTime::now().checked_sub(span).unwrap_or(SystemTime::UNIX_EPOCH);
    let mut after = format!("{}-0", from.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis());
    let mut all = Vec::new();
    for _ in 0..CALLS {
        let page = client.call(&client.calls().audit(&after, 500, options)).await?;
        all.extend(page.items);
        if page.last == after {
            break;
        }
        after = page.last;
    }
    all.reverse();
    let more = all.len() > ROWS;
    all.truncate(ROWS);
    Ok((all, more))
}

fn row(here: &Here, change: &Change) -> Markup {
    let on = change.on.as_deref().unwrap_or_default();
    let dash = || html! { span.none { "–" } };
    html! {
        tr data-key=(change.cursor) {
            td { (time::relative(change.at)) }
            td { (text::short(change.by.as_deref().unwrap_or("unknown"), 40)) }
            td { (text::short(&change.what, 30)) }
            th scope="row" {
                small { (text::line(&change.of)) }
                @match change.of.as_str() {
                    "task" => (look::task(here, on)),
                    "queue" => (look::queue(here, on)),
                    "schedule" => a href=(here.link(&format!("/schedules/{}", escaped(on)))) { (text::short(on, 40)) },
                    "graph" => a href=(here.link(&format!("/graphs/{}", escaped(on)))) { (text::short(on, 40)) },
                    _ => (text::short(on, 60)),
                }
            }
            td {
                @match (&change.before, &change.after) {
                    (Some(before), Some(after)) => { (text::short(before, 40)) " → " (text::short(after, 40)) }
                    (None, Some(after)) => (text::short(after, 40)),
                    (Some(before), None) => { (text::short(before, 40)) " → " (dash()) }
                    _ => (dash()),
                }
            }
            td.wide { (text::short(change.detail.as_deref().unwrap_or_default(), 200)) }
        }
    }
}
