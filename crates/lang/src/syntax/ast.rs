//! The syntax tree of a script: what is written, with its places. It holds nothing that
//! depends on other files or on the registry.

use svc_contract::value::{Text, Value};

use crate::diag::Span;

/// A whole script.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub edition: Option<Edition>,
    pub items: Vec<Item>,
    pub main: Option<Pipeline>,
}

/// `svc 1 within { .. }`
#[derive(Clone, Debug)]
pub struct Edition {
    pub number: i64,
    pub bounds: Option<Within>,
    pub span: Span,
}

/// A declaration, and the `##` lines above it.
#[derive(Clone, Debug)]
pub struct Item {
    pub doc: String,
    pub kind: ItemKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ItemKind {
    Param {
        name: Word,
        ty: TypeExpr,
        default: Option<Expr>,
    },
    Type {
        name: Word,
        ty: TypeExpr,
    },
    Flow(Flow),
    Let(Let),
    Secret {
        name: Word,
    },
    Use(Use),
    Mock(Mock),
    Test(Test),
    /// A declaration that could not be read, but whose name could.
    Broken {
        name: Word,
    },
}

#[derive(Clone, Debug)]
pub struct Flow {
    pub name: Word,
    /// The type parameters: `T` in `flow first_of<T>(items: [T]) -> T?`.
    pub generics: Vec<Word>,
    pub params: Vec<FlowParam>,
    pub yields: TypeExpr,
    pub bounds: Option<Within>,
    pub body: Block,
}

#[derive(Clone, Debug)]
pub struct FlowParam {
    pub name: Word,
    pub ty: TypeExpr,
    pub default: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Let {
    pub name: Word,
    pub ty: Option<TypeExpr>,
    pub value: Pipeline,
    pub span: Span,
}

/// `use "file" as name`
#[derive(Clone, Debug)]
pub struct Use {
    /// The file as written; its place includes the quotes.
    pub file: Word,
    pub name: Word,
}

/// `mock component<Type>(arg: value) = value`
#[derive(Clone, Debug)]
pub struct Mock {
    pub target: Vec<Word>,
    /// Only calls that ask for this type.
    pub type_arg: Option<TypeExpr>,
    /// Only calls with these arguments.
    pub args: Option<Args>,
    pub value: Expr,
    pub span: Span,
}

/// `test "name" { .. }`
#[derive(Clone, Debug)]
pub struct Test {
    pub name: Word,
    pub mocks: Vec<Mock>,
    pub lets: Vec<Let>,
    pub expects: Vec<Expr>,
    pub span: Span,
}

/// A word as written.
#[derive(Clone, Debug)]
pub struct Word {
    pub text: Text,
    pub span: Span,
}

/// Some `let`s, then one pipeline.
#[derive(Clone, Debug)]
pub struct Block {
    pub lets: Vec<Let>,
    pub result: Pipeline,
    pub span: Span,
}

/// Stages joined by `>>`; there is at least one.
#[derive(Clone, Debug)]
pub struct Pipeline {
    pub stages: Vec<Stage>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Stage {
    pub kind: StageKind,
    pub mods: Vec<Mod>,
    /// The stage with its modifiers.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StageKind {
    /// A value, a component with or without arguments, a selection, a group.
    Expr(Expr),
    Parallel(Vec<Branch>),
    Race(Vec<Branch>),
    Each {
        optional: bool,
        body: Block,
    },
    Where(Box<Pipeline>),
    Sort(Box<Pipeline>),
    Group(Box<Pipeline>),
    If(Box<If>),
    Match(Box<Match>),
    Repeat(Box<Repeat>),
    Rhai(Box<Rhai>),
    /// Something that could not be parsed; the problem was reported.
    Broken,
}

/// A modifier after a stage, which binds to that stage alone.
#[derive(Clone, Debug)]
pub enum Mod {
    Within(Within),
    Fallback { kind: StageKind, span: Span },
}

/// `rhai(x: T, ..) -> U { .. }`
#[derive(Clone, Debug)]
pub struct Rhai {
    /// The word `rhai`.
    pub word: Span,
    /// The first takes the incoming value, the others take their defaults.
    pub params: Vec<FlowParam>,
    pub yields: TypeExpr,
    /// The code between the braces.
    pub code: Span,
}

#[derive(Clone, Debug)]
pub struct Branch {
    pub name: Word,
    /// The `?`, if there is one.
    pub optional: Option<Span>,
    pub value: Pipeline,
}

#[derive(Clone, Debug)]
pub struct If {
    pub condition: Expr,
    pub then: Block,
    pub otherwise: Otherwise,
    pub span: Span,
}

/// `match value { pattern | pattern => pipeline, .. }`
#[derive(Clone, Debug)]
pub struct Match {
    pub value: Expr,
    pub arms: Vec<Arm>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Arm {
    pub patterns: Vec<Pattern>,
    pub value: Pipeline,
}

#[derive(Clone, Debug)]
pub enum Pattern {
    Literal(Expr),
    /// `_`
    Any(Span),
}

/// `repeat 3 { body } until condition else { otherwise }`
#[derive(Clone, Debug)]
pub struct Repeat {
    pub turns: u32,
    pub body: Block,
    pub until: Expr,
    pub otherwise: Option<Block>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Otherwise {
    Block(Block),
    If(Box<If>),
    /// There is none; the problem was reported.
    Missing,
}

#[derive(Clone, Debug)]
pub struct Within {
    pub bounds: Vec<Bound>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Bound {
    pub key: Word,
    pub value: Expr,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Literal(Value),
    /// A string with `${..}` inside.
    Text(Vec<Piece>),
    List(Vec<Expr>),
    Record(Vec<Entry>),
    /// Keys with their values: `{ [key]: value }`.
    Map(Vec<(Expr, Expr)>),
    It,
    /// A name without arguments: `hits`, `it` excepted, `text.upper`, `found.web`.
    Name(Vec<Word>),
    Call(Box<Call>),
    Field {
        base: Box<Expr>,
        name: Word,
        optional: bool,
    },
    Index {
        base: Box<Expr>,
        index: Box<Expr>,
    },
    Binary {
        op: BinaryOp,
        op_span: Span,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Cast {
        value: Box<Expr>,
        ty: TypeExpr,
    },
    /// `( pipeline )`
    Group(Box<Pipeline>),
    /// `?`, `?name`, `?name: T`, `?name: A -> B`
    Hole(Box<Hole>),
    Broken,
}

/// A stage or value that is not written yet.
#[derive(Clone, Debug, Default)]
pub struct Hole {
    /// Its name, without the `?`.
    pub name: Option<Text>,
    /// The type of its input, if it is declared as a stage.
    pub takes: Option<TypeExpr>,
    /// The type of its value or result.
    pub gives: Option<TypeExpr>,
}

/// A name with arguments, a type argument, or both.
#[derive(Clone, Debug)]
pub struct Call {
    pub name: Vec<Word>,
    pub type_arg: Option<TypeExpr>,
    pub args: Option<Args>,
}

#[derive(Clone, Debug)]
pub struct Args {
    pub list: Vec<Arg>,
    /// With the parentheses.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Arg {
    pub name: Option<Word>,
    pub value: Expr,
}

#[derive(Clone, Debug)]
pub enum Piece {
    Text(Text),
    Value { expr: Expr, decimals: Option<usize> },
}

#[derive(Clone, Debug)]
pub enum Entry {
    Field { name: Word, value: Expr },
    Spread(Expr),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Coalesce,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl BinaryOp {
    pub const ALL: &'static [(Self, &'static str)] = &[
        (Self::Or, "or"),
        (Self::And, "and"),
        (Self::Equal, "=="),
        (Self::Unequal, "!="),
        (Self::Less, "<"),
        (Self::LessEqual, "<="),
        (Self::Greater, ">"),
        (Self::GreaterEqual, ">="),
        (Self::Coalesce, "??"),
        (Self::Add, "+"),
        (Self::Subtract, "-"),
        (Self::Multiply, "*"),
        (Self::Divide, "/"),
        (Self::Remainder, "%"),
    ];

    pub fn sign(self) -> &'static str {
        Self::ALL.iter().find(|(op, _)| *op == self).map_or("", |(_, sign)| sign)
    }

