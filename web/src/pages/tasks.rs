//! Tasks: find them, and act on those that are selected, or on all that match.

use axum::extract::Query as Form;
use axum::response::Response;
use blueque::{Progress, Status, TaskInfo};
use maud::{Markup, html};

use super::add;
use crate::act::{Fields, action};
use crate::failure::Failure;
use crate::here::{Here, escaped};
use crate::jobs::Stage;
use crate::parts::{form, look};
use crate::read::query::{Query, TOKENS};
use crate::read::tasks::{Found, Order, ROWS, count, page as read};
use crate::shell::Tab;
use crate::{text, time};

/// Columns that can be chosen, with their titles.
const COLUMNS: &[(&str, &str)] = &[
    ("queue", "Queue"),
    ("method", "Method"),
    ("progress", "Progress or outcome"),
    ("attempt", "Attempts"),
    ("priority", "Priority"),
    ("key", "Key"),
    ("tags", "Tags"),
    ("worker", "Worker"),
    ("created", "Created"),
    ("changed", "Changed"),
];

/// The columns of a table that chooses none.
const DEFAULT: &str = "queue,progress,attempt,created,changed";

/// Actions on many tasks.
const MANY: &[&str] = &[
    "cancel",
    "kill",
    "retry",
    "retry-fresh",
    "requeue",
    "suspend",
    "continue",
    "delete",
    "move",
    "hold",
    "unhold",
    "prioritise",
    "tag",
];

pub async fn page(here: Here, Form(fields): Form<Vec<(String, String)>>) -> Response {
    let content = content(&here, &Fields::new(fields)).await;
    here.page(Tab::Tasks, "Tasks", content)
}

async fn content(here: &Here, fields: &Fields) -> Result<Markup, Failure> {
    let query = Query::read(fields.get("q").unwrap_or_default());
    let each = fields.all("column").join(",");
    let chosen = if each.is_empty() { fields.get("columns").unwrap_or(DEFAULT) } else { &each };
    let columns: Vec<&(&str, &str)> =
        COLUMNS.iter().filter(|(name, _)| chosen.split(',').any(|one| one == *name)).collect();
    let order = if fields.get("sort") == Some("queue") { Order::Queue } else { Order::Latest };
    let cursor = fields.get("after").unwrap_or("0");
    let client = here.client().await?;
    let wrong = query.filter().err().map(|failure| failure.text());
    let (found, matching) = match &wrong {
        Some(_) => (Found::default(), None),
        None => (read(&client, here.site.redact(), &query, cursor, order).await?, count(&client, &query).await?),
    };
    let place = Place { query: &query, columns: chosen, order };
    Ok(html! {
        header.line {
            div.row {
                h1 { "Tasks" }
                @if let Some(matching) = matching { span.note #matching { (text::thousands(matching)) " match" } }
            }
            (add::link(here, "add-task", &query.queue.as_ref().map_or_else(String::new, |queue| format!("?queue={}", escaped(queue)))))
        }
        div {
            (jobs(here))
            (filter(here, &place, wrong.as_deref()))
            form.stack method="post" action=(here.link("/act/many")) data-bulk data-action="many" {
                input type="hidden" name="csrf" value=(here.csrf.token);
                input type="hidden" name="back" value=(here.at);
                input type="hidden" name="q" value=(query.text());
                (table(here, &found, &columns, &query))
                (looked(&found))
                (pager(here, &place, &found, cursor))
                @if !found.tasks.is_empty() { (bulk(&query, matching)) }
            }
        }
    })
}

/// What the address of the page holds.
struct Place<'a> {
    query: &'a Query,
    columns: &'a str,
    order: Order,
}

impl Place<'_> {
    fn link(&self, here: &Here, query: &Query, after: Option<&str>) -> String {
        let mut path = format!("/tasks?q={}", escaped(&query.text()));
        if self.columns != DEFAULT {
            path.push_str(&format!("&columns={}", escaped(self.columns)));
        }
        if self.order == Order::Queue {
            path.push_str("&sort=queue");
        }
        if let Some(after) = after {
            path.push_str(&format!("&after={}", escaped(after)));
        }
        here.link(&path)
    }
}

