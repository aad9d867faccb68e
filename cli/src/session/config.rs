//! The server, namespace and password of a command. They come from flags, or else from the environment, or else from a
//! file.

mod file;
mod targets;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Once, OnceLock};
use std::time::Duration;

use blueque::{Client, ClientBuilder, Durability, Namespace, PartitionName, Partitions};
use clap::Args;

pub use self::file::Profiles;
use self::file::{ConfigFile, addresses, choose, variable, warn_if_open};
pub use self::targets::{Target, Targets, Way};
use super::caller::caller;
use super::diagnosis;
use super::password::{Address, Password, malformed, split};
use crate::output::{Code, fault, holds_secret, say};

const URL_HELP: &str = "The server, without a password: redis://host:port/db or unix:///path. Passwords come from \
                        BLUEQUE_PASSWORD or the configuration file. [else BLUEQUE_URL, else redis://127.0.0.1:6379/]";
const FILE_HELP: &str = "The configuration file [else BLUEQUE_CONFIG, else ~/.config/blueque/config.toml, \
                         else /etc/blueque/config.toml]";

const PROFILE_HELP: &str = "A profile of the configuration file, such as prod: its server, namespace and password \
                            [else BLUEQUE_PROFILE, else the choice of blueque profile use]";

const TOPOLOGY_HELP: &str = "Several partitions in place of one server: 1=redis://one,2=redis://two, or \
                             redis://shard-{1..4}.internal, or a file with one a line; docs/run/partitions.md \
                             [else BLUEQUE_TOPOLOGY]";

const DEFAULT_URL: &str = "redis://127.0.0.1:6379/";

const DURABILITY_HELP: &str = "Changes have succeeded when the server has made them (local), has them on its disk (fsync), \
                               or so many replicas have them (replica:2) [else BLUEQUE_DURABILITY, else local]";

/// The flags of this process that select servers and a namespace.
static GIVEN: OnceLock<Vec<String>> = OnceLock::new();

/// Returns the remembered flags.
pub fn given() -> &'static [String] {
    GIVEN.get().map_or(&[], Vec::as_slice)
}

/// Returns the targets of notices in the configuration file that the remembered flags name.
pub fn targets() -> anyhow::Result<Targets> {
    let config = given().iter().find_map(|flag| flag.strip_prefix("--config=")).map(PathBuf::from);
    ConfigFile::targets(config.as_deref())
}

/// Maximum time that an interactive command waits for one reply of the server.
pub const LIMIT: Duration = Duration::from_secs(5);

/// A warning that a process prints once if this user may not read the server's `maxmemory-policy`.
const UNKNOWN_POLICY: &str = "warning: this user may not ask the server (INFO) for its maxmemory-policy; \
     make sure that it is noeviction, or tasks may be removed silently";
static WARNED: Once = Once::new();

/// The flags that select servers and a namespace. Flags override the environment, which overrides the configuration
/// file.
#[derive(Args, Clone, Debug, Default)]
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
    /// A profile of the configuration file: a server with its namespace and password.
    #[arg(long, global = true, value_name = "NAME", conflicts_with_all = ["url", "topology"], help = PROFILE_HELP)]
    pub profile: Option<String>,
    /// The addresses of several partitions, or the path of a file with these addresses.
    #[arg(long, global = true, value_name = "LIST", conflicts_with = "url", help = TOPOLOGY_HELP)]
    pub topology: Option<String>,
    /// True if the topology comes from the shards of a document. Error texts then name `--shard`.
    #[arg(skip)]
    of_shards: bool,
    /// The name of the argument with the URL, if it is not `--url`.
    #[arg(skip)]
    pub url_from: Option<&'static str>,
    /// The durability that a change must have before the command succeeds.
    #[arg(long, global = true, value_name = "HOW", help = DURABILITY_HELP)]
    pub durability: Option<Durability>,
    /// Only these partitions of the topology
    #[arg(long = "partition", global = true, value_name = "NAME", value_delimiter = ',')]
    pub chosen: Vec<PartitionName>,
    /// Allow unique names and limits that apply within each partition separately
    #[arg(long, global = true)]
    pub per_partition: bool,
}

