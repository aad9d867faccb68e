//! Processes that end with their parent, even if the parent is killed: each holds the reading end of a pipe whose
//! writing end closes with the parent.

use std::env;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::Outcome;

/// Starts another part of this program in its own process group. Ctrl-C therefore ends the demo itself first. The pipe
/// then ends its parts in order.
pub fn start(args: &[&str]) -> Outcome<Child> {
    let child = Command::new(env::current_exe()?).args(args).stdin(Stdio::piped()).process_group(0).spawn()?;
    Ok(child)
}

/// Blocks until the parent process is gone.
pub fn until_orphaned() {
    let mut nothing = [0; 64];
    while matches!(io::stdin().read(&mut nothing), Ok(1..)) {}
}

/// Runs a durable server in a folder until the demo ends, and removes the folder.
pub fn server(folder: &Path) -> Outcome<()> {
    let mut server = Command::new(program()?)
        .args(["--port", "0", "--appendonly", "yes", "--appendfsync", "always", "--save", ""])
        .arg("--dir")
        .arg(folder)
        .arg("--unixsocket")
        .arg(folder.join("socket"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()?;
    until_orphaned();
    server.kill()?;
    server.wait()?;
    std::fs::remove_dir_all(folder)?;
    Ok(())
}

fn program() -> Outcome<PathBuf> {
    if let Some(named) = env::var_os("BLUEQUE_REDIS_SERVER") {
        return Ok(named.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    ["redis-server", "valkey-server"]
        .iter()
        .flat_map(|name| env::split_paths(&path).map(move |folder| folder.join(name)))
        .find(|candidate| candidate.is_file())
        .ok_or_else(|| "no redis-server or valkey-server on PATH: apt-get install redis-server".into())
}
