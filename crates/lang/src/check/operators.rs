//! Operators: the types of their operands and results.

use svc_contract::value::{Type, Value, arithmetic};

use super::{Checker, Term, TermKind, generics::any_type, pipeline::convert, repair::Behind};
use crate::{
    diag::{Code, Problem, Span},
    syntax::ast::{BinaryOp, Expr, ExprKind},
};

impl Checker<'_> {
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        op_span: Span,
        left: &Expr,
        right: &Expr,
        expected: Option<&Type>,
        span: Span,
    ) -> Term {
        // A literal takes the type of the other side: `.kind == "bug"`.
        let (left, right) = if is_literal(left) && !is_literal(right)
            || is_compound(op, left) && !is_compound(op, right)
        {
            let right = self.expr(right, None);
            let expected = if is_compared_record(op, &right.ty, left) {
                Some(right.ty.required().clone())
            } else {
                expected_literal(op, &right.ty)
            };
            (self.expr(left, expected.as_ref()), right)
        } else {
            let left = self.expr(left, None);
            let expected = match op {
                // `kind ?? "bug"`, `folder ?? "./docs"`: the value for null has the type of the
                // left side, or the expected type of the whole expression.
                BinaryOp::Coalesce => expected.cloned().or_else(|| expected_optional(&left.ty)),
                _ if is_compared_record(op, &left.ty, right) => Some(left.ty.required().clone()),
                _ => expected_literal(op, &left.ty).filter(|_| is_literal(right)),
            };
            // The right side is only reached if the left one does not decide.
            let known = match op {
                BinaryOp::And => self.not_null_if(&left, true),
                BinaryOp::Or => self.not_null_if(&left, false),
                _ => Vec::new(),
            };
            let right = self.where_not_null(known, |this| this.expr(right, expected.as_ref()));
            (left, right)
        };
        let hidden = op != BinaryOp::Coalesce
            && (!self.hidden(&left, "used in a comparison or computation")
                || !self.hidden(&right, "used in a comparison or computation"));
        let opaque = [&left, &right].into_iter().find(|it| it.ty.holds_opaque());
        let with_null = is_null(&left.ty) || is_null(&right.ty);
        let opaque = opaque.filter(|_| op.is_comparison() && !with_null).cloned();
        if let Some(term) = &opaque {
            self.report_opaque(Code::E208, term, "compared");
        }
        let ty = if hidden || opaque.is_some() || left.ty.is_unknown() || right.ty.is_unknown() {
            unknown_result(op)
        } else if never_comes(op, &left.ty, &right.ty) {
            Type::Never
        } else {
            self.result(op, op_span, &left, &right)
        };
        let joins = match op {
            BinaryOp::Add => matches!(ty, Type::List(..)),
            BinaryOp::Coalesce => true,
            _ => false,
        };
        let (left, right) = match (joins, op) {
            // The left side is evaluated before it is known not to be null.
            (true, BinaryOp::Coalesce) => {
                let expected =
                    if left.ty.is_optional() { ty.clone().optional() } else { ty.clone() };
                (convert(left, &expected), convert(right, &ty))
            }
            (true, _) => (convert(left, &ty), convert(right, &ty)),
            (_, BinaryOp::Equal | BinaryOp::Unequal) => alike_records(left, right),
            _ => (left, right),
        };
        Term::new(TermKind::Binary { op, left: Box::new(left), right: Box::new(right) }, ty, span)
    }

    fn result(&mut self, op: BinaryOp, op_span: Span, left: &Term, right: &Term) -> Type {
        let (a, b) = (&left.ty, &right.ty);
        let found = match op {
            BinaryOp::Or | BinaryOp::And => {
                (a.fits(&Type::Bool) && b.fits(&Type::Bool)).then_some(Type::Bool)
            }
            BinaryOp::Equal | BinaryOp::Unequal => a.join(b).map(|_| Type::Bool),
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => {
                a.join(b).filter(Type::is_ordered).map(|_| Type::Bool)
            }
            BinaryOp::Coalesce => self.coalesced(left, right),
            BinaryOp::Add => add(a, b),
            BinaryOp::Subtract => subtract(a, b),
            BinaryOp::Multiply => multiply(a, b),
            BinaryOp::Divide => divide(a, b),
            BinaryOp::Remainder => remainder(a, b),
        };
        if found.is_some() && matches!(op, BinaryOp::Divide | BinaryOp::Remainder) {
            self.test_divisor(right);
        }
        found.unwrap_or_else(|| {
            self.wrong_operands(op, op_span, left, right);
            unknown_result(op)
        })
    }

    fn test_divisor(&mut self, divisor: &Term) {
        if self.written_out(divisor).is_some_and(|it| is_zero(&it)) {
            self.will_fail(
                Problem::error(Code::E231, divisor.span, "division by zero")
                    .label("this is zero")
                    .help("divide by another number"),
            );
        }
    }

    /// The type of `left ?? right`. A left side that is never null is a warning: it may follow a
    /// condition that says so.
    fn coalesced(&mut self, left: &Term, right: &Term) -> Option<Type> {
        if is_generic(&left.ty) && !left.ty.is_optional() {
            return None;
        }
        let joined = left.ty.required().join(&right.ty)?;
        if !left.ty.is_optional() {
            let unused = Span::new(left.span.end, right.span.end);
            self.report(
                Problem::warning(Code::E229, left.span, "`??` has no effect")
                    .label(format!("this is {}, which is never null", left.ty))
                    .help("remove `??` and the value after it")
                    .fix(unused, ""),
            );
            return Some(left.ty.clone());
        }
        Some(joined)
    }

    fn wrong_operands(&mut self, op: BinaryOp, op_span: Span, left: &Term, right: &Term) {
        let (a, b, sign) = (&left.ty, &right.ty, op.sign());
        let (code, help) = match op {
            BinaryOp::Coalesce if a.is_optional() => (
                Code::E208,
                if b.is_text() {
                    "make a string of both: `if x == null { \"none\" } else { \"${x}\" }`".to_owned()
                } else {
                    format!("use a value of type {} for null, the same type as the other side", a.required())
                },
            ),
            BinaryOp::Coalesce if !is_generic(a) => {
                (Code::E208, "remove `??`: the left side is never null".to_owned())
            }
            _ if is_generic(a) => (Code::E208, any_type(a)),
            _ if is_generic(b) => (Code::E208, any_type(b)),
            _ if a.is_optional() || b.is_optional() => {
                (Code::E215, "replace null, as in `(x ?? 0)`, or compare with `!= null` first".to_owned())
            }
            BinaryOp::Add | BinaryOp::Subtract if is_text_moved(a, b) => (
                Code::E208,
                "make a time or a date of the text first, such as `(x as date)`".to_owned(),
            ),
            BinaryOp::Add if a.is_text() || b.is_text() => {
                (Code::E208, "put the value in a string with `\"${x}\"`".to_owned())
            }
            BinaryOp::Or | BinaryOp::And => (Code::E208, "use bool on both sides".to_owned()),
            _ if matches!((a, b), (Type::Time, Type::Date) | (Type::Date, Type::Time)) => (
                Code::E208,
                "make a date of the time with `date_in(time, zone)`, or a time of the date with `time_at(date, clock, zone)`".to_owned(),
            ),
            _ if op.is_comparison() => (Code::E208, "compare values of one type".to_owned()),
            _ if a.is_moment() || b.is_moment() => (
                Code::E208,
                "subtract two times or two dates, or add a duration such as `1d` to one of them".to_owned(),
            ),
            _ => (
                Code::E208,
                "use `+ -` on numbers or values of one unit, `* /` to scale a unit by a number, `+` to join strings or lists".to_owned(),
            ),
        };
        let mut problem =
            Problem::error(code, op_span, format!("`{sign}` is not defined for {a} and {b}"))
                .label("these types do not fit together")
                .also(left.span, format!("this is {a}"))
                .also(right.span, format!("this is {b}"))
                .help(help);
        if matches!(op, BinaryOp::Add | BinaryOp::Subtract) {
            problem = self.made_to_fit(problem, left, right);
        }
        if code == Code::E215 {
            problem = self.required(problem, left);
            problem = self.required(problem, right);
        } else if op == BinaryOp::Add && !is_text_moved(a, b) {
            problem = self.alike(problem, left, right, Behind::Value);
        }
        self.report(problem);
    }

    /// Offers the time or date that text contains, and the duration of a number of days.
    fn made_to_fit(&self, problem: Problem, left: &Term, right: &Term) -> Problem {
        let written = |it: &Term| &self.source.text()[it.span.range()];
        match (&left.ty, &right.ty) {
            (a, b) if is_text_moved(a, b) => {
                let text = if a.is_text() { left } else { right };
                let ty = match &text.kind {
                    TermKind::Const(it) if it.clone().cast(&Type::Time).is_ok() => Type::Time,
                    _ => Type::Date,
                };
                problem.suggest(text.span, format!("({} as {ty})", written(text)))
            }
            (Type::Date, Type::Int(_)) => {
                let days = match &right.kind {
                    TermKind::Const(_) => format!("{}d", written(right)),
                    _ => format!("1d * {}", written(right)),
                };
                problem.suggest(right.span, days)
            }
            _ => problem,
        }
    }

    pub(super) fn not(&mut self, inner: &Expr, span: Span) -> Term {
        let inner = self.expr(inner, Some(&Type::Bool));
        if !inner.ty.fits(&Type::Bool) {
            self.report(
                Problem::error(Code::E208, inner.span, "`not` expects a bool")
                    .label(format!("this is {}", inner.ty))
                    .help("compare it with a value first"),
            );
        }
        Term::new(TermKind::Not(Box::new(inner)), Type::Bool, span)
    }

    pub(super) fn negate(&mut self, inner: &Expr, span: Span) -> Term {
        let inner = self.expr(inner, None);
        let ty = match &inner.ty {
            Type::Int(_) => Type::INT,
            Type::Float(_) => Type::FLOAT,
            Type::Money => Type::Money,
            Type::Unknown | Type::Never => inner.ty.clone(),
            other => {
                let help = match other {
                    Type::Duration | Type::Size => {
                        "durations and sizes are never negative; `sort { .x } >> reverse` sorts in descending order"
                    }
                    Type::Optional(of) if of.is_number() || **of == Type::Money => {
                        "it may be null: write `-(x ?? 0)`, or keep the others first with `where { x != null }`"
                    }
                    _ => {
                        "to sort in descending order, write `sort { .x } >> reverse`; by several columns, `table.sort(by: [\"a\", \"-b\"])`"
                    }
                };
                self.report(
                    Problem::error(Code::E208, inner.span, "`-` expects a number or money")
                        .label(format!("this is {other}"))
                        .help(help),
                );
                Type::Unknown
            }
        };
        Term::new(TermKind::Negate(Box::new(inner)), ty, span)
    }
}

