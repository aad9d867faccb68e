//! Takes over runs of earlier workers. Running supervisors are watched, and stored ends are sent. If a supervisor is
//! dead, the leftover processes of its run are killed, and the task is given back. Runs of other servers, whose workers
//! share the state folder, are not touched.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use blueque::calls::{CheckpointOptions, ReleaseOptions};
use blueque::{Client, Error, ListenerId, Status, TaskId, TaskInfo, Token};

use super::handle::Handle;
use super::pool::{Kept, Pool};
use super::queue_backoff::pause;
use super::run_guard::RunGuard;
use super::settings::Settings;
use super::verbose::Verbose;
use crate::output::unnumbered;
use crate::processes::leftovers;
use crate::run_folder::end::{End, Found, Outcome, PostMortem};
use crate::run_folder::{Run, RunFolder, VERSION, boot_clock_us, boot_id, machine_id, names, open, space};
use crate::server::{host, identity};

/// Interval between searches for folders of workers that died.
const EVERY: Duration = Duration::from_secs(1);

/// Age in microseconds below which a run without a supervisor may just be starting.
const BEGINNING_US: u64 = 60_000_000;

/// Describes a run whose lock is held by a process that this worker cannot see.
const UNSEEN: &str = "whose supervisor lives and cannot be seen from here: in another container, or /proc is mounted with \
                      hidepid; it takes a slot until it ends";

/// Interval between removals of leftovers of crashes.
const TIDY: Duration = Duration::from_secs(30);

/// Finds run folders without a run guard, and takes over their runs.
pub struct Takeover {
    client: Client,
    settings: Arc<Settings>,
    pool: Arc<Pool>,
    verbose: Option<Arc<Verbose>>,
    /// Identities of the servers of all partitions of this worker.
    served: Arc<BTreeSet<String>>,
    /// Run folders that belong to another host, or to another server: of this worker's other partitions, or of other
    /// workers.
    alien: Mutex<HashSet<PathBuf>>,
}

/// The task of a run folder. If `run.json` cannot be read, the id and the token come from the name of the folder.
struct Subject {
    id: String,
    token: u64,
    run: Option<Run>,
}

impl Takeover {
    pub fn new(
        client: Client,
        settings: Arc<Settings>,
        served: Arc<BTreeSet<String>>,
        pool: Arc<Pool>,
        verbose: Option<Arc<Verbose>>,
    ) -> Self {
        Self { client, settings, pool, verbose, served, alien: Mutex::default() }
    }

    /// Runs until the pool has ended.
    pub fn run(&self) {
        let (mut tidied, mut left) = (None::<Instant>, BTreeSet::new());
        loop {
            if tidied.is_none_or(|at| at.elapsed() > TIDY) {
                tidied = Some(Instant::now());
                left = self.tidy(&left);
            }
            while let Some(folder) = self.pool.next_left(EVERY) {
                self.settle(&folder);
            }
            self.pool.hear();
            if self.pool.ends_within(Duration::ZERO) {
                return;
            }
            if self.pool.draining().is_none() {
                self.scan();
            }
        }
    }

    /// Removes leftovers of crashes. Reports a leftover that cannot be removed once. It is part of the worker's record
    /// until it is removed.
    fn tidy(&self, known: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
        let left = RunFolder::tidy(&self.settings.state, &self.settings.namespace);
        let words = |left: &[&(PathBuf, io::Error)]| {
            let (path, error) = left.first()?;
            let number = left.len();
            let which = if number == 1 { "a left run folder".to_owned() } else { format!("{number} left run folders") };
            let path = path.display();
            Some(format!("{which} cannot be removed: {path}: {error}: files of another user? Remove it by hand"))
        };
        let new: Vec<_> = left.iter().filter(|(path, _)| !known.contains(path)).collect();
        if let Some(words) = words(&new) {
            self.pool.warn(&words);
        }
        self.pool.ails("folders", words(&left.iter().collect::<Vec<_>>()).map(|words| unnumbered(&words)));
        left.into_iter().map(|(path, _)| path).collect()
    }

