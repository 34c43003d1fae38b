//! Changed defaults of tunable params, from the command line.

use clap::Args;
use svc_api::tuning;
use svc_contract::registry::{OpError, Registry, Tuning};
use svc_engine::Engine;

use super::{
    Session,
    exit::{Failure, Result, USAGE},
    keeping,
};

/// Changed defaults of component params.
#[derive(Args)]
pub(super) struct TuneArgs {
    /// Change the default of a tunable param: `--tune rerank.keep=10`. A value in the script
    /// takes precedence. `svc inspect` marks the tunable params.
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    tune: Vec<(String, String)>,
}

fn name_and_value(text: &str) -> std::result::Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

impl TuneArgs {
    /// The same session with the biases that were applied, and these defaults.
    pub(super) fn session(&self, session: &Session) -> Result<Session> {
        let engine = match keeping::service_of_stores(session.engine.host()) {
            Ok(folder) => tuning::engine(&session.engine, &folder).unwrap_or_else(|err| {
                let why = format!("applied biases are not used: {}", err.message);
                session.terminal.note(&why);
                session.engine.clone()
            }),
            // Without a folder for data, nothing was applied.
            Err(_) => session.engine.clone(),
        };
        self.alone(&Session { engine, ..*session })
    }

    /// The same session with these defaults alone, for a run that has recorded its own.
    pub(super) fn alone(&self, session: &Session) -> Result<Session> {
        let engine = session.engine.clone();
        let engine = self.tune.iter().try_fold(engine, |it, (name, value)| set(it, name, value))?;
        Ok(Session { engine, ..*session })
    }
}

/// Changes the default of a tunable param to a value as text.
pub(super) fn set(engine: Engine, name: &str, value: &str) -> Result<Engine> {
    changed(engine, |tuning, registry| tuning.set_text(registry, name, value))
}

/// Restores the default of a tunable param.
pub(super) fn reset(engine: Engine, name: &str) -> Result<Engine> {
    changed(engine, |tuning, registry| tuning.reset(registry, name).map(|_| ()))
}

fn changed(
    engine: Engine,
    change: impl FnOnce(&mut Tuning, &Registry) -> std::result::Result<(), OpError>,
) -> Result<Engine> {
    let mut tuning = engine.tuning().clone();
    change(&mut tuning, engine.registry()).map_err(wrong_usage)?;
    Ok(engine.with_tuning(tuning))
}

pub(super) fn wrong_usage(err: OpError) -> Failure {
    let failure = Failure::new(USAGE, err.message);
    match err.help {
        Some(help) => failure.help(help),
        None => failure,
    }
}
