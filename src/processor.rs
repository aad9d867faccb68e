//! An attempt, seen by its owner.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::calls::{Call, CheckpointOptions, CompleteOptions, EditOptions, FailOptions, ReleaseOptions, StartOptions};
use crate::client::Client;
use crate::error::{Error, Result};
use crate::link::{Blocking, Link};
use crate::model::{Order, Outcome, Reservation, Status};
use crate::names::{ListenerId, QueueName, TaskId, Token};
use crate::options::Inputs;

/// Identifies an attempt. Another process can pass it to [`Client::processor`] to continue the attempt.
///
/// Any program that has this value can end the attempt: protect it like a password.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Attempt {
    /// Queue of the task.
    pub queue: QueueName,
    /// Id of the task.
    pub id: TaskId,
    /// Token of the attempt.
    pub token: Token,
    /// Listener that holds the task.
    pub listener: ListenerId,
    /// Length of the lease.
    pub lease: Duration,
}

impl<L: Link> Client<L> {
    /// Returns the processor of an attempt that a listener has begun, perhaps in another process: see
    /// [`Processor::attempt`]. Renews the lease.
    ///
    /// # Errors
    /// `LOST` if the attempt no longer holds the task; the errors of [`Client::call`].
    pub fn processor(&self, attempt: &Attempt) -> L::Answer<'_, Result<Processor<L>>> {
        let attempt = attempt.clone();
        L::answer(async move {
            let Attempt { queue, id, token, listener, lease } = attempt;
            let held = [(id.clone(), token)];
            let beat = self.run(&self.calls().heartbeat(&queue, &listener, lease, &held)).await?;
            let info = self.run(&self.calls().get(&id)).await?.ok_or(Error::Lost)?;
            if beat.orders.first() == Some(&Order::Lost) || info.token() != Some(token) {
                return Err(Error::Lost);
            }
            let reservation = Reservation {
                attempt: info.attempt(),
                deadline: beat.deadline,
                outcome: info.outcome(),
                losses: info.losses(),
                failures: info.failures(),
                parameters: info.parameters_bytes().unwrap_or_default().to_vec(),
                checkpoint: info.checkpoint_bytes().map(<[u8]>::to_vec),
                id,
                queue,
                token,
                lease,
            };
            Ok(Processor::new(self.clone(), listener, reservation))
        })
    }
}

/// One attempt at a task. Every call carries the attempt's token. Once the task is lost, every call returns
/// [`Error::Lost`] and changes nothing.
#[derive(Clone, Debug)]
pub struct Processor<L: Link = Blocking> {
    client: Client<L>,
    listener: ListenerId,
    reservation: Reservation,
}

impl<L: Link> Processor<L> {
    pub(crate) fn new(client: Client<L>, listener: ListenerId, reservation: Reservation) -> Self {
        Self { client, listener, reservation }
    }

    pub(crate) fn client(&self) -> &Client<L> {
        &self.client
    }

    /// Reply of the server when it gave out the task.
    #[must_use]
    pub fn reservation(&self) -> &Reservation {
        &self.reservation
    }

    /// Returns the value with which another process can continue the attempt.
    #[must_use]
    pub fn attempt(&self) -> Attempt {
        let Reservation { queue, id, token, lease, .. } = &self.reservation;
        let (queue, id, listener) = (queue.clone(), id.clone(), self.listener.clone());
        Attempt { queue, id, token: *token, listener, lease: *lease }
    }

    /// Id of the task.
    #[must_use]
    pub fn id(&self) -> &TaskId {
        &self.reservation.id
    }

    /// Length of the lease. Heartbeats must be sent more often, ideally three times per lease.
    #[must_use]
    pub fn lease(&self) -> Duration {
        self.reservation.lease
    }

    /// Parses the parameters as JSON.
    ///
    /// # Errors
    /// `PAYLOAD` if the parameters have another type.
    pub fn parameters<P: DeserializeOwned>(&self) -> Result<P> {
        Ok(serde_json::from_slice(&self.reservation.parameters)?)
    }

    /// Parses the last checkpoint as JSON.
    ///
    /// # Errors
    /// `PAYLOAD` if the checkpoint has another type.
    pub fn last_checkpoint<C: DeserializeOwned>(&self) -> Result<Option<C>> {
        self.reservation.checkpoint.as_deref().map(serde_json::from_slice).transpose().map_err(Error::from)
    }

