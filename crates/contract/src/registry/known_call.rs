//! What a check can say of a call before it runs, for ops whose arguments decide more than a signature
//! can: the columns of a table.

use svc_columns::TableError;

use super::{Field, OpError, Param};
use crate::value::{Text, Type, Value};

/// The type of the result of a call, `None` if it is the declared one; or a mistake of the call.
pub type Foreseen = Result<Option<Type>, Box<Misuse>>;

/// Finds the mistakes of a call, and the type of its result.
pub type CheckCall = fn(&KnownCall<'_>) -> Foreseen;

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

    /// Does with an argument what the run does first, if it is written out.
    pub fn test<T: Field, R>(
        &self,
        name: &'static str,
        test: impl FnOnce(T) -> Result<R, OpError>,
    ) -> Foreseen {
        let given = self.value(name).and_then(|it| T::decode(it.clone()));
        match given.map(test) {
            Some(Err(why)) => Err(Box::new(Misuse::of(name, why))),
            _ => Ok(None),
        }
    }

    /// Like [`Self::test`], with another argument that decides what is right.
    pub fn test_with<T: Field, W: Field, R>(
        &self,
        name: &'static str,
        with: &'static str,
        test: impl FnOnce(T, W) -> Result<R, OpError>,
    ) -> Foreseen {
        let with = self.value(with).and_then(|it| W::decode(it.clone()));
        with.map_or(Ok(None), |with| self.test(name, |it: T| test(it, with)))
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
    /// What the run would say of an argument.
    pub fn of(param: &'static str, why: OpError) -> Self {
        let OpError { message, help, .. } = why;
        Self { param, part: Part::Whole, message, help, unknown: None }
    }

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
