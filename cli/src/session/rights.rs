//! The permissions that a user of the server lacks, in plain sentences.

use std::collections::BTreeMap;

use blueque::Handshake;

/// Maximum number of commands in a list. Longer lists are cut.
const NAMED: usize = 5;

/// The entry of a handshake that contains roles instead of Redis commands.
const ROLES: &str = "roles";

/// Returns the roles that this user does not have, in lower case.
pub fn other_roles(handshake: &Handshake) -> Vec<String> {
    let roles = handshake.missing.iter().filter(|(name, _)| name == ROLES).flat_map(|(_, roles)| roles);
    roles.map(|role| role.to_lowercase()).collect()
}

/// A missing permission, and how it is granted.
pub struct Missing {
    pub text: String,
    pub todo: String,
}

/// Returns an entry for each denied Redis command. A missing role is not a fault.
pub fn missing(handshake: &Handshake, namespace: &str) -> Vec<Missing> {
    let mut denied: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, lacks) in handshake.missing.iter().filter(|(name, _)| name != ROLES) {
        for command in lacks {
            denied.entry(command).or_default().push(name);
        }
    }
    denied.into_iter().map(|(command, by)| sentence(command, &by, namespace)).collect()
}

fn sentence(command: &str, by: &[&str], namespace: &str) -> Missing {
    if by == ["messages"] {
        return Missing {
            text: format!(
                "this user may not publish on {namespace}_*: a worker that waits finds new tasks up to 2 s later, \
                 and an order reaches a program with its next heartbeat, after up to a third of the lease"
            ),
            todo: format!("ACL SETUSER … '&{namespace}_*' +publish"),
        };
    }
    let named = by.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    let more = match by.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let verb = if by.len() == 1 { "needs it and is refused" } else { "need it and are refused" };
    Missing {
        text: format!("this user may not run {command} on {namespace}_*: {named}{more} {verb}"),
        todo: format!("ACL SETUSER … '~{namespace}_*' +{}", command.to_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn a_missing_right_is_a_sentence() {
        let one = sentence("XTRIM", &["aggregate"], "ns");
        assert_eq!(one.text, "this user may not run XTRIM on ns_*: aggregate needs it and is refused");
        assert_eq!(one.todo, "ACL SETUSER … '~ns_*' +xtrim");
        let many = sentence("ZADD", &["a", "b", "c", "d", "e", "f", "g"], "ns").text;
        assert!(many.ends_with("a, b, c, d, e and 2 more need it and are refused"), "{many}");
        assert!(sentence("PUBLISH", &["messages"], "ns").text.contains("may not publish on ns_*"));
    }
}
