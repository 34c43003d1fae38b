//! The extents of computed values: by operators, by interpolated text, by ops.

use std::sync::Arc;

use svc_contract::{
    registry::{Body, Generic, Known, OpDef, Scheme, Sizes},
    value::{Text, Type, Value, arithmetic, paths},
};

use super::{
    Walk,
    abstract_value::{self, AbstractValue},
    resource_use::ResourceUse,
    seen::{Seen, Sources},
};
use crate::{
    check::{Term, TermKind, TypedCall, TypedEntry, TypedFlow, TypedPiece, computed_operator},
    syntax::ast::BinaryOp,
};

/// The limit for computing a function of known values in advance: the length of all arguments
/// together, and the largest count among them.
const LONGEST_COMPUTED: u64 = 4_096;
const MOST_COMPUTED: i64 = 10_000;

/// Of a longer text, only the length is known.
const LONGEST_TEXT: u64 = 1 << 16;

/// The most digits before the decimals of a float.
const WHOLE_DIGITS: u64 = 320;

impl<'a> Walk<'a> {
    /// A term computed immediately from others.
    pub(super) fn value(&mut self, term: &'a Term) -> Seen {
        let ty = &term.ty;
        match &term.kind {
            TermKind::FlowRef(flow) => self.flow_ref(flow),
            TermKind::Record(entries) => self.record(entries, ty),
            TermKind::List(items) => self.of_all(items, |items| abstract_value::list(items, ty)),
            TermKind::Text(pieces) => {
                let values = pieces.iter().filter_map(|it| match it {
                    TypedPiece::Value(term, _) => Some(term),
                    TypedPiece::Text(_) => None,
                });
                self.of_all(values, |values| text_of(pieces, values))
            }
            TermKind::Field { base, name } => {
                self.of_all([base.as_ref()], |it| it[0].field(name, ty))
            }
            TermKind::Index { base, index } => self.of_all([base.as_ref(), index.as_ref()], |it| {
                it[0].item(ty).optional(ty.required())
            }),
            TermKind::Binary { op, left, right } => match op {
                BinaryOp::Or | BinaryOp::And | BinaryOp::Coalesce => {
                    self.lazily(*op, left, right, ty)
                }
                _ => self.of_all([left.as_ref(), right.as_ref()], |it| {
                    operated(*op, &it[0], &it[1], ty)
                }),
            },
            TermKind::Not(inner) => self.of_all([inner.as_ref()], |it| match it[0].as_known() {
                Some(Value::Bool(it)) => AbstractValue::Known(Value::Bool(!it)),
                _ => AbstractValue::of(ty).settled(it[0].is_given()),
            }),
            TermKind::Negate(inner) => self.of_all([inner.as_ref()], |it| {
                let known = it[0].as_known().and_then(|it| arithmetic::negate(it).ok());
                known.map_or_else(
                    || AbstractValue::of(ty).settled(it[0].is_given()),
                    AbstractValue::Known,
                )
            }),
            TermKind::Cast { value, .. } => self.of_all([value.as_ref()], |it| cast(&it[0], ty)),
            TermKind::Path { value, folder } => self.of_all([value.as_ref()], |it| {
                let text = it[0].as_known().and_then(Value::as_str);
                let known = text.map(|text| match folder {
                    Some(folder) => paths::join(folder, text),
                    None => text.into(),
                });
                known.map_or_else(
                    || AbstractValue::of(ty).settled(it[0].is_given()),
                    |it| AbstractValue::Known(Value::Path(it)),
                )
            }),
            _ => Seen::at_once(Sources::new(), AbstractValue::of(ty)),
        }
    }

    fn of_all(
        &mut self,
        terms: impl IntoIterator<Item = &'a Term>,
        make: impl FnOnce(&[AbstractValue]) -> AbstractValue,
    ) -> Seen {
        let (sources, extents, load) = self.all(terms);
        Seen { sources, extent: make(&extents), load }
    }

