//! When a call is sent again. Every call of the bundle can be: a repeated one
//! gives the first answer. What is left to decide is whether it helps.

use std::time::{Duration, Instant};

use redis::{ErrorKind, RedisError};

use crate::error::Error;

const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// What a failure means for the call and its connection.
pub(crate) enum Verdict {
    /// The scripts or the server decided; the connection is sound.
    Final(Error),
    /// Send again, on the same connection.
    Wait(RedisError),
    /// Send again, on a new connection.
    Reconnect(RedisError),
}

pub(crate) fn judge(error: RedisError) -> Verdict {
    match error.kind() {
        ErrorKind::AuthenticationFailed | ErrorKind::InvalidClientConfig => {
            return Verdict::Final(Error::Connection(error));
        }
        ErrorKind::Server(_) | ErrorKind::Extension => {}
        _ => return Verdict::Reconnect(error),
    }
    match error.code().unwrap_or_default() {
        "RETRY" | "LOADING" | "BUSY" | "TRYAGAIN" | "CLUSTERDOWN" | "NOREPLICAS" | "NOSCRIPT" => Verdict::Wait(error),
        "READONLY" | "MASTERDOWN" | "MOVED" | "ASK" | "UNBLOCKED" => Verdict::Reconnect(error),
        "NOAUTH" | "WRONGPASS" => Verdict::Final(Error::Connection(error)),
        code => Verdict::Final(Error::verdict(code, error.detail().unwrap_or_default())),
    }
}

/// The tries of one call, within its limit.
pub(crate) struct Tries {
    limit: Duration,
    deadline: Instant,
    pause: Duration,
}

impl Tries {
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit, deadline: Instant::now() + limit, pause: FIRST_PAUSE }
    }

    /// How long the next try may take; never zero.
    pub(crate) fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
    }

    /// How long to wait before the next try, or the error if there is none.
    pub(crate) fn again(&mut self, source: RedisError) -> Result<Duration, Error> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left <= self.pause {
            return Err(Error::Unavailable { limit: self.limit, source });
        }
        // Spread, so that the clients of a server that comes back do not march in step.
        let spread = f64::from(uuid::Uuid::new_v4().as_fields().0) / f64::from(u32::MAX);
        let pause = self.pause.mul_f64(0.5 + spread / 2.0);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        Ok(pause)
    }
}
