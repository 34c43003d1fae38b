//! Blocks that work on the items of a list: `each`, `where`, `sort`, `group`.

use svc_contract::{
    registry::{Max, Scheme},
    value::{Text, Type},
};

use super::{
    Checker, Shape, Term, TermKind, TypedEntry, Var,
    overlap::acts,
    pipeline::var_term,
    repair::{Gap, Stage, Wanted},
    scope::{Frame, Giver},
    unify::Bindings,
};
use crate::{
    diag::{Code, Problem, Span},
    syntax::ast,
};

/// Any list.
const LIST: Scheme = Scheme::List(&Scheme::Var('T'), Max::Unknown);

impl Checker<'_> {
    /// The list that enters here, and the type of its items.
    fn incoming_list(&mut self, word: &str, span: Span) -> Option<(Term, Type, Option<u64>)> {
        let (input, giver) = self.incoming(word, span)?;
        match &input.ty {
            Type::List(item, max) => {
                let (item, max) = (item.as_ref().clone(), *max);
                Some((input, item, max))
            }
            Type::Unknown | Type::Never => {
                let item = input.ty.clone();
                Some((input, item, None))
            }
            other => {
                let problem = Problem::error(
                    Code::E203,
                    span,
                    format!("`{word}` expects a list, found {other}"),
                )
                .label("expects a list")
                .also(giver.span, format!("this is {other}"))
                .help_opt(list_help(other));
                let (shown, port) = ("a list", "");
                let bindings = Bindings::default();
                let wanted = Wanted::Scheme(LIST, &bindings);
                let gap = Gap { from: other, wanted, shown, port };
                let problem = self.before_stage(problem, &gap, &Stage { name: word, span });
                self.report(problem);
                None
            }
        }
    }

    pub(super) fn item_frame(&mut self, item: Type, span: Span) {
        let giver = Giver { name: "it".to_owned(), span, literal: None };
        self.frames.push(Frame::It { ty: item, giver });
    }

    pub(super) fn each(
        &mut self,
        optional: bool,
        body: &ast::Block,
        span: Span,
        expected: Option<&Type>,
    ) -> Term {
        let word = if optional { "each?" } else { "each" };
        let sign = Span::new(span.start, span.start + word.len());
        let list = self.incoming_list(word, sign);
        let (input, item, max) = list.unwrap_or((Term::unknown(span), Type::Unknown, None));
        self.item_frame(item, sign);
        let segment = self.segment("each");
        let expected = match expected.map(Type::required) {
            Some(Type::List(item, _)) => Some(item.as_ref()),
            _ => None,
        };
        let body =
            self.handled(optional, |this| this.named_path(|this| this.block(body, expected)));
        self.frames.pop();
        if max.is_none_or(|it| it > 1) {
            self.overwritten_by_items(&body);
        }
        let item = if optional { body.ty.clone().optional() } else { body.ty.clone() };
        let ty = Type::List(item.into(), max);
        let kind = TermKind::Each {
            segment,
            input: Box::new(input),
            optional,
            bounds: 0,
            body: Box::new(body),
        };
        Term::new(kind, ty, span)
    }

    pub(super) fn shape(&mut self, shape: Shape, key: &ast::Pipeline, span: Span) -> Term {
        let word = shape.word();
        let sign = Span::new(span.start, span.start + word.len());
        let list = self.incoming_list(word, sign);
        let (input, item, max) = list.unwrap_or((Term::unknown(span), Type::Unknown, None));
        let segment = self.segment(word);
        self.item_frame(item.clone(), sign);
        let key = self.named_path(|this| this.pipeline_as(key, None));
        let kept =
            if shape == Shape::Where { self.kept_items(item.clone(), &key) } else { item.clone() };
        self.frames.pop();
        self.shape_key(shape, &key);
        let ty = match shape {
            Shape::Where | Shape::Sort => Type::List(kept.into(), max),
            Shape::Group => Type::List(group(&key.ty, &item, max).into(), max),
        };
        if key.waits {
            return keyed_first(shape, &segment, input, key, &item, max).of_type(ty);
        }
        let kind = TermKind::Shape { segment, input: Box::new(input), shape, key: Box::new(key) };
        Term::new(kind, ty, span)
    }

    fn shape_key(&mut self, shape: Shape, key: &Term) {
        let word = shape.word();
        if key.ty.holds_opaque() {
            self.report_opaque(Code::E208, key, "used for grouping or sorting");
            return;
        }
        if !self.hidden(key, "used for grouping or sorting") {
            return;
        }
        if acts(key) {
            let message = format!("`{word}` cannot call what costs money or acts");
            self.report(
                Problem::error(Code::E218, key.span, message)
                    .label("runs for every item")
                    .help(format!(
                        "compute it first: `each {{ {{ item: it, key: .. }} }} >> {word} {{ .key }} >> each {{ .item }}`"
                    )),
            );
            return;
        }
        let wrong = match shape {
            Shape::Where if !key.ty.fits(&Type::Bool) => "a bool",
            Shape::Sort if !is_sort_key(key) => "a number, a string, or a unit",
            _ => return,
        };
        self.report(
            Problem::error(Code::E208, key.span, format!("`{word}` expects {wrong}"))
                .label(format!("this is {}", key.ty))
                .help(match shape {
                    Shape::Where => "write a condition, such as `where { .score > 0.5 }`",
                    _ if matches!(key.ty.required(), Type::Record(_) | Type::List(..)) => {
                        "write several keys as a record, such as `sort { { team: .team, score: -.score } }`"
                    }
                    _ => "write the key to sort by, such as `sort { -.score }`",
                }),
        );
    }
}

