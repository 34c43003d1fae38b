//! Why the calls of a run were made, and what differs from the run before.

mod compared;
mod side;
mod upstream;

use serde::Serialize;
use svc_store::{Filter, Node, Run, Store, StoreError, StoreErrorKind};

use compared::Compared;
use side::Side;

use super::Engine;
use crate::run::place_of;

/// Why the calls of a run were made.
#[derive(Clone, Debug, Serialize)]
pub struct Why {
    pub run: String,
    /// The run that it is compared with; none where it is the first of its script.
    pub since: Option<String>,
    pub calls: Vec<Called>,
}

/// Why one call was made, or where its result is from.
#[derive(Clone, Debug, Serialize)]
pub struct Called {
    pub path: String,
    /// The run that made it, where its result was taken from there.
    pub taken_from: Option<String>,
    pub reasons: Vec<Reason>,
}

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum Reason {
    /// No run of the script came before.
    First,
    /// The run before has no record of it, or its result is not there any more.
    Missing,
    /// It did not end well then.
    Failure {
        kind: String,
        message: String,
    },
    /// It could not be funded then, and its price is another one now.
    Price {
        before: String,
        now: String,
    },
    /// A person asked for it.
    Explicit {
        option: String,
    },
    /// What was there is too old.
    ReuseAge {
        age: String,
        max_age: String,
    },
    /// Nothing differs; but nobody asked for results of other runs.
    NotAsked,
    ComponentVersion {
        before: u32,
        now: u32,
    },
    /// Another component stands there.
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
    /// The script says something else there.
    Argument {
        name: String,
        before: String,
        now: String,
    },
    /// What another call gave is something else.
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
    /// Nothing that is kept explains it.
    Unknown {
        name: String,
    },
}

impl Engine {
    /// Why the calls of a run were made: that at `path`, all at a place such as
    /// `each[]/ask`, or all. Compared with the run `since`, or else with the one that it
    /// goes on from, or the one of the same script before it.
    pub fn why(
        &self,
        name: &str,
        path: Option<&str>,
        since: Option<&str>,
    ) -> Result<Why, StoreError> {
        let store = self.kept()?;
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
                StoreError::not_found(message).help(format!("`svc show {name}` lists them"))
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

/// The run that another one is compared with by itself.
fn earlier(store: &Store, run: &Run) -> Result<Option<Run>, StoreError> {
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
