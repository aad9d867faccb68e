//! `blueque dev`: a private server or cluster, a worker and the page, to try things out without any set-up.

mod cluster;
#[cfg(feature = "web")]
mod page;
mod samples;
mod server;
mod servers;

use std::env;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use blueque::{CommandLine, QueueName};
use clap::Args;
use nix::fcntl::{Flock, FlockArg};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use self::servers::{Servers, Shape};
use crate::file::on_path;
use crate::input::new_task::COMMANDS_QUEUE;
use crate::input::values::{plain, whole_number};
use crate::output::{Code, behind, fault, line, say};
use crate::process::Process;
use crate::processes::leftovers;
use crate::run_folder::RunFolder;
use crate::safe_path::{Refused, Rule, private_folders, resolve};
use crate::session::config::Connection;
use crate::subcommand::{Global, Subcommand};

/// Time that programs have to save and exit after Ctrl-C.
const GRACE: Duration = Duration::from_secs(5);

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The folder with the programs [default: worker.d, which is created with three samples if it is missing]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// A queue of the worker [default: a queue for each program, with the name of the program]
    #[arg(long = "queue", short, value_name = "QUEUE", value_parser = plain)]
    queues: Vec<String>,
    /// Number of tasks that run at once
    #[arg(long, default_value_t = 2, value_name = "N", allow_negative_numbers = true, value_parser = whole_number::<u16>(1, 500))]
    slots: u16,
    /// The folder for all data, which the next start uses again
    #[arg(long, default_value = ".blueque", value_name = "FOLDER")]
    data: PathBuf,
    /// Start a cluster of three masters instead of one server
    #[arg(long)]
    cluster: bool,
    /// With --cluster: start a replica of each master, which replaces the master if it fails
    #[arg(long, requires = "cluster")]
    replicas: bool,
    /// The port of 127.0.0.1 on which the server listens [default: that of the last start, or 7379 if it is free]. With
    /// --cluster: the port of the first node; the other nodes use the ports after it
    #[arg(long, value_name = "PORT", allow_negative_numbers = true, value_parser = whole_number::<u16>(1, 65535))]
    port: Option<u16>,
}

/// The running processes, stored for the next start: it ends processes that were left behind.
#[derive(Default, Serialize, Deserialize)]
struct Left {
    servers: Vec<Process>,
    worker: Option<Process>,
    #[serde(default)]
    page: Option<Process>,
}

/// Starts the servers and the worker, waits for Ctrl-C, and ends them.
impl Subcommand for Options {
    fn start(&self, global: &Global<'_>) -> Option<anyhow::Result<ExitCode>> {
        Some(global.without_durability().and_then(|()| run(global.connection, self)))
    }
}

fn run(connection: &Connection, options: &Options) -> anyhow::Result<ExitCode> {
    behind::begin();
    let mut programs = Programs::new(options.programs()?, &options.queues)?;
    private_folders(&options.data).with_context(|| format!("{} cannot be made", options.data.display()))?;
    let data = private(&options.data)?;
    let _lock = lock(&data)?;
    let shape = match (options.cluster, options.replicas) {
        (false, _) => Shape::Alone,
        (true, false) => Shape::Cluster,
        (true, true) => Shape::Replicated,
    };
    let namespace = namespace(connection, shape)?;
    clear(&data);

    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGCHLD])?;
    let mut servers = Servers::start(&data, shape, options.port)?;
    let mut left = Left { servers: servers.processes(), ..Left::default() };
    let begun = note(&data, &left).and_then(|()| servers.ready());
    let start = |servers: &Servers, programs: &Programs| worker(&data, &namespace, servers, programs, options.slots);
    let mut worker = match begun.and_then(|()| start(&servers, &programs)) {
        Ok(worker) => worker,
        Err(error) => {
            servers.stop();
            return Err(error);
        }
    };
    left.worker = Process::of(worker.id().cast_signed());
    // Work goes on without the page.
    #[cfg(feature = "web")]
    let page = page::Page::start(&namespace, |command| connected(command, &data, &servers))
        .map_err(|error| say(format!("blueque dev: {error}")))
        .ok();
    #[cfg(feature = "web")]
    if let Some(page) = &page {
        left.page = Process::of(page.pid());
        say(format!("Page: {}\n", page.url));
    }
    let exports = exports(&servers, &namespace);
    let noted = note(&data, &left).and_then(|()| {
        fs::write(data.join("env"), &exports)?;
        Ok(line(servers.url())?)
    });
    say(first_steps(&options.data, &exports, &servers, &programs));
    let asked = noted.and_then(|()| {
        wait(&mut signals, &mut worker, &mut servers, |servers, worker, again| {
            let changed = programs.have_changed();
            if changed {
                // Its programs run on, and the next worker takes them over.
                worker.kill()?;
                worker.wait()?;
                *worker = start(servers, &programs)?;
            }
            if changed || again {
                left.worker = Process::of(worker.id().cast_signed());
                left.servers = servers.processes();
                note(&data, &left)?;
            }
            Ok(())
        })
    });
    end(&mut signals, &mut worker, &servers.state(), &namespace);
    #[cfg(feature = "web")]
    drop(page);
    servers.stop();
    let _ = fs::remove_file(data.join("dev.json"));
    asked.map(|()| ExitCode::SUCCESS)
}

