//! The runs that this worker watches, and the state that its threads share.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use blueque::constants::LONGEST_REST;
use blueque::{LastHour, QueueName};
use nix::sys::signal::Signal;

use super::handle::Handle;
use super::log;
use super::queue_backoff::Ending;
use super::run_guard::RunGuard;
use super::slots::Slots;
use crate::output::clean_line;
use crate::run_folder::RunFolder;
use crate::run_folder::notice::{About, Notice};
use crate::shortage::{FAILED, LOST, RELEASED, Shortage};

/// Time for which an ending worker waits for a server that does not reply, after the last program has ended.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// Interval between searches for a supervisor that is hidden from this worker.
const AGAIN: Duration = Duration::from_secs(1);

/// Maximum number of characters of a supervisor's notice in the log, and of its reason in the worker's record.
const TEXT: usize = 500;
const TROUBLE: usize = 160;

/// The problem that a program is not executable.
pub const PROGRAM: &str = "program";

/// Maximum number of tasks that are named in a message about several tasks.
const NAMED: usize = 3;

/// A run that this worker watches.
#[derive(Debug)]
pub struct Kept {
    pub folder: RunFolder,
    pub id: String,
    run_guard: Arc<RunGuard>,
    /// Refusals of the server that the supervisor reported, as messages.
    troubles: BTreeMap<About, String>,
    /// `None` if the supervisor has ended without removing its run folder, so that the run must be cleaned up.
    pub handle: Option<Handle>,
    /// End of the supervisor, if this worker saw it.
    fate: Option<Fate>,
    /// True if only the end of the task must be sent. Such a run takes no slot, and the worker may end before it.
    delivering: bool,
    /// True if the supervisor lives, but this worker can neither see it nor ask it to stop.
    hidden: bool,
    /// Time at which this worker first saw a stored end of the task.
    ended: Option<Instant>,
    /// Time of the next attempt to clean up the run, and the delay before the attempt after that.
    due: Instant,
    pause: Duration,
    /// Time at which the supervisor was asked to stop.
    told: Option<Instant>,
    /// Queue and start time of a task that this worker started.
    begun: Option<(QueueName, Instant)>,
}

impl Kept {
    pub fn new(folder: RunFolder, id: String, run_guard: RunGuard, handle: Option<Handle>) -> Self {
        let (due, pause) = (Instant::now(), Duration::from_millis(500));
        let (fate, delivering, ended, told, begun) = (None, false, None, None, None);
        let (run_guard, troubles) = (Arc::new(run_guard), BTreeMap::new());
        let hidden = false;
        Self { folder, id, run_guard, troubles, handle, fate, delivering, hidden, ended, due, pause, told, begun }
    }

    /// Sets the queue of a run that this worker starts now.
    pub fn begun(mut self, queue: QueueName) -> Self {
        self.begun = Some((queue, Instant::now()));
        self
    }

    /// Sets `hidden`: the supervisor lives but cannot be seen.
    pub fn hidden(mut self, hidden: bool) -> Self {
        self.hidden = hidden;
        self
    }

    /// Records a refusal that the supervisor reported, or deletes it when the server accepts the call again.
    fn note(&mut self, notice: &Notice) {
        match &notice.why {
            // Semicolons are replaced, because they separate the parts of a worker's report.
            Some(why) => {
                let text = format!("{}{}", notice.about.trouble(&self.id), why.replace(';', ","));
                self.troubles.insert(notice.about, clean_line(&text, TROUBLE));
            }
            None => {
                self.troubles.remove(&notice.about);
            }
        }
    }

    /// Returns the end of a task that this worker started, if its supervisor reported the end.
    fn ending(&mut self, status: Option<ExitStatus>) -> Option<Ending> {
        let (queue, begun) = self.begun.take()?;
        let failed = status?.code() == Some(FAILED.into());
        Some(Ending { queue, ran: begun.elapsed(), failed, unfit: None })
    }
}

impl State {
    /// Returns the number of occupied slots.
    fn running(&self) -> usize {
        self.kept.values().filter(|kept| !kept.delivering).count()
    }

