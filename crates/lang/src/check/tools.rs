//! Tools: flows and components of any type that an op lets a language model call.
//!
//! Each one becomes a flow from JSON to JSON. Its body tests the arguments, asks a person if the
//! tool writes, calls what the script names, and turns the result into JSON: these are ordinary
//! terms, so effects, estimates, records and bounds are those of any other call.

use std::{collections::HashSet, sync::Arc};

use svc_contract::{
    registry::{Effect, OpRef, Param, Scheme, ToolCalls, tool_type},
    value::{
        FlowType, Record, Text, ToolFacts, Type, Value,
        schema::{self, Ranges},
    },
};

use super::{
    CastReason, Checker, Input, Term, TermKind, TypedCall, TypedFlow, Var,
    call::{Site, input_type},
    pipeline::convert,
    scope::Callable,
    unify::{Arguments, Bindings},
};
use crate::{
    diag::{Code, Problem, Span},
    syntax::ast::{BinaryOp, Expr, ExprKind, Word, dotted},
};

/// The op that asks before a tool writes.
const ASK: (&str, &str) = ("approval", "approve");

/// The longest name that all providers of models accept.
const LONGEST_NAME: usize = 64;

/// The value that enters a stage.
const IT: Var = Var { up: 0, idx: 0 };

/// A param of a tool, as a model gives it.
struct Field {
    name: Text,
    doc: String,
    /// The type of the argument.
    ty: Type,
    /// The value if the model leaves it out; `None` if it must not.
    default: Option<Term>,
}

/// Why something cannot be a tool.
struct NoTool {
    why: String,
    help: &'static str,
}

