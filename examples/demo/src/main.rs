//! A real job through a real queue, with a worker killed in the middle.
//!
//! `make demo [DIR=folder]` takes the largest files of a folder and submits for each a slow digest that saves a
//! checkpoint every few megabytes. It runs two worker processes on a private durable server, kills one worker with
//! SIGKILL in the middle of its task, and shows that the other worker continues from the checkpoint. At the end every
//! digest is compared with the digest of `sha256sum`.

mod guard;
mod job;
mod stage;

use std::error::Error;
use std::process::ExitCode;

/// The result of a part of the demo.
pub type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The queue of the demo.
pub const QUEUE: &str = "digest";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        ["--guard", folder] => guard::server(folder.as_ref()),
        ["--worker", url, log] => job::worker(url, log.as_ref()),
        [] => stage::play(None),
        [folder] => stage::play(Some(folder.as_ref())),
        _ => Err("usage: demo [FOLDER]".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("demo: {error}");
            ExitCode::FAILURE
        }
    }
}
