//! Blocks over the items of a list that are computed at once: `each`, `where`, `sort`, `group`.
//!
//! A list that is kept as columns stays so: a row is only made for a term that needs all of it, and the
//! result is columns again. Each item is computed as that of any other list.

use std::sync::{Arc, OnceLock};

use svc_contract::value::{List, RecordsBuilder, Text, UnmadeRows, Value};
use svc_lang::{
    check::{Shape, Term, TermKind, TypedEntry, Var},
    diag::Span,
};

use super::{
    env::Env,
    error::Result,
    eval_sync::{Now, field, not_a_list},
    shapes::{grouped, sorted},
};

/// Groups of fewer rows are kept as rows: columns have a cost of their own.
const SMALL: usize = 64;

/// The item of a block: a row of a list that is kept as columns.
pub(super) struct Row<'a> {
    rows: UnmadeRows<'a>,
    place: usize,
    record: OnceLock<Value>,
}

impl<'a> Row<'a> {
    fn new(rows: UnmadeRows<'a>, place: usize) -> Self {
        Self { rows, place, record: OnceLock::new() }
    }

    pub(super) fn record(&self) -> &Value {
        self.record.get_or_init(|| self.rows.record(self.place))
    }

    pub(super) fn field(&self, name: &str) -> Value {
        self.rows.field(self.place, name)
    }
}

impl Now<'_> {
    fn items(self, input: &Term, env: &Env<'_>) -> Result<List> {
        match self.eval(input, env)? {
            Value::List(items) => Ok(items),
            other => Err(not_a_list(&other, input.span)),
        }
    }

    pub(super) fn each(
        self,
        segment: &str,
        input: &Term,
        optional: bool,
        body: &Term,
        env: &Env<'_>,
    ) -> Result<Value> {
        let items = self.items(input, env)?;
        if let (Some(rows), TermKind::Record(entries), false) =
            (items.unmade(), &body.kind, optional)
        {
            return self.records(segment, rows, entries, body.span, env);
        }
        let _held = Self::held(items.len() * size_of::<Value>(), body.span)?;
        let mut results = Vec::with_capacity(items.len());
        self.for_each(&items, items.unmade(), body.span, env, |idx, env| {
            results.push(match self.eval(body, env) {
                Err(err) if optional && err.is_caught_at(self.scope.depth) => self.swallow(err),
                other => other.map_err(|it| it.below(format_args!("{segment}[{idx}]")))?,
            });
            Ok(())
        })?;
        Ok(Value::from(results))
    }

    /// Calls `run` with a frame for each item.
    fn for_each(
        self,
        items: &List,
        unmade: Option<UnmadeRows<'_>>,
        span: Span,
        env: &Env<'_>,
        mut run: impl FnMut(usize, &Env<'_>) -> Result<()>,
    ) -> Result<()> {
        if let Some(rows) = unmade {
            return (0..rows.len()).try_for_each(|place| {
                self.step(0, span)?;
                run(place, &env.with_row(&Row::new(rows, place)))
            });
        }
        items.iter().enumerate().try_for_each(|(place, item)| {
            self.step(0, span)?;
            run(place, &env.with_it(item))
        })
    }

    pub(super) fn shape(
        self,
        input: &Term,
        shape: Shape,
        key: &Term,
        env: &Env<'_>,
    ) -> Result<Value> {
        let items = self.items(input, env)?;
        let each = match shape {
            Shape::Where => size_of::<Value>(),
            Shape::Sort => 3 * size_of::<Value>(),
            Shape::Group => 2 * size_of::<Value>(),
        };
        if !matches!(shape, Shape::Where) {
            self.ahead(items.len() as u64, key.span)?;
        }
        let _held = Self::held(items.len() * each, key.span)?;
        let mut keys = Vec::with_capacity(items.len());
        let unmade = items.unmade();
        self.for_each(&items, unmade, key.span, env, |_, env| {
            keys.push(self.eval(key, env)?);
            Ok(())
        })?;
        Ok(Value::List(match unmade {
            Some(rows) => {
                let (list, group) =
                    (|it: Vec<u32>| rows.take(&it), |it: Vec<u32>| of_group(rows, &it));
                rearranged(shape, keys, 0_u32.., list, group)
            }
            None => rearranged(shape, keys, items.into_vec(), List::from, List::from),
        }))
    }

    /// A record for each row, as columns.
    fn records(
        self,
        segment: &str,
        rows: UnmadeRows<'_>,
        entries: &[TypedEntry],
        span: Span,
        env: &Env<'_>,
    ) -> Result<Value> {
        let fields = fields_of(entries);
        let names: Arc<[Text]> = fields.iter().map(|it| it.name.clone()).collect();
        let _held = Self::held(rows.len() * fields.len() * size_of::<Value>(), span)?;
        let mut made = RecordsBuilder::new(names);
        for (place, field) in fields.iter().enumerate() {
            if let Source::Row(name) = field.source {
                made.known(place, rows, name);
            }
        }
        let mut values = Vec::with_capacity(entries.len());
        for place in 0..rows.len() {
            self.step(entries.len() as u64, span)?;
            let row = Row::new(rows, place);
            let env = env.with_row(&row);
            values.clear();
            for entry in entries {
                let value =
                    if is_of_row(entry) { Ok(Value::Null) } else { self.eval(entry.term(), &env) };
                values.push(value.map_err(|it| it.below(format_args!("{segment}[{place}]")))?);
            }
            for (place, of) in fields.iter().enumerate() {
                match of.source {
                    Source::Row(_) => {}
                    Source::Value => made.set(place, &values[of.entry]),
                    Source::FieldOfValue => {
                        made.set(place, &field(&values[of.entry], &of.name));
                    }
                }
            }
            made.end_row();
        }
        self.made(Value::List(made.finish()), span)
    }
}

