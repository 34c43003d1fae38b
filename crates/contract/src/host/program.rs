//! Programs that a host runs.

use std::{fmt, future::Future, io, path::PathBuf, pin::Pin};

use tokio::io::{AsyncRead, AsyncWrite};

/// A program to run, without a shell: each argument reaches it as it is.
#[derive(Clone, Default)]
pub struct ProgramCall {
    /// A name that is looked up in `PATH`, or a path.
    pub program: String,
    pub args: Vec<String>,
    /// The content of its standard input.
    pub stdin: Vec<u8>,
    /// Its whole environment.
    pub env: Vec<(String, String)>,
    /// The folder that it starts in; by default that of this process.
    pub dir: Option<PathBuf>,
    /// The maximum size of its standard output, and of its standard error, in bytes.
    pub max_output: u64,
}

/// What a program that has ended left.
#[derive(Clone, Debug)]
pub struct ProgramOutput {
    /// Its exit code; 128 and the number of the signal if a signal ended it.
    pub code: i64,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Whether another process still held its outputs open, so that they may lack something.
    pub is_held_open: bool,
}

/// The future output of a program. Dropping it kills the program, and all that it started in its
/// process group.
pub type RunningProgram = Pin<Box<dyn Future<Output = Result<ProgramOutput, ProgramError>> + Send>>;

/// A program that runs while this process talks to it.
pub struct OpenProgram {
    pub stdin: Box<dyn AsyncWrite + Send + Unpin>,
    pub stdout: Box<dyn AsyncRead + Send + Unpin>,
    pub stderr: Box<dyn AsyncRead + Send + Unpin>,
    pub process: Box<dyn OpenProcess>,
}

/// The process of an [`OpenProgram`]. Dropping it kills the program, and all that it started in its
/// process group.
pub trait OpenProcess: Send + Sync {
    /// Asks the program to end.
    fn ask_to_end(&self);

    /// Waits until the program has ended; returns its exit code as in [`ProgramOutput`].
    fn ended(&mut self) -> Pin<Box<dyn Future<Output = io::Result<i64>> + Send + '_>>;
}

/// The reason why a program has no output.
#[derive(Debug)]
pub enum ProgramError {
    /// This host runs no programs.
    Unsupported,
    /// It could not be started.
    Start(io::Error),
    /// It wrote more than allowed to this stream: `stdout` or `stderr`. It was killed.
    TooLarge(&'static str),
    /// The call was cancelled, and the program ended.
    Cancelled,
    /// The system failed while the program ran. It was killed.
    Lost(io::Error),
}

/// Arguments, input and environment may contain secrets, so they are not shown.
impl fmt::Debug for ProgramCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgramCall")
            .field("program", &self.program)
            .field("args", &self.args.len())
            .field("dir", &self.dir)
            .finish_non_exhaustive()
    }
}
