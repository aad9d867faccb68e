//! A web service that submits tasks and follows them: `cargo run -p blueque-example-service -- URL ADDRESS`.
//!
//! - `POST /tasks` with any JSON submits a task to the queue `transcode`. A repeated `Idempotency-Key` creates no
//!   second task.
//! - `GET /tasks/ID` returns the state of a task, `DELETE /tasks/ID` cancels it.
//! - `GET /tasks/ID/events` sends each change until the task has ended (server-sent events).
//!
//! Another process does the work, for example `cargo run --example async_worker --features tokio -- URL`.

use std::convert::Infallible;
use std::error::Error;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use blueque::tokio::{Client, Queue, Task};
use blueque::{Code, Status, Submit, TaskId, TaskInfo};
use futures_util::{Stream, stream};
use serde_json::{Value, json};

/// Interval at which a followed task is polled.
const LOOK: Duration = Duration::from_millis(200);

/// An error as an HTTP response.
struct Refused(blueque::Error);

impl From<blueque::Error> for Refused {
    fn from(error: blueque::Error) -> Self {
        Self(error)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let status = match self.0.code() {
            Some(Code::NoTask) => StatusCode::NOT_FOUND,
            Some(Code::Unavailable) => StatusCode::SERVICE_UNAVAILABLE,
            Some(Code::BadName | Code::TooBig | Code::Payload | Code::OtherQueue) => StatusCode::BAD_REQUEST,
            Some(Code::State | Code::Closed) => StatusCode::CONFLICT,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        (status, Json(json!({ "error": self.0.to_string() }))).into_response()
    }
}

async fn submit(
    State(queue): State<Queue>,
    headers: HeaderMap,
    Json(parameters): Json<Value>,
) -> Result<impl IntoResponse, Refused> {
    let key = headers.get("Idempotency-Key").and_then(|key| key.to_str().ok());
    let how = key.map(TaskId::new).transpose()?.into_iter().fold(Submit::default(), Submit::id);
    let task = queue.submit(&parameters, how).await?;
    let place = [("Location", format!("/tasks/{}", task.id()))];
    Ok((StatusCode::ACCEPTED, place, Json(json!({ "id": task.id().as_str() }))))
}

fn shown(info: &TaskInfo) -> Value {
    json!({
        "status": info.status().map(Status::as_str),
        "attempt": info.attempt(),
        "progress": info.progress::<Value>().ok().flatten(),
        "result": info.result::<Value>().ok().flatten(),
        "error": info.error(),
    })
}

async fn show(State(queue): State<Queue>, Path(id): Path<String>) -> Result<Json<Value>, Refused> {
    let task = queue.task(&id).await?;
    Ok(Json(shown(&task.info().await?)))
}

async fn cancel(State(queue): State<Queue>, Path(id): Path<String>) -> Result<StatusCode, Refused> {
    queue.task(&id).await?.cancel("asked for by the service's client").await?;
    Ok(StatusCode::ACCEPTED)
}

/// A client that closes the connection drops the stream, which ends the polling.
async fn follow(
    State(queue): State<Queue>,
    Path(id): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Refused> {
    let task = queue.task(&id).await?;
    let changes = stream::unfold((task, None, false), |(task, before, ended)| async move {
        if ended {
            return None;
        }
        let (now, ended) = change(&task, before.as_ref()).await;
        let event = Event::default().data(now.to_string());
        Some((Ok(event), (task, Some(now), ended)))
    });
    Ok(Sse::new(changes).keep_alive(KeepAlive::default()))
}

/// Waits until the state of the task changes. Returns the new state, and true if the task has ended.
async fn change(task: &Task, before: Option<&Value>) -> (Value, bool) {
    loop {
        match task.info().await {
            Ok(info) => {
                let now = shown(&info);
                if before != Some(&now) {
                    return (now, info.status().is_some_and(Status::is_finished));
                }
            }
            Err(error) => return (json!({ "error": error.to_string() }), true),
        }
        tokio::time::sleep(LOOK).await;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let url = args.next().unwrap_or_else(|| "redis://127.0.0.1/".to_owned());
    let address = args.next().unwrap_or_else(|| "127.0.0.1:3000".to_owned());
    let queue = Client::open(&url).await?.queue("transcode")?;
    let routes = Router::new()
        .route("/tasks", post(submit))
        .route("/tasks/{id}", get(show).delete(cancel))
        .route("/tasks/{id}/events", get(follow))
        .with_state(queue);
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("http://{}", listener.local_addr()?);
    let stop = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    axum::serve(listener, routes).with_graceful_shutdown(stop).await?;
    Ok(())
}
