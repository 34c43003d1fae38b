//! Compares a run with the one before it, to find the origin of differences between calls.

use std::{
    cell::{OnceCell, RefCell},
    collections::{BTreeMap, HashMap},
    path::Path,
    rc::Rc,
};

use svc_contract::{
    registry::ErrorKind,
    store::{Node, RunId, Store, StoreError},
    value::Money,
};

use super::{
    Called, Reason,
    side::Side,
    upstream::{Upstream, is_around, seen_from},
};
use crate::{
    history::cause::{Cause, Differences, Facts},
    run::{About, Most, place_of},
};

/// A run and the one before it.
pub(super) struct Compared<'a> {
    store: &'a dyn Store,
    now: Side<'a>,
    before: Option<Side<'a>>,
    /// Cached facts about places, of which there are few, for calls, of which there are many.
    upstream: RefCell<HashMap<String, Rc<Upstream>>>,
    changed: RefCell<HashMap<String, Option<String>>>,
    /// The files of the script that have changed since.
    files: OnceCell<Vec<String>>,
}

impl<'a> Compared<'a> {
    pub(super) fn of(store: &'a dyn Store, now: Side<'a>, before: Option<Side<'a>>) -> Self {
        let (upstream, changed) = (RefCell::default(), RefCell::default());
        Self { store, now, before, upstream, changed, files: OnceCell::new() }
    }

    pub(super) fn called(&self, node: &Node) -> Result<Called, StoreError> {
        let taken_from = node.origin.as_ref().map(RunId::to_string);
        let reasons = match &taken_from {
            Some(_) => Vec::new(),
            None => self.reasons(node)?,
        };
        Ok(Called { path: node.path.clone(), taken_from, reasons })
    }

    fn reasons(&self, node: &Node) -> Result<Vec<Reason>, StoreError> {
        let about: About = serde_json::from_str(&node.about).unwrap_or_default();
        if let Some(cause) = node.cause.as_deref().and_then(Cause::read) {
            return Ok(self.reasons_of(node, cause, &about));
        }
        let Some(before) = &self.before else { return Ok(vec![Reason::First]) };
        let Some(earlier) = before.by_path.get(&node.path) else {
            return Ok(vec![Reason::Missing]);
        };
        if earlier.key != node.key {
            let [then, now] = [earlier, node].map(|it| Facts::of(self.store, it));
            return Ok(self.differing(node, &Differences::between(&then?, &now?)));
        }
        Ok(match Cause::of_state(earlier) {
            Some(cause) => self.reasons_of(node, cause, &about),
            None => vec![Reason::NotAsked],
        })
    }

    fn reasons_of(&self, node: &Node, cause: Cause, about: &About) -> Vec<Reason> {
        vec![match cause {
            Cause::Missing => Reason::Missing,
            Cause::Failed { kind, message, most } => {
                let was_funded = kind != ErrorKind::Budget.name();
                match most.zip(about.most.clone()).filter(|(a, b)| !was_funded && a.cost != b.cost)
                {
                    Some((before, now)) => {
                        Reason::Price { before: priced(&before), now: priced(&now) }
                    }
                    None => Reason::Failure { kind, message },
                }
            }
            Cause::Asked { option } => Reason::Explicit { option },
            Cause::TooOld { age, max_age } => Reason::ReuseAge { age, max_age },
            Cause::Differs(differences) => return self.differing(node, &differences),
        }]
    }

    /// The origins of the differences.
    fn differing(&self, node: &Node, differences: &Differences) -> Vec<Reason> {
        let Differences { component, version, wanted, model, args, files } = differences;
        let mut reasons = Vec::new();
        if let Some([before, now]) = component.clone() {
            return vec![Reason::Component { before, now }];
        }
        if let Some([before, now]) = *version {
            reasons.push(Reason::ComponentVersion { before, now });
        }
        if let Some([before, now]) = wanted.clone() {
            reasons.push(Reason::Argument { name: "the type".to_owned(), before, now });
        }
        if let Some([before, now]) = model.clone() {
            reasons.push(Reason::Model { before, now });
        }
        reasons.extend(files.iter().map(|it| Reason::InputFile { path: it.clone() }));
        let (tuned, others): (BTreeMap<_, _>, BTreeMap<_, _>) =
            args.clone().into_iter().partition(|(name, _)| self.is_tuned(node, name));
        reasons.extend(tuned.into_iter().map(|(name, [before, now])| {
            let name = format!("{}.{name}", node.component);
            Reason::Tunable { name, before, now }
        }));
        if !others.is_empty() {
            reasons.extend(self.sources(node, others));
        }
        reasons
    }

    fn is_tuned(&self, node: &Node, param: &str) -> bool {
        let name = format!("{}.{param}", node.component);
        let now = self.now.tuned.get(&name);
        self.before.as_ref().is_some_and(|it| it.tuned.get(&name) != now)
    }

