//! Runs that an earlier worker left: living supervisors are watched on, ends that wait on the disk are
//! sent, and what a dead supervisor left is killed and given back.

use std::sync::Arc;
use std::time::Duration;

use blueque::calls::ReleaseOptions;
use blueque::{Client, Error, ListenerId, QueueName, TaskId, Token};

use super::handle::Handle;
use super::keeper::Keeper;
use super::pool::{Kept, Pool};
use super::remains;
use super::settings::Settings;
use crate::run_folder::lock::Process;
use crate::run_folder::{Run, RunFolder, VERSION, boot_clock_us, boot_id};

/// How often the folders of workers that died meanwhile are looked for.
const EVERY: Duration = Duration::from_secs(1);

/// The lease between taking an orphan over and giving it back.
const HANDOVER: Duration = Duration::from_secs(10);

/// So old, a folder without a supervisor is not one that is just being begun.
const BEGINNING_US: u64 = 60_000_000;

/// So old, a folder that is being made or removed is so no more.
const FORGOTTEN: Duration = Duration::from_secs(3_600);

/// Looks after run folders that nobody keeps.
pub struct Takeover {
    pub client: Client,
    pub settings: Arc<Settings>,
    pub pool: Arc<Pool>,
    pub listener: ListenerId,
}

/// The folder's task, by `run.json`; by the folder's name where that cannot be read.
struct Subject {
    id: String,
    token: u64,
    run: Option<Run>,
}

impl Takeover {
    /// Runs as long as the worker does.
    pub fn run(&self) {
        loop {
            while let Some(folder) = self.pool.next_left(EVERY) {
                self.settle(&folder);
            }
            if self.pool.draining().is_none() {
                self.scan();
            }
        }
    }

    /// Finds what is kept by nobody, and keeps it.
    pub fn scan(&self) {
        let folders = RunFolder::list(&self.settings.state, &self.settings.namespace).unwrap_or_default();
        for folder in folders {
            if self.pool.knows(folder.path()) {
                continue;
            }
            let Ok(Some(keeper)) = Keeper::of(&folder) else { continue };
            let Some(subject) = subject(&folder) else { continue };
            let holder = folder.holder();
            if holder.is_none() && subject.run.as_ref().is_some_and(is_being_begun) {
                continue;
            }
            // Asked of the kernel without touching the lock, which a supervisor may be taking just now.
            let handle = holder.and_then(|holder| Handle::of(holder.supervisor));
            if let Some(handle) = handle {
                if subject.run.as_ref().is_some_and(|run| self.settings.serves(&run.queue)) {
                    let pid = handle.process.pid;
                    self.pool.say(&format!("took over {}, supervisor {pid}", subject.id));
                    self.pool.add(Kept::new(folder, subject.id, keeper, Some(handle)));
                }
            } else {
                self.pool.say(&format!("found {}, whose supervisor is dead", subject.id));
                self.pool.add(Kept::new(folder, subject.id, keeper, None));
            }
        }
    }

    /// Settles a run that this worker keeps and whose supervisor is dead.
    fn settle(&self, folder: &RunFolder) {
        if !folder.path().exists() {
            return self.pool.remove(folder.path());
        }
        // The lock says for sure that no supervisor is left: one may have been started and not seen.
        let lock = match folder.lock() {
            Ok(Some(lock)) => lock,
            Ok(None) => {
                if let Some(handle) = folder.holder().and_then(|holder| Handle::of(holder.supervisor)) {
                    self.pool.resume(folder.path(), handle, false);
                }
                return;
            }
            Err(error) => return self.pool.say(&format!("{} cannot be locked: {error}", folder.path().display())),
        };
        let Some(subject) = subject(folder) else { return self.pool.remove(folder.path()) };
        if !remains::kill_all(folder.path()) {
            return self.pool.say(&format!("processes of {} cannot be killed yet", subject.id));
        }
        if folder.has_ended() && folder.read_end().is_ok() {
            drop(lock);
            match Handle::start(folder, self.settings.password.as_ref()) {
                Ok(handle) => self.pool.resume(folder.path(), handle, true),
                Err(error) => self.pool.say(&format!("no supervisor can be started: {error}")),
            }
            return;
        }
        match self.hand_back(folder, &subject) {
            Ok(()) => self.pool.say(&format!("gave {} back", subject.id)),
            Err(Error::Lost | Error::NotFound | Error::State { .. } | Error::Invalid { .. }) => {
                self.pool.say(&format!("{} is held by nobody here any more", subject.id));
            }
            Err(error) => return self.pool.say(&format!("{} cannot be given back yet: {error}", subject.id)),
        }
        if folder.remove().is_ok() {
            self.pool.remove(folder.path());
        }
    }

