//! The component contract: the declarations of a component, and how its ops are called.

use std::pin::Pin;

use super::{
    Bias, CheckCall, Cx, DecideEffects, Deferred, Effect, ErrorKind, InlineCx, Limits, Max,
    Measure, OpError, Param, Params, Price, Scheme, Scope, Takes, Tool,
};
use crate::value::Value;

/// An entry of the registry.
#[derive(Debug)]
pub struct Component {
    /// The name in plans, keys and journals, in lower snake case.
    pub name: &'static str,
    /// The group in lists of components.
    pub cluster: &'static str,
    /// One line for lists.
    pub summary: &'static str,
    /// Incremented whenever an op returns another result for the same arguments.
    pub version: u32,
    /// How it works, and what it takes for granted.
    pub bias: Bias,
    /// Short names for scripts; each refers to an op of this component.
    pub aliases: &'static [(&'static str, &'static str)],
    /// The ops. A bare name calls `infer`, if there is one.
    pub ops: &'static [OpDef],
}

/// One operation of a component, as constant data.
#[derive(Clone, Debug)]
pub struct OpDef {
    pub name: &'static str,
    /// What identifies its implementation in the records of runs.
    pub version: Version,
    pub doc: &'static str,
    /// Phrasings in which users ask for it.
    pub says: &'static [&'static str],
    /// Its public name outside of scripts, if it has one.
    pub tool: Option<Tool>,
    pub params: Deferred<&'static [Param]>,
    pub yields: Deferred<Scheme>,
    pub generic: Generic,
    pub effects: &'static [Effect],
    /// The effects of a call, if its arguments decide them.
    pub decide: Option<DecideEffects>,
    /// Finds more in a call than its types do, before the run.
    pub check: Option<CheckCall>,
    pub price: Price,
    pub errors: &'static [ErrorKind],
    pub limits: Limits,
    /// The maximum size of the result in bytes, written out.
    pub output: Measure,
    pub takes: Takes,
    pub examples: &'static [Example],
    pub body: Body,
}

/// What identifies the implementation of an op in the records of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// The version of its component.
    OfComponent,
    /// The version of a closure: results of other runs with the same version can be reused.
    Own(u32),
    /// A closure without a version: results are never reused by another run.
    Unknown,
}

/// The meaning of `name<T>(..)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generic {
    /// The op takes no type argument.
    No,
    /// The result, which is `json`, is checked to be a `T`.
    Tested,
    /// The op receives `T` and returns one. `T` must be expressible in JSON Schema.
    Asked,
    /// The op receives `T` and reads one from text.
    Read,
    /// The op receives `T`, a record type or `json`, and reads a list of it from text.
    Rows,
    /// The op receives `T` and returns records, or a list of them, whose field of this name is a
    /// `T`; without a `T` it is `json`.
    Field(&'static str),
}

impl Generic {
    /// Whether the type of `name<T>(..)` as a whole follows from `T`.
    pub fn is_whole(self) -> bool {
        !matches!(self, Self::No | Self::Field(_))
    }
}

/// The future result of an I/O op.
pub type BoxFuture = Pin<Box<dyn Future<Output = Result<Value, OpError>> + Send>>;

/// The implementation of an op. Arguments come in the order of the parameters.
#[derive(Clone, Copy)]
pub enum Body {
    /// Cheap and pure: runs at once in the caller.
    Inline(fn(&mut [Value]) -> Result<Value, OpError>),
    /// The same with access to the services of the embedding program. It is never called before
    /// the run.
    InlineWith(fn(&InlineCx, &mut [Value]) -> Result<Value, OpError>),
    /// Computes for a while: runs on its own thread.
    Compute(fn(&Cx, &mut [Value]) -> Result<Value, OpError>),
    /// Waits for I/O.
    Io(fn(Cx, Vec<Value>) -> BoxFuture),
    /// This build lacks the feature of this name, so the op cannot be called.
    Lacks(&'static str),
}

/// A script that shows the use of an op; it is run as a test.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    pub title: &'static str,
    pub script: &'static str,
    /// The result as JSON, or a part of the error message.
    pub yields: Result<&'static str, &'static str>,
    /// The files that the script can read.
    pub files: &'static [(&'static str, &'static str)],
    /// The environment variables for the script.
    pub env: &'static [(&'static str, &'static str)],
    /// The responses of the network, one body per request.
    pub answers: &'static [&'static str],
}

impl Example {
    /// A script and its result as JSON.
    pub const fn ok(title: &'static str, script: &'static str, yields: &'static str) -> Self {
        Self { title, script, yields: Ok(yields), files: &[], env: &[], answers: &[] }
    }

    /// A script and a part of the message it fails with.
    pub const fn err(title: &'static str, script: &'static str, message: &'static str) -> Self {
        Self { title, script, yields: Err(message), files: &[], env: &[], answers: &[] }
    }

    /// Adds files, each with its path and content.
    #[must_use]
    pub const fn with(self, files: &'static [(&'static str, &'static str)]) -> Self {
        Self { files, ..self }
    }

