//! Changed defaults of tunable params, from the command line.

use clap::Args;
use svc_contract::value::{Value, json};
use svc_engine::Engine;

use super::{
    Session,
    exit::{Failure, Result, USAGE},
};

/// Changed defaults of component params.
#[derive(Args)]
pub(super) struct Tuning {
    /// Change the default of a numeric param that has a range: `--tune rerank.keep=10`. A value
    /// in the script takes precedence.
    #[arg(long, value_name = "NAME=NUMBER", value_parser = name_and_number)]
    tune: Vec<(String, Value)>,
}

fn name_and_number(text: &str) -> std::result::Result<(String, Value), String> {
    let (name, number) = text.split_once('=').ok_or("expected NAME=NUMBER")?;
    let value = json::read(number).ok().filter(|it| matches!(it, Value::Int(_) | Value::Float(_)));
    Ok((name.to_owned(), value.ok_or_else(|| format!("`{number}` is not a number"))?))
}

impl Tuning {
    /// The same session with these defaults.
    pub(super) fn session(&self, session: &Session) -> Result<Session> {
        let engine = self.tuned(session.engine.clone())?;
        Ok(Session { engine, ..*session })
    }

    fn tuned(&self, engine: Engine) -> Result<Engine> {
        self.tune.iter().try_fold(engine, |engine, (name, value)| {
            engine.tuned(name, value.clone()).map_err(|err| {
                let failure = Failure::new(USAGE, err.message);
                match err.help {
                    Some(help) => failure.help(help),
                    None => failure,
                }
            })
        })
    }
}
