//! Constant data of an op that may be made when it is first needed.

use std::{fmt, ops::Deref, sync::LazyLock};

/// A part of a declaration. That of an op from a document with a thousand operations is made when
/// a script, a page or an editor asks for the op.
#[derive(Clone, Copy)]
pub enum Deferred<T: 'static> {
    Is(T),
    Later(&'static Later<T>),
}

/// Makes a part when it is first needed.
pub type Later<T> = LazyLock<T, Box<dyn FnOnce() -> T + Send + Sync>>;

impl<T> Deferred<T> {
    /// A part that `make` makes. It is never freed, so this is for declarations only.
    pub fn later(make: impl FnOnce() -> T + Send + Sync + 'static) -> Self
    where
        T: Send + Sync,
    {
        let make: Box<dyn FnOnce() -> T + Send + Sync> = Box::new(make);
        Self::Later(Box::leak(Box::new(LazyLock::new(make))))
    }

    /// Whether it may not be made yet.
    pub fn is_later(&self) -> bool {
        matches!(self, Self::Later(_))
    }
}

impl<T> Deref for Deferred<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Is(it) => it,
            Self::Later(it) => it,
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Deferred<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.deref().fmt(f)
    }
}

impl<T: IntoIterator + Copy> IntoIterator for Deferred<T> {
    type Item = T::Item;
    type IntoIter = T::IntoIter;

    fn into_iter(self) -> T::IntoIter {
        (*self).into_iter()
    }
}
