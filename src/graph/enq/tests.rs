//! Tests of documents of enq.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::*;

const SAVE: &str = r#"{"task_id":{"shard":"1","id":"save"},"method":"save-user-data",
  "args":[{"type":"VALUE","value_json":"{\"uid\": 1234}"}]}"#;

fn problem(enq: &Enq, text: &str) -> String {
    enq.read(text).unwrap_err().to_string()
}

/// Returns the steps of a document, one line for each.
fn read(text: &str) -> Vec<String> {
    let graph = Enq::new().read(text).unwrap();
    let parts = graph.parts.borrow();
    let shown = parts.steps.iter().map(|step| {
        let Input::List(arguments) = &step.input else { panic!("{step:?}") };
        let arguments: Vec<String> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Value(json) => json.clone(),
                Argument::Result(Upstream::Inside(upstream)) => format!("->{upstream}"),
                Argument::Result(Upstream::Outside(_)) | Argument::Optional(_) => panic!("{argument:?}"),
            })
            .collect();
        let method = step.options.0.get("method").unwrap();
        format!("{} {} {method} {}", step.label, step.queue, arguments.join(" "))
    });
    shown.collect()
}

#[test]
fn the_sample_documents_are_read() {
    let first = r#"[{"task_id":{"shard":"1","id":"mytask"},"method":"process-user-data",
        "args":[{"type":"VALUE","value_json":"eyJ1aWQiOjEyMzR9"}]}]"#;
    assert_eq!(read(first), [r#"1/mytask shard-1 process-user-data {"uid":1234}"#]);
    let third = format!(
        r#"[{SAVE}, {},
         {{"task_id":{{"shard":"1","id":"email"}},"method":"send-mail","args":[
           {{"type":"TASKREF","task_id":{{"shard":"1","id":"save"}}}},
           {{"type":"TASKREF","task_id":{{"shard":"2","id":"save"}}}}]}}]"#,
        SAVE.replace("\"1\"", "\"2\"")
    );
    let expected = [
        r#"1/save shard-1 save-user-data {"uid": 1234}"#,
        r#"2/save shard-2 save-user-data {"uid": 1234}"#,
        "1/email shard-1 send-mail ->0 ->1",
    ];
    assert_eq!(read(&third), expected);
    let plan = Enq::new().read(&third).unwrap().plan().unwrap();
    let ids = plan.ids(&crate::names::GraphId::new("g").unwrap()).unwrap();
    assert_eq!(ids.iter().map(crate::TaskId::as_str).collect::<Vec<_>>(), ["1:g.0", "2:g.1", "1:g.2"]);
}

