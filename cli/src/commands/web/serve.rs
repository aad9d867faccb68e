//! Serves the page.

use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use blueque::tokio::Client;
use blueque_web::access::{Access, Network, Networks, UsersFile};
use blueque_web::{Checked, Place, Web};
use serde::Deserialize;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::accounts::{explained, file, named_role};
use super::options::Options;
use super::sentence::Sentences;
use crate::input::values::PAGE_PORT;
use crate::output::{Code, chain, clean, fault, line, say};
use crate::session::caller::caller;
use crate::session::config::{Connection, Places, Settings, for_tests};

/// Time limit of a call, so that a page soon says that the server is away.
const LIMIT: Duration = Duration::from_secs(5);

/// Maximum number of keys that the check of a server reads.
const CHECKED: &str = "10000";

/// Name of the page's only place, if its namespace cannot be a name.
const PLACE: &str = "blueque";

pub fn run(options: &Options, connection: &Connection) -> anyhow::Result<ExitCode> {
    // Signals that arrive early end the page too.
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let address = address(&options.listen)?;
    let mut web = Web::builder().base_path(&options.base_path).read_only(options.read_only);
    let places = Arc::new(places(options, connection)?);
    for (name, settings) in places.iter() {
        web = web.place(place(name, settings)?);
    }
    let sentences = Sentences::new(Arc::clone(&places));
    web = web.explain(move |place, id| sentences.of(place, id));
    web = web.doctor(move |name| {
        let named = places.iter().find(|(known, _)| known == name);
        doctor(&named.ok_or("there is no such place")?.1).map_err(|error| chain(&error))
    });
    if let Some(title) = &options.title {
        web = web.title(title);
    }
    if let Some(colour) = &options.colour {
        web = web.colour(colour);
    }
    let access = access(options, address)?;
    let page = web.access(access).redact(&options.redact).build();
    let page = page.map_err(|error| fault(Code::Usage, error.to_string()))?;
    let listener = TcpListener::bind(address)
        .with_context(|| format!("{address} cannot be used: choose another address with --listen"))?;
    let url = format!("http://{}{}/", listener.local_addr()?, options.base_path.trim_end_matches('/'));
    line(&url)?;
    if options.open {
        open(&url);
    }
    blueque_web::serve(page, listener, move || {
        signals.forever().next();
    })?;
    Ok(ExitCode::SUCCESS)
}

fn address(text: &str) -> anyhow::Result<SocketAddr> {
    let found = text.to_socket_addrs().ok().and_then(|mut all| all.next());
    found.ok_or_else(|| {
        fault(Code::Usage, format!("{text} is not an address: --listen takes HOST:PORT, such as 127.0.0.1:{PAGE_PORT}"))
    })
}

/// Returns the places: those of `--place`, the partitions of the topology, or the only namespace.
fn places(options: &Options, connection: &Connection) -> anyhow::Result<Vec<(String, Settings)>> {
    let mut connection = connection.clone();
    if !options.places.is_empty() {
        if connection.url.is_some() || connection.topology.is_some() {
            return Err(fault(Code::Usage, "--place names the servers: leave out --url and --topology"));
        }
        connection.topology = Some(options.places.join(","));
    }
    if let Some(places) = Places::load(&connection)? {
        let chosen = places.chosen(&connection)?.into_iter();
        return Ok(chosen.map(|(name, settings)| (name.to_string(), settings)).collect());
    }
    let settings = Settings::load(&connection)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    let name = settings.namespace().as_str().trim_matches(['{', '}']);
    let name = if name.chars().all(plain) && !name.is_empty() { name } else { PLACE };
    Ok(vec![(name.to_owned(), settings)])
}

fn place(name: &str, settings: &Settings) -> anyhow::Result<Place> {
    let builder = Client::builder().limit(LIMIT).by(caller());
    let builder = if for_tests() { builder.for_tests() } else { builder };
    let made = Place::with(name, &settings.address()?, settings.namespace().clone(), builder);
    made.map_err(|error| fault(Code::Usage, error.to_string()))
}

/// A finding of `blueque doctor`.
#[derive(Deserialize)]
struct Found {
    level: String,
    check: String,
    text: String,
    #[serde(default)]
    todo: String,
}

/// Runs `blueque doctor` on a place, as a process of its own, because it reads much.
fn doctor(settings: &Settings) -> anyhow::Result<Vec<Checked>> {
    let mut command = Command::new("/proc/self/exe");
    command.arg0("blueque").args(["doctor", "-o", "jsonl", "--limit", CHECKED]);
    command.args(["--namespace", settings.namespace().as_str()]);
    // The environment of a process is for its user only, and the settings of this process may be for another place.
    for name in ["BLUEQUE_PASSWORD", "BLUEQUE_TOPOLOGY", "BLUEQUE_DURABILITY"] {
        command.env_remove(name);
    }
    command.env("BLUEQUE_URL", settings.address()?).stdin(Stdio::null());
    let done = command.output().context("blueque doctor cannot be started")?;
    let lines = String::from_utf8_lossy(&done.stdout);
    let found: Vec<Found> = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if found.is_empty() {
        bail!("{}", clean(String::from_utf8_lossy(&done.stderr).trim()));
    }
    let checked = |Found { level, check, text, todo }| Checked { level, check, text, todo };
    Ok(found.into_iter().map(checked).collect())
}

/// Returns who may use the page. Other machines need users, tokens, a proxy, or `--no-auth`.
fn access(options: &Options, address: SocketAddr) -> anyhow::Result<Access> {
    let networks = options.proxy_from.iter().map(|text| {
        text.parse::<Network>().map_err(|error| fault(Code::Usage, format!("--proxy-from {text}: {error}")))
    });
    let mut access = Access::builder().proxies(networks.collect::<anyhow::Result<Networks>>()?);
    if options.no_auth {
        say(format!(
            "warning: --no-auth: everybody who can reach {address} is an admin of every task; \
             `blueque web user add NAME` adds users"
        ));
        return access.open(caller()).hosts(&options.hosts).build().map_err(explained);
    }
    let file = UsersFile::new(file(options.users.as_deref())?);
    let has_users = !file.users().map_err(explained)?.is_empty();
    let is_named =
        options.users.is_some() || std::env::var_os("BLUEQUE_WEB_USERS").is_some_and(|name| !name.is_empty());
    if is_named && !has_users && options.proxy_user_header.is_none() {
        let text = format!("{} has no users: `blueque web user add NAME` adds one", file.path().display());
        return Err(fault(Code::Usage, text));
    }
    if let Some(header) = &options.proxy_user_header {
        let wrong = || fault(Code::Usage, format!("{header} cannot be the name of a header"));
        access = access.proxy_user(header.parse().map_err(|_| wrong())?, named_role(&options.proxy_role));
    }
    if has_users || options.proxy_user_header.is_some() {
        return access.users(file).build().map_err(explained);
    }
    if !address.ip().to_canonical().is_loopback() {
        let text = format!(
            "{address} lets other machines in: add users with `blueque web user add NAME`, or let everybody in with --no-auth"
        );
        return Err(fault(Code::Usage, text));
    }
    access.open(caller()).only_loopback(true).build().map_err(explained)
}

/// Opens the page in the browser of the desktop.
fn open(url: &str) {
    let mut command = Command::new("xdg-open");
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if command.spawn().is_err() {
        say(format!("xdg-open cannot be started: open {url} yourself"));
    }
}
