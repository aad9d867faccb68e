//! One queue.

use std::time::Duration;

use axum::extract::Path;
use axum::response::Response;
use blueque::contract::SETTINGS;
use blueque::{Day, QueueName, Setting, Status};
use maud::{Markup, html};

use super::{add, live};
use crate::act::action;
use crate::failure::Failure;
use crate::feed::Reading;
use crate::here::{Here, escaped};
use crate::parts::plot::{self, Bar};
use crate::parts::{form, look, settings};
use crate::read::queue::{self, Details, Hour, Queue, quantile};
use crate::read::tasks::of;
use crate::shell::Tab;
use crate::{text, time};

pub async fn page(here: Here, Path((_, name)): Path<(String, String)>) -> Response {
    let content = content(&here, &name).await;
    here.page(Tab::Queues, &text::line(&name), content)
}

pub fn reading(here: &Here, name: QueueName) -> impl Fn() -> Reading + Send + Sync + 'static {
    let here = here.shared(&format!("/queues/{}", escaped(name.as_str())));
    live::reading(move || {
        let (here, name) = (here.clone(), name.clone());
        async move {
            let queue = queue::queue(&here.client().await?, &name).await?;
            Ok(parts(&here, &queue))
        }
    })
}

fn parts(here: &Here, queue: &Queue) -> Vec<(&'static str, Markup)> {
    vec![("queue-head", head(here, queue)), ("queue-next", next(here, queue)), ("queue-workers", workers(here, queue))]
}

async fn content(here: &Here, name: &str) -> Result<Markup, Failure> {
    let (client, name) = (here.client().await?, QueueName::new(name)?);
    let queue = queue::queue(&client, &name).await?;
    let details = queue::details(&client, &name).await?;
    let topic = here.link(&format!("/live?topic=queue:{}", escaped(name.as_str())));
    let mut parts = parts(here, &queue).into_iter();
    let mut part = || parts.next().map(|(_, html)| html).unwrap_or_default();
    Ok(html! {
        div data-live=(topic) data-queue=(name) {
            section #queue-head { (part()) }
            (failures(here, &name, &details))
            section #queue-plots { (plots(&details)) }
            div.cards {
                section.card #queue-next { (part()) }
                section.card #queue-workers { (part()) }
            }
            div.cards {
                section.card #queue-limits { (limits(here, &name, &details)) }
                section.card #queue-tags { (tags(here, &name, &details)) }
            }
            section.card #queue-settings { (settings(here, &name, &details.settings)) }
        }
    })
}

fn head(here: &Here, queue: &Queue) -> Markup {
    let name = queue.name.as_str();
    let paused = queue.info.paused.as_ref();
    let names: &[&str] =
        if paused.is_some() { &["open", "stop", "delete-queue"] } else { &["pause", "stop", "delete-queue"] };
    let reason = form::text("reason", "Reason, for the others", "", false);
    html! {
        p.crumbs { a href=(here.link("/queues")) { "Queues" } }
        div.line {
            h1 { (text::short(name, 80)) }
            div.row {
                (add::link(here, "add-task", &format!("?queue={}", escaped(name))))
                @for name in names {
                    @if let Some(action) = action(name) {
                        (form::button(here, action, &[("queue", queue.name.as_str())], matches!(*name, "pause" | "stop").then_some(&reason)))
                    }
                }
            }
        }
        @if let Some(pause) = paused {
            p.alarm data-kind="warn" data-paused {
                strong { @if queue.info.stopping { "Paused and stopping" } @else { "Paused" } } " by " (text::line(&pause.by))
                @if let Some(at) = pause.at { ", " (time::relative(at)) }
                @if !pause.reason.is_empty() { ": " (text::short(&pause.reason, 200)) }
            }
        }
        @if queue.counts.pending > 0 && queue.counts.listeners == 0 {
            p.alarm data-alarm="no-worker" { strong { "No worker. " } (text::tasks(queue.counts.pending)) " waiting. Start one: " code { "blueque worker --queue " (name) } }
        }
        dl.figures.strip {
            @for status in Status::ALL {
                @let number = of(&queue.counts, *status);
                div {
                    dt { (status.as_str()) }
                    dd data-bad[*status == Status::Failed && number > 0] {
                        @if number == 0 { (look::number(0)) } @else {
                            a href=(here.link(&format!("/tasks?q={}", escaped(&format!("state:{} queue:{name}", status.as_str()))))) { (text::thousands(number)) }
                        }
                    }
                }
            }
            div { dt title="Created and ended in the last minute" { "in / out, 1 min" } dd { (queue.rates.into) " / " (queue.rates.out) @if queue.rates.more { small { " or more" } } } }
        }
        (plot::mix("Tasks by state", &Status::ALL.iter().map(|status| (status.as_str(), of(&queue.counts, *status))).collect::<Vec<_>>()))
    }
}

