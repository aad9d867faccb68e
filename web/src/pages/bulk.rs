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
use crate::jobs::{Job, Search, Stage};
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
    let (stage, search) = (job.stage(), job.search());
    let is_over = matches!(stage, Stage::Ended(_));
    let most = job.matching.or_else(|| Some(search.ids.len() as u64).filter(|_| matches!(stage, Stage::Runs)));
    html! {
        div.hero {
            p.why #bulk-state {
                @match &stage {
                    Stage::Looks if job.is_stopped() => "It stops.",
                    Stage::Looks => "It looks into each task of the search, since no index has texts. Nothing is changed before you confirm the number.",
                    Stage::Asks => { strong { (text::tasks(search.ids.len() as u64)) " found." } " Nothing is changed yet." }
                    Stage::Runs if job.is_stopped() => "It stops after the present step.",
                    Stage::Runs => "It runs, in steps of 100 tasks, as long as the process of this page runs. You may leave this page.",
                    Stage::Ended(Ok(())) if changed + refused == 0 && job.is_stopped() => "It was stopped before it changed a task.",
                    Stage::Ended(Ok(())) if job.is_stopped() => "It was stopped. Tasks that it had changed stay changed.",
                    Stage::Ended(Ok(())) if changed + refused == 0 && job.plan.is_some() => "No task was found.",
                    Stage::Ended(Ok(())) => "It is done.",
                    Stage::Ended(Err(error)) => { strong.bad { "It ended early. " } (text::line(error)) }
                }
            }
            @if job.plan.is_some() && !matches!(stage, Stage::Looks) { p #bulk-extent { (extent(&search)) } }
            @if let Stage::Asks = stage { (confirmation(here, job, &search)) }
            @if let Some(most) = most { progress max=(most.max(1)) value=(if is_over { most.max(1) } else { changed + refused }) aria-label="Tasks done" {} }
            dl.figures {
                @if job.plan.is_some() {
                    div { dt { "Looked into" } dd { (look::number(search.looked)) } }
                    @if !is_over { div { dt { "Found" } dd { (look::number(search.ids.len() as u64)) } } }
                }
                div { dt { "Changed" } dd { (look::number(changed)) } }
                div { dt { "Refused" } dd { (look::number(refused)) } }
                @if let Some(most) = job.matching { div { dt { "Matched at the start" } dd { (look::number(most)) } } }
                div { dt { "Begun" } dd.text { (time::relative(job.begun)) " by " (text::line(&job.by)) } }
            }
            p { "Search: " a href=(here.link(&format!("/tasks?q={}", escaped(&job.query)))) { code { (if job.query.is_empty() { "(all tasks)".to_owned() } else { text::line(&job.query) }) } } }
            @if let Some(after) = &job.after { p { "Changed tasks: " a data-after href=(here.link(&format!("/tasks?q={}", escaped(after)))) { code { (if after.is_empty() { "(all tasks)".to_owned() } else { text::line(after) }) } } } }
            @if !is_over && let Some(action) = action("stop-many") { (form::button(here, action, &[("job", &job.id)], None)) }
        }
    }
}

/// How far a search has looked, and what that means for its tasks.
fn extent(search: &Search) -> Markup {
    html! {
        @if search.is_whole {
            "It looked into all " (text::tasks(search.looked)) " of the search."
        } @else {
            "It looked only into the latest " (text::tasks(search.looked)) " of the search"
            @if let Some(last) = search.last { ", the last created " (time::relative(last)) }
            ". Older tasks stay as they are. To find them, repeat the action with " code { "until:" } " and that time."
        }
    }
}

/// The button that says what will be changed.
fn confirmation(here: &Here, job: &Job, search: &Search) -> Markup {
    let confirm = action("confirm-many");
    html! {
        @if let (Some(confirm), Some(action)) = (confirm, job.plan.as_ref().and_then(|(name, _)| action(name))) {
            p.note { strong { (action.label) } ": " (action.will) " Tasks whose state no longer matches or does not allow it refuse it." }
            form.act method="post" action=(here.link(&format!("/act/{}", confirm.name))) data-action=(confirm.name) data-needs=(confirm.role().as_str()) {
                input type="hidden" name="csrf" value=(here.csrf.token);
                input type="hidden" name="back" value=(here.at);
                input type="hidden" name="job" value=(job.id);
                button.primary data-danger[action.danger || action.asks] { (action.label) ": " (text::tasks(search.ids.len() as u64)) }
            }
        }
    }
}
