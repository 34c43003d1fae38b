//! Random expressions that exist only for values of one kind.

use svc_contract::value::Type;

use super::{
    values::{self, list, literal, pick, value},
    write::Writer,
};

impl Writer<'_> {
    /// An expression of the same kind as a type.
    pub(super) fn of_type(&mut self, ty: &Type, depth: usize) -> String {
        match ty {
            Type::Int(range) => self.int(*range, depth),
            Type::Float(_) => self.float(depth),
            Type::Text => self.text(depth),
            Type::Bool => self.truth(depth),
            Type::Duration | Type::Money | Type::Size => self.unit(ty, depth),
            Type::Time | Type::Date => self.moment(ty, depth),
            Type::List(item, max) => self.items(item, *max, depth),
            Type::Record(_) => self.record(ty, depth),
            Type::Optional(inner) => match self.rng.u8(0..5) {
                0 => "null".to_owned(),
                1 => format!("{}[-1]", self.expr(&list(inner.as_ref().clone(), None), depth)),
                2 => format!("({{ x: {} }} >> .x)", self.expr(ty, depth)),
                _ => self.expr(inner, depth),
            },
            _ => self.leaf(ty),
        }
    }

    /// A whole number, computed from numbers with or without ranges.
    fn int(&mut self, range: Option<(i64, i64)>, depth: usize) -> String {
        let inside = Type::Int(Some(range.unwrap_or((1, 5))));
        let operand = if self.rng.bool() { inside.clone() } else { Type::INT };
        match self.rng.u8(0..15) {
            0..=2 => {
                let (a, b) = (self.expr(&operand, depth), self.expr(&inside, depth));
                format!("({a} {} {b})", pick(self.rng, &["+", "-", "*", "%"]))
            }
            3 => format!("abs({})", self.expr(&Type::Int(Some((-4, -1))), depth)),
            4 | 5 => {
                let (a, b) = (self.expr(&inside, depth), self.expr(&inside, depth));
                format!("sum([{a}, {b}, {}])", self.expr(&inside, depth))
            }
            6 => format!(
                "{}({})",
                pick(self.rng, &["min", "max", "first", "last"]),
                self.expr(&list(operand, None), depth)
            ),
            7 => {
                let (number, low) = (self.expr(&operand, depth), self.expr(&Type::INT, 0));
                format!("clamp({number}, {low}, 9)")
            }
            8 => format!("(-{})", self.expr(&operand, depth)),
            9 => format!("len({})", self.expr(&list(inside, Some(3)), depth)),
            10 => format!("len({})", self.expr(&Type::Text, depth)),
            11 => format!(
                "{}({})",
                pick(self.rng, &["floor", "ceil"]),
                self.expr(&Type::FLOAT, depth)
            ),
            12 => format!("div({}, {})", self.expr(&operand, depth), self.expr(&inside, depth)),
            13 => format!("({} >> sum)", self.expr(&list(inside, Some(3)), depth)),
            _ => self.expr(&inside, depth),
        }
    }

    fn float(&mut self, depth: usize) -> String {
        let ranged = Type::Float(Some((-1.0, 2.5)));
        match self.rng.u8(0..10) {
            0 | 1 => {
                let (a, b) = (self.expr(&ranged, depth), self.expr(&Type::FLOAT, depth));
                format!("({a} {} {b})", pick(self.rng, &["+", "-", "*"]))
            }
            2 => format!("({} / {})", self.expr(&Type::INT, depth), self.expr(&Type::INT, depth)),
            3 => format!("avg({})", self.expr(&list(Type::INT, None), depth)),
            4 => format!("sum([{}, {}])", self.expr(&ranged, depth), self.expr(&Type::INT, depth)),
            5 => format!("clamp({}, 0.5, 9.5)", self.expr(&Type::INT, depth)),
            6 => format!("round({}, 1)", self.expr(&Type::FLOAT, depth)),
            7 => format!("max([{}, {}])", self.expr(&Type::INT, depth), self.expr(&ranged, depth)),
            8 if !self.is_quick => self.evaluated(depth),
            _ => self.expr(&Type::INT, depth),
        }
    }

    /// The evaluation of a flow; the cases are a literal or values like those of a literal.
    fn evaluated(&mut self, depth: usize) -> String {
        let flow = self.flows.iter().filter(|it| it.flow.is_none() && it.more.is_none()).cloned();
        let flows: Vec<_> = flow.collect();
        let (name, takes, gives) = if flows.is_empty() {
            ("to_int".to_owned(), Type::Text, Type::INT)
        } else {
            let flow = pick(self.rng, &flows).clone();
            (flow.name, flow.takes, flow.gives)
        };
        let case = |this: &mut Self| {
            let (input, expected) = (this.expr(&takes, depth), this.expr(&gives, depth));
            format!("{{ input: {input}, expected: {expected} }}")
        };
        let cases = format!("[{}, {}]", case(self), case(self));
        let cases = if self.rng.u8(0..4) == 0 { "[]".to_owned() } else { cases };
        let take = match self.rng.u8(0..3) {
            0 => ".score",
            1 => "(len(.results) / 1)",
            _ => "(if .results[0]?.got == null { 1.0 } else { .score })",
        };
        format!("({cases} >> evaluate(flow: {name}) >> {take})")
    }

    fn text(&mut self, depth: usize) -> String {
        match self.rng.u8(0..12) {
            0 | 1 => {
                let ty = values::plain(self.rng);
                format!("\"${{{}}}!\"", self.expr(&ty, depth))
            }
            2 => format!("({} + {})", self.expr(&Type::Text, depth), self.expr(&Type::Text, depth)),
            3 => format!(
                "{}({})",
                pick(self.rng, &["upper", "lower", "trim"]),
                self.expr(&Type::Text, depth)
            ),
            4 => format!("join({}, \"-\")", self.expr(&list(Type::Text, None), depth)),
            5 => {
                let ty = values::ty(self.rng, 1);
                format!("show({})", self.expr(&ty, depth))
            }
            6 => format!(
                "replace({}, \"a\", {})",
                self.expr(&Type::Text, depth),
                self.expr(&Type::Text, depth)
            ),
            7 => self.leaf(&values::many()),
            8 => format!(
                "slice({}, 0, {})",
                self.expr(&Type::Text, depth),
                self.expr(&Type::Int(Some((0, 3))), depth)
            ),
            9 if self.names.iter().any(|(_, it)| *it == Type::Secret) && !self.is_quick => {
                let key = self.expr(&Type::Secret, depth);
                match self.rng.u8(0..4) {
                    0 => format!("\"${{{key}}}\""),
                    _ => format!("({} >> hide(k: {key}))", self.expr(&Type::Text, depth)),
                }
            }
            10 if self.has_batch && !self.is_quick => {
                let texts = self.expr(&list(Type::Text, None), depth);
                if self.rng.bool() {
                    format!("({texts} >> batch.each_of(work: upper) >> \"${{it}}\")")
                } else {
                    "((\"x y\" >> retry.simpler(answer: upper) >> .answer) ?? \"\")".to_owned()
                }
            }
            _ => format!("first({})", self.expr(&list(Type::Text, None), depth)),
        }
    }

    fn truth(&mut self, depth: usize) -> String {
        let ty = values::plain(self.rng);
        match self.rng.u8(0..8) {
            0 | 1 => {
                let (a, b) = (self.expr(&ty, depth), self.expr(&ty, depth));
                format!("({a} {} {b})", pick(self.rng, &["<", "<=", ">", ">="]))
            }
            2 => {
                let ty = values::ty(self.rng, 1);
                let (a, b) = (self.expr(&ty, depth), self.expr(&ty, depth));
                format!("({a} {} {b})", pick(self.rng, &["==", "!="]))
            }
            3 => format!(
                "contains({}, {})",
                self.expr(&list(ty.clone(), None), depth),
                self.expr(&ty, depth)
            ),
            4 => format!(
                "contains({}, {})",
                self.expr(&Type::Text, depth),
                self.expr(&Type::Text, depth)
            ),
            5 => format!("(not {})", self.condition(depth)),
            6 => format!(
                "({} {} {})",
                self.condition(depth),
                pick(self.rng, &["and", "or"]),
                self.condition(depth)
            ),
            _ => format!("starts_with({}, \"a\")", self.expr(&Type::Text, depth)),
        }
    }

    /// A time or a date, moved by a duration that may be no whole number of days.
    fn moment(&mut self, ty: &Type, depth: usize) -> String {
        let (moment, list) = (self.expr(ty, depth), list(ty.clone(), None));
        match self.rng.u8(0..6) {
            0 => format!("({moment} + {})", self.expr(&Type::Duration, depth)),
            1 => format!("({moment} - {})", self.expr(&Type::Duration, depth)),
            2 => format!("(1d + {moment})"),
            3 => format!("min({})", self.expr(&list, depth)),
            4 if *ty == Type::Time => format!("start_of({moment}, \"month\", \"Europe/Berlin\")"),
            4 => format!("add_months({moment}, {})", self.expr(&Type::INT, depth)),
            _ if *ty == Type::Date => {
                format!("date_in({}, \"UTC\")", self.expr(&Type::Time, depth))
            }
            _ => format!("time_at({}, \"02:30\", \"UTC\")", self.expr(&Type::Date, depth)),
        }
    }

    fn unit(&mut self, ty: &Type, depth: usize) -> String {
        match self.rng.u8(0..8) {
            0 => format!("({} + {})", self.expr(ty, depth), self.expr(ty, depth)),
            1 => format!("({} - {})", self.expr(ty, depth), self.expr(ty, depth)),
            7 if *ty == Type::Duration => {
                let moment = pick(self.rng, &[Type::Time, Type::Date]).clone();
                format!("({} - {})", self.expr(&moment, depth), self.expr(&moment, depth))
            }
            2 => format!(
                "({} * {})",
                self.expr(ty, depth),
                self.expr(&Type::Int(Some((1, 5))), depth)
            ),
            3 => format!("({} / {})", self.expr(ty, depth), self.expr(&Type::INT, depth)),
            4 => format!("sum([{}, {}])", self.expr(ty, depth), self.expr(ty, depth)),
            5 => format!("abs({})", self.expr(ty, depth)),
            _ => format!("clamp({}, {}, {})", self.expr(ty, depth), self.leaf(ty), self.leaf(ty)),
        }
    }

    fn record(&mut self, ty: &Type, depth: usize) -> String {
        let Type::Record(of) = ty else { return self.leaf(ty) };
        let mut fields = Vec::new();
        for (name, ty) in &of.fields {
            // A field that may be null may be absent.
            if !(ty.is_optional() && self.rng.u8(0..5) == 0) {
                fields.push(format!("{name}: {}", self.expr(ty, depth)));
            }
        }
        let fields = fields.join(", ");
        match self.rng.u8(0..4) {
            0 => format!("{{ ...{}, {fields} }}", self.expr(ty, depth)),
            1 => {
                let more = values::plain(self.rng);
                format!("{{ {fields}, z: {} }}", literal(&value(self.rng, &more)))
            }
            _ => format!("{{ {fields} }}"),
        }
    }
}
