//! `svc guide`: writes a script for a goal, or prints an overview.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use svc_api::guide::{Goal, Missing, field, fields, has_model, missing, overview, workflow};
use svc_contract::{registry::OpError, value::Value};
use svc_engine::Error;
use svc_lang::diag::visible_line;

use super::{
    Session,
    exit::{FAILED, Failure, NOT_FOUND, OK, Result, answered},
    terminal,
};

/// Write a script for a goal, or print an overview.
#[derive(Args)]
pub(super) struct Guide {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Plan(Plan),
    Overview(Overview),
}

/// Write a script for a goal in plain English, or report the parts that no component does.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
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
    /// Say for every phrase of the goal which stage serves it, in comments.
    #[arg(long)]
    explain: bool,
    /// Print the script, its stages and its estimate as JSON.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"Examples:
  svc guide plan "count the words of essay.txt"
  svc guide plan "summarise each file in ./minutes in one sentence" -o minutes.svc
  svc guide plan --explain "how many orders in orders.csv are unpaid?"
  svc guide plan "the five longest" --input '[string]' --output '[string]'
  svc guide plan --json "sort the lines of names.txt" | jq -r .script

The same as the component `guide_plan_workflow`. The script checks, and its comments state its
estimate. Files that the goal names are read, so that its words can mean columns and values. A
script that leaves out a part of the goal is a sketch: it has a hole `?` and does not run. If `SVC_MODEL` names a language model, the model may propose a better script, which
is used if it checks.

The exit code is 0 if there is a script, and 6 if it is a sketch or if no component does some
part of the goal; the message names that part."#;

impl Plan {
    async fn execute(self, session: &Session) -> Result<u8> {
        let engine = &session.engine;
        let goal = Goal { goal: self.goal.join(" "), input: self.input, output: self.output };
        let with_model = !self.no_model && has_model(engine);
        let workflow = answered(self.json, advised(workflow(engine, goal, with_model).await))?;
        if self.json {
            terminal::print_json(&workflow)?;
        }
        // What a sketch leaves out is its failure.
        for note in fields(&workflow, "notes").iter().filter(|_| !is_sketch(&workflow)) {
            session.terminal.note(note);
        }
        let script = workflow.as_record().and_then(|it| it.get("script")).and_then(Value::as_str);
        let Some(script) = script else { return Err(nothing(&workflow)) };
        let explained = if self.explain { parts(&workflow) } else { String::new() };
        let script = format!("{explained}{script}");
        match self.out {
            Some(file) => {
                let written = session.engine.host().write(&file, script.as_bytes());
                written.map_err(|err| Failure::reading(OpError::io(err, &file)))?;
            }
            None if !self.json => terminal::print_data(&script)?,
            None => {}
        }
        if is_sketch(&workflow) { Err(sketched(&workflow)) } else { Ok(OK) }
    }
}

fn is_sketch(workflow: &Value) -> bool {
    field(workflow, "verdict") == "sketch"
}

/// The failure that names the words that a sketch leaves out.
fn sketched(workflow: &Value) -> Failure {
    let parts = missing(workflow).map(|it| it.parts).unwrap_or_default();
    let parts: Vec<String> = parts.iter().map(|it| format!("`{}`", beginning(it))).collect();
    Failure::new(
        NOT_FOUND,
        format!("the script is a sketch: it does not cover {}", parts.join(", ")),
    )
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

/// The failure that names the parts that no component does, and the nearest ops.
fn nothing(workflow: &Value) -> Failure {
    let Some(Missing { parts, nearest }) = missing(workflow) else {
        return Failure::new(NOT_FOUND, "no script");
    };
    let parts: Vec<String> = parts.iter().map(|it| format!("`{}`", beginning(it))).collect();
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
pub(super) fn advised(answer: std::result::Result<Value, Error>) -> Result<Value> {
    answer.map_err(|error| match error {
        // The script is internal, so its lines would mean nothing to the user.
        Error::Run { error, .. } | Error::Input { error, .. } => Failure::reading(error.error),
        other => Failure::new(FAILED, other.to_string()),
    })
}
