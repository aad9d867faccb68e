//! Pauses of queues. A worker takes no tasks of a queue for a while if its host cannot run them: a program or a command
//! that it calls is missing, or tasks fail at once on this host and succeed on others. During the pause, other workers
//! take the tasks. If the host cannot start any task, the worker pauses all queues.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use blueque::QueueName;

use super::program::Stamp;
use crate::run_folder::notice::Unfit;
use crate::shortage::{NOTHING, QUICK};

/// First and longest delay of a task that could not be started here.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(300));

/// Number of consecutive tasks with a missing program after which the worker pauses the queue.
const MISSES: u32 = 32;

/// First and longest pause of a queue after failures.
const STAYS: (Duration, Duration) = (Duration::from_secs(4), Duration::from_secs(60));

/// Time for which the reason of a pause is still reported after the pause, because the next pause may follow at once.
/// If a task of the queue runs, the report ends earlier.
const LINGER: Duration = Duration::from_secs(10);

/// First and longest pause of all queues if no task can be started. After the time `WELL` without such a pause, the
/// length starts over.
const RESTS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));
const WELL: Duration = Duration::from_secs(300);

/// Number of consecutive quick failures that cannot be a coincidence.
const ROW: u32 = 3;

/// Returns the delay of a task that cannot be started here. The delay grows each time that the task is given back.
pub fn pause(before: u32) -> Duration {
    PAUSES.0.saturating_mul(1 << before.min(10)).min(PAUSES.1)
}

/// The end of a task of this worker.
#[derive(Clone, Debug)]
pub struct Ending {
    pub queue: QueueName,
    pub ran: Duration,
    pub failed: bool,
    /// Set if the host may lack what the task's program needs.
    pub unfit: Option<Unfit>,
}

/// The decision about a queue after the end of one of its tasks.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    Go,
    /// Pause the queue if other workers complete its tasks.
    Compare,
    /// Pause the queue.
    Stop,
    /// Pause the queue because its program could not be run, for this reason.
    Unfit(String),
}

impl Ending {
    fn is_quick_failure(&self) -> bool {
        self.failed && self.ran < QUICK
    }
}

#[derive(Default)]
struct Of {
    /// Number of consecutive tasks that were given back for the first time because their program is missing.
    missing: u32,
    /// Time at which the last of these tasks was given back.
    missed: Option<Instant>,
    /// Number of consecutive tasks that were given back because their programs could not be run.
    unfit: u32,
    /// Number of consecutive tasks that ended at once because something that their programs call is missing.
    lacking: u32,
    /// Number of consecutive quick failures.
    failures: u32,
    /// Number of consecutive pauses because of quick failures.
    slowed: u32,
    /// Number of refused calls since a task of the queue was last started.
    refused: u32,
    away: Option<Away>,
    /// Time until which the reason of the last pause is reported, and the reason. The report does not end between two
    /// pauses.
    last: Option<(Instant, String)>,
}

impl Of {
    /// Pauses the queue. Each consecutive pause is longer; `before` is the number of pauses before this one.
    fn leave(&mut self, queue: &QueueName, first: Duration, before: u32, folder: Option<Stamp>, why: &str) -> String {
        let stay = first.saturating_mul(1 << before.min(10)).min(STAYS.1);
        let changes = if folder.is_some() { ", or until its folder of programs changes" } else { "" };
        self.away = Some(Away { until: Instant::now() + stay, folder, why: why.to_owned(), refused: false });
        format!("takes nothing of {queue} for {}{changes}: {why}", humantime::format_duration(stay))
    }
}

struct Away {
    until: Instant,
    /// Stamp of the folder of programs. If it changes, the pause ends.
    folder: Option<Stamp>,
    why: String,
    /// True if the server refuses the calls for the queue.
    refused: bool,
}

/// State of a host on which no task can be started.
struct Sick {
    /// Number of pauses in a row.
    times: u32,
    until: Instant,
    why: String,
}

#[derive(Default)]
pub struct QueueBackoff {
    queues: BTreeMap<QueueName, Of>,
    host: Option<Sick>,
}

impl QueueBackoff {
    /// Pauses all queues because no task can be started here. Each consecutive pause is longer. Returns the message to
    /// log, or `None` during a pause.
    pub fn sick(&mut self, why: &str) -> Option<String> {
        let now = Instant::now();
        let before = self.host.take().filter(|sick| sick.until + WELL > now);
        if let Some(known) = before.as_ref().filter(|sick| sick.until > now) {
            let Sick { times, until, .. } = *known;
            self.host = Some(Sick { times, until, why: why.to_owned() });
            return None;
        }
        let times = before.map_or(0, |sick| sick.times);
        let rest = RESTS.0.saturating_mul(1 << times.min(10)).min(RESTS.1);
        self.host = Some(Sick { times: times.saturating_add(1), until: now + rest, why: why.to_owned() });
        Some(format!("takes nothing for {}: {why}", humantime::format_duration(rest)))
    }

    /// Returns true during a pause of all queues.
    pub fn rests(&self) -> bool {
        self.host.as_ref().is_some_and(|sick| sick.until > Instant::now())
    }

