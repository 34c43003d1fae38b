//! A terminal that checks every byte of the program's output.

use std::{
    io::{Read, Write},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use pty_process::{Size, blocking};

use super::Place;

/// The time limit of a command on a machine with other load.
const PATIENCE: Duration = Duration::from_mins(1);

/// Keys, and the output to wait for before they are pressed.
pub(super) type Keys<'a> = &'a [(&'a str, &'a str)];

/// Runs the program in a terminal until it ends, and returns its whole output.
pub(super) fn run(place: &Place, args: &[String], keys: Keys<'_>) -> Vec<u8> {
    let (mut pressed, end) = blocking::open().unwrap();
    pressed.resize(Size::new(40, 160)).unwrap();
    let command = blocking::Command::new(assert_cmd::cargo::cargo_bin!("svc"));
    let command = command.args(args).current_dir(place.path()).envs(place.environment());
    let mut child = command.env_remove("NO_COLOR").spawn(end).unwrap();
    let screen: std::os::fd::OwnedFd = rustix::io::dup(&pressed).unwrap();
    let mut screen = std::fs::File::from(screen);
    let (sender, drawn) = mpsc::channel();
    let reader = thread::spawn(move || {
        let mut bytes = [0; 4096];
        // A terminal whose program has ended cannot be read.
        while let Ok(count @ 1..) = screen.read(&mut bytes) {
            if sender.send(bytes[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    let (mut bytes, mut from, until) = (Vec::new(), 0, Instant::now() + PATIENCE);
    for (wanted, press) in keys {
        loop {
            let seen = String::from_utf8_lossy(&bytes[from..]).into_owned();
            if seen.contains(wanted) {
                break;
            }
            let left = until.saturating_duration_since(Instant::now());
            let more = drawn.recv_timeout(left);
            bytes.extend(more.unwrap_or_else(|_| panic!("{args:?}: no `{wanted}` in:\n{seen}")));
        }
        from = bytes.len();
        pressed.write_all(press.as_bytes()).unwrap();
    }
    loop {
        bytes.extend(drawn.try_iter().flatten());
        if child.try_wait().unwrap().is_some() {
            break;
        }
        if Instant::now() > until {
            child.kill().unwrap();
            panic!("{args:?} goes on: {}", String::from_utf8_lossy(&bytes));
        }
        thread::sleep(Duration::from_millis(5));
    }
    drop(pressed);
    // The last output may still be on its way.
    while let Ok(more) = drawn.recv_timeout(PATIENCE) {
        bytes.extend(more);
    }
    reader.join().unwrap();
    bytes
}

/// Output that the program did not write deliberately: a control sequence that it never sends, or
/// invisible characters.
pub(super) fn foreign(drawn: &[u8]) -> Vec<String> {
    let Ok(text) = std::str::from_utf8(drawn) else {
        return vec!["bytes that are not text".to_owned()];
    };
    let mut foreign = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let own = if letter == '\u{1b}' { own_command(rest) } else { None };
        let is_own = own.is_some() || matches!(letter, '\n' | '\r' | '\t') || !hides(letter);
        if !is_own {
            let around: String = rest.chars().take(12).collect();
            foreign.push(format!("{around:?}"));
        }
        rest = &rest[own.unwrap_or(letter.len_utf8())..];
    }
    foreign
}

/// Characters that control the terminal, are invisible, or change the order: repeated here, so that
/// one list is compared with the other.
fn hides(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
        )
}

/// The length of the control sequence at the start of a text, if the program or its line editor
/// sends it.
fn own_command(text: &str) -> Option<usize> {
    /// Text styles: none, bold, dim, underlined, and the dark colours.
    const LETTERS: [&str; 13] =
        ["0", "1", "2", "4", "22", "24", "31", "32", "33", "34", "35", "36", "39"];
    /// Modes of the line editor: bracketed paste, and synchronized output.
    const MODES: [&str; 4] = ["?2004h", "?2004l", "?2026h", "?2026l"];
    let inner = text.strip_prefix("\u{1b}[")?;
    let end = inner.find(|it: char| it.is_ascii_alphabetic())?;
    let (numbers, letter) = (&inner[..end], inner[end..].chars().next()?);
    let is_count = numbers.len() <= 3 && numbers.bytes().all(|it| it.is_ascii_digit());
    let is_own = match letter {
        'm' => numbers.split(';').all(|it| LETTERS.contains(&it)),
        'A' | 'C' => is_count,
        'K' | 'J' => numbers.is_empty(),
        _ => MODES.contains(&&inner[..=end]),
    };
    is_own.then_some(2 + end + 1)
}
