//! The `OpenAPI` 3.1 document of the API, made from the contract.
#![allow(clippy::needless_pass_by_value, reason = "parts of a document that are built where they are passed")]

use std::collections::BTreeSet;
use std::sync::LazyLock;

use axum::extract::State;
use axum::response::Response;
use blueque::contract::commands::{Argument, Field, Reply, type_of};
use serde_json::{Map, Value, json};

use super::offered::Offered;
use crate::site::Site;

/// The parts of the document that do not depend on the site.
static COMMANDS: LazyLock<Vec<(Offered, Value)>> =
    LazyLock::new(|| Offered::all().map(|one| (one, operation(one))).collect());

pub(super) async fn serve(State(site): State<Site>) -> Response {
    super::answer(document(&site).to_string())
}

fn document(site: &Site) -> Value {
    let places: Vec<&str> = site.places().iter().map(crate::place::Place::name).collect();
    let mut paths = Map::new();
    for (offered, operation) in COMMANDS.iter() {
        let method = if offered.reads() { "get" } else { "post" };
        let place = json!({"$ref": "#/components/parameters/place"});
        paths.insert(format!("/{{place}}/{}", offered.name), json!({"parameters": [place], (method): operation}));
    }
    paths.insert("/".to_owned(), json!({"get": plain("places", "Returns the places, the user, and the version.", json!({
        "type": "object",
        "required": ["version", "user", "role", "places"],
        "properties": {
            "version": {"type": "string"},
            "user": {"type": "string"},
            "role": {"enum": ["viewer", "operator", "admin"]},
            "places": {"type": "array", "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}},
        },
    }))}));
    paths.insert(
        "/openapi.json".to_owned(),
        json!({"get": plain("document", "Returns this document.", json!({"type": "object"}))}),
    );
    paths.insert("/events".to_owned(), json!({"get": stream(&places)}));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Blueque",
            "version": blueque::bundle::VERSION,
            "description": "Watch, understand and steer very long tasks. Every command of Blueque's contract that changes \
                            or reads tasks, queues, graphs, schedules and workers. A payload is the JSON of the program; \
                            a payload that is no JSON has the name NAME_text, and bytes that are no text NAME_base64.",
        },
        "servers": [{"url": format!("{}/api/v1", site.base())}],
        "security": [{"token": []}, {}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "A token of `blueque web token add`."}},
            "parameters": {
                "place": {
                    "name": "place", "in": "path", "required": true, "schema": {"enum": places},
                    "description": "The server and namespace.",
                },
                "key": {
                    "name": "Idempotency-Key", "in": "header", "schema": {"type": "string", "pattern": "^[A-Za-z0-9._:@-]{1,128}$"},
                    "description": "Within an hour a repeated call with the same key returns the first reply and changes \
                                    nothing. It is the `request` of the command.",
                },
            },
            "schemas": {"Problem": {
                "type": "object",
                "required": ["code", "text", "remedy"],
                "properties": {
                    "code": {"type": "string", "description": "A stable code."},
                    "text": {"type": "string", "description": "What is wrong, for people."},
                    "remedy": {"type": "string", "description": "What to do."},
                },
            }},
            "responses": {"Problem": {
                "description": "The call was refused, and changed nothing.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
            }},
        },
    })
}

fn plain(name: &str, summary: &str, schema: Value) -> Value {
    json!({"operationId": name, "summary": summary, "responses": responses(&[200, 401, 403], schema)})
}