    /// Returns true if a pause of all queues has ended, and no task was started since.
    pub fn is_probing(&self) -> bool {
        self.host.is_some() && !self.rests()
    }

    /// Records that the program of a task is missing. The queue is paused after `MISSES` consecutive tasks of this
    /// kind, and each pause is longer. Without the pause, this worker would take every task of the queue and give it
    /// back. With a pause after the first task, other tasks whose programs exist would be delayed. A task that was
    /// given back before does not count: it returns again and again, with increasing delays.
    pub fn missing(&mut self, queue: &QueueName, folder: Option<Stamp>, why: &str, known: bool) -> Option<String> {
        let of = self.queues.entry(queue.clone()).or_default();
        if known {
            return None;
        }
        let now = Instant::now();
        if of.missed.replace(now).is_some_and(|last| last + WELL < now) {
            of.missing = 0;
        }
        of.missing = of.missing.saturating_add(1);
        let rounds = of.missing / MISSES;
        of.missing.is_multiple_of(MISSES).then(|| of.leave(queue, PAUSES.0 / 8, rounds.saturating_sub(1), folder, why))
    }

    /// Pauses the queue because a program cannot be run here. Each pause is longer, until a program has run.
    pub fn unfit(&mut self, queue: &QueueName, folder: Option<Stamp>, why: &str) -> String {
        let of = self.queues.entry(queue.clone()).or_default();
        let before = of.unfit;
        of.unfit = of.unfit.saturating_add(1);
        of.leave(queue, PAUSES.0 / 2, before, folder, why)
    }

    /// Returns true if the last tasks of the queue ended at once because this host lacks something.
    pub fn suspects(&self, queue: &QueueName) -> bool {
        self.queues.get(queue).is_some_and(|of| of.lacking >= ROW)
    }

    /// Records that a task of the queue was started.
    pub fn begun(&mut self, queue: &QueueName) {
        if let Some(of) = self.queues.get_mut(queue) {
            (of.missing, of.refused) = (0, 0);
            // After starts that ended at once, another start proves nothing, so the reason is still reported.
            of.last.take_if(|_| of.unfit == 0 && of.lacking == 0 && of.failures == 0);
        }
    }

    /// Pauses a queue whose calls the server refuses, while it accepts calls for other queues.
    pub fn refused(&mut self, queue: &QueueName, why: &str) -> String {
        let of = self.queues.entry(queue.clone()).or_default();
        let said = of.leave(queue, STAYS.0, of.refused, None, why);
        of.refused = of.refused.saturating_add(1);
        of.away.iter_mut().for_each(|away| away.refused = true);
        said
    }

    /// Returns the queues whose calls the server refuses.
    pub fn aside(&self) -> Vec<QueueName> {
        let refused = |of: &Of| of.away.as_ref().is_some_and(|away| away.refused);
        self.queues.iter().filter(|(_, of)| refused(of)).map(|(queue, _)| queue.clone()).collect()
    }

    /// Counts the end of a task.
    pub fn ended(&mut self, ending: &Ending) -> Verdict {
        self.host.take_if(|sick| sick.until <= Instant::now());
        let of = self.queues.entry(ending.queue.clone()).or_default();
        match &ending.unfit {
            // Several tasks that are given back at the same time count as one.
            Some(unfit) if unfit.given_back && of.away.is_some() => return Verdict::Go,
            Some(unfit) if unfit.given_back => return Verdict::Unfit(unfit.why.clone()),
            Some(_) => of.lacking = of.lacking.saturating_add(1),
            None => (of.unfit, of.lacking) = (0, 0),
        }
        if !ending.is_quick_failure() {
            (of.failures, of.slowed, of.last) = (0, 0, None);
            return Verdict::Go;
        }
        of.failures = of.failures.saturating_add(1);
        match (of.away.is_none(), of.lacking >= ROW, of.failures >= ROW) {
            (true, true, _) => Verdict::Stop,
            (true, false, true) => Verdict::Compare,
            _ => Verdict::Go,
        }
    }

    /// Pauses a queue whose tasks fail only on this host.
    pub fn slow(&mut self, queue: &QueueName) -> String {
        let of = self.queues.entry(queue.clone()).or_default();
        let why = if of.lacking >= ROW {
            let times = of.lacking;
            format!(
                "{times} of its tasks failed here at once with exit code 126 or 127: a program that they call may be missing"
            )
        } else {
            let times = of.failures;
            format!("{times} of its tasks failed here at once, one after the other, and other workers complete theirs")
        };
        of.slowed = of.slowed.saturating_add(1);
        of.leave(queue, STAYS.0, of.slowed - 1, None, &why)
    }

    /// Ends expired pauses, and returns the queues that are still paused.
    pub fn away(&mut self, folder: Option<&Stamp>) -> Vec<QueueName> {
        let now = Instant::now();
        for of in self.queues.values_mut() {
            let changed = |away: &Away| away.folder.is_some() && away.folder.as_ref() != folder;
            if of.away.as_ref().is_some_and(&changed) {
                (of.missing, of.unfit, of.lacking, of.last) = (0, 0, 0, None);
            }
            if let Some(ended) = of.away.take_if(|away| away.until <= now || changed(away))
                && !changed(&ended)
            {
                of.last = Some((now + LINGER, ended.why));
            }
            of.last.take_if(|(until, _)| *until <= now);
        }
        self.queues.iter().filter(|(_, of)| of.away.is_some()).map(|(queue, _)| queue.clone()).collect()
    }

