//! Explains why the calls of a run were made, and how they differ from the run before.

mod compared;
mod side;
mod upstream;

use serde::Serialize;
use svc_contract::{
    registry::{Hint, HintId},
    store::{Filter, Node, Run, Store, StoreError, StoreErrorKind},
};

use compared::Compared;
use side::Side;

use crate::{Engine, run::place_of};

/// The reasons why the calls of a run were made.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Why {
    pub run: String,
    /// The run that it is compared with; `None` for the first run of a script.
    pub since: Option<String>,
    pub calls: Vec<Called>,
}

/// The reason why one call was made, or the origin of its result.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Called {
    pub path: String,
    /// The run that the result was taken from, if it was reused.
    pub taken_from: Option<String>,
    pub reasons: Vec<Reason>,
}

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum Reason {
    /// The script has no earlier run.
    First,
    /// The earlier run has no record of the call, or its result is gone.
    Missing,
    /// The earlier call failed.
    Failure {
        kind: String,
        message: String,
    },
    /// The earlier call could not be funded, and its price has changed.
    Price {
        before: String,
        now: String,
    },
    /// The user requested it.
    Explicit {
        option: String,
    },
    /// The earlier result is too old. In milliseconds.
    ReuseAge {
        age: u64,
        max_age: u64,
    },
    /// Nothing differs, but reuse of other runs' results was not requested.
    NotAsked,
    ComponentVersion {
        before: u32,
        now: u32,
    },
    /// The script calls another component there.
    Component {
        before: String,
        now: String,
    },
    Model {
        before: String,
        now: String,
    },
    /// The default of a param was tuned.
    Tunable {
        name: String,
        before: String,
        now: String,
    },
    /// The script has another argument there.
    Argument {
        name: String,
        before: String,
        now: String,
    },
    /// The result of another call has changed.
    Input {
        from: String,
    },
    /// A file that it reads has changed.
    InputFile {
        path: String,
    },
    /// An input of the script.
    Param {
        name: String,
        before: String,
        now: String,
    },
    Import {
        file: String,
    },
    Template {
        file: String,
    },
    /// The stored records do not explain it.
    Unknown {
        name: String,
    },
}

impl Engine {
    /// The reasons why the calls of a run were made: the call at `path`, all calls at a place
    /// such as `each[]/ask`, or all calls. The run is compared with `since`, or else with the
    /// run it resumes, or the previous run of the same script.
    pub fn why(
        &self,
        name: &str,
        path: Option<&str>,
        since: Option<&str>,
    ) -> Result<Why, StoreError> {
        let store = self.kept()?.as_ref();
        let run = store.run(name)?;
        let before = match since {
            Some(name) => Some(store.run(name)?),
            None => earlier(store, &run)?,
        };
        let nodes = store.nodes(&run.id)?;
        let is_meant =
            |it: &Node| path.is_none_or(|wanted| wanted == it.path || wanted == place_of(&it.path));
        let meant: Vec<&Node> = nodes.iter().filter(|it| is_meant(it)).collect();
        if let (Some(path), true) = (path, meant.is_empty()) {
            let message = format!("the run {} has no call at `{path}`", run.id);
            return Err(
                StoreError::not_found(message).help(Hint::new(HintId::ListCalls).with("run", name))
            );
        }
        let before = before.map(|it| Side::of(self, store, it)).transpose()?;
        let since = before.as_ref().map(|it| it.run.id.to_string());
        let now = Side::with(self, store, run, nodes.clone());
        let id = now.run.id.to_string();
        let compared = Compared::of(store, now, before);
        let calls = meant.into_iter().map(|it| compared.called(it)).collect::<Result<_, _>>()?;
        Ok(Why { run: id, since, calls })
    }
}

/// The run that another one is compared with by default.
fn earlier(store: &dyn Store, run: &Run) -> Result<Option<Run>, StoreError> {
    const MOST: usize = 50;
    if let Some(origin) = &run.origin {
        return match store.run(origin.as_str()) {
            Err(err) if err.kind == StoreErrorKind::NotFound => Ok(None),
            known => known.map(Some),
        };
    }
    let (script, before) = (Some(run.script.clone()), Some(run.id.clone()));
    let found = store.runs(&Filter { limit: Some(MOST), script, before })?;
    Ok(found.into_iter().find(|it| it.folder == run.folder))
}