    pub fn parse(sign: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, it)| *it == sign).map(|(op, _)| *op)
    }

    pub fn is_equality(self) -> bool {
        matches!(self, Self::Equal | Self::Unequal)
    }

    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Equal
                | Self::Unequal
                | Self::Less
                | Self::LessEqual
                | Self::Greater
                | Self::GreaterEqual
        )
    }
}

#[derive(Clone, Debug)]
pub struct TypeExpr {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    Name(Word),
    List(Box<TypeExpr>, Option<u64>),
    Record(Vec<(Word, TypeExpr)>),
    Enum(Vec<Text>),
    /// A number type with its range, as written.
    Range(Box<TypeExpr>, f64, f64),
    Optional(Box<TypeExpr>),
    Secret(Box<TypeExpr>),
    /// The types of its input and its result.
    Flow(Box<TypeExpr>, Box<TypeExpr>),
    /// The type of its values.
    Map(Box<TypeExpr>),
    /// What the component of this name has learnt.
    Model(Word),
    /// Something that could not be parsed, or does not exist yet; the problem was reported.
    Broken,
}

impl Pattern {
    pub fn span(&self) -> Span {
        match self {
            Self::Literal(expr) => expr.span,
            Self::Any(span) => *span,
        }
    }
}

impl Expr {
    pub fn broken(span: Span) -> Self {
        Self { kind: ExprKind::Broken, span }
    }
}

/// The words of a dotted name, joined.
pub fn dotted(name: &[Word]) -> String {
    name.iter().map(|it| it.text.as_ref()).collect::<Vec<_>>().join(".")
}

/// The place of a dotted name.
pub fn name_span(name: &[Word]) -> Span {
    match name {
        [first, .., last] => first.span.to(last.span),
        [only] => only.span,
        [] => Span::default(),
    }
}

/// Whether a flow or a type of this name cannot be used by other files.
pub fn is_private(name: &str) -> bool {
    name.starts_with('_')
}
