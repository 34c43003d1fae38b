//! Services that an embedding program lends to its components.

use std::{
    any::{Any, TypeId, type_name},
    collections::HashMap,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use super::{EndsWithRun, ErrorKind, OpError, OpRef, Owned, closure::Closures};

/// The lent services, at most one of each type, and the closures of ops. Clones share them.
#[derive(Clone, Default)]
pub struct Lent {
    services: Arc<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
    closures: Closures,
    run: Arc<Owned>,
    call: Option<Arc<Call>>,
}

/// The call that uses the services.
struct Call {
    op: OpRef,
    has_borrowed: AtomicBool,
}

impl Lent {
    /// Adds a service; it replaces one of the same type.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(mut self, service: Arc<T>) -> Self {
        Arc::make_mut(&mut self.services).insert(TypeId::of::<T>(), service);
        self
    }

    /// The services for a run, and what it will own.
    #[must_use]
    pub fn to_run(&self) -> Self {
        Self { run: Arc::default(), ..self.clone() }
    }

    /// What the run owns.
    pub fn run(&self) -> &Owned {
        &self.run
    }

    /// What the run owns of this type; unlike a service, it decides no result.
    pub(super) fn of_run<T: EndsWithRun + Default>(&self) -> Arc<T> {
        self.run.get()
    }

    /// The services for one call of an op.
    #[must_use]
    pub fn to_call(&self, op: OpRef) -> Self {
        let call = Call { op, has_borrowed: AtomicBool::new(false) };
        Self { call: Some(Arc::new(call)), ..self.clone() }
    }

    /// Whether the call has asked for a service: then its result depends on more than its
    /// arguments.
    pub fn was_borrowed(&self) -> bool {
        self.call.as_ref().is_some_and(|it| it.has_borrowed.load(Ordering::Relaxed))
    }

    /// Adds the closures of ops.
    #[must_use]
    pub(super) fn with_closures(mut self, add: impl FnOnce(&mut Closures)) -> Self {
        add(&mut self.closures);
        self
    }

    /// The closures, and the op that is called.
    pub(super) fn called(&self) -> Result<(&Closures, OpRef), OpError> {
        let call = self.call.as_ref().ok_or_else(|| OpError::bug("called outside of a run"))?;
        Ok((&self.closures, call.op))
    }

    /// The service of this type.
    pub(super) fn get<T: Any + Send + Sync>(&self) -> Result<Arc<T>, OpError> {
        if let Some(call) = &self.call {
            call.has_borrowed.store(true, Ordering::Relaxed);
        }
        let found = self.services.get(&TypeId::of::<T>()).cloned();
        found.and_then(|it| it.downcast().ok()).ok_or_else(|| {
            let message = format!("no `{}` is available to this component", type_name::<T>());
            OpError::new(ErrorKind::Unsupported, message)
                .help("pass one to `Engine::lend` in the program that runs the script")
        })
    }
}

impl fmt::Debug for Lent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} lent services", self.services.len())
    }
}

/// The context of a running inline op that uses lent services.
#[derive(Clone, Debug)]
pub struct InlineCx(Lent);

impl InlineCx {
    pub fn new(lent: &Lent, op: OpRef) -> Self {
        Self(lent.to_call(op))
    }

    /// The service of this type that the embedding program lends to its components; an error of
    /// the kind `unsupported` if there is none.
    pub fn lent<T: Any + Send + Sync>(&self) -> Result<Arc<T>, OpError> {
        self.0.get()
    }

    pub(super) fn services(&self) -> &Lent {
        &self.0
    }
}
