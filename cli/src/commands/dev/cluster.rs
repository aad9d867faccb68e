//! The private cluster of `blueque dev --cluster`: three masters, each with a third of the slots, and optionally a
//! replica of each master. The nodes store their ids and ports in their own files.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use uuid::Uuid;

use super::server::{self, Setup};
use crate::output::{Code, fault};
use crate::safe_path::private_folders;

const MASTERS: usize = 3;

/// The slots of each master of a new cluster.
const SLOTS: [&str; MASTERS] = ["0-5460", "5461-10922", "10923-16383"];

/// Difference between a node's port and the port on which nodes talk to each other.
const BUS: u16 = 10_000;

const NODES: &str = "nodes.conf";

/// Returns the settings of the nodes. The nodes are those of an earlier start, or new nodes.
pub fn setups(folder: &Path, replicas: bool, port: Option<u16>) -> anyhow::Result<Vec<Setup>> {
    server::program()?;
    private_folders(folder)?;
    let password = server::password(folder).context("no password can be kept")?;
    let number = if replicas { 2 * MASTERS } else { MASTERS };
    let folders: Vec<PathBuf> = (1..=number).map(|number| folder.join(format!("node-{number}"))).collect();
    for folder in &folders {
        private_folders(folder)?;
    }
    let known = folders.iter().map(|folder| own(folder)).collect::<io::Result<Option<Vec<_>>>>()?;
    let before = known.as_ref().map(|known| known.iter().map(|(_, port)| *port).collect());
    let ports = ports(number, port, before)?;
    match known {
        Some(known) => {
            let places: HashMap<String, u16> = known.into_iter().map(|(id, _)| id).zip(ports.iter().copied()).collect();
            for folder in &folders {
                moved(folder, &places)?;
            }
        }
        None => new(&folders, &ports)?,
    }
    let setup = |(folder, port)| Setup { folder, port, password: password.clone(), node: true };
    Ok(folders.into_iter().zip(ports).map(setup).collect())
}

/// Returns the ports of the nodes. They begin at the port that the user named. If the user named none, they are the
/// free ports of an earlier start, or other free ports.
fn ports(number: usize, asked: Option<u16>, before: Option<Vec<u16>>) -> anyhow::Result<Vec<u16>> {
    if let Some(first) = asked {
        let last = u16::try_from(number).ok().and_then(|number| first.checked_add(number - 1));
        let last = last.filter(|last| last.checked_add(BUS).is_some()).ok_or_else(|| {
            let highest = u16::MAX - BUS + 1 - u16::try_from(number).unwrap_or(u16::MAX);
            fault(Code::Usage, format!("the nodes' ports begin at --port, which may be {highest} at most"))
        })?;
        for port in first..=last {
            both_free(port).map_err(|error| server::taken(port, &error))?;
        }
        return Ok((first..=last).collect());
    }
    let before = before.unwrap_or_default();
    let mut ports: Vec<u16> = Vec::new();
    for place in 0..number {
        let kept = before.get(place).copied().filter(|port| !ports.contains(port) && both_free(*port).is_ok());
        let port = match kept {
            Some(port) => port,
            None => another(&[&before[..], &ports].concat())?,
        };
        ports.push(port);
    }
    Ok(ports)
}

/// Fails unless both the port of a node and its port for other nodes are free.
fn both_free(port: u16) -> io::Result<()> {
    let bus = port.checked_add(BUS).ok_or(io::ErrorKind::AddrNotAvailable)?;
    server::free(port).and_then(|()| server::free(bus))
}

/// Returns a free port that no node has.
fn another(others: &[u16]) -> anyhow::Result<u16> {
    // Unsuitable ports stay open until a port is found. Otherwise the system returns the same port again.
    let mut unfit = Vec::new();
    for _ in 0..1000 {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let fits = port.checked_add(BUS).is_some_and(|bus| server::free(bus).is_ok());
        if fits && !others.contains(&port) {
            return Ok(port);
        }
        unfit.push(listener);
    }
    bail!("no free ports are found: choose them by --port")
}

/// Returns the id and the port of the node in a folder, if the node was started before.
fn own(folder: &Path) -> io::Result<Option<(String, u16)>> {
    let text = match fs::read_to_string(folder.join(NODES)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        text => text?,
    };
    Ok(text.lines().find(|line| line.contains("myself")).and_then(|line| {
        let mut words = line.split(' ');
        let id = words.next()?;
        let (address, _) = words.next()?.split_once('@')?;
        Some((id.to_owned(), address.rsplit_once(':')?.1.parse().ok()?))
    }))
}

/// Writes the current ports of all nodes into the file of a node.
fn moved(folder: &Path, places: &HashMap<String, u16>) -> anyhow::Result<()> {
    let file = folder.join(NODES);
    let mut text = String::new();
    for line in fs::read_to_string(&file)?.lines() {
        let mut words: Vec<&str> = line.split(' ').collect();
        let mut address = String::new();
        if let [id, place, ..] = words.as_slice()
            && let Some(port) = places.get(*id)
        {
            let more = place.find(',').and_then(|more| place.get(more..)).unwrap_or_default();
            address = format!("127.0.0.1:{port}@{}{more}", port.saturating_add(BUS));
        }
        if let Some(place) = words.get_mut(1)
            && !address.is_empty()
        {
            *place = &address;
        }
        text += &words.join(" ");
        text += "\n";
    }
    Ok(fs::write(file, text)?)
}

/// Writes the files of new nodes. Each file lists all nodes, so that they form a cluster at once.
fn new(folders: &[PathBuf], ports: &[u16]) -> anyhow::Result<()> {
    let id = || format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple()).chars().take(40).collect();
    let ids: Vec<String> = folders.iter().map(|_| id()).collect();
    for (own, folder) in folders.iter().enumerate() {
        let mut text = String::new();
        for (number, (id, port)) in ids.iter().zip(ports).enumerate() {
            let myself = if number == own { "myself," } else { "" };
            let what = if let Some(slots) = SLOTS.get(number) {
                format!("master - 0 0 {} connected {slots}", number + 1)
            } else {
                let master = ids.get(number % MASTERS).map_or("-", String::as_str);
                format!("slave {master} 0 0 {} connected", number % MASTERS + 1)
            };
            text += &format!("{id} 127.0.0.1:{port}@{} {myself}{what}\n", port.saturating_add(BUS));
        }
        fs::write(folder.join(NODES), text + &format!("vars currentEpoch {MASTERS} lastVoteEpoch 0\n"))?;
    }
    Ok(())
}
