//! Random expressions of a type, in every form that the language has for it.

use svc_contract::value::{Type, json};

use super::{
    values::{self, list, literal, pick, value},
    write::{Signature, Writer},
};

impl Writer<'_> {
    /// An expression that should have a type.
    pub(super) fn expr(&mut self, ty: &Type, depth: usize) -> String {
        if depth == 0 || !self.burn() {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        match self.rng.u8(0..16) {
            0..=2 => self.leaf(ty),
            3 => self.never(),
            4..=7 => self.form(ty, depth),
            _ => self.of_type(ty, depth),
        }
    }

    /// A name or a literal.
    pub(super) fn leaf(&mut self, ty: &Type) -> String {
        let names: Vec<&(String, Type)> = self.names.iter().filter(|(_, it)| it.fits(ty)).collect();
        let exact: Vec<&(String, Type)> =
            names.iter().copied().filter(|(_, it)| !it.changes_into(ty)).collect();
        let names = if exact.is_empty() || self.rng.u8(0..5) == 0 { names } else { exact };
        if !names.is_empty() && self.rng.u8(0..4) > 0 {
            return pick(self.rng, &names).0.clone();
        }
        match ty {
            Type::Secret => "key".to_owned(),
            _ => literal(&value(self.rng, ty)),
        }
    }

    /// An expression that never has a value.
    fn never(&mut self) -> String {
        let all = [
            "fail(\"no\")",
            "fail(\"no\")[0]",
            "fail(\"no\").a",
            "(fail(\"no\") >> first)",
            "(fail(\"no\") >> each { it })",
            "(fail(\"no\") >> where { it } >> first)",
            "(fail(\"no\") >> group { it })",
            "max(fail(\"no\"))",
            "sum(fail(\"no\"))",
            "(fail(\"no\") + 1)",
            "(-fail(\"no\"))",
            "(not fail(\"no\"))",
            "(match fail(\"no\") { _ => 1 })",
            "(if fail(\"no\") { 1 } else { 2 })",
            "(fail(\"no\") >> repeat 2 { it } until it == 1 else { it })",
            "({ ...fail(\"no\"), a: 1 } >> .a)",
            "clamp(1, fail(\"no\"), 2)",
            "(fail(\"no\") as int)",
            "(fail(\"no\") ?? 1)",
            "([] >> first)",
            "max([])",
            "([] >> each { it } >> first)",
            "([fail(\"no\")] >> first)",
            "(fail(\"no\") >> wait(duration: 1ms))",
        ];
        (*pick(self.rng, &all)).to_owned()
    }

    /// A condition.
    pub(super) fn condition(&mut self, depth: usize) -> String {
        if depth == 0 || !self.burn() {
            return ["true", "1 < 2", "len(\"a\") == 2"][self.rng.usize(0..3)].to_owned();
        }
        self.of_type(&Type::Bool, depth - 1)
    }

    /// The forms that exist for every type.
    fn form(&mut self, ty: &Type, depth: usize) -> String {
        match self.rng.u8(0..24) {
            19 | 20 if !holds_secret(ty) => self.generic(ty, depth),
            21 | 22 => self.narrowed(ty, depth),
            23 if !holds_secret(ty) => self.of_map(ty, depth),
            0 | 1 => {
                let (condition, one, other) =
                    (self.condition(depth), self.expr(ty, depth), self.expr(ty, depth));
                format!("(if {condition} {{ {one} }} else {{ {other} }})")
            }
            2 => {
                let (value, one, other) =
                    (self.condition(depth), self.expr(ty, depth), self.expr(ty, depth));
                format!("(match {value} {{ true => {one}, false => {other} }})")
            }
            3 => {
                let many = self.leaf(&values::many());
                let (one, other) = (self.expr(ty, depth), self.expr(ty, depth));
                format!("(match {many} {{ \"a\" | \"b\" => {one}, _ => {other} }})")
            }
            4 => format!("(({}) fallback {})", self.expr(ty, depth), self.expr(ty, depth)),
            5 if !ty.is_optional() && *ty != Type::Secret => {
                let (one, other) = (self.expr(ty, depth), self.expr(ty, depth));
                format!("([{one}, null][{}] ?? {other})", self.rng.u8(0..3))
            }
            6 => format!("first({})", self.expr(&list(ty.clone(), None), depth)),
            7 => {
                let other = values::plain(self.rng);
                let (a, b) = (self.expr(ty, depth), self.expr(&other, depth));
                format!("({{ a: {a}, b: {b} }} >> .a)")
            }
            8 | 9 => self.repeat(ty, depth),
            10..=12 => self.called(ty, depth),
            13 if !holds_secret(ty) => {
                let json = json::write(&value(self.rng, ty)).replace('\'', "");
                format!("(parse_json('{json}') as {})", shown(ty))
            }
            14 if !holds_secret(ty) && !self.is_quick => {
                format!(
                    "({} >> rhai(x: {}) -> {} {{ x }})",
                    self.expr(ty, depth),
                    shown(ty),
                    shown(ty)
                )
            }
            15 if !self.is_quick => format!("({} >> wait(duration: 1ms))", self.expr(ty, depth)),
            16 => self.block(ty, depth),
            17 => self.branches(ty, depth),
            18 if ty.is_optional() => {
                let inner = ty.required().clone();
                format!("{}[0]", self.expr(&list(inner, None), depth))
            }
            _ => self.of_type(ty, depth),
        }
    }

    /// A call of a generic flow.
    fn generic(&mut self, ty: &Type, depth: usize) -> String {
        let other = values::plain(self.rng);
        let (a, b, c) = (self.expr(ty, depth), self.expr(ty, depth), self.expr(&other, depth));
        match self.rng.u8(0..7) {
            0 => format!("same({a})"),
            1 => format!("({a} >> same >> same)"),
            2 => format!("nth([{a}, {b}], {})", self.rng.i8(-2..3)),
            3 => format!("(both({a}, b: {c}) >> .a)"),
            4 => format!("(both(same({c}), {a}).b)"),
            5 if !self.is_quick => format!("({a} >> by(change: {}))", self.flow_name(ty, ty)),
            _ => format!("or_else([{a}, null][{}], {b})", self.rng.u8(0..3)),
        }
    }

    /// A value that a condition shows not to be null.
    fn narrowed(&mut self, ty: &Type, depth: usize) -> String {
        let is_it = |it: &&(String, Type)| it.1.is_optional() && it.1.required().fits(ty);
        let names: Vec<String> = self.names.iter().filter(is_it).map(|it| it.0.clone()).collect();
        let other = self.expr(ty, depth);
        if names.is_empty() || ty.is_optional() {
            if ty.is_optional() || *ty == Type::Secret {
                return other;
            }
            let one = self.expr(ty, depth);
            return format!("([{one}, null] >> where {{ it != null }} >> first)");
        }
        let name = pick(self.rng, &names).clone();
        match self.rng.u8(0..5) {
            0 => format!("(if {name} != null {{ {name} }} else {{ {other} }})"),
            1 => format!("(if {name} == null or false {{ {other} }} else {{ {name} }})"),
            2 => format!("(match {name} {{ null => {other}, _ => {name} }})"),
            3 => format!("(if not ({name} == null) and true {{ {name} }} else {{ {other} }})"),
            _ => format!(
                "([{{ v: {name} }}] >> where {{ .v != null }} >> each {{ .v }})[0] ?? {other}"
            ),
        }
    }

    /// A value of a map.
    fn of_map(&mut self, ty: &Type, depth: usize) -> String {
        let (one, other) = (self.expr(ty, depth), self.expr(ty, depth));
        let map = match self.rng.u8(0..3) {
            0 => format!("([{{ key: \"a\", value: {one} }}] >> to_map)"),
            1 => format!("merge({{ a: {one} }}, {{ b: {other} }})"),
            _ => format!("same([{{ key: \"b\", value: {one} }}] >> to_map)"),
        };
        let is_plain = !ty.is_optional() && *ty != Type::Secret;
        match self.rng.u8(0..3) {
            0 if is_plain => format!("({map}[\"a\"] ?? {other})"),
            1 => format!("({map} >> entries >> each {{ .value }} >> first)"),
            _ => format!("first(values({map}))"),
        }
    }

    /// Turns of the same type, or of a narrower type than the result.
    fn repeat(&mut self, ty: &Type, depth: usize) -> String {
        let turn = match (ty, self.rng.bool()) {
            (Type::Float(None), true) => Type::INT,
            (Type::Optional(inner), true) => inner.as_ref().clone(),
            (Type::List(item, None), true) if **item == Type::FLOAT => list(Type::INT, None),
            (Type::Int(None), true) => Type::Int(Some((1, 5))),
            _ => ty.clone(),
        };
        let input = self.expr(&turn, depth);
        let (body, until, otherwise) = self.entered(&turn, |this| {
            let body = this.expr(&turn, depth);
            let until = this.quickly(|this| this.condition(depth));
            (body, until, this.expr(ty, depth))
        });
        format!("({input} >> repeat 3 {{ {body} }} until {until} else {{ {otherwise} }})")
    }

    /// A call of a flow, or of a parameter that is a flow.
    fn called(&mut self, ty: &Type, depth: usize) -> String {
        if self.is_quick {
            return self.of_type(ty, depth);
        }
        let all = self.flows.iter().chain(&self.given);
        let fitting: Vec<Signature> = all.filter(|it| it.gives.fits(ty)).cloned().collect();
        if fitting.is_empty() {
            return self.of_type(ty, depth);
        }
        let flow = pick(self.rng, &fitting).clone();
        let input = self.expr(&flow.takes, depth);
        let mut args = Vec::new();
        if let Some((name, ty)) = &flow.more {
            args.push(format!("{name}: {}", self.expr(ty, depth)));
        }
        if let Some((name, takes, gives)) = &flow.flow {
            args.push(format!("{name}: {}", self.flow_name(takes, gives)));
        }
        if args.is_empty() {
            format!("({input} >> {})", flow.name)
        } else {
            format!("({input} >> {}({}))", flow.name, args.join(", "))
        }
    }

    /// A block with a `let`.
    fn block(&mut self, ty: &Type, depth: usize) -> String {
        let (item, bound) = (values::plain(self.rng), values::ty(self.rng, 1));
        let (name, entering) = (self.name('b'), self.expr(&item, depth));
        let text = self.entered(&item, |this| {
            let value = this.expr(&bound, depth);
            this.names.push((name.clone(), bound.clone()));
            let result = this.expr(ty, depth);
            this.names.pop();
            format!("let {name} = {value}  {result}")
        });
        format!("([{entering}] >> each {{ {text} }} >> first)")
    }

    fn branches(&mut self, ty: &Type, depth: usize) -> String {
        let item = values::plain(self.rng);
        let entering = self.expr(&item, depth);
        if self.rng.u8(0..3) == 0 {
            let (one, other) =
                self.entered(&item, |this| (this.expr(ty, depth), this.expr(ty, depth)));
            return format!("({entering} >> race {{ a: ({one}), b: ({other}) }})");
        }
        let (one, other) =
            self.entered(&item, |this| (this.expr(ty, depth), this.expr(&Type::INT, depth)));
        let optional = ty.is_optional() && self.rng.bool();
        let mark = if optional { "?" } else { "" };
        format!("({entering} >> parallel {{ a{mark}: ({one}), b?: ({other}) }} >> .a)")
    }

    /// An expression in which a value is available as `it`.
    pub(super) fn entered<T>(&mut self, ty: &Type, write: impl FnOnce(&mut Self) -> T) -> T {
        let known = self.names.clone();
        self.names.retain(|(name, _)| name != "it");
        self.names.push(("it".to_owned(), ty.clone()));
        let written = write(self);
        self.names = known;
        written
    }

    /// An expression that may call only fast ops.
    pub(super) fn quickly<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.is_quick, true);
        let written = write(self);
        self.is_quick = before;
        written
    }
}

pub(super) fn holds_secret(ty: &Type) -> bool {
    ty.holds_secret()
}

pub(super) fn shown(ty: &Type) -> String {
    ty.to_string()
}
