//! Random expressions that are lists.

use svc_contract::value::Type;

use super::{
    values::{self, list, pick},
    write::Writer,
};

impl Writer<'_> {
    /// A list of items of a type, with at most `max` of them.
    pub(super) fn items(&mut self, item: &Type, max: Option<u64>, depth: usize) -> String {
        let all = list(item.clone(), None);
        let text = match self.rng.u8(0..17) {
            0 | 1 => {
                let count = self.rng.u64(0..4).min(max.unwrap_or(4));
                let items: Vec<String> = (0..count).map(|_| self.expr(item, depth)).collect();
                format!("[{}]", items.join(", "))
            }
            2 | 3 => format!("({} + {})", self.expr(&all, depth), self.expr(&all, depth)),
            4 => {
                let name = pick(self.rng, &["reverse", "unique"]);
                format!("{name}({})", self.expr(&all, depth))
            }
            5 => format!(
                "skip({}, {})",
                self.expr(&all, depth),
                self.expr(&Type::Int(Some((0, 3))), depth)
            ),
            6 => format!("flatten([{}, {}])", self.expr(&all, depth), self.expr(&all, depth)),
            7 => {
                let parts = self.expr(&all, depth);
                format!("flatten(chunk({parts}, {}))", self.expr(&Type::Int(Some((1, 2))), depth))
            }
            8 => format!("compact({})", self.expr(&list(item.clone().optional(), max), depth)),
            9 => {
                let items = self.expr(&all, depth);
                let key = self.entered(item, |this| this.quickly(|this| this.condition(depth)));
                format!("({items} >> where {{ {key} }})")
            }
            10 => {
                let (items, ty) = (self.expr(&all, depth), values::plain(self.rng));
                let key = self.entered(item, |this| this.quickly(|this| this.expr(&ty, depth)));
                format!("({items} >> sort {{ {key} }})")
            }
            11 => {
                let (items, ty) = (self.expr(&all, depth), values::ty(self.rng, 1));
                let key = self.entered(item, |this| this.quickly(|this| this.expr(&ty, depth)));
                format!("({items} >> group {{ {key} }} >> each {{ .items }} >> flatten)")
            }
            12 | 13 => {
                let of = values::plain(self.rng);
                let items = self.expr(&list(of.clone(), max), depth);
                let body = self.entered(&of, |this| this.expr(item, depth));
                if self.rng.bool() {
                    format!("({items} >> each {{ {body} }})")
                } else {
                    format!("({items} >> each? {{ {body} }} >> compact)")
                }
            }
            14 if self.rng.bool() => format!("(flatten([]) + {})", self.expr(&all, depth)),
            14 => format!("({} >> enumerate >> each {{ .item }})", self.expr(&all, depth)),
            15 if matches!(item, Type::Int(_)) => {
                format!("range(0, {} % 5)", self.expr(&Type::INT, depth))
            }
            16 if *item == Type::Text => {
                let (name, text) =
                    (pick(self.rng, &["words", "lines"]), self.expr(&Type::Text, depth));
                format!("{name}({text})")
            }
            _ => self.leaf(&list(item.clone(), max)),
        };
        match max {
            Some(max) if self.rng.u8(0..4) > 0 => format!("take({text}, {max})"),
            _ => text,
        }
    }
}
