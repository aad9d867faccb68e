use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::support::Server;
use crate::{Desk, Left, left};

/// A wrong node or a refused connection is recognised within this time.
const SOON: Duration = Duration::from_millis(500);

fn sound() -> Desk {
    Desk::on(Server::start_with(&["--appendonly", "yes"]))
}

fn plant(server: &Server, words: &[&str]) {
    redis::cmd(words[0]).arg(&words[1..]).exec(&mut server.connection()).unwrap();
}

fn findings(out: &str) -> Vec<&str> {
    out.lines().filter(|line| line.starts_with("FINDING")).collect()
}

/// The fastest of three runs: this machine may be busy.
fn timed(desk: &Desk, args: &[&str]) -> (Duration, Left) {
    let run = |_| {
        let begun = Instant::now();
        let left = desk.run(args);
        (begun.elapsed(), left)
    };
    (0..3).map(run).min_by_key(|(took, _)| *took).unwrap()
}

#[test]
fn ping_says_what_an_address_leads_to() {
    let desk = sound();
    let out = desk.ok(&["ping"]);
    for said in
        ["answers in ", "appendonly, appendfsync everysec", "noeviction", "master, without replicas", "every command"]
    {
        assert!(out.contains(said), "{said}: {out}");
    }
    let json = desk.json(&["ping"]);
    let server = &json["server"];
    assert_eq!((&server["role"], &server["cluster"]), (&Value::from("master"), &Value::from(false)), "{json}");
    assert_eq!((&server["appendonly"], &server["appendfsync"]), (&Value::from(true), &Value::from("everysec")));
    assert_eq!((&server["maxmemory_policy"], &server["replicas"]), (&Value::from("noeviction"), &Value::from(0)));
    assert!(server["round_trip_ms"].as_f64().unwrap() < 1_000.0, "{json}");
    assert!(["Redis", "Valkey"].iter().any(|name| server["software"] == **name), "{json}");
    assert_eq!(json["address"], desk.server.url());
    assert_eq!(desk.ok(&["ping", &desk.server.url(), "-o", "id"]).trim(), desk.server.url());
    desk.refused(2, &["ping", "redis://h", "--url", "redis://h"]);
    let secret = desk.refused(2, &["ping", "redis://:s3cret@h"]);
    assert!(secret.contains("BLUEQUE_PASSWORD") && !secret.contains("s3cret"), "{secret}");
}