    fn flow_ref(&mut self, flow: &'a Arc<TypedFlow>) -> Seen {
        self.flows.insert(Arc::as_ptr(flow), flow);
        Seen::at_once(Sources::new(), AbstractValue::Known(flow.as_value()))
    }

    fn record(&mut self, entries: &'a [TypedEntry], ty: &Type) -> Seen {
        let mut fields: Vec<(Text, AbstractValue)> = Vec::new();
        let (mut sources, mut load) = (Sources::new(), ResourceUse::none());
        let mut set = |name: &Text, extent| match fields.iter_mut().find(|(it, _)| it == name) {
            Some(field) => field.1 = extent,
            None => fields.push((name.clone(), extent)),
        };
        for entry in entries {
            let (TypedEntry::Field(_, term) | TypedEntry::Spread(term, _)) = entry;
            let seen = self.term(term);
            match entry {
                TypedEntry::Field(name, _) => set(name, seen.extent),
                TypedEntry::Spread(_, names) => {
                    for name in names {
                        set(name, seen.extent.field(name, &field_type(&term.ty, name)));
                    }
                }
            }
            sources.extend(seen.sources);
            load = load.alongside(seen.load);
        }
        sources.sort_unstable();
        sources.dedup();
        Seen { sources, extent: abstract_value::record(fields, ty), load }
    }

    /// The extent of the result of an op.
    pub(super) fn result(call: &TypedCall, args: &[AbstractValue], ty: &Type) -> AbstractValue {
        let op = call.op.op;
        if let Some(value) = computed(call, args) {
            return AbstractValue::Known(value);
        }
        let is_given = op.is_pure() && op.is_inline() && args.iter().all(AbstractValue::is_given);
        let extent = match op.generic {
            Generic::No | Generic::Field(_) => Self::declared(*op.yields, op, args, ty),
            Generic::Read | Generic::Rows if call.wanted.is_none() => {
                Self::declared(*op.yields, op, args, ty)
            }
            _ => AbstractValue::of(ty),
        };
        let known: Vec<Known<'_>> = args.iter().map(AbstractValue::known).collect();
        match (extent, op.output.most(op, &known)) {
            (AbstractValue::Any { ty, .. }, Some(most)) => {
                let usual = op.output.usual(op, &known, most);
                let sizes = Sizes { least: 0, usual, most: Some(most) };
                AbstractValue::sized(&ty, sizes).settled(is_given)
            }
            (extent, _) => extent.settled(is_given),
        }
    }

    /// The extent that follows from the declaration of an op. If its result has a type variable for
    /// the items of an argument, the result consists of these items.
    fn declared(scheme: Scheme, op: &OpDef, args: &[AbstractValue], ty: &Type) -> AbstractValue {
        match (scheme, ty) {
            (Scheme::Var(name) | Scheme::Ordered(name), _) => {
                let found = op.params.iter().zip(args);
                let found = found.flat_map(|(param, arg)| bound_to(name, param.scheme, arg, ty));
                found.reduce(|a, b| a.or(&b, ty)).unwrap_or_else(|| AbstractValue::of(ty))
            }
            (Scheme::List(inner, max), Type::List(item, most)) => {
                let items = Self::items_of(max, op, args).within(*most);
                let item = Self::declared(*inner, op, args, item);
                AbstractValue::List { items, item: item.into() }
            }
            (Scheme::Optional(inner), Type::Optional(of)) => {
                Self::declared(*inner, op, args, of).optional(of)
            }
            _ => AbstractValue::of(ty),
        }
    }
}

/// The parts of an argument bound to a type variable of an op.
fn bound_to(name: char, scheme: Scheme, arg: &AbstractValue, ty: &Type) -> Vec<AbstractValue> {
    match scheme {
        Scheme::Var(it) | Scheme::Ordered(it) if it == name => vec![arg.clone()],
        Scheme::List(inner, _) => bound_to(name, *inner, &arg.item(ty), ty),
        Scheme::Optional(inner) => bound_to(name, *inner, arg, ty),
        // Which one it is, or which part of it, is only known in the run.
        Scheme::OneOf(_) | Scheme::Record(..) | Scheme::Flow(..) => vec![AbstractValue::of(ty)],
        _ => Vec::new(),
    }
}

