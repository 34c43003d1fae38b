//! The script that answers a question about one table.

use svc_contract::value::literal;

use super::{
    query::{By, Format, Measure, Order, Piece, Query},
    table::{Kind, Table, is_plain},
};

/// What the stages so far return.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    One,
    Texts,
    Rows,
}

impl Query<'_> {
    /// The script; `None` if the result has no such form, or a column cannot be named in a type.
    pub(super) fn script(&self) -> Option<String> {
        let mut stages = Vec::new();
        let types = self.start(&mut stages)?;
        let filters: Vec<&str> = self.filters.iter().map(|it| it.text.as_str()).collect();
        // A goal is not about what is there and not there.
        let is_denied = |it: &&str| {
            it.ends_with("== null") && filters.contains(&it.replace("==", "!=").as_str())
        };
        // `the lines that start with NB, without NB` are other lines than those.
        let is_contradicted = |it: &&str| {
            let text = it.strip_prefix("not ").and_then(|it| it.rsplit_once(": "));
            let text = text.map(|(_, it)| it.trim_end_matches(')'));
            let others = filters.iter().copied().filter(|other| other != it);
            let mut others = others.chain([self.table.reader.as_str()]);
            text.is_some_and(|text| others.any(|other| other.contains(text)))
        };
        if filters.iter().any(|it| is_denied(it) || is_contradicted(it)) {
            return None;
        }
        let (base, chosen) = filters.split_at(self.share_of.unwrap_or(0));
        stages.extend(choice(base));
        if self.share_of.is_some() {
            return self.share(&types, &stages, chosen);
        }
        stages.extend(choice(chosen));
        let shape = if self.groups.is_empty() {
            self.plain(&mut stages)?
        } else {
            self.grouped(&mut stages)?
        };
        self.finish(shape, &mut stages)?;
        Some(format!("{types}{}\n", stages.join("\n  >> ")))
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
        // Without the names of the file, the columns differ by their order.
        let has_own_names = used.iter().all(|it| self.column(*it).name == self.column(*it).header);
        if !has_own_names {
            used = table.own().collect();
        }
        let typed = used.iter().filter(|it| !table.is_origin(**it));
        let fields = typed.map(|idx| {
            let column = self.column(*idx);
            let ty = match column.kind {
                _ if column.cell.is_some() => "string",
                Kind::Int | Kind::Days => "int",
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
        if !table.fields.iter().all(|it| is_plain(it)) {
            return None;
        }
        let mut ty = "Row";
        if !table.fields.is_empty() {
            let fields = table.fields.iter().rev();
            let inner = fields.fold("[Row]".to_owned(), |inner, it| format!("{{ {it}: {inner} }}"));
            types += &format!("type File = {inner}\n");
            ty = "File";
        }
        let reader = if has_own_names {
            table.reader.replace("{T}", ty)
        } else {
            self.reader_without_names()?
        };
        stages.extend(Table::stages(&reader));
        stages.extend(table.fields.iter().map(|it| format!(".{it}")));
        Some(types + "\n")
    }

    /// Reads a table whose columns have names that a script cannot write: without its first row.
    fn reader_without_names(&self) -> Option<String> {
        let names: Vec<&str> = self.table.own().map(|it| self.column(it).name.as_str()).collect();
        let is_repeated = (1..names.len()).any(|it| names[..it].contains(&names[it]));
        let reader = &self.table.reader;
        let rows = reader.replace("<{T}>", "");
        let cells = match reader {
            it if it.contains("parse_csv<{T}>") => "skip(n: 1) >> to_csv",
            it if it.contains("sheet<{T}>") => "to_csv(header: false)",
            _ => return None,
        };
        (!is_repeated).then(|| format!("{rows} >> {cells} >> parse_csv<Row>(header: false)"))
    }

    /// A share in percent: of rows, or of their total.
    fn share(&self, types: &str, stages: &[String], chosen: &[&str]) -> Option<String> {
        let [condition] = [choice(chosen)?];
        let is_plain = self.groups.is_empty() && self.target.is_none() && self.template.is_empty();
        let amount = |rows: &str| match self.measures.as_slice() {
            [] => Some(format!("len({rows})")),
            [it] => match it.measure {
                Measure::Count => Some(format!("len({rows})")),
                Measure::Total("sum", of) if !self.column(of).optional => {
                    Some(format!("({rows} >> each {{ {} }} >> sum)", self.cell(of)))
                }
                _ => None,
            },
            _ => None,
        };
        let (part, whole) = (amount("chosen")?, amount("rows")?);
        let share = format!("{part} * 100.0 / {whole}");
        let share = match self.digits {
            Some(digits) => format!("round({share}, digits: {digits})"),
            None => share,
        };
        let rows = stages.join("\n  >> ");
        is_plain.then(|| {
            format!("{types}let rows = {rows}\nlet chosen = rows >> {condition}\n{share}\n")
        })
    }

    /// The stages behind the filter of a query without groups.
    fn plain(&self, stages: &mut Vec<String>) -> Option<Shape> {
        let counts = matches!(self.measures.as_slice(), [it] if it.measure == Measure::Count);
        let by_columns = |it: &Order| match it.by {
            By::Column(it) => {
                Some((self.sort_key(it), self.is_number(it) && self.guard(it).is_none()))
            }
            By::Measure(_) => None,
        };
        self.sorted(&by_columns, stages)?;
        if !counts && let [_, ..] = self.measures.as_slice() {
            return self.totals(stages);
        }
        let mut shape = if self.table.is_lines { Shape::Texts } else { Shape::Rows };
        match self.columns.as_slice() {
            _ if !self.template.is_empty() => {
                stages.push(self.lines(&|by| match by {
                    By::Column(it) => Some((self.shown(it), self.guard(it).is_some())),
                    By::Measure(_) => None,
                })?);
                shape = Shape::Texts;
            }
            [] => {}
            [column] => {
                if !self.table.is_lines {
                    stages.push(format!("each {{ {} }}", self.shown(*column)));
                }
                if self.guard(*column).is_some() && !counts {
                    stages.push("compact".to_owned());
                }
                if self.ignores_case {
                    stages.push("each { lower }".to_owned());
                }
                shape = Shape::Texts;
            }
            all => {
                let fields =
                    all.iter().map(|it| format!("{}: {}", self.name(*it), self.shown(*it)));
                let fields = fields.collect::<Vec<_>>().join(", ");
                stages.push(format!("each {{ {{ {fields} }} }}"));
            }
        }
        // Who is counted is counted once.
        if self.distinct || counts && self.columns.len() == 1 && !self.table.is_lines {
            let is_optional = self.columns.len() == 1 && self.guard(self.columns[0]).is_some();
            stages.extend((counts && is_optional).then(|| "compact".to_owned()));
            stages.push("unique".to_owned());
        }
        if counts {
            stages.push("len".to_owned());
            return Some(Shape::One);
        }
        Some(shape)
    }

    /// One total, or a record of several.
    fn totals(&self, stages: &mut Vec<String>) -> Option<Shape> {
        if let [one] = self.measures.as_slice() {
            let (op, column) = match one.measure {
                Measure::Total(op, column) => (op.to_owned(), column),
                Measure::Percentile(percent, column) => (quantile(percent), column),
                Measure::Count | Measure::Distinct(_) => return None,
            };
            stages.push(format!("each {{ {} }}", self.safe(column)));
            stages.extend(self.guard(column).map(|_| "compact".to_owned()));
            stages.push(op);
            stages.extend(self.digits.map(|it| format!("round(digits: {it})")));
            return Some(Shape::One);
        }
        let fields = (0..self.measures.len())
            .map(|it| format!("{}: {}", self.measure_name(it), self.measured(it, "it")));
        stages.push(format!("{{ {} }}", fields.collect::<Vec<_>>().join(", ")));
        (self.target.is_none() && self.template.is_empty()).then_some(Shape::One)
    }

    /// A measure of some rows.
    fn measured(&self, idx: usize, rows: &str) -> String {
        let (column, end) = match self.measures[idx].measure {
            Measure::Count => return format!("len({rows})"),
            Measure::Distinct(it) => {
                let fold = if self.ignores_case { " >> each { lower }" } else { "" };
                (it, format!("{fold} >> unique >> len"))
            }
            Measure::Total(op, it) => (it, format!(" >> {op}")),
            Measure::Percentile(percent, it) => (it, format!(" >> {}", quantile(percent))),
        };
        let compact = if self.guard(column).is_some() { " >> compact" } else { "" };
        let round = self.digits.map_or(String::new(), |it| format!(" >> round(digits: {it})"));
        let is_float =
            matches!(self.measures[idx].measure, Measure::Total(..) | Measure::Percentile(..));
        let round = if is_float { round } else { String::new() };
        format!("({rows} >> each {{ {} }}{compact}{end}{round})", self.safe(column))
    }

    /// Sorts by the keys that `key` knows, with whether each can be negated.
    fn sorted(
        &self,
        key: &dyn Fn(&Order) -> Option<(String, bool)>,
        stages: &mut Vec<String>,
    ) -> Option<()> {
        let keys = self.orders.iter().map(|it| Some((key(it)?, it.falls)));
        let keys = keys.collect::<Option<Vec<_>>>()?;
        let can_negate = keys.iter().all(|((_, can_negate), falls)| !falls || *can_negate);
        let cell = |((cell, _), falls): &((String, bool), bool)| {
            if *falls { format!("-{cell}") } else { cell.clone() }
        };
        match keys.as_slice() {
            [] => {}
            [one] if can_negate => stages.push(format!("sort {{ {} }}", cell(one))),
            [((cell, _), _)] => {
                stages.extend([
                    "reverse".to_owned(),
                    format!("sort {{ {cell} }}"),
                    "reverse".to_owned(),
                ]);
            }
            all if can_negate => {
                let fields =
                    all.iter().enumerate().map(|(at, it)| format!("k{}: {}", at + 1, cell(it)));
                stages.push(format!("sort {{ {{ {} }} }}", fields.collect::<Vec<_>>().join(", ")));
            }
            // The last key first: equal items keep their order.
            all => {
                for ((cell, _), falls) in all.iter().rev() {
                    let sort = format!("sort {{ {cell} }}");
                    let around = falls.then(|| "reverse".to_owned());
                    stages.extend(around.clone());
                    stages.push(sort);
                    stages.extend(around);
                }
            }
        }
        stages.extend(self.take.map(|n| format!("take(n: {n})")));
        Some(())
    }

    /// A line for each item.
    fn lines(&self, value: &dyn Fn(By) -> Option<(String, bool)>) -> Option<String> {
        let mut line = String::new();
        for piece in &self.template {
            match piece {
                Piece::Text(text) => {
                    let quoted = literal::text(text);
                    line += &quoted[1..quoted.len() - 1];
                }
                Piece::Value(by) => {
                    let (cell, is_optional) = value(*by)?;
                    line += &if is_optional {
                        format!("${{if {cell} == null {{ \"\" }} else {{ show({cell}) }}}}")
                    } else {
                        format!("${{{cell}}}")
                    };
                }
            }
        }
        Some(format!("each {{ \"{line}\" }}"))
    }

    /// The stages of a query with groups.
    fn grouped(&self, stages: &mut Vec<String>) -> Option<Shape> {
        if self.measures.is_empty() {
            return None;
        }
        let keys: Vec<(&str, String)> =
            self.groups.iter().map(|it| (self.name(*it), self.key(*it))).collect();
        let fields = |it: &[(&str, String)]| {
            it.iter().map(|(name, cell)| format!("{name}: {cell}")).collect::<Vec<_>>().join(", ")
        };
        let of_groups = match keys.as_slice() {
            [(name, cell)] => {
                stages.push(format!("group {{ {cell} }}"));
                vec![(*name, ".key".to_owned())]
            }
            all => {
                stages.push(format!("group {{ {{ {} }} }}", fields(all)));
                all.iter().map(|(name, _)| (*name, format!(".key.{name}"))).collect()
            }
        };
        let measures: Vec<String> = (0..self.measures.len())
            .map(|it| format!("{}: {}", self.measure_name(it), self.measured(it, ".items")))
            .collect();
        stages.push(format!("each {{ {{ {}, {} }} }}", fields(&of_groups), measures.join(", ")));
        let having = self.having.iter();
        let having: Vec<String> =
            having.map(|(it, test)| format!(".{} {test}", self.measure_name(*it))).collect();
        stages.extend(choice(&having.iter().map(String::as_str).collect::<Vec<_>>()));
        let cell = |by: By| match by {
            By::Measure(it) => Some((format!(".{}", self.measure_name(it)), true)),
            By::Column(it) if self.groups.contains(&it) => {
                let can_negate = self.is_number(it) && self.guard(it).is_none();
                Some((format!(".{}", self.name(it)), can_negate))
            }
            By::Column(_) => None,
        };
        self.sorted(&|it| cell(it.by), stages)?;
        if !self.columns.iter().all(|it| self.groups.contains(it)) {
            return None;
        }
        if !self.template.is_empty() {
            let optional = |by: By| matches!(by, By::Column(it) if self.guard(it).is_some());
            stages.push(self.lines(&|by| Some((cell(by)?.0, optional(by))))?);
            return Some(Shape::Texts);
        }
        let shown: Vec<String> = (0..self.measures.len())
            .filter(|it| self.measures[*it].is_shown)
            .map(|it| self.measure_name(it))
            .collect();
        match (shown.len(), keys.as_slice()) {
            (0, [(name, _)]) => {
                stages.push(format!("each {{ .{name} }}"));
                return Some(Shape::Texts);
            }
            (shown_len, _) if shown_len < self.measures.len() => {
                let names = keys.iter().map(|(name, _)| (*name).to_owned()).chain(shown);
                let fields = names.map(|it| format!("{it}: .{it}")).collect::<Vec<_>>().join(", ");
                stages.push(format!("each {{ {{ {fields} }} }}"));
            }
            _ => {}
        }
        Some(Shape::Rows)
    }

    fn key(&self, idx: usize) -> String {
        let is_text = self.column(idx).kind == Kind::Text && self.guard(idx).is_none();
        match self.safe(idx) {
            cell if self.ignores_case && is_text => format!("lower({cell})"),
            cell => cell,
        }
    }

    /// The stages that draw a group and its measure, or numbers over time.
    fn drawn(&self, mark: &str, shape: Shape, stages: &mut Vec<String>) -> Option<()> {
        let shown: Vec<usize> =
            (0..self.measures.len()).filter(|it| self.measures[*it].is_shown).collect();
        let (x, y) = match (self.groups.as_slice(), shown.as_slice(), self.columns.as_slice()) {
            ([group], [measure], _) => (self.name(*group).to_owned(), self.measure_name(*measure)),
            ([], [], [x, y]) => (self.name(*x).to_owned(), self.name(*y).to_owned()),
            _ => return None,
        };
        let is_plain =
            self.template.is_empty() && self.format == Format::Value && !self.is_numbered;
        if shape != Shape::Rows || !is_plain {
            return None;
        }
        let (x, y) = (literal::text(&x), literal::text(&y));
        stages.push(format!("chart(mark: \"{mark}\", x: {x}, y: {y})"));
        let Some(path) = &self.target else { return Some(()) };
        let is_svg = path.to_lowercase().ends_with(".svg");
        stages.push(".text".to_owned());
        stages.push(format!("write_file(to: {})", literal::text(path)));
        is_svg.then_some(())
    }

    fn finish(&self, shape: Shape, stages: &mut Vec<String>) -> Option<()> {
        if let Some(mark) = self.chart {
            return self.drawn(mark, shape, stages);
        }
        if self.is_numbered {
            if shape != Shape::Texts {
                return None;
            }
            stages.extend([
                "enumerate".to_owned(),
                "each { \"${.index + 1}. ${.item}\" }".to_owned(),
            ]);
        }
        let format = match (&self.target, self.format) {
            (Some(path), Format::Value) => match path.rsplit('.').next() {
                Some("csv") => Format::Csv,
                Some("json") => Format::Json,
                Some("md") if shape != Shape::Texts => Format::Markdown,
                _ => Format::Value,
            },
            (_, format) => format,
        };
        let is_table = matches!(format, Format::Csv | Format::Markdown);
        if is_table && shape == Shape::One {
            return None;
        }
        match format {
            // A table needs a column with a name.
            Format::Csv | Format::Markdown if shape == Shape::Texts => {
                let [column] = self.columns.as_slice() else { return None };
                if !self.template.is_empty() || self.is_numbered {
                    return None;
                }
                let name = self.name(*column);
                stages.push(format!("each {{ {{ {name}: it }} }}"));
                stages
                    .push(if format == Format::Csv { "to_csv" } else { "to_markdown" }.to_owned());
            }
            Format::Csv => stages.push("to_csv".to_owned()),
            Format::Markdown => stages.push("to_markdown".to_owned()),
            Format::Json if self.target.is_none() => stages.push("to_json".to_owned()),
            _ => {}
        }
        let Some(path) = self.target.as_deref().map(literal::text) else { return Some(()) };
        match (format, shape) {
            (Format::Json, _) => {
                stages.push(format!("save_json(to: {path})"));
                return Some(());
            }
            (Format::Value, Shape::Texts) => stages.push("join(sep: \"\\n\")".to_owned()),
            (Format::Value, Shape::One) => stages.push("show".to_owned()),
            (Format::Value, Shape::Rows) => return None,
            _ => {}
        }
        stages.push(format!("write_file(to: {path})"));
        Some(())
    }
}

/// The stage for the value below which so many percent of the numbers are.
fn quantile(percent: u8) -> String {
    format!("quantile(q: {})", f64::from(percent) / 100.0)
}

/// The stage for conditions that must all be true.
fn choice(conditions: &[&str]) -> Option<String> {
    (!conditions.is_empty()).then(|| format!("where {{ {} }}", conditions.join(" and ")))
}
