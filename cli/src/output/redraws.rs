//! Progress bars in the output of programs: lines that are drawn again after a carriage return.

use std::time::{Duration, Instant};

/// Maximum number of bytes of a line that are held back.
const MOST: usize = 16 << 10;

/// Thins out lines that are drawn again and again. Other output passes at once and unchanged.
#[derive(Debug)]
pub struct Redraws {
    /// Shortest time between two states of a line. `None`: only the last state of a line is passed on.
    pause: Option<Duration>,
    /// Text that the next redraw may replace.
    held: Vec<u8>,
    /// True if the current line was drawn again.
    redrawn: bool,
    passed_at: Option<Instant>,
    /// The last byte that was passed on.
    last: u8,
}

impl Redraws {
    /// Passes on a state of a line after each pause.
    pub fn each(pause: Duration) -> Self {
        Self { pause: Some(pause), held: Vec::new(), redrawn: false, passed_at: None, last: b'\n' }
    }

    /// Passes on only the last state of each line.
    pub fn only_last() -> Self {
        Self { pause: None, ..Self::each(Duration::ZERO) }
    }

    /// Returns the output to pass on.
    pub fn next(&mut self, bytes: &[u8]) -> Vec<u8> {
        if self.held.is_empty() && !self.redrawn && !bytes.contains(&b'\r') {
            self.last = bytes.last().copied().unwrap_or(self.last);
            return bytes.to_vec();
        }
        let mut passed = Vec::with_capacity(bytes.len());
        for piece in bytes.split_inclusive(|byte| matches!(byte, b'\r' | b'\n')) {
            if self.held.ends_with(b"\r") && piece != b"\n" {
                self.redrawn = true;
                // A return without text only begins the next state.
                let is_bare = self.held == b"\r";
                let counts = if is_bare { self.pause.is_some() && self.last != b'\r' } else { self.is_due() };
                if counts {
                    self.pass(&mut passed);
                } else {
                    self.drop_held(&mut passed);
                }
            }
            self.held.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.pass(&mut passed);
                self.redrawn = false;
            } else if self.held.len() > MOST || !self.redrawn && !piece.ends_with(b"\r") {
                self.pass(&mut passed);
            }
        }
        passed.extend(self.due());
        passed
    }

    /// Returns the state of the line if the pause is over.
    pub fn due(&mut self) -> Vec<u8> {
        let mut passed = Vec::new();
        if self.redrawn && !self.held.is_empty() && self.is_due() {
            self.pass(&mut passed);
        }
        passed
    }

    /// Returns the text that is still held back, at the end of the output.
    pub fn finish(&mut self) -> Vec<u8> {
        let mut passed = Vec::new();
        self.pass(&mut passed);
        passed
    }

    fn is_due(&self) -> bool {
        self.pause.is_some_and(|pause| self.passed_at.is_none_or(|at| at.elapsed() >= pause))
    }

    fn pass(&mut self, passed: &mut Vec<u8>) {
        if let Some(&last) = self.held.last() {
            self.last = last;
            if self.held != b"\r" {
                self.passed_at = Some(Instant::now());
            }
            passed.append(&mut self.held);
        }
    }

    /// Drops a state that was replaced. The beginning of the line may have been passed on: then the return is kept.
    fn drop_held(&mut self, passed: &mut Vec<u8>) {
        self.held.clear();
        if !matches!(self.last, b'\r' | b'\n') {
            passed.push(b'\r');
            self.last = b'\r';
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Redraws;

    fn passed(mut redraws: Redraws, parts: &[&str]) -> String {
        let mut all: Vec<u8> = parts.iter().flat_map(|part| redraws.next(part.as_bytes())).collect();
        all.extend(redraws.finish());
        String::from_utf8_lossy(&all).into_owned()
    }

    #[test]
    fn a_bar_is_thinned_out_and_its_last_state_counts() {
        let hour = || Redraws::each(Duration::from_secs(3600));
        for (parts, thinned, last) in [
            (&["a\n", "b", "c\r\n", "d"][..], "a\nbc\r\nd", "a\nbc\r\nd"),
            (&["\r1%", "\r2%", "\r3%\n", "end\n"], "\r1%\r3%\nend\n", "3%\nend\n"),
            (&["1%\r2%\r3%\r", "4%\r\n"], "1%\r4%\r\n", "4%\r\n"),
            (&["1%\r", "2%\r", "3%"], "1%\r3%", "3%"),
            (&["\n\r\0x\r", "\n\n"], "\n\r\0x\r\n\n", "\n\0x\r\n\n"),
            (&["load ", "1%\r", "2%\n"], "load 1%\r2%\n", "load \r2%\n"),
            (&["\r\r\r\rx"], "\rx", "x"),
        ] {
            assert_eq!(passed(hour(), parts), thinned, "{parts:?}");
            assert_eq!(passed(Redraws::only_last(), parts), last, "{parts:?}");
        }
        let steps: Vec<String> = (0..18_000).map(|number| format!("\rstep {number}")).collect();
        let bar = steps.concat();
        assert_eq!(passed(hour(), &[&bar, "\n"]), "\rstep 0\rstep 17999\n");
        assert_eq!(passed(Redraws::each(Duration::ZERO), &[&bar]), bar, "nothing is lost that has its time");
        let long = "x".repeat(100_000);
        assert_eq!(passed(Redraws::only_last(), &["\ra\r", &long, "\n"]), format!("{long}\n"));
    }
}
