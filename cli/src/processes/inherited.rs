//! What a process inherits from the one that started it and passes on over exec: blocked and ignored signals, and
//! descriptors.

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

/// Undoes what would have this process miss its signals. For the beginning of the process, before its threads.
pub fn reset_signals() {
    let _ = SigSet::empty().thread_set_mask();
    // A file over the limit on sizes is an error then, not the death of a supervisor. Unlike an ignored signal, a handler
    // is not inherited by the program.
    handle(SIGXFSZ);
    // The kernel waits for the children of a process that ignores this signal, and nobody learns how they ended.
    if ignored().any(|signal| signal == SIGCHLD) {
        handle(SIGCHLD);
        // A handler would interrupt the calls of this process; after an exec the signal has its default action.
        let (mut args, mut again) = (env::args_os(), Command::new("/proc/self/exe"));
        if let Some(name) = args.next() {
            again.arg0(name);
        }
        // Not essential.
        let _ = again.args(args).exec();
    }
}

/// Gives every signal its default action in the program that this process becomes.
pub fn default_signals() {
    ignored().for_each(handle);
}

/// Closes every descriptor but stdin, stdout and stderr: a lock that was held by whoever started the worker, for
/// example. For the beginning of the process, before it has opened any itself.
pub fn close_descriptors() {
    let entries = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let open: Vec<i32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|&descriptor| descriptor > 2) {
        // That of the folder is closed already.
        let _ = close(descriptor);
    }
}

fn handle(signal: i32) {
    let _ = flag::register(signal, std::sync::Arc::default());
}

/// The signals that this process ignores, and may handle.
fn ignored() -> impl Iterator<Item = i32> {
    let mask = process::signals("self", "SigIgn:").unwrap_or(0);
    (1..=SIGNALS).filter(move |signal| mask & (1 << (signal - 1)) != 0 && !FORBIDDEN.contains(signal))
}