    /// Finds folders without a run guard, and becomes their run guard.
    pub fn scan(&self) {
        let folders = RunFolder::list(&self.settings.state, &self.settings.namespace).unwrap_or_default();
        self.note_aliens(&folders);
        self.note_other_hosts(&folders);
        for folder in folders {
            if self.pool.knows(folder.path()) || self.aliens().contains(folder.path()) {
                continue;
            }
            let Some(subject) = subject(&folder) else { continue };
            let Ok(Some(run_guard)) = RunGuard::of(&folder) else { continue };
            let holder = folder.holder();
            if holder.is_none() && subject.run.as_ref().is_some_and(is_being_begun) {
                continue;
            }
            // The check uses the process id and not the lock. Taking the lock could disturb a supervisor that is about
            // to take it.
            let handle = holder.and_then(|holder| Handle::of(holder.supervisor));
            if let Some(handle) = handle {
                // If `run.json` cannot be read, the queue is unknown. Such a run takes a slot of this worker.
                if subject.run.as_ref().is_none_or(|run| self.settings.serves(&run.queue)) {
                    let pid = handle.process.pid;
                    let but = if subject.run.is_none() { "; its run.json cannot be read" } else { "" };
                    self.pool.say(&format!("took over {}, supervisor {pid}{but}", subject.id));
                    if let (Some(verbose), Some(run)) = (&self.verbose, &subject.run) {
                        verbose.add(&folder, run);
                    }
                    self.pool.add(Kept::new(folder, subject.id, run_guard, Some(handle)));
                }
            } else {
                // If the lock is held, the supervisor lives, even if this worker cannot see its process.
                let hidden = matches!(folder.lock(), Ok(None));
                let what = if hidden { UNSEEN } else { "whose supervisor is dead" };
                self.pool.say(&format!("found {}, {what}", subject.id));
                self.pool.add(Kept::new(folder, subject.id, run_guard, None).hidden(hidden));
            }
        }
    }

    /// Records the folders of other servers. Reports how many of them belong to other workers, if the number has grown.
    fn note_aliens(&self, folders: &[RunFolder]) {
        let mut alien = self.aliens();
        alien.retain(|path| folders.iter().any(|folder| folder.path() == path));
        let others = folders.iter().filter(|folder| !self.pool.knows(folder.path()) && !alien.contains(folder.path()));
        let found: Vec<PathBuf> =
            others.filter(|folder| !self.is_own(folder)).map(|one| one.path().to_owned()).collect();
        let others = |folder: &PathBuf| {
            let run = RunFolder::at(folder).read();
            !run.is_ok_and(|run| self.served.contains(&identity(&run.url)))
        };
        let has_grown = found.iter().any(others);
        alien.extend(found);
        if has_grown {
            let number = alien.iter().filter(|folder| others(folder)).count();
            let which = if number == 1 { "1 run here belongs" } else { &format!("{number} runs here belong") };
            self.pool
                .warn(&format!("{which} to another server, database or user: a worker with that URL looks after them"));
        }
    }

    /// Records the folders of other hosts that share the state folder, and reports new folders. This worker cannot find
    /// out if their supervisors live: it sees neither their processes nor, on some file systems, their locks.
    fn note_other_hosts(&self, folders: &[RunFolder]) {
        let mut alien = self.aliens();
        let (mut hosts, mut number) = (BTreeSet::new(), 0);
        for folder in folders.iter().filter(|folder| !self.pool.knows(folder.path())) {
            if alien.contains(folder.path()) {
                continue;
            }
            let Some(host) = folder.read().ok().filter(is_elsewhere).and_then(|run| host(&run.listener)) else {
                continue;
            };
            alien.insert(folder.path().to_owned());
            number += 1;
            hosts.insert(host);
        }
        if number > 0 {
            let hosts = hosts.into_iter().collect::<Vec<_>>().join(", ");
            let which = if number == 1 { "1 run here is".to_owned() } else { format!("{number} runs here are") };
            self.pool.say(&format!(
                "{which} of another host ({hosts}) and left alone: give each host a state folder of its own; \
                 of a host that is gone, remove the folders in {}",
                space(&self.settings.state, &self.settings.namespace).join("runs").display()
            ));
        }
    }

    fn aliens(&self) -> MutexGuard<'_, HashSet<PathBuf>> {
        self.alien.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if a run belongs to this worker's server and user, or cannot be read.
    fn is_own(&self, folder: &RunFolder) -> bool {
        folder.read().map_or(true, |run| identity(&run.url) == self.settings.server)
    }

