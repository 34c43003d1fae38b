//! The journal: the records of a run in the store, and how a later run resumes from them.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use svc_contract::{
    host::Host,
    registry::{ErrorKind, Hint, HintId, OpError, Usage, nearest},
    store::{
        Args, Attempt, Blob, Entry as Row, Hash, ModelRow, Node, NodeState, Payment, RunId, Store,
        StoreError, StoreErrorKind,
    },
    value::{Learnt, Model, ModelId, Written},
};
use svc_lang::plan::Scopes;

use super::{
    cause::{Cause, Differences, Facts},
    prior_spending::{Edit, PriorSpending},
};
use crate::run::{
    About, Earlier, Ended, Entry, Key, RecordFuture, Records, Reservation, Taken, Tried, place_of,
};

/// The records of one run.
pub(crate) struct Journal {
    store: Arc<dyn Store>,
    run: RunId,
    host: Arc<dyn Host>,
    /// The earlier records, by place.
    known: HashMap<String, Known>,
    /// Calls at places that the script no longer has, by key. Each is used once: two identical
    /// calls at two places may be meant to differ.
    moved: Mutex<HashMap<Key, Vec<Known>>>,
    /// Whether the run resumes an earlier one.
    goes_on: bool,
    asked: Asked,
    /// The earlier spending.
    books: PriorSpending,
    /// The number of the next payment.
    payments: AtomicU64,
    /// The models that are already kept with the run.
    models: Mutex<BTreeSet<ModelId>>,
    /// The reasons why calls are made again, by place, until they are recorded.
    causes: Mutex<HashMap<String, Cause>>,
}

/// The user's requests for a resumed run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// Places of writes that may be repeated.
    pub(crate) retry: BTreeSet<String>,
    /// Places of calls that must be made again.
    pub(crate) again: BTreeSet<String>,
}

impl Asked {
    /// Whether a call is to be made again: it, or all at its place.
    fn again(&self, path: &str) -> bool {
        self.again.contains(path) || self.again.contains(&place_of(path))
    }

    /// Whether a write may be repeated, likewise.
    fn may_repeat(&self, path: &str) -> bool {
        self.retry.contains(path) || self.retry.contains(&place_of(path))
    }
}

/// The runs that a run resumes from.
#[derive(Default)]
pub(crate) struct From {
    /// Later runs override earlier ones.
    pub(crate) runs: Vec<RunId>,
    /// The places of the script, if it differs: `each[]/summary`.
    pub(crate) places: Option<BTreeSet<String>>,
    /// The run with another script that this one resumes, if it is still stored, with the
    /// mapping of its bounds.
    pub(crate) origin: Option<(RunId, Edit)>,
    /// The bounds of the script.
    pub(crate) scopes: Scopes,
}

#[derive(Clone)]
struct Known {
    /// The path at which it was made.
    path: String,
    key: Key,
    state: NodeState,
    output: Option<Hash>,
    used: Usage,
    born: i64,
    took: u64,
    /// The run that made it.
    run: RunId,
    /// Whether the current run already has it.
    is_own: bool,
    /// Further facts that determined it, as recorded.
    about: String,
}

impl Journal {
    /// Opens the journal of a run that begins, resumes, or takes over results of another run.
    pub(crate) fn open(
        store: Arc<dyn Store>,
        run: RunId,
        host: Arc<dyn Host>,
        from: &From,
        asked: Asked,
    ) -> Result<Self, StoreError> {
        let id = run;
        let mut known = HashMap::new();
        let mut moved: HashMap<Key, Vec<Known>> = HashMap::new();
        for run in &from.runs {
            for node in store.nodes(run)? {
                let is_there = |it: &BTreeSet<String>| it.contains(&place_of(&node.path));
                let is_gone = from.places.as_ref().is_some_and(|it| !is_there(it));
                let (path, node) = Known::of(node, &id);
                if is_gone {
                    moved.entry(node.key).or_default().push(node);
                } else {
                    known.insert(path, node);
                }
            }
        }
        let (moved, causes) = (Mutex::new(moved), Mutex::default());
        let goes_on = !from.runs.is_empty();
        let books = if goes_on {
            let origin = from.origin.as_ref().map(|(run, edit)| (run, edit));
            PriorSpending::read(&*store, &id, origin, &from.scopes)?
        } else {
            PriorSpending::default()
        };
        let payments = books.next.into();
        let models = Mutex::default();
        Ok(Self {
            store,
            run: id,
            host,
            known,
            moved,
            goes_on,
            asked,
            books,
            payments,
            models,
            causes,
        })
    }

