//! Pipelines and their stages.

use svc_contract::{
    registry::{Advice, HintId},
    value::{Text, Type, Value},
};

use super::{
    Checker, FIXED, Input, STACK_LEFT, STACK_MORE, Shape, Term, TermKind, TypedBranch, Var,
    literals::found,
    repair::Behind,
    scope::{Callable, Frame, Giver, Named},
};
use crate::{
    diag::{Code, Problem, Span},
    syntax::{
        self,
        ast::{self, Expr, ExprKind, Mod, Pipeline, Stage, StageKind, Within},
        for_foreign_call, quoted_ways,
    },
};

/// The position of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// It begins a pipeline: it may be a value.
    Head,
    /// It follows `>>`: it must be a stage.
    Later,
}

impl Checker<'_> {
    /// Checks a pipeline against its expected type.
    pub(super) fn pipeline_as(&mut self, pipeline: &Pipeline, expected: Option<&Type>) -> Term {
        stacker::maybe_grow(STACK_LEFT, STACK_MORE, || {
            let only = pipeline.stages.len() == 1;
            let mut terms = Vec::with_capacity(pipeline.stages.len());
            let mut giver = Giver { name: String::new(), span: Span::default(), literal: None };
            for (idx, stage) in pipeline.stages.iter().enumerate() {
                let term = if idx == 0 {
                    let outside = self.in_main_head;
                    self.in_main_head |= self.main_span == Some(pipeline.span);
                    let expected = match pipeline.stages.get(1) {
                        Some(next) => self.due_at(next),
                        None => expected.cloned(),
                    };
                    let head = self.stage(stage, Position::Head, expected.as_ref());
                    self.in_main_head = outside;
                    head
                } else {
                    let ty = terms.last().map_or(Type::Unknown, |it: &Term| it.ty.clone());
                    self.frames.push(Frame::It { ty, giver });
                    let expected = match pipeline.stages.get(idx + 1) {
                        Some(next) => self.due_at(next),
                        None => expected.cloned(),
                    };
                    let term = self.stage(stage, Position::Later, expected.as_ref());
                    self.frames.pop();
                    term
                };
                let (name, literal) = (self.stage_name(stage), term.constant().cloned());
                giver = Giver { name, span: stage_span(stage), literal };
                let enters = terms.last().map(|it: &Term| &it.ty);
                self.node(stage.span, enters, &term, true);
                terms.push(term);
            }
            if only {
                return terms.remove(0);
            }
            let ty = terms.last().map_or(Type::Unknown, |it| it.ty.clone());
            Term::new(TermKind::Pipeline(terms), ty, pipeline.span)
        })
    }

    /// The type of the input port of a stage, so that a literal before it takes that type.
    fn due_at(&mut self, stage: &Stage) -> Option<Type> {
        let StageKind::Expr(expr) = &stage.kind else { return None };
        let (name, args) = match &expr.kind {
            ExprKind::Name(words) => (words, None),
            ExprKind::Call(call) => (&call.name, call.args.as_ref()),
            ExprKind::Hole(hole) => return self.taken_by(hole),
            _ => return None,
        };
        if self.is_variable(&name[0].text) {
            return None;
        }
        let (port, ty) = match self.callable(name)? {
            Callable::Op(op) => {
                let port = op.op.params.first()?;
                (port.name.into(), port.scheme.expected())
            }
            Callable::Flow(flow) => self.flows[flow].params.first().map(named_type)?,
            Callable::Ready(flow) | Callable::Template(_, flow) => {
                flow.params.first().map(named_type)?
            }
            Callable::Param(..) | Callable::Unknown => return None,
        };
        let is_given = |it: &ast::Arg| it.name.as_ref().is_some_and(|it| it.text == port);
        let given = args.is_some_and(|it| it.list.iter().any(is_given));
        (!given && !ty.is_unknown()).then_some(ty)
    }

    /// The name of a stage in messages: its text, or for a block the text before its braces.
    fn stage_name(&self, stage: &Stage) -> String {
        let text = self.source.text().get(stage_span(stage).range()).unwrap_or_default();
        match &stage.kind {
            StageKind::Expr(Expr { kind: ExprKind::Call(call), .. }) => ast::dotted(&call.name),
            StageKind::Rhai(_) => "rhai".to_owned(),
            StageKind::Expr(_) => syntax::quoted(text),
            _ => syntax::quoted(text.split('{').next().unwrap_or_default()),
        }
    }

    /// Checks a stage with its modifiers.
    fn stage(&mut self, stage: &Stage, position: Position, expected: Option<&Type>) -> Term {
        let has_other = stage.mods.iter().any(|it| matches!(it, Mod::Fallback { .. }));
        let first = self.handled(has_other, |this| {
            this.stage_kind(&stage.kind, stage.span, position, expected)
        });
        let first = self.of_limited_type(first);
        let mut tries = vec![first];
        for modifier in &stage.mods {
            match modifier {
                Mod::Within(within) => {
                    let last = tries.pop().expect("there is a stage to bound");
                    // The bounds of an alternative are evaluated where it runs.
                    let is_alternative = !tries.is_empty();
                    if is_alternative {
                        self.frames.push(error_frame());
                    }
                    let bounded = self.within_stage(last, within);
                    if is_alternative {
                        self.frames.pop();
                    }
                    tries.push(bounded);
                }
                Mod::Fallback { kind, span } => {
                    self.frames.push(error_frame());
                    let term = self
                        .named_path(|this| this.stage_kind(kind, *span, Position::Head, expected));
                    self.frames.pop();
                    tries.push(term);
                }
            }
        }
        if tries.len() == 1 {
            return tries.remove(0);
        }
        self.fallback(tries, stage.span)
    }

    fn within_stage(&mut self, mut term: Term, within: &Within) -> Term {
        self.writes_happen_once(&term, within);
        term.count_bounds();
        self.within(term, within)
    }

    fn fallback(&mut self, mut tries: Vec<Term>, span: Span) -> Term {
        let expected = tries[0].ty.clone();
        for term in &mut tries {
            take_enum(term, &expected);
        }
        let mut ty = Type::Never;
        for (idx, term) in tries.iter().enumerate() {
            match ty.join(&term.ty) {
                Some(joined) => ty = joined,
                None => {
                    let (a, what) = (&tries[idx - 1], "the alternatives of `fallback`");
                    let problem = disagreement(a, term, what);
                    let problem = self.alike(problem, a, term, Behind::Stage);
                    self.report(problem);
                    ty = Type::Unknown;
                    break;
                }
            }
        }
        let tries = tries.into_iter().map(|it| convert(it, &ty)).collect();
        let segment = self.segment("!fallback");
        Term::new(TermKind::Fallback { segment, tries }, ty, span)
    }

    /// Reports two pieces that should have the same type.
    pub(super) fn disagree(&mut self, a: &Term, b: &Term, what: &str) {
        let problem = self.alike(disagreement(a, b, what), a, b, Behind::Pipeline);
        self.report(problem);
    }

    fn stage_kind(
        &mut self,
        kind: &StageKind,
        span: Span,
        position: Position,
        expected: Option<&Type>,
    ) -> Term {
        match kind {
            StageKind::Expr(expr) => self.stage_expr(expr, position, expected),
            StageKind::Parallel(branches) => self.parallel(branches, span, expected),
            StageKind::Race(branches) => self.race(branches, span, expected),
            StageKind::Each { optional, body } => self.each(*optional, body, span, expected),
            StageKind::Where(key) => self.shape(Shape::Where, key, span),
            StageKind::Sort(key) => self.shape(Shape::Sort, key, span),
            StageKind::Group(key) => self.shape(Shape::Group, key, span),
            StageKind::If(it) => self.if_(it, expected),
            StageKind::Match(it) => self.match_(it, expected),
            StageKind::Repeat(it) => self.repeat(it, expected),
            StageKind::Rhai(it) => self.rhai(it, span, position),
            StageKind::Broken => Term::unknown(span),
        }
    }

    fn stage_expr(&mut self, expr: &Expr, position: Position, expected: Option<&Type>) -> Term {
        match &expr.kind {
            ExprKind::Name(words) => {
                if let Some(flow) = self.flow_param_named(words) {
                    return self.call_stage(&flow, words, None, None, expr.span, position);
                }
                let is_value = self.is_variable(&words[0].text);
                match (is_value, position) {
                    (true, Position::Head) => self.expr(expr, expected),
                    (true, Position::Later) => {
                        self.value_as_stage(expr.span, &ast::dotted(words));
                        Term::unknown(expr.span)
                    }
                    (false, _) => match self.callable_or_report(words) {
                        Some(callable) => {
                            self.call_stage(&callable, words, None, None, expr.span, position)
                        }
                        None => Term::unknown(expr.span),
                    },
                }
            }
            ExprKind::Call(call) => match self.called(&call.name) {
                Some(callable) => self.call_stage(
                    &callable,
                    &call.name,
                    call.args.as_ref(),
                    call.type_arg.as_ref(),
                    expr.span,
                    position,
                ),
                None => {
                    self.args_alone(call.args.as_ref());
                    Term::unknown(expr.span)
                }
            },
            ExprKind::Literal(value)
                if position == Position::Later && !matches!(value, Value::Text(_)) =>
            {
                let text = syntax::quoted(&self.source.text()[expr.span.range()]);
                self.value_as_stage(expr.span, &text);
                Term::unknown(expr.span)
            }
            ExprKind::Index { base, .. } | ExprKind::Field { base, .. }
                if position == Position::Later && self.is_variables(base) =>
            {
                let text = syntax::quoted(&self.source.text()[expr.span.range()]);
                self.value_as_stage(expr.span, &text);
                Term::unknown(expr.span)
            }
            ExprKind::Hole(hole) => self.hole(hole, expr.span, Some(position), expected),
            _ => self.expr(expr, expected),
        }
    }

    /// Whether an expression selects from a variable: `xs[0]`.
    fn is_variables(&self, expr: &Expr) -> bool {
        let mut innermost = expr;
        while let ExprKind::Index { base, .. } | ExprKind::Field { base, .. } = &innermost.kind {
            innermost = base;
        }
        matches!(&innermost.kind, ExprKind::Name(words) if self.is_variable(&words[0].text))
    }

    fn value_as_stage(&mut self, span: Span, name: &str) {
        self.report(
            Problem::error(Code::E212, span, format!("`{name}` is a value, not a stage"))
                .label("expected a stage after `>>`")
                .help("put the value at the start: `value >> stage`; to build a value here, write `{ .. }` or `( .. )`"),
        );
    }

    /// Resolves a name to a flow or component, or reports that it is unknown.
    pub(super) fn callable_or_report(&mut self, name: &[ast::Word]) -> Option<Callable> {
        if let Some(found) = self.callable(name) {
            return Some(found);
        }
        if name.len() > 1 && self.imports.contains_key(&name[0].text) {
            self.not_imported(name);
            return None;
        }
        let whole = ast::dotted(name);
        let span = ast::name_span(name);
        if self.bare_field(name, span) {
            return None;
        }
        if self.registry.find(&whole).is_some() && foreign_name(&whole).is_none() {
            let ops = self.registry.find(&whole).map_or(&[][..], |it| it.component().ops);
            let names: Vec<String> =
                ops.iter().map(|it| format!("`{whole}.{}`", it.name)).collect();
            self.report(
                Problem::error(Code::E212, span, format!("`{whole}` is a group of ops, not an op"))
                    .label("expected one of its ops")
                    .help(format!("use one of {}", names.join(", "))),
            );
            return None;
        }
        if let Some(feature) = self.registry.missing_feature(&name[0].text) {
            self.not_compiled(&whole, span, feature);
            return None;
        }
        if let Some(problem) = self.hidden_let(name, span) {
            self.report(problem);
            return None;
        }
        // A name defined by the language is meant, but it is not available here.
        let is_fixed = FIXED.contains(&name[0].text.as_ref());
        let elsewhere = for_foreign_call(&whole);
        let suggestion = if is_fixed || elsewhere.is_some() {
            None
        } else {
            foreign(&whole).or_else(|| self.suggest(name))
        };
        let help: Advice = match (&suggestion, whole.as_str()) {
            (_, foreign) if foreign_name(foreign).is_some() => {
                format!("write {}", quoted_ways(foreign_name(foreign).unwrap_or_default())).into()
            }
            _ if elsewhere.is_some() => elsewhere.unwrap_or_default().into(),
            (_, whole) if whole == "error" || whole.starts_with("error.") => {
                "use `error.kind` and `error.message` only after `fallback`".into()
            }
            (_, "main") => "use `main(..)` only in tests of a file with a main pipeline".into(),
            (Some((it, _)), _) => format!("did you mean `{it}`?").into(),
            (None, "input") => {
                "begin with a stage to read the input of the script, or declare `param name: type`"
                    .into()
            }
            (None, whole) => self.names_with(whole).map_or(HintId::DefineName.into(), Into::into),
        };
        let is_value = |this: &Self| &*name[0].text == "it" || this.is_variable(&name[0].text);
        if name.len() == 2 && is_value(self) {
            self.no_method(name, span);
            return None;
        }
        if let Some(joint) = self.field_of_result(name) {
            let (first, rest) = (&name[0].text, ast::dotted(&name[1..]));
            self.report(
                Problem::error(Code::E201, span, format!("`{first}` has no op `{rest}`"))
                    .label("unknown op")
                    .help(format!("take a field of the result with `{first} >> .{rest}`"))
                    .fix(joint, " >> "),
            );
            return None;
        }
        let mut problem = Problem::error(Code::E201, span, format!("unknown name `{whole}`"))
            .label("not found")
            .help(help);
        if let Some((it, is_sure)) = suggestion {
            problem = problem.fix(span, it).suggested_if(!is_sure);
        }
        self.report(problem);
        None
    }

    /// The names of which an unknown one is a word: `read_text` for `read`.
    fn names_with(&self, word: &str) -> Option<String> {
        const MOST: usize = 6;
        let has_word = |it: &&str| it.split('_').any(|part| part == word);
        let mut names: Vec<&str> = self.registry.names().filter(has_word).collect();
        names.sort_unstable_by_key(|it| (it.len(), *it));
        let names: Vec<String> = names.iter().take(MOST).map(|it| format!("`{it}`")).collect();
        match &names[..] {
            [] => None,
            [only] => Some(format!("did you mean {only}?")),
            _ => Some(format!("did you mean one of {}?", names.join(", "))),
        }
    }

    /// A component that this program is compiled without.
    fn not_compiled(&mut self, name: &str, span: Span, feature: &str) {
        self.report(
            Problem::error(Code::E201, span, format!("unknown name `{name}`"))
                .label("not part of this program")
                .help(format!(
                    "compile the program with the feature `{feature}` of the crate `svc`"
                )),
        );
    }

    /// Reports `value` for `.value`, a field of the item.
    fn bare_field(&mut self, name: &[ast::Word], span: Span) -> bool {
        let Some((_, Type::Record(of), _)) = self.it() else { return false };
        let field = &name[0].text;
        if of.get(field).is_none() {
            return false;
        }
        let whole = ast::dotted(name);
        self.report(
            Problem::error(Code::E201, span, format!("unknown name `{whole}`"))
                .label("a field of `it`")
                .help(format!("write `.{whole}`"))
                .fix(Span::new(span.start, span.start), "."),
        );
        true
    }

    /// `name.trim()`: a method of another language.
    fn no_method(&mut self, name: &[ast::Word], span: Span) {
        let (of, method) = (&name[0].text, &name[1].text);
        let stage = format!("{of} >> {method}");
        let problem = Problem::error(Code::E201, span, format!("`{of}` has no method `{method}`"))
            .label("values have no methods")
            .help(format!("write `{stage}`"));
        let has_no_arguments = self.source.text()[span.end..].starts_with("()");
        let is_stage = self.callable(&name[1..]).is_some();
        let whole = Span::new(span.start, span.end + "()".len());
        self.report(if has_no_arguments && is_stage {
            problem.fix(whole, format!("({stage})"))
        } else {
            problem
        });
    }

    /// The `-` at the start of the line of a name, if nothing follows the name.
    pub(super) fn minus_on_a_new_line(&self, name: Span) -> Option<Span> {
        let text = self.source.text();
        let before = text[..name.start].strip_suffix('-')?;
        let begins_line = before.trim_end_matches([' ', '\t']).ends_with('\n');
        let ends_there = !text[name.end..].starts_with(['.', '[', '(', '?']);
        (begins_line && ends_there).then(|| Span::new(before.len(), name.start))
    }

    /// `first.title`: the place between a stage and a field of its result.
    fn field_of_result(&mut self, name: &[ast::Word]) -> Option<Span> {
        let (first, rest) = name.split_first()?;
        let next = rest.first()?;
        let no_op_meant = self.suggest(name).is_none();
        let is_stage = matches!(
            self.callable(std::slice::from_ref(first)),
            Some(Callable::Op(_) | Callable::Flow(_) | Callable::Ready(_))
        );
        (no_op_meant && is_stage).then(|| Span::new(first.span.end, next.span.start - 1))
    }

    fn parallel(&mut self, branches: &[ast::Branch], span: Span, expected: Option<&Type>) -> Term {
        let expected = match expected.map(Type::required) {
            Some(Type::Record(of)) => Some(of.clone()),
            _ => None,
        };
        let mut checked: Vec<TypedBranch> = Vec::with_capacity(branches.len());
        let mut fields: Vec<(Text, Type)> = Vec::with_capacity(branches.len());
        for branch in branches {
            let expected = expected.as_ref().and_then(|it| it.get(&branch.name.text));
            let segment = self.segment_of_part(&branch.name.text);
            let body = self.handled(branch.optional.is_some(), |this| {
                this.named_path(|this| this.pipeline_as(&branch.value, expected))
            });
            let name = branch.name.text.clone();
            if let Some(idx) = fields.iter().position(|(it, _)| *it == name) {
                let first = branches[idx].name.span;
                self.taken(&branch.name, first);
                continue;
            }
            let optional = branch.optional.is_some();
            let ty = if optional { body.ty.clone().optional() } else { body.ty.clone() };
            fields.push((name.clone(), ty));
            checked.push(TypedBranch { name, segment, optional, body });
        }
        self.unordered_branches(&checked);
        let names = fields.iter().map(|(name, _)| name.clone()).collect();
        Term::new(TermKind::Parallel { names, branches: checked }, Type::record(fields), span)
    }

    /// The incoming value for a block; reports a block without one.
    pub(super) fn incoming(&mut self, word: &str, span: Span) -> Option<(Term, Giver)> {
        let Some((var, ty, giver)) = self.it() else {
            self.report(
                Problem::error(Code::E211, span, format!("`{word}` has no input here"))
                    .label("expects a value from the left")
                    .help(format!("write `value >> {word} ..`")),
            );
            return None;
        };
        Some((Term { kind: TermKind::Var(var), ty, span, waits: false }, giver))
    }
}

