//! Durability of calls: a call succeeds when the server has made the change, or only when the change is also on disk or
//! on replicas.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use redis::{Cmd, Value};

/// The last part of a call's limit, reserved for the reply.
const REPLY: Duration = Duration::from_millis(100);

/// Defines when a call that changes something succeeds. Calls that only read are not affected.
///
/// The text form is `local`, `fsync` or `replica:2`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Durability {
    /// Succeeds when the server has made the change. The change reaches disk and replicas soon afterwards; a crash or a
    /// failover before then loses it.
    #[default]
    Local,
    /// Succeeds when the change is on the server's disk (`WAITAOF`: Redis 7.2 or Valkey, with `appendonly yes`). A
    /// failover may lose the change.
    Fsync,
    /// Succeeds when this number of replicas has the change in memory (`WAIT`). A failover to one of these replicas
    /// keeps the change.
    Replica(u8),
}

impl Durability {
    /// Returns the command that waits for the durability, within a limit; `None` if there is nothing to wait for.
    pub(crate) fn command(self, limit: Duration) -> Option<Cmd> {
        let mut cmd = match self {
            Self::Local | Self::Replica(0) => return None,
            Self::Fsync => redis::cmd("WAITAOF"),
            Self::Replica(_) => redis::cmd("WAIT"),
        };
        match self {
            Self::Replica(number) => cmd.arg(number),
            _ => cmd.arg(1).arg(0),
        };
        // A limit of 0 means no limit.
        let limit = limit.saturating_sub(REPLY).as_millis().clamp(1, u128::from(u32::MAX));
        cmd.arg(limit.to_string());
        Some(cmd)
    }

    /// Reads the number of disks or replicas that have the change from the reply of the command; `None` for any other
    /// reply.
    pub(crate) fn reached(self, reply: &Value) -> Option<u32> {
        let number = match (self, reply) {
            (Self::Fsync, Value::Array(numbers)) => numbers.first()?,
            (_, number) => number,
        };
        redis::from_redis_value_ref(number).ok()
    }

    /// Number of disks or replicas that must have the change.
    pub(crate) fn wished(self) -> u32 {
        match self {
            Self::Local => 0,
            Self::Fsync => 1,
            Self::Replica(number) => number.into(),
        }
    }

    /// Describes a change that was accepted and is not durable yet: `not yet on 2 replicas`.
    pub(crate) fn missed(self, reached: u32) -> String {
        match self {
            Self::Local => String::new(),
            Self::Fsync => "not yet on the server's disk".into(),
            Self::Replica(1) => "not yet on a replica".into(),
            Self::Replica(number) => format!("not yet on {number} replicas: {reached} confirmed it"),
        }
    }
}

impl fmt::Display for Durability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => f.write_str("local"),
            Self::Fsync => f.write_str("fsync"),
            Self::Replica(number) => write!(f, "replica:{number}"),
        }
    }
}

impl FromStr for Durability {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |text: &str| text.strip_prefix("replica:")?.parse().ok().filter(|&number| number > 0);
        match text {
            "local" => Ok(Self::Local),
            "fsync" => Ok(Self::Fsync),
            _ => number(text).map(Self::Replica).ok_or("must be local, fsync, or replica:1 and more"),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::Durability;

    #[test]
    fn it_is_written_as_it_is_read() {
        for how in [Durability::Local, Durability::Fsync, Durability::Replica(2)] {
            assert_eq!(how.to_string().parse(), Ok(how));
        }
        for wrong in ["", "replica", "replica:0", "replica:300", "disk"] {
            assert!(wrong.parse::<Durability>().is_err(), "{wrong}");
        }
    }
}
