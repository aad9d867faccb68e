//! The options and settings of `blueque worker`.

use std::env;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use blueque::constants::{PATTERNS_OF_WORKER, QUEUES_OF_WORKER};
use blueque::{ListenerId, Pattern, QueueName, QueueOrder, Setting, TaskInfo, Token};
use clap::{Args, ValueEnum};

use super::log::Format;
use super::program::{Allow, Commands, Programs};
use super::resources::{Resources, Shares};
use crate::command_line::COMMANDS;
use crate::input::values::{bytes, duration, lease, whole_number};
use crate::logs::sweep::Keep;
use crate::output::{Code, fault};
use crate::run_folder::{Limits, OfTask, OnDrain, RunFolder, space, state_folder};
use crate::server::identity;
use crate::session::config;
use crate::session::password::Password;

const DIR_HELP: &str = "The folder of programs: DIR/METHOD does a task, DIR/QUEUE one without a method \
                        [else BLUEQUE_DIR, else /etc/blueque/worker.d where that is]";

const STATE_DIR_HELP: &str = "The folder for the data of runs. All workers of a host share one \
                              [else BLUEQUE_STATE_DIR, else ~/.local/state/blueque]";

/// The variable that names the folder of programs, and its default.
const DIR: &str = "BLUEQUE_DIR";
const USUAL_DIR: &str = "/etc/blueque/worker.d";

/// Maximum number of queues and patterns, because one call names all of them.
const QUEUES: usize = QUEUES_OF_WORKER as usize;
const PATTERNS: usize = PATTERNS_OF_WORKER as usize;

/// Time that `--drain release` gives programs to save.
pub const RELEASE: Duration = Duration::from_secs(1);

/// The highest niceness.
const NICEST: i32 = 19;

/// The default grace period, if the server has none.
const GRACE: Duration = Duration::from_secs(30);

/// The treatment of running tasks when the worker ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Drain {
    /// Wait until running tasks end
    #[default]
    Wait,
    /// Ask programs to save a checkpoint and exit; the tasks go back to the queue, and the attempts do not count
    Checkpoint,
    /// Like checkpoint, but kill programs after a second, regardless of the grace period
    Release,
}

impl Drain {
    /// Describes for people how to stop the worker.
    pub fn how_to_stop(self) -> &'static str {
        match self {
            Self::Wait => {
                "to stop it: Ctrl-C or SIGTERM, then it waits for running programs; a second one leaves them running"
            }
            Self::Checkpoint => "to stop it: Ctrl-C or SIGTERM, then it lets programs save and gives their tasks back",
            Self::Release => "to stop it: Ctrl-C or SIGTERM, then it gives programs a second and their tasks back",
        }
    }
}

/// The order in which a worker takes tasks from several queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// Take tasks of a queue only if the queues named before it have none
    Strict,
    /// Take tasks from the queues in turn
    Round,
    /// Take tasks from the queues in turn, in proportion to their weights [default weight: 1]
    Weighted,
}

