//! `svc ask`: answers questions from the documentation.

use clap::Args;
use svc_api::guide::{ask, field, fields, has_model};
use svc_lang::diag::visible;

use super::{
    Session,
    exit::{Failure, NOT_FOUND, OK, Result, answered},
    guide::advised,
    terminal::{self, Ink},
};

/// Answer a question about svc from its documentation, with sources.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Ask {
    /// The question.
    #[arg(value_name = "QUESTION", required = true)]
    question: Vec<String>,
    /// The number of passages to answer from.
    #[arg(long, short = 'k', value_name = "N", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(i64).range(1..=20))]
    top_k: i64,
    /// Use no language model: answer with sentences of the documentation.
    #[arg(long)]
    no_model: bool,
    /// Print the answer as JSON.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"Examples:
  svc ask "how are budgets enforced?"
  svc ask -k 5 "what does each? do"
  svc ask --json "which errors are retried?" | jq -r '.sources[]'

The same as the component `guide_ask`. If `SVC_MODEL` names a language model, the model writes
the answer from the passages found; otherwise the answer quotes them. The exit code is 6 if
the documentation has no answer."#;

impl Ask {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let (engine, question) = (&session.engine, self.question.join(" "));
        let with_model = !self.no_model && has_model(engine);
        let answer =
            answered(self.json, advised(ask(engine, &question, self.top_k, with_model).await))?;
        let sources = fields(&answer, "sources");
        if self.json {
            terminal::print_json(&answer)?;
        } else if !sources.is_empty() {
            let out = session.terminal.out;
            let source = |(idx, it): (usize, &String)| {
                format!("{} {}\n", out.paint(&format!("[{}]", idx + 1), Ink::Cyan), visible(it))
            };
            let listed: String = sources.iter().enumerate().map(source).collect();
            let answer = field(&answer, "answer");
            let text = format!("{}\n\n{listed}", visible(&answer));
            terminal::print(terminal::styled(&text))?;
        }
        if sources.is_empty() {
            let message = "the documentation has no answer";
            return Err(
                Failure::new(NOT_FOUND, message).help("search the ops with `svc find WORDS`")
            );
        }
        Ok(OK)
    }
}
