//! A queue: submit, watch and manage its tasks.

use std::collections::HashSet;
use std::time::Duration;

use serde::Serialize;

use crate::calls::{
    Call, Calls, LimitOptions, LimitsOptions, NewTask, PauseOptions, PeekOptions, PruneOptions, RepairOptions,
    TaskOptions,
};
use crate::client::Client;
use crate::constants::{CALL_BYTES, TASKS_OF_CALL};
use crate::error::{Code, Error, Result};
use crate::link::{Blocking, Link};
use crate::model::{
    Counts, KeyLimit, ListenerInfo, Orphans, Peeked, Promoted, Pruned, Rate, Round, Setting, Submitted,
};
use crate::names::{LINKS, ListenerId, QueueName, TaskId};
use crate::options::Submit;
use crate::submit_hooks::{Submission, SubmitHook, around};
use crate::task::Task;

/// A queue of a namespace.
#[derive(Clone, Debug)]
pub struct Queue<L: Link = Blocking> {
    client: Client<L>,
    name: QueueName,
}

impl<L: Link> Client<L> {
    /// A queue of this namespace. Makes no call.
    ///
    /// # Errors
    /// `BADNAME` for an invalid name.
    pub fn queue(&self, name: &str) -> Result<Queue<L>> {
        Ok(Queue::new(self.clone(), QueueName::new(name)?))
    }
}

impl<L: Link> Queue<L> {
    pub(crate) fn new(client: Client<L>, name: QueueName) -> Self {
        Self { client, name }
    }

    /// Name of the queue.
    #[must_use]
    pub fn name(&self) -> &QueueName {
        &self.name
    }

    /// Client of the queue.
    #[must_use]
    pub fn client(&self) -> &Client<L> {
        &self.client
    }

