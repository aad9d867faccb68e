//! Calls of a task's owner whose replies depend on the arguments.

use std::time::Duration;

use super::{Call, Calls, ReserveOptions};
use crate::model::{Beat, Reserved, reply};
use crate::names::{ListenerId, QueueName, TaskId, Token};
use crate::times::seconds;

impl Calls {
    /// Reserves tasks like [`Calls::reserve`], for clients without maintenance of their own. If there is no task, the
    /// reply states when [`Calls::maintenance`] of these queues is due. These two calls and a call that ends attempts
    /// are enough for a complete worker.
    #[must_use]
    pub fn reserve_or_due(
        &self,
        listener: &ListenerId,
        queues: &[QueueName],
        options: &ReserveOptions,
    ) -> Call<Reserved> {
        let call = self.call("reserve", reply::reserved).arg(listener).arg(queues.len());
        let call = queues.iter().fold(call, Call::arg).pairs(&options.0);
        call.arg("due").arg(1)
    }

    /// Renews the leases of up to 500 tasks of one queue, except the leases of tasks with the order
    /// [`Order::Kill`](crate::Order::Kill).
    #[must_use]
    pub fn heartbeat(
        &self,
        queue: &QueueName,
        listener: &ListenerId,
        lease: Duration,
        tasks: &[(TaskId, Token)],
    ) -> Call<Beat> {
        let call = self.call("heartbeat", Beat::read).arg(queue).arg(listener);
        let call = call.arg(seconds(lease)).arg(tasks.len());
        tasks.iter().fold(call, |call, (id, token)| call.arg(id).arg(token))
    }
}
