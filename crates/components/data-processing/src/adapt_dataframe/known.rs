//! What is known of tables before the run: mistakes in the names of columns and in expressions, and
//! the type of the result.

use svc_columns::{
    Kind, Measure, TableError,
    expr::{self, Expr, Foreseen, Known, KnownColumn, Of},
};
use svc_contract::{
    registry::{KnownCall, Misuse, Part, check_columns},
    value::{RecordType, Text, Type, Value},
};

/// The columns of a table with their types; a column may be missing in none of its rows.
#[derive(Clone)]
pub(super) struct Header(Vec<(Text, Type)>);

type Found = Result<Option<Type>, Box<Misuse>>;

/// Names of columns, or expressions with the names of their columns, as far as they are written out.
type Exprs = Vec<(Text, Expr)>;

impl Header {
    /// The columns of an argument, if its type has them.
    fn of(call: &KnownCall<'_>, param: &str) -> Option<Self> {
        let Type::List(row, _) = call.ty(param)? else { return None };
        match row.as_ref() {
            Type::Record(of) => Some(Self(of.fields.clone())),
            _ => None,
        }
    }

    fn get(&self, name: &str) -> Option<&Type> {
        self.0.iter().find(|(it, _)| it.as_ref() == name).map(|(_, ty)| ty)
    }

    fn names(&self) -> Vec<Text> {
        self.0.iter().map(|(name, _)| name.clone()).collect()
    }

    fn known(&self) -> Vec<KnownColumn> {
        let column = |(name, ty): &(Text, Type)| KnownColumn {
            name: name.clone(),
            kind: kind_of(ty.required()),
            kind_name: name_of(ty.required()),
            may_be_null: ty.is_optional() || matches!(ty, Type::Json | Type::Unknown),
            reads: reader_of(ty.required()),
        };
        self.0.iter().map(column).collect()
    }

    fn set(&mut self, name: &Text, ty: Type) {
        match self.0.iter_mut().find(|(it, _)| it == name) {
            Some(column) => column.1 = ty,
            None => self.0.push((name.clone(), ty)),
        }
    }

    /// A list of rows with these columns, if a script could name their fields.
    fn rows(self) -> Option<Type> {
        let is_name = |it: &Text| {
            it.starts_with(|it: char| it.is_alphabetic() || it == '_')
                && it.chars().all(|it| it.is_alphanumeric() || it == '_')
        };
        let is_named = self.0.iter().all(|(name, _)| is_name(name));
        is_named.then(|| Type::list(Type::Record(RecordType { name: None, fields: self.0 }.into())))
    }
}

/// The kind of the buffer that values of a type have, if it is certain.
fn kind_of(ty: &Type) -> Option<Kind> {
    Some(match ty {
        Type::Int(_) => Kind::Int,
        Type::Float(_) => Kind::Float,
        Type::Bool => Kind::Bool,
        Type::Money => Kind::Money,
        Type::Duration => Kind::Duration,
        Type::Time => Kind::Time,
        Type::Text | Type::Enum(_) => Kind::Text,
        Type::Date
        | Type::Size
        | Type::Path
        | Type::Bytes
        | Type::List(..)
        | Type::Record(_)
        | Type::Map(_) => Kind::Other,
        _ => return None,
    })
}

/// The name of the kind of the values of a type, as the run says it.
fn name_of(ty: &Type) -> &'static str {
    match ty {
        Type::Date => "date",
        Type::Size => "size",
        Type::Path => "path",
        Type::Bytes => "bytes",
        Type::List(..) => "list",
        Type::Record(_) | Type::Map(_) => "record",
        other => kind_of(other).map_or("json", Kind::name),
    }
}