    /// Cleans up a run that this worker watches and whose supervisor is dead.
    fn settle(&self, folder: &RunFolder) {
        if !folder.path().exists() {
            return self.pool.remove(folder.path());
        }
        // Only this worker's lock proves that no supervisor is left. A supervisor may have been started unnoticed.
        let lock = match folder.lock() {
            Ok(Some(lock)) => lock,
            Ok(None) => {
                match folder.holder().and_then(|holder| Handle::of(holder.supervisor)) {
                    Some(handle) => self.pool.resume(folder.path(), handle, false),
                    None => self.pool.ask_again(folder.path()),
                }
                return;
            }
            Err(error) => return self.pool.warn(&format!("{} cannot be locked: {error}", folder.path().display())),
        };
        let begun = !lock.is_blank();
        let living = leftovers::supervisor(folder.path()).and_then(Handle::of);
        if let Some(handle) = living {
            self.pool.say(&format!("took over {}, whose lock file was removed", folder.path().display()));
            return self.pool.resume(folder.path(), handle, folder.has_ended());
        }
        let Some(subject) = subject(folder).filter(|_| self.is_own(folder)) else {
            return self.pool.remove(folder.path());
        };
        if !leftovers::kill_all(folder.path()) {
            return self.pool.warn(&format!("processes of {} cannot be killed yet", subject.id));
        }
        let ended = match folder.find_end() {
            Ok(found) => matches!(found, Found::Whole(..)),
            Err(error) => return self.pool.warn(&format!("the end of {} cannot be read yet: {error}", subject.id)),
        };
        if ended {
            drop(lock);
            match Handle::start(folder, &self.settings.server, self.settings.password.as_ref()) {
                Ok(handle) => self.pool.resume(folder.path(), handle, true),
                Err(error) => self.pool.warn(&format!("no supervisor can be started: {error}")),
            }
            return;
        }
        if !begun && let Some(fate) = self.pool.fate(folder.path()) {
            self.pool.cannot_begin(fate.shortage.map_or(fate.words, |shortage| shortage.words(&self.settings.state)));
        }
        match self.hand_back(folder, &subject, begun) {
            Ok(()) => self.pool.say(&format!("gave {} back", subject.id)),
            Err(Error::Lost | Error::NotFound | Error::State { .. } | Error::Invalid { .. }) => {
                if subject.run.is_none() {
                    // The folder may belong to another server, because its server is unknown.
                    let shown = folder.path().display();
                    self.pool
                        .warn(&format!("{shown} belongs to no task here, and its run.json cannot be read: it stays"));
                    self.aliens().insert(folder.path().to_owned());
                    return self.pool.remove(folder.path());
                }
                match self.keep_output(folder, &subject) {
                    Ok(false) => self.pool.say(&format!("no process on this host holds {} any more", subject.id)),
                    Ok(true) => return,
                    Err(error) => {
                        let (shown, id) = (folder.path().display(), &subject.id);
                        let text =
                            format!("the output of {id} cannot be published yet and stays in {shown}: {error:#}");
                        return self.pool.warn(&text);
                    }
                }
            }
            Err(error) => return self.pool.warn(&format!("{} cannot be given back yet: {error}", subject.id)),
        }
        if folder.remove().is_ok() {
            self.pool.remove(folder.path());
        }
    }

