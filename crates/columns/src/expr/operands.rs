//! Which kinds of values operators and functions take, before there are rows.

use crate::{
    column::Kind,
    error::TableError,
    expr::{
        Binary, Expr,
        arithmetic::{no_operands, no_such_text, symbol},
        foresee::{Foreseen, Known, Of},
        functions::{no_argument, wrong_digits},
    },
    measure::no_numbers,
};

type Tested = Result<(), TableError>;

/// What calculating with two kinds gives; `None` if that depends on the values.
pub(super) fn calculated(op: Binary, a: Kind, b: Kind) -> Result<Option<Kind>, ()> {
    let is_written = |it: Kind| !matches!(it, Kind::Int | Kind::Float | Kind::Bool);
    Ok(Some(match (a, b, op) {
        (Kind::Int, Kind::Int, Binary::Divide) => Kind::Float,
        (Kind::Int, Kind::Int, _) => Kind::Int,
        (a, b, _) if a.is_number() && b.is_number() => Kind::Float,
        (Kind::Money, Kind::Money, Binary::Plus | Binary::Minus) => Kind::Money,
        (Kind::Money, Kind::Money, Binary::Divide) => Kind::Float,
        (Kind::Money, by, Binary::Times | Binary::Divide) if by.is_number() => Kind::Money,
        (by, Kind::Money, Binary::Times) if by.is_number() => Kind::Money,
        (Kind::Text, Kind::Other, Binary::Plus) | (Kind::Other, Kind::Text, Binary::Plus) => {
            return Ok(None);
        }
        (Kind::Text, other, Binary::Plus) | (other, Kind::Text, Binary::Plus)
            if is_written(other) =>
        {
            Kind::Text
        }
        _ => return Err(()),
    }))
}

impl Known<'_> {
    /// The name of the kind of values, for messages.
    fn kind_name(&self, it: &Foreseen) -> &'static str {
        let column = |name: &str| self.columns?.iter().find(|it| it.name.as_ref() == name);
        match &it.of {
            Of::Kind(kind) => kind.name(),
            Of::Column(name) => column(name).map_or("json", |it| it.kind_name),
            Of::Nothing | Of::Unknown => "json",
        }
    }

    pub(super) fn no_operands(&self, op: Binary, a: &Foreseen, b: &Foreseen) -> TableError {
        no_operands(symbol(op), self.kind_name(a), self.kind_name(b))
    }

    /// Tests that values are of a kind, if theirs is certain.
    fn test(
        &self,
        it: &Foreseen,
        fits: impl FnOnce(Kind) -> bool,
        wrong: impl FnOnce(&str) -> TableError,
    ) -> Tested {
        match self.kind(it) {
            Some(kind) if !fits(kind) => Err(wrong(self.kind_name(it))),
            _ => Ok(()),
        }
    }

    pub(super) fn test_condition(&self, it: &Foreseen) -> Tested {
        self.test(it, |kind| kind == Kind::Bool, TableError::no_condition)
    }

    pub(super) fn test_minus(&self, it: &Foreseen) -> Tested {
        let fits = |kind| matches!(kind, Kind::Int | Kind::Float | Kind::Money);
        self.test(it, fits, |found| no_operands("-", "int", found))
    }

    /// Tests a comparison of two expressions and what they give.
    pub(super) fn test_compared(
        &self,
        op: Binary,
        a: (&Expr, &Foreseen),
        b: (&Expr, &Foreseen),
    ) -> Tested {
        self.test_text(a.0, b.1)?;
        self.test_text(b.0, a.1)?;
        let (Some(x), Some(y)) = (self.kind(a.1), self.kind(b.1)) else { return Ok(()) };
        let is_written = |it| matches!(it, Kind::Money | Kind::Duration | Kind::Time | Kind::Other);
        let fits = x == y
            || (x.is_number() && y.is_number())
            || (x == Kind::Text && is_written(y))
            || (y == Kind::Text && is_written(x));
        if fits { Ok(()) } else { Err(self.no_operands(op, a.1, b.1)) }
    }

    /// Tests that a text is such a value as it is compared with.
    fn test_text(&self, text: &Expr, with: &Foreseen) -> Tested {
        let (Expr::Text(text), Of::Column(name)) = (text, &with.of) else { return Ok(()) };
        let column = self.columns.and_then(|all| all.iter().find(|it| it.name == *name));
        let Some(column) = column else { return Ok(()) };
        match column.reads {
            Some(reads) if !reads(text) => Err(no_such_text(text, column.kind_name)),
            _ => Ok(()),
        }
    }

    /// Tests the arguments of a function of one row.
    pub(super) fn test_args(&self, name: &str, exprs: &[Expr], args: &[Foreseen]) -> Tested {
        let is_text = |kind| !matches!(kind, Kind::Int | Kind::Float | Kind::Bool);
        let is_number = |kind: Kind| kind.is_number() || (name == "abs" && kind == Kind::Money);
        let expected = |wanted| move |found: &str| no_argument(wanted, name, found);
        match (name, args) {
            ("abs" | "ceil" | "floor" | "round" | "sqrt" | "ln" | "exp", [of, ..]) => {
                self.test(of, is_number, expected("a number"))?;
                let digits = exprs.get(1).filter(|_| name == "round");
                if digits.is_some_and(|it| !may_be_digits(it)) {
                    return Err(wrong_digits());
                }
                Ok(())
            }
            ("if", [test, ..]) => {
                self.test(test, |kind| kind == Kind::Bool, expected("a condition"))
            }
            ("lower" | "upper" | "trim" | "length", [of]) => {
                self.test(of, is_text, expected("a string"))
            }
            ("contains" | "starts_with" | "ends_with", [of, part]) => {
                self.test(of, is_text, expected("a string"))?;
                self.test(part, is_text, expected("a string"))
            }
            _ => Ok(()),
        }
    }

    /// Tests what is measured.
    pub(super) fn test_measured(&self, name: &str, of: &Foreseen) -> Tested {
        let fits = |kind: Kind| match name {
            "sum" | "avg" | "mean" | "running_sum" => {
                kind.is_number() || matches!(kind, Kind::Money | Kind::Duration)
            }
            "median" | "quantile" | "variance" | "stddev" | "corr" | "moving_avg" => {
                kind.is_number()
            }
            _ => true,
        };
        let name = if name == "mean" { "avg" } else { name };
        self.test(of, fits, |found| no_numbers(name, found))
    }
}

fn may_be_digits(expr: &Expr) -> bool {
    match expr {
        Expr::Int(it) => (0..=15).contains(it),
        Expr::Binary(..) | Expr::Call(..) => true,
        _ => false,
    }
}
