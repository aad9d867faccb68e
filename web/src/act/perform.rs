//! Actions on one task, queue, worker, schedule or graph.

use std::time::Duration;

use blueque::calls::{
    CancelGraphOptions, CancelOptions, EditOptions, LimitOptions, NoteOptions, PauseOptions, RequeueOptions,
    RetryGraphOptions, RetryOptions, RunScheduleOptions, ScheduleOptions, TaskOptions,
};
use blueque::{Cancelled, GraphId, ListenerId, QueueName, Rate, Recurrence, Requeued, ScheduleName, TaskId};

use super::{Action, Done, Fields, add};
use crate::failure::Failure;
use crate::here::Here;

type Outcome = Result<Done, Failure>;

pub async fn perform(here: &Here, action: &Action, fields: &Fields) -> Outcome {
    match action.name {
        "pause" | "stop" | "open" | "configure" | "limit" | "delete-queue" => queue(here, action, fields).await,
        "drain" | "undrain" => worker(here, action.name == "drain", fields).await,
        "pause-schedule" | "resume-schedule" | "run-schedule" | "edit-schedule" | "delete-schedule" => {
            schedule(here, action, fields).await
        }
        "cancel-graph" | "retry-graph" | "rerun-graph" => graph(here, action, fields).await,
        _ => task(here, action, fields).await,
    }
}

async fn task(here: &Here, action: &Action, fields: &Fields) -> Outcome {
    let id = TaskId::new(fields.need("id")?)?;
    one_task(here, action, &id, fields).await
}

/// Does an action on one task.
pub async fn one_task(here: &Here, action: &Action, id: &TaskId, fields: &Fields) -> Outcome {
    let (client, calls) = (here.client().await?, here.signed().await?);
    let reason = fields.get("reason").unwrap_or_default();
    Ok(match action.name {
        "cancel" | "kill" | "free" => {
            let options = CancelOptions::new();
            let options = match action.name {
                "kill" => options.force(true),
                "free" => options.at_once(true),
                _ => options,
            };
            match client.call(&calls.cancel(id, reason, &options)).await? {
                Cancelled::Done => Done::new(format!("{id} is cancelled.")),
                _ if action.name == "kill" => Done::new(format!("The worker was ordered to kill {id}.")),
                _ => Done::new(format!("The worker was asked to stop {id}.")),
            }
        }
        "retry" | "retry-fresh" => {
            let fresh = action.name == "retry-fresh";
            let status = client.call(&calls.retry(id, &RetryOptions::new().fresh(fresh))).await?;
            Done::new(format!("{id} runs again: it is {}.", status.as_str()))
        }
        "requeue" => match client.call(&calls.requeue(id, &RequeueOptions::new())).await? {
            Requeued::Done => Done::new(format!("{id} is back in its queue.")),
            Requeued::Cancelled => Done::new(format!("{id} had already been cancelled.")),
            _ => Done::new(format!("The worker was asked to give {id} back.")),
        },
        "hold" => {
            client.call(&calls.hold(id)).await?;
            Done::new(format!("{id} is held."))
        }
        "unhold" => {
            let status = client.call(&calls.unhold(id)).await?;
            Done::new(format!("{id} is {}.", status.as_str()))
        }
        "suspend" => {
            let asked = client.call(&calls.suspend(id)).await?;
            Done::new(if asked {
                format!("The worker was asked to suspend {id}.")
            } else {
                format!("{id} is suspended.")
            })
        }
        "continue" => {
            client.call(&calls.unsuspend(id)).await?;
            Done::new(format!("The worker was asked to continue {id}."))
        }
        "signal" => {
            let signal = fields.need("signal")?;
            client.call(&calls.signal(id, signal)).await?;
            Done::new(format!("The worker was asked to send {signal} to {id}."))
        }
        "delete" => {
            client.call(&calls.delete(id)).await?;
            Done::new(format!("{id} is deleted.")).at(here.link("/tasks"))
        }
        "move" => {
            let queue = QueueName::new(fields.need("into")?)?;
            client.call(&calls.move_to(id, &queue)).await?;
            Done::new(format!("{id} waits in the queue {queue}."))
        }
        "prioritise" => {
            let priority = fields.number("priority")?.ok_or_else(|| Failure::wrong("The priority is empty."))?;
            client.call(&calls.prioritise(id, priority)).await?;
            Done::new(format!("{id} has the priority {priority}."))
        }
        "tag" | "untag" => {
            let tags: Vec<&str> = fields.need("tags")?.split([',', ' ']).filter(|tag| !tag.is_empty()).collect();
            let call = if action.name == "tag" { calls.tag(id, &tags) } else { calls.untag(id, &tags) };
            let left = client.call(&call).await?;
            Done::new(if left.is_empty() {
                format!("{id} has no tags.")
            } else {
                format!("{id} has the tags {}.", left.join(", "))
            })
        }
        "note" => {
            let options = NoteOptions::new().by(&here.actor.name);
            client.call(&calls.note(id, fields.need("text")?, &options)).await?;
            Done::new("The note is in the history.")
        }
        "edit" => {
            client.call(&calls.edit(id, &edit(here, fields)?)).await?;
            Done::new(format!("{id} is changed."))
        }
        other => return Err(Failure::missing(format!("There is no action {other} on a task."))),
    })
}

