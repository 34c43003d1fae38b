//! Expressions: precedence, selections, calls, records.

use std::{cell::RefCell, sync::LazyLock};

use pest::{
    iterators::Pair,
    pratt_parser::{Assoc, Op, PrattParser},
};
use svc_contract::value::{Text, Value};

use super::Builder;
use crate::{
    diag::{Code, Fix, Problem, Span},
    syntax::{
        MAX_OPERATORS, MAX_PARTS, Rule,
        ast::{Arg, Args, BinaryOp, Call, Entry, Expr, ExprKind, Hole, Stage, StageKind, Word},
    },
};

/// The precedence of operators, loosest first.
static PRECEDENCE: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    let infix = |rule| Op::infix(rule, Assoc::Left);
    PrattParser::new()
        .op(infix(Rule::op_or))
        .op(infix(Rule::op_and))
        .op(Op::prefix(Rule::op_not))
        .op(infix(Rule::op_compare))
        .op(infix(Rule::op_coalesce))
        .op(infix(Rule::op_sum))
        .op(infix(Rule::op_product))
        .op(Op::prefix(Rule::op_minus))
});

/// Operators of other languages, and their forms here.
const WRONG_OPERATORS: [(&str, &str); 5] =
    [("||", "or"), ("&&", "and"), ("!", "not "), ("===", "=="), ("!==", "!=")];

