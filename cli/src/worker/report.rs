//! The thread that reports that the worker is alive, and the number of its free slots.

use std::sync::Arc;
use std::time::Instant;

use blueque::calls::ReportOptions;
use blueque::constants::{REPORT_AGAIN, REPORT_EVERY};
use blueque::{Client, Interrupter, ListenerId, Order, Pattern, QueueName};

use super::pool::{PROGRAM, Pool};
use super::program::{Programs, is_mended};
use super::settings::Settings;
use crate::output::{behind, clean_line};

/// Maximum number of characters in the text about problems. The server accepts 1,024 bytes.
const TROUBLE: usize = 250;

pub struct Reporter {
    pub client: Client,
    pub settings: Arc<Settings>,
    pub programs: Programs,
    pub pool: Arc<Pool>,
    pub listener: ListenerId,
    pub interrupter: Interrupter,
}

impl Reporter {
    /// Sends reports until the worker ends, even while it is idle, full or draining.
    pub fn run(&self) {
        loop {
            let sent = Instant::now();
            let pause = match self.report() {
                Ok(()) => REPORT_EVERY.saturating_sub(sent.elapsed()),
                Err(_) => REPORT_AGAIN,
            };
            if !self.pool.wait_for_change(pause) {
                return;
            }
        }
    }

    fn report(&self) -> blueque::Result<()> {
        let settings = &self.settings;
        let number = |slots: usize| u32::try_from(slots).unwrap_or(u32::MAX);
        let (slots, free) = self.pool.slots();
        let methods = self.programs.methods();
        let unread = behind::dropped() > 0;
        self.pool.ails("messages", unread.then(|| "nobody reads its stderr: messages are dropped".to_owned()));
        if self.pool.ailment(PROGRAM).is_some_and(|why| is_mended(&why)) {
            self.pool.ails(PROGRAM, None);
        }
        let trouble = self.pool.trouble().map(|trouble| clean_line(&trouble, TROUBLE));
        let draining = self.pool.draining().is_some();
        let options =
            ReportOptions::new().version(env!("CARGO_PKG_VERSION")).draining(draining).failed(self.pool.failed());
        let options = settings.resources.iter().fold(options, |options, resources| options.has(resources.offered()));
        let options = settings.options.name.iter().fold(options, ReportOptions::name);
        let options = methods.into_iter().fold(options, ReportOptions::methods);
        let options = trouble.into_iter().fold(options, ReportOptions::trouble);
        let named = settings.named();
        let patterns =
            named.is_none().then(|| settings.queues.iter().map(Pattern::as_str).collect::<Vec<_>>().join(","));
        let options = patterns.into_iter().fold(options, ReportOptions::patterns);
        let named = named.unwrap_or_default();
        let send = |queues: &[QueueName]| {
            self.client.call(&self.client.calls().report(&self.listener, number(slots), number(free), queues, &options))
        };
        let aside = self.pool.aside();
        let orders = match send(&named) {
            // The report may be refused because of a queue whose other calls are refused.
            Err(error) if !error.is_transient() && !aside.is_empty() => {
                let others = named.iter().filter(|queue| !aside.contains(queue));
                send(&others.cloned().collect::<Vec<_>>())?
            }
            told => told?,
        };
        if !draining && orders.contains(&Order::Drain) {
            self.pool.ordered();
            self.interrupter.interrupt();
        }
        Ok(())
    }
}
