//! `make torture` and `make torture-cluster`: real workers, real programs and one server or a cluster, under every
//! fault of processes, disks, clocks, memory and networks. At the end the campaign checks that nothing was lost, done
//! twice, or left behind.

mod clock;
mod cluster;
mod faults;
mod ground;
mod host;
mod jobs;
mod judge;
mod neighbour;
mod notices;
mod proxy;
mod receiver;
mod saved;
mod server;
mod users;
mod way;

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use clap::Parser;
use fastrand::Rng;
use faults::{Campaign, Fault};
use ground::{Ground, Ways};
use host::{Host, Kind};
use jobs::Jobs;
use neighbour::Neighbour;
use nix::unistd::geteuid;
use receiver::Receiver;
use saved::Saved;

/// The containers are left out on a cluster, where each host works on one of two namespaces.
const HOSTS: [(&str, Kind); 4] = [
    ("north", Kind::Machine),
    ("south", Kind::Machine),
    ("container-a", Kind::Container),
    ("container-b", Kind::Container),
];

/// The host that publishes in a folder that a group may write to.
const PUBLISHES: &str = "south";

#[derive(Parser)]
struct Options {
    /// Selects the faults: the same seed gives the same ones, not the same timing
    #[arg(long, env = "SEED", default_value_t = 1)]
    seed: u64,
    /// How long to cause faults
    #[arg(long, env = "MINUTES", default_value_t = 3.0)]
    minutes: f64,
    /// Three masters with a replica each, and two namespaces that are partitions, in place of one server
    #[arg(long)]
    cluster: bool,
    /// Only deliver between these partitions, until it is killed
    #[arg(long, hide = true, value_name = "ADDRESSES")]
    deliver: Option<String>,
    /// The command under test
    #[arg(long, value_name = "FILE", default_value = "blueque")]
    blueque: PathBuf,
    /// The server's program
    #[arg(long, env = "BLUEQUE_REDIS_SERVER", value_name = "FILE", default_value = "redis-server")]
    server: PathBuf,
    /// Only these faults; may be repeated
    #[arg(long, value_name = "FAULT", value_parser = faults::named)]
    only: Vec<Fault>,
    /// Keep the folder with all logs
    #[arg(long)]
    keep: bool,
}

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    if let Some(addresses) = &options.deliver {
        ground::deliver(addresses)?;
        return Ok(ExitCode::SUCCESS);
    }
    ensure!(
        geteuid().is_root(),
        "each host has a disk and a name of its own, which only root can make: run it as root"
    );
    let blueque = options.blueque.canonicalize().context("--blueque is no file")?;
    let version = Command::new(&options.server).arg("--version").output().context("--server cannot be run")?;
    println!("seed {}, {} minutes, {}", options.seed, options.minutes, String::from_utf8_lossy(&version.stdout).trim());
    let mut folder = tempfile::Builder::new().prefix("blueque-torture-").tempdir()?;
    folder.disable_cleanup(options.keep);

    let jobs = Arc::new(Jobs::new(folder.path())?);
    let receiver = Receiver::start(folder.path(), options.seed)?;
    let neighbour = Neighbour::new(folder.path(), &blueque)?;
    let ground = Ground::start(options.cluster, options.server, folder.path())?;
    let partitions = ground.partitions();
    let places = HOSTS.into_iter().filter(|(_, kind)| *kind == Kind::Machine || !options.cluster);
    let ways = Ways::new(&ground, places.clone().count())?;
    let mut hosts = Vec::new();
    for (number, ((name, kind), way)) in places.zip(ways.hosts).enumerate() {
        // The publish folder is in another file system than the host's state folder.
        let publish = Some(neighbour.published.clone()).filter(|_| name == PUBLISHES);
        let files = (jobs.programs(), receiver.config.clone());
        let mut host = Host::new((name, kind, number), folder.path(), files, &blueque, (way, publish))?;
        (0..kind.workers()).try_for_each(|_| host.start_worker())?;
        hosts.push(host);
    }
    let random = Rng::with_seed(options.seed);
    let stop = Arc::new(AtomicBool::new(false));
    let saved = Saved::watch(ground.ways(), Arc::clone(&stop));
    let mut campaign =
        Campaign::new(random, options.only, (ground, neighbour), hosts, ways.routes, Arc::clone(&jobs), saved);
    let sender = jobs.send(ways.senders, partitions, options.seed, Arc::clone(&stop));
    let ran = campaign.run(Instant::now() + Duration::from_secs_f64(options.minutes * 60.0));
    stop.store(true, Ordering::Release);
    sender.join().map_err(|_| anyhow!("the sender of tasks ended by a bug"))?;
    ran?;
    let verdict = judge::judge(&mut campaign, &jobs, &receiver, &blueque)?;

    for (fault, count) in &campaign.counts {
        println!("  {fault:<20} {count:>4}");
    }
    println!(
        "{} tasks, {} attempts, {} notices: {} complete, {} forgotten by a server that was set back or replaced, {} overlaps as documented",
        jobs.all().len(),
        verdict.attempts,
        receiver.received().len(),
        verdict.complete,
        verdict.gone,
        verdict.excused
    );
    for violation in &campaign.violations {
        println!("VIOLATION {violation}");
    }
    println!("{} violations", campaign.violations.len());
    if options.keep {
        println!("all logs are in {}", folder.path().display());
    }
    Ok(if campaign.violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
