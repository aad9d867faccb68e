//! The cases in a namespace with a tag.

use serde_json::{Value, json};

use crate::cases::{Case, list};

pub const NAMESPACE: &str = "{ns}";

/// The commands of the server that concern one server alone: its users, settings and log; and its order of a large
/// key, in scripts of cases.
const ALONE: [&str; 4] = ["AUTH", "ACL", "CONFIG", "SLOWLOG"];
const ORDER: &str = "SCAN'";

/// The case in the namespace with the tag.
pub fn tagged(case: &Case) -> Case {
    let mut data = case.data.clone();
    data["server"] = json!("cluster");
    for step in data["steps"].as_array_mut().unwrap() {
        for words in ["redis", "keys"] {
            step[words].as_array_mut().into_iter().flatten().for_each(tag);
        }
    }
    if let Some(keys) = data["keys"].as_object_mut() {
        *keys = std::mem::take(keys).into_iter().map(|(name, want)| (with_tag(&name), want)).collect();
    }
    Case { file: case.file.clone(), data }
}

fn tag(word: &mut Value) {
    if let Value::String(text) = word {
        *text = with_tag(text);
    }
}

/// A text with the tag in the names of keys: at its beginning, and in quotes, as in a script.
fn with_tag(text: &str) -> String {
    let within = text.replace("'ns_", &format!("'{NAMESPACE}_"));
    within.strip_prefix("ns_").map_or(within.clone(), |name| format!("{NAMESPACE}_{name}"))
}

/// The reason why a case cannot be played in the namespace with the tag.
pub fn unfit(case: &Case) -> Option<&'static str> {
    let own = |step: &Value| step["keys"].is_null() || !step["error"].is_null() || step["keys"] == json!(["ns_meta"]);
    if case.on_cluster() {
        Some("with a second node of their own")
    } else if is_about_one_server(case) {
        Some("about the users, settings, log or order of one server")
    } else if !case.steps().iter().all(own) {
        Some("with another namespace")
    } else {
        None
    }
}

pub fn is_about_one_server(case: &Case) -> bool {
    let alone = |word: &Value| word.as_str().is_some_and(|word| ALONE.contains(&word) || word.contains(ORDER));
    case.steps().iter().any(|step| list(&step["redis"]).iter().take(2).any(alone))
}
