//! The web page of Blueque, as an [`axum::Router`].
//!
//! ```no_run
//! # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
//! use blueque_web::{Place, Web};
//!
//! let place = Place::new("default", "redis://127.0.0.1/")?;
//! let router = Web::builder().place(place).base_path("/queue").build()?;
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:7733").await?;
//! axum::serve(listener, router).await?;
//! # Ok(())
//! # }
//! ```
//!
//! The router serves the page below its base path. [`Web::build`] returns a router that a service can merge with its
//! own routes.

#![deny(missing_docs)]

pub mod access;
mod act;
mod actor;
mod api;
mod assets;
mod doctor;
mod explain;
mod failure;
mod feed;
mod fields;
mod here;
mod jobs;
mod metrics;
mod pages;
mod parts;
mod place;
mod read;
mod redact;
mod serve;
mod shell;
mod site;
mod text;
mod time;

use std::sync::Arc;

use axum::middleware::from_fn;
use axum::{Extension, Router};

pub use actor::{Actor, Role};
pub use doctor::Checked;
pub use place::{BadPlace, Place};
pub use serve::serve;

use access::Access;
use site::{Settings, Site};

/// Settings of the page.
#[derive(Debug, Default)]
pub struct Web {
    settings: Settings,
    access: Option<Access>,
}

impl Web {
    /// A builder without places.
    #[must_use]
    pub fn builder() -> Self {
        Self::default()
    }

    /// Adds a namespace that the page shows. The first place is shown first.
    #[must_use]
    pub fn place(mut self, place: Place) -> Self {
        self.settings.places.push(place);
        self
    }

    /// Name of the environment, such as `production`, which every page shows.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.settings.title = Some(title.into());
        self
    }

    /// Colour of the environment's name: `red`, `orange`, `green`, `blue`, `purple` or `grey`.
    #[must_use]
    pub fn colour(mut self, colour: impl Into<String>) -> Self {
        self.settings.colour = Some(colour.into());
        self
    }

    /// Path below which the page is served, such as `/queue`.
    #[must_use]
    pub fn base_path(mut self, base: impl Into<String>) -> Self {
        self.settings.base = base.into();
        self
    }

    /// Refuses every action.
    #[must_use]
    pub fn read_only(mut self, read_only: bool) -> Self {
        self.settings.read_only = read_only;
        self
    }

    /// Hides fields of parameters, results and checkpoints whose names match one of these patterns, such as `*password*`.
    /// Values that are not JSON are then hidden as a whole.
    #[must_use]
    pub fn redact(mut self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.redact.extend(patterns.into_iter().map(Into::into));
        self
    }

    /// Who may use the page. Without it everybody who reaches the page is an admin, unless a layer in front of the router
    /// inserts an [`Actor`].
    #[must_use]
    pub fn access(mut self, access: Access) -> Self {
        self.access = Some(access);
        self
    }

    /// Sets a function that returns the sentence about a task, by the names of its place and the task: why it waits, or
    /// what it does. The function may block. Without it, or if it returns `None`, the page has a shorter sentence.
    #[must_use]
    pub fn explain(mut self, tell: impl Fn(&str, &str) -> Option<String> + Send + Sync + 'static) -> Self {
        self.settings.explain = Some(explain::Explain::new(tell));
        self
    }

    /// Adds the whole check of the server of a place to the page Server. The function may block, and gets the name of the
    /// place; its error is shown.
    #[must_use]
    pub fn doctor(mut self, check: impl Fn(&str) -> Result<Vec<Checked>, String> + Send + Sync + 'static) -> Self {
        self.settings.doctor = Some(doctor::Doctor::new(check));
        self
    }

    /// Builds the router.
    ///
    /// # Errors
    /// [`BadPlace`] if there is no place, two places have the same name, or the base path or the colour is invalid.
    pub fn build(self) -> Result<Router, BadPlace> {
        let open =
            || Access::builder().open(Actor::default().name).build().map_err(|error| BadPlace(error.to_string()));
        let access = self.access.map_or_else(open, Ok)?;
        let site = Site::new(self.settings)?;
        let inner = Router::new().merge(pages::router());
        let inner =
            inner.merge(access::router()).merge(api::router()).merge(metrics::router()).with_state(site.clone());
        let inner = inner.layer(Extension(access.clone()));
        let all = if site.base().is_empty() { inner } else { Router::new().nest(site.base(), inner) };
        let base: Arc<str> = site.base().into();
        Ok(all.layer(from_fn(move |request, next| {
            access.clone().guard(base.clone(), site.is_read_only(), request, next)
        })))
    }
}
