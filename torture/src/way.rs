//! A namespace under test, and its address.

use blueque::{Client, ClientBuilder, Namespace};

#[derive(Clone, Debug)]
pub struct Way {
    pub url: String,
    pub namespace: String,
}

impl Way {
    pub fn new(url: String) -> Self {
        Self { url, namespace: Namespace::default().to_string() }
    }

    pub fn open(&self, builder: ClientBuilder) -> blueque::Result<Client> {
        builder.namespace(Namespace::new(&self.namespace)?).open(&self.url)
    }
}
