//! The trace context of a submit, from the environment of the command.

use std::env;

use blueque::calls::trace_context;

/// Variables with the two headers of the W3C Trace Context.
pub const VARIABLES: [&str; 2] = ["TRACEPARENT", "TRACESTATE"];

/// Returns the context of the process that started this command. An invalid context counts as none.
pub fn of_environment() -> Option<String> {
    let [parent, state] = VARIABLES.map(|name| env::var(name).unwrap_or_default());
    of(parent.trim(), state.trim())
}

fn of(parent: &str, state: &str) -> Option<String> {
    let hex = |part: &str| part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let id = |part: &str| hex(part) && part.bytes().any(|byte| byte != b'0');
    let parts: Vec<&str> = parent.split('-').collect();
    let ["00", trace, span, flags] = parts.as_slice() else { return None };
    if trace.len() != 32 || span.len() != 16 || flags.len() != 2 || !id(trace) || !id(span) || !hex(flags) {
        return None;
    }
    Some(trace_context(parent, state))
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn an_invalid_context_counts_as_none() {
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assert_eq!(of(parent, "").as_deref(), Some(parent));
        assert_eq!(of(parent, "a=b,c=d"), Some(format!("{parent} a=b,c=d")));
        assert_eq!(of(parent, &"a".repeat(513)).as_deref(), Some(parent));
        assert_eq!(of(parent, "é").as_deref(), Some(parent));
        for wrong in ["", "00", &parent[1..], &parent.to_uppercase(), &parent.replace('7', "g"), &format!("{parent}-")]
        {
            assert_eq!(of(wrong, "a=b"), None, "{wrong}");
        }
        assert_eq!(of("00-00000000000000000000000000000000-00f067aa0ba902b7-01", ""), None);
    }
}
