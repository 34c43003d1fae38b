//! The structure of a type as text: equal for two types that accept the same values.

use std::fmt::Write as _;

use super::Type;

impl Type {
    /// The whole type without the names given by scripts: fields in order, variants, ranges and
    /// limits. Two types with the same structure accept the same values.
    pub fn structure(&self) -> String {
        let mut text = String::new();
        self.write_structure(&mut text);
        text
    }

    /// Writing to a string cannot fail.
    fn write_structure(&self, out: &mut String) {
        match self {
            Self::List(item, max) => {
                out.push('[');
                item.write_structure(out);
                if let Some(max) = max {
                    let _ = write!(out, "; max {max}");
                }
                out.push(']');
            }
            Self::Record(of) => {
                out.push('{');
                for (name, ty) in &of.fields {
                    let _ = write!(out, " {name:?}: ");
                    ty.write_structure(out);
                    out.push(',');
                }
                out.push_str(" }");
            }
            Self::Map(item) => {
                out.push_str("map<");
                item.write_structure(out);
                out.push('>');
            }
            Self::Enum(of) => {
                let variants: Vec<String> =
                    of.variants.iter().map(|it| format!("{it:?}")).collect();
                out.push_str(&variants.join(" | "));
            }
            Self::Optional(inner) => {
                out.push('(');
                inner.write_structure(out);
                out.push_str(")?");
            }
            Self::Flow(of) => {
                out.push_str("flow<");
                of.takes.write_structure(out);
                out.push_str(" -> ");
                of.gives.write_structure(out);
                out.push('>');
            }
            Self::Float(Some((low, high))) => {
                let _ = write!(out, "float {low:?}..{high:?}");
            }
            // These types have no parts and no names.
            plain => {
                let _ = write!(out, "{plain}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{EnumType, RecordType};
    use super::*;

    #[test]
    fn names_of_types_do_not_matter_and_all_else_does() {
        let kind = |name: &str, variants: &[&str]| {
            let variants = variants.iter().map(|it| (*it).into()).collect();
            Type::Enum(Arc::new(EnumType { name: Some(name.into()), variants }))
        };
        let record = |name: &str, fields: Vec<(&str, Type)>| {
            let fields = fields.into_iter().map(|(name, ty)| (name.into(), ty)).collect();
            Type::Record(Arc::new(RecordType { name: Some(name.into()), fields }))
        };
        let note =
            |name, kind| record(name, vec![("kind", kind), ("tags", Type::list(Type::Text))]);
        let one = note("A", kind("K", &["x", "y"]));
        assert_eq!(one.structure(), note("B", kind("L", &["x", "y"])).structure());
        let others = [
            note("A", kind("K", &["x", "y", "z"])),
            note("A", kind("K", &["y", "x"])),
            note("A", kind("K", &["x\" | \"y"])),
            note("A", kind("K", &["x", "y"]).optional()),
            record("A", vec![("tags", Type::list(Type::Text)), ("kind", kind("K", &["x", "y"]))]),
            record("A", vec![("kind", kind("K", &["x", "y"]))]),
            Type::Int(Some((1, 5))),
            Type::Int(Some((1, 6))),
            Type::List(Arc::new(Type::INT), Some(3)),
            Type::list(Type::INT),
            Type::list(Type::INT.optional()),
            Type::list(Type::INT).optional(),
        ];
        for (idx, it) in others.iter().enumerate() {
            assert_ne!(one.structure(), it.structure());
            let further = &others[idx + 1..];
            assert!(further.iter().all(|other| other.structure() != it.structure()), "{it}");
        }
    }
}
