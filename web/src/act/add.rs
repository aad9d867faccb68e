//! New tasks and new schedules, from forms.

use std::time::SystemTime;

use blueque::calls::{NewTask, ScheduleOptions, TaskOptions};
use blueque::contract::{Described, Form, SCHEDULE_OPTIONS, TASK_OPTIONS};
use blueque::{CommandLine, QueueName, Recurrence, ScheduleName, Submitted, TaskId};
use serde_json::value::RawValue;

use super::{Done, Fields};
use crate::failure::Failure;
use crate::here::{Here, escaped};
use crate::read::query::duration;

/// What a task needs so that only workers take it that run command lines.
const COMMANDS: &str = "commands";

/// The value of an option as the contract has it: durations may have a unit, such as `2h`.
pub fn value(option: &Described, text: &str) -> Result<String, Failure> {
    let seconds = matches!(option.form, Form::Seconds { time: false, .. }).then(|| duration(text)).flatten();
    let value = seconds.map_or_else(|| text.to_owned(), |seconds| seconds.as_secs().to_string());
    if option.allows(&value) {
        Ok(value)
    } else {
        Err(Failure::wrong(format!("{}: {text} is not allowed. {}", option.name, option.means)))
    }
}

/// Options of the task in the fields `set.NAME`.
fn options(here: &Here, fields: &Fields) -> Result<TaskOptions, Failure> {
    let mut options = TaskOptions::default();
    let is_name = |c: char| c.is_ascii_alphanumeric() || "._:@-".contains(c);
    if here.actor.name.chars().all(is_name) && here.actor.name.len() <= 128 {
        _ = options.set("submitter", here.actor.name.as_str());
    }
    for option in TASK_OPTIONS {
        if let Some(text) = fields.get(&format!("set.{}", option.name)) {
            _ = options.set(option.name, value(option, text)?);
        }
    }
    if let Some(line) = fields.get("command") {
        let command = CommandLine { argv: words(line)?, user: Some(here.actor.name.clone()), ..CommandLine::default() };
        _ = options.set("command", command.to_json());
        let needs = fields.get("set.needs").filter(|needs| !needs.split(',').any(|need| need == COMMANDS));
        let needs = needs.map_or_else(|| COMMANDS.to_owned(), |needs| format!("{needs},{COMMANDS}"));
        _ = options.set("needs", needs);
    }
    Ok(options)
}

/// The parameters: JSON, or an empty list.
fn parameters(fields: &Fields) -> Result<Vec<u8>, Failure> {
    // Browsers send line ends as CR LF.
    let text = fields.exact("parameters").unwrap_or_default().replace("\r\n", "\n");
    if text.trim().is_empty() {
        return Ok(b"[]".to_vec());
    }
    match serde_json::from_str::<&RawValue>(&text) {
        Ok(_) => Ok(text.into_bytes()),
        Err(error) => Err(Failure::wrong(format!("The parameters are not JSON: {error}. Texts need double quotes."))),
    }
}

/// Splits a command line into its words, as a shell does, without variables and other special characters.
fn words(line: &str) -> Result<Vec<String>, Failure> {
    let (mut all, mut word, mut quote, mut chars) = (Vec::new(), None::<String>, None, line.chars());
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            (c, None) if c.is_whitespace() => all.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    if let Some(quote) = quote {
        return Err(Failure::wrong(format!("The command has an open quote: add the second {quote}")));
    }
    all.extend(word);
    Ok(all)
}

/// The time at which a task may start: a duration from now on, or a time.
fn start(text: &str, now: SystemTime) -> Result<SystemTime, Failure> {
    let known = match duration(text) {
        Some(delay) => now.checked_add(delay),
        None => text.parse::<jiff::Timestamp>().ok().map(SystemTime::from),
    };
    known.ok_or_else(|| Failure::wrong(format!("{text} is not a time: write 30m, 2h, 3d, or 2026-11-28T22:00:00Z.")))
}

