//! Calls on schedules.

use redis::Value;

use super::{Call, Calls, read};
use crate::model::{LowSchedule, Overlap, Page, Ran, ScheduleInfo, ScheduleSummary, Scheduled, Ticked};
use crate::names::{QueueName, ScheduleName, TaskId};
use crate::options::ScheduleOptions;
use crate::reply;

impl Calls {
    /// Makes a schedule, or changes the one of this name. `rhythm` is `every SECONDS OFFSET`, or `cron ZONE` and five
    /// fields in capitals; cron needs its first 1 to 64 slots, in seconds since 1970.
    #[must_use]
    pub fn schedule(
        &self,
        name: &ScheduleName,
        queue: &QueueName,
        rhythm: &str,
        parameters: &[u8],
        slots: &[u64],
        options: &ScheduleOptions,
    ) -> Call<Scheduled> {
        let call = self.call("schedule", reply::number).arg(name).arg(queue).arg(rhythm).raw(parameters);
        told(call, slots).once().pairs(&options.own).pairs(&options.task.0)
    }

    /// The schedules of the namespace, those whose next slot comes first at the front.
    #[must_use]
    pub fn schedules(&self, cursor: &str, limit: u32) -> Call<Page<ScheduleSummary>> {
        let parse = |value: &Value| {
            read::page(value, 10, |item| match item {
                [name, queue, rhythm, state, next, made, skipped, passed, last_task, error] => Some(ScheduleSummary {
                    name: ScheduleName::new(reply::text(name)?).ok()?,
                    queue: reply::text(queue)?,
                    rhythm: reply::text(rhythm)?,
                    state: reply::number(state)?,
                    next: reply::optional(next)?.and_then(|next| next.parse().ok()),
                    made: reply::number(made)?,
                    skipped: reply::number(skipped)?,
                    passed: reply::number(passed)?,
                    last_task: reply::optional(last_task)?,
                    error: reply::optional(error)?,
                }),
                _ => None,
            })
        };
        self.call("schedules", parse).arg(cursor).arg(limit)
    }

    /// All that is known of a schedule.
    #[must_use]
    pub fn show_schedule(&self, name: &ScheduleName) -> Call<ScheduleInfo> {
        let parse = |value: &Value| {
            let fields = reply::groups(reply::array(value)?, 0, 2, |item| match item {
                [field, value] => Some((reply::text(field)?, reply::bytes(value)?)),
                _ => None,
            })?;
            Some(ScheduleInfo { fields: fields.into_iter().collect() })
        };
        self.call("show_schedule", parse).arg(name)
    }

    /// Removes a schedule. The tasks that it has made stay.
    #[must_use]
    pub fn unschedule(&self, name: &ScheduleName) -> Call<()> {
        self.call("unschedule", read::done).arg(name).once()
    }

    /// Stops a schedule from making tasks.
    #[must_use]
    pub fn pause_schedule(&self, name: &ScheduleName, by: &str, reason: &str) -> Call<()> {
        self.call("pause_schedule", read::done).arg(name).arg(by).arg(reason)
    }

    /// Lets a paused schedule make tasks again, from its next slot on.
    #[must_use]
    pub fn resume_schedule(&self, name: &ScheduleName) -> Call<()> {
        self.call("resume_schedule", read::done).arg(name)
    }

    /// Makes a task of a schedule at once, under this id.
    #[must_use]
    pub fn run_schedule(&self, name: &ScheduleName, id: &TaskId, overlap: Option<Overlap>) -> Call<Ran> {
        let parse = |value: &Value| match reply::array(value)? {
            [word, id, ..] => Some(Ran {
                created: match reply::text(word)?.as_str() {
                    "created" => true,
                    "existing" => false,
                    _ => return None,
                },
                id: TaskId::new(reply::text(id)?).ok()?,
            }),
            _ => None,
        };
        self.call("run_schedule", parse).arg(name).arg(id).once().option("overlap", overlap)
    }

    /// Makes the tasks of slots that are due, up to 500.
    #[must_use]
    pub fn tick(&self, limit: u32) -> Call<Ticked> {
        let parse = |value: &Value| {
            let items = reply::array(value)?;
            let [made, more, next, ..] = items else { return None };
            Some(Ticked {
                made: reply::number(made)?,
                more: read::flag(more)?,
                next: reply::optional(next)?.and_then(|next| next.parse().ok()),
                low: reply::groups(items, 3, 3, |item| match item {
                    [name, rhythm, after] => Some(LowSchedule {
                        name: ScheduleName::new(reply::text(name)?).ok()?,
                        rhythm: reply::text(rhythm)?,
                        after: reply::number(after)?,
                    }),
                    _ => None,
                })?,
            })
        };
        self.call("tick", parse).arg(limit)
    }

    /// Tells the next slots of a cron schedule, up to 64 in seconds since 1970: those after the time that
    /// [`tick`](Self::tick) named. None: there are no more. Answers whether they were of use; they are not where
    /// the schedule is another by now.
    #[must_use]
    pub fn slots(&self, low: &LowSchedule, slots: &[u64]) -> Call<bool> {
        let parse = |value: &Value| match reply::text(value)?.as_str() {
            "told" => Some(true),
            "stale" => Some(false),
            _ => None,
        };
        told(self.call("slots", parse).arg(&low.name).arg(&low.rhythm).arg(low.after), slots)
    }
}

fn told<T>(call: Call<T>, slots: &[u64]) -> Call<T> {
    slots.iter().fold(call.arg(slots.len()), Call::arg)
}
