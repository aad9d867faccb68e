//! One task: what it does, its log, its attempts, its values, and every action that its state allows.

mod actions;
mod attempts;
mod facts;
mod history;

use std::collections::HashMap;

use axum::extract::{Path, Query};
use axum::response::Response;
use blueque::{Basis, Estimate, Status, TaskId};
use maud::{Markup, html};

use super::{live, log};
use crate::failure::Failure;
use crate::feed::Reading;
use crate::here::{Here, escaped};
use crate::parts::{look, notices};
use crate::read::task::{self, Task};
use crate::shell::Tab;
use crate::{text, time};

pub async fn page(
    here: Here,
    Path((_, id)): Path<(String, String)>,
    Query(query): Query<HashMap<String, String>>,
) -> Response {
    let content = content(&here, &id, &query).await;
    here.page(Tab::Tasks, &text::line(&id), content)
}

pub fn reading(here: &Here, id: TaskId) -> impl Fn() -> Reading + Send + Sync + 'static {
    let here = here.shared(&format!("/tasks/{}", escaped(id.as_str())));
    live::reading(move || {
        let (here, id) = (here.clone(), id.clone());
        async move {
            let task = task::task(&here.client().await?, &id).await?;
            let sentence = sentence(&here, &task).await;
            Ok(parts(&here, &task, &sentence))
        }
    })
}

/// The sentence about a task. One that has ended needs no calls.
async fn sentence(here: &Here, task: &Task) -> String {
    let open = task.info.status().is_some_and(|status| !status.is_finished());
    if let Some(explain) = here.site.explain().filter(|_| open) {
        let (explain, place, id) = (explain.clone(), here.place.name().to_owned(), task.id.to_string());
        if let Ok(Some(told)) = tokio::task::spawn_blocking(move || explain.sentence(&place, &id)).await {
            return text::line(&told);
        }
    }
    task.why.as_ref().map(|why| text::line(&why.sentence(&task.info))).unwrap_or_default()
}

fn parts(here: &Here, task: &Task, sentence: &str) -> Vec<(&'static str, Markup)> {
    vec![
        ("task-head", head(here, task, sentence)),
        ("task-actions", actions::buttons(here, task)),
        ("task-attempts", attempts::table(task)),
        ("task-facts", facts::record(here, task)),
        ("task-values", facts::values(here, task)),
        (
            "task-notices",
            notices::table("task", task.info.notify().filter(|targets| !targets.is_empty()).as_deref(), &task.notices),
        ),
        ("task-history", history::steps(task)),
    ]
}

async fn content(here: &Here, id: &str, query: &HashMap<String, String>) -> Result<Markup, Failure> {
    let (client, id) = (here.client().await?, TaskId::new(id)?);
    let task = task::task(&client, &id).await?;
    let log = log::section(here, &client, &task, query).await?;
    let neighbours = task::neighbours(&client, &id, &task.info).await?;
    let audit = task::audit(&client, &id).await?;
    let sentence = sentence(here, &task).await;
    let mut parts: HashMap<&str, Markup> = parts(here, &task, &sentence).into_iter().collect();
    let mut part = |name: &str| parts.remove(name).unwrap_or_default();
    Ok(html! {
        div data-live=(here.link(&format!("/live?topic=task:{}", escaped(id.as_str())))) data-task=(id) {
            section #task-head { (part("task-head")) }
            section #task-actions { (part("task-actions")) }
            div.split {
                div.main {
                    (log)
                    section #task-attempts { (part("task-attempts")) }
                    section #task-values { (part("task-values")) }
                    section #task-notices { (part("task-notices")) }
                    section.card #task-history { (part("task-history")) }
                }
                div.side {
                    section.card #task-facts { (part("task-facts")) }
                    section.card #task-neighbours { (facts::neighbours(here, &task.info, &neighbours)) }
                    section.card #task-policy { (facts::policy(&task.policy)) }
                    section.card #task-audit { (history::audit(&audit)) }
                }
            }
        }
    })
}

fn head(here: &Here, task: &Task, sentence: &str) -> Markup {
    let info = &task.info;
    let queue = info.queue().unwrap_or_default();
    let error = if info.status() == Some(Status::Failed) { info.error() } else { info.last_error() };
    html! {
        p.crumbs { (look::queue(here, &queue)) " › " a href=(here.link(&format!("/tasks?q={}", escaped(&format!("queue:{queue}"))))) { "tasks" } }
        @let title = info.title().filter(|title| !title.is_empty());
        div.line {
            h1 {
                @match &title { Some(title) => span #title { (text::short(title, 200)) }, None => (text::short(task.id.as_str(), 80)) } " "
                @if let Some(label) = info.label().filter(|label| !label.is_empty()) { small { (text::short(&label, 60)) } }
            }
            span.row { @if title.is_some() { span.id { (text::short(task.id.as_str(), 80)) } } button type="button" data-copy=(task.id) title="Copies the id" { "Copy" } }
        }
        div.hero {
            p.why #why {
                (look::state(info.condition())) " "
                (time::in_sentence(sentence))
            }
            @if !info.status().is_some_and(Status::is_finished) || task.progress.fraction.is_some() {
                @if task.progress.fraction.is_some() || !task.progress.text.is_empty() { (look::progress(&task.progress)) }
                @if let Some(estimate) = &task.estimate { (expected(estimate)) }
            }
            @if let Some(error) = error {
                div.alarm data-error {
                    @if info.status() == Some(Status::Failed) { strong { "Error. " } } @else { strong { "The last attempt failed. " } }
                    (text::short(&error, 400))
                    @if let Some(group) = info.group().or_else(|| info.last_group()) {
                        " " a href=(here.link(&format!("/tasks?q={}", escaped(&format!("state:failed queue:{queue} group:\"{group}\""))))) { "Same failures" }
                    }
                }
            }
        }
    }
}

/// The expected start and end, with what the estimate is made from.
fn expected(estimate: &Estimate) -> Markup {
    let runs = match estimate.runs {
        0 => "no earlier runs".to_owned(),
        1 => "the last run".to_owned(),
        runs => format!("the last {runs} runs"),
    };
    let by = match estimate.basis {
        Some(Basis::Progress) => "by its progress".to_owned(),
        Some(Basis::Both) => format!("by its progress and {runs}"),
        _ => format!("by {runs}"),
    };
    html! {
        p.quiet #expected {
            @match (estimate.start.filter(|_| estimate.status.is_waiting()), estimate.end) {
                (Some(start), Some(end)) => { "Expected to start " (time::relative(start)) " and to end " (time::expected(end)) ", " (by) "." }
                (None, Some(end)) => { "Expected end: " (time::expected(end)) ", " (by) "." }
                _ => { "No expected end yet: the task has reported no progress, and no task like it has completed." }
            }
        }
    }
}
