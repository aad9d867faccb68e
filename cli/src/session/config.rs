//! Which server, namespace and password to use: from flags, else the environment, else a file.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

use blueque::{Client, ClientBuilder, Durability, Namespace, PartitionName, Partitions};
use clap::Args;
use serde::Deserialize;

use super::caller::caller;
use super::diagnosis;
use super::password::{Address, Password};
use crate::output::{Code, fault, say};

const URL_HELP: &str = "The server, without a password: redis://host:port/db or unix:///path. Passwords come from \
                        BLUEQUE_PASSWORD or the configuration file. [else BLUEQUE_URL, else redis://127.0.0.1:6379/]";
const FILE_HELP: &str = "The configuration file [else BLUEQUE_CONFIG, else ~/.config/blueque/config.toml]";

const TOPOLOGY_HELP: &str = "Several partitions in place of one server: 1=redis://one,2=redis://two, or \
                             redis://shard-{1..4}.internal, or a file with one a line; docs/partitions.md \
                             [else BLUEQUE_TOPOLOGY]";

const DEFAULT_URL: &str = "redis://127.0.0.1:6379/";

const DURABILITY_HELP: &str = "Changes have succeeded when the server has made them (local), has them on its disk (fsync), \
                               or so many replicas have them (replica:2) [else BLUEQUE_DURABILITY, else local]";

/// The forms of a URL, for error texts. They do not repeat the given URL: it may contain a password.
const FORMS: &str = "redis://[user@]host[:port][,host[:port]][/db], unix:///path[?db=N], \
                     redis+sentinel://host[:port],host[:port]/name[/db] or redis+cluster://host[:port],host[:port]; \
                     rediss:// in place of redis:// for TLS";

/// Printed once in a process if it is unknown whether the server evicts tasks.
const UNKNOWN_POLICY: &str = "warning: this user may not ask the server (INFO) for its maxmemory-policy; \
     make sure that it is noeviction, or tasks may be removed silently";
static WARNED: Once = Once::new();

/// Said once in a process if others may read the file with the password.
static OPEN: Once = Once::new();

/// Which server and namespace. Flags override the environment, which overrides the configuration file.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Everywhere")]
pub struct Connection {
    /// The server, without a password.
    #[arg(long, global = true, value_name = "URL", help = URL_HELP)]
    pub url: Option<String>,
    /// The prefix of all keys.
    #[arg(long, global = true, value_name = "NAME", help = "The namespace [else BLUEQUE_NAMESPACE, else blueque]")]
    pub namespace: Option<String>,
    /// The configuration file.
    #[arg(long, global = true, value_name = "FILE", help = FILE_HELP)]
    pub config: Option<PathBuf>,
    /// Several partitions, or a file that names them.
    #[arg(long, global = true, value_name = "LIST", conflicts_with = "url", help = TOPOLOGY_HELP)]
    pub topology: Option<String>,
    /// Whether the options `--shard` of a document were that.
    #[arg(skip)]
    of_shards: bool,
    /// When what a command changes has succeeded.
    #[arg(long, global = true, value_name = "HOW", help = DURABILITY_HELP)]
    pub durability: Option<Durability>,
    /// Only these partitions of the topology
    #[arg(long = "partition", global = true, value_name = "NAME", value_delimiter = ',')]
    pub chosen: Vec<PartitionName>,
    /// Let unique names, and limits, hold in each partition by itself
    #[arg(long, global = true)]
    pub per_partition: bool,
}

impl Connection {
    /// The same, to these partitions, which are named as shards.
    pub fn with_topology(&self, topology: String) -> Self {
        Self { topology: Some(topology), of_shards: true, ..self.clone() }
    }
}

/// Where to connect, resolved.
#[derive(Clone, Debug)]
pub struct Settings {
    address: Address,
    namespace: Namespace,
    durability: Durability,
}

/// The configuration file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    url: Option<String>,
    namespace: Option<String>,
    topology: Option<String>,
    password: Option<String>,
    #[serde(rename = "password_file")]
    secret: Option<PathBuf>,
}

