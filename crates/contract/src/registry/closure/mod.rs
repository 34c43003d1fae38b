//! Ops made at run time, from closures that capture state.
//!
//! An op has two parts. Its declaration is constant data, as for all ops: it is leaked, once for
//! each distinct declaration of the process, so an engine that reloads the same ops needs no
//! further memory. Its closure belongs to the engine, and is dropped with it.

mod declared;
mod effects;
mod handler;
mod names;
mod ready;
mod signature;
mod stored;

use std::{sync::Arc, time::Duration};

pub use handler::{Arguments, Closure, Outcome, WithCx};
pub use ready::{OpCode, ReadyComponent, called_io};
pub use signature::OpSignature;
pub(super) use stored::Closures;

use super::{
    Body, BoxFuture, Cx, Deferred, Effect, ErrorKind, Generic, InlineCx, Limits, Max, Measure,
    OpDef, OpError, Param, Price, Scheme, Takes, Version,
};
use crate::value::Value;

/// An op made from a closure, to be added with `Engine::with_ops`.
#[derive(Debug)]
pub struct ClosureOp {
    component: String,
    name: String,
    aliases: Vec<String>,
    doc: String,
    effects: Vec<Effect>,
    /// Everything else of its declaration.
    def: OpDef,
    params: Vec<Param>,
    /// The number of the first parameters that have no names of their own.
    unnamed: usize,
    /// How often it calls its flows, by parameter.
    calls: Vec<(&'static str, Max)>,
    code: Code,
    /// The first mistake in its declaration.
    mistake: Option<OpError>,
}

/// A closure without its types.
#[derive(Clone)]
enum Code {
    Inline(Run<InlineCx, Result<Value, OpError>>),
    Compute(Run<Cx, Result<Value, OpError>>),
    Io(Run<Cx, BoxFuture>),
}

type Run<C, R> = Arc<dyn Fn(C, &[Param], &mut [Value]) -> R + Send + Sync>;

/// Makes an op of a closure that computes: it runs on its own thread.
///
/// `name` is the name of the op, `crm.score`, or of a component with this single op, `score`. The
/// closure takes nothing, the input, or the input and a struct of named parameters, declared with
/// [`params!`](crate::params); and before these, if it needs one, a [`Cx`]. It returns a value,
/// `()` for null, or a `Result` with an error that converts to [`OpError`].
pub fn op<F, M>(name: &str, run: F) -> ClosureOp
where
    F: Closure<Cx, M, Output: Outcome>,
{
    let code = move |cx: Cx, params: &[Param], args: &mut [Value]| {
        run.call(cx, F::Args::decode(params, args)?).result()
    };
    ClosureOp::new::<F::Args, F::Output>(
        name,
        Body::Compute(stored::compute),
        Code::Compute(Arc::new(code)),
    )
}

/// Makes an op of an async closure, which waits for I/O. Its arguments are those of [`op`], and after
/// the input a [`Flow`](super::Flow), if it calls one.
pub fn io_op<F, M>(name: &str, run: F) -> ClosureOp
where
    F: Closure<Cx, M, Output: Future<Output: Outcome> + Send + 'static>,
{
    let code = move |cx: Cx, params: &[Param], args: &mut [Value]| -> BoxFuture {
        match F::Args::decode(params, args) {
            Ok(args) => {
                let ended = run.call(cx, args);
                Box::pin(async move { ended.await.result() })
            }
            Err(err) => Box::pin(std::future::ready(Err(err))),
        }
    };
    ClosureOp::new::<F::Args, <F::Output as Future>::Output>(
        name,
        Body::Io(stored::io),
        Code::Io(Arc::new(code)),
    )
}

/// Makes an op of a closure that takes a few microseconds at most and has no effects: it runs in
/// place. Its arguments are those of [`op`], with an [`InlineCx`] instead of a [`Cx`].
pub fn inline_op<F, M>(name: &str, run: F) -> ClosureOp
where
    F: Closure<InlineCx, M, Output: Outcome>,
{
    let code = move |cx: InlineCx, params: &[Param], args: &mut [Value]| {
        run.call(cx, F::Args::decode(params, args)?).result()
    };
    ClosureOp::new::<F::Args, F::Output>(
        name,
        Body::InlineWith(stored::inline),
        Code::Inline(Arc::new(code)),
    )
}

impl ClosureOp {
    fn new<A: Arguments, R: Outcome>(name: &str, body: Body, code: Code) -> Self {
        let op = Self::of(name, A::params(), R::SCHEME, body, code);
        Self { unnamed: A::UNNAMED, ..op }
    }

