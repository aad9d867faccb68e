//! The sentence of `blueque why`, for the page.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use blueque::TaskId;

use crate::output::Format;
use crate::session::Session;
use crate::session::config::Settings;
use crate::view::why::why;

/// Sessions with the places of the page. Each is opened when its first task is shown.
pub struct Sentences {
    places: Arc<Vec<(String, Settings)>>,
    sessions: Mutex<HashMap<String, Session>>,
}

impl Sentences {
    pub fn new(places: Arc<Vec<(String, Settings)>>) -> Self {
        Self { places, sessions: Mutex::default() }
    }

    /// Returns why a task waits, or what it does, or `None` for an unknown task or a server that does not answer.
    pub fn of(&self, place: &str, id: &str) -> Option<String> {
        let (session, id) = (self.session(place)?, TaskId::new(id).ok()?);
        let info = session.client.call(&session.client.calls().get(&id)).ok()??;
        Some(why(&session, &id, &info).ok()?.with(None))
    }

    fn session(&self, place: &str) -> Option<Session> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = sessions.get(place) {
            return Some(known.clone());
        }
        let (_, settings) = self.places.iter().find(|(name, _)| name == place)?;
        let session = Session::at_once(settings, Format::Table).ok()?;
        sessions.insert(place.to_owned(), session.clone());
        Some(session)
    }
}
