//! Expressions: literals, selections, records, strings.

use std::collections::HashMap;

use svc_contract::{
    registry::{Near, near},
    value::{EnumType, RecordType, Text, Type, Value, paths, times},
};

use super::{
    Checker, STACK_LEFT, STACK_MORE, Term, TermKind, TypedEntry,
    generics::any_type,
    literals::{brief, found, null_help},
    pipeline::convert,
    repair::{Behind, Gap, Wanted},
    scope::Callable,
};
use crate::{
    diag::{Code, Problem, Span},
    syntax::ast::{self, Expr, ExprKind, Word, dotted, name_span},
};

impl Checker<'_> {
    /// Checks an expression; a literal takes the expected type.
    pub(super) fn expr(&mut self, expr: &Expr, expected: Option<&Type>) -> Term {
        let term = stacker::maybe_grow(STACK_LEFT, STACK_MORE, || self.expr_kind(expr, expected));
        self.node(expr.span, None, &term, false);
        self.of_limited_type(term)
    }

    fn expr_kind(&mut self, expr: &Expr, expected: Option<&Type>) -> Term {
        let span = expr.span;
        if let Some(Type::Flow(of)) = expected {
            return self.flow_expr(expr, of);
        }
        match &expr.kind {
            ExprKind::Literal(value) => self.literal(value, expected, span),
            ExprKind::Text(pieces) => self.text(pieces, expected, span),
            ExprKind::List(items) => self.list(items, expected, span),
            ExprKind::Record(entries) => self.record(entries, expected, span),
            ExprKind::Map(entries) => self.map(entries, expected, span),
            ExprKind::It => self.it_or_report(span),
            ExprKind::Name(words) => self.name(words, span),
            ExprKind::Call(call) => {
                self.call_function(&call.name, call.args.as_ref(), call.type_arg.as_ref(), span)
            }
            ExprKind::Field { base, name, optional } => self.field(base, name, *optional, span),
            ExprKind::Index { base, index } => self.index(base, index, span),
            ExprKind::Binary { op, op_span, left, right } => {
                self.binary(*op, *op_span, left, right, expected, span)
            }
            ExprKind::Not(inner) => self.not(inner, span),
            ExprKind::Negate(inner) => self.negate(inner, span),
            ExprKind::Cast { value, ty } => self.cast(value, ty, span),
            ExprKind::Group(pipeline) => self.pipeline_as(pipeline, expected),
            ExprKind::Hole(hole) => self.hole(hole, span, None, expected),
            ExprKind::Broken => Term::unknown(span),
        }
    }

    /// Checks that a term fits the declared type, and converts it.
    pub(super) fn expected(&mut self, term: Term, ty: &Type, what: &str) -> Term {
        if term.ty.fits(ty) {
            return convert(term, ty);
        }
        let written = &self.source.text()[term.span.range()];
        if *ty.required() == Type::Date && times::parse_date(written).is_some() {
            let message = format!("expected {ty} for {what}, found a calculation");
            let problem = Problem::error(Code::E217, term.span, message)
                .label("a date is written in quotes")
                .help(format!("write `\"{written}\"`"))
                .suggest(term.span, format!("\"{written}\""));
            self.report(problem);
            return Term::unknown(term.span);
        }
        let nearly = null_help(&term.ty, ty).or_else(|| self.json_help(&term.ty, ty));
        let help = nearly.unwrap_or_else(|| match (&term.ty, ty) {
            (Type::Record(given), Type::Record(wanted)) => missing_fields(given, wanted),
            _ => format!("declare it as {}, or convert the value", term.ty),
        });
        let message = format!("expected {ty} for {what}, found {}", term.ty);
        let problem = Problem::error(Code::E217, term.span, message)
            .label(format!("this is {}", found(&term.ty)))
            .help(help);
        let (problem, is_literal) = self.as_literal(problem, &term, ty);
        if is_literal {
            // The literal or the declared type may be wrong.
            self.report(problem.suggested());
            return Term::unknown(term.span);
        }
        let shown = ty.to_string();
        let gap = Gap { from: &term.ty, wanted: Wanted::Type(ty), shown: &shown, port: "" };
        let is_json = self.json_help(&term.ty, ty).is_some();
        let problem = match what {
            _ if is_json => {
                let written = &self.source.text()[term.span.range()];
                problem.suggest(term.span, format!("({written} >> to_json >> parse_json)"))
            }
            // A default is an expression.
            "the default" => self.around_value(problem, &gap, &term),
            _ => self.behind_pipeline(problem, &gap, &term),
        };
        self.report(problem);
        // A slow component in it is reported as well.
        Term { waits: term.waits, ..Term::unknown(term.span) }
    }

    fn literal(&mut self, value: &Value, expected: Option<&Type>, span: Span) -> Term {
        let constant =
            |value: Value, ty: Type| Term { kind: TermKind::Const(value), ty, span, waits: false };
        let expected = expected.map(Type::required);
        match (value, expected) {
            (Value::Text(text), Some(Type::Path)) => {
                constant(Value::Path(in_folder(self.source.folder(), text)), Type::Path)
            }
            (Value::Text(text), Some(ty @ (Type::Time | Type::Date))) => {
                match value.clone().cast(ty) {
                    Ok(it) => constant(it, ty.clone()),
                    Err(_) => self.not_a_moment(text, ty, span),
                }
            }
            (Value::Text(text), Some(Type::Enum(of))) => {
                if !of.contains(text) {
                    self.not_in_enum(text, of, span);
                }
                constant(value.clone(), Type::Enum(of.clone()))
            }
            (Value::Text(text), _) => {
                self.foreign_interpolation(text, span);
                constant(value.clone(), Type::Text)
            }
            (Value::Int(it), Some(Type::Int(Some((low, high))))) => {
                let end = if it < low { low } else { high };
                self.in_range(low <= it && it <= high, expected, &end.to_string(), span);
                constant(value.clone(), Type::Int(Some((*low, *high))))
            }
            #[expect(clippy::cast_precision_loss, reason = "an int is a float in the language")]
            (Value::Int(it), Some(Type::Float(range))) => {
                let it = *it as f64;
                self.in_float_range(it, *range, expected, span);
                constant(Value::Float(it), Type::Float(*range))
            }
            (Value::Float(it), Some(Type::Float(range))) => {
                self.in_float_range(*it, *range, expected, span);
                constant(value.clone(), Type::Float(*range))
            }
            (Value::Null, _) => constant(Value::Null, Type::Never.optional()),
            _ => constant(value.clone(), literal_type(value)),
        }
    }

    /// Reports text that is not the time or date that is expected.
    fn not_a_moment(&mut self, text: &str, ty: &Type, span: Span) -> Term {
        let (example, help, meant) = match ty {
            Type::Date => {
                let meant = times::leading_date(text).map(|it| it.to_string());
                (times::DATE_EXAMPLE, times::DATE_FORM, meant)
            }
            _ => {
                let meant = times::completed_time(text).map(|it| it.to_string());
                (times::TIME_EXAMPLE, times::TIME_FORM, meant)
            }
        };
        let problem = Problem::error(Code::E214, span, format!("invalid {ty}: {text:?}"))
            .label(format!("expected the form {example}"))
            .help(help);
        self.report(match meant {
            Some(it) => problem.suggest(span, format!("{it:?}")),
            None => problem,
        });
        Term::unknown(span)
    }

    fn in_float_range(
        &mut self,
        it: f64,
        range: Option<(f64, f64)>,
        expected: Option<&Type>,
        span: Span,
    ) {
        let Some((low, high)) = range else { return };
        let end = if it < low { low } else { high };
        self.in_range(low <= it && it <= high, expected, &format!("{end:?}"), span);
    }

    /// Checks the range of a literal. For one outside, the nearest end of the range is suggested.
    fn in_range(&mut self, inside: bool, expected: Option<&Type>, end: &str, span: Span) {
        if inside {
            return;
        }
        let wanted = expected.map_or_else(String::new, Type::to_string);
        self.report(
            Problem::error(Code::E214, span, format!("expected {wanted}"))
                .label("outside the range")
                .help("choose a value in the range, which includes both ends")
                .suggest(span, end),
        );
    }

    pub(super) fn not_in_enum(&mut self, text: &str, of: &EnumType, span: Span) {
        let all = choices(of);
        let mut problem =
            Problem::error(Code::E214, span, format!("{text:?} is not one of the choices"))
                .label("not a choice")
                .help(format!("choose one of {all}"));
        let known = of.variants.iter().map(AsRef::as_ref);
        let known = known.take(self.compared(of.variants.len()));
        if let Some(Near { name: meant, is_sure }) = near(text, known) {
            problem = problem
                .help(format!("did you mean {meant:?}? The choices are {all}"))
                .fix(span, format!("{meant:?}"))
                .suggested_if(!is_sure);
        }
        self.report(problem);
    }

    fn list(&mut self, items: &[Expr], expected: Option<&Type>, span: Span) -> Term {
        let expected = match expected.map(Type::required) {
            Some(Type::List(item, _)) => Some(item.as_ref().clone()),
            _ => None,
        };
        let terms: Vec<Term> = items.iter().map(|it| self.expr(it, expected.as_ref())).collect();
        // The declared type decides, because joined records would lose fields that some of them
        // lack. An open type of a component decides nothing.
        let fits = |expected: &Type| {
            let is_declared = matches!(expected, Type::Record(_)) && !expected.has_unknown();
            is_declared && terms.iter().all(|it| it.ty.fits(expected))
        };
        let declared = expected.filter(fits);
        let ty = match declared {
            Some(declared) => declared,
            None => match self.joined(&terms, "the items of a list") {
                Some(joined) => {
                    let written: Vec<&Expr> = items.iter().collect();
                    self.warn_of_lost_fields(&written, &joined, "items of the list");
                    joined
                }
                None => return Term::unknown(span),
            },
        };
        let terms: Vec<Term> = terms.into_iter().map(|it| convert(it, &ty)).collect();
        let max = Some(terms.len() as u64);
        Term::new(TermKind::List(terms), Type::List(ty.into(), max), span)
    }

    /// The type that all of several values have, or a problem with the first that has another one.
    pub(super) fn joined(&mut self, terms: &[Term], what: &str) -> Option<Type> {
        let mut ty = Type::Never;
        for term in terms {
            let Some(joined) = ty.join(&term.ty) else {
                let message = format!("{what} must have the same type");
                let problem = Problem::error(Code::E209, term.span, message)
                    .label(format!("this is {}", found(&term.ty)))
                    .also(terms[0].span, format!("this is {}", found(&terms[0].ty)))
                    .help(
                        "convert them to one type, or use a record for values of different types",
                    );
                let problem = self.alike(problem, &terms[0], term, Behind::Value);
                self.report(problem);
                return None;
            };
            ty = joined;
        }
        Some(ty)
    }

    fn record(&mut self, entries: &[ast::Entry], expected: Option<&Type>, span: Span) -> Term {
        let expected = match expected.map(Type::required) {
            Some(Type::Record(of)) => Some(of.clone()),
            _ => None,
        };
        let mut fields: Vec<(Text, Type)> = Vec::new();
        let mut places: HashMap<Text, usize> = HashMap::new();
        let mut written: HashMap<&Text, Span> = HashMap::new();
        let mut checked = Vec::with_capacity(entries.len());
        let mut is_known = true;
        for entry in entries {
            match entry {
                ast::Entry::Field { name, value } => {
                    let expected = expected.as_ref().and_then(|it| it.get(&name.text));
                    let term = self.expr(value, expected);
                    if let Some(first) = written.insert(&name.text, name.span) {
                        written.insert(&name.text, first);
                        self.taken(name, first);
                    }
                    set(&mut fields, &mut places, &name.text, term.ty.clone());
                    checked.push(TypedEntry::Field(name.text.clone(), term));
                }
                ast::Entry::Spread(value) => {
                    let term = self.expr(value, None);
                    let names = self.spread(&term, &mut fields, &mut places);
                    is_known &= term.ty != Type::Unknown;
                    checked.push(TypedEntry::Spread(term, names));
                }
            }
        }
        if !is_known {
            return Term::unknown(span);
        }
        Term::new(TermKind::Record(checked), Type::record(fields), span)
    }

    /// The fields copied by `...record`.
    fn spread(
        &mut self,
        term: &Term,
        fields: &mut Vec<(Text, Type)>,
        places: &mut HashMap<Text, usize>,
    ) -> Vec<Text> {
        match &term.ty {
            Type::Record(of) => {
                for (name, ty) in &of.fields {
                    set(fields, places, name, ty.clone());
                }
                of.fields.iter().map(|(name, _)| name.clone()).collect()
            }
            Type::Unknown | Type::Never => Vec::new(),
            other => {
                self.report(
                    Problem::error(
                        Code::E208,
                        term.span,
                        format!("expected a record, found {other}"),
                    )
                    .label("`...` copies the fields of a record")
                    .help("join lists with `+`"),
                );
                Vec::new()
            }
        }
    }

    fn it_or_report(&mut self, span: Span) -> Term {
        if let Some((var, ty, _)) = self.it() {
            return super::pipeline::var_term(var, ty, span);
        }
        let help = match self.frames.first() {
            Some(super::scope::Frame::Params(params))
                if params.iter().any(|it| !it.name.is_empty()) =>
            {
                let name = &params[0].name;
                format!("use a name instead, such as `{name}`")
            }
            _ => "write `value >> ..`: `it` is the value that enters a stage".to_owned(),
        };
        let shown =
            if span.start == span.end { Span::new(span.start, span.start + 1) } else { span };
        self.report(
            Problem::error(Code::E211, shown, "`it` has no value here")
                .label("no value enters here")
                .help(help),
        );
        Term::unknown(span)
    }

    /// Checks a name where a value is expected: a variable, perhaps with fields.
    fn name(&mut self, words: &[Word], span: Span) -> Term {
        if let Some(Callable::Param(..)) = self.flow_param_named(words) {
            self.stage_as_value(&dotted(words), span);
            return Term::unknown(span);
        }
        if let Some(variable) = self.variable(&words[0]) {
            return words[1..].iter().fold(variable, |base, name| self.select(base, name, false));
        }
        if self.is_broken(&words[0].text) {
            return Term::unknown(span);
        }
        let whole = dotted(words);
        if self.callable(words).is_some() {
            self.stage_as_value(&whole, span);
            return Term::unknown(span);
        }
        self.callable_or_report(words);
        Term::unknown(name_span(words))
    }

    fn stage_as_value(&mut self, name: &str, span: Span) {
        self.report(
            Problem::error(Code::E212, span, format!("`{name}` is a stage, not a value"))
                .label("expected a value")
                .help(format!(
                    "write `{name}(value)` for a pure function, else `(value >> {name})`"
                )),
        );
    }

    fn field(&mut self, base: &Expr, name: &Word, optional: bool, _: Span) -> Term {
        let base = self.expr(base, None);
        self.select(base, name, optional)
    }

    /// The field `name` of a value.
    pub(super) fn select(&mut self, base: Term, name: &Word, optional: bool) -> Term {
        let span = base.span.to(name.span);
        let (of, may_be_null) = match &base.ty {
            Type::Record(of) => (of.clone(), false),
            Type::Optional(inner) if optional => match inner.as_ref() {
                Type::Record(of) => (of.clone(), true),
                _ => return self.no_field(&base, name),
            },
            Type::Unknown => return Term::unknown(span),
            // A term that never returns is still evaluated: it may be a `fail`.
            Type::Never => return Term { span, ..base },
            _ => return self.no_field(&base, name),
        };
        let Some(ty) = of.get(&name.text).cloned() else { return self.no_field(&base, name) };
        let ty = if may_be_null { ty.optional() } else { ty };
        self.mention_field(&of, name, &ty);
        let kind = TermKind::Field { base: Box::new(base), name: name.text.clone() };
        self.narrowed(Term::new(kind, ty, span))
    }

    fn no_field(&mut self, base: &Term, name: &Word) -> Term {
        let field = &name.text;
        // An unknown field is reported before a record that may be null.
        let ty = match &base.ty {
            Type::Optional(inner) if matches!(&**inner, Type::Record(of) if of.get(field).is_none()) => {
                inner
            }
            ty => ty,
        };
        let problem = match ty {
            Type::Record(of) => {
                let names = of.fields.iter().map(|(it, _)| it.as_ref());
                let problem = Problem::error(
                    Code::E206,
                    name.span,
                    format!("{} has no field `{field}`", brief(ty)),
                )
                .label("unknown field");
                let compared = names.clone().take(self.compared(of.fields.len()));
                match near(field, compared) {
                    Some(Near { name: meant, is_sure }) => problem
                        .help(format!("did you mean `{meant}`?"))
                        .fix(name.span, meant)
                        .suggested_if(!is_sure),
                    None => {
                        let all = listed(names.map(|it| format!("`{it}`")));
                        problem.help(format!("use one of {all}"))
                    }
                }
            }
            Type::Optional(inner) if matches!(**inner, Type::Record(_)) => {
                let dot = Span::new(name.span.start.saturating_sub(1), name.span.start);
                Problem::error(
                    Code::E215,
                    name.span,
                    "cannot select a field of a value that may be null",
                )
                .label("null has no fields")
                .help(format!("use `?.{field}` to pass null on, or `??` to replace null"))
                .suggest(dot, "?.")
            }
            Type::List(..) => {
                let problem = Problem::error(Code::E206, name.span, format!("a list has no field `{field}`"))
                    .label("unknown field of a list")
                    .help(format!("take the field of every item: `>> each {{ .{field} }}`, or of one: `>> first >> .{field}`"));
                self.of_every_item(problem, base, name)
            }
            Type::Json => {
                let problem =
                    Problem::error(Code::E206, name.span, "the fields of json are unknown")
                        .label("may not exist")
                        .help(format!("declare its type: `x as {{ {field}: string }}`"));
                self.of_tested(problem, base, name)
            }
            Type::Var(_) => {
                let message = format!("the fields of {} are unknown", base.ty);
                Problem::error(Code::E206, name.span, message)
                    .label("may not exist")
                    .help(any_type(&base.ty))
            }
            Type::Map(_) => {
                let message = "the keys of a map are not fields";
                let problem = Problem::error(Code::E206, name.span, message).label("not a field");
                let written = self.source.text().get(base.span.range()).unwrap_or_default();
                let map = if written.is_empty() { "it" } else { written };
                let fix = format!("{map}[\"{field}\"]");
                problem
                    .help(format!("write `{fix}`, which is null if the map has no such key"))
                    .fix(base.span.to(name.span), fix)
            }
            other => {
                let problem =
                    Problem::error(Code::E206, name.span, format!("{other} has no fields"))
                        .label("not a record");
                self.of_an_op(problem, field, name.span)
            }
        };
        let problem = self.of_outer_item(problem, base.span, field);
        let problem = if base.span.start == base.span.end {
            problem
        } else {
            problem.also(base.span, format!("this is {}", brief(&base.ty)))
        };
        self.report(problem);
        Term::unknown(base.span.to(name.span))
    }

    /// The value of a key of a map.
    fn entry(&mut self, base: Term, key: &Expr, ty: Type, span: Span) -> Term {
        let key = self.expr(key, Some(&Type::Text));
        if !key.ty.fits(&Type::Text) {
            self.report(
                Problem::error(Code::E208, key.span, "expected a string as key of a map")
                    .label(format!("this is {}", key.ty))
                    .help("the keys of a map are strings: `map[\"key\"]`, `map[show(id)]`"),
            );
        }
        let kind = TermKind::Index { base: Box::new(base), index: Box::new(key) };
        Term::new(kind, ty, span)
    }

    fn index(&mut self, base: &Expr, index: &Expr, span: Span) -> Term {
        let base = self.expr(base, None);
        if let Type::Map(item) = &base.ty {
            let ty = item.as_ref().clone().optional();
            return self.entry(base, index, ty, span);
        }
        let index = self.expr(index, Some(&Type::INT));
        if !index.ty.fits(&Type::INT) {
            self.report(
                Problem::error(Code::E208, index.span, "expected an int as index")
                    .label(format!("this is {}", index.ty))
                    .help("use an int: items are counted from 0, or from -1 at the end"),
            );
        }
        let ty = match &base.ty {
            Type::List(item, _) => item.as_ref().clone().optional(),
            Type::Unknown | Type::Never => base.ty.clone(),
            other => {
                self.report(
                    Problem::error(Code::E208, base.span, "only lists and maps can be indexed")
                        .label(format!("this is {other}"))
                        .help("write `.name` for a field of a record, or `slice(s, from, to)` for a part of a string"),
                );
                Type::Unknown
            }
        };
        let kind = TermKind::Index { base: Box::new(base), index: Box::new(index) };
        Term::new(kind, ty, span)
    }
}