fn is_literal(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Literal(Value::Text(_)))
}

/// Whether text stands where a duration moves a time or a date.
fn is_text_moved(a: &Type, b: &Type) -> bool {
    (a.is_text() && *b == Type::Duration) || (b.is_text() && *a == Type::Duration)
}

/// The expected type of a literal next to a value of this type.
fn expected_literal(op: BinaryOp, other: &Type) -> Option<Type> {
    let other = other.required();
    let is_read = match op {
        // `"2026-12-24" - today`: the other side of `+` is never a time.
        BinaryOp::Subtract => other.is_moment(),
        _ => {
            op.is_comparison() && (other.is_moment() || matches!(other, Type::Enum(_) | Type::Path))
        }
    };
    is_read.then(|| other.clone())
}

/// The expected type of the value for null, if a literal could have several types.
fn expected_optional(left: &Type) -> Option<Type> {
    let expected = left.required();
    let is_read =
        expected.is_moment() || matches!(expected, Type::Path | Type::Record(_) | Type::List(..));
    is_read.then(|| expected.clone())
}

/// Whether the operator never returns, because an operand that never returns is always needed.
fn never_comes(op: BinaryOp, left: &Type, right: &Type) -> bool {
    let is_lazy = matches!(op, BinaryOp::Or | BinaryOp::And | BinaryOp::Coalesce);
    *left == Type::Never || (!is_lazy && *right == Type::Never)
}