fn filter(here: &Here, place: &Place<'_>, wrong: Option<&str>) -> Markup {
    let query = place.query;
    let one_state = query.queue.is_some() && query.states.len() == 1;
    html! {
        form.card action=(here.link("/tasks")) role="search" aria-label="Filter" {
            div.row {
                label.hidden for="filter" { "Filter" }
                input.grow #filter type="search" name="q" value=(query.text()) list="tokens" autocomplete="off" spellcheck="false"
                    placeholder="state:failed tag:nightly method:encode key:acme since:2h id:mov, or words of a title" aria-describedby="filter-help";
                button.primary { "Find" }
            }
            datalist #tokens {
                @for (token, _) in TOKENS { option value=(token) {} }
                @for status in Status::ALL { option value=(format!("state:{}", status.as_str())) {} }
            }
            @if let Some(wrong) = wrong { p.bad role="alert" { (text::line(wrong)) } }
            ul.chips aria-label="States" {
                @for status in Status::ALL {
                    @let on = query.states.contains(status);
                    @let mut next = query.clone();
                    @let () = if on { next.states.retain(|one| one != status) } else { next.states.push(*status) };
                    li { a.chip href=(place.link(here, &next, None)) aria-current=[on.then_some("true")] { (look::state(status.as_str())) } }
                }
                @if !query.is_any() { li { a href=(place.link(here, &Query::default(), None)) { "Clear" } } }
            }
            details #filter-help {
                summary { "Filters, columns, order" }
                dl.facts { @for (token, means) in TOKENS { dt { code { (token) } } dd { (means) } } }
                fieldset.row {
                    legend { "Columns" }
                    @for (name, title) in COLUMNS {
                        label { input type="checkbox" name="column" value=(name) checked[place.columns.split(',').any(|one| one == *name)] data-column; " " (title) }
                    }
                    input type="hidden" name="columns" value=(place.columns);
                }
                fieldset.row {
                    legend { "Order" }
                    label { input type="radio" name="sort" value="latest" checked[place.order == Order::Latest]; " Latest first" }
                    label { input type="radio" name="sort" value="queue" checked[place.order == Order::Queue] disabled[!one_state]; " As the queue gives them out" }
                }
                p.note { "Only these orders have an index. The order of the queue needs one queue and one state." }
            }
        }
    }
}

fn table(here: &Here, found: &Found, columns: &[&(&str, &str)], query: &Query) -> Markup {
    if found.tasks.is_empty() {
        return if found.paused {
            look::empty(
                "No match so far.",
                "Many tasks were examined without a match. Look further, or name a tag, a state or a queue: these have an index.",
                None,
            )
        } else if query.is_any() {
            look::empty("There are no tasks.", "Submit one:", Some("blueque submit QUEUE '[\"parameters\"]'"))
        } else {
            look::empty("No task matches.", "Remove a filter, or look at other states.", None)
        };
    }
    html! {
        div.table.flow {
            table {
                thead { tr {
                    th.select { label.hidden for="select-all" { "Select all on this page" } input #select-all type="checkbox"; }
                    th { "Task" } th { "State" }
                    @for (name, title) in columns { th.number[is_number(name)].wide[*name == "progress"] { (title) } }
                } }
                tbody {
                    @for (id, info) in &found.tasks {
                        tr data-key=(id) {
                            td.select { input type="checkbox" name="id" value=(id) aria-label=(format!("Select {}", text::line(id))); }
                            th scope="row" { (look::named(here, id, info)) @if let Some(label) = info.label().filter(|label| !label.is_empty()) { " " small.id.label { (text::short(&label, 40)) } } }
                            td.first { (look::state(info.condition())) }
                            @for (name, title) in columns { td.number[is_number(name)].wide[*name == "progress"] data-label=(title) { (cell(here, name, info)) } }
                        }
                    }
                }
            }
        }
    }
}

fn is_number(column: &str) -> bool {
    matches!(column, "attempt" | "priority" | "created" | "changed")
}

fn cell(here: &Here, column: &str, info: &TaskInfo) -> Markup {
    let text = |value: Option<String>| html! { @match value.filter(|value| !value.is_empty()) { Some(value) => (text::short(&value, 40)), None => span.none { "–" } } };
    match column {
        "queue" => look::queue(here, &info.queue().unwrap_or_default()),
        "method" => text(info.method()),
        "progress" => match info.status() {
            Some(Status::Failed) => text::short(&info.error().unwrap_or_default(), 120),
            Some(Status::Cancelled) => text(info.reason()),
            Some(Status::Complete) => match info.started().zip(info.updated()) {
                Some((from, to)) => html! { span.quiet { "ran " (time::span(time::between(from, to))) } },
                None => text(None),
            },
            _ => match info.progress_bytes() {
                Some(bytes) => look::progress(&Progress::read(bytes)),
                None => text(info.last_error()),
            },
        },
        "attempt" => look::number(info.attempt().into()),
        "priority" => html! { (info.priority()) },
        "key" => text(info.key()),
        "tags" => html! { @for tag in info.tags() { span.tag { (text::short(&tag, 30)) } } },
        "worker" => text(info.node()),
        "created" => time::maybe(info.created()),
        "changed" => time::maybe(info.updated()),
        _ => html! {},
    }
}

/// The latest bulk actions, with their progress.
fn jobs(here: &Here) -> Markup {
    html! {
        @for job in here.site.jobs().recent(here.place.name()) {
            @let (changed, refused) = job.numbers();
            p.note data-job {
                a href=(here.link(&format!("/bulk/{}", job.id))) { (text::line(&job.what)) } " by " (text::line(&job.by)) ", " (time::relative(job.begun)) ": "
                (text::tasks(changed)) " changed" @if refused > 0 { ", " (text::thousands(refused)) " refused" }
                @match job.stage() {
                    Stage::Looks => ", it looks for the tasks",
                    Stage::Asks => { ", " strong { (text::tasks(job.search().ids.len() as u64)) " found: confirm the number" } }
                    Stage::Runs => { @if let Some(most) = job.matching { " of " (text::thousands(most)) } ", it runs" }
                    Stage::Ended(_) => {}
                }
            }
        }
    }
}

/// How far a search for a text has looked.
fn looked(found: &Found) -> Markup {
    html! { @if let Some((number, last)) = found.looked {
        p.note #looked {
            "Looked for the text in " @if found.next.is_some() { (text::tasks(number)) " of this page" } @else { "all " (text::tasks(number)) " of the search" }
            @if let Some(last) = last { ", the last created " (time::relative(last)) } "."
        }
    } }
}