/// A field of the records that a block makes.
struct Made<'e> {
    name: Text,
    /// The entry that decides it.
    entry: usize,
    source: Source<'e>,
}

/// What a field is.
#[derive(Clone, Copy)]
enum Source<'e> {
    /// This field of the row.
    Row(&'e str),
    /// The value of its entry.
    Value,
    /// The field of its name, of the value of its entry.
    FieldOfValue,
}

/// The fields in the order in which they first occur; the last entry decides a field.
fn fields_of(entries: &[TypedEntry]) -> Vec<Made<'_>> {
    let mut all: Vec<Made<'_>> = Vec::new();
    let mut add =
        |name: &Text, entry: usize, source| match all.iter_mut().find(|it| it.name == *name) {
            Some(known) => (known.entry, known.source) = (entry, source),
            None => all.push(Made { name: name.clone(), entry, source }),
        };
    for (idx, entry) in entries.iter().enumerate() {
        match entry {
            TypedEntry::Field(name, term) => {
                add(name, idx, field_of_row(term).map_or(Source::Value, Source::Row));
            }
            TypedEntry::Spread(_, names) => {
                for name in names {
                    let is_row = is_of_row(entry);
                    add(name, idx, if is_row { Source::Row(name) } else { Source::FieldOfValue });
                }
            }
        }
    }
    all
}

/// Whether an entry is a field of the row, or all of it: it needs no computation.
fn is_of_row(entry: &TypedEntry) -> bool {
    match entry {
        TypedEntry::Field(_, term) => field_of_row(term).is_some(),
        TypedEntry::Spread(term, _) => is_row(term),
    }
}

fn field_of_row(term: &Term) -> Option<&str> {
    let TermKind::Field { base, name } = &term.kind else { return None };
    is_row(base).then_some(name)
}

fn is_row(term: &Term) -> bool {
    matches!(term.kind, TermKind::Var(Var { up: 0, .. }))
}

/// The items as a condition, an order or groups have them.
fn rearranged<T>(
    shape: Shape,
    keys: Vec<Value>,
    items: impl IntoIterator<Item = T>,
    list: impl Fn(Vec<T>) -> List,
    group: impl Fn(Vec<T>) -> List,
) -> List {
    let keyed = keys.into_iter().zip(items);
    match shape {
        Shape::Where => {
            let kept = keyed.filter(|(keep, _)| matches!(keep, Value::Bool(true)));
            list(kept.map(|it| it.1).collect())
        }
        Shape::Sort => list(sorted(keyed.collect()).collect()),
        Shape::Group => grouped(keyed, group),
    }
}

/// The rows of a group.
fn of_group(rows: UnmadeRows<'_>, places: &[u32]) -> List {
    if places.len() < SMALL {
        return places.iter().map(|it| rows.record(*it as usize)).collect();
    }
    rows.take(places)
}
