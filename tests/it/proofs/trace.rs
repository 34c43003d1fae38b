//! The events of a run over all of its starts, as the checker of the model reads them.
//!
//! What was reserved, reported, begun and ended is seen by an observer in the order in which it
//! happened; what is on disk is read from the store that a kill leaves.

use std::{
    collections::{BTreeMap, HashMap},
    mem,
    sync::{Arc, Mutex},
};

use svc_contract::{
    registry::Usage,
    store::{Args, NodeState, Payment, RunId, Store},
};
use svc_engine::run::{Event, Observer};

/// The caps of a scope: billionths of a dollar, and tokens.
type Caps = (Option<u64>, Option<u64>);

/// The caps of the scopes that an argument names, the whole run left out, outermost first.
pub(crate) type Named = fn(&str) -> Vec<Caps>;

/// One event as it was seen.
#[derive(Clone, Debug)]
enum Seen {
    /// The path, and whether the component is one that calls a flow.
    Began(String, bool),
    Ended(String, bool),
    Reserved(String),
    Settled(String, Usage),
}

/// Everything that happens in one start.
#[derive(Debug, Default)]
pub(crate) struct Watch(Mutex<Vec<Seen>>);

impl Observer for Watch {
    fn event(&self, path: &str, event: &Event<'_>) {
        let path = path.to_owned();
        let seen = match event {
            Event::Started { component } => Seen::Began(path, *component == "twice"),
            Event::Finished { .. } => Seen::Ended(path, true),
            Event::Failed { .. } => Seen::Ended(path, false),
            Event::Reserved { .. } => Seen::Reserved(path),
            Event::Settled { used, .. } => Seen::Settled(path, *used),
            _ => return,
        };
        self.0.lock().unwrap().push(seen);
    }
}

/// One event of the model; amounts are of both kinds.
#[derive(Clone, Debug)]
enum Step {
    Begin(usize, usize),
    Ack(usize, usize),
    Fail(usize, usize),
    Reserve(Vec<usize>, Usage),
    Settle(usize, Usage),
    Kill(Vec<usize>),
    /// The scopes of each payment.
    Edit(Vec<usize>, Vec<Vec<usize>>),
}

/// A script with its caps, and what was done with it.
#[derive(Clone, Debug, Default)]
struct Version {
    caps: BTreeMap<usize, Caps>,
    steps: Vec<Step>,
}

/// Numbers for names.
#[derive(Clone, Debug, Default)]
struct Numbers(HashMap<String, usize>);

impl Numbers {
    fn of(&mut self, name: &str) -> usize {
        let next = self.0.len() + 1;
        *self.0.entry(name.to_owned()).or_insert(next)
    }
}

/// The events of a run over all of its starts.
#[derive(Clone, Default)]
pub(crate) struct Trace {
    versions: Vec<Version>,
    scopes: Numbers,
    paths: Numbers,
    keys: Numbers,
    /// The run, after its first start.
    run: Option<RunId>,
    cap: Caps,
    /// The number of payments in the model.
    count: usize,
    /// The numbers in the model of the payments that the current run took over, of its own ones by
    /// their numbers in the store, and of all of them in the order of the store.
    taken: Vec<usize>,
    own: BTreeMap<u64, usize>,
    order: Vec<usize>,
    /// The payments whose reports a kill has lost.
    lost: Vec<usize>,
    /// The store does not say what it took over from an earlier run: the rest is left out.
    is_over: bool,
}

