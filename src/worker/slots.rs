//! Slots: each slot runs tasks, one after another, and sends their ends.

use std::pin::Pin;
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

use super::Stop;
use super::context::Context;
use super::end_batcher::{EndBatcher, MOST, Turn, Waiting, tell};
use super::failure::{Failure, Retry};
use super::handlers;
use super::hooks;
use super::outcome::Coming;
use super::shared::{Shared, State};
use crate::calls::ReleaseOptions;
use crate::constants::END_BYTES;
use crate::error::{Code, Error, Result};
use crate::link::{Link, Signal};
use crate::model::{FinishedAndReserved, Order, Outcome};
use crate::processor::Processor;

/// Interval at which a slot without a task checks for a task. A wake-up also starts a check.
const LOOK: Duration = Duration::from_secs(60);

impl<L: Link> Shared<L> {
    /// Hands tasks that were taken and started to slots that run them. `soon` is the number of slots that check for a
    /// task next.
    pub(super) fn begin(
        self: &Arc<Self>,
        state: &mut MutexGuard<'_, State<L>>,
        end_batcher: &Arc<EndBatcher<L>>,
        taken: Vec<(Processor<L>, Instant)>,
        soon: usize,
    ) {
        let mut sooner = false;
        for (processor, sent) in taken {
            sooner |= state.due.expect(processor.lease(), self.settings.beat);
            let context = Arc::new(Context::new(processor, sent, Arc::clone(&self.settings.hooks)));
            state.running.push(Arc::clone(&context));
            state.ready.push_back(context);
        }
        if sooner {
            self.sooner.all();
        }
        let waiting = state.ready.len().saturating_sub(soon);
        for _ in 0..waiting.min(state.idle) {
            self.ready.one();
        }
        for _ in state.idle..waiting.min(state.idle + self.settings.slots.saturating_sub(state.slots)) {
            state.slots += 1;
            state.idle += 1; // a new slot checks for a task at once
            self.spawn(Arc::clone(self).slot(Arc::clone(end_batcher)));
        }
    }