/// Whether a text is a value of a type, for types whose values JSON has as texts.
fn reader_of(ty: &Type) -> Option<fn(&Text) -> bool> {
    fn reads(text: &Text, ty: &Type) -> bool {
        Value::Text(text.clone()).cast(ty).is_ok()
    }
    Some(match ty {
        Type::Money => |it| reads(it, &Type::Money),
        Type::Duration => |it| reads(it, &Type::Duration),
        Type::Time => |it| reads(it, &Type::Time),
        Type::Date => |it| reads(it, &Type::Date),
        Type::Size => |it| reads(it, &Type::Size),
        _ => return None,
    })
}

/// The type of the values that an expression will have.
fn type_of(found: &Foreseen, header: Option<&Header>) -> Type {
    let ty = match &found.of {
        Of::Kind(Kind::Int) => Type::Int(None),
        Of::Kind(Kind::Float) => Type::Float(None),
        Of::Kind(Kind::Bool) => Type::Bool,
        Of::Kind(Kind::Money) => Type::Money,
        Of::Kind(Kind::Duration) => Type::Duration,
        Of::Kind(Kind::Time) => Type::Time,
        Of::Kind(Kind::Text) => Type::Text,
        Of::Column(name) => {
            let ty = header.and_then(|it| it.get(name)).map(Type::required);
            ty.cloned().unwrap_or(Type::Json)
        }
        Of::Kind(Kind::Other) | Of::Nothing | Of::Unknown => Type::Json,
    };
    if found.may_be_null && !matches!(ty, Type::Json | Type::Unknown) { ty.optional() } else { ty }
}

#[expect(clippy::unnecessary_box_returns, reason = "it is the error of every function here")]
fn misuse(
    param: &'static str,
    part: Part,
    err: TableError,
    header: Option<&Header>,
) -> Box<Misuse> {
    let unknown = err.missing.map(|it| (it, header.map(Header::names).unwrap_or_default()));
    Box::new(Misuse { param, part, message: err.message, help: err.help, unknown })
}

/// Reports a name that no column has.
fn test_column(
    header: Option<&Header>,
    name: &Text,
    param: &'static str,
    part: Part,
) -> Result<(), Box<Misuse>> {
    match header {
        Some(it) if it.get(name).is_none() => {
            Err(Box::new(Misuse::no_column(param, part, name, &it.names())))
        }
        _ => Ok(()),
    }
}

/// The names that an argument lists, each of which must be a column; a sign before it is left out.
fn names(
    call: &KnownCall<'_>,
    param: &'static str,
    header: Option<&Header>,
) -> Result<Option<Vec<Text>>, Box<Misuse>> {
    let Some(Value::List(all)) = call.value(param) else { return Ok(None) };
    let mut names = Vec::new();
    for (idx, it) in all.iter().enumerate() {
        let Value::Text(name) = it else { return Ok(None) };
        names.push(name.clone());
        test_column(header, name, param, Part::Item(idx))?;
    }
    Ok(Some(names))
}

/// The same for names that may have a sign.
fn test_sorted(
    call: &KnownCall<'_>,
    param: &'static str,
    header: Option<&Header>,
) -> Result<(), Box<Misuse>> {
    let Some(Value::List(all)) = call.value(param) else { return Ok(()) };
    for (idx, it) in all.iter().enumerate() {
        let Value::Text(name) = it else { continue };
        let name = name.strip_prefix('-').unwrap_or(name);
        test_column(header, &name.into(), param, Part::Item(idx))?;
    }
    Ok(())
}

/// The expressions of an argument.
fn exprs(call: &KnownCall<'_>, param: &'static str) -> Result<Option<Exprs>, Box<Misuse>> {
    let Some(Value::Record(all)) = call.value(param) else { return Ok(None) };
    let mut found = Vec::new();
    for (name, it) in all.iter() {
        let Value::Text(text) = it else { return Ok(None) };
        let part = || Part::Field(name.clone());
        found
            .push((name.clone(), expr::parse(text).map_err(|it| misuse(param, part(), it, None))?));
    }
    Ok(Some(found))
}

