//! Signatures of cookies and forms.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Number of random bytes of keys and tokens.
const LENGTH: usize = 32;

/// A secret key. Its text is 64 hexadecimal digits.
#[derive(Clone)]
pub(super) struct Key([u8; LENGTH]);

impl Key {
    /// Returns a random key, or `None` if the system has no random bytes.
    pub(super) fn random() -> Option<Self> {
        let mut key = [0; LENGTH];
        getrandom::fill(&mut key).ok()?;
        Some(Self(key))
    }

    /// Reads the text of a key.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(hexadecimal).collect();
        Some(Self(bytes?.try_into().ok()?))
    }

    pub(super) fn text(&self) -> String {
        hex(&self.0)
    }

    /// Signs a text. `purpose` keeps the signature of a form from being the signature of a cookie.
    pub(super) fn sign(&self, purpose: &str, text: &str) -> String {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return String::new() };
        mac.update(purpose.as_bytes());
        mac.update(&[0]);
        mac.update(text.as_bytes());
        URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
    }

    /// Returns true for the signature of this text, in constant time.
    pub(super) fn verify(&self, purpose: &str, text: &str, signature: &str) -> bool {
        let expected = self.sign(purpose, text);
        !expected.is_empty() && same(expected.as_bytes(), signature.as_bytes())
    }
}

/// Compares in constant time.
pub(super) fn same(one: &[u8], other: &[u8]) -> bool {
    one.ct_eq(other).into()
}

/// Returns the digest of a token, as the users file has it.
pub(super) fn digest(token: &str) -> String {
    hex(&Sha256::digest(token.as_bytes()))
}

/// Returns a new token, or `None` if the system has no random bytes.
pub(super) fn random_token() -> Option<String> {
    Some(format!("bq_{}", URL_SAFE_NO_PAD.encode(Key::random()?.0)))
}

/// Returns 16 random characters, for the id of a session.
pub(super) fn random_id() -> Option<String> {
    Some(URL_SAFE_NO_PAD.encode(Key::random()?.0.get(..12)?))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

fn hexadecimal(pair: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(pair).ok().filter(|text| text.len() == 2 && !text.starts_with('+'))?;
    u8::from_str_radix(text, 16).ok()
}
