//! Proof that a command line was submitted by a process of this unix user. The name in a record is only a claim, because
//! every client of the server can write it. So the proof depends on a key in a file that only this user can read.

use std::env;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::PathBuf;

use anyhow::{Context, bail};
use blueque::CommandLine;
use hmac::{Hmac, KeyInit, Mac};
use nix::unistd::Uid;
use sha2::{Digest, Sha256};

use crate::hex::hex;

/// Length of the key in bytes.
const KEY: usize = 32;

/// Returns the path of the key.
pub fn path() -> anyhow::Result<PathBuf> {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = variable("XDG_CONFIG_HOME").or_else(|| variable("HOME").map(|home| home.join(".config")));
    Ok(base.context("no place for the key of this user: set HOME")?.join("blueque/commands.key"))
}

/// Returns the key of this user. Creates it if there is none.
pub fn key() -> anyhow::Result<Vec<u8>> {
    let path = path()?;
    let about = |what: &str| format!("the key {} {what}", path.display());
    if let Some(key) = read(&path).with_context(|| about("cannot be read"))? {
        return Ok(key);
    }
    let made = || -> io::Result<()> {
        let folder = path.parent().unwrap_or(&path);
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        // A link makes the whole file appear at once, and fails if another process was faster.
        let draft = path.with_extension(uuid::Uuid::new_v4().simple().to_string());
        let mut file = File::options().write(true).create_new(true).mode(0o600).open(&draft)?;
        let random = [uuid::Uuid::new_v4(), uuid::Uuid::new_v4(), uuid::Uuid::new_v4()];
        let random: Vec<u8> = random.iter().flat_map(|uuid| uuid.as_bytes().to_vec()).collect();
        file.write_all(&Sha256::digest(random))?;
        file.sync_all()?;
        let linked = fs::hard_link(&draft, &path);
        fs::remove_file(&draft)?;
        linked.or_else(|error| if error.kind() == io::ErrorKind::AlreadyExists { Ok(()) } else { Err(error) })
    };
    made().with_context(|| about("cannot be created"))?;
    read(&path).with_context(|| about("cannot be read"))?.with_context(|| about("is gone"))
}

/// Reads the key. Returns `None` if there is no key. Fails if another user can read or replace the file.
fn read(path: &PathBuf) -> anyhow::Result<Option<Vec<u8>>> {
    let about = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        about => about?,
    };
    if !about.is_file() || about.uid() != Uid::effective().as_raw() || about.permissions().mode() & 0o077 != 0 {
        bail!("it must be a file that only its owner, this user, can read: chmod 600, or remove it");
    }
    let key = fs::read(path)?;
    if key.len() != KEY {
        bail!("it must have {KEY} bytes: remove it");
    }
    Ok(Some(key))
}

/// Returns the subject of a proof for the tasks of a schedule. It has a space, so it is no id of a task or a graph.
pub fn of_schedule(name: &str) -> String {
    format!("schedule {name}")
}

/// Adds the proof for a task or a graph with this id, or for the tasks of a schedule.
pub fn sign(command: &mut CommandLine, key: &[u8], namespace: &str, id: &str) -> anyhow::Result<()> {
    command.proof = Some(proof(command, key, namespace, id)?);
    Ok(())
}

/// Returns true if the submitter had the key, for one of these subjects of a proof. The comparison may take time
/// that depends on the values: each guess is a task in the records of the server.
pub fn is_proved(command: &CommandLine, key: &[u8], namespace: &str, ids: &[&str]) -> bool {
    command.proof.is_some() && ids.iter().any(|id| proof(command, key, namespace, id).ok() == command.proof)
}

fn proof(command: &CommandLine, key: &[u8], namespace: &str, id: &str) -> anyhow::Result<String> {
    let bare = CommandLine { proof: None, ..command.clone() };
    let mut mac = Hmac::<Sha256>::new_from_slice(key)?;
    mac.update(&serde_json::to_vec(&(namespace, id, &bare))?);
    Ok(hex(&mac.finalize().into_bytes()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use blueque::CommandLine;

    use super::{is_proved, sign};

    #[test]
    fn a_proof_is_of_one_key_one_namespace_one_id_and_one_command() {
        let command =
            CommandLine { argv: vec!["sleep".into()], user: Some("me@here".into()), ..CommandLine::default() };
        let mut signed = command.clone();
        sign(&mut signed, b"key", "ns", "a").unwrap();
        assert!(is_proved(&signed, b"key", "ns", &["a"]) && is_proved(&signed, b"key", "ns", &["b", "a"]));
        assert!(!is_proved(&signed, b"other", "ns", &["a"]) && !is_proved(&signed, b"key", "n", &["a"]));
        assert!(!is_proved(&signed, b"key", "ns", &["b"]) && !is_proved(&command, b"key", "ns", &["a"]));
        let changed = CommandLine { argv: vec!["rm".into()], ..signed };
        assert!(!is_proved(&changed, b"key", "ns", &["a"]));
    }
}
