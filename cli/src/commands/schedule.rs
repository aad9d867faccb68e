//! `blueque schedule`: tasks that are created repeatedly.

use std::time::Duration;

use blueque::calls::RunScheduleOptions;
use blueque::{Error, Overlap, QueueName, Recurrence, ScheduleName, Scheduled, TaskId};
use clap::{ArgGroup, Args};

use crate::command_line::COMMAND;
use crate::command_line::proof::of_schedule;
use crate::input::command::{CommandArgs, GIVEN, LINE, put};
use crate::input::new_task::COMMANDS_QUEUE;
use crate::input::parameters::Parameters;
use crate::input::task_options::{SlotOptions, TaskOptions, overlap};
use crate::input::values::{duration, queue_name, task_id};
use crate::output::table::write_one;
use crate::output::{Code, Format, chain, code, fault, say};
use crate::session::Session;
use crate::session::caller::caller;
use crate::session::queues::meant;
use crate::subcommand::Subcommand;
use crate::view::schedule::{Made, Removed, Summary, Whole};

#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(subcommand)]
    word: Option<Word>,
}

#[derive(Clone, Debug, clap::Subcommand)]
enum Word {
    /// Create a schedule, or change the one with this name
    Add(Box<Add>),
    /// List schedules by their next slot
    Ls,
    /// Show a schedule in full
    Show(Named),
    /// Remove schedules; their tasks remain
    Rm {
        /// The names of the schedules
        #[arg(required = true, value_name = "NAME", value_parser = name)]
        names: Vec<ScheduleName>,
    },
    /// Stop a schedule from creating tasks
    Pause {
        #[command(flatten)]
        schedule: Named,
        /// The reason, for people
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        reason: String,
    },
    /// Let a schedule create tasks again
    Resume(Named),
    /// Create a task of a schedule now
    Run {
        #[command(flatten)]
        schedule: Named,
        /// The policy while the last task is not finished [default: the policy of the schedule]
        #[arg(long, value_name = "WORD", value_parser = overlap())]
        overlap: Option<Overlap>,
        /// The id of the task [default: a random id]; using the same id twice creates one task
        #[arg(long, value_parser = task_id)]
        id: Option<TaskId>,
    },
}

#[derive(Args, Clone, Debug)]
struct Named {
    /// The name of the schedule
    #[arg(value_name = "NAME", value_parser = name)]
    name: ScheduleName,
}

#[derive(Args, Clone, Debug)]
#[command(group(ArgGroup::new("recurrence").required(true).args(["every", "cron"])))]
#[command(group(ArgGroup::new(LINE).multiple(true).args(GIVEN)))]
#[command(mut_arg("words", |arg| arg.last(true).trailing_var_arg(false)))]
#[command(mut_arg(COMMAND, |arg| arg.hide(true).conflicts_with_all(GIVEN)))]
struct Add {
    /// The name of the schedule; the ids of its tasks are NAME@SECONDS
    #[arg(value_name = "NAME", value_parser = name)]
    name: ScheduleName,
    /// The queue; with a command [default: default]
    #[arg(value_name = "QUEUE", value_parser = queue_name, required_unless_present_any = GIVEN)]
    queue: Option<QueueName>,
    #[command(flatten)]
    parameters: Parameters,
    /// Create a task at the multiples of this time since 1970, in UTC: 15m, 1h, 1day
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "When")]
    every: Option<Duration>,
    /// An offset from the multiples
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with = "cron", help_heading = "When")]
    offset: Option<Duration>,
    /// Create a task at these times: minute, hour, day of the month, month, day of the week, such as '0 3 * * 1-5'; or
    /// @hourly, @daily, @weekly, @monthly, @yearly
    #[arg(long, value_name = "FIELDS", help_heading = "When")]
    cron: Option<String>,
    /// The time zone of cron, such as Europe/Berlin [default: UTC]
    #[arg(long, value_name = "ZONE", conflicts_with = "every", help_heading = "When")]
    zone: Option<String>,
    #[command(flatten)]
    slots: SlotOptions,
    #[command(flatten)]
    line: CommandArgs,
    #[command(flatten)]
    task: TaskOptions,
}