    /// Finds a requested path at which the earlier run made no call: it would have no effect.
    pub(crate) fn knows_asked(&self, earlier: &RunId, from: &From) -> Result<(), StoreError> {
        let known: BTreeSet<&str> = self.known.keys().map(String::as_str).collect();
        let places: BTreeSet<String> = known.iter().map(|it| place_of(it)).collect();
        // An edited script has places of its own.
        let is_new = |it: &str| from.places.as_ref().is_some_and(|all| all.contains(&place_of(it)));
        let is_known = |it: &str| known.contains(it) || places.contains(it) || is_new(it);
        let mut asked = self.asked.again.iter().chain(&self.asked.retry);
        let Some(unknown) = asked.find(|it| !is_known(it)) else { return Ok(()) };
        let error = StoreError::not_found(format!("the run {earlier} has no call `{unknown}`"));
        Err(match nearest(unknown, known) {
            Some(path) => error.help(format!("did you mean `{path}`?")),
            None => error.help(Hint::new(HintId::ListCalls).with("run", earlier)),
        })
    }

    /// The payments taken over from the run with another script that this one resumes.
    pub(crate) fn taken_over(&mut self) -> Option<Vec<Payment>> {
        self.books.taken_over.take()
    }

    fn row(&self, entry: &Entry, state: NodeState) -> (Node, Vec<Blob>) {
        let mut blobs = Vec::new();
        let (args, input) = arguments(&entry.args, &mut blobs);
        let apart = input.and_then(|_| entry.args.first()).map(|(name, _)| (*name).to_owned());
        let about = About { input: apart, ..entry.about.clone() };
        let now = self.host.now();
        let node = Node {
            run: self.run.clone(),
            path: entry.path.clone(),
            key: entry.key,
            component: entry.component.to_owned(),
            op: entry.op.to_owned(),
            version: entry.version,
            state,
            attempts: 0,
            started: now,
            took: 0,
            used: Usage::default(),
            output: None,
            error: None,
            args,
            input,
            born: now,
            origin: None,
            about: serde_json::to_string(&about).unwrap_or_default(),
            cause: self.cause_of(&entry.path).as_ref().map(Cause::written),
        };
        (node, blobs)
    }

    fn ended_row(&self, entry: &Entry, ended: Ended) -> Row {
        let state = if ended.result.is_ok() { NodeState::Done } else { NodeState::Failed };
        let (mut node, mut blobs) = self.row(entry, state);
        let Taken { tries, log, usage, took } = ended.taken;
        let millis = i64::try_from(took.as_millis()).unwrap_or(i64::MAX);
        node.started = node.started.saturating_sub(millis);
        node.took = micros(took);
        (node.used, node.attempts) = (usage, tries);
        match ended.result {
            Ok(value) => {
                let blob = Blob::new(value.into_bytes());
                node.output = Some(blob.hash());
                blobs.push(blob);
            }
            Err(err) => node.error = Some(failure_json(&err)),
        }
        let tries = log.iter().zip(1..).map(|(it, number)| tried(it, number)).collect();
        Row::Node { node: Box::new(node), blobs, tries }
    }

