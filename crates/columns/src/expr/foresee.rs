//! What an expression will give, before there are rows: its mistakes, and the kind of its result.
//!
//! **Invariant:** what is said here holds for every table with these columns. An error is one that each
//! of them would cause, unless it is empty, or a part of the expression has no value in any row; a kind
//! is that of every result. Texts are texts here, also if a run without types reads them as amounts.

use crate::{
    Measure, Text, Window,
    column::Kind,
    error::TableError,
    expr::{Binary, Expr, functions, operands, share_of},
};

/// A column, as far as it is known.
#[derive(Clone, Debug)]
pub struct KnownColumn {
    pub name: Text,
    /// `None` for values that may be of several kinds, `Other` for one that has no buffer of its own.
    pub kind: Option<Kind>,
    /// The name of the kind, for messages.
    pub kind_name: &'static str,
    pub may_be_null: bool,
    /// Whether a text is such a value, for those that are written as texts.
    pub reads: Option<fn(&Text) -> bool>,
}

/// The values of an expression, as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreseen {
    pub of: Of,
    pub may_be_null: bool,
}

/// What values are of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Of {
    Kind(Kind),
    /// Values of the column with this name, whatever they are.
    Column(Text),
    /// No value at all.
    Nothing,
    Unknown,
}

/// The columns of a table, and the columns by which its rows are grouped, if the expression is a
/// measure. `columns` is `None` if the columns are unknown.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    pub columns: Option<&'a [KnownColumn]>,
    pub by: Option<&'a [Text]>,
}

/// The values that an expression will have.
///
/// # Errors
///
/// If the expression fails for every table with these columns.
pub fn foresee(expr: &Expr, known: Known<'_>) -> Result<Foreseen, TableError> {
    known.expr(expr).map(|found| known.certain(found, expr))
}

/// Tests an expression that must be true or false.
///
/// # Errors
///
/// If it fails for every table with these columns, or is not a condition.
pub fn foresee_condition(expr: &Expr, known: Known<'_>) -> Result<(), TableError> {
    let found = known.expr(expr)?;
    known.test_condition(&found)
}

/// The values that a row gets of its partition; `name` is what the function is called.
///
/// # Errors
///
/// If the expression fails for every table with these columns.
pub fn foresee_window(
    window: Window,
    name: &str,
    of: Option<&Expr>,
    known: Known<'_>,
) -> Result<Foreseen, TableError> {
    let Some(of) = of else { return Ok(kind(Kind::Int, false)) };
    let values = known.expr(of)?;
    let found = match window {
        Window::RowNumber | Window::Rank | Window::DenseRank => kind(Kind::Int, false),
        Window::Lag(_) => Foreseen { may_be_null: true, ..values },
        // Each row is in a partition, so a measure of it has a value where the column has.
        Window::RunningSum => known.measured(name, Some(Measure::Sum), values, false)?,
        Window::MovingAvg(_) => known.measured(name, None, values, false)?,
        Window::Whole(measure) => known.measured(name, Some(measure), values, false)?,
    };
    Ok(known.certain(found, of))
}

fn kind(kind: Kind, may_be_null: bool) -> Foreseen {
    Foreseen { of: Of::Kind(kind), may_be_null }
}

fn unknown() -> Foreseen {
    Foreseen { of: Of::Unknown, may_be_null: true }
}

/// Whether it is a number other than zero, by which a division always has a result.
fn is_nonzero(expr: &Expr) -> bool {
    match expr {
        Expr::Int(it) | Expr::Money(it) => *it != 0,
        Expr::Float(it) => *it != 0.0,
        _ => false,
    }
}