    /// Returns the text about pauses for the worker's record.
    pub fn trouble(&self) -> Option<String> {
        let why = |of: &Of| {
            let last = || of.last.as_ref().map(|(_, why)| why.clone());
            of.away.as_ref().map(|away| away.why.clone()).or_else(last)
        };
        let all = self.queues.iter().filter_map(|(queue, of)| Some((queue, why(of)?)));
        let mut words: Vec<String> = all.map(|(queue, why)| format!("takes nothing of {queue}: {why}")).collect();
        if let Some(sick) = self.host.as_ref().filter(|_| self.rests()) {
            words.insert(0, format!("{NOTHING}{}", sick.why));
        }
        (!words.is_empty()).then(|| words.join("; "))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use std::time::{Duration, Instant};

    use blueque::QueueName;

    use super::{Ending, MISSES, QueueBackoff, Verdict};

    #[test]
    fn a_queue_is_left_alone_the_longer_the_more_programs_are_missing_and_never_over_a_minute() {
        let (mut queue_backoff, queue) = (QueueBackoff::default(), QueueName::new("q").unwrap());
        let row = |queue_backoff: &mut QueueBackoff| {
            let said: Vec<_> = (0..MISSES).filter_map(|_| queue_backoff.missing(&queue, None, "no p", false)).collect();
            assert_eq!(said.len(), 1, "only after all of them");
            said[0].clone()
        };
        let said: Vec<String> = (0..10).map(|_| row(&mut queue_backoff)).collect();
        assert_eq!(said[0], "takes nothing of q for 125ms: no p");
        assert_eq!(said[9], "takes nothing of q for 1m: no p");
        assert!(queue_backoff.away(None).contains(&queue));
        assert_eq!(queue_backoff.trouble().unwrap(), "takes nothing of q: no p");
        queue_backoff.queues.get_mut(&queue).unwrap().away.as_mut().unwrap().until = Instant::now();
        assert!(queue_backoff.away(None).is_empty(), "the pause is over");
        assert_eq!(queue_backoff.trouble().unwrap(), "takes nothing of q: no p", "as long as nothing has changed");
        queue_backoff.begun(&queue);
        assert_eq!(queue_backoff.trouble(), None);
        assert!(row(&mut queue_backoff).contains("125ms"));
        assert!(
            (0..MISSES).all(|_| queue_backoff.missing(&queue, None, "no p", true).is_none()),
            "those that came back"
        );
    }

    #[test]
    fn a_host_that_can_begin_nothing_rests_the_longer_the_more_often_and_is_well_when_a_task_has_ended() {
        let (mut queue_backoff, queue) = (QueueBackoff::default(), QueueName::new("q").unwrap());
        assert_eq!(queue_backoff.sick("no disk").unwrap(), "takes nothing for 1s: no disk");
        assert_eq!(queue_backoff.sick("no disk"), None, "several tasks at the same time");
        assert_eq!(queue_backoff.trouble().unwrap(), "takes nothing: no disk");
        let over = |queue_backoff: &mut QueueBackoff| queue_backoff.host.as_mut().unwrap().until = Instant::now();
        for rest in ["2s", "4s", "8s", "16s", "32s", "1m", "1m"] {
            over(&mut queue_backoff);
            assert!(queue_backoff.is_probing() && !queue_backoff.rests() && queue_backoff.trouble().is_none());
            assert_eq!(queue_backoff.sick("no disk").unwrap(), format!("takes nothing for {rest}: no disk"));
        }
        let end = Ending { queue, ran: Duration::from_secs(1), failed: false, unfit: None };
        queue_backoff.ended(&end);
        assert!(queue_backoff.rests(), "one that had begun before");
        over(&mut queue_backoff);
        queue_backoff.ended(&end);
        assert!(!queue_backoff.is_probing());
        assert!(queue_backoff.sick("no disk").unwrap().contains("for 1s"));
    }

    #[test]
    fn three_quick_failures_in_a_row_slow_a_worker_and_any_other_end_does_not() {
        let (mut queue_backoff, queue) = (QueueBackoff::default(), QueueName::new("q").unwrap());
        let mut end = |failed, seconds| {
            let ran = Duration::from_secs(seconds);
            queue_backoff.ended(&Ending { queue: queue.clone(), ran, failed, unfit: None }) == Verdict::Compare
        };
        assert!(!end(true, 0) && !end(true, 0) && !end(false, 0), "a success");
        assert!(!end(true, 0) && !end(true, 0) && !end(true, 60), "one that worked for a minute");
        assert!(!end(true, 0) && !end(true, 0) && end(true, 0));
        assert!(queue_backoff.slow(&queue).contains("for 4s: 3 of its tasks"));
        assert!(queue_backoff.slow(&queue).contains("for 8s"));
    }
}