    /// Records a call that was made in another run. The facts about its value are those of that
    /// time: the files may differ now.
    fn adopt(
        &self,
        entry: &Entry,
        known: &Known,
        value: &Written,
        used: Usage,
    ) -> Result<(), OpError> {
        let About { model, server, files, .. } = known.about();
        let about = About { model, server, files, ..entry.about.clone() };
        let entry = &Entry { about, ..entry.clone() };
        let (mut node, mut blobs) = self.row(entry, NodeState::Done);
        let blob = Blob::new(value.as_bytes());
        node.output = Some(blob.hash());
        blobs.push(blob);
        (node.used, node.born, node.took) = (used, known.born, known.took);
        node.origin = Some(known.run.clone());
        let row = Row::Node { node: Box::new(node), blobs, tries: Vec::new() };
        self.store.append(row).map_err(failed)
    }

    fn because(&self, path: &str, cause: Cause) {
        let mut causes = self.causes.lock().unwrap_or_else(PoisonError::into_inner);
        causes.insert(path.to_owned(), cause);
    }

    fn cause_of(&self, path: &str) -> Option<Cause> {
        let causes = self.causes.lock().unwrap_or_else(PoisonError::into_inner);
        causes.get(path).cloned()
    }

    fn value(&self, output: Option<Hash>) -> Result<Option<Written>, OpError> {
        let Some(hash) = output else { return Ok(None) };
        self.store.written(hash).map_err(failed)
    }

    /// What this run, or the one that it resumes, knows of a call.
    fn own(&self, entry: &Entry) -> Result<Earlier, OpError> {
        let path = entry.path.as_str();
        let Some(known) = self.known.get(path) else {
            return self.moved_here(entry);
        };
        if known.key != entry.key {
            return self.differs(entry, known).map(|()| Earlier::Nothing);
        }
        if self.asked.again(path) {
            self.because(path, Cause::Asked { option: "--again".to_owned() });
            return Ok(Earlier::Nothing);
        }
        if known.state == NodeState::Done && !known.stands_for(entry) {
            return self.differs(entry, known).map(|()| Earlier::Nothing);
        }
        if known.state == NodeState::Done {
            return self.done(entry, known);
        }
        // A failed call may have had its effect nevertheless.
        if self.asked.may_repeat(path) {
            self.because(path, Cause::Asked { option: "--retry-write".to_owned() });
            return Ok(Earlier::Nothing);
        }
        self.begun(entry, known)
    }

    fn begun(&self, entry: &Entry, known: &Known) -> Result<Earlier, OpError> {
        let node = self.store.node(&known.run, &known.path).map_err(failed)?;
        if let Some(cause) = node.as_ref().and_then(Cause::of_state) {
            self.because(&entry.path, cause);
        }
        Ok(Earlier::Begun { has_failed: known.state == NodeState::Failed })
    }

    fn done(&self, entry: &Entry, known: &Known) -> Result<Earlier, OpError> {
        let Some(value) = self.value(known.output)? else {
            self.because(&entry.path, Cause::Missing);
            return Ok(Earlier::Nothing);
        };
        let usage = known.used;
        if known.run != self.run {
            self.adopt(entry, known, &value, usage)?;
        }
        Ok(Earlier::Done { value, usage, known_in: Some(self.books.known_in(&known.path)) })
    }

    /// A call that was at another place of the script.
    fn moved_here(&self, entry: &Entry) -> Result<Earlier, OpError> {
        let found = {
            let mut moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
            moved.get_mut(&entry.key).and_then(|all| {
                // One that ended well is of more use.
                let done = all.iter().rposition(|it| it.state == NodeState::Done);
                done.map(|it| all.remove(it)).or_else(|| all.pop())
            })
        };
        match found {
            Some(known) if known.state == NodeState::Done && known.stands_for(entry) => {
                self.done(entry, &known)
            }
            Some(known) if known.state != NodeState::Done => {
                if self.asked.may_repeat(&entry.path) {
                    self.because(&entry.path, Cause::Asked { option: "--retry-write".to_owned() });
                    return Ok(Earlier::Nothing);
                }
                // Also a failed call may have had its effect.
                self.begun(entry, &known)
            }
            _ => {
                if self.goes_on {
                    self.because(&entry.path, Cause::Missing);
                }
                Ok(Earlier::Nothing)
            }
        }
    }

