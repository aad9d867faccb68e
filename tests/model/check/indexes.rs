//! I1 to I4: every task is in its indexes.

use std::collections::BTreeMap;

use super::{Checked, Record, ensure, field, held, list, records, records_of, set, zset};
use crate::model::keys::{Kept, Keys};
use crate::model::ops::{LISTENERS, QUEUES};

pub fn leases(keys: &Keys) -> Checked {
    for (id, record) in records(keys) {
        let leases = zset(keys, &format!("leases_{}", field(record, "queue")));
        let of = leases.keys().filter(|lease| lease.starts_with(&format!("{id} "))).count();
        let (token, node) = (field(record, "token"), field(record, "node"));
        let live = held(field(record, "status"));
        // Blueque has an error only for a failed task, an eta only if one was given.
        let failed = field(record, "status") == "failed";
        ensure(failed || !record.contains_key("error") && !record.contains_key("group"), || {
            format!("{id} has not failed, and has an error: {record:?}")
        })?;
        let waits = matches!(field(record, "status"), "waiting" | "scheduled" | "held" | "failed" | "cancelled");
        ensure(waits || !record.contains_key("retry_eta"), || format!("{id} has the eta of a retry: {record:?}"))?;
        ensure(of == usize::from(live), || format!("I3: {id} has {of} leases: {record:?}"))?;
        ensure(live != token.is_empty(), || format!("I3: {id} has the token {token:?}: {record:?}"))?;
        ensure(!live || leases.contains_key(&format!("{id} {token}")), || {
            format!("I3: the lease of {id} has another token")
        })?;
        ensure(!live || !node.is_empty(), || format!("I3: {id} has no node: {record:?}"))?;
    }
    Ok(())
}

/// I1, I2, I4: every task is in the index that its status names, and nothing else is in any.
pub fn check(keys: &Keys) -> Checked {
    let mut found: Vec<(String, String, String)> = Vec::new();
    let mut all: Vec<(String, String)> = Vec::new();
    let mut leases = 0;
    for queue in QUEUES {
        let mut put = |status: &str, id: &str| found.push((id.to_owned(), queue.to_owned(), status.to_owned()));
        for status in ["pending", "held", "complete", "failed", "cancelled"] {
            list(keys, &format!("{status}_tasks_{queue}")).iter().for_each(|id| put(status, id));
        }
        for set in ["scheduled_tasks", "scheduled_ranked_tasks"] {
            zset(keys, &format!("{set}_{queue}")).keys().for_each(|id| put(set, id));
        }
        zset(keys, &format!("waiting_tasks_{queue}")).keys().for_each(|id| put("waiting", id));
        let lane = zset(keys, &format!("pending_ranked_tasks_{queue}"));
        lane.keys().filter_map(|member| member.split_once(' ')).for_each(|(_, id)| put("lane", id));
        for who in LISTENERS {
            list(keys, &format!("reserved_tasks_{queue}_{who}")).iter().for_each(|id| put(who, id));
        }
        set(keys, &format!("started_tasks_{queue}")).iter().for_each(|entry| put("started", entry));
        all.extend(zset(keys, &format!("tasks_{queue}")).into_keys().map(|id| (id, queue.to_owned())));
        leases += zset(keys, &format!("leases_{queue}")).len();
    }
    let mut expected = Vec::new();
    let mut live = 0;
    for (id, record) in records(keys) {
        let (queue, status) = (field(record, "queue"), field(record, "status"));
        let mut put = |id: &str, index: &str| expected.push((id.to_owned(), queue.to_owned(), index.to_owned()));
        let laned = status == "pending" && field(record, "flags").contains('r');
        ensure(laned == record.contains_key("rank"), || format!("I1: {id} stands in no lane: {record:?}"))?;
        let flagged = field(record, "flags").contains('r');
        let scheduled = if flagged { "scheduled_ranked_tasks" } else { "scheduled_tasks" };
        put(
            id,
            if held(status) {
                field(record, "node")
            } else if laned {
                "lane"
            } else if status == "scheduled" {
                scheduled
            } else {
                status
            },
        );
        if status == "started" {
            put(&format!("{} {} {id}", field(record, "node"), field(record, "pid")), "started");
        }
        live += usize::from(held(status));
        let eta = zset(keys, &format!("{scheduled}_{queue}")).get(id).copied();
        ensure(eta.is_none() || eta == field(record, "eta").parse().ok(), || format!("I1: {id} is due at {eta:?}"))?;
        ensure(all.contains(&(id.to_owned(), queue.to_owned())), || {
            format!("I2: {id} is not among all tasks of {queue}")
        })?;
    }
    found.sort();
    expected.sort();
    ensure(found == expected, || format!("I1, I2: the indexes hold {found:?}\n    the records say {expected:?}"))?;
    ensure(all.len() == records(keys).len(), || format!("I2: all tasks are {all:?}"))?;
    ensure(leases == live, || format!("I3: {leases} leases, {live} held tasks"))?;
    under(keys, "group", |record| match field(record, "status") {
        "failed" => vec![field(record, "group")],
        _ => Vec::new(),
    })?;
    under(keys, "tag", |record| field(record, "tags").split(',').filter(|tag| !tag.is_empty()).collect())?;
    for (queue, listeners) in zset(keys, "queues") {
        let number = set(keys, &format!("listeners_{queue}")).len();
        ensure(number.to_string() == listeners.to_string(), || {
            format!("I4: {queue} counts {listeners} listeners of {number}")
        })?;
    }
    Ok(())
}

