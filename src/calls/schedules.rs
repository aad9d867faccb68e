//! Calls on schedules.

use std::time::SystemTime;

use redis::Value;

use super::{Call, Calls, RunScheduleOptions, ScheduleOptions};
use crate::model::reply;
use crate::model::{LowSchedule, Page, Ran, ScheduleInfo, ScheduleSummary, Scheduled, Ticked};
use crate::names::{QueueName, ScheduleName, TaskId};
use crate::times::since_1970;

impl Calls {
    /// Creates a schedule, or changes the one with this name. `rhythm` is `every SECONDS OFFSET`, or `cron ZONE`
    /// and five fields in capitals; cron needs its first 1 to 64 slots, in whole seconds.
    #[must_use]
    pub fn schedule(
        &self,
        name: &ScheduleName,
        queue: &QueueName,
        rhythm: &str,
        parameters: &[u8],
        slots: &[SystemTime],
        options: &ScheduleOptions,
    ) -> Call<Scheduled> {
        let call = self.call("schedule", reply::word).arg(name).arg(queue).arg(rhythm).raw(parameters);
        told(call, slots).once().pairs(&options.own).pairs(&options.task.0)
    }

    /// The schedules of the namespace, by their next slot.
    #[must_use]
    pub fn schedules(&self, cursor: &str, limit: u32) -> Call<Page<ScheduleSummary>> {
        self.call("schedules", reply::page).arg(cursor).arg(limit)
    }

    /// A schedule in full.
    #[must_use]
    pub fn show_schedule(&self, name: &ScheduleName) -> Call<ScheduleInfo> {
        let parse = |value: &Value| {
            let field = |(name, value)| Some((name, reply::bytes(value)?));
            Some(ScheduleInfo { fields: reply::pairs(value)?.into_iter().map(field).collect::<Option<_>>()? })
        };
        self.call("show_schedule", parse).arg(name)
    }

    /// Removes a schedule. Its tasks remain.
    #[must_use]
    pub fn unschedule(&self, name: &ScheduleName) -> Call<()> {
        self.call("unschedule", reply::done).arg(name).once()
    }

    /// Stops a schedule from creating tasks.
    #[must_use]
    pub fn pause_schedule(&self, name: &ScheduleName, by: &str, reason: &str) -> Call<()> {
        self.call("pause_schedule", reply::done).arg(name).arg(by).arg(reason)
    }

    /// Lets a paused schedule create tasks again, from its next slot on.
    #[must_use]
    pub fn resume_schedule(&self, name: &ScheduleName) -> Call<()> {
        self.call("resume_schedule", reply::done).arg(name)
    }

    /// Creates a task of a schedule at once, with this id.
    #[must_use]
    pub fn run_schedule(&self, name: &ScheduleName, id: &TaskId, options: &RunScheduleOptions) -> Call<Ran> {
        self.call("run_schedule", Ran::read).arg(name).arg(id).once().pairs(&options.0)
    }

    /// Creates the tasks of due slots, up to 500.
    #[must_use]
    pub fn tick(&self, limit: u32) -> Call<Ticked> {
        self.call("tick", Ticked::read).arg(limit)
    }

    /// Supplies the next slots of a cron schedule, up to 64 in whole seconds: those after the time that
    /// [`tick`](Self::tick) returned. An empty list: there are no more. Returns whether they were accepted; they
    /// are not if the schedule has changed since.
    #[must_use]
    pub fn slots(&self, low: &LowSchedule, slots: &[SystemTime]) -> Call<bool> {
        let call = self.call("slots", reply::told).arg(&low.name).arg(&low.rhythm);
        told(call.arg(since_1970(low.after).as_secs()), slots)
    }
}

fn told<T>(call: Call<T>, slots: &[SystemTime]) -> Call<T> {
    slots.iter().fold(call.arg(slots.len()), |call, slot| call.arg(since_1970(*slot).as_secs()))
}