/// Whether a list can be sorted by this: a value with an order, or several, which are compared one
/// after another. A record must stand there itself, as its fields have no order otherwise.
fn is_sort_key(key: &Term) -> bool {
    match (&key.kind, key.ty.required()) {
        (TermKind::Record(_), Type::Record(of)) => {
            !of.fields.is_empty() && of.fields.iter().all(|(_, it)| it.required().is_ordered())
        }
        (_, Type::List(item, _)) => item.required().is_ordered(),
        (_, key) => key.is_ordered(),
    }
}

/// The type of a group.
fn group(key: &Type, item: &Type, max: Option<u64>) -> Type {
    let items = Type::List(item.clone().into(), max);
    Type::record(vec![("key".into(), key.clone()), ("items".into(), items)])
}

/// `where { slow }` as `each { { item: it, key: slow } } >> where { .key } >> each { .item }`: slow
/// components run for all items at the same time, and are nodes of the plan.
fn keyed_first(
    shape: Shape,
    segment: &Text,
    input: Term,
    key: Term,
    item: &Type,
    max: Option<u64>,
) -> Term {
    let span = key.span;
    let it = |ty: &Type| var_term(Var { up: 0, idx: 0 }, ty.clone(), span);
    let list_of = |ty: &Type| Type::List(ty.clone().into(), max);
    let field = |base: Term, name: &str, ty: &Type| {
        Term::new(TermKind::Field { base: Box::new(base), name: name.into() }, ty.clone(), span)
    };
    let each = |segment: &str, input: Term, body: Term| {
        let ty = list_of(&body.ty);
        let (input, body) = (Box::new(input), Box::new(body));
        Term::new(
            TermKind::Each { segment: segment.into(), input, optional: false, bounds: 0, body },
            ty,
            span,
        )
    };
    let key_type = key.ty.clone();
    let pair = Type::record(vec![("item".into(), item.clone()), ("key".into(), key_type.clone())]);
    let entries =
        vec![TypedEntry::Field("item".into(), it(item)), TypedEntry::Field("key".into(), key)];
    let pairs = each(segment, input, Term::new(TermKind::Record(entries), pair.clone(), span));
    let shaped_type = match shape {
        Shape::Where | Shape::Sort => list_of(&pair),
        Shape::Group => list_of(&group(&key_type, &pair, max)),
    };
    let shaped = TermKind::Shape {
        segment: segment.clone(),
        input: Box::new(it(&list_of(&pair))),
        shape,
        key: Box::new(field(it(&pair), "key", &key_type)),
    };
    let shaped = Term::new(shaped, shaped_type.clone(), span);
    let bare = match shape {
        Shape::Where | Shape::Sort => field(it(&pair), "item", item),
        Shape::Group => {
            let of_pairs = group(&key_type, &pair, max);
            let items = field(it(&of_pairs), "items", &list_of(&pair));
            let items = each("items", items, field(it(&pair), "item", item));
            let entries = vec![
                TypedEntry::Field("key".into(), field(it(&of_pairs), "key", &key_type)),
                TypedEntry::Field("items".into(), items),
            ];
            Term::new(TermKind::Record(entries), group(&key_type, item, max), span)
        }
    };
    let bare = each(&format!("{segment}.items"), it(&shaped_type), bare);
    let ty = bare.ty.clone();
    Term::new(TermKind::Pipeline(vec![pairs, shaped, bare]), ty, span)
}

/// Help on turning a value that is not a list into one.
fn list_help(ty: &Type) -> Option<String> {
    match ty {
        Type::Optional(_) => {
            Some("write `value ?? []` to replace null with an empty list".to_owned())
        }
        Type::Record(of) => {
            let lists = of.fields.iter().find(|(_, ty)| matches!(ty, Type::List(..)));
            let shown = lists.map(|(name, _)| {
                format!("take its field `{name}`, which is a list: `>> .{name} >> ..`")
            });
            shown.or_else(|| {
                Some("put it in a list with `[it]`, or use the stages without the block".to_owned())
            })
        }
        Type::Text => {
            Some("split it into a list first, with `split`, `lines` or `words`".to_owned())
        }
        _ => Some("put it in a list with `[it]`, or use the stages without the block".to_owned()),
    }
}
