//! A question about one table.

use super::{
    cells::Cell,
    table::{Column, Kind, Table},
};

/// A condition of `where`, in the syntax of scripts.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    pub(super) columns: Vec<usize>,
    pub(super) text: String,
    /// The tokens that ask for it.
    pub(super) from: usize,
    pub(super) to: usize,
    /// Whether it says which value a column has: two of them on one column are a choice.
    pub(super) is_value: bool,
    pub(super) is_not: bool,
    /// Whether it tests a part of the text, so that two of them may hold at once.
    pub(super) is_test: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Count,
    /// The number of different values.
    Distinct(usize),
    /// An op over the values of a column.
    Total(&'static str, usize),
    /// The value below which so many percent of those of a column are.
    Percentile(u8, usize),
}

impl Measure {
    pub(super) fn column(self) -> Option<usize> {
        match self {
            Self::Count => None,
            Self::Distinct(it) | Self::Total(_, it) | Self::Percentile(_, it) => Some(it),
        }
    }
}

/// A measure of all rows, or of each group.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub(super) measure: Measure,
    /// Whether it is in the result, or only orders or chooses the groups.
    pub(super) is_shown: bool,
    /// The name of its column, if the goal says it.
    pub(super) name: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Column(usize),
    Measure(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) by: By,
    pub(super) falls: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Value,
    Markdown,
    Csv,
    Json,
}

/// A part of a line of the result.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    Text(String),
    Value(By),
}

#[derive(Clone, Debug)]
pub(super) struct Query<'a> {
    pub(super) table: &'a Table,
    pub(super) filters: Vec<Filter>,
    pub(super) groups: Vec<usize>,
    pub(super) measures: Vec<Measured>,
    /// Conditions on the measures of groups: `> 1`.
    pub(super) having: Vec<(usize, String)>,
    /// The rows of which a share is wanted in percent: the first filters choose them.
    pub(super) share_of: Option<usize>,
    pub(super) orders: Vec<Order>,
    pub(super) take: Option<i64>,
    pub(super) columns: Vec<usize>,
    /// Other names of columns.
    pub(super) renamed: Vec<(usize, String)>,
    pub(super) template: Vec<Piece>,
    pub(super) is_numbered: bool,
    pub(super) distinct: bool,
    pub(super) ignores_case: bool,
    pub(super) digits: Option<i64>,
    pub(super) format: Format,
    pub(super) target: Option<String>,
    /// The marks of the chart that shows the result.
    pub(super) chart: Option<&'static str>,
    /// The phrases of the goal, with the stages that serve them.
    pub(super) parts: Vec<(String, String)>,
}

impl<'a> Query<'a> {
    pub(super) fn of(table: &'a Table) -> Self {
        Self {
            table,
            filters: Vec::new(),
            groups: Vec::new(),
            measures: Vec::new(),
            having: Vec::new(),
            share_of: None,
            orders: Vec::new(),
            take: None,
            columns: Vec::new(),
            renamed: Vec::new(),
            template: Vec::new(),
            is_numbered: false,
            distinct: false,
            ignores_case: false,
            digits: None,
            format: Format::Value,
            target: None,
            chart: None,
            parts: Vec::new(),
        }
    }

