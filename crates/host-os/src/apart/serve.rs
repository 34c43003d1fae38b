//! The worker's side: it limits itself, and does one piece of work after the other.

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

/// How a worker ends that panicked, as any Rust program does.
const PANICKED: i32 = 101;

/// Whether this process was started to work apart; if so, it did that until nobody wanted
/// more, and is to end.
pub fn is_worker(work: impl Fn(&[u8]) -> Vec<u8>) -> bool {
    ASKS.store(true, Ordering::Relaxed);
    let Ok(files) = env::var(VARIABLE) else { return false };
    limits::begin(files.parse().unwrap_or_default());
    // What would be said of a panic is no use to anybody.
    panic::set_hook(Box::new(|_| {}));
    // Who does not read any more does not want an answer.
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
        // Whatever a panic left behind, the next piece of work is done by another process.
        let Ok(answer) = done else { process::exit(PANICKED) };
        frame::write(&mut output, &answer)?;
    }
    Ok(())
}

/// What is to be done, read on a thread of its own: when nobody is left who wants it, the
/// process ends at once.
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

    /// What holds whatever the work: no dumps of memory, nothing written, and no more files
    /// than the streams and these. None of it can be raised again without privileges.
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
        // The clock of the processor counts all that this process did.
        let used = clock_gettime(ClockId::ProcessCPUTime);
        let used = u64::try_from(used.tv_sec).unwrap_or_default() + 1;
        limit(Resource::Cpu, request.processor.as_secs().saturating_add(used));
    }

    fn limit(resource: Resource, wanted: u64) {
        let maximum = getrlimit(resource).maximum;
        let current = Some(maximum.map_or(wanted, |it| it.min(wanted)));
        // A system that refuses lower limits has none; the time of whoever waits still holds.
        let _ = setrlimit(resource, Rlimit { current, maximum });
    }
}

#[cfg(not(unix))]
mod limits {
    use super::Request;

    pub(super) fn begin(_: u64) {}

    pub(super) fn set(_: &Request<Vec<u8>>) {}
}
