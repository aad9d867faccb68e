//! Passwords, stored as argon2id hashes.

use std::sync::LazyLock;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, PasswordHasher, PasswordVerifier};

/// Minimum length of a password, in characters.
const SHORTEST: usize = 8;

/// Maximum length of a password, in bytes. Hashing a longer text would only cost time.
const LONGEST: usize = 1024;

/// The hash of an argon2id password, in PHC form: `$argon2id$v=19$…`.
#[derive(Clone, PartialEq, Eq)]
pub struct Hash(String);

/// The reason why a password cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordError {
    /// The password has fewer than 8 characters.
    Short,
    /// The password has more than 1,024 bytes.
    Long,
    /// The system returns no random bytes, or too little memory is left.
    System,
}

impl std::fmt::Display for PasswordError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Short => "a password has at least 8 characters",
            Self::Long => "a password has at most 1,024 bytes",
            Self::System => "the password cannot be hashed: the system has no random bytes or no memory left",
        })
    }
}

impl std::error::Error for PasswordError {}

/// Hash that no password has. A login with an unknown name takes as long as a login with a wrong password.
static NOBODY: LazyLock<Option<Hash>> = LazyLock::new(|| Hash::of("no password is this").ok());

impl Hash {
    /// Hashes a new password.
    ///
    /// # Errors
    /// [`PasswordError`] for a password that is too short or too long.
    pub fn new(password: &str) -> Result<Self, PasswordError> {
        match () {
            () if password.chars().count() < SHORTEST => Err(PasswordError::Short),
            () if password.len() > LONGEST => Err(PasswordError::Long),
            () => Self::of(password),
        }
    }

    fn of(password: &str) -> Result<Self, PasswordError> {
        let hash = Argon2::default().hash_password(password.as_bytes()).map_err(|_| PasswordError::System)?;
        Ok(Self(hash.to_string()))
    }

    /// Reads a hash in PHC form. `None` if it is no argon2 hash.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hash = PasswordHash::new(text).ok()?;
        hash.algorithm.as_str().starts_with("argon2").then(|| Self(text.to_owned()))
    }

    /// The PHC form, for the users file.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true for the password of this hash. Takes tens of milliseconds, on purpose.
    #[must_use]
    pub fn verify(&self, password: &str) -> bool {
        let hash = PasswordHash::new(&self.0);
        password.len() <= LONGEST
            && hash.is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
    }

    /// Takes the time of [`Hash::verify`], for a name that nobody has.
    pub fn verify_nobody(password: &str) -> bool {
        if let Some(hash) = NOBODY.as_ref() {
            let _ = hash.verify(password);
        }
        false
    }
}
