//! The thread that takes tasks. It reserves a task, creates its run folder and starts its supervisor.

use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use blueque::calls::{FailOptions, ReleaseOptions};
use blueque::{
    Client, Error, Listener, ListenerId, Outcome, Processor, QueueName, Reservation, TaskId, TaskInfo, Token, element,
};

use super::handle::Handle;
use super::pool::{Kept, PROGRAM, Pool};
use super::program::{Programs, Unfit};
use super::queue_backoff::{QueueBackoff, Verdict, pause};
use super::round_robin::RoundRobin;
use super::run_guard::RunGuard;
use super::settings::{self, Settings};
use super::verbose::Verbose;
use crate::command_line::proof::of_schedule;
use crate::output::{causes, chain, clean_line};
use crate::run_folder::{Run, RunFolder, VERSION, boot_clock_us, boot_id, machine_id};
use crate::shortage::{NOT_EXECUTABLE, Shortage};
use crate::times;

/// Interval at which the worker polls for tasks.
const LOOK: Duration = Duration::from_secs(2);

/// Time without a task after which the turn of a partition ends, if other partitions wait.
const REST: Duration = Duration::from_secs(2);

/// Interval of the checks while all queues are paused.
const IDLE: Duration = Duration::from_millis(100);

/// Maximum number of characters of a task's parameters in the log.
const INPUT: usize = 80;

/// Maximum number of tasks that are taken in one call. Their leases begin together, and all of them must be started
/// before the leases end.
const AT_ONCE: u32 = 16;

/// Delay after a task that could not be started because of the server.
const TROUBLE: Duration = Duration::from_secs(5);

/// Number of threads that a supervisor needs.
const THREADS: usize = 5;

/// Number and maximum age of the completed tasks of a queue that are read, to find out if other workers complete tasks.
const OTHERS: u32 = 20;
const RECENT: Duration = Duration::from_secs(600);

/// Takes tasks from the server and starts them.
pub struct Reserver {
    pub client: Client,
    pub settings: Arc<Settings>,
    pub programs: Programs,
    pub pool: Arc<Pool>,
    pub round_robin: Arc<RoundRobin>,
    /// Copies the output of programs to stderr, if set.
    pub verbose: Option<Arc<Verbose>>,
}

impl Reserver {
    /// Takes tasks until the worker drains. Also returns if there has been no task for a while and another partition
    /// waits for its turn. Returns only errors that a retry does not resolve.
    pub fn run(&self, listener: &mut Listener) -> anyhow::Result<()> {
        let taken = self.take(listener);
        self.give_back(listener);
        taken
    }

    fn take(&self, listener: &mut Listener) -> anyhow::Result<()> {
        let mut queue_backoff = QueueBackoff::default();
        let (mut troubled, mut turn) = (false, 0);
        let mut busy = Instant::now();
        loop {
            if !self.pool.is_empty() {
                busy = Instant::now();
            } else if busy.elapsed() > REST && self.round_robin.others_wait() {
                self.pool.release();
                return Ok(());
            }
            let free = match self.pool.free(LOOK) {
                Some(0) => return Ok(()),
                Some(free) => u32::try_from(free).unwrap_or(AT_ONCE).min(AT_ONCE),
                None => continue,
            };
            // If the server hangs, the slots are released, so that other partitions can use them.
            if troubled && self.pool.shares() {
                self.pool.release();
                if self.client.call(&self.client.calls().handshake()).is_err() {
                    self.pool.pause(Duration::from_secs(1));
                    continue;
                }
            }
            let some = self.choose(listener, &mut queue_backoff);
            if !some && self.settings.named().is_none() {
                self.pool.release();
                self.pool.pause(IDLE);
                continue;
            }
            if let Some(has) = self.new_offer() {
                // An error is ignored, because the next call offers the same, and reports the error.
                let _ = listener.offer(has);
            }
            // The lease begins before the request is sent. The supervisor uses the same clock.
            let sent = boot_clock_us();
            match listener.try_listen_many(free) {
                Ok(taken) if !taken.is_empty() => self.launch_all(listener, &taken, sent, &mut queue_backoff)?,
                Ok(_) => {
                    self.pool.release();
                    if some { listener.wait(LOOK) } else { self.pool.pause(IDLE) }
                }
                Err(Error::State { code: blueque::Code::Draining, .. }) => self.pool.ordered(),
                Err(error) if error.is_transient() => {
                    if !troubled {
                        self.pool.warn(&format!("waiting for the server: {}", causes(&error)));
                    }
                    troubled = true;
                    self.pool.release();
                    self.pool.pause(Duration::from_secs(1));
                    continue;
                }
                Err(error) => self.sort_out(listener, &mut queue_backoff, &mut turn, error)?,
            }
            troubled = false;
        }
    }

