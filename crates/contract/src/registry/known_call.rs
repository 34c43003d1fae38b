//! What a check can say of a call before it runs, for ops whose arguments decide more than a signature
//! can: the columns of a table.

use svc_columns::TableError;

use super::Param;
use crate::value::{Text, Type, Value};

/// Finds the mistakes of a call, and the type of its result; `None` if it is the declared one.
pub type CheckCall = fn(&KnownCall<'_>) -> Result<Option<Type>, Box<Misuse>>;

/// A call, as far as it is known before the run.
pub struct KnownCall<'a> {
    params: &'static [Param],
    args: &'a [(&'a Type, Option<Value>)],
}

impl<'a> KnownCall<'a> {
    /// `args` has the type of each argument, and its value if that is written out.
    pub fn new(params: &'static [Param], args: &'a [(&'a Type, Option<Value>)]) -> Self {
        Self { params, args }
    }

    fn arg(&self, name: &str) -> Option<&'a (&'a Type, Option<Value>)> {
        self.args.get(self.params.iter().position(|it| it.name == name)?)
    }

    /// The type of the argument with a name.
    pub fn ty(&self, name: &str) -> Option<&'a Type> {
        self.arg(name).map(|(ty, _)| *ty)
    }

    /// The argument with a name, if it is written out.
    pub fn value(&self, name: &str) -> Option<&'a Value> {
        self.arg(name)?.1.as_ref()
    }
}

/// A mistake in an argument, which the run would find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misuse {
    pub param: &'static str,
    /// Where it is in the argument.
    pub part: Part,
    pub message: String,
    pub help: Option<String>,
    /// A name that is unknown, and those that are known.
    pub unknown: Option<(Text, Vec<Text>)>,
}

impl Misuse {
    /// An argument names a column that the table has not.
    pub fn no_column(param: &'static str, part: Part, name: &Text, known: &[Text]) -> Self {
        let TableError { message, help, .. } = TableError::missing(name, known);
        let unknown = Some((name.clone(), known.to_vec()));
        Self { param, part, message, help, unknown }
    }
}

/// A part of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Whole,
    /// The field of a record.
    Field(Text),
    /// The item of a list with this index.
    Item(usize),
}
