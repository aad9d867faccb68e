//! The thread that delivers the ends of tasks to other partitions.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use blueque::{Deliverer, Error, PartitionName};

use crate::output::{causes, say};
use crate::session::config::Places;

/// The limit of a delivery to another partition.
const DELIVERY: Duration = Duration::from_secs(3);

/// Delivers the ends of tasks of some partitions to the others.
pub struct Deliveries {
    deliverer: Arc<Deliverer>,
    ended: mpsc::Receiver<()>,
}

impl Deliveries {
    /// Delivers what these partitions have until [`Deliveries::end`]; none if there are no others.
    pub fn begin(places: &Places, own: Vec<PartitionName>) -> anyhow::Result<Option<Self>> {
        if places.partitions.names().len() < 2 {
            return Ok(None);
        }
        let heed = |name: &PartitionName, error: &Error| {
            if !error.is_transient() {
                let why = causes(error);
                say(format!("blueque worker: partition {name}: ends of tasks are not delivered to others: {why}"));
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

    /// What is cut off is delivered again only when its lease has expired: so the last ones may finish.
    pub fn end(self) {
        self.deliverer.stop();
        let _ = self.ended.recv_timeout(DELIVERY);
    }
}
