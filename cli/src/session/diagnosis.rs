//! Why a server cannot be used, and what to do.

use std::io::ErrorKind;
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

use blueque::{Address, Error, Namespace};
use redis::{ConnectionAddr, RedisError};

use crate::output::{Code, fault};

/// A server that refuses connections may be starting.
const STARTING: Duration = Duration::from_secs(1);

/// How long a connection may take here. A slow server is left to the first call.
const SLOW: Duration = Duration::from_millis(500);

/// Fails if nobody listens at a URL without a password, sooner than the limit of a call, and after `limit` at the
/// latest.
pub fn somebody_listens(url: &str, limit: Duration) -> anyhow::Result<()> {
    let Ok(address) = Address::parse(url) else { return Ok(()) };
    let end = Instant::now() + limit.min(STARTING);
    loop {
        // One node is enough: it knows the others.
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
            let how = "start it, or name another one with --url or BLUEQUE_URL";
            return Err(fault(Code::Unreachable, format!("no server at {url}: {why}; {how}")));
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

/// Why nobody listens, if that is certain.
fn refusal(tried: std::io::Result<()>) -> Option<&'static str> {
    match tried.err()?.kind() {
        ErrorKind::ConnectionRefused => Some("the connection is refused"),
        ErrorKind::NotFound => Some("there is no such socket"),
        _ => None,
    }
}

/// Explains the failure of the first call to the user who chose this server and namespace.
pub fn explained(url: &str, namespace: &Namespace, error: Error) -> anyhow::Error {
    match &error {
        Error::Connection(source) => refused(url, source),
        Error::Server { text, .. } if text.starts_with("DB index") => {
            let how = "its setting `databases` has the number; name another in the URL";
            Some(fault(Code::Usage, format!("{url} cannot be used: the server has no such database; {how}")))
        }
        Error::Unsuitable { code: blueque::Code::Moved, text } => {
            Some(elsewhere(namespace, text.rsplit(' ').next().unwrap_or_default()))
        }
        _ => None,
    }
    .unwrap_or_else(|| anyhow::Error::new(error).context(format!("{url} cannot be used")))
}

/// For a server that rejects the credentials, or requires some.
pub fn refused(url: &str, error: &RedisError) -> Option<anyhow::Error> {
    let why = match (error.code(), error.kind()) {
        (Some("NOAUTH"), _) => {
            "the server asks for a password: set BLUEQUE_PASSWORD, or `password` or `password_file` in the configuration \
             file"
        }
        (Some("WRONGPASS"), _) | (_, redis::ErrorKind::AuthenticationFailed) => {
            "the server refuses this user or password: check the user in the URL, and BLUEQUE_PASSWORD, or `password` or \
             `password_file` in the configuration file"
        }
        _ => return None,
    };
    Some(fault(Code::Unreachable, format!("{url} cannot be used: {why}")))
}

/// For a node of a cluster that does not hold the namespace. `node`: the one that does.
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
