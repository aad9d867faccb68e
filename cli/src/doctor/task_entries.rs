//! The index entries of a task, which are called its places, and the entries that its record requires.

use std::collections::{BTreeMap, BTreeSet};

use blueque::Status;
use redis::Script;

/// Returns a group of failures as it appears in the name of its key. A name appears unchanged. A text is replaced by a
/// character that no name contains, followed by a digest.
pub fn group_in_key(group: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "._:@-".contains(c);
    if group.len() <= 128 && group.chars().all(is_name) || group.starts_with('~') && group.len() == 41 {
        return group.to_owned();
    }
    format!("~{}", Script::new(group).get_hash())
}

/// An entry of an index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The index of all tasks of the queue.
    All,
    /// The list of the queue for this state, such as `pending_tasks`.
    List(Status),
    /// A sorted set of the queue, with tasks that wait for their eta or for other tasks.
    Timed(&'static str),
    /// The list of a listener.
    Reserved(String),
    /// The entry in the set of started tasks. The value omits the task's id.
    Started(String),
    /// The lease of the attempt with this token.
    Lease(String),
    /// The index of all ranked tasks: the rank and the score of the task.
    Ranked(String, i64),
    /// An entry in an order that `reserve` reads: the name of the Redis key without the namespace, the entry, the
    /// score.
    Order(String, String, i64),
    /// The places of limits that an attempt takes: its token, and the places.
    Limits(String, String),
    /// A unique name, and the time or the event until which the task has the name.
    Unique(String, String),
    Tag(String),
    /// The group of a failure, as it appears in the name of its key.
    Group(String),
    /// The task's entry in the deadlines of all queues, in seconds with six decimals.
    Deadline(String),
}

/// Defines `Head` with the fields of a record that determine the places of the task, and `FIELDS` with their names.
macro_rules! head {
    ($first:ident $queue:ident $($field:ident)*) => {
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Head { pub $first: String, pub $queue: String, $(pub $field: String),* }

        pub const FIELDS: &[&str] = &[stringify!($first), stringify!($queue), $(stringify!($field)),*];

        impl Head {
            /// Reads the values of `FIELDS`. After this, `needs` also has the shared limits that the task uses.
            pub fn read(values: Vec<Option<Vec<u8>>>) -> Option<Self> {
                let mut texts = values.into_iter().map(|value| Some(String::from_utf8_lossy(&value?).into_owned()));
                let ($first, $queue) = (texts.next()??, texts.next()??);
                $(let $field = texts.next().flatten().unwrap_or_default();)*
                let head = Self { $first, $queue, $($field),* };
                // A record without a queue was left by a late update of a deleted task.
                (!head.queue.is_empty()).then(|| Self { needs: class(&head.needs, &head.limits), ..head })
            }
        }
    };
}

head! {
    status queue attempt token node pid needs flags priority rank key weight exclusive unique unique_until tags group
    outcome ended created started updated deadline cancel limits
}

/// Returns the name of the order in which a task waits: its needs, followed by a vertical bar and its shared limits.
pub fn class(needs: &str, limits: &str) -> String {
    if limits.is_empty() { needs.to_owned() } else { format!("{needs}|{limits}") }
}

/// The number of each order of tasks with the same needs, by needs.
pub type Numbers = BTreeMap<String, String>;

impl Head {
    /// Returns the status of the task, or `None` if it is unknown.
    fn state(&self) -> Option<Status> {
        self.status.parse().ok()
    }

    pub fn is_held(&self) -> bool {
        self.state().is_some_and(Status::is_owned)
    }

    /// Returns true if the task waits to run, or runs.
    fn lives(&self) -> bool {
        self.is_held() || self.waits()
    }

    fn waits(&self) -> bool {
        self.state().is_some_and(Status::is_waiting)
    }

    /// Returns true if the task started more than a minute before it was created, or ended more than a minute before it
    /// started. Clients without scripts write the time of their own machines.
    pub fn runs_backwards(&self) -> bool {
        let time = |text: &str| text.parse::<f64>().ok();
        let (created, started, updated) = (time(&self.created), time(&self.started), time(&self.updated));
        let back = |from: Option<f64>, to: Option<f64>| matches!((from, to), (Some(a), Some(b)) if a > b + 60.0);
        !self.attempt.is_empty() && (back(created, started.or(updated)) || back(started, updated))
    }

    /// Returns true for a ranked task that waits without a rank.
    pub fn is_rankless(&self) -> bool {
        self.status == "pending" && self.flags.contains('r') && self.rank.is_empty()
    }

    /// Returns true if the status is unknown.
    pub fn is_odd(&self) -> bool {
        self.state().is_none()
    }

