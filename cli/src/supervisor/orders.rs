//! Listens for orders, so that they arrive at once; without it they come with the next heartbeat.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::shared::Shared;
use crate::session::password::Address;

const AGAIN: Duration = Duration::from_secs(2);

/// Listens for as long as the process lives.
pub fn listen(address: &Address, channel: &str, shared: &Arc<Shared>) {
    loop {
        if let Ok(Some(url)) = address.secret() {
            let _ = hear(&url, channel, shared);
        }
        thread::sleep(AGAIN);
    }
}

fn hear(url: &str, channel: &str, shared: &Arc<Shared>) -> redis::RedisResult<()> {
    let mut connection = redis::Client::open(url)?.get_connection_with_timeout(Duration::from_secs(5))?;
    // By hand: `PubSub::subscribe` takes a refusal for an answer, and would wait for messages that never come.
    connection.send_packed_command(&redis::cmd("SUBSCRIBE").arg(channel).get_packed_command())?;
    connection.recv_response()?.extract_error()?;
    let mut messages = connection.as_pubsub();
    loop {
        // At first what was ordered before this connection heard of it.
        shared.post(|outbox| outbox.beat = true);
        if let Err(error) = messages.get_message() {
            // What cut it off may have put another server in its place, which gives the task to somebody else.
            shared.post(|outbox| outbox.beat = true);
            return Err(error);
        }
    }
}