impl Connection {
    /// Remembers the flags of this process, for further commands that it starts.
    pub fn remember(&self) {
        let text = |name: &'static str, value: &Option<String>| {
            value.iter().map(move |value| format!("--{name}={value}")).collect()
        };
        let mut all: Vec<String> = [
            ("url", &self.url),
            ("namespace", &self.namespace),
            ("profile", &self.profile),
            ("topology", &self.topology),
        ]
        .into_iter()
        .flat_map(|(name, value)| -> Vec<String> { text(name, value) })
        .collect();
        all.extend(self.config.iter().map(|path| format!("--config={}", path.display())));
        all.extend(self.chosen.iter().map(|name| format!("--partition={name}")));
        let _ = GIVEN.set(all);
    }

    /// Returns the settings in the configuration file.
    fn file(&self) -> anyhow::Result<ConfigFile> {
        if self.url.is_some() || self.topology.is_some() {
            return ConfigFile::without_profile(self.config.as_deref());
        }
        ConfigFile::find(self.config.as_deref(), self.profile().as_deref())
    }

    /// Returns the profile that a flag or the environment names.
    fn profile(&self) -> Option<String> {
        self.profile.clone().or_else(|| variable("BLUEQUE_PROFILE"))
    }

    /// Returns the profiles of the configuration file.
    pub fn profiles(&self) -> anyhow::Result<Profiles> {
        ConfigFile::profiles(self.config.as_deref(), self.profile().as_deref())
    }

    /// Chooses the profile that further commands use. `None` removes the choice.
    pub fn choose_profile(&self, name: Option<&str>) -> anyhow::Result<()> {
        choose(self.config.as_deref(), name)
    }

    /// Returns these flags with a topology from the shards of a document.
    pub fn with_topology(&self, topology: String) -> Self {
        Self { topology: Some(topology), of_shards: true, ..self.clone() }
    }
}

/// The resolved server, namespace and password.
#[derive(Clone, Debug)]
pub struct Settings {
    address: Address,
    namespace: Namespace,
    durability: Durability,
}