    fn of(name: &str, params: Vec<Param>, yields: Scheme, body: Body, code: Code) -> Self {
        let (component, op) = name.split_once('.').unwrap_or((name, "infer"));
        Self {
            component: component.to_owned(),
            name: op.to_owned(),
            aliases: Vec::new(),
            doc: format!("Calls `{name}` of the program."),
            effects: Vec::new(),
            def: OpDef {
                name: "",
                version: Version::Unknown,
                doc: "",
                says: &[],
                tool: None,
                params: Deferred::Is(&[]),
                yields: Deferred::Is(yields),
                generic: Generic::No,
                effects: &[],
                decide: None,
                check: None,
                price: Price::Free,
                errors: ErrorKind::RAISED,
                limits: Limits::DEFAULT,
                output: Measure::Unknown,
                takes: Takes::Unsaid,
                examples: &[],
                body,
            },
            params,
            unnamed: 0,
            calls: Vec::new(),
            code,
            mistake: None,
        }
    }

    /// Sets the documentation; its first paragraph is the summary.
    #[must_use]
    pub fn doc(self, doc: &str) -> Self {
        Self { doc: doc.to_owned(), ..self }
    }

    /// Adds a short name for scripts.
    #[must_use]
    pub fn alias(mut self, alias: &str) -> Self {
        self.aliases.push(alias.to_owned());
        self
    }

    /// Names the parameters of the closure, the input first, which is `input` otherwise; a flow after
    /// the input is `flow` otherwise. A struct of parameters has names of its own.
    #[must_use]
    pub fn params<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> Self {
        let names: Vec<&str> = names.into_iter().collect();
        if names.len() > self.unnamed {
            let (given, limit) = (names.len(), self.unnamed);
            let message = format!("too many names of parameters: {given} (limit {limit})");
            let help = "name the input, and a flow after it; `params!` names the others";
            self.mistaken(OpError::invalid_input(message).help(help));
        }
        for (param, name) in self.params.iter_mut().zip(names) {
            param.name = names::kept(name);
        }
        self
    }

    /// Sets how often a call of the op calls its flow `param`: a number, the name of the argument
    /// that limits it, or another [`Max`]. Otherwise it is once for each item of the input, if that
    /// is a list, and not known if it is another value.
    ///
    /// The estimate counts on it, and a call beyond it is an error.
    #[must_use]
    pub fn calls(mut self, param: &'static str, most: impl Into<Max>) -> Self {
        self.calls.push((param, most.into()));
        self
    }

    /// Adds an [`Effect`], or an effect as text: `reads crm`, `writes mail`, `writes mail on
    /// every attempt`, `reads fs:<source>` with the parameter that names the path, `reads
    /// web:<url>`, `runs cmd:<program>`, `spends` or `asks`. A write is idempotent unless it is
    /// *on every attempt*.
    #[must_use]
    pub fn effect<E: TryInto<Effect, Error: Into<OpError>>>(mut self, effect: E) -> Self {
        match effect.try_into() {
            Ok(effect) => self.effects.push(effect),
            Err(err) => self.mistaken(err.into()),
        }
        self
    }

    /// Sets the version of the closure: to be changed whenever the op returns another result for
    /// the same arguments, because of its code, of the state that it captures, or of the services
    /// that it uses. Only the results of an op with a version can be reused by other runs.
    #[must_use]
    pub fn version(mut self, version: u32) -> Self {
        self.def.version = Version::Own(version);
        self
    }

    /// Sets the price of a call; an op with a price has the effect `spends`.
    #[must_use]
    pub fn price(mut self, price: Price) -> Self {
        self.def.price = price;
        self
    }

    /// Sets the default limits of a call.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.def.limits = limits;
        self
    }

    /// Sets the maximum size of the written result; a larger result is a bug of the op.
    #[must_use]
    pub fn output(mut self, output: Measure) -> Self {
        self.def.output = output;
        self
    }

    /// Sets the usual duration of a call.
    #[must_use]
    pub fn takes(mut self, usual: Duration) -> Self {
        self.def.takes = Takes::Usually(usual);
        self
    }

    /// The names that it takes: of its component and of the op, and its aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let aliases = self.aliases.iter().map(String::as_str);
        [self.component.as_str(), self.name.as_str()].into_iter().chain(aliases)
    }

    fn mistaken(&mut self, err: OpError) {
        self.mistake.get_or_insert(err);
    }

    /// The name in messages: `crm.score`, or `score` for the only op of a component.
    fn shown(&self) -> String {
        let Self { component, name, .. } = self;
        if name == "infer" { component.clone() } else { format!("{component}.{name}") }
    }
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Inline(_) => "Inline",
            Self::Compute(_) => "Compute",
            Self::Io(_) => "Io",
        })
    }
}