/// Whether a literal is compared with records, whose type decides which fields it has.
fn is_compared_record(op: BinaryOp, other: &Type, literal: &Expr) -> bool {
    is_compound(op, literal) && holds_record(other)
}

/// Whether a list or record is written in a comparison.
fn is_compound(op: BinaryOp, literal: &Expr) -> bool {
    matches!(op, BinaryOp::Equal | BinaryOp::Unequal)
        && matches!(literal.kind, ExprKind::List(_) | ExprKind::Record(_) | ExprKind::Map(_))
}

fn holds_record(ty: &Type) -> bool {
    ty.has(&|it| matches!(it, Type::Record(_)))
}

/// Two compared values, with the same fields where one type has all of them: a field that is
/// absent is null.
fn alike_records(left: Term, right: Term) -> (Term, Term) {
    if !holds_record(&left.ty) || !holds_record(&right.ty) {
        return (left, right);
    }
    if right.ty.fits(&left.ty) && has_more_fields(&left.ty, &right.ty) {
        let ty = left.ty.clone();
        return (left, convert(right, &ty));
    }
    if left.ty.fits(&right.ty) && has_more_fields(&right.ty, &left.ty) {
        let ty = right.ty.clone();
        return (convert(left, &ty), right);
    }
    (left, right)
}

