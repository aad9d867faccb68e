//! `blueque output`

use std::env;
use std::fs::{self, File};
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use blueque::Status;
use clap::Args;
use serde::Serialize;

use crate::output::size::size;
use crate::output::table::{Cell, Column, Row};
use crate::output::{Code, clean_line, fault, say};
use crate::run_folder::manifest::{Entry, Manifest, digest};
use crate::session::Session;
use crate::subcommand::Subcommand;
use crate::view::cost;

/// The variable with the command that fetches output from another host.
const FETCH: &str = "BLUEQUE_FETCH";

const WITH_HELP: &str =
    "The shell command that copies the folder $FOLDER of $HOST into $DIR [else BLUEQUE_FETCH, else scp]";

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The id, or an unambiguous prefix of it
    pub id: String,
    /// Copy the files into this folder, and compare them with the digests of the manifest
    #[arg(long, value_name = "DIR")]
    fetch: Option<PathBuf>,
    /// The command that copies the folder from another host.
    #[arg(long, value_name = "COMMAND", requires = "fetch", help = WITH_HELP)]
    with: Option<String>,
}

/// A file of the output, or the whole folder if it is on another host.
#[derive(Serialize)]
struct Published {
    host: String,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
}

impl Row for Published {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::whole("host"), |row| row.host.clone()),
        (Column::text("path"), |row| clean_line(&row.path, usize::MAX)),
        (Column::whole("size"), |row| row.bytes.map_or_else(String::new, size)),
    ];

    fn id(&self) -> String {
        self.path.clone()
    }
}

/// The folder in which the output of a task is published.
struct Place {
    host: String,
    folder: PathBuf,
    task: String,
    attempt: u32,
}

impl Place {
    /// Returns the manifest, if the folder is on this host.
    fn manifest(&self, folder: &Path) -> Option<Manifest> {
        Manifest::of(folder, &self.task, self.attempt)
    }
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let (id, info) = session.find_task(&self.id)?;
        let cost = info.cost().and_then(cost::read);
        let place = cost.and_then(|cost| {
            let (host, folder, attempt) = (cost.host?, cost.output?, cost.attempt?);
            Some(Place { host, folder: folder.into(), task: id.to_string(), attempt })
        });
        let Some(place) = place else {
            let state = match info.status() {
                Some(Status::Complete) => "complete, and wrote no files".to_owned(),
                state => state.map_or_else(|| "absent".to_owned(), |state| state.to_string()),
            };
            let shown = session.global(id.as_str());
            return Err(fault(Code::NotFound, format!("{shown} has published no output: it is {state}")));
        };
        match &self.fetch {
            Some(to) => fetch(&place, to, self.with.as_deref())?,
            None => session.write(&list(&place))?,
        }
        Ok(Code::Ok)
    }
}

fn list(place: &Place) -> Vec<Published> {
    let host = || place.host.clone();
    let Some(manifest) = place.manifest(&place.folder) else {
        say(format!("the folder is on {}: --fetch DIR copies it", place.host));
        return vec![Published { host: host(), path: place.folder.display().to_string(), bytes: None, sha256: None }];
    };
    let row = |file: Entry| Published {
        host: host(),
        path: place.folder.join(file.path).display().to_string(),
        bytes: Some(file.size),
        sha256: Some(file.sha256),
    };
    manifest.files.into_iter().map(row).collect()
}

/// Copies the output into a new or empty folder.
fn fetch(place: &Place, to: &Path, with: Option<&str>) -> anyhow::Result<()> {
    fs::create_dir_all(to).with_context(|| format!("{} cannot be made", to.display()))?;
    if fs::read_dir(to)?.next().is_some() {
        return Err(fault(Code::Usage, format!("{} is not empty: name a new folder", to.display())));
    }
    if let Some(manifest) = place.manifest(&place.folder) {
        for file in &manifest.files {
            let (from, into) = (place.folder.join(within(&file.path)?), to.join(&file.path));
            into.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::copy(&from, &into).with_context(|| format!("{} cannot be copied", from.display()))?;
        }
        return verified(&manifest, to);
    }
    let own = env::var(FETCH).ok().filter(|command| !command.is_empty());
    let mut command = match with.map(str::to_owned).or(own) {
        Some(text) => {
            let mut command = Command::new("sh");
            command.args(["-c", &text]);
            command
        }
        None => scp(place, to)?,
    };
    command.env("HOST", &place.host).env("FOLDER", &place.folder).env("DIR", to);
    let ended = command.status().with_context(|| format!("{} cannot be run", command.get_program().display()))?;
    if !ended.success() {
        return Err(fault(Code::Failed, format!("the output on {} was not fetched: {ended}", place.host)));
    }
    let manifest = place.manifest(to).with_context(|| {
        format!("what was fetched from {} is not the output of attempt {}", place.host, place.attempt)
    })?;
    verified(&manifest, to)
}

/// Returns the usual command. The host and the folder come from a record, so they must have the usual form.
fn scp(place: &Place, to: &Path) -> anyhow::Result<Command> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
    if place.host.is_empty() || !place.host.chars().all(plain) || !place.folder.is_absolute() {
        let text = format!("{:?} is not a host with a folder: fetch its output by hand, or --with", place.host);
        return Err(fault(Code::Failed, text));
    }
    let mut command = Command::new("scp");
    command.args(["-q", "-r", "--", &format!("{}:{}/.", place.host, place.folder.display())]).arg(to);
    Ok(command)
}

/// Returns the path of a file of the manifest, if it does not lead out of the folder.
fn within(path: &str) -> anyhow::Result<&Path> {
    let path = Path::new(path);
    if path.components().all(|part| matches!(part, Component::Normal(_))) {
        return Ok(path);
    }
    Err(fault(Code::Failed, format!("the manifest names a file outside of its folder: {}", path.display())))
}

/// Compares the copied files with their manifest.
fn verified(manifest: &Manifest, folder: &Path) -> anyhow::Result<()> {
    for file in &manifest.files {
        let path = folder.join(within(&file.path)?);
        let found = File::open(&path)
            .and_then(|file| digest(file, || Ok(())))
            .with_context(|| format!("{} cannot be read", path.display()))?;
        if found != (file.size, file.sha256.clone()) {
            return Err(fault(Code::Failed, format!("{} is not as it was published", path.display())));
        }
    }
    let bytes = manifest.files.iter().map(|file| file.size).sum();
    say(format!("{} files, {}, as published", manifest.files.len(), size(bytes)));
    Ok(())
}