    /// Sets environment variables and the responses of the network.
    #[must_use]
    pub const fn answered(
        self,
        env: &'static [(&'static str, &'static str)],
        answers: &'static [&'static str],
    ) -> Self {
        Self { env, answers, ..self }
    }
}

/// The declaration of an op. It *is* the struct of its parameters.
pub trait Op: Params + Send + 'static {
    const NAME: &'static str;
    /// Three to eight phrasings in which users ask for it, in their own words.
    const SAYS: &'static [&'static str];
    /// Its public name outside of scripts.
    const TOOL: Option<Tool> = None;
    const YIELDS: Scheme;
    const GENERIC: Generic = Generic::No;
    const EFFECTS: &'static [Effect] = &[];
    /// The effects of a call, if its arguments decide them: some of [`Op::EFFECTS`].
    const DECIDE: Option<DecideEffects> = None;
    /// Finds mistakes of a call that its types do not show, and the type of its result.
    const CHECK: Option<CheckCall> = None;
    const PRICE: Price = Price::Free;
    /// The error kinds it can fail with, besides `invalid_input` and `cancelled`.
    const ERRORS: &'static [ErrorKind] = &[];
    const LIMITS: Limits = Limits::DEFAULT;
    /// The maximum size of the result; a larger result is a bug of the op.
    const OUTPUT: Measure = Measure::Unknown;
    const TAKES: Takes = Takes::Unsaid;
    const EXAMPLES: &'static [Example];
}

/// An op that is pure and takes a few microseconds at most.
pub trait Inline: Op {
    fn run(self) -> Result<Value, OpError>;
}

/// An op that is cheap like an [`Inline`] op, and uses services that the embedding program lends.
pub trait InlineWith: Op {
    fn run(self, cx: &InlineCx) -> Result<Value, OpError>;
}

/// An op that computes for a while, without waiting for I/O.
pub trait Compute: Op {
    fn run(self, cx: &Cx) -> Result<Value, OpError>;
}

/// An op that waits for I/O.
pub trait Io: Op {
    fn run(self, cx: &Cx) -> impl Future<Output = Result<Value, OpError>> + Send;
}

/// The definition of an inline op.
pub const fn inline<O: Inline>() -> OpDef {
    def::<O>(Body::Inline(|args| O::decode(args)?.run()))
}

/// The definition of an inline op that uses lent services.
pub const fn inline_with<O: InlineWith>() -> OpDef {
    #[cfg(svc_declarations)]
    return declared::inline_with::<O>();
    #[cfg(not(svc_declarations))]
    def::<O>(Body::InlineWith(|cx, args| O::decode(args)?.run(cx)))
}

/// The definition of a computing op.
pub const fn compute<O: Compute>() -> OpDef {
    #[cfg(svc_declarations)]
    return declared::compute::<O>();
    #[cfg(not(svc_declarations))]
    def::<O>(Body::Compute(|cx, args| O::decode(args)?.run(cx)))
}

/// The definition of an I/O op.
pub const fn io<O: Io>() -> OpDef {
    #[cfg(svc_declarations)]
    return declared::io::<O>();
    #[cfg(not(svc_declarations))]
    def::<O>(Body::Io(|cx, mut args| Box::pin(async move { O::decode(&mut args)?.run(&cx).await })))
}

/// Ops without their bodies, in a program that checks scripts and runs none, as in a browser: it is
/// built with `--cfg svc_declarations`. Inline ops keep their bodies, which the checker calls.
#[cfg(svc_declarations)]
pub mod declared {
    use super::{Body, Op, OpDef, OpError, def};
    use crate::registry::ErrorKind;

    fn refused() -> OpError {
        OpError::new(ErrorKind::Unsupported, "this program checks scripts, and runs none")
    }

    pub const fn inline<O: Op>() -> OpDef {
        def::<O>(Body::Inline(|_| Err(refused())))
    }

    pub const fn inline_with<O: Op>() -> OpDef {
        def::<O>(Body::InlineWith(|_, _| Err(refused())))
    }

    pub const fn compute<O: Op>() -> OpDef {
        def::<O>(Body::Compute(|_, _| Err(refused())))
    }

    pub const fn io<O: Op>() -> OpDef {
        def::<O>(Body::Io(|_, _| Box::pin(std::future::ready(Err(refused())))))
    }
}

/// The definition of an op whose body needs a feature that this build lacks; see
/// [`needs!`](crate::needs).
pub const fn lacking<O: Op>(feature: &'static str) -> OpDef {
    def::<O>(Body::Lacks(feature))
}

/// Defines an op whose body needs a feature of its crate: `needs!("media", compute::<Infer>())`.
///
/// The declaration of the op is compiled always, so that scripts are checked against it, and the
/// error for a call names the feature. Only its body, the implementation of [`Inline`],
/// [`Compute`] or [`Io`], is `#[cfg(feature = "media")]`.
#[macro_export]
macro_rules! needs {
    ($feature:literal, $kind:ident::<$op:ty>()) => {{
        #[cfg(feature = $feature)]
        {
            $crate::registry::$kind::<$op>()
        }
        #[cfg(not(feature = $feature))]
        {
            $crate::without_body!($feature, $kind, $op)
        }
    }};
}

