//! Shows long text on a terminal in the user's pager.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGINT;

/// Options of `less`: quit if the text fits on one screen, and leave the text there.
const LESS: &str = "FX";

#[derive(Debug)]
pub struct Pager {
    child: Child,
    input: Option<ChildStdin>,
}

impl Pager {
    /// Starts `$PAGER`, else `less`. Returns `None` if stdout is not a terminal, or if neither program exists.
    pub fn start() -> Option<Self> {
        let terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        if !terminal || env::var_os("TERM").is_none_or(|term| term == "dumb") {
            return None;
        }
        let mut command = match env::var_os("PAGER") {
            Some(words) if words.is_empty() => return None,
            Some(words) => {
                let mut shell = Command::new("sh");
                shell.arg("-c").arg(words);
                shell
            }
            None => Command::new("less"),
        };
        if env::var_os("LESS").is_none() {
            command.env("LESS", LESS);
        }
        let mut child = command.stdin(Stdio::piped()).spawn().ok()?;
        // An interrupt stops an action of the pager, and must not end this process.
        let _ = signal_hook::flag::register(SIGINT, Arc::new(AtomicBool::new(false)));
        let input = child.stdin.take();
        Some(Self { child, input })
    }

    /// Writes to the pager. Fails with a broken pipe after the user has quit the pager.
    pub fn write(&mut self, text: &[u8]) -> io::Result<()> {
        self.input.as_mut().map_or(Ok(()), |input| input.write_all(text))
    }
}

impl Drop for Pager {
    /// Waits until the user has quit the pager.
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.wait();
    }
}
