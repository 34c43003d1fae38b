//! Choosing and repeating: `if`, `match`, `race`, `repeat`.

use svc_contract::value::{EnumType, Type, Value};

use super::{
    Checker, Pass, STACK_LEFT, STACK_MORE, Term, TermKind, TypedArm, TypedBranch, TypedRepeat,
    literals::is_empty_list, pipeline::convert, repair,
};
use crate::{
    diag::{Code, Problem, Span},
    syntax::ast::{self, Otherwise, Pattern},
};

const NEVER_MATCHES: &str = "unreachable pattern";

impl Checker<'_> {
    pub(super) fn if_(&mut self, it: &ast::If, expected: Option<&Type>) -> Term {
        stacker::maybe_grow(STACK_LEFT, STACK_MORE, || {
            let condition = self.expr(&it.condition, Some(&Type::Bool));
            self.condition(&condition);
            let segments = (self.segment("?then"), self.segment("?else"));
            let then = self.where_not_null(self.not_null_if(&condition, true), |this| {
                this.named_path(|this| this.block(&it.then, expected))
            });
            let otherwise = self.where_not_null(self.not_null_if(&condition, false), |this| {
                this.named_path(|this| match &it.otherwise {
                    Otherwise::Block(block) => this.block(block, expected),
                    Otherwise::If(inner) => this.if_(inner, expected),
                    Otherwise::Missing => Term::unknown(it.span),
                })
            });
            let ty = then.ty.join(&otherwise.ty).unwrap_or_else(|| {
                self.disagree(&then, &otherwise, "the arms of `if`");
                Type::Unknown
            });
            let (then, otherwise) = (convert(then, &ty), convert(otherwise, &ty));
            let kind = TermKind::If {
                segments,
                condition: Box::new(condition),
                then: Box::new(then),
                otherwise: Box::new(otherwise),
            };
            Term::new(kind, ty, it.span)
        })
    }

    pub(super) fn race(
        &mut self,
        branches: &[ast::Branch],
        span: Span,
        expected: Option<&Type>,
    ) -> Term {
        let segment = self.segment("race");
        let mut checked: Vec<TypedBranch> = Vec::with_capacity(branches.len());
        let mut ty = Type::Never;
        for (idx, branch) in branches.iter().enumerate() {
            let body = self.handled(true, |this| {
                this.named_path(|this| this.pipeline_as(&branch.value, expected))
            });
            if let Some(span) = branch.optional {
                self.report(never_ends_a_race(span));
            }
            let name = &branch.name.text;
            if let Some(first) = branches[..idx].iter().find(|it| it.name.text == *name) {
                self.taken(&branch.name, first.name.span);
                continue;
            }
            match ty.join(&body.ty) {
                Some(joined) => ty = joined,
                None => {
                    if let Some(first) = checked.first() {
                        self.disagree(&first.body, &body, "the branches of `race`");
                    }
                    ty = Type::Unknown;
                }
            }
            let (name, segment) = (name.clone(), name.clone());
            checked.push(TypedBranch { name, segment, optional: false, body });
        }
        self.unordered_branches(&checked);
        for branch in &mut checked {
            branch.body = convert(branch.body.clone(), &ty);
        }
        Term::new(TermKind::Race { segment, branches: checked }, ty, span)
    }

    pub(super) fn condition(&mut self, condition: &Term) {
        if condition.ty.fits(&Type::Bool) {
            return;
        }
        let help = match &condition.ty {
            Type::Optional(_) => "compare it with null: `x != null`",
            Type::List(..) => "test its length: `len(x) > 0`",
            _ => "compare it with a value, such as `x != 0`",
        };
        let nothing = match &condition.ty {
            Type::Optional(_) => Some("null"),
            Type::List(..) => Some("[]"),
            Type::Text => Some("\"\""),
            ty if ty.is_number() => Some("0"),
            _ => None,
        };
        let problem = Problem::error(Code::E208, condition.span, "expected a bool as condition")
            .label(format!("this is {}", condition.ty))
            .help(help);
        self.report(match nothing {
            // A bare value as a condition, as in other languages.
            Some(nothing) if repair::is_simple(condition) => {
                problem.suggest(condition.span.after(), format!(" != {nothing}"))
            }
            _ => problem,
        });
    }

    pub(super) fn match_(&mut self, it: &ast::Match, expected: Option<&Type>) -> Term {
        let value = self.expr(&it.value, None);
        let mut arms = Vec::with_capacity(it.arms.len());
        let mut seen: Vec<(Value, Span)> = Vec::new();
        let mut any: Option<Span> = None;
        let mut ty = Type::Never;
        for (idx, arm) in it.arms.iter().enumerate() {
            let (mut patterns, known) = (Vec::new(), self.problems.len());
            for pattern in &arm.patterns {
                self.pattern(pattern, &value, any, &mut seen, &mut patterns);
            }
            self.without_dead_arm(&it.arms, idx, known);
            if let Some(Pattern::Any(span)) =
                arm.patterns.iter().find(|it| matches!(it, Pattern::Any(_)))
            {
                any.get_or_insert(*span);
                patterns.clear();
            } else if patterns.is_empty() {
                // All patterns are invalid; the problems were reported.
                patterns.push(Value::Null);
            }
            // Null reaches `_` if no arm before it took it.
            let takes_null = if patterns.is_empty() {
                seen.iter().all(|(it, _)| *it != Value::Null)
            } else {
                patterns.contains(&Value::Null)
            };
            let known = if takes_null { Vec::new() } else { self.slots_of(&value) };
            let segment = self.segment("?arm");
            let body = self.where_not_null(known, |this| {
                this.named_path(|this| this.pipeline_as(&arm.value, expected))
            });
            match ty.join(&body.ty) {
                Some(joined) => ty = joined,
                None => {
                    if let Some(TypedArm { body: first, .. }) = arms.first() {
                        self.disagree(first, &body, "the arms of `match`");
                    }
                    ty = Type::Unknown;
                }
            }
            arms.push(TypedArm { segment, patterns, body });
        }
        if any.is_none() {
            self.covered(it, &value, &seen);
        }
        for arm in &mut arms {
            arm.body = convert(arm.body.clone(), &ty);
        }
        Term::new(TermKind::Match { value: Box::new(value), arms }, ty, it.span)
    }

    /// Suggests removing an arm whose only pattern never matches, unless the pattern itself is
    /// invalid.
    fn without_dead_arm(&mut self, arms: &[ast::Arm], idx: usize, known: usize) {
        let [only] = arms[idx].patterns.as_slice() else { return };
        let span = match arms.get(idx + 1).and_then(|it| it.patterns.first()) {
            Some(next) => Span::new(only.span().start, next.span().start),
            None if idx > 0 => {
                let before = arms[idx - 1].value.span.end;
                Span::new(before, arms[idx].value.span.end)
            }
            None => return,
        };
        if let [problem] = &mut self.problems[known..]
            && problem.message == NEVER_MATCHES
        {
            *problem = problem.clone().suggest(span, "");
        }
    }

    /// Adds the value of a pattern, if it can match and no earlier pattern does.
    fn pattern(
        &mut self,
        pattern: &Pattern,
        value: &Term,
        any: Option<Span>,
        seen: &mut Vec<(Value, Span)>,
        patterns: &mut Vec<Value>,
    ) {
        if let Some(any) = any {
            self.never_matches(pattern.span(), any, "`_` before it matches everything");
            return;
        }
        let Pattern::Literal(literal) = pattern else { return };
        let term = self.expr(literal, Some(value.ty.required()));
        let Some(constant) = term.constant().cloned() else {
            if !term.ty.is_unknown() {
                self.report(
                    Problem::error(Code::E223, literal.span, "expected a literal as pattern")
                        .label("known only during the run")
                        .help("use `if` to compare with this value"),
                );
            }
            return;
        };
        if !term.ty.fits(&value.ty) && !value.ty.fits(&term.ty) {
            let message = format!("expected {} as pattern, found {}", value.ty, term.ty);
            let problem = Problem::error(Code::E223, literal.span, message)
                .label(format!("this is {}", term.ty))
                .also(value.span, format!("this is {}", value.ty));
            let (problem, is_literal) = self.as_literal(problem, &term, &value.ty);
            if is_literal {
                self.report(problem);
                return;
            }
            self.report(
                Problem::error(Code::E223, literal.span, NEVER_MATCHES)
                    .label(format!("this is {}", term.ty))
                    .also(value.span, format!("this is {}", value.ty))
                    .help("write a literal of the type of the matched value, or `_`"),
            );
            return;
        }
        if let Some((_, first)) = seen.iter().find(|(it, _)| *it == constant) {
            let first = *first;
            self.never_matches(literal.span, first, "the same pattern before it");
            return;
        }
        seen.push((constant.clone(), literal.span));
        patterns.push(constant);
    }

    fn never_matches(&mut self, span: Span, first: Span, why: &str) {
        self.report(
            Problem::error(Code::E223, span, NEVER_MATCHES)
                .label("never reached")
                .also(first, why)
                .help("remove it, or move it up"),
        );
    }

    /// Reports values of the matched type without an arm.
    fn covered(&mut self, it: &ast::Match, value: &Term, seen: &[(Value, Span)]) {
        let covers = |wanted: &Value| seen.iter().any(|(it, _)| it == wanted);
        let mut missing: Vec<String> = match value.ty.required() {
            Type::Enum(of) => uncovered(of, &covers),
            Type::Bool => [true, false]
                .into_iter()
                .filter(|it| !covers(&Value::Bool(*it)))
                .map(|it| it.to_string())
                .collect(),
            Type::Unknown => return,
            Type::Never => Vec::new(),
            _ => vec!["_".to_owned()],
        };
        if value.ty.is_optional() && !covers(&Value::Null) {
            missing.push("null".to_owned());
        }
        if missing.is_empty() {
            return;
        }
        let what = match missing.as_slice() {
            [only] if only == "_" => format!("`match` does not cover every {}", value.ty),
            _ => format!("`match` does not cover {}", missing.join(", ")),
        };
        let arms: Vec<String> =
            missing.iter().map(|it| format!("{it} => fail(\"not handled\")")).collect();
        let end = it.arms.last().map_or(it.span, |it| it.value.span).after();
        self.report(
            Problem::error(Code::E222, value.span, what)
                .label(format!("this is {}", value.ty))
                .help("add an arm for every value; `_ => ..` covers all others")
                .suggest(end, format!(", {}", arms.join(", "))),
        );
    }

    pub(super) fn repeat(&mut self, it: &ast::Repeat, expected: Option<&Type>) -> Term {
        let sign = Span::new(it.span.start, it.span.start + "repeat".len());
        let Some((input, _)) = self.incoming("repeat", sign) else { return Term::unknown(it.span) };
        let ty = self.type_of_turns(it, &input.ty, sign);
        let segment = self.segment("repeat");
        let turn = |this: &mut Self, work: &mut dyn FnMut(&mut Self) -> Term| {
            this.item_frame(ty.clone(), sign);
            let term = this.named_path(|this| work(this));
            this.frames.pop();
            term
        };
        let body = turn(self, &mut |this| this.block(&it.body, Some(&ty)));
        let body = self.same_type(body, &ty);
        let until = turn(self, &mut |this| this.expr(&it.until, Some(&Type::Bool)));
        self.until(&until);
        let otherwise =
            it.otherwise.as_ref().map(|block| turn(self, &mut |this| this.block(block, expected)));
        let whole = match &otherwise {
            None => ty.clone(),
            Some(otherwise) => ty.join(&otherwise.ty).unwrap_or_else(|| {
                self.disagree(&body, otherwise, "the turns and the `else` of `repeat`");
                Type::Unknown
            }),
        };
        let otherwise = otherwise.map(|it| convert(it, &whole));
        let repeat = TypedRepeat { segment, input, turns: it.turns, body, until, otherwise };
        let repeated = Term::new(TermKind::Repeat(Box::new(repeat)), whole.clone(), it.span);
        if !ty.changes_into(&whole) {
            return repeated;
        }
        // The value that leaves through `until` has the type of the turns, too.
        let kind = TermKind::Cast { value: Box::new(repeated), why: super::CastReason::Entering };
        Term::new(kind, whole, it.span)
    }

    /// The type that enters each turn: that of the input, or if a list in it grows in a turn, the same
    /// without the lengths of lists.
    fn type_of_turns(&mut self, it: &ast::Repeat, input: &Type, sign: Span) -> Type {
        let free = input.with_free_lists();
        // A try within a try would be tried again for each of those around it.
        if free == *input || self.pass == Pass::Turn {
            return input.clone();
        }
        let (facts, known) = (self.facts.take(), self.problems.len());
        let expanded = self.expanded.len();
        self.pass = Pass::Turn;
        self.item_frame(input.clone(), sign);
        let turn = self.named_path(|this| this.block(&it.body, Some(input)));
        self.frames.pop();
        self.pass = Pass::Whole;
        self.facts = facts;
        self.problems.truncate(known);
        self.expanded.truncate(expanded);
        let grows = !turn.ty.fits(input) && turn.ty.fits(&free);
        if grows { free } else { input.clone() }
    }

    /// Checks that a turn returns the type that it takes, so that another one can follow.
    fn same_type(&mut self, body: Term, ty: &Type) -> Term {
        if body.ty.fits(ty) {
            return convert(body, ty);
        }
        self.report(
            Problem::error(
                Code::E209,
                body.span,
                "a turn of `repeat` must return the type of its input",
            )
            .label(format!("this is {}", body.ty))
            .help(if is_empty_list(ty) {
                "declare the type of the empty list that enters: `let start: [int] = []`".to_owned()
            } else {
                match (ty, &body.ty) {
                    (Type::Int(_), Type::Float(_)) => {
                        "begin with a float, such as `0.0` for `0`".to_owned()
                    }
                    (Type::Record(_), _) => format!(
                        "end the turn with a value of type {ty}, for example `{{ ...it, .. }}`"
                    ),
                    _ => format!("end the turn with a value of type {ty}"),
                }
            }),
        );
        Term::unknown(body.span)
    }

    fn until(&mut self, until: &Term) {
        if until.waits {
            self.report(
                Problem::error(Code::E218, until.span, "`until` cannot call a slow component")
                    .label("tested before every turn, without bounds")
                    .help("compute it in the turn, and test the result: `until .score >= 0.8`"),
            );
            return;
        }
        self.condition(until);
    }
}

/// The choices that no pattern covers.
fn uncovered(of: &EnumType, covers: &dyn Fn(&Value) -> bool) -> Vec<String> {
    let missing = of.variants.iter().filter(|it| !covers(&Value::Text((*it).clone())));
    missing.map(|it| format!("{it:?}")).collect()
}

/// A `?` after the name of a branch of a `race`.
fn never_ends_a_race(optional: Span) -> Problem {
    Problem::warning(Code::E229, optional, "this `?` has no effect")
        .label("a branch that fails never ends a `race`")
        .help("leave it out: the other branches go on")
        .suggest(optional, "")
}