    /// Returns the reasons why the worker takes fewer tasks, and the refusals that its supervisors reported.
    fn trouble(&self) -> Option<String> {
        let mut refused: Vec<&String> = self.kept.values().flat_map(|kept| kept.troubles.values()).collect();
        refused.sort();
        let all = self.trouble.iter().chain(refused).chain(self.ails.values());
        let all: Vec<&str> = all.map(String::as_str).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

#[derive(Debug, Default)]
struct State {
    kept: HashMap<PathBuf, Kept>,
    /// Time at which the worker stopped taking tasks.
    draining: Option<Instant>,
    /// True if all supervisors must stop.
    stopping: bool,
    /// True when the worker has no more work.
    ended: bool,
    /// Names of the threads that have ended.
    over: Vec<&'static str>,
    /// Name of a thread that panicked.
    broken: Option<&'static str>,
    failed: LastHour,
    /// Ends of tasks since the last call of `endings`.
    endings: Vec<Ending>,
    /// Reason why the worker takes fewer tasks than it could.
    trouble: Option<String>,
    /// Other problems of the host, by subject.
    ails: BTreeMap<&'static str, String>,
    /// Queues whose calls the server refuses.
    aside: Vec<QueueName>,
    /// Reason why a task could not be started since the last call of `sickness`.
    sick: Option<String>,
}

/// The end of a supervisor whose task has not ended.
#[derive(Clone, Debug)]
pub struct Fate {
    pub words: String,
    /// The resource that the host lacks, according to the supervisor's exit status.
    pub shortage: Option<Shortage>,
}

impl Fate {
    fn of(status: ExitStatus) -> Self {
        let words = match status.signal().map(Signal::try_from) {
            Some(Ok(signal)) => format!("its supervisor was killed by {signal}"),
            _ => format!("its supervisor ended before it ({status})"),
        };
        Self { words, shortage: status.code().and_then(Shortage::of_code) }
    }
}

/// Returns the message for the end of a task.
fn end_words(id: &str, status: Option<ExitStatus>) -> String {
    match status.and_then(|status| status.code()).and_then(|code| u8::try_from(code).ok()) {
        Some(LOST) => format!("{id}: lost its lease: its result is discarded"),
        Some(0) => format!("ended {id}: complete"),
        Some(FAILED) => format!("ended {id}: failed"),
        Some(RELEASED) => format!("ended {id}: given back"),
        _ => format!("ended {id}"),
    }
}

/// Converts supervisors' notices to messages. Notices with the same text share a line, because an outage affects many
/// tasks alike.
fn news(said: Vec<(String, Notice)>) -> Vec<String> {
    let mut of: Vec<(String, Vec<String>)> = Vec::new();
    for (id, notice) in said {
        let text = clean_line(&notice.text, TEXT);
        match of.iter_mut().find(|(known, _)| *known == text) {
            Some((_, ids)) => ids.push(id),
            None => of.push((text, vec![id])),
        }
    }
    let line = |(text, ids): (String, Vec<String>)| match ids.as_slice() {
        [id] => format!("{id}: {text}"),
        all => {
            let named: Vec<&str> = all.iter().take(NAMED).map(String::as_str).collect();
            let more = if all.len() > NAMED { ", …" } else { "" };
            format!("{} tasks ({}{more}): {text}", all.len(), named.join(", "))
        }
    };
    of.into_iter().map(line).collect()
}

/// State that the worker's threads share.
#[derive(Debug)]
pub struct Pool {
    slots: Arc<Slots>,
    /// Index of the partition in `slots`.
    index: usize,
    /// The partition, if the worker serves several.
    partition: Option<String>,
    pub quiet: bool,
    state: Mutex<State>,
    changed: Condvar,
    /// Wakes the thread that watches the supervisors.
    wake: UnixStream,
}

/// A running thread of the worker.
pub struct Part<'a> {
    pool: &'a Pool,
    name: &'static str,
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        let broken = std::thread::panicking().then_some(self.name);
        self.pool.change(|state| {
            state.over.push(self.name);
            state.broken = state.broken.or(broken);
        });
    }
}

impl Pool {
    pub fn new((slots, index): (Arc<Slots>, usize), partition: Option<String>, quiet: bool, wake: UnixStream) -> Self {
        Self { slots, index, partition, quiet, state: Mutex::default(), changed: Condvar::new(), wake }
    }

    /// Logs a line about this partition.
    pub fn say(&self, text: &str) {
        match &self.partition {
            Some(partition) => self.say_for_all(&format!("partition {partition}: {text}")),
            None => self.say_for_all(text),
        }
    }

    /// Logs a line about the whole worker.
    pub fn say_for_all(&self, text: &str) {
        if !self.quiet {
            log::info(text);
        }
    }

