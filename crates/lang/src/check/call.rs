//! Calls: arguments to parameters, the incoming value to the input port.

use svc_contract::{
    registry::{Advice, Hint, HintId, OpRef, Registry, Scheme, record_type},
    value::{Text, Type},
};

use super::{
    Checker, Input, Term, Var,
    literals::null_help,
    pipeline::{Position, var_term},
    repair::{Gap, Stage, Wanted},
    scope::{Callable, Frame, Giver},
    unify::Bindings,
};
use crate::{
    diag::{Code, Problem, Span},
    syntax::{
        self,
        ast::{Arg, Args, Expr, TypeExpr, Word, dotted, name_span},
        token::{Token, TokenKind, lex},
    },
};

/// One parameter, of an op or of a flow.
pub(super) struct Port {
    pub(super) name: Text,
    /// The expected type, as far as known without the other arguments.
    pub(super) ty: Type,
    /// The type as declared, which may have type parameters.
    pub(super) declared: Option<Type>,
    pub(super) scheme: Option<Scheme>,
    pub(super) has_default: bool,
}

/// The value of a parameter.
pub(super) struct Given<'a> {
    pub(super) term: Term,
    /// The origin of the value, if it is the incoming one.
    pub(super) from: Option<Giver>,
    /// The name of a flow, which is checked after the other arguments.
    pub(super) flow: Option<&'a Expr>,
}

/// A call as written.
pub(super) struct Site<'a> {
    pub(super) name: String,
    pub(super) name_span: Span,
    pub(super) span: Span,
    pub(super) args: Option<&'a Args>,
    pub(super) position: Option<Position>,
}

impl Port {
    /// A parameter whose type does not depend on other arguments.
    pub(super) fn of(name: Text, ty: Type, has_default: bool) -> Self {
        Self { name, ty, declared: None, scheme: None, has_default }
    }

    /// Whether it is a flow, whose types follow from the other arguments.
    fn is_open_flow(&self) -> bool {
        match self.scheme {
            Some(scheme) => scheme.takes_flows(),
            None => {
                matches!(&self.ty, Type::Flow(of) if of.takes.has_unknown() || of.gives.has_unknown())
            }
        }
    }
}

impl Site<'_> {
    /// A call without parentheses.
    pub(super) fn bare(name: &str, name_span: Span, span: Span, position: Position) -> Self {
        Self { name: name.to_owned(), name_span, span, args: None, position: Some(position) }
    }
}

