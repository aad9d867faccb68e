//! The cost of an attempt, as text.

use std::time::Duration;

use crate::output::is_for_programs;
use crate::output::size::size;
use crate::run_folder::end::{Cost, Counted, Enforcement};
use crate::run_folder::notice::About;
use crate::times;

/// Reads the cost from a record. Returns `None` if no supervisor reported a cost.
pub fn read(bytes: &[u8]) -> Option<Cost> {
    serde_json::from_slice(bytes).ok().filter(|cost| *cost != Cost::default())
}

/// Returns the end of the program and its full cost, as text.
pub fn words(cost: &Cost) -> String {
    let oom = if cost.oom { ", out of memory" } else { "" };
    let how = match (cost.exit, &cost.signal) {
        (Some(code), _) => format!("exit code {code}{oom}"),
        (None, Some(signal)) => format!("killed by {signal}{oom}"),
        (None, None) => "ended".to_owned(),
    };
    let (wall, cpu, peak) = (span(cost.wall_ms), span(cost.cpu_ms), memory(cost));
    let bytes = match (cost.read_bytes, cost.written_bytes, cost.counted) {
        (Some(read), Some(written), Some(Counted::Blocks)) => {
            format!(", {} read from disk, {} written to it", size(read), size(written))
        }
        (Some(read), Some(written), _) => format!(", {} read, {} written", size(read), size(written)),
        _ => String::new(),
    };
    let limited = match cost.memory_limit {
        Some(Enforcement::Group) => ", memory limited by the control group",
        Some(Enforcement::Sum) => ", memory limited by the supervisor",
        None => "",
    };
    with(format!("{how} after {wall}, {cpu} of CPU, {peak} at most{bytes}{limited}"), cost)
}

/// Appends the calls that the server refused during the attempt.
fn with(words: String, cost: &Cost) -> String {
    let of = |about| match about {
        About::Start => "its start",
        About::Lease => "heartbeats",
        About::End => "its end",
    };
    cost.refused.iter().fold(words, |words, refusal| {
        format!("{words}; {} refused for {}: {}", of(refusal.about), span(refusal.ms), refusal.why)
    })
}

/// Returns the full cost with the number of the attempt.
pub fn whole(cost: &Cost) -> String {
    let attempt = cost.attempt.map_or(String::new(), |attempt| format!("attempt {attempt}: "));
    attempt + &words(cost)
}

/// Returns the host and the folder of the output, in the form that `scp` uses.
pub fn place(cost: &Cost) -> Option<String> {
    let output = cost.output.as_ref()?;
    Some(cost.host.as_ref().map_or_else(|| output.clone(), |host| format!("{host}:{output}")))
}

/// Returns CPU time and memory, for a table with the run time in another column.
pub fn brief(cost: &Cost) -> String {
    format!("CPU {} {}", span(cost.cpu_ms), memory(cost))
}

/// Returns CPU time, memory and the refused calls, for a history.
pub fn with_refusals(cost: &Cost) -> String {
    with(brief(cost), cost)
}

/// Returns run time, CPU time and memory.
pub fn with_wall(cost: &Cost) -> String {
    format!("{} {}", span(cost.wall_ms), brief(cost))
}

fn span(millis: u64) -> String {
    times::span(Duration::from_millis(millis))
}

/// Returns the CPU time, for programs in seconds.
pub fn cpu_cell(cost: &Cost) -> String {
    if is_for_programs() { Duration::from_millis(cost.cpu_ms).as_secs_f64().to_string() } else { span(cost.cpu_ms) }
}

/// Returns the peak of the memory, for programs in bytes.
pub fn memory_cell(cost: &Cost) -> String {
    if is_for_programs() { memory_bytes(cost).to_string() } else { memory(cost) }
}

/// Returns the peak of the memory in bytes.
pub fn memory_bytes(cost: &Cost) -> u64 {
    u64::try_from(cost.max_rss_kib).unwrap_or(0).saturating_mul(1 << 10)
}

fn memory(cost: &Cost) -> String {
    size(memory_bytes(cost))
}

#[cfg(test)]
mod tests {
    use super::{read, with_refusals, with_wall, words};

    #[test]
    fn a_cost_is_told_in_words_also_one_of_a_release_before() {
        let cost = read(
            br#"{"attempt":2,"signal":"SIGKILL","oom":true,"max_rss_kib":1572864,"cpu_ms":500,"wall_ms":90000,
                "read_bytes":10,"written_bytes":2048,"counted":"calls","new":1}"#,
        );
        let cost = cost.unwrap_or_default();
        assert_eq!(
            words(&cost),
            "killed by SIGKILL, out of memory after 1m 30s, 0.5s of CPU, 1.5 GiB at most, 10 B read, 2.0 KiB written"
        );
        assert_eq!(with_wall(&cost), "1m 30s CPU 0.5s 1.5 GiB");
        let old = read(br#"{"exit":3,"signal":null,"oom":false,"max_rss_kib":4096,"cpu_ms":0,"wall_ms":10}"#);
        assert_eq!(words(&old.unwrap_or_default()), "exit code 3 after 0.0s, 0.0s of CPU, 4.0 MiB at most");
        let refused = read(
            br#"{"exit":0,"cpu_ms":500,"wall_ms":1000,"max_rss_kib":4096,
                "refused":[{"about":"lease","ms":4200,"why":"MISCONF no"},{"about":"end","ms":90000,"why":"gone"}]}"#,
        );
        let refused = refused.unwrap_or_default();
        let tail = "; heartbeats refused for 4.2s: MISCONF no; its end refused for 1m 30s: gone";
        assert_eq!(words(&refused), format!("exit code 0 after 1.0s, 0.5s of CPU, 4.0 MiB at most{tail}"));
        assert_eq!(with_refusals(&refused), format!("CPU 0.5s 4.0 MiB{tail}"));
        assert!([&b"{}"[..], b"7", b"\xff", b"{\"dollars\":7}"].into_iter().all(|other| read(other).is_none()));
    }
}