/// Adds a field, or changes its type; `places` maps names to indices.
fn set(fields: &mut Vec<(Text, Type)>, places: &mut HashMap<Text, usize>, name: &Text, ty: Type) {
    match places.get(name) {
        Some(place) => fields[*place].1 = ty,
        None => {
            places.insert(name.clone(), fields.len());
            fields.push((name.clone(), ty));
        }
    }
}

/// The choices of a type.
fn choices(of: &EnumType) -> String {
    listed(of.variants.iter().map(|it| format!("{it:?}")))
}

/// Lists names, up to a limit that people still read.
fn listed(mut names: impl ExactSizeIterator<Item = String>) -> String {
    const MOST: usize = 20;
    let mut all: Vec<String> = names.by_ref().take(MOST).collect();
    if names.len() > 0 {
        all.push(format!("and {} more", names.len()));
    }
    all.join(", ")
}

fn literal_type(value: &Value) -> Type {
    match value {
        Value::Bool(_) => Type::Bool,
        Value::Int(_) => Type::INT,
        Value::Float(_) => Type::FLOAT,
        Value::Duration(_) => Type::Duration,
        Value::Money(_) => Type::Money,
        Value::Size(_) => Type::Size,
        _ => Type::Text,
    }
}

/// Makes a path in a script relative to the folder of the script.
fn in_folder(folder: Option<&std::path::PathBuf>, text: &str) -> Text {
    match folder {
        Some(folder) => paths::join(folder, text),
        None => text.into(),
    }
}

fn missing_fields(given: &RecordType, wanted: &RecordType) -> String {
    let missing: Vec<String> = wanted
        .fields
        .iter()
        .filter(|(name, ty)| given.get(name).is_none_or(|it| !it.fits(ty)))
        .map(|(name, ty)| format!("`{name}: {ty}`"))
        .collect();
    format!("add the missing {}", missing.join(", "))
}
