//! The HTTP API: every command of the contract that a page may use, at `/api/v1/PLACE/COMMAND`. Reads are `GET`, changes
//! are `POST`. Arguments, options, replies and codes come from the contract.

mod calls;
mod document;
mod events;
mod health;
mod offered;
pub(crate) mod problem;

use axum::extract::{DefaultBodyLimit, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{Extension, Router};
use serde_json::json;

use crate::actor::Actor;
use crate::site::Site;
use problem::Problem;

/// Maximum size of a body: ten tasks of 1 MiB, or one of 8 MiB in base64.
const LARGEST: usize = 12 << 20;

/// The routes of the API.
pub(crate) fn router() -> Router<Site> {
    let v1 = Router::new()
        .route("/", get(places))
        .route("/openapi.json", get(document::serve))
        .route("/events", get(events::follow))
        .route("/{place}/{command}", get(calls::read).post(calls::change).fallback(calls::other))
        .route("/{place}", any(nowhere))
        .route("/{place}/{command}/{*rest}", any(nowhere))
        .method_not_allowed_fallback(method)
        .layer(DefaultBodyLimit::max(LARGEST))
        .layer(Extension(events::Tails::default()));
    let health = Router::new().route("/healthz", get(health::live)).route("/readyz", get(health::ready));
    let health = health.layer(Extension(health::Health::default()));
    health.route("/api/v1/", get(places)).nest("/api/v1", v1)
}

/// The places, the user, and the version.
async fn places(State(site): State<Site>, Extension(actor): Extension<Actor>) -> Response {
    let places: Vec<_> = site.places().iter().map(|place| json!({"name": place.name()})).collect();
    answer(
        json!({
            "version": blueque::bundle::VERSION,
            "user": actor.name,
            "role": actor.role.as_str(),
            "places": places,
        })
        .to_string(),
    )
}

async fn nowhere() -> Problem {
    let remedy = "GET api/v1/openapi.json lists the paths: api/v1/PLACE/COMMAND.";
    Problem::new(StatusCode::NOT_FOUND, "NOTFOUND", "The API has no such path.", remedy)
}

async fn method(method: Method) -> Problem {
    Problem::method(&method, true)
}

fn answer(json: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], json + "\n").into_response()
}
