//! The shapes of replies, from `contract/replies.toml`.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::contract::{Contract, sentence};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Reply {
    pub(super) nil: bool,
    pub(super) words: Vec<String>,
    pub(super) value: Option<Field>,
    pub(super) list: Vec<Field>,
    pub(super) items: Vec<Field>,
    pub(super) pairs: Vec<Field>,
    /// True if a reply may omit any of the `pairs`.
    pub(super) absent: bool,
    /// True if a reply may contain more names than `pairs` lists.
    pub(super) open: bool,
    /// The name with which a new group of `pairs` begins.
    pub(super) begins: Option<String>,
    /// The type of the numbers that the reply contains before `pairs`, one for each state.
    pub(super) states: Option<String>,
    pub(super) means: Option<String>,
    /// The type of each of `items`.
    pub(super) each: Option<String>,
    /// The record whose fields come before `pairs`.
    pub(super) record: Option<String>,
    /// The name of another command whose reply has the same shape.
    #[serde(rename = "as")]
    pub(super) like: Option<String>,
    /// The shape of the reply to a call with an option, by the name of the option.
    pub(super) with: IndexMap<String, Reply>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Field {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) of: Option<String>,
    #[serde(default)]
    pub(super) words: Vec<String>,
    #[serde(default)]
    pub(super) nil: bool,
    #[serde(default)]
    pub(super) empty: bool,
    #[serde(default)]
    pub(super) absent: bool,
    pub(super) means: Option<String>,
}

impl Reply {
    /// Returns the shape of a reply that is a single word, or `None` if `@reply` lists no words. The possible words are
    /// in backquotes.
    pub(super) fn of_words(prose: &str) -> Option<Self> {
        let words: Vec<String> = prose.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        (!words.is_empty()).then(|| Self { words, ..Self::default() })
    }

    /// Returns the shape of the command that this shape refers to, or else this shape.
    pub(super) fn resolved<'a>(&'a self, contract: &'a Contract) -> &'a Self {
        let other = self.like.as_ref().and_then(|command| contract.replies.get(command));
        other.map_or(self, AsRef::as_ref)
    }

    pub(super) fn check(&self, contract: &Contract, command: &str) -> Result<(), String> {
        if !contract.commands.contains_key(command) {
            return Err("belongs to no command: lua/cmd has no such file".into());
        }
        self.check_shape(contract)?;
        for (option, reply) in &self.with {
            if !contract.options(command).iter().any(|(name, _)| name == option) {
                return Err(format!("differs with {option}, which is no option of the command"));
            }
            reply.check_shape(contract).map_err(|what| format!("with {option} {what}"))?;
        }
        Ok(())
    }

    fn check_shape(&self, contract: &Contract) -> Result<(), String> {
        if let Some(record) = self.record.as_ref().filter(|record| !contract.fields.contains_key(*record)) {
            return Err(format!("is the record {record}, which fields.toml does not list"));
        }
        let array = !self.list.is_empty() || !self.items.is_empty();
        let shapes = [!self.words.is_empty(), self.value.is_some(), array, !self.pairs.is_empty(), self.like.is_some()];
        if shapes.into_iter().filter(|shape| *shape).count() != 1 {
            return Err("has no shape, or several: write words, value, list and items, pairs, or as".into());
        }
        for text in [&self.means, &self.each].into_iter().flatten() {
            sentence(Some(text))?;
        }
        if (self.absent || self.open || self.begins.is_some()) && self.pairs.is_empty() {
            return Err("has no pairs, to which absent, open and begins could apply".into());
        }
        if self.begins.as_ref().is_some_and(|begins| !self.pairs.iter().any(|field| field.name == *begins)) {
            return Err("has groups that begin with a name that pairs does not list".into());
        }
        if let Some(command) = &self.like
            && contract.replies.get(command).is_none_or(|other| other.as_ref().like.is_some())
        {
            return Err(format!("refers to {command}, which has no shape of its own"));
        }
        let value: Vec<&Field> = self.value.iter().collect();
        check_fields(contract, &value, false, false)?;
        check_fields(contract, &self.list.iter().collect::<Vec<_>>(), self.items.is_empty(), false)?;
        check_fields(contract, &self.items.iter().collect::<Vec<_>>(), false, false)?;
        check_fields(contract, &self.pairs.iter().collect::<Vec<_>>(), true, true)
    }
}

