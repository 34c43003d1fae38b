//! Clients that do not send what they announce, or send without end: the server reports the problem
//! and ends, using little memory.

use std::{
    fs,
    io::{Read, Write},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The address space of the server, in kilobytes.
const SPACE: u64 = 1 << 20;

/// Its memory limit, in kilobytes.
const MOST: u64 = 300 << 10;

/// A server with little memory.
fn server() -> Child {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -v {SPACE}; exec \"$0\" lsp")]);
    shell.arg(assert_cmd::cargo::cargo_bin!("svc")).env_remove("RUST_BACKTRACE");
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The server's reaction to what `send` writes: its exit code, its output, and its peak memory.
fn ended(send: impl FnOnce(&mut dyn Write) + Send + 'static) -> (Option<i32>, String, String, u64) {
    let mut child = server();
    let (id, mut input) = (child.id(), child.stdin.take().unwrap());
    let sending = thread::spawn(move || {
        send(&mut input);
        input
    });
    let read = |from: Option<Box<dyn Read + Send>>| {
        thread::spawn(move || {
            let mut text = String::new();
            from.unwrap().take(1 << 20).read_to_string(&mut text).unwrap();
            text
        })
    };
    let out = read(child.stdout.take().map(|it| Box::new(it) as _));
    let err = read(child.stderr.take().map(|it| Box::new(it) as _));
    let (mut most, since) = (0, Instant::now());
    let status = loop {
        let text = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let line = text.lines().find_map(|it| it.strip_prefix("VmHWM:"));
        let now = line.and_then(|it| it.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0);
        most = most.max(now);
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if since.elapsed() > Duration::from_mins(2) => {
                child.kill().unwrap();
                panic!("it does not end");
            }
            None => thread::sleep(Duration::from_millis(5)),
        }
    };
    // The pipe was open until here: the server did not end because the client was gone.
    drop(sending.join());
    (status.code(), out.join().unwrap(), err.join().unwrap(), most)
}

/// Sends as long as the other side reads.
fn flood(output: &mut dyn Write, piece: &[u8], most: usize) {
    for _ in 0..most {
        if output.write_all(piece).is_err() {
            return;
        }
    }
}

#[test]
fn a_false_announcement_ends_the_server_with_a_reason() {
    for length in ["6000000000", "67108865", "18446744073709551615", "99999999999999999999999999"] {
        let (code, out, err, most) = ended(move |it| {
            write!(it, "Content-Length: {length}\r\n\r\n").unwrap();
            flood(it, " ".repeat(1 << 16).as_bytes(), 1 << 12);
        });
        assert_eq!(code, Some(1), "{err}");
        let wanted = format!("a message of {length} bytes is too large");
        assert!(err.contains(&wanted) && out.contains(&wanted), "{out}{err}");
        assert!(most < MOST, "{length}: {most} kB");
    }
}

#[test]
fn headers_without_end_end_the_server_with_a_reason() {
    for (piece, wanted) in [
        ("x", "a header line is too long (limit 8KiB)"),
        ("Content-Length: 5", "a header line is too long (limit 8KiB)"),
        ("X-A: b\r\n", "too many header lines (limit 100)"),
        ("Content-Length: -5\r\n", "too many malformed messages in a row (limit 1000)"),
        ("Content-Type: x\r\n\r\n", "too many malformed messages in a row (limit 1000)"),
        ("\n", "too many malformed messages in a row (limit 1000)"),
    ] {
        let (code, _, err, most) = ended(move |it| {
            flood(it, piece.repeat((1 << 16) / piece.len()).as_bytes(), 1 << 12);
        });
        assert_eq!(code, Some(1), "{piece:?}: {err}");
        assert!(err.contains(wanted), "{piece:?}: {err}");
        assert!(most < MOST, "{piece:?}: {most} kB");
    }
}

/// Messages of the maximum size, sent faster than they are processed.
#[test]
fn a_flood_of_large_messages_takes_little_memory() {
    let (code, _, err, most) = ended(|it| {
        let text = " ".repeat(40 << 20);
        let open = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"capabilities":{{}},"x":"{text}"}}}}"#
        );
        let values =
            format!(r#"{{"jsonrpc":"2.0","method":"x","params":[{}0]}}"#, "0,".repeat(20 << 20));
        for message in [&open, &values, &open, &open, &values, &open, &open] {
            write!(it, "Content-Length: {}\r\n\r\n{message}", message.len()).unwrap();
        }
        let exit = r#"{"jsonrpc":"2.0","method":"exit"}"#;
        write!(it, "Content-Length: {}\r\n\r\n{exit}", exit.len()).unwrap();
    });
    assert_eq!(code, Some(1), "{err}");
    assert_eq!(err, "");
    assert!(most < MOST, "{most} kB");
}