impl Settings {
    /// Resolves flags, environment and file. Of several partitions the one that was named.
    pub fn load(flags: &Connection) -> anyhow::Result<Self> {
        let Some(places) = Places::load(flags)? else {
            if flags.chosen.is_empty() {
                return Self::of_one(flags);
            }
            return Err(fault(Code::Usage, "--partition needs a --topology, or BLUEQUE_TOPOLOGY"));
        };
        match flags.chosen.as_slice() {
            [name] => places.settings(name).cloned(),
            _ => Err(fault(
                Code::Usage,
                "this command works on one partition: name it with --partition, or leave out the topology",
            )),
        }
    }

    fn of_one(flags: &Connection) -> anyhow::Result<Self> {
        let file = File::find(flags.config.as_deref())?;
        flags.url.as_deref().map_or(Ok(()), |url| unspoken("--url", url))?;
        let chosen = flags.url.clone().or_else(|| variable("BLUEQUE_URL"));
        // The file's password belongs to the file's server, and is sent to no other.
        let same = chosen.is_none() || file.url.is_none() || chosen == file.url;
        let (url, inline) = split(chosen.as_ref().or(file.url.as_ref()).map_or(DEFAULT_URL, |url| url))?;
        let mut password = variable("BLUEQUE_PASSWORD").or(inline).map(Password::Text);
        let of_url = blueque::Address::parse(&url)?.password_file().is_some();
        if password.is_none() && same && !of_url {
            password = file.password()?;
        }
        if password.is_none()
            && let Some(user) = user(&url)
        {
            // The connection would use the default user.
            return Err(fault(
                Code::Usage,
                format!(
                    "the URL names the user {user}, but there is no password: set BLUEQUE_PASSWORD, or `password` or \
                     `password_file` in the configuration file; for a user without one (nopass) any will do"
                ),
            ));
        }
        let (namespace, durability) = (namespace(flags, file.namespace)?, durability(flags)?);
        Ok(Self { address: Address { url, password }, namespace, durability })
    }

    /// The URL without a password, which may be shown and stored.
    pub fn url(&self) -> &str {
        &self.address.url
    }

    pub fn password(&self) -> Option<&Password> {
        self.address.password.as_ref()
    }

    pub fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// The URL with the password: to connect with, never to be shown.
    pub fn address(&self) -> anyhow::Result<String> {
        self.address.secret().ok_or_else(malformed)
    }

    /// Connects, for one call at a time.
    pub fn client(&self) -> anyhow::Result<Client> {
        self.open(builder())
    }

    /// Connects, with a time limit for each call.
    pub fn client_within(&self, limit: Duration) -> anyhow::Result<Client> {
        self.open(builder().limit(limit).durability(self.durability))
    }

    /// The same for a person who waits, and wants to know soon that this is the wrong server.
    pub fn client_at_once(&self, limit: Duration) -> anyhow::Result<Client> {
        self.open(builder().limit(limit).durability(self.durability).patience(diagnosis::STARTING))
    }

    fn open(&self, builder: ClientBuilder) -> anyhow::Result<Client> {
        if let Some(file) = blueque::Address::parse(self.url())?.password_file() {
            OPEN.call_once(|| warn_if_open(file));
        }
        let builder = builder.namespace(self.namespace.clone());
        let opened = builder.open(&self.address()?);
        let client = opened.map_err(|error| diagnosis::explained(self.url(), &self.namespace, error))?;
        if client.greeting().is_some_and(|greeting| greeting.policy.is_none()) {
            WARNED.call_once(|| say(UNKNOWN_POLICY));
        }
        Ok(client)
    }
}

fn namespace(flags: &Connection, of_file: Option<String>) -> anyhow::Result<Namespace> {
    let chosen = flags.namespace.clone().or_else(|| variable("BLUEQUE_NAMESPACE")).or(of_file);
    Ok(chosen.map_or_else(|| Ok(Namespace::default()), Namespace::new)?)
}

fn durability(flags: &Connection) -> anyhow::Result<Durability> {
    let named = || variable("BLUEQUE_DURABILITY").map_or(Ok(Durability::default()), |text| text.parse());
    let wrong = |error: &str| fault(Code::Usage, format!("BLUEQUE_DURABILITY {error}"));
    flags.durability.map_or_else(|| named().map_err(wrong), Ok)
}

