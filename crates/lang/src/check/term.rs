//! The typed tree: a script with all names resolved.
//!
//! It has no names: a variable is a number of frames up and an index in that frame, an op is
//! the op itself, and arguments are in the order of their parameters.

use std::{path::PathBuf, sync::Arc};

use svc_contract::{
    registry::OpRef,
    value::{FlowRef, Text, ToolFacts, Type, Value},
};

use super::CalledFlow;
use crate::{
    diag::{Report, Source, Span},
    script::InlineScript,
    syntax::ast::BinaryOp,
};

/// A checked script, ready to run.
#[derive(Clone, Debug)]
pub struct Checked {
    pub source: Source,
    /// The inputs of the script.
    pub inputs: Vec<Input>,
    pub flows: Vec<Arc<TypedFlow>>,
    /// The files that it uses, directly or indirectly.
    pub used: Vec<Source>,
    /// The expanded calls of templates in the script itself.
    pub expanded: Vec<Expansion>,
    /// The main pipeline; its frame holds the inputs.
    pub main: Option<Term>,
    /// The flow that the main pipeline calls, if a program made it for this call.
    pub called: Option<CalledFlow>,
    /// The mocks for all tests.
    pub mocks: Vec<TypedMock>,
    pub tests: Vec<TypedTest>,
    /// Warnings only.
    pub warnings: Report,
}

/// A call of a template, and its expansion.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The call, with its arguments.
    pub span: Span,
    /// The arguments that are passed on to the flow: its input and flows, each with the name to
    /// write before it.
    pub kept: Vec<(Option<Text>, Span)>,
    /// The type argument, which is passed on as well.
    pub type_arg: Option<Span>,
    /// The file of the template.
    pub file: Source,
    /// The declarations of the types in its file.
    pub types: Text,
    /// The text of the flow that it builds.
    pub flow: Text,
    pub text: Text,
}

/// One input of a script: a `param`, a `secret`, or the `input` of a script that begins with a stage.
#[derive(Clone, Debug)]
pub struct Input {
    pub name: Text,
    pub doc: String,
    pub ty: Type,
    pub default: Option<Term>,
    pub span: Span,
}

impl Input {
    /// Whether it has no default.
    pub fn is_required(&self) -> bool {
        self.default.is_none() && !self.ty.is_optional()
    }

    /// Whether it is a flow.
    pub(super) fn is_flow(&self) -> bool {
        matches!(self.ty, Type::Flow(_))
    }

    /// Whether the host provides it, not the caller.
    pub fn is_secret(&self) -> bool {
        matches!(self.ty, Type::Secret)
    }
}

#[derive(Clone, Debug)]
pub struct TypedFlow {
    pub name: Text,
    /// The type parameters. A flow that has some is called as an instance, whose types are known.
    pub generics: Box<[Text]>,
    /// The generic flow of which it is an instance.
    pub origin: Option<Origin>,
    pub doc: String,
    /// The file of its definition, and the place of its name there.
    pub source: Source,
    pub span: Span,
    /// The parameters; the first takes the incoming value.
    pub params: Vec<Input>,
    pub yields: Type,
    /// The body; its frame holds the parameters.
    pub body: Term,
    /// Whether running it changes the world, costs money, or asks a person.
    pub acts: bool,
    /// What a language model needs to know to call it, if it is a tool.
    pub tool: Option<Arc<ToolFacts>>,
}

impl TypedFlow {
    /// The flow as the value of an argument.
    pub fn as_value(self: &Arc<Self>) -> Value {
        Value::Flow(match &self.tool {
            Some(facts) => FlowRef::tool(self.name.clone(), self.clone(), facts.clone()),
            None => FlowRef::new(self.name.clone(), self.clone()),
        })
    }
}

/// A generic flow, and a type for each of its type parameters.
#[derive(Clone, Debug)]
pub struct Origin {
    pub flow: Arc<TypedFlow>,
    pub types: Box<[Type]>,
}

/// A mock of a component in tests: `mock ask<Route>(model: "fast") = "billing"`.
#[derive(Clone, Debug)]
pub struct TypedMock {
    pub op: OpRef,
    /// The mock only applies to calls that ask for this type.
    pub wanted: Option<Type>,
    /// The mock only applies to calls with these arguments, each with the index of its parameter.
    pub args: Vec<(usize, Term)>,
    /// The value; if computing it fails, the call fails. It and the arguments see the lets of the
    /// test.
    pub value: Term,
    pub span: Span,
}

