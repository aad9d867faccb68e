//! Determines the outcome of an attempt from the exit code of its program, or from the reason why it was stopped.

use std::io::{self, ErrorKind};
use std::time::Duration;

use serde::de::IgnoredAny;

use super::capture::Seen;
use super::shared::Shared;
use super::watch::{Ended, Reason};
use crate::output::size::size;
use crate::processes::tree::Exit;
use crate::run_folder::end::{Cost, End, Outcome, PostMortem};
use crate::run_folder::notice::Unfit;
use crate::run_folder::step::Step;
use crate::run_folder::{Limits, Run, RunFolder, open};
use crate::shortage::QUICK;
use crate::times::span;

/// Exit code of a program that asks to be run again from its checkpoint. The attempt does not count.
const AGAIN: i32 = 85;
/// Exit code of a program that asks to be retried later.
const TEMPORARY: i32 = 75;
/// Exit codes that mean wrong arguments, wrong data, a missing permission, a wrong configuration, and a program that is
/// not executable or not found.
const PERMANENT: [i32; 6] = [64, 65, 77, 78, 126, 127];
/// Exit codes that mean that a command in a script is not executable or not found.
const MISSING: [i32; 2] = [126, 127];

/// Reason for a release that this host has caused.
pub const TROUBLE: &str = "trouble";

/// Reason for a release because the program cannot be run on this host.
pub const NO_PROGRAM: &str = "no-program";

/// Reason for a release until other tasks have ended.
pub const SUSPEND: &str = "suspend";

/// Reason for a release into another queue.
pub const INTO: &str = "into";

/// Group of failures that are not retried.
const PERMANENT_GROUP: &str = "permanent";

/// Delay in seconds of the next attempt, if this host has lost the result.
const PAUSE: f64 = 30.0;

/// Numbers that JSON does not allow, but that JavaScript and Python write.
const NUMBERS: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];

/// Maximum number of characters of stderr in the error.
const SHOWN: usize = 1_000;

/// Reason why a program that succeeded has no result.
enum NoResult {
    /// The program caused the problem.
    Bad(String),
    /// This host caused the problem, so the result is unknown.
    Unknown(String),
}

/// Returns a reason if the program ended at once and the exit code indicates that this host lacks a command. The task
/// still fails, unless the tasks before it ended in the same way.
pub fn unfit(ended: Ended, run: &Run, cost: &Cost) -> Option<Unfit> {
    let Ended::Exit(Exit::Code(code)) = ended else { return None };
    // A wrong command line is an error of its submitter, not of this host.
    if run.command.is_some() {
        return None;
    }
    let why = format!("exit code {code} at once: this host may lack what the program calls");
    let quick = Duration::from_millis(cost.wall_ms) < QUICK;
    (quick && MISSING.contains(&code)).then_some(Unfit { why, given_back: run.suspect })
}

/// Returns the end of an attempt whose program cannot be run on this host. The task is given back, as for a missing
/// program.
pub fn back(run: &Run, unfit: &Unfit, post_mortem: PostMortem) -> (End, Vec<u8>) {
    let mut end = End::new(Outcome::Release, Some(NO_PROGRAM), post_mortem);
    end.uncounted = true;
    end.again = Some(Duration::from_millis(run.pause_ms).as_secs_f64());
    (end, unfit.why.clone().into_bytes())
}