impl Checker<'_> {
    /// The argument of a param for tools: a list of names.
    pub(super) fn tools(&mut self, expr: &Expr, asks: bool) -> Term {
        let ExprKind::List(items) = &expr.kind else {
            self.report(
                Problem::error(Code::E204, expr.span, "expected a list of flows and components")
                    .label("not a list of names")
                    .help("write the names in brackets: `[search, my_flow]`"),
            );
            return Term::unknown(expr.span);
        };
        let mut names = HashSet::new();
        let mut tools = Vec::with_capacity(items.len());
        for item in items {
            let Some(tool) = self.tool(item, asks) else { continue };
            if let TermKind::FlowRef(flow) = &tool.kind
                && !names.insert(name_of(&flow.name))
            {
                let message = format!("duplicate tool `{}`", flow.name);
                self.report(
                    Problem::error(Code::E210, item.span, message)
                        .label("second tool of this name")
                        .help("remove one of them, or call it in a flow of another name"),
                );
            }
            tools.push(tool);
        }
        Term::new(TermKind::List(tools), Type::list(tool_type()), expr.span)
    }

    fn tool(&mut self, item: &Expr, asks: bool) -> Option<Term> {
        let ExprKind::Name(words) = &item.kind else {
            self.report(
                Problem::error(Code::E204, item.span, "expected the name of a flow or component")
                    .label("not a name")
                    .help("define a flow and write its name: `flow f(x: A) -> B { .. }`"),
            );
            return None;
        };
        let callable = self.called(words)?;
        self.mention_callable(&callable, item.span);
        match self.as_tool(&callable, words, item.span, asks) {
            Ok(flow) => Some(Term::new(TermKind::FlowRef(Arc::new(flow)), tool_type(), item.span)),
            Err(NoTool { why, help }) => {
                let message = format!("`{}` cannot be a tool: {why}", dotted(words));
                self.report(
                    Problem::error(Code::E204, item.span, message)
                        .label("a language model cannot call this")
                        .help(help),
                );
                None
            }
        }
    }

    fn as_tool(
        &mut self,
        callable: &Callable,
        words: &[Word],
        span: Span,
        asks: bool,
    ) -> Result<TypedFlow, NoTool> {
        let name: Text = dotted(words).into();
        let (doc, fields) = match callable {
            Callable::Op(op) => (op.op.summary().to_owned(), self.fields_of_op(*op, span)?),
            _ => {
                let flow = self.flow_of_tool(callable, span)?;
                let fields = flow.params.iter().map(field_of_param);
                (flow.doc.clone(), fields.collect::<Result<_, _>>()?)
            }
        };
        let facts = ToolFacts { name: name_of(&name), doc, params: schema_of(&fields)? };
        let body = self.in_frames(Vec::new(), |this| {
            this.named_path(|this| this.body_of_tool(callable, &name, &fields, span, asks))
        })?;
        let of = FlowType { takes: Type::Json, gives: Type::Json };
        let flow = self.wrapping(name, &of, body, span);
        Ok(TypedFlow { tool: Some(Arc::new(facts)), ..flow })
    }

    /// Tests the arguments, asks, calls, and turns the result into JSON.
    fn body_of_tool(
        &mut self,
        callable: &Callable,
        name: &Text,
        fields: &[Field],
        span: Span,
        asks: bool,
    ) -> Result<Term, NoTool> {
        let args_type = Type::record(fields.iter().map(Field::as_given).collect());
        let given = Term::new(TermKind::Var(IT), Type::Json, span);
        let why = CastReason::Asked;
        let tested = TermKind::Cast { value: Box::new(given), why };
        let mut stages = vec![Term::new(tested, args_type.clone(), span)];
        let args = Term::new(TermKind::Var(IT), args_type.clone(), span);
        let called = self.call_by_fields(callable, name, fields, &args, span)?;
        if asks && writes(&called) {
            stages.push(self.asking(name, args, span)?);
        }
        if called.ty.has(&|it| matches!(it, Type::Secret | Type::Flow(_) | Type::Opaque(_))) {
            return Err(NoTool {
                why: format!("its result is {}, which a language model cannot see", called.ty),
                help: "call it in a flow that returns something else",
            });
        }
        stages.push(called);
        let it = Term::new(TermKind::Var(IT), stages[stages.len() - 1].ty.clone(), span);
        let kind = TermKind::Cast { value: Box::new(it), why: CastReason::Entering };
        stages.push(Term::new(kind, Type::Json, span));
        Ok(Term::new(TermKind::Pipeline(stages), Type::Json, span))
    }

    /// The stage that shows the arguments to a person and asks.
    fn asking(&mut self, name: &str, args: Term, span: Span) -> Result<Term, NoTool> {
        let op = self.registry.find_op(ASK.0, ASK.1).ok_or_else(|| NoTool {
            why: "it writes, and the component that asks before that is missing".to_owned(),
            help: "write `approve: false` to let it write without asking",
        })?;
        let ty = args.ty.clone();
        let question = Value::from(format!("Let the model call `{name}`?"));
        let question = Term::new(TermKind::Const(question), Type::Text, span);
        Ok(self.call_with(op, ASK.1, vec![args, question], ty, span))
    }

    /// A call with the fields of a record as arguments; others have their defaults.
    fn call_by_fields(
        &mut self,
        callable: &Callable,
        name: &Text,
        fields: &[Field],
        record: &Term,
        span: Span,
    ) -> Result<Term, NoTool> {
        let folder = self.source.folder().map(Into::into);
        let folder: Option<std::path::PathBuf> = folder;
        let given = |name: &str| {
            let field = fields.iter().find(|it| it.name.as_ref() == name)?;
            Some(field.argument(record, folder.clone(), span))
        };
        if let Callable::Op(op) = callable {
            let args =
                op.op.params.iter().map(|param| {
                    given(param.name).unwrap_or_else(|| self.default(*op, param, span))
                });
            let args: Vec<Term> = args.collect();
            let yields = yields_of(*op, &args);
            return Ok(self.call_with(*op, name, args, yields, span));
        }
        let flow = self.flow_of_tool(callable, span)?;
        let default = |it: &Input| it.default.clone().unwrap_or_else(|| Term::unknown(span));
        let args = flow.params.iter().map(|it| given(&it.name).unwrap_or_else(|| default(it)));
        let (args, yields) = (args.collect(), flow.yields.clone());
        let (name, segment) = (name.clone(), self.segment_around(name));
        Ok(Term::new(TermKind::Flow { flow, name, segment, args }, yields, span))
    }

    fn call_with(
        &mut self,
        op: OpRef,
        name: &str,
        args: Vec<Term>,
        yields: Type,
        span: Span,
    ) -> Term {
        let (segment, source) = (self.segment(name), self.source.clone());
        let name = name.into();
        let call = TypedCall { op, name, segment, args, source, wanted: None, tested: None };
        Term::new(TermKind::Call(Box::new(call)), yields, span)
    }

    fn fields_of_op(&mut self, op: OpRef, span: Span) -> Result<Vec<Field>, NoTool> {
        if let Some(feature) = op.op.lacks() {
            return Err(NoTool {
                why: format!("it needs the feature `{feature}`, which this build lacks"),
                help: "build the program with this feature",
            });
        }
        let mut fields = Vec::new();
        for param in op.op.params {
            let default = param.default.is_some().then(|| self.default(op, param, span));
            let ty = input_type(param.scheme);
            if is_given(param.scheme, &ty) {
                fields.push(Field { name: param.name.into(), doc: param.summary(), ty, default });
            } else if default.is_none() {
                return Err(not_given(param.name, &param.scheme.show()));
            }
        }
        Ok(fields)
    }

    fn flow_of_tool(&mut self, callable: &Callable, span: Span) -> Result<Arc<TypedFlow>, NoTool> {
        let because = |why: &str| NoTool {
            why: why.to_owned(),
            help: "call it in a flow with declared types, and write the name of that flow",
        };
        let flow = match callable {
            Callable::Flow(idx) => self.check_flow(*idx, span),
            Callable::Ready(flow) => Some(flow.clone()),
            Callable::Template(..) => return Err(because("it is a template")),
            Callable::Param(..) => return Err(because("it is a param")),
            Callable::Op(_) | Callable::Unknown => None,
        };
        let flow = flow.ok_or_else(|| because("it is not known"))?;
        if flow.generics.is_empty() { Ok(flow) } else { Err(because("it has type parameters")) }
    }

    /// The flow that an op calls if the call names no other one. The fields of its input are the
    /// arguments of the op of this name.
    pub(super) fn default_flow(&mut self, op: &str, param: &Param, span: Span) -> Term {
        let found = op.split_once('.').and_then(|(it, op)| self.registry.find_op(it, op));
        let (Some(op), Some((takes, gives, _))) = (found, param.scheme.flow()) else {
            return Term::unknown(span);
        };
        let of = FlowType { takes: takes.plain(), gives: gives.plain() };
        let Type::Record(record) = &of.takes else { return Term::unknown(span) };
        let fields: Vec<Field> = record.fields.iter().map(field_as_it_is).collect();
        let name: Text = op.to_string().into();
        let body = self.in_frames(Vec::new(), |this| {
            this.named_path(|this| {
                let given = Term::new(TermKind::Var(IT), of.takes.clone(), span);
                this.call_by_fields(&Callable::Op(op), &name, &fields, &given, span)
            })
        });
        let Ok(body) = body else { return Term::unknown(span) };
        let body = convert(body, &of.gives);
        let flow = self.wrapping(name, &of, body, span);
        Term::new(TermKind::FlowRef(Arc::new(flow)), Type::Flow(Arc::new(of)), span)
    }

    /// Whether a person is asked before a tool writes, by a param that must be known.
    pub(super) fn asks(
        &mut self,
        calls: ToolCalls,
        op: OpRef,
        args: &[Term],
        site: &Site<'_>,
    ) -> bool {
        let idx = op.op.params.iter().position(|it| it.name == calls.asks);
        let Some(arg) = idx.and_then(|it| args.get(it)) else { return true };
        match arg.constant() {
            Some(Value::Bool(asks)) => *asks,
            _ if arg.ty.is_unknown() => true,
            _ => {
                let message =
                    format!("expected `true` or `false` for `{}` of `{}`", calls.asks, site.name);
                self.report(
                    Problem::error(Code::E204, arg.span, message)
                        .label("known only in the run")
                        .help("the plan says who is asked, so write one of them here"),
                );
                true
            }
        }
    }
}