/// Fails if an argument holds a password.
fn unspoken(flag: &str, url: &str) -> anyhow::Result<()> {
    if split(url)?.1.is_none() {
        return Ok(());
    }
    let text = format!(
        "{flag} holds a password, which every user of this machine can read in the list of processes: set \
         BLUEQUE_PASSWORD, or `password` in the configuration file"
    );
    Err(fault(Code::Usage, text))
}

/// Several partitions, and how each is reached.
#[derive(Clone)]
pub struct Places {
    /// Without connections and passwords.
    pub partitions: Partitions,
    settings: BTreeMap<PartitionName, Settings>,
    text: String,
}

impl Places {
    /// Those of flags, environment or file, if any. `--url` asks for one server.
    pub fn load(flags: &Connection) -> anyhow::Result<Option<Self>> {
        let file = File::find(flags.config.as_deref())?;
        if flags.url.is_some() {
            return Ok(None);
        }
        let of_environment = variable("BLUEQUE_TOPOLOGY");
        // A server in the environment is closer than a topology in the file.
        let of_file = if variable("BLUEQUE_URL").is_none() { file.topology.clone() } else { None };
        let Some(given) = flags.topology.clone().or(of_environment).or(of_file) else { return Ok(None) };
        let text = if given.contains("://") { given } else { listed(Path::new(&given))? };
        let partitions =
            Partitions::builder().namespace(namespace(flags, file.namespace.clone())?).by(caller()).open(&text)?;
        let password = variable("BLUEQUE_PASSWORD").map(Password::Text);
        let mut settings = BTreeMap::new();
        for name in partitions.names() {
            let (url, namespace) = partitions.address(name)?;
            if flags.topology.as_deref().is_some_and(|given| given.contains("://")) {
                unspoken(if flags.of_shards { "--shard" } else { "--topology" }, url)?;
            }
            let (url, inline) = split(url)?;
            let mut password = password.clone().or(inline.map(Password::Text));
            if password.is_none() && file.url.is_none() {
                password = file.password()?;
            }
            let (namespace, durability) = (namespace.clone(), durability(flags)?);
            let settings_of = Settings { address: Address { url, password }, namespace, durability };
            settings.insert(name.clone(), settings_of);
        }
        Ok(Some(Self { partitions, settings, text }))
    }

    /// How a partition is reached.
    pub fn settings(&self, name: &PartitionName) -> anyhow::Result<&Settings> {
        self.settings.get(name).ok_or_else(|| {
            let names: Vec<_> = self.settings.keys().map(PartitionName::as_str).collect();
            fault(Code::Usage, format!("there is no partition {name}: there are {}", names.join(" ")))
        })
    }

    /// The partitions that were named, or all.
    pub fn chosen(&self, flags: &Connection) -> anyhow::Result<Vec<(PartitionName, Settings)>> {
        let all = if flags.chosen.is_empty() { self.settings.keys().collect() } else { Vec::from_iter(&flags.chosen) };
        let mut found = BTreeMap::new();
        for name in all {
            found.insert(name.clone(), self.settings(name)?.clone());
        }
        Ok(found.into_iter().collect())
    }

    /// The addresses as they were given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The partitions with passwords, to connect with: at these addresses, and at more.
    pub fn reachable(&self, limit: Duration, more: &[String]) -> anyhow::Result<Partitions> {
        let mut all = more.to_vec();
        for (name, settings) in &self.settings {
            all.push(format!("{name}={}#{}", settings.address()?, settings.namespace()));
        }
        // One for all.
        let durability = self.settings.values().next().map(|settings| settings.durability).unwrap_or_default();
        Ok(Partitions::builder().by(caller()).durability(durability).limit(limit).open(&all.join(","))?)
    }
}

/// The addresses in a file: one a line. Empty lines, and lines that begin with `#`, are skipped.
fn listed(path: &Path) -> anyhow::Result<String> {
    let text = fs::read_to_string(path).map_err(|error| {
        let what = "is neither a list of addresses, NAME=URL,NAME=URL, nor a file that can be read";
        fault(Code::Usage, format!("the topology {} {what}: {error}", path.display()))
    })?;
    let lines: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    if lines.iter().any(|line| split_password(line)) {
        warn_if_open(path);
    }
    Ok(lines.join(","))
}

