//! Type expressions, and the named records shared by components.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use svc_contract::{
    registry::{HintId, Near, Registry, near},
    value::{EnumType, FlowType, RecordType, Text, Type},
};

use super::{Checker, Term};
use crate::{
    diag::{Code, Problem, Span},
    syntax::{
        MAX_DEPTH,
        ast::{Item, ItemKind, TypeExpr, TypeKind, Word},
    },
};

/// The named plain types.
const PLAIN: [(&str, Type); 13] = [
    ("string", Type::Text),
    ("int", Type::INT),
    ("float", Type::FLOAT),
    ("bool", Type::Bool),
    ("duration", Type::Duration),
    ("time", Type::Time),
    ("date", Type::Date),
    ("money", Type::Money),
    ("size", Type::Size),
    ("path", Type::Path),
    ("bytes", Type::Bytes),
    ("json", Type::Json),
    ("never", Type::Never),
];

/// The most parts and levels of a type, written out in full.
pub(super) const MOST_PARTS: usize = 10_000;
const MOST_LEVELS: usize = MAX_DEPTH;

/// Names of types in other languages, and their names here.
const FOREIGN: [(&str, &str); 18] = [
    ("str", "string"),
    ("text", "string"),
    ("String", "string"),
    ("integer", "int"),
    ("number", "float"),
    ("double", "float"),
    ("boolean", "bool"),
    ("Bool", "bool"),
    ("Int", "int"),
    ("any", "json"),
    ("object", "json"),
    ("file", "path"),
    ("datetime", "time"),
    ("DateTime", "time"),
    ("timestamp", "time"),
    ("instant", "time"),
    ("list", "[T]"),
    ("array", "[T]"),
];

/// The types of the script by name; of duplicates, the first.
type Declared<'a> = HashMap<Text, (&'a Word, &'a TypeExpr)>;

