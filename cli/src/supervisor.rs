//! `blueque supervise`: a process that runs the program of one task, stores its output, renews its lease and sends its
//! end, even without a worker. The main thread waits for the program, for orders and for timeouts. The thread `capture`
//! reads the program's output, `link` sends the calls to the server, and `orders` receives orders.

mod capture;
mod change;
mod contents;
mod controls;
mod deliver;
mod describe;
mod ending;
mod files;
mod journal;
mod link;
mod orders;
mod output;
mod program;
mod publish;
mod shared;
mod threads;
mod watch;

use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};
use blueque::Namespace;
use clap::Args;
use nix::sys::prctl;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::Signal;
use nix::sys::time::TimeValLike;

use self::capture::{Capture, Seen};
use self::controls::Controls;
use self::deliver::{Delivered, Stage};
use self::journal::Journal;
use self::link::Link;
use self::program::Started;
use self::shared::Shared;
use self::threads::{join, spawn};
use self::watch::{Bell, Ended, Watch};
use crate::output::{chain, say};
use crate::process::Process;
use crate::processes::cgroup::ControlGroup;
use crate::processes::inherited;
use crate::processes::memory::MemoryLimit;
use crate::processes::oom::Kills;
use crate::processes::tree::{Exit, Passed, Tree};
use crate::run_folder::end::{Cost, Counted, End, Found, Outcome, PostMortem};
use crate::run_folder::lock::{Holder, Lock};
use crate::run_folder::notice::{Notice, Unfit};
use crate::run_folder::{Run, RunFolder, boot_clock_us, open};
use crate::server::{host, identity};
use crate::session::password::{Address, Password};
use crate::shortage::{FAILED, LOST, RELEASED, Shortage};
use crate::subcommand::{Global, Subcommand};

/// Size in bytes of the blocks that `getrusage` counts.
const BLOCK: u64 = 512;

/// Maximum time for reading the program's output after its end. The limit matters if a disk hangs.
const LAST_LOOK: Duration = Duration::from_secs(60);

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The run folder
    run: PathBuf,
    /// The server to which the password belongs
    #[arg(long, value_name = "SERVER")]
    server: Option<String>,
    /// The file with the server's password
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// Read the server's password from stdin
    #[arg(long, conflicts_with = "password_file")]
    password_stdin: bool,
}

/// Runs the program of a run folder to its end, or sends the end that is stored in the folder.
impl Subcommand for Options {
    fn start(&self, _: &Global<'_>) -> Option<anyhow::Result<ExitCode>> {
        Some(run(self))
    }
}

fn run(options: &Options) -> anyhow::Result<ExitCode> {
    supervise(options).or_else(|error| match Shortage::of(&error) {
        Some(shortage) => {
            say(format!("{}: {}", options.run.display(), chain(&error)));
            Ok(shortage.code().into())
        }
        None => Err(error),
    })
}

