//! Calls of the API: a command by its name, with JSON.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::Response;
use blueque::calls::by_name::Values;
use blueque::contract::commands::{Argument, type_of};
use percent_encoding::percent_decode_str;
use serde_json::value::RawValue;

use super::offered::Offered;
use super::problem::Problem;
use crate::actor::{Actor, Role};
use crate::site::Site;

/// `GET`: the arguments are in the query.
pub(super) async fn read(
    State(site): State<Site>,
    Extension(actor): Extension<Actor>,
    Path((place, name)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let offered = offered(&name)?;
    if !offered.reads() {
        return Err(Problem::method(&Method::GET, false));
    }
    let values = of_query(offered, query.as_deref().unwrap_or_default())?;
    call(&site, &actor, &place, offered, values).await
}

/// `POST`: the arguments are a JSON object.
pub(super) async fn change(
    State(site): State<Site>,
    Extension(actor): Extension<Actor>,
    Path((place, name)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Problem> {
    let offered = offered(&name)?;
    if offered.reads() {
        return Err(Problem::method(&Method::POST, true));
    }
    let body = body.map_err(|error| match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::known(error.status(), "TOOBIG", "The body is over 12 MiB."),
        _ => Problem::wrong("The body cannot be read."),
    })?;
    let content = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if content.split(';').next().is_none_or(|kind| !kind.trim().eq_ignore_ascii_case("application/json")) {
        let text = "The body is not application/json.";
        let remedy = "Send `Content-Type: application/json` and a JSON object.";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "CONTENT", text, remedy));
    }
    if query.is_some_and(|query| !query.is_empty()) {
        return Err(Problem::wrong("The arguments of a change are in its body, not in the query."));
    }
    let mut values: Values = serde_json::from_slice(&body)
        .map_err(|error| Problem::wrong(format!("The body is not a JSON object: {error}")))?;
    if let Some(key) = headers.get("idempotency-key").filter(|_| offered.command.request) {
        let key = key
            .to_str()
            .map_err(|_| Problem::known(StatusCode::BAD_REQUEST, "BADNAME", "Idempotency-Key is not a name."))?;
        if values.insert("request".to_owned(), quoted(key)?).is_some() {
            return Err(Problem::wrong("Idempotency-Key and `request` are both given."));
        }
    }
    call(&site, &actor, &place, offered, values).await
}

/// Every other method.
pub(super) async fn other(method: Method, Path((_, name)): Path<(String, String)>) -> Problem {
    match offered(&name) {
        Ok(offered) => Problem::method(&method, offered.reads()),
        Err(problem) => problem,
    }
}

fn offered(name: &str) -> Result<Offered, Problem> {
    Offered::named(name).ok_or_else(|| {
        let remedy = "GET api/v1/openapi.json lists the commands.";
        Problem::new(StatusCode::NOT_FOUND, "NOCOMMAND", format!("The API has no command {name}."), remedy)
    })
}

async fn call(
    site: &Site,
    actor: &Actor,
    place: &str,
    offered: Offered,
    mut values: Values,
) -> Result<Response, Problem> {
    let place = site.place(place).ok_or_else(|| Problem::place(place))?;
    let role = if site.is_read_only() { Role::Viewer } else { actor.role };
    if role < offered.role {
        let text = format!("{} needs the role {}, and {} has the role {role}.", offered.name, offered.role, actor.name);
        let remedy = "Ask for a token with the role, or for the role: `blueque web user role NAME ROLE`.";
        return Err(Problem::new(StatusCode::FORBIDDEN, "FORBIDDEN", text, remedy));
    }
    bounded(offered, &mut values)?;
    let client = place.client().await?;
    let calls = client.calls().clone().by(&actor.name);
    let raw = client.call(&calls.by_name(offered.name, &values)?).await?;
    if raw.is_nil() {
        let code = if offered.name.contains("graph") {
            "NOGRAPH"
        } else if offered.name.contains("schedule") {
            "NOSCHEDULE"
        } else {
            "NOTASK"
        };
        return Err(Problem::known(StatusCode::NOT_FOUND, code, "There is nothing with this name."));
    }
    let json = offered.command.json(&raw, &values, &|payload| site.redacted(payload.to_vec()));
    json.map(super::answer).ok_or_else(|| {
        Problem::known(StatusCode::BAD_GATEWAY, "REPLY", "The server's reply does not match the contract.")
    })
}

/// Applies the bounds that are lower than the contract's.
fn bounded(offered: Offered, values: &mut Values) -> Result<(), Problem> {
    for name in ["group", "ids", "limit"] {
        let Some(most) = offered.most(name) else { continue };
        let length = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
        let number = match (name, values.get(name).map(|value| value.get())) {
            ("group", Some(value)) => serde_json::from_str::<String>(value).ok().map(|text| length(text.len())),
            ("ids", Some(value)) => serde_json::from_str::<Vec<&RawValue>>(value).ok().map(|ids| length(ids.len())),
            (_, Some(value)) => serde_json::from_str(value).ok(),
            ("limit", None) if offered.args().any(|argument| argument.name == name) => {
                values.insert(name.to_owned(), raw(&most.min(100).to_string())?);
                None
            }
            (_, None) => None,
        };
        if number.is_some_and(|number| number > most) {
            return Err(Problem::wrong(format!("{name} is over {most}.")));
        }
    }
    Ok(())
}

/// Reads the arguments in a query. The forms of their types decide whether they are numbers or texts.
fn of_query(offered: Offered, query: &str) -> Result<Values, Problem> {
    let group = offered.command.group.as_ref().map(blueque::contract::commands::Group::name).unwrap_or_default();
    let (mut values, mut entries) = (Values::new(), Vec::new());
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, value) = (decoded(name)?, decoded(value)?);
        let argument = offered.command.argument(&name);
        let value = argument.map_or_else(|| quoted(&value), |argument| of_text(argument, &value))?;
        if name == group {
            entries.push(value);
        } else if values.insert(name.clone(), value).is_some() {
            return Err(Problem::wrong(format!("{name} is given twice.")));
        }
    }
    if !entries.is_empty() {
        let entries: Vec<&str> = entries.iter().map(|entry| entry.get()).collect();
        values.insert(group, raw(&format!("[{}]", entries.join(",")))?);
    }
    Ok(values)
}

fn of_text(argument: &Argument, text: &str) -> Result<Box<RawValue>, Problem> {
    let form = type_of(&argument.of).map(|of| of.form.as_str()).unwrap_or_default();
    match form {
        "whole" | "seconds" | "decimal" => {
            serde_json::from_str::<serde_json::Number>(text)
                .map_err(|_| Problem::wrong(format!("{} is not a number.", argument.name)))?;
            raw(text)
        }
        "flag" if text == "true" || text == "false" => raw(text),
        "flag" => Err(Problem::wrong(format!("{} is not true or false.", argument.name))),
        _ => quoted(text),
    }
}

fn decoded(text: &str) -> Result<String, Problem> {
    let text = text.replace('+', " ");
    let decoded = percent_decode_str(&text).decode_utf8().map_err(|_| Problem::wrong("The query is not UTF-8."))?;
    Ok(decoded.into_owned())
}

fn quoted(text: &str) -> Result<Box<RawValue>, Problem> {
    raw(&serde_json::to_string(text).unwrap_or_default())
}

fn raw(json: &str) -> Result<Box<RawValue>, Problem> {
    RawValue::from_string(json.to_owned()).map_err(|_| Problem::wrong("A value is not JSON."))
}
