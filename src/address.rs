//! Addresses of servers: the forms of a URL, and the search for the master that holds a namespace.

mod environment;
mod files;

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use redis::{ConnectionAddr, ConnectionInfo, ErrorKind, IntoConnectionInfo, RedisError, RedisResult};

use crate::connection::{Connection, Server, some};
use crate::deadline::Deadline;
use crate::error::{Error, Result};
use crate::names::Namespace;
pub(crate) use environment::variable;
use files::Files;

/// Time limit for each node of an address with several nodes, so that a hanging node leaves time for the next nodes.
const PATIENCE: Duration = Duration::from_secs(1);

/// The default port of a Sentinel.
const SENTINEL: u16 = 26_379;

/// The error for a server that other nodes name and that refuses connections.
const REFUSES: &str = "the server that they name refuses connections";

/// A digest that no script has. A call of this script always fails: with `NOSCRIPT` on the node that holds the key, and
/// with the name of that node on other nodes. Every role may call scripts, but not every role may call `CLUSTER SLOTS`.
const NO_SCRIPT: &str = "0000000000000000000000000000000000000000";

/// The address of a server.
///
/// | form | leads to |
/// |---|---|
/// | `redis://[user:password@]host[:port][/db]` | this server |
/// | `rediss://…` | this server, by TLS (feature `tls-rustls`, or `tokio-tls-rustls`) |
/// | `unix:///path[?db=N&user=NAME&pass=PASSWORD]` | the server at this socket |
/// | `redis://host,host[:port][/db]` | the master among these servers |
/// | `redis+sentinel://host,host[:port]/name[/db]` | the master that the Sentinels name |
/// | `redis+cluster://host,host[:port]` | the node of this cluster that holds the namespace, which needs a `{tag}` |
///
/// With TLS, the last two forms begin with `rediss+sentinel` and `rediss+cluster`. Parameters after `?` name files, by
/// absolute paths. The files are read at each connection, so they may be replaced at any time:
///
/// | parameter | names |
/// |---|---|
/// | `password_file` | the password, unless the URL has one |
/// | `sentinel_password_file` | the password for Sentinels, which get no other; `sentinel_user` is their user |
/// | `ca` | with TLS: the certificates of the authority, instead of the system's authorities |
/// | `cert`, `key` | with TLS: the client's certificate and its key |
///
/// Any other parameter is refused, except `protocol`.
///
/// With `read=replica`, Sentinels or several hosts lead to a replica if there is one. This is for a client that only
/// reads.
///
/// The text form has no password.
#[derive(Clone)]
pub struct Address {
    shown: String,
    /// The nodes, each with user and password.
    nodes: Vec<ConnectionInfo>,
    lead: Lead,
    files: Files,
}

/// The role of the nodes of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Lead {
    /// The only node is the server.
    Itself,
    /// One of the nodes is the master.
    Master,
    /// The nodes are Sentinels, which name the master with this name.
    Sentinel(String),
    /// The nodes belong to a cluster and name the node that holds the namespace.
    Cluster,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Address").field(&self.shown).finish()
    }
}

impl Address {
    /// Reads a URL.
    ///
    /// # Errors
    /// [`Error::Connection`] for a text that is not the address of a server. The error does not contain the URL, which
    /// may contain a password.
    pub fn parse(url: &str) -> Result<Self> {
        parse(url).map_err(Error::Connection)
    }

    /// Returns the password in the URL. It is `None` for a URL without a password.
    #[must_use]
    pub fn password(&self) -> Option<&str> {
        self.settings()?.password()
    }

    /// Returns the user, or `None` for the default user.
    #[must_use]
    pub fn user(&self) -> Option<&str> {
        self.settings()?.username().filter(|user| !user.is_empty() && *user != "default")
    }

    /// Returns true if the address names no user. An explicit default user counts as a user.
    fn has_no_user(&self) -> bool {
        self.settings().is_none_or(|settings| settings.username().is_none_or(str::is_empty))
    }

