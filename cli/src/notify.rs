//! Delivers notices: takes them from the server's outbox, calls their targets, and reports the answers. A notice whose
//! answer is lost is delivered again.

mod message;
mod program;
mod webhook;

use std::thread;
use std::time::Duration;

use blueque::{Client, DueNotice, Error};

use self::message::Message;
use self::webhook::Webhook;
use crate::output::{causes, clean_line};
use crate::session::config::{Target, Targets, Way};

/// Interval between two looks into the outbox of a target.
const LOOK: Duration = Duration::from_secs(1);

/// Longest pause after a target that does not accept notices.
const LONGEST: Duration = Duration::from_secs(30);

/// Time within which all taken notices are delivered: a second worker takes them again after a minute.
const TAKEN: Duration = Duration::from_secs(50);

/// Maximum number of notices that a call takes.
const MOST: u32 = 10;

/// Maximum length of an answer in characters.
const ANSWER: usize = 200;

/// The outcome of one look into the outbox of a target.
#[derive(Default)]
pub struct Round {
    pub delivered: u64,
    /// The last answer of a target that did not accept a notice.
    pub refusal: Option<String>,
    /// True if more notices may be due.
    more: bool,
}

/// Delivers the notices of one target.
pub struct Courier<'a> {
    client: &'a Client,
    namespace: &'a str,
    name: &'a str,
    target: &'a Target,
    webhook: Option<Webhook>,
}

impl<'a> Courier<'a> {
    pub fn new(client: &'a Client, namespace: &'a str, name: &'a str, target: &'a Target) -> Self {
        let webhook = match &target.way {
            Way::Webhook { url, secret } => Some(Webhook::new(url, secret.as_deref(), target.timeout)),
            Way::Command(_) => None,
        };
        Self { client, namespace, name, target, webhook }
    }

    /// Delivers the notices that are due now.
    pub fn all(&self) -> Result<Round, Error> {
        let mut sum = Round::default();
        loop {
            let round = self.round()?;
            sum.delivered += round.delivered;
            sum.refusal = round.refusal.or(sum.refusal);
            if !round.more {
                return Ok(sum);
            }
        }
    }

    /// Takes some notices, and delivers them.
    fn round(&self) -> Result<Round, Error> {
        let fits = u32::try_from(TAKEN.as_secs() / self.target.timeout.as_secs().max(1)).unwrap_or(MOST);
        let limit = fits.clamp(1, MOST);
        let calls = self.client.calls();
        let due: Vec<DueNotice> = self.client.call(&calls.take_notices(limit, &[self.name]))?;
        let mut round = Round { more: due.len() >= limit as usize, ..Round::default() };
        for notice in due {
            let message = Message::new(self.namespace, &notice);
            let (outcome, answer) = match self.deliver(&message) {
                Ok(answer) => ("delivered", answer),
                Err(answer) => ("failed", answer),
            };
            let answer = clean_line(&answer, ANSWER);
            let call = calls.answer_notice(&notice.of, &notice.subject, self.name, notice.token, outcome, &answer);
            self.client.call(&call)?;
            if outcome == "delivered" {
                round.delivered += 1;
            } else {
                round.refusal = Some(answer);
            }
        }
        Ok(round)
    }

    /// Returns the answer of the target. An error is an answer that does not acknowledge the notice.
    fn deliver(&self, message: &Message) -> Result<String, String> {
        match (&self.target.way, &self.webhook) {
            (Way::Command(command), _) => program::run(command, self.target.timeout, message),
            (_, Some(webhook)) => webhook.send(message),
            (Way::Webhook { .. }, None) => Err("no client".into()),
        }
    }

    /// Delivers notices until `ends_within` returns true for a pause.
    fn run(&self, ends_within: &dyn Fn(Duration) -> bool, say: &dyn Fn(&str)) {
        let mut trouble: Option<String> = None;
        let mut pause = LOOK;
        loop {
            let (now, more) = match self.round() {
                // Without a due notice, the target has not shown that it works again.
                Ok(round) if round.delivered == 0 => (round.refusal.or_else(|| trouble.clone()), round.more),
                Ok(round) => (round.refusal, round.more),
                // The thread that takes tasks reports a server that is away.
                Err(error) if error.is_transient() => (trouble.clone(), false),
                Err(error) => (Some(causes(&error)), false),
            };
            match (&trouble, &now) {
                (None, Some(why)) => say(&format!("notices to {} fail: {why}; they are tried again", self.name)),
                (Some(_), None) => say(&format!("notices to {} are delivered again", self.name)),
                _ => {}
            }
            pause = if now.is_some() { (pause * 2).min(LONGEST) } else { LOOK };
            trouble = now;
            if ends_within(if more && trouble.is_none() { Duration::ZERO } else { pause }) {
                return;
            }
        }
    }
}

/// Delivers the notices of all targets until `ends_within` returns true for a pause.
pub fn run(
    client: &Client,
    namespace: &str,
    targets: &Targets,
    ends_within: &(dyn Fn(Duration) -> bool + Sync),
    say: &(dyn Fn(&str) + Sync),
) {
    thread::scope(|scope| {
        for (name, target) in targets {
            let client = client.clone();
            scope.spawn(move || Courier::new(&client, namespace, name, target).run(ends_within, say));
        }
    });
}
