//! The thread that maintains the worker's queues, and reports problems of the maintenance.

use std::sync::Arc;

use blueque::{Client, Held, ListenerId, Maintenance, MaintenanceError};

use super::pool::Pool;
use super::settings::Settings;
use crate::output::chain;

/// Maintains the queues until the pool has ended.
pub fn run(client: Client, settings: &Settings, pool: &Arc<Pool>, own: &ListenerId) {
    let mut maintenance =
        Maintenance::of(client, own, settings.queues.clone()).host_names(settings.options.host_names.clone());
    // Maintenance leaves a task with a run folder to the folder's run guard. If the folders cannot be listed, the task
    // counts as having a folder.
    let kept = |held: &Held| held.token.is_some_and(|token| settings.has_folder(&held.id, token).unwrap_or(true));
    let mut said: Option<Said> = None;
    loop {
        let adopted = if settings.options.no_adopt { Ok(()) } else { maintenance.adopt_dead(own, kept) };
        let round = maintenance.round();
        let pause = round.as_ref().map_or_else(|error| error.pause, |&pause| pause);
        match adopted.and(round.map(|_| ())) {
            // The thread that takes tasks also finds that the server is away, and reports it.
            Err(error) if error.source.is_transient() => {}
            outcome => said = Said::after(said, outcome.err(), pool),
        }
        if pool.ends_within(pause) {
            return;
        }
    }
}

/// The last reported problem that persists.
struct Said {
    what: String,
    whole: String,
}

impl Said {
    /// Reports each problem when it begins and when it ends.
    fn after(before: Option<Self>, error: Option<MaintenanceError>, pool: &Pool) -> Option<Self> {
        let now = error.map(|error| {
            let what = error.queue.as_ref().map_or("schedules".to_owned(), ToString::to_string);
            Self { what, whole: chain(&error.into()) }
        });
        let same = |one: &Option<Self>| one.as_ref().map(|said| said.whole.clone());
        if same(&before) == same(&now) {
            return now;
        }
        if let Some(before) = before.filter(|before| now.as_ref().is_none_or(|now| now.what != before.what)) {
            pool.say(&format!("the maintenance of {} works again", before.what));
        }
        if let Some(now) = &now {
            pool.warn(&format!("{}; it is retried", now.whole));
        }
        now
    }
}