    /// Submits a task with its parameters as JSON.
    ///
    /// # Errors
    /// `PAYLOAD` if the parameters cannot be JSON; the errors of [`Queue::submit_bytes`].
    pub fn submit<P: Serialize + ?Sized>(&self, parameters: &P, how: Submit) -> L::Answer<'_, Result<Task<L>>> {
        self.create(serde_json::to_vec(parameters), how)
    }

    /// Submits a task with opaque bytes as parameters. If another task has the same unique name and the policy is
    /// [`Policy::Existing`](crate::Policy), returns that task.
    ///
    /// # Errors
    /// `TOOBIG` over the client's `max_bytes`, `OTHERQUEUE` if the id is a task of another queue, `DUPLICATE` if
    /// another task has the unique name, `CLOSED` if the queue is closed, `BADARG` or `BADNAME` for an option out of
    /// bounds; the errors of [`Client::call`].
    pub fn submit_bytes(&self, parameters: &[u8], how: Submit) -> L::Answer<'_, Result<Task<L>>> {
        self.create(Ok(parameters), how)
    }

    /// Submits a task that may have been submitted before. A finished task runs again as a new round: it keeps its id
    /// and its history, and gets this queue and these parameters and options. A waiting task is updated to this queue,
    /// these parameters and options. `request` names the round, for example by a date: a repeated call with the same
    /// request returns the round that the first call began.
    ///
    /// # Errors
    /// `PAYLOAD` if the parameters cannot be JSON; the errors of [`Queue::submit_again_bytes`].
    pub fn submit_again<P: Serialize + ?Sized>(
        &self,
        parameters: &P,
        how: Submit,
        request: &str,
    ) -> L::Answer<'_, Result<(Task<L>, Round)>> {
        self.begin(serde_json::to_vec(parameters), how, request, false)
    }

    /// Submits a task like [`Queue::submit_again`], but also accepts a running task: the task runs again when the
    /// current round has ended, with any outcome, unless the task is cancelled. At most one such rerun is queued; a
    /// second request is refused.
    ///
    /// # Errors
    /// The errors of [`Queue::submit_again`]; `STATE` also if a rerun of the task is already queued.
    pub fn submit_once_more<P: Serialize + ?Sized>(
        &self,
        parameters: &P,
        how: Submit,
        request: &str,
    ) -> L::Answer<'_, Result<(Task<L>, Round)>> {
        self.begin(serde_json::to_vec(parameters), how, request, true)
    }

    /// Submits a task like [`Queue::submit_again`], with opaque bytes as parameters.
    ///
    /// # Errors
    /// `STATE` while an attempt has the task, for a task of a graph, and while other tasks wait for it; `BADARG` if the
    /// options have upstreams, or another unique policy than reject; `DUPLICATE`, `CLOSED`, `OVERDUE`, `TOOMANY`,
    /// `TOOBIG`, `BADARG` and `BADNAME` as [`Queue::submit_bytes`]; the errors of [`Client::call`].
    pub fn submit_again_bytes(
        &self,
        parameters: &[u8],
        how: Submit,
        request: &str,
    ) -> L::Answer<'_, Result<(Task<L>, Round)>> {
        self.begin(Ok(parameters), how, request, false)
    }

    /// Submits a task like [`Queue::submit_once_more`], with opaque bytes as parameters.
    ///
    /// # Errors
    /// The errors of [`Queue::submit_again_bytes`]; `STATE` also if a rerun of the task is already queued.
    pub fn submit_once_more_bytes(
        &self,
        parameters: &[u8],
        how: Submit,
        request: &str,
    ) -> L::Answer<'_, Result<(Task<L>, Round)>> {
        self.begin(Ok(parameters), how, request, true)
    }

    /// Begins a round of a task: at once, or if `later` is true after the current round.
    fn begin(
        &self,
        parameters: serde_json::Result<impl Into<Vec<u8>>>,
        how: Submit,
        request: &str,
        later: bool,
    ) -> L::Answer<'_, Result<(Task<L>, Round)>> {
        let Submit { id, eta, options } = how;
        let (id, request) = (id.unwrap_or_else(TaskId::random), request.to_owned());
        let submit = if later { Calls::submit_once_more } else { Calls::submit_again };
        let parameters = parameters.map(Into::into);
        L::answer(async move {
            let parameters: Vec<u8> = parameters?;
            let begins = async |submission: Submission| {
                let options = self.client.before_submit(&self.name, &submission.options)?;
                let task = NewTask::new(&id, &parameters).eta(eta);
                self.client.run(&submit(self.client.calls(), &self.name, &task, &options, &request)).await
            };
            let round = around(self.hooks(), self.submission(Some(&id), 1, options), begins).await?;
            Ok((Task::new(self.client.clone(), id), round))
        })
    }

    fn create(
        &self,
        parameters: serde_json::Result<impl Into<Vec<u8>>>,
        how: Submit,
    ) -> L::Answer<'_, Result<Task<L>>> {
        let Submit { id, eta, options } = how;
        let id = id.unwrap_or_else(TaskId::random);
        let parameters = parameters.map(Into::into);
        L::answer(async move {
            let parameters: Vec<u8> = parameters?;
            // A repeated call may return another reply, but its id names the same task. So no request id is needed.
            let creates = async |submission: Submission| {
                let options = self.client.before_submit(&self.name, &submission.options)?;
                self.client.run(&self.one_batch(&[NewTask::new(&id, &parameters).eta(eta)], &options)).await
            };
            let made = around(self.hooks(), self.submission(Some(&id), 1, options), creates).await?;
            let id = match made.into_iter().next() {
                Some(Submitted::Taken(other)) => other,
                _ => id,
            };
            Ok(Task::new(self.client.clone(), id))
        })
    }

    /// Submits any number of tasks. Up to 500 tasks with parameters of 7 MiB in total are submitted in one call, which
    /// creates all of them or, on an error, none. More tasks are split into such batches. After an error the tasks of
    /// earlier batches exist, and the same call again creates the remaining tasks.
    ///
    /// # Errors
    /// The errors of [`Queue::submit_bytes`]; `BADARG` for an id that is given twice.
    pub fn submit_many<'a>(
        &'a self,
        tasks: &'a [NewTask<'a>],
        options: &'a TaskOptions,
    ) -> L::Answer<'a, Result<Vec<Submitted>>> {
        L::answer(async move {
            let creates = async |submission: Submission| {
                let options = &self.client.before_submit(&self.name, &submission.options)?;
                // A unique name needs a single task; the script checks this.
                let batches = if options.0.has("unique") { vec![tasks] } else { batches(tasks) };
                let mut ids = HashSet::new();
                if batches.len() > 1 && !tasks.iter().all(|task| ids.insert(task.id)) {
                    return Err(Error::argument("an id occurs twice in one call"));
                }
                let mut made = Vec::with_capacity(tasks.len());
                for batch in batches {
                    made.extend(self.client.run(&self.one_batch(batch, options).answered_once()).await?);
                }
                Ok(made)
            };
            let id = if let [task] = tasks { Some(task.id) } else { None };
            around(self.hooks(), self.submission(id, tasks.len(), options.clone()), creates).await
        })
    }

    /// Returns the hooks around a submit. The links between partitions are no submits of the program.
    fn hooks(&self) -> &[SubmitHook] {
        if self.name.as_str() == LINKS { &[] } else { self.client.submit_hooks() }
    }

    /// Describes a submit for the hooks around it.
    fn submission(&self, id: Option<&TaskId>, tasks: usize, options: TaskOptions) -> Submission {
        Submission { queue: Some(self.name.clone()), graph: None, id: id.cloned(), tasks, options }
    }

    fn one_batch(&self, tasks: &[NewTask<'_>], options: &TaskOptions) -> Call<Vec<Submitted>> {
        self.client.calls().submit(&self.name, tasks, options)
    }

    /// Returns the number of tasks in each state.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn counts(&self) -> L::Answer<'_, Result<Counts>> {
        self.client.make(self.client.calls().counts(&self.name))
    }

    /// Returns the first `limit` ids (at most 500) of the tasks in a state, or in any state with `all`.
    ///
    /// # Errors
    /// `BADARG` for an unknown status or a limit out of bounds; the errors of [`Client::call`].
    pub fn list(&self, status: &str, limit: u32) -> L::Answer<'_, Result<Vec<String>>> {
        let call = self.client.calls().list(&self.name, status, "0", limit);
        L::answer(async move { Ok(self.client.run(&call).await?.items) })
    }

    /// Returns the next `limit` (at most 500) tasks that the queue will give to a listener in its current state, in
    /// this order. After them come up to `limit` tasks that the queue passes over, each with the reason
    /// ([`Peeked::why`]). Takes no task.
    ///
    /// # Errors
    /// `BADARG` for a limit out of bounds or invalid capabilities; the errors of [`Client::call`].
    pub fn peek(&self, limit: u32, options: &PeekOptions) -> L::Answer<'_, Result<Vec<Peeked>>> {
        self.client.make(self.client.calls().peek(&self.name, limit, options))
    }

    /// Returns the listeners of the queue.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn listeners(&self) -> L::Answer<'_, Result<Vec<ListenerInfo>>> {
        L::answer(self.client.pages(|cursor| self.client.calls().listeners(&self.name, cursor, 500)))
    }

    /// Stops giving out tasks; running tasks continue.
    ///
    /// # Errors
    /// `BADNAME` or `TOOBIG` for an invalid name or reason; the errors of [`Client::call`].
    pub fn pause(&self, by: &str, reason: &str) -> L::Answer<'_, Result<()>> {
        self.client.make(self.client.calls().pause(&self.name, by, reason, &PauseOptions::new()))
    }

    /// Resumes giving out tasks.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn resume(&self) -> L::Answer<'_, Result<()>> {
        self.client.make(self.client.calls().resume(&self.name))
    }

    /// Orders a listener to finish its tasks and take no more, or withdraws the order.
    ///
    /// # Errors
    /// `NOLISTENER` for a listener that is not registered; the errors of [`Client::call`].
    pub fn drain(&self, listener: &ListenerId, on: bool) -> L::Answer<'_, Result<()>> {
        let call = self.client.calls().drain(&self.name, listener, on);
        L::answer(async move { self.client.run(&call).await.map(drop) })
    }

    /// Moves up to 100 due scheduled tasks to pending. The bound keeps the server free for other clients.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn promote(&self) -> L::Answer<'_, Result<Promoted>> {
        self.client.make(self.promotes())
    }

    pub(crate) fn promotes(&self) -> Call<Promoted> {
        self.client.calls().promote(&self.name, 100)
    }

    /// Takes up to 25 tasks whose lease has expired from their owners. The bound keeps the server free for other
    /// clients.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn requeue_orphans(&self) -> L::Answer<'_, Result<Orphans>> {
        self.client.make(self.requeues())
    }

    pub(crate) fn requeues(&self) -> Call<Orphans> {
        self.client.calls().requeue_orphans(&self.name, 25)
    }

    /// Deletes up to 100 finished tasks beyond a number or an age, by default the limits in the settings (50,000; 7
    /// days).
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn prune(&self, keep: Option<u32>, age: Option<Duration>) -> L::Answer<'_, Result<Pruned>> {
        let options = keep.into_iter().fold(PruneOptions::new(), PruneOptions::keep);
        self.client.make(self.prunes(&age.into_iter().fold(options, PruneOptions::seconds)))
    }

    pub(crate) fn prunes(&self, options: &PruneOptions) -> Call<Pruned> {
        self.client.calls().prune(&self.name, 100, options)
    }

    /// Checks the whole queue and repairs damage by clients that do not use the scripts. Returns the number of repairs
    /// and the number of suspected problems. A call after the grace period (60 s by default) repairs the suspected
    /// problems.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn repair(&self, grace: Option<Duration>) -> L::Answer<'_, Result<(u64, u64)>> {
        L::answer(self.repair_all(grace))
    }

    pub(crate) async fn repair_all(&self, grace: Option<Duration>) -> Result<(u64, u64)> {
        let (mut repaired, mut suspected) = (0, 0);
        let mut cursor = String::new();
        let options = grace.into_iter().fold(RepairOptions::new(), RepairOptions::grace);
        loop {
            let step = self.client.run(&self.client.calls().repair(&self.name, &cursor, 200, &options)).await?;
            repaired += step.repaired;
            suspected += step.suspected;
            match step.next {
                Some(next) => cursor = next,
                None => return Ok((repaired, suspected)),
            }
        }
    }

    /// Sets a setting for this queue; `None` removes it. The contract lists the settings and their bounds.
    ///
    /// # Errors
    /// `BADARG` for an unknown setting or a value out of bounds; the errors of [`Client::call`].
    pub fn configure(&self, name: &str, value: Option<&str>) -> L::Answer<'_, Result<()>> {
        self.client.make(self.client.calls().configure(Some(&self.name), name, value))
    }

    /// Returns every setting in effect for this queue.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn settings(&self) -> L::Answer<'_, Result<Vec<Setting>>> {
        self.client.make(self.client.calls().settings(Some(&self.name)))
    }

    /// Sets the limits of a key in this queue. `None` applies the queue's setting.
    ///
    /// # Errors
    /// `BADARG` for a limit out of bounds, `TOOMANY` over 100,000 keys; the errors of [`Client::call`].
    pub fn limit(&self, key: &str, concurrency: Option<u32>, rate: Option<Rate>) -> L::Answer<'_, Result<()>> {
        self.client.make(self.client.calls().limit(Some(&self.name), key, concurrency, rate, &LimitOptions::new()))
    }

    /// Returns the keys with limits of their own in this queue, or with `used` the keys whose tasks count against a
    /// limit now.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn limits(&self, used: bool) -> L::Answer<'_, Result<Vec<KeyLimit>>> {
        let options = LimitsOptions::new().used(used);
        L::answer(async move {
            self.client.pages(|cursor| self.client.calls().limits(Some(&self.name), cursor, 500, &options)).await
        })
    }

    /// Returns the task with this id, if it belongs to this queue.
    ///
    /// # Errors
    /// `NOTASK`, `OTHERQUEUE`; the errors of [`Client::call`].
    pub fn task(&self, id: &str) -> L::Answer<'_, Result<Task<L>>> {
        let task = self.client.task(id);
        L::answer(async move {
            let task = task?;
            if task.record().await?.queue().as_deref() == Some(self.name.as_str()) {
                Ok(task)
            } else {
                Err(Error::Invalid { code: Code::OtherQueue, text: "this id is a task of another queue".into() })
            }
        })
    }
}

/// Splits tasks into batches of one call each. Returns at least one batch.
fn batches<'a, 'b>(tasks: &'a [NewTask<'b>]) -> Vec<&'a [NewTask<'b>]> {
    let mut batches = Vec::new();
    let mut left = tasks;
    loop {
        let mut bytes = 0;
        let fits = |task: &&NewTask<'_>| {
            bytes += task.parameters.len();
            bytes <= CALL_BYTES as usize
        };
        let number = left.iter().take(TASKS_OF_CALL as usize).take_while(fits).count().max(1).min(left.len());
        let (batch, rest) = left.split_at(number);
        batches.push(batch);
        if rest.is_empty() {
            return batches;
        }
        left = rest;
    }
}
