//! Blueque's asynchronous client: each slot a listener of its own, in a loop of listen, start and complete.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use blueque::TaskId;
use blueque::calls::{NewTask, TaskOptions};
use blueque::tokio::{Client, Queue};
use peers_program::{Payload, Peer, QUEUE, Records, Result, Work, serve};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

struct Async {
    runtime: Runtime,
    client: Client,
    queue: Queue,
}

impl Async {
    fn submit(&self, tasks: &[NewTask<'_>]) -> Result<()> {
        self.runtime.block_on(self.queue.submit_many(tasks, &TaskOptions::default()))?;
        Ok(())
    }
}

impl Peer for Async {
    type Working = (Arc<AtomicBool>, Vec<JoinHandle<Result<()>>>);

    fn open(url: &str) -> Result<Self> {
        let runtime = Runtime::new()?;
        let client = runtime.block_on(Client::open(url))?;
        let queue = client.queue(QUEUE)?;
        Ok(Self { runtime, client, queue })
    }

    fn add(&self, payload: &Payload) -> Result<()> {
        let (id, parameters) = (TaskId::random(), serde_json::to_vec(payload)?);
        self.submit(&[NewTask::new(&id, &parameters)])
    }

    fn add_many(&self, payloads: &[Payload]) -> Result<()> {
        let payloads: Vec<(TaskId, Vec<u8>)> = payloads
            .iter()
            .map(|payload| Ok((TaskId::random(), serde_json::to_vec(payload)?)))
            .collect::<Result<_>>()?;
        let tasks: Vec<NewTask<'_>> = payloads.iter().map(|(id, parameters)| NewTask::new(id, parameters)).collect();
        self.submit(&tasks)
    }

    fn work(&self, how: &Work, records: &Records) -> Result<Self::Working> {
        let ended = Arc::new(AtomicBool::new(false));
        let mut slots = Vec::new();
        for _ in 0..how.slots {
            let mut listener = self.runtime.block_on(self.client.listener(&[QUEUE]))?;
            if let Some(lease) = how.lease() {
                listener = listener.lease(lease);
            }
            let (how, records, ended) = (how.clone(), records.clone(), Arc::clone(&ended));
            slots.push(self.runtime.spawn(async move {
                while !ended.load(Ordering::Acquire) {
                    let Some(work) = listener.listen(Duration::from_secs(1)).await? else { continue };
                    work.start(std::process::id()).await?;
                    records.handled(&work.parameters()?)?;
                    if how.hold > 0 {
                        tokio::time::sleep(Duration::from_secs(how.hold)).await;
                    }
                    work.complete_bytes(b"null").await?;
                }
                Ok(())
            }));
        }
        Ok((ended, slots))
    }

    fn stop(&self, (ended, slots): Self::Working) -> Result<()> {
        ended.store(true, Ordering::Release);
        slots.into_iter().try_for_each(|slot| self.runtime.block_on(slot)?)
    }
}

fn main() -> Result<()> {
    serve::<Async>()
}
