//! Whether every value of one JSON Schema fits another one: the schema of a script's result, as
//! `tools/schema.rs` makes it, and the one that a caller wants.
//!
//! It never says yes where a value might not fit. A keyword that a type cannot promise, such as a
//! pattern, is a misfit.

use std::fmt;

use svc_contract::value::{List, Record, Value, json};

/// How often a schema may refer to another one.
const DEEPEST: usize = 64;

/// Keywords that assert something which no type of a script promises.
const UNPROMISED: [&str; 20] = [
    "contains",
    "contentEncoding",
    "contentMediaType",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "maxContains",
    "maxProperties",
    "minContains",
    "minProperties",
    "multipleOf",
    "not",
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// The first place where a value may not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaMisfit {
    /// `$.items[].name`.
    pub path: String,
    pub message: String,
}

impl fmt::Display for SchemaMisfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// Whether all values of `given` fit `wanted`.
pub(super) fn test(given: &Value, wanted: &Value) -> Result<(), SchemaMisfit> {
    Fit { root: wanted }.test(given, wanted, &Place { path: "$".to_owned(), depth: 0 })
}

struct Fit<'a> {
    /// What references begin with.
    root: &'a Value,
}

#[derive(Clone)]
struct Place {
    path: String,
    depth: usize,
}

impl Place {
    fn misfit<T>(&self, message: impl Into<String>) -> Result<T, SchemaMisfit> {
        Err(SchemaMisfit { path: self.path.clone(), message: message.into() })
    }

    fn within(&self, part: &str) -> Self {
        Self { path: format!("{}{part}", self.path), depth: self.depth }
    }
}