    /// Returns the capabilities to offer, if the shares of running tasks have changed.
    fn new_offer(&self) -> Option<String> {
        let resources = self.settings.resources.as_ref()?;
        resources.changed(&self.settings.state).unwrap_or_else(|error| {
            self.pool.warn(&format!("the shares of running tasks cannot be read: {error}"));
            None
        })
    }

    /// Pauses the queues whose tasks this host cannot run. Returns true if any queue is not paused.
    fn choose(&self, listener: &mut Listener, queue_backoff: &mut QueueBackoff) -> bool {
        for ending in self.pool.endings() {
            let queue = &ending.queue;
            let stops = match queue_backoff.ended(&ending) {
                Verdict::Go => false,
                Verdict::Compare => self.others_do_well(listener.id(), queue).unwrap_or(false),
                Verdict::Stop => true,
                Verdict::Unfit(why) => {
                    self.pool.warn(&queue_backoff.unfit(queue, self.programs.stamp(), &why));
                    false
                }
            };
            if stops {
                self.pool.warn(&queue_backoff.slow(queue));
            }
        }
        if let Some(why) = self.pool.sickness() {
            self.rest(queue_backoff, &why);
        }
        if queue_backoff.is_probing()
            && let Err(error) = trial(&self.settings)
        {
            self.rest(queue_backoff, &self.lacking(&error));
        }
        let away = queue_backoff.away(self.programs.stamp().as_ref());
        let named = self.settings.named();
        let all = named.as_ref().filter(|_| queue_backoff.rests());
        let some = named
            .as_ref()
            .map_or(!queue_backoff.rests(), |named| away.len().max(all.map_or(0, Vec::len)) < named.len());
        listener.skip(all.cloned().unwrap_or(away));
        self.pool.set_aside(queue_backoff.aside());
        self.pool.set_trouble(queue_backoff.trouble());
        some
    }

    /// Calls the server for each queue separately, after it refused a call for all queues. Pauses the refused queues.
    /// Fails if the server refuses all queues.
    fn sort_out(
        &self,
        listener: &mut Listener,
        queue_backoff: &mut QueueBackoff,
        turn: &mut usize,
        error: Error,
    ) -> anyhow::Result<()> {
        let queues = &self.settings.named().unwrap_or_else(|| listener.queues());
        if queues.is_empty() {
            return Err(error.into());
        }
        // The calls begin with a different queue each time. Otherwise only the first queue is called while it has
        // tasks.
        *turn = turn.wrapping_add(1) % queues.len();
        let (later, first) = queues.split_at(*turn);
        let mut refusal = error;
        for queue in first.iter().chain(later) {
            if queue_backoff.aside().contains(queue) {
                continue;
            }
            listener.skip(queues.iter().filter(|other| *other != queue).cloned().collect());
            let sent = boot_clock_us();
            match listener.try_listen() {
                Ok(Some(processor)) => return self.launch_all(listener, &[processor], sent, queue_backoff),
                Ok(None) | Err(Error::State { code: blueque::Code::Draining, .. }) => {}
                Err(error) if error.is_transient() => return Ok(()),
                Err(error) => {
                    let said = queue_backoff.refused(queue, &error.to_string());
                    if queue_backoff.aside().len() < queues.len() {
                        self.pool.warn(&said);
                    }
                    refusal = error;
                }
            }
        }
        if queue_backoff.aside().len() == queues.len() { Err(refusal.into()) } else { Ok(()) }
    }