    /// Returns a text that identifies the server, its database and its user. The text depends on TLS, but not on
    /// passwords and options.
    #[must_use]
    pub fn identity(&self) -> String {
        let shown = |node: &ConnectionAddr| match node {
            ConnectionAddr::TcpTls { .. } => format!("{node} by TLS"),
            _ => node.to_string(),
        };
        let mut nodes: Vec<String> = self.nodes().map(shown).collect();
        nodes.sort();
        let (nodes, database) = (nodes.join(","), self.database());
        let user = self.settings().and_then(redis::RedisConnectionInfo::username).unwrap_or("default");
        match &self.lead {
            Lead::Itself => format!("{nodes} {database} {user}"),
            Lead::Master => format!("master of {nodes} {database} {user}"),
            Lead::Sentinel(name) => format!("{name} of Sentinels {nodes} {database} {user}"),
            Lead::Cluster => format!("cluster {nodes} {database} {user}"),
        }
    }

    /// The number of the database.
    #[must_use]
    pub fn database(&self) -> i64 {
        self.settings().map_or(0, redis::RedisConnectionInfo::db)
    }

    /// Returns the path of the password file. It is `None` for a URL without such a file.
    #[must_use]
    pub fn password_file(&self) -> Option<&Path> {
        self.files.password.as_deref().map(Path::new)
    }

    /// The files that must stay secret: the files with passwords, and the file with the key of the client's
    /// certificate.
    pub fn secret_files(&self) -> impl Iterator<Item = &Path> {
        self.files.secrets().map(Path::new)
    }

    /// Returns true if passwords or certificates come from files, which may be replaced.
    pub(crate) fn has_files(&self) -> bool {
        self.files.any()
    }

    /// Returns true for the address of a cluster.
    #[must_use]
    pub fn is_cluster(&self) -> bool {
        self.lead == Lead::Cluster
    }

    /// Returns true if the address names a single server, and false if it names Sentinels or nodes of a cluster.
    #[must_use]
    pub fn is_one_server(&self) -> bool {
        self.lead == Lead::Itself
    }

    /// The servers, Sentinels or nodes in the address.
    pub fn nodes(&self) -> impl Iterator<Item = &ConnectionAddr> {
        self.nodes.iter().map(ConnectionInfo::addr)
    }

    /// Returns the URL with this password. Use it for connections only, and never show it.
    ///
    /// # Errors
    /// [`Error::Connection`] if the URL has no place for a password.
    pub fn with_password(&self, password: &str) -> Result<String> {
        reveal(&self.shown, password).ok_or_else(|| Error::Connection(malformed("the URL has no place for a password")))
    }

    /// Returns the URL with an added parameter, such as `password_file`. A parameter that the URL already has is not
    /// changed.
    #[must_use]
    pub fn with_parameter(url: &str, name: &str, value: &str) -> String {
        environment::with_parameter(url, name, value)
    }

    /// Connects to the server, for the caller's own commands. On a cluster, connects to the node that holds the
    /// namespace. `limit` applies to each command.
    ///
    /// # Errors
    /// If the server cannot be found or reached within the limit.
    pub fn connect(&self, namespace: &Namespace, limit: Duration) -> RedisResult<Connection> {
        Place::new(self.clone(), namespace).connect(limit)
    }