/// A condition.
fn test_condition(
    call: &KnownCall<'_>,
    param: &'static str,
    header: Option<&Header>,
    by: Option<&[Text]>,
) -> Result<(), Box<Misuse>> {
    let Some(Value::Text(text)) = call.value(param) else { return Ok(()) };
    let wrong = |it| misuse(param, Part::Whole, it, header);
    let columns = header.map(Header::known);
    let known = Known { columns: columns.as_deref(), by };
    expr::foresee_condition(&expr::parse(text).map_err(wrong)?, known).map_err(wrong)
}

/// `table(..)` and `table.scan(..)`: a row for each group.
pub(super) fn groups(call: &KnownCall<'_>) -> Found {
    let header = Header::of(call, "rows");
    let by = names(call, "by", header.as_ref())?;
    let measures = exprs(call, "measures")?;
    let Some(by) = by else { return Ok(None) };
    test_condition(call, "having", header.as_ref(), Some(&by))?;
    let Some(measures) = measures else { return Ok(None) };
    let columns = header.as_ref().map(Header::known);
    let mut result = Header(Vec::new());
    for name in &by {
        let ty = header.as_ref().and_then(|it| it.get(name)).cloned().unwrap_or(Type::Json);
        result.0.push((name.clone(), ty));
    }
    for (name, measure) in &measures {
        let part = || Part::Field(name.clone());
        let known = Known { columns: columns.as_deref(), by: Some(&by) };
        let found = expr::foresee(measure, known)
            .map_err(|it| misuse("measures", part(), it, header.as_ref()))?;
        if result.get(name).is_some() {
            let message = format!("duplicate column `{name}` in the result");
            let err = TableError::new(message).help("give each measure a name of its own");
            return Err(misuse("measures", part(), err, None));
        }
        result.0.push((name.clone(), type_of(&found, header.as_ref())));
    }
    Ok(result.rows())
}

/// `table.filter(..)`
pub(super) fn filter(call: &KnownCall<'_>) -> Found {
    test_condition(call, "test", Header::of(call, "rows").as_ref(), None)?;
    Ok(None)
}

/// `table.sort(..)`
pub(super) fn sort(call: &KnownCall<'_>) -> Found {
    test_sorted(call, "by", Header::of(call, "rows").as_ref())?;
    Ok(None)
}

/// `table.derive(..)`
pub(super) fn derive(call: &KnownCall<'_>) -> Found {
    let header = Header::of(call, "rows");
    let Some(columns) = exprs(call, "columns")? else { return Ok(None) };
    let Some(Value::Bool(only)) = call.value("only") else { return Ok(None) };
    let (mut all, mut made) = (header.clone(), Header(Vec::new()));
    for (name, it) in &columns {
        let columns = all.as_ref().map(Header::known);
        let known = Known { columns: columns.as_deref(), by: None };
        let part = || Part::Field(name.clone());
        let found =
            expr::foresee(it, known).map_err(|it| misuse("columns", part(), it, all.as_ref()))?;
        let ty = type_of(&found, all.as_ref());
        made.set(name, ty.clone());
        if let Some(all) = &mut all {
            all.set(name, ty);
        }
    }
    // The result has the columns in the order in which `only` names them.
    Ok(if *only { made.rows() } else { all.and_then(Header::rows) })
}

/// `table.join(..)`
pub(super) fn join(call: &KnownCall<'_>) -> Found {
    let (left, right) = (Header::of(call, "rows"), Header::of(call, "other"));
    let on = names(call, "on", left.as_ref())?;
    check_columns(call, "other", &["on"]).map_err(|mut it| {
        it.message = format!("`other`: {}", it.message);
        it
    })?;
    let (Some(on), Some(Value::Text(how))) = (on, call.value("how")) else { return Ok(None) };
    if matches!(how.as_ref(), "semi" | "anti") {
        return Ok(left.and_then(Header::rows));
    }
    let (Some(left), Some(right)) = (left, right) else { return Ok(None) };
    let or_null = |ty: &Type, is_optional: bool| match ty {
        Type::Json | Type::Unknown => ty.clone(),
        _ if is_optional => ty.required().clone().optional(),
        _ => ty.clone(),
    };
    let mut result = Header(Vec::new());
    for (name, ty) in &left.0 {
        let ty = match (how.as_ref(), on.contains(name)) {
            // The key of a row that only the right side has is that of the right side.
            ("full", true) if right.get(name) == Some(ty) => ty.clone(),
            ("full", true) => Type::Json,
            (how, _) => or_null(ty, how == "full"),
        };
        result.0.push((name.clone(), ty));
    }
    let at = on.last().filter(|_| how.as_ref() == "asof");
    for (name, ty) in &right.0 {
        if on.contains(name) && at != Some(name) {
            continue;
        }
        let mut free = name.clone();
        while result.get(&free).is_some() {
            free = format!("{free}_right").into();
        }
        result.0.push((free, or_null(ty, how.as_ref() != "inner")));
    }
    Ok(result.rows())
}

