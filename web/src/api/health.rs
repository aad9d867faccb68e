//! Whether the process runs, and whether its servers answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::site::Site;

/// Time for which an answer of the servers is kept, because nobody needs to log in to ask.
const KEPT: Duration = Duration::from_secs(1);

/// Time limit of all servers.
const LIMIT: Duration = Duration::from_secs(2);

/// The last answer of the servers.
#[derive(Clone, Debug, Default)]
pub struct Health(Arc<Mutex<Option<(Instant, bool)>>>);

pub(super) async fn live() -> &'static str {
    "ok\n"
}

pub(super) async fn ready(
    State(site): State<Site>,
    Extension(health): Extension<Health>,
) -> (StatusCode, &'static str) {
    let mut last = health.0.lock().await;
    let known = last.filter(|(at, _)| at.elapsed() < KEPT).map(|(_, ready)| ready);
    let ready = match known {
        Some(ready) => ready,
        None => timeout(LIMIT, all(&site)).await.unwrap_or(false),
    };
    if known.is_none() {
        *last = Some((Instant::now(), ready));
    }
    if ready { (StatusCode::OK, "ready\n") } else { (StatusCode::SERVICE_UNAVAILABLE, "a server does not answer\n") }
}

async fn all(site: &Site) -> bool {
    for place in site.places() {
        let Ok(client) = place.client().await else { return false };
        if client.call(&client.calls().handshake()).await.is_err() {
            return false;
        }
    }
    true
}