/// I1: once a listener takes queues by pattern, each queue in which tasks wait is in the index of queues with work.
pub fn ready(keys: &Keys) -> Checked {
    let index = zset(keys, "ready");
    let roams = matches!(keys.get("meta"), Some(Kept::Hash(meta)) if meta.contains_key("patterns"));
    for (id, record) in records(keys).iter().filter(|(_, record)| roams && field(record, "status") == "pending") {
        let queue = field(record, "queue");
        ensure(index.contains_key(queue), || format!("I1: {id} waits in {queue}, which {index:?} does not have"))?;
    }
    Ok(())
}

/// I1: after `ready`, that index has no other queues.
pub fn tidy(keys: &Keys) -> Checked {
    let status = |record: &Record| field(record, "status").to_owned();
    let live = |record: &Record| held(&status(record)) || ["pending", "scheduled", "held"].contains(&&*status(record));
    for queue in zset(keys, "ready").keys() {
        let any = records_of(keys, queue).into_iter().any(|(_, record)| live(record));
        ensure(any, || format!("I1: the index of queues with work has {queue}, which has none"))?;
    }
    Ok(())
}

/// I1, I4: an index of tasks by names that their records give, and its counts.
fn under(keys: &Keys, kind: &str, names: fn(&Record) -> Vec<&str>) -> Checked {
    for queue in QUEUES {
        let mut expected: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (id, record) in records_of(keys, queue) {
            names(record).into_iter().for_each(|name| expected.entry(name.into()).or_default().push(id.into()));
        }
        let prefix = format!("{kind}_{queue}/");
        let found = keys.keys().filter_map(|key| Some((key.strip_prefix(&prefix)?.to_owned(), zset(keys, key))));
        let found: BTreeMap<String, Vec<String>> =
            found.map(|(name, tasks)| (name, tasks.into_keys().collect())).collect();
        ensure(found == expected, || format!("I1: {kind}s of {queue}: {found:?}\n    the records say {expected:?}"))?;
        let counts = zset(keys, &format!("{kind}s_{queue}"));
        let fits = |(name, tasks): (&String, &Vec<String>)| {
            counts.get(name).is_some_and(|count| count.to_string() == tasks.len().to_string())
        };
        ensure(counts.len() == expected.len() && expected.iter().all(fits), || {
            format!("I4: {kind}s of {queue} are counted as {counts:?}\n    the records say {expected:?}")
        })?;
    }
    Ok(())
}
