//! `svc guide`: writes a script for a goal, changes one, or prints an overview.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use svc_api::guide::{
    Goal, Missing, difference, edited, field, fields, has_model, missing, overview, question,
    workflow,
};
use svc_contract::value::Value;
use svc_engine::Error;
use svc_lang::diag::{Source, visible, visible_line};

use super::{
    Session,
    exit::{FAILED, Failure, NOT_FOUND, OK, Result, answered},
    guide_run, script,
    show::{self, Reader},
    terminal,
};

/// Write a script for a goal, change a script, or print an overview.
#[derive(Args)]
pub(super) struct Guide {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Plan(Plan),
    Edit(Edit),
    Overview(Overview),
}

/// Write a script for a goal in plain English, or report the parts that no component does.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command")]
struct Plan {
    /// The goal. Paths, addresses and quoted texts are taken literally.
    #[arg(value_name = "GOAL", required = true)]
    goal: Vec<String>,
    /// The type of the script's input: `string`, `[Doc]`.
    #[arg(long, value_name = "TYPE")]
    input: Option<String>,
    /// The type of the script's result.
    #[arg(long, value_name = "TYPE")]
    output: Option<String>,
    /// Write the script into this file.
    #[arg(short, long = "out", value_name = "FILE")]
    out: Option<PathBuf>,
    /// Use no language model, even if one is configured.
    #[arg(long)]
    no_model: bool,
    /// Show the language model the columns and keys in the files of the goal, with their types.
    ///
    /// Without it, nothing of the files leaves this machine. Their values never do.
    #[arg(long, conflicts_with = "no_model")]
    share: bool,
    /// Say for every phrase of the goal which stage serves it, in comments.
    #[arg(long)]
    explain: bool,
    /// Run the part of the script that only reads files, and show an example of the result.
    ///
    /// It ends before the first stage that writes, runs a program, uses the web, spends or asks.
    #[arg(long = "try")]
    example: bool,
    /// Run the script at once; if it does more than to read, you are asked first.
    #[arg(long, conflicts_with_all = ["json", "example"])]
    run: bool,
    /// Run it without asking.
    #[arg(long, requires = "run")]
    yes: bool,
    /// Print the script, its stages and its estimate as JSON.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"Examples:
  svc guide plan "count the words of essay.txt"
  svc guide plan "summarise each file in ./minutes in one sentence" -o minutes.svc
  svc guide plan --explain "how many orders in orders.csv are unpaid?"
  svc guide plan "the five longest" --input '[string]' --output '[string]'
  svc guide plan --try "how many lines of notes.txt contain \"todo\""
  svc guide plan --run "the words of essay.txt, sorted"
  svc guide plan --json "sort the lines of names.txt" | jq -r .script

The same as the component `guide_plan_workflow`. The script checks, and its comments state its
estimate. Files that the goal names are read, so that its words can mean columns and values. If
`SVC_MODEL` names a language model, the model may write a better script, which is used if it
checks and does only what the goal asks for, and if its part that only reads files does not fail.
The model gets nothing of what is in the files; with --share, the names of their columns and keys
with types, but no values.

With -o, the plan of the script is printed, as by `svc plan`. --try runs its part that only reads
files, for at most 10 seconds, and shows the beginning of the result in comments. --run runs the
script: if it writes, runs programs, spends or asks, you are asked first; without a terminal, it
needs --yes. The script is then printed to standard error.

The exit code is 0 if there is a script, and 6 if there is none: no component does some part of
the goal, which the message names, or the model has a question. The exit code is 6 as well for
a sketch, a script with holes for what it leaves out."#;

impl Plan {
    async fn execute(self, session: &Session) -> Result<u8> {
        let engine = &session.engine;
        let goal = Goal {
            goal: self.goal.join(" "),
            input: self.input,
            output: self.output,
            share: self.share,
            example: self.example,
        };
        let with_model = !self.no_model && has_model(engine);
        let workflow = answered(self.json, advised(workflow(engine, goal, with_model).await))?;
        if self.json {
            terminal::print_json(&workflow)?;
        }
        let explained = if self.explain { parts(&workflow) } else { String::new() };
        let script = format!("{explained}{}", written(session, &workflow)?);
        match self.out {
            Some(file) => {
                write(session, &file, &script)?;
                if !self.json && is_whole(&workflow) {
                    preview(session, &file, &script)?;
                }
            }
            // Its result is what a program behind a pipe waits for.
            None if self.run => terminal::print_err(terminal::styled(&visible(&script))),
            None if !self.json => terminal::print_data(&script)?,
            None => {}
        }
        if !is_whole(&workflow) {
            return Err(sketched(&workflow));
        }
        if self.run {
            return guide_run::run(&script, self.yes, session).await;
        }
        match workflow.as_record().and_then(|it| it.get("example")) {
            Some(example) if self.example && !self.json => show_example(example, session),
            Some(example) if self.example => tried(example).map(|()| OK),
            _ => Ok(OK),
        }
    }
}

/// Shows what a dry run gave, as comments: the script before it can be read from the same output.
fn show_example(example: &Value, session: &Session) -> Result<u8> {
    let of = |name: &str| example.as_record().and_then(|it| it.get(name));
    if let Some(why) = of("skipped").and_then(Value::as_str) {
        session.terminal.note(&format!("nothing was tried: {why}"));
        return Ok(OK);
    }
    tried(example)?;
    let head = match of("before").and_then(Value::as_str) {
        None => "# Its result now:\n".to_owned(),
        Some(stage) => {
            format!("# The value before `{}`, which was not run:\n", visible_line(stage))
        }
    };
    let shown = show::show(&of("output").cloned().unwrap_or_default(), Reader::Pipe);
    let lines = shown.lines().map(|it| format!("#   {}\n", visible_line(it)));
    let more = if of("cut") == Some(&Value::Bool(true)) { "#   ..\n" } else { "" };
    terminal::print(&format!("\n{head}{}{more}", lines.collect::<String>()))?;
    Ok(OK)
}

/// Fails if a dry run failed.
fn tried(example: &Value) -> Result<()> {
    let error = example.as_record().and_then(|it| it.get("error")).and_then(Value::as_str);
    let Some(error) = error else { return Ok(()) };
    let failure = Failure::new(FAILED, format!("the script fails when it is tried: {error}"));
    Err(failure.help("`svc run` on the written script shows the place"))
}

/// The failure that names what a sketch leaves out.
fn sketched(workflow: &Value) -> Failure {
    let parts = missing(workflow).map(|it| it.parts).unwrap_or_default();
    let parts: Vec<String> = parts.iter().map(|it| format!("`{}`", beginning(it))).collect();
    let what = if parts.is_empty() {
        "it does not reach the goal yet".to_owned()
    } else {
        format!("it does not cover {}", parts.join(", "))
    };
    Failure::new(NOT_FOUND, format!("the script is a sketch: {what}"))
        .help("fill its hole `?`, or say the goal in other words")
}

/// Comments that name the stage for each phrase of the goal.
fn parts(workflow: &Value) -> String {
    let parts = workflow.as_record().and_then(|it| it.get("parts"));
    let Some(Value::List(parts)) = parts else { return String::new() };
    let line = |it: &Value| {
        let (phrase, stage) = (field(it, "phrase"), field(it, "stage"));
        format!("# \"{}\": {}\n", visible_line(&phrase), visible_line(&stage))
    };
    parts.iter().map(line).collect()
}

/// Change a script with a language model, and show the change.
#[derive(Args)]
#[command(after_help = EDIT_EXAMPLES)]
struct Edit {
    /// The script.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The change, in plain English. Paths, addresses and quoted texts are taken literally.
    #[arg(value_name = "GOAL", required = true)]
    goal: Vec<String>,
    /// Write the changed script into this file.
    #[arg(short, long = "out", value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the changed script into the file of the script.
    #[arg(long, conflicts_with = "out")]
    write: bool,
    /// Print the changed script, its parts and its estimate as JSON.
    #[arg(long)]
    json: bool,
}

const EDIT_EXAMPLES: &str = r#"Examples:
  svc guide edit report.svc "keep only the first 10"
  svc guide edit report.svc "sort by date, newest first" --write
  svc guide edit report.svc "save the result to out.md" -o saved.svc

`SVC_MODEL` must name a language model. The changed script is used if it checks and does nothing
beyond the old script but what the goal asks for. Without -o and --write, only the difference is
printed. The exit code is 6 if the model finds none."#;

impl Edit {
    async fn execute(self, session: &Session) -> Result<u8> {
        let engine = &session.engine;
        let before = answered(self.json, script::read(engine.host(), &self.file))?;
        if !has_model(engine) {
            let failure = Failure::new(FAILED, "a change of a script needs a language model");
            let failure = failure.help("name one with SVC_MODEL, such as `ollama/llama3.2`");
            return answered(self.json, Err(failure));
        }
        let edited = edited(engine, before.text(), &self.goal.join(" ")).await;
        let workflow = answered(self.json, advised(edited))?;
        if self.json {
            terminal::print_json(&workflow)?;
        }
        let after = written(session, &workflow)?;
        if !self.json {
            // A build without the component shows the whole script.
            let difference = difference(engine, before.text(), after).await;
            terminal::print_data(&difference.unwrap_or_else(|_| after.to_owned()))?;
        }
        if !is_whole(&workflow) {
            return Err(sketched(&workflow));
        }
        let file = if self.write { Some(&self.file) } else { self.out.as_ref() };
        if let Some(file) = file {
            write(session, file, after)?;
        }
        Ok(OK)
    }
}

/// The script of a workflow, after its notes; or why there is none.
fn written<'a>(session: &Session, workflow: &'a Value) -> Result<&'a str> {
    // What a sketch leaves out is its failure.
    let is_sketch = field(workflow, "verdict") == "sketch";
    for note in fields(workflow, "notes").iter().filter(|_| !is_sketch) {
        session.terminal.note(note);
    }
    if let Some(question) = question(workflow) {
        let failure = Failure::new(NOT_FOUND, format!("the goal is not clear: {question}"));
        return Err(failure.help("answer it in the goal"));
    }
    let script = workflow.as_record().and_then(|it| it.get("script")).and_then(Value::as_str);
    script.ok_or_else(|| nothing(workflow))
}

