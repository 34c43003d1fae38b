//! What the calls of one run share, and what ends with it: connections, and the programs behind them.

use std::{
    any::{Any, TypeId},
    fmt,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
};

use futures_util::future::join_all;

/// Something that belongs to a run. It is dropped with the run at the latest.
pub trait EndsWithRun: Any + Send + Sync {
    /// Ends it in good order; the run waits for that, so it takes a second or two at most.
    fn end(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

/// What belongs to a run, at most one of each type.
#[derive(Default)]
pub struct Owned(Mutex<Vec<Entry>>);

struct Entry {
    id: TypeId,
    value: Arc<dyn Any + Send + Sync>,
    ends: Arc<dyn EndsWithRun>,
}

impl Owned {
    /// The one of this type, which is made when it is first asked for.
    pub fn get<T: EndsWithRun + Default>(&self) -> Arc<T> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.iter().find(|it| it.id == TypeId::of::<T>());
        if let Some(known) = known.and_then(|it| it.value.clone().downcast().ok()) {
            return known;
        }
        let made = Arc::new(T::default());
        all.push(Entry { id: TypeId::of::<T>(), value: made.clone(), ends: made.clone() });
        made
    }

    /// Ends all of them.
    pub async fn end(&self) {
        let all = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        join_all(all.iter().map(|it| it.ends.end())).await;
    }
}

impl fmt::Debug for Owned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Owned").finish_non_exhaustive()
    }
}
