//! The reason why a call was made although an earlier run had made it.

use std::{collections::BTreeMap, fmt, iter, time::Duration};

use serde::{Deserialize, Serialize};
use svc_contract::{
    store::{Node, NodeState, Store, StoreError},
    value::{Record, json},
};

use crate::run::{About, Most};

/// Longer values are cut.
const LONGEST: usize = 80;

/// The reason why a call was made again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Its earlier result was removed from the store, or it was never made.
    Missing,
    /// It had failed. With the maximum usage of an attempt, if it is counted.
    Failed {
        kind: String,
        message: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        most: Option<Most>,
    },
    /// It was requested with this option.
    Asked { option: String },
    /// The earlier result is older than allowed. In milliseconds.
    TooOld { age: u64, max_age: u64 },
    /// The earlier result was computed from something else.
    Differs(Differences),
}

/// The differences between two calls at one place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Differences {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub component: Option<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<[u32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<[String; 2]>,
    /// Arguments by name, as JSON, the earlier one first; long ones are cut.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub args: BTreeMap<String, [String; 2]>,
    /// Files that it reads, by path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// The facts about a call that are needed to compare it with another one.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub op: String,
    pub version: u32,
    pub args: BTreeMap<String, String>,
    pub about: About,
}

impl Facts {
    /// The facts of a recorded call.
    pub(super) fn of(store: &dyn Store, node: &Node) -> Result<Self, StoreError> {
        Ok(Self {
            op: format!("{}.{}", node.component, node.op),
            version: node.version,
            args: arguments(&store.arguments(node)?),
            about: serde_json::from_str(&node.about).unwrap_or_default(),
        })
    }
}

/// The arguments of a record in JSON, each as JSON.
fn arguments(record: &str) -> BTreeMap<String, String> {
    let record = json::read(record).ok();
    let fields = record.as_ref().and_then(|it| it.as_record()).into_iter().flat_map(Record::iter);
    fields.map(|(name, value)| (name.to_string(), json::write(value))).collect()
}

impl Differences {
    pub(super) fn between(before: &Facts, now: &Facts) -> Self {
        let changed = |a: &Option<String>, b: &Option<String>| {
            let or_none = |it: &Option<String>| it.clone().unwrap_or_else(|| "none".to_owned());
            (a != b).then(|| [or_none(a), or_none(b)])
        };
        // A model of the same name may be on another server.
        let text = |it: &About| {
            let model = it.model.as_ref()?;
            let place = it.server.iter().map(|it| format!(" at {it}"));
            Some(iter::once(model.to_string()).chain(place).collect())
        };
        // A type of the same name may have another structure.
        let structure = |it: &About| it.structure.clone().or_else(|| it.wanted.clone());
        let wanted = if before.about.wanted == now.about.wanted {
            changed(&structure(&before.about), &structure(&now.about))
        } else {
            changed(&before.about.wanted, &now.about.wanted)
        };
        let names = before.args.keys().chain(now.args.keys());
        let none = String::new();
        let args = names.filter_map(|name| {
            let [a, b] = [&before.args, &now.args].map(|it| it.get(name).unwrap_or(&none));
            (a != b).then(|| (name.clone(), differing_parts(a, b)))
        });
        let [a, b] = [&before.about.files, &now.about.files];
        let files = b.iter().filter(|(path, state)| a.get(*path).is_some_and(|it| it != *state));
        Self {
            component: (before.op != now.op).then(|| [before.op.clone(), now.op.clone()]),
            version: (before.op == now.op && before.version != now.version)
                .then_some([before.version, now.version]),
            wanted,
            model: changed(&text(&before.about), &text(&now.about)),
            args: args.collect(),
            files: files.map(|(path, _)| path.clone()).collect(),
        }
    }
}

/// Cuts two texts to the part around their first difference, if they are long.
fn differing_parts(a: &str, b: &str) -> [String; 2] {
    const BEFORE: usize = 16;
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let skipped = if same > LONGEST / 2 { same - BEFORE } else { 0 };
    [a, b].map(|text| {
        let start = if skipped > 0 { "…" } else { "" };
        let mut rest = text.chars().skip(skipped);
        let shown: String = rest.by_ref().take(LONGEST).collect();
        let end = if rest.next().is_some() { "…" } else { "" };
        format!("{start}{shown}{end}")
    })
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("no earlier result is stored"),
            Self::Failed { kind, .. } => write!(f, "the call had failed ({kind})"),
            Self::Asked { option } => write!(f, "requested by `{option}`"),
            Self::TooOld { .. } => f.write_str("the earlier result is too old"),
            Self::Differs(it) => it.fmt(f),
        }
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pair =
            |what: &str, [before, now]: &[String; 2]| format!("{what} is {now}, was {before}");
        let version = self.version.map(|it| pair("the version", &it.map(|it| it.to_string())));
        let others =
            [("the op", &self.component), ("the type", &self.wanted), ("the model", &self.model)];
        let others = others.into_iter().filter_map(|(what, it)| Some(pair(what, it.as_ref()?)));
        let args = self.args.iter().map(|(name, it)| pair(&format!("`{name}`"), it));
        let files = self.files.iter().map(|it| format!("the file `{it}` changed"));
        let all: Vec<String> = version.into_iter().chain(others).chain(args).chain(files).collect();
        f.write_str(&all.join("; "))
    }
}

impl Cause {
    pub fn too_old(age: Duration, max_age: Duration) -> Self {
        let millis = |it: Duration| u64::try_from(it.as_millis()).unwrap_or(u64::MAX);
        Self::TooOld { age: millis(age), max_age: millis(max_age) }
    }

    /// The reason why this call of another run cannot be reused because of its state.
    pub fn of_state(node: &Node) -> Option<Self> {
        let recorded = |name: &str| {
            let error = node.error.as_deref().unwrap_or_default();
            let error: serde_json::Value = serde_json::from_str(error).unwrap_or_default();
            error[name].as_str().unwrap_or_default().to_owned()
        };
        let (kind, message) = match node.state {
            NodeState::Done => return None,
            NodeState::Failed => (recorded("kind"), recorded("message")),
            NodeState::Intended => {
                ("cancelled".to_owned(), "it was started, but did not finish".to_owned())
            }
        };
        let about: About = serde_json::from_str(&node.about).unwrap_or_default();
        Some(Self::Failed { kind, message, most: about.most })
    }

    pub fn written(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    pub fn read(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_shown_where_they_part() {
        let long = "x".repeat(100);
        let [a, b] = differing_parts(&format!("{long}1{long}"), &format!("{long}2{long}"));
        assert!(a.starts_with("…xxxxxxxxxxxxxxxx1x") && a.ends_with("x…"), "{a}");
        assert!(b.starts_with("…xxxxxxxxxxxxxxxx2x") && b.chars().count() == 82, "{b}");
        assert_eq!(differing_parts("1", "2"), ["1", "2"]);
    }
}
