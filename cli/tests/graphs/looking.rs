//! Commands that show tasks of graphs.

use serde_json::Value;

use crate::submitted;
use crate::world::World;

/// A chain of `tasks` tasks that nobody takes. The first task waits for `first`, a name in JSON or an empty text.
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
    let cause = "long.0 (t0) in the end. long.0: Its queue nobody has no worker: start a worker for it.\n";
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

#[test]
fn find_and_ls_show_the_tasks_of_a_graph() {
    let world = World::new();
    let text = r#"{"queue": "q", "tags": ["night"], "tasks": {
        "cut": {}, "left": {"method": "encode", "needs": ["cut"]}, "right": {"queue": "r", "needs": ["cut"]}
    }}"#;
    submitted(&world, text, &["--id", "film"]);
    submitted(&world, text, &["--id", "other"]);
    world.run(&["cancel", "film.1"]);
    let ids = |args: &[&str]| {
        let (code, out, err) = world.outcome(&[args, &["--graph", "film", "-o", "id"]].concat());
        assert_eq!((code, err.as_str()), (0, ""), "{args:?}: {out}");
        out.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    // `find` lists the tasks in the order of the document, and `ls` in the order of the states.
    assert_eq!(ids(&["find"]), ["film.0", "film.1", "film.2"]);
    assert_eq!(ids(&["ls"]), ["film.0", "film.2", "film.1"]);
    for (args, found) in [
        (&["find", "r"][..], &["film.2"][..]),
        (&["find", "--status", "waiting,cancelled"], &["film.1", "film.2"]),
        (&["find", "--method", "encode", "--tag", "night"], &["film.1"]),
        (&["find", "--tag", "day"], &[]),
        (&["find", "--prefix", "film.0"], &["film.0"]),
        (&["find", "--to", "-1h"], &[]),
        (&["find", "--from", "-1h", "--key", "k"], &[]),
        (&["ls", "--status", "waiting"], &["film.2"]),
        (&["ls", "q", "--status", "waiting"], &[]),
    ] {
        assert_eq!(ids(args), found, "{args:?}");
    }
    let (_, out, err) = world.outcome(&["find", "--graph", "film", "--limit", "1", "-o", "json"]);
    let found: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((found.as_array().unwrap().len(), err.contains("--limit")), (1, true), "{err}");
    assert_eq!(
        (&found[0]["graph"], &found[0]["label"], &found[0]["cause"]),
        (&"film".into(), &"cut".into(), &Value::Null)
    );
    for command in ["find", "ls"] {
        let (code, _, err) = world.outcome(&[command, "--graph", "nosuch"]);
        assert_eq!((code, err.as_str()), (4, "blueque: there is no graph nosuch\n"));
    }
    assert_eq!(world.outcome(&["find", "--graph", "film", "--group", "x"]).0, 2);
}
