//! The thread that notifies other partitions of the ends of tasks.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use blueque::{Deliverer, Error, PartitionName};

use super::log;
use crate::output::causes;
use crate::session::config::Places;

/// Time limit of a delivery to another partition.
const DELIVERY: Duration = Duration::from_secs(3);

/// Notifies the other partitions of the ends of tasks in a worker's partitions.
pub struct Deliveries {
    deliverer: Arc<Deliverer>,
    ended: mpsc::Receiver<()>,
}

impl Deliveries {
    /// Starts the thread for these partitions, which runs until [`Deliveries::end`]. Returns `None` if there are no
    /// other partitions.
    pub fn begin(places: &Places, own: Vec<PartitionName>) -> anyhow::Result<Option<Self>> {
        if places.partitions.names().len() < 2 {
            return Ok(None);
        }
        let heed = |name: &PartitionName, error: &Error| {
            if !error.is_transient() {
                let why = causes(error);
                log::warning(&format!("partition {name}: ends of tasks are not delivered to others: {why}"));
            }
        };
        let deliverer = Arc::new(Deliverer::new(&places.reachable(DELIVERY)?).only(own).on_error(heed));
        let (runs, (says, ended)) = (deliverer.clone(), mpsc::channel());
        thread::spawn(move || {
            runs.run();
            let _ = says.send(());
        });
        Ok(Some(Self { deliverer, ended }))
    }

    /// Stops the deliveries, and waits for the last delivery for a limited time. An interrupted delivery is repeated
    /// only after its lease has expired.
    pub fn end(self) {
        self.deliverer.stop();
        let _ = self.ended.recv_timeout(DELIVERY);
    }
}
