//! The index entries that a task has, and those that it should have according to its record.

use std::collections::{BTreeMap, BTreeSet};

use blueque::Status;
use redis::Script;

/// A group of failures as its key has it: a name, or a digest of a text, after a character that no name has.
pub fn group_in_key(group: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "._:@-".contains(c);
    if group.len() <= 128 && group.chars().all(is_name) || group.starts_with('~') && group.len() == 41 {
        return group.to_owned();
    }
    format!("~{}", Script::new(group).get_hash())
}

/// One entry of an index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The index of all tasks of the queue.
    All,
    /// The list of the queue for this state, such as `pending_tasks`.
    List(Status),
    /// One of the sets of the queue by time: tasks that wait for their eta, or for other tasks.
    Timed(&'static str),
    /// The list of a listener.
    Reserved(String),
    /// The whole entry.
    Started(String),
    /// The token.
    Lease(String),
    /// Its rank among all ranked tasks, and the score.
    Lane(String, i64),
    /// One of the orders that `reserve` reads: the key without the namespace, the entry, the score.
    Order(String, String, i64),
    /// The places of limits that an attempt takes: its token, and what it takes.
    Limits(String, String),
    /// A unique name, and until when the task has it.
    Unique(String, String),
    Tag(String),
    /// The group of a failure, as its key names it.
    Group(String),
    /// The deadlines of all queues: its own, in seconds with six decimals.
    Deadline(String),
}

/// The facts that decide where a task belongs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    pub status: String,
    pub queue: String,
    pub attempt: String,
    pub token: String,
    pub node: String,
    pub pid: String,
    /// Its needs, and after a bar the shared limits that it takes places of.
    pub needs: String,
    ties: String,
    priority: String,
    rank: String,
    key: String,
    weight: String,
    solo: String,
    unique: String,
    until: String,
    tags: String,
    group: String,
    outcome: String,
    created: String,
    started: String,
    updated: String,
    deadline: String,
    cancel: String,
    limits: String,
}

pub const FIELDS: [&str; 24] = [
    "status",
    "queue",
    "attempt",
    "token",
    "node",
    "pid",
    "needs",
    "ties",
    "priority",
    "rank",
    "key",
    "weight",
    "solo",
    "unique",
    "unique_until",
    "tags",
    "group",
    "outcome",
    "created",
    "started",
    "updated",
    "deadline",
    "cancel",
    "limits",
];

/// What names the order in which a task waits: its needs, and after a bar its shared limits.
pub fn class(needs: &str, limits: &str) -> String {
    if limits.is_empty() { needs.to_owned() } else { format!("{needs}|{limits}") }
}

/// By needs, the number of the order in which tasks with these needs wait.
pub type Numbers = BTreeMap<String, String>;