impl Checker<'_> {
    /// Checks a call as a stage: arguments are named, and the incoming value fills the input port.
    pub(super) fn call_stage(
        &mut self,
        callable: &Callable,
        name: &[Word],
        args: Option<&Args>,
        type_arg: Option<&TypeExpr>,
        span: Span,
        position: Position,
    ) -> Term {
        let site = Site {
            name: dotted(name),
            name_span: name_span(name),
            span,
            args,
            position: Some(position),
        };
        self.call(callable, &site, type_arg)
    }

    /// Checks a call inside an expression: the input is the first argument.
    pub(super) fn call_function(
        &mut self,
        name: &[Word],
        args: Option<&Args>,
        type_arg: Option<&TypeExpr>,
        span: Span,
    ) -> Term {
        if let Some(counted) = self.run_calls(name, args, span) {
            return counted;
        }
        if let Some(failed) = self.fails(name, args, span) {
            return failed;
        }
        let Some(callable) = self.called(name) else {
            self.args_alone(args);
            return Term::unknown(span);
        };
        let site =
            Site { name: dotted(name), name_span: name_span(name), span, args, position: None };
        let before = self.problems.len();
        let mut term = self.call(&callable, &site, type_arg);
        if let Some(why) = self.no_function(&callable, &term) {
            let (whole, fix) = (dotted(name), self.as_pipeline(&callable, name, args, span));
            let problem = Problem::error(Code::E218, span, format!("`{whole}` is not a function"))
                .label(why)
                .help(format!("write a pipeline in parentheses: `{}`", syntax::quoted(&fix)))
                .fix(span, fix);
            self.problems.insert(before, problem);
            // A problem reported here needs no second message about the term around it.
            term.waits = false;
        }
        term
    }

    /// `search(q, 3)` as `(q >> search(top_k: 3))`.
    fn as_pipeline(
        &self,
        callable: &Callable,
        name: &[Word],
        args: Option<&Args>,
        span: Span,
    ) -> String {
        let text = |span: Span| &self.source.text()[span.range()];
        let names: Vec<&str> = match callable {
            Callable::Op(op) => op.op.params.iter().map(|it| it.name).collect(),
            Callable::Flow(idx) => {
                self.flows[*idx].params.iter().map(|it| it.name.as_ref()).collect()
            }
            Callable::Ready(flow) | Callable::Template(_, flow) => {
                flow.params.iter().map(|it| it.name.as_ref()).collect()
            }
            Callable::Param(..) | Callable::Unknown => Vec::new(),
        };
        let Some((first, rest)) = args.and_then(|it| it.list.split_first()) else {
            return format!("({})", text(span));
        };
        if first.name.is_some() {
            return format!("({})", text(span));
        }
        let rest: Vec<String> = rest
            .iter()
            .enumerate()
            .map(|(idx, it)| match (&it.name, names.get(idx + 1)) {
                (Some(name), _) => format!("{}: {}", name.text, text(it.value.span)),
                (None, Some(name)) => format!("{name}: {}", text(it.value.span)),
                (None, None) => text(it.value.span).to_owned(),
            })
            .collect();
        let args = if rest.is_empty() { String::new() } else { format!("({})", rest.join(", ")) };
        format!("({} >> {}{args})", text(first.value.span), dotted(name))
    }

    fn call(&mut self, callable: &Callable, site: &Site<'_>, type_arg: Option<&TypeExpr>) -> Term {
        self.mention_callable(callable, site.name_span);
        self.mention_arguments(callable, site.args);
        match callable {
            Callable::Unknown => {
                self.args_alone(site.args);
                Term::unknown(site.span)
            }
            Callable::Op(op) => self.call_op(*op, site, type_arg),
            Callable::Flow(_) | Callable::Ready(_) | Callable::Template(..) => {
                let term = match callable {
                    Callable::Template(module, flow) => {
                        self.call_template(module, flow, site, type_arg)
                    }
                    _ => self.call_flow(callable, site, type_arg),
                };
                if let Some(expr) = type_arg.filter(|_| !self.is_generic(callable)) {
                    self.takes_no_type(expr.span, site, &term);
                }
                term
            }
            Callable::Param(callee, of) => {
                let port = Port::of("it".into(), of.takes.clone(), false);
                let mut given = self.arguments(std::slice::from_ref(&port), site);
                let Some(given) = given.remove(0) else { return Term::unknown(site.span) };
                if !given.term.ty.fits(&port.ty) {
                    self.misfit(&port, &given, site, &port.ty.to_string());
                }
                self.call_ref(callee.as_ref().clone(), of, given.term, &site.name)
            }
        }
    }

    /// Matches the written arguments to the parameters.
    pub(super) fn arguments<'s>(
        &mut self,
        ports: &[Port],
        site: &Site<'s>,
    ) -> Vec<Option<Given<'s>>> {
        let mut given: Vec<Option<Given<'s>>> = ports.iter().map(|_| None).collect();
        let mut sound = true;
        let list = site.args.map_or(&[][..], |it| &it.list);
        for (idx, arg) in list.iter().enumerate() {
            let Some(port) = self.port_of(ports, arg, idx, site) else {
                sound = false;
                if !self.may_be_a_flow(&arg.value) {
                    self.expr(&arg.value, None);
                }
                continue;
            };
            let is_flow = ports[port].is_open_flow();
            let flow = is_flow.then_some(&arg.value);
            let term = match flow {
                Some(expr) => Term::unknown(expr.span),
                None => self.expr(&arg.value, Some(&ports[port].ty)),
            };
            if given[port].is_some() {
                self.report(
                    Problem::error(
                        Code::E210,
                        arg.value.span,
                        format!("duplicate `{}`", ports[port].name),
                    )
                    .label("second value")
                    .help("remove one of them"),
                );
            }
            given[port] = Some(Given { term, from: None, flow });
        }
        if ports.is_empty() && site.position == Some(Position::Later) {
            self.takes_nothing(site);
        }
        if let Some(port) = ports.first().filter(|_| given[0].is_none())
            && site.position.is_some()
        {
            given[0] = self.fill_input(port, site);
        }
        if sound {
            self.missing(ports, &given, site);
        }
        given
    }

    /// Reports a stage that would drop its incoming value.
    fn takes_nothing(&mut self, site: &Site<'_>) {
        let Some((_, ty, giver)) = self.it() else { return };
        let (name, from) = (&site.name, giver.name);
        let problem = Problem::error(
            Code::E203,
            site.name_span,
            format!("`{name}` takes no input, found {ty}"),
        )
        .label("takes no input")
        .also(giver.span, format!("this is {ty}"))
        .help(format!("begin the pipeline with `{name}`, or add a parameter to it"));
        // Dropping a plain literal loses nothing.
        let is_literal = !from.contains("${")
            && from.starts_with(|it: char| it == '"' || it == '\'' || it.is_ascii_digit());
        let dropped = Span::new(giver.span.start, site.name_span.start);
        self.report(if is_literal { problem.suggest(dropped, "") } else { problem });
    }

    /// The parameter of an argument.
    fn port_of(&mut self, ports: &[Port], arg: &Arg, idx: usize, site: &Site<'_>) -> Option<usize> {
        let Some(name) = &arg.name else {
            return self.positional(ports, arg, idx, site);
        };
        let found = ports.iter().position(|it| it.name == name.text);
        if found.is_none() {
            self.unknown_argument(ports, name, site);
        }
        found
    }

    fn positional(
        &mut self,
        ports: &[Port],
        arg: &Arg,
        idx: usize,
        site: &Site<'_>,
    ) -> Option<usize> {
        if site.position != Some(Position::Later) {
            if idx < ports.len() {
                return Some(idx);
            }
            let (name, most) = (&site.name, ports.len());
            self.report(
                Problem::error(
                    Code::E202,
                    arg.value.span,
                    format!("too many arguments for `{name}` (limit {most})"),
                )
                .label("one too many")
                .help(Hint::new(HintId::TooManyArguments).with("op", name).with("limit", most)),
            );
            return None;
        }
        // The incoming value is the first parameter, so the first argument is the second.
        let port = ports.get(idx + 1).or_else(|| ports.get(idx));
        let span = arg.value.span;
        let mut problem = Problem::error(Code::E107, span, "missing argument name")
            .label("argument without a name");
        problem = match port {
            Some(port) => {
                let text = &self.source.text()[span.range()];
                let fix = format!("{}: {text}", port.name);
                let shown = syntax::quoted(&fix);
                problem.help(format!("write `{}({shown})`", site.name)).fix(span, fix)
            }
            None => problem
                .help(format!("remove it: `{}` takes no argument except its input", site.name)),
        };
        self.report(problem);
        None
    }

    /// The incoming value, or the input of a script that begins with this stage.
    fn fill_input<'s>(&mut self, port: &Port, site: &Site<'s>) -> Option<Given<'s>> {
        if let Some((var, ty, giver)) = self.it() {
            let span = site.name_span;
            let term = var_term(var, ty, span);
            return Some(Given { term, from: Some(giver), flow: None });
        }
        if port.has_default {
            return None;
        }
        let begins = site.position == Some(Position::Head) && self.in_main_head && !self.in_flow;
        begins.then(|| Given { term: self.script_input(port, site), from: None, flow: None })
    }

    /// Adds an input to the script, of the type of the port of its first stage.
    fn script_input(&mut self, port: &Port, site: &Site<'_>) -> Term {
        let ty = match (&self.implicit_input, port.scheme) {
            (Some(known), _) => known.ty.clone(),
            (None, Some(scheme)) => input_type(scheme),
            (None, None) => port.ty.clone(),
        };
        let up = self.frames.len() - 1;
        let Some(Frame::Params(params)) = self.frames.first_mut() else {
            return Term::unknown(site.span);
        };
        let idx = params.len() - 1;
        params[idx].ty = ty.clone();
        let name_span = site.name_span;
        self.implicit_input.get_or_insert_with(|| Input {
            name: "input".into(),
            doc: format!("The input of `{}`.", site.name),
            ty: ty.clone(),
            default: None,
            span: name_span,
        });
        var_term(Var { up, idx }, ty, site.name_span)
    }

    /// Reports a value that does not fit its port, naming both ends. Returns whether the call is
    /// meant for each item of the incoming list.
    pub(super) fn misfit(
        &mut self,
        port: &Port,
        given: &Given<'_>,
        site: &Site<'_>,
        wanted: &str,
    ) -> bool {
        let (name, ty) = (&site.name, &given.term.ty);
        let problem = match &given.from {
            Some(giver) => {
                let message = format!("`{name}` expects {wanted}, found {ty}");
                Problem::error(Code::E203, site.name_span, message)
                    .label(format!("expects {wanted} for `{}`", port.name))
                    .also(giver.span, format!("this is {ty}"))
            }
            None => {
                let message = format!("`{}` of `{name}` expects {wanted}, found {ty}", port.name);
                Problem::error(Code::E204, given.term.span, message)
                    .label(format!("this is {ty}"))
                    .also(site.name_span, format!("expects {wanted} for `{}`", port.name))
            }
        };
        let bindings = Bindings::default();
        let gap = Gap {
            from: ty,
            wanted: match port.scheme {
                Some(scheme) => Wanted::Scheme(scheme, &bindings),
                None => Wanted::Type(&port.ty),
            },
            shown: wanted,
            port: &port.name,
        };
        let to_json = self.json_help(ty, &port.ty);
        let advice = null_help(ty, &port.ty).or(to_json).map(Advice::from);
        let asking = || asking_way(&self.registry, ty, &port.ty).map(Advice::from);
        let problem = problem
            .help(advice.or_else(asking).unwrap_or_else(|| way_to(port, name, &given.term.ty)));
        if given.from.is_none() {
            let (problem, is_literal) = self.as_literal(problem.clone(), &given.term, &port.ty);
            if is_literal {
                self.report(problem);
                return false;
            }
        }
        if let Some(name) = self.text_meant_as_path(given, wanted) {
            let end = Span::new(name.end, name.end);
            let help = "declare it as a path: it then starts from the folder of the script";
            self.report(problem.help(help).fix(end, ": path"));
            return false;
        }
        let is_of_items = given.from.is_some() && gap.is_of_items();
        let is_json = !is_of_items && self.json_help(ty, &port.ty).is_some();
        let problem = match given.from {
            Some(_) if is_json && !self.is_alternative(site.span) => {
                let start = Span::new(site.span.start, site.span.start);
                problem.suggest(start, "to_json >> parse_json >> ")
            }
            Some(_) => self.before_stage(problem, &gap, &Stage { name, span: site.span }),
            None => self.around_value(problem, &gap, &given.term),
        };
        self.report(problem);
        is_of_items
    }

    /// The `let` of a string that is used as a path. A step that turns it into one would mean another
    /// folder: that of the caller.
    fn text_meant_as_path(&self, given: &Given<'_>, wanted: &str) -> Option<Span> {
        let used = given.from.as_ref().map_or(given.term.span, |it| it.span);
        let text = self.source.text();
        let name = text.get(used.range()).filter(|_| wanted == "path")?;
        // It is used as a string, too.
        let is_it = |it: &Token| it.kind == TokenKind::Word && &text[it.span.range()] == name;
        if lex(text).tokens.iter().filter(|it| is_it(it)).count() > 2 {
            return None;
        }
        let place = self.frames.iter().rev().find_map(|it| match it {
            Frame::Lets { names, bound, .. } => bound.get(name).and_then(|idx| names.get(*idx)),
            _ => None,
        });
        place.filter(|it| it.is_plain_text).map(|it| it.span)
    }

    /// Checks the arguments of an invalid call, for their own problems.
    pub(super) fn args_alone(&mut self, args: Option<&Args>) {
        for arg in args.map_or(&[][..], |it| &it.list) {
            if !self.may_be_a_flow(&arg.value) {
                self.expr(&arg.value, None);
            }
        }
    }
}

