//! The header of a command.

/// The header of a command's file: the comment lines at its beginning.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) summary: String,
    pub(super) args: Vec<Arg>,
    /// Options as written: `NAME`, `GROUP.*`, or `GROUP.stored`.
    pub(super) options: Vec<String>,
    pub(super) reply: String,
    pub(super) errors: Vec<String>,
    /// Role of `contract/roles.toml` that may call the command, if the command writes.
    pub(super) role: Option<String>,
    /// Reply to a repeated call, if the reply differs from the first reply.
    pub(super) again: Option<String>,
    /// Version that introduced the command, unless the first version did.
    pub(super) since: Option<String>,
}

/// A part of `@args`.
#[derive(Debug, PartialEq)]
pub(super) enum Arg {
    One(String),
    /// `(id token)*count`: repeated as often as the argument `count` states.
    Group(Vec<String>, String),
}

/// Returns the source of a command with one header line for each entry. A line `--   …` continues the line before.
pub(super) fn joined(source: &str) -> String {
    let header = source.lines().take_while(|line| line.starts_with("--")).count();
    let mut text = String::new();
    for (at, line) in source.lines().enumerate() {
        match line.strip_prefix("--   ").filter(|_| at > 0 && at < header) {
            Some(more) => text = format!("{} {more}\n", text.trim_end()),
            None => text += &format!("{line}\n"),
        }
    }
    text
}

/// Returns each `@entry` of the header with its text. The summary has an empty name.
fn entries(source: &str) -> impl Iterator<Item = (&str, &str)> {
    source.lines().map_while(|line| line.strip_prefix("--")).filter_map(|line| match line.strip_prefix(" @") {
        Some(entry) => Some(entry.split_once(' ').unwrap_or((entry, ""))),
        None => line.strip_prefix("- ").map(|summary| ("", summary)),
    })
}

/// Returns the role that may call the command, if the header names a role.
pub(super) fn role(source: &str) -> Option<String> {
    entries(source).find(|(entry, _)| *entry == "role").map(|(_, role)| role.to_owned())
}

impl Header {
    pub(super) fn read(source: &str) -> Result<Self, String> {
        let mut header = Self { role: role(source), ..Self::default() };
        for (entry, text) in entries(source) {
            let words = || text.split_whitespace().map(str::to_owned).collect();
            match entry {
                "" => text.clone_into(&mut header.summary),
                "args" => header.args = args(text)?,
                "options" => header.options = words(),
                "reply" => text.clone_into(&mut header.reply),
                "errors" => header.errors = words(),
                "again" => header.again = Some(text.trim_matches('`').to_owned()),
                "since" => header.since = Some(text.to_owned()),
                _ => {}
            }
        }
        if header.summary.is_empty() || header.args.is_empty() {
            return Err("the header needs `--- What it does.` and `-- @args now …`".into());
        }
        Ok(header)
    }

    /// Returns the arguments that are not repeated.
    pub(super) fn singles(&self) -> impl Iterator<Item = &str> {
        self.args.iter().filter_map(|arg| match arg {
            Arg::One(name) => Some(name.as_str()),
            Arg::Group(..) => None,
        })
    }

    /// Returns the repeated arguments, and the count.
    pub(super) fn group(&self) -> Option<(&[String], &str)> {
        self.args.iter().find_map(|arg| match arg {
            Arg::One(_) => None,
            Arg::Group(names, count) => Some((names.as_slice(), count.as_str())),
        })
    }
}

fn args(text: &str) -> Result<Vec<Arg>, String> {
    let (singles, group) = match text.split_once('(') {
        Some((singles, group)) => (singles, Some(group.split_once(")*").ok_or("@args: ( needs )*COUNT")?)),
        None => match text.rsplit_once(' ').filter(|(_, last)| last.contains('*')) {
            Some((singles, last)) => (singles, last.split_once('*')),
            None => (text, None),
        },
    };
    let mut args: Vec<Arg> = singles.split_whitespace().map(|name| Arg::One(name.to_owned())).collect();
    if let Some((names, count)) = group {
        if !args.contains(&Arg::One(count.to_owned())) {
            return Err(format!("@args: *{count} needs an argument {count} before it"));
        }
        args.push(Arg::Group(names.split_whitespace().map(str::to_owned).collect(), count.to_owned()));
    }
    Ok(args)
}

#[cfg(test)]
mod tests {
    use super::{Arg, Header, joined};

    fn one(name: &str) -> Arg {
        Arg::One(name.to_owned())
    }

    #[test]
    fn a_header_names_arguments_options_and_errors() {
        let text =
            "--- Ends it.\n-- @args now id count (eta what)*count\n-- @options a task.*\n-- @errors LOST\nlocal x\n";
        let header = Header::read(text).unwrap();
        assert_eq!(header.summary, "Ends it.");
        let group = Arg::Group(vec!["eta".to_owned(), "what".to_owned()], "count".to_owned());
        assert_eq!(header.args, [one("now"), one("id"), one("count"), group]);
        assert_eq!(header.options, ["a", "task.*"]);
        assert_eq!(header.errors, ["LOST"]);
    }

    #[test]
    fn a_header_may_go_on_in_the_next_line() {
        let text = "--- Does it, and\n--   more.\n-- @reply one,\n--   two\nlocal x\n--   not this\n";
        assert_eq!(joined(text), "--- Does it, and more.\n-- @reply one, two\nlocal x\n--   not this\n");
    }

    #[test]
    fn one_argument_that_repeats_needs_no_parentheses() {
        let header = Header::read("--- Does it.\n-- @args now count tag*count\n").unwrap();
        assert_eq!(header.group().unwrap().0, ["tag"]);
    }

    #[test]
    fn a_header_without_arguments_or_count_is_refused() {
        assert!(Header::read("--- Does it.\n").unwrap_err().contains("@args now"));
        assert!(
            Header::read("--- Does it.\n-- @args now (id)*count\n").unwrap_err().contains("needs an argument count")
        );
    }
}
