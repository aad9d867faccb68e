//! The progress of a bulk action.

use std::sync::Arc;

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};

use super::live;
use crate::act::action;
use crate::failure::Failure;
use crate::feed::Reading;
use crate::here::{Here, escaped};
use crate::jobs::Job;
use crate::parts::{form, look};
use crate::shell::Tab;
use crate::{text, time};

fn job(here: &Here, id: &str) -> Result<Arc<Job>, Failure> {
    let missing = || {
        Failure::missing(
            "This bulk action is not known. It ran long ago, or in a process of the page that has ended: what it had \
             changed stays changed, and nobody continues it. Search for the tasks again, and repeat the action on those that remain.",
        )
    };
    here.site.jobs().get(here.place.name(), id).ok_or_else(missing)
}

pub async fn page(here: Here, Path((_, id)): Path<(String, String)>) -> Response {
    let content = job(&here, &id).map(|job| {
        html! {
            p.crumbs { a href=(here.link("/tasks")) { "Tasks" } }
            h1 { (text::line(&job.what)) }
            div data-live=(here.link(&format!("/live?topic=bulk:{}", escaped(&id)))) data-bulk-job=(id) {
                section #bulk-progress { (progress(&here, &job)) }
            }
        }
    });
    here.page(Tab::Tasks, "Bulk action", content)
}

pub fn reading(here: &Here, id: &str) -> impl Fn() -> Reading + Send + Sync + 'static {
    let (here, id) = (here.shared(&format!("/bulk/{}", escaped(id))), id.to_owned());
    live::reading(move || {
        let (here, id) = (here.clone(), id.clone());
        async move { Ok(vec![("bulk-progress", progress(&here, &*job(&here, &id)?))]) }
    })
}

fn progress(here: &Here, job: &Job) -> Markup {
    let (changed, refused) = job.numbers();
    let outcome = job.outcome();
    html! {
        div.hero {
            p.why #bulk-state {
                @match &outcome {
                    None if job.is_stopped() => "It stops after the present step.",
                    None => "It runs, in steps of 100 tasks, as long as the process of this page runs. You may leave this page.",
                    Some(Ok(())) if job.is_stopped() => "It was stopped. Tasks that it had changed stay changed.",
                    Some(Ok(())) => "It is done.",
                    Some(Err(error)) => { strong.bad { "It ended early. " } (text::line(error)) }
                }
            }
            @if let Some(most) = job.matching { progress max=(most.max(1)) value=(if outcome.is_some() { most.max(1) } else { changed + refused }) aria-label="Tasks done" {} }
            dl.figures {
                div { dt { "Changed" } dd { (look::number(changed)) } }
                div { dt { "Refused" } dd { (look::number(refused)) } }
                @if let Some(most) = job.matching { div { dt { "Matched at the start" } dd { (look::number(most)) } } }
                div { dt { "Begun" } dd.text { (time::relative(job.begun)) " by " (text::line(&job.by)) } }
            }
            p { "Search: " a href=(here.link(&format!("/tasks?q={}", escaped(&job.query)))) { code { (if job.query.is_empty() { "(all tasks)".to_owned() } else { text::line(&job.query) }) } } }
            @if let Some(after) = &job.after { p { "Changed tasks: " a data-after href=(here.link(&format!("/tasks?q={}", escaped(after)))) { code { (if after.is_empty() { "(all tasks)".to_owned() } else { text::line(after) }) } } } }
            @if outcome.is_none() && let Some(action) = action("stop-many") { (form::button(here, action, &[("job", &job.id)], None)) }
        }
    }
}