    /// Saves what the program saved last, and gives the task back: counted as lost, but for a listener
    /// that is this worker's own, which may only release.
    fn hand_back(&self, folder: &RunFolder, subject: &Subject) -> Result<(), Error> {
        let (calls, id, token) = (self.client.calls(), TaskId::new(subject.id.as_str())?, Token::from(subject.token));
        let from = subject.run.as_ref().and_then(|run| ListenerId::new(run.listener.as_str()).ok());
        let adopts = from.as_ref().is_some_and(|from| *from != self.listener);
        if let (Some(run), Ok(saved)) = (&subject.run, std::fs::read(folder.checkpoint())) {
            if saved.len() <= run.limits.max_bytes as usize {
                match self.client.call(&calls.checkpoint(&id, token, &saved, Some(run.limits.max_bytes))) {
                    // Refused after a forced cancel too, and that task is given back; one that is lost is so below.
                    Ok(()) | Err(Error::Lost) => {}
                    Err(error) => return Err(error),
                }
            } else {
                // Too large for the server: the next attempt on this host finds it here.
                let next = Run { attempt: run.attempt.saturating_add(u32::from(adopts)), ..run.clone() };
                let _ = folder.keep_checkpoint(&next);
            }
        }
        let orphan = ReleaseOptions::new().reason("orphan");
        match (&subject.run, from) {
            (Some(run), Some(from)) if adopts => {
                let queue = QueueName::new(run.queue.as_str())?;
                let request = format!("adopt-{}", subject.token);
                let adopted =
                    self.client.call(&calls.adopt(&self.listener, &from, &queue, &id, Some(HANDOVER), &request))?;
                match adopted {
                    Some(new) => self.client.call(&calls.release(&id, new.token, orphan)).map(|_| ()),
                    None => Ok(()),
                }
            }
            _ => self.client.call(&calls.release(&id, token, orphan)).map(|_| ()),
        }
    }
}

/// Kills what dead supervisors left. For a worker that cannot reach the server yet: elsewhere it may be
/// reached, and the task taken.
pub fn sweep(settings: &Settings) {
    for folder in RunFolder::list(&settings.state, &settings.namespace).unwrap_or_default() {
        let Ok(Some(_keeper)) = Keeper::of(&folder) else { continue };
        if folder.holder().is_some_and(|holder| !holder.supervisor.lives()) {
            remains::kill_all(folder.path());
        }
    }
}

/// Removes what crashes left of folders that were being made or removed; they are hidden from `list`.
pub fn tidy(settings: &Settings) {
    let runs = settings.state.join(&settings.namespace).join("runs");
    for entry in std::fs::read_dir(runs).into_iter().flatten().flatten() {
        let old = || entry.metadata().ok()?.modified().ok()?.elapsed().ok().filter(|&age| age > FORGOTTEN);
        if entry.file_name().as_encoded_bytes().starts_with(b".") && old().is_some() {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// None for a folder that a later version made.
fn subject(folder: &RunFolder) -> Option<Subject> {
    if let Ok(run) = folder.read() {
        return Some(Subject { id: run.id.clone(), token: run.token, run: Some(run) });
    }
    let text = std::fs::read(folder.run()).ok();
    let json = text.and_then(|text| serde_json::from_slice::<serde_json::Value>(&text).ok());
    let version = json.as_ref().and_then(|json| json.get("version")).and_then(serde_json::Value::as_u64);
    if version.is_some_and(|version| version > u64::from(VERSION)) {
        return None;
    }
    let (id, token) = folder.path().file_name()?.to_str()?.rsplit_once('.')?;
    Some(Subject { id: id.to_owned(), token: token.parse().ok()?, run: None })
}

/// Whether a living worker has just made the folder and has yet to start its supervisor.
fn is_being_begun(run: &Run) -> bool {
    let Ok(listener) = ListenerId::new(run.listener.as_str()) else { return false };
    let pid = i32::try_from(listener.host_and_pid().1).unwrap_or(0);
    let age = boot_clock_us().saturating_sub(run.renewed_us);
    run.boot == boot_id() && age < BEGINNING_US && Process::of(pid).is_some()
}