    /// The parameters of a URL whose values are not secret and may be shown.
    pub fn parameters() -> impl Iterator<Item = &'static str> {
        files::PARAMETERS.into_iter().chain(files::OF_SOCKETS)
    }

    /// Asks all nodes for the server at the same time. Returns each node with the server that it names, or with `None`
    /// for a server that is not the master. The list is empty for an address that names one server.
    #[must_use]
    pub fn look(&self, namespace: &Namespace, limit: Duration) -> Vec<(String, RedisResult<Option<String>>)> {
        if self.is_one_server() {
            return Vec::new();
        }
        let place = Place::new(self.clone(), namespace);
        let ask = |node: &ConnectionInfo| {
            let found = place.ask(node, Role::Master, limit.min(PATIENCE))?;
            Ok(found.map(|server| server.info.addr().to_string()))
        };
        thread::scope(|scope| {
            let asked: Vec<_> = self.nodes.iter().map(|node| (node, scope.spawn(move || ask(node)))).collect();
            let said = asked.into_iter().map(|(node, asked)| {
                (node.addr().to_string(), asked.join().unwrap_or_else(|_| Err(away("it could not be asked"))))
            });
            said.collect()
        })
    }

    fn settings(&self) -> Option<&redis::RedisConnectionInfo> {
        self.nodes.first().map(ConnectionInfo::redis_settings)
    }

    /// Returns true if the address asks for a replica.
    pub(crate) fn reads_replica(&self) -> bool {
        self.files.replica
    }

    /// Returns a server with the user and password of the address.
    fn server(&self, info: ConnectionInfo) -> RedisResult<Server> {
        let settings = self.files.authorised(info.redis_settings().clone())?;
        self.with_settings(info, settings)
    }

    fn with_settings(&self, info: ConnectionInfo, settings: redis::RedisConnectionInfo) -> RedisResult<Server> {
        Ok(Server {
            // Each further command of the handshake would wait again for a server that hangs.
            info: info.set_redis_settings(settings.set_skip_set_lib_name()),
            #[cfg(feature = "tls-rustls")]
            certificates: self.files.certificates()?,
        })
    }
}

fn malformed(text: &'static str) -> RedisError {
    (ErrorKind::InvalidClientConfig, text).into()
}

fn parse(url: &str) -> RedisResult<Address> {
    let wrong = || malformed("the URL is not the address of a server");
    let Some((scheme, rest)) = url.split_once("://") else { return single(url) };
    let (authority, tail) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (user, hosts) = authority.rsplit_once('@').map_or((None, authority), |(user, hosts)| (Some(user), hosts));
    let (plain, kind) = scheme.split_once('+').unwrap_or((scheme, ""));
    let is_tcp = matches!(plain, "redis" | "rediss" | "valkey" | "valkeys");
    let lead = match kind {
        "sentinel" if is_tcp => Lead::Sentinel(String::new()),
        "cluster" if is_tcp => Lead::Cluster,
        "" if is_tcp && hosts.contains(',') => Lead::Master,
        _ => return single(url),
    };
    let (path, query) = tail.split_at(tail.find(['?', '#']).unwrap_or(tail.len()));
    let mut parts = path.split('/').skip(1).filter(|part| !part.is_empty());
    let lead = match lead {
        Lead::Sentinel(_) => {
            let name = parts.next().ok_or_else(|| malformed("the URL of Sentinels needs the master's name: /name"))?;
            Lead::Sentinel(name.to_owned())
        }
        lead => lead,
    };
    let database = parts.next().unwrap_or("0");
    if parts.next().is_some() {
        return Err(wrong());
    }
    if lead == Lead::Cluster && database != "0" {
        return Err(malformed("a cluster has only the database 0"));
    }
    let credentials = user.map_or(String::new(), |user| format!("{user}@"));
    let mut nodes = Vec::new();
    for host in hosts.split(',') {
        let node = redis::parse_redis_url(&format!("{plain}://{credentials}{host}/{database}{query}"));
        let mut node = node.ok_or_else(wrong)?;
        if matches!(lead, Lead::Sentinel(_)) && node.port().is_none() {
            node.set_port(Some(SENTINEL)).map_err(|()| wrong())?;
        }
        nodes.push(node.into_connection_info()?);
    }
    let files = Files::of(&format!("{plain}://host/{query}"))?;
    if files.replica && lead == Lead::Cluster {
        return Err(malformed("read=replica in the URL is for Sentinels and several hosts"));
    }
    let name = user.map(|user| user.split(':').next().unwrap_or_default()).filter(|name| !name.is_empty());
    let name = name.map_or(String::new(), |name| format!("{name}@"));
    Ok(Address { shown: format!("{scheme}://{name}{hosts}{tail}"), nodes, lead, files })
}

