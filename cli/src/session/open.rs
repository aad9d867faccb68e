//! Opens a session.

use std::time::{Duration, Instant};

use blueque::Client;

use super::config::{LIMIT, Settings};
use super::{Session, diagnosis, outage};
use crate::output::Format;
use crate::times;

impl Session {
    /// Connects with the time limits of a command: `waits` is that of `Subcommand::waits`.
    pub fn open(settings: &Settings, format: Format, waits: Option<Option<Duration>>) -> anyhow::Result<Self> {
        let Some(timeout) = waits else { return Self::at_once(settings, format) };
        let (end, client) = outage::connect(settings, timeout)?;
        Self::new(settings, format, end, client)
    }

    /// Connects to a server, and fails soon if no server listens.
    pub fn at_once(settings: &Settings, format: Format) -> anyhow::Result<Self> {
        diagnosis::somebody_listens(settings.url(), LIMIT)?;
        Self::new(settings, format, None, settings.client_at_once(LIMIT)?)
    }

    fn new(settings: &Settings, format: Format, end: Option<Instant>, client: Client) -> anyhow::Result<Self> {
        if times::are_relative() {
            times::learn(client.call(&client.calls().handshake())?.now);
        }
        let namespace = settings.namespace().clone();
        Ok(Self { client, format, namespace, end, partition: None, merged_rows: None, remote_why: None })
    }
}