    /// Returns the places where the task must be.
    fn places(&self, id: &str, numbers: &Numbers) -> BTreeSet<Place> {
        let mut places = BTreeSet::new();
        match self.state() {
            Some(Status::Scheduled) if self.flags.contains('r') => {
                places.insert(Place::Timed("scheduled_ranked_tasks"))
            }
            Some(Status::Scheduled) => places.insert(Place::Timed("scheduled_tasks")),
            Some(Status::Waiting) => places.insert(Place::Timed("waiting_tasks")),
            Some(Status::Pending) if !self.rank.is_empty() || self.flags.contains('r') => {
                let score = self.priority.parse::<i64>().map_or(0, |priority| -priority);
                places.insert(self.order(id, numbers, score));
                places.insert(Place::Ranked(self.rank.clone(), score))
            }
            // Held tasks are in an index of their listener, or of all running tasks.
            None | Some(Status::Reserved | Status::Started) => false,
            Some(status) => places.insert(Place::List(status)),
        };
        if self.is_held() {
            places.insert(Place::Reserved(self.node.clone()));
            // A task that is held without a token belongs to a client without scripts. It has no lease and takes no
            // places of limits.
            if !self.token.is_empty() {
                places.insert(Place::Lease(self.token.clone()));
            }
            if !self.token.is_empty() && self.flags.contains('p') {
                let shared = if self.limits.is_empty() { String::new() } else { format!(" {}", self.limits) };
                let taken = format!("{} {}{shared}", self.weight(), self.key);
                places.insert(Place::Limits(self.token.clone(), taken));
            }
        }
        if self.status == "started" {
            places.insert(Place::Started(format!("{} {} ", self.node, self.pid)));
        }
        let fresh = self.unique_until == "start" && self.waits() && self.attempt == "0";
        if !self.unique.is_empty() && (self.unique_until == "end" && self.lives() || fresh) {
            places.insert(Place::Unique(self.unique.clone(), self.unique_until.clone()));
        }
        places.extend(self.tags.split(',').filter(|tag| !tag.is_empty()).map(|tag| Place::Tag(tag.to_owned())));
        // A failure that a client without scripts recorded has no group.
        if self.status == "failed" && (self.outcome == "failed" || !self.group.is_empty()) {
            places.insert(Place::Group(group_in_key(&self.group)));
        }
        // A task whose cancellation was requested needs no deadline.
        if self.lives() && self.cancel.is_empty() {
            places.extend(self.deadline());
        }
        places
    }

    fn deadline(&self) -> Option<Place> {
        let known = self.deadline.parse::<f64>().ok().filter(|_| self.flags.contains('e'));
        known.map(Place::deadline)
    }

    fn weight(&self) -> &str {
        if self.weight.is_empty() { "1" } else { &self.weight }
    }

    /// Returns the entry of the task in the order that `reserve` reads, or in the order of the task's key.
    fn order(&self, id: &str, numbers: &Numbers, score: i64) -> Place {
        let number = match numbers.get(&self.needs) {
            _ if self.needs.is_empty() => String::new(),
            Some(number) => format!("/{number}"),
            None => "/?".to_owned(),
        };
        let (queue, key, rank) = (&self.queue, &self.key, &self.rank);
        if key.is_empty() {
            return Place::Order(format!("ranked_tasks_{queue}{number}"), format!("{rank} {id}"), score);
        }
        let weight = if self.exclusive.is_empty() { self.weight() } else { "exclusive" };
        Place::Order(format!("key_tasks_{queue}/{key}{number}"), format!("{rank} {id} {weight}"), score)
    }

    /// Returns true if the task may be in this place although its record does not require it.
    fn may(&self, place: &Place) -> bool {
        match place {
            // Clients without scripts do not index all their tasks.
            Place::All => true,
            // The start releases the name, and the next attempt does not take the name again.
            Place::Unique(name, until) if until == "start" && *name == self.unique && self.waits_or_is_reserved() => {
                true
            }
            // A client without scripts started or ended the task: the name stays until a repair.
            Place::Unique(name, until) if until == "end" || until == "start" => {
                *name == self.unique && (self.ended_elsewhere() || self.status == "started" && self.token.is_empty())
            }
            // A drained attempt keeps its name, so that it continues before the next task with this name.
            Place::Unique(name, until) if until == "kept" => {
                name.strip_prefix('/') == Some(&self.unique) && self.waits()
            }
            // A client without scripts ended the attempt and left the token: the entry stays until it expires.
            Place::Lease(token) | Place::Limits(token, _) => !self.is_held() && *token == self.token,
            Place::Group(group) => self.status == "failed" && *group == group_in_key(&self.group),
            // A deadline may stay in the index until its time if a cancellation was requested. It may stay until a
            // repair if a client without scripts ended the task.
            Place::Deadline(_) => self.lives() && self.deadline().as_ref() == Some(place) || self.ended_elsewhere(),
            _ => false,
        }
    }

