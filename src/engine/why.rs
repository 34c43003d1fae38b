//! Why the calls of a run were made, and what differs from the run before.

use std::{
    cell::{OnceCell, RefCell},
    collections::{BTreeMap, BTreeSet, HashMap},
    rc::Rc,
    time::Duration,
};

use serde::Serialize;
use serde_json::Value as Json;

use super::{
    Engine,
    cause::{Cause, Differences, Facts},
};
use crate::{
    plan::Plan,
    registry::ErrorKind,
    run::{About, Most, place_of},
    store::{Filter, Node, Run, RunId, Store, StoreError},
    value::{Money, Text, units},
};

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
        let id = |it: &Side<'_>| it.run.id.to_string();
        let since = before.as_ref().map(id);
        let now = Side::with(self, store, run, nodes.clone());
        let (upstream, changed) = (RefCell::default(), RefCell::default());
        let files = OnceCell::new();
        let compared = Compared { store, now, before, upstream, changed, files };
        let calls = meant.into_iter().map(|it| compared.called(it)).collect::<Result<_, _>>()?;
        Ok(Why { run: compared.now.run.id.to_string(), since, calls })
    }
}

/// The run that another one is compared with by itself.
fn earlier(store: &Store, run: &Run) -> Result<Option<Run>, StoreError> {
    const MOST: usize = 50;
    if let Some(origin) = &run.origin {
        return match store.run(origin.as_str()) {
            Err(err) if err.kind == crate::store::StoreErrorKind::NotFound => Ok(None),
            known => known.map(Some),
        };
    }
    let (script, before) = (Some(run.script.clone()), Some(run.id.clone()));
    let found = store.runs(&Filter { limit: Some(MOST), script, before })?;
    Ok(found.into_iter().find(|it| it.folder == run.folder))
}

/// One of two runs that are compared.
struct Side<'a> {
    engine: &'a Engine,
    store: &'a Store,
    run: Run,
    by_path: BTreeMap<String, Node>,
    by_place: HashMap<String, Vec<String>>,
    /// What was tuned, by name.
    tuned: Json,
    /// Nothing where the script does not check any more.
    plan: OnceCell<Option<Plan>>,
}

impl<'a> Side<'a> {
    fn of(engine: &'a Engine, store: &'a Store, run: Run) -> Result<Self, StoreError> {
        let nodes = store.nodes(&run.id)?;
        Ok(Self::with(engine, store, run, nodes))
    }

    fn with(engine: &'a Engine, store: &'a Store, run: Run, nodes: Vec<Node>) -> Self {
        let mut by_place: HashMap<String, Vec<String>> = HashMap::new();
        for node in &nodes {
            by_place.entry(place_of(&node.path)).or_default().push(node.path.clone());
        }
        let by_path = nodes.into_iter().map(|it| (it.path.clone(), it)).collect();
        let mut about: Json = serde_json::from_str(&run.about).unwrap_or_default();
        let tuned = about["tuned"].take();
        Self { engine, store, run, by_path, by_place, tuned, plan: OnceCell::new() }
    }

    fn plan(&self) -> Option<&Plan> {
        let planned = || {
            let plan = self.engine.plan_of(self.store, &self.run).ok()?;
            plan.ok()
        };
        self.plan.get_or_init(planned).as_ref()
    }

    fn param(&self, name: &str) -> Option<String> {
        let params: Json = serde_json::from_str(&self.run.params).ok()?;
        params.get(name).map(Json::to_string)
    }

    /// The text of a call in the script, and the file that it stands in.
    fn text(&self, place: &str) -> Option<(&str, &str)> {
        let node = self.plan()?.nodes().iter().find(|it| it.path == place)?;
        Some((node.source.text().get(node.span.range())?, node.source.name()))
    }

    /// The texts of the files that the script uses, by name.
    fn files(&self) -> BTreeMap<String, crate::store::Hash> {
        self.store.imports(&self.run.id).unwrap_or_default().into_iter().collect()
    }
}

