//! A terminal that runs the program.

use std::{
    io::{Read, Write},
    process::Child,
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use pty_process::{Size, blocking};

use super::Place;

/// The screen and the keyboard of a person.
pub(super) struct Screen {
    keys: blocking::Pty,
    drawn: Receiver<Vec<u8>>,
    /// Output that was not checked yet.
    seen: String,
    child: Child,
}

/// The time limit for output on a machine with other load.
const PATIENCE: Duration = Duration::from_mins(1);

impl Screen {
    pub(super) fn new(place: &Place, args: &[&str]) -> Self {
        let (keys, end) = blocking::open().unwrap();
        keys.resize(Size::new(30, 100)).unwrap();
        let command = blocking::Command::new(assert_cmd::cargo::cargo_bin!("svc"));
        let command = command.args(args).current_dir(place.path()).envs(place.environment());
        let child = command.env_remove("NO_COLOR").spawn(end).unwrap();
        let screen: std::os::fd::OwnedFd = rustix::io::dup(&keys).unwrap();
        let mut screen = std::fs::File::from(screen);
        let (sender, drawn) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = screen.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { keys, drawn, seen: String::new(), child }
    }

    /// Presses keys.
    pub(super) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Writes a line and ends it.
    pub(super) fn line(&mut self, text: &str) {
        self.press(&format!("{text}\r"));
    }

    /// Cancels the current line.
    #[track_caller]
    pub(super) fn cancels(&mut self) {
        self.press("\u{3}");
        self.sees("\nsvc> ");
    }

    /// Waits for some output; the output before it is skipped.
    #[track_caller]
    pub(super) fn sees(&mut self, wanted: &str) {
        let until = Instant::now() + PATIENCE;
        loop {
            let plain = plain(&self.seen);
            if let Some(at) = plain.find(wanted) {
                plain[at + wanted.len()..].clone_into(&mut self.seen);
                return;
            }
            let left = until.saturating_duration_since(Instant::now());
            let Ok(bytes) = self.drawn.recv_timeout(left) else {
                panic!("`{wanted}` was not shown, but:\n{plain}");
            };
            self.seen += &String::from_utf8_lossy(&bytes);
        }
    }

    /// Exits as a person does, at an empty prompt.
    #[track_caller]
    pub(super) fn leaves(mut self) {
        self.sees("\nsvc> ");
        self.press("\u{4}");
        self.ends();
    }

    /// Waits until the program ends successfully.
    #[track_caller]
    pub(super) fn ends(mut self) {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return assert!(status.success(), "{status}");
            }
            assert!(Instant::now() < until, "the program goes on: {}", plain(&self.seen));
            thread::sleep(Duration::from_millis(10));
        }
    }

    pub(super) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A failed test leaves no process behind.
        let _ = self.child.kill();
    }
}

/// The output without control sequences.
fn plain(drawn: &str) -> String {
    let mut plain = String::new();
    let mut rest = drawn.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '\u{1b}' if rest.peek() == Some(&'[') => {
                rest.next();
                // A control sequence ends with a letter.
                for it in rest.by_ref() {
                    if it.is_ascii_alphabetic() {
                        break;
                    }
                }
            }
            '\r' | '\u{7}' => {}
            other => plain.push(other),
        }
    }
    plain
}