/// `test "name" { .. }`
#[derive(Clone, Debug)]
pub struct TypedTest {
    pub name: Text,
    pub span: Span,
    pub mocks: Vec<TypedMock>,
    /// The lets that the mocks use, directly or not; none of them waits.
    pub mock_needs: Vec<usize>,
    /// The lets; their frame is inside one that holds `run`.
    pub lets: Vec<TypedLet>,
    /// The conditions; they see the lets and `run`.
    pub expects: Vec<Term>,
}

/// One typed piece of a script.
#[derive(Clone, Debug)]
pub struct Term {
    pub kind: TermKind,
    pub ty: Type,
    pub span: Span,
    /// Whether it calls a component that is not inline.
    pub waits: bool,
}

/// A variable: a number of frames up, then an index in that frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Var {
    pub up: usize,
    pub idx: usize,
}

#[derive(Clone, Debug)]
pub enum TermKind {
    Const(Value),
    Var(Var),
    /// The first term is evaluated in the frame of the pipeline; each further one in a new frame
    /// that holds the value of the previous one.
    Pipeline(Vec<Term>),
    Call(Box<TypedCall>),
    Flow {
        flow: Arc<TypedFlow>,
        name: Text,
        /// Its segment in the paths of nodes.
        segment: Text,
        args: Vec<Term>,
    },
    /// A flow or component passed as an argument.
    FlowRef(Arc<TypedFlow>),
    /// A call of a flow passed as an argument.
    CallRef {
        callee: Box<Term>,
        name: Text,
        segment: Text,
        input: Box<Term>,
    },
    /// Inline code with a value for each of its parameters.
    Rhai {
        inline_script: Arc<InlineScript>,
        segment: Text,
        args: Vec<Term>,
    },
    Block(Box<TypedBlock>),
    Parallel {
        names: Arc<[Text]>,
        branches: Vec<TypedBranch>,
    },
    /// The value of the first branch that succeeds.
    Race {
        segment: Text,
        branches: Vec<TypedBranch>,
    },
    /// The body has a frame for the item.
    Each {
        segment: Text,
        input: Box<Term>,
        optional: bool,
        /// The number of `within`s on the stage itself. An `each?` meets their caps.
        bounds: usize,
        body: Box<Term>,
    },
    /// The key has a frame for the item.
    Shape {
        segment: Text,
        input: Box<Term>,
        shape: Shape,
        key: Box<Term>,
    },
    If {
        /// The segments of the arms in the paths of nodes.
        segments: (Text, Text),
        condition: Box<Term>,
        then: Box<Term>,
        otherwise: Box<Term>,
    },
    Match {
        value: Box<Term>,
        arms: Vec<TypedArm>,
    },
    /// Every part but the input has a frame for the current value.
    Repeat(Box<TypedRepeat>),
    Record(Vec<TypedEntry>),
    List(Vec<Term>),
    Text(Vec<TypedPiece>),
    Field {
        base: Box<Term>,
        name: Text,
    },
    Index {
        base: Box<Term>,
        index: Box<Term>,
    },
    Binary {
        op: BinaryOp,
        left: Box<Term>,
        right: Box<Term>,
    },
    Not(Box<Term>),
    Negate(Box<Term>),
    /// Tests and converts a value at run time.
    Cast {
        value: Box<Term>,
        why: CastReason,
    },
    /// Converts text built from values to a path.
    Path {
        value: Box<Term>,
        folder: Option<PathBuf>,
    },
    Within {
        /// Its segment in the paths, which identifies its spending.
        segment: Text,
        bounds: Vec<(BoundKey, Term)>,
        body: Box<Term>,
    },
    /// Tries alternatives in order until one succeeds. Each after the first has a frame for the
    /// error of the previous one.
    Fallback {
        segment: Text,
        tries: Vec<Term>,
    },
}

/// The reason for testing a value, which decides the kind of the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastReason {
    /// `x as T`, `parse_json<T>`: a value from outside may be anything.
    Asked,
    /// `request<T>`: what another program or server answered may be anything.
    Answered,
    /// The conversion of a value to a range, or of an int to a float.
    Entering,
}