fn supervise(options: &Options) -> anyhow::Result<ExitCode> {
    inherited::close_descriptors();
    // Programs of the same user must not read this process's memory in /proc.
    prctl::set_dumpable(false).context("this process cannot be protected from other processes")?;
    let password = if options.password_stdin {
        Some(Password::from_stdin()?)
    } else {
        options.password_file.clone().map(Password::File)
    };
    let path = options.run.canonicalize().with_context(|| format!("{} is not there", options.run.display()))?;
    let folder = RunFolder::at(path);
    let run = folder.read()?;
    if options.server.as_ref().is_some_and(|server| *server != identity(&run.url)) {
        bail!("{} belongs to another server than its worker", folder.path().display());
    }
    let Some(mut lock) = take(&folder)? else { bail!("another supervisor works on {}", folder.path().display()) };
    // The contents of the lock file prove that an earlier supervisor existed.
    let begun = !lock.is_blank();
    // The supervisor leaves the worker's session, so that the end of the worker's terminal does not affect it. The call
    // fails only if this process already leads a session.
    let _ = nix::unistd::setsid();
    prctl::set_child_subreaper(true).context("this process cannot become the parent of orphaned processes")?;
    let (mut bell, ring) = Bell::new()?;
    let shared = Arc::new(Shared::new(&run, ring)?);
    let address = Address { url: run.url.clone(), password };
    let mut link = Link::new(&run, address.clone(), Arc::clone(&shared))?;

    let found = folder.find_end().context("the end of this attempt cannot be read now")?;
    let accepted = !matches!(found, Found::Nothing) && folder.accepted().exists();
    let found = match found {
        Found::Whole(end, payload) => {
            shared.remember(&end.post_mortem.cost.refused);
            Some((*end, payload))
        }
        Found::Damaged(error) => {
            shared.say(&format!("the end of this attempt cannot be read, the task is given back: {error:#}"));
            Some((End::new(Outcome::Release, Some("unknown-end"), PostMortem::default()), Vec::new()))
        }
        Found::Nothing => None,
    };
    let (end, mut journal) = if found.is_some() {
        (found, Some(Box::new(Journal::open(&folder, &run))))
    } else if begun {
        bail!("the program of {} may have been started before, and its supervisor was lost: adopt the task", run.id);
    } else {
        let attempted = attempt(&folder, &run, &shared, &mut bell, &mut lock, link, address);
        let (end, journal);
        (end, journal, link) = attempted.inspect_err(|_| {
            if shared.pid.load(Ordering::Acquire) == 0 {
                // No program has run. Without a holder in the lock file, the attempt does not count as lost.
                let _ = lock.clear();
            }
        })?;
        (end, journal)
    };
    let Some(mut end) = end else {
        folder.remove().context("the run folder cannot be removed")?;
        return Ok(LOST.into());
    };
    let mut stage = if accepted { Stage::Accepted } else { Stage::Ended };
    if stage == Stage::Ended && end.0.outcome == Outcome::Complete && publish::target(&folder, &run).is_some() {
        shared.lease.idles();
        shared.post(|outbox| outbox.leave = false);
        let serving = spawn("link", move || link.serve())?;
        match publish::make_ready(&shared, &folder, &run, &mut journal) {
            Ok(true) => stage = Stage::Ready,
            Ok(false) => {}
            Err(never) => {
                end.1 = never.to_string().into_bytes();
                (end.0.outcome, end.0.word) = (Outcome::Fail, Some("result".into()));
                (end.0.next, end.0.step, end.0.post_mortem.cost.output) = (None, None, None);
                // If the write fails and the supervisor dies, the next supervisor comes to the same result from the
                // stored end.
                let _ = folder.write_end(&mut end.0, &end.1);
            }
        }
        shared.post(|outbox| outbox.leave = true);
        link = join(serving)?;
    }
    let outcome = end.0.outcome;
    Ok(match deliver::deliver(&mut link, &shared, &run, &folder, end, journal, stage)? {
        Delivered::Discarded => LOST.into(),
        Delivered::Taken => match outcome {
            Outcome::Complete => ExitCode::SUCCESS,
            Outcome::Fail => FAILED.into(),
            Outcome::Release => RELEASED.into(),
        },
    })
}

/// Takes the lock. Retries for a while, because a worker that only checks the lock also holds it briefly.
fn take(folder: &RunFolder) -> anyhow::Result<Option<Lock>> {
    for _ in 0..20 {
        if let Some(lock) = folder.lock().context("the run folder cannot be locked")? {
            return Ok(Some(lock));
        }
        thread::sleep(Duration::from_millis(10));
    }
    Ok(None)
}

type Attempt = (Option<(End, Vec<u8>)>, Option<Box<Journal>>, Link);

