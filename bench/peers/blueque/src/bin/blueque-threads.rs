//! Blueque, with handlers on threads.

use std::cell::RefCell;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use blueque::calls::{NewTask, TaskOptions};
use blueque::{Client, Context, Queue, Stop, Submit, Summary, Task, TaskId, Worker};
use peers_program::{Payload, Peer, QUEUE, Records, Result, Work, serve};

struct Threads {
    client: Client,
    queue: Queue,
    last: RefCell<Option<Task>>,
}

impl Peer for Threads {
    type Working = (Worker, JoinHandle<blueque::Result<Summary>>);

    fn open(url: &str) -> Result<Self> {
        let client = Client::open(url)?;
        Ok(Self { queue: client.queue(QUEUE)?, client, last: RefCell::default() })
    }

    fn add(&self, payload: &Payload) -> Result<()> {
        self.last.replace(Some(self.queue.submit(payload, Submit::default())?));
        Ok(())
    }

    fn add_many(&self, payloads: &[Payload]) -> Result<()> {
        let payloads: Vec<(TaskId, Vec<u8>)> = payloads
            .iter()
            .map(|payload| Ok((TaskId::random(), serde_json::to_vec(payload)?)))
            .collect::<Result<_>>()?;
        let tasks: Vec<NewTask<'_>> = payloads.iter().map(|(id, parameters)| NewTask::new(id, parameters)).collect();
        self.queue.submit_many(&tasks, &TaskOptions::default())?;
        Ok(())
    }

    fn result(&self) -> Option<String> {
        self.last.borrow().as_ref()?.result(Duration::ZERO).ok()
    }

    fn work(&self, how: &Work, records: &Records) -> Result<Self::Working> {
        let (hold, records, who) = (Duration::from_secs(how.hold), records.clone(), how.who.clone());
        let mut worker = Worker::builder(&self.client).queue(QUEUE)?.slots(how.slots);
        if let Some(lease) = how.lease() {
            worker = worker.lease(lease);
        }
        let worker = worker
            .handle(move |input: Payload, _: &Context| {
                records.handled(&input)?;
                thread::sleep(hold);
                Ok(who.clone())
            })
            .build()?;
        let runs = worker.clone();
        Ok((worker, thread::spawn(move || runs.run())))
    }

    fn stop(&self, (worker, runs): Self::Working) -> Result<()> {
        worker.stop(Stop::Drain);
        runs.join().map_err(|_| "the worker panicked")??;
        Ok(())
    }
}

fn main() -> Result<()> {
    serve::<Threads>()
}
