//! The meaning of an attempt's end: the table of exit codes, and the reasons of a stop.

use std::io::{self, ErrorKind};
use std::time::Duration;

use serde::de::IgnoredAny;

use super::capture::Seen;
use super::shared::Shared;
use super::watch::{Ended, Reason};
use crate::processes::tree::Exit;
use crate::run_folder::end::{Cost, End, Outcome, PostMortem};
use crate::run_folder::notice::Unfit;
use crate::run_folder::step::Step;
use crate::run_folder::{Run, RunFolder, open};
use crate::shortage::QUICK;

/// Exit code with which the program asks to be run again from its checkpoint. The attempt is not counted.
const AGAIN: i32 = 85;
/// Exit code with which the program asks to be retried later.
const TEMPORARY: i32 = 75;
/// Exit codes for wrong arguments or data, no permission, wrong configuration, and a program that is not executable or
/// not found.
const PERMANENT: [i32; 6] = [64, 65, 77, 78, 126, 127];
/// Exit codes for something that the program calls and that is not executable or not found.
const MISSING: [i32; 2] = [126, 127];

/// Reason of a release that this host has caused.
pub const TROUBLE: &str = "trouble";

/// Reason of a release because the program cannot be run on this host.
pub const NO_PROGRAM: &str = "no-program";

/// Reason of a release until other tasks have ended.
pub const SUSPEND: &str = "suspend";

/// Reason of a release into another queue.
pub const INTO: &str = "into";

/// Group of failures that are not retried.
const PERMANENT_GROUP: &str = "permanent";

/// Delay of the retry after a result that this host has lost, in seconds.
const PAUSE: f64 = 30.0;

/// Numbers that are not JSON, as JavaScript and Python write them.
const NUMBERS: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];

/// Maximum number of characters of stderr in the error.
const SHOWN: usize = 1_000;

/// Reason why a program that succeeded has no result.
enum NoResult {
    /// The program is at fault.
    Bad(String),
    /// This host is at fault: the result is unknown.
    Unknown(String),
}

/// Returns what may be missing on this host if the program ended at once because of it. The task still fails, unless
/// the tasks before it also ended like this.
pub fn unfit(ended: Ended, run: &Run, cost: &Cost) -> Option<Unfit> {
    let Ended::Exit(Exit::Code(code)) = ended else { return None };
    let why = format!("exit code {code} at once: this host may lack what the program calls");
    let quick = Duration::from_millis(cost.wall_ms) < QUICK;
    (quick && MISSING.contains(&code)).then_some(Unfit { why, given_back: run.suspect })
}

/// Returns the end of a task whose program cannot be run on this host. The task is given back as if the program were
/// missing.
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
    limit: u64,
    post_mortem: PostMortem,
) -> Option<(End, Vec<u8>)> {
    let mut unknown = false;
    let named = seen.group.clone();
    let changed = seen.checkpoint.is_some() && !seen.too_large;
    // The request counts only if the program exited on its own.
    let again = seen.again.filter(|_| matches!(ended, Ended::Exit(Exit::Code(_))));
    let suspends = ended == Ended::Exit(Exit::Code(AGAIN)) && seen.suspend.is_some();
    let inputs = seen.suspend.clone().filter(|_| suspends);
    let next = seen.next.clone().transpose();
    let permanent = matches!(ended, Ended::Exit(Exit::Code(code)) if PERMANENT.contains(&code));
    let into = seen.into.clone().filter(|_| ended == Ended::Exit(Exit::Code(AGAIN)) && !suspends);
    let (outcome, word, payload) = match ended {
        Ended::Lost => return None,
        // The server cancels the task if a cancel was requested.
        Ended::Killed | Ended::Stopped(Reason::Cancel) => (Outcome::Release, None, Vec::new()),
        Ended::Stopped(Reason::Drain) => (Outcome::Release, Some("drain"), Vec::new()),
        Ended::Stopped(Reason::Deadline) => failure("timeout", "it ran longer than it may", &seen),
        Ended::Stopped(Reason::NoProgress) => failure("timeout", "it gave no sign of life for too long", &seen),
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
            let text = "exit code 85 asks for another run from a new checkpoint, and it saved none";
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

fn wrong_step(error: &str) -> NoResult {
    NoResult::Bad(format!("what it said of its next step is wrong: {error}"))
}

fn failure(group: &'static str, text: &str, seen: &Seen) -> (Outcome, Option<&'static str>, Vec<u8>) {
    (Outcome::Fail, Some(group), error(text, &seen.last_words).into_bytes())
}

/// Returns the error text. It begins with the last line of stderr, which usually names the error. The stack trace
/// follows.
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

/// Returns the result of a program that succeeded: its result file, else its stdout if that is JSON, else null. Adds a
/// line to the log if stdout looks like JSON but is not.
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
    match printed.map_err(|error| NoResult::Unknown(format!("what stdout said cannot be read: {error}")))? {
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