impl Field {
    /// The field of the record that the model gives: what has a default may be left out, and a
    /// path is a text.
    fn as_given(&self) -> (Text, Type) {
        let ty = if self.ty == Type::Path { Type::Text } else { self.ty.clone() };
        let ty = if self.default.is_some() { ty.optional() } else { ty };
        (self.name.clone(), ty)
    }

    /// The argument, from the record.
    fn argument(&self, record: &Term, folder: Option<std::path::PathBuf>, span: Span) -> Term {
        let (name, ty) = self.as_given();
        let field = TermKind::Field { base: Box::new(record.clone()), name };
        let mut value = Term::new(field, ty, span);
        if let Some(default) = &self.default
            && !self.ty.is_optional()
        {
            let (left, right) = (Box::new(value), Box::new(default.clone()));
            let either = TermKind::Binary { op: BinaryOp::Coalesce, left, right };
            value = Term::new(either, self.ty.clone(), span);
        }
        if self.ty == Type::Path {
            return Term::new(TermKind::Path { value: Box::new(value), folder }, Type::Path, span);
        }
        value
    }
}

fn field_of_param(param: &Input) -> Result<Field, NoTool> {
    if matches!(param.ty, Type::Flow(_)) || param.ty.is_beyond_json() {
        return Err(not_given(&param.name, &param.ty.to_string()));
    }
    let default = if param.is_required() {
        None
    } else {
        let null = || Term::new(TermKind::Const(Value::Null), Type::Never.optional(), param.span);
        Some(param.default.clone().unwrap_or_else(null))
    };
    let (name, doc, ty) = (param.name.clone(), param.doc.clone(), param.ty.clone());
    Ok(Field { name, doc, ty, default })
}

