//! Schedules: when they create tasks, what they created, pause, run, edit.

use std::time::SystemTime;

use axum::extract::Path;
use axum::response::Response;
use blueque::contract::SCHEDULE_OPTIONS;
use blueque::{CommandLine, Recurrence, ScheduleInfo, ScheduleName, ScheduleState, ScheduleSummary};
use maud::{Markup, html};

use super::add;
use crate::act::action;
use crate::failure::Failure;
use crate::here::{Here, escaped};
use crate::parts::{form, json, look};
use crate::shell::Tab;
use crate::{text, time};

/// Number of schedules on the page.
const ROWS: u32 = 200;

/// Number of times that are shown of a schedule.
const NEXT: usize = 8;

pub async fn page(here: Here) -> Response {
    let content = content(&here).await;
    here.page(Tab::Schedules, "Schedules", content)
}

fn state(state: ScheduleState) -> Markup {
    let kind = match state {
        ScheduleState::Active => "good",
        ScheduleState::Paused => "paused",
        _ => "",
    };
    html! { span.tag data-kind=(kind) { (state.as_str()) } }
}

async fn content(here: &Here) -> Result<Markup, Failure> {
    let client = here.client().await?;
    let all = client.call(&client.calls().schedules("0", ROWS)).await?;
    Ok(html! {
        header.line { h1 { "Schedules" } (add::link(here, "add-schedule", "")) @if all.next.is_some() { span.note { "The first " (ROWS) ", by their next time" } } }
        @if all.items.is_empty() {
            (look::empty("There are no schedules.", "A schedule creates tasks at intervals, or by cron:", Some("blueque schedule add nightly encode --cron '0 3 * * *' --zone Europe/Berlin")))
        } @else {
            div.table { table {
                thead { tr { th { "Schedule" } th { "Queue" } th { "When" } th { "State" } th.number { "Next" } th { "On the clock" } th { "Last task" } th.number { "Created" } th.number { "Skipped" } th { span.hidden { "Actions" } } } }
                tbody { @for schedule in &all.items {
                    tr data-key=(schedule.name) {
                        th scope="row" { a href=(here.link(&format!("/schedules/{}", escaped(schedule.name.as_str())))) { (text::short(schedule.name.as_str(), 60)) } @if let Some(what) = what(schedule) { br; small { (text::short(&what, 80)) } } }
                        td { (look::queue(here, &schedule.queue)) }
                        td { (text::short(&schedule.recurrence, 60)) }
                        td { (state(schedule.state)) @if let Some(error) = &schedule.error { span.tag data-kind="bad" title=(text::line(&error.to_string())) { "error" } } }
                        td.number { (time::maybe(schedule.next)) }
                        td { @if let Some(next) = schedule.next { (time::clock(next)) } }
                        td { @if let Some(task) = &schedule.last_task { (look::task(here, task)) } }
                        td.number { (look::number(schedule.made)) }
                        td.number { (look::number(schedule.skipped + schedule.passed)) }
                        td { (buttons(here, schedule.name.as_str(), schedule.state)) }
                    }
                } }
            } }
        }
    })
}

/// The title of the tasks, or else their command line.
fn what(schedule: &ScheduleSummary) -> Option<String> {
    let command = || {
        let argv = serde_json::from_str(schedule.argv.as_deref()?).ok()?;
        Some(CommandLine { argv, ..CommandLine::default() }.words())
    };
    schedule.title.clone().or_else(command)
}

fn buttons(here: &Here, name: &str, state: ScheduleState) -> Markup {
    let names = [if state == ScheduleState::Paused { "resume-schedule" } else { "pause-schedule" }, "run-schedule"];
    html! {
        div.row { @for each in names { @if let Some(action) = action(each) {
            (form::button(here, action, &[("schedule", name)], (each == "pause-schedule").then(|| form::text("reason", "Reason, for the others", "", false)).as_ref()))
        } } }
    }
}

pub async fn one(here: Here, Path((_, name)): Path<(String, String)>) -> Response {
    let content = schedule(&here, &name).await;
    here.page(Tab::Schedules, &text::line(&name), content)
}

/// The time zone in a recurrence such as `cron Europe/Berlin 0 3 * * *`.
fn zone(recurrence: &str) -> Option<jiff::tz::TimeZone> {
    recurrence
        .split_whitespace()
        .find_map(|word| jiff::tz::TimeZone::get(word).ok().filter(|_| word.contains('/') || word == "UTC"))
}

