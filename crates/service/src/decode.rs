//! Arguments from outside as the params of Rust, with the place of every mistake.

use svc_contract::{
    registry::{ErrorKind, Field, OpError, Param, Params, Scheme, nearest},
    value::{Record, Text, Type, Value},
};
use svc_engine::Engine;

use crate::{Fault, FieldFault, Why, call::Args};

/// Reads arguments as declared params. Every unknown, missing or unfit field is reported at once.
pub fn decode<P: Params>(args: Args) -> Result<P, Fault> {
    let mut faults = Vec::new();
    for name in args.keys() {
        if !P::PARAMS.iter().any(|it| it.name == name) {
            faults.push(unknown(name, P::PARAMS.iter().map(|it| it.name), ""));
        }
    }
    let mut args = args;
    let mut values: Vec<Value> = Vec::with_capacity(P::PARAMS.len());
    for param in P::PARAMS {
        match taken(param, args.remove(param.name)) {
            Ok(value) => values.push(value),
            Err(all) => {
                faults.extend(all);
                values.push(Value::Null);
            }
        }
    }
    if !faults.is_empty() {
        return Err(of_fields(faults));
    }
    P::decode(&mut values).map_err(|err: OpError| Fault::field("", err.message))
}

/// The fault of these fields.
pub fn of_fields(fields: Vec<FieldFault>) -> Fault {
    let shown = |it: &FieldFault| match it.field.as_str() {
        "" => it.message.clone(),
        field => format!("{field}: {}", it.message),
    };
    let message = fields.iter().map(shown).collect::<Vec<_>>().join("; ");
    let why = Why::Op(ErrorKind::InvalidInput);
    Fault { fields, ..Fault::new(why, message) }
}

/// The arguments of one called op.
#[derive(Clone)]
pub(crate) struct GivenParams {
    /// The component and its op.
    pub(crate) op: (String, String),
    pub(crate) args: Args,
    /// What stands before their names in faults.
    pub(crate) before: &'static str,
}

impl GivenParams {
    /// The fault of the call, with the arguments that do not fit its params.
    pub(crate) fn explain(&self, fault: Fault, engine: &Engine) -> Fault {
        let is_of_params = matches!(fault.why, Why::Op(ErrorKind::InvalidInput) | Why::Check);
        let op = engine.registry().find_op(&self.op.0, &self.op.1);
        let Some(op) = op.filter(|_| is_of_params && fault.fields.is_empty()) else { return fault };
        let params = op.op.params;
        let strangers = self.args.keys().filter(|name| !params.iter().any(|it| it.name == *name));
        let known = || params.iter().map(|it| it.name);
        let mut fields: Vec<FieldFault> = strangers.map(|it| unknown(it, known(), "")).collect();
        for param in params {
            let given = self.args.get(param.name).cloned();
            // The name of an op is tested as a part of the script.
            let is_name = param.scheme.flow().is_some() || param.scheme.tools().is_some();
            if given.is_none() || !is_name {
                fields.extend(taken(param, given).err().unwrap_or_default());
            }
        }
        for it in &mut fields {
            it.field.insert_str(0, self.before);
        }
        Fault { fields, ..fault }
    }
}

fn taken(param: &Param, given: Option<Value>) -> Result<Value, Vec<FieldFault>> {
    let Some(value) = given else {
        return match param.default {
            Some(default) => Ok(default.value()),
            None => Err(vec![fault(param.name, format!("missing field `{}`", param.name))]),
        };
    };
    let mut faults = Vec::new();
    extra(&value, param.scheme, param.name, &mut faults);
    if !faults.is_empty() {
        return Err(faults);
    }
    param.test_filled(&value).map_err(|err| vec![fault(param.name, err.message)])?;
    let ty = param.scheme.plain();
    if ty == Type::Unknown {
        return Ok(value);
    }
    value.cast(&ty).map_err(|misfit| {
        let message = misfit.within(param.name).to_string();
        vec![fault(param.name, message)]
    })
}

/// Fields that a record does not have.
fn extra(value: &Value, scheme: Scheme, path: &str, faults: &mut Vec<FieldFault>) {
    match (scheme, value) {
        (Scheme::Optional(inner), value) if !value.is_null() => extra(value, *inner, path, faults),
        (Scheme::List(item, _), Value::List(items)) => {
            for (idx, it) in items.iter().enumerate() {
                extra(it, *item, &format!("{path}[{idx}]"), faults);
            }
        }
        (Scheme::Record(_, fields), Value::Record(of)) => {
            for (name, it) in of.iter() {
                match fields.iter().find(|field| *field.name == **name) {
                    Some(field) => extra(it, field.scheme, &format!("{path}.{name}"), faults),
                    None => faults.push(unknown(name, fields.iter().map(|it| it.name), path)),
                }
            }
        }
        _ => {}
    }
}

fn unknown<'n>(name: &str, known: impl Iterator<Item = &'n str>, path: &str) -> FieldFault {
    let field = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    let message = match nearest(name, known) {
        Some(meant) => format!("unknown field `{name}`; did you mean `{meant}`?"),
        None => format!("unknown field `{name}`"),
    };
    fault(&field, message)
}

fn fault(field: &str, message: String) -> FieldFault {
    FieldFault { field: field.to_owned(), message }
}

/// Fields of any values, by their names.
#[derive(Clone, Debug, PartialEq)]
pub struct AnyFields(pub Record);

impl Field for AnyFields {
    const SCHEME: Scheme = Scheme::Map(&Scheme::Json);

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::Record(of) => Some(Self(of)),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        Value::Record(self.0)
    }
}

impl AnyFields {
    pub fn none() -> Self {
        Self([].into_iter().collect())
    }

    /// The fields as arguments.
    pub fn args(self) -> Args {
        self.0.iter().map(|(name, it)| (name.to_string(), it.clone())).collect()
    }
}

/// An object as arguments; anything else is a fault at `field`.
pub fn object(value: Value, field: &str) -> Result<Args, Fault> {
    match value {
        Value::Record(of) => Ok(of
            .iter()
            .map(|(name, it): (&Text, &Value)| (name.to_string(), it.clone()))
            .collect()),
        other => Err(Fault::field(field, format!("expected an object, found {}", other.kind()))),
    }
}
