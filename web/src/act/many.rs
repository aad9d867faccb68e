//! One action on many tasks: on selected tasks, or on all tasks that a search finds.

use std::sync::Arc;
use std::time::Instant;

use blueque::calls::Calls;
use blueque::tokio::Client;
use blueque::{Action as Bulk, Filter, Force, QueueName, Status, TaskId};

use super::perform::{PATIENCE, one_task};
use super::{Action, Done, Fields, action, found};
use crate::failure::{Failure, chain};
use crate::here::{Here, escaped};
use crate::jobs::Job;
use crate::read::query::Query;
use crate::read::tasks::count;
use crate::text;

/// Number of tasks that one step of a bulk changes.
const STEP: u32 = 100;

/// Maximum number of tasks that a user selects one by one.
const SELECTED: usize = 500;

pub async fn perform(here: &Here, fields: &Fields) -> Result<Done, Failure> {
    let what = fields.need("what")?;
    let action = action(what).ok_or_else(|| Failure::missing(format!("There is no action {what}.")))?;
    if fields.get("scope") == Some("all") {
        all(here, action, fields).await
    } else {
        selected(here, action, fields).await
    }
}

async fn selected(here: &Here, action: &Action, fields: &Fields) -> Result<Done, Failure> {
    let ids = fields.all("id");
    if ids.is_empty() {
        return Err(Failure::wrong("No task is selected."));
    }
    if ids.len() > SELECTED {
        return Err(Failure::wrong(format!("At most {SELECTED} tasks can be selected one by one.")));
    }
    let (mut changed, mut refused, mut first) = (Vec::new(), 0_u64, None);
    let begun = Instant::now();
    for id in ids {
        if begun.elapsed() > PATIENCE {
            first.get_or_insert_with(|| "The rest was not reached in time.".to_owned());
            break;
        }
        match one_task(here, action, &TaskId::new(id.as_str())?, fields).await {
            Ok(_) => changed.push(id.as_str()),
            Err(failure) if failure.is_away() => return Err(failure),
            Err(failure) => {
                refused += 1;
                first.get_or_insert_with(|| failure.text());
            }
        }
    }
    let text = outcome(action, changed.len() as u64, refused, first.as_deref());
    let query = escaped(&format!("ids:{}", changed.join(",")));
    let shows = action.name != "delete" && !changed.is_empty();
    Ok(Done { shows: shows.then(|| here.link(&format!("/tasks?q={query}"))), ..Done::new(text) })
}

fn outcome(action: &Action, changed: u64, refused: u64, first: Option<&str>) -> String {
    let refused = if refused == 0 { String::new() } else { format!(", {refused} refused") };
    let first = first.map_or(String::new(), |first| format!(" {first}"));
    format!("{}: {} changed{refused}.{first}", action.label, text::tasks(changed))
}

/// Shows a job to all users. Returns it, and its page.
pub fn started(here: &Here, job: Job) -> (Arc<Job>, String) {
    let job = Arc::new(job);
    here.site.jobs().add(Arc::clone(&job));
    let to = here.link(&format!("/bulk/{}", job.id));
    (job, to)
}

/// The action in the form of the contract.
pub fn bulk(action: &Action, fields: &Fields) -> Result<Bulk, Failure> {
    let reason = fields.get("reason").unwrap_or_default().to_owned();
    Ok(match action.name {
        "cancel" => Bulk::Cancel { reason, force: Force::No },
        "kill" => Bulk::Cancel { reason, force: Force::Kill },
        "retry" | "retry-fresh" => {
            let into = fields.get("retry-into").map(QueueName::new).transpose()?;
            Bulk::Retry { fresh: action.name == "retry-fresh", into }
        }
        "delete" => Bulk::Delete,
        "hold" => Bulk::Hold,
        "unhold" => Bulk::Unhold,
        "suspend" => Bulk::Suspend,
        "continue" => Bulk::Unsuspend,
        "requeue" => Bulk::Requeue,
        "move" => Bulk::Move { into: QueueName::new(fields.need("into")?)? },
        "prioritise" => {
            let priority = fields.number("priority")?.ok_or_else(|| Failure::wrong("The priority is empty."))?;
            Bulk::Prioritise { priority }
        }
        other => return Err(Failure::wrong(format!("{other} is not an action on all tasks of a search."))),
    })
}

/// The search that finds the tasks after the action; `None` if they no longer exist.
pub fn afterwards(action: &Action, query: &Query, fields: &Fields) -> Option<Query> {
    let of = |states: &[Status]| Query { states: states.to_vec(), group: None, ..query.clone() };
    Some(match action.name {
        "delete" => return None,
        "cancel" | "kill" => of(&[Status::Cancelled]),
        "retry" | "retry-fresh" | "requeue" => of(&[Status::Pending, Status::Reserved, Status::Started]),
        "hold" => of(&[Status::Held]),
        "unhold" => of(&[Status::Pending]),
        "move" => Query { queue: fields.get("into").map(str::to_owned), ..query.clone() },
        _ => query.clone(),
    })
}

/// Starts the action on all tasks that match, and leads to a page with its progress.
async fn all(here: &Here, action: &'static Action, fields: &Fields) -> Result<Done, Failure> {
    let query = Query::read(fields.get("q").unwrap_or_default());
    if !query.is_of_server() {
        return found::look(here, action, query, fields);
    }
    let bulk = bulk(action, fields)?;
    let (client, calls) = (here.client().await?, here.signed().await?);
    let filter = query.filter()?;
    let queues: Vec<QueueName> = match &query.queue {
        Some(queue) => vec![QueueName::new(queue.as_str())?],
        None => client.queues().await?.iter().filter_map(|queue| QueueName::new(queue.name.as_str()).ok()).collect(),
    };
    let matching = count(&client, &query).await?;
    let what = format!("{}: all that match", action.label);
    let mut job = Job::new(here.place.name(), &here.actor.name, what, query.text());
    job.after = afterwards(action, &query, fields).map(|query| query.text());
    job.matching = matching;
    let (work, to) = started(here, job);
    tokio::spawn(async move {
        let outcome = run(&client, &calls, &queues, &bulk, &filter, &work).await;
        work.finish(outcome.map_err(|error| chain(&error)));
    });
    Ok(Done::new(format!("{}: it has begun.", action.label)).at(to))
}

/// Does the steps of a job, until it ends or is stopped.
async fn run(
    client: &Client,
    calls: &Calls,
    queues: &[QueueName],
    action: &Bulk,
    filter: &Filter,
    job: &Job,
) -> blueque::Result<()> {
    for queue in queues {
        let mut cursor = Some("0".to_owned());
        while let Some(at) = cursor.filter(|_| !job.is_stopped()) {
            let step = client.call(&calls.bulk(queue, action, filter, &at, STEP)).await?;
            job.add(step.changed, step.refused);
            cursor = step.next;
        }
    }
    Ok(())
}

/// The job that a form names.
pub fn named(here: &Here, fields: &Fields) -> Result<Arc<Job>, Failure> {
    let job = here.site.jobs().get(here.place.name(), fields.need("job")?);
    job.ok_or_else(|| Failure::missing("This bulk action is not known."))
}

/// Stops a job after its present step.
pub fn stop(here: &Here, fields: &Fields) -> Result<Done, Failure> {
    named(here, fields)?.stop();
    Ok(Done::new("It stops after the present step."))
}