impl Builder<'_> {
    pub(super) fn expr(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let span = self.span(&pair);
        let operators =
            pair.clone().into_inner().filter(|it| it.as_rule() != Rule::operand).count();
        self.below_operators(operators, span, |this| {
            if operators == 0 {
                let only = pair.into_inner().next().expect("an expression has an operand");
                return this.operand(only);
            }
            this.operation(pair)
        })
    }

    fn operation(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let base = self.base;
        let problems = RefCell::new(Vec::new());
        let expr = PRECEDENCE
            .map_primary(|operand| self.operand(operand))
            .map_prefix(|op, operand| prefix(base, &op, operand, &problems))
            .map_infix(|left, op, right| infix(base, &op, left, right, &problems))
            .parse(pair.into_inner());
        self.problems.extend(problems.into_inner());
        expr
    }

    /// Builds the operands of some operators, unless too many are nested: each is a level of
    /// the tree, and possibly of the stack.
    fn below_operators(
        &mut self,
        operators: usize,
        span: Span,
        build: impl FnOnce(&mut Self) -> Expr,
    ) -> Expr {
        const BYTES_PER_OPERATOR: usize = 2 << 10;
        if self.operators_above + operators > MAX_OPERATORS {
            return self.too_long(span);
        }
        self.operators_above += operators;
        let needed = (64 << 10) + operators * BYTES_PER_OPERATOR;
        let expr = stacker::maybe_grow(needed, needed + (1 << 20), || build(self));
        self.operators_above -= operators;
        expr
    }

    fn too_long(&mut self, span: Span) -> Expr {
        let message = format!("too many operators in one expression (limit {MAX_OPERATORS})");
        self.problems.push(
            Problem::error(Code::E104, span, message)
                .label("too long")
                .help("name parts of it with `let`, or use `sum` or `join` on a list"),
        );
        Expr::broken(span)
    }

    fn operand(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let span = self.span(&pair);
        let mut inner = pair.into_inner();
        let value = match inner.next().expect("an operand has a value") {
            hole if hole.as_rule() == Rule::hole => self.hole(hole),
            value => self.postfix(value),
        };
        match inner.find(|it| it.as_rule() == Rule::type_) {
            Some(ty) => {
                let ty = self.ty(ty);
                Expr { kind: ExprKind::Cast { value: Box::new(value), ty }, span }
            }
            None => value,
        }
    }

    /// A value with its selections: `xs[0].title`.
    pub(super) fn postfix(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let span = self.span(&pair);
        let mut inner = pair.into_inner();
        let primary = inner.next().expect("a postfix has a value");
        self.below_operators(inner.len(), span, |this| {
            let mut expr = this.primary(primary);
            for selection in inner {
                let span = expr.span.to(this.span(&selection));
                let base = Box::new(expr);
                expr = Expr { kind: this.selection(base, selection), span };
            }
            expr
        })
    }

    /// `?name: T`, `?name: A -> B`
    pub(super) fn hole(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let span = self.span(&pair);
        let mut inner = pair.into_inner();
        let name = inner.next().as_ref().and_then(hole_name);
        let first = inner.next().map(|it| self.ty(it));
        let hole = match inner.next().map(|it| self.ty(it)) {
            None => Hole { name, takes: None, gives: first },
            gives => Hole { name, takes: first, gives },
        };
        Expr { kind: ExprKind::Hole(Box::new(hole)), span }
    }

    fn selection(&mut self, base: Box<Expr>, pair: Pair<'_, Rule>) -> ExprKind {
        let optional = pair.as_rule() == Rule::optional_field;
        let is_index = pair.as_rule() == Rule::index;
        let inner = pair.into_inner().next().expect("a selection selects something");
        if is_index {
            return ExprKind::Index { base, index: Box::new(self.expr(inner)) };
        }
        ExprKind::Field { base, name: self.word(&inner), optional }
    }

    fn primary(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let span = self.span(&pair);
        let kind = match pair.as_rule() {
            Rule::list => ExprKind::List(pair.into_inner().map(|it| self.inner(it)).collect()),
            Rule::record if self.too_many("fields in a record", &pair, 0) => ExprKind::Broken,
            Rule::record => self.record_or_map(pair),
            Rule::field | Rule::optional_field => {
                let it = Expr { kind: ExprKind::It, span: Span::new(span.start, span.start) };
                self.selection(Box::new(it), pair)
            }
            Rule::group => {
                let inner = pair.into_inner().next().expect("a group holds a pipeline");
                ExprKind::Group(Box::new(self.pipeline(inner)))
            }
            Rule::ref_ => return self.reference(pair),
            Rule::hole_name | Rule::any_hole => {
                let name = hole_name(&pair);
                ExprKind::Hole(Box::new(Hole { name, ..Hole::default() }))
            }
            Rule::wrong_variable => self.wrong_variable(&pair),
            _ => self.literal(pair),
        };
        Expr { kind, span }
    }

    /// `$x`, `$in`
    fn wrong_variable(&mut self, pair: &Pair<'_, Rule>) -> ExprKind {
        let span = self.span(pair);
        let name = &pair.as_str()[1..];
        let meant = if matches!(name, "in" | "it" | "_" | "input") { "it" } else { name };
        self.problems.push(
            Problem::error(Code::E111, span, format!("unexpected `$` in `{}`", pair.as_str()))
                .label("variable syntax of another language")
                .help(format!("write `{meant}`"))
                .fix(span, meant),
        );
        if meant == "it" {
            return ExprKind::It;
        }
        ExprKind::Name(vec![Word { text: meant.into(), span }])
    }

    /// A name, with arguments or without.
    fn reference(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let span = self.span(&pair);
        let mut inner = pair.into_inner();
        let name = self.words(&inner.next().expect("a reference has a name"));
        // In `it.a.b`, and in the name of a value, each further word is a selection.
        if self.operators_above + name.len() > MAX_OPERATORS + 1 {
            return self.too_long(span);
        }
        let mut call = Call { name, type_arg: None, args: None };
        for part in inner {
            match part.as_rule() {
                Rule::type_arg => {
                    let ty = part.into_inner().next().expect("a type argument is a type");
                    call.type_arg = Some(self.type_argument(ty));
                }
                _ => call.args = Some(self.args(part)),
            }
        }
        if call.args.is_some() || call.type_arg.is_some() {
            return Expr { kind: ExprKind::Call(Box::new(call)), span };
        }
        name_or_it(call.name, span)
    }

    fn type_argument(&mut self, pair: Pair<'_, Rule>) -> crate::syntax::ast::TypeExpr {
        if pair.as_rule() == Rule::type_ {
            return self.ty(pair);
        }
        let (word, span) = (self.word(&pair), self.span(&pair));
        crate::syntax::ast::TypeExpr { kind: crate::syntax::ast::TypeKind::Name(word), span }
    }

    /// The words of a dotted name, each with its place.
    pub(super) fn words(&self, pair: &Pair<'_, Rule>) -> Vec<Word> {
        let mut start = self.span(pair).start;
        let mut words = Vec::new();
        for text in pair.as_str().split('.') {
            words.push(Word { text: text.into(), span: Span::new(start, start + text.len()) });
            start += text.len() + 1;
        }
        words
    }

    pub(super) fn args(&mut self, pair: Pair<'_, Rule>) -> Args {
        let span = self.span(&pair);
        self.too_many("arguments", &pair, 0);
        let list = pair.into_inner().take(MAX_PARTS).map(|it| self.arg(it)).collect();
        Args { list, span }
    }

    fn arg(&mut self, pair: Pair<'_, Rule>) -> Arg {
        let inner = match pair.as_rule() {
            Rule::argument => pair.into_inner().next().expect("an argument is something"),
            _ => pair,
        };
        match inner.as_rule() {
            Rule::named => {
                let (name, value) = self.named(inner);
                Arg { name: Some(name), value }
            }
            _ => Arg { name: None, value: self.inner(inner) },
        }
    }

    /// A pipeline between brackets or commas: mostly a plain expression.
    pub(super) fn inner(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let mut pipeline = self.pipeline(pair);
        let is_plain = matches!(
            pipeline.stages.as_slice(),
            [Stage { kind: StageKind::Expr(_), mods, .. }] if mods.is_empty()
        );
        if is_plain && let Some(Stage { kind: StageKind::Expr(expr), .. }) = pipeline.stages.pop() {
            return expr;
        }
        let span = pipeline.span;
        Expr { kind: ExprKind::Group(Box::new(pipeline)), span }
    }

    fn named(&mut self, pair: Pair<'_, Rule>) -> (Word, Expr) {
        let mut inner = pair.into_inner();
        let name = self.word(&inner.next().expect("a named value has a name"));
        (name, self.inner(inner.next().expect("a named value has a value")))
    }

    /// The fields of a record; or of a map, if a key is in brackets.
    pub(super) fn record_or_map(&mut self, pair: Pair<'_, Rule>) -> ExprKind {
        let is_keyed = |it: Pair<'_, Rule>| it.into_inner().any(|it| it.as_rule() == Rule::keyed);
        if pair.clone().into_inner().any(is_keyed) {
            return self.map(pair);
        }
        ExprKind::Record(pair.into_inner().map(|it| self.entry(it)).collect())
    }

    fn map(&mut self, pair: Pair<'_, Rule>) -> ExprKind {
        let mut entries = Vec::new();
        for entry in pair.into_inner() {
            let span = self.span(&entry);
            let inner = entry.into_inner().next().expect("an entry is something");
            match inner.as_rule() {
                Rule::spread => self.problems.push(
                    Problem::error(Code::E101, span, "unexpected `...` in a map")
                        .label("copies the fields of a record")
                        .help("write `merge(a, b)` for a map with the entries of both"),
                ),
                Rule::keyed => {
                    let mut parts = inner.into_inner().map(|it| self.inner(it));
                    let mut part = || parts.next().expect("an entry has a key and a value");
                    entries.push((part(), part()));
                }
                _ => {
                    let (name, value) = self.named(inner);
                    let key = ExprKind::Literal(Value::Text(name.text));
                    entries.push((Expr { kind: key, span: name.span }, value));
                }
            }
        }
        ExprKind::Map(entries)
    }

    pub(super) fn entry(&mut self, pair: Pair<'_, Rule>) -> Entry {
        let inner = pair.into_inner().next().expect("an entry is something");
        if inner.as_rule() == Rule::spread {
            let value = inner.into_inner().next().expect("a spread has a value");
            return Entry::Spread(self.expr(value));
        }
        let (name, value) = self.named(inner);
        Entry::Field { name, value }
    }
}

