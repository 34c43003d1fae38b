//! Runs other programs.

use svc_contract::{
    record,
    registry::{
        Bias, CallEffects, CheckCall, Component, Cx, DecideEffects, Effect, ErrorKind, Example,
        Field, Io, KnownArgs, Op, OpError, Scheme, Scope, Size, io, params,
    },
    value::{Text, Value},
};

use crate::Keyed;

mod call;
mod json;

use call::Call;

pub(super) const COMPONENT: Component = Component {
    name: "exec",
    cluster: "core-infrastructure",
    summary: "Runs other programs.",
    version: 1,
    bias: Bias::new(
        "one process for each call, without a shell, ended with all that it started",
        &[
            "the program asks no one at a terminal",
            "output is text in UTF-8",
            "a program that goes on in the background is not wanted",
        ],
    ),
    aliases: &[("exec", "infer"), ("exec_json", "json"), ("exec_jsonl", "jsonl")],
    ops: &[io::<Infer>(), io::<json::Json>(), io::<json::Jsonl>()],
};

/// The default maximum size of an output.
const MAX_OUTPUT: Size = Size(10 << 20);

const EFFECTS: &[Effect] = &[Effect::Runs(Scope::Command("program"))];

const ERRORS: &[ErrorKind] = &[
    ErrorKind::NotFound,
    ErrorKind::Denied,
    ErrorKind::Unsupported,
    ErrorKind::Unavailable,
    ErrorKind::InvalidOutput,
    ErrorKind::Failed,
];

/// A call may be repeated if the script says so.
const DECIDE: Option<DecideEffects> =
    Some(|args: &KnownArgs<'_, '_>| match args.get("idempotent")? {
        Value::Bool(is_idempotent) => {
            Some(CallEffects { effects: EFFECTS, is_idempotent: *is_idempotent })
        }
        _ => None,
    });

record! {
    /// What a program left.
    struct ExecResult {
        /// The exit code, which is 0 after a success; 128 and the number of the signal if a signal
        /// ended it.
        code: i64,
        /// Its standard output.
        stdout: Text,
        /// Its standard error; bytes that are not UTF-8 are shown as `�`.
        stderr: Text,
    }
}

params! {
    /// Runs a program and returns its exit code and its output.
    ///
    /// No shell reads the call: each argument reaches the program as it is, and `*`, `$` and `|` mean
    /// nothing. An exit code other than 0 is a result, not an error, unless `check` is true.
    ///
    /// A program receives only `PATH`, `HOME`, `USER`, `LOGNAME`, `LANG`, `LC_ALL`, `LC_CTYPE`,
    /// `TZ` and `TMPDIR` of the environment, those that `inherit` names, and `env`. Variables of the
    /// loader, such as `LD_PRELOAD`, are `denied` there: they add other code to it. It ends with
    /// everything that it started: when it is cancelled or a timeout expires, it is asked to end
    /// (`SIGTERM`), and after 0.7 s killed together with all processes of its group. What it leaves
    /// in the background is killed when it ends.
    ///
    /// A call is never repeated, neither by a retry nor by a resumed run, unless `idempotent` is
    /// true. A timeout is set around it: `exec("make") within { timeout: 10min }`.
    ///
    /// Fails with `not_found`, `denied` or `unavailable` if the program cannot be started, with
    /// `invalid_output` if an output is larger than `max_output` or is not UTF-8, and with `failed` if
    /// `check` is true and the exit code is not 0.
    struct Infer {
        /// The program: a name that is looked up in `PATH`, or a path.
        #[filled]
        program: Text,
        /// Its arguments.
        args: Vec<Text> = Vec::new(),
        /// Its standard input.
        stdin: Text = "".into(),
        /// Environment variables: a record of strings.
        env: Option<Keyed<'E'>> = None,
        /// The names of variables of this process that the program receives, too.
        inherit: Vec<Text> = Vec::new(),
        /// The folder that it starts in.
        dir: Option<std::path::PathBuf> = None,
        /// Whether an exit code other than 0 is a failure.
        check: bool = false,
        /// Whether running it a second time changes nothing further.
        idempotent: bool = false,
        /// The maximum size of each output. A program that writes more is killed.
        max_output: Size = MAX_OUTPUT,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = ExecResult::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const DECIDE: Option<DecideEffects> = DECIDE;
    const CHECK: Option<CheckCall> = Some(call::check);
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "run a program",
        "execute a command line tool",
        "call git or another command",
        "run a shell command",
        "the exit code of a command",
        "launch a binary or a script with arguments, like subprocess",
        "invoke a cli program such as ffmpeg",
        "start another program from here",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A program and its output",
            r#"exec("echo", args: ["a  b", "*"])"#,
            r#"{"code":0,"stdout":"a  b *\n","stderr":""}"#,
        ),
        Example::ok(
            "A text as input",
            r#"exec("sort", stdin: "b\na\n") >> .stdout >> lines"#,
            r#"["a","b"]"#,
        ),
        Example::ok("A failure is a code", r#"exec("false") >> .code"#, "1"),
        Example::err(
            "A failure that is an error",
            r#"exec("sh", args: ["-c", "echo no luck >&2; exit 3"], check: true)"#,
            "`sh` ended with the exit code 3: no luck",
        ),
        Example::err(
            "No such program",
            r#"exec("no-such-program")"#,
            "cannot run `no-such-program`: no program of that name in `PATH`",
        ),
    ];
}

impl Io for Infer {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let call = Call {
            program: self.program,
            args: self.args,
            stdin: self.stdin.as_bytes().to_vec(),
            env: self.env.map(|it| it.0),
            inherit: self.inherit,
            dir: self.dir,
            max_output: self.max_output,
        };
        let output = call.run(cx).await?;
        if self.check {
            output.succeeded()?;
        }
        let (code, stderr) = (output.code, output.stderr_text().into());
        Ok(ExecResult { code, stdout: output.stdout_text()?.into(), stderr }.encode())
    }
}
