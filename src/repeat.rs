//! Decides when a call is repeated. Every call of the bundle can be repeated: a repeated call returns the first reply.
//! The question is only whether a repetition helps.

use std::time::{Duration, Instant};

use redis::{ErrorKind, RedisError};

use crate::address::{is_full, is_refusal};
use crate::connection::{certificate, is_too_long};
use crate::constants::{FIRST_PAUSE, LONGEST_PAUSE};
use crate::deadline::Deadline;
use crate::error::{Code, Error, Result};

/// Steps before the next try.
pub(crate) struct Next {
    /// Pause before the next try.
    pub(crate) pause: Duration,
    /// True if the connections lead to a server that is gone or is no longer the master.
    pub(crate) reconnect: bool,
}

/// Time for which a refused password or certificate is retried before the first call has succeeded. The file may be
/// replaced at this moment.
const REPLACED: Duration = Duration::from_millis(500);

/// Time for which a server that refuses the first connection or is a replica is retried, unless the client sets another
/// time. The server may just be starting.
const STARTING: Duration = Duration::from_millis(300);

/// Facts about the connection to the server that decide how long calls are retried.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reach {
    /// True if the connections find the node that holds a slot.
    pub(crate) cluster: bool,
    /// True if passwords or certificates come from files, which may be replaced.
    pub(crate) files: bool,
    /// True if a call has succeeded before.
    pub(crate) proven: bool,
    /// Time for which a server that refuses connections is retried.
    pub(crate) bears_refusals: Duration,
    /// Time for which a server that is a replica is retried.
    pub(crate) bears_replicas: Duration,
}

impl Reach {
    /// Sets the patience of the client, if it has one. `led` is true if other nodes lead to the server: they may name
    /// another server the next time.
    pub(crate) fn patient(self, patience: Option<Duration>, led: bool) -> Self {
        let unless = |known: bool| patience.unwrap_or(if known { Duration::MAX } else { STARTING });
        Self { bears_refusals: unless(self.proven), bears_replicas: unless(self.proven || led), ..self }
    }
}

/// The tries of one call, within its limit.
pub(crate) struct Tries {
    limit: Duration,
    deadline: Deadline,
    pause: Duration,
    begun: Instant,
    reach: Reach,
    /// True if the next try sends the script itself.
    pub(crate) whole: bool,
}

impl Tries {
    pub(crate) fn new(limit: Duration, reach: Reach) -> Self {
        let deadline = Deadline::after(limit);
        Self { limit, deadline, pause: FIRST_PAUSE, begun: Instant::now(), reach, whole: false }
    }

    /// Returns how long the next try may take; never zero.
    pub(crate) fn left(&self) -> Duration {
        self.deadline.left().max(Duration::from_millis(1))
    }

    /// Decides what follows a failure: another try, or the error for the caller.
    pub(crate) fn next(&mut self, error: RedisError) -> Result<Next> {
        // A server loses its scripts when it restarts or is replaced.
        if error.code() == Some("NOSCRIPT") && !self.whole {
            self.whole = true;
            return Ok(Next { pause: Duration::ZERO, reconnect: false });
        }
        if is_too_long(&error) {
            return Err(Error::ReplyTooBig(error));
        }
        let error = certificate(&error).unwrap_or(error);
        // Once a call has succeeded, the address is correct: such an error then comes from a replaced file or
        // certificate.
        let replaced = self.reach.files || error.kind() == ErrorKind::InvalidClientConfig;
        let error = if error.kind() == ErrorKind::Parse && !self.reach.proven { foreign() } else { error };
        let reconnect = match error.kind() {
            ErrorKind::Server(_) | ErrorKind::Extension => match error.code().unwrap_or_default() {
                "ASK" | "UNBLOCKED" | "NOAUTH" | "WRONGPASS" => true,
                "NOSCRIPT" => false,
                _ if is_full(&error) => true,
                word => match word.parse() {
                    // This node does not hold the slot the next time either.
                    Ok(Code::Moved) if !self.reach.cluster => return Err(moved(&error)),
                    Ok(Code::ReadOnly | Code::MasterDown | Code::Moved) => true,
                    // These errors end only when somebody frees memory or disk space, so the caller gets the error.
                    Ok(code) if code.repeat() && !matches!(code, Code::OutOfMemory | Code::Misconfigured) => false,
                    _ => return Err(Error::verdict(word, error.detail().unwrap_or_default())),
                },
            },
            _ => true,
        };
        let replica = error.code() == Some("READONLY");
        let borne = if is_refusal(&error) {
            // Credentials that worked before may work again when the file, or the server's certificate, has been
            // replaced.
            match (replaced, self.reach.proven) {
                (true, true) => Duration::MAX,
                (true, false) if self.reach.files => REPLACED,
                _ => Duration::ZERO,
            }
        } else if replica {
            self.reach.bears_replicas
        } else if error.is_connection_refusal() {
            self.reach.bears_refusals
        } else {
            Duration::MAX
        };
        let limited = self.deadline.left() <= self.pause;
        if limited || borne.saturating_sub(self.begun.elapsed()) <= self.pause {
            if is_refusal(&error) && !(replaced && self.reach.proven) {
                return Err(Error::Connection(error));
            }
            if replica && !limited {
                return Err(Error::verdict("READONLY", error.detail().unwrap_or_default()));
            }
            let limit = if limited { self.limit } else { borne };
            return Err(Error::Unavailable { limit, source: error });
        }
        // The pause is random, so that the clients of a recovered server do not act in step.
        let spread = f64::from(uuid::Uuid::new_v4().as_fields().0) / f64::from(u32::MAX);
        let pause = self.pause.mul_f64(0.5 + spread / 2.0);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        Ok(Next { pause, reconnect })
    }
}

/// Error for an address where another service listens, such as an HTTP server.
fn foreign() -> RedisError {
    let what = "it answers, but is no Redis or Valkey: look at the port in the URL";
    (ErrorKind::InvalidClientConfig, what).into()
}

fn moved(error: &RedisError) -> Error {
    let node = error.redirect_node().map_or("the node that CLUSTER SHARDS names", |(node, _)| node);
    let text = format!("this node of the cluster does not hold the namespace: connect to {node}");
    Error::Unsuitable { code: Code::Moved, text }
}
