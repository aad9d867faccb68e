//! Style and script of the page, in paths that contain their digests, so that browsers keep them forever.

use sha2::{Digest, Sha256};

/// The files, each with its type and its text.
pub const FILES: &[(&str, &str, &str)] = &[
    ("style.css", "text/css; charset=utf-8", include_str!("../assets/style.css")),
    ("page.js", "text/javascript; charset=utf-8", include_str!("../assets/page.js")),
    ("icon.svg", "image/svg+xml", include_str!("../assets/icon.svg")),
];

/// The digest of all files, which is a part of their paths.
#[derive(Debug)]
pub struct Assets {
    pub digest: String,
}

impl Assets {
    pub fn new() -> Self {
        let mut all = Sha256::new();
        for (_, _, text) in FILES {
            all.update(text);
        }
        let digest = all.finalize();
        let first = digest.first_chunk().copied().unwrap_or_default();
        Self { digest: format!("{:016x}", u64::from_be_bytes(first)) }
    }

    /// Path of a file below the base path.
    pub fn path(&self, name: &str) -> String {
        format!("/assets/{}/{name}", self.digest)
    }
}
