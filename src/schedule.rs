//! Schedules: tasks that are created repeatedly.

use std::time::Duration;

use serde::Serialize;

use crate::calls::RunScheduleOptions;
use crate::client::Client;
use crate::error::{Code, Error, Result};
use crate::link::{Blocking, Link};
use crate::model::{LowSchedule, MaintenanceStep, Overlap, ScheduleInfo, ScheduleSummary, Scheduled, Ticked};
use crate::names::{QueueName, ScheduleName, TaskId};
use crate::options::{Plan, ScheduleOptions};
use crate::recurrence::Recurrence;
use crate::task::Task;
use crate::times;

/// Number of slots that one call of `tick` handles. Ten slots take about a millisecond.
const BATCH: u32 = 10;

/// A schedule of a namespace.
///
/// ```no_run
/// use std::time::Duration;
/// use blueque::{Overlap, Plan, Recurrence, Submit};
///
/// # fn main() -> blueque::Result<()> {
/// let client = blueque::Client::open("redis://127.0.0.1/")?;
/// let hourly = Recurrence::every(Duration::from_secs(3600))?;
/// let plan = Plan::default().overlap(Overlap::Queue).task(Submit::default().priority(5));
/// client.schedule("reindex")?.set("index", &hourly, &["all"], &plan)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Schedule<L: Link = Blocking> {
    client: Client<L>,
    name: ScheduleName,
}

impl<L: Link> Schedule<L> {
    /// Name of the schedule.
    #[must_use]
    pub fn name(&self) -> &ScheduleName {
        &self.name
    }

    /// Creates or changes the schedule: tasks of a queue, with their parameters as JSON.
    ///
    /// # Errors
    /// `PAYLOAD` if the parameters cannot be JSON; the errors of [`Schedule::set_bytes`].
    pub fn set<P: Serialize + ?Sized>(
        &self,
        queue: &str,
        recurrence: &Recurrence,
        parameters: &P,
        plan: &Plan,
    ) -> L::Answer<'_, Result<Scheduled>> {
        let parameters = serde_json::to_vec(parameters).map_err(Error::from);
        L::answer(self.put(QueueName::new(queue), recurrence.clone(), parameters, plan.clone()))
    }

    /// Creates or changes the schedule: tasks of a queue, with opaque bytes as parameters. A change keeps the
    /// schedule's tasks, its pause and its counts.
    ///
    /// # Errors
    /// `BADARG` for a value out of bounds, an end in the past, or if no slot is ahead; `BADNAME`, `TOOBIG` as for a
    /// submit, `TOOMANY` for over 100,000 schedules; the errors of [`Client::call`].
    pub fn set_bytes(
        &self,
        queue: &str,
        recurrence: &Recurrence,
        parameters: &[u8],
        plan: &Plan,
    ) -> L::Answer<'_, Result<Scheduled>> {
        L::answer(self.put(QueueName::new(queue), recurrence.clone(), Ok(parameters.to_vec()), plan.clone()))
    }

    async fn put(
        &self,
        queue: Result<QueueName>,
        recurrence: Recurrence,
        parameters: Result<Vec<u8>>,
        plan: Plan,
    ) -> Result<Scheduled> {
        let (queue, parameters) = (queue?, parameters?);
        if plan.task.id.is_some() || plan.task.eta.is_some() {
            let text = "the ids and the times of a schedule's tasks are those of its slots";
            return Err(Error::argument(text));
        }
        let options = ScheduleOptions { own: plan.own, task: self.client.sized(&plan.task.options) };
        self.client.put_schedule(&self.name, &queue, &recurrence, &parameters, &options).await
    }

    /// The schedule in full.
    ///
    /// # Errors
    /// `NOSCHEDULE`; the errors of [`Client::call`].
    pub fn info(&self) -> L::Answer<'_, Result<ScheduleInfo>> {
        self.client.make(self.client.calls().show_schedule(&self.name))
    }

    /// Pauses the schedule: it creates no tasks, not even later for slots that pass during the pause.
    ///
    /// # Errors
    /// `NOSCHEDULE`; `BADNAME` or `TOOBIG` for an invalid name or reason; the errors of [`Client::call`].
    pub fn pause(&self, by: &str, reason: &str) -> L::Answer<'_, Result<()>> {
        self.client.make(self.client.calls().pause_schedule(&self.name, by, reason))
    }

    /// Resumes the schedule: it creates tasks again, from its next slot on.
    ///
    /// # Errors
    /// `NOSCHEDULE`; the errors of [`Client::call`].
    pub fn resume(&self) -> L::Answer<'_, Result<()>> {
        self.client.make(self.client.calls().resume_schedule(&self.name))
    }

    /// Creates a task at once, in addition to the slots. Without an `overlap`, the overlap of the schedule applies.
    ///
    /// # Errors
    /// `NOSCHEDULE`; `STATE` if the last task is unfinished and the overlap is [`Overlap::Skip`]; the errors of a
    /// submit.
    pub fn run(&self, overlap: Option<Overlap>) -> L::Answer<'_, Result<Task<L>>> {
        let options = overlap.into_iter().fold(RunScheduleOptions::new(), RunScheduleOptions::overlap);
        let call = self.client.calls().run_schedule(&self.name, &TaskId::random(), &options);
        L::answer(async move { Ok(Task::new(self.client.clone(), self.client.run(&call).await?.id)) })
    }

    /// Removes the schedule. Its tasks remain.
    ///
    /// # Errors
    /// `NOSCHEDULE`; the errors of [`Client::call`].
    pub fn remove(&self) -> L::Answer<'_, Result<()>> {
        self.client.make(self.client.calls().unschedule(&self.name))
    }
}

