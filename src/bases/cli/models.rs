//! `svc models`: lists, names, exports and removes what components have learnt.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use svc_api::models::{ModelJson, model_row};

use super::{
    Session,
    exit::{FAILED, Failure, OK, Result, USAGE, answered},
    keeping::{self, StoreArgs},
    run::print_rows,
    terminal,
};

/// List, name, export or forget the models that components learnt.
///
/// A model is stored as long as a stored run learnt or used it, or as long as it has a name. A
/// script takes it by its id or its name: `svc run rank.svc -p model=best`.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub(super) struct Models {
    /// Print them as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    keeping: StoreArgs,
    #[command(subcommand)]
    task: Option<Task>,
}

const EXAMPLES: &str = "Examples:
  svc models
  svc models name 3f2a91c0 best
  svc models export best best.svcm
  svc models import best.svcm best
  svc models forget best";

#[derive(Subcommand)]
enum Task {
    Name(Name),
    Export(Export),
    Import(Import),
    Forget(Forget),
}

/// Give a model a name. A model that already has the name loses it.
#[derive(Args)]
struct Name {
    /// The id of the model, or the beginning of it, or another name.
    #[arg(value_name = "MODEL")]
    model: String,
    /// The new name: letters, digits, `-`, `_` and `.`.
    #[arg(value_name = "NAME")]
    to: String,
    #[command(flatten)]
    keeping: StoreArgs,
}

/// Write a model to a file, as `save` does.
#[derive(Args)]
struct Export {
    /// The id of the model, or the beginning of it, or its name.
    #[arg(value_name = "MODEL")]
    model: String,
    /// The file to write.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    keeping: StoreArgs,
}

/// Read a model from a file into the store, under a name.
#[derive(Args)]
struct Import {
    /// A file that `save` or `svc models export` wrote.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The name of the model in the store.
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    keeping: StoreArgs,
}

/// Remove a name. The model goes with the last stored run that used it, when runs are pruned.
#[derive(Args)]
struct Forget {
    /// The name.
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    keeping: StoreArgs,
}

impl Models {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let Some(task) = self.task else {
            return answered(self.json, list(&self.keeping, self.json, session));
        };
        match task {
            Task::Name(it) => it.execute(session),
            Task::Export(it) => it.execute(session),
            Task::Import(it) => it.execute(session),
            Task::Forget(it) => it.execute(session),
        }
    }
}

fn list(keeping: &StoreArgs, json: bool, session: &Session) -> Result<u8> {
    let store = keeping.reading(session)?;
    let models = store.models().map_err(keeping::failure)?;
    if json {
        terminal::print_json(&models.iter().map(ModelJson::new).collect::<Vec<_>>())?;
    } else {
        print_rows(models.iter().map(model_row), session)?;
    }
    Ok(OK)
}

impl Name {
    fn execute(self, session: &Session) -> Result<u8> {
        let store = self.keeping.opened(session)?;
        let name = valid(&self.to)?;
        let model = store.model(&self.model).map_err(keeping::failure)?;
        store.name_model(name, &model).map_err(keeping::failure)?;
        session.terminal.note(&format!("`{name}` is model {} now", model.id));
        Ok(OK)
    }
}

impl Export {
    fn execute(self, session: &Session) -> Result<u8> {
        let store = self.keeping.reading(session)?;
        let model = store.model(&self.model).map_err(keeping::failure)?;
        let content = store.learnt(&model).map_err(keeping::failure)?;
        let host = session.engine.host();
        host.write(&self.file, &content.to_file()).map_err(|err| {
            Failure::new(FAILED, format!("cannot write `{}`: {err}", self.file.display()))
        })?;
        Ok(OK)
    }
}

impl Import {
    fn execute(self, session: &Session) -> Result<u8> {
        let name = valid(&self.name)?;
        let store = self.keeping.opened(session)?;
        let host = session.engine.host();
        let model = store.import_model(&self.file, name, host).map_err(keeping::failure)?;
        session.terminal.note(&format!("`{name}` is model {model} now"));
        Ok(OK)
    }
}

impl Forget {
    fn execute(self, session: &Session) -> Result<u8> {
        let store = self.keeping.opened(session)?;
        let model = store.model(&self.name).map_err(keeping::failure)?;
        if !model.names.contains(&self.name) {
            let message = format!("`{}` is not a name of a model", self.name);
            let help = "a model without a name goes with its runs: `svc runs prune`";
            return Err(Failure::new(USAGE, message).help(help));
        }
        store.forget_model(&self.name).map_err(keeping::failure)?;
        Ok(OK)
    }
}

/// A name that cannot be taken for an id.
fn valid(name: &str) -> Result<&str> {
    let is_sign = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.');
    let is_like_an_id = name.len() >= 4 && name.chars().all(|it| it.is_ascii_hexdigit());
    if name.is_empty() || !name.chars().all(is_sign) || is_like_an_id {
        let help = "use letters, digits, `-`, `_` and `.`, and not only hex digits";
        return Err(Failure::new(USAGE, format!("`{name}` cannot name a model")).help(help));
    }
    Ok(name)
}
