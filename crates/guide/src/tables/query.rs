//! A question about one table, and the script that answers it.

use svc_contract::value::literal;

use super::table::{Column, Kind, Table, is_plain};

/// A condition of `where`, in the syntax of scripts.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    pub(super) column: usize,
    pub(super) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Count,
    /// An op over the numbers of a column.
    Total(&'static str, usize),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    /// The column; the measure if there is none.
    pub(super) column: Option<usize>,
    pub(super) falls: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Value,
    Markdown,
    Csv,
    Json,
}

#[derive(Clone, Debug)]
pub(super) struct Query<'a> {
    pub(super) table: &'a Table,
    pub(super) filters: Vec<Filter>,
    pub(super) group: Option<usize>,
    pub(super) measure: Option<Measure>,
    pub(super) order: Option<Order>,
    pub(super) take: Option<i64>,
    pub(super) columns: Vec<usize>,
    pub(super) distinct: bool,
    pub(super) digits: Option<i64>,
    /// The name of the measure's column, if the goal says it.
    pub(super) measure_name: Option<String>,
    pub(super) format: Format,
    pub(super) target: Option<String>,
    /// The phrases of the goal, with the stages that serve them.
    pub(super) parts: Vec<(String, String)>,
}

impl Query<'_> {
    fn column(&self, idx: usize) -> &Column {
        &self.table.columns[idx]
    }

    /// The value of a column of the item, as a script writes it.
    pub(super) fn cell(&self, idx: usize) -> String {
        if self.table.is_lines { "it".to_owned() } else { format!(".{}", self.column(idx).name) }
    }

    /// The columns that the script needs, in the order of the table.
    fn used(&self) -> Vec<usize> {
        let mut used: Vec<usize> = self.filters.iter().map(|it| it.column).collect();
        used.extend(self.group);
        if let Some(Measure::Total(_, column)) = self.measure {
            used.push(column);
        }
        used.extend(self.order.and_then(|it| it.column));
        used.extend(&self.columns);
        let gives_rows = self.measure.is_none() && self.columns.is_empty() && self.group.is_none();
        if gives_rows {
            used.extend(0..self.table.columns.len());
        }
        used.sort_unstable();
        used.dedup();
        used
    }

    /// The script; `None` if a column cannot be named in a type.
    pub(super) fn script(&self) -> Option<String> {
        let mut stages = Vec::new();
        let mut script = self.start(&mut stages)?;
        if !self.filters.is_empty() {
            let all: Vec<&str> = self.filters.iter().map(|it| it.text.as_str()).collect();
            stages.push(format!("where {{ {} }}", all.join(" and ")));
        }
        let is_one = match self.group {
            Some(group) => self.grouped(group, &mut stages)?,
            None => self.plain(&mut stages),
        };
        self.finish(is_one, &mut stages)?;
        script += &stages.join("\n  >> ");
        script.push('\n');
        Some(script)
    }

    fn start(&self, stages: &mut Vec<String>) -> Option<String> {
        let table = self.table;
        if !table.is_typed() {
            stages.extend(Table::stages(&table.reader));
            return Some(String::new());
        }
        let mut used = self.used();
        if used.is_empty() {
            used.push(0);
        }
        let typed = used.iter().filter(|it| !table.is_origin(**it));
        let fields = typed.map(|idx| {
            let column = self.column(*idx);
            let ty = match column.kind {
                Kind::Int => "int",
                Kind::Float => "float",
                Kind::Bool => "bool",
                Kind::Date => "date",
                Kind::YesNo(..) | Kind::Text => "string",
                Kind::Other => "json",
            };
            let mark = if column.optional { "?" } else { "" };
            is_plain(&column.name).then(|| format!("{}: {ty}{mark}", column.name))
        });
        let fields = fields.collect::<Option<Vec<_>>>()?.join(", ");
        let mut types = format!("type Row = {{ {fields} }}\n");
        let is_name = |it: &String| is_plain(it);
        if !table.fields.iter().all(is_name) {
            return None;
        }
        let mut ty = "Row";
        if !table.fields.is_empty() {
            let inner = table
                .fields
                .iter()
                .rev()
                .fold("[Row]".to_owned(), |inner, field| format!("{{ {field}: {inner} }}"));
            types += &format!("type File = {inner}\n");
            ty = "File";
        }
        let reader = table.reader.replace("{T}", ty);
        stages.extend(Table::stages(&reader));
        stages.extend(table.fields.iter().map(|it| format!(".{it}")));
        Some(types + "\n")
    }

    /// The stages behind the filter of a query without groups. Returns whether the result is one
    /// value.
    fn plain(&self, stages: &mut Vec<String>) -> bool {
        self.sorted(stages);
        let mut is_one = false;
        if let Some(Measure::Total(op, column)) = self.measure {
            if self.column(column).optional {
                stages.push(format!("each {{ {} }}", self.cell(column)));
                stages.push("compact".to_owned());
            } else {
                stages.push(format!("each {{ {} }}", self.cell(column)));
            }
            stages.push(op.to_owned());
            return true;
        }
        if let [column] = self.columns.as_slice() {
            if !self.table.is_lines {
                stages.push(format!("each {{ {} }}", self.cell(*column)));
            }
        } else if !self.columns.is_empty() {
            let fields: Vec<String> = self.columns.iter().map(|it| self.field(*it)).collect();
            stages.push(format!("each {{ {{ {} }} }}", fields.join(", ")));
        }
        // Who is counted is counted once.
        let counts_values = self.measure == Some(Measure::Count) && self.columns.len() == 1;
        if self.distinct || (counts_values && !self.table.is_lines) {
            stages.push("unique".to_owned());
        }
        if self.measure == Some(Measure::Count) {
            stages.push("len".to_owned());
            is_one = true;
        }
        is_one
    }

    fn field(&self, idx: usize) -> String {
        let name = &self.column(idx).name;
        format!("{name}: .{name}")
    }

    fn sorted(&self, stages: &mut Vec<String>) {
        if let Some(Order { column: Some(column), falls }) = self.order {
            let cell = self.cell(column);
            let column = self.column(column);
            let is_number = matches!(column.kind, Kind::Int | Kind::Float) && !column.optional;
            match falls {
                true if is_number => stages.push(format!("sort {{ -{cell} }}")),
                true => stages.extend([format!("sort {{ {cell} }}"), "reverse".to_owned()]),
                false => stages.push(format!("sort {{ {cell} }}")),
            }
        }
        if let Some(n) = self.take {
            stages.push(format!("take(n: {n})"));
        }
    }

    /// The stages of a query with groups.
    fn grouped(&self, group: usize, stages: &mut Vec<String>) -> Option<bool> {
        let cell = self.cell(group);
        let name = if self.table.is_lines { "line" } else { self.column(group).name.as_str() };
        stages.push(format!("group {{ {cell} }}"));
        let (mut measure, value) = match self.measure? {
            Measure::Count => ("count".to_owned(), "len(.items)".to_owned()),
            Measure::Total(op, column) => {
                let of = self.cell(column);
                let compact = if self.column(column).optional { " >> compact" } else { "" };
                let mut value = format!("(.items >> each {{ {of} }}{compact} >> {op}");
                if let Some(digits) = self.digits {
                    value += &format!(" >> round(digits: {digits})");
                }
                (self.column(column).name.clone(), value + ")")
            }
        };
        if let Some(name) = &self.measure_name {
            measure.clone_from(name);
        }
        stages.push(format!("each {{ {{ {name}: .key, {measure}: {value} }} }}"));
        if let Some(order) = self.order {
            match order.column {
                None if order.falls => stages.push(format!("sort {{ -.{measure} }}")),
                None => stages.push(format!("sort {{ .{measure} }}")),
                Some(it) if it == group => {
                    stages.push(format!("sort {{ .{name} }}"));
                    if order.falls {
                        stages.push("reverse".to_owned());
                    }
                }
                Some(_) => return None,
            }
        }
        if let Some(n) = self.take {
            stages.push(format!("take(n: {n})"));
        }
        if self.columns.as_slice() == [group] {
            stages.push(format!("each {{ .{name} }}"));
        } else if !self.columns.is_empty() {
            return None;
        }
        Some(false)
    }

    fn finish(&self, is_one: bool, stages: &mut Vec<String>) -> Option<()> {
        if let (Some(digits), true) = (self.digits, is_one && self.measure != Some(Measure::Count))
        {
            stages.push(format!("round(digits: {digits})"));
        }
        let is_list_of_texts =
            !is_one && self.group.is_none() && (self.table.is_lines || self.columns.len() == 1);
        let format = match (&self.target, self.format) {
            (Some(path), Format::Value) => match path.rsplit('.').next() {
                Some("csv") => Format::Csv,
                Some("json") => Format::Json,
                Some("md") if !is_list_of_texts => Format::Markdown,
                _ => Format::Value,
            },
            (_, format) => format,
        };
        match format {
            Format::Csv => stages.push("to_csv".to_owned()),
            Format::Markdown => stages.push("to_markdown".to_owned()),
            Format::Json if self.target.is_none() => stages.push("to_json".to_owned()),
            _ => {}
        }
        let Some(path) = self.target.as_deref().map(literal::text) else { return Some(()) };
        match format {
            Format::Json => {
                stages.push(format!("save_json(to: {path})"));
                return Some(());
            }
            Format::Value if is_list_of_texts => stages.push("join(sep: \"\\n\")".to_owned()),
            Format::Value if is_one => stages.push("show".to_owned()),
            Format::Value => return None,
            _ => {}
        }
        stages.push(format!("write_file(to: {path})"));
        Some(())
    }
}
