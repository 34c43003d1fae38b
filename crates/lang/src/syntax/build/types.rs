//! Type expressions.

use pest::iterators::Pair;

use super::Builder;
use crate::{
    diag::{Code, Problem},
    syntax::{
        Rule,
        ast::{TypeExpr, TypeKind},
    },
};

impl Builder<'_> {
    pub(super) fn ty(&mut self, pair: Pair<'_, Rule>) -> TypeExpr {
        let span = self.span(&pair);
        let mut inner = pair.into_inner();
        let base = inner.next().expect("a type has a base");
        let mut kind = stacker::maybe_grow(64 << 10, 1 << 20, || self.base_type(base));
        for suffix in inner {
            let plain = Box::new(TypeExpr { kind, span });
            kind = match suffix.as_rule() {
                Rule::range => {
                    let mut ends = suffix.into_inner().map(|it| number(it.as_str()));
                    let low = ends.next().unwrap_or_default();
                    TypeKind::Range(plain, low, ends.next().unwrap_or_default())
                }
                _ => TypeKind::Optional(plain),
            };
        }
        TypeExpr { kind, span }
    }

    fn base_type(&mut self, pair: Pair<'_, Rule>) -> TypeKind {
        match pair.as_rule() {
            Rule::list_type => {
                let mut inner = pair.into_inner();
                let item = self.ty(inner.next().expect("a list type has an item type"));
                let max = inner.next().and_then(|it| self.list_max(&it));
                TypeKind::List(Box::new(item), max)
            }
            Rule::record_type if self.too_many("fields in a type", &pair, 0) => TypeKind::Broken,
            Rule::record_type => {
                TypeKind::Record(pair.into_inner().map(|it| self.type_field(it)).collect())
            }
            Rule::enum_type if self.too_many("choices of a type", &pair, 0) => TypeKind::Broken,
            Rule::enum_type => {
                let variants = pair.into_inner().map(|it| self.constant_text(it)).collect();
                TypeKind::Enum(variants)
            }
            Rule::secret_type => {
                let inner = pair.into_inner().nth(1).expect("a secret has a type");
                TypeKind::Secret(Box::new(self.ty(inner)))
            }
            Rule::map_type => {
                let item = pair.into_inner().nth(1).expect("a map has a type");
                TypeKind::Map(Box::new(self.ty(item)))
            }
            Rule::model_type => {
                let component = pair.into_inner().nth(1).expect("a model has a component");
                TypeKind::Model(self.word(&component))
            }
            Rule::flow_type => {
                let mut inner = pair.into_inner().skip(1);
                let takes = self.ty(inner.next().expect("a flow type has an input"));
                let gives = self.ty(inner.next().expect("a flow type has a result"));
                TypeKind::Flow(Box::new(takes), Box::new(gives))
            }
            _ => TypeKind::Name(self.word(&pair)),
        }
    }

    fn type_field(&mut self, pair: Pair<'_, Rule>) -> (crate::syntax::ast::Word, TypeExpr) {
        let mut inner = pair.into_inner();
        let name = self.word(&inner.next().expect("a field has a name"));
        (name, self.ty(inner.next().expect("a field has a type")))
    }

    fn list_max(&mut self, pair: &Pair<'_, Rule>) -> Option<u64> {
        let max = pair.as_str().replace('_', "").parse().ok();
        if max.is_none() {
            let span = self.span(pair);
            let message = format!("invalid maximum length `{}` of a list", pair.as_str());
            let problem =
                Problem::error(Code::E105, span, message).label("expected a whole number");
            self.problems.push(problem.help("write `[T; max 20]`"));
        }
        max
    }
}

fn number(text: &str) -> f64 {
    text.replace('_', "").parse().unwrap_or_default()
}
