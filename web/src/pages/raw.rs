//! Downloads of what a task has, byte by byte.

use axum::extract::Path;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use blueque::TaskId;
use blueque::calls::LogsOptions;

use crate::failure::Failure;
use crate::here::Here;
use crate::shell::Tab;

/// Number of calls that read a log.
const CALLS: usize = 64;

pub async fn download(here: Here, Path((_, id, field)): Path<(String, String, String)>) -> Response {
    match bytes(&here, &id, &field).await {
        Err(failure) => here.page(Tab::Tasks, "Download", Err(failure)),
        Ok(bytes) => {
            let plain = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
            let name: String = format!("{id}-{field}").chars().map(|c| if plain(c) { c } else { '_' }).collect();
            let mut answer = bytes.into_response();
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
    if field == "log" {
        let (mut all, mut last) = (Vec::new(), "0".to_owned());
        for _ in 0..CALLS {
            let page = client.call(&client.calls().logs(&id, &last, 500, &LogsOptions::new())).await?;
            if page.items.is_empty() {
                break;
            }
            page.items.iter().for_each(|entry| all.extend_from_slice(&entry.text));
            last = page.last;
        }
        return Ok(all);
    }
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