/// Reads the URL of one server.
fn single(text: &str) -> RedisResult<Address> {
    let mut url = redis::parse_redis_url(text).ok_or_else(|| malformed("the URL is not the address of a server"))?;
    let info = url.clone().into_connection_info()?;
    let files = Files::of(text)?;
    if files.replica {
        return Err(malformed("read=replica in the URL is for Sentinels and several hosts"));
    }
    if url.scheme().ends_with("unix") {
        let pairs = url.query_pairs().filter(|(name, _)| name != "pass");
        let kept: Vec<(String, String)> = pairs.map(|(n, v)| (n.into_owned(), v.into_owned())).collect();
        url.set_query(None);
        if !kept.is_empty() {
            url.query_pairs_mut().extend_pairs(kept);
        }
    } else if url.password().is_some() {
        url.set_password(None).map_err(|()| malformed("the URL has no place for a password"))?;
    }
    Ok(Address { shown: url.into(), nodes: vec![info], lead: Lead::Itself, files })
}

/// Inserts a password into a URL without one.
fn reveal(shown: &str, password: &str) -> Option<String> {
    if let Some(mut url) = redis::parse_redis_url(shown) {
        if url.scheme().ends_with("unix") {
            url.query_pairs_mut().append_pair("pass", password);
            return Some(url.into());
        }
        if url.set_password(Some(password)).is_ok() {
            return Some(url.into());
        }
    }
    // URLs of the remaining forms have no single host.
    let mut one = redis::parse_redis_url("redis://host/")?;
    one.set_password(Some(password)).ok()?;
    let password = one.password()?;
    let (scheme, rest) = shown.split_once("://")?;
    let hosts = rest.get(..rest.find(['/', '?', '#']).unwrap_or(rest.len()))?;
    Some(match hosts.split_once('@') {
        Some((user, _)) => format!("{scheme}://{user}:{password}{}", rest.get(user.len()..)?),
        None => format!("{scheme}://:{password}@{rest}"),
    })
}

/// The role of a server in a replication group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Master,
    /// A replica that is connected to its master.
    Replica,
}

impl Role {
    /// The lines of `INFO` that show this role.
    fn lines(self) -> &'static [&'static str] {
        match self {
            Self::Master => &["role:master"],
            Self::Replica => &["role:slave", "master_link_status:up"],
        }
    }
}

/// An address, with the state of the search for the server that holds a namespace.
pub struct Place {
    pub(crate) address: Address,
    /// A key of the namespace that every role may use.
    key: String,
    /// The index of the node that answered last. The next search starts with this node.
    first: AtomicUsize,
}

impl Place {
    pub(crate) fn new(address: Address, namespace: &Namespace) -> Self {
        Self { address, key: format!("{namespace}_meta"), first: AtomicUsize::new(0) }
    }

    /// Connects to the server. Blocks for at most `limit`.
    pub(crate) fn connect(&self, limit: Duration) -> RedisResult<Connection> {
        let end = Deadline::after(limit);
        let connection = join(&self.find(limit)?, end).map_err(|error| self.named(error))?;
        connection.set_limit(limit);
        Ok(connection)
    }

    /// Returns a transient error if other nodes named the server and the server refuses connections: the nodes may soon
    /// name another server. Returns other errors unchanged.
    pub(crate) fn named(&self, error: RedisError) -> RedisError {
        match error {
            error if error.is_connection_refusal() && !self.address.is_one_server() => away(REFUSES),
            error => error,
        }
    }

    /// Finds the server. If other nodes were asked, the server was reachable a moment ago. Blocks for at most `limit`.
    pub(crate) fn find(&self, limit: Duration) -> RedisResult<Server> {
        let end = Deadline::after(limit);
        if self.address.reads_replica()
            && let Ok(replica) = self.find_in(Role::Replica, end)
        {
            return Ok(replica);
        }
        self.find_in(Role::Master, end)
    }

