//! Finds the reason why a server cannot be used, and the remedy.

use std::io::ErrorKind;
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

use blueque::{Address, Error, Namespace};
use redis::{ConnectionAddr, RedisError};

use crate::output::{Code, fault, redact, unnumbered};

/// Text in the library's errors about unreadable files that an address names.
const UNREADABLE: &str = "cannot be read";

/// The remedy if no server listens at the address.
pub const START: &str = "start it, or name another one with --url or BLUEQUE_URL";

/// Time for which a connection is tried again if the server refuses connections, because it may be starting.
pub const STARTING: Duration = Duration::from_millis(300);

/// Maximum time for a connection in this check. If a connection takes longer, the check succeeds, and the first call
/// reports any error.
const SLOW: Duration = Duration::from_millis(500);

/// Returns the part of a URL that says where the server is, without parameters such as the path of a password file.
pub fn place(url: &str) -> &str {
    url.split_once('?').map_or(url, |(place, _)| place)
}

/// Fails if no server listens at a URL, which must not contain a password. Fails sooner than a call, and within
/// `limit`.
pub fn somebody_listens(url: &str, limit: Duration) -> anyhow::Result<()> {
    let Ok(address) = Address::parse(url) else { return Ok(()) };
    let end = Instant::now() + limit.min(STARTING);
    loop {
        // One node that answers is enough, because each node can name all other nodes.
        let mut why = None;
        for node in address.nodes() {
            why = match node {
                ConnectionAddr::Tcp(host, port) | ConnectionAddr::TcpTls { host, port, .. } => tcp(host, *port),
                ConnectionAddr::Unix(path) => refusal(UnixStream::connect(path).map(drop)),
                _ => None,
            };
            if why.is_none() {
                break;
            }
        }
        let Some(why) = why else { return Ok(()) };
        if Instant::now() >= end {
            return Err(fault(Code::Unreachable, format!("no server at {}: {why}; {START}", place(url))));
        }
        thread::sleep(Duration::from_millis(100));
    }
}

fn tcp(host: &str, port: u16) -> Option<&'static str> {
    let Ok(addresses) = (host, port).to_socket_addrs() else { return Some("no address is known for this host") };
    let mut why = None;
    for address in addresses {
        why = refusal(TcpStream::connect_timeout(&address, SLOW).map(drop));
        if why.is_none() {
            break;
        }
    }
    why
}

/// Returns the reason why a connection failed, if it is certain that no server listens.
fn refusal(tried: std::io::Result<()>) -> Option<&'static str> {
    match tried.err()?.kind() {
        ErrorKind::ConnectionRefused => Some("the connection is refused"),
        ErrorKind::NotFound => Some("there is no such socket"),
        _ => None,
    }
}

/// Adds the server, the namespace and a remedy to the error of the first call.
pub fn explained(url: &str, namespace: &Namespace, error: Error) -> anyhow::Error {
    match &error {
        Error::Connection(source) => refused(url, source),
        Error::Server { text, .. } if text.starts_with("DB index") => {
            let how = "its setting `databases` has the number; name another in the URL";
            Some(fault(Code::Usage, format!("{} cannot be used: the server has no such database; {how}", place(url))))
        }
        Error::Unsuitable { code: blueque::Code::Moved, text } => {
            Some(elsewhere(namespace, text.rsplit(' ').next().unwrap_or_default()))
        }
        _ => None,
    }
    .unwrap_or_else(|| anyhow::Error::new(error).context(format!("{} cannot be used", place(url))))
}

/// Returns the reason why a server or node cannot be used, and the remedy. The reason does not quote the request.
pub fn why(error: &RedisError) -> (String, Option<&'static str>) {
    let kind = error.kind();
    let (why, todo) = match error.code() {
        Some("NOAUTH") => (
            "the server asks for a password",
            "set BLUEQUE_PASSWORD, or `password` or `password_file` in a configuration file that names this server",
        ),
        _ if error.code() == Some("WRONGPASS") || kind == redis::ErrorKind::AuthenticationFailed => (
            "the server refuses this user or password",
            "check the user in the URL, and BLUEQUE_PASSWORD, or `password` or `password_file` in the configuration \
             file",
        ),
        // Such an error, for example about a certificate, already includes the remedy.
        _ if kind == redis::ErrorKind::InvalidClientConfig => {
            let detail = error.detail().map_or(String::new(), |detail| format!(" ({})", redact(detail)));
            // The redis crate appends the name of the kind to its sentence.
            let whole = error.to_string();
            let what = whole.split(" - InvalidClientConfig").next().unwrap_or_default();
            return (format!("{what}{detail}"), Some(""));
        }
        Some(code) => return (code.to_owned(), None),
        None if error.is_timeout() => (
            "it does not answer in time",
            "it hangs, or is no Redis or Valkey, or expects TLS or none: look at its log and at the port",
        ),
        None if kind == redis::ErrorKind::Parse => {
            ("it answers, but is no Redis or Valkey", "look at the port in the URL")
        }
        None if error.is_connection_refusal() => return ("the connection is refused".to_owned(), None),
        None => return (unnumbered(&error.to_string()), None),
    };
    (why.to_owned(), Some(todo))
}

/// Returns an error for a server that rejects or requires credentials or certificates, and for an address that cannot
/// work.
pub fn refused(url: &str, error: &RedisError) -> Option<anyhow::Error> {
    let known = matches!(error.code(), Some("NOAUTH" | "WRONGPASS"))
        || matches!(error.kind(), redis::ErrorKind::AuthenticationFailed | redis::ErrorKind::InvalidClientConfig);
    let (why, todo) = known.then(|| why(error))?;
    let todo = todo.filter(|todo| !todo.is_empty()).map_or(String::new(), |todo| format!(": {todo}"));
    let code = if why.contains(UNREADABLE) { Code::Usage } else { Code::Unreachable };
    Some(fault(code, format!("{} cannot be used: {why}{todo}", place(url))))
}

/// Returns an error for a node of a cluster that does not hold the namespace. `node`: the node that holds it.
pub fn elsewhere(namespace: &Namespace, node: &str) -> anyhow::Error {
    let text = if namespace.as_str().contains('{') {
        format!("this node of the cluster does not hold the namespace {namespace}: use --url redis+cluster://{node}/")
    } else {
        format!(
            "this is a node of a cluster, where the namespace needs a {{tag}}, which keeps its keys in one slot: \
             --namespace '{{{namespace}}}'"
        )
    };
    fault(Code::Usage, text)
}