#[derive(Args, Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct Options {
    /// A queue to take tasks from; may be repeated. Queues that are named first have precedence. With QUEUE=WEIGHT,
    /// queues get shares in proportion to their weights. 'video-*' stands for all matching queues, even queues that are
    /// created later; '!video-test' excludes a queue
    #[arg(long = "queue", short, required_unless_present = "named", value_name = "QUEUE[=WEIGHT]", value_parser = queue)]
    pub queues: Vec<(Pattern, Option<u32>)>,
    /// Queues, as arguments instead of --queue
    #[arg(value_name = "QUEUE[=WEIGHT]", value_parser = queue)]
    pub named: Vec<(Pattern, Option<u32>)>,
    /// The order of the queues [default: strict, or weighted if a queue has a weight]
    #[arg(long, value_name = "ORDER")]
    pub order: Option<Order>,
    /// The capabilities of this worker, for tasks with needs: gpu,transcoder=3. Of cpus=16,memory=64G,gpus=2, running
    /// tasks hold the shares that they need; without a number, all that the host has
    #[arg(long, value_name = "HAS")]
    pub has: Option<String>,
    /// A name for people, which `blueque workers` shows
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub name: Option<String>,
    /// The folder of programs.
    #[arg(long, value_name = "DIR", conflicts_with = "command", help = DIR_HELP)]
    pub dir: Option<PathBuf>,
    /// Also run tasks that `blueque add` has submitted: any command line of anyone who may submit tasks, or with
    /// `user` only of processes of this unix user. No --dir is needed then
    #[arg(long, value_enum, value_name = "WHOSE", num_args = 0..=1, require_equals = true, default_missing_value = "any")]
    pub allow_commands: Option<Allow>,
    /// A single program for all tasks, and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
    /// Number of tasks that run at once
    #[arg(long, default_value_t = 1, value_name = "N", allow_negative_numbers = true, value_parser = whole_number::<u16>(1, 500))]
    pub slots: u16,
    /// Time after which a task without a heartbeat is lost; a heartbeat is sent after each third of this time [default:
    /// the queue's setting, 60s]
    #[arg(long, value_name = "TIME", value_parser = lease)]
    pub lease: Option<Duration>,
    /// The folder for the data of runs.
    #[arg(long, value_name = "DIR", help = STATE_DIR_HELP)]
    pub state_dir: Option<PathBuf>,
    /// Time between SIGTERM and SIGKILL when a program is stopped [default: the queue's setting, 30s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub grace: Option<Duration>,
    /// Maximum run time of a program, unless the program extends it
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub max_run: Option<Duration>,
    /// Time before the end of --max-run at which the program gets SIGUSR1 as a warning
    #[arg(long, value_name = "TIME", requires = "max_run", value_parser = duration)]
    pub warn: Option<Duration>,
    /// Maximum time without an event, a checkpoint or output of a program
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub no_progress: Option<Duration>,
    /// Maximum memory of each process of a program, such as 512M or 2G
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub memory: Option<u64>,
    /// The niceness of programs
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number::<i32>(-20, 19))]
    pub nice: Option<i32>,
    /// The folder for the outputs of completed tasks (default: output/ in the state folder)
    #[arg(long, value_name = "DIR")]
    pub publish: Option<PathBuf>,
    /// An environment variable to pass to programs, in addition to the usual variables
    #[arg(long = "env", value_name = "NAME", value_parser = variable)]
    pub environment: Vec<String>,
    /// The treatment of running tasks at SIGTERM, SIGINT and `blueque drain`
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    pub drain: Drain,
    /// Time after which `--drain wait` becomes `checkpoint`
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub drain_after: Option<Duration>,
    /// Do not take over tasks of dead processes of this host; their leases expire. For Blueque 1.0 on several machines
    /// or containers that share a host name
    #[arg(long)]
    pub no_adopt: bool,
    /// Another name of this host that processes of Blueque 1.0 may use. Tasks of dead processes with this name are also
    /// taken over. May be repeated. Not needed for the machine's own name, and for its full name unless it begins with
    /// localhost
    #[arg(long = "host-name", value_name = "NAME", value_parser = host_name, conflicts_with = "no_adopt")]
    pub host_names: Vec<String>,
    /// Maximum size of a result or a checkpoint: 1M, at most 8M
    #[arg(long, default_value = "1M", value_name = "BYTES", value_parser = bytes)]
    pub max_bytes: u64,
    /// Maximum size of the log of each attempt on this host; half of it is for the beginning, and half for the end
    #[arg(long, default_value = "256M", value_name = "BYTES", value_parser = log_size)]
    pub keep_log: u64,
    /// Maximum size of all logs on this host, and at most a tenth of the file system; the oldest logs are removed first
    #[arg(long, default_value = "10G", value_name = "BYTES", value_parser = bytes)]
    pub keep_logs: u64,
    /// Time for which a log is kept on this host after the end of its attempt
    #[arg(long, default_value = "30days", value_name = "TIME", value_parser = duration)]
    pub keep_logs_for: Duration,
    /// Maximum size of all outputs in the folder of --publish; the oldest outputs are removed first [default: no limit]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub keep_outputs: Option<u64>,
    /// Time for which an output is kept after its publication [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub keep_outputs_for: Option<Duration>,
    /// Copy the output of programs to stderr, each line with the id of its task
    #[arg(long, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Do not log events
    #[arg(long)]
    pub quiet: bool,
    /// The format of the messages on stderr
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub log_format: Format,
    /// Do not log the beginning of the parameters of tasks
    #[arg(long)]
    pub quiet_input: bool,
}