/// A run beside the one before it.
struct Compared<'a> {
    store: &'a Store,
    now: Side<'a>,
    before: Option<Side<'a>>,
    /// What is found out of places, of which there are few, for calls, of which there are many.
    upstream: RefCell<HashMap<String, Rc<Upstream>>>,
    changed: RefCell<HashMap<String, Option<String>>>,
    /// The files that the script uses and that are others than before.
    files: OnceCell<Vec<String>>,
}

/// What the calls of a place use, through what is computed between them.
#[derive(Default)]
struct Upstream {
    calls: BTreeSet<String>,
    inputs: BTreeSet<Text>,
}

impl Compared<'_> {
    fn called(&self, node: &Node) -> Result<Called, StoreError> {
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
            return Ok(self.told(node, cause, &about));
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
            Some(cause) => self.told(node, cause, &about),
            None => vec![Reason::NotAsked],
        })
    }

    fn told(&self, node: &Node, cause: Cause, about: &About) -> Vec<Reason> {
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
            Cause::TooOld { age, max_age } => {
                let shown = |it| units::show_measured(Duration::from_millis(it));
                Reason::ReuseAge { age: shown(age), max_age: shown(max_age) }
            }
            Cause::Differs(differences) => return self.differing(node, &differences),
        }]
    }

    /// Where differences come from.
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

    /// What made arguments differ: other calls, inputs of the script, or its text.
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

    /// The text of the script as a reason: it says something else at the place, or, where
    /// nothing else is a reason, somewhere.
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

    /// Whether a call gave something else than before.
    fn gave_another(&self, path: &str) -> bool {
        let Some(now) = self.now.by_path.get(path) else { return false };
        match &self.before {
            Some(before) if before.run.id != self.now.run.id => {
                before.by_path.get(path).and_then(|it| it.output) != now.output
            }
            // What it gave before is not known any more, but whether it was made again.
            _ => now.cause.is_some(),
        }
    }

    /// The call of a place that another call uses and that gave something else, or the place
    /// itself where there are several.
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

    /// The last call that gave something else in the turn of a `repeat` before that of a call.
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

impl Upstream {
    fn of(plan: &Plan, place: &str) -> Self {
        let mut upstream = Self::default();
        let nodes = plan.nodes();
        let Some(start) = nodes.iter().position(|it| it.path == place) else { return upstream };
        let (mut open, mut seen) = (vec![start], BTreeSet::new());
        while let Some(idx) = open.pop() {
            if !seen.insert(idx) {
                continue;
            }
            let node = &nodes[idx];
            if idx != start && node.op.is_some() && node.cost_class != Some("inline") {
                upstream.calls.insert(node.path.clone());
                continue;
            }
            upstream.inputs.extend(node.inputs.iter().cloned());
            open.extend(&node.needs);
            if node.op.is_none() {
                // A block gives what those of its parts give that no other part uses.
                let inside: Vec<usize> =
                    (idx + 1..nodes.len()).take_while(|it| nodes[*it].depth > node.depth).collect();
                let used: BTreeSet<usize> =
                    inside.iter().flat_map(|it| nodes[*it].needs.iter().copied()).collect();
                open.extend(inside.into_iter().filter(|it| *it != start && !used.contains(it)));
            }
        }
        upstream
    }
}

/// A place as a call stands to it: with the numbers of the items and turns that both are in.
fn seen_from(place: &str, of: &str) -> String {
    let mut around = of.split('/');
    let mut is_around = true;
    let parts: Vec<&str> = place
        .split('/')
        .map(|part| {
            let own = around.next().filter(|it| is_around && place_of(it) == part);
            is_around = own.is_some();
            own.unwrap_or(part)
        })
        .collect();
    parts.join("/")
}

/// Whether a call stands where another one can use it: not in another item or turn.
fn is_around(path: &str, of: &str) -> bool {
    for (a, b) in path.split('/').zip(of.split('/')) {
        if place_of(a) != place_of(b) {
            return true;
        }
        if a != b {
            return false;
        }
    }
    true
}

/// Names of files are absolute in a store, and relative in a plan.
fn same_file(kept: &str, name: &str) -> bool {
    kept == name || kept.ends_with(&format!("/{}", name.trim_start_matches("./")))
}

fn of_file(file: &str) -> Reason {
    let file = file.to_owned();
    match std::path::Path::new(&file).extension() {
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
