//! Runs each task in a child process: `cargo run --example child -- URL QUEUE`.
//!
//! The listener passes the attempt to the child, as JSON on the child's standard input. The child rebuilds the
//! processor from the JSON, works, and completes the task. If the child ends without completing the task, the listener
//! fails the attempt.

use std::error::Error;
use std::io;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use blueque::{Attempt, Client};

type Outcome = Result<(), Box<dyn Error>>;

fn listen(url: &str, queue: &str) -> Outcome {
    let client = Client::open(url)?;
    let mut listener = client.listener(&[queue])?;
    while let Some(work) = listener.listen(Duration::from_secs(60))? {
        let program = std::env::current_exe()?;
        let mut child = Command::new(program).args(["--child", url]).stdin(Stdio::piped()).spawn()?;
        let input = child.stdin.take().ok_or("the child has no standard input")?;
        serde_json::to_writer(input, &work.attempt())?;
        println!("{} runs as process {}", work.id(), child.id());
        let status = child.wait()?;
        if !status.success() {
            match work.fail(&format!("the child ended with {status}")) {
                // The child had already ended the attempt.
                Ok(_) | Err(blueque::Error::Lost) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(listener.unregister()?)
}

fn work(url: &str) -> Outcome {
    let attempt: Attempt = serde_json::from_reader(io::stdin())?;
    let work = Client::open(url)?.processor(&attempt)?;
    work.start(std::process::id())?;
    let number: u64 = work.parameters()?;
    // … long work calls work.heartbeat()? every third of work.lease() …
    let square = number.checked_mul(number).ok_or("the number is too large")?;
    work.complete(&square)?;
    Ok(())
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--child", url] => work(url),
        [url, queue] => listen(url, queue),
        _ => Err("usage: child URL QUEUE".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("child: {error}");
            ExitCode::FAILURE
        }
    }
}