/// Returns the end with its result or error, or `None` if the attempt was lost.
pub fn judge(
    ended: Ended,
    (folder, shared): (&RunFolder, &Shared),
    seen: Seen,
    limits: &Limits,
    post_mortem: PostMortem,
) -> Option<(End, Vec<u8>)> {
    let limit = u64::from(limits.max_bytes);
    let mut unknown = false;
    let named = seen.group.clone();
    let changed = seen.checkpoint.is_some() && !seen.too_large;
    // A requested delay applies only if the program exited by itself.
    let again = seen.again.filter(|_| matches!(ended, Ended::Exit(Exit::Code(_))));
    let suspends = ended == Ended::Exit(Exit::Code(AGAIN)) && seen.suspend.is_some();
    let inputs = seen.suspend.clone().filter(|_| suspends);
    let next = seen.next.clone().transpose();
    let permanent = matches!(ended, Ended::Exit(Exit::Code(code)) if PERMANENT.contains(&code));
    let into = seen.into.clone().filter(|_| ended == Ended::Exit(Exit::Code(AGAIN)) && !suspends);
    let (outcome, word, payload) = match ended {
        Ended::Lost => return None,
        // A release is enough: the server then cancels the task if a cancel was requested.
        Ended::Killed | Ended::Stopped(Reason::Cancel) => (Outcome::Release, None, Vec::new()),
        Ended::Stopped(Reason::Drain) => (Outcome::Release, Some("drain"), Vec::new()),
        Ended::Stopped(reason @ (Reason::Deadline | Reason::NoProgress)) => {
            failure("timeout", &struck(reason, limits, folder), &seen)
        }
        Ended::Stopped(reason @ Reason::Memory(_)) => failure("oom", &struck(reason, limits, folder), &seen),
        Ended::Exit(exit @ Exit::Signal(_)) => {
            let signal = exit.signal().unwrap_or_default();
            if post_mortem.cost.oom {
                failure("oom", &format!("out of memory: the kernel killed it ({signal})"), &seen)
            } else {
                failure("crashed", &format!("killed by {signal}"), &seen)
            }
        }
        Ended::Exit(Exit::Code(0)) => match next.clone().map_or_else(
            |error| Err(wrong_step(&error)),
            |next| {
                let own = next.and_then(|next| next.parameters);
                own.map_or_else(
                    || result(folder, shared, seen, limit),
                    |own| own.read(limit).map_err(|error| wrong_step(&error)),
                )
            },
        ) {
            Ok(result) => (Outcome::Complete, None, result),
            Err(NoResult::Bad(text)) => (Outcome::Fail, Some("result"), text.into_bytes()),
            Err(NoResult::Unknown(text)) => {
                unknown = true;
                (Outcome::Release, Some(TROUBLE), text.into_bytes())
            }
        },
        Ended::Exit(Exit::Code(AGAIN)) if suspends => (Outcome::Release, Some(SUSPEND), Vec::new()),
        Ended::Exit(Exit::Code(AGAIN)) if into.is_some() => (Outcome::Release, Some(INTO), Vec::new()),
        Ended::Exit(Exit::Code(AGAIN)) if changed => (Outcome::Release, Some("checkpoint"), Vec::new()),
        Ended::Exit(Exit::Code(AGAIN)) => {
            let text = "exit code 85 asks for another run from a new checkpoint, and it saved no checkpoint";
            failure("exit", text, &seen)
        }
        Ended::Exit(Exit::Code(code)) if post_mortem.cost.oom => {
            failure("oom", &format!("out of memory: the kernel killed a process of it (exit code {code})"), &seen)
        }
        Ended::Exit(Exit::Code(code)) => {
            let group = match code {
                TEMPORARY => "temporary",
                _ if permanent => PERMANENT_GROUP,
                _ => "exit",
            };
            failure(group, &format!("exit code {code}"), &seen)
        }
    };
    let mut end = End::new(outcome, word, post_mortem);
    end.checkpoint = changed && outcome != Outcome::Complete && ended != Ended::Killed;
    end.uncounted = unknown || suspends || ended == Ended::Stopped(Reason::Drain);
    end.inputs = inputs;
    if let (Outcome::Complete, Ok(Some(next))) = (outcome, next) {
        end.step = Some(next.step).filter(|step| *step != Step::default());
        end.next = next.queue;
    }
    end.into = into;
    end.permanent = permanent;
    if let (Ended::Exit(Exit::Code(code)), Outcome::Fail, Some(group)) = (ended, outcome, named)
        && ![0, AGAIN].contains(&code)
        && !end.post_mortem.cost.oom
    {
        end.word = Some(group);
    }
    end.again = if unknown { Some(PAUSE) } else { again.filter(|_| outcome == Outcome::Fail && !end.permanent) };
    Some((end, payload))
}