    fn find_in(&self, role: Role, end: Deadline) -> RedisResult<Server> {
        let nodes = &self.address.nodes;
        let first = self.first.load(Ordering::Relaxed);
        let mut failure = away("the URL names no node");
        for number in 0..nodes.len() {
            let number = (first + number) % nodes.len();
            let Some(node) = nodes.get(number) else { continue };
            match self.ask(node, role, end.left().min(PATIENCE)) {
                Ok(Some(server)) => {
                    self.first.store(number, Ordering::Relaxed);
                    return Ok(server);
                }
                Ok(None) => failure = away("none of the servers is the master now"),
                // The next node would return the same error.
                Err(error) if is_refusal(&error) => return Err(error),
                // A refused connection of a later node does not replace an earlier error, which may be transient.
                Err(error) if error.is_connection_refusal() && number != first => {}
                Err(error) => failure = error,
            }
            if end.left().is_zero() {
                break;
            }
        }
        Err(failure)
    }

    /// Asks one node for the server. Returns `None` if the server that the node names, or the node itself, has another
    /// role.
    fn ask(&self, node: &ConnectionInfo, role: Role, limit: Duration) -> RedisResult<Option<Server>> {
        let end = Deadline::after(limit);
        match &self.address.lead {
            Lead::Itself => self.address.server(node.clone()).map(Some),
            Lead::Master => self.in_role(node.clone(), role, end),
            Lead::Sentinel(name) => {
                let sentinel = self.address.with_settings(node.clone(), self.address.files.sentinel()?)?;
                let mut asked = join(&sentinel, end)?;
                if role == Role::Replica {
                    return self.replica(node, &mut asked, name, end);
                }
                let cmd = redis::cmd("SENTINEL").arg("GET-MASTER-ADDR-BY-NAME").arg(name).to_owned();
                let Some((host, port)) = cmd.query::<Option<(String, u16)>>(&mut asked)? else {
                    return Err(malformed("the Sentinels know no master of the name in the URL"));
                };
                self.in_role(at(node, host, port), role, end).map_err(|error| self.named(error))
            }
            Lead::Cluster => {
                let server = self.address.server(node.clone())?;
                let mut connection = join(&server, end)?;
                let cmd = redis::cmd("EVALSHA").arg(NO_SCRIPT).arg(1).arg(&self.key).to_owned();
                match cmd.query::<redis::Value>(&mut connection) {
                    Err(error) if error.code() == Some("MOVED") => {
                        let (holder, _) = error.redirect_node().ok_or_else(|| away("the cluster names no node"))?;
                        let (host, port) = holder.rsplit_once(':').ok_or_else(|| away("the cluster names no node"))?;
                        let port = port.parse().map_err(|_| away("the cluster names no node"))?;
                        // An empty name stands for the node that replied.
                        let host = if host.is_empty() { name(node.addr()) } else { host.to_owned() };
                        self.address.server(at(node, host, port)).map(Some)
                    }
                    Err(error) if matches!(error.code(), Some("NOSCRIPT" | "ASK")) => Ok(Some(server)),
                    Err(error) => Err(error),
                    Ok(_) => Ok(Some(server)),
                }
            }
        }
    }

    /// Finds a connected replica through a Sentinel.
    fn replica(
        &self,
        node: &ConnectionInfo,
        sentinel: &mut Connection,
        name: &str,
        end: Deadline,
    ) -> RedisResult<Option<Server>> {
        let cmd = redis::cmd("SENTINEL").arg("REPLICAS").arg(name).to_owned();
        for known in cmd.query::<Vec<HashMap<String, String>>>(sentinel)? {
            let fact = |name: &str| known.get(name).map_or("", String::as_str);
            let Ok(port) = fact("port").parse() else { continue };
            if fact("flags") != "slave" {
                continue; // this replica is down or not connected
            }
            if let Ok(Some(replica)) = self.in_role(at(node, fact("ip").to_owned(), port), Role::Replica, end) {
                return Ok(Some(replica));
            }
        }
        Ok(None)
    }

