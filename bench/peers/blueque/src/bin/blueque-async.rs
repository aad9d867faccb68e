//! Blueque, with asynchronous handlers.

use std::cell::RefCell;
use std::time::Duration;

use blueque::calls::{NewTask, TaskOptions};
use blueque::tokio::{Client, Queue, Task, Worker};
use blueque::{Stop, Submit, Summary, TaskId};
use peers_program::{Payload, Peer, QUEUE, Records, Result, Work, serve};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

struct Async {
    runtime: Runtime,
    client: Client,
    queue: Queue,
    last: RefCell<Option<Task>>,
}

impl Peer for Async {
    type Working = (Worker, JoinHandle<blueque::Result<Summary>>);

    fn open(url: &str) -> Result<Self> {
        let runtime = Runtime::new()?;
        let client = runtime.block_on(Client::open(url))?;
        let queue = client.queue(QUEUE)?;
        Ok(Self { runtime, client, queue, last: RefCell::default() })
    }

    fn add(&self, payload: &Payload) -> Result<()> {
        self.last.replace(Some(self.runtime.block_on(self.queue.submit(payload, Submit::default()))?));
        Ok(())
    }

    fn add_many(&self, payloads: &[Payload]) -> Result<()> {
        let payloads: Vec<(TaskId, Vec<u8>)> = payloads
            .iter()
            .map(|payload| Ok((TaskId::random(), serde_json::to_vec(payload)?)))
            .collect::<Result<_>>()?;
        let tasks: Vec<NewTask<'_>> = payloads.iter().map(|(id, parameters)| NewTask::new(id, parameters)).collect();
        self.runtime.block_on(self.queue.submit_many(&tasks, &TaskOptions::default()))?;
        Ok(())
    }

    fn result(&self) -> Option<String> {
        self.runtime.block_on(self.last.borrow().as_ref()?.result(Duration::ZERO)).ok()
    }

    fn work(&self, how: &Work, records: &Records) -> Result<Self::Working> {
        let (hold, records, who) = (how.hold, records.clone(), how.who.clone());
        let mut worker = Worker::builder(&self.client).queue(QUEUE)?.slots(how.slots);
        if let Some(lease) = how.lease() {
            worker = worker.lease(lease);
        }
        let worker = worker
            .handle(move |input: Payload, _| {
                let (records, who) = (records.clone(), who.clone());
                async move {
                    records.handled(&input)?;
                    if hold > 0 {
                        tokio::time::sleep(Duration::from_secs(hold)).await;
                    }
                    Ok(who)
                }
            })
            .build()?;
        let runs = worker.clone();
        Ok((worker, self.runtime.spawn(async move { runs.run().await })))
    }

    fn stop(&self, (worker, runs): Self::Working) -> Result<()> {
        worker.stop(Stop::Drain);
        self.runtime.block_on(runs)??;
        Ok(())
    }
}

fn main() -> Result<()> {
    serve::<Async>()
}