/// The name after the `?` of a hole.
fn hole_name(pair: &Pair<'_, Rule>) -> Option<Text> {
    pair.as_str().strip_prefix('?').filter(|it| !it.is_empty()).map(Text::from)
}

/// `it.a.b` is a selection from `it`; the meaning of any other dotted name is not known yet.
fn name_or_it(name: Vec<Word>, span: Span) -> Expr {
    if name[0].text.as_ref() != "it" {
        return Expr { kind: ExprKind::Name(name), span };
    }
    let mut words = name.into_iter();
    let it = words.next().map_or(span, |it| it.span);
    words.fold(Expr { kind: ExprKind::It, span: it }, |base, name| {
        let span = it.to(name.span);
        Expr { kind: ExprKind::Field { base: Box::new(base), name, optional: false }, span }
    })
}

fn op_span(base: usize, op: &Pair<'_, Rule>) -> Span {
    let start = base + op.as_span().start();
    Span::new(start, start + op.as_str().len())
}

fn prefix(
    base: usize,
    op: &Pair<'_, Rule>,
    operand: Expr,
    problems: &RefCell<Vec<Problem>>,
) -> Expr {
    let op_span = op_span(base, op);
    let span = op_span.to(operand.span);
    if op.as_rule() == Rule::op_minus {
        return Expr { kind: negated(operand), span };
    }
    corrected(op.as_str(), op_span, problems);
    Expr { kind: ExprKind::Not(Box::new(operand)), span }
}

