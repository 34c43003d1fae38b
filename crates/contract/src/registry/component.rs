//! The component contract: what a component says of itself, and how its ops are called.

use std::pin::Pin;

use super::{
    Cx, Effect, ErrorKind, Limits, Measure, OpError, Param, Params, Price, Scheme, Scope, Takes,
};
use crate::value::Value;

/// An entry of the registry.
#[derive(Debug)]
pub struct Component {
    /// The name that stands in plans, keys and journals, in lower snake case.
    pub name: &'static str,
    /// The group that it is listed in.
    pub cluster: &'static str,
    /// One line for lists.
    pub summary: &'static str,
    /// Goes up whenever an op gives another result for the same arguments.
    pub version: u32,
    /// Short names for scripts: what each stands for is an op of this component.
    pub aliases: &'static [(&'static str, &'static str)],
    /// The ops. A bare name calls `infer`, where there is one.
    pub ops: &'static [OpDef],
}

/// One operation of a component, as constant data.
#[derive(Debug)]
pub struct OpDef {
    pub name: &'static str,
    pub doc: &'static str,
    pub params: &'static [Param],
    pub yields: Scheme,
    pub generic: Generic,
    pub effects: &'static [Effect],
    pub price: Price,
    pub errors: &'static [ErrorKind],
    pub limits: Limits,
    /// The most bytes of the result, written out.
    pub output: Measure,
    pub takes: Takes,
    pub examples: &'static [Example],
    pub body: Body,
}

/// What `name<T>(..)` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generic {
    /// Nothing: the op takes no type.
    No,
    /// The result, which is `json`, is tested to be a `T`.
    Tested,
    /// The op is told `T` and gives one. `T` is a type that JSON Schema can say.
    Asked,
}

/// The result of an op that waits, to come.
pub type Waiting = Pin<Box<dyn Future<Output = Result<Value, OpError>> + Send>>;

/// How an op is called. Arguments come in the order of the parameters.
#[derive(Clone, Copy)]
pub enum Body {
    /// Cheap and pure: runs at once where the caller is.
    Inline(fn(&mut [Value]) -> Result<Value, OpError>),
    /// Works for a while: runs on a thread of its own.
    Compute(fn(&Cx, &mut [Value]) -> Result<Value, OpError>),
    /// Waits for others.
    Io(fn(Cx, Vec<Value>) -> Waiting),
}

/// A script that shows what an op does, and is tested to do it.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    pub title: &'static str,
    pub script: &'static str,
    /// The result as JSON, or a part of the message.
    pub yields: Result<&'static str, &'static str>,
    /// The files that the script finds.
    pub files: &'static [(&'static str, &'static str)],
    /// The environment variables that are set.
    pub env: &'static [(&'static str, &'static str)],
    /// What comes back from the network, one body a request.
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

    /// The same with files, each a path and its content.
    #[must_use]
    pub const fn with(self, files: &'static [(&'static str, &'static str)]) -> Self {
        Self { files, ..self }
    }

    /// The same where `env` is set and the network gives `answers`.
    #[must_use]
    pub const fn answered(
        self,
        env: &'static [(&'static str, &'static str)],
        answers: &'static [&'static str],
    ) -> Self {
        Self { env, answers, ..self }
    }
}

/// What an op says of itself. It *is* the struct of its parameters.
pub trait Op: Params + Send + 'static {
    const NAME: &'static str;
    const YIELDS: Scheme;
    const GENERIC: Generic = Generic::No;
    const EFFECTS: &'static [Effect] = &[];
    const PRICE: Price = Price::Free;
    /// The kinds it can fail with, beside `invalid_input` and `cancelled`.
    const ERRORS: &'static [ErrorKind] = &[];
    const LIMITS: Limits = Limits::DEFAULT;
    /// A call that gives more than this has broken its word.
    const OUTPUT: Measure = Measure::Unknown;
    const TAKES: Takes = Takes::Unsaid;
    const EXAMPLES: &'static [Example];
}

/// An op that is pure and takes some microseconds at most.
pub trait Inline: Op {
    fn run(self) -> Result<Value, OpError>;
}

/// An op that works for a while, without waiting for anybody.
pub trait Compute: Op {
    fn run(self, cx: &Cx) -> Result<Value, OpError>;
}

/// An op that waits for others.
pub trait Io: Op {
    fn run(self, cx: &Cx) -> impl Future<Output = Result<Value, OpError>> + Send;
}

/// The row of an inline op.
pub const fn inline<O: Inline>() -> OpDef {
    def::<O>(Body::Inline(|args| O::decode(args)?.run()))
}

/// The row of an op that computes.
pub const fn compute<O: Compute>() -> OpDef {
    def::<O>(Body::Compute(|cx, args| O::decode(args)?.run(cx)))
}

/// The row of an op that waits.
pub const fn io<O: Io>() -> OpDef {
    def::<O>(Body::Io(|cx, mut args| Box::pin(async move { O::decode(&mut args)?.run(&cx).await })))
}

const fn def<O: Op>(body: Body) -> OpDef {
    OpDef {
        name: O::NAME,
        doc: O::DOC,
        params: O::PARAMS,
        yields: O::YIELDS,
        generic: O::GENERIC,
        effects: O::EFFECTS,
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

impl OpDef {
    /// The parameter that the incoming value fills.
    pub fn input(&self) -> Option<&'static Param> {
        self.params.iter().find(|it| it.is_input)
    }

    pub fn is_inline(&self) -> bool {
        matches!(self.body, Body::Inline(_))
    }

    /// Whether it is handed flows, which it calls.
    pub fn takes_flows(&self) -> bool {
        self.params.iter().any(|it| it.scheme.flow().is_some())
    }

    /// Whether what it gives may be as large as what it is given.
    pub fn makes_as_much(&self) -> bool {
        matches!(self.yields, Scheme::Text | Scheme::List(..))
    }

    pub fn is_pure(&self) -> bool {
        self.effects.is_empty()
    }

    /// Whether the op changes the world.
    pub fn writes(&self) -> bool {
        self.effects.iter().any(|it| matches!(it, Effect::Writes { .. }))
    }

    /// Whether the op writes something that a second try would write again.
    pub fn writes_once(&self) -> bool {
        self.effects.iter().any(|it| matches!(it, Effect::Writes { idempotent: false, .. }))
    }

    /// Whether it reads or writes files that its arguments name.
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

    /// The documentation without the space that a doc comment has before each line.
    pub fn text(&self) -> String {
        let lines = self.doc.trim().lines().map(|it| it.strip_prefix(' ').unwrap_or(it));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// `inline`, `compute` or `io`.
    pub fn cost_class(&self) -> &'static str {
        match self.body {
            Body::Inline(_) => "inline",
            Body::Compute(_) => "compute",
            Body::Io(_) => "io",
        }
    }
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Inline(_) => "Inline",
            Self::Compute(_) => "Compute",
            Self::Io(_) => "Io",
        })
    }
}
