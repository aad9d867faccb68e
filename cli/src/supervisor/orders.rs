//! Subscribes to orders of the server, so that they arrive at once. Without the subscription, they arrive with the next
//! heartbeat.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use blueque::Namespace;

use super::shared::Shared;
use crate::session::password::Address;

/// Time limit for a connection.
const LIMIT: Duration = Duration::from_secs(5);

const AGAIN: Duration = Duration::from_secs(2);

/// Maximum time without a message. If the server hangs and another server has replaced it, no message ever arrives on
/// this connection.
const SILENT: Duration = Duration::from_secs(300);

/// Listens until the process ends.
pub fn listen(address: &Address, namespace: &Namespace, channel: &str, shared: &Arc<Shared>) {
    loop {
        if let Some(url) = address.secret() {
            let _ = hear(&url, namespace, channel, shared);
        }
        thread::sleep(AGAIN);
    }
}

fn hear(url: &str, namespace: &Namespace, channel: &str, shared: &Arc<Shared>) -> anyhow::Result<()> {
    let mut connection = blueque::Address::parse(url)?.connect(namespace, LIMIT)?;
    redis::cmd("SUBSCRIBE").arg(channel).exec(&mut connection)?;
    connection.set_limit(SILENT);
    loop {
        // A heartbeat fetches orders that were sent before the subscription.
        shared.post(|outbox| outbox.beat = true);
        if let Err(error) = connection.receive() {
            // A heartbeat finds out if another server has replaced the lost server and given the task to another owner.
            shared.post(|outbox| outbox.beat = true);
            return Err(error.into());
        }
    }
}