    pub(super) fn column(&self, idx: usize) -> &'a Column {
        &self.table.columns[idx]
    }

    /// The value of a column of the item, as a script writes it where it is not null.
    pub(super) fn cell(&self, idx: usize) -> String {
        if self.table.is_lines {
            return "it".to_owned();
        }
        self.column(idx).source.text(|it| self.column(it).value(), idx)
    }

    /// The value of a column in the result: a text as it is in the file.
    pub(super) fn shown(&self, idx: usize) -> String {
        match self.column(idx).cell {
            Some(_) => format!(".{}", self.column(idx).name),
            None => self.safe(idx),
        }
    }

    /// The value of a column by which rows are sorted. Times in one form have the order of their
    /// texts, which is finer than that of their days.
    pub(super) fn sort_key(&self, idx: usize) -> String {
        match self.column(idx).cell {
            Some(Cell::Time(_)) => format!(".{}", self.column(idx).name),
            _ => self.safe(idx),
        }
    }

    /// The condition that a value is there, if it may be null.
    pub(super) fn guard(&self, idx: usize) -> Option<String> {
        let needs = self.column(idx).source.needs(idx).into_iter();
        let all = needs.filter(|it| self.column(*it).optional);
        let all: Vec<String> = all.map(|it| format!(".{} != null", self.column(it).name)).collect();
        (!all.is_empty()).then(|| all.join(" and "))
    }

    /// The value of a column of any item: null where something that it needs is null.
    pub(super) fn safe(&self, idx: usize) -> String {
        let cell = self.cell(idx);
        match self.guard(idx) {
            Some(guard) if !cell.starts_with('.') => {
                format!("(if {guard} {{ {cell} }} else {{ null }})")
            }
            _ => cell,
        }
    }

    /// Whether the result is only a number.
    pub(super) fn has_measures(&self) -> bool {
        !self.measures.is_empty() || self.share_of.is_some()
    }

    pub(super) fn is_number(&self, idx: usize) -> bool {
        matches!(self.column(idx).kind, Kind::Int | Kind::Float | Kind::Days)
    }

    /// The columns of the file that the script needs, in their order.
    pub(super) fn used(&self) -> Vec<usize> {
        let mut used: Vec<usize> = self.filters.iter().flat_map(|it| it.columns.clone()).collect();
        used.extend(&self.groups);
        used.extend(self.measures.iter().filter_map(|it| it.measure.column()));
        let pieces = self.template.iter().filter_map(|it| match it {
            Piece::Value(by) => Some(*by),
            Piece::Text(_) => None,
        });
        let by = self.orders.iter().map(|it| it.by).chain(pieces);
        used.extend(by.filter_map(|it| match it {
            By::Column(it) => Some(it),
            By::Measure(_) => None,
        }));
        used.extend(&self.columns);
        if self.gives_rows() {
            used.extend(self.table.own());
        }
        let mut used: Vec<usize> =
            used.into_iter().flat_map(|it| self.column(it).source.needs(it)).collect();
        used.sort_unstable();
        used.dedup();
        used
    }

    fn gives_rows(&self) -> bool {
        !self.has_measures()
            && self.columns.is_empty()
            && self.groups.is_empty()
            && self.template.is_empty()
    }

    /// The name of a column in the result.
    pub(super) fn name(&self, idx: usize) -> &str {
        if self.table.is_lines {
            return "line";
        }
        let renamed = self.renamed.iter().find(|(column, _)| *column == idx);
        renamed.map_or(self.column(idx).name.as_str(), |(_, it)| it)
    }

    /// The name of a measure in the result.
    pub(super) fn measure_name(&self, idx: usize) -> String {
        let Measured { measure, name, .. } = &self.measures[idx];
        if let Some(name) = name {
            return name.clone();
        }
        let is_known = |column: usize| {
            let others = self.measures.iter().enumerate().filter(|(it, _)| *it != idx);
            self.groups.contains(&column)
                || others.into_iter().any(|(_, it)| it.measure.column() == Some(column))
        };
        match *measure {
            Measure::Count => "count".to_owned(),
            Measure::Distinct(it) if is_known(it) => format!("different_{}", self.name(it)),
            Measure::Total(op, it) if is_known(it) => format!("{op}_{}", self.name(it)),
            Measure::Percentile(percent, it) if is_known(it) => {
                format!("p{percent}_{}", self.name(it))
            }
            Measure::Distinct(it) | Measure::Total(_, it) | Measure::Percentile(_, it) => {
                self.name(it).to_owned()
            }
        }
    }
}
