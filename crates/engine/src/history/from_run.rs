//! Turns a run into a test of its script: the results of its calls become mocks.

use std::collections::{BTreeMap, BTreeSet};

use svc_contract::{
    registry::{HintId, OpRef},
    store::{Node, NodeState, Run, Store, StoreError},
    value::{Record, Value, json, literal},
};
use svc_lang::{check::CalledFlow, plan::Plan, syntax};

use super::cause::Cause;
use crate::{Engine, run::About};

/// Calls of one op with the same requested type.
struct Group {
    op: OpRef,
    wanted: Option<String>,
    calls: Vec<Recorded>,
}

struct Recorded {
    args: Vec<(String, Value)>,
    gives: String,
}

impl Engine {
    /// Returns a `test` block that expects the script to return the result of a run, with the
    /// recorded results as mocks for everything that is not pure. Also returns the script's
    /// source.
    pub fn test_of(&self, name: &str) -> Result<(svc_lang::diag::Source, String), StoreError> {
        let store = self.kept()?.as_ref();
        let run = store.run(name)?;
        let plan = self.plan_of(store, &run)?.map_err(|_| {
            let message = format!("the script of the run {} no longer passes the check", run.id);
            StoreError::not_found(message).help(HintId::CheckScript)
        })?;
        let source = plan.program().source.clone();
        let mocks = self.mocks(store, &run)?;
        let text = block(store, &run, &plan, &mocks)?;
        Ok((source, syntax::format(&text).text))
    }

    fn mocks(&self, store: &dyn Store, run: &Run) -> Result<String, StoreError> {
        let mut groups: BTreeMap<(String, Option<String>), Group> = BTreeMap::new();
        for node in store.nodes(&run.id)? {
            let Some(op) = self.registry.find_op(&node.component, &node.op) else { continue };
            if op.op.is_pure() {
                continue;
            }
            let Some(gives) = gives(store, &node, op)? else { continue };
            let about: About = serde_json::from_str(&node.about).unwrap_or_default();
            let record = json::read(&store.arguments(&node)?).unwrap_or_default();
            let fields = record.as_record().into_iter().flat_map(Record::iter);
            let args = fields.map(|(name, it)| (name.to_string(), it.clone())).collect();
            let wanted = about.wanted;
            let key = (op.to_string(), wanted.clone());
            let group = groups.entry(key).or_insert(Group { op, wanted, calls: Vec::new() });
            group.calls.push(Recorded { args, gives });
        }
        Ok(groups.values().map(Group::mocks).collect())
    }
}

impl Group {
    fn mocks(&self) -> String {
        let name = self.op.script_name();
        let wanted = self.wanted.as_ref().map(|it| format!("<{it}>")).unwrap_or_default();
        let needed = self.needed();
        let mut seen = BTreeSet::new();
        let mut text = String::new();
        for call in &self.calls {
            let args: Vec<String> = call
                .args
                .iter()
                .filter(|(name, _)| needed.contains(name))
                .filter_map(|(name, it)| Some(format!("{name}: {}", self.argument(name, it)?)))
                .collect();
            let args = args.join(", ");
            // Of identical calls the first one counts: a test cannot distinguish them.
            if seen.insert(args.clone()) {
                let args = if args.is_empty() { args } else { format!("({args})") };
                text.push_str(&format!("mock {name}{wanted}{args} = {}\n", call.gives));
            }
        }
        text
    }

    /// The arguments by which the calls differ.
    fn needed(&self) -> BTreeSet<String> {
        let Some((first, others)) = self.calls.split_first() else { return BTreeSet::new() };
        let differs = |name: &str, value: &Value| {
            let other =
                |it: &Recorded| it.args.iter().find(|(it, _)| it == name).map(|it| &it.1 == value);
            others.iter().any(|it| other(it) != Some(true))
        };
        let names = first.args.iter().filter(|(name, it)| differs(name, it));
        names.map(|(name, _)| name.clone()).collect()
    }

    /// An argument as a script writes it, as the expected type.
    fn argument(&self, name: &str, value: &Value) -> Option<String> {
        let param = self.op.op.params.iter().find(|it| it.name == name)?;
        let value = value.clone().cast(&param.scheme.plain()).unwrap_or_else(|_| value.clone());
        literal::written(&value)
    }
}

/// The result of a call, as a script writes it.
fn gives(store: &dyn Store, node: &Node, op: OpRef) -> Result<Option<String>, StoreError> {
    if node.state != NodeState::Done {
        let Some(Cause::Failed { kind, message, .. }) = Cause::of_state(node) else {
            return Ok(None);
        };
        let [message, kind] = [message, kind].map(|it| literal::text(&it));
        return Ok(Some(format!("fail({message}, {kind})")));
    }
    let Some(text) = node.output.map(|it| store.text(it)).transpose()?.flatten() else {
        return Ok(None);
    };
    let value = json::read(&text).unwrap_or_default();
    let value = value.clone().cast(&op.op.yields.plain()).unwrap_or(value);
    Ok(Some(literal::written(&value).unwrap_or_else(|| parsed(&text))))
}

/// A value that can only be written as JSON.
fn parsed(json: &str) -> String {
    format!("parse_json({})", literal::text(json))
}

fn block(store: &dyn Store, run: &Run, plan: &Plan, mocks: &str) -> Result<String, StoreError> {
    let params = json::read(&run.params).unwrap_or_default();
    let inputs = plan.program().inputs.iter().filter(|it| !it.is_secret());
    let given = inputs.filter_map(|input| {
        let value = params.as_record()?.get(&input.name)?;
        let value = value.clone().cast(&input.ty).unwrap_or_else(|_| value.clone());
        Some(format!("{}: {}", input.name, literal::written(&value)?))
    });
    let given = given.collect::<Vec<_>>().join(", ");
    let called = match &plan.program().called {
        Some(CalledFlow::Named(name)) => name.as_ref(),
        _ => "main",
    };
    let value = run.value.map(|it| store.text(it)).transpose()?.flatten();
    let (call, expected) = match value {
        Some(text) => {
            let value = json::read(&text).unwrap_or_default();
            let ty = plan.program().main.as_ref().map(|it| &it.ty);
            let cast = ty.and_then(|it| value.clone().cast(it).ok()).unwrap_or(value);
            let written = literal::written(&cast).unwrap_or_else(|| parsed(&text));
            (format!("{called}({given})"), written)
        }
        None => {
            let error: serde_json::Value =
                serde_json::from_str(run.error.as_deref().unwrap_or_default()).unwrap_or_default();
            let kind = error["kind"].as_str().unwrap_or("failed");
            (format!("{called}({given}) fallback error.kind"), literal::text(kind))
        }
    };
    let id = &run.id.as_str()[..10];
    Ok(format!("test \"run {id}\" {{\n{mocks}let got = {call}\nexpect got == {expected}\n}}\n"))
}
