//! A request for a page of a place.

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use blueque::calls::Calls;
use blueque::tokio::Client;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::access::Csrf;
use crate::actor::{Actor, Role};
use crate::failure::Failure;
use crate::place::Place;
use crate::site::Site;

/// Name of the cookie that carries the outcome of an action to the next page.
pub const FLASH: &str = "blueque_flash";

/// The place, the user and the site of a request.
#[derive(Clone, Debug)]
pub struct Here {
    pub site: Site,
    pub place: Place,
    pub actor: Actor,
    /// Path and query of the request, for links back to the page.
    pub at: String,
    /// The outcome of the last action.
    pub flash: Option<Flash>,
    /// The token that forms send back.
    pub csrf: Csrf,
}

/// The outcome of an action, which the next page shows once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flash {
    pub good: bool,
    pub text: String,
    /// A link to the tasks that were changed.
    pub shows: Option<String>,
}

impl Flash {
    fn read(cookies: &str) -> Option<Self> {
        let value = cookies.split(';').find_map(|pair| pair.trim().strip_prefix(FLASH)?.strip_prefix('='))?;
        let text = percent_decode_str(value).decode_utf8().ok()?;
        let (kind, rest) = text.split_once(' ')?;
        let (shows, text) = rest.split_once(' ')?;
        let shows = Some(shows.to_owned()).filter(|shows| shows.starts_with('/') && !shows.starts_with("//"));
        Some(Self { good: kind == "good", text: text.to_owned(), shows })
    }

    /// The header that sets the cookie.
    pub fn cookie(&self, base: &str) -> String {
        let kind = if self.good { "good" } else { "bad" };
        let text: String = self.text.chars().take(400).collect();
        let value = |shows: &str| utf8_percent_encode(&format!("{kind} {shows} {text}"), NON_ALPHANUMERIC).to_string();
        // A browser refuses cookies over 4 KiB.
        let whole = self.shows.as_deref().map(value).filter(|value| value.len() < 3_900);
        let value = whole.unwrap_or_else(|| value("-"));
        format!("{FLASH}={value}; Path={base}/; Max-Age=60; HttpOnly; SameSite=Strict")
    }
}

impl FromRequestParts<Site> for Here {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, site: &Site) -> Result<Self, Response> {
        let params = RawPathParams::from_request_parts(parts, site).await.map_err(IntoResponse::into_response)?;
        let name = params.iter().find(|(name, _)| *name == "place").map(|(_, value)| value.to_owned());
        let Some(place) = name.as_deref().and_then(|name| site.place(name)) else {
            return Err((StatusCode::NOT_FOUND, "There is no such place.\n").into_response());
        };
        let Ok(actor) = Actor::from_request_parts(parts, site).await;
        let cookies = parts.headers.get(header::COOKIE).and_then(|value| value.to_str().ok());
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        Ok(Self {
            site: site.clone(),
            place: place.clone(),
            actor,
            at: format!("{}{path}", site.base()),
            flash: cookies.and_then(Flash::read),
            csrf: parts.extensions.get().cloned().unwrap_or_default(),
        })
    }
}

/// Escapes a name for a part of a path or a query.
pub fn escaped(name: &str) -> String {
    const PLAIN: &percent_encoding::AsciiSet =
        &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b':').remove(b'@');
    utf8_percent_encode(name, PLAIN).to_string()
}

impl Here {
    /// The path of a page of this place, such as `/tasks`.
    pub fn link(&self, path: &str) -> String {
        link(&self.site, &self.place, path)
    }

    /// The request as one for another page, for parts that are rendered once for all browsers.
    pub fn shared(&self, path: &str) -> Self {
        // Browsers put their own token into these forms.
        Self { at: self.link(path), flash: None, csrf: Csrf::default(), ..self.clone() }
    }

    pub async fn client(&self) -> Result<Client, Failure> {
        Ok(self.place.client().await?)
    }

    /// Calls that change something: the audit of the server stores the user's name with them.
    pub async fn signed(&self) -> Result<Calls, Failure> {
        Ok(self.client().await?.calls().clone().by(&self.actor.name))
    }

    /// Returns true if the user's role allows an action of a role.
    pub fn may(&self, role: Role) -> bool {
        self.actor.role >= role
    }

    /// Leads the browser to a page that shows the outcome of an action.
    pub fn done(&self, to: &str, flash: &Flash) -> Response {
        let mut answer = (StatusCode::SEE_OTHER, [(header::LOCATION, to.to_owned())]).into_response();
        if let Ok(value) = header::HeaderValue::from_str(&flash.cookie(self.site.base())) {
            answer.headers_mut().append(header::SET_COOKIE, value);
        }
        answer
    }
}

/// The path of a page of a place.
pub fn link(site: &Site, place: &Place, path: &str) -> String {
    format!("{}/{}{path}", site.base(), place.name())
}
