//! Runs programs, each in a process group of its own, so that nothing it started outlives it.
//!
//! A cancelled program is asked to end, and killed with its group after [`GRACE`]. A program that
//! ended by itself leaves nothing behind either: the rest of its group is killed. A process that
//! leaves the group, as a daemon does, is out of reach.

use std::{
    io,
    path::{Path, PathBuf},
    pin::{Pin, pin},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use futures_util::future::{Either, select, try_join3};
use svc_contract::host::program::{
    OpenProcess, OpenProgram, ProgramCall, ProgramError, ProgramOutput, RunningProgram,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    process::{Child, ChildStdin, Command},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

#[cfg(unix)]
mod group;
#[cfg(not(unix))]
#[path = "programs/no_group.rs"]
mod group;

use group::Group;
pub use group::kill_programs;

/// The time between the request to end and the kill; less than the time in which a cancelled
/// component has to end.
const GRACE: Duration = Duration::from_millis(700);

/// The time to read what is left in the pipes of a program that has ended. They are empty within
/// microseconds, unless a process outside of the group holds them open.
const DRAIN: Duration = Duration::from_millis(500);

/// Runs a program until it ends or is cancelled.
pub(super) fn run(call: ProgramCall, cancel: CancellationToken) -> RunningProgram {
    Box::pin(async move {
        // When this future is dropped, so is the group, which kills it.
        let program = found(&call).map_err(|err| ProgramError::Start(explained(err, &call)))?;
        let (mut child, mut group) = start(&call, &program)?;
        let ended = {
            let mut output = pin!(output(&mut child, &group, call.stdin, call.max_output));
            match cancel.run_until_cancelled(output.as_mut()).await {
                Some(ended) => ended,
                None => {
                    // Its output is still read: a closed pipe would kill it before it cleaned up.
                    group.ask_to_end();
                    let _ = timeout(GRACE, output).await;
                    Err(ProgramError::Cancelled)
                }
            }
        };
        if ended.is_err() {
            group.kill();
            // It fails if the program has ended; then there is nothing to kill and to wait for.
            let _ = child.kill().await;
        }
        group.close();
        ended
    })
}

/// Starts a program that the caller talks to.
pub(super) fn open(call: &ProgramCall) -> Result<OpenProgram, ProgramError> {
    // A person configured it, with the `PATH` in which it is found.
    let (mut child, group) = start(call, Path::new(&call.program))?;
    let lost = || ProgramError::Lost(io::ErrorKind::BrokenPipe.into());
    Ok(OpenProgram {
        stdin: Box::new(child.stdin.take().ok_or_else(lost)?),
        stdout: Box::new(child.stdout.take().ok_or_else(lost)?),
        stderr: Box::new(child.stderr.take().ok_or_else(lost)?),
        process: Box::new(Opened { child, group }),
    })
}

/// A program that runs; dropping its group kills it.
struct Opened {
    child: Child,
    group: Group,
}

impl OpenProcess for Opened {
    fn ask_to_end(&self) {
        self.group.ask_to_end();
    }

    fn ended(&mut self) -> Pin<Box<dyn Future<Output = io::Result<i64>> + Send + '_>> {
        Box::pin(async { self.child.wait().await.map(code_of) })
    }
}

/// The program of a name, as this process finds it: a `PATH` that the call sets is for the program,
/// and does not choose another one than that which the policy allows.
#[cfg(unix)]
fn found(call: &ProgramCall) -> io::Result<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    if call.program.contains('/') || call.env.iter().all(|(name, _)| name != "PATH") {
        return Ok(PathBuf::from(&call.program));
    }
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    let is_program = |it: &PathBuf| {
        it.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
    };
    let mut all = std::env::split_paths(&path).map(|it| it.join(&call.program));
    let found = all.find(is_program).ok_or(io::ErrorKind::NotFound)?;
    std::path::absolute(found)
}

/// The system looks for programs in the `PATH` of this process.
#[cfg(not(unix))]
fn found(call: &ProgramCall) -> io::Result<PathBuf> {
    Ok(PathBuf::from(&call.program))
}