fn stream(places: &[&str]) -> Value {
    let query = |name: &str, required: bool, schema: Value, means: &str| json!({"name": name, "in": "query", "required": required, "schema": schema, "description": means});
    let mut responses = errors(&[400, 401, 403, 404, 503]);
    responses.insert("200".to_owned(), json!({
        "description": "Server-sent events: `transition` with the JSON of an item of the command `events` and its `queue`, \
                        `missed` if events before were trimmed, and `server` with an error while the server is away, or null.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }));
    json!({
        "operationId": "follow",
        "summary": "Streams the events of queues. The id of an event is a cursor, with which a client continues.",
        "parameters": [
            query("place", places.len() > 1, json!({"enum": places}), "The place."),
            query("queue", true, json!({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 16}), "The queues."),
            query("after", false, json!({"type": "string"}), "The id of the last event. Default: the present."),
            {"name": "Last-Event-ID", "in": "header", "schema": {"type": "string"}, "description": "Like `after`: browsers send it."},
        ],
        "responses": responses,
    })
}

fn errors(codes: &[u16]) -> Map<String, Value> {
    let problem = json!({"$ref": "#/components/responses/Problem"});
    codes.iter().map(|code| (code.to_string(), problem.clone())).collect()
}

fn responses(codes: &[u16], schema: Value) -> Value {
    let mut all = errors(codes.get(1..).unwrap_or_default());
    all.insert("200".to_owned(), json!({"description": "Done.", "content": {"application/json": {"schema": schema}}}));
    Value::Object(all)
}

/// Sets a property of an object.
fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(name.to_owned(), value);
    }
}

fn operation(offered: Offered) -> Value {
    let command = offered.command;
    let mut codes: BTreeSet<u16> = [400, 401, 403, 404, 503].into();
    codes.insert(409);
    if !offered.reads() {
        codes.extend([413, 415]);
    }
    if command.errors.iter().any(|code| code == "TOOBIG") {
        codes.insert(413);
    }
    let codes: Vec<u16> = [200].into_iter().chain(codes).collect();
    let mut made = json!({
        "operationId": offered.name,
        "summary": command.summary,
        "description": format!("Needs the role {}. Reply: {}.", offered.role, command.reply_text.trim_end_matches('.')),
        "responses": responses(&codes, reply(command)),
        "x-errors": command.errors,
    });
    if offered.reads()
        && let Some(Value::Object(responses)) = made.get_mut("responses")
    {
        for code in ["414", "431"] {
            responses.insert(code.to_owned(), json!({"description": "The query is too long."}));
        }
    }
    let group = command.group.as_ref();
    let given: Vec<(&Argument, bool)> = offered
        .args()
        .map(|argument| (argument, !Offered::may_miss(argument)))
        .chain(offered.options().map(|option| (option, false)))
        .collect();
    if offered.reads() {
        let mut parameters: Vec<Value> = given.iter().map(|(argument, needed)| {
            json!({"name": argument.name, "in": "query", "required": needed, "schema": schema(offered, argument), "description": argument.means})
        }).collect();
        parameters.extend(group.map(|group| {
            let entries = entries(offered, &group.args, &group.name());
            json!({"name": group.name(), "in": "query", "required": true, "schema": entries})
        }));
        set(&mut made, "parameters", parameters.into());
    } else {
        let mut properties = Map::new();
        let mut needed: Vec<String> = Vec::new();
        for (argument, is_needed) in &given {
            add(&mut properties, offered, argument);
            needed.extend(is_needed.then(|| argument.name.clone()));
        }
        if let Some(group) = group {
            properties.insert(group.name(), entries(offered, &group.args, &group.name()));
            needed.push(group.name());
        }
        let body = json!({"required": true, "content": {"application/json": {"schema": object(properties, needed)}}});
        set(&mut made, "requestBody", body);
        if command.request {
            set(&mut made, "parameters", json!([{"$ref": "#/components/parameters/key"}]));
        }
    }
    made
}

fn object(properties: Map<String, Value>, mut needed: Vec<String>) -> Value {
    // A payload may have its other name.
    let alternatives: Vec<Value> = needed
        .iter()
        .filter(|name| properties.contains_key(&format!("{name}_base64")))
        .map(|name| json!({"oneOf": [{"required": [name]}, {"required": [format!("{name}_base64")]}]}))
        .collect();
    needed.retain(|name| !properties.contains_key(&format!("{name}_base64")));
    let mut object =
        json!({"type": "object", "properties": properties, "required": needed, "additionalProperties": false});
    if !alternatives.is_empty() {
        set(&mut object, "allOf", alternatives.into());
    }
    object
}

fn add(properties: &mut Map<String, Value>, offered: Offered, argument: &Argument) {
    properties.insert(argument.name.clone(), schema(offered, argument));
    if type_of(&argument.of).is_some_and(|of| of.form == "bytes") {
        let encoded = json!({"type": "string", "contentEncoding": "base64", "description": "The same as base64."});
        properties.insert(format!("{}_base64", argument.name), encoded);
    }
}

fn entries(offered: Offered, args: &[Argument], name: &str) -> Value {
    let entry = if let [only] = args {
        schema(offered, only)
    } else {
        let mut properties = Map::new();
        for argument in args {
            add(&mut properties, offered, argument);
        }
        let needed = args.iter().filter(|argument| !Offered::may_miss(argument));
        object(properties, needed.map(|argument| argument.name.clone()).collect())
    };
    let low = i64::from(offered.name != "schedule");
    json!({"type": "array", "items": entry, "minItems": low, "maxItems": offered.most(name)})
}

/// Types that are names, and their patterns. A test compares them with the examples of the contract.
const PATTERNS: [(&str, &str); 15] = [
    ("cursor", "^(0|[1-9][0-9]{0,15})$"),
    ("entry", "^(0|[0-9]{1,19}-[0-9]{1,19})$"),
    ("graph", NAME),
    ("host", "^[A-Za-z0-9.:-]{1,190}$"),
    ("list_cursor", "^(0|[1-9][0-9]{0,15})$"),
    ("listener", "^[A-Za-z0-9.:-]{1,190}_[0-9]{1,9}$"),
    ("name", NAME),
    ("names", "^[A-Za-z0-9._:@-]{1,128}(,[A-Za-z0-9._:@-]{1,128}){0,99}$"),
    ("partition", "^[A-Za-z0-9._-]{1,32}$"),
    ("queue", NAME),
    ("queue_or_all", "^([A-Za-z0-9._:@-]{1,128}|[*])$"),
    ("schedule_name", "^[A-Za-z0-9._:@-]{1,100}$"),
    ("steps", "^[A-Za-z0-9._:@-]{1,128}(,[A-Za-z0-9._:@-]{1,128}){0,99}$"),
    ("tags", "^[A-Za-z0-9._:@-]{1,128}(,[A-Za-z0-9._:@-]{1,128}){0,15}$"),
    ("task", NAME),
];

const NAME: &str = "^[A-Za-z0-9._:@-]{1,128}$";

fn pattern(of: &str) -> Option<&'static str> {
    PATTERNS.iter().find(|(name, _)| *name == of).map(|(_, pattern)| *pattern)
}

