//! The types of a lock as types of the language: constant data, which is leaked like all
//! declarations made at run time.

use std::{collections::HashMap, sync::Mutex};

use svc_contract::registry::{FieldScheme, Max, Scheme};
use svc_openapi::{FieldShape, Lock, Shape};

/// The named types that were made so far.
#[derive(Default)]
pub(crate) struct Types {
    shapes: Mutex<HashMap<String, &'static Shape>>,
    /// With the number of types inside.
    schemes: Mutex<HashMap<String, (Scheme, usize)>>,
}

fn locked<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Types {
    /// A named type; `json` if the lock does not have it.
    pub(crate) fn shape(&self, lock: Option<&Lock<'static>>, name: &str) -> &'static Shape {
        if let Some(known) = locked(&self.shapes).get(name) {
            return known;
        }
        let shape: &'static Shape =
            Box::leak(Box::new(lock.and_then(|it| it.shape(name).ok()).unwrap_or(Shape::Json)));
        locked(&self.shapes).insert(name.to_owned(), shape);
        shape
    }

    pub(crate) fn scheme(&self, lock: Option<&Lock<'static>>, shape: &Shape) -> Scheme {
        self.at(lock, shape).0
    }

    /// The type, and the number of types inside. A lock that this program wrote has no larger ones
    /// and none that contains itself; another lock cannot take the memory.
    fn at(&self, lock: Option<&Lock<'static>>, shape: &Shape) -> (Scheme, usize) {
        const LARGEST: usize = 4_000;
        let (scheme, count) = self.any(lock, shape);
        if count > LARGEST { (Scheme::Json, 1) } else { (scheme, count) }
    }

    fn any(&self, lock: Option<&Lock<'static>>, shape: &Shape) -> (Scheme, usize) {
        let around = |it: &Shape, make: fn(&'static Scheme) -> Scheme| {
            let (scheme, count) = self.at(lock, it);
            (make(Box::leak(Box::new(scheme))), count + 1)
        };
        let plain = match shape {
            Shape::Json => Scheme::Json,
            Shape::Null => Scheme::Optional(&Scheme::Never),
            Shape::Bool => Scheme::Bool,
            Shape::Int => Scheme::Int,
            Shape::Ints(low, high) => Scheme::IntRange(*low, *high),
            Shape::Float => Scheme::Float,
            Shape::String => Scheme::Text,
            Shape::Bytes => Scheme::Bytes,
            Shape::Enum(all) => {
                let all: Vec<&'static str> = all.iter().map(|it| leaked(it)).collect();
                Scheme::Enum(all.leak())
            }
            Shape::List(it) => return around(it, |it| Scheme::List(it, Max::Unknown)),
            Shape::Map(it) => return around(it, Scheme::Map),
            Shape::Opt(it) | Shape::Nullable(it) => return around(it, Scheme::Optional),
            Shape::Record(fields) => return self.record(lock, "", fields),
            Shape::Ref(name) => return self.named(lock, name),
        };
        (plain, 1)
    }

    fn named(&self, lock: Option<&Lock<'static>>, name: &str) -> (Scheme, usize) {
        if let Some(known) = locked(&self.schemes).get(name) {
            return *known;
        }
        // What it is inside itself.
        locked(&self.schemes).insert(name.to_owned(), (Scheme::Json, 1));
        let made = match self.shape(lock, name) {
            Shape::Record(fields) => self.record(lock, leaked(name), fields),
            other => self.at(lock, other),
        };
        locked(&self.schemes).insert(name.to_owned(), made);
        made
    }

    fn record(
        &self,
        lock: Option<&Lock<'static>>,
        name: &'static str,
        fields: &[FieldShape],
    ) -> (Scheme, usize) {
        let mut total = 1;
        let mut field = |it: &FieldShape| {
            let (scheme, count) = self.at(lock, &it.1);
            total += count;
            FieldScheme { name: leaked(&it.0), doc: leaked(&it.2), scheme }
        };
        let fields: Vec<FieldScheme> = fields.iter().map(&mut field).collect();
        (Scheme::Record(name, fields.leak()), total)
    }
}

pub(crate) fn leaked(text: &str) -> &'static str {
    Box::leak(Box::<str>::from(text))
}