/// Runs the program. Returns its end, or `None` if the lease was lost.
fn attempt(
    folder: &RunFolder,
    run: &Run,
    shared: &Arc<Shared>,
    bell: &mut Bell,
    lock: &mut Lock,
    link: Link,
    address: Address,
) -> anyhow::Result<Attempt> {
    let own = Process::of(std::process::id().cast_signed()).context("/proc is not there")?;
    let mut holder = Holder { supervisor: own, program: None };
    lock.write(&holder).context("the lock file cannot be written")?;
    let too_late = || {
        shared.discards(format!("{} before its program was started", shared.lease.words()));
        shared.notify(folder);
    };
    if shared.lease.is_lost() {
        too_late();
        return Ok((None, None, link));
    }
    let place = folder.place().context("the run folder cannot be examined")?;
    let capture = Capture::new(folder, run, Arc::clone(shared));
    let link = spawn("link", move || link.serve())?;
    let (pipes, opened) = mpsc::channel();
    let (show, shown) = mpsc::channel();
    // The thread must run before the program starts. The thread is not joined, because a hanging disk may block it.
    let _ = spawn("capture", move || {
        let (stdout, stderr, ended): (_, _, UnixStream) = opened.recv().ok()?;
        show.send(capture.watch(stdout, stderr, &ended)).ok()
    })?;
    let (ended, at_end) = UnixStream::pair()?;
    let begun = boot_clock_us();
    let group = ControlGroup::create(folder, &run.limits).map(Arc::new);
    // The main thread starts the program, because the kernel kills the program when the thread that started it ends.
    let started = program::start(folder, run, &shared.lease);
    if let (Err(_) | Ok(None), Some(group)) = (&started, &group) {
        group.remove();
    }
    let Some(mut started) = started? else {
        too_late();
        shared.post(|outbox| outbox.leave = true);
        return Ok((None, None, join(link)?));
    };
    let pid = started.child.id();
    if let Some(group) = group.clone() {
        // The thread is not joined, because it ends by itself.
        let _ = spawn("group", move || group.gather());
    }
    shared.pid.store(pid, Ordering::Release);
    shared.post(|_| {});
    holder.program = Process::of(pid.cast_signed());
    if let Err(error) = lock.write(&holder) {
        shared.say(&format!("the lock file cannot be written: {error}"));
    }
    let (stdout, stderr) = (started.child.stdout.take(), started.child.stderr.take());
    let (Some(stdout), Some(stderr)) = (stdout, stderr) else { bail!("no pipes") };
    let _ = pipes.send((stdout, stderr, ended));
    let channel = format!("{}_orders_{}", run.namespace, run.queue);
    let listener = Arc::clone(shared);
    // The thread is not joined, because it runs until the process ends. It is optional: it makes orders arrive sooner.
    if let Ok(namespace) = Namespace::new(run.namespace.as_str()) {
        let _ = spawn("orders", move || orders::listen(&address, &namespace, &channel, &listener));
    }

    let kills = Kills::new(group.clone(), begun);
    let memory = run.limits.memory.map(|limit| MemoryLimit::new(limit, group.as_deref()));
    let (tree, controls) = (Tree::new(pid.cast_signed(), group), Controls::default());
    let mut watch = Watch { folder, run, shared, bell, tree, begun, kills, memory, controls, oom: false };
    let ended = watch.run();
    if ended != Ended::Lost {
        shared.lease.idles();
    }
    let (exit, passed) = (watch.tree.exit(), watch.tree.passed());
    drop(at_end);
    let mut seen = shown.recv_timeout(LAST_LOOK).unwrap_or_else(|_| {
        shared.say("the last output of the program cannot be read: the disk does not respond");
        Seen::nothing()
    });
    seen.there = folder.place().is_ok_and(|now| now == place);

    let mut post_mortem = PostMortem { cost: cost(run, exit, begun, passed), stderr: seen.last_words.clone() };
    post_mortem.cost.refused = shared.refusals();
    post_mortem.cost.memory_limit = watch.memory.as_ref().map(MemoryLimit::enforcement);
    // A shell whose child was killed by SIGKILL ends with the exit code 128 + SIGKILL.
    let killed = [Exit::Signal(Signal::SIGKILL as i32), Exit::Code(128 + Signal::SIGKILL as i32)];
    post_mortem.cost.oom = watch.oom && matches!(ended, Ended::Exit(exit) if killed.contains(&exit));
    let mut journal = seen.journal.take();
    let kept = seen.checkpoint.is_some() || seen.too_large;
    let unfit = unfit(ended, started, run, &post_mortem.cost);
    let mut end = conclude(ended, unfit, (folder, run), shared, seen, post_mortem);
    if let Some((end, why)) = &end
        && end.word.as_deref() == Some(ending::TROUBLE)
    {
        let why = String::from_utf8_lossy(why);
        shared.say(&format!("its result is unknown, and the task is given back for another attempt: {why}"));
    }
    // The end is stored before all steps that can fail or take long. The link still renews the lease.
    if let Some((end, payload)) = &mut end {
        if end.outcome == Outcome::Complete {
            end.post_mortem.cost.output = publish::target(folder, run);
        }
        // The program may have created the file `accepted`. It is removed first, because it would mean that the server
        // has accepted the stored end.
        let written = open::clear(&folder.accepted()).and_then(|()| folder.write_end(end, payload));
        if let Err(error) = written {
            shared.say(&format!("the end cannot be written to the disk, and is only sent to the server: {error}"));
        }
    } else {
        if kept && let Err(error) = folder.keep_checkpoint(run) {
            shared.say(&format!("the checkpoint cannot be stored: {error}"));
        }
        shared.discards(format!("{}: killed, its result is discarded", shared.lease.words()));
        // The messages are written now, because no process writes them later.
        if let Some(journal) = &mut journal {
            journal.tend(shared);
        }
        // If there is no log on the disk, no other thread has sent the notices.
        shared.notify(folder);
    }
    shared.post(|outbox| outbox.leave = true);
    Ok((end, journal, join(link)?))
}

