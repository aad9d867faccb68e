//! The users file: users, tokens, and the key that signs cookies. One entry a line:
//!
//! ```text
//! key 6f1c…
//! user alice admin $argon2id$v=19$…
//! user bob viewer -
//! token ci operator 9b74…
//! ```
//!
//! `blueque web user` and `blueque web token` write it. A running server notices each change of the file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::password::Hash;
use super::signature::{Key, digest, random_token, same};
use crate::actor::Role;

/// Maximum size of a users file.
const LARGEST: u64 = 4 << 20;

/// Maximum length of a name, as in the audit of the scripts.
const LONGEST: usize = 100;

/// First line of a new file.
const TITLE: &str = "# Users and tokens of `blueque web`: written by `blueque web user` and `blueque web token`.";

/// The reason why a users file cannot be read or changed.
#[derive(Debug)]
pub enum UsersError {
    /// The file cannot be read or written.
    Io(PathBuf, io::Error),
    /// A line has no known form.
    Line(PathBuf, usize),
    /// Other users of this machine can read the file.
    Open(PathBuf),
    /// The file is not a regular file, or is larger than 4 MiB.
    NoFile(PathBuf),
    /// The name has other characters than `A-Z a-z 0-9 . _ : @ -`, or more than 100.
    Name(String),
    /// A user or token has this name already.
    Exists(String),
    /// No user or token has this name.
    Missing(String),
    /// The system returns no random bytes.
    Random,
}

impl std::fmt::Display for UsersError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Line(path, line) => {
                write!(
                    f,
                    "{}:{line}: not a line of a users file: `blueque web user add NAME` writes them",
                    path.display()
                )
            }
            Self::Open(path) => {
                let path = path.display();
                write!(f, "{path}: other users of this machine can read or change it: chmod 600 {path}")
            }
            Self::NoFile(path) => write!(f, "{}: not a regular file of at most 4 MiB", path.display()),
            Self::Name(name) => {
                write!(f, "{name:?} is no name: 1 to 100 characters of A-Z a-z 0-9 . _ : @ -")
            }
            Self::Exists(name) => write!(f, "{name} exists already"),
            Self::Missing(name) => write!(f, "{name} does not exist"),
            Self::Random => f.write_str("the system returns no random bytes"),
        }
    }
}

impl std::error::Error for UsersError {}

/// A user with a password.
#[derive(Clone)]
pub struct User {
    /// Name of the user, which the audit stores with each change.
    pub name: String,
    /// Role of the user.
    pub role: Role,
    /// Hash of the password; `None` for a user whom only a proxy names.
    pub hash: Option<Hash>,
}

/// A bearer token. The file has only its digest.
#[derive(Clone)]
pub struct Token {
    /// Name of the token, which the audit stores with each change.
    pub name: String,
    /// Role of the token.
    pub role: Role,
    digest: String,
}

/// The contents of a users file.
#[derive(Clone, Default)]
pub struct Users {
    key: Option<Key>,
    people: Vec<User>,
    tokens: Vec<Token>,
}

impl std::fmt::Debug for Users {
    /// Shows only names.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let people = self.people.iter().map(|user| user.name.as_str());
        f.debug_set().entries(people.chain(self.tokens.iter().map(|token| token.name.as_str()))).finish()
    }
}

impl Users {
    /// All users, in the order of the file.
    #[must_use]
    pub fn users(&self) -> &[User] {
        &self.people
    }