    /// Pauses all queues, because no task can be started.
    fn rest(&self, queue_backoff: &mut QueueBackoff, why: &str) {
        if let Some(said) = queue_backoff.sick(why) {
            self.pool.warn(&said);
        }
    }

    /// Returns a message about the reason why tasks cannot be started here.
    fn lacking(&self, error: &anyhow::Error) -> String {
        Shortage::of(error).map_or_else(|| chain(error), |shortage| shortage.words(&self.settings.state))
    }

    /// Returns true if other workers have completed tasks of a queue recently.
    fn others_do_well(&self, own: &ListenerId, queue: &QueueName) -> blueque::Result<bool> {
        let now = self.client.call(&self.client.calls().handshake())?.now;
        for id in self.client.queue(queue.as_str())?.list("complete", OTHERS)? {
            let Ok(id) = TaskId::new(id) else { continue };
            let Some(info) = self.client.call(&self.client.calls().get(&id))? else { continue };
            let lately = info.updated().is_some_and(|ended| times::between(ended, now) < RECENT);
            if lately && info.node().is_some_and(|node| node != own.as_str()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Starts tasks that were taken together. If the start of a task shows that this host cannot start any task, the
    /// remaining tasks are given back. A missing program does not show this.
    fn launch_all(
        &self,
        listener: &Listener,
        taken: &[Processor],
        sent: u64,
        queue_backoff: &mut QueueBackoff,
    ) -> anyhow::Result<()> {
        let mut server_troubled = false;
        for processor in taken {
            let task = processor.reservation();
            let in_the_way = if self.pool.draining().is_some() {
                Some("drain")
            } else {
                (server_troubled || queue_backoff.rests()).then_some("trouble")
            };
            match in_the_way {
                Some(reason) => settled(self.hand_back(&task.id, task.token, reason, None))?,
                None => server_troubled = !self.launch(listener, task, sent, queue_backoff)?,
            }
        }
        if server_troubled {
            self.pool.pause(TROUBLE);
        }
        Ok(())
    }

    /// Starts a task. If the task caused an error, it fails. If this host caused an error, the task is given back.
    /// Returns true if the server replied to all calls.
    fn launch(
        &self,
        listener: &Listener,
        task: &Reservation,
        sent: u64,
        queue_backoff: &mut QueueBackoff,
    ) -> anyhow::Result<bool> {
        let calls = self.client.calls();
        let info: blueque::Result<Option<TaskInfo>> = self.client.call(&calls.get(&task.id));
        let before = info.as_ref().ok().and_then(Option::as_ref).map_or(0, TaskInfo::uncounted);
        let pause = pause(before);
        let described = info.map_err(Into::into).and_then(|info| self.describe(listener, task, sent, info.as_ref()));
        let begun = described.and_then(|described| match described {
            Ok(run) => {
                let pause_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
                let run = Run { pause_ms, suspect: queue_backoff.suspects(&task.queue), ..run };
                self.start(run, task)
            }
            Err(why) => Ok(Some(why)),
        });
        let mut answered = true;
        let told = match begun {
            Ok(None) => {
                queue_backoff.begun(&task.queue);
                return Ok(true);
            }
            Ok(Some(Unfit::NoShares)) => self.hand_back(&task.id, task.token, "shares", Some(pause)),
            Ok(Some(Unfit::Absent(why))) => {
                self.pool.say(&format!("gave {} back: {why}", task.id));
                if why.ends_with(NOT_EXECUTABLE) {
                    self.pool.ails(PROGRAM, Some(why.clone()));
                }
                // A worker without programs pauses the queue at once, because it can run none of the tasks.
                let left = if self.settings.commands.is_none() && self.programs.methods().as_deref() == Some(".") {
                    Some(queue_backoff.unfit(&task.queue, self.programs.stamp(), &why))
                } else {
                    queue_backoff.missing(&task.queue, self.programs.stamp(), &why, before > 0)
                };
                if let Some(left) = left {
                    self.pool.warn(&left);
                }
                self.hand_back(&task.id, task.token, "no-program", Some(pause))
            }
            Ok(Some(Unfit::Never(why))) => {
                self.pool.warn(&format!("failed {}: {why}", task.id));
                let options = FailOptions::new().group("permanent").permanent(true);
                self.client.call(&calls.fail(&task.id, task.token, why.as_bytes(), &options)).map(drop)
            }
            Err(error) => {
                self.pool.warn(&format!("cannot begin {}, which is given back: {error:#}", task.id));
                let told = self.hand_back(&task.id, task.token, "trouble", Some(pause));
                answered = error.downcast_ref::<Error>().is_none();
                if answered {
                    self.rest(queue_backoff, &self.lacking(&error));
                }
                told
            }
        };
        settled(told)?;
        Ok(answered)
    }

    /// Gives a task back because of a problem of this host. The attempt does not count. `again`: a delay for the task,
    /// so that it is not taken again at once.
    fn hand_back(&self, id: &TaskId, token: Token, reason: &str, again: Option<Duration>) -> blueque::Result<()> {
        let options = ReleaseOptions::new().reason(reason).uncounted(true);
        let options = again.into_iter().fold(options, ReleaseOptions::again);
        self.client.call(&self.client.calls().release(id, token, &options)).map(drop)
    }

    /// Returns the contents of `run.json`, or the reason why the task cannot run here.
    fn describe(
        &self,
        listener: &Listener,
        task: &Reservation,
        sent: u64,
        info: Option<&TaskInfo>,
    ) -> anyhow::Result<Result<Run, Unfit>> {
        let method = info.and_then(TaskInfo::method);
        let ended = info.and_then(TaskInfo::ended);
        let own_log_bytes = info.and_then(TaskInfo::log_bytes).map(u64::from);
        let settings = &self.settings;
        let (program, command) = match (info.and_then(TaskInfo::command), &settings.commands) {
            (None, _) => match self.programs.command(method.as_deref().unwrap_or(task.queue.as_str())) {
                Ok(program) => (program, None),
                Err(why) => return Ok(Err(why)),
            },
            (Some(text), Some(commands)) => {
                let graph = info.and_then(TaskInfo::graph);
                let schedule = info.and_then(TaskInfo::schedule).map(|name| of_schedule(&name));
                let ids = [Some(task.id.as_str()), graph.as_deref(), schedule.as_deref()];
                let ids = ids.into_iter().flatten().collect::<Vec<_>>();
                match commands.read(&text, &settings.namespace, &ids) {
                    Ok(command) => (Vec::new(), Some(command)),
                    Err(why) => return Ok(Err(why)),
                }
            }
            (Some(_), None) => {
                let why = "it is a command line, and this worker runs none: --allow-commands";
                return Ok(Err(Unfit::Absent(why.to_owned())));
            }
        };
        let about = self.client.call(&self.client.calls().settings(Some(&task.queue)))?;
        Ok(Ok(Run {
            version: VERSION,
            namespace: settings.namespace.clone(),
            url: settings.url.clone(),
            id: task.id.to_string(),
            queue: task.queue.to_string(),
            token: task.token.value(),
            attempt: task.attempt,
            previous: ended.map(Token::value),
            listener: listener.id().to_string(),
            lease_ms: u64::try_from(task.lease.as_millis()).unwrap_or(u64::MAX),
            renewed_us: sent,
            boot: boot_id(),
            machine: machine_id(),
            method,
            trace: info.and_then(TaskInfo::trace),
            index: info.and_then(TaskInfo::label).and_then(|label| Some(element(&label)?.1)),
            program,
            command,
            start_reason: reason(task.outcome).to_owned(),
            environment: settings.options.environment.clone(),
            publish: settings.publish.clone(),
            on_drain: settings.on_drain(),
            limits: settings.limits_of(info, &about),
            log_bytes: own_log_bytes.or_else(|| settings::set(&about, "log_bytes")),
            keep_log: Some(settings.options.keep_log),
            pause_ms: 0,
            suspect: false,
        }))
    }

    fn start(&self, mut run: Run, task: &Reservation) -> anyhow::Result<Option<Unfit>> {
        let settings = &self.settings;
        let mut shares_lock = None;
        if let Some(resources) = settings.resources.as_ref().filter(|resources| resources.any()) {
            shares_lock = resources.take(&settings.state, &mut run.limits)?;
            if shares_lock.is_none() {
                // Another worker of this host was faster.
                resources.forget_offer();
                return Ok(Some(Unfit::NoShares));
            }
        }
        let run = &run;
        let folder = RunFolder::create(&settings.state, run, &task.parameters, task.checkpoint.as_deref())?;
        drop(shares_lock);
        if let Some(verbose) = &self.verbose {
            verbose.add(&folder, run);
        }
        let started = RunGuard::of_new(&folder).and_then(|run_guard| {
            let handle = Handle::start(&folder, &settings.server, settings.password.as_ref())?;
            let pid = handle.process.pid;
            let kept = Kept::new(folder.clone(), run.id.clone(), run_guard, Some(handle)).begun(task.queue.clone());
            self.pool.add(kept);
            Ok(pid)
        });
        match started {
            Ok(pid) => {
                let (queue, attempt) = (&run.queue, run.attempt);
                let method = run.method.as_ref().map_or(String::new(), |method| format!(" ({method})"));
                let input = match &run.command {
                    _ if settings.options.quiet_input => String::new(),
                    Some(command) => format!(": {}", clean_line(&command.words(), INPUT)),
                    None => beginning(&task.parameters),
                };
                let about = format!("{} of {queue}{method}, attempt {attempt}, supervisor {pid}{input}", run.id);
                self.pool.say(&format!("started {about}"));
                Ok(None)
            }
            Err(error) => {
                let _ = folder.remove();
                Err(error).context("no supervisor can be started")
            }
        }
    }

    /// Gives back tasks that were reserved in a call whose reply was lost, and unregisters the worker.
    fn give_back(&self, listener: &Listener) {
        for queue in &self.settings.named().unwrap_or_else(|| listener.queues()) {
            let held = match listener.held(queue) {
                Ok(held) => held,
                Err(error) if error.is_transient() => return,
                Err(_) => continue,
            };
            for task in held {
                let (Ok(id), Some(token)) = (blueque::TaskId::new(task.id.as_str()), task.token) else { continue };
                let has_folder = self.settings.has_folder(&task.id, token).unwrap_or_else(|error| {
                    // The task may be running here, so it is left alone. If it is not running, its lease expires.
                    self.pool
                        .warn(&format!("the runs here cannot be listed, and {} is not given back: {error}", task.id));
                    true
                });
                if !has_folder {
                    let _ = self.hand_back(&id, token, "drain", None);
                }
            }
        }
    }
}

/// Ignores errors of an ending call that need no action. A lost task belongs to another attempt. If the server did not
/// reply, the lease of the task expires.
fn settled(told: blueque::Result<()>) -> anyhow::Result<()> {
    match told {
        Ok(()) | Err(Error::Lost) => Ok(()),
        Err(error) if error.is_transient() => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Tests if a task can be started: creates a folder, threads and a process, and removes them.
fn trial(settings: &Settings) -> anyhow::Result<()> {
    RunFolder::would_fit(&settings.state, &settings.namespace, &settings.limits)?;
    let (go, gone) = mpsc::channel::<()>();
    let gone = Arc::new(Mutex::new(gone));
    for _ in 0..THREADS {
        let gone = Arc::clone(&gone);
        // The threads end when `go` is dropped.
        thread::Builder::new().stack_size(64 << 10).spawn(move || gone.lock().map(|gone| gone.recv()).is_ok())?;
    }
    let mut child =
        Command::new("/proc/self/exe").arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
    drop(go);
    child.wait()?;
    Ok(())
}

/// Returns the beginning of a task's parameters, for people.
fn beginning(parameters: &[u8]) -> String {
    let text = clean_line(&String::from_utf8_lossy(parameters.get(..400).unwrap_or(parameters)), INPUT);
    if text.is_empty() || text == "[]" { String::new() } else { format!(": {text}") }
}

/// Returns the reason for the start, which the program gets.
fn reason(previous: Option<Outcome>) -> &'static str {
    match previous {
        // A completed step is followed by the next step.
        None | Some(Outcome::Complete) => "new",
        Some(Outcome::Lost) => "lost",
        Some(Outcome::Released) => "requeued",
        Some(_) => "retry",
    }
}
