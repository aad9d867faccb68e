//! Forms that a browser sends: each does an action of the table.

use axum::extract::Path;
use axum::response::Response;
use axum::routing::post;
use axum::{Form, Router};

use super::add;
use crate::act::{Done, Fields, action, perform};
use crate::failure::Failure;
use crate::here::{Flash, Here};
use crate::shell::Tab;
use crate::site::Site;

pub fn router() -> Router<Site> {
    Router::new().route("/{place}/act/{action}", post(act))
}

/// Does an action and shows its outcome on the page from which it was sent.
async fn act(
    here: Here,
    Path((_, name)): Path<(String, String)>,
    Form(pairs): Form<Vec<(String, String)>>,
) -> Response {
    let fields = Fields::new(pairs);
    let root = here.link("/");
    // A page of this place only: a link from elsewhere must not lead the browser away.
    let back = fields.get("back").filter(|back| back.starts_with(&root) && !back.contains(['\\', '\r', '\n']));
    let back = back.unwrap_or(&root).to_owned();
    let outcome = match action(&name) {
        None => Err(Failure::missing(format!("There is no action {name}."))),
        Some(action) => perform(&here, action, &fields).await,
    };
    match outcome {
        Ok(Done { text, to, shows }) => here.done(&to.unwrap_or(back), &Flash { good: true, text, shows }),
        Err(Failure::Forbidden(text)) => here.page(Tab::Now, "Not allowed", Err(Failure::Forbidden(text))),
        // These forms are long: what was typed stays.
        Err(failure) if name.starts_with("add-") => add::shown(&here, &name, &fields, Some(&failure)),
        Err(failure) => here.done(&back, &Flash { good: false, text: failure.text(), shows: None }),
    }
}
