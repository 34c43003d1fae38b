//! The parts that were finished when a call could not be funded: they were paid for, so they
//! are kept.

use std::{collections::BTreeSet, fmt};

use svc_contract::value::{List, Record, Text, Value};

use super::error::RunError;

/// The finished parts of a construct that was ended by a call inside it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Partial {
    /// The node, as `found/each`; empty for the main pipeline itself.
    pub path: String,
    pub parts: Parts,
    /// The number of finished parts, and of all parts.
    pub done: usize,
    pub of: usize,
    /// The indexes of the finished items, from 0; empty for other parts.
    pub items: Vec<usize>,
    /// The values of the finished items in their order, a record of the finished branches,
    /// fields or lets, or the value after the last finished turn or stage.
    pub value: Value,
    /// The finished parts inside the unfinished ones.
    pub inside: Vec<Partial>,
}

/// The kind of parts of a construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Parts {
    Items,
    Branches,
    Turns,
    Fields,
    Lets,
    Stages,
}

impl Parts {
    pub fn name(self) -> &'static str {
        match self {
            Self::Items => "items",
            Self::Branches => "branches",
            Self::Turns => "turns",
            Self::Fields => "fields",
            Self::Lets => "lets",
            Self::Stages => "stages",
        }
    }
}

impl fmt::Display for Partial {
    /// `12 of 50 items of `each` were finished`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} {}", self.done, self.of, self.parts.name())?;
        if !self.path.is_empty() {
            write!(f, " of `{}`", self.path)?;
        }
        f.write_str(if self.done == 1 { " was finished" } else { " were finished" })
    }
}

impl Partial {
    fn new(parts: Parts, (done, of): (usize, usize), value: Value) -> Self {
        let (path, items, inside) = (String::new(), Vec::new(), Vec::new());
        Self { path, parts, done, of, items, value, inside }
    }

    /// For an `each`: the values of the started items, except the `failed` ones.
    pub(super) fn of_items(values: Vec<Value>, failed: &[usize], of: usize) -> Self {
        let failed: BTreeSet<usize> = failed.iter().copied().collect();
        let finished = values.into_iter().enumerate().filter(|(idx, _)| !failed.contains(idx));
        let (items, values): (Vec<usize>, Vec<Value>) = finished.unzip();
        let value = Value::List(values.into_iter().collect::<List>());
        let done = items.len();
        Self { items, ..Self::new(Parts::Items, (done, of), value) }
    }

    /// For named parts: the finished ones.
    pub(super) fn of_named(
        parts: Parts,
        finished: impl IntoIterator<Item = (Text, Value)>,
        of: usize,
    ) -> Self {
        let fields: Vec<(Text, Value)> = finished.into_iter().collect();
        let done = fields.len();
        Self::new(parts, (done, of), Value::Record(fields.into_iter().collect::<Record>()))
    }

    /// For consecutive steps: the value after the last finished step.
    pub(super) fn of_steps(parts: Parts, done: usize, of: usize, value: Value) -> Self {
        Self::new(parts, (done, of), value)
    }

    pub(super) fn at(self, path: impl fmt::Display) -> Self {
        Self { path: path.to_string(), ..self }
    }
}

impl RunError {
    /// Adds the finished parts of an enclosing construct, and of its other parts. A construct
    /// without finished parts of its own is replaced by the partial results inside it.
    pub(super) fn with_partial(
        mut self: Box<Self>,
        kept: Partial,
        others: impl IntoIterator<Item = Partial>,
    ) -> Box<Self> {
        let mut inside: Vec<Partial> = self.partial.take().map(|it| *it).into_iter().collect();
        inside.extend(others);
        self.partial = match (kept.done, inside.len()) {
            (0, 0 | 1) => inside.pop().map(Box::new),
            _ => Some(Box::new(Partial { inside, ..kept })),
        };
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_contract::{registry::ErrorKind, registry::OpError};
    use svc_lang::diag::Span;

    fn declined() -> Box<RunError> {
        let error = OpError::new(ErrorKind::Budget, "nothing is left");
        RunError::new(error, Span::default()).at_bound(0)
    }

    fn items(done: i64, of: usize) -> Partial {
        Partial::of_items((0..done).map(Value::Int).collect(), &[], of)
    }

    #[test]
    fn items_keep_their_order_and_their_numbers() {
        let values = [10, 0, 30, 0].map(Value::Int).to_vec();
        let kept = Partial::of_items(values, &[3, 1], 9).at("found/each");
        assert_eq!((kept.done, kept.of, kept.items.as_slice()), (2, 9, [0, 2].as_slice()));
        assert_eq!(kept.value.to_string(), "[10,30]");
        assert_eq!(kept.to_string(), "2 of 9 items of `found/each` were finished");
    }

    #[test]
    fn the_outermost_that_finished_something_holds_the_others() {
        let nothing = || Partial::of_named(Parts::Branches, [], 2);
        let one = || Partial::of_named(Parts::Branches, [("a".into(), Value::Null)], 2);
        let kept = |err: Box<RunError>| err.partial.map(|it| *it);
        assert_eq!(kept(declined().with_partial(nothing(), [])), None);
        let inner = || declined().with_partial(items(3, 5), []);
        assert_eq!(kept(inner().with_partial(nothing(), [])), Some(items(3, 5)));
        let both = kept(inner().with_partial(nothing(), [items(1, 2)])).unwrap();
        assert_eq!((both.done, both.inside), (0, vec![items(3, 5), items(1, 2)]));
        let outer = kept(inner().with_partial(one(), [])).unwrap();
        assert_eq!((outer.done, outer.inside), (1, vec![items(3, 5)]));
    }
}