/// The only op that makes one plain type from another, but asks for more than the value.
fn asking_way(registry: &Registry, from: &Type, to: &Type) -> Option<String> {
    let is_plain = |it: &Type| it.is_moment() || it.is_number() || it.is_unit();
    if !is_plain(from) || !is_plain(to) {
        return None;
    }
    let ops = registry.components().iter().flat_map(|it| it.ops.iter().map(|op| (*it, op)));
    let mut asking = ops.filter(|(_, op)| {
        let takes = op.input().is_some_and(|it| it.scheme.plain() == *from);
        takes && op.yields.plain() == *to && op.is_inline() && op.is_pure()
    });
    let (component, op) = asking.next().filter(|_| asking.next().is_none())?;
    let more: Vec<String> = op
        .params
        .iter()
        .filter(|it| !it.is_input && it.default.is_none())
        .map(|it| format!("{}: ..", it.name))
        .collect();
    let name = OpRef { component, op }.script_name();
    (!more.is_empty()).then(|| format!("`{name}({})` turns {from} into {to}", more.join(", ")))
}

/// Help for a value that does not fit a port and that no step converts.
fn way_to(port: &Port, name: &str, from: &Type) -> Advice {
    if port.ty.holds_secret() {
        return "declare it with `secret name`: no value can become a secret".into();
    }
    // A mean of amounts is an amount, and `avg` returns a number.
    if name == "avg" && matches!(from, Type::List(item, _) if item.is_unit()) {
        return "write `(sum(xs) / len(xs))` for the mean of amounts".to_owned().into();
    }
    let port = &port.name;
    if name == "rhai" {
        return format!("build the expected value with `{{ .. }}`, or change the type of `{port}`")
            .into();
    }
    Hint::new(HintId::BuildValue).with("op", name).into()
}

/// The type of the input of a script, from the port that it fills.
pub(super) fn input_type(scheme: Scheme) -> Type {
    match scheme {
        Scheme::OneOf(all) => {
            let text = all.iter().find(|it| matches!(it, Scheme::Text | Scheme::TextOf(_)));
            text.or(all.first()).map_or(Type::Json, |it| input_type(*it))
        }
        Scheme::Var(_) => Type::Json,
        Scheme::Amount(_) | Scheme::Ordered(_) => Type::FLOAT,
        Scheme::List(item, _) => Type::list(input_type(*item)),
        Scheme::Map(item) => Type::Map(input_type(*item).into()),
        Scheme::Optional(inner) => input_type(*inner).optional(),
        Scheme::Record(name, fields) => record_type(name, fields, input_type),
        other => other.plain(),
    }
}