impl Trace {
    /// Adds a start, after which `store` is what is on disk; `cap` is that of the run.
    pub(crate) fn add(
        &mut self,
        watch: &Arc<Watch>,
        store: &dyn Store,
        (cap, named): (Caps, Named),
        is_edited: bool,
    ) {
        let seen = mem::take(&mut *watch.0.lock().unwrap());
        let Ok(run) = store.run("last") else { return };
        if self.is_over {
            return;
        }
        let payments = store.payments(&run.id).unwrap();
        let is_other = self.run.as_ref() != Some(&run.id);
        // A run of an edited script that was killed before it was on disk has left nothing.
        if is_edited && !is_other {
            return;
        }
        if is_other && !self.take_over(&payments) {
            self.is_over = true;
            return;
        }
        if self.run.is_none() {
            self.versions.push(Version::default());
        } else if is_other || self.cap != cap {
            let step = Step::Edit(mem::take(&mut self.lost), self.all_scopes(&payments));
            self.versions.push(Version { steps: vec![step], ..Version::default() });
        } else {
            let step = Step::Kill(mem::take(&mut self.lost));
            self.version().steps.push(step);
        }
        (self.run, self.cap) = (Some(run.id.clone()), cap);
        self.version().caps.insert(0, cap);
        self.name_caps(store, &run.id, &payments, named);
        let is_new = |it: &&Payment| it.origin.is_none() && !self.own.contains_key(&it.number);
        let new: Vec<&Payment> = payments.iter().filter(is_new).collect();
        self.follow(seen, store, &run.id, &new);
        self.order = self.numbered(&payments).into_iter().map(|(it, _)| it).collect();
    }

    /// Begins another run, with what it took over; false if it has not recorded that yet.
    fn take_over(&mut self, payments: &[Payment]) -> bool {
        self.taken = mem::take(&mut self.order);
        self.own.clear();
        payments.iter().filter(|it| it.origin.is_some()).count() == self.taken.len()
    }