impl Fit<'_> {
    fn test(&self, given: &Value, wanted: &Value, at: &Place) -> Result<(), SchemaMisfit> {
        let wanted = match wanted {
            Value::Bool(true) => return Ok(()),
            Value::Bool(false) => return at.misfit("the schema allows nothing here"),
            Value::Record(wanted) => wanted,
            other => return at.misfit(format!("expected a schema, found {}", other.kind())),
        };
        let at = &Place { depth: at.depth + 1, ..at.clone() };
        if at.depth > DEEPEST {
            return at.misfit(format!("the schema is nested too deeply (limit {DEEPEST})"));
        }
        if let Some(alternatives) = given.as_record().and_then(|it| list(it, "anyOf")) {
            let whole = Value::Record(wanted.clone());
            return alternatives.iter().try_for_each(|it| self.test(it, &whole, at));
        }
        if let Some(name) = wanted.get("$ref") {
            self.test(given, self.referred(name, at)?, at)?;
        }
        for it in list(wanted, "allOf").into_iter().flat_map(List::iter) {
            self.test(given, it, at)?;
        }
        if let Some(all) = list(wanted, "anyOf") {
            self.any(given, all, at)?;
        }
        if let Some(all) = list(wanted, "oneOf") {
            self.any(given, all, at)?;
            if all.iter().filter(|it| self.test(given, it, at).is_ok()).count() > 1 {
                return at.misfit("the result fits several schemas of `oneOf`");
            }
        }
        if let Some(name) = UNPROMISED.iter().find(|it| wanted.get(it).is_some()) {
            return at.misfit(format!("no type of a script promises `{name}`"));
        }
        self.plain(given, wanted, at)
    }

    fn any(&self, given: &Value, all: &List, at: &Place) -> Result<(), SchemaMisfit> {
        let mut first = None;
        for it in all {
            match self.test(given, it, at) {
                Ok(()) => return Ok(()),
                Err(misfit) => first = first.or(Some(misfit)),
            }
        }
        match first {
            // With one alternative besides null, its own misfit says more.
            Some(misfit) if all.len() <= 2 => Err(misfit),
            _ => at.misfit("the result fits none of the alternatives"),
        }
    }

    /// The schema that `#/$defs/Name` means.
    fn referred(&self, name: &Value, at: &Place) -> Result<&Value, SchemaMisfit> {
        let name = name.as_str().unwrap_or_default();
        let found = name.strip_prefix('#').and_then(|path| {
            path.split('/').skip(1).try_fold(self.root, |schema, part| {
                let part = part.replace("~1", "/").replace("~0", "~");
                schema.as_record()?.get(&part)
            })
        });
        match found {
            Some(found) => Ok(found),
            None => at.misfit(format!("unknown reference `{name}`")),
        }
    }

    /// The keywords about the value itself.
    fn plain(&self, given: &Value, wanted: &Record, at: &Place) -> Result<(), SchemaMisfit> {
        let none: Record = [].into_iter().collect();
        let given = given.as_record().unwrap_or(&none);
        let kind = kind(given);
        test_type(kind, wanted, at)?;
        test_choices(given, kind, wanted, at)?;
        if list(given, "enum").is_none() {
            test_asserted(given, kind, wanted, at)?;
        }
        match kind {
            Some("array") => self.items(given, wanted, at),
            Some("object") => self.properties(given, wanted, at),
            Some(_) => Ok(()),
            // Anything may be a list or an object.
            None => match ["items", "properties", "required", "additionalProperties"]
                .iter()
                .find(|it| wanted.get(it).is_some())
            {
                Some(name) => at.misfit(format!("the result may be anything, `{name}` limits it")),
                None => Ok(()),
            },
        }
    }

    fn items(&self, given: &Record, wanted: &Record, at: &Place) -> Result<(), SchemaMisfit> {
        let any = Value::Bool(true);
        let item = given.get("items").unwrap_or(&any);
        match wanted.get("items") {
            Some(schema) => self.test(item, schema, &at.within("[]")),
            None => Ok(()),
        }
    }

    fn properties(&self, given: &Record, wanted: &Record, at: &Place) -> Result<(), SchemaMisfit> {
        let own = given.get("properties").and_then(Value::as_record);
        let named = wanted.get("properties").and_then(Value::as_record);
        for name in list(wanted, "required").into_iter().flat_map(List::iter) {
            let name = name.as_str().unwrap_or_default();
            // Every field of a result is there; one that may be missing is null.
            if own.is_none_or(|it| it.get(name).is_none()) {
                return at
                    .within(&format!(".{name}"))
                    .misfit("the result does not have this field");
            }
        }
        for (name, schema) in own.into_iter().flat_map(Record::iter) {
            let at = at.within(&format!(".{name}"));
            match named.and_then(|it| it.get(name)).or_else(|| wanted.get("additionalProperties")) {
                Some(Value::Bool(false)) => {
                    return at.misfit("the schema does not allow this field of the result");
                }
                Some(wanted) => self.test(schema, wanted, &at)?,
                None => {}
            }
        }
        // The fields of a map have any names.
        let Some(values) = given.get("additionalProperties").filter(|it| **it != false.into())
        else {
            return Ok(());
        };
        let at = at.within(".*");
        for (_, schema) in named.into_iter().flat_map(Record::iter) {
            self.test(values, schema, &at)?;
        }
        match wanted.get("additionalProperties") {
            Some(wanted) => self.test(values, wanted, &at),
            None => Ok(()),
        }
    }
}

fn list<'v>(of: &'v Record, name: &str) -> Option<&'v List> {
    match of.get(name) {
        Some(Value::List(all)) => Some(all),
        _ => None,
    }
}

/// The type of the values of a schema of a script; `None` for those of any type.
fn kind(given: &Record) -> Option<&str> {
    match given.get("type").and_then(Value::as_str) {
        Some(it) => Some(it),
        None => list(given, "enum").map(|_| "string"),
    }
}