/// `table.window(..)`
pub(super) fn window(call: &KnownCall<'_>) -> Found {
    let header = Header::of(call, "rows");
    names(call, "partition", header.as_ref())?;
    test_sorted(call, "order", header.as_ref())?;
    let Some(measures) = exprs(call, "measures")? else { return Ok(None) };
    let columns = header.as_ref().map(Header::known);
    let known = Known { columns: columns.as_deref(), by: None };
    let mut result = header.clone();
    for (name, measure) in &measures {
        let part = || Part::Field(name.clone());
        let wrong = |it| misuse("measures", part(), it, header.as_ref());
        let (window, of) = super::window::shape(name, measure).map_err(wrong)?;
        let called =
            if let Expr::Call(called, _) = measure { called.as_ref() } else { name.as_ref() };
        let foreseen = expr::foresee_window(window, called, of, known).map_err(wrong)?;
        let ty = type_of(&foreseen, header.as_ref());
        if let Some(result) = &mut result {
            result.set(name, ty);
        }
    }
    Ok(result.and_then(Header::rows))
}

/// `table.pivot(..)`: its columns are values of the table.
pub(super) fn pivot(call: &KnownCall<'_>) -> Found {
    check_columns(call, "table", &["rows", "columns", "values"])?;
    let Some(Value::Text(name)) = call.value("measure") else { return Ok(None) };
    if Measure::named(name).is_none() {
        return Err(misuse("measure", Part::Whole, super::pivot::unknown_measure(name), None));
    }
    if let (Some(Value::Text(values)), Some(header)) =
        (call.value("values"), Header::of(call, "table"))
    {
        let measure = Expr::Call(name.clone(), vec![Expr::Column(values.clone())]);
        let known = Known { columns: Some(&header.known()), by: Some(&[]) };
        expr::foresee(&measure, known)
            .map_err(|it| misuse("measure", Part::Whole, it, Some(&header)))?;
    }
    Ok(None)
}

/// `table.unpivot(..)`
pub(super) fn unpivot(call: &KnownCall<'_>) -> Found {
    let header = Header::of(call, "rows");
    let melted = names(call, "columns", header.as_ref())?;
    let (Some(melted), Some(header)) = (melted, header) else { return Ok(None) };
    let (Some(Value::Text(name)), Some(Value::Text(value))) =
        (call.value("name"), call.value("value"))
    else {
        return Ok(None);
    };
    let mut types: Vec<&Type> = melted.iter().filter_map(|it| header.get(it)).collect();
    types.dedup();
    let of = match types.as_slice() {
        [one] => Type::clone(one),
        _ => Type::Json,
    };
    let mut result = header.clone();
    result.0.retain(|(it, _)| !melted.contains(it));
    for (param, new, ty) in [("name", name, Type::Text), ("value", value, of)] {
        if result.get(new).is_some() {
            let message = format!("duplicate column `{new}` in the result");
            let err = TableError::new(message).help("choose another `name` or `value`");
            return Err(misuse(param, Part::Whole, err, None));
        }
        result.0.push((new.clone(), ty));
    }
    Ok(result.rows())
}
