//! `svc doc`: the documentation of the user's own modules.

use std::path::PathBuf;

use clap::Args;
use svc_api::library::{self, ModulePageJson};
use svc_engine::Error;
use svc_lang::{
    diag::visible,
    stdlib::{Module, SUFFIXES},
};

use super::{
    Session,
    exit::{Failure, INVALID, OK, Result, answered},
    library::page_of_file,
    script,
    scripts::Scripts,
    terminal,
};

/// Print the documentation of modules: their flows and types.
///
/// The documentation of a flow or a type is the comment before it that begins with `##`; that of
/// the module is the comment at the start of its file. Names that begin with `_` are private.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Doc {
    /// The modules, and folders with modules; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print Markdown.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Print a JSON array with an object for each module.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  svc doc crm.svc
  svc doc modules --markdown > MODULES.md
  svc inspect std:panel        a module of the standard library

The exit code is 7 if a module has errors.";

impl Doc {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        answered(self.json, self.print(session))
    }

    fn print(&self, session: &Session) -> Result<u8> {
        let found = Scripts::find(session.engine.host(), &self.files)?;
        let mut sources = Vec::with_capacity(found.files.len());
        for file in &found.files {
            let session = &session.at(file)?;
            let source = script::read(session.engine.host(), file)?;
            let is_template = source.name().ends_with(SUFFIXES[1]);
            if let Err(report) = session.engine.check(source.clone())
                && !is_template
            {
                let drawn = report.render(session.terminal.err.style());
                terminal::print_err(terminal::styled(&drawn));
                return Err(Failure::shown(INVALID, Error::Check(report)));
            }
            sources.push((file.display().to_string(), source));
        }
        let modules = sources.iter().map(|(path, source)| (path, Module::of_user(source)));
        // Most scripts of a folder have nothing for others.
        let modules = modules.filter(|(_, it)| {
            !found.has_folder || !it.flows().is_empty() || !it.types().is_empty()
        });
        if self.json {
            let pages: Vec<_> = modules.map(|(_, it)| ModulePageJson::of_user(&it)).collect();
            terminal::print_json(&pages)?;
            return Ok(OK);
        }
        let out = session.terminal.out;
        let page = |(path, it): (&String, Module<'_>)| {
            if self.markdown {
                visible(&library::markdown(&it)).into_owned()
            } else {
                page_of_file(&it, path, out)
            }
        };
        let pages: Vec<String> = modules.map(page).collect();
        terminal::print(terminal::styled(&pages.join("\n")))?;
        Ok(OK)
    }
}