    /// Reports that the process `pid` works on the task, and renews the lease.
    ///
    /// # Errors
    /// `LOST`; `CANCELLED` if the task was cancelled before it started: release it; the errors of [`Client::call`].
    pub fn start(&self, pid: u32) -> L::Answer<'_, Result<()>> {
        let call = self.client.calls().start(self.id(), self.reservation.token, pid, &StartOptions::new());
        L::answer(async move { self.client.run(&call).await.map(|_| ()) })
    }

    /// Renews the lease and returns the current order.
    ///
    /// # Errors
    /// The errors of [`Client::call`]. A lost task is an [`Order`], not an error.
    pub fn heartbeat(&self) -> L::Answer<'_, Result<Order>> {
        L::answer(self.beat())
    }

    pub(crate) async fn beat(&self) -> Result<Order> {
        let Reservation { id, queue, token, lease, .. } = &self.reservation;
        let call = self.client.calls().heartbeat(queue, &self.listener, *lease, &[(id.clone(), *token)]);
        let beat = self.client.run(&call).await?;
        beat.orders.first().copied().ok_or(Error::Reply { command: "heartbeat" })
    }

    /// Stores the progress of the work, as JSON of at most 4 KiB.
    ///
    /// # Errors
    /// `LOST`, `TOOBIG`, `PAYLOAD`; the errors of [`Client::call`].
    pub fn progress<P: Serialize + ?Sized>(&self, progress: &P) -> L::Answer<'_, Result<()>> {
        let progress = serde_json::to_vec(progress);
        let call = progress.map(|progress| self.client.calls().progress(self.id(), self.reservation.token, &progress));
        L::answer(async move { self.client.run(&call?).await })
    }

    /// Stores a checkpoint for the next attempt, as JSON.
    ///
    /// # Errors
    /// `PAYLOAD`; the errors of [`Processor::checkpoint_bytes`].
    pub fn checkpoint<C: Serialize + ?Sized>(&self, checkpoint: &C) -> L::Answer<'_, Result<()>> {
        let call = serde_json::to_vec(checkpoint).map(|checkpoint| self.saves(&checkpoint));
        L::answer(async move { self.client.run(&call?).await })
    }

    /// Stores opaque bytes for the next attempt.
    ///
    /// # Errors
    /// `LOST`, `TOOBIG`; the errors of [`Client::call`].
    pub fn checkpoint_bytes(&self, checkpoint: &[u8]) -> L::Answer<'_, Result<()>> {
        self.client.make(self.saves(checkpoint))
    }

    pub(crate) fn saves(&self, checkpoint: &[u8]) -> Call<()> {
        let options = self.client.max_bytes().into_iter().fold(CheckpointOptions::new(), CheckpointOptions::max_bytes);
        self.client.calls().checkpoint(self.id(), self.reservation.token, checkpoint, &options)
    }

    /// Changes the next attempt, if there is one: for example its parameters. This attempt continues unchanged.
    ///
    /// # Errors
    /// `STATE` for the queue, eta, key, weight, limits or unique name, which belong to this attempt; `LOST`; the errors
    /// of [`Task::edit`](crate::Task::edit).
    pub fn edit(&self, options: EditOptions) -> L::Answer<'_, Result<Status>> {
        let options = options.token(self.reservation.token.value());
        self.client.make(self.client.calls().edit(self.id(), &options))
    }

    /// Completes the task with a result as JSON.
    ///
    /// # Errors
    /// `PAYLOAD`; the errors of [`Processor::complete_bytes`].
    pub fn complete<R: Serialize + ?Sized>(&self, result: &R) -> L::Answer<'_, Result<Outcome>> {
        let call = serde_json::to_vec(result).map(|result| self.completes(&result, CompleteOptions::new()));
        L::answer(async move { self.client.run(&call?).await })
    }

    /// Ends this step with a result as JSON. The same task continues in another queue, with the result as its
    /// parameters, unless the result is `null`. [`Processor::complete`] follows the [steps](crate::Submit::step) of the
    /// task automatically. [`Processor::complete_with`] can set more options of the next step.
    ///
    /// # Errors
    /// `PAYLOAD`; the errors of [`Processor::complete_bytes`].
    pub fn next<R: Serialize + ?Sized>(&self, queue: &QueueName, result: &R) -> L::Answer<'_, Result<Outcome>> {
        let options = CompleteOptions::new().next(queue.as_str());
        let call = serde_json::to_vec(result).map(|result| self.completes(&result, options));
        L::answer(async move { self.client.run(&call?).await })
    }

    /// Completes the task with opaque bytes. A repeated call returns the first reply.
    ///
    /// # Errors
    /// `LOST`, `TOOBIG`; the errors of [`Client::call`].
    pub fn complete_bytes(&self, result: &[u8]) -> L::Answer<'_, Result<Outcome>> {
        self.client.make(self.completes(result, CompleteOptions::new()))
    }

    pub(crate) fn completes(&self, result: &[u8], options: CompleteOptions) -> Call<Outcome> {
        let options = self.client.max_bytes().into_iter().fold(options, CompleteOptions::max_bytes);
        self.client.calls().complete(self.id(), self.reservation.token, result, &options)
    }

    /// Completes the task like [`Processor::complete_bytes`], with another limit on the result's size, with the cost of
    /// the attempt, or with a next step. The next step can change the queue, the parameters, the time and every option
    /// of a task.
    ///
    /// # Errors
    /// `BADARG` or `BADNAME` for an option out of bounds, `NOLIMIT` if a shared limit does not exist, `OVERDUE` if the
    /// deadline has passed; the errors of [`Processor::complete_bytes`].
    pub fn complete_with(&self, result: &[u8], options: &CompleteOptions) -> L::Answer<'_, Result<Outcome>> {
        self.client.make(self.client.calls().complete(self.id(), self.reservation.token, result, options))
    }

    /// Ends the attempt with an error: the task is retried if it has retries left, otherwise it fails. A task with a
    /// requested cancel is cancelled.
    ///
    /// # Errors
    /// `LOST`, `TOOBIG`; the errors of [`Client::call`].
    pub fn fail(&self, error: &str) -> L::Answer<'_, Result<Outcome>> {
        self.fail_with(error, &FailOptions::new())
    }

    /// Ends the attempt like [`Processor::fail`], with a failure group, with a delay before the retry, without a retry,
    /// or with the cost of the attempt.
    ///
    /// # Errors
    /// `BADARG` or `BADNAME` for an option out of bounds; the errors of [`Processor::fail`].
    pub fn fail_with(&self, error: &str, options: &FailOptions) -> L::Answer<'_, Result<Outcome>> {
        self.client.make(self.fails(error, options))
    }

    pub(crate) fn fails(&self, error: &str, options: &FailOptions) -> Call<Outcome> {
        self.client.calls().fail(self.id(), self.reservation.token, error.as_bytes(), options)
    }

    /// Gives the task back to the front of its queue. A task with a requested cancel is cancelled, and so is a task
    /// that a newer task has replaced under the policy `latest`. A task that was given back too often fails.
    ///
    /// # Errors
    /// `LOST`; the errors of [`Client::call`].
    pub fn release(&self) -> L::Answer<'_, Result<Outcome>> {
        self.release_with(&ReleaseOptions::new())
    }

    /// Gives the task back like [`Processor::release`], with a reason, a delay, without counting, or with the cost of
    /// the attempt.
    ///
    /// # Errors
    /// `BADARG` or `BADNAME` for an option out of bounds; the errors of [`Processor::release`].
    pub fn release_with(&self, options: &ReleaseOptions) -> L::Answer<'_, Result<Outcome>> {
        self.client.make(self.releases(options))
    }

    /// Gives the task back until other tasks have ended, such as children that it has submitted. The task waits for
    /// them without a slot, keeps its checkpoint, and comes back to the front of its queue. If a child fails whose
    /// success the task needs, the task also fails.
    ///
    /// # Errors
    /// `BADARG` for inputs with results, because the next attempt reads results by the ids of the tasks; `CYCLE` if one
    /// of the tasks waits for this task; `TOOBIG` and `TOOMANY` as [`Task::depend`](crate::Task::depend); the errors of
    /// [`Processor::release`].
    pub fn suspend(&self, inputs: &Inputs) -> L::Answer<'_, Result<Outcome>> {
        self.release_with(&ReleaseOptions::new().uncounted(true).reason("suspend").inputs(inputs))
    }

    /// Moves the task to another queue, behind the tasks that wait there, and keeps its checkpoint.
    ///
    /// # Errors
    /// `CLOSED`, `DUPLICATE` or `TOOMANY` if the other queue does not accept the task, which this attempt then still
    /// holds; the errors of [`Processor::release`].
    pub fn release_into(&self, queue: &QueueName) -> L::Answer<'_, Result<Outcome>> {
        self.release_with(&ReleaseOptions::new().into(queue.as_str()))
    }

    pub(crate) fn releases(&self, options: &ReleaseOptions) -> Call<Outcome> {
        self.client.calls().release(self.id(), self.reservation.token, options)
    }

    /// Gives the task back as if it had not been taken.
    pub(crate) async fn give_back(&self) -> Result<Outcome> {
        let options = ReleaseOptions::new().reason("drain").uncounted(true);
        self.client.run(&self.releases(&options)).await
    }
}
