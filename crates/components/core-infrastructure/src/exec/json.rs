//! Programs as components: JSON on their standard input and output.

use std::path::PathBuf;

use svc_contract::{
    registry::{
        CheckCall, Cx, DecideEffects, Effect, ErrorKind, Example, Generic, Io, Items, Op, OpError,
        Scheme, Size, Var, params,
    },
    value::{Text, Value, json as json_text},
};

use super::{
    super::read_json,
    DECIDE, EFFECTS, ERRORS, MAX_OUTPUT,
    call::{self, Call, Output},
};
use crate::Keyed;

params! {
    /// Passes a value to a program as JSON, and returns the JSON that it writes.
    ///
    /// The program reads one line of JSON from its standard input, which then ends, and writes one
    /// JSON value to its standard output: any language will do. An exit code other than 0 is an error
    /// with the end of its standard error; otherwise, each line of it is reported as a notice.
    /// `exec_json<T>` also checks that the value is a `T`, which is then the type of the result.
    ///
    /// The program runs as with `exec`: without a shell, in a small environment, once unless
    /// `idempotent` is true. An output that is not JSON is an error of the kind `invalid_output`.
    pub(super) struct Json {
        /// The value to pass on.
        value: Var<'T'>,
        /// The program: a name that is looked up in `PATH`, or a path.
        #[filled]
        program: Text,
        /// Its arguments.
        args: Vec<Text> = Vec::new(),
        /// Environment variables: a record of strings.
        env: Option<Keyed<'E'>> = None,
        /// The names of variables of this process that the program receives, too.
        inherit: Vec<Text> = Vec::new(),
        /// The folder that it starts in.
        dir: Option<PathBuf> = None,
        /// Whether running it a second time changes nothing further.
        idempotent: bool = false,
        /// The maximum size of each output. A program that writes more is killed.
        max_output: Size = MAX_OUTPUT,
    }
}

impl Op for Json {
    const NAME: &'static str = "json";
    const YIELDS: Scheme = Scheme::Json;
    const GENERIC: Generic = Generic::Tested;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const DECIDE: Option<DecideEffects> = DECIDE;
    const CHECK: Option<CheckCall> = Some(call::check);
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "pass data to a python script",
        "use a program in another language as a component",
        "send json to a command and read json back",
        "call my own script with a value",
        "run jq on a value",
        "helper script of my own that takes and returns a value",
        "call out to python or node with an object",
        "hand an object to an executable",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A program that returns its input",
            r#"{ a: [1, 2] } >> exec_json<{ a: [int] }>(program: "cat") >> .a >> sum"#,
            "3",
        ),
        Example::err(
            "An output that is not JSON",
            r#"1 >> exec_json(program: "echo", args: ["no", "json"])"#,
            "unexpected output of `echo`: invalid JSON",
        ),
    ];
}

impl Io for Json {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let mut stdin = json_text::write(&self.value.0);
        stdin.push('\n');
        let call = Call {
            program: self.program,
            args: self.args,
            stdin: stdin.into_bytes(),
            env: self.env.map(|it| it.0),
            inherit: self.inherit,
            dir: self.dir,
            max_output: self.max_output,
        };
        let output = call.run(cx).await?;
        output.succeeded()?;
        report(cx, &output);
        parsed(&output, output.stdout_text()?, "")
    }
}

params! {
    /// Passes the items of a list to one run of a program, a line of JSON for each, and returns the
    /// lines that it writes.
    ///
    /// The program writes one line of JSON for each line that it reads, in the same order, so that it
    /// starts only once for many items. Another number of lines is an error of the kind
    /// `invalid_output`. `exec_jsonl<[T]>` also checks that each one is a `T`. Everything else is as
    /// with `exec_json`.
    pub(super) struct Jsonl {
        /// The items.
        items: Items<Var<'T'>>,
        /// The program: a name that is looked up in `PATH`, or a path.
        #[filled]
        program: Text,
        /// Its arguments.
        args: Vec<Text> = Vec::new(),
        /// Environment variables: a record of strings.
        env: Option<Keyed<'E'>> = None,
        /// The names of variables of this process that the program receives, too.
        inherit: Vec<Text> = Vec::new(),
        /// The folder that it starts in.
        dir: Option<PathBuf> = None,
        /// Whether running it a second time changes nothing further.
        idempotent: bool = false,
        /// The maximum size of each output. A program that writes more is killed.
        max_output: Size = MAX_OUTPUT,
    }
}

impl Op for Jsonl {
    const NAME: &'static str = "jsonl";
    const YIELDS: Scheme = Scheme::Json;
    const GENERIC: Generic = Generic::Tested;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const DECIDE: Option<DecideEffects> = DECIDE;
    const CHECK: Option<CheckCall> = Some(call::check);
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "stream records through a program",
        "process many items with one python process",
        "json lines in and out of a command",
        "score a list with an external program",
        "feed a whole batch to one long-running script",
        "keep one helper process busy",
        "line-by-line worker in another language",
        "bulk input for an executable",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A program that returns its lines",
            r#"[{ n: 1 }, { n: 2 }] >> exec_jsonl<[{ n: int }]>(program: "cat") >> each { .n } >> sum"#,
            "3",
        ),
        Example::err(
            "Another number of lines",
            r#"[1, 2] >> exec_jsonl(program: "head", args: ["-n", "1"])"#,
            "expected 2 lines, found 1",
        ),
    ];
}

impl Io for Jsonl {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let items = self.items.0.into_vec();
        let count = items.len();
        let mut stdin = String::new();
        for item in items {
            stdin.push_str(&json_text::write(&item));
            stdin.push('\n');
        }
        let call = Call {
            program: self.program,
            args: self.args,
            stdin: stdin.into_bytes(),
            env: self.env.map(|it| it.0),
            inherit: self.inherit,
            dir: self.dir,
            max_output: self.max_output,
        };
        let output = call.run(cx).await?;
        output.succeeded()?;
        report(cx, &output);
        let text = output.stdout_text()?;
        let found = text.lines().count();
        if found != count {
            let why = format!("expected {count} lines, found {found}");
            return Err(output
                .unexpected(&why)
                .help("write one line of JSON for each line of the input, and nothing else"));
        }
        let lines = text.lines().enumerate();
        let values = lines.map(|(idx, line)| parsed(&output, line, &format!("line {}: ", idx + 1)));
        Ok(Value::List(values.collect::<Result<_, _>>()?))
    }
}

/// Reports what a successful program wrote to its standard error.
fn report(cx: &Cx, output: &Output) {
    const MOST: usize = 20;
    let text = output.stderr_text();
    for line in text.lines().filter(|it| !it.trim().is_empty()).take(MOST) {
        cx.notice(line);
    }
}

fn parsed(output: &Output, text: &str, place: &str) -> Result<Value, OpError> {
    read_json(text).map_err(|err| {
        output
            .unexpected(&format!("{place}{}", err.message))
            .help("write the result as JSON to stdout, and everything else to stderr")
    })
}