    /// Runs tasks, one after another, during the worker's life. The return type is written out because a slot may begin
    /// other slots.
    fn slot(self: Arc<Self>, end_batcher: Arc<EndBatcher<L>>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            hooks::call(&self.settings.hooks, hooks::Hooks::on_slot_start);
            loop {
                let next = {
                    let mut state = self.lock();
                    let next = state.ready.pop_front();
                    if next.is_none() && state.ended {
                        break;
                    }
                    state.idle -= usize::from(next.is_some());
                    next
                };
                let Some(context) = next else {
                    let over = || {
                        let state = self.lock();
                        state.ended || !state.ready.is_empty()
                    };
                    self.ready.wait(LOOK, over).await;
                    continue;
                };
                self.execute(&end_batcher, &context).await;
                self.lock().idle += 1;
            }
            hooks::call(&self.settings.hooks, hooks::Hooks::on_slot_stop);
        })
    }

    /// Runs one task to the end of its attempt.
    async fn execute(self: &Arc<Self>, end_batcher: &Arc<EndBatcher<L>>, context: &Arc<Context<L>>) {
        let coming = self.handled(context).await;
        let hooks = &self.settings.hooks;
        let error = match &coming {
            Ok(Coming::Fail(failure)) if !hooks.is_empty() => failure.to_string(),
            _ => String::new(),
        };
        let processor = context.processor();
        let outcome = if context.is_killed() {
            self.release(processor, &ReleaseOptions::new()).await
        } else {
            match coming {
                Ok(coming) => self.settle(end_batcher, context, coming).await,
                Err(error) => Err(error),
            }
        };
        let outcome = match outcome {
            // The task was cancelled by force, and the order has not arrived yet. This release reports that the work
            // has stopped, so the server need not wait for the end of the lease. For any other lost task the release
            // returns the same error again.
            Err(Error::Lost) if context.order() != Order::Lost => self.release(processor, &ReleaseOptions::new()).await,
            outcome => outcome,
        };
        hooks::outcome(hooks, context, &outcome, &error);
        let was_running = {
            let mut state = self.lock();
            let before = state.running.len();
            state.running.retain(|other| !Arc::ptr_eq(other, context));
            state.summary.add(&outcome);
            if matches!(outcome, Ok(Outcome::Failed | Outcome::Retrying)) {
                state.failed.add();
            }
            state.running.len() < before
        };
        if was_running {
            self.room.all();
        }
    }

    /// Runs the task's handler and maps its outcome to the call that ends the attempt.
    async fn handled(&self, context: &Arc<Context<L>>) -> Result<Coming> {
        let mut method = None;
        if self.handlers.are_by_method() {
            let call = self.settings.client.calls().get(context.processor().id());
            let info = self.persist(&call).await?.ok_or(Error::Lost)?;
            method = info.method();
            context.keep(info);
        }
        // The reply that gave out the task may be old, because this process was frozen or the server was away.
        if context.order() == Order::Lost {
            return Err(Error::Lost);
        }
        match self.handlers.of(method.as_deref()) {
            Some(handler) => {
                let hooks = &self.settings.hooks;
                let ended = if hooks.is_empty() {
                    handlers::ended(handler.as_ref(), Arc::clone(context)).await
                } else {
                    hooks::ended(hooks, handler.as_ref(), context).await
                };
                let attempt = context.reservation().attempt;
                let judge = self.settings.retry.as_ref();
                Coming::of(ended, context.completion(), |error| {
                    judge.map_or(Retry::Usual, |judge| judge(error, attempt))
                })
            }
            None => Ok(Coming::Fail(Failure::new(unknown(method.as_deref())).permanent())),
        }
    }

    /// Sends the end of an attempt.
    async fn settle(
        self: &Arc<Self>,
        end_batcher: &Arc<EndBatcher<L>>,
        context: &Arc<Context<L>>,
        coming: Coming,
    ) -> Result<Outcome> {
        let processor = context.processor();
        let most = end_batcher.client.max_bytes().unwrap_or(END_BYTES) as usize;
        if let Some(end) = coming.end(processor, most) {
            match self.send(end_batcher, &Waiting::new(end, context)).await {
                Some(Err(error)) if !matches!(error, Error::Lost) => {}
                Some(verdict) => return verdict,
                None => {}
            }
        }
        self.send_alone(processor, coming).await
    }

    /// Sends an end together with other ends that wait at the same moment, and takes the next tasks for the slots that
    /// become free. Returns the verdict, or `None` if the end must be sent alone.
    async fn send(
        self: &Arc<Self>,
        end_batcher: &Arc<EndBatcher<L>>,
        own: &Arc<Waiting<L>>,
    ) -> Option<Result<Outcome>> {
        self.lock().line.join(Arc::clone(own));
        loop {
            match own.turn().await {
                Turn::Lead => self.lead(end_batcher, own).await,
                Turn::Done(verdict) => return Some(verdict),
                Turn::Alone => return None,
            }
        }
    }

    /// Sends an end and all waiting ends.
    async fn lead(self: &Arc<Self>, end_batcher: &Arc<EndBatcher<L>>, own: &Arc<Waiting<L>>) {
        let (batch, room) = {
            let mut state = self.lock();
            let batch = state.line.batch(own);
            let free = self.free(&state);
            let closed = state.stop.is_some() || state.taking > 0 && free > 0;
            let room = if closed { 0 } else { (free + batch.len()).min(MOST) };
            state.taking += usize::from(room > 0);
            (batch, room)
        };
        let call = end_batcher.call(&batch, room).await;
        let sent = Instant::now();
        let answer = self.persist(&call).await;
        let taken = match &answer {
            Ok(exchanged) => end_batcher.taken(exchanged, sent).await,
            Err(_) => Vec::new(),
        };
        let outcomes = answer.as_ref().map(FinishedAndReserved::outcomes).unwrap_or_default();
        let drains = answer.is_ok_and(|exchanged| exchanged.refusal.as_deref() == Some(Code::Draining.as_str()));
        let looks = {
            let mut state = self.lock();
            state.taking -= usize::from(room > 0);
            // The leases of these tasks are no longer renewed, and their slots are free.
            let ended = |context: &Arc<Context<L>>| {
                outcomes.iter().zip(&batch).any(|(outcome, waiting)| outcome.is_ok() && waiting.is_of(context))
            };
            state.running.retain(|context| !ended(context));
            self.begin(&mut state, end_batcher, taken, batch.len());
            state.line.pass_on();
            self.free(&state) > 0
        };
        if looks {
            self.room.all();
        }
        if drains {
            self.stop(Stop::Release, false);
        }
        tell(&batch, outcomes);
    }
}

/// Explains why a task cannot run here. Another attempt cannot help, because a worker takes tasks with any method.
fn unknown(method: Option<&str>) -> String {
    match method {
        Some(method) => format!("the worker has no handler for the method {method}"),
        None => "the task has no method, and the worker has handlers for methods only".to_owned(),
    }
}
