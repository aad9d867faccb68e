//! The runs that this worker keeps, and what its threads tell each other.

use std::collections::HashMap;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use blueque::QueueName;
use nix::sys::signal::Signal;

use super::PATIENCE;
use super::handle::Handle;
use super::keeper::Keeper;
use super::pace::Ending;
use crate::lack::Lack;
use crate::output::say;
use crate::run_folder::RunFolder;
use crate::supervisor::{DISCARDED, FAILED, LOST};

/// The longest pause before another try on a run that could not be settled.
const LONGEST: Duration = Duration::from_secs(60);

/// A run of this worker.
#[derive(Debug)]
pub struct Kept {
    pub folder: RunFolder,
    pub id: String,
    _keeper: Keeper,
    /// None once it has ended and left its folder behind: somebody has to settle that.
    pub handle: Option<Handle>,
    /// What became of its supervisor, where that was seen.
    fate: Option<Fate>,
    /// Only its end is left to be sent: that takes no slot, and the worker may end meanwhile.
    delivering: bool,
    /// Since when its end was seen to wait on the disk.
    ended: Option<Instant>,
    /// When to settle it, and the pause after that.
    due: Instant,
    pause: Duration,
    /// When its supervisor was told to stop.
    told: Option<Instant>,
    /// For a task that this worker began: its queue, and when.
    begun: Option<(QueueName, Instant)>,
}

impl Kept {
    pub fn new(folder: RunFolder, id: String, keeper: Keeper, handle: Option<Handle>) -> Self {
        let (due, pause) = (Instant::now(), Duration::from_millis(500));
        let (fate, delivering, ended, told, begun) = (None, false, None, None, None);
        Self { folder, id, _keeper: keeper, handle, fate, delivering, ended, due, pause, told, begun }
    }
}

impl Kept {
    /// Of a queue, begun now.
    pub fn begun(mut self, queue: QueueName) -> Self {
        self.begun = Some((queue, Instant::now()));
        self
    }

    /// How its task ended, where its supervisor said so to this worker.
    fn ending(&mut self, status: Option<ExitStatus>) -> Option<Ending> {
        let (queue, begun) = self.begun.take()?;
        let failed = status?.code() == Some(FAILED.into());
        Some(Ending { queue, ran: begun.elapsed(), failed })
    }
}

impl State {
    /// How many slots are taken.
    fn running(&self) -> usize {
        self.kept.values().filter(|kept| !kept.delivering).count()
    }
}

#[derive(Debug, Default)]
struct State {
    kept: HashMap<PathBuf, Kept>,
    /// Since when no task is taken any more.
    draining: Option<Instant>,
    /// Supervisors are told to stop.
    stopping: bool,
    /// Nothing is left to be done.
    ended: bool,
    /// The parts of the worker that have ended.
    over: Vec<&'static str>,
    /// A part of the worker that ended by a panic.
    broken: Option<&'static str>,
    /// How tasks ended, until somebody asks.
    endings: Vec<Ending>,
    /// Why the worker takes less than it could.
    trouble: Option<String>,
    /// The queues whose calls the server refuses.
    aside: Vec<QueueName>,
    /// Why a task could not be begun, until somebody asks.
    sick: Option<String>,
}

/// What became of a supervisor that ended before its task.
#[derive(Clone, Debug)]
pub struct Fate {
    pub words: String,
    /// What it said that the host lacks.
    pub lack: Option<Lack>,
}

impl Fate {
    fn of(status: ExitStatus) -> Self {
        let words = match status.signal().map(Signal::try_from) {
            Some(Ok(signal)) => format!("its supervisor was killed by {signal}"),
            _ => format!("its supervisor ended before it ({status})"),
        };
        Self { words, lack: status.code().and_then(Lack::of_code) }
    }
}

/// What is said of a task whose supervisor is done with it.
fn end_words(id: &str, status: Option<ExitStatus>) -> String {
    match status.and_then(|status| status.code()).and_then(|code| u8::try_from(code).ok()) {
        Some(LOST) => format!("{id} lost its lease: its program was killed, its result is thrown away"),
        Some(DISCARDED) => format!("{id} had lost its lease when it ended: its result is thrown away"),
        _ => format!("ended {id}"),
    }
}