fn next(here: &Here, queue: &Queue) -> Markup {
    html! {
        header.line { h2 { "Next" } span.note { "In the order in which they are given out" } }
        @if queue.next.is_empty() { p.quiet { "No task waits for a worker." } }
        ol.timeline {
            @for task in &queue.next {
                li data-key=(task.id) {
                    span { (look::task(here, task.id.as_str())) }
                    span {
                        @match &task.why {
                            None => span.tag data-kind="good" { "next" },
                            Some(why) => { (text::short(why, 160)) @if let Some(until) = task.until { " " (time::relative(until)) } }
                        }
                    }
                }
            }
        }
    }
}

fn workers(here: &Here, queue: &Queue) -> Markup {
    html! {
        header.line { h2 { "Workers" } a.note href=(here.link("/workers")) { "All workers" } }
        @if queue.listeners.is_empty() { p.quiet { "No worker takes its tasks. Start one: " code { "blueque worker --queue " (queue.name.as_str()) } } }
        ul.timeline {
            @for listener in &queue.listeners {
                @let worker = queue.workers.iter().find(|worker| worker.id == listener.id);
                li data-key=(listener.id) {
                    span { (look::number(listener.held)) " running" }
                    span {
                        (text::short(&listener.id, 60))
                        @if worker.is_some_and(|worker| worker.dead) { span.tag data-kind="bad" { "dead" } }
                        @if worker.is_some_and(|worker| worker.drained.iter().any(|name| name == queue.name.as_str())) { span.tag data-kind="paused" { "drained" } }
                        @if let Some(worker) = worker { small { " " (worker.free) " of " (worker.slots) " slots free" } }
                        @if let Some(seen) = listener.seen { small { " · seen " (time::relative(seen)) } }
                    }
                }
            }
        }
    }
}

fn failures(here: &Here, name: &QueueName, details: &Details) -> Markup {
    html! {
        section #queue-failures {
            header.line { h2 { "Failures by group" } }
            @if details.groups.is_empty() {
                p.quiet { "No task of this queue is failed." }
            } @else {
                div.table { table {
                    thead { tr { th.wide { "Group" } th.number { "Tasks" } th { "Latest" } th.number { "Failed" } th { span.hidden { "Actions" } } } }
                    tbody { @for group in &details.groups {
                        @let query = format!("state:failed queue:{name} group:\"{}\"", group.name.replace('"', ""));
                        tr data-key=(group.name) data-group=(text::line(&group.name)) {
                            th.wide scope="row" { a href=(here.link(&format!("/tasks?q={}", escaped(&query)))) { (if group.name.is_empty() { html! { "without a group" } } else { text::short(&group.name, 120) }) } }
                            td.number data-bad { (text::thousands(group.tasks)) }
                            td { @if let Some(last) = &group.last { (look::task(here, last)) } }
                            td.number { (time::maybe(group.at)) }
                            td { div.row { @for what in ["retry", "retry-fresh", "delete"] { (group_action(here, what, &query, group.tasks)) } } }
                        }
                    } }
                } }
            }
        }
    }
}

/// An action on all tasks of a group.
fn group_action(here: &Here, what: &str, query: &str, tasks: u64) -> Markup {
    let (Some(many), Some(each)) = (action("many"), action(what)) else { return html! {} };
    let shown = crate::act::Action { label: each.label, will: each.will, danger: each.danger, ..*many };
    let fields = [("q", query), ("scope", "all"), ("what", what)];
    let more = html! { p { strong { (text::tasks(tasks)) "." } } };
    form::button(here, &shown, &fields, Some(&more))
}

fn day_name(date: &str) -> String {
    match (date.get(4..6), date.get(6..8)) {
        (Some(month), Some(day)) => format!("{month}-{day}"),
        _ => date.to_owned(),
    }
}

fn hour_name(hour: &Hour) -> String {
    time::of_day(hour.from).chars().take(5).collect()
}

/// The days of the plots, also those on which nothing happened.
fn all_days(details: &Details) -> Vec<Day> {
    let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let back = (0..i64::from(queue::DAYS)).rev();
    let dates = back.filter_map(|back| today.checked_sub(jiff::Span::new().days(back)).ok());
    let days = dates.map(|date| {
        let date = date.strftime("%Y%m%d").to_string();
        let known = details.statistics.days.iter().find(|day| day.date == date).cloned();
        known.unwrap_or_else(|| {
            let mut day = Day::default();
            day.date = date;
            day
        })
    });
    days.collect()
}