/// A call of a component.
#[derive(Clone, Debug)]
pub struct TypedCall {
    pub op: OpRef,
    /// The name used in the script.
    pub name: Text,
    /// Its segment in the paths of nodes: the name, with a number if it is repeated.
    pub segment: Text,
    /// The arguments in the order of the parameters, with defaults filled in.
    pub args: Vec<Term>,
    /// The file of the call.
    pub source: Source,
    /// The type passed to an op of `Generic::Asked`.
    pub wanted: Option<Type>,
    /// The type of which the result of an op of `Generic::Tested` is tested to be.
    pub tested: Option<Type>,
}

/// Some named values, then a result. The frame of the block holds the values.
#[derive(Clone, Debug)]
pub struct TypedBlock {
    pub lets: Vec<TypedLet>,
    pub result: Term,
    /// The lets used by the result.
    pub needs: Vec<usize>,
}

#[derive(Clone, Debug)]
pub struct TypedLet {
    pub name: Text,
    /// Its segment in the paths of nodes: the name, with a number if it is repeated.
    pub segment: Text,
    pub value: Term,
    /// The lets of the same block used by this one.
    pub needs: Vec<usize>,
    /// Whether it is skipped, because it is unused and has no effect.
    pub skipped: bool,
}

#[derive(Clone, Debug)]
pub struct TypedBranch {
    pub name: Text,
    /// Its segment in the paths of nodes: the name, with a number if it is repeated.
    pub segment: Text,
    pub optional: bool,
    pub body: Term,
}

#[derive(Clone, Debug)]
pub struct TypedArm {
    /// Its segment in the paths of nodes.
    pub segment: Text,
    /// The values that it matches; an empty list matches every value.
    pub patterns: Vec<Value>,
    pub body: Term,
}

#[derive(Clone, Debug)]
pub struct TypedRepeat {
    pub segment: Text,
    pub input: Term,
    pub turns: u32,
    pub body: Term,
    pub until: Term,
    /// The `else` branch, which receives the last value when the turns are used up.
    pub otherwise: Option<Term>,
}

impl TypedRepeat {
    /// The segment of `else` in the paths of nodes, after that of the turns.
    pub const ELSE: &'static str = "?else";
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Where,
    Sort,
    Group,
}

#[derive(Clone, Debug)]
pub enum TypedEntry {
    Field(Text, Term),
    /// Named fields of another record.
    Spread(Term, Vec<Text>),
}

impl TypedEntry {
    pub fn term(&self) -> &Term {
        match self {
            Self::Field(_, term) | Self::Spread(term, _) => term,
        }
    }

    /// The name of a single field.
    pub fn name(&self) -> Option<&Text> {
        match self {
            Self::Field(name, _) => Some(name),
            Self::Spread(..) => None,
        }
    }
}

#[derive(Clone, Debug)]
pub enum TypedPiece {
    Text(Text),
    Value(Term, Option<usize>),
}

/// The key of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BoundKey {
    MaxCost,
    MaxTokens,
    Timeout,
    AttemptTimeout,
    MaxRetries,
    RetryOn,
    MaxParallel,
    MaxAge,
    MaxMemory,
}

impl BoundKey {
    pub const ALL: &'static [Self] = &[
        Self::MaxCost,
        Self::MaxTokens,
        Self::Timeout,
        Self::AttemptTimeout,
        Self::MaxRetries,
        Self::RetryOn,
        Self::MaxParallel,
        Self::MaxAge,
        Self::MaxMemory,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::MaxCost => "max_cost",
            Self::MaxTokens => "max_tokens",
            Self::Timeout => "timeout",
            Self::AttemptTimeout => "attempt_timeout",
            Self::MaxRetries => "max_retries",
            Self::RetryOn => "retry_on",
            Self::MaxParallel => "max_parallel",
            Self::MaxAge => "max_age",
            Self::MaxMemory => "max_memory",
        }
    }
}

impl Shape {
    pub fn word(self) -> &'static str {
        match self {
            Self::Where => "where",
            Self::Sort => "sort",
            Self::Group => "group",
        }
    }
}