/// Returns the reason if the program ended because this host lacks something.
fn unfit(ended: Ended, started: Started, run: &Run, cost: &Cost) -> Option<Unfit> {
    let by_itself = matches!(ended, Ended::Exit(Exit::Code(_)));
    let unrun = if by_itself { started.unfit() } else { None };
    unrun.map(|why| Unfit { why, given_back: true }).or_else(|| ending::unfit(ended, run, cost))
}

/// Returns the end with its result or error, or `None` if the attempt was lost.
fn conclude(
    ended: Ended,
    unfit: Option<Unfit>,
    (folder, run): (&RunFolder, &Run),
    shared: &Shared,
    seen: Seen,
    post_mortem: PostMortem,
) -> Option<(End, Vec<u8>)> {
    // An error is ignored: the notice only informs the worker.
    let _ = unfit.as_ref().map(|unfit| folder.notify(&Notice::unfit(unfit)));
    match unfit.filter(|unfit| unfit.given_back) {
        Some(unfit) => {
            shared.say(&format!("given back, and the attempt does not count: {}", unfit.why));
            Some(ending::back(run, &unfit, post_mortem))
        }
        None => ending::judge(ended, (folder, shared), seen, &run.limits, post_mortem),
    }
}

/// Returns the cost of a program after all its processes have ended and were reaped.
fn cost(run: &Run, exit: Option<Exit>, begun: u64, passed: Option<Passed>) -> Cost {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok();
    let cpu = usage.map_or(0, |usage| (usage.user_time() + usage.system_time()).num_milliseconds());
    let blocks = || {
        let bytes = |blocks: i64| u64::try_from(blocks).unwrap_or(0).saturating_mul(BLOCK);
        usage.map(|usage| Passed { read: bytes(usage.block_reads()), written: bytes(usage.block_writes()) })
    };
    let bytes = passed.map(|passed| (passed, Counted::Calls)).or_else(|| Some((blocks()?, Counted::Blocks)));
    Cost {
        attempt: Some(run.attempt),
        exit: exit.and_then(|exit| if let Exit::Code(code) = exit { Some(code) } else { None }),
        signal: exit.and_then(Exit::signal),
        oom: false,
        max_rss_kib: usage.map_or(0, |usage| usage.max_rss()),
        cpu_ms: u64::try_from(cpu).unwrap_or(0),
        wall_ms: boot_clock_us().saturating_sub(begun) / 1_000,
        read_bytes: bytes.map(|(bytes, _)| bytes.read),
        written_bytes: bytes.map(|(bytes, _)| bytes.written),
        counted: bytes.map(|(_, counted)| counted),
        memory_limit: None,
        host: host(&run.listener),
        output: None,
        refused: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