    /// Returns true if a client without scripts ended the task. The record of a task that completed in its first attempt
    /// has no outcome.
    fn ended_elsewhere(&self) -> bool {
        let implied = self.outcome.is_empty() && !self.ended.is_empty();
        let outcome = if implied { "complete" } else { self.outcome.as_str() };
        matches!(self.status.as_str(), "complete" | "failed") && outcome != self.status
    }

    fn waits_or_is_reserved(&self) -> bool {
        self.waits() || self.status == "reserved"
    }
}

/// Returns the places of this queue where a task belongs, including the optional places in `found`.
pub fn expected(id: &str, head: Option<&Head>, queue: &str, found: &[Place], numbers: &Numbers) -> BTreeSet<Place> {
    // A unique name with an expiry is held until the expiry, even if the task has ended.
    let mut places: BTreeSet<Place> = found.iter().filter(|place| place.is_timed()).cloned().collect();
    if let Some(head) = head.filter(|head| head.queue == queue) {
        places.extend(head.places(id, numbers));
        places.extend(found.iter().filter(|place| head.may(place)).cloned());
        if !head.attempt.is_empty() {
            places.insert(Place::All);
        }
    }
    places
}

impl Place {
    /// Returns the name of the check that reports findings about this place.
    pub fn check(&self) -> &'static str {
        match self {
            Self::Lease(_) => "leases",
            Self::Limits(..) => "limits",
            Self::Unique(..) => "unique",
            Self::Tag(_) => "tags",
            Self::Group(_) => "groups",
            Self::Ranked(..) | Self::Order(..) => "ranking",
            _ => "tasks",
        }
    }

    /// Returns true for a unique name with an expiry. Another task may have taken such a name.
    pub fn is_timed(&self) -> bool {
        matches!(self, Self::Unique(_, until) if until.parse::<u64>().is_ok())
    }

    /// Returns true if the attempt takes other places of limits than these. This is a separate finding.
    pub fn stands_otherwise(&self, stands: &BTreeMap<Self, usize>) -> bool {
        let Self::Limits(token, what) = self else { return false };
        let other = |place: &Self| matches!(place, Self::Limits(of, takes) if of == token && takes != what);
        stands.iter().any(|(place, count)| *count > 0 && other(place))
    }

    /// Returns the entry of a task in the deadlines, from its score.
    pub fn deadline(score: f64) -> Self {
        Self::Deadline(format!("{score:.6}"))
    }

    /// Returns the name of this place in messages.
    pub fn name(&self) -> String {
        match self {
            Self::All => "tasks".to_owned(),
            Self::List(status) => format!("{status}_tasks"),
            Self::Timed(set) => (*set).to_owned(),
            Self::Reserved(listener) => format!("the list of {listener}"),
            Self::Started(_) => "started_tasks".to_owned(),
            Self::Lease(_) => "leases".to_owned(),
            Self::Ranked(_, score) => format!("pending_ranked_tasks (priority {})", -score),
            Self::Order(key, _, score) if key.starts_with("key") => format!("key_tasks (priority {})", -score),
            Self::Order(_, _, score) => format!("ranked_tasks (priority {})", -score),
            Self::Limits(_, what) => format!("the places ({})", what.trim_end()),
            Self::Unique(name, until) => format!("the unique names as {name} ({until})"),
            Self::Tag(tag) => format!("the tag {tag}"),
            Self::Group(group) if group.is_empty() => "the failures without a group".to_owned(),
            Self::Group(group) => format!("the failure group {group}"),
            Self::Deadline(at) => format!("the deadlines (at {at})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use blueque::Status;

    use super::{Head, Numbers};

    #[test]
    fn a_task_in_any_state_has_a_place_of_its_own_and_is_not_odd() {
        let mut all = Vec::new();
        for status in Status::ALL {
            let head = Head { status: status.to_string(), queue: "q".to_owned(), ..Head::default() };
            assert!(!head.is_odd(), "{status}");
            let places = head.places("t", &Numbers::new());
            assert!(!places.is_empty() && !all.contains(&places), "{status} is in {places:?}");
            all.push(places);
        }
        let odd = Head { status: "idle".to_owned(), ..Head::default() };
        assert!(odd.is_odd() && odd.places("t", &Numbers::new()).is_empty());
    }
}
