//! `svc explain`: explains an error code, with a wrong script and a right one.

use clap::Args;
use svc_api::explain::CodeJson;
use svc_contract::registry::nearest;
use svc_lang::diag::Explanation;

use super::{
    Session,
    exit::{Failure, OK, Result, USAGE, answered},
    prose,
    terminal::{self, Ink, Stream},
};

/// Explain an error code and how to fix the script.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Explain {
    /// The error code, shown in brackets in messages; without it, all codes are listed.
    #[arg(value_name = "CODE")]
    code: Option<String>,
    /// Print JSON: code, title, meaning, wrong, right.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  svc explain E203
  svc explain e409
  svc explain
  svc explain --json E203 | jq -r .right";

impl Explain {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        answered(self.json, self.printed(session))
    }

    fn printed(&self, session: &Session) -> Result<u8> {
        let out = session.terminal.out;
        match &self.code {
            Some(code) => {
                let entry = Explanation::find(code).ok_or_else(|| unknown(code))?;
                if self.json {
                    terminal::print_json(&CodeJson::new(entry))?;
                } else {
                    terminal::print(terminal::styled(&page(entry, out)))?;
                }
            }
            None if self.json => {
                let all: Vec<CodeJson> = Explanation::all().map(CodeJson::new).collect();
                terminal::print_json(&all)?;
            }
            None => terminal::print(terminal::styled(&list(out)))?,
        }
        Ok(OK)
    }
}

fn unknown(code: &str) -> Failure {
    let failure = Failure::new(USAGE, format!("unknown error code `{code}`"));
    match nearest(&code.to_uppercase(), Explanation::all().map(|it| it.code)) {
        Some(meant) => {
            failure.help(format!("did you mean `{meant}`? list all codes with `svc explain`"))
        }
        None => failure.help("list all codes with `svc explain`"),
    }
}

fn page(entry: Explanation, out: Stream) -> String {
    let head = out.paint(&format!("{}: {}", entry.code, entry.title), Ink::Bold);
    let meaning = prose::page(entry.meaning, out);
    let wrong = out.paint("wrong", Ink::Red);
    let right = out.paint("right", Ink::Cyan);
    let (before, after) = (prose::block(entry.wrong.text), prose::block(entry.right.text));
    format!("{head}\n\n{meaning}\n{wrong}\n\n{before}\n{right}\n\n{after}")
}

/// All codes with their titles, with an empty line between groups.
fn list(out: Stream) -> String {
    let mut text = String::new();
    let mut group = "";
    for entry in Explanation::all() {
        if !group.is_empty() && group != &entry.code[..2] {
            text.push('\n');
        }
        group = &entry.code[..2];
        text += &format!("{}  {}\n", out.paint(entry.code, Ink::Cyan), entry.title);
    }
    text
}
