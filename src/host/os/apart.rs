//! This program once more, as a process with little memory that does one piece of work.
//!
//! A process cannot be told from outside what it may use, so the child limits itself, before
//! it reads what it is to do.

use std::{
    env,
    io::{self, Read, Write},
    process::{Child, Command, Stdio},
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use crate::host::Apart;

/// Tells a process that it is such a child, and how much memory it has.
const VARIABLE: &str = "SVC_ISLAND";

/// How often the parent looks whether it is to go on.
const LOOK: Duration = Duration::from_millis(5);

/// The most bytes of an answer.
const LARGEST: u64 = 256 << 20;

/// Whether this program asks at its beginning what it is: started once more, any other
/// program would do its own work.
static ASKS: AtomicBool = AtomicBool::new(false);

/// Does the work of a child, where this process is one; tells whether it was.
pub fn is_child(work: impl FnOnce(&[u8]) -> Vec<u8>) -> bool {
    ASKS.store(true, Ordering::Relaxed);
    let Ok(memory) = env::var(VARIABLE) else { return false };
    limit(memory.parse().unwrap_or(0));
    let mut asked = Vec::new();
    if io::stdin().lock().read_to_end(&mut asked).is_ok() {
        // Who does not read any more does not want the answer.
        let _ = io::stdout().lock().write_all(&work(&asked));
    }
    true
}

#[cfg(unix)]
fn limit(memory: u64) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let most = |it: u64| Rlimit { current: Some(it), maximum: Some(it) };
    // A system that refuses lower limits has none; the engine's own still hold.
    let _ = setrlimit(Resource::As, most(memory));
    let _ = setrlimit(Resource::Core, most(0));
    let _ = setrlimit(Resource::Fsize, most(0));
}

#[cfg(not(unix))]
fn limit(_memory: u64) {}

/// Has a child do some work.
pub(super) fn run(work: Vec<u8>, apart: &Apart<'_>) -> io::Result<Vec<u8>> {
    if !ASKS.load(Ordering::Relaxed) {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let mut child = Command::new(env::current_exe()?)
        .env_clear()
        .env(VARIABLE, apart.memory.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let answer = waited(&mut child, work, apart);
    // It has ended, or is to end now; nobody is left behind.
    let _ = child.kill();
    let _ = child.wait();
    answer
}

fn waited(child: &mut Child, work: Vec<u8>, apart: &Apart<'_>) -> io::Result<Vec<u8>> {
    let (mut input, output) = (child.stdin.take(), child.stdout.take());
    let (sender, answers) = mpsc::channel();
    std::thread::spawn(move || {
        // A child that ended without reading gives no answer either.
        let _ = input.take().map(|mut it| it.write_all(&work));
        let mut answer = Vec::new();
        let read = output.map(|it| it.take(LARGEST).read_to_end(&mut answer));
        let _ = sender.send(read.transpose().map(|_| answer));
    });
    let started = Instant::now();
    loop {
        match answers.recv_timeout(LOOK) {
            Ok(Ok(answer)) if answer.is_empty() => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(answer) => return answer,
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            Err(mpsc::RecvTimeoutError::Timeout) if !(apart.goes_on)() => {
                return Err(io::ErrorKind::Interrupted.into());
            }
            Err(mpsc::RecvTimeoutError::Timeout) if started.elapsed() > apart.time => {
                return Err(io::ErrorKind::TimedOut.into());
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
    }
}
