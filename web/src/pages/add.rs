//! Forms that add a task or a schedule. They keep what was typed when it is refused.

use axum::extract::Query as Form;
use axum::response::{IntoResponse, Response};
use blueque::TaskId;
use blueque::contract::{Described, SCHEDULE_OPTIONS, TASK_OPTIONS};
use maud::{Markup, html};

use crate::act::{Action, Fields, action};
use crate::failure::Failure;
use crate::here::Here;
use crate::parts::form;
use crate::shell::Tab;
use crate::text;

/// Options of a task that the form shows first.
const FIRST: &[&str] = &["title", "priority", "tags"];

/// Options that the form sets itself.
const OWN: &[&str] = &["command", "submitter"];

pub async fn task(here: Here, Form(fields): Form<Vec<(String, String)>>) -> Response {
    shown(&here, "add-task", &Fields::new(fields), None)
}

pub async fn schedule(here: Here, Form(fields): Form<Vec<(String, String)>>) -> Response {
    shown(&here, "add-schedule", &Fields::new(fields), None)
}

/// The form with what was typed, and why it was refused.
pub fn shown(here: &Here, name: &str, fields: &Fields, refused: Option<&Failure>) -> Response {
    let Some(action) = action(name) else { return axum::http::StatusCode::NOT_FOUND.into_response() };
    let tab = if name == "add-task" { Tab::Tasks } else { Tab::Schedules };
    let mut answer = here.page(tab, action.label, Ok(content(here, action, fields, refused)));
    if let Some(failure) = refused {
        *answer.status_mut() = failure.status();
    }
    answer
}

fn content(here: &Here, action: &Action, fields: &Fields, refused: Option<&Failure>) -> Markup {
    let is_task = action.name == "add-task";
    let typed = |name: &str| fields.exact(name).unwrap_or_default();
    let line = |name: &str, label: &str, required: bool, hint: &str| {
        html! { div.field { label { (label) input name=(name) value=(typed(name)) required[required] placeholder=(hint) autocomplete="off"; } } }
    };
    let own = |option: &&Described| FIRST.contains(&option.name) || OWN.contains(&option.name);
    let option = |option: &Described| {
        form::option(option, typed(&format!("set.{}", option.name)), option.default.map(|value| (value, "default")))
    };
    let more = TASK_OPTIONS.iter().filter(|option| !own(option));
    let opened = more.clone().chain(SCHEDULE_OPTIONS).any(|option| !typed(&format!("set.{}", option.name)).is_empty());
    html! {
        div { p.crumbs { @if is_task { a href=(here.link("/tasks")) { "Tasks" } } @else { a href=(here.link("/schedules")) { "Schedules" } } }
        h1 { (action.label) } }
        @if !here.may(action.role()) { p.alarm data-kind="warn" { "Your role does not allow it. The action needs the role " (action.role().as_str()) "." } }
        form.card.new method="post" action=(here.link(&format!("/act/{}", action.name))) data-action=(action.name) {
            p.note { (action.will) }
            @if let Some(failure) = refused { p.alarm role="alert" data-refused { (text::line(&failure.text())) } }
            input type="hidden" name="csrf" value=(here.csrf.token);
            @if is_task { input type="hidden" name="fresh" value=(fields.get("fresh").map_or_else(|| TaskId::random().to_string(), str::to_owned)); }
            div.fields {
                @if !is_task {
                    (line("schedule", "Name", true, "nightly"))
                    (line("cron", "When: a cron expression, or every 15m", true, "0 3 * * 1-5"))
                    (line("zone", "Time zone of the cron expression", false, "UTC"))
                }
                (line("queue", "Queue", true, "transcode"))
                @for each in TASK_OPTIONS.iter().filter(|option| FIRST.contains(&option.name)) { (option(each)) }
                @if is_task {
                    (line("start", "Start after, or at", false, "now; 30m, 2h, or 2026-11-28T22:00:00Z"))
                    (line("id", "Id", false, "a new id"))
                }
            }
            div.field { label { "Parameters, as JSON" textarea name="parameters" spellcheck="false" placeholder="[]" { "\n" (typed("parameters")) } } }
            (line("command", "Command: a program and its arguments, instead of a program of the worker", false, "ffmpeg -i 'in file.mkv' out.mp4"))
            p.note { "A command runs on workers that were started with --allow-commands." }
            details open[opened] {
                summary { "More options" }
                div.fields {
                    @if !is_task { @for each in SCHEDULE_OPTIONS { (option(each)) } }
                    @for each in more { (option(each)) }
                }
            }
            div.row { button.primary { (action.label) } }
        }
    }
}

/// A link to a form, for users who may send it.
pub fn link(here: &Here, name: &str, query: &str) -> Markup {
    html! { @if let Some(action) = action(name) {
        span.act data-needs=(action.role().as_str()) {
            a.button href=(here.link(&format!("/new/{}{query}", name.trim_start_matches("add-")))) { (action.label) }
        }
    } }
}
