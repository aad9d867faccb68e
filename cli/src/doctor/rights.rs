//! Checks the permissions of this user to call the scripts, and the clock of the namespace.

use blueque::{Client, Error};

use super::checks::Checks;
use crate::session::config::{self, Settings};
use crate::session::rights::{missing, other_roles};

impl Checks {
    /// Reports the missing permissions that the scripts return. Other checks report other problems.
    pub fn rights(&mut self, settings: &Settings) -> anyhow::Result<()> {
        let check = "rights";
        let limit = self.patience;
        let open = |builder: blueque::ClientBuilder| {
            anyhow::Ok(builder.namespace(settings.namespace().clone()).limit(limit).open(&settings.address()?))
        };
        // The checks must not write. Opening a new namespace for tests writes to it, so the first attempt does not open
        // one.
        let opened = match open(Client::builder())? {
            Err(Error::Unsuitable { code: blueque::Code::Test, .. }) => {
                self.note("clock", "this namespace is for tests: its clock may show any time");
                if !config::for_tests() {
                    return Ok(());
                }
                open(config::builder())?
            }
            opened => opened,
        };
        let client = match opened {
            Ok(client) => client,
            Err(Error::Unsuitable { .. }) => return Ok(()),
            Err(error) => {
                let text = format!("the scripts cannot be called: {error}");
                let renamed =
                    ["Unknown Redis command", "Invalid command passed"].iter().any(|what| text.contains(what));
                let todo = if renamed {
                    "remove rename-command for their commands from the server's configuration, and restart the server"
                } else {
                    "grant them: see docs/run/configuration.md"
                };
                self.finding(check, text, todo);
                return Ok(());
            }
        };
        let handshake = client.handshake();
        let lacking = handshake.map(|handshake| missing(handshake, settings.namespace().as_str())).unwrap_or_default();
        let others = handshake.map(other_roles).unwrap_or_default();
        if lacking.is_empty() && others.is_empty() {
            self.ok(check, "this user may run every command of the scripts");
        } else if lacking.is_empty() {
            self.ok(
                check,
                format!("this user may run all that its roles need; it does not have: {}", others.join(", ")),
            );
        }
        for right in lacking {
            self.finding(check, right.text, right.todo);
        }
        Ok(())
    }
}