    /// All tokens, in the order of the file.
    #[must_use]
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Returns true if the file has neither users nor tokens.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.people.is_empty() && self.tokens.is_empty()
    }

    /// Returns the user with this name.
    #[must_use]
    pub fn user(&self, name: &str) -> Option<&User> {
        self.people.iter().find(|user| user.name == name)
    }

    /// Returns the token with this text. Only digests are compared, in constant time.
    #[must_use]
    pub fn token(&self, text: &str) -> Option<&Token> {
        let given = digest(text);
        self.tokens.iter().rfind(|token| same(token.digest.as_bytes(), given.as_bytes()))
    }

    pub(super) fn key(&self) -> Option<&Key> {
        self.key.as_ref()
    }

    /// Adds a user.
    ///
    /// # Errors
    /// [`UsersError::Name`], [`UsersError::Exists`].
    pub fn add_user(&mut self, name: &str, role: Role, hash: Option<Hash>) -> Result<(), UsersError> {
        self.has_room_for(name)?;
        self.people.push(User { name: name.to_owned(), role, hash });
        Ok(())
    }

    /// Changes the password or the role of a user. Sessions of the user end with a change of the password.
    ///
    /// # Errors
    /// [`UsersError::Missing`].
    pub fn change_user(&mut self, name: &str, role: Option<Role>, hash: Option<Hash>) -> Result<(), UsersError> {
        let user = self.people.iter_mut().find(|user| user.name == name);
        let user = user.ok_or_else(|| UsersError::Missing(format!("the user {name}")))?;
        user.role = role.unwrap_or(user.role);
        if hash.is_some() {
            user.hash = hash;
        }
        Ok(())
    }

    /// Removes a user. The user's sessions end.
    ///
    /// # Errors
    /// [`UsersError::Missing`].
    pub fn remove_user(&mut self, name: &str) -> Result<(), UsersError> {
        let before = self.people.len();
        self.people.retain(|user| user.name != name);
        if self.people.len() == before { Err(UsersError::Missing(format!("the user {name}"))) } else { Ok(()) }
    }

    /// Adds a token and returns its text, which nothing stores.
    ///
    /// # Errors
    /// [`UsersError::Name`], [`UsersError::Exists`], [`UsersError::Random`].
    pub fn add_token(&mut self, name: &str, role: Role) -> Result<String, UsersError> {
        self.has_room_for(name)?;
        let text = random_token().ok_or(UsersError::Random)?;
        self.tokens.push(Token { name: name.to_owned(), role, digest: digest(&text) });
        Ok(text)
    }

    /// Removes a token.
    ///
    /// # Errors
    /// [`UsersError::Missing`].
    pub fn remove_token(&mut self, name: &str) -> Result<(), UsersError> {
        let before = self.tokens.len();
        self.tokens.retain(|token| token.name != name);
        if self.tokens.len() == before { Err(UsersError::Missing(format!("the token {name}"))) } else { Ok(()) }
    }

    /// Checks that a new user or token may have this name. Users and tokens share their names, so that an entry of the
    /// audit names one of them.
    ///
    /// # Errors
    /// [`UsersError::Name`], [`UsersError::Exists`].
    pub fn has_room_for(&self, name: &str) -> Result<(), UsersError> {
        if !is_name(name) {
            return Err(UsersError::Name(name.to_owned()));
        }
        if self.user(name).is_some() {
            return Err(UsersError::Exists(format!("the user {name}")));
        }
        if self.tokens.iter().any(|token| token.name == name) {
            return Err(UsersError::Exists(format!("the token {name}")));
        }
        Ok(())
    }

    fn parse(path: &Path, text: &str) -> Result<Self, UsersError> {
        let mut users = Self::default();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') && users.line(line).is_none() {
                return Err(UsersError::Line(path.to_owned(), at + 1));
            }
        }
        Ok(users)
    }

    fn line(&mut self, line: &str) -> Option<()> {
        match line.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["key", key] => self.key = Some(Key::parse(key)?),
            ["user", name, role, "-"] => self.add_user(name, role.parse().ok()?, None).ok()?,
            ["user", name, role, hash] => self.add_user(name, role.parse().ok()?, Some(Hash::parse(hash)?)).ok()?,
            ["token", name, role, digest] if Key::parse(digest).is_some() => {
                self.has_room_for(name).ok()?;
                let digest = digest.to_lowercase();
                self.tokens.push(Token { name: (*name).to_owned(), role: role.parse().ok()?, digest });
            }
            _ => return None,
        }
        Some(())
    }

    fn text(&self) -> String {
        let mut text = format!("{TITLE}\n");
        text.extend(self.key.iter().map(|key| format!("key {}\n", key.text())));
        let hash = |user: &User| user.hash.as_ref().map_or("-".to_owned(), |hash| hash.as_str().to_owned());
        text.extend(self.people.iter().map(|user| format!("user {} {} {}\n", user.name, user.role, hash(user))));
        text.extend(self.tokens.iter().map(|token| format!("token {} {} {}\n", token.name, token.role, token.digest)));
        text
    }
}

/// Returns true for a name that the audit of the scripts can store.
pub(super) fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._:@-".contains(c);
    (1..=LONGEST).contains(&name.len()) && name.chars().all(plain)
}

/// A users file that may change at any time.
pub struct UsersFile {
    path: PathBuf,
    read: Mutex<Option<(Stamp, Arc<Users>)>>,
}

/// Device, inode, size, and change time of a file. Different after each change.
type Stamp = (u64, u64, u64, i64, i64);

impl UsersFile {
    /// Names a file, which need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), read: Mutex::default() }
    }

    /// Path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the present contents; a missing file is empty. Reads the file only after a change.
    ///
    /// # Errors
    /// [`UsersError::Io`], [`UsersError::Line`], [`UsersError::Open`] and [`UsersError::NoFile`].
    pub fn users(&self) -> Result<Arc<Users>, UsersError> {
        let io = |error| UsersError::Io(self.path.clone(), error);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let found = match fs::metadata(&self.path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Arc::default()),
            Err(error) => return Err(io(error)),
        };
        let stamp = (found.dev(), found.ino(), found.size(), found.ctime(), found.ctime_nsec());
        if let Some((_, users)) = read.as_ref().filter(|(known, _)| *known == stamp) {
            return Ok(users.clone());
        }
        if !found.is_file() || found.size() > LARGEST {
            return Err(UsersError::NoFile(self.path.clone()));
        }
        if found.mode() & 0o077 != 0 {
            return Err(UsersError::Open(self.path.clone()));
        }
        let text = fs::read_to_string(&self.path).map_err(io)?;
        let users = Arc::new(Users::parse(&self.path, &text)?);
        *read = Some((stamp, users.clone()));
        Ok(users)
    }

    /// Changes the file. Other processes that change it at the same time wait.
    ///
    /// # Errors
    /// The error of `change`, and of reading and writing the file.
    pub fn change<T>(&self, change: impl FnOnce(&mut Users) -> Result<T, UsersError>) -> Result<T, UsersError> {
        let io = |error| UsersError::Io(self.path.clone(), error);
        if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(io)?;
        }
        let name = |end: &str| {
            let mut name = self.path.clone().into_os_string();
            name.push(end);
            PathBuf::from(name)
        };
        let private =
            |path: &Path| OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path).map_err(io);
        let lock = private(&name(".lock"))?;
        rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).map_err(|error| io(error.into()))?;
        let mut users = Users::clone(&*self.users()?);
        if users.key.is_none() {
            users.key = Some(Key::random().ok_or(UsersError::Random)?);
        }
        let made = change(&mut users)?;
        let new = name(".new");
        let mut file = private(&new)?;
        file.write_all(users.text().as_bytes()).and_then(|()| file.sync_all()).map_err(io)?;
        fs::rename(&new, &self.path).map_err(io)?;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all()).map_err(io)?;
        Ok(made)
    }
}