/// The schema of an argument.
fn schema(offered: Offered, argument: &Argument) -> Value {
    let Some(of) = type_of(&argument.of) else { return json!({}) };
    let most = offered.most(&argument.name);
    let mut schema = match of.form.as_str() {
        "bytes" if ["payload", "stored"].contains(&argument.of.as_str()) && argument.name != "error" => json!({}),
        "flag" => json!({"type": "boolean"}),
        "whole" => json!({"type": "integer", "minimum": of.low, "maximum": most}),
        "seconds" | "decimal" => json!({"type": "number", "minimum": of.low, "maximum": of.high}),
        "word" => json!({"type": "string", "enum": of.words}),
        "words" => json!({"type": "string", "pattern": format!("^({0})(,({0}))*$", of.words.join("|"))}),
        _ if pattern(&argument.of).is_some() => json!({"type": "string", "pattern": pattern(&argument.of)}),
        _ => json!({"type": "string", "maxLength": most}),
    };
    if let Some(schema) = schema.as_object_mut() {
        schema.retain(|_, value| !value.is_null());
        let unit = of.unit.as_ref().map(|unit| format!(" In {unit}.")).unwrap_or_default();
        let text = format!("{} {}{unit}", argument.means, of.means);
        schema.insert("description".to_owned(), text.trim().into());
        if let Some(default) = &argument.default {
            schema.insert("x-default".to_owned(), default.as_str().into());
        }
        if schema.get("type") == Some(&"string".into())
            && let Some(example) = of.example().filter(|example| !example.is_empty())
        {
            schema.insert("examples".to_owned(), json!([example]));
        }
    }
    schema
}

