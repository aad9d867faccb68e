//! `BullMQ`'s crate as in its guide: one worker, whose `concurrency` is the number of jobs that run at a time
//! (Guide, Workers, Concurrency), and `add_bulk` for many jobs (Queues, Adding jobs in bulk).

use std::cell::RefCell;
use std::time::Duration;

use bullmq::options::RedisConnectionOptions;
use bullmq::queue::BulkJob;
use bullmq::worker::CancellationToken;
use bullmq::{Job, Queue, QueueOptions, Worker, WorkerOptions};
use peers_program::{Payload, Peer, QUEUE, Records, Result, Work, serve};
use tokio::runtime::Runtime;

struct Bull {
    runtime: Runtime,
    connection: RedisConnectionOptions,
    queue: Queue,
    last: RefCell<Option<String>>,
}

impl Peer for Bull {
    type Working = Worker;

    fn open(url: &str) -> Result<Self> {
        let runtime = Runtime::new()?;
        let connection = RedisConnectionOptions::new().url(url);
        let options = QueueOptions { connection: connection.clone(), ..QueueOptions::default() };
        let queue = runtime.block_on(Queue::with_options(QUEUE, options))?;
        Ok(Self { runtime, connection, queue, last: RefCell::default() })
    }

    fn add(&self, payload: &Payload) -> Result<()> {
        let job = self.runtime.block_on(async { self.queue.add("task", payload).await })?;
        self.last.replace(Some(job.id().to_owned()));
        Ok(())
    }

    fn add_many(&self, payloads: &[Payload]) -> Result<()> {
        let jobs = payloads.iter().map(|payload| BulkJob::new("task", payload)).collect();
        self.runtime.block_on(self.queue.add_bulk(jobs))?;
        Ok(())
    }

    fn result(&self) -> Option<String> {
        let id = self.last.borrow().clone()?;
        let job = self.runtime.block_on(self.queue.get_job(&id)).ok()??;
        serde_json::from_str(job.returnvalue()).ok()
    }

    fn work(&self, how: &Work, records: &Records) -> Result<Self::Working> {
        let mut options = WorkerOptions { connection: self.connection.clone(), ..WorkerOptions::default() };
        options.concurrency = how.slots;
        if let Some(lease) = how.lease {
            options.lock_duration = lease * 1000;
            options.stalled_interval = lease * 1000;
        }
        let (hold, records, who) = (how.hold, records.clone(), how.who.clone());
        let processor = move |job: Job, _: CancellationToken| {
            let (records, who) = (records.clone(), who.clone());
            async move {
                let payload: Payload = serde_json::from_value(job.data().clone())?;
                records.handled(&payload).map_err(|error| bullmq::Error::InvalidConfig(error.to_string()))?;
                if hold > 0 {
                    tokio::time::sleep(Duration::from_secs(hold)).await;
                }
                Ok(serde_json::Value::from(who))
            }
        };
        Ok(self.runtime.block_on(Worker::with_options(QUEUE, processor, options))?)
    }

    fn stop(&self, worker: Self::Working) -> Result<()> {
        Ok(self.runtime.block_on(worker.close(10_000))?)
    }
}

fn main() -> Result<()> {
    serve::<Bull>()
}
