//! Places: the namespaces that the page shows, each with a connection that is opened on demand.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use blueque::tokio::{Client, ClientBuilder};
use blueque::{Address, Namespace};
use tokio::sync::{Mutex, RwLock};

/// Time limit of a call, so that a page says soon that the server is away.
const LIMIT: Duration = Duration::from_secs(5);

/// Time for which a server that refuses connections is asked again, before a page says that it is away.
const PATIENCE: Duration = Duration::from_millis(500);

/// Names that are the first part of other paths.
const RESERVED: &[&str] = &["api", "assets", "healthz", "login", "logout", "metrics", "readyz"];

/// Error in the settings of the page.
#[derive(Debug)]
pub struct BadPlace(pub(crate) String);

impl fmt::Display for BadPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadPlace {}

/// A namespace of a server. Clones share the connection.
#[derive(Clone)]
pub struct Place(Arc<Inner>);

struct Inner {
    name: String,
    url: String,
    namespace: Namespace,
    /// The URL without its password.
    shown: String,
    builder: ClientBuilder,
    client: RwLock<Option<Client>>,
    opening: Mutex<()>,
}

impl fmt::Debug for Place {
    /// Omits the URL, which may contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Place").field("name", &self.0.name).finish_non_exhaustive()
    }
}

impl Place {
    /// The default namespace of a server. Nothing is opened before the first request.
    ///
    /// # Errors
    /// [`BadPlace`] for a name with other characters than `A-Z a-z 0-9 . _ -`, or a URL that is not an address.
    pub fn new(name: &str, url: &str) -> Result<Self, BadPlace> {
        Self::namespace(name, url, Namespace::default())
    }

    /// A namespace of a server.
    ///
    /// # Errors
    /// Same as [`Place::new`].
    pub fn namespace(name: &str, url: &str, namespace: Namespace) -> Result<Self, BadPlace> {
        Self::with(name, url, namespace, Client::builder().limit(LIMIT).patience(PATIENCE))
    }

    /// A namespace of a server with other settings of its client.
    ///
    /// # Errors
    /// Same as [`Place::new`].
    pub fn with(name: &str, url: &str, namespace: Namespace, builder: ClientBuilder) -> Result<Self, BadPlace> {
        let plain = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
        if name.is_empty() || name.len() > 64 || name.starts_with('.') || !name.chars().all(plain) {
            return Err(BadPlace(format!(
                "`{name}` cannot name a place: it has 1 to 64 letters, digits, `.`, `-` and `_`"
            )));
        }
        if RESERVED.contains(&name) {
            return Err(BadPlace(format!("`{name}` cannot name a place: the path has another meaning")));
        }
        let address = Address::parse(url).map_err(|error| BadPlace(format!("the address of {name}: {error}")))?;
        Ok(Self(Arc::new(Inner {
            name: name.to_owned(),
            url: url.to_owned(),
            namespace: namespace.clone(),
            shown: address.to_string(),
            builder: builder.namespace(namespace),
            client: RwLock::new(None),
            opening: Mutex::new(()),
        })))
    }

    /// Name of the place, which is the first part of its paths.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Address of the server, without its password.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.0.shown
    }

    /// URL of the server, which may contain a password: for connections only.
    pub(crate) fn url(&self) -> &str {
        &self.0.url
    }

    pub(crate) fn space(&self) -> Namespace {
        self.0.namespace.clone()
    }

    /// Returns the client, and connects if no request has connected before.
    ///
    /// # Errors
    /// The errors of [`ClientBuilder::open`].
    pub async fn client(&self) -> blueque::Result<Client> {
        if let Some(client) = self.0.client.read().await.as_ref() {
            return Ok(client.clone());
        }
        let _one = self.0.opening.lock().await;
        if let Some(client) = self.0.client.read().await.as_ref() {
            return Ok(client.clone());
        }
        let client = self.0.builder.clone().open(&self.0.url).await?;
        *self.0.client.write().await = Some(client.clone());
        Ok(client)
    }
}
