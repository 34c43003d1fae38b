//! The effects of calls, and their places.

use std::fmt;

use svc_contract::{
    host::address::{self, Address},
    registry::{Effect, Scope},
    value::{Text, Value},
};

use crate::check::TypedCall;

/// An effect of a node, with its place in the world.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EffectUse {
    pub verb: Verb,
    /// The place that is read or written, or the program that runs.
    pub place: Option<Place>,
}

/// The kind of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    Reads,
    Writes,
    Runs,
    Spends,
    Asks,
}

/// The place of an effect, as far as a plan knows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A file, or a folder with everything below it.
    Path(Text),
    /// The file or folder named by this param, which is only known in the run.
    PathOf(&'static str),
    /// A host of the web; `None` if it is only known in the run.
    Web(Option<WebHost>),
    /// A program as it is started, by its name or its path; `None` if it is only known in the run.
    Command(Option<String>),
    /// Something with a fixed name: `llm`, `mail`.
    Named(&'static str),
}

/// A host of the web, and its port if that is known before the run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WebHost {
    pub host: String,
    pub port: Option<u16>,
}

impl Verb {
    pub const ALL: [Self; 5] = [Self::Reads, Self::Writes, Self::Runs, Self::Spends, Self::Asks];

    pub fn name(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Writes => "writes",
            Self::Runs => "runs",
            Self::Spends => "spends",
            Self::Asks => "asks",
        }
    }
}

impl fmt::Display for WebHost {
    /// Writes the port if it is not the usual one of HTTP or HTTPS.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&address::authority(&self.host))?;
        match self.port {
            None | Some(80 | 443) => Ok(()),
            Some(port) => write!(f, ":{port}"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(f, "fs:{path}"),
            Self::PathOf(param) => write!(f, "fs:<{param}>"),
            Self::Web(Some(it)) => write!(f, "web:{it}"),
            Self::Web(None) => f.write_str("web"),
            Self::Command(Some(name)) => write!(f, "cmd:{name}"),
            Self::Command(None) => f.write_str("cmd"),
            Self::Named(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for EffectUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = self.verb.name();
        match &self.place {
            Some(place) => write!(f, "{verb} {place}"),
            None => f.write_str(verb),
        }
    }
}

/// The effects of a call, with the paths and hosts named by its arguments.
///
/// `known` returns the argument at an index, if it is known before the run.
pub(super) fn of_call<'v>(
    call: &TypedCall,
    known: &dyn Fn(usize) -> Option<&'v Value>,
) -> Vec<EffectUse> {
    let at = |verb, scope| EffectUse { verb, place: Some(place(call, scope, known)) };
    let effects = call.op.op.effects_of(known).iter().map(|it| match *it {
        Effect::Reads(scope) => at(Verb::Reads, scope),
        Effect::Writes { scope, .. } => at(Verb::Writes, scope),
        Effect::Runs(scope) => at(Verb::Runs, scope),
        Effect::Spends => EffectUse { verb: Verb::Spends, place: None },
        Effect::Asks => EffectUse { verb: Verb::Asks, place: None },
    });
    effects.collect()
}

fn place<'v>(call: &TypedCall, scope: Scope, known: &dyn Fn(usize) -> Option<&'v Value>) -> Place {
    let constant = |param: &str| {
        let idx = call.op.op.params.iter().position(|it| it.name == param);
        idx.and_then(known)
    };
    match scope {
        Scope::Named(name) => Place::Named(name),
        Scope::Site(host) => Place::Web(Some(WebHost { host: host.to_owned(), port: None })),
        Scope::Path(param) => match constant(param) {
            Some(Value::Path(path)) => Place::Path(path.clone()),
            _ => Place::PathOf(param),
        },
        Scope::Command(param) => {
            let name = constant(param).and_then(Value::as_str);
            Place::Command(name.map(str::to_owned))
        }
        Scope::Web(param) => {
            let url = constant(param).and_then(|it| Address::read(it.as_str()?).ok());
            Place::Web(url.map(|it| WebHost { host: it.host().to_owned(), port: Some(it.port()) }))
        }
    }
}