    /// Records the differences between a call and the earlier one at its place.
    fn differs(&self, entry: &Entry, known: &Known) -> Result<(), OpError> {
        let Some(node) = self.store.node(&known.run, &entry.path).map_err(failed)? else {
            return Ok(());
        };
        let before = Facts::of(&*self.store, &node).map_err(failed)?;
        let differences = Differences::between(&before, &facts(entry));
        // A call that only forwards values read by others has no difference of its own.
        if differences != Differences::default() {
            self.because(&entry.path, Cause::Differs(differences));
        }
        Ok(())
    }

    /// The result of another run that can replace a call, if there is one.
    fn elsewhere(&self, entry: &Entry) -> Result<Earlier, OpError> {
        let Some(max_age) = entry.max_age else { return Ok(Earlier::Nothing) };
        let found = self.store.done(entry.key, &entry.path, &self.run).map_err(failed)?;
        let mut why = None;
        for node in found {
            let about: About = serde_json::from_str(&node.about).unwrap_or_default();
            if about.has_borrowed {
                continue;
            }
            if !entry.about.is_like(&about) {
                let before = Facts::of(&*self.store, &node).map_err(failed)?;
                let differences = Differences::between(&before, &facts(entry));
                why.get_or_insert(Cause::Differs(differences));
                continue;
            }
            // If the clock was set back, nothing becomes older.
            let age = self.host.now().saturating_sub(node.born).max(0).unsigned_abs();
            let age = Duration::from_millis(age);
            if age > max_age {
                why.get_or_insert(Cause::too_old(age, max_age));
                continue;
            }
            if let Some(value) = self.value(node.output)? {
                let (_, known) = Known::of(node, &self.run);
                self.adopt(entry, &known, &value, Usage::default())?;
                return Ok(Earlier::Done { value, usage: known.used, known_in: None });
            }
        }
        if let Some(cause) = why {
            self.because(&entry.path, cause);
        }
        Ok(Earlier::Nothing)
    }
}

/// The content of a model in a store.
pub(crate) fn model(store: &dyn Store, id: ModelId) -> Result<Option<Learnt>, OpError> {
    let bytes = store.blob(Hash(id.0)).map_err(failed)?;
    Ok(bytes.and_then(|it| Learnt::from_bytes(&it)))
}

impl Known {
    /// The call of a row, as the run `id` or another run recorded it.
    fn of(node: Node, id: &RunId) -> (String, Self) {
        let Node { path, key, state, output, used, born, took, run, origin, about, .. } = node;
        let is_own = run == *id;
        let run = origin.unwrap_or(run);
        let known =
            Self { path: path.clone(), key, state, output, used, born, took, run, is_own, about };
        (path, known)
    }

    fn about(&self) -> About {
        serde_json::from_str(&self.about).unwrap_or_default()
    }

    /// Whether its result is valid for a call with the same key: a resumed run continues with
    /// the facts it had seen, a new one uses the current state of the world.
    fn stands_for(&self, entry: &Entry) -> bool {
        self.is_own || (!entry.looks_outside && entry.about.is_like(&self.about()))
    }
}

impl Records for Journal {
    fn earlier(&self, entry: &Entry) -> Result<Earlier, OpError> {
        match self.own(entry)? {
            Earlier::Nothing if !self.asked.again(&entry.path) => self.elsewhere(entry),
            known => Ok(known),
        }
    }

    fn model(&self, id: ModelId) -> Result<Option<Learnt>, OpError> {
        model(&*self.store, id)
    }

    fn keeps(&self, model: &Model) -> Result<(), OpError> {
        let mut kept = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(content) = model.content().filter(|_| !kept.contains(&model.id())) else {
            return Ok(());
        };
        let blob = Blob::new(content.to_bytes());
        let (run, row) = (self.run.clone(), ModelRow::of(content));
        let row = Row::Model { run, model: row, content: blob };
        self.store.append(row).map_err(failed)?;
        kept.insert(model.id());
        Ok(())
    }