/// Whether the script is more than a sketch.
fn is_whole(workflow: &Value) -> bool {
    workflow.as_record().and_then(|it| it.get("ok")) == Some(&Value::Bool(true))
}

/// Prints what `svc plan` prints for the written script.
fn preview(session: &Session, file: &Path, script: &str) -> Result<()> {
    let source = Source::new(file.display().to_string(), script).in_folder(".");
    if let Ok(plan) = session.engine.plan(source) {
        terminal::print(terminal::styled(&plan.render(session.terminal.out.style())))?;
    }
    Ok(())
}

fn write(session: &Session, file: &Path, script: &str) -> Result<()> {
    script::write(session.engine.host(), file, script)
}

/// The failure that names the parts that no component does, and the nearest ops.
fn nothing(workflow: &Value) -> Failure {
    let Some(Missing { parts, nearest }) = missing(workflow) else {
        return Failure::new(NOT_FOUND, "no script");
    };
    // What is asked of a table has a note on its columns, and no nearest ops.
    let describes = |it: &String| it.starts_with("the columns of") || it.ends_with("has no rows");
    let is_of_table = nearest.is_empty() && fields(workflow, "notes").iter().any(describes);
    if parts.is_empty() {
        let message = if is_of_table {
            "what is asked about the file is not understood"
        } else {
            "no script does what the goal asks for and nothing else"
        };
        return Failure::new(NOT_FOUND, message);
    }
    let parts: Vec<String> = parts.iter().map(|it| format!("`{}`", beginning(it))).collect();
    if is_of_table {
        let message =
            format!("not understood of what is asked about the file: {}", parts.join(", "));
        return Failure::new(NOT_FOUND, message)
            .help("use the names of columns, values in them, and words such as `per`, `more than`, `the largest`");
    }
    let failure = Failure::new(NOT_FOUND, format!("no components do {}", parts.join(", ")));
    if nearest.is_empty() {
        failure.help("list all components with `svc components`")
    } else {
        failure.help(format!("the nearest ops are {}", nearest.join(", ")))
    }
}