fn start(call: &ProgramCall, program: &Path) -> Result<(Child, Group), ProgramError> {
    let mut command = Command::new(program);
    command
        .args(&call.args)
        .env_clear()
        .envs(call.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(dir) = &call.dir {
        command.current_dir(dir);
    }
    Group::prepare(&mut command);
    let started = command.spawn().map_err(|err| ProgramError::Start(explained(err, call)))?;
    let group = Group::of(&started);
    Ok((started, group))
}

/// Feeds a program, and collects its output until it ends.
async fn output(
    child: &mut Child,
    group: &Group,
    input: Vec<u8>,
    most: u64,
) -> Result<ProgramOutput, ProgramError> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (status, is_held_open) = {
        let pipes = pin!(try_join3(
            feed(stdin, input),
            collect(stdout, &mut out, most, "stdout"),
            collect(stderr, &mut err, most, "stderr"),
        ));
        let ended = pin!(child.wait());
        match select(pipes, ended).await {
            Either::Left((closed, ended)) => {
                closed?;
                (ended.await, false)
            }
            Either::Right((status, pipes)) => {
                // Whatever it left behind may hold its pipes open.
                group.kill();
                let rest = timeout(DRAIN, pipes).await;
                let is_held_open = rest.is_err();
                rest.unwrap_or(Ok(((), (), ())))?;
                (status, is_held_open)
            }
        }
    };
    let code = code_of(status.map_err(ProgramError::Lost)?);
    Ok(ProgramOutput { code, stdout: out, stderr: err, is_held_open })
}

/// Writes the input. A program need not read it to its end.
async fn feed(pipe: Option<ChildStdin>, input: Vec<u8>) -> Result<(), ProgramError> {
    let Some(mut pipe) = pipe else { return Ok(()) };
    match pipe.write_all(&input).await {
        Err(err) if err.kind() != io::ErrorKind::BrokenPipe => Err(ProgramError::Lost(err)),
        _ => Ok(()),
    }
}

/// Reads an output to its end, if it is not larger than `most` bytes.
async fn collect(
    pipe: Option<impl AsyncRead + Unpin>,
    output: &mut Vec<u8>,
    most: u64,
    name: &'static str,
) -> Result<(), ProgramError> {
    let Some(pipe) = pipe else { return Ok(()) };
    let mut pipe = pipe.take(most.saturating_add(1));
    while pipe.read_buf(output).await.map_err(ProgramError::Lost)? > 0 {}
    if output.len() as u64 > most { Err(ProgramError::TooLarge(name)) } else { Ok(()) }
}

/// The error of a start with the cause that its kind does not show.
fn explained(err: io::Error, call: &ProgramCall) -> io::Error {
    let because = |why: String| io::Error::new(err.kind(), why);
    if let Some(dir) = call.dir.as_deref().filter(|it| !it.is_dir()) {
        let why = if dir.exists() { "is not a folder" } else { "does not exist" };
        return because(format!("the folder `{}` {why}", dir.display()));
    }
    let file = call.dir.as_deref().unwrap_or(Path::new("")).join(&call.program);
    let is_path = call.program.contains(std::path::MAIN_SEPARATOR);
    match err.kind() {
        io::ErrorKind::NotFound if is_path && file.exists() => {
            because("the program named in its first line (`#!`) does not exist".to_owned())
        }
        io::ErrorKind::NotFound if is_path => because("the file does not exist".to_owned()),
        io::ErrorKind::NotFound => because("no program of that name in `PATH`".to_owned()),
        io::ErrorKind::PermissionDenied if file.is_dir() => because("it is a folder".to_owned()),
        io::ErrorKind::PermissionDenied => because("it is not executable".to_owned()),
        _ => err,
    }
}

#[cfg(unix)]
fn code_of(status: ExitStatus) -> i64 {
    use std::os::unix::process::ExitStatusExt as _;
    // As shells count.
    let signal = status.signal().map(|it| 128 + it);
    status.code().or(signal).unwrap_or(-1).into()
}

#[cfg(not(unix))]
fn code_of(status: ExitStatus) -> i64 {
    status.code().unwrap_or(-1).into()
}

#[cfg(test)]
mod tests;