    /// Stores the end of a completed task whose output must still be published. Only the server has the end if the disk
    /// was full. Returns true if there is output to publish.
    fn keep_output(&self, folder: &RunFolder, subject: &Subject) -> anyhow::Result<bool> {
        let id = TaskId::new(subject.id.as_str())?;
        let _lent = open::lend(&folder.output(), 0o500);
        let none = match fs::read_dir(folder.output()) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => true,
            entries => entries?.next().is_none(),
        };
        let info = if none { None } else { self.client.call(&self.client.calls().get(&id))? };
        let own = |info: &TaskInfo| {
            info.status() == Some(Status::Complete) && info.ended().is_some_and(|ended| ended.value() == subject.token)
        };
        let Some(info) = info.filter(own) else { return Ok(false) };
        let mut end = End::new(Outcome::Complete, None, PostMortem::default());
        folder.mark_accepted()?;
        folder.write_end(&mut end, info.result_bytes().unwrap_or_default())?;
        Ok(true)
    }

    /// Saves the program's last checkpoint, and gives the task back. The attempt counts as lost, unless its supervisor
    /// never started the program.
    fn hand_back(&self, folder: &RunFolder, subject: &Subject, begun: bool) -> Result<(), Error> {
        let (calls, id, token) = (self.client.calls(), TaskId::new(subject.id.as_str())?, Token::new(subject.token)?);
        if let (Some(run), Ok((file, about))) = (&subject.run, open::open(&folder.checkpoint())) {
            let limit = u64::from(run.limits.max_bytes);
            let saved = if about.len() > limit { None } else { open::read_open(file, limit).unwrap_or_default() };
            let at_the_server = match saved.map(|saved| self.save(&id, token, &saved, run.limits.max_bytes)) {
                // A server whose memory is full refuses the checkpoint, but accepts the release.
                None | Some(Err(Error::Server { code: Some(blueque::Code::OutOfMemory), .. })) => false,
                Some(outcome) => outcome.map(|()| true)?,
            };
            if !at_the_server {
                // The server does not have the checkpoint, so it is stored for the next attempt on this host.
                if let Err(error) = folder.keep_checkpoint(run) {
                    self.pool.warn(&format!("the checkpoint of {} cannot be stored: {error}", subject.id));
                }
            }
        }
        let fate = self.pool.fate(folder.path()).map(|fate| fate.words);
        let how = ReleaseOptions::new();
        let how = if begun {
            how.lost(fate.as_deref().unwrap_or("its supervisor was found dead"))
        } else {
            let info = self.client.call(&calls.get(&id))?;
            how.reason("orphan").uncounted(true).again(pause(info.as_ref().map_or(0, TaskInfo::uncounted)))
        };
        self.client.call(&calls.release(&id, token, &how)).map(|_| ())
    }

    /// Saves a checkpoint, unless the server already has it: a repeated checkpoint counts as progress.
    fn save(&self, id: &TaskId, token: Token, saved: &[u8], limit: u32) -> Result<(), Error> {
        let calls = self.client.calls();
        let known = self.client.call(&calls.get(id))?;
        if known.is_some_and(|info| info.checkpoint_bytes() == Some(saved)) {
            return Ok(());
        }
        match self.client.call(&calls.checkpoint(id, token, saved, &CheckpointOptions::new().max_bytes(limit))) {
            // The checkpoint is refused after a forced cancel, and for a lost task. The caller then releases the task,
            // which handles both cases.
            Ok(()) | Err(Error::Lost) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Returns true if runs of this server are on this host.
pub fn has_runs(settings: &Settings) -> bool {
    let folders = RunFolder::list(&settings.state, &settings.namespace).unwrap_or_default();
    folders.iter().any(|folder| is_of(settings, folder))
}

fn is_of(settings: &Settings, folder: &RunFolder) -> bool {
    folder.read().is_ok_and(|run| identity(&run.url) == settings.server && !is_elsewhere(&run))
}

/// Returns true for a run of another host: its boot id differs, and so does its machine id or its host name.
fn is_elsewhere(run: &Run) -> bool {
    let (machine, own) = (machine_id(), ListenerId::of_this_process());
    let differs = |one: &str, other: &str| !one.is_empty() && !other.is_empty() && one != other;
    differs(&run.boot, &boot_id())
        && (differs(&run.machine, &machine) || host(&run.listener).is_some_and(|name| Some(name) != host(own.as_str())))
}

/// Kills leftover processes of dead supervisors. A worker calls this function before it can reach the server, because
/// another host may already take the tasks.
pub fn sweep(settings: &Settings) {
    for folder in RunFolder::list(&settings.state, &settings.namespace).unwrap_or_default() {
        if !is_of(settings, &folder) {
            continue;
        }
        let Ok(Some(_keeper)) = RunGuard::of(&folder) else { continue };
        // A living supervisor holds its lock, even if its process cannot be seen.
        if folder.holder().is_some_and(|holder| !holder.supervisor.lives())
            && let Ok(Some(_lock)) = folder.lock()
            && leftovers::supervisor(folder.path()).is_none()
        {
            leftovers::kill_all(folder.path());
        }
    }
}

/// Returns the task of a folder, or `None` if a later version created the folder.
fn subject(folder: &RunFolder) -> Option<Subject> {
    if let Ok(run) = folder.read() {
        return Some(Subject { id: run.id.clone(), token: run.token, run: Some(run) });
    }
    let json = folder.text().ok().and_then(|text| serde_json::from_slice::<serde_json::Value>(&text).ok());
    let version = json.as_ref().and_then(|json| json.get("version")).and_then(serde_json::Value::as_u64);
    if version.is_some_and(|version| version > u64::from(VERSION)) {
        return None;
    }
    let (id, token) = names::attempt(folder.path().file_name()?.to_str()?)?;
    Some(Subject { id, token, run: None })
}

/// Returns true if a running worker has just created the folder, and may still start its supervisor.
fn is_being_begun(run: &Run) -> bool {
    let Ok(listener) = ListenerId::new(run.listener.as_str()) else { return false };
    let age = boot_clock_us().saturating_sub(run.renewed_us);
    run.boot == boot_id() && age < BEGINNING_US && !listener.is_dead_here()
}