/// The op of [`needs!`](crate::needs) without the feature.
#[cfg(not(svc_declarations))]
#[doc(hidden)]
#[macro_export]
macro_rules! without_body {
    ($feature:literal, $kind:ident, $op:ty) => {
        $crate::registry::lacking::<$op>($feature)
    };
}

/// The op of [`needs!`](crate::needs) without the feature: no body is called anyway.
#[cfg(svc_declarations)]
#[doc(hidden)]
#[macro_export]
macro_rules! without_body {
    ($feature:literal, $kind:ident, $op:ty) => {
        $crate::registry::declared::$kind::<$op>()
    };
}

const fn def<O: Op>(body: Body) -> OpDef {
    OpDef {
        name: O::NAME,
        version: Version::OfComponent,
        doc: O::DOC,
        says: O::SAYS,
        tool: O::TOOL,
        params: Deferred::Is(O::PARAMS),
        yields: Deferred::Is(O::YIELDS),
        generic: O::GENERIC,
        effects: O::EFFECTS,
        decide: O::DECIDE,
        check: O::CHECK,
        price: O::PRICE,
        errors: O::ERRORS,
        limits: O::LIMITS,
        output: O::OUTPUT,
        takes: O::TAKES,
        examples: O::EXAMPLES,
        body,
    }
}

impl Component {
    pub fn op(&self, name: &str) -> Option<&OpDef> {
        self.ops.iter().find(|it| it.name == name)
    }
}

impl Component {
    /// Whether it learns models.
    pub fn learns(&self) -> bool {
        self.op("learn").is_some_and(|it| matches!(*it.yields, Scheme::Model(_)))
    }
}

impl OpDef {
    /// The parameter for the input of a stage.
    pub fn input(&self) -> Option<&'static Param> {
        self.params.iter().find(|it| it.is_input)
    }

    /// Whether an argument may be a model.
    pub fn takes_model(&self) -> bool {
        self.params.iter().any(|it| it.scheme.has_model())
    }

    /// Whether the result is or contains a model.
    pub fn yields_model(&self) -> bool {
        self.yields.has_model()
    }

    /// The feature that the op needs and this build lacks.
    pub fn lacks(&self) -> Option<&'static str> {
        match self.body {
            Body::Lacks(feature) => Some(feature),
            _ => None,
        }
    }

    pub fn is_inline(&self) -> bool {
        matches!(self.body, Body::Inline(_) | Body::InlineWith(_))
    }

    /// Whether the version of a pure op and its arguments determine its result.
    pub fn is_repeatable(&self) -> bool {
        match self.version {
            Version::OfComponent => !matches!(self.body, Body::InlineWith(_)),
            Version::Own(_) => true,
            Version::Unknown => false,
        }
    }

    /// Whether it takes flows, which it calls.
    pub fn takes_flows(&self) -> bool {
        self.params.iter().any(|it| it.scheme.takes_flows())
    }

    /// Whether it keeps flows, which the program calls later.
    pub fn keeps_flows(&self) -> bool {
        self.params.iter().any(|it| matches!(it.scheme.flow(), Some((_, _, Max::Never))))
    }

    /// Whether the result may be as large as the arguments.
    pub fn makes_as_much(&self) -> bool {
        matches!(*self.yields, Scheme::Text | Scheme::List(..))
    }

    pub fn is_pure(&self) -> bool {
        self.effects.is_empty()
    }

    /// Whether the op changes the world.
    pub fn writes(&self) -> bool {
        self.effects.iter().any(|it| matches!(it, Effect::Writes { .. } | Effect::Runs(_)))
    }

    /// Whether the op does something that a second attempt would do again, unless its arguments
    /// decide that ([`OpDef::call_writes_once`]).
    pub fn writes_once(&self) -> bool {
        let is_once =
            |it: &Effect| matches!(it, Effect::Writes { idempotent: false, .. } | Effect::Runs(_));
        self.effects.iter().any(is_once)
    }

    /// Whether it reads or writes files named by its arguments.
    pub fn touches_paths(&self) -> bool {
        self.effects.iter().any(|it| {
            matches!(
                it,
                Effect::Reads(Scope::Path(_)) | Effect::Writes { scope: Scope::Path(_), .. }
            )
        })
    }

    /// The first paragraph of the documentation.
    pub fn summary(&self) -> &'static str {
        self.doc.split("\n\n").next().unwrap_or_default().trim()
    }

    /// The documentation without the space before each line of a doc comment.
    pub fn text(&self) -> String {
        let lines = self.doc.trim().lines().map(|it| it.strip_prefix(' ').unwrap_or(it));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// `inline`, `compute` or `io`.
    pub fn cost_class(&self) -> &'static str {
        match self.body {
            Body::Inline(_) | Body::InlineWith(_) => "inline",
            Body::Compute(_) => "compute",
            Body::Io(_) => "io",
            Body::Lacks(_) => "none",
        }
    }
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Inline(_) => "Inline",
            Self::InlineWith(_) => "InlineWith",
            Self::Compute(_) => "Compute",
            Self::Io(_) => "Io",
            Self::Lacks(_) => "Lacks",
        })
    }
}
