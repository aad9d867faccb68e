//! Serves style and script.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::assets::FILES;
use crate::site::Site;

pub fn router() -> Router<Site> {
    Router::new()
        .route("/assets/{digest}/{name}", get(file))
        .route("/robots.txt", get(|| async { "User-agent: *\nDisallow: /\n" }))
}

async fn file(State(site): State<Site>, Path((digest, name)): Path<(String, String)>) -> Response {
    let Some((_, kind, text)) = FILES.iter().find(|(known, _, _)| *known == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    // An older page may ask for an older digest: it gets the present file, which it must not keep.
    let keep = if digest == site.assets().digest { "public, max-age=31536000, immutable" } else { "no-store" };
    ([(header::CONTENT_TYPE, *kind), (header::CACHE_CONTROL, keep)], *text).into_response()
}
