//! An action on all tasks of a search that only the page can compare with it, such as a search for a text. The tasks are
//! found first, and the action changes exactly these, after a user has confirmed their number.

use blueque::{Status, TaskId};

use super::many::{afterwards, bulk, named, started};
use super::perform::one_task;
use super::{Action, Done, Fields, action};
use crate::failure::Failure;
use crate::here::Here;
use crate::jobs::Job;
use crate::read::query::Query;
use crate::read::tasks::{Order, page};
use crate::text;

/// Number of tasks that are read at once, to leave out those that no longer match.
const STEP: usize = 100;

/// Begins to look for the tasks, and leads to the page that asks.
pub fn look(here: &Here, action: &'static Action, query: Query, fields: &Fields) -> Result<Done, Failure> {
    // A search that is wrong is refused here, and not on the next page.
    _ = query.filter()?;
    if action.name == "tag" {
        fields.need("tags")?;
    } else {
        bulk(action, fields)?;
    }
    let what = format!("{}: all that match", action.label);
    let mut job =
        Job::new(here.place.name(), &here.actor.name, what, query.text()).looking(action.name, fields.clone());
    job.after = afterwards(action, &query, fields).map(|query| query.text());
    let (job, to) = started(here, job);
    let here = here.clone();
    tokio::spawn(async move {
        match find(&here, &query, &job).await {
            Ok(()) => job.ask(),
            Err(failure) => job.finish(Err(failure.text())),
        }
    });
    Ok(Done::new("It looks for the tasks. Nothing is changed before you confirm their number.").at(to))
}

async fn find(here: &Here, query: &Query, job: &Job) -> Result<(), Failure> {
    let (client, mut cursor) = (here.client().await?, "0".to_owned());
    loop {
        let found = page(&client, here.site.redact(), query, &cursor, Order::Latest).await?;
        let (looked, last) = found.looked.unwrap_or((found.tasks.len() as u64, None));
        let is_more = job.look(found.tasks.iter().map(|(id, _)| id), looked, last, found.next.is_none());
        match found.next.filter(|_| is_more) {
            Some(next) => cursor = next,
            None => return Ok(()),
        }
    }
}

/// Does the action on the tasks that were found.
pub fn confirm(here: &Here, fields: &Fields) -> Result<Done, Failure> {
    let job = named(here, fields)?;
    let ids = job.confirm().ok_or_else(|| Failure::wrong("This bulk action does not wait for a confirmation."))?;
    let number = text::tasks(ids.len() as u64);
    let here = here.clone();
    tokio::spawn(async move {
        let outcome = run(&here, &job, &ids).await;
        job.finish(outcome.map_err(|failure| failure.text()));
    });
    Ok(Done::new(format!("It has begun on {number}.")))
}

async fn run(here: &Here, job: &Job, ids: &[String]) -> Result<(), Failure> {
    let (client, states) = (here.client().await?, Query::read(&job.query).states);
    let Some((name, fields)) = &job.plan else { return Ok(()) };
    let Some(action) = action(name) else { return Ok(()) };
    for step in ids.chunks(STEP) {
        let names: Vec<TaskId> = step.iter().filter_map(|id| TaskId::new(id.as_str()).ok()).collect();
        for (id, info) in names.iter().zip(client.infos(&names).await?) {
            if job.is_stopped() {
                return Ok(());
            }
            // A task that changed its state since it was found may no longer match.
            let matches = |status: Status| states.is_empty() || states.contains(&status);
            if !info.and_then(|info| info.status()).is_some_and(matches) {
                job.add(0, 1);
                continue;
            }
            match one_task(here, action, id, fields).await {
                Ok(_) => job.add(1, 0),
                Err(failure) if failure.is_away() => return Err(failure),
                Err(_) => job.add(0, 1),
            }
        }
    }
    Ok(())
}