fn test_type(kind: Option<&str>, wanted: &Record, at: &Place) -> Result<(), SchemaMisfit> {
    let allowed: Vec<&str> = match wanted.get("type") {
        None => return Ok(()),
        Some(Value::List(all)) => all.iter().filter_map(Value::as_str).collect(),
        Some(one) => one.as_str().into_iter().collect(),
    };
    let is_allowed =
        |kind: &str| allowed.contains(&kind) || (kind == "integer" && allowed.contains(&"number"));
    match kind {
        Some(kind) if is_allowed(kind) => Ok(()),
        Some(kind) => {
            at.misfit(format!("expected {}, the result has {kind}", allowed.join(" or ")))
        }
        None => at.misfit(format!("expected {}, the result may be anything", allowed.join(" or "))),
    }
}

/// `enum` and `const`.
fn test_choices(
    given: &Record,
    kind: Option<&str>,
    wanted: &Record,
    at: &Place,
) -> Result<(), SchemaMisfit> {
    let allowed = |name: &str| list(wanted, name).map(|it| it.iter().collect::<Vec<_>>());
    let constant = wanted.get("const").map(|it| vec![it]);
    let own: Option<Vec<Value>> = match kind {
        Some("boolean") => Some(vec![true.into(), false.into()]),
        Some("null") => Some(vec![Value::Null]),
        _ => list(given, "enum").map(|it| it.iter().cloned().collect()),
    };
    for allowed in [allowed("enum"), constant].into_iter().flatten() {
        let Some(own) = &own else {
            return at.misfit("the result is not limited to the allowed values");
        };
        if let Some(other) = own.iter().find(|it| !allowed.contains(it)) {
            let other = json::write(other);
            return at.misfit(format!("the result may be {other}, which is not allowed"));
        }
    }
    Ok(())
}

/// Ranges, lengths, patterns and formats.
fn test_asserted(
    given: &Record,
    kind: Option<&str>,
    wanted: &Record,
    at: &Place,
) -> Result<(), SchemaMisfit> {
    let is = |name: &str| kind.is_none_or(|it| it == name);
    let is_number = is("number") || kind == Some("integer");
    let refused = |name: &str| at.misfit(format!("the result does not promise `{name}`"));
    let number = |of: &Record, name: &str| of.get(name).and_then(number);
    let least = |name: &str| number(given, "minimum").zip(number(wanted, name));
    let most = |name: &str| number(given, "maximum").zip(number(wanted, name));
    let checks: [(&str, bool, bool); 11] = [
        ("minimum", is_number, least("minimum").is_some_and(|(own, it)| own >= it)),
        ("maximum", is_number, most("maximum").is_some_and(|(own, it)| own <= it)),
        (
            "exclusiveMinimum",
            is_number,
            least("exclusiveMinimum").is_some_and(|(own, it)| own > it),
        ),
        ("exclusiveMaximum", is_number, most("exclusiveMaximum").is_some_and(|(own, it)| own < it)),
        ("pattern", is("string"), given.get("pattern") == wanted.get("pattern")),
        ("format", is("string"), given.get("format") == wanted.get("format")),
        ("minLength", is("string"), number(wanted, "minLength") == Some(0.0)),
        ("maxLength", is("string"), {
            let (own, it) = (number(given, "maxLength"), number(wanted, "maxLength"));
            own.zip(it).is_some_and(|(own, it)| own <= it)
        }),
        ("minItems", is("array"), number(wanted, "minItems") == Some(0.0)),
        ("maxItems", is("array"), {
            let (own, it) = (number(given, "maxItems"), number(wanted, "maxItems"));
            own.zip(it).is_some_and(|(own, it)| own <= it)
        }),
        ("uniqueItems", is("array"), wanted.get("uniqueItems") == Some(&Value::Bool(false))),
    ];
    let broken = checks
        .iter()
        .find(|(name, is_about, holds)| *is_about && wanted.get(name).is_some() && !holds);
    broken.map_or(Ok(()), |(name, ..)| refused(name))
}

#[expect(clippy::cast_precision_loss, reason = "bounds are compared, not computed with")]
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(it) => Some(*it as f64),
        Value::Float(it) => Some(*it),
        _ => None,
    }
}
