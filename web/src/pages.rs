//! The pages.

mod add;
mod asset;
mod audit;
mod bulk;
mod graphs;
mod live;
mod log;
mod now;
mod queue;
mod queues;
mod raw;
mod schedules;
mod sent;
mod server;
mod task;
mod tasks;
mod workers;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::failure::Failure;
use crate::here::{Here, link};
use crate::shell::Tab;
use crate::site::Site;

pub fn router() -> Router<Site> {
    Router::new()
        .route("/", get(root))
        .route("/{place}", get(first))
        .route("/{place}/", get(now::page))
        .route("/{place}/live", get(live::events))
        .route("/{place}/queues", get(queues::page))
        .route("/{place}/queues/{name}", get(queue::page))
        .route("/{place}/graphs", get(graphs::page))
        .route("/{place}/graphs/{id}", get(graphs::one))
        .route("/{place}/bulk/{id}", get(bulk::page))
        .route("/{place}/workers", get(workers::page))
        .route("/{place}/schedules", get(schedules::page))
        .route("/{place}/schedules/{name}", get(schedules::one))
        .route("/{place}/audit", get(audit::page))
        .route("/{place}/server", get(server::page))
        .route("/{place}/new/task", get(add::task))
        .route("/{place}/new/schedule", get(add::schedule))
        .route("/{place}/tasks", get(tasks::page))
        .route("/{place}/tasks/{id}", get(task::page))
        .route("/{place}/tasks/{id}/log", get(log::stream))
        .route("/{place}/tasks/{id}/log/earlier", get(log::earlier))
        .route("/{place}/tasks/{id}/raw/{field}", get(raw::download))
        .route("/{place}/{*rest}", get(nothing))
        .merge(sent::router())
        .merge(asset::router())
}

/// Leads to the first place.
async fn root(State(site): State<Site>) -> Response {
    match site.places().first() {
        Some(place) => (StatusCode::SEE_OTHER, [(header::LOCATION, link(&site, place, "/"))]).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn first(here: Here) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, here.link("/"))]).into_response()
}

async fn nothing(here: Here) -> Response {
    here.page(Tab::Now, "Not found", Err(Failure::missing("There is no such page.")))
}