    /// Returns the server if it has the role. A Sentinel may name a former or a future master.
    fn in_role(&self, server: ConnectionInfo, role: Role, end: Deadline) -> RedisResult<Option<Server>> {
        let server = self.address.server(server)?;
        let mut connection = join(&server, end)?;
        // The call uses `INFO`, because the roles in the documentation do not permit `ROLE`.
        match redis::cmd("INFO").arg("replication").query::<String>(&mut connection) {
            Ok(info) if role.lines().iter().all(|wanted| info.lines().any(|line| line == *wanted)) => Ok(Some(server)),
            Ok(_) => Ok(None),
            // A user without the permission for `INFO` gets the error from the first write.
            Err(error) if error.code() == Some("NOPERM") => Ok(Some(server).filter(|_| role == Role::Master)),
            Err(error) => Err(error),
        }
    }
}

/// Connects to a server. The limit of each command is the time left.
fn join(server: &Server, end: Deadline) -> RedisResult<Connection> {
    let connection = Connection::open(server, end).map_err(|error| told_apart(server, error, end))?;
    connection.set_limit(some(end));
    Ok(connection)
}

/// Returns the true error of a failed connection. A server at its `maxclients` refuses the first command it reads. If
/// that command is AUTH, the error looks like a wrong password, so a PING without a password is sent to see the real
/// cause.
pub(crate) fn told_apart(server: &Server, error: RedisError, end: Deadline) -> RedisError {
    if error.kind() != ErrorKind::AuthenticationFailed {
        return error;
    }
    let settings = redis::RedisConnectionInfo::default().set_skip_set_lib_name();
    let plain = Server { info: server.info.clone().set_redis_settings(settings), ..server.clone() };
    let greeted = Connection::open(&plain, end).and_then(|mut connection| {
        connection.set_limit(some(end));
        redis::cmd("PING").exec(&mut connection)
    });
    greeted.err().filter(is_full).unwrap_or(error)
}

/// Returns true if a server, or a proxy in front of it, has no room for another connection. Such a reply has no error
/// code, although it answers a command.
pub(crate) fn is_full(error: &RedisError) -> bool {
    error.detail().is_some_and(|text| text.contains("max number of clients"))
}

/// Returns a transient error.
fn away(text: &'static str) -> RedisError {
    io::Error::new(io::ErrorKind::NotConnected, text).into()
}

/// Returns true if the address or the password must be changed.
pub(crate) fn is_refusal(error: &RedisError) -> bool {
    matches!(error.kind(), ErrorKind::AuthenticationFailed | ErrorKind::InvalidClientConfig)
        || matches!(error.code(), Some("NOAUTH" | "WRONGPASS"))
}

/// Returns another server with the connection settings of this node.
fn at(node: &ConnectionInfo, name: String, number: u16) -> ConnectionInfo {
    let mut address = node.addr().clone();
    if let ConnectionAddr::Tcp(host, port) | ConnectionAddr::TcpTls { host, port, .. } = &mut address {
        (*host, *port) = (name, number);
    }
    node.clone().set_addr(address)
}