/// The schema of a reply.
fn reply(command: &blueque::contract::commands::Command) -> Value {
    if command.reply.with.is_empty() {
        return shape(&command.reply);
    }
    let all: Vec<Value> = std::iter::once(&command.reply).chain(command.reply.with.values()).map(shape).collect();
    json!({"anyOf": all})
}

fn shape(reply: &Reply) -> Value {
    if !reply.words.is_empty() {
        return json!({"type": "object", "required": ["outcome"], "properties": {"outcome": {"enum": reply.words}}});
    }
    if let Some(field) = &reply.value {
        return fields(std::slice::from_ref(field), false);
    }
    if !reply.pairs.is_empty() {
        let pairs = fields(&reply.pairs, reply.absent || reply.begins.is_some());
        return if reply.begins.is_some() { items(json!({"type": "object"}), pairs) } else { pairs };
    }
    let list = fields(&reply.list, false);
    if reply.items.is_empty() { list } else { items(list, fields(&reply.items, false)) }
}

fn items(mut list: Value, item: Value) -> Value {
    let items = json!({"type": "array", "items": item});
    match list.get_mut("properties") {
        Some(properties) => set(properties, "items", items),
        None => set(&mut list, "properties", json!({"items": items})),
    }
    list
}

fn fields(fields: &[Field], absent: bool) -> Value {
    let mut properties = Map::new();
    let mut needed = Vec::new();
    for field in fields.iter().filter(|field| !field.name.ends_with('*')) {
        let form = field.of.as_deref().and_then(type_of).map(|of| of.form.as_str()).unwrap_or_default();
        let mut kinds: Vec<&str> = match form {
            "flag" => vec!["boolean", "string"],
            "whole" | "seconds" | "decimal" => vec!["number", "string"],
            "bytes" => vec![],
            _ => vec!["string"],
        };
        if !kinds.is_empty() && (field.empty || field.nil) {
            kinds.push("null");
        }
        let mut schema = json!({"description": field.means});
        if !kinds.is_empty() {
            set(&mut schema, "type", json!(kinds));
        }
        properties.insert(field.name.clone(), schema);
        // Bytes may have another name.
        if !absent && !field.absent && form != "bytes" {
            needed.push(field.name.clone());
        }
    }
    json!({"type": "object", "properties": properties, "required": needed})
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use std::process::Command;

    use serde_json::{Value, json};

    use super::PATTERNS;

    /// Python's `re` is the reader of patterns that every machine of a developer has.
    const CHECK: &str = "import json,re,sys\n\
        for pattern, good, bad in json.load(sys.stdin):\n    \
            wrong = [text for text in good if not re.fullmatch(pattern, text)] + [text for text in bad if re.fullmatch(pattern, text)]\n    \
            if wrong: print(pattern, wrong)\n";

    fn texts(of: &Value) -> Vec<String> {
        let text = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            value => Some(value["repeat"].as_str()?.repeat(usize::try_from(value["times"].as_u64()?).ok()?)),
        };
        of.as_array().into_iter().flatten().filter_map(text).collect()
    }

    #[test]
    fn patterns_fit_the_examples_of_the_contract() {
        use std::io::Write;
        let contract: Value = serde_json::from_str(blueque::bundle::contract()).unwrap();
        let cases = PATTERNS.map(|(name, pattern)| {
            let of = &contract["types"][name];
            assert!(of.is_object(), "{name}");
            let bad: Vec<String> =
                of["bad"].as_object().into_iter().flatten().flat_map(|(_, bad)| texts(bad)).collect();
            json!([pattern, texts(&of["good"]), bad])
        });
        let mut python = Command::new("python3");
        python.args(["-c", CHECK]).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut python = python.spawn().unwrap();
        python.stdin.take().unwrap().write_all(Value::from(cases.to_vec()).to_string().as_bytes()).unwrap();
        let said = python.wait_with_output().unwrap();
        assert!(said.status.success() && said.stdout.is_empty(), "{}", String::from_utf8_lossy(&said.stdout));
    }
}