fn pager(here: &Here, place: &Place<'_>, found: &Found, cursor: &str) -> Markup {
    html! {
        @if cursor != "0" || found.next.is_some() {
            nav.pager aria-label="Pages of tasks" {
                @if cursor != "0" { a.button href=(place.link(here, place.query, None)) { "First page" } }
                @if let Some(next) = &found.next { a.button rel="next" href=(place.link(here, place.query, Some(next))) { @if found.paused { "Look further" } @else { "Next page" } } }
                span.note { (ROWS) " tasks a page" @if found.paused { "; the search goes on behind this page" } }
            }
        }
    }
}

/// The bar that acts on selected tasks, or on all that match.
fn bulk(query: &Query, matching: Option<u64>) -> Markup {
    let number = matching.map_or_else(|| "all matching".to_owned(), text::thousands);
    let ended = |status: &Status| matches!(status, Status::Failed | Status::Cancelled);
    let usual = if !query.states.is_empty() && query.states.iter().all(ended) { "retry" } else { "cancel" };
    html! {
        div.bulk.act data-needs="operator" aria-label="Action on many tasks" role="group" {
            span data-matching=(number) {
                label { input type="radio" name="scope" value="selected" checked; " Selected" }
                " " label.admin { input type="radio" name="scope" value="all"; " All that match (" (if query.is_of_server() { number.as_str() } else { "counted first" }) ")" }
            }
            label.hidden for="what" { "Action" }
            select #what name="what" {
                @for name in MANY {
                    @if let Some(action) = action(name) { option value=(name) selected[*name == usual] { (action.label) } }
                }
            }
            span data-for="cancel kill" { (form::text("reason", "Reason", "", false)) }
            span data-for="move" { (form::text("into", "Queue", "", false)) }
            span data-for="prioritise" { (form::text("priority", "Priority", "", false)) }
            span data-for="tag" { (form::text("tags", "Tags", "", false)) }
            details.ask {
                summary.button data-danger { span data-verb { "Apply" } ": " span data-chosen { "selected tasks" } "…" }
                div.sheet {
                    p { "For " strong { span data-chosen { "the selected tasks" } } " of the search " code { (if query.is_any() { "(all tasks)".to_owned() } else { text::line(&query.text()) }) } ". Tasks whose state does not allow it refuse it." }
                    @if !query.is_of_server() { p.note { "All that match: the page first looks for these tasks and counts them. Nothing is changed before you confirm the number." } }
                    @for name in MANY {
                        @if let Some(action) = action(name) { p.note data-for=(name) { strong { (action.label) } ": " (action.will) } }
                    }
                    div.row {
                        button.primary data-danger { span data-verb { "Apply" } }
                        button type="button" data-close { "Back" }
                    }
                }
            }
        }
    }
}
