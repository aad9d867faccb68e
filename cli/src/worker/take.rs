//! The thread that takes tasks: reserve, make the run folder, start the supervisor.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use blueque::calls::FailOptions;
use blueque::{Client, Error, Listener, Outcome, Processor, Reservation, TaskInfo};

use super::handle::Handle;
use super::keeper::Keeper;
use super::pool::{Kept, Pool};
use super::program::Programs;
use super::settings::Settings;
use crate::run_folder::{Limits, Run, RunFolder, VERSION, boot_clock_us, boot_id};

/// How often an order to drain is looked for while nothing is taken.
const LOOK: Duration = Duration::from_secs(2);

/// Before another task is taken after one that could not be begun here: the disk may be full.
const TROUBLE: Duration = Duration::from_secs(5);

/// Takes tasks.
pub struct Taker {
    pub client: Client,
    /// The server's URL with the password.
    pub address: String,
    pub settings: Arc<Settings>,
    pub programs: Programs,
    pub pool: Arc<Pool>,
}

impl Taker {
    /// Takes tasks until the worker drains. An error is one that waiting cannot mend.
    pub fn run(&self, listener: &mut Listener) -> anyhow::Result<()> {
        let taken = self.take(listener);
        self.give_back(listener);
        taken
    }

    fn take(&self, listener: &mut Listener) -> anyhow::Result<()> {
        let mut drained = Drained::new(&self.settings, &self.address, listener);
        let mut troubled = false;
        loop {
            let free = match self.pool.slot_free(LOOK) {
                Some(false) => return Ok(()),
                free => free.is_some(),
            };
            if drained.ordered() {
                self.pool.say("ordered to drain");
                self.pool.drain();
                return Ok(());
            }
            if !free {
                continue;
            }
            // The lease runs from before the sending, on the clock that the supervisor uses.
            let sent = boot_clock_us();
            match listener.try_listen() {
                Ok(Some(processor)) => self.launch(listener, &processor, sent)?,
                Ok(None) => listener.wait(LOOK),
                Err(Error::State { code, .. }) if code == "DRAINING" => self.pool.drain(),
                Err(error) if error.is_transient() => {
                    if !troubled {
                        self.pool.say(&format!("waiting for the server: {error}"));
                    }
                    troubled = true;
                    self.pool.pause(Duration::from_secs(1));
                    continue;
                }
                Err(error) => return Err(error.into()),
            }
            troubled = false;
        }
    }