impl<L: Link> Client<L> {
    /// A schedule by its name. Makes no call.
    ///
    /// # Errors
    /// `BADNAME` for an invalid name.
    pub fn schedule(&self, name: &str) -> Result<Schedule<L>> {
        Ok(Schedule { client: self.clone(), name: ScheduleName::new(name)? })
    }

    /// Returns every schedule of the namespace, ordered by their next slots.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn schedules(&self) -> L::Answer<'_, Result<Vec<ScheduleSummary>>> {
        L::answer(self.pages(|cursor| self.calls().schedules(cursor, 500)))
    }

    /// Creates or changes a schedule, with options as plain values.
    ///
    /// # Errors
    /// Same as [`Schedule::set_bytes`].
    pub fn set_schedule(
        &self,
        name: &ScheduleName,
        queue: &QueueName,
        recurrence: &Recurrence,
        parameters: &[u8],
        options: &ScheduleOptions,
    ) -> L::Answer<'_, Result<Scheduled>> {
        let (name, queue, recurrence) = (name.clone(), queue.clone(), recurrence.clone());
        let (parameters, options) = (parameters.to_vec(), options.clone());
        L::answer(async move { self.put_schedule(&name, &queue, &recurrence, &parameters, &options).await })
    }

    async fn put_schedule(
        &self,
        name: &ScheduleName,
        queue: &QueueName,
        recurrence: &Recurrence,
        parameters: &[u8],
        options: &ScheduleOptions,
    ) -> Result<Scheduled> {
        let mut slots = Vec::new();
        if recurrence.is_cron() {
            let now = self.run(&self.calls().handshake()).await?.now;
            let start = options.own.get("start").and_then(times::time);
            // A slot may be at the start itself.
            let before = start.and_then(|start| start.checked_sub(Duration::from_nanos(1)));
            slots = recurrence.slots(before.map_or(now, |before| now.max(before)));
        }
        self.run(&self.calls().schedule(name, queue, &recurrence.to_string(), parameters, &slots, options)).await
    }

    /// Creates the tasks of up to 10 due slots, and supplies the next slots of cron (feature `cron`) to schedules that
    /// have few slots left. Every worker calls it: see [`Maintenance`](crate::Maintenance).
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn tick(&self) -> L::Answer<'_, Result<Ticked>> {
        L::answer(self.tick_once())
    }

    /// Does the next part of the maintenance that workers do, for the namespace and for up to 32 queues. For the
    /// namespace these are due slots, dependents and deadlines. For each queue these are due tasks, orphans,
    /// statistics, retention and repairs, every two seconds, no matter which program calls. Use this method in programs
    /// that do not use [`Worker`](crate::Worker), which has a [`Maintenance`](crate::Maintenance) of its own.
    ///
    /// Call this method until [`more`](MaintenanceStep::more) is false, and again at [`next`](MaintenanceStep::next).
    ///
    /// ```no_run
    /// # fn main() -> blueque::Result<()> {
    /// let client = blueque::Client::open("redis://127.0.0.1/")?;
    /// let queues = [blueque::QueueName::new("thumbnails")?];
    /// while client.maintenance(&queues)?.more {}
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of [`Client::call`]. The error of a single part is returned in [`trouble`](MaintenanceStep::trouble),
    /// because the other parts continue.
    pub fn maintenance<'a>(&'a self, queues: &'a [QueueName]) -> L::Answer<'a, Result<MaintenanceStep>> {
        L::answer(async move {
            let step = self.run(&self.calls().maintenance(queues)).await?;
            self.supply(&step.low).await?;
            Ok(step)
        })
    }

    pub(crate) async fn tick_once(&self) -> Result<Ticked> {
        let ticked = self.run(&self.calls().tick(BATCH)).await?;
        self.supply(&ticked.low).await?;
        Ok(ticked)
    }

    /// Supplies the next slots of cron to schedules that have few slots left.
    pub(crate) async fn supply(&self, schedules: &[LowSchedule]) -> Result<()> {
        for low in schedules {
            // Other clients supply slots that this build or this machine cannot compute.
            let Ok(recurrence) = low.recurrence.parse::<Recurrence>() else { continue };
            let call = self.calls().supply_times(&low.name, &low.recurrence, low.after, &recurrence.slots(low.after));
            match self.run(&call).await {
                // Another client has removed the schedule since.
                Err(error) if error.code() != Some(Code::NoSchedule) => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}