impl Settings {
    /// Resolves flags, environment and file. If there are several partitions, returns the settings of the named
    /// partition.
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
        let file = flags.file()?;
        flags.url.as_deref().map_or(Ok(()), |url| unspoken(flags.url_from.unwrap_or("--url"), url))?;
        let chosen = flags.url.clone().or_else(|| variable("BLUEQUE_URL"));
        let url = chosen.as_ref().or(file.url.as_ref()).map_or(DEFAULT_URL, |url| url);
        let (address, durability) = (address(url, &file)?, durability(flags)?);
        Ok(Self { address, namespace: namespace(flags, file.namespace)?, durability })
    }

    /// Returns the URL without a password. It may be shown and stored.
    pub fn url(&self) -> &str {
        &self.address.url
    }

    pub fn password(&self) -> Option<&Password> {
        self.address.password.as_ref()
    }

    pub fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// Returns the URL with the password. The result is only for connections and is never shown.
    pub fn address(&self) -> anyhow::Result<String> {
        self.address.secret().ok_or_else(malformed)
    }

    /// Connects a client that makes one call at a time.
    pub fn client(&self) -> anyhow::Result<Client> {
        self.open(builder())
    }

    /// Connects a client with a time limit for each call.
    pub fn client_within(&self, limit: Duration) -> anyhow::Result<Client> {
        self.open(builder().limit(limit).durability(self.durability))
    }

    /// Connects a client for an interactive command, which soon reports a server that cannot be used.
    pub fn client_at_once(&self, limit: Duration) -> anyhow::Result<Client> {
        self.open(builder().limit(limit).durability(self.durability).patience(diagnosis::STARTING))
    }

    fn open(&self, builder: ClientBuilder) -> anyhow::Result<Client> {
        blueque::Address::parse(self.url())?.secret_files().for_each(warn_if_open);
        let builder = builder.namespace(self.namespace.clone());
        let opened = builder.open(&self.address()?);
        let client = opened.map_err(|error| diagnosis::explained(self.url(), &self.namespace, error))?;
        if client.handshake().is_some_and(|handshake| handshake.policy.is_none()) {
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

/// Fails if an argument contains a password.
fn unspoken(flag: &str, text: &str) -> anyhow::Result<()> {
    if !holds_secret(text) {
        return Ok(());
    }
    let text = format!(
        "{flag} holds a password, which every user of this machine can read in the list of processes: set \
         BLUEQUE_PASSWORD, or `password` in the configuration file"
    );
    Err(fault(Code::Usage, text))
}

/// Returns the server of a URL with its password: from the environment, else from the URL, else from the file.
fn address(url: &str, file: &ConfigFile) -> anyhow::Result<Address> {
    let (url, inline) = split(url)?;
    let has_file = blueque::Address::parse(&url)?.password_file().is_some();
    let password = match variable("BLUEQUE_PASSWORD").or(inline) {
        Some(text) => Some(Password::Text(text)),
        None if has_file => None,
        None => file.password(&url)?,
    };
    if password.is_none()
        && let Some(user) = user(&url)
    {
        // Without a password, the connection would use the default user instead of the named user.
        return Err(fault(
            Code::Usage,
            format!(
                "the URL names the user {user}, but there is no password: set BLUEQUE_PASSWORD, or `password` or \
                 `password_file` in the configuration file; for a user without one (nopass) any will do"
            ),
        ));
    }
    Ok(Address { url, password })
}

/// Several partitions, and the settings of each.
#[derive(Clone)]
pub struct Places {
    /// The partitions, without connections and passwords.
    pub partitions: Partitions,
    settings: BTreeMap<PartitionName, Settings>,
    /// Namespace of the partitions whose address has no namespace.
    usual: Namespace,
}

impl Places {
    /// Returns the partitions from flags, environment or file, or `None` if no topology is set. `--url` selects a
    /// single server.
    pub fn load(flags: &Connection) -> anyhow::Result<Option<Self>> {
        Self::with(flags, &[])
    }

    /// Returns the partitions like `load`, and also the partitions that arguments name.
    pub fn with(flags: &Connection, more: &[String]) -> anyhow::Result<Option<Self>> {
        let file = flags.file()?;
        if flags.url.is_some() {
            return Ok(None);
        }
        // A server in the environment takes precedence over a topology in the file.
        let of_file = || file.topology.clone().filter(|_| variable("BLUEQUE_URL").is_none());
        let (given, given_by) = if let Some(given) = flags.topology.clone() {
            (given, if flags.of_shards { "--shard" } else { "--topology" })
        } else if let Some(given) = variable("BLUEQUE_TOPOLOGY") {
            (given, "BLUEQUE_TOPOLOGY")
        } else if let Some(given) = of_file() {
            (given, "`topology` in the configuration file")
        } else {
            return Ok(None);
        };
        if flags.topology.is_some() {
            unspoken(given_by, &given)?;
        }
        let mut text = addresses(given_by, &given)?;
        for entry in more {
            unspoken("NAME=URL", entry)?;
            if !entry.contains("://") {
                return Err(fault(Code::Usage, "each partition to be added must be NAME=URL"));
            }
            text.push(',');
            text.push_str(entry);
        }
        let usual = namespace(flags, file.namespace.clone())?;
        let partitions = Client::builder().namespace(usual.clone()).by(caller()).open_partitions(&text)?;
        let durability = durability(flags)?;
        let mut settings = BTreeMap::new();
        for name in partitions.names() {
            let (url, namespace) = partitions.address(name)?;
            let settings_of = Settings { address: address(url, &file)?, namespace: namespace.clone(), durability };
            settings.insert(name.clone(), settings_of);
        }
        Ok(Some(Self { partitions, settings, usual }))
    }

    /// Returns the settings of a partition.
    pub fn settings(&self, name: &PartitionName) -> anyhow::Result<&Settings> {
        self.settings.get(name).ok_or_else(|| {
            let names: Vec<_> = self.settings.keys().map(PartitionName::as_str).collect();
            fault(Code::Usage, format!("there is no partition {name}: there are {}", names.join(" ")))
        })
    }

    /// Returns the named partitions, or all partitions if none is named.
    pub fn chosen(&self, flags: &Connection) -> anyhow::Result<Vec<(PartitionName, Settings)>> {
        let all = if flags.chosen.is_empty() { self.settings.keys().collect() } else { Vec::from_iter(&flags.chosen) };
        let mut found = BTreeMap::new();
        for name in all {
            found.insert(name.clone(), self.settings(name)?.clone());
        }
        Ok(found.into_iter().collect())
    }

    /// Returns the addresses without passwords as a topology, and true if passwords were left out.
    pub fn shown(&self) -> (String, bool) {
        let entry = |(name, settings): (&PartitionName, &Settings)| {
            let own = Some(settings.namespace()).filter(|&namespace| *namespace != self.usual);
            format!("{name}={}{}", settings.url(), own.map_or_else(String::new, |own| format!("#{own}")))
        };
        let entries: Vec<String> = self.settings.iter().map(entry).collect();
        (entries.join(","), self.settings.values().any(|settings| settings.password().is_some()))
    }

    /// Returns the partitions with their passwords, for connections.
    pub fn reachable(&self, limit: Duration) -> anyhow::Result<Partitions> {
        let entry = |(name, settings): (&PartitionName, &Settings)| {
            Ok(format!("{name}={}#{}", settings.address()?, settings.namespace()))
        };
        let all = self.settings.iter().map(entry).collect::<anyhow::Result<Vec<_>>>()?;
        // All partitions have the same durability.
        let durability = self.settings.values().next().map(|settings| settings.durability).unwrap_or_default();
        Ok(Client::builder().by(caller()).durability(durability).limit(limit).open_partitions(&all.join(","))?)
    }
}

/// Returns a builder of a client for the chosen namespace.
pub fn builder() -> ClientBuilder {
    // A command may wait for any time, because `LIMIT` limits single calls.
    let builder = Client::builder().by(caller()).patience(Duration::MAX);
    if for_tests() { builder.for_tests() } else { builder }
}

/// Returns true if namespaces for tests may be used. In such a namespace, the clock may show any time. Supervisors
/// inherit the environment variable that allows this.
pub fn for_tests() -> bool {
    variable("BLUEQUE_FOR_TESTS").is_some_and(|on| on == "1")
}

/// Returns the user in a URL, unless it is the default user or the URL names a password file.
fn user(url: &str) -> Option<String> {
    let address = blueque::Address::parse(url).ok().filter(|address| address.password_file().is_none())?;
    address.user().map(str::to_owned)
}