/// Returns the namespace that the user named, or the default. On a cluster the namespace contains a hash tag, because
/// all keys of a script must be on one node.
fn namespace(connection: &Connection, shape: Shape) -> anyhow::Result<String> {
    let default = if shape == Shape::Alone { "blueque" } else { "{blueque}" };
    let namespace = connection.namespace.clone().unwrap_or_else(|| default.into());
    if shape != Shape::Alone && !namespace.contains('{') {
        let text = format!("on a cluster the namespace needs a {{tag}}: --namespace '{{{namespace}}}'");
        return Err(fault(Code::Usage, text));
    }
    Ok(namespace)
}

/// Returns the lines for a shell after which every client finds the server.
fn exports(servers: &Servers, namespace: &str) -> String {
    let mut all = vec![
        ("BLUEQUE_URL", servers.url()),
        ("BLUEQUE_PASSWORD_FILE", servers.password_file().to_string_lossy().into_owned()),
    ];
    if namespace != "blueque" {
        all.push(("BLUEQUE_NAMESPACE", namespace.to_owned()));
    }
    let mut lines: Vec<String> =
        all.iter().map(|(name, value)| format!("export {name}={}", CommandLine::quoted(value))).collect();
    if let Some(folder) = unknown_folder() {
        lines.push(format!("export PATH={}:\"$PATH\"", CommandLine::quoted(&folder.to_string_lossy())));
    }
    lines.join("\n") + "\n"
}

/// Returns the folder of this program if a shell does not find this program by its name, as with `pipx run`.
fn unknown_folder() -> Option<PathBuf> {
    let own = env::current_exe().ok()?;
    let known = on_path("blueque").into_iter().find(|file| file.is_file());
    let known = known.and_then(|file| file.canonicalize().ok());
    (known.as_ref() != Some(&own) && own.ends_with("blueque")).then(|| own.parent().map(Path::to_path_buf)).flatten()
}

/// Returns what runs, a command to try, where to look, and how to stop.
fn first_steps(data: &Path, exports: &str, servers: &Servers, programs: &Programs) -> String {
    let (folder, queues) = (&programs.folder, &programs.queues);
    let example = queues.iter().find_map(|queue| Some((queue.as_str(), samples::example(&folder.join(queue))?)));
    let (queue, parameters) = match &example {
        Some((queue, parameters)) => (*queue, CommandLine::quoted(parameters)),
        None => (queues.first().map_or("QUEUE", String::as_str), "PARAMETERS".into()),
    };
    let hint = if example.is_some() { "" } else { "    # what the program reads, as JSON" };
    let what = if servers.is_cluster() { "cluster" } else { "server" };
    let exports = exports.replace('\n', "\n    ");
    format!(
        "Runs: a {what} at {}, and a worker for {} with the programs in {}.\n\n\
         Try, in another terminal (. {}/env does the same as the exports):\n    {exports}\
         blueque run {queue} {parameters}{hint}\n    \
         blueque add --follow -- sh -c 'echo hello; sleep 5'\n\n\
         Look: the page, or blueque top; or ls, show, logs -f, why.\n\
         Stop: Ctrl-C here. Running tasks go back to their queue, and {} keeps all data for the next start.",
        servers.url(),
        queues.join(", "),
        folder.display(),
        data.display(),
        data.display(),
    )
}