fn check_fields(contract: &Contract, fields: &[&Field], may_lack: bool, several: bool) -> Result<(), String> {
    let (mut names, mut lacks) = (BTreeSet::new(), false);
    for field in fields {
        let wrong = |what: String| Err(format!("has a field {}, which {what}", field.name));
        if !names.insert(&field.name) {
            return wrong("is listed twice".into());
        }
        if let Err(what) = sentence(field.means.as_deref()) {
            return wrong(what);
        }
        match &field.of {
            None if field.words.is_empty() => {
                return wrong("has no type: write type = \"…\" or words = [\"…\"]".into());
            }
            Some(of) if contract.type_of(of).is_none() => {
                return wrong(format!("has the type {of}, which types.toml does not list"));
            }
            _ => {}
        }
        if field.name.contains('*') && !several {
            return wrong("stands for several names, which is only possible in pairs".into());
        }
        if field.absent && !may_lack || lacks && !field.absent && !several {
            return wrong(
                "may be missing, or follows one that may: only fields at the end of a list may be missing".into(),
            );
        }
        lacks |= field.absent;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::contract::{Contract, Sources};
    use super::Reply;

    /// Returns the error of a contract with these replies, one command `c`, and its option `o`.
    fn said(replies: &str) -> String {
        let files = [
            ("types", "[n]\nform = \"whole\"\nlow = 0\nhigh = 9\nmeans = \"A number.\"\n"),
            ("arguments", "[any]\nnow = { type = \"n\", means = \"The time.\" }\n"),
            ("options", "[c]\no = { type = \"n\", means = \"An option.\" }\n"),
            ("settings", ""),
            ("states", ""),
            ("roles", ""),
            ("constants", ""),
            ("errors", ""),
            ("fields", ""),
            ("keys", ""),
            ("touches", "[commands]\nc = \"\"\n"),
            ("replies", replies),
        ];
        let own = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
        let command = ("c", "--- Does it.\n-- @args now\n-- @options o\n");
        let sources = Sources { files: files.iter().map(own).collect(), commands: [own(&command)].into() };
        Contract::read(&sources).err().unwrap_or_default()
    }

    fn field(rest: &str) -> String {
        format!("{{ name = \"f\", {rest} }}")
    }

    const N: &str = "type = \"n\", means = \"A number.\"";

    #[test]
    fn words_in_backquotes_after_reply_are_a_shape() {
        let words = |prose: &str| Reply::of_words(prose).map(|reply| reply.words);
        assert_eq!(words("`kept`, or `gone` if it was late"), Some(vec!["kept".to_owned(), "gone".to_owned()]));
        assert_eq!(words("nil, or a deadline"), None);
    }

    #[test]
    fn a_reply_has_one_shape() {
        assert_eq!(said("[c]\nwords = [\"done\"]\n"), "");
        assert_eq!(said(&format!("[c]\nnil = true\nlist = [{}]\nitems = [{}]\n", field(N), field(N))), "");
        assert!(said("[c]\nnil = true\n").starts_with("contract/replies.toml:1: the reply of c has no shape"));
        assert!(
            said(&format!("\n[c]\nwords = [\"a\"]\nvalue = {}\n", field(N)))
                .contains(":2: the reply of c has no shape")
        );
        assert!(said("").contains("has no shape of c"));
        assert!(said("[c]\nwords = [\"a\"]\n[d]\nwords = [\"a\"]\n").contains("the reply of d belongs to no command"));
    }

    #[test]
    fn a_field_has_a_type_and_a_sentence_and_stands_there_once() {
        let list = |fields: &str| said(&format!("[c]\nlist = [{fields}]\n"));
        assert!(list(&field("means = \"A.\"")).contains("has no type"));
        assert!(list(&field("type = \"x\", means = \"A number.\"")).contains("has the type x"));
        assert!(list(&field("type = \"n\"")).contains("has no sentence"));
        assert!(list(&format!("{0}, {0}", field(N))).contains("is listed twice"));
        assert!(list(&field(N).replace("\"f\"", "\"f*\"")).contains("which is only possible in pairs"));
    }

    #[test]
    fn only_the_end_of_a_list_and_pairs_may_be_missing() {
        let (may, must) = (field(&format!("{N}, absent = true")), field(N).replace("\"f\"", "\"g\""));
        assert_eq!(said(&format!("[c]\nlist = [{must}, {may}]\n")), "");
        assert_eq!(said(&format!("[c]\npairs = [{may}, {must}]\n")), "");
        assert!(said(&format!("[c]\nlist = [{may}, {must}]\n")).contains("only fields at the end of a list"));
        assert!(said(&format!("[c]\nlist = [{may}]\nitems = [{must}]\n")).contains("only fields at the end of a list"));
        assert!(said(&format!("[c]\nvalue = {may}\n")).contains("only fields at the end of a list"));
    }

    #[test]
    fn what_is_said_of_pairs_needs_them() {
        assert_eq!(said(&format!("[c]\nopen = true\nbegins = \"f\"\npairs = [{}]\n", field(N))), "");
        assert!(said("[c]\nopen = true\nwords = [\"a\"]\n").contains("has no pairs"));
        assert!(said(&format!("[c]\nbegins = \"g\"\npairs = [{}]\n", field(N))).contains("pairs does not list"));
    }

    #[test]
    fn a_shape_of_another_command_or_with_an_option_needs_that() {
        assert!(said("[c]\nas = \"d\"\n").contains("refers to d"));
        assert!(said("[c]\nas = \"c\"\n").contains("refers to c"));
        assert_eq!(said("[c]\nwords = [\"a\"]\n[c.with.o]\nwords = [\"b\"]\n"), "");
        assert!(said("[c]\nwords = [\"a\"]\n[c.with.p]\nwords = [\"b\"]\n").contains("differs with p"));
        assert!(said("[c]\nwords = [\"a\"]\n[c.with.o]\nnil = true\n").contains("with o has no shape"));
    }
}