impl Add {
    fn recurrence(&self) -> anyhow::Result<Recurrence> {
        Ok(match (self.every, &self.cron) {
            (Some(period), _) => Recurrence::every_after(period, self.offset.unwrap_or_default())?,
            (None, cron) => {
                Recurrence::cron(cron.as_deref().unwrap_or_default(), self.zone.as_deref().unwrap_or("UTC"))?
            }
        })
    }

    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let recurrence = self.recurrence()?;
        let mut task = self.task.clone();
        if self.line.is_given() {
            task.add_submitter();
            put(&mut task, self.line.read()?, session.namespace.as_str(), &of_schedule(self.name.as_str()))?;
        }
        let options = self.slots.options().task(task.options());
        let parameters = self.parameters.bytes()?;
        let queue = self.queue.clone().map_or_else(|| QueueName::new(COMMANDS_QUEUE), Ok)?;
        let done = session.client.set_schedule(&self.name, &queue, &recurrence, &parameters, &options)?;
        match done {
            Scheduled::Existing => say(format!("{} exists already; nothing was changed", self.name)),
            Scheduled::Changed => say(format!("{} was changed", self.name)),
            _ => {}
        }
        show(session, &self.name)
    }
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let (client, calls) = (&session.client, session.client.calls());
        match &self.word {
            None | Some(Word::Ls) => {
                let schedules: Vec<Summary> = client.schedules()?.into_iter().map(Summary::new).collect();
                session.write(&schedules)?;
            }
            Some(Word::Add(add)) => return add.run(session),
            Some(Word::Show(Named { name })) => return show(session, name),
            Some(Word::Rm { names }) => return remove(session, names),
            Some(Word::Pause { schedule: Named { name }, reason }) => {
                known(session, name, client.call(&calls.pause_schedule(name, &caller(), reason)))?;
                if !ended(session, name)? {
                    say(format!("{name} creates no tasks; blueque schedule resume {name}"));
                }
            }
            Some(Word::Resume(Named { name })) => {
                known(session, name, client.call(&calls.resume_schedule(name)))?;
                if !ended(session, name)? {
                    say(format!("{name} creates tasks"));
                }
            }
            Some(Word::Run { schedule: Named { name }, overlap, id }) => {
                let id = id.clone().unwrap_or_else(TaskId::random);
                let how = overlap.iter().copied().fold(RunScheduleOptions::new(), RunScheduleOptions::overlap);
                let ran = known(session, name, client.call(&calls.run_schedule(name, &id, &how)))?;
                if !ran.created {
                    say(format!("{} exists already; nothing was created", ran.id));
                }
                write_one(session.format, &Made { id: ran.id.to_string(), schedule: name.to_string() })?;
            }
        }
        Ok(Code::Ok)
    }
}

/// Returns true if a schedule has no more tasks to create, and then reports this. The schedule may be paused.
fn ended(session: &Session, name: &ScheduleName) -> anyhow::Result<bool> {
    let info = session.client.call(&session.client.calls().show_schedule(name))?;
    let ended = info.ended().is_some();
    if ended {
        say(format!(
            "{name} has ended and creates no tasks, paused or not; blueque schedule add {name} gives it a new end"
        ));
    }
    Ok(ended)
}

fn show(session: &Session, name: &ScheduleName) -> anyhow::Result<Code> {
    let info = known(session, name, session.client.call(&session.client.calls().show_schedule(name)))?;
    let whole = Whole::new(name, &info);
    match session.format {
        Format::Table => whole.people()?,
        format => write_one(format, &whole)?,
    }
    Ok(Code::Ok)
}

/// Converts the reply to a call about a schedule. If no schedule has this name, the error suggests a similar name.
fn known<T>(session: &Session, name: &ScheduleName, answer: blueque::Result<T>) -> anyhow::Result<T> {
    match answer {
        Err(Error::State { code: blueque::Code::NoSchedule, .. }) => {
            let all: Vec<String> = session.client.schedules()?.into_iter().map(|one| one.name.to_string()).collect();
            Err(fault(Code::NotFound, format!("there is no schedule {name}{}", meant(name.as_str(), &all))))
        }
        answer => Ok(answer?),
    }
}

/// Removes each schedule. If one is missing, still removes the schedules after it.
fn remove(session: &Session, names: &[ScheduleName]) -> anyhow::Result<Code> {
    let (mut removed, mut worst) = (Vec::new(), Code::Ok);
    for name in names {
        match known(session, name, session.client.call(&session.client.calls().unschedule(name))) {
            Ok(()) => removed.push(Removed { schedule: name.to_string(), outcome: "removed" }),
            Err(error) => {
                let whose = if code(&error) == Code::NotFound { String::new() } else { format!("{name}: ") };
                say(format!("blueque: {whose}{}", chain(&error)));
                if worst == Code::Ok {
                    worst = code(&error);
                }
                if worst == Code::Unreachable {
                    break;
                }
            }
        }
    }
    if !removed.is_empty() || worst == Code::Ok {
        session.write(&removed)?;
    }
    Ok(worst)
}

/// Parses the name of a schedule.
fn name(text: &str) -> Result<ScheduleName, String> {
    ScheduleName::new(text).map_err(|_| "must be 1 to 100 characters of A-Z a-z 0-9 . _ : @ -".to_owned())
}