#[test]
fn ping_names_what_is_missing_and_what_to_do() {
    let desk = sound();
    plant(&desk.server, &["CONFIG", "SET", "maxmemory-policy", "allkeys-lru"]);
    let evicts = desk.run(&["ping"]);
    assert_eq!(evicts.code, 1, "{}", evicts.out);
    let said = findings(&evicts.out);
    assert!(
        said.iter()
            .any(|line| line.contains("maxmemory-policy is allkeys-lru, which removes tasks silently: CONFIG SET")),
        "{said:?}"
    );
    plant(&desk.server, &["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
    plant(&desk.server, &["ACL", "SETUSER", "app", "on", ">pw", "~*", "&*", "+@all", "-xtrim", "-zadd"]);
    let mut command = desk.command(&["ping"]);
    command.env("BLUEQUE_URL", format!("{}?user=app", desk.server.url())).env("BLUEQUE_PASSWORD", "pw");
    let left = left(command.output().unwrap());
    let said = findings(&left.out);
    assert_eq!((left.code, said.len()), (1, 2), "{}", left.out);
    assert!(said.iter().any(|line| line.contains("may not run ZADD") && line.contains("+zadd")), "{said:?}");
}

#[test]
fn a_replica_a_wrong_node_and_a_refused_connection_are_recognised_within_half_a_second() {
    let (_master, port) = Server::start_at_port(&[]);
    let (_replica, other) = Server::start_replica(&port);
    let url = format!("redis://127.0.0.1:{other}/");
    let desk = sound();
    let (took, left) = timed(&desk, &["ping", &url]);
    assert!(took < SOON, "{took:?}");
    let said = format!("a replica, which refuses to write: connect to its master, 127.0.0.1:{port}, or");
    assert!(left.code == 1 && left.out.contains(&said), "{}", left.out);
    let (took, left) = timed(&desk, &["submit", "q", "--url", &url]);
    assert!(took < SOON, "{took:?}");
    assert!(left.code == 1 && left.err.contains("it is a replica: connect to its master"), "{}", left.err);
    let (took, left) = timed(&desk, &["ping", &format!("redis://127.0.0.1:1,127.0.0.1:{other}/")]);
    assert!(took < SOON, "{took:?}");
    assert!(left.code == 3 && left.out.contains("is a replica, and passed over"), "{}", left.out);
    assert!(left.out.contains("127.0.0.1:1: the connection is refused: start it, or leave it out"), "{}", left.out);
    for command in [&["ping"][..], &["ls"], &["submit", "q"], &["doctor"]] {
        let (took, left) = timed(&desk, &[command, &["--url", "redis://127.0.0.1:1/"]].concat());
        assert!(took < SOON, "{command:?}: {took:?}");
        assert!(
            left.code == 3 && (left.err + &left.out).contains("the connection is refused; start it"),
            "{command:?}"
        );
    }
}

#[test]
fn a_node_of_a_cluster_that_does_not_hold_the_namespace_is_recognised_within_half_a_second() {
    let (_nodes, ports) = Server::start_cluster();
    let desk = sound();
    let all: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
    let whole = desk.run(&["ping", "--namespace", "{bq}", &format!("redis+cluster://{}/", all.join(","))]).out;
    let line = whole.lines().find_map(|line| line.strip_suffix(" is the node that holds the namespace")).unwrap();
    let holder = line.rsplit(' ').next().unwrap();
    for port in &ports {
        let url = format!("redis://127.0.0.1:{port}/");
        let (took, left) = timed(&desk, &["submit", "q", "--namespace", "{bq}", "--url", &url]);
        assert!(took < SOON, "{took:?}");
        if url.contains(holder) {
            assert_eq!(left.code, 0, "{}", left.err);
        } else {
            let said = format!("does not hold the namespace {{bq}}: use --url redis+cluster://{holder}/");
            assert!(left.code == 2 && left.err.contains(&said), "{}", left.err);
        }
        let (took, left) = timed(&desk, &["ping", "--namespace", "{bq}", &url]);
        assert!(took < SOON, "{took:?}");
        assert_eq!(
            left.out.contains(&format!("use --url redis+cluster://{holder}/")),
            !url.contains(holder),
            "{}",
            left.out
        );
        // As the address of a cluster, each of the two ports leads to the right node.
        let url = format!("redis+cluster://127.0.0.1:{port}/");
        let (took, left) = timed(&desk, &["submit", "q", "--namespace", "{bq}", "--url", &url]);
        assert!(took < SOON && left.code == 0, "{took:?} {}", left.err);
    }
}

#[test]
fn a_server_that_hangs_is_given_up_within_the_limit() {
    let (server, port) = Server::start_at_port(&["--requirepass", "pw"]);
    let (url, desk) = (format!("redis://127.0.0.1:{port}/"), sound());
    kill(Pid::from_raw(server.pid().cast_signed()), Signal::SIGSTOP).unwrap();
    let begun = Instant::now();
    let mut command = desk.command(&["ping", "--timeout", "1s"]);
    let left = left(command.env("BLUEQUE_URL", format!("{url}3")).env("BLUEQUE_PASSWORD", "pw").output().unwrap());
    let took = begun.elapsed();
    assert!(left.code == 3 && left.out.contains("it does not answer in time"), "{}{}", left.out, left.err);
    assert!(took < Duration::from_millis(2_500), "{took:?}");
    let begun = Instant::now();
    let ls = desk.command(&["ls", "--url", &url]).stdout(Stdio::null()).output().unwrap();
    assert!(!ls.status.success() && begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
}

#[test]
fn a_change_that_is_not_yet_as_durable_as_it_should_be_is_said_and_made() {
    let desk = sound();
    let left = desk.run(&["submit", "q", "--id", "a", "--durability", "replica:2"]);
    assert_eq!((left.code, left.out.as_str()), (6, ""), "{}", left.err);
    assert!(left.err.contains("a was submitted: the same command with --id a asks again"), "{}", left.err);
    assert!(left.err.contains("accepted, not yet on 2 replicas: 0 confirmed it"), "{}", left.err);
    let list = desk.command(&["ls", "-o", "id"]).env("BLUEQUE_DURABILITY", "replica:2").output().unwrap();
    assert_eq!(String::from_utf8(list.stdout).unwrap(), "a\n", "what only reads does not wait");
    desk.ok(&["cancel", "a", "--durability", "local"]);
    desk.refused(2, &["submit", "q", "--durability", "disk"]);
    desk.refused(2, &["doctor", "--durability", "fsync"]);
    let wrong = desk.command(&["cancel", "a"]).env("BLUEQUE_DURABILITY", "disk").output().unwrap();
    let said = String::from_utf8(wrong.stderr).unwrap();
    assert!(said.contains("BLUEQUE_DURABILITY must be local, fsync, or replica:1"), "{said}");
}
