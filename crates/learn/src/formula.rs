//! Formulas of models, such as `y ~ a + b:c + log(d)`: parsed, and turned into the columns of a regression.

use crate::{
    Matrix, Trouble,
    expr::{Expression, Parser},
};

/// A parsed formula.
#[derive(Clone, Debug)]
pub struct Formula {
    pub response: Expression,
    /// The text of the response.
    pub response_text: String,
    pub has_intercept: bool,
    /// Each is a product of factors.
    pub terms: Vec<Vec<Factor>>,
}

/// A factor of a term.
#[derive(Clone, Debug)]
pub struct Factor {
    /// As it was written.
    pub text: String,
    pub of: Expression,
    /// Whether `C(..)` was written: its values are categories, even if they are numbers.
    pub is_category: bool,
}

impl Formula {
    /// Parses `response ~ term + term`.
    ///
    /// A term is a column, an expression in a function (`log(x)`, `I(x / 2)`), a power (`x^2`), a category (`C(x)`), an
    /// interaction (`a:b`) or both and the interaction (`a*b`). `- 1` or `+ 0` leaves the intercept out.
    ///
    /// # Errors
    /// What was found, and at which letter.
    pub fn parse(text: &str) -> Result<Self, Trouble> {
        if !text.contains('~') {
            return Err(Trouble::new("expected `~` between the response and the terms")
                .help("write it as `y ~ x1 + x2`"));
        }
        let mut parser = Parser::new(text)?;
        let start = parser.at;
        let response = parser.whole()?;
        let response_text = text[start..parser.at].trim().to_owned();
        if !parser.take("~") {
            return Err(parser.unexpected("`~`"));
        }
        let mut formula = Self { response, response_text, has_intercept: true, terms: Vec::new() };
        let mut is_minus = parser.take("-");
        loop {
            formula.term(&mut parser, is_minus)?;
            is_minus = if parser.take("+") {
                false
            } else if parser.take("-") {
                true
            } else {
                break;
            };
        }
        parser.space();
        if !parser.rest().is_empty() {
            return Err(parser.unexpected("`+`, `:`, `*` or the end"));
        }
        Ok(formula)
    }

    fn term(&mut self, parser: &mut Parser<'_>, is_minus: bool) -> Result<(), Trouble> {
        let before = parser.at;
        if let Some(number) = parser.number() {
            let is_one = (number - 1.0).abs() < f64::EPSILON;
            if !is_one && number != 0.0 {
                parser.at = before;
                return Err(parser.unexpected("a column, or 0 or 1 for the intercept"));
            }
            self.has_intercept = is_one != is_minus;
            return Ok(());
        }
        let mut all: Vec<Vec<Factor>> = vec![product(parser)?];
        while parser.take("*") {
            let next = product(parser)?;
            let both: Vec<Vec<Factor>> =
                all.iter().map(|it| [&it[..], &next[..]].concat()).collect();
            all.push(next);
            all.extend(both);
        }
        for term in all {
            let same = |it: &Vec<Factor>| factors(it) == factors(&term);
            if is_minus {
                self.terms.retain(|it| !same(it));
            } else if !self.terms.iter().any(same) {
                self.terms.push(term);
            }
        }
        Ok(())
    }

    /// All columns of the table that the formula needs, the response first.
    pub fn columns(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        let factors = self.terms.iter().flatten().map(|it| &it.of);
        for it in std::iter::once(&self.response).chain(factors).flat_map(|it| &it.names) {
            if !all.contains(&it.as_str()) {
                all.push(it);
            }
        }
        all
    }
}

fn factors(term: &[Factor]) -> Vec<&str> {
    let mut all: Vec<&str> = term.iter().map(|it| it.text.as_str()).collect();
    all.sort_unstable();
    all
}

fn product(parser: &mut Parser<'_>) -> Result<Vec<Factor>, Trouble> {
    let mut factors = vec![factor(parser)?];
    while parser.take(":") {
        factors.push(factor(parser)?);
    }
    Ok(factors)
}

fn factor(parser: &mut Parser<'_>) -> Result<Factor, Trouble> {
    let before = parser.at;
    if parser.take("C(") {
        let place = parser.at;
        let name = parser.name()?;
        let (Some(name), true) = (name, parser.take(")")) else {
            parser.at = place;
            return Err(parser.unexpected("the name of a column in `C(..)`"));
        };
        let of = Expression::parse(&format!("`{name}`"))?;
        return Ok(Factor { text: format!("C({name})"), of, is_category: true });
    }
    parser.at = before;
    let (of, text) = parser.piece()?;
    let text = of.as_name().map_or_else(|| text.to_owned(), str::to_owned);
    Ok(Factor { text, of, is_category: false })
}

/// A column of a table.
#[derive(Clone, Debug)]
pub enum Data {
    Numbers(Vec<f64>),
    /// The place of the level of each row, and the levels in order.
    Levels(Vec<usize>, Vec<String>),
}