/// A minus before a number is part of the number.
fn negated(operand: Expr) -> ExprKind {
    use svc_contract::value::Value;
    match operand.kind {
        ExprKind::Literal(Value::Int(it)) if it >= 0 => ExprKind::Literal(Value::Int(-it)),
        ExprKind::Literal(Value::Float(it)) => ExprKind::Literal(Value::Float(-it)),
        _ => ExprKind::Negate(Box::new(operand)),
    }
}

fn infix(
    base: usize,
    op: &Pair<'_, Rule>,
    left: Expr,
    right: Expr,
    problems: &RefCell<Vec<Problem>>,
) -> Expr {
    let span = left.span.to(right.span);
    let (op_span, text) = (op_span(base, op), op.get_input());
    let sign = corrected(op.as_str(), op_span, problems);
    let op = BinaryOp::parse(sign.trim()).expect("the grammar's operators are the tree's");
    if op.is_comparison() && matches!(&left.kind, ExprKind::Binary { op, .. } if op.is_comparison())
    {
        let middle = match &left.kind {
            ExprKind::Binary { right, .. } => right.span,
            _ => left.span,
        };
        let read = middle.start.checked_sub(base).zip(middle.end.checked_sub(base));
        let middle = read.and_then(|(start, end)| text.get(start..end));
        let again = middle.map(|it| Fix { span: left.span.after(), text: format!(" and {it}") });
        problems.borrow_mut().push(
            Problem::error(Code::E101, op_span, "comparisons cannot be chained")
                .label("second comparison")
                .help("join two comparisons with `and`: `a < b and b < c`")
                .fixed(again)
                // `a < b < c` reads as in mathematics; `a == b == c` is ambiguous.
                .suggested_if(!is_ordered(&left) || op.is_equality()),
        );
        return Expr::broken(span);
    }
    let kind = ExprKind::Binary { op, op_span, left: Box::new(left), right: Box::new(right) };
    Expr { kind, span }
}

/// Whether an expression compares which of two values is larger.
fn is_ordered(it: &Expr) -> bool {
    matches!(&it.kind, ExprKind::Binary { op, .. } if op.is_comparison() && !op.is_equality())
}

/// Returns the operator that was meant, and reports one of another language.
fn corrected<'a>(sign: &'a str, span: Span, problems: &RefCell<Vec<Problem>>) -> &'a str {
    let Some((_, right)) = WRONG_OPERATORS.iter().find(|(wrong, _)| *wrong == sign) else {
        return sign;
    };
    let shown = right.trim();
    problems.borrow_mut().push(
        Problem::error(Code::E109, span, format!("unknown operator `{sign}`"))
            .label("operator of another language")
            .help(format!("write `{shown}`"))
            .fix(span, *right),
    );
    right
}