/// A parameter's name and type.
fn named_type(param: &Input) -> (Text, Type) {
    (param.name.clone(), param.ty.with_vars(&|_| Type::Unknown))
}

/// Gives a literal the expected enum type, if it is one of its choices:
/// `ask<Route> fallback "bug"`.
fn take_enum(term: &mut Term, expected: &Type) {
    if let (TermKind::Const(Value::Text(text)), Type::Enum(of)) = (&term.kind, expected.required())
        && term.ty == Type::Text
        && of.contains(text)
    {
        term.ty = Type::Enum(of.clone());
    }
}

/// The frame of a `fallback` with the failure before it: `error.kind`, `error.message`.
pub(super) fn error_frame() -> Frame {
    Frame::Params(vec![Named::fixed("error", error_type())])
}

pub(super) fn error_type() -> Type {
    Type::record(vec![("kind".into(), Type::Text), ("message".into(), Type::Text)])
}

/// The problem of two pieces that should have the same type.
fn disagreement(a: &Term, b: &Term, what: &str) -> Problem {
    Problem::error(Code::E209, b.span, format!("{what} have different types"))
        .label(format!("this is {}", found(&b.ty)))
        .also(a.span, format!("this is {}", found(&a.ty)))
        .help("convert one of them, with `{ .. }` or a component")
}

