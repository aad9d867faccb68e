//! Opens files that a program may have replaced, for example by a folder, a pipe without a writer, a link or a file of
//! a terabyte. These functions neither block nor follow links, and read no more than their limit.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;

use super::removal::remove_tree;
use crate::file::not_a_file;
use crate::safe_path::private_folders;

/// Opens a regular file for reading. The check uses the open file, because the file at the path may be replaced.
pub fn open(path: &Path) -> io::Result<(File, Metadata)> {
    open_with(OpenOptions::new().read(true), path)
}

fn open_with(options: &OpenOptions, path: &Path) -> io::Result<(File, Metadata)> {
    let mut options = options.clone();
    let opened = options.custom_flags((OFlag::O_NONBLOCK | OFlag::O_NOFOLLOW).bits()).open(path);
    let file = opened.map_err(|error| match fs::symlink_metadata(path) {
        Ok(about) if !about.is_file() => not_a_file(about.file_type()),
        _ => error,
    })?;
    let about = file.metadata()?;
    if about.is_file() { Ok((file, about)) } else { Err(not_a_file(about.file_type())) }
}

/// Returns true if a program or a person may have caused the error by changing files. Any other error comes from the
/// host, and may be temporary.
pub fn is_by_hand(error: &io::Error) -> bool {
    let kinds = [ErrorKind::NotFound, ErrorKind::InvalidInput, ErrorKind::PermissionDenied, ErrorKind::FileTooLarge];
    kinds.contains(&error.kind())
}

/// Reads a regular file of at most this size.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let (file, about) = open(path)?;
    let bytes = if about.len() > limit { None } else { read_open(file, limit)? };
    bytes.ok_or_else(|| io::Error::new(ErrorKind::FileTooLarge, format!("it has more than {limit} bytes")))
}

/// Reads an open file. Returns `None` if it is larger than the limit.
pub fn read_open(file: File, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= limit))
}

/// Opens or creates a file of Blueque for reading and writing. Anything that a program put in its place is removed.
pub fn own(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true);
    match open_with(&options, path) {
        Ok((file, _)) => Ok(file),
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::PermissionDenied) => {
            clear(path)?;
            open_with(&options, path).map(|(file, _)| file)
        }
        Err(error) => Err(error),
    }
}

/// Opens or creates a file of Blueque for appending. Anything in its place is kept.
pub fn append(path: &Path) -> io::Result<File> {
    open_with(OpenOptions::new().append(true).create(true), path).map(|(file, _)| file)
}

/// Creates a folder of Blueque, with its parents, unless it exists. Anything that a program put in its place is
/// removed, and nothing is created behind a link in the place of the parent.
pub fn own_folder(path: &Path) -> io::Result<()> {
    if let Some(above) = path.parent() {
        private_folders(above)?;
        let kind = fs::symlink_metadata(above)?.file_type();
        if !kind.is_dir() {
            return Err(io::Error::new(
                ErrorKind::InvalidInput,
                format!("{} is a link, not a folder", above.display()),
            ));
        }
    }
    if fs::symlink_metadata(path).is_ok_and(|about| !about.is_dir()) {
        clear(path)?;
    }
    private_folders(path)
}

/// Opens an existing file for writing, from its beginning.
pub fn open_to_write(path: &Path) -> io::Result<(File, Metadata)> {
    open_with(OpenOptions::new().write(true), path)
}

/// Creates a file, replacing anything in its place.
pub fn create(path: &Path) -> io::Result<File> {
    clear(path)?;
    File::create_new(path)
}

/// Creates a file that nobody else may read, replacing anything in its place.
pub fn create_private(path: &Path) -> io::Result<File> {
    clear(path)?;
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Writes a file atomically, replacing anything in its place. With `durably`, the file is on the disk before this
/// function returns.
pub fn replace(path: &Path, bytes: &[u8], durably: bool) -> io::Result<()> {
    let draft = path.with_extension("new");
    let mut file = create(&draft)?;
    file.write_all(bytes)?;
    if durably {
        file.sync_all()?;
    }
    put(&draft, path, durably)
}

/// Renames a file, replacing anything that has the new name.
pub fn put(draft: &Path, path: &Path, durably: bool) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|about| about.is_dir()) {
        clear(path)?;
    }
    fs::rename(draft, path)?;
    match path.parent() {
        Some(folder) if durably => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

/// Removes a file, or a folder with its contents.
pub fn clear(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(about) if about.is_dir() => remove_tree(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Temporary permissions of the owner of a file or folder. Dropping this value restores the previous permissions.
pub struct Lent {
    path: PathBuf,
    pub usual: Permissions,
    changed: bool,
}

impl Lent {
    /// Records that the file or folder was renamed.
    pub fn moved(&mut self, to: &Path) {
        to.clone_into(&mut self.path);
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if self.changed {
            let _ = fs::set_permissions(&self.path, self.usual.clone());
        }
    }
}

/// Adds permissions for the owner of a file or folder, if a program has removed them. Ignores errors, because the
/// operation that needs the permissions then fails and reports the cause.
pub fn lend(path: &Path, rights: u32) -> io::Result<Lent> {
    let about = fs::symlink_metadata(path)?;
    let mode = about.permissions().mode();
    let lacks = !about.is_symlink() && mode & rights != rights;
    let changed = lacks && fs::set_permissions(path, Permissions::from_mode(mode | rights)).is_ok();
    Ok(Lent { path: path.to_owned(), usual: about.permissions(), changed })
}