    /// Logs a problem of this partition.
    pub fn warn(&self, text: &str) {
        if !self.quiet {
            match &self.partition {
                Some(partition) => log::warning(&format!("partition {partition}: {text}")),
                None => log::warning(text),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let answer = change(&mut self.lock());
        self.slots.update(self.index, || self.running());
        self.changed.notify_all();
        // An error is ignored: if the pipe is full, the watcher is awake.
        let _ = (&self.wake).write(&[0]);
        answer
    }

    fn wait_until<T>(&self, limit: Duration, mut look: impl FnMut(&mut State) -> Option<T>) -> Option<T> {
        let mut found = None;
        drop(self.changed.wait_timeout_while(self.lock(), limit, |state| {
            found = look(state);
            found.is_none()
        }));
        found
    }

    pub fn add(&self, kept: Kept) {
        self.change(|state| state.kept.insert(kept.folder.path().to_owned(), kept));
    }

    pub fn remove(&self, folder: &Path) {
        self.change(|state| state.kept.remove(folder));
    }

    pub fn knows(&self, folder: &Path) -> bool {
        self.lock().kept.contains_key(folder)
    }

    /// Returns the number of running tasks.
    pub fn running(&self) -> usize {
        self.lock().running()
    }

    /// Returns the number of running tasks that an ending worker waits for. Hidden supervisors do not count, because
    /// the worker cannot ask them to stop.
    pub fn awaited(&self) -> usize {
        self.lock().kept.values().filter(|kept| !kept.delivering && !kept.hidden).count()
    }

    /// Returns true if the worker keeps no run, not even a run whose end must still be sent.
    pub fn is_empty(&self) -> bool {
        self.lock().kept.is_empty()
    }

    /// Waits until there are free slots and it is the turn of this partition. Returns the number of tasks that it may
    /// take. These slots are reserved until `release`. Returns zero if the worker drains, `None` after the limit.
    pub fn free(&self, limit: Duration) -> Option<usize> {
        self.release();
        self.slots.claim(self.index, limit, || self.draining().is_some())
    }

    /// Releases slots for which no task was taken, so that other partitions can use them.
    pub fn release(&self) {
        self.slots.release(self.index);
    }

    /// Returns true if several partitions share the slots.
    pub fn shares(&self) -> bool {
        self.slots.are_shared()
    }

    /// Pauses for `limit`, or until the worker drains.
    pub fn pause(&self, limit: Duration) {
        self.wait_until(limit, |state| state.draining.map(|_| ()));
    }

    /// Stops taking tasks.
    pub fn drain(&self) {
        self.change(|state| *state.draining.get_or_insert_with(Instant::now));
        self.slots.wake();
    }

    /// Drains the worker because an operator ordered it.
    pub fn ordered(&self) {
        if self.draining().is_none() {
            self.say("ordered to drain");
            self.drain();
        }
    }

    /// Waits until the report has changed or the worker ends, at most for `limit`. Returns false when the worker ends.
    pub fn wait_for_change(&self, limit: Duration) -> bool {
        let was = (self.draining().is_some(), self.trouble());
        let changed = |state: &mut State| {
            (state.ended || state.draining.is_some() != was.0 || state.trouble() != was.1).then_some(())
        };
        self.wait_until(limit, changed);
        !self.lock().ended
    }

    /// Marks the beginning of a thread. Dropping the returned value marks its end, and wakes the watcher.
    pub fn part(&self, name: &'static str) -> Part<'_> {
        Part { pool: self, name }
    }

    /// Returns true if the thread with this name has ended.
    pub fn is_over(&self, name: &str) -> bool {
        self.lock().over.contains(&name)
    }

    /// Waits for the end of a thread. Returns true if it ended in time.
    pub fn waits_for(&self, name: &str, limit: Duration) -> bool {
        self.wait_until(limit, |state| state.over.contains(&name).then_some(())).is_some()
    }

    /// Returns the name of a thread that panicked.
    pub fn broken(&self) -> Option<&'static str> {
        self.lock().broken
    }

    /// Returns the ends of tasks since the last call.
    pub fn endings(&self) -> Vec<Ending> {
        std::mem::take(&mut self.lock().endings)
    }

    /// Sets the reason why the worker takes fewer tasks than it could, `None` if it takes all it could.
    pub fn set_trouble(&self, trouble: Option<String>) {
        if self.lock().trouble != trouble {
            self.change(|state| state.trouble = trouble);
        }
    }

    /// Sets a problem of the host for the worker's record, `None` if the problem is gone.
    pub fn ails(&self, subject: &'static str, what: Option<String>) {
        // Semicolons are replaced, because they separate the parts of a worker's report.
        let what = what.map(|what| what.replace(';', ","));
        if self.lock().ails.get(subject) != what.as_ref() {
            self.change(|state| match what {
                Some(what) => drop(state.ails.insert(subject, what)),
                None => drop(state.ails.remove(subject)),
            });
        }
    }

    /// Returns the number of attempts that failed in the last hour.
    pub fn failed(&self) -> u64 {
        self.lock().failed.count()
    }

    pub fn ailment(&self, subject: &'static str) -> Option<String> {
        self.lock().ails.get(subject).cloned()
    }

    /// Sets the queues that are left out because the server refuses their calls.
    pub fn set_aside(&self, queues: Vec<QueueName>) {
        self.lock().aside = queues;
    }

    pub fn aside(&self) -> Vec<QueueName> {
        self.lock().aside.clone()
    }

    /// Returns the text about present problems for the worker's record.
    pub fn trouble(&self) -> Option<String> {
        self.lock().trouble()
    }

    /// Waits for the end of the pool, at most for `limit`. Returns true if it has ended.
    pub fn ends_within(&self, limit: Duration) -> bool {
        self.wait_until(limit, |state| state.ended.then_some(())).is_some()
    }

    /// Ends the pool, after all tasks have ended. The threads that still run only poll, and end soon.
    pub fn end(&self) {
        self.change(|state| state.ended = true);
    }

    /// Returns the number of slots, and the number of free slots.
    pub fn slots(&self) -> (usize, usize) {
        (self.slots.all, self.slots.free())
    }

    /// Returns the time at which the worker stopped taking tasks.
    pub fn draining(&self) -> Option<Instant> {
        self.lock().draining
    }

    /// Asks every supervisor to stop, including supervisors that are found later.
    pub fn stop(&self) {
        if !self.lock().stopping {
            self.change(|state| state.stopping = true);
        }
    }

    /// Returns file descriptors that become readable at the end of a supervisor. The flag is false if some supervisors
    /// must be polled.
    pub fn fds(&self) -> (Vec<Arc<OwnedFd>>, bool) {
        let state = self.lock();
        let handles: Vec<&Handle> = state.kept.values().filter_map(|kept| kept.handle.as_ref()).collect();
        let fds: Vec<_> = handles.iter().filter_map(|handle| handle.fd()).collect();
        let all = fds.len() == handles.len();
        (fds, all)
    }

    /// Reads new notices of supervisors, records refusals and logs the notices.
    pub fn hear(&self) {
        let keepers: Vec<(PathBuf, String, Arc<RunGuard>)> = {
            let state = self.lock();
            state.kept.iter().map(|(path, kept)| (path.clone(), kept.id.clone(), kept.run_guard.clone())).collect()
        };
        // The notices are read without the lock, because reading files takes time.
        let heard = keepers.into_iter().map(|(path, id, run_guard)| (path, id, run_guard.notices()));
        let heard: Vec<_> = heard.filter(|(_, _, notices)| !notices.is_empty()).collect();
        if heard.is_empty() {
            return;
        }
        self.change(|state| {
            for (path, _, notices) in &heard {
                if let Some(kept) = state.kept.get_mut(path) {
                    for notice in notices {
                        kept.note(notice);
                    }
                }
            }
        });
        let said = heard.into_iter().flat_map(|(_, id, all)| all.into_iter().map(move |notice| (id.clone(), notice)));
        for line in news(said.collect()) {
            self.warn(&line);
        }
    }

    /// Checks which supervisors have ended. Asks the others to stop, if they must.
    pub fn look(&self) {
        let (mut words, mut over) = (Vec::new(), Vec::new());
        {
            let mut state = self.lock();
            let (stopping, draining) = (state.stopping, state.draining.is_some());
            state.kept.retain(|path, kept| {
                let Some(handle) = &mut kept.handle else { return true };
                if stopping && kept.told.is_none() && !kept.delivering {
                    kept.told = Some(Instant::now());
                    handle.stop();
                }
                let Some(status) = handle.ended() else {
                    if draining && !kept.delivering && kept.folder.has_ended() {
                        // The supervisor has stored the end, but the server has not accepted it for some time.
                        kept.delivering = kept.ended.get_or_insert_with(Instant::now).elapsed() > PATIENCE;
                    }
                    return true;
                };
                kept.handle = None;
                if !path.exists() {
                    over.push((kept.id.clone(), kept.run_guard.clone(), status, kept.ending(status)));
                    return false;
                }
                kept.fate = status.map(Fate::of);
                let how = status.map_or(String::new(), |status| format!(" ({status})"));
                let what = if kept.delivering { "the end could be settled" } else { "its task" };
                words.push(format!("the supervisor of {} ended before {what}{how}", kept.id));
                true
            });
        }
        let (mut said, mut endings) = (Vec::new(), Vec::new());
        let ended = !over.is_empty();
        for (id, run_guard, status, ending) in over {
            said.extend(run_guard.notices().into_iter().map(|notice| (id.clone(), notice)));
            let unfit = run_guard.unfit();
            if !run_guard.has_lost() && !unfit.as_ref().is_some_and(|unfit| unfit.given_back) {
                words.push(end_words(&id, status));
            }
            if status.and_then(|status| status.code()) == Some(FAILED.into()) {
                self.lock().failed.add();
            }
            endings.extend(ending.map(|ending| Ending { unfit, ..ending }));
        }
        if ended || !words.is_empty() {
            self.change(|state| state.endings.extend(endings));
        }
        words.splice(..0, news(said));
        for word in words {
            self.say(&word);
        }
    }

    /// Returns the runs that were asked to stop at least `grace` ago and still run.
    pub fn overdue(&self, grace: Duration) -> Vec<PathBuf> {
        let state = self.lock();
        let overdue = |kept: &&Kept| kept.handle.is_some() && kept.told.is_some_and(|told| told.elapsed() >= grace);
        state.kept.values().filter(overdue).map(|kept| kept.folder.path().to_owned()).collect()
    }

    /// Waits for a run whose supervisor has ended and whose folder still exists.
    pub fn next_left(&self, limit: Duration) -> Option<RunFolder> {
        self.wait_until(limit, |state| {
            let now = Instant::now();
            let kept = state.kept.values_mut().find(|kept| kept.handle.is_none() && kept.due <= now)?;
            kept.due = now + kept.pause;
            kept.pause = (kept.pause * 2).min(LONGEST_REST);
            Some(kept.folder.clone())
        })
    }

    /// Schedules another check of a run whose supervisor is hidden.
    pub fn ask_again(&self, folder: &Path) {
        if let Some(kept) = self.lock().kept.get_mut(folder) {
            kept.due = Instant::now() + AGAIN;
        }
    }

    /// Returns how the supervisor of a run ended, if this worker saw it.
    pub fn fate(&self, folder: &Path) -> Option<Fate> {
        self.lock().kept.get(folder)?.fate.clone()
    }

    /// Records why a task could not be started here.
    pub fn cannot_begin(&self, why: String) {
        self.change(|state| state.sick = Some(why));
    }

    /// Returns the reason why a task could not be started since the last call.
    pub fn sickness(&self) -> Option<String> {
        self.lock().sick.take()
    }

    /// Records a new supervisor for a run. `delivering`: the supervisor only sends the end of the run.
    pub fn resume(&self, folder: &Path, handle: Handle, delivering: bool) {
        self.change(|state| {
            if let Some(kept) = state.kept.get_mut(folder) {
                (kept.handle, kept.delivering, kept.hidden) = (Some(handle), delivering, false);
                // The new supervisor reports refusals again.
                kept.troubles.clear();
            }
        });
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Read;
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;

    use super::{About, Notice, Pool, Slots, news};

    #[test]
    fn the_same_of_many_tasks_is_said_in_one_line() {
        let said = |id: &str, text: &str| (id.to_owned(), Notice::new(About::Lease, text.into()));
        assert_eq!(
            news(vec![said("a", "gone"), said("b", "back"), said("b", "gone"), said("c", "gone"), said("d", "gone")]),
            ["4 tasks (a, b, c, …): gone", "b: back"]
        );
        assert_eq!(news(vec![said("a", "gone"), said("b", "gone")]), ["2 tasks (a, b): gone"]);
    }

    #[test]
    fn the_end_of_a_part_wakes_whoever_watches_and_a_panic_is_told() {
        let (wake, mut woken) = UnixStream::pair().unwrap();
        let pool = Arc::new(Pool::new((Arc::new(Slots::new(1, 1)), 0), None, true, wake));
        let end = |name, panics: bool| {
            let pool = pool.clone();
            let part = std::thread::spawn(move || {
                let _end = pool.part(name);
                assert!(!panics, "as a defect would");
            });
            let _ = part.join();
        };
        let mut byte = [0];
        end("reports", false);
        woken.read_exact(&mut byte).unwrap();
        assert!(pool.is_over("reports") && !pool.is_over("maintenance") && pool.broken().is_none());
        end("maintenance", true);
        woken.read_exact(&mut byte).unwrap();
        assert_eq!(pool.broken(), Some("maintenance"));
    }
}
