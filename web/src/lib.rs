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

mod act;
mod actor;
mod assets;
mod failure;
mod feed;
mod here;
mod pages;
mod parts;
mod place;
mod read;
mod shell;
mod site;

use axum::Router;

pub use actor::{Actor, Role};
pub use place::{BadPlace, Place};
use site::Site;

/// Settings of the page.
#[derive(Debug, Default)]
pub struct Web {
    places: Vec<Place>,
    title: Option<String>,
    colour: Option<String>,
    base: String,
    read_only: bool,
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
        self.places.push(place);
        self
    }

    /// Name of the environment, such as `production`, which every page shows.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Colour of the environment's name: `red`, `orange`, `green`, `blue`, `purple` or `grey`.
    #[must_use]
    pub fn colour(mut self, colour: impl Into<String>) -> Self {
        self.colour = Some(colour.into());
        self
    }

    /// Path below which the page is served, such as `/queue`.
    #[must_use]
    pub fn base_path(mut self, base: impl Into<String>) -> Self {
        self.base = base.into();
        self
    }

    /// Refuses every action.
    #[must_use]
    pub fn read_only(mut self, read_only: bool) -> Self {
        self.read_only = read_only;
        self
    }

    /// Builds the router.
    ///
    /// # Errors
    /// [`BadPlace`] if there is no place, two places have the same name, or the base path or the colour is invalid.
    pub fn build(self) -> Result<Router, BadPlace> {
        let base = self.base.clone();
        let site = Site::new(self.places, self.title, self.colour, &base, self.read_only)?;
        let inner = Router::new().merge(pages::router()).merge(assets::router()).with_state(site.clone());
        Ok(if site.base().is_empty() { inner } else { Router::new().nest(site.base(), inner) })
    }
}
