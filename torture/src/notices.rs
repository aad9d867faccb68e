//! What must be true of the notices when the faults are over.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use blueque::calls::UndeliveredOptions;
use blueque::{Client, Notice};

use crate::faults::Campaign;
use crate::receiver::{Received, Receiver, TARGET};

/// Time before and after a loss of the server's data in which notices may be numbered again.
const UNCERTAIN: Duration = Duration::from_secs(15);

/// Waits until a namespace has no notice that is not delivered. Notices that wait for their next try are tried at once.
/// Returns the notices that are left.
pub fn undelivered(client: &Client, limit: Duration) -> Result<Vec<String>> {
    let until = Instant::now() + limit;
    loop {
        let left = client.call(&client.calls().undelivered(TARGET, "0", 100, &UndeliveredOptions::new()))?.items;
        if left.is_empty() || Instant::now() >= until {
            return Ok(left
                .iter()
                .map(|it| format!("notice {} of {} is not delivered", it.number, it.subject))
                .collect());
        }
        let mut owners: Vec<&str> = left.iter().map(|notice| notice.subject.as_str()).collect();
        owners.dedup();
        client.call(&client.calls().redeliver(TARGET, &owners))?;
        thread::sleep(Duration::from_millis(500));
    }
}

/// Reports notices of a complete task that the receiver has not got, or not in their order.
pub fn missing(client: &Client, campaign: &Campaign, receiver: &Receiver, id: &str) -> Result<Vec<String>> {
    let kept = client.call(&client.calls().notices("task", id))?;
    let arrived: Vec<Received> = receiver.received().into_iter().filter(|received| received.task == id).collect();
    let has = |notice: &Notice| {
        let same = |it: &Received| it.number == notice.number && it.event == notice.event;
        notice.stage.as_deref() == Some("delivered") && arrived.iter().any(same)
    };
    let mut found: Vec<String> = kept
        .iter()
        .filter(|notice| !has(notice))
        .map(|notice| format!("{id}: notice {} ({}) has not been received", notice.number, notice.event))
        .collect();
    if !kept.iter().any(|notice| notice.event == "complete") {
        found.push(format!("{id} is complete without a notice"));
    }
    let (first, last) = (arrived.first().map(|it| it.at), arrived.last().map(|it| it.at));
    let again = campaign.forgets.iter().any(|forget| {
        first.is_some_and(|at| at < forget.at + UNCERTAIN) && last.is_some_and(|at| at + UNCERTAIN > forget.at)
    });
    let mut highest = 0;
    for (place, it) in arrived.iter().enumerate() {
        let second = arrived.iter().take(place).any(|other| other.number == it.number);
        if !again && !second && it.number < highest {
            found.push(format!("{id}: notice {} ({}) came after notice {highest}", it.number, it.event));
        }
        highest = highest.max(it.number);
    }
    Ok(found)
}