/// The checked settings of a worker.
#[derive(Debug)]
pub struct Settings {
    pub options: Options,
    pub queues: Vec<Pattern>,
    pub order: QueueOrder,
    pub namespace: String,
    /// URL of the server, without the password.
    pub url: String,
    pub password: Option<Password>,
    /// Identity of the server and its user.
    pub server: String,
    pub state: PathBuf,
    pub publish: Option<PathBuf>,
    pub limits: Limits,
    /// The capabilities that the worker offers.
    pub resources: Option<Resources>,
    /// The command lines of tasks that the worker runs, if it runs any.
    pub commands: Option<Commands>,
}

impl Options {
    /// Returns the programs of this worker.
    pub fn programs(&self) -> anyhow::Result<Programs> {
        if !self.command.is_empty() {
            return Programs::fixed(&self.command);
        }
        let named = self.dir.clone().or_else(|| env::var_os(DIR).filter(|dir| !dir.is_empty()).map(PathBuf::from));
        let usual = || Some(PathBuf::from(USUAL_DIR)).filter(|dir| dir.is_dir());
        match named.or_else(usual) {
            Some(folder) => Programs::folder(&folder),
            None if self.allow_commands.is_some() => Ok(Programs::None),
            None => Err(fault(
                Code::Usage,
                format!(
                    "which programs? Name their folder by --dir or {DIR}, or one command for all tasks after --; or \
                     --allow-commands for tasks of `blueque add`"
                ),
            )),
        }
    }

    /// Returns the capabilities, with `commands` if the worker runs command lines.
    fn offers(&self) -> Option<String> {
        let commands = self.allow_commands.map(|_| COMMANDS.to_owned());
        let own = self.has.clone().filter(|has| !has.is_empty());
        match (own, commands) {
            (Some(own), Some(commands)) if !own.split(',').any(|name| name == COMMANDS) => {
                Some(format!("{own},{commands}"))
            }
            (Some(own), _) => Some(own),
            (None, commands) => commands.or_else(|| self.has.clone()),
        }
    }

    /// Returns all queues and patterns, with their weights.
    fn all(&self) -> impl Iterator<Item = &(Pattern, Option<u32>)> {
        self.queues.iter().chain(&self.named)
    }

    /// Returns the queues and patterns. Fails if a name occurs twice.
    fn queues(&self) -> anyhow::Result<Vec<Pattern>> {
        let mut queues: Vec<Pattern> = Vec::new();
        for (name, weight) in self.all() {
            if queues.contains(name) {
                return Err(fault(Code::Usage, format!("--queue names {name} twice")));
            } else if name.is_exclusion() && weight.is_some() {
                return Err(fault(Code::Usage, format!("{name} leaves queues out: it has no weight")));
            }
            queues.push(name.clone());
        }
        let number = queues.len();
        if queues.iter().all(Pattern::is_exclusion) {
            return Err(fault(Code::Usage, "these only leave queues out: name some to take tasks from, such as '*'"));
        } else if names(&queues).is_none() && number > PATTERNS {
            let text = format!("a worker has at most {PATTERNS} patterns, not {number}: use fewer, wider ones");
            return Err(fault(Code::Usage, text));
        } else if names(&queues).is_some() && number > QUEUES {
            let text = format!("a worker serves at most {QUEUES} queues, not {number}: start another for the rest");
            return Err(fault(Code::Usage, format!("{text}, or use a pattern")));
        }
        Ok(queues)
    }