/// Returns the error of a program that exceeded a limit. It names the limit, its value, and whether the task or the
/// worker has set it.
fn struck(reason: Reason, limits: &Limits, folder: &RunFolder) -> String {
    let time = |ms: Option<u64>| span(Duration::from_millis(ms.unwrap_or_default()));
    let whose = |of_task| if of_task { "the task's" } else { "the worker's" };
    let of = limits.of_task;
    let text = match reason {
        Reason::NoProgress => {
            let (time, whose) = (time(limits.no_progress_ms), whose(of.no_progress));
            format!("stopped after {time} without a sign of life, {whose} --no-progress")
        }
        Reason::Memory(used) => {
            let (most, whose) = (size(limits.memory.unwrap_or_default()), whose(of.memory));
            format!("stopped with {} of memory: {whose} --memory is {most}", size(used))
        }
        _ => format!("stopped after {}, {} --max-run", time(limits.max_run_ms), whose(of.max_run)),
    };
    if folder.checkpoint().exists() { format!("{text}; the checkpoint is kept") } else { text }
}

fn wrong_step(error: &str) -> NoResult {
    NoResult::Bad(format!("its request for the next step is wrong: {error}"))
}

fn failure(group: &'static str, text: &str, seen: &Seen) -> (Outcome, Option<&'static str>, Vec<u8>) {
    (Outcome::Fail, Some(group), error(text, &seen.last_words).into_bytes())
}

/// Returns the error text. The last line of stderr comes first, because it usually names the error. If there are more
/// lines, such as a stack trace, the end of stderr follows.
pub fn error(text: &str, words: &str) -> String {
    let mut lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
    let Some(last) = lines.next_back() else { return text.to_owned() };
    let end = (0..=last.len().min(SHOWN)).rev().find(|&at| last.is_char_boundary(at));
    let head = end.and_then(|end| last.get(..end)).unwrap_or_default();
    let mut error = format!("{text}: {head}");
    if head.len() < last.len() {
        error.push('…');
    }
    if lines.next().is_some() {
        let from = (words.len().saturating_sub(SHOWN)..words.len()).find(|&at| words.is_char_boundary(at));
        let shown = from.and_then(|from| words.get(from..)).unwrap_or_default();
        error.push_str(if shown.len() < words.len() { "\n…" } else { "\n" });
        error.push_str(shown);
    }
    error
}

/// Returns the result of a program that succeeded: its result file, or else its stdout if it is JSON, or else null.
/// Adds a line to the log if stdout looks like JSON but is invalid.
fn result(folder: &RunFolder, shared: &Shared, seen: Seen, limit: u64) -> Result<Vec<u8>, NoResult> {
    let too_large = |what: &str, size: String| {
        NoResult::Bad(format!(
            "{what} has {size} bytes, at most {limit} can be kept: write it to BLUEQUE_OUTPUT_DIR, and call `blueque task result --published`"
        ))
    };
    if seen.blind {
        return Err(NoResult::Unknown("the files of the run folder do not answer".into()));
    }
    if !seen.there {
        return Err(NoResult::Unknown("somebody has taken the run folder away".into()));
    }
    let unreadable = |error: io::Error| {
        let text = format!("the result cannot be read: {error}");
        if open::is_by_hand(&error) { NoResult::Bad(text) } else { NoResult::Unknown(text) }
    };
    match open::open(&folder.result()) {
        Ok((file, about)) => {
            let bytes = if about.len() > limit { None } else { open::read_open(file, limit).map_err(unreadable)? };
            return bytes.ok_or_else(|| too_large("the result", about.len().to_string()));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(unreadable(error)),
    }
    let shape = seen.shape;
    let printed = seen.stdout.take();
    match printed.map_err(|error| NoResult::Unknown(format!("the written stdout cannot be read: {error}")))? {
        Some(printed) => {
            let printed = printed.trim_ascii();
            Ok(match serde_json::from_slice::<IgnoredAny>(printed) {
                Ok(_) => printed.to_vec(),
                Err(error) => {
                    if shape.looks_like_json() || NUMBERS.contains(&printed) {
                        shared.say(&format!("stdout looks like JSON and is none, so the result is null: {error}"));
                    }
                    b"null".to_vec()
                }
            })
        }
        None if shape.is_one_value() => Err(too_large("the JSON on stdout", format!("over {limit}"))),
        None => Ok(b"null".to_vec()),
    }
}
