use crate::Desk;

#[test]
fn an_operator_stops_queues_though_memory_is_full_and_what_is_refused_says_what_to_do() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    desk.ok(&["schedule", "add", "s", "q", "--every", "1h"]);
    let _task = desk.take("q");
    let full = |bytes: &str| {
        redis::cmd("CONFIG").arg("SET").arg("maxmemory").arg(bytes).exec(&mut desk.server.connection()).unwrap();
    };
    full("1");
    desk.ok(&["queue", "pause", "q"]);
    desk.ok(&["config", "set", "closed=1", "--queue", "q"]);
    desk.ok(&["schedule", "pause", "s"]);
    desk.ok(&["drain", "q", "host_1"]);
    let said = desk.refused(1, &["submit", "other"]);
    assert!(said.contains("OOM") && said.contains("Raise maxmemory, or make room"), "{said}");
    full("0");
    assert!(desk.json(&["queue", "ls"])[0]["paused"].is_object());
    let said = desk.run(&["submit", "q"]).err;
    assert!(said.contains("CLOSED"), "{said}");
}
