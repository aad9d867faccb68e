//! I9: a waiting task waits for upstreams that have not ended, or whose end is not delivered yet. The results that it
//! needs are kept.

use std::collections::BTreeSet;

use super::log::FINISHED;
use super::{Checked, Record, all_records, ensure, field, hash, list, number, records, zset};
use crate::model::keys::Keys;
use crate::model::state::outcome;

pub fn check(keys: &Keys) -> Checked {
    let (all, tasks) = (all_records(keys), records(keys));
    let deferred = zset(keys, "deferred");
    let outside = keys.keys().filter(|key| key.starts_with("outside_")).flat_map(|key| list(keys, key));
    let outside: BTreeSet<String> = outside.collect();
    for (id, record) in &tasks {
        let upstreams = hash(keys, &format!("upstreams_{id}"));
        let status = field(record, "status");
        inputs(keys, id, status, &upstreams)?;
        if status != "waiting" {
            let kept = upstreams.is_empty() || FINISHED.contains(&status);
            ensure(kept, || format!("I9: {id} is {status}, and waits for {upstreams:?}"))?;
            continue;
        }
        ensure(!upstreams.is_empty(), || format!("I9: {id} waits for nothing"))?;
        for up in upstreams.keys().filter(|up| !outside.contains(&format!("{up} {id}"))) {
            let since = zset(keys, &format!("dependents_{up}")).get(*id).copied().unwrap_or_default();
            ensure(since > 0.0, || format!("I9: {id} waits for {up}, which does not know it"))?;
            let other = all.get(up.as_str());
            let ended = other.is_none_or(|other| FINISHED.contains(&field(other, "status")));
            let graph = hash(keys, &format!("graph_{}", field(record, "graph")));
            let held = since.is_infinite() && field(&graph, "on_failure") == "hold";
            let missed = since.is_infinite() && upstreams[up].starts_with("some1");
            ensure(!ended || deferred.contains_key(up) || held || missed, || {
                format!("I9: {id} waits for {up}, which has ended")
            })?;
            let told = other.is_some_and(|other| field(other, "flags").contains('d')) || deferred.contains_key(up);
            ensure(told || missed, || format!("I9: {id} waits for {up}, which will not tell it"))?;
        }
        set(keys, id, record, &upstreams)?;
    }
    graphs(keys)
}

/// Checks a task that waits for some of several: the counts are right, and the tasks are neither enough nor too few.
fn set(keys: &Keys, id: &str, record: &Record, upstreams: &Record) -> Checked {
    if !field(record, "flags").contains('k') {
        return Ok(());
    }
    let inputs = hash(keys, &format!("inputs_{id}"));
    let [least, left, missed, owed] = ["least", "some", "missed", "owed"].map(|name| number(&inputs, name, 0));
    let marked =
        |text: &str| i64::try_from(upstreams.values().filter(|edge| edge.split('/').next() == Some(text)).count());
    let [plain, over, anew] = ["some", "some1", "some0"].map(|text| marked(text).unwrap());
    ensure((left, missed, owed) == (plain + over, over, anew), || {
        format!("I9: {id} counts wrong what it waits for: {inputs:?}, {upstreams:?}")
    })?;
    let others = upstreams.values().any(|edge| !edge.starts_with("some"));
    let told = |up: &String| {
        let since = zset(keys, &format!("dependents_{up}")).get(id).copied().unwrap_or_default();
        zset(keys, "deferred").contains_key(up) || since == f64::NEG_INFINITY
    };
    let open = others || anew > 0 || upstreams.keys().any(told);
    ensure(least > 0 || open, || format!("I9: {id} has enough, and waits: {inputs:?}"))?;
    let graph = hash(keys, &format!("graph_{}", field(record, "graph")));
    let holds = field(&graph, "on_failure") == "hold";
    let runs = |up: &String| {
        let status = hash(keys, &format!("task_{up}")).remove("status");
        status.is_some_and(|status| !FINISHED.contains(&status.as_str()))
    };
    let again = upstreams.iter().any(|(up, edge)| edge.starts_with("some1") && runs(up));
    ensure(least <= left - missed + owed || open || holds || again, || format!("I9: {id} waits in vain: {inputs:?}"))
}

/// Checks the known part of the input of a task. A task that is ready has nothing but its parameters.
fn inputs(keys: &Keys, id: &str, status: &str, upstreams: &Record) -> Checked {
    let inputs = hash(keys, &format!("inputs_{id}"));
    let open: BTreeSet<&str> =
        upstreams.values().filter_map(|edge| edge.split_once('/')).flat_map(|(_, slots)| slots.split(',')).collect();
    if inputs.is_empty() {
        return ensure(open.is_empty(), || format!("I9: {id} waits for results, and has no place for them"));
    }
    let kept = status == "waiting" || FINISHED.contains(&status);
    ensure(kept, || format!("I9: {id} is {status}, and its input is not joined: {inputs:?}"))?;
    let filled = |(name, _): &(&String, &String)| name.parse::<usize>().is_ok();
    let bytes: usize = inputs.iter().filter(filled).map(|(_, text)| text.len()).sum();
    ensure(number(&inputs, "bytes", 0).to_string() == bytes.to_string(), || {
        format!("I9: the input of {id} has {bytes} bytes: {inputs:?}")
    })?;
    ensure(open.iter().all(|slot| !inputs.contains_key(*slot)), || {
        format!("I9: {id} waits for what it has: {inputs:?}")
    })
}

/// I4: the counts of graphs.
fn graphs(keys: &Keys) -> Checked {
    let (all, tasks) = (all_records(keys), records(keys));
    for graph in keys.keys().filter_map(|key| key.strip_prefix("graph_")) {
        let record = hash(keys, &format!("graph_{graph}"));
        let of = |found: &&Record| field(found, "graph") == graph;
        let counts = |name: &str, expected: usize| {
            ensure(number(&record, name, 0).to_string() == expected.to_string(), || {
                format!("I4: {graph} has {expected} {name}: {record:?}")
            })
        };
        for status in FINISHED.into_iter().chain(["skipped"]) {
            counts(
                status,
                tasks
                    .values()
                    .copied()
                    .filter(of)
                    .filter(|task| outcome(field(task, "status"), field(task, "flags")) == status)
                    .count(),
            )?;
        }
        let there = all.values().copied().filter(of).count();
        counts(if field(&record, "state") == "created" { "left" } else { "staged" }, there)?;
    }
    Ok(())
}