/// The result of a pure function whose arguments are all known and small.
fn computed(call: &TypedCall, args: &[AbstractValue]) -> Option<Value> {
    let op = call.op.op;
    let Body::Inline(run) = op.body else { return None };
    if !op.is_pure() || op.generic != Generic::No || op.takes_flows() {
        return None;
    }
    let mut values: Vec<Value> =
        args.iter().map(|it| it.as_known().cloned()).collect::<Option<_>>()?;
    let is_small = values.iter().all(|it| match it {
        Value::Int(it) => (-MOST_COMPUTED..=MOST_COMPUTED).contains(it),
        other => other.weight() < LONGEST_COMPUTED,
    });
    let length: u64 =
        if is_small { args.iter().filter_map(|it| it.sizes().most).sum() } else { return None };
    if length > LONGEST_COMPUTED {
        return None;
    }
    run(&mut values).ok().filter(|it| it.weight() < LONGEST_COMPUTED)
}

fn field_type(record: &Type, name: &str) -> Type {
    match record.required() {
        Type::Record(of) => of.get(name).cloned().unwrap_or(Type::Json),
        _ => Type::Json,
    }
}

fn cast(value: &AbstractValue, ty: &Type) -> AbstractValue {
    match value.as_known().map(|it| it.clone().cast(ty)) {
        Some(Ok(value)) => AbstractValue::Known(value),
        _ => AbstractValue::of(ty).settled(value.is_given()),
    }
}

/// The extent of an interpolated text with these values.
fn text_of(pieces: &[TypedPiece], values: &[AbstractValue]) -> AbstractValue {
    let mut values = values.iter();
    let (mut known, mut sizes, mut is_given) = (Some(String::new()), Sizes::exactly(0), true);
    for piece in pieces {
        let TypedPiece::Value(_, decimals) = piece else {
            let TypedPiece::Text(text) = piece else { continue };
            known.as_mut().into_iter().for_each(|it| it.push_str(text));
            sizes = sizes.plus(Sizes::exactly(text.len() as u64));
            continue;
        };
        let Some(value) = values.next() else { continue };
        match (value.as_known(), known.as_mut(), decimals) {
            (Some(value), Some(text), None) => text.push_str(&value.to_string()),
            (Some(value), Some(text), Some(decimals)) => {
                text.push_str(&format!("{value:.decimals$}"));
            }
            _ => known = None,
        }
        is_given &= value.is_given();
        let decimals = decimals.map(|it| WHOLE_DIGITS + it as u64);
        let written = value.sizes();
        let most = written.most.map(|it| it.saturating_add(decimals.unwrap_or(0)));
        sizes = sizes.plus(Sizes { least: written.least.min(1), most, ..written });
    }
    match known.filter(|it| it.len() as u64 <= LONGEST_TEXT) {
        Some(text) => AbstractValue::Known(Value::from(text)),
        None => AbstractValue::sized(&Type::Text, sizes).settled(is_given),
    }
}

fn operated(op: BinaryOp, a: &AbstractValue, b: &AbstractValue, ty: &Type) -> AbstractValue {
    if let (Some(a), Some(b)) = (a.as_known(), b.as_known())
        && a.weight().saturating_add(b.weight()) < LONGEST_COMPUTED
        && let Some(value) = computed_operator(op, a, b)
    {
        return AbstractValue::Known(value);
    }
    match (op, ty) {
        (BinaryOp::Add, Type::Text | Type::List(..)) => a.then(b, ty),
        _ => AbstractValue::of(ty).settled(a.is_given() && b.is_given()),
    }
}