fn plots(details: &Details) -> Markup {
    let days = all_days(details);
    let by_day: Vec<Bar> = days
        .iter()
        .map(|day| Bar {
            name: day_name(&day.date),
            parts: vec![("good", day.figures.complete), ("wrong", day.figures.failed)],
        })
        .collect();
    let by_hour: Vec<Bar> = details
        .hours
        .iter()
        .map(|hour| Bar { name: hour_name(hour), parts: vec![("good", hour.complete), ("wrong", hour.failed)] })
        .collect();
    let point =
        |name: String, durations: &blueque::Durations| (name, durations.quantile(0.5), durations.quantile(0.95));
    let waits: Vec<_> = days.iter().map(|day| point(day_name(&day.date), &day.figures.wait)).collect();
    let runs: Vec<_> = days.iter().map(|day| point(day_name(&day.date), &day.figures.run)).collect();
    let hourly = |of: fn(&Hour) -> &Vec<f64>| -> Vec<_> {
        let each = details.hours.iter().map(|hour| {
            let mut values = of(hour).clone();
            let share = |values: &mut Vec<f64>, share| {
                quantile(values, share).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            };
            (hour_name(hour), share(&mut values, 0.5), share(&mut values, 0.95))
        });
        each.collect()
    };
    let total = &details.statistics.total;
    html! {
        header.line {
            h2 { "Statistics" }
            (plot::legend(&[("good", "complete"), ("wrong", "failed"), ("line1", "median"), ("line2", "95 % within")]))
        }
        div.plots {
            div.card { h3 { "Ended, by hour (UTC)" } (plot::bars("Tasks that ended, by hour", &by_hour)) }
            div.card { h3 { "Waiting time, by hour" } (plot::durations("Waiting time, by hour", &hourly(|hour| &hour.waits))) }
            div.card { h3 { "Running time, by hour" } (plot::durations("Running time, by hour", &hourly(|hour| &hour.runs))) }
            div.card { h3 { "Ended, by day (UTC)" } (plot::bars("Tasks that ended, by day", &by_day)) }
            div.card { h3 { "Waiting time, by day" } (plot::durations("Waiting time, by day", &waits)) }
            div.card { h3 { "Running time, by day" } (plot::durations("Running time, by day", &runs)) }
        }
        p.note.under {
            @if details.short { "The events of the queue do not reach back over all hours. " }
            "Last " (queue::DAYS) " days: " (text::thousands(total.submitted)) " created, " (text::thousands(total.complete)) " complete, " (text::thousands(total.failed)) " failed, "
            (text::thousands(total.retries)) " retries, " (text::thousands(total.losses)) " lost, " (text::thousands(total.releases)) " given back."
        }
    }
}

fn settings(here: &Here, name: &QueueName, settings: &[Setting]) -> Markup {
    let all_queues = |setting: &&Setting| SETTINGS.iter().any(|known| known.name == setting.name && known.all_queues);
    html! {
        header.line { h2 { "Settings" } span.note { "An empty value removes the setting of this queue" } }
        dl.facts.settings { @for setting in settings.iter().filter(|setting| !all_queues(setting)) { (settings::row(here, setting, Some(name))) } }
    }
}

fn limits(here: &Here, name: &QueueName, details: &Details) -> Markup {
    html! {
        header.line {
            h2 { "Limits by key" }
            @if let Some(action) = action("limit") {
                (form::button(here, action, &[("queue", name.as_str())], Some(&html! {
                    (form::text("key", "Key, such as a tenant", "", true))
                    (form::text("concurrency", "Tasks at the same time", "", false))
                    (form::text("rate", "Starts, as NUMBER/SECONDS", "", false))
                })))
            }
        }
        @let mut all = details.limits.clone();
        @let () = all.extend(details.used.iter().filter(|used| !details.limits.iter().any(|limit| limit.key == used.key)).cloned());
        @if all.is_empty() { p.quiet { "No key has a limit of its own, and no key holds places." } }
        dl.facts {
            @for limit in &all {
                @let used = details.used.iter().find(|used| used.key == limit.key).map_or(limit.used, |used| used.used);
                @let tasks = |states: &str| here.link(&format!("/tasks?q={}", escaped(&format!("queue:{name} key:{} state:{states}", limit.key))));
                dt { (text::short(&limit.key, 40)) }
                dd { (used) @match limit.concurrency { Some(most) => { " of " (most) " places taken" } None => " running" } @if let Some(rate) = limit.rate { ", at most " (rate.starts()) " starts in " (time::span(rate.window())) } " · " a href=(tasks("started,reserved")) { "who holds" } " · " a href=(tasks("pending")) { "who waits" } }
            }
        }
        p.note { "Shared limits are on the page " a href=(here.link("/queues#shared")) { "Queues" } "." }
    }
}

fn tags(here: &Here, name: &QueueName, details: &Details) -> Markup {
    html! {
        h2 { "Tags" }
        @if details.tags.is_empty() { p.quiet { "No task has a tag." } }
        ul.chips {
            @for tag in &details.tags {
                li { a.tag href=(here.link(&format!("/tasks?q={}", escaped(&format!("queue:{name} tag:{}", tag.name))))) { (text::short(&tag.name, 40)) " " (text::thousands(tag.tasks)) } }
            }
        }
    }
}
