//! The page of `blueque dev`: a child process that serves it.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::input::values::PAGE_PORT;

/// A running page, which ends when dropped.
pub struct Page {
    child: Child,
    pub url: String,
}

impl Page {
    /// Starts the page on its usual port, or on any port if another program uses the usual port. `connected` sets the
    /// environment in which a command uses the servers.
    pub fn start(namespace: &str, connected: impl Fn(&mut Command)) -> anyhow::Result<Self> {
        let is_free = TcpListener::bind((Ipv4Addr::LOCALHOST, PAGE_PORT)).is_ok();
        for port in [is_free.then_some(PAGE_PORT), Some(0)].into_iter().flatten() {
            let mut command = Command::new("/proc/self/exe");
            command.arg0("blueque").args(["web", "--title", "dev", "--colour", "green", "--namespace", namespace]);
            command.args(["--listen", &format!("127.0.0.1:{port}")]);
            connected(&mut command);
            // Another program may take the port now; then the second try says what is wrong.
            let errors = if port == 0 { Stdio::inherit() } else { Stdio::null() };
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(errors).process_group(0);
            let mut child = command.spawn().context("the page cannot be started")?;
            let mut url = String::new();
            if let Some(stdout) = child.stdout.take() {
                BufReader::new(stdout).read_line(&mut url)?;
            }
            let page = Self { child, url: url.trim().to_owned() };
            if !page.url.is_empty() {
                return Ok(page);
            }
        }
        bail!("the page cannot be started")
    }

    pub fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = kill(Pid::from_raw(self.pid()), Signal::SIGTERM);
        let _ = self.child.wait();
    }
}
