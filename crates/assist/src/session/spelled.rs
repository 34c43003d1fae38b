//! Types, as a script of the session can write them.

use svc_contract::value::{Text, Type};
use svc_lang::diag::Source;

use super::Session;

/// A type by its name if the session knows it, else by its structure.
pub(super) fn spelled(session: &Session, ty: &Type) -> Text {
    let ty = known(ty);
    let [short, long] = [ty.to_string(), unnamed(&ty).to_string()];
    let is_right = |it: &&String| session.has_type(it, &ty);
    [&short, &long].into_iter().find(is_right).map_or("json".into(), |it| it.as_str().into())
}

impl Session {
    /// Whether a text is a valid type here, and equals `ty`.
    fn has_type(&self, spelled: &str, ty: &Type) -> bool {
        let text = format!("it_is\n\nparam it_is: {spelled}\n");
        let source: Source = self.source(&text, "");
        let plan = self.engine.check(source);
        let read = plan.ok().and_then(|it| it.main.map(|it| it.ty));
        read.is_some_and(|read| unnamed(&read) == unnamed(ty))
    }
}

/// The type with `json` for unknown parts.
fn known(ty: &Type) -> Type {
    match ty {
        Type::Unknown | Type::Never => Type::Json,
        Type::List(item, max) => Type::List(known(item).into(), *max),
        Type::Map(item) => Type::Map(known(item).into()),
        Type::Optional(inner) => Type::Optional(known(inner).into()),
        Type::Record(of) => {
            let fields = of.fields.iter().map(|(name, ty)| (name.clone(), known(ty))).collect();
            match (Type::record(fields), &of.name) {
                (Type::Record(new), Some(name)) => {
                    let mut new = new.as_ref().clone();
                    new.name = Some(name.clone());
                    Type::Record(new.into())
                }
                (new, _) => new,
            }
        }
        other => other.clone(),
    }
}

/// The type without the names of its parts.
fn unnamed(ty: &Type) -> Type {
    match ty {
        Type::List(item, max) => Type::List(unnamed(item).into(), *max),
        Type::Map(item) => Type::Map(unnamed(item).into()),
        Type::Optional(inner) => Type::Optional(unnamed(inner).into()),
        Type::Record(of) => {
            Type::record(of.fields.iter().map(|(name, ty)| (name.clone(), unnamed(ty))).collect())
        }
        Type::Enum(of) => {
            let mut of = of.as_ref().clone();
            of.name = None;
            Type::Enum(of.into())
        }
        other => other.clone(),
    }
}
