//! The worker's side: limits itself, and runs one task after the other.

use std::{
    env,
    io::{self, Write},
    panic::{self, AssertUnwindSafe},
    process,
    sync::{
        atomic::Ordering,
        mpsc::{self, Receiver},
    },
    thread,
};

use super::{ASKS, frame, frame::Request, worker::VARIABLE};

/// The exit code of a worker that panicked, as of any Rust program.
const PANICKED: i32 = 101;

/// Whether this process was started as a worker; if so, it has worked until its input was
/// closed, and must exit.
pub fn is_worker(work: impl Fn(&[u8]) -> Vec<u8>) -> bool {
    ASKS.store(true, Ordering::Relaxed);
    let Ok(files) = env::var(VARIABLE) else { return false };
    limits::begin(files.parse().unwrap_or_default());
    // The message of a panic would not be used.
    panic::set_hook(Box::new(|_| {}));
    // A closed output means that the answer is not wanted any more.
    let _ = serve(&requests(), &work);
    true
}

fn serve(requests: &Receiver<Request<Vec<u8>>>, work: impl Fn(&[u8]) -> Vec<u8>) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(frame::GREETING)?;
    output.flush()?;
    for request in requests {
        limits::set(&request);
        let done = panic::catch_unwind(AssertUnwindSafe(|| work(&request.work)));
        drop(request);
        // A panic may leave bad state behind, so the next task goes to another process.
        let Ok(answer) = done else { process::exit(PANICKED) };
        frame::write(&mut output, &answer)?;
    }
    Ok(())
}

/// The tasks, read on a separate thread: when the input is closed, the process exits at once.
fn requests() -> Receiver<Request<Vec<u8>>> {
    let (sender, requests) = mpsc::channel();
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Ok(request) = Request::read(&mut input) {
            if sender.send(request).is_err() {
                break;
            }
        }
        process::exit(0)
    });
    requests
}

#[cfg(unix)]
mod limits {
    use rustix::{
        process::{Resource, Rlimit, getrlimit, setrlimit},
        time::{ClockId, clock_gettime},
    };

    use super::Request;

    /// The limits for all tasks: no memory dumps, nothing written, and no more open files than
    /// the standard streams and these. None of them can be raised again without privileges.
    pub(super) fn begin(files: u64) {
        const STREAMS: u64 = 3;
        let all = [(Resource::Core, 0), (Resource::Fsize, 0), (Resource::Nofile, STREAMS + files)];
        for (resource, wanted) in all {
            limit(resource, wanted);
            let current = getrlimit(resource).current;
            let _ = setrlimit(resource, Rlimit { current, maximum: current });
        }
    }

    pub(super) fn set(request: &Request<Vec<u8>>) {
        limit(Resource::As, request.memory);
        // The CPU clock counts everything that this process did.
        let used = clock_gettime(ClockId::ProcessCPUTime);
        let used = u64::try_from(used.tv_sec).unwrap_or_default() + 1;
        limit(Resource::Cpu, request.processor.as_secs().saturating_add(used));
    }

    fn limit(resource: Resource, wanted: u64) {
        let maximum = getrlimit(resource).maximum;
        let current = Some(maximum.map_or(wanted, |it| it.min(wanted)));
        // A system that rejects a limit does not enforce it; the time limit of the caller still
        // applies.
        let _ = setrlimit(resource, Rlimit { current, maximum });
    }
}

#[cfg(not(unix))]
mod limits {
    use super::Request;

    pub(super) fn begin(_: u64) {}

    pub(super) fn set(_: &Request<Vec<u8>>) {}
}