/// The changes of a task in a form: each field `set.NAME`, if it differs from the field `was.NAME`.
fn edit(here: &Here, fields: &Fields) -> Result<EditOptions, Failure> {
    let mut options = EditOptions::new().by(&here.actor.name);
    if let Some(reason) = fields.get("reason") {
        options = options.reason(reason);
    }
    let mut task = TaskOptions::default();
    let (mut unset, mut changed) = (Vec::new(), false);
    for option in blueque::contract::TASK_OPTIONS {
        let name = option.name;
        let (new, old) = (fields.exact(&format!("set.{name}")), fields.exact(&format!("was.{name}")));
        let Some(new) = new.map(str::trim).filter(|new| Some(*new) != old) else { continue };
        changed = true;
        if new.is_empty() {
            unset.push(name);
        } else {
            _ = task.set(name, add::value(option, new)?);
        }
    }
    options = options.task(&task);
    if !unset.is_empty() {
        options = options.unset(unset.join(","));
    }
    // Browsers send line ends as CR LF.
    let plain = |text: &str| text.replace("\r\n", "\n");
    let (new, old) = (fields.exact("set.parameters").map(plain), fields.exact("was.parameters").map(plain));
    if let Some(new) = new.filter(|new| Some(new) != old.as_ref()) {
        changed = true;
        options = options.parameters(new.into_bytes());
    }
    if !changed {
        return Err(Failure::wrong("Nothing was changed."));
    }
    Ok(options)
}

async fn queue(here: &Here, action: &Action, fields: &Fields) -> Outcome {
    let (client, calls) = (here.client().await?, here.signed().await?);
    let name = fields.get("queue").map(QueueName::new).transpose()?;
    let need = || name.clone().ok_or_else(|| Failure::wrong("The field queue is empty."));
    Ok(match action.name {
        "pause" | "stop" => {
            let queue = need()?;
            let options = PauseOptions::new().stop(action.name == "stop");
            let reason = fields.get("reason").unwrap_or_default();
            client.call(&calls.pause(&queue, &here.actor.name, reason, &options)).await?;
            Done::new(format!("The queue {queue} is paused."))
        }
        "open" => {
            let queue = need()?;
            client.call(&calls.resume(&queue)).await?;
            Done::new(format!("The queue {queue} gives out tasks again."))
        }
        "configure" => {
            let setting = fields.need("name")?;
            let known = blueque::contract::SETTINGS.iter().find(|known| known.name == setting);
            let value = fields
                .get("value")
                .map(|text| known.map_or_else(|| Ok(text.to_owned()), |known| add::value(known, text)));
            let value = value.transpose()?;
            client.call(&calls.configure(name.as_ref(), setting, value.as_deref())).await?;
            Done::new(match value {
                Some(value) => format!("{setting} is {value}."),
                None => format!("{setting} is not set here any more."),
            })
        }
        "limit" => {
            let key = fields.need("key")?;
            let concurrency = fields.number("concurrency")?;
            let rate = fields.get("rate").map(str::parse::<Rate>).transpose()?;
            client.call(&calls.limit(name.as_ref(), key, concurrency, rate, &LimitOptions::new())).await?;
            Done::new(format!("The limit of {key} is set."))
        }
        _ => {
            let queue = need()?;
            client.call(&calls.delete_queue(&queue)).await?;
            Done::new(format!("The queue {queue} is deleted.")).at(here.link("/queues"))
        }
    })
}