fn name(address: &ConnectionAddr) -> String {
    match address {
        ConnectionAddr::Tcp(host, _) | ConnectionAddr::TcpTls { host, .. } => host.clone(),
        _ => String::new(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::Address;

    #[test]
    fn an_address_is_shown_without_its_password_and_takes_another() {
        for (given, shown, other) in [
            ("redis://me:s3@host:1/2", "redis://me@host:1/2", "redis://me:a%2Fb,c@host:1/2"),
            ("redis://:s3@a,b:7/2", "redis://a,b:7/2", "redis://:a%2Fb,c@a,b:7/2"),
            (
                "redis+sentinel://me:s3@a,b:7/m/2",
                "redis+sentinel://me@a,b:7/m/2",
                "redis+sentinel://me:a%2Fb,c@a,b:7/m/2",
            ),
            ("redis+cluster://:s3@a,[::1]:7", "redis+cluster://a,[::1]:7", "redis+cluster://:a%2Fb,c@a,[::1]:7"),
            ("unix:///run/s?pass=s3&db=2", "unix:///run/s?db=2", "unix:///run/s?db=2&pass=a%2Fb%2Cc"),
        ] {
            let address = Address::parse(given).unwrap();
            assert_eq!(address.to_string(), shown);
            assert_eq!(address.password(), Some("s3"), "{given}");
            assert_eq!(address.with_password("a/b,c").unwrap(), other);
            assert_eq!(Address::parse(other).unwrap().password(), Some("a/b,c"), "{other}");
            assert!(!format!("{address:?}").contains("s3"));
        }
    }

    #[test]
    fn an_identity_is_that_of_a_server_with_its_database_user_and_encryption() {
        let of = |url: &str| Address::parse(url).unwrap().identity();
        assert_eq!(of("redis://a/1"), of("redis://:s3@a:6379/1?password_file=/x"));
        assert_eq!(of("redis://a,b"), of("redis://b,a"));
        for other in ["redis://a/2", "redis://me@a/1", "redis://a:7/1", "redis://a,b/1", "redis+sentinel://a/m/1"] {
            assert_ne!(of("redis://a/1"), of(other));
        }
        #[cfg(feature = "tls-rustls")]
        {
            for (plain, encrypted) in [
                ("redis://a/1", "rediss://a/1"),
                ("redis://a,b/1", "rediss://a,b/1"),
                ("redis+sentinel://a/m", "rediss+sentinel://a/m"),
                ("redis+cluster://a", "rediss+cluster://a"),
            ] {
                assert_ne!(of(plain), of(encrypted), "what one may know is not for the other");
                assert_eq!(of(encrypted), of(&encrypted.replace("//", "//:s3@")));
            }
        }
    }

    #[test]
    fn nodes_have_their_ports_and_the_database() {
        let of = |url: &str| {
            let address = Address::parse(url).unwrap();
            let nodes: Vec<String> = address.nodes().map(ToString::to_string).collect();
            (nodes.join(" "), address.database())
        };
        assert_eq!(of("redis+sentinel://a,b:7/m/2"), ("a:26379 b:7".into(), 2));
        assert_eq!(of("redis://a,b:7/3"), ("a:6379 b:7".into(), 3));
        assert_eq!(of("redis+cluster://a/"), ("a:6379".into(), 0));
        assert_eq!(of("redis://:x,y@a"), ("a:6379".into(), 0));
    }

    #[test]
    fn what_is_no_address_is_refused_without_repeating_it() {
        for url in [
            "s3cret",
            "http://:s3cret@a/",
            "redis+sentinel://:s3cret@a,b",
            "redis+sentinel://:s3cret@a/m/1/2",
            "redis+sentinel://:s3cret@a/m/x",
            "redis+cluster://:s3cret@a/1",
            "redis://:s3cret@a,,b",
            "redis://:s3cret@a,b:port",
            "redis://:s3cret@a?ca=/x",
            "redis+else://:s3cret@a",
            "redis://:s3cret@a?password_file=relative",
            "redis://:s3cret@a?read=replica",
            "redis+cluster://:s3cret@a?read=replica",
            "redis://:s3cret@a,b?read=nearest",
            "redis+sentinel://:s3cret@a/m?sentinel_user=me",
            "unix:///run/s?PASS=s3cret",
            "unix:///run/s?password=s3cret",
            "redis://a?pass=s3cret",
            "redis://a,b?s3cret",
            "redis://a?db=1",
        ] {
            let error = Address::parse(url).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("s3cret"), "{url}: {error:?}");
        }
    }

    #[cfg(feature = "tls-rustls")]
    #[test]
    fn files_for_tls_are_absolute_and_whole() {
        assert!(Address::parse("rediss+sentinel://a/m?ca=/ca.pem&cert=/c&key=/k").is_ok());
        for url in ["rediss://a?ca=ca.pem", "rediss://a?cert=/c", "rediss://a,b?key=/k"] {
            assert!(Address::parse(url).is_err(), "{url}");
        }
    }
}