impl TermKind {
    /// Whether the term never returns because it needs an operand that never returns. Terms that
    /// only hold values (records, lists, branches) have parts of type never instead.
    fn never_comes(&self) -> bool {
        let never = |it: &Term| it.ty == Type::Never;
        match self {
            Self::Pipeline(terms) => terms.iter().any(never),
            Self::Call(call) => call.args.iter().any(never),
            Self::Flow { args, .. } | Self::Rhai { args, .. } => args.iter().any(never),
            Self::Record(entries) => {
                entries.iter().any(|it| matches!(it, TypedEntry::Spread(term, _) if never(term)))
            }
            Self::Text(pieces) => {
                pieces.iter().any(|it| matches!(it, TypedPiece::Value(term, _) if never(term)))
            }
            Self::Index { base, index } => never(base) || never(index),
            Self::Binary {
                op: BinaryOp::Or | BinaryOp::And | BinaryOp::Coalesce, left, ..
            } => never(left),
            Self::Binary { left, right, .. } => never(left) || never(right),
            Self::Repeat(repeat) => never(&repeat.input),
            Self::If { condition: part, .. }
            | Self::Match { value: part, .. }
            | Self::CallRef { input: part, .. }
            | Self::Each { input: part, .. }
            | Self::Shape { input: part, .. }
            | Self::Field { base: part, .. }
            | Self::Not(part)
            | Self::Negate(part)
            | Self::Cast { value: part, .. }
            | Self::Path { value: part, .. }
            | Self::Within { body: part, .. } => never(part),
            _ => false,
        }
    }
}

impl Term {
    /// A term with a problem that was reported.
    pub fn unknown(span: Span) -> Self {
        Self { kind: TermKind::Const(Value::Null), ty: Type::Unknown, span, waits: false }
    }

    /// A term that waits if one of its parts does, and never returns if it needs the value of a
    /// part that never returns.
    pub fn new(kind: TermKind, ty: Type, span: Span) -> Self {
        let ty = if kind.never_comes() { Type::Never } else { ty };
        let mut term = Self { kind, ty, span, waits: false };
        let mut waits = match &term.kind {
            TermKind::Call(it) => !it.op.op.is_inline(),
            TermKind::Flow { flow, .. } => flow.body.waits,
            TermKind::CallRef { .. } | TermKind::Rhai { .. } => true,
            _ => false,
        };
        term.each_part(&mut |it| waits |= it.waits);
        term.waits = waits;
        term
    }

    /// Counts a `within` around it, if it is an `each`.
    pub(super) fn count_bounds(&mut self) {
        match &mut self.kind {
            TermKind::Each { bounds, .. } => *bounds += 1,
            TermKind::Within { body, .. } => body.count_bounds(),
            _ => {}
        }
    }

    /// The same term with another type.
    #[must_use]
    pub fn of_type(self, ty: Type) -> Self {
        Self { ty, ..self }
    }

    /// The value, if it is known before the run.
    pub fn constant(&self) -> Option<&Value> {
        match &self.kind {
            TermKind::Const(value) if !self.ty.is_unknown() => Some(value),
            _ => None,
        }
    }

    /// The segment of the first part that waits, in the level of paths of the term.
    pub fn first_waiting(&self) -> Option<&Text> {
        if !self.waits {
            return None;
        }
        match &self.kind {
            TermKind::Call(call) if !call.op.op.is_inline() => Some(&call.segment),
            TermKind::Flow { flow, segment, .. } if flow.body.waits => Some(segment),
            TermKind::CallRef { segment, .. } | TermKind::Rhai { segment, .. } => Some(segment),
            TermKind::Each { segment, input, .. } if !input.waits => Some(segment),
            TermKind::Repeat(repeat) if !repeat.input.waits => Some(&repeat.segment),
            TermKind::If { segments, .. } => Some(&segments.0),
            TermKind::Match { arms, .. } => arms.first().map(|it| &it.segment),
            TermKind::Parallel { branches, .. } => branches.first().map(|it| &it.name),
            TermKind::Race { segment, .. } => Some(segment),
            TermKind::Block(block) => {
                let first = block.lets.iter().find(|it| it.value.waits && !it.skipped);
                first.map(|it| &it.name).or_else(|| block.result.first_waiting())
            }
            _ => {
                let mut first = None;
                self.each_part(&mut |it| first = first.take().or_else(|| it.first_waiting()));
                first
            }
        }
    }
}