/// Whether the records of a type have all fields of those of another type.
fn has_more_fields(a: &Type, b: &Type) -> bool {
    match (a.required(), b.required()) {
        (Type::List(a, _), Type::List(b, _)) => has_more_fields(a, b),
        (Type::Record(a), Type::Record(b)) => {
            b.fields.iter().all(|(name, ty)| a.get(name).is_some_and(|it| has_more_fields(it, ty)))
        }
        (Type::Record(_), _) | (_, Type::Record(_)) => false,
        _ => true,
    }
}

fn is_generic(ty: &Type) -> bool {
    matches!(ty.required(), Type::Var(_))
}

/// Whether it is the type of the literal `null`.
fn is_null(ty: &Type) -> bool {
    ty.is_optional() && *ty.required() == Type::Never
}

fn unknown_result(op: BinaryOp) -> Type {
    let is_bool = op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or);
    if is_bool { Type::Bool } else { Type::Unknown }
}

fn number(a: &Type, b: &Type) -> Option<Type> {
    match (a, b) {
        (Type::Int(_), Type::Int(_)) => Some(Type::INT),
        _ if a.is_number() && b.is_number() => Some(Type::FLOAT),
        _ => None,
    }
}

fn add(a: &Type, b: &Type) -> Option<Type> {
    match (a, b) {
        (Type::List(x, m), Type::List(y, n)) => {
            Some(Type::List(x.join(y)?.into(), m.zip(*n).and_then(|(m, n)| m.checked_add(n))))
        }
        _ if a.is_text() && b.is_text() => Some(Type::Text),
        _ if a.is_unit() && a == b => Some(a.clone()),
        (moment, Type::Duration) | (Type::Duration, moment) if moment.is_moment() => {
            Some(moment.clone())
        }
        _ => number(a, b),
    }
}

fn subtract(a: &Type, b: &Type) -> Option<Type> {
    match (a, b) {
        _ if a.is_unit() && a == b => Some(a.clone()),
        _ if a.is_moment() && a == b => Some(Type::Duration),
        (moment, Type::Duration) if moment.is_moment() => Some(moment.clone()),
        _ => number(a, b),
    }
}

fn multiply(a: &Type, b: &Type) -> Option<Type> {
    match (a, b) {
        (unit, factor) | (factor, unit) if unit.is_unit() && factor.is_number() => {
            Some(unit.clone())
        }
        _ => number(a, b),
    }
}

/// The value of an operator, if it can be computed before the run.
pub(crate) fn computed_operator(op: BinaryOp, a: &Value, b: &Value) -> Option<Value> {
    match op {
        BinaryOp::Add => arithmetic::add(a.clone(), b.clone()).ok(),
        BinaryOp::Subtract => arithmetic::subtract(a, b).ok(),
        BinaryOp::Multiply => arithmetic::multiply(a, b).ok(),
        BinaryOp::Divide => arithmetic::divide(a, b).ok(),
        BinaryOp::Remainder => arithmetic::remainder(a, b).ok(),
        BinaryOp::Equal => Some(Value::Bool(a == b)),
        BinaryOp::Unequal => Some(Value::Bool(a != b)),
        _ => None,
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Int(it) => *it == 0,
        Value::Float(it) => *it == 0.0,
        Value::Duration(it) => it.is_zero(),
        Value::Money(it) => it.nanos() == 0,
        Value::Size(it) => *it == 0,
        _ => false,
    }
}

/// The type of a division: a unit by a number is the unit, a unit by itself is a plain number.
fn divide(a: &Type, b: &Type) -> Option<Type> {
    match (a, b) {
        (unit, factor) if unit.is_unit() && factor.is_number() => Some(unit.clone()),
        (unit, other) if unit.is_unit() && unit == other => Some(Type::FLOAT),
        _ => number(a, b).map(|_| Type::FLOAT),
    }
}

fn remainder(a: &Type, b: &Type) -> Option<Type> {
    number(a, b)
}