impl Checker<'_> {
    /// Resolves the types of the script, which may use each other in any order.
    pub(super) fn declare_types(&mut self, items: &[Item]) {
        let all: Vec<(&Word, &TypeExpr)> = items
            .iter()
            .filter_map(|it| match &it.kind {
                ItemKind::Type { name, ty } => Some((name, ty)),
                _ => None,
            })
            .collect();
        let mut declared = Declared::new();
        for (name, ty) in &all {
            declared.entry(name.text.clone()).or_insert((name, ty));
        }
        let mut open: Vec<Text> = Vec::new();
        for (name, ty) in &all {
            self.note_declared(name, ty);
        }
        for (name, _) in &all {
            self.declare_type(name, &declared, &mut open);
        }
        for (name, _) in &all {
            self.binds_type(name);
        }
    }

    fn declare_type(
        &mut self,
        name: &Word,
        declared: &Declared<'_>,
        open: &mut Vec<Text>,
    ) -> Option<Type> {
        if let Some(known) = self.types.get(&name.text) {
            return Some(known.clone());
        }
        let (word, expr) = declared.get(&name.text)?;
        if open.contains(&name.text) {
            self.report(
                Problem::error(
                    Code::E213,
                    word.span,
                    format!("the type `{}` contains itself", name.text),
                )
                .label("used in its own definition")
                .help("use `json` for trees: a record cannot contain a record of its own type")
                .suggest(name.span, "json"),
            );
            self.types.insert(name.text.clone(), Type::Unknown);
            return Some(Type::Unknown);
        }
        open.push(name.text.clone());
        let ty = if open.len() > MOST_LEVELS {
            self.too_large(word.span);
            Type::Unknown
        } else {
            self.resolve(expr, &mut |this, word| this.declare_type(word, declared, open))
        };
        open.pop();
        let ty = self.bearable(named(ty, &name.text), word.span);
        self.types.entry(name.text.clone()).or_insert(ty.clone());
        Some(ty)
    }

    /// Resolves a type expression.
    pub(super) fn ty(&mut self, expr: &TypeExpr) -> Type {
        let ty = self.resolve(expr, &mut |_, _| None);
        self.bearable(ty, expr.span)
    }

    /// Returns the type, or reports one that is too large: types are compared and shown part by
    /// part.
    fn bearable(&mut self, ty: Type, span: Span) -> Type {
        if !is_too_large(&ty) {
            return ty;
        }
        self.too_large(span);
        Type::Unknown
    }

    /// Like [`Self::bearable`], for the type of a value.
    pub(super) fn of_limited_type(&mut self, term: Term) -> Term {
        if !is_too_large(&term.ty) {
            return term;
        }
        self.too_large(term.span);
        Term::unknown(term.span)
    }

    fn too_large(&mut self, span: Span) {
        let message =
            format!("the type is too large (limit {MOST_PARTS} parts, {MOST_LEVELS} levels)");
        self.report(
            Problem::error(Code::E104, span, message)
                .label("too large here")
                .help("keep only the fields that you need"),
        );
    }

    fn resolve(
        &mut self,
        expr: &TypeExpr,
        other: &mut dyn FnMut(&mut Self, &Word) -> Option<Type>,
    ) -> Type {
        match &expr.kind {
            TypeKind::Broken => Type::Unknown,
            TypeKind::Name(word) => self.type_name(word, other),
            TypeKind::List(item, max) => Type::List(Arc::new(self.resolve(item, other)), *max),
            TypeKind::Optional(inner) => self.resolve(inner, other).optional(),
            TypeKind::Enum(variants) => {
                Type::Enum(Arc::new(EnumType { name: None, variants: variants.clone() }))
            }
            TypeKind::Secret(inner) => match self.resolve(inner, other) {
                Type::Text | Type::Unknown => Type::Secret,
                ty => {
                    self.only_text_is_secret(expr.span, &ty);
                    Type::Unknown
                }
            },
            TypeKind::Flow(takes, gives) => {
                let (takes, gives) = (self.resolve(takes, other), self.resolve(gives, other));
                Type::Flow(Arc::new(FlowType { takes, gives }))
            }
            TypeKind::Map(item) => Type::Map(Arc::new(self.resolve(item, other))),
            TypeKind::Model(component) => self.model_type(component),
            TypeKind::Record(fields) => self.record_type(fields, other),
            TypeKind::Range(inner, low, high) => {
                let inner = self.resolve(inner, other);
                self.range(expr, inner, *low, *high)
            }
        }
    }

    fn type_name(
        &mut self,
        word: &Word,
        other: &mut dyn FnMut(&mut Self, &Word) -> Option<Type>,
    ) -> Type {
        let name = word.text.as_ref();
        if let Some((_, ty)) = PLAIN.iter().find(|(it, _)| *it == name) {
            return ty.clone();
        }
        if let Some(param) = self.type_params.iter().find(|it| it.text == word.text) {
            let (defined, ty) = (param.span, Type::Var(word.text.clone()));
            self.note_type_param(word.span, defined, &ty);
            return ty;
        }
        if let Some(ty) = self.types.get(name).cloned().or_else(|| other(self, word)) {
            self.mention_type(word, &ty);
            return ty;
        }
        if let Some((module, imported)) = name.split_once('.')
            && self.imports.contains_key(module)
        {
            self.mention_imported_type(word, module, imported);
            return self.imported_type(module, imported).unwrap_or_else(|| {
                self.not_imported(&dotted_words(word));
                Type::Unknown
            });
        }
        if let Some(ty) = self.registry.shared_type(name) {
            return ty;
        }
        let module = name.split('.').next().unwrap_or(name);
        if self.broken_names.contains(name) || self.broken_names.contains(module) {
            return Type::Unknown;
        }
        self.unknown_type(word);
        Type::Unknown
    }

    fn model_type(&mut self, word: &Word) -> Type {
        let name = word.text.as_ref();
        let Some(found) = self.registry.find(name) else {
            let mut problem =
                Problem::error(Code::E207, word.span, format!("unknown component `{name}`"))
                    .label("unknown component");
            if let Some(meant) = self.registry.suggest(name) {
                let help = format!("did you mean `{meant}`?");
                problem = problem.help(help).suggest(word.span, meant);
            }
            self.report(problem);
            return Type::Unknown;
        };
        let component = found.component();
        if !component.learns() {
            let message = format!("`{name}` does not learn, so it has no models");
            self.report(
                Problem::error(Code::E207, word.span, message)
                    .label("does not learn")
                    .help(HintId::NameLearner),
            );
            return Type::Unknown;
        }
        Type::Model(component.name.into())
    }

    fn only_text_is_secret(&mut self, span: Span, ty: &Type) {
        self.report(
            Problem::error(Code::E207, span, format!("a secret cannot be of type {ty}"))
                .label("not a string")
                .help("write `secret<string>`: a secret is a string"),
        );
    }

    fn unknown_type(&mut self, word: &Word) {
        let name = word.text.as_ref();
        let meant = self.meant_type(&word.text);
        let mut problem = Problem::error(Code::E207, word.span, format!("unknown type `{name}`"))
            .label("not built in, declared or imported")
            .help("declare it with `type Name = { field: type }`");
        if let Some((meant, is_sure)) = meant {
            problem = problem.help(format!("did you mean `{meant}`?"));
            if meant != "[T]" {
                problem = problem.fix(word.span, meant).suggested_if(!is_sure);
            }
        }
        self.report(problem);
    }

    /// The type most likely meant by an unknown one, and whether that is certain.
    fn meant_type(&mut self, name: &Text) -> Option<(String, bool)> {
        let key = (name.clone(), self.types.len());
        if let Some(known) = self.meant_types.get(&key) {
            return known.clone();
        }
        let foreign = FOREIGN.iter().find(|(it, _)| **it == **name).map(|(_, it)| *it);
        // These names correspond to more than one type here.
        let is_one = !matches!(name.as_ref(), "number" | "any" | "object" | "file");
        let foreign = foreign.map(|name| Near { name, is_sure: is_one });
        if foreign.is_none() && !self.suggests() {
            return None;
        }
        let plain = PLAIN.iter().map(|(it, _)| *it);
        let own = self.types.keys().map(AsRef::as_ref);
        let known = plain.chain(own).chain(self.registry.types().map(|it| it.name));
        let meant = foreign.or_else(|| near(name, known));
        let meant = meant.map(|it| (it.name.to_owned(), it.is_sure));
        self.meant_types.insert(key, meant.clone());
        meant
    }

    fn record_type(
        &mut self,
        fields: &[(Word, TypeExpr)],
        other: &mut dyn FnMut(&mut Self, &Word) -> Option<Type>,
    ) -> Type {
        let mut known: Vec<(Text, Type)> = Vec::new();
        let mut names: HashSet<&Text> = HashSet::new();
        for (name, ty) in fields {
            let ty = self.resolve(ty, other);
            if !names.insert(&name.text) {
                self.report(
                    Problem::error(
                        Code::E210,
                        name.span,
                        format!("duplicate field `{}`", name.text),
                    )
                    .label("again")
                    .help("give it another name"),
                );
                continue;
            }
            known.push((name.text.clone(), ty));
        }
        Type::record(known)
    }

    fn range(&mut self, expr: &TypeExpr, inner: Type, low: f64, high: f64) -> Type {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "ends of int ranges are written as ints"
        )]
        let ranged = match inner {
            Type::Int(_) if low.fract() == 0.0 && high.fract() == 0.0 => {
                Type::Int(Some((low as i64, high as i64)))
            }
            Type::Float(_) => Type::Float(Some((low, high))),
            Type::Unknown => return Type::Unknown,
            Type::Var(name) => {
                let message = format!("the type parameter `{name}` cannot have a range");
                self.report(
                    Problem::error(Code::E207, expr.span, message)
                        .label("unexpected range")
                        .help(format!("write `{name}` alone, or a type of numbers: `float 0..1`"))
                        .suggest(expr.span, name.to_string()),
                );
                return Type::Var(name);
            }
            other => {
                self.report(
                    Problem::error(Code::E207, expr.span, format!("`{other}` cannot have a range"))
                        .label("unexpected range")
                        .help("use a range only with numbers: `int 1..5`, `float 0..1`"),
                );
                return Type::Unknown;
            }
        };
        if low > high {
            self.report(
                Problem::error(Code::E207, expr.span, "empty range")
                    .label("contains no value")
                    .help("write the lower end first"),
            );
        }
        ranged
    }
}