fn stage_span(stage: &Stage) -> Span {
    match &stage.kind {
        StageKind::Expr(expr) => expr.span,
        _ => stage.span,
    }
}

/// Wraps a term whose value must be converted to the type that it fits.
pub(super) fn convert(term: Term, ty: &Type) -> Term {
    if !term.ty.changes_into(ty) {
        return term;
    }
    let (span, ty) = (term.span, ty.clone());
    let kind = TermKind::Cast { value: Box::new(term), why: super::CastReason::Entering };
    Term::new(kind, ty, span)
}

/// The variable of the innermost frame that holds an incoming value.
pub(super) fn var_term(var: Var, ty: Type, span: Span) -> Term {
    Term { kind: TermKind::Var(var), ty, span, waits: false }
}

/// The name here for one of another language, and whether it is the only possible meaning.
fn foreign(name: &str) -> Option<(String, bool)> {
    let here = foreign_name(name).filter(|it| !it.contains(' '))?;
    Some((here.to_owned(), !matches!(name, "size" | "concat")))
}

/// The name here for one of another language.
fn foreign_name(name: &str) -> Option<&'static str> {
    const FUNCTIONS: [(&str, &str); 10] = [
        ("count", "len"),
        ("length", "len"),
        ("size", "len"),
        ("distinct", "unique"),
        ("uniq", "unique"),
        ("uppercase", "upper"),
        ("lowercase", "lower"),
        ("to_string", "show"),
        ("str", "show"),
        ("concat", "join"),
    ];
    const VALUES: [(&str, &str); 3] = [("nil", "null"), ("none", "null"), ("undefined", "null")];
    let blocks = crate::syntax::FOREIGN_BLOCKS.iter();
    let found = blocks.chain(&FUNCTIONS).chain(&VALUES).find(|(it, _)| *it == name)?;
    Some(found.1)
}