/// What a regression is computed from.
#[derive(Clone, Debug)]
pub struct Design {
    /// The name of each column of `x`.
    pub names: Vec<String>,
    pub x: Matrix,
    pub y: Vec<f64>,
}

impl Formula {
    /// The columns of the regression. Texts and `C(..)` become one column a level but the first.
    ///
    /// # Errors
    /// A text where a number is needed, or an expression that is not finite, with its row.
    pub fn design(
        &self,
        rows: usize,
        data: &dyn Fn(&str) -> Option<Data>,
    ) -> Result<Design, Trouble> {
        let y = evaluated(&self.response, &self.response_text, rows, data)?;
        let mut names = Vec::new();
        let mut columns = Vec::new();
        if self.has_intercept {
            names.push("(intercept)".to_owned());
            columns.push(vec![1.0; rows]);
        }
        let mut has_all_levels = !self.has_intercept;
        for term in &self.terms {
            let mut made: Vec<(String, Vec<f64>)> = vec![(String::new(), vec![1.0; rows])];
            for factor in term {
                let others: Vec<&str> =
                    factors(term).into_iter().filter(|it| *it != factor.text).collect();
                // A category loses its first level if the rest of its term is in the model, too: without an intercept,
                // the first category keeps all levels.
                let keeps_all = if others.is_empty() {
                    has_all_levels
                } else {
                    !self.terms.iter().any(|it| factors(it) == others)
                };
                let (parts, is_category) = parts(factor, rows, data, keeps_all)?;
                has_all_levels &= !(is_category && term.len() == 1);
                made = made
                    .iter()
                    .flat_map(|(name, own)| {
                        parts.iter().map(move |(other, it)| {
                            let sign = if name.is_empty() { "" } else { ":" };
                            let product = own.iter().zip(it).map(|(a, b)| a * b).collect();
                            (format!("{name}{sign}{other}"), product)
                        })
                    })
                    .collect();
                if columns.len() + made.len() > 1_000 {
                    return Err(Trouble::new("the formula needs more than 1000 columns")
                        .help("join rare levels of its categories"));
                }
            }
            for (name, column) in made {
                names.push(name);
                columns.push(column);
            }
        }
        Ok(Design { names, x: Matrix::new(rows, columns), y })
    }
}

type Parts = Vec<(String, Vec<f64>)>;

fn parts(
    factor: &Factor,
    rows: usize,
    data: &dyn Fn(&str) -> Option<Data>,
    keeps_all: bool,
) -> Result<(Parts, bool), Trouble> {
    let found = factor.of.as_name().and_then(data);
    let levels = match found {
        Some(Data::Levels(codes, levels)) => Some((codes, levels)),
        Some(Data::Numbers(all)) if factor.is_category => Some(leveled(&all)),
        _ => None,
    };
    let Some((codes, levels)) = levels else {
        let numbers = evaluated(&factor.of, &factor.text, rows, data)?;
        return Ok((vec![(factor.text.clone(), numbers)], false));
    };
    if levels.len() < 2 {
        return Err(Trouble::new(format!("`{}` has a single value", factor.text))
            .help("leave it out of the formula"));
    }
    let indicator = |level: usize| {
        codes.iter().map(|it| if *it == level { 1.0 } else { 0.0 }).collect::<Vec<_>>()
    };
    let first = usize::from(!keeps_all);
    let parts = levels.iter().enumerate().skip(first);
    let parts = parts.map(|(at, it)| (format!("{}[{it}]", factor.text), indicator(at)));
    Ok((parts.collect(), true))
}

/// Numbers as levels, in order.
fn leveled(all: &[f64]) -> (Vec<usize>, Vec<String>) {
    let mut distinct = all.to_vec();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    let code = |it: &f64| distinct.iter().position(|own| own == it).unwrap_or(0);
    (all.iter().map(code).collect(), distinct.iter().map(f64::to_string).collect())
}

fn evaluated(
    of: &Expression,
    text: &str,
    rows: usize,
    data: &dyn Fn(&str) -> Option<Data>,
) -> Result<Vec<f64>, Trouble> {
    let mut columns = Vec::with_capacity(of.names.len());
    for name in &of.names {
        match data(name) {
            Some(Data::Numbers(it)) => columns.push(it),
            Some(Data::Levels(..)) => {
                return Err(Trouble::new(format!(
                    "expected numbers in column `{name}`, found texts"
                )));
            }
            None => return Err(Trouble::new(format!("missing column `{name}`"))),
        }
    }
    let mut numbers = vec![0.0; columns.len()];
    (0..rows)
        .map(|row| {
            numbers.iter_mut().zip(&columns).for_each(|(it, column)| *it = column[row]);
            let value = of.value(&numbers);
            if value.is_finite() {
                return Ok(value);
            }
            Err(Trouble::new(format!("`{text}` is {value} in row {}", row + 1))
                .help("filter such rows, or change the formula"))
        })
        .collect()
}
