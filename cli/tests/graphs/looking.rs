//! How tasks of graphs are looked at.

use crate::submitted;
use crate::world::World;

/// A chain of so many tasks that nobody takes; the first one waits for this other task, if there is one.
fn chain(world: &World, id: &str, tasks: usize, first: &str) {
    let needs = |n: usize| n.checked_sub(1).map_or(first.to_owned(), |n| format!("\"t{n}\""));
    let tasks: Vec<String> = (0..tasks).map(|n| format!("\"t{n}\": {{\"needs\": [{}]}}", needs(n))).collect();
    let text = format!("{{\"queue\": \"nobody\", \"tasks\": {{{}}}}}", tasks.join(","));
    submitted(world, &text, &["--id", id]);
}

#[test]
fn why_follows_a_chain_to_its_first_cause_and_says_where_it_stops() {
    let world = World::new();
    chain(&world, "long", 300, "");
    let why = |id: &str| {
        let (code, out, err) = world.outcome(&["why", id]);
        assert_eq!(code, 0, "{err}");
        out
    };
    let cause = "long.0 (t0) in the end. long.0: Its queue nobody has no listener: start a worker for it.\n";
    assert_eq!(why("long.299"), format!("It waits for long.298 (t298), which waits for {cause}"));
    assert_eq!(why("long.2"), format!("It waits for long.1 (t1), which waits for {cause}"));
    let first = cause.replace(" in the end", "");
    assert_eq!(why("long.1"), format!("It waits for {first}"));

    chain(&world, "far", 10_000, "{\"task\": \"long.299\"}");
    assert_eq!(why("far.9700"), format!("It waits for far.9699 (t9699), which waits for {cause}"));
    let stops = "which waits for others, 10,000 of them up to long.98 (t98). blueque why long.98 goes on from there.\n";
    assert_eq!(why("far.9999"), format!("It waits for far.9998 (t9998), {stops}"));
    assert_eq!(why("long.98"), format!("It waits for long.97 (t97), which waits for {cause}"));
}
