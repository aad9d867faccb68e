//! Blueque's calls on an asynchronous connection: each slot a loop of listen, start and complete.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use blueque::calls::{CompleteOptions, NewTask, RegisterOptions, ReserveOptions, StartOptions, TaskOptions};
use blueque::tokio::Client;
use blueque::{ListenerId, QueueName, TaskId};
use peers_program::{Payload, Peer, QUEUE, Records, Result, Work, serve};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use uuid::Uuid;

struct Async {
    runtime: Runtime,
    client: Client,
    queue: QueueName,
}

impl Async {
    fn submit(&self, tasks: &[NewTask<'_>]) -> Result<()> {
        let call = self.client.calls().submit(&self.queue, tasks, &TaskOptions::default());
        self.runtime.block_on(self.client.call(&call))?;
        Ok(())
    }
}

impl Peer for Async {
    type Working = (Arc<AtomicBool>, Vec<JoinHandle<Result<()>>>);

    fn open(url: &str) -> Result<Self> {
        let runtime = Runtime::new()?;
        let client = runtime.block_on(Client::open(url))?;
        Ok(Self { runtime, client, queue: QueueName::new(QUEUE)? })
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
        let listener = ListenerId::of_process("peers", std::process::id());
        self.runtime.block_on(self.client.call(&self.client.calls().register(
            &self.queue,
            &listener,
            &RegisterOptions::new(),
        )))?;
        let ended = Arc::new(AtomicBool::new(false));
        let mut slots = Vec::new();
        for _ in 0..how.slots {
            let (client, queues, listener) = (self.client.clone(), [self.queue.clone()], listener.clone());
            let (how, records, ended) = (how.clone(), records.clone(), Arc::clone(&ended));
            slots.push(self.runtime.spawn(async move {
                while !ended.load(Ordering::Acquire) {
                    let mut options = ReserveOptions::new().request(Uuid::new_v4().to_string());
                    if let Some(lease) = how.lease() {
                        options = options.lease(lease);
                    }
                    let listen = client.listen(&listener, &queues, &options, Duration::from_secs(1));
                    let Some(work) = listen.await? else { continue };
                    let start = client.calls().start(&work.id, work.token, std::process::id(), &StartOptions::new());
                    client.call(&start).await?;
                    records.handled(&serde_json::from_slice(&work.parameters)?)?;
                    if how.hold > 0 {
                        tokio::time::sleep(Duration::from_secs(how.hold)).await;
                    }
                    let complete = client.calls().complete(&work.id, work.token, b"null", &CompleteOptions::new());
                    client.call(&complete).await?;
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
