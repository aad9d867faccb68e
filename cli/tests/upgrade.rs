//! Data of former releases is read unchanged, or repaired online. Attempts that former scripts began continue, runs
//! that former workers left on the disk are taken over, and both releases may run side by side.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "../../tests/support/fixture.rs"]
mod fixture;
#[path = "upgrade/format.rs"]
mod format;
#[path = "upgrade/left.rs"]
mod left;
#[path = "upgrade/live.rs"]
mod live;
#[path = "upgrade/mixed.rs"]
mod mixed;
#[path = "upgrade/state.rs"]
mod state;
#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::process::Command;

use fixture::{Answer, Fixture, Scripts};
use support::{Folder, Server};

/// A server with the scripts of two releases, a former release and the present release.
struct Both {
    server: Server,
    connection: redis::Connection,
    old: Scripts,
    new: Scripts,
}

/// The release that makes a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Old,
    New,
}

impl Both {
    fn start(fixture: &Fixture) -> Self {
        let server = Server::start_with(&["--appendonly", "yes"]);
        let mut connection = server.connection();
        let old = fixture.scripts(&mut connection);
        let new = Scripts::current(&mut connection);
        Self { server, connection, old, new }
    }

    /// Calls a command of this release.
    fn call(&mut self, words: &str) -> Vec<String> {
        self.new.words(&mut self.connection, words)
    }

    fn by(&mut self, by: By, words: &str) -> Vec<String> {
        self.try_by(by, words).unwrap_or_else(|error| panic!("{words} by {by:?}: {error}"))
    }

    fn try_by(&mut self, by: By, words: &str) -> Answer {
        match by {
            By::Old => self.old.try_words(&mut self.connection, words),
            By::New => self.new.try_words(&mut self.connection, words),
        }
    }

    fn ask<T: redis::FromRedisValue>(&mut self, words: &[&str]) -> T {
        redis::cmd(words[0]).arg(&words[1..]).query(&mut self.connection).unwrap()
    }

    fn status(&mut self, id: &str) -> String {
        self.ask::<Option<String>>(&["HGET", &format!("blueque_task_{id}"), "status"]).unwrap_or_default()
    }

    /// `repair` of a queue, to its end.
    fn repair(&mut self, queue: &str) {
        let mut cursor = "''".to_owned();
        while !cursor.is_empty() {
            cursor.clone_from(&self.call(&format!("repair {queue} {cursor} 100 grace 0"))[0]);
        }
    }

    /// All pages of a call with a limit and cursors.
    fn pages(&mut self, words: &str) -> Vec<String> {
        let (mut cursor, mut found) = ("0".to_owned(), Vec::new());
        loop {
            let mut page = self.call(&words.replace("CURSOR", &cursor)).into_iter();
            cursor = page.next().unwrap();
            found.extend(page);
            if cursor == "0" {
                return found;
            }
        }
    }

    /// The doctor finds nothing except tasks that wait for a worker.
    fn sound(&self, when: &str) {
        let home = Folder::new();
        let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
        command.env_clear().env("HOME", home.path()).env("BLUEQUE_URL", self.server.url());
        let output = command.arg("doctor").output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        let found = out.lines().any(|line| line.starts_with("FINDING") && !line.starts_with("FINDING  waiting "));
        assert!(!found && out.contains("schema"), "{when}: {out}");
    }
}