impl Head {
    pub fn read(values: Vec<Option<Vec<u8>>>) -> Option<Self> {
        let mut texts = values.into_iter().map(|value| value.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()));
        let status = texts.next()?;
        let queue = texts.next()?;
        // A record without a queue was left by a late update of a deleted task.
        let (status, queue) = (status?, queue.filter(|queue| !queue.is_empty())?);
        let mut next = || texts.next().flatten().unwrap_or_default();
        let mut head = Self {
            status,
            queue,
            attempt: next(),
            token: next(),
            node: next(),
            pid: next(),
            needs: next(),
            ties: next(),
            priority: next(),
            rank: next(),
            key: next(),
            weight: next(),
            solo: next(),
            unique: next(),
            until: next(),
            tags: next(),
            group: next(),
            outcome: next(),
            created: next(),
            started: next(),
            updated: next(),
            deadline: next(),
            cancel: next(),
            limits: next(),
        };
        head.needs = class(&head.needs, &head.limits);
        Some(head)
    }

    /// Its status, if that is known.
    fn state(&self) -> Option<Status> {
        self.status.parse().ok()
    }

    pub fn is_held(&self) -> bool {
        self.state().is_some_and(Status::is_held)
    }

    /// Whether it waits to run, or runs.
    fn lives(&self) -> bool {
        self.is_held() || self.waits()
    }

    fn waits(&self) -> bool {
        self.state().is_some_and(Status::is_waiting)
    }

    /// Whether it started more than a minute before it was created, or ended more than a minute before it started.
    /// Clients without scripts write the time of their own machines.
    pub fn runs_backwards(&self) -> bool {
        let time = |text: &str| text.parse::<f64>().ok();
        let (created, started, updated) = (time(&self.created), time(&self.started), time(&self.updated));
        let back = |from: Option<f64>, to: Option<f64>| matches!((from, to), (Some(a), Some(b)) if a > b + 60.0);
        !self.attempt.is_empty() && (back(created, started.or(updated)) || back(started, updated))
    }

    /// Whether it is a ranked task that waits without a rank.
    pub fn is_rankless(&self) -> bool {
        self.status == "pending" && self.ties.contains('r') && self.rank.is_empty()
    }

    /// Whether its status is unknown.
    pub fn is_odd(&self) -> bool {
        self.state().is_none()
    }

    /// Where it must be.
    fn places(&self, id: &str, numbers: &Numbers) -> BTreeSet<Place> {
        let mut places = BTreeSet::new();
        match self.state() {
            Some(Status::Scheduled) if self.ties.contains('r') => places.insert(Place::Timed("scheduled_lane_tasks")),
            Some(Status::Scheduled) => places.insert(Place::Timed("scheduled_tasks")),
            Some(Status::Waiting) => places.insert(Place::Timed("waiting_tasks")),
            Some(Status::Pending) if !self.rank.is_empty() || self.ties.contains('r') => {
                let score = self.priority.parse::<i64>().map_or(0, |priority| -priority);
                places.insert(self.order(id, numbers, score));
                places.insert(Place::Lane(self.rank.clone(), score))
            }
            // These are in an index of their listener, or of all that run.
            None | Some(Status::Reserved | Status::Started) => false,
            Some(status) => places.insert(Place::List(status)),
        };
        if self.is_held() {
            places.insert(Place::Reserved(self.node.clone()));
            // A task that is held without a token belongs to a client without scripts: it has neither lease nor
            // places.
            if !self.token.is_empty() {
                places.insert(Place::Lease(self.token.clone()));
            }
            if !self.token.is_empty() && self.ties.contains('p') {
                let shared = if self.limits.is_empty() { String::new() } else { format!(" {}", self.limits) };
                let taken = format!("{} {}{shared}", self.weight(), self.key);
                places.insert(Place::Limits(self.token.clone(), taken));
            }
        }
        if self.status == "started" {
            places.insert(Place::Started(format!("{} {} ", self.node, self.pid)));
        }
        let fresh = self.until == "start" && self.waits() && self.attempt == "0";
        if !self.unique.is_empty() && (self.until == "end" && self.lives() || fresh) {
            places.insert(Place::Unique(self.unique.clone(), self.until.clone()));
        }
        places.extend(self.tags.split(',').filter(|tag| !tag.is_empty()).map(|tag| Place::Tag(tag.to_owned())));
        // Clients without scripts record failures, too, without a group.
        if self.status == "failed" && (self.outcome == "failed" || !self.group.is_empty()) {
            places.insert(Place::Group(group_in_key(&self.group)));
        }
        // It is left out once its owner was told to stop.
        if self.lives() && self.cancel.is_empty() {
            places.extend(self.deadline());
        }
        places
    }

    fn deadline(&self) -> Option<Place> {
        let known = self.deadline.parse::<f64>().ok().filter(|_| self.ties.contains('e'));
        known.map(Place::deadline)
    }

    fn weight(&self) -> &str {
        if self.weight.is_empty() { "1" } else { &self.weight }
    }

    /// Its entry in the order that `reserve` reads, or in that of its key.
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
        let weight = if self.solo.is_empty() { self.weight() } else { "solo" };
        Place::Order(format!("key_tasks_{queue}/{key}{number}"), format!("{rank} {id} {weight}"), score)
    }

    /// Where else it may be.
    fn may(&self, place: &Place) -> bool {
        match place {
            // Clients without scripts do not index all their tasks.
            Place::All => true,
            // A start releases it, and the next attempt does not take it again.
            Place::Unique(name, until) if until == "start" && *name == self.unique && self.waits_or_is_reserved() => {
                true
            }
            // Until it is mended, if a client without scripts started or ended it.
            Place::Unique(name, until) if until == "end" || until == "start" => {
                *name == self.unique && (self.ended_elsewhere() || self.status == "started" && self.token.is_empty())
            }
            // A drained attempt continues before the next task of its name.
            Place::Unique(name, until) if until == "kept" => {
                name.strip_prefix('/') == Some(&self.unique) && self.waits()
            }
            // Until it expires, if such a client ended the attempt and left the token.
            Place::Lease(token) | Place::Limits(token, _) => !self.is_held() && *token == self.token,
            Place::Group(group) => self.status == "failed" && *group == group_in_key(&self.group),
            // Until it has passed, if its cancel was asked for; until it is mended, if such a client ended the task.
            Place::Deadline(_) => self.lives() && self.deadline().as_ref() == Some(place) || self.ended_elsewhere(),
            _ => false,
        }
    }

    /// Whether a client without scripts ended it.
    fn ended_elsewhere(&self) -> bool {
        matches!(self.status.as_str(), "complete" | "failed") && self.outcome != self.status
    }

    fn waits_or_is_reserved(&self) -> bool {
        self.waits() || self.status == "reserved"
    }
}

/// Where a task belongs in this queue, given where it was found.
pub fn expected(id: &str, head: Option<&Head>, queue: &str, found: &[Place], numbers: &Numbers) -> BTreeSet<Place> {
    // A unique name with an expiry is held until then, whatever becomes of the task.
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
    /// The kind of findings about it.
    pub fn check(&self) -> &'static str {
        match self {
            Self::Lease(_) => "leases",
            Self::Limits(..) => "limits",
            Self::Unique(..) => "unique",
            Self::Tag(_) => "tags",
            Self::Group(_) => "groups",
            Self::Lane(..) | Self::Order(..) => "lanes",
            _ => "tasks",
        }
    }

    /// Whether it is a unique name with an expiry: another task may have taken it meanwhile.
    pub fn is_timed(&self) -> bool {
        matches!(self, Self::Unique(_, until) if until.parse::<u64>().is_ok())
    }

    /// Whether an attempt takes other places than these, which is a separate finding.
    pub fn stands_otherwise(&self, stands: &BTreeMap<Self, usize>) -> bool {
        let Self::Limits(token, what) = self else { return false };
        let other = |place: &Self| matches!(place, Self::Limits(of, takes) if of == token && takes != what);
        stands.iter().any(|(place, count)| *count > 0 && other(place))
    }

    /// An entry of the deadlines by its score.
    pub fn deadline(score: f64) -> Self {
        Self::Deadline(format!("{score:.6}"))
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        match self {
            Self::All => "tasks".to_owned(),
            Self::List(status) => format!("{status}_tasks"),
            Self::Timed(set) => (*set).to_owned(),
            Self::Reserved(listener) => format!("the list of {listener}"),
            Self::Started(_) => "started_tasks".to_owned(),
            Self::Lease(_) => "leases".to_owned(),
            Self::Lane(_, score) => format!("lane_tasks (priority {})", -score),
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
