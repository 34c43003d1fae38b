//! `svc find`: finds the ops for a task, with the reason for each.

use clap::Args;
use svc_api::guide::{field, find};
use svc_contract::value::Value;
use svc_lang::diag::visible;

use super::{
    Session,
    exit::{Failure, NOT_FOUND, OK, Result, answered},
    guide::advised,
    terminal::{self, Ink, Stream},
};

/// Find ops, words of the language, flows and codes by what they do.
///
/// Each match comes with its reason. The flows are those of the standard library, the codes those
/// of problems.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Find {
    /// The search words, in plain English.
    #[arg(value_name = "WORDS", required = true)]
    words: Vec<String>,
    /// The maximum number of results.
    #[arg(long, short = 'n', value_name = "N", default_value_t = 8)]
    #[arg(value_parser = clap::value_parser!(i64).range(1..=1000))]
    limit: i64,
    /// Print them as JSON.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"Examples:
  svc find remove duplicates
  svc find "text of a PDF" -n 3
  svc find --json average | jq -r '.[].name'

The results of the component `nav_search`. The exit code is 6 if nothing is found."#;

impl Find {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let query = self.words.join(" ");
        let found = answered(self.json, advised(find(&session.engine, &query, self.limit).await))?;
        let Value::List(findings) = &found else { return Ok(NOT_FOUND) };
        if self.json {
            terminal::print_json(&found)?;
        } else {
            let out = session.terminal.out;
            let found: String = findings.iter().map(|it| entry(it, out)).collect();
            terminal::print(terminal::styled(&found))?;
        }
        if findings.is_empty() {
            let message = format!("nothing matches `{query}`");
            return Err(
                Failure::new(NOT_FOUND, message).help("list all components with `svc components`")
            );
        }
        Ok(OK)
    }
}

/// The name of an op, its summary, and why it matches.
fn entry(finding: &Value, out: Stream) -> String {
    let name = out.paint(&field(finding, "name"), Ink::Bold);
    let [summary, why] = ["summary", "why"].map(|it| field(finding, it));
    format!("  {name}  {}\n      {}\n", visible(&summary), visible(&why))
}
