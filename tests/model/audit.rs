//! Who changed what: an entry for each change that somebody asked for.

use crate::model::arguments::payload;
use crate::model::keys::{Kept, Keys, Reply};
use crate::model::state::{Model, Task, Verdict, decimal};

/// Entries that the server keeps together, and removes together: see `Bench::new`.
pub const TOGETHER: usize = 5;

const FIELDS: [&str; 8] = ["at", "by", "what", "of", "on", "before", "after", "detail"];

/// The beginning of the digest of each payload.
const DIGESTS: [&str; 5] = ["da39a3ee5e6b", "11f6ad8ec52a", "90ce62edf2fe", "9205f43397d7", "0716d9708d32"];

/// All entries ever made, and how many of them are gone.
#[derive(Clone, Default)]
pub struct Audit {
    entries: Vec<[String; 8]>,
    gone: usize,
}

/// Filter of a page of the audit.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub by: Option<&'static str>,
    pub what: Option<&'static str>,
    pub on: Option<&'static str>,
}

/// Parameters as an entry has them.
pub fn digest(number: u8) -> String {
    format!("{} bytes, sha1 {}", payload(number).len(), DIGESTS[usize::from(number)])
}

impl Model {
    /// Adds an entry. `of` and `on`: the kind and the name of what was changed.
    pub fn note_change(&mut self, what: &str, [of, on]: [&str; 2], [before, after]: [&str; 2], detail: &str) {
        let entry = [&decimal(self.now), self.by, what, of, on, before, after, detail].map(str::to_owned);
        let bound = self.settings.iter().find(|(name, _)| name == "audit").map_or("10000", |(_, value)| value);
        let bound: usize = bound.parse().unwrap();
        let audit = &mut self.audit;
        audit.entries.push(entry);
        while audit.entries.len() - audit.gone >= bound + TOGETHER {
            audit.gone += TOGETHER;
        }
    }

    /// Does something to a task, and adds an entry if that changed it.
    pub fn on_task(
        &mut self,
        what: &str,
        id: &str,
        detail: &str,
        act: impl FnOnce(&mut Self) -> Verdict<Reply>,
    ) -> Verdict<Reply> {
        let seen = |task: &Task| match what {
            "prioritise" => task.priority().to_string(),
            "move" => task.queue.clone(),
            _ => task.status.clone(),
        };
        let look = |model: &Self| model.tasks.get(id).map(|task| (seen(task), task.order));
        let before = look(self);
        let reply = act(self)?;
        let after = look(self);
        if before != after {
            let (before, order) = before.unwrap();
            let after = match after {
                None => "deleted".to_owned(),
                Some((after, told)) if after == before && told != order => reply.as_text().to_owned(),
                Some((after, _)) => after,
            };
            self.note_change(what, ["task", id], [&before, &after], detail);
        }
        Ok(reply)
    }

    /// A page of at most `limit` entries after the entry with the number `after`, counted from 1.
    pub fn audited(&self, after: usize, limit: usize, wanted: &Wanted) -> Reply {
        let Audit { entries, gone } = &self.audit;
        let first = after.max(*gone);
        let page = &entries[first..entries.len().min(first + limit)];
        let last = if page.is_empty() { after } else { first + page.len() };
        let missed = u8::from(after > 0 && after <= *gone);
        let mut answer = vec![Reply::text(last), Reply::text(missed)];
        let fits = |asked: Option<&str>, told: &str| asked.is_none_or(|asked| asked == told);
        for (number, entry) in (first + 1..).zip(page) {
            if fits(wanted.by, &entry[1]) && fits(wanted.what, &entry[2]) && fits(wanted.on, &entry[4]) {
                answer.push(Reply::text(number));
                answer.extend(entry.iter().map(Reply::text));
            }
        }
        Reply::List(answer)
    }

    pub fn audit_keys(&self, keys: &mut Keys) {
        let text = |entry: &[String; 8]| {
            let fields = FIELDS.iter().zip(entry).map(|(name, value)| format!("{name}={value}"));
            fields.collect::<Vec<_>>().join("|")
        };
        let kept = self.audit.entries[self.audit.gone..].iter().map(text);
        keys.insert("audit".into(), Kept::Stream(kept.collect()));
    }
}