async fn worker(here: &Here, on: bool, fields: &Fields) -> Outcome {
    let (client, calls) = (here.client().await?, here.signed().await?);
    let listener = ListenerId::new(fields.need("listener")?)?;
    let mut queues: Vec<String> = fields.all("queue").to_vec();
    if queues.is_empty() {
        let workers = client.workers().await?;
        let worker = workers.iter().find(|worker| worker.id == listener.as_str());
        let worker = worker.ok_or_else(|| Failure::missing(format!("There is no worker {listener}.")))?;
        if worker.queues.iter().any(|queue| queue.contains(['*', '!'])) || !on {
            let known = client.queues().await?.into_iter().map(|queue| queue.name);
            let all = known.filter(|name| QueueName::new(name.as_str()).is_ok_and(|name| worker.serves(&name)));
            queues = all.chain(worker.drained.iter().cloned()).collect();
        } else {
            queues.clone_from(&worker.queues);
        }
    }
    let mut changed = 0;
    for queue in &queues {
        let Ok(queue) = QueueName::new(queue.as_str()) else { continue };
        match client.call(&calls.drain(&queue, &listener, on)).await {
            Ok(_) => changed += 1,
            // It takes nothing of this queue yet.
            Err(error) if error.code() == Some(blueque::Code::NoListener) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if changed == 0 {
        return Err(Failure::missing(format!("{listener} takes tasks of no queue.")));
    }
    Ok(Done::new(if on {
        format!("{listener} takes no more tasks, and ends once its tasks have ended.")
    } else {
        format!("The order to drain {listener} is withdrawn.")
    }))
}

async fn schedule(here: &Here, action: &Action, fields: &Fields) -> Outcome {
    let (client, calls) = (here.client().await?, here.signed().await?);
    let name = ScheduleName::new(fields.need("schedule")?)?;
    Ok(match action.name {
        "pause-schedule" => {
            let reason = fields.get("reason").unwrap_or_default();
            client.call(&calls.pause_schedule(&name, &here.actor.name, reason)).await?;
            Done::new(format!("The schedule {name} is paused."))
        }
        "resume-schedule" => {
            client.call(&calls.resume_schedule(&name)).await?;
            Done::new(format!("The schedule {name} creates tasks again."))
        }
        "run-schedule" => {
            let ran = client.call(&calls.run_schedule(&name, &TaskId::random(), &RunScheduleOptions::new())).await?;
            Done::new(format!("The schedule {name} has created the task {}.", ran.id))
        }
        "edit-schedule" => {
            let info = client.call(&calls.show_schedule(&name)).await?;
            let recurrence: Recurrence = fields.need("recurrence")?.parse()?;
            let queue = QueueName::new(fields.need("queue")?)?;
            let parameters = match fields.exact("parameters") {
                Some(text) => text.replace("\r\n", "\n").into_bytes(),
                None => info.parameters_bytes().unwrap_or_default().to_vec(),
            };
            let mut options = ScheduleOptions::default();
            let mut task = TaskOptions::default();
            for (option, value) in info.options() {
                _ = task.set(&option, value);
            }
            for option in blueque::contract::SCHEDULE_OPTIONS {
                let kept = info.fields.get(option.name).map(|value| String::from_utf8_lossy(value).into_owned());
                let value = fields.get(&format!("set.{}", option.name)).map(str::to_owned).or(kept);
                if let Some(value) = value.filter(|value| !value.is_empty()) {
                    _ = options.set(option.name, value);
                }
            }
            let signed = calls.by(&here.actor.name);
            let slots = recurrence.slots(client.call(&signed.handshake()).await?.now);
            let options = options.task(task);
            client
                .call(&signed.schedule(&name, &queue, &recurrence.to_string(), &parameters, &slots, &options))
                .await?;
            Done::new(format!("The schedule {name} is changed."))
        }
        _ => {
            client.call(&calls.unschedule(&name)).await?;
            Done::new(format!("The schedule {name} is deleted.")).at(here.link("/schedules"))
        }
    })
}

async fn graph(here: &Here, action: &Action, fields: &Fields) -> Outcome {
    let (client, calls) = (here.client().await?, here.signed().await?);
    let graph = GraphId::new(fields.need("graph")?)?;
    let task = fields.get("task");
    Ok(match action.name {
        "cancel-graph" => {
            let options = task.into_iter().fold(CancelGraphOptions::new(), CancelGraphOptions::task);
            client.call(&calls.cancel_graph(&graph, fields.get("reason").unwrap_or_default(), &options)).await?;
            Done::new(format!("{} is being cancelled, in steps.", task.unwrap_or(graph.as_str())))
        }
        "rerun-graph" => {
            let options = RetryGraphOptions::new().task(fields.need("task")?);
            client.call(&calls.retry_graph(&graph, &options)).await?;
            Done::new(format!("{} and everything downstream run again.", task.unwrap_or_default()))
        }
        _ => {
            client.call(&calls.retry_graph(&graph, &RetryGraphOptions::new())).await?;
            Done::new(format!("The failed and cancelled tasks of {graph} run again."))
        }
    })
}

/// Time within which an action of one request must end.
pub const PATIENCE: Duration = Duration::from_secs(20);