/// Whether an entry of a topology has a password.
fn split_password(entry: &str) -> bool {
    entry.split_once("://").is_some_and(|(_, rest)| rest.split_once('@').is_some_and(|(user, _)| user.contains(':')))
}

/// For a client of the chosen namespace.
pub fn builder() -> ClientBuilder {
    // Who waits goes on waiting.
    let builder = Client::builder().by(caller()).patience(Duration::MAX);
    if for_tests() { builder.for_tests() } else { builder }
}

/// Whether namespaces for tests may be used, whose clock may show any time. Supervisors inherit it.
pub fn for_tests() -> bool {
    variable("BLUEQUE_FOR_TESTS").is_some_and(|on| on == "1")
}

fn malformed() -> anyhow::Error {
    fault(Code::Usage, format!("the URL of the server must be {FORMS}"))
}

/// Splits a URL and its password.
fn split(text: &str) -> anyhow::Result<(String, Option<String>)> {
    if ["rediss", "valkeys"].iter().any(|scheme| text.starts_with(scheme)) && !cfg!(feature = "tls-rustls") {
        return Err(fault(
            Code::Usage,
            "this blueque was built without TLS: cargo install --path cli --features tls-rustls",
        ));
    }
    let address = blueque::Address::parse(&blueque::Address::completed(text)).map_err(|_| malformed())?;
    let password = address.password().map(str::to_owned).filter(|password| !password.is_empty());
    Ok((address.to_string(), password))
}

/// The user in a URL without a file for the password, unless it is the default one.
fn user(url: &str) -> Option<String> {
    let address = blueque::Address::parse(url).ok().filter(|address| address.password_file().is_none())?;
    address.user().map(str::to_owned)
}

/// An environment variable; an empty one counts as absent.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

impl File {
    /// Reads the named file, or the one in its usual place if it exists.
    fn find(named: Option<&Path>) -> anyhow::Result<Self> {
        let named = named.map(Path::to_owned).or_else(|| variable("BLUEQUE_CONFIG").map(PathBuf::from));
        if let Some(path) = named {
            return Self::read(&path);
        }
        let base = variable("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .or_else(|| variable("HOME").map(|home| PathBuf::from(home).join(".config")));
        match base.map(|base| base.join("blueque/config.toml")) {
            Some(path) if path.exists() => Self::read(&path),
            _ => Ok(Self::default()),
        }
    }

    fn read(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let text = fs::read_to_string(path)
            .map_err(|error| fault(Code::Usage, format!("the configuration file {shown} cannot be read: {error}")))?;
        // The full error would show the line, and with it a password.
        let file: Self = toml::from_str(&text).map_err(|error| {
            let line =
                error.span().and_then(|span| text.get(..span.start)).map_or(1, |before| before.split('\n').count());
            fault(Code::Usage, format!("the configuration file {shown}, line {line}: {}", about(&error)))
        })?;
        if file.password.is_some() || file.url.as_deref().is_some_and(|url| split(url).is_ok_and(|s| s.1.is_some())) {
            warn_if_open(path);
        }
        Ok(file)
    }

    fn password(&self) -> anyhow::Result<Option<Password>> {
        let Some(path) = &self.secret else { return Ok(self.password.clone().map(Password::Text)) };
        warn_if_open(path);
        Ok(Some(Password::File(std::path::absolute(path)?)))
    }
}

/// Warns if a file with a password is readable by others.
fn warn_if_open(path: &Path) {
    if fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0) {
        let shown = path.display();
        say(format!("warning: {shown} holds a password and others may read it: chmod 600 {shown}"));
    }
}

/// What is wrong, without values.
fn about(error: &toml::de::Error) -> String {
    let message = error.message();
    if message.starts_with("unknown field") || message.starts_with("missing field") {
        message.to_owned()
    } else {
        "not TOML, or a value that is no text; it may have url, namespace, topology, password, password_file".to_owned()
    }
}
