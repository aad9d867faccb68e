//! The cost of each task that a worker in a process of its own holds: with handlers on threads, and asynchronous.

use std::env;
use std::future::pending;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use blueque::calls::{NewTask, TaskOptions};
use blueque::{Client, Context, HandlerError, TaskId, Worker};

use crate::life::id;
use crate::programs::{cpu, resident, wait_until};
use crate::server::{Result, Server};

/// Number of held tasks: the most slots of a worker.
pub const HELD: usize = 500;

/// Time in which processor time is counted. A lease of a minute is renewed once in it.
const WATCHED: Duration = Duration::from_secs(20);

pub struct Cost {
    /// KiB that a held task adds to the process.
    pub kibibytes: f64,
    /// Percent of a core for all held tasks, without the use of an idle worker.
    pub share: f64,
    /// Seconds until all tasks run.
    pub until_all_run: f64,
}

/// Process of a worker. It ends when this value is dropped.
struct Holder(Child);

impl Holder {
    fn start(server: &Server, kind: &str, slots: usize) -> Result<Self> {
        let child = Command::new(env::current_exe()?)
            .args(["holds", kind])
            .arg(server.socket())
            .arg(slots.to_string())
            .spawn()?;
        Ok(Self(child))
    }

    /// Returns the KiB of the process, and its percent of a core.
    fn costs(&self) -> Result<(f64, f64)> {
        let (began, before) = (Instant::now(), cpu(self.0.id())?);
        thread::sleep(WATCHED);
        let share = (cpu(self.0.id())? - before) / began.elapsed().as_secs_f64() * 100.0;
        Ok((resident(self.0.id())? * 1024.0, share))
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs the worker's process until it is killed. None of its tasks ends.
pub fn run(kind: &str, socket: &Path, slots: usize) -> Result<()> {
    let url = format!("unix://{}", socket.display());
    if kind == "async" {
        tokio::runtime::Runtime::new()?.block_on(async {
            let client = blueque::tokio::Client::open(&url).await?;
            let worker = blueque::tokio::Worker::builder(&client).queue("q")?.slots(slots);
            worker.handle(|(): (), _| pending::<std::result::Result<(), HandlerError>>()).build()?.run().await?;
            Ok(())
        })
    } else {
        let worker = Worker::builder(&Client::open(&url)?).queue("q")?.slots(slots);
        let holds = |(): (), _: &Context| -> std::result::Result<(), HandlerError> {
            loop {
                thread::park_timeout(Duration::from_secs(3600));
            }
        };
        worker.handle(holds).build()?.run()?;
        Ok(())
    }
}

pub fn cost(server: &Server, kind: &str) -> Result<Cost> {
    let client = Client::open(&format!("unix://{}", server.socket().display()))?;
    let queue = client.queue("q")?;
    let (idle, idle_share) = {
        let holder = Holder::start(server, kind, 1)?;
        wait_until("it works", || Ok(!client.workers()?.is_empty()))?;
        holder.costs()?
    };
    let ids = (0..HELD).map(|_| TaskId::new(id())).collect::<blueque::Result<Vec<_>>>()?;
    let tasks: Vec<NewTask<'_>> = ids.iter().map(|id| NewTask::new(id, b"null")).collect();
    queue.submit_many(&tasks, &TaskOptions::default())?;
    let began = Instant::now();
    let holder = Holder::start(server, kind, HELD)?;
    wait_until("all run", || Ok(queue.counts()?.started == HELD as u64))?;
    let until_all_run = began.elapsed().as_secs_f64();
    let (held, share) = holder.costs()?;
    let kibibytes = (held - idle) / f64::from(u32::try_from(HELD)?);
    Ok(Cost { kibibytes, share: (share - idle_share).max(0.0), until_all_run })
}
