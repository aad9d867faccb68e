//! What a handler came to, and how its attempt ends by that.

use std::any::Any;

use super::HandlerError;
use super::context::Stopped;
use super::failure::Failure;
use crate::calls::{CompleteOptions, End, ReleaseOptions};
use crate::error::{Error, Result};
use crate::link::Link;
use crate::model::Order;
use crate::processor::Processor;

/// What a handler returned, or the panic that it ended by.
pub(super) type Ended = Result<Result<Vec<u8>, HandlerError>, Box<dyn Any + Send>>;

/// How its attempt is to end.
pub(super) enum Coming {
    Complete(Vec<u8>, CompleteOptions),
    Fail(Failure),
    Release(ReleaseOptions),
}

impl Coming {
    /// `Lost` where there is nothing to end any more. `options`: of a completion.
    pub(super) fn of(ended: Ended, options: CompleteOptions) -> Result<Self> {
        Ok(match ended {
            Ok(Ok(result)) => Self::Complete(result, options),
            Ok(Err(error)) => match (error.downcast_ref::<Stopped>(), error.downcast_ref::<Error>()) {
                (Some(Stopped(Order::Lost)), _) | (_, Some(Error::Lost)) => return Err(Error::Lost),
                (Some(Stopped(Order::Cancel)), _) => Self::Release(ReleaseOptions::new()),
                (Some(_), _) => Self::Release(ReleaseOptions::new().reason("drain").uncounted(true)),
                _ => Self::Fail(match error.downcast_ref::<Failure>() {
                    Some(failure) => failure.clone(),
                    None => Failure::new(error.to_string()),
                }),
            },
            Err(panic) => Self::Fail(Failure::new(format!("the handler panicked: {}", message(panic.as_ref())))),
        })
    }

    /// As an end that can be sent with others. None where the server would refuse it: what is wrong with one would keep all
    /// from ending. `most`: the largest payload.
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

fn message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
