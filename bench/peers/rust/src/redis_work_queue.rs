//! redis-work-queue as in its README: a loop of `lease` and `complete` for each slot, on separate connections,
//! since a lease may block; many items in one pipeline; the faster `add_unique_item`, since ids are random.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use peers_program::{Payload, Peer, QUEUE, Records, Result, Work, serve};
use redis_of_work_queue::Client;
use redis_of_work_queue::aio::MultiplexedConnection;
use redis_work_queue::{Item, KeyPrefix, WorkQueue};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

/// Seconds; 5 as in its README.
const LEASE: u64 = 5;

struct Plain {
    runtime: Runtime,
    client: Client,
    connection: MultiplexedConnection,
    queue: WorkQueue,
}

fn queue() -> WorkQueue {
    WorkQueue::new(KeyPrefix::from(QUEUE))
}

impl Peer for Plain {
    type Working = (Arc<AtomicBool>, Vec<JoinHandle<Result<()>>>);

    fn open(url: &str) -> Result<Self> {
        let runtime = Runtime::new()?;
        let client = Client::open(url)?;
        let connection = runtime.block_on(client.get_multiplexed_async_connection())?;
        Ok(Self { runtime, client, connection, queue: queue() })
    }

    fn add(&self, payload: &Payload) -> Result<()> {
        let item = Item::from_json_data(payload)?;
        Ok(self.runtime.block_on(self.queue.add_unique_item(&mut self.connection.clone(), &item))?)
    }

    fn add_many(&self, payloads: &[Payload]) -> Result<()> {
        let mut pipeline = redis_of_work_queue::pipe();
        for payload in payloads {
            self.queue.add_unique_item_to_pipeline(&mut pipeline, &Item::from_json_data(payload)?);
        }
        Ok(self.runtime.block_on(pipeline.query_async(&mut self.connection.clone()))?)
    }

    fn result(&self) -> Option<String> {
        None
    }

    fn work(&self, how: &Work, records: &Records) -> Result<Self::Working> {
        let ended = Arc::new(AtomicBool::new(false));
        let (hold, lease) = (Duration::from_secs(how.hold), Duration::from_secs(how.lease.unwrap_or(LEASE)));
        let mut slots = Vec::new();
        for _ in 0..how.slots {
            let (ended, records) = (Arc::clone(&ended), records.clone());
            let mut connection = self.runtime.block_on(self.client.get_multiplexed_async_connection())?;
            slots.push(self.runtime.spawn(async move {
                let queue = queue();
                while !ended.load(Ordering::Acquire) {
                    let Some(item) = queue.lease(&mut connection, Some(Duration::from_secs(1)), lease).await? else {
                        continue;
                    };
                    records.handled(&item.data_json()?)?;
                    if !hold.is_zero() {
                        tokio::time::sleep(hold).await;
                    }
                    queue.complete(&mut connection, &item).await?;
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
    serve::<Plain>()
}