fn in_zone(time: SystemTime, zone: &jiff::tz::TimeZone) -> String {
    let stamp = jiff::Timestamp::try_from(time).ok();
    stamp.map_or_else(String::new, |stamp| stamp.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S %Z").to_string())
}

async fn schedule(here: &Here, name: &str) -> Result<Markup, Failure> {
    let (client, name) = (here.client().await?, ScheduleName::new(name)?);
    let info = client.call(&client.calls().show_schedule(&name)).await?;
    let recurrence = info.recurrence().unwrap_or_default();
    let known = recurrence.parse::<Recurrence>().ok();
    let times = known.as_ref().map(|known| known.preview(SystemTime::now(), NEXT)).unwrap_or_default();
    let zone = zone(&recurrence);
    let tasks: Vec<String> = info.tasks().unwrap_or_default().split_whitespace().map(str::to_owned).collect();
    let state_now = info.state().unwrap_or(ScheduleState::Active);
    Ok(html! {
        p.crumbs { a href=(here.link("/schedules")) { "Schedules" } }
        div.line {
            h1 { (text::short(name.as_str(), 80)) " " (state(state_now)) }
            div.row {
                (buttons(here, name.as_str(), state_now))
                @if let Some(action) = action("edit-schedule") { (form::button(here, action, &[("schedule", name.as_str())], Some(&edit(here, &info)))) }
                @if let Some(action) = action("delete-schedule") { (form::button(here, action, &[("schedule", name.as_str())], None)) }
            }
        }
        @if let Some(pause) = info.paused() { p.alarm data-kind="warn" { strong { "Paused" } " by " (text::line(&pause.by)) @if let Some(at) = pause.at { ", " (time::relative(at)) } @if !pause.reason.is_empty() { ": " (text::short(&pause.reason, 200)) } } }
        @if let Some(error) = info.error() { p.alarm { strong { "Its last times created no task. " } (text::short(&error.to_string(), 300)) } }
        div.cards {
            section.card {
                h2 { "Next times" }
                @if times.is_empty() { p.quiet { "This recurrence has no further times, or needs a client that knows it." } }
                ol.timeline { @for at in times { li {
                    span { (time::relative(at)) }
                    span { (time::clock(at)) @if let Some(zone) = &zone { small { " · " (in_zone(at, zone)) } } }
                } } }
            }
            section.card {
                h2 { "Facts" }
                dl.facts {
                    dt { "When" } dd { code { (text::line(&recurrence)) } }
                    dt { "Queue" } dd { (look::queue(here, &info.queue().unwrap_or_default())) }
                    dt { "Created" } dd { (text::tasks(info.made())) @if info.skipped() > 0 { ", " (info.skipped()) " skipped" } @if info.passed() > 0 { ", " (info.passed()) " missed" } }
                    @if let Some(task) = info.last_task() { dt { "Last task" } dd { (look::task(here, &task)) " " (time::maybe(info.last_at())) } }
                    @for task in tasks.iter().rev().skip(1).take(10) { dt { "Earlier" } dd { (look::task(here, task)) } }
                    dt { "Tasks" } dd { a href=(here.link(&format!("/tasks?q={}", escaped(&format!("queue:{}", info.queue().unwrap_or_default()))))) { "All tasks of its queue" } }
                    @for option in SCHEDULE_OPTIONS { @if let Some(value) = info.fields.get(option.name) { dt title=(option.means) { (option.name) } dd { (text::short(&String::from_utf8_lossy(value), 60)) } } }
                    @for (option, value) in info.options() { @let value = if option == "command" { CommandLine::read(&value).map(|command| command.words()).unwrap_or_default() } else { value }; dt { (text::line(&option)) } dd { (text::short(&value, 80)) " " small { "option of its tasks" } } }
                }
            }
        }
        @if let Some(bytes) = info.parameters_bytes() { (json::value("Parameters", &here.site.redacted(bytes.to_vec()), "")) }
    })
}

fn edit(here: &Here, info: &ScheduleInfo) -> Markup {
    let parameters = info.parameters_bytes().and_then(|bytes| std::str::from_utf8(bytes).ok()).filter(|text| {
        text.len() <= 65_536 && text::is_plain(text) && here.site.redacted(text.as_bytes().to_vec()) == text.as_bytes()
    });
    html! {
        (form::text("recurrence", "When", &info.recurrence().unwrap_or_default(), true))
        (form::text("queue", "Queue", &info.queue().unwrap_or_default(), true))
        @if let Some(text) = parameters { div.field { label { "Parameters" } textarea name="parameters" spellcheck="false" aria-label="Parameters" { "\n" (text) } } }
        div.fields { @for option in SCHEDULE_OPTIONS {
            @let value = info.fields.get(option.name).map(|value| String::from_utf8_lossy(value).into_owned()).unwrap_or_default();
            div.field { label title=(option.means) { (option.name) } input name=(format!("set.{}", option.name)) value=(value) aria-label=(option.name) autocomplete="off"; }
        } }
    }
}