    /// Begins a task. What goes wrong here is the task's failure, or else the task is given back.
    fn launch(&self, listener: &Listener, processor: &Processor, sent: u64) -> anyhow::Result<()> {
        let task = processor.reservation();
        let begun = self.describe(listener, task, sent).and_then(|described| match described {
            Ok(run) => self.start(&run, task).map(|()| None),
            Err(why) => Ok(Some(why)),
        });
        let calls = self.client.calls();
        let told = match begun {
            Ok(None) => return Ok(()),
            Ok(Some(why)) => {
                self.pool.say(&format!("failed {}: {why}", task.id));
                let options = FailOptions { group: Some("permanent"), permanent: true, ..FailOptions::default() };
                self.client.call(&calls.fail(&task.id, task.token, why.as_bytes(), options))
            }
            Err(error) => {
                self.pool.say(&format!("cannot begin {}, which goes back: {error:#}", task.id));
                let told = self.client.call(&calls.release(&task.id, task.token, Some("trouble")));
                self.pool.pause(TROUBLE);
                told
            }
        };
        match told {
            // A lost task is another's by now; what was not heard is settled when its lease ends.
            Ok(_) | Err(Error::Lost) => Ok(()),
            Err(error) if error.is_transient() => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// What `run.json` says; or why the task cannot be done here.
    fn describe(&self, listener: &Listener, task: &Reservation, sent: u64) -> anyhow::Result<Result<Run, String>> {
        let info: Option<TaskInfo> = self.client.call(&self.client.calls().get(&task.id))?;
        let method = info.and_then(|info| info.method());
        let program = match self.programs.command(method.as_deref().unwrap_or(task.queue.as_str())) {
            Ok(program) => program,
            Err(why) => return Ok(Err(why)),
        };
        let settings = &self.settings;
        let grace = settings.grace(&self.client, &task.queue)?;
        let grace_ms = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        Ok(Ok(Run {
            version: VERSION,
            namespace: settings.namespace.clone(),
            url: settings.url.clone(),
            id: task.id.to_string(),
            queue: task.queue.to_string(),
            token: task.token.value(),
            attempt: task.attempt,
            listener: listener.id().to_string(),
            lease_ms: u64::try_from(task.lease.as_millis()).unwrap_or(u64::MAX),
            renewed_us: sent,
            boot: boot_id(),
            method,
            program,
            start_reason: reason(task.previous).to_owned(),
            environment: settings.environment.clone(),
            publish: settings.publish.clone(),
            on_drain: settings.on_drain(),
            limits: Limits { grace_ms, ..settings.limits.clone() },
        }))
    }

    fn start(&self, run: &Run, task: &Reservation) -> anyhow::Result<()> {
        let settings = &self.settings;
        let folder = RunFolder::create(&settings.state, run, &task.parameters, task.checkpoint.as_deref())?;
        let started = Keeper::of_new(&folder).and_then(|keeper| {
            let handle = Handle::start(&folder, settings.password.as_deref())?;
            let pid = handle.process.pid;
            let kept = Kept::new(folder.clone(), run.id.clone(), keeper, Some(handle));
            self.pool.add(kept);
            Ok(pid)
        });
        match started {
            Ok(pid) => {
                let (queue, attempt) = (&run.queue, run.attempt);
                self.pool.say(&format!("started {} of {queue}, attempt {attempt}, supervisor {pid}", run.id));
                Ok(())
            }
            Err(error) => {
                let _ = folder.remove();
                Err(error).context("no supervisor can be started")
            }
        }
    }

    /// Gives back what was reserved in a call whose answer was never heard, and says goodbye.
    fn give_back(&self, listener: &Listener) {
        let calls = self.client.calls();
        for queue in &self.settings.queues {
            let held = match listener.held(queue) {
                Ok(held) => held,
                Err(error) if error.is_transient() => return,
                Err(_) => continue,
            };
            for task in held {
                let (Ok(id), Some(token)) = (blueque::TaskId::new(task.id.as_str()), task.token) else { continue };
                if !self.settings.has_folder(&task.id, token) {
                    let _ = self.client.call(&calls.release(&id, token, Some("drain")));
                }
            }
        }
    }
}

/// How the program hears why it is started.
fn reason(previous: Option<Outcome>) -> &'static str {
    match previous {
        None => "new",
        Some(Outcome::Lost) => "lost",
        Some(Outcome::Released) => "requeued",
        Some(_) => "retry",
    }
}

/// The order to drain, looked for before each reservation: `reserve` itself speaks of it only where
/// nothing is left to take.
struct Drained {
    server: Option<redis::Client>,
    connection: Option<redis::Connection>,
    keys: Vec<String>,
    field: String,
}

impl Drained {
    fn new(settings: &Settings, address: &str, listener: &Listener) -> Self {
        let keys = settings.queues.iter().map(|queue| format!("{}_orders_{queue}", settings.namespace)).collect();
        let server = redis::Client::open(address).ok();
        Self { server, connection: None, keys, field: format!("l:{}", listener.id()) }
    }

    fn ordered(&mut self) -> bool {
        if self.connection.is_none() {
            let connect = |server: &redis::Client| server.get_connection_with_timeout(LOOK).ok();
            self.connection = self.server.as_ref().and_then(connect);
        }
        let Some(connection) = &mut self.connection else { return false };
        let mut pipe = redis::pipe();
        for key in &self.keys {
            pipe.hexists(key, &self.field);
        }
        let _ = connection.set_read_timeout(Some(LOOK));
        let answers: redis::RedisResult<Vec<bool>> = pipe.query(connection);
        if answers.is_err() {
            self.connection = None;
        }
        answers.is_ok_and(|answers| answers.contains(&true))
    }
}