impl Known<'_> {
    /// What is certain of the values of an expression.
    fn certain(&self, found: Foreseen, expr: &Expr) -> Foreseen {
        let kind = self.kind(&found);
        let is_doubtful = kind.is_some_and(|it| self.may_be_other_amounts(it, expr));
        if is_doubtful { unknown() } else { found }
    }

    /// Texts are read as amounts where they are such, and amounts that come of texts are written as
    /// texts: whether a result of this kind may be either.
    fn may_be_other_amounts(&self, result: Kind, expr: &Expr) -> bool {
        let is_amount = |it: Kind| matches!(it, Kind::Money | Kind::Duration | Kind::Time);
        let kind = |name: &Text| self.columns?.iter().find(|it| it.name == *name)?.kind;
        let kinds: Vec<Option<Kind>> = expr.columns().iter().map(kind).collect();
        let has_texts = kinds.iter().any(|it| matches!(it, None | Some(Kind::Text)));
        let has_amounts = kinds.iter().any(|it| it.is_none_or(is_amount));
        has_texts && (is_amount(result) || (result == Kind::Text && has_amounts))
    }

    fn expr(&self, expr: &Expr) -> Result<Foreseen, TableError> {
        let foresee = |it: &Expr| self.expr(it);
        Ok(match expr {
            Expr::Null => Foreseen { of: Of::Nothing, may_be_null: true },
            Expr::Bool(_) => kind(Kind::Bool, false),
            Expr::Int(_) => kind(Kind::Int, false),
            Expr::Float(_) => kind(Kind::Float, false),
            Expr::Money(_) => kind(Kind::Money, false),
            Expr::Text(_) => kind(Kind::Text, false),
            Expr::Column(name) => self.column(name)?,
            Expr::Not(inner) => {
                let inner = foresee(inner)?;
                self.test_condition(&inner)?;
                kind(Kind::Bool, inner.may_be_null)
            }
            Expr::Minus(inner) => {
                let inner = foresee(inner)?;
                self.test_minus(&inner)?;
                match self.kind(&inner) {
                    Some(it @ (Kind::Int | Kind::Float | Kind::Money)) => {
                        kind(it, inner.may_be_null)
                    }
                    _ => unknown(),
                }
            }
            Expr::Binary(op, a, b) => {
                let (left, right) = (foresee(a)?, foresee(b)?);
                if op.compares() {
                    self.test_compared(*op, (a, &left), (b, &right))?;
                }
                self.binary(*op, &left, &right, is_nonzero(b))?
            }
            Expr::Call(name, args) => self.call(name, args)?,
        })
    }

    fn column(&self, name: &Text) -> Result<Foreseen, TableError> {
        let found = match self.columns {
            None => Foreseen { of: Of::Column(name.clone()), may_be_null: true },
            Some(all) => {
                let found = all.iter().find(|it| it.name == *name);
                let missing = || TableError::missing(name, all.iter().map(|it| &it.name));
                let may_be_null = found.ok_or_else(missing)?.may_be_null;
                Foreseen { of: Of::Column(name.clone()), may_be_null }
            }
        };
        match self.by {
            Some(by) if !by.contains(name) => Err(super::several_values(name)),
            _ => Ok(found),
        }
    }

    /// The kind of the values, if it is certain.
    pub(super) fn kind(&self, it: &Foreseen) -> Option<Kind> {
        match &it.of {
            Of::Kind(kind) => Some(*kind),
            Of::Column(name) => self.columns?.iter().find(|it| it.name == *name)?.kind,
            Of::Nothing | Of::Unknown => None,
        }
    }

    fn binary(
        &self,
        op: Binary,
        a: &Foreseen,
        b: &Foreseen,
        is_nonzero: bool,
    ) -> Result<Foreseen, TableError> {
        let may_be_null = a.may_be_null || b.may_be_null;
        if matches!(op, Binary::And | Binary::Or) {
            self.test_condition(a)?;
            self.test_condition(b)?;
        }
        if op.compares() || matches!(op, Binary::And | Binary::Or) {
            return Ok(kind(Kind::Bool, may_be_null));
        }
        if op == Binary::Else {
            return Ok(if a.may_be_null {
                Foreseen { may_be_null: b.may_be_null, ..self.either(a, b) }
            } else {
                a.clone()
            });
        }
        let may_divide = !matches!(op, Binary::Divide | Binary::Rest) || is_nonzero;
        let (Some(x), Some(y)) = (self.kind(a), self.kind(b)) else { return Ok(unknown()) };
        let of = operands::calculated(op, x, y).map_err(|()| self.no_operands(op, a, b))?;
        Ok(of.map_or_else(unknown, |of| kind(of, may_be_null || !may_divide)))
    }

    /// Values of either side.
    fn either(&self, a: &Foreseen, b: &Foreseen) -> Foreseen {
        let may_be_null = a.may_be_null || b.may_be_null;
        let of = match (&a.of, &b.of) {
            (Of::Nothing, other) | (other, Of::Nothing) => other.clone(),
            (a, b) if a == b => a.clone(),
            _ => match (self.kind(a), self.kind(b)) {
                (Some(a), Some(b)) if a == b => Of::Kind(a),
                (Some(a), Some(b)) if a.is_number() && b.is_number() => Of::Kind(Kind::Float),
                _ => Of::Unknown,
            },
        };
        Foreseen { of, may_be_null }
    }

    fn call(&self, name: &Text, args: &[Expr]) -> Result<Foreseen, TableError> {
        match (self.by, super::is_measure(name)) {
            (Some(by), true) => self.measure(name, args, by.is_empty()),
            (None, true) => Err(super::no_group(name)),
            (_, false) => {
                functions::test_call(name, args.len())?;
                let found: Result<Vec<Foreseen>, TableError> =
                    args.iter().map(|it| self.expr(it)).collect();
                let found = found?;
                self.test_args(name, args, &found)?;
                Ok(self.function(name, &found))
            }
        }
    }

    fn function(&self, name: &str, args: &[Foreseen]) -> Foreseen {
        let may_be_null = args.iter().any(|it| it.may_be_null);
        let Some(first) = args.first() else { return unknown() };
        let of = self.kind(first);
        match name {
            "abs" if of == Some(Kind::Money) => kind(Kind::Money, may_be_null),
            "abs" | "ceil" | "floor" | "round" => match of {
                Some(it @ (Kind::Int | Kind::Float)) => kind(it, may_be_null),
                _ => unknown(),
            },
            "sqrt" | "ln" | "exp" => kind(Kind::Float, true),
            "coalesce" => {
                let all = args.iter().cloned().reduce(|a, b| self.either(&a, &b));
                let may_be_null = args.iter().all(|it| it.may_be_null);
                all.map_or_else(unknown, |it| Foreseen { may_be_null, ..it })
            }
            "if" => self.either(&args[1], &args[2]),
            "is_null" => kind(Kind::Bool, false),
            "least" | "greatest" => self.either(first, &args[1]),
            "lower" | "upper" | "trim" | "string" => kind(Kind::Text, may_be_null),
            "length" => kind(Kind::Int, may_be_null),
            "contains" | "starts_with" | "ends_with" => kind(Kind::Bool, may_be_null),
            "int" => kind(Kind::Int, may_be_null || !matches!(of, Some(Kind::Int | Kind::Bool))),
            "float" => kind(
                Kind::Float,
                may_be_null || !of.is_some_and(|it| it.is_number() || it == Kind::Bool),
            ),
            _ => unknown(),
        }
    }

    fn measure(&self, name: &str, args: &[Expr], of_all: bool) -> Result<Foreseen, TableError> {
        let rows = Known { by: None, ..*self };
        let args_of = |all: &[Expr]| -> Result<Vec<Foreseen>, TableError> {
            all.iter().map(|it| rows.expr(it)).collect()
        };
        let of = match (name, args) {
            ("count", []) => return Ok(kind(Kind::Int, false)),
            ("corr", [_, _]) => {
                args_of(args)?.iter().try_for_each(|it| self.test_measured(name, it))?;
                return Ok(kind(Kind::Float, true));
            }
            ("quantile", [of, share]) => {
                share_of(share)?;
                rows.expr(of)?
            }
            ("quantile" | "corr", _) => return Err(functions::wrong_count(name, args.len())),
            (_, [of]) => rows.expr(of)?,
            _ => return Err(functions::wrong_count(name, args.len())),
        };
        self.measured(name, Measure::named(name), of, of_all)
    }

    /// What measuring these values gives; `of_all` if there may be no row. No measure is a quantile.
    fn measured(
        &self,
        name: &str,
        measure: Option<Measure>,
        of: Foreseen,
        of_all: bool,
    ) -> Result<Foreseen, TableError> {
        self.test_measured(name, &of)?;
        let may_be_null = of.may_be_null || of_all;
        Ok(match (measure, self.kind(&of)) {
            (Some(Measure::Count | Measure::Distinct), _) => kind(Kind::Int, false),
            (
                Some(Measure::Sum),
                Some(it @ (Kind::Int | Kind::Float | Kind::Money | Kind::Duration)),
            ) => kind(it, may_be_null),
            (Some(Measure::Avg), Some(Kind::Int | Kind::Float)) => kind(Kind::Float, may_be_null),
            (Some(Measure::Avg), Some(it @ (Kind::Money | Kind::Duration))) => {
                kind(it, may_be_null)
            }
            (Some(Measure::Min | Measure::Max | Measure::First | Measure::Last), _) => {
                Foreseen { may_be_null, ..of }
            }
            (None | Some(Measure::Quantile(_)), Some(Kind::Int | Kind::Float)) => {
                kind(Kind::Float, may_be_null)
            }
            (Some(Measure::Variance | Measure::Deviation), _) => kind(Kind::Float, true),
            _ => unknown(),
        })
    }
}