    fn order(&self) -> anyhow::Result<QueueOrder> {
        let weighed = self.all().any(|(_, weight)| weight.is_some());
        let weights = || self.all().map(|(_, weight)| weight.unwrap_or(1)).collect();
        Ok(match self.order {
            Some(Order::Strict | Order::Round) if weighed => {
                return Err(fault(Code::Usage, "weights go with --order weighted"));
            }
            Some(Order::Round) => QueueOrder::Round,
            Some(Order::Weighted) => QueueOrder::Weighted(weights()),
            None if weighed => QueueOrder::Weighted(weights()),
            _ => QueueOrder::Strict,
        })
    }

    pub fn settings(&self, server: &config::Settings) -> anyhow::Result<Settings> {
        if self.drain != Drain::Wait && self.drain_after.is_some() {
            let how = self.drain.to_possible_value().map_or(String::new(), |how| how.get_name().to_owned());
            let text = format!("--drain-after goes with --drain wait: with --drain {how} programs are stopped at once");
            return Err(fault(Code::Usage, text));
        }
        let max_bytes = u32::try_from(self.max_bytes).ok().filter(|bytes| (1..=8 << 20).contains(bytes));
        let limits = Limits {
            max_run_ms: self.max_run.map(ms),
            warn_ms: self.warn.map(ms),
            no_progress_ms: self.no_progress.map(ms),
            memory: self.memory,
            nice: self.nice,
            max_bytes: max_bytes.ok_or_else(|| fault(Code::Usage, "--max-bytes must be 1 to 8M"))?,
            ..Limits::default()
        };
        Ok(Settings {
            options: self.clone(),
            queues: self.queues()?,
            order: self.order()?,
            namespace: server.namespace().to_string(),
            url: server.url().to_owned(),
            password: server.password().cloned(),
            server: identity(server.url()),
            state: state_folder(self.state_dir.as_deref())?,
            publish: self.publish.as_ref().map(std::path::absolute).transpose()?,
            limits,
            resources: self.offers().as_deref().map(Resources::parse).transpose()?,
            commands: self.allow_commands.map(Commands::new).transpose()?,
        })
    }
}

impl Settings {
    pub fn serves(&self, queue: &str) -> bool {
        Pattern::choose(&self.queues, queue)
    }

    /// Returns the names of the queues. `None` if the worker takes queues by pattern.
    pub fn named(&self) -> Option<Vec<QueueName>> {
        names(&self.queues)
    }

    /// Returns the limits of an attempt: the lower of the limits of its task and of this worker. `settings` are the
    /// settings of its queue.
    pub fn limits_of(&self, info: Option<&TaskInfo>, settings: &[Setting]) -> Limits {
        let own = |limit: fn(&TaskInfo) -> Option<Duration>| info.and_then(limit).map(ms);
        let worker = &self.limits;
        let (max_run_ms, max_run) = lower(own(TaskInfo::max_run), worker.max_run_ms);
        let (no_progress_ms, no_progress) = lower(own(TaskInfo::no_progress), worker.no_progress_ms);
        let shares = info.and_then(TaskInfo::needs).map(|needs| Shares::of(&needs)).unwrap_or_default();
        let (memory, of_memory) = lower(shares.memory, worker.memory);
        let more = info.and_then(TaskInfo::nice).map(u32::cast_signed);
        let nice = more.map(|more| worker.nice.unwrap_or(0).saturating_add(more).min(NICEST));
        Limits {
            grace_ms: ms(self.grace(info.and_then(TaskInfo::grace), settings)),
            max_run_ms,
            warn_ms: own(TaskInfo::warn).or(worker.warn_ms),
            no_progress_ms,
            memory,
            nice: nice.or(worker.nice),
            cpus: shares.cpus,
            gpus_needed: shares.gpus.unwrap_or(0),
            of_task: OfTask { max_run, no_progress, memory: of_memory },
            ..worker.clone()
        }
    }

