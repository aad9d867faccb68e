//! `blueque ping`: the servers behind an address, and the problems that prevent their use.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use blueque::{Address, PartitionName};
use clap::Args;
use serde::Serialize;

use super::checks::{Checks, Finding, Level};
use super::{counted, findings, write};
use crate::input::values::duration;
use crate::output::table::{Row, write as write_rows, write_one};
use crate::output::{Code, Format, chain, fault, line, many};
use crate::session::config::{Connection, Places, Settings};
use crate::session::diagnosis;
use crate::session::many::{AT_ONCE, at_once};
use crate::subcommand::{Global, Subcommand};

/// Number of round trips that are measured.
const TRIPS: usize = 5;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The address of a server, of Sentinels, or of a cluster, instead of --url
    address: Option<String>,
    /// Maximum time that a server may take for one reply
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    timeout: Duration,
}

/// The output of `ping`.
#[derive(Serialize)]
struct Ping {
    #[serde(skip_serializing_if = "Option::is_none")]
    partition: Option<String>,
    address: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<Server>,
    checks: Vec<Finding>,
}

/// The server at the address. Facts that this user may not read are left out.
#[derive(Serialize)]
struct Server {
    software: &'static str,
    version: String,
    role: String,
    replicas: Option<u32>,
    cluster: bool,
    appendonly: Option<bool>,
    appendfsync: Option<String>,
    maxmemory_policy: Option<String>,
    round_trip_ms: Option<f64>,
}

impl Row for Ping {
    fn id(&self) -> String {
        self.address.clone()
    }
}

impl Subcommand for Options {
    fn start(&self, global: &Global<'_>) -> Option<anyhow::Result<ExitCode>> {
        let done = global.without_durability().and_then(|()| run(global.connection, self, global.format));
        Some(done.map(Code::into))
    }
}

fn run(connection: &Connection, options: &Options, format: Format) -> anyhow::Result<Code> {
    let mut flags = connection.clone();
    if let Some(address) = &options.address {
        if flags.url.replace(address.clone()).is_some() {
            return Err(fault(Code::Usage, "give the address or --url, not both"));
        }
        flags.url_from = Some("the address");
    }
    if let Some(places) = Places::load(&flags)? {
        return of_partitions(&places, &flags, options.timeout, format);
    }
    let settings = Settings::load(&flags)?;
    let mut ping = Ping::new(&settings);
    let reached = look(&mut ping, &settings, options.timeout)?;
    match format {
        Format::Table => ping.checks.iter().try_for_each(write)?,
        format => write_one(format, &ping)?,
    }
    let code = counted(findings(&ping.checks));
    Ok(if reached { code } else { Code::Unreachable })
}

impl Ping {
    fn new(settings: &Settings) -> Self {
        Self { partition: None, address: settings.url().to_owned(), server: None, checks: Vec::new() }
    }
}

/// Asks all partitions at the same time.
fn of_partitions(places: &Places, flags: &Connection, limit: Duration, format: Format) -> anyhow::Result<Code> {
    let names: Vec<PartitionName> = places.chosen(flags)?.into_iter().map(|(name, _)| name).collect();
    let found = at_once(&names, AT_ONCE, |name| {
        let settings = places.settings(name)?;
        let mut ping = Ping { partition: Some(name.to_string()), ..Ping::new(settings) };
        let reached = look(&mut ping, settings, limit)?;
        if reached {
            ping.checks.push(belongs(places, name, settings, limit));
        } else if let Some(last) = ping.checks.last_mut() {
            last.text = last.text.replace(&format!("; {}", diagnosis::START), "");
            last.todo = Some("start it, or correct its address in the topology".to_owned());
        }
        Ok((ping, reached))
    });
    let found = found.into_iter().map(|(_, found)| found).collect::<anyhow::Result<Vec<_>>>()?;
    let all = found.iter().all(|(_, reached)| *reached);
    let findings = findings(found.iter().flat_map(|(ping, _)| &ping.checks));
    if format == Format::Table {
        for (ping, _) in &found {
            line(format!("partition {}", ping.partition.as_deref().unwrap_or_default()))?;
            ping.checks.iter().try_for_each(write)?;
        }
    } else {
        write_rows(format, &found.into_iter().map(|(ping, _)| ping).collect::<Vec<_>>())?;
    }
    let code = counted(findings);
    Ok(if all { code } else { Code::Unreachable })
}

/// Checks that the namespace is this partition of this topology.
fn belongs(places: &Places, name: &PartitionName, settings: &Settings, limit: Duration) -> Finding {
    let told = settings.client_at_once(limit).and_then(|client| {
        let stored = client.topology()?;
        places.partitions.require(name, stored.as_ref())?;
        Ok(stored.map(|stored| stored.topology.version()).unwrap_or_default())
    });
    match told {
        Ok(version) => {
            let text = format!("it is the partition {name} of version {version}");
            Finding::new(Level::Ok, "topology", text)
        }
        Err(error) => {
            let todo = "blueque partition add stores the topology, where it is right";
            Finding::new(Level::Finding, "topology", chain(&error)).todo(todo)
        }
    }
}

