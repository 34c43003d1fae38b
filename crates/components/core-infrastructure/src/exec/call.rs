//! One call of a program, and its errors.

use std::{io, path::PathBuf};

use svc_contract::{
    host::program::{ProgramCall, ProgramError, ProgramOutput},
    registry::{Cx, ErrorKind, Foreseen, KnownCall, Misuse, OpError, Size},
    value::{Record, Text, Type, units},
};

/// The variables that every program receives, if they are set. Others may be secrets.
const INHERITED: [&str; 9] =
    ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"];

/// The last lines of an error output that a message shows, and their maximum length.
const SHOWN_LINES: usize = 3;
const SHOWN_CHARS: usize = 300;

/// A program to run, as a script names it.
pub(super) struct Call {
    pub(super) program: Text,
    pub(super) args: Vec<Text>,
    pub(super) stdin: Vec<u8>,
    pub(super) env: Option<Record>,
    pub(super) inherit: Vec<Text>,
    pub(super) dir: Option<PathBuf>,
    pub(super) max_output: Size,
}

/// The output of a program with this name.
pub(super) struct Output {
    program: Text,
    pub(super) code: i64,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Call {
    pub(super) async fn run(self, cx: &Cx) -> Result<Output, OpError> {
        let call = ProgramCall {
            env: self.environment(cx)?,
            program: self.program.as_ref().to_owned(),
            args: self.args.iter().map(|it| it.as_ref().to_owned()).collect(),
            stdin: self.stdin,
            dir: self.dir,
            max_output: self.max_output.0,
        };
        let ended = cx.host().run_program(call, cx.cancel.clone()).await;
        let ProgramOutput { code, stdout, stderr, is_held_open } =
            ended.map_err(|err| failure(&self.program, self.max_output, err))?;
        if is_held_open {
            let program = &self.program;
            cx.notice(format!(
                "a process that `{program}` started keeps its output open; the rest is left out"
            ));
        }
        Ok(Output { program: self.program, code, stdout, stderr })
    }

    /// The whole environment of the program; later entries win.
    fn environment(&self, cx: &Cx) -> Result<Vec<(String, String)>, OpError> {
        let inherited = INHERITED.into_iter().chain(self.inherit.iter().map(AsRef::as_ref));
        let mut all: Vec<(String, String)> =
            inherited.filter_map(|name| Some((name.to_owned(), cx.host().env(name)?))).collect();
        for (name, value) in self.env.iter().flat_map(Record::iter) {
            let Some(value) = value.as_str() else {
                let message = format!("expected a string for `env.{name}`, found {}", value.kind());
                return Err(OpError::invalid_input(message).help("write it as a string"));
            };
            test_name(name)?;
            if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
                return Err(OpError::invalid_input(format!(
                    "invalid environment variable `{name}`"
                )));
            }
            all.push((name.as_ref().to_owned(), value.to_owned()));
        }
        Ok(all)
    }
}

/// Rejects variables by which the loader of the system adds code of others to any program: what is
/// allowed to run `ls` may not run that.
fn test_name(name: &str) -> Result<(), OpError> {
    if !["LD_", "DYLD_"].iter().any(|it| name.starts_with(it)) {
        return Ok(());
    }
    let message = format!("`{name}` loads other code into the program");
    let help = format!("make that visible: `exec(\"env\", args: [\"{name}=..\", \"program\"])`");
    Err(OpError::new(ErrorKind::Denied, message).help(help))
}

/// Tests the names of the variables of a call.
pub(super) fn check(call: &KnownCall<'_>) -> Foreseen {
    let Some(Type::Record(of)) = call.ty("env") else { return Ok(None) };
    let wrong = of.fields.iter().find_map(|(name, _)| test_name(name).err());
    wrong.map_or(Ok(None), |why| Err(Box::new(Misuse::of("env", why))))
}

impl Output {
    /// An error if the program failed.
    pub(super) fn succeeded(&self) -> Result<(), OpError> {
        if self.code == 0 {
            return Ok(());
        }
        let (program, code, said) = (&self.program, self.code, self.last_lines());
        let message = if said.is_empty() {
            format!("`{program}` ended with the exit code {code}")
        } else {
            format!("`{program}` ended with the exit code {code}: {said}")
        };
        Err(OpError::failed(message))
    }

    /// The end of the error output, on one line.
    fn last_lines(&self) -> String {
        let text = self.stderr_text();
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
        let last = lines[lines.len().saturating_sub(SHOWN_LINES)..].join("; ");
        match last.char_indices().nth_back(SHOWN_CHARS) {
            Some((start, _)) => format!("…{}", &last[start..]),
            None => last,
        }
    }

    pub(super) fn stdout_text(&self) -> Result<&str, OpError> {
        std::str::from_utf8(&self.stdout).map_err(|err| {
            let (program, place) = (&self.program, err.valid_up_to());
            let message = format!(
                "the output of `{program}` is not valid UTF-8 (invalid byte at offset {place})"
            );
            OpError::new(ErrorKind::InvalidOutput, message)
                .help("make it write UTF-8, for example with an option or with `LC_ALL` in `env`")
        })
    }

    pub(super) fn stderr_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// The error of an output in an unexpected form.
    pub(super) fn unexpected(&self, why: &str) -> OpError {
        let (program, said) = (&self.program, self.last_lines());
        let said = if said.is_empty() { said } else { format!("; it wrote to stderr: {said}") };
        let message = format!("unexpected output of `{program}`: {why}{said}");
        OpError::new(ErrorKind::InvalidOutput, message)
    }
}

fn failure(program: &str, max_output: Size, err: ProgramError) -> OpError {
    match err {
        ProgramError::Unsupported => {
            let message = format!("cannot run `{program}`: this host runs no programs");
            OpError::new(ErrorKind::Unsupported, message)
        }
        ProgramError::Cancelled => OpError::cancelled(),
        ProgramError::TooLarge(stream) => {
            let most = units::show_size(max_output.0);
            let message = format!("`{program}` wrote more than {most} to {stream}, and was killed");
            OpError::new(ErrorKind::InvalidOutput, message)
                .help("raise `max_output`, or make it write less")
        }
        ProgramError::Lost(err) => {
            OpError::failed(format!("lost `{program}` while it ran: {err}")).because(err)
        }
        ProgramError::Start(err) => not_started(program, err),
    }
}

fn not_started(program: &str, err: io::Error) -> OpError {
    let (kind, help) = match err.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            (ErrorKind::NotFound, "install it, or check its name; a path is relative to `dir`")
        }
        io::ErrorKind::PermissionDenied => (
            ErrorKind::Denied,
            "make it executable (`chmod +x`), or name the program that reads it",
        ),
        io::ErrorKind::ArgumentListTooLong => {
            (ErrorKind::InvalidInput, "pass the data as `stdin` or in a file")
        }
        io::ErrorKind::InvalidInput => {
            (ErrorKind::InvalidInput, "leave NUL characters out of its name and arguments")
        }
        // No process, descriptor or memory was left; later, there may be.
        _ if is_exhausted(&err) => {
            (ErrorKind::Unavailable, "run fewer programs at once: set `max_parallel`")
        }
        _ => (ErrorKind::Failed, "check that it is a program of this system"),
    };
    OpError::new(kind, format!("cannot run `{program}`: {err}")).help(help).because(err)
}

fn is_exhausted(err: &io::Error) -> bool {
    const TOO_MANY_FILES: [i32; 2] = [23, 24];
    matches!(err.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory)
        || err.raw_os_error().is_some_and(|it| TOO_MANY_FILES.contains(&it))
}
