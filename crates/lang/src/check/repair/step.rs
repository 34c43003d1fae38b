//! One step of a fix: its effect on a value, and its text.

use svc_contract::{
    registry::{OpRef, Scheme},
    value::{Text, Type},
};

/// The failure message for a null where a value is required.
const NO_VALUE: &str = "missing value";

/// A conversion of a value to another type.
#[derive(Clone, Debug)]
pub(in crate::check) enum Step {
    /// An op that needs nothing but its input.
    Op(OpRef),
    /// An op that bounds a list, its argument, and the most items.
    Bound(OpRef, &'static str, u64),
    /// `parse_json<T>`
    Typed(OpRef, Type),
    /// `.name`
    Field(Text),
    /// `[it]`
    Wrap,
    /// `it ?? fail(..)`, with the name of the op that fails.
    Require(String),
    /// `it ?? []`
    OrEmpty,
    /// `it as T`
    Test(Type),
    /// The same for every item.
    Each(Box<Self>),
}

impl Step {
    /// The step written as a stage.
    pub(in crate::check) fn stage(&self) -> String {
        match self {
            Self::Op(op) => op.script_name(),
            Self::Bound(op, name, most) => format!("{}({name}: {most})", op.script_name()),
            Self::Typed(op, ty) => match ty.to_string() {
                name if is_name(&name) => format!("{}<{name}>", op.script_name()),
                other => format!("{}<{other}>()", op.script_name()),
            },
            Self::Field(name) => format!(".{name}"),
            Self::Wrap => "[it]".to_owned(),
            Self::Each(inner) => format!("each {{ {} }}", inner.stage()),
            Self::Require(_) | Self::OrEmpty | Self::Test(_) => self.applied("it"),
        }
    }

    /// The step written as an expression on a value, which contains no operators.
    fn applied(&self, value: &str) -> String {
        match self {
            Self::Op(op) if op.op.is_inline() => format!("{}({value})", op.script_name()),
            Self::Typed(op, ty) if op.op.is_inline() => {
                format!("{}<{ty}>({value})", op.script_name())
            }
            Self::Field(name) => format!("{value}.{name}"),
            Self::Wrap => format!("[{value}]"),
            Self::Require(fail) => format!("({value} ?? {fail}(\"{NO_VALUE}\"))"),
            Self::OrEmpty => format!("({value} ?? [])"),
            Self::Test(ty) => format!("({value} as {ty})"),
            _ => format!("({value} >> {})", self.stage()),
        }
    }

    /// Whether the value keeps its meaning: a test of its type, or a string used as a path. All
    /// other steps change the value, or fail where the author may have meant something else.
    pub(super) fn is_faithful(&self) -> bool {
        match self {
            Self::Test(_) => true,
            Self::Op(op) => matches!(*op.op.yields, Scheme::Path),
            Self::Each(inner) => inner.is_faithful(),
            _ => false,
        }
    }

    /// Whether it can be written around a value, without `>>`.
    fn is_expression(&self) -> bool {
        match self {
            Self::Op(op) | Self::Typed(op, _) => op.op.is_inline(),
            Self::Bound(..) | Self::Each(_) => false,
            _ => true,
        }
    }

    /// Describes the step, for a help line.
    pub(super) fn described(&self, from: &Type, to: &str) -> String {
        match self {
            Self::Op(_) | Self::Typed(..) => {
                format!("`{}` turns {from} into {to}", self.stage())
            }
            Self::Bound(..) => "limit the list".to_owned(),
            Self::Field(name) => format!("take its field `{name}`"),
            Self::Wrap => "put it in a list".to_owned(),
            Self::Require(_) => "add a value for null with `??`, or fail in that case".to_owned(),
            Self::OrEmpty => "replace null with an empty list".to_owned(),
            Self::Test(_) => "test its type".to_owned(),
            Self::Each(_) => "convert every item".to_owned(),
        }
    }

    /// The name that a definition of the script could shadow.
    pub(super) fn word(&self) -> Option<String> {
        match self {
            Self::Op(op) | Self::Bound(op, ..) | Self::Typed(op, _) => Some(op.script_name()),
            Self::Require(fail) => Some(fail.clone()),
            Self::Each(inner) => inner.word(),
            _ => None,
        }
    }
}

/// Whether a type is written as one word, which needs no `()` after its `<>`.
fn is_name(ty: &str) -> bool {
    ty.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | '.'))
}

/// Steps as stages, joined.
pub(in crate::check) fn stages(steps: &[Step]) -> String {
    let all: Vec<String> = steps.iter().map(Step::stage).collect();
    all.join(" >> ")
}

/// Steps around a value inside an expression.
pub(super) fn around(steps: &[Step], value: &str, is_simple: bool) -> String {
    if is_simple && steps.iter().all(Step::is_expression) {
        return steps.iter().fold(value.to_owned(), |value, step| step.applied(&value));
    }
    format!("({value} >> {})", stages(steps))
}