#[test]
fn a_value_is_json_or_base64_of_json() {
    for (value, expected) in [
        ("eyJ1aWQiOjEyMzR9", Some(r#"{"uid":1234}"#)),
        (r#"{"uid": 1234}"#, Some(r#"{"uid": 1234}"#)),
        // These values are padded, unpadded, and in the alphabet of URLs.
        ("WzEsMl0=", Some("[1,2]")),
        ("WzEsMl0", Some("[1,2]")),
        ("Ij8/Pz4i", Some(r#""???>""#)),
        ("Ij8_Pz4i", Some(r#""???>""#)),
        ("IsOpw78i", Some("\"éÿ\"")),
        ("1234", Some("1234")),
        ("null", Some("null")),
        ("true", Some("true")),
        ("-0", Some("-0")),
        (" [1] ", Some("[1]")),
        ("1e400", Some("1e400")),
        ("", None),
        ("uid", None),
        ("{\"uid\": 1,}", None),
        ("/w==", None),
        ("eyJ1aWQiOjEyMzR9 ", None),
        ("eyJ1aWQi", None),
    ] {
        assert_eq!(json(value).as_deref(), expected, "{value}");
    }
}

#[test]
fn what_is_wrong_is_named_with_the_index_and_the_field() {
    let enq = Enq::new();
    let with =
        |fields: &str| problem(&enq, &format!("[{SAVE}, {{\"task_id\":{{\"shard\":\"1\",\"id\":\"t\"}},{fields}}}]"));
    let argument =
        |fields: &str| with(&format!(r#""method":"m","args":[{{"type":"VALUE","value_json":"1"}},{{{fields}}}]"#));
    let save = r#""task_id":{"shard":"1","id":"save"}"#;
    assert_eq!(problem(&enq, "[]"), "a graph needs at least one task");
    assert_eq!(problem(&enq, &format!("[{SAVE},\n]")), "not JSON: a comma before `]`, at line 2 column 60");
    let comma = SAVE.replace("\"}]}", "\"},\n ]}");
    assert_eq!(problem(&enq, &format!("[{comma}]")), "not JSON: a comma before `]`, at line 2 column 58");
    assert_eq!(problem(&enq, "{}"), "must be a list, not an object");
    assert_eq!(problem(&enq, "[1]"), "task 0: must be an object, not a number");
    assert_eq!(problem(&enq, "[{}]"), "task 0, task_id: missing");
    assert_eq!(problem(&enq, r#"[{"task_id":{"shard":"1"}}]"#), "task 0, task_id.id: missing");
    assert_eq!(problem(&enq, r#"[{"task_id":{"shard":"","id":"a"}}]"#), "task 0, task_id.shard: must not be empty");
    let twice = format!("[{SAVE},{SAVE}]");
    assert_eq!(problem(&enq, &twice), "task 1, task_id: task 0 has the same shard and id: 1/save");
    assert_eq!(with(r#""args":[]"#), "task 1, method: missing");
    assert_eq!(with(r#""method":"","args":[]"#), format!("task 1 \"1/t\", method: {}", names::PLAIN));
    assert!(with(r#""method":"m","arg":[]"#).starts_with("task 1, arg: unknown field \"arg\": there are task_id,"));
    assert_eq!(with(r#""method":"m","max_retries":-1"#), "task 1, max_retries: must be a whole number");
    assert_eq!(with(r#""method":"m","deadline":"9""#), "task 1, deadline: must be a number: seconds since 1970");
    assert_eq!(with(r#""method":"m","lost_delay":-1"#), "task 1, lost_delay: must be a number of seconds");
    for (fields, expected) in [
        (r#""type":"taskref","#.to_owned() + save, "args[1].type: must be VALUE or TASKREF, not \"taskref\""),
        (r#""value_json":"1""#.to_owned(), "args[1].type: missing"),
        (r#""type":"VALUE","value_json":"1","#.to_owned() + save, "args[1]: a VALUE has `value_json` and no `task_id`"),
        (r#""type":"VALUE""#.to_owned(), "args[1]: a VALUE has `value_json` and no `task_id`"),
        (r#""type":"TASKREF""#.to_owned(), "args[1]: a TASKREF has `task_id` and no `value_json`"),
        (r#""type":"VALUE","value_json":{"uid":1}"#.to_owned(), "args[1].value_json: must be text, not an object"),
        (
            r#""type":"VALUE","value_json":"{\"uid\": 1,}""#.to_owned(),
            "args[1].value_json: must be JSON as text, or base64 of it (standard or URL-safe)",
        ),
        (
            r#""type":"TASKREF","task_id":{"shard":"2","id":"save"}"#.to_owned(),
            "args[1].task_id: no task of the document is 2/save",
        ),
    ] {
        assert_eq!(argument(&fields), format!("task 1, {expected}"));
    }
    let itself = argument(r#""type":"TASKREF","task_id":{"shard":"1","id":"t"}"#);
    assert_eq!(itself, "task 1 \"1/t\", args[1]: the task waits for itself");
    let cycle = r#"[
        {"task_id":{"shard":"1","id":"a"},"method":"m","args":[{"type":"TASKREF","task_id":{"shard":"2","id":"b"}}]},
        {"task_id":{"shard":"2","id":"b"},"method":"m","args":[{"type":"TASKREF","task_id":{"shard":"1","id":"a"}}]}]"#;
    assert_eq!(problem(&enq, cycle), "task 0 \"1/a\": these tasks wait for one another: 1/a -> 2/b -> 1/a");
}

#[test]
fn shards_are_queues() {
    let own = Enq::new().shard("1", QueueName::new("video").unwrap()).shard("x y", QueueName::new("mail").unwrap());
    assert_eq!(own.read(&format!("[{SAVE}]")).unwrap().parts.borrow().steps[0].queue, "video");
    let other = SAVE.replace("\"1\"", "\"2\"");
    let unknown = problem(&own, &format!("[{SAVE},{other}]"));
    assert_eq!(unknown, "task 1, task_id.shard: unknown shard \"2\": there are 1, x y");
    let odd = problem(&Enq::new(), &format!("[{}]", SAVE.replace("\"1\"", "\"a b\"")));
    assert!(odd.starts_with("task 0, task_id.shard: ") && odd.contains("must be 1 to 128"), "{odd}");
}

#[test]
fn a_second_reference_is_refused_only_if_strict() {
    let reference = r#"{"type":"TASKREF","task_id":{"shard":"1","id":"save"}}"#;
    let task = |id: &str| format!(r#"{{"task_id":{{"shard":"1","id":"{id}"}},"method":"m","args":[{reference}]}}"#);
    let document = format!("[{},{SAVE},{}]", task("a"), task("b"));
    assert_eq!(Enq::new().read(&document).unwrap().len(), 3);
    let refused = problem(&Enq::new().strict(true), &document);
    assert!(refused.starts_with("task 2, args[0].task_id: a second reference to this task"), "{refused}");
}