    /// The origins of different arguments: other calls, inputs of the script, or its text.
    fn sources(&self, node: &Node, args: BTreeMap<String, [String; 2]>) -> Vec<Reason> {
        let place = place_of(&node.path);
        let upstream = self.upstream(&place);
        let from: Vec<String> = match self.changed_in_turn_before(&node.path) {
            Some(turn) => vec![turn],
            None => {
                let calls = upstream.calls.iter();
                calls.filter_map(|it| self.changed_at(it, &node.path)).collect()
            }
        };
        let mut reasons: Vec<Reason> =
            from.into_iter().map(|from| Reason::Input { from }).collect();
        if let Some(before) = &self.before {
            reasons.extend(upstream.inputs.iter().filter_map(|name| {
                let [then, now] = [before, &self.now].map(|it| it.param(name).unwrap_or_default());
                let name = name.to_string();
                (then != now).then_some(Reason::Param { name, before: then, now })
            }));
            let texts = self.written(before, &place, reasons.is_empty(), &args);
            reasons.extend(texts);
        }
        if reasons.is_empty() {
            reasons.extend(args.into_keys().map(|name| Reason::Unknown { name }));
        }
        reasons
    }

    /// The script as a reason: its text changed at the place, or, if nothing else is a reason,
    /// somewhere else.
    fn written(
        &self,
        before: &Side<'_>,
        place: &str,
        is_alone: bool,
        args: &BTreeMap<String, [String; 2]>,
    ) -> Vec<Reason> {
        let texts = before.text(place).zip(self.now.text(place));
        let says_another = texts.is_some_and(|((then, _), (now, _))| then != now);
        if !says_another && !is_alone {
            return Vec::new();
        }
        let changed = self.files.get_or_init(|| self.changed_files(before));
        let stands_in = |it: &&String| texts.is_some_and(|(_, (_, file))| same_file(it, file));
        if let (true, Some(file)) = (says_another, changed.iter().find(stands_in)) {
            return vec![of_file(file)];
        }
        if self.now.run.text == before.run.text {
            return changed.iter().map(|it| of_file(it)).collect();
        }
        let argument = |(name, [before, now]): (&String, &[String; 2])| Reason::Argument {
            name: name.clone(),
            before: before.clone(),
            now: now.clone(),
        };
        args.iter().map(argument).collect()
    }

    fn changed_files(&self, before: &Side<'_>) -> Vec<String> {
        let (then, now) = (before.files(), self.now.files());
        let changed = now.iter().filter(|(name, hash)| then.get(*name) != Some(*hash));
        changed.map(|(name, _)| name.clone()).collect()
    }

    /// Whether a call returned a different result than before.
    fn gave_another(&self, path: &str) -> bool {
        let Some(now) = self.now.by_path.get(path) else { return false };
        match &self.before {
            Some(before) if before.run.id != self.now.run.id => {
                before.by_path.get(path).and_then(|it| it.output) != now.output
            }
            // Its earlier result was removed, so only check whether it was made again.
            _ => now.cause.is_some(),
        }
    }

    /// The call at a place that another call uses and that returned a different result, or the
    /// place itself if there are several.
    fn changed_at(&self, place: &str, of: &str) -> Option<String> {
        let own = seen_from(place, of);
        if !own.contains("[]") {
            return self.gave_another(&own).then_some(own);
        }
        if let Some(known) = self.changed.borrow().get(&own) {
            return known.clone();
        }
        let paths = self.now.by_place.get(place).into_iter().flatten();
        let mut found = paths.filter(|it| is_around(it, of) && self.gave_another(it));
        let found = match (found.next(), found.next()) {
            (Some(one), None) => Some(one.clone()),
            (one, _) => one.map(|_| own.clone()),
        };
        self.changed.borrow_mut().insert(own, found.clone());
        found
    }

    /// The last call with a different result in the previous turn of the `repeat` around a
    /// call.
    fn changed_in_turn_before(&self, path: &str) -> Option<String> {
        let start = path.rfind("repeat")?;
        let (name, rest) = path[start..].split_once('[')?;
        let turn: usize = rest.split_once(']')?.0.parse().ok()?;
        let before = format!("{}{name}[{}]/", &path[..start], turn.checked_sub(1)?);
        let all = self.now.by_path.range(before.clone()..);
        let all = all.map(|(path, _)| path).take_while(|it| it.starts_with(&before));
        all.filter(|it| self.gave_another(it)).last().cloned()
    }

    fn upstream(&self, place: &str) -> Rc<Upstream> {
        if let Some(known) = self.upstream.borrow().get(place) {
            return known.clone();
        }
        let found = self.now.plan().map(|it| Upstream::of(it, place)).unwrap_or_default();
        let found = Rc::new(found);
        self.upstream.borrow_mut().insert(place.to_owned(), found.clone());
        found
    }
}

/// File names are absolute in a store, and relative in a plan.
fn same_file(kept: &str, name: &str) -> bool {
    kept == name || kept.ends_with(&format!("/{}", name.trim_start_matches("./")))
}

fn of_file(file: &str) -> Reason {
    let file = file.to_owned();
    match Path::new(&file).extension() {
        Some(it) if it == "rhai" => Reason::Template { file },
        _ => Reason::Import { file },
    }
}

fn priced(most: &Most) -> String {
    let cost = Money::from_nanos(most.cost);
    match &most.prices {
        Some(prices) => format!("at most {cost} ({prices})"),
        None => format!("at most {cost}"),
    }
}