pub async fn task(here: &Here, fields: &Fields) -> Result<Done, Failure> {
    let queue = QueueName::new(fields.need("queue")?)?;
    // A form that is sent twice creates one task, because the form names the task.
    let id = TaskId::new(fields.get("id").or(fields.get("fresh")).unwrap_or_default())?;
    let (options, parameters) = (options(here, fields)?, parameters(fields)?);
    let (client, calls) = (here.client().await?, here.signed().await?);
    let mut task = NewTask::new(&id, &parameters);
    if let Some(text) = fields.get("start") {
        task = task.eta(start(text, client.call(&calls.handshake()).await?.now)?);
    }
    let done = client.call(&calls.submit(&queue, &[task], &options)).await?;
    let to = here.link(&format!("/tasks/{}", escaped(id.as_str())));
    match done.into_iter().next() {
        Some(Submitted::Existing) if fields.get("id").is_some() => {
            Err(Failure::wrong(format!("There is already a task {id}, and nothing was changed. Choose another id.")))
        }
        Some(Submitted::Taken(other)) => {
            Err(Failure::wrong(format!("The task {other} has the unique name, and nothing was changed.")))
        }
        Some(Submitted::Replaced(other)) => {
            Ok(Done::new(format!("{id} is in the queue {queue}. {other} is cancelled.")).at(to))
        }
        _ => Ok(Done::new(format!("{id} is in the queue {queue}.")).at(to)),
    }
}

/// When a schedule creates tasks: `every 15m`, or a cron expression in a time zone.
fn recurrence(fields: &Fields) -> Result<Recurrence, Failure> {
    let when = fields.need("cron")?;
    match when.strip_prefix("every ").map(|period| (period, duration(period.trim()))) {
        Some((_, Some(period))) => Ok(Recurrence::every_after(period, std::time::Duration::ZERO)?),
        Some((period, None)) => {
            Err(Failure::wrong(format!("{period} is not a duration: write every 15m, or every 2h.")))
        }
        None => Ok(Recurrence::cron(when, fields.get("zone").unwrap_or("UTC"))?),
    }
}

pub async fn schedule(here: &Here, fields: &Fields) -> Result<Done, Failure> {
    let name = ScheduleName::new(fields.need("schedule")?)?;
    let queue = QueueName::new(fields.need("queue")?)?;
    let recurrence = recurrence(fields)?;
    let mut options = ScheduleOptions::default();
    for option in SCHEDULE_OPTIONS {
        if let Some(text) = fields.get(&format!("set.{}", option.name)) {
            _ = options.set(option.name, value(option, text)?);
        }
    }
    let (options, parameters) = (options.task(self::options(here, fields)?), parameters(fields)?);
    let (client, calls) = (here.client().await?, here.signed().await?.by(&here.actor.name));
    match client.call(&calls.show_schedule(&name)).await {
        Ok(_) => return Err(Failure::wrong(format!("There is already a schedule {name}. Edit it on its page."))),
        Err(error) if error.code() == Some(blueque::Code::NoSchedule) => {}
        Err(error) => return Err(error.into()),
    }
    let slots = recurrence.slots(client.call(&calls.handshake()).await?.now);
    client.call(&calls.schedule(&name, &queue, &recurrence.to_string(), &parameters, &slots, &options)).await?;
    let to = here.link(&format!("/schedules/{}", escaped(name.as_str())));
    Ok(Done::new(format!("The schedule {name} creates tasks.")).at(to))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_command_line_is_split_as_a_shell_does() {
        let argv = ["encode", "", "two words", "it's", "a\"b\\"].map(str::to_owned).to_vec();
        let command = CommandLine { argv: argv.clone(), ..CommandLine::default() };
        assert_eq!(words(&command.words()).unwrap(), argv);
        assert_eq!(words(r#" a  "b 'c' \" d"e "#).unwrap(), ["a", "b 'c' \" de"]);
        assert!(words("a 'b").unwrap_err().text().contains("open quote"));
    }
}
