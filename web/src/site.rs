//! The state that all requests share.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::assets::Assets;
use crate::doctor::Doctor;
use crate::explain::Explain;
use crate::feed::Feeds;
use crate::feed::log::Logs;
use crate::jobs::Jobs;
use crate::place::{BadPlace, Place};
use crate::redact::Redact;

const COLOURS: &[&str] = &["red", "orange", "green", "blue", "purple", "grey"];

/// Settings of the page.
#[derive(Debug, Default)]
pub struct Settings {
    pub places: Vec<Place>,
    pub title: Option<String>,
    pub colour: Option<String>,
    pub base: String,
    pub read_only: bool,
    pub redact: Vec<String>,
    pub doctor: Option<Doctor>,
    pub explain: Option<Explain>,
}

/// The page: its places and settings. Clones share them.
#[derive(Clone, Debug)]
pub struct Site(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    places: Vec<Place>,
    title: Option<String>,
    colour: String,
    base: String,
    read_only: bool,
    redact: Redact,
    doctor: Option<Doctor>,
    explain: Option<Explain>,
    assets: Assets,
    feeds: Feeds,
    logs: Logs,
    jobs: Jobs,
    acted: Mutex<Option<Instant>>,
}

impl Site {
    pub fn new(settings: Settings) -> Result<Self, BadPlace> {
        let Settings { places, title, colour, base, read_only, redact, doctor, explain } = settings;
        if places.is_empty() {
            return Err(BadPlace("the page needs a place: a server and a namespace".to_owned()));
        }
        for (i, place) in places.iter().enumerate() {
            if places.iter().take(i).any(|other| other.name() == place.name()) {
                return Err(BadPlace(format!("two places have the name {}", place.name())));
            }
        }
        let colour = colour.unwrap_or_else(|| "grey".to_owned());
        if !COLOURS.contains(&colour.as_str()) {
            return Err(BadPlace(format!("the colour {colour} is none of {}", COLOURS.join(", "))));
        }
        let base = base.trim_end_matches('/');
        let plain = |c: char| c.is_ascii_alphanumeric() || "/.-_~".contains(c);
        if !base.is_empty() && (!base.starts_with('/') || base.contains("//") || !base.chars().all(plain)) {
            return Err(BadPlace(format!("the base path {base} is not a path such as /queue")));
        }
        Ok(Self(Arc::new(Inner {
            places,
            title,
            colour,
            base: base.to_owned(),
            read_only,
            redact: Redact::new(&redact),
            assets: Assets::new(),
            feeds: Feeds::default(),
            logs: Logs::default(),
            doctor,
            explain,
            jobs: Jobs::default(),
            acted: Mutex::default(),
        })))
    }

    /// The path below which the page is served; empty for the root.
    pub fn base(&self) -> &str {
        &self.0.base
    }

    pub fn title(&self) -> Option<&str> {
        self.0.title.as_deref()
    }

    pub fn colour(&self) -> &str {
        &self.0.colour
    }

    pub fn is_read_only(&self) -> bool {
        self.0.read_only
    }

    pub fn places(&self) -> &[Place] {
        &self.0.places
    }

    pub fn place(&self, name: &str) -> Option<&Place> {
        self.0.places.iter().find(|place| place.name() == name)
    }

    pub fn redact(&self) -> &Redact {
        &self.0.redact
    }

    /// Parameters, a result or a checkpoint, without the fields that must not be shown.
    pub fn redacted(&self, bytes: Vec<u8>) -> Vec<u8> {
        self.0.redact.bytes(bytes)
    }

    /// Notes that a user of the page changes something.
    pub fn acts(&self) {
        *self.0.acted.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Time of the last change by a user of the page.
    pub fn last_action(&self) -> Option<Instant> {
        *self.0.acted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn explain(&self) -> Option<&Explain> {
        self.0.explain.as_ref()
    }

    pub fn doctor(&self) -> Option<&Doctor> {
        self.0.doctor.as_ref()
    }

    pub fn assets(&self) -> &Assets {
        &self.0.assets
    }

    pub fn feeds(&self) -> &Feeds {
        &self.0.feeds
    }

    pub fn jobs(&self) -> &Jobs {
        &self.0.jobs
    }

    pub fn logs(&self) -> &Logs {
        &self.0.logs
    }
}