    /// The payments with their numbers in the model, without those that are not known yet.
    fn numbered<'p>(&self, payments: &'p [Payment]) -> Vec<(usize, &'p Payment)> {
        let mut taken = self.taken.iter().copied();
        let number = |it: &'p Payment| match it.origin {
            Some(_) => Some((taken.next()?, it)),
            None => Some((*self.own.get(&it.number)?, it)),
        };
        payments.iter().filter_map(number).collect()
    }

    /// The scopes of every payment, in the order of the model.
    fn all_scopes(&mut self, payments: &[Payment]) -> Vec<Vec<usize>> {
        let mut all = vec![Vec::new(); self.count];
        for (number, payment) in self.numbered(payments) {
            all[number] = self.scopes_of(payment);
        }
        all
    }

    fn version(&mut self) -> &mut Version {
        self.versions.last_mut().unwrap()
    }

    fn scopes_of(&mut self, payment: &Payment) -> Vec<usize> {
        let all = payment.scopes.iter().flatten();
        all.map(|it| self.scopes.of(it)).collect()
    }

    /// Learns the caps of scopes from the arguments of recorded calls, which name them.
    fn name_caps(&mut self, store: &dyn Store, run: &RunId, payments: &[Payment], named: Named) {
        for payment in payments {
            let Ok(Some(node)) = store.node(run, &payment.path) else { continue };
            let (Args::Here(args), None) = (&node.args, node.input) else { continue };
            let args: serde_json::Value = serde_json::from_str(args).unwrap();
            let Some(caps) = args["value"].as_str().map(named) else { continue };
            let scopes = self.scopes_of(payment);
            // An edited script may have other scopes around a call that is only known from before.
            if node.origin.is_some() || scopes.len() != caps.len() {
                continue;
            }
            let pairs = scopes.into_iter().zip(caps.into_iter().rev());
            self.version().caps.extend(pairs);
        }
    }

    fn follow(&mut self, seen: Vec<Seen>, store: &dyn Store, run: &RunId, new: &[&Payment]) {
        let mut waiting: HashMap<&str, Vec<&Payment>> = HashMap::new();
        for payment in new.iter().rev() {
            waiting.entry(&payment.path).or_default().push(payment);
        }
        // The running attempts by path; `None` for one that never reached the disk.
        let mut open: HashMap<String, Vec<Option<(usize, bool)>>> = HashMap::new();
        let mut keys: HashMap<String, usize> = HashMap::new();
        // All calls of a flow by an op have the same path, and the last one is known by it: nothing is
        // promised of repeated calls there.
        let calls_flow = |it: &Seen| match it {
            Seen::Began(path, true) => Some(format!("{path}/")),
            _ => None,
        };
        let callers: Vec<String> = seen.iter().filter_map(calls_flow).collect();
        for one in seen {
            match one {
                Seen::Began(path, calls_flow) => {
                    // What an op makes of a flow may be computed again.
                    if calls_flow || callers.iter().any(|it| path.starts_with(it)) {
                        continue;
                    }
                    let key = self.key(store, run, &path);
                    keys.insert(path.clone(), key);
                    let place = self.paths.of(&path);
                    self.version().steps.push(Step::Begin(place, key));
                }
                Seen::Ended(path, is_done) => {
                    let Some(key) = keys.remove(&path) else { continue };
                    let place = self.paths.of(&path);
                    let node = store.node(run, &path).unwrap();
                    let is_kept = node.is_some_and(|it| it.state == NodeState::Done);
                    let step = if is_done && is_kept { Step::Ack } else { Step::Fail };
                    self.version().steps.push(step(place, key));
                }
                Seen::Reserved(path) => {
                    let payment = waiting.get_mut(path.as_str()).and_then(Vec::pop);
                    let number = payment.map(|it| {
                        let scopes = self.scopes_of(it);
                        self.version().steps.push(Step::Reserve(scopes, it.most));
                        self.own.insert(it.number, self.count);
                        self.count += 1;
                        (self.count - 1, it.used.is_some())
                    });
                    open.entry(path).or_default().push(number);
                }
                Seen::Settled(path, used) => {
                    let number =
                        open.get_mut(&path).and_then(|it| (!it.is_empty()).then(|| it.remove(0)));
                    let Some(Some((number, is_kept))) = number else { continue };
                    self.version().steps.push(Step::Settle(number, used));
                    if !is_kept {
                        self.lost.push(number);
                    }
                }
            }
        }
    }

    /// The key of a call: that of its record, or one of its own if it has none.
    fn key(&mut self, store: &dyn Store, run: &RunId, path: &str) -> usize {
        let node = store.node(run, path).unwrap();
        let name = match node {
            Some(node) => format!("{:?}", node.key),
            None => format!("unknown {}", self.keys.0.len()),
        };
        self.keys.of(&name)
    }

    /// The requests to the model: one for tokens, and one for money.
    pub(super) fn requests(&self) -> Vec<String> {
        let Some(first) = self.versions.first() else { return Vec::new() };
        let tokens = |it: Usage| it.tokens;
        let money = |it: Usage| it.cost.nanos().unsigned_abs();
        let request = |amount: &dyn Fn(Usage) -> u64, cap: &dyn Fn(&Caps) -> Option<u64>| {
            let mut events = Vec::new();
            for version in &self.versions {
                let caps = caps_of(version, cap);
                events.extend(version.steps.iter().map(|it| written(it, amount, &caps)));
            }
            format!("trace ({}) ({})", caps_of(first, cap), events.join(" "))
        };
        vec![request(&tokens, &|it| it.1), request(&money, &|it| it.0)]
    }
}

fn caps_of(version: &Version, cap: &dyn Fn(&Caps) -> Option<u64>) -> String {
    let all = version.caps.iter().filter_map(|(scope, it)| Some(format!("({scope} {})", cap(it)?)));
    all.collect::<Vec<_>>().join(" ")
}

fn written(step: &Step, amount: &dyn Fn(Usage) -> u64, caps: &str) -> String {
    match step {
        Step::Begin(path, key) => format!("(begin {path} {key})"),
        Step::Ack(path, key) => format!("(ack {path} {key})"),
        Step::Fail(path, key) => format!("(fail {path} {key})"),
        Step::Reserve(scopes, most) => format!("(reserve ({} 0) {})", words(scopes), amount(*most)),
        Step::Settle(number, used) => format!("(settle {number} {})", amount(*used)),
        Step::Kill(lost) => format!("(kill ({}))", words(lost)),
        Step::Edit(lost, scopes) => {
            let scopes: Vec<String> = scopes.iter().map(|it| format!("({})", words(it))).collect();
            format!("(edit ({}) ({}) ({caps}))", words(lost), scopes.join(" "))
        }
    }
}

fn words(all: &[usize]) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
