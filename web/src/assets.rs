//! Style and script of the page, in paths that contain their digests, so that browsers keep them forever.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use sha2::{Digest, Sha256};

use crate::site::Site;

const FILES: &[(&str, &str, &str)] = &[
    ("style.css", "text/css; charset=utf-8", include_str!("../assets/style.css")),
    ("page.js", "text/javascript; charset=utf-8", include_str!("../assets/page.js")),
    ("icon.svg", "image/svg+xml", include_str!("../assets/icon.svg")),
];

/// The digest of all files, which is a part of their paths.
#[derive(Debug)]
pub struct Assets {
    digest: String,
}

impl Assets {
    pub fn new() -> Self {
        let mut all = Sha256::new();
        for (_, _, text) in FILES {
            all.update(text);
        }
        let digest = all.finalize();
        let first = digest.first_chunk().copied().unwrap_or_default();
        Self { digest: format!("{:016x}", u64::from_be_bytes(first)) }
    }

    /// Path of a file below the base path.
    pub fn path(&self, name: &str) -> String {
        format!("/assets/{}/{name}", self.digest)
    }
}

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