/// Whether a type is too large to be compared and shown.
pub(super) fn is_too_large(ty: &Type) -> bool {
    ty.exceeds(MOST_PARTS, MOST_LEVELS)
}

/// The words of a dotted type name, each with its place.
fn dotted_words(name: &Word) -> Vec<Word> {
    let mut start = name.span.start;
    let words = name.text.split('.').map(|text| {
        let word = Word { text: text.into(), span: Span::new(start, start + text.len()) };
        start += text.len() + 1;
        word
    });
    words.collect()
}

/// The names of the types that every script knows.
pub fn type_names(registry: &Registry) -> impl Iterator<Item = &'static str> {
    let plain = PLAIN.iter().map(|(it, _)| *it).filter(|it| *it != "never");
    plain.chain(registry.types().map(|it| it.name))
}

/// Gives a record or enum type its name, for messages.
fn named(ty: Type, name: &Text) -> Type {
    match ty {
        Type::Record(of) if of.name.is_none() => {
            let fields = of.fields.clone();
            Type::Record(Arc::new(RecordType { name: Some(name.clone()), fields }))
        }
        Type::Enum(of) if of.name.is_none() => {
            let variants = of.variants.clone();
            Type::Enum(Arc::new(EnumType { name: Some(name.clone()), variants }))
        }
        other => other,
    }
}