/// The programs of the worker, and its queues.
struct Programs {
    folder: PathBuf,
    /// The queues that the user named.
    chosen: Vec<String>,
    queues: Vec<String>,
}

impl Programs {
    fn new(folder: PathBuf, chosen: &[String]) -> anyhow::Result<Self> {
        let queues = queues(&folder, chosen)?;
        let programs = Self { folder, chosen: chosen.to_vec(), queues };
        programs.queues.iter().for_each(|queue| programs.warn_of(queue));
        Ok(programs)
    }

    /// Warns of a program that cannot be executed.
    fn warn_of(&self, queue: &str) {
        let file = self.folder.join(queue);
        if fs::metadata(&file).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 == 0) {
            say(format!("blueque dev: {0} is not executable: chmod +x {0}", file.display()));
        }
    }

    /// Returns true if the folder has other programs than at the last look, and says which are new.
    fn have_changed(&mut self) -> bool {
        let Ok(found) = queues(&self.folder, &self.chosen) else { return false };
        let old = std::mem::replace(&mut self.queues, found);
        for queue in self.queues.iter().filter(|queue| !old.contains(queue)) {
            say(format!("blueque dev: {queue} is new; try: blueque run {queue}"));
            self.warn_of(queue);
        }
        old != self.queues
    }
}

impl Options {
    /// Returns the folder with the programs. Creates it with samples if the user named none and there is none.
    fn programs(&self) -> anyhow::Result<PathBuf> {
        if let Some(named) = &self.dir {
            return Ok(named.clone());
        }
        let usual = PathBuf::from("worker.d");
        if samples::make(&usual).with_context(|| format!("{} cannot be created", usual.display()))? {
            say(format!("blueque dev: {} is new: three small programs, to try and to change", usual.display()));
        }
        Ok(usual)
    }
}

/// Returns the queues of the worker: the named queues, or a queue for each program.
fn queues(programs: &Path, chosen: &[String]) -> anyhow::Result<Vec<String>> {
    let shown = programs.display();
    let entries = fs::read_dir(programs).map_err(|error| {
        if error.kind() != ErrorKind::NotFound {
            return fault(Code::Usage, format!("the folder {shown} cannot be read: {error}"));
        }
        let how = "make it, with an executable file for each kind of task, or name another by --dir";
        fault(Code::Usage, format!("there is no folder {shown}: {how}"))
    })?;
    if !chosen.is_empty() {
        return Ok(chosen.to_vec());
    }
    let mut names: Vec<String> = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| !name.starts_with('.') && QueueName::new(name.as_str()).is_ok());
    names.sort_unstable();
    if names.is_empty() {
        return Err(fault(Code::Usage, format!("{shown} has no programs")));
    }
    if names.len() > 31 {
        return Err(fault(Code::Usage, format!("{shown} has more than 31 programs: name some queues by --queue")));
    }
    // The queue of `blueque add`.
    if !names.iter().any(|name| name == COMMANDS_QUEUE) {
        names.push(COMMANDS_QUEUE.to_owned());
    }
    Ok(names)
}

/// Returns the real path of the data folder. Refuses a folder of another user: that user could read the server's data,
/// and choose which processes are ended.
fn private(data: &Path) -> anyhow::Result<PathBuf> {
    match resolve(&std::path::absolute(data)?, None, Rule::Own) {
        Ok((data, _)) => Ok(data),
        Err(Refused::Open(why)) => Err(fault(Code::Usage, format!("the data folder is not safe: {why}"))),
        Err(Refused::Missing(path, error)) => bail!("{} cannot be used: {error}", path.display()),
    }
}

/// Takes the lock of a data folder, so that only one `dev` can use it.
fn lock(data: &Path) -> anyhow::Result<Flock<File>> {
    let file = File::create(data.join("dev.lock"))?;
    Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|_| {
        let text = format!("another blueque dev uses {}: end it, or choose another folder by --data", data.display());
        fault(Code::Refused, text)
    })
}

fn note(data: &Path, left: &Left) -> anyhow::Result<()> {
    Ok(fs::write(data.join("dev.json"), serde_json::to_vec(left)?)?)
}