    /// Returns the time from SIGTERM to SIGKILL for a task with this grace period, of a queue with these settings.
    fn grace(&self, own: Option<Duration>, settings: &[Setting]) -> Duration {
        let of_queue = || Duration::try_from_secs_f64(set(settings, "grace")?).ok();
        let grace = match (own, self.options.grace) {
            (Some(own), Some(most)) => own.min(most),
            (own, most) => own.or(most).or_else(of_queue).unwrap_or(GRACE),
        };
        if self.options.drain == Drain::Release { grace.min(RELEASE) } else { grace }
    }

    /// Returns the reaction of supervisors to an order to drain.
    pub fn on_drain(&self) -> OnDrain {
        if self.options.drain == Drain::Wait { OnDrain::Wait } else { OnDrain::Stop }
    }

    /// Returns the limits for all logs.
    pub fn keep_logs(&self) -> Keep {
        Keep { bytes: self.options.keep_logs, age: self.options.keep_logs_for }
    }

    /// Returns the limits for all outputs. `None` if the worker has no limits for them.
    pub fn keep_outputs(&self) -> Option<Keep> {
        let (bytes, age) = (self.options.keep_outputs, self.options.keep_outputs_for);
        let any = bytes.is_some() || age.is_some();
        any.then(|| Keep { bytes: bytes.unwrap_or(u64::MAX), age: age.unwrap_or(Duration::MAX) })
    }

    /// Returns the folder of outputs.
    pub fn outputs(&self) -> PathBuf {
        self.publish.clone().unwrap_or_else(|| space(&self.state, &self.namespace).join("output"))
    }

    /// Returns true if an attempt has a run folder on this host.
    pub fn has_folder(&self, id: &str, token: Token) -> io::Result<bool> {
        let folders = RunFolder::list(&self.state, &self.namespace)?;
        Ok(folders.iter().any(|folder| folder.is_of(id, token.value())))
    }
}

fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the lower of two limits, and true if it is the first.
fn lower(own: Option<u64>, most: Option<u64>) -> (Option<u64>, bool) {
    match (own, most) {
        (Some(own), Some(most)) => (Some(own.min(most)), own <= most),
        (own, most) => (own.or(most), own.is_some()),
    }
}

/// Returns the names of queues. `None` if there is a pattern.
fn names(queues: &[Pattern]) -> Option<Vec<QueueName>> {
    queues.iter().map(|pattern| QueueName::new(pattern.as_str()).ok()).collect()
}

/// Parses `QUEUE` or `QUEUE=WEIGHT`. A pattern may take the place of the queue.
fn queue(text: &str) -> Result<(Pattern, Option<u32>), String> {
    let (name, weight) = text.split_once('=').map_or((text, None), |(name, weight)| (name, Some(weight)));
    let weight = weight.map(|weight| match weight.parse() {
        Ok(weight @ 1..=1000) => Ok(weight),
        _ => Err("a weight is a whole number from 1 to 1000".to_owned()),
    });
    Ok((Pattern::new(name).map_err(|error| error.to_string())?, weight.transpose()?))
}

/// Parses a name, which may contain the same characters as the name of a queue.
fn name(text: &str) -> Result<String, String> {
    QueueName::new(text).map(|name| name.to_string()).map_err(|error| error.to_string())
}

/// Parses the name of an environment variable. The value of the variable is never shown.
fn variable(text: &str) -> Result<String, String> {
    if text.is_empty() || text.contains('=') { Err("must be a name alone".into()) } else { Ok(text.to_owned()) }
}

/// Parses the name of a host, in the form used in listener ids.
fn host_name(text: &str) -> Result<String, String> {
    match ListenerId::new(format!("{text}_1")) {
        Ok(_) if !text.contains(':') => Ok(text.to_owned()),
        _ => Err("a host's name has letters, digits, . and -".into()),
    }
}

/// Returns the value of a numeric setting.
pub fn set<T: FromStr>(settings: &[Setting], name: &str) -> Option<T> {
    settings.iter().find(|setting| setting.name == name)?.value.as_ref()?.parse().ok()
}

fn log_size(text: &str) -> Result<u64, String> {
    let size = bytes(text)?;
    if ((1 << 20)..=(1 << 40)).contains(&size) { Ok(size) } else { Err("must be 1M to 1024G".into()) }
}