/// Checks a server, and adds the results to `ping`. Returns true if the server was reached.
fn look(ping: &mut Ping, settings: &Settings, limit: Duration) -> anyhow::Result<bool> {
    let address = Address::parse(&settings.address()?)?;
    ping.checks = nodes(&address, settings, limit);
    let connection = match super::connect(settings, limit, Duration::ZERO) {
        Ok(connection) => connection,
        Err(error) => {
            ping.checks.push(Finding::new(Level::Finding, "server", chain(&error)));
            return Ok(false);
        }
    };
    let mut checks = Checks::new(connection, format!("{}_", settings.namespace()), 0, limit);
    let trip = round_trip(&mut checks);
    let took = trip.map_or(String::new(), |trip| format!(" in {trip:.2} ms"));
    checks.ok("server", format!("{} answers{took}", diagnosis::place(settings.url())));
    let looked = checks.server().map(drop);
    let looked = checks.bear(looked).map_err(|error| super::explained(settings, error));
    role(&mut checks, &address);
    if let Err(error) = looked {
        checks.found.push(Finding::new(Level::Finding, "server", chain(&error)));
    } else if checks.fact("redis_mode") != "sentinel" && !wrong_kind(&checks, &address) {
        checks.rights(settings)?;
    }
    checks.count_up();
    ping.server = Some(server(&mut checks, trip));
    ping.checks.append(&mut checks.found);
    Ok(true)
}

/// Returns the state of each of several nodes, as the node reports it.
fn nodes(address: &Address, settings: &Settings, limit: Duration) -> Vec<Finding> {
    let (check, itself, other) = match settings.url() {
        url if url.contains("+sentinel://") => ("sentinel", "the master", "names a server that is not the master now"),
        _ if address.is_cluster() => ("cluster", "the node that holds the namespace", "names no node"),
        _ => ("hosts", "the master", "is a replica, and passed over"),
    };
    let finding = |(node, said)| match said {
        Ok(Some(server)) if server == node => Finding::new(Level::Ok, check, format!("{node} is {itself}")),
        Ok(Some(server)) => Finding::new(Level::Ok, check, format!("{node} names {server}")),
        Ok(None) => Finding::new(Level::Note, check, format!("{node} {other}")),
        Err(error) => {
            let (why, todo) = diagnosis::why(&error);
            let found = Finding::new(Level::Finding, check, format!("{node}: {why}"));
            match todo.unwrap_or("start it, or leave it out of the URL") {
                "" => found,
                todo => found.todo(todo),
            }
        }
    };
    address.look(settings.namespace(), limit).into_iter().map(finding).collect()
}

/// Returns the median round trip in milliseconds, or `None` if this user may not send a ping.
fn round_trip(checks: &mut Checks) -> Option<f64> {
    let mut trips = Vec::new();
    for _ in 0..TRIPS {
        let sent = Instant::now();
        checks.ask::<redis::Value>(&["PING"]).ok()?;
        trips.push(sent.elapsed().as_secs_f64() * 1e3);
    }
    trips.sort_by(f64::total_cmp);
    trips.get(TRIPS / 2).copied()
}

fn role(checks: &mut Checks, address: &Address) {
    if checks.fact("role") == "master" {
        let text = match checks.fact("connected_slaves") {
            "0" => "master, without replicas: a failover is not possible".to_owned(),
            number => format!("master, with {}", many(number, "replica")),
        };
        checks.ok("role", text);
    }
    let node = checks.fact("cluster_enabled") == "1";
    if node && !address.is_cluster() {
        let text = "a node of a cluster: redis+cluster:// in place of redis:// follows the namespace to other nodes";
        checks.note("cluster", text);
    } else if wrong_kind(checks, address) {
        checks.finding("cluster", "the server is no node of a cluster", "write redis:// in place of redis+cluster://");
    }
    if !node {
        return;
    }
    let info = checks.ask::<String>(&["CLUSTER", "INFO"]).unwrap_or_default();
    if info.lines().any(|line| line == "cluster_state:fail") {
        let todo = "CLUSTER INFO and CLUSTER SHARDS say what it lacks: start its nodes, or assign its slots";
        checks.finding("cluster", "the cluster does not serve: it lacks slots, or most of its masters", todo);
    }
}

/// Returns true if the address names a cluster, and the server reports that it is not part of a cluster.
fn wrong_kind(checks: &Checks, address: &Address) -> bool {
    address.is_cluster() && checks.fact("cluster_enabled") == "0"
}

fn server(checks: &mut Checks, round_trip_ms: Option<f64>) -> Server {
    let appendfsync = checks.setting("appendfsync");
    let (software, version, _) = checks.software();
    let fact = |name| Some(checks.fact(name)).filter(|value| !value.is_empty()).map(str::to_owned);
    let role = match checks.fact("redis_mode") {
        "sentinel" => "sentinel",
        _ if checks.fact("role") == "slave" => "replica",
        _ => checks.fact("role"),
    };
    Server {
        software,
        version,
        role: role.to_owned(),
        replicas: fact("connected_slaves").and_then(|number| number.parse().ok()),
        cluster: checks.fact("cluster_enabled") == "1",
        appendonly: fact("aof_enabled").map(|on| on == "1"),
        appendfsync,
        maxmemory_policy: fact("maxmemory_policy"),
        round_trip_ms,
    }
}