/// The beginning of a part of a goal, short enough for a message.
fn beginning(part: &str) -> String {
    const LONGEST: usize = 120;
    match part.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &part[..end]),
        None => part.to_owned(),
    }
}

/// Print an overview of svc: its purpose, its components and its language.
#[derive(Args)]
#[command(after_help = "Examples:
  svc guide overview
  svc guide overview --json | jq -r .language")]
struct Overview {
    /// Print the overview as JSON.
    #[arg(long)]
    json: bool,
}

impl Guide {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        match self.what {
            What::Plan(it) => it.execute(session).await,
            What::Edit(it) => it.execute(session).await,
            What::Overview(it) => it.execute(session).await,
        }
    }
}

impl Overview {
    async fn execute(self, session: &Session) -> Result<u8> {
        let system = answered(self.json, advised(overview(&session.engine).await))?;
        if self.json {
            terminal::print_json(&system)?;
        } else {
            let next = fields(&system, "next").join("\n  ");
            let [summary, components] = ["summary", "components"].map(|it| field(&system, it));
            terminal::print(&format!("{summary}\n\n{components}\nNext:\n  {next}\n"))?;
        }
        Ok(OK)
    }
}

/// The answer of a component that advises.
pub(super) fn advised<T>(answer: std::result::Result<T, Error>) -> Result<T> {
    answer.map_err(|error| match error {
        // The script is internal, so its lines would mean nothing to the user.
        Error::Run { error, .. } | Error::Input { error, .. } => Failure::reading(error.error),
        other => Failure::new(FAILED, other.to_string()),
    })
}
