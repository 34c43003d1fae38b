//! The biases of a book: which versions are active, who may change them, and how evolutions work.

use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use subtle::ConstantTimeEq as _;
use svc_contract::{
    registry::{ErrorKind, OpError, Registry, Tuning},
    store::StoreError,
    value::{Value, json},
};
use svc_store::book::{BiasEntry, BiasRow, Book, Changing};
use tokio::time::Instant;

use crate::{
    config::Config,
    knobs::{Changes, Knobs},
    layers::Subject,
};

/// The variable with the token that those who change biases send.
pub const TOKEN: &str = "BIAS_EVOLUTION_CONFIRM_TOKEN";

/// The biases of one book.
pub struct Biases {
    book: Arc<Book>,
    token: Option<String>,
    config: Mutex<Config>,
    /// When the number of changes was read, and that number.
    changes: Mutex<Option<(Instant, u64)>>,
}

/// How long the number of changes may be out of date: other processes may change biases, too.
const FRESH: Duration = Duration::from_secs(1);

impl Biases {
    /// The biases of a book. Without a token, nothing can be changed by tools.
    pub fn new(book: Arc<Book>, token: Option<String>) -> Self {
        let token = token.filter(|it| !it.is_empty());
        Self { book, token, config: Mutex::default(), changes: Mutex::default() }
    }

    pub fn book(&self) -> &Arc<Book> {
        &self.book
    }

    /// Whether the caller has confirmed a change.
    pub(crate) fn confirm(&self, given: Option<&str>) -> Result<(), OpError> {
        let Some(token) = &self.token else {
            let message = "this server changes no biases";
            return Err(OpError::new(ErrorKind::Denied, message)
                .help(format!("start it with the variable {TOKEN}")));
        };
        let given = given.unwrap_or_default();
        // Hashes, so that the time says nothing about the length.
        let hash = |it: &str| *blake3::hash(it.as_bytes()).as_bytes();
        if bool::from(hash(given).ct_eq(&hash(token))) {
            return Ok(());
        }
        let what = if given.is_empty() { "is missing" } else { "is wrong" };
        Err(OpError::new(ErrorKind::Denied, format!("`confirm_token` {what}"))
            .help(format!("it is the value of {TOKEN} on the server")))
    }

    pub fn config(&self) -> Config {
        self.locked().clone()
    }

    pub(crate) fn set_config(&self, config: Config) {
        *self.locked() = config;
    }

    fn locked(&self) -> MutexGuard<'_, Config> {
        self.config.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is kept of a component, and the changes of its active version.
    pub(crate) fn active(&self, knobs: &Knobs) -> Result<(BiasRow, Changes), OpError> {
        let row = self.book.bias(knobs.component.name).map_err(failed)?;
        let changes = self.changes_of(knobs, row.active)?;
        Ok((row, changes))
    }

    /// The changes of a version. Params that the component does not have any more are left out, as they
    /// are when it is used.
    pub(crate) fn changes_of(&self, knobs: &Knobs, version: u64) -> Result<Changes, OpError> {
        let name = knobs.component.name;
        if version == 1 {
            return Ok(Changes::new());
        }
        let found = self.book.bias_version(name, version).map_err(failed)?;
        let found = found.ok_or_else(|| {
            OpError::not_found(format!("`{name}` has no version {version}"))
                .help(format!("`svc bias history {name}` lists its versions"))
        })?;
        Ok(read_params(knobs, &found.params).0)
    }

    /// Changes the active version of a component. Returns the version that is active now; `None` if
    /// something else became active meanwhile.
    pub(crate) async fn change(&self, changing: Changing) -> Result<Option<u64>, OpError> {
        let changed = self.book.change_bias(changing).await.map_err(failed)?;
        *self.changes.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(changed)
    }

    /// How often biases were changed: with the same number, the same versions are active.
    pub fn changes(&self) -> Result<u64, StoreError> {
        let mut known = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, count)) = *known
            && at.elapsed() < FRESH
        {
            return Ok(count);
        }
        let count = self.book.bias_changes()?;
        *known = Some((Instant::now(), count));
        Ok(count)
    }

    /// The changed defaults of all active versions.
    pub fn tuning(&self, registry: &Registry) -> Result<Tuning, StoreError> {
        Ok(tuning_of(registry, &self.book.active_biases()?))
    }

    /// Adds an entry about a component to the log.
    pub(crate) fn log(
        &self,
        subject: &Subject,
        op: &str,
        outcome: &str,
        detail: &str,
    ) -> Result<(), OpError> {
        let entry = BiasEntry {
            no: 0,
            at: subject.evaluator.engine().host().now(),
            component: subject.name().to_owned(),
            op: op.to_owned(),
            version: subject.row.active,
            outcome: outcome.to_owned(),
            detail: detail.chars().take(2_000).collect(),
        };
        self.book.log_bias(entry).wait().map(drop).map_err(failed)
    }
}

impl std::fmt::Debug for Biases {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Biases(..)")
    }
}

/// The changed defaults that are active in the folder of a service; none without a service.
pub fn active_tuning(folder: &Path, registry: &Registry) -> Result<Tuning, StoreError> {
    Ok(tuning_of(registry, &Book::active_biases_in(folder)?))
}

fn tuning_of(registry: &Registry, active: &[(String, String)]) -> Tuning {
    let mut tuning = Tuning::default();
    for (component, params) in active {
        // A component that this program does not have, or has no more tunables, is not tuned.
        let Ok(knobs) = Knobs::of(registry, component) else { continue };
        let (changes, _) = read_params(&knobs, params);
        if let Ok(own) = knobs.tuning(registry, &changes) {
            tuning = tuning.with(&own);
        }
    }
    tuning
}

/// The changes in the params of a version, and the names of those that do not fit the component any more.
pub(crate) fn read_params(knobs: &Knobs, params: &str) -> (Changes, Vec<String>) {
    let read = json::read(params).ok();
    let (mut changes, mut unfit) = (Changes::new(), Vec::new());
    let fields = read.as_ref().and_then(Value::as_record);
    for (name, value) in fields.into_iter().flat_map(svc_contract::value::Record::iter) {
        match knobs.find(name).map(|it| (it, it.accept(value))) {
            Some((knob, Ok(value))) if value != knob.default => {
                changes.insert(name.to_string(), value);
            }
            Some((_, Ok(_))) => {}
            _ => unfit.push(name.to_string()),
        }
    }
    (changes, unfit)
}

/// A failure of the book.
pub(crate) fn failed(err: StoreError) -> OpError {
    let error = OpError::failed(err.message);
    match err.help {
        Some(help) => error.help(help),
        None => error,
    }
}