/// Shared by the worker's threads.
#[derive(Debug)]
pub struct Pool {
    slots: usize,
    pub quiet: bool,
    state: Mutex<State>,
    changed: Condvar,
    /// Lets the thread that watches supervisors look.
    wake: UnixStream,
}

/// A part of the worker, as long as its thread runs.
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
    pub fn new(slots: usize, quiet: bool, wake: UnixStream) -> Self {
        Self { slots, quiet, state: Mutex::default(), changed: Condvar::new(), wake }
    }

    /// One line for each event, for people.
    pub fn say(&self, text: &str) {
        if !self.quiet {
            say(format!("blueque worker: {text}"));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let answer = change(&mut self.lock());
        self.changed.notify_all();
        // A full pipe wakes as well.
        let _ = (&self.wake).write(&[0]);
        answer
    }

    fn wait_until<T>(&self, limit: Duration, mut look: impl FnMut(&mut State) -> Option<T>) -> Option<T> {
        let end = Instant::now() + limit;
        let mut state = self.lock();
        loop {
            if let Some(found) = look(&mut state) {
                return Some(found);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
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

    /// How many tasks run.
    pub fn running(&self) -> usize {
        self.lock().running()
    }

    /// Waits for a free slot; false when no more tasks are to be taken, none when the limit has passed.
    pub fn slot_free(&self, limit: Duration) -> Option<bool> {
        let look = |state: &mut State| {
            let draining = state.draining.is_some();
            (draining || state.running() < self.slots).then_some(!draining)
        };
        self.wait_until(limit, look)
    }

    /// Pauses, at most until no more tasks are to be taken.
    pub fn pause(&self, limit: Duration) {
        self.wait_until(limit, |state| state.draining.map(|_| ()));
    }

    /// Takes no more tasks.
    pub fn drain(&self) {
        self.change(|state| *state.draining.get_or_insert_with(Instant::now));
    }

    /// An operator has ordered it to drain.
    pub fn ordered(&self) {
        if self.draining().is_none() {
            self.say("ordered to drain");
            self.drain();
        }
    }

    /// Waits until what it reports has changed, or it ends; at most for `limit`. False when it ends.
    pub fn wait_for_change(&self, limit: Duration) -> bool {
        let was = (self.draining().is_some(), self.trouble());
        let changed = |state: &mut State| {
            (state.ended || state.draining.is_some() != was.0 || state.trouble != was.1).then_some(())
        };
        self.wait_until(limit, changed);
        !self.lock().ended
    }

    /// Wakes whoever watches when this is dropped: at the end of a part of the worker.
    pub fn part(&self, name: &'static str) -> Part<'_> {
        Part { pool: self, name }
    }

    /// Whether a part of the worker has ended: known before whoever watches is woken.
    pub fn is_over(&self, name: &str) -> bool {
        self.lock().over.contains(&name)
    }

    /// Waits for the end of a part of the worker; whether it came in time.
    pub fn waits_for(&self, name: &str, limit: Duration) -> bool {
        self.wait_until(limit, |state| state.over.contains(&name).then_some(())).is_some()
    }

    /// The part of the worker that ended by a panic.
    pub fn broken(&self) -> Option<&'static str> {
        self.lock().broken
    }

    /// How tasks ended since this was asked last.
    pub fn endings(&self) -> Vec<Ending> {
        std::mem::take(&mut self.lock().endings)
    }

    /// Says why the worker takes less than it could; none where it takes all.
    pub fn set_trouble(&self, trouble: Option<String>) {
        if self.trouble() != trouble {
            self.change(|state| state.trouble = trouble);
        }
    }

    /// Says which queues are left aside because the server refuses their calls.
    pub fn set_aside(&self, queues: Vec<QueueName>) {
        self.lock().aside = queues;
    }

    pub fn aside(&self) -> Vec<QueueName> {
        self.lock().aside.clone()
    }

    pub fn trouble(&self) -> Option<String> {
        self.lock().trouble.clone()
    }

    /// Everything has ended but the process.
    pub fn end(&self) {
        self.change(|state| state.ended = true);
    }

    /// How many slots there are, and how many of them are free.
    pub fn slots(&self) -> (usize, usize) {
        (self.slots, self.slots.saturating_sub(self.running()))
    }

    /// Since when no task is taken.
    pub fn draining(&self) -> Option<Instant> {
        self.lock().draining
    }

    /// Tells every supervisor to stop, now and when it comes to be known.
    pub fn stop(&self) {
        if !self.lock().stopping {
            self.change(|state| state.stopping = true);
        }
    }

    /// What to wait on for the end of a supervisor; false where some can only be asked.
    pub fn fds(&self) -> (Vec<Arc<OwnedFd>>, bool) {
        let state = self.lock();
        let handles: Vec<&Handle> = state.kept.values().filter_map(|kept| kept.handle.as_ref()).collect();
        let fds: Vec<_> = handles.iter().filter_map(|handle| handle.fd()).collect();
        let all = fds.len() == handles.len();
        (fds, all)
    }

    /// Looks which supervisors have ended, and passes on an order to stop.
    pub fn look(&self) {
        let mut words = Vec::new();
        let mut left = false;
        {
            let mut state = self.lock();
            let (stopping, draining) = (state.stopping, state.draining.is_some());
            let mut endings = Vec::new();
            state.kept.retain(|path, kept| {
                let Some(handle) = &mut kept.handle else { return true };
                if stopping && kept.told.is_none() && !kept.delivering {
                    kept.told = Some(Instant::now());
                    handle.stop();
                }
                let Some(status) = handle.ended() else {
                    if draining && !kept.delivering && kept.folder.has_ended() {
                        // Its supervisor owns the end, which the server does not take just now.
                        kept.delivering = kept.ended.get_or_insert_with(Instant::now).elapsed() > PATIENCE;
                    }
                    return true;
                };
                kept.handle = None;
                if !path.exists() {
                    endings.extend(kept.ending(status));
                    words.push(end_words(&kept.id, status));
                    return false;
                }
                kept.fate = status.map(Fate::of);
                let how = status.map_or(String::new(), |status| format!(" ({status})"));
                let what = if kept.delivering { "the end could be settled" } else { "its task" };
                words.push(format!("the supervisor of {} ended before {what}{how}", kept.id));
                left = true;
                true
            });
            state.endings.extend(endings);
        }
        if !words.is_empty() {
            self.change(|_| ());
        }
        for word in words {
            self.say(&word);
        }
    }

    /// The runs that were told to stop so long ago and still run.
    pub fn overdue(&self, grace: Duration) -> Vec<PathBuf> {
        let state = self.lock();
        let overdue = |kept: &&Kept| kept.handle.is_some() && kept.told.is_some_and(|told| told.elapsed() >= grace);
        state.kept.values().filter(overdue).map(|kept| kept.folder.path().to_owned()).collect()
    }

    /// Waits for a run whose supervisor is gone and whose folder is not.
    pub fn next_left(&self, limit: Duration) -> Option<RunFolder> {
        self.wait_until(limit, |state| {
            let now = Instant::now();
            let kept = state.kept.values_mut().find(|kept| kept.handle.is_none() && kept.due <= now)?;
            kept.due = now + kept.pause;
            kept.pause = (kept.pause * 2).min(LONGEST);
            Some(kept.folder.clone())
        })
    }

    /// What became of the supervisor of a run, where this worker saw it.
    pub fn fate(&self, folder: &Path) -> Option<Fate> {
        self.lock().kept.get(folder)?.fate.clone()
    }

    /// A task could not be begun here, for this reason.
    pub fn cannot_begin(&self, why: String) {
        self.change(|state| state.sick = Some(why));
    }

    /// Why a task could not be begun, since this was asked last.
    pub fn sickness(&self) -> Option<String> {
        self.lock().sick.take()
    }

    /// A supervisor looks after a run that was left; perhaps only to send its end.
    pub fn resume(&self, folder: &Path, handle: Handle, delivering: bool) {
        self.change(|state| {
            if let Some(kept) = state.kept.get_mut(folder) {
                (kept.handle, kept.delivering) = (Some(handle), delivering);
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

    use super::Pool;

    #[test]
    fn the_end_of_a_part_wakes_whoever_watches_and_a_panic_is_told() {
        let (wake, mut woken) = UnixStream::pair().unwrap();
        let pool = Arc::new(Pool::new(1, true, wake));
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
        assert!(pool.is_over("reports") && !pool.is_over("upkeep") && pool.broken().is_none());
        end("upkeep", true);
        woken.read_exact(&mut byte).unwrap();
        assert_eq!(pool.broken(), Some("upkeep"));
    }
}
