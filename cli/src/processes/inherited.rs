//! State that a process inherits from its parent and passes on over exec: blocked and ignored signals, and descriptors.

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::{env, fs};

use nix::sys::signal::SigSet;
use nix::unistd::close;
use signal_hook::consts::{FORBIDDEN, SIGCHLD, SIGXFSZ};
use signal_hook::flag;

use crate::process;

/// The largest number of a signal.
const SIGNALS: i32 = 64;

/// Undoes inherited settings that make this process miss its signals. Called at the start of the process, before its
/// threads exist.
pub fn reset_signals() {
    let _ = SigSet::empty().thread_set_mask();
    // With a handler, a write beyond the limit on file sizes fails and does not kill the supervisor. The program does
    // not inherit the handler, but it would inherit an ignored signal.
    handle(SIGXFSZ);
    // If a process ignores this signal, the kernel discards the exit statuses of its children.
    if ignored().any(|signal| signal == SIGCHLD) {
        handle(SIGCHLD);
        // A handler would interrupt system calls. Therefore the process executes itself again: an exec resets the
        // signal to its default action.
        let (mut args, mut again) = (env::args_os(), Command::new("/proc/self/exe"));
        if let Some(name) = args.next() {
            again.arg0(name);
        }
        // If the exec fails, the process keeps the handler.
        let _ = again.args(args).exec();
    }
}

/// Gives every signal its default action in the program that this process becomes.
pub fn default_signals() {
    ignored().for_each(handle);
}

/// Closes every descriptor except stdin, stdout and stderr, for example a lock that the worker's parent held. Called at
/// the start of the process, before it has opened descriptors itself.
pub fn close_descriptors() {
    let entries = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let open: Vec<i32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|&descriptor| descriptor > 2) {
        // Closing the descriptor of the folder itself fails, because it is already closed.
        let _ = close(descriptor);
    }
}

fn handle(signal: i32) {
    let _ = flag::register(signal, std::sync::Arc::default());
}

/// Returns the signals that this process ignores and may handle.
fn ignored() -> impl Iterator<Item = i32> {
    let mask = process::signals("self", "SigIgn:").unwrap_or(0);
    (1..=SIGNALS).filter(move |signal| mask & (1 << (signal - 1)) != 0 && !FORBIDDEN.contains(signal))
}
