//! Services that an embedding program lends to its components.

use std::{
    any::{Any, TypeId, type_name},
    collections::HashMap,
    fmt,
    sync::Arc,
};

use super::{ErrorKind, OpError};

/// The lent services, at most one of each type. Clones share them.
#[derive(Clone, Default)]
pub struct Lent(Arc<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Lent {
    /// Adds a service; it replaces one of the same type.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(mut self, service: Arc<T>) -> Self {
        Arc::make_mut(&mut self.0).insert(TypeId::of::<T>(), service);
        self
    }

    /// The service of this type.
    pub(super) fn get<T: Any + Send + Sync>(&self) -> Result<Arc<T>, OpError> {
        let found = self.0.get(&TypeId::of::<T>()).cloned();
        found.and_then(|it| it.downcast().ok()).ok_or_else(|| {
            let message = format!("no `{}` is available to this component", type_name::<T>());
            OpError::new(ErrorKind::Unsupported, message)
                .help("pass one to `Engine::lend` in the program that runs the script")
        })
    }
}

impl fmt::Debug for Lent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} lent services", self.0.len())
    }
}
