//! Another user of the host, who tries the side doors: processes that look like supervisors, links in place of files
//! that a worker writes, folders created before a worker creates them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Result;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use crate::host::killed;

pub const USER: u32 = 1234;

/// Maximum time until a worker refuses a folder.
const REFUSED: Duration = Duration::from_secs(30);

/// Script that replaces the next copy of output by a link, as a member of the group that may write to the folder.
const SWAP: &str = "for turn in $(seq 500); do for copy in .+*.copy; do \
    [ -d \"$copy\" ] && mv \"$copy\" \"moved.$$\" && ln -s ../private \"$copy\" && exit; done; sleep 0.01; done";

pub struct Neighbour {
    /// The user's own folder.
    own: PathBuf,
    /// Folder that only root may enter.
    private: PathBuf,
    /// Folder to which a host publishes. A group that includes the user may write to it.
    pub published: PathBuf,
    /// The command under test.
    blueque: PathBuf,
    processes: Vec<Child>,
}

impl Neighbour {
    pub fn new(folder: &Path, blueque: &Path) -> Result<Self> {
        fs::set_permissions(folder, PermissionsExt::from_mode(0o755))?;
        let made = |name: &str, user: u32, group: u32, mode: u32| {
            let path = folder.join(name);
            fs::create_dir(&path)?;
            chown(&path, Some(user), Some(group))?;
            fs::set_permissions(&path, PermissionsExt::from_mode(mode))?;
            anyhow::Ok(path)
        };
        let own = made("neighbour", USER, USER, 0o755)?;
        let private = made("private", 0, 0, 0o700)?;
        let published = made("published", 0, USER, 0o775)?;
        let pipe = own.join("supervise");
        mkfifo(&pipe, Mode::S_IRWXU)?;
        chown(&pipe, Some(USER), Some(USER))?;
        // The link is at the path where a worker creates its folder for output.
        symlink(&private, own.join("link"))?;
        Ok(Self { own, private, published, blueque: blueque.to_owned(), processes: Vec::new() })
    }

    fn start(&mut self, command: &mut Command, folder: &Path) -> Result<()> {
        command.current_dir(folder).uid(USER).gid(USER).stdin(Stdio::null()).stdout(Stdio::null());
        self.processes.push(command.stderr(Stdio::null()).spawn()?);
        Ok(())
    }

    /// Starts a process with the arguments of a run's supervisor.
    pub fn supervises(&mut self, run: &Path) -> Result<()> {
        let folder = self.own.clone();
        self.start(Command::new("cat").arg("supervise").arg(run), &folder)
    }

    pub fn swaps(&mut self) -> Result<()> {
        let folder = self.published.clone();
        self.start(Command::new("sh").args(["-c", SWAP]), &folder)
    }

    /// Starts a worker that publishes in a folder of this user. Returns a violation if the worker does not refuse it.
    pub fn offers(&self) -> Result<Option<String>> {
        for name in ["output", "link"] {
            let mut command = Command::new(&self.blueque);
            command.args(["worker", "--queue", "none", "--url", "redis://127.0.0.1:1/", "--publish"]);
            command.arg(self.own.join(name)).args(["--state-dir"]).arg(self.private.with_file_name("spare"));
            command.args(["--", "true"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let (mut worker, until) = (command.spawn()?, Instant::now() + REFUSED);
            while Instant::now() < until {
                if let Some(status) = worker.try_wait()? {
                    let code = status.code();
                    let text =
                        || format!("a worker that publishes in a folder of another user ended with {status}, not 2");
                    if code != Some(2) {
                        return Ok(Some(text()));
                    }
                    break;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            if worker.try_wait()?.is_none() {
                killed(worker);
                return Ok(Some("a worker publishes in a folder of another user".into()));
            }
        }
        Ok(None)
    }

    /// Returns the attacks that succeeded.
    pub fn achieved(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.private).into_iter().flatten().flatten();
        entries.map(|entry| format!("written behind a link of another user: {}", entry.file_name().display())).collect()
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        self.processes.drain(..).for_each(killed);
    }
}
