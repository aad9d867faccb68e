//! Creates and changes schedules.

use std::time::SystemTime;

use super::{Call, Calls, ScheduleOptions};
use crate::model::{Scheduled, reply};
use crate::names::{QueueName, ScheduleName};
use crate::times::since_1970;

impl Calls {
    /// Creates a schedule, or changes the schedule with this name. `recurrence` is `every SECONDS OFFSET`, or
    /// `cron ZONE` and five fields in capitals. A cron schedule needs its first 1 to 64 slots, in whole seconds.
    #[must_use]
    pub fn schedule(
        &self,
        name: &ScheduleName,
        queue: &QueueName,
        recurrence: &str,
        parameters: &[u8],
        slots: &[SystemTime],
        options: &ScheduleOptions,
    ) -> Call<Scheduled> {
        let call = self.call("schedule", reply::word).arg(name).arg(queue).arg(recurrence).raw(parameters);
        let call = slots.iter().fold(call.arg(slots.len()), |call, slot| call.arg(since_1970(*slot).as_secs()));
        call.once().pairs(&options.own).pairs(&options.task.0)
    }
}