    fn begins(&self, entry: Entry) -> RecordFuture<'_> {
        let (node, blobs) = self.row(&entry, NodeState::Intended);
        let row = Row::Node { node: Box::new(node), blobs, tries: Vec::new() };
        Box::pin(async move { self.store.commit(row).await.map_err(failed) })
    }

    fn spent(&self, scope: &str) -> Usage {
        self.books.spent(scope)
    }

    fn reserves(&self, reservation: Reservation) -> (u64, RecordFuture<'_>) {
        let Reservation { path, component, op, scopes, most } = reservation;
        let number = self.payments.fetch_add(1, Ordering::Relaxed);
        let payment = Box::new(Payment {
            run: self.run.clone(),
            number,
            path,
            op: format!("{component}.{op}"),
            scopes: Some(scopes),
            at: self.host.now(),
            most,
            used: None,
            origin: None,
        });
        let row = Row::Payment(payment);
        let written = async move {
            if self.store.is_durable() {
                self.store.commit(row).await.map_err(failed)
            } else {
                // It is lost with the process anyway, so do not wait.
                self.store.append(row).map_err(failed)
            }
        };
        (number, Box::pin(written))
    }

    fn settles(&self, number: u64, used: Usage) -> Result<(), OpError> {
        let row = Row::Settled { run: self.run.clone(), number, used };
        self.store.append(row).map_err(failed)
    }

    fn ended(&self, entry: Entry, ended: Ended) -> RecordFuture<'_> {
        let is_dear = entry.is_dear;
        let row = self.ended_row(&entry, ended);
        Box::pin(async move {
            if is_dear {
                self.store.commit(row).await.map_err(failed)
            } else {
                self.store.append(row).map_err(failed)
            }
        })
    }
}

/// Stores arguments. A long input is stored as separate content: it is usually the result of
/// another call.
fn arguments(args: &[(&'static str, Written)], blobs: &mut Vec<Blob>) -> (Args, Option<Hash>) {
    const LONGEST_HERE: usize = 512;
    let (input, others) = match args.split_first() {
        Some(((_, input), others)) if input.as_bytes().len() > LONGEST_HERE => {
            (Some(input), others)
        }
        _ => (None, args),
    };
    let input = input.map(|it| {
        let blob = Blob::new(it.as_bytes());
        let hash = blob.hash();
        blobs.push(blob);
        hash
    });
    let field = |(name, it): &(&str, Written)| format!("\"{name}\":{}", as_json(it));
    let fields: Vec<String> = others.iter().map(field).collect();
    (Args::of(format!("{{{}}}", fields.join(",")), blobs), input)
}

fn as_json(it: &Written) -> String {
    it.json().map(Cow::into_owned).unwrap_or_default()
}

pub(crate) fn facts(entry: &Entry) -> Facts {
    Facts {
        op: format!("{}.{}", entry.component, entry.op),
        version: entry.version,
        args: entry.args.iter().map(|(name, it)| ((*name).to_owned(), as_json(it))).collect(),
        about: entry.about.clone(),
    }
}

fn tried(it: &Tried, number: u32) -> Attempt {
    let Tried { started, took, used, error } = it;
    let error = error.as_ref().map(failure_json);
    Attempt { number, started: *started, took: micros(*took), used: *used, error }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn failure_json(err: &OpError) -> String {
    serde_json::json!({ "kind": err.kind.name(), "message": err.message }).to_string()
}

/// A store failure as a failure of the run: it must not continue unrecorded.
pub(crate) fn failed(err: StoreError) -> OpError {
    let kind = match err.kind {
        StoreErrorKind::Bug => ErrorKind::Bug,
        StoreErrorKind::ReadOnly => ErrorKind::Denied,
        _ => ErrorKind::Failed,
    };
    let message = match err.kind {
        // The store itself works.
        StoreErrorKind::Claimed { .. } | StoreErrorKind::NotFound => err.message.clone(),
        _ => format!("cannot record the run: {}", err.message),
    };
    let mut error = OpError::new(kind, message);
    (error.help, error.hint) = (err.help.clone(), err.hint.clone().map(Box::new));
    error.because(err)
}
