//! A supervisor, as seen by the worker: a child of this worker, or a supervisor that an earlier worker started.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::orphans;
use crate::process::Process;
use crate::run_folder::{RunFolder, open};
use crate::session::password::Password;

/// Size at which a new log of the supervisors is started. The previous log is kept.
const LOG_BYTES: u64 = 1 << 20;

/// A running supervisor.
#[derive(Debug)]
pub struct Handle {
    pub process: Process,
    child: Option<Child>,
    /// A descriptor that becomes readable when the supervisor ends. `None` if the kernel does not support this.
    fd: Option<Arc<OwnedFd>>,
}

impl Handle {
    /// Starts a supervisor, which continues even if this worker ends. The supervisor sends the password only to
    /// `server`, even if the program writes the URL of another server to its run folder.
    pub fn start(folder: &RunFolder, server: &str, password: Option<&Password>) -> io::Result<Self> {
        // `/proc/self/exe` is this binary, even if an upgrade has replaced or removed the file.
        let mut command = Command::new("/proc/self/exe");
        command.arg0("blueque").arg("supervise").arg(folder.path()).args(["--server", server]).stdin(Stdio::null());
        let log = log(folder)?;
        command.stdout(log.try_clone()?).stderr(log).current_dir("/");
        // Each of these variables may contain a password.
        command.env_remove("BLUEQUE_TOPOLOGY");
        for name in blueque::Address::variables() {
            command.env_remove(name);
        }
        if let Some(password) = password {
            password.announce(&mut command);
        }
        let mut child = command.spawn()?;
        orphans::own().extend(i32::try_from(child.id()));
        if let Some(password) = password {
            // An error is ignored. If the supervisor has already ended, this is noticed later.
            let _ = password.hand(&mut child);
        }
        let pid = i32::try_from(child.id()).map_err(io::Error::other)?;
        // If the supervisor has already ended, a value without a process takes its place, and the run is cleaned up as
        // usual.
        let process = Process::of(pid).unwrap_or(Process { pid, started: 0 });
        Ok(Self { process, child: Some(child), fd: pidfd(pid) })
    }

    /// Opens a supervisor that an earlier worker started. Returns `None` if it has ended.
    pub fn of(process: Process) -> Option<Self> {
        let fd = pidfd(process.pid);
        // This check comes last. It proves that the process id belonged to the supervisor when the descriptor was
        // opened.
        process.lives().then_some(Self { process, child: None, fd })
    }

    pub fn fd(&self) -> Option<Arc<OwnedFd>> {
        self.fd.clone()
    }

    /// Returns `None` while the supervisor runs. Otherwise returns its exit status, if this worker is its parent.
    pub fn ended(&mut self) -> Option<Option<ExitStatus>> {
        match &mut self.child {
            Some(child) => match child.try_wait() {
                Ok(status) => status.map(Some),
                // Another thread has waited for the child, so its exit status is unknown.
                Err(_) => (!self.process.lives()).then_some(None),
            },
            None => (!self.process.lives()).then_some(None),
        }
    }

    /// Asks the supervisor to stop its program and to give the task back.
    pub fn stop(&self) {
        if let Some(fd) = &self.fd {
            let _ = pidfd_send_signal(fd, Signal::TERM);
        } else if self.process.lives()
            && let Some(pid) = Pid::from_raw(self.process.pid)
        {
            let _ = rustix::process::kill_process(pid, Signal::TERM);
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        orphans::own().remove(&self.process.pid);
    }
}

fn pidfd(pid: i32) -> Option<Arc<OwnedFd>> {
    pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok().map(Arc::new)
}

/// Opens the log for messages of supervisors that do not belong to a task.
fn log(folder: &RunFolder) -> io::Result<File> {
    let runs = folder.path().parent().unwrap_or(folder.path());
    let path = runs.with_file_name("supervisors.log");
    if fs::metadata(&path).is_ok_and(|about| about.len() > LOG_BYTES) {
        fs::rename(&path, path.with_extension("log.1"))?;
    }
    open::append(&path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => {
            io::Error::other(format!("{} cannot be written: {error}: remove it", path.display()))
        }
        _ => error,
    })
}