fn field_as_it_is((name, ty): &(Text, Type)) -> Field {
    Field { name: name.clone(), doc: String::new(), ty: ty.clone(), default: None }
}

/// Whether a model can give a value of a type.
fn is_given(scheme: Scheme, ty: &Type) -> bool {
    !scheme.takes_flows()
        && (*ty.required() == Type::Path
            || !ty.is_beyond_json() && schema::of(ty, Ranges::Described).is_ok())
}

fn not_given(param: &str, ty: &str) -> NoTool {
    NoTool {
        why: format!("its param `{param}` is {ty}, which a language model cannot give"),
        help: "call it in a flow that sets this param, and write the name of that flow",
    }
}

/// The name that a model uses.
fn name_of(name: &str) -> Text {
    let name: String =
        name.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).collect();
    name[..name.len().min(LONGEST_NAME)].into()
}

/// The JSON Schema of the arguments. Those with defaults may be left out.
fn schema_of(fields: &[Field]) -> Result<Value, NoTool> {
    let mut properties = Vec::with_capacity(fields.len());
    let mut required = Vec::new();
    for field in fields {
        let ty = if field.ty == Type::Path { &Type::Text } else { &field.ty };
        let ty = if field.default.is_some() { ty.required() } else { ty };
        let path = Type::Text.optional();
        let ty = if *ty == Type::Path.optional() { &path } else { ty };
        let schema = schema::of(ty, Ranges::Asserted)
            .map_err(|part| not_given(&field.name, &part.to_string()))?;
        properties.push((field.name.clone(), documented(schema, field.doc.trim())));
        if field.default.is_none() {
            required.push(Value::from(field.name.clone()));
        }
    }
    let whole: [(Text, Value); 4] = [
        ("type".into(), "object".into()),
        ("properties".into(), Value::Record(properties.into_iter().collect())),
        ("required".into(), required.into()),
        ("additionalProperties".into(), false.into()),
    ];
    Ok(Value::Record(whole.into_iter().collect()))
}

fn documented(schema: Value, doc: &str) -> Value {
    let Value::Record(of) = &schema else { return schema };
    if doc.is_empty() {
        return schema;
    }
    // What the schema says by itself, such as the form of a duration, comes last.
    let own = of.get("description").and_then(Value::as_str);
    let text = own.map_or_else(|| doc.to_owned(), |own| format!("{doc} Given as {own}."));
    let kept = of.iter().filter(|(name, _)| name.as_ref() != "description");
    let all = kept.map(|(name, it)| (name.clone(), it.clone()));
    Value::Record(all.chain([(Text::from("description"), text.into())]).collect::<Record>())
}

/// The type of the result of an op with these arguments.
fn yields_of(op: OpRef, args: &[Term]) -> Type {
    let mut bindings = Bindings::default();
    for (param, arg) in op.op.params.iter().zip(args) {
        bindings.bind(param.scheme, &arg.ty);
    }
    bindings.apply(*op.op.yields, &Arguments { op: op.op, terms: args })
}

/// Whether running a term writes or runs a program.
fn writes(term: &Term) -> bool {
    fn look(term: &Term, seen: &mut HashSet<*const TypedFlow>) -> bool {
        let own = match &term.kind {
            TermKind::Call(call) => {
                let writes = |it: &Effect| matches!(it, Effect::Writes { .. } | Effect::Runs(_));
                call.op.op.effects.iter().any(writes)
            }
            TermKind::Flow { flow, .. } | TermKind::FlowRef(flow) => {
                seen.insert(Arc::as_ptr(flow)) && look(&flow.body, seen)
            }
            _ => false,
        };
        let mut found = own;
        term.each_part(&mut |it| {
            found = found || stacker::maybe_grow(64 << 10, 1 << 20, || look(it, seen));
        });
        found
    }
    look(term, &mut HashSet::new())
}
