//! Writes a script for a goal.

use std::{sync::Arc, time::Duration};

use svc_contract::{
    registry::{
        Catalog, Cx, Effect, ErrorKind, Example, Field, Io, Limits, Op, OpError, Scheme, Tool,
        Writer, params,
    },
    value::{Text, Value},
};
use svc_guide::{Content, Failed, Proposal, Seen, Wanted, Workflow, guarded, planned};

use super::EFFECTS;

params! {
    /// Writes a script for a goal.
    ///
    /// The script passes the check, has its estimate in a comment, and explains each stage in a
    /// comment. Values that the goal does not contain become params of the script. If no component
    /// serves a part of the goal, no script is returned: the result contains that part, with the
    /// closest ops.
    ///
    /// Without a `writer` the same goal always returns the same script. A `writer`, such as a flow
    /// that calls `ask`, may write a better one. It is used if it passes the check, if its parts
    /// cover the goal, and if it does nothing that the goal does not ask for; otherwise the writer
    /// gets the reasons and tries again. It may also ask a `question`, or say that the goal is
    /// impossible. If the writer fails, the result is the script without it, with a note.
    pub(super) struct PlanWorkflow {
        /// The goal, in plain words. Paths, addresses and quoted texts are used unchanged.
        goal: Text,
        /// The maximum number of ops that the goal may ask for.
        #[range(1..=50)]
        max_steps: usize = 12,
        /// The type of the input of the script, such as `[Doc]`; by default it follows from the
        /// goal.
        input: Option<Text> = None,
        /// The required type of the result.
        output: Option<Text> = None,
        /// Files that the goal names and that may be looked at: a list of `{ path, reader, value }`,
        /// with the stages that read a `{T}` from the file, and its content. For a folder, the stages
        /// return documents: with `is_texts: true` the value is a list of `{ title, text }`, and with
        /// a `parser`, the stages from a text to its rows, it is the list of all rows.
        data: Option<Value> = None,
        /// Whether the prompt has the names and types in `data`: columns and keys, but no values.
        share: bool = false,
        /// The maximum number of calls of the writer: for the script, for a look at further ops,
        /// and for repairs.
        #[range(1..=8)]
        rounds: usize = 5,
        /// The writer of the script: a flow or component from text to text.
        writer: Option<Writer> = None,
        /// A script to change, instead of writing a new one; this needs a writer.
        script: Option<Text> = None,
        /// A script of the writer that failed when it ran, and why: the writer corrects it.
        failed: Option<Failed> = None,
    }
}

impl Op for PlanWorkflow {
    const NAME: &'static str = "plan_workflow";
    const YIELDS: Scheme = Workflow::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const ERRORS: &'static [ErrorKind] = ErrorKind::ALL;
    const SAYS: &'static [&'static str] = &[
        "write a script for my goal",
        "plan the steps of a job",
        "turn a wish into a pipeline",
        "build a workflow from plain words",
        "generate svc code",
        "automate a task described in english",
        "describe it and get finished code",
        "code it for me from plain english",
    ];
    /// A failure of the writer is handled, and each of its answers may take minutes.
    const LIMITS: Limits =
        Limits { timeout: Some(Duration::from_mins(40)), max_retries: 0, ..Limits::DEFAULT };
    const TOOL: Option<Tool> = Some(Tool::free("guide_plan_workflow"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The ops of a script",
            r#""count the words of essay.txt" >> guide_plan_workflow >> .steps >> each { .op ?? "" }"#,
            r#"["files.read_text","text.words","list.len"]"#,
        ),
        Example::ok(
            "A goal without a component",
            r#""transcribe interview.mp3" >> guide_plan_workflow >> .missing >> each { .part }"#,
            r#"["transcribe interview.mp3"]"#,
        ),
        Example::ok(
            "A script of a language model",
            r#""the first of [3, 1, 2] in order" >> guide_plan_workflow(writer: ask) >> .parts >> each { .stage }"#,
            r#"["sort","first"]"#,
        )
        .answered(
            &[("SVC_MODEL", "ollama/llama3.2")],
            &[WRITTEN],
        ),
        Example::err(
            "A change without a model",
            r#""keep ten" >> guide_plan_workflow(script: "[1] >> take(n: 1)")"#,
            "needs a language model",
        ),
        Example::err(
            "An unknown type",
            r#""count the words" >> guide_plan_workflow(input: "Wodr")"#,
            "is not a type",
        ),
    ];
}

/// The answer of a model in an example.
const WRITTEN: &str = r#"{"message":{"content":"{\"verdict\": \"script\", \"script\": \"[3, 1, 2] >> sort >> first\", \"parts\": [{\"phrase\": \"[3, 1, 2] in order\", \"stage\": \"sort\"}, {\"phrase\": \"the first of\", \"stage\": \"first\"}]}"},"done":true}"#;

impl Io for PlanWorkflow {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let catalog = cx.catalog()?;
        let asked = Wanted {
            goal: self.goal.to_string(),
            max_steps: self.max_steps,
            input: self.input.map(|it| it.to_string()),
            output: self.output.map(|it| it.to_string()),
            has_looked: self.data.is_some(),
            seen: self.data.as_ref().map(seen).unwrap_or_default(),
        };
        let script = self.script.as_deref();
        if script.is_some() && self.writer.is_none() {
            return Err(OpError::invalid_input("a change of a script needs a language model")
                .help("pass a `writer`: a flow that calls `ask`"));
        }
        let own = match script {
            Some(_) => Workflow::none(&self.goal),
            None => without_writer(asked.clone(), &catalog).await?,
        };
        let Some(writer) = &self.writer else { return Ok(own.encode()) };
        // A script for what is in the files contains some of that.
        let draft = match script {
            None if !asked.seen.is_empty() => {
                let unseen = Wanted { seen: Vec::new(), has_looked: false, ..asked.clone() };
                without_writer(unseen, &catalog).await?.script
            }
            _ => own.script.clone(),
        };
        let (draft, share, rounds) = (draft.as_deref(), self.share, self.rounds);
        let failed = self.failed.as_ref();
        let proposal = Proposal { wanted: &asked, own, draft, share, script, failed, rounds };
        Ok(proposal.written(writer, catalog.as_ref()).await?.encode())
    }
}

/// The script of the guide itself.
async fn without_writer(asked: Wanted, catalog: &Arc<dyn Catalog>) -> Result<Workflow, OpError> {
    let catalog = catalog.clone();
    // Many drafts are tried, which takes time.
    let work = tokio::task::spawn_blocking(move || {
        let own = planned(&asked, catalog.as_ref())?;
        Ok::<_, OpError>(guarded(own, &asked, catalog.as_ref()))
    });
    work.await.map_err(|err| OpError::bug("the planner panicked").because(err))?
}

/// The files that may be looked at.
fn seen(data: &Value) -> Vec<Seen> {
    let Value::List(files) = data else { return Vec::new() };
    let file = |it: &Value| {
        let record = it.as_record()?;
        let text = |name: &str| Some(record.get(name)?.as_str()?.to_owned());
        let value = record.get("value")?.clone();
        let is_texts = matches!(record.get("is_texts"), Some(Value::Bool(true)));
        let content = match text("parser") {
            Some(parser) => Content::Rows { parser, rows: value },
            None if is_texts => Content::texts(&value)?,
            None => Content::One(value),
        };
        Some(Seen {
            path: text("path")?,
            within: text("within"),
            reader: text("reader")?,
            nouns: text("nouns"),
            content,
        })
    };
    files.iter().filter_map(file).collect()
}
