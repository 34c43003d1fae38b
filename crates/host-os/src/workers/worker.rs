//! One worker, from the side of the process that started it.

use std::{
    io::{self, Read},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use svc_contract::host::{Process, WorkerError, WorkerLimits};

use super::frame::{self, Request};

/// Marks a process as a worker; its value is the number of files that the worker may open at a
/// time.
pub(super) const VARIABLE: &str = "SVC_WORKER";

/// The interval at which a waiting caller checks whether to continue.
pub(super) const LOOK: Duration = Duration::from_millis(5);

/// The program to start as a worker.
#[derive(Clone, Debug)]
pub(super) struct Program {
    path: PathBuf,
    args: Vec<String>,
}

impl Program {
    pub(super) fn of(path: PathBuf) -> Self {
        Self { path, args: Vec::new() }
    }

    /// The binary of the unit tests has no `main` of ours: one of its tests is the worker.
    pub(super) fn of_test(name: &str) -> io::Result<Self> {
        let args = vec!["--exact".to_owned(), name.to_owned(), "--nocapture".to_owned()];
        Ok(Self { path: std::env::current_exe()?, args })
    }
}

/// A started process, which is killed when dropped.
#[derive(Debug)]
pub(super) struct Worker {
    child: Child,
    requests: Sender<(Request<Arc<Vec<u8>>>, u64)>,
    answers: Receiver<io::Result<Vec<u8>>>,
    /// The number of tasks it has done.
    pub(super) done: u32,
}

impl Worker {
    pub(super) fn start(program: &Program, process: Process) -> Result<Self, WorkerError> {
        let mut command = Command::new(&program.path);
        command
            .args(&program.args)
            .env_clear()
            .env(VARIABLE, files(process).to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // It must not keep the folder of this process busy, nor receive signals from its
        // terminal.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0).current_dir("/");
        let mut child = command.spawn().map_err(WorkerError::Lost)?;
        let streams = child.stdin.take().zip(child.stdout.take());
        let (requests, asked) = mpsc::channel();
        let (answered, answers) = mpsc::channel();
        thread::spawn(move || {
            let talked = streams.map(|(input, output)| talk(input, output, &asked, &answered));
            if let Some(Err(err)) = talked {
                // The receiver may be gone.
                let _ = answered.send(Err(err));
            }
        });
        Ok(Self { child, requests, answers, done: 0 })
    }

    /// Makes the worker run a task. After a failure it must not be used again.
    pub(super) fn run(
        &mut self,
        work: &Arc<Vec<u8>>,
        limits: &WorkerLimits<'_>,
    ) -> Result<Vec<u8>, WorkerError> {
        let (memory, processor) = (limits.memory, limits.processor);
        let request = Request { memory, processor, work: work.clone() };
        // If the thread is gone, so is its answer.
        let _ = self.requests.send((request, limits.answer));
        let started = Instant::now();
        loop {
            match self.answers.recv_timeout(LOOK) {
                Ok(Ok(answer)) => {
                    self.done += 1;
                    return Ok(answer);
                }
                Ok(Err(err)) => return Err(self.gone(err)),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.gone(io::ErrorKind::UnexpectedEof.into()));
                }
                Err(RecvTimeoutError::Timeout) if !(limits.goes_on)() => {
                    return Err(WorkerError::Cancelled);
                }
                Err(RecvTimeoutError::Timeout) if started.elapsed() > limits.time => {
                    return Err(WorkerError::Late);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// The reason why a worker does not respond any more.
    fn gone(&mut self, err: io::Error) -> WorkerError {
        match err.kind() {
            io::ErrorKind::FileTooLarge => return WorkerError::TooLarge,
            // Its pipes were closed because it ended.
            io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe => {}
            _ => return WorkerError::Lost(err),
        }
        match self.child.wait() {
            Ok(status) => self.ended(status),
            Err(err) => WorkerError::Lost(err),
        }
    }

    fn ended(&mut self, status: ExitStatus) -> WorkerError {
        const MOST: u64 = 4 << 10;
        let mut said = Vec::new();
        // Without this output, less is known.
        let _ = self.child.stderr.take().map(|it| it.take(MOST).read_to_end(&mut said));
        let said = String::from_utf8_lossy(&said);
        if said.contains("memory allocation of") {
            return WorkerError::Memory;
        }
        match signal::of(status) {
            signal::Ended::ProcessorTime => WorkerError::Processor,
            signal::Ended::Somebody => {
                WorkerError::Lost(io::Error::other(format!("the worker process ended: {status}")))
            }
            signal::Ended::Itself => WorkerError::Crashed,
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended already; in either case nothing of it is left afterwards.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The number of files that a worker may open at a time: inline scripts read the memory usage.
fn files(process: Process) -> u8 {
    match process {
        Process::Fresh => 1,
        Process::Kept => 0,
    }
}

/// Forwards requests and answers until either side is closed.
fn talk(
    mut input: ChildStdin,
    mut output: ChildStdout,
    asked: &Receiver<(Request<Arc<Vec<u8>>>, u64)>,
    answered: &Sender<io::Result<Vec<u8>>>,
) -> io::Result<()> {
    frame::await_greeting(&mut output)?;
    for (request, most) in asked {
        request.write(&mut input)?;
        drop(request);
        if answered.send(frame::read(&mut output, most)).is_err() {
            break;
        }
    }
    Ok(())
}

mod signal {
    use std::process::ExitStatus;

    pub(super) enum Ended {
        ProcessorTime,
        Somebody,
        Itself,
    }

    #[cfg(unix)]
    pub(super) fn of(status: ExitStatus) -> Ended {
        use std::os::unix::process::ExitStatusExt;

        use rustix::process::Signal;

        match status.signal().and_then(Signal::from_named_raw) {
            Some(Signal::XCPU) => Ended::ProcessorTime,
            Some(Signal::KILL | Signal::TERM | Signal::INT | Signal::HUP | Signal::QUIT) => {
                Ended::Somebody
            }
            _ => Ended::Itself,
        }
    }

    #[cfg(not(unix))]
    pub(super) fn of(_: ExitStatus) -> Ended {
        Ended::Itself
    }
}
