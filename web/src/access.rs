//! Access: who may see and change what. Users with passwords, bearer tokens, users that a proxy names, sessions, limits
//! on logins, and the guard in front of every page and call.

mod attempts;
mod guard;
mod login;
mod network;
mod origin;
mod password;
mod refusal;
mod same_user;
mod session;
mod settings;
mod signature;
mod users;

pub use guard::Csrf;
pub(crate) use login::router;
pub(crate) use network::network;
pub use network::{Network, Networks};
pub use password::{Hash, PasswordError};
pub use settings::{Access, AccessBuilder};
pub use users::{Token, User, Users, UsersError, UsersFile};
