//! A server's wall clock that can be set while it runs.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

pub struct Clock {
    library: PathBuf,
    shift: PathBuf,
    us: i64,
}

impl Clock {
    /// Builds the library that shifts the clock.
    pub fn new(folder: &Path) -> Result<Self> {
        let (source, library, shift) = (folder.join("clock.c"), folder.join("clock.so"), folder.join("clock"));
        fs::write(&source, include_str!("clock.c"))?;
        let built = Command::new("cc").args(["-shared", "-fPIC", "-O2", "-o"]).arg(&library).arg(&source).status();
        ensure!(built.context("no C compiler: apt-get install gcc")?.success(), "clock.c cannot be built");
        fs::write(&shift, 0i64.to_ne_bytes())?;
        Ok(Self { library, shift, us: 0 })
    }

    /// Makes a server that has not started use this clock.
    pub fn wind(&self, command: &mut Command) {
        command.env("LD_PRELOAD", &self.library).env("BLUEQUE_CLOCK", &self.shift);
    }

    /// Returns the seconds by which the clock is ahead.
    #[allow(clippy::cast_precision_loss, reason = "steps are at most some days")]
    pub fn ahead(&self) -> f64 {
        self.us as f64 / 1e6
    }

    /// Steps forward, or back.
    pub fn step(&mut self, seconds: f64) -> Result<()> {
        #[allow(clippy::cast_possible_truncation, reason = "steps are at most some days")]
        let us = (seconds * 1e6) as i64;
        self.us += us;
        // The shift is written at once: a server that reads it during the write gets the old time or the new time.
        File::options().write(true).open(&self.shift)?.write_all_at(&self.us.to_ne_bytes(), 0)?;
        Ok(())
    }
}
