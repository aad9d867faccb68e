//! Maps the outcome of a handler to the call that ends its attempt.

use std::any::Any;
use std::error::Error as StdError;

use super::HandlerError;
use super::context::Stopped;
use super::failure::{Failure, Retry};
use crate::calls::{CompleteOptions, End, ReleaseOptions};
use crate::error::{Error, Result};
use crate::link::Link;
use crate::model::Order;
use crate::processor::Processor;

/// Return value of a handler, or the panic that ended it.
pub(super) type Ended = Result<Result<Vec<u8>, HandlerError>, Box<dyn Any + Send>>;

/// Call that ends the attempt.
pub(super) enum Coming {
    Complete(Vec<u8>, CompleteOptions),
    Fail(Failure),
    Release(ReleaseOptions),
}

impl Coming {
    /// Chooses the call from a handler's outcome. Returns `Lost` if there is nothing left to end. `options` belong to a
    /// completion; `judge` decides about errors that are no [`Failure`].
    pub(super) fn of(
        ended: Ended,
        options: CompleteOptions,
        judge: impl FnOnce(&(dyn StdError + 'static)) -> Retry,
    ) -> Result<Self> {
        Ok(match ended {
            Ok(Ok(result)) => Self::Complete(result, options),
            Ok(Err(error)) => match (error.downcast_ref::<Stopped>(), error.downcast_ref::<Error>()) {
                (Some(Stopped(Order::Lost)), _) | (_, Some(Error::Lost)) => return Err(Error::Lost),
                (Some(Stopped(Order::Cancel)), _) => Self::Release(ReleaseOptions::new()),
                (Some(_), _) => Self::Release(ReleaseOptions::new().reason("drain").uncounted(true)),
                _ => Self::Fail(match error.downcast_ref::<Failure>() {
                    Some(failure) => failure.clone(),
                    None => Failure::new(error.to_string()).judged(judge(error.as_ref())),
                }),
            },
            Err(panic) => Self::Fail(Failure::new(format!("the handler panicked: {}", message(panic.as_ref())))),
        })
    }

    /// Converts the outcome to an end that can be sent together with others. Returns `None` if the server may refuse
    /// the end, because one invalid end prevents all ends of the same call. `most` is the maximum size of a payload.
    pub(super) fn end<L: Link>(&self, processor: &Processor<L>, most: usize) -> Option<End> {
        let (id, token) = (processor.id().clone(), processor.reservation().token);
        match self {
            Self::Complete(result, options) if result.len() <= most && options.0.are_among(&["next", "cost"]) => {
                Some(End::complete(id, token, result.clone(), options))
            }
            Self::Fail(failure) => {
                let text = failure.to_string().into_bytes();
                (text.len() <= most && failure.pause_is_short()).then(|| End::fail(id, token, text, &failure.options()))
            }
            Self::Release(options) => Some(End::release(id, token, options)),
            Self::Complete(..) => None,
        }
    }
}

pub(super) fn message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
