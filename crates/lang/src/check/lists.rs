//! Blocks that work on the items of a list: `each`, `where`, `sort`, `group`.

use svc_contract::{
    registry::{Max, Scheme},
    value::Type,
};

use super::{
    Checker, Shape, Term, TermKind,
    keys::OpenKey,
    repair::{Gap, Stage, Wanted},
    scope::{Frame, Giver},
    unify::Bindings,
};
use crate::{
    diag::{Code, Problem, Span},
    syntax::ast::{self, Expr},
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
        let giver = Giver { name: "it".to_owned(), span };
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
        let body = self.named_path(|this| this.block(body, expected));
        self.frames.pop();
        let item = if optional { body.ty.clone().optional() } else { body.ty.clone() };
        let ty = Type::List(item.into(), max);
        let kind =
            TermKind::Each { segment, input: Box::new(input), optional, body: Box::new(body) };
        Term::new(kind, ty, span)
    }

    pub(super) fn shape(&mut self, shape: Shape, key: &Expr, span: Span) -> Term {
        let word = shape.word();
        let sign = Span::new(span.start, span.start + word.len());
        let list = self.incoming_list(word, sign);
        let (input, item, max) = list.unwrap_or((Term::unknown(span), Type::Unknown, None));
        self.item_frame(item.clone(), sign);
        let outside = self.in_key.replace(OpenKey::default());
        let place = key.span;
        let key = self.expr(key, None);
        let open = std::mem::replace(&mut self.in_key, outside).unwrap_or_default();
        let item = if shape == Shape::Where { self.kept_items(item, &key) } else { item };
        self.frames.pop();
        self.shape_key(shape, &key);
        if key.waits {
            self.slow_key(shape, place, span, &open);
        }
        let ty = match shape {
            Shape::Where | Shape::Sort => Type::List(item.into(), max),
            Shape::Group => {
                let items = Type::List(item.into(), max);
                let group =
                    Type::record(vec![("key".into(), key.ty.clone()), ("items".into(), items)]);
                Type::List(group.into(), max)
            }
        };
        let segment = self.segment(word);
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
        let wrong = match shape {
            Shape::Where if !key.ty.fits(&Type::Bool) => "a bool",
            Shape::Sort if !key.ty.required().is_ordered() => "a number, a string, or a unit",
            _ => return,
        };
        self.report(
            Problem::error(Code::E208, key.span, format!("`{word}` expects {wrong}"))
                .label(format!("this is {}", key.ty))
                .help(match shape {
                    Shape::Where => "write a condition, such as `where { .score > 0.5 }`",
                    _ => "write the key to sort by, such as `sort { -.score }`",
                }),
        );
    }
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