/// Ends the processes that a killed `dev` left running.
fn clear(data: &Path) {
    let noted = fs::read(data.join("dev.json")).ok();
    let left: Left = noted.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
    // The programs of the worker continue, and the new worker finds them.
    for process in [left.worker, left.page].into_iter().flatten().filter(|process| process.lives()) {
        let _ = kill(Pid::from_raw(process.pid), Signal::SIGKILL);
    }
    for server in left.servers {
        let end = Instant::now() + Duration::from_secs(10);
        while server.lives() && Instant::now() < end {
            let _ = kill(Pid::from_raw(server.pid), Signal::SIGTERM);
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Starts the worker as a child of this process that does not get the terminal's Ctrl-C.
fn worker(data: &Path, namespace: &str, servers: &Servers, programs: &Programs, slots: u16) -> anyhow::Result<Child> {
    let mut command = Command::new("/proc/self/exe");
    command.arg0("blueque").args([
        "worker",
        "--drain",
        "checkpoint",
        "--allow-commands",
        "--namespace",
        namespace,
        "--dir",
    ]);
    command.arg(&programs.folder).args(["--slots", &slots.to_string()]);
    command.args(["--grace", &format!("{}s", GRACE.as_secs())]);
    for queue in &programs.queues {
        command.args(["--queue", queue]);
    }
    command.arg("--state-dir").arg(servers.state());
    connected(&mut command, data, servers);
    command.stdin(Stdio::null()).stdout(Stdio::null()).process_group(0);
    command.spawn().context("the worker cannot be started")
}

/// Sets the environment in which a command uses these servers, and nothing of the user's own environment.
fn connected(command: &mut Command, data: &Path, servers: &Servers) {
    let others = ["BLUEQUE_CONFIG", "BLUEQUE_NAMESPACE", "BLUEQUE_PROFILE", "BLUEQUE_WEB_USERS"];
    for name in blueque::Address::variables().chain(others) {
        command.env_remove(name);
    }
    // The user's configuration file is for other servers.
    command.env("BLUEQUE_URL", servers.url()).env("BLUEQUE_PASSWORD_FILE", servers.password_file());
    command.env("XDG_CONFIG_HOME", data);
}

/// Interval at which processes and programs are checked.
const LOOK: Duration = Duration::from_millis(100);

/// Waits until the user ends the command. Fails if the worker or a single server ends by itself. Nodes of a cluster are
/// started again. `look` is called at each check, and gets true if a node was started.
fn wait(
    signals: &mut Signals,
    worker: &mut Child,
    servers: &mut Servers,
    mut look: impl FnMut(&Servers, &mut Child, bool) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    loop {
        thread::sleep(LOOK);
        if signals.pending().any(|signal| signal != SIGCHLD) {
            return Ok(());
        }
        if let Some(status) = worker.try_wait()? {
            bail!("the worker ended unexpectedly: {status}");
        }
        let again = servers.look()?;
        look(servers, worker, again)?;
    }
}

/// Asks the worker and all programs to end. Kills them after the grace period, or at a second Ctrl-C.
fn end(signals: &mut Signals, worker: &mut Child, state: &Path, namespace: &str) {
    say("blueque dev: ends; running tasks go back to their queue (Ctrl-C again: at once)");
    let _ = kill(Pid::from_raw(worker.id().cast_signed()), Signal::SIGTERM);
    let limit = Instant::now() + GRACE + Duration::from_secs(5);
    let mut impatient = false;
    let running = || RunFolder::list(state, namespace).is_ok_and(|runs| !runs.is_empty());
    // The worker exits without waiting for tasks whose outcome only has to be sent.
    while (worker.try_wait().is_ok_and(|status| status.is_none()) || running()) && !impatient {
        impatient = Instant::now() > limit || signals.pending().any(|signal| signal != SIGCHLD);
        thread::sleep(Duration::from_millis(10));
    }
    if impatient {
        let _ = worker.kill();
        kill_runs(state, namespace);
    }
    let _ = worker.wait();
}

/// Kills supervisors and programs. The next worker finds their run folders and gives the tasks back.
fn kill_runs(state: &Path, namespace: &str) {
    for folder in RunFolder::list(state, namespace).unwrap_or_default() {
        if let Some(holder) = folder.holder().filter(|holder| holder.supervisor.lives()) {
            let _ = kill(Pid::from_raw(holder.supervisor.pid), Signal::SIGKILL);
        }
        leftovers::kill_all(folder.path());
    }
}
