//! Downloads of what a task has, byte by byte.

use axum::body::Body;
use axum::extract::Path;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use blueque::TaskId;
use blueque::calls::LogsOptions;
use futures_util::stream;

use super::log::EXIT;
use crate::failure::Failure;
use crate::here::Here;
use crate::shell::Tab;

/// Number of entries that one call reads of a log.
const ENTRIES: u32 = 500;

pub async fn download(here: Here, Path((_, id, field)): Path<(String, String, String)>) -> Response {
    let read = if field == "log" { log(&here, &id).await } else { bytes(&here, &id, &field).await.map(Body::from) };
    match read {
        Err(failure) => here.page(Tab::Tasks, "Download", Err(failure)),
        Ok(bytes) => {
            let plain = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
            let name: String = format!("{id}-{field}").chars().map(|c| if plain(c) { c } else { '_' }).collect();
            let mut answer = Response::new(bytes);
            let headers = answer.headers_mut();
            // Never as html: the bytes are those of a task.
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
            headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
                headers.insert(header::CONTENT_DISPOSITION, value);
            }
            answer
        }
    }
}

async fn bytes(here: &Here, id: &str, field: &str) -> Result<Vec<u8>, Failure> {
    let (client, id) = (here.client().await?, TaskId::new(id)?);
    let info = client.call(&client.calls().get(&id)).await?;
    let info = info.ok_or_else(|| Failure::missing(format!("There is no task {id}.")))?;
    let bytes = match field {
        "parameters" => info.parameters_bytes().map(<[u8]>::to_vec),
        "result" => info.result_bytes().map(<[u8]>::to_vec),
        "checkpoint" => info.checkpoint_bytes().map(<[u8]>::to_vec),
        "error" | "last_error" => info.fields.get(field).cloned(),
        _ => None,
    };
    bytes.map(|bytes| here.site.redacted(bytes)).ok_or_else(|| Failure::missing(format!("{id} has no {field}.")))
}

/// The whole output of a task, which is read while it is sent. The ends of attempts are no output.
async fn log(here: &Here, id: &str) -> Result<Body, Failure> {
    let (client, id) = (here.client().await?, TaskId::new(id)?);
    let pages = stream::try_unfold(Some("0".to_owned()), move |last| {
        let (client, id) = (client.clone(), id.clone());
        async move {
            let Some(last) = last else { return Ok(None) };
            let page = client.call(&client.calls().logs(&id, &last, ENTRIES, &LogsOptions::new())).await?;
            let output = page.items.iter().filter(|entry| entry.source != EXIT);
            let bytes: Vec<u8> = output.flat_map(|entry| entry.text.iter().copied()).collect();
            let next = (!page.items.is_empty()).then_some(page.last);
            Ok::<_, blueque::Error>(Some((bytes, next)))
        }
    });
    Ok(Body::from_stream(pages))
}
