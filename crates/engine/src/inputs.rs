//! Converts the inputs from a caller to the types of a script.

use std::collections::BTreeMap;

use svc_contract::{
    host,
    registry::{HintId, OpError, nearest},
    store::Store,
    value::{ModelId, Text, Type, TypeMismatch, Value},
};
use svc_lang::{check::Input, diag::Span};

use crate::run::RunError;

/// One input, as it was given.
#[derive(Clone, Debug)]
pub(super) enum Given {
    /// A value, as JSON or a program provides it.
    Value(Value),
    /// Text, as a command line provides it.
    Words(Text),
    /// A value of the program that no value of the language can hold.
    Unfit(TypeMismatch),
}

impl Given {
    pub(super) fn weight(&self) -> u64 {
        match self {
            Self::Value(value) => value.weight(),
            Self::Words(text) => text.len() as u64,
            Self::Unfit(_) => 0,
        }
    }

    /// The value for an input of this type.
    fn value(self, ty: &Type) -> Result<Value, TypeMismatch> {
        match self {
            Self::Value(value) => Ok(value),
            Self::Words(text) => Ok(Value::from_words(text, ty)),
            Self::Unfit(misfit) => Err(misfit),
        }
    }
}

/// Converts the inputs to the declared types; every required input must be given.
pub(super) fn read(
    declared: &[Input],
    given: BTreeMap<Text, Given>,
    first: Option<Given>,
    store: Option<&dyn Store>,
) -> Result<BTreeMap<Text, Value>, Box<RunError>> {
    let values = known(declared, given, first, store)?;
    let lacks = |it: &&Input| it.is_required() && !it.is_secret() && !values.contains_key(&it.name);
    match declared.iter().find(lacks) {
        Some(lacking) => {
            let message = format!("the script needs `{}: {}`", lacking.name, lacking.ty);
            Err(wrong(message, lacking.span))
        }
        None => Ok(values),
    }
}

/// The same for an incomplete set of inputs. `first` is the input of a script that begins with
/// a stage, or else the first missing input.
pub(super) fn known(
    declared: &[Input],
    mut given: BTreeMap<Text, Given>,
    first: Option<Given>,
    store: Option<&dyn Store>,
) -> Result<BTreeMap<Text, Value>, Box<RunError>> {
    if let Some(first) = first {
        let implicit = declared.iter().find(|it| it.name.as_ref() == "input");
        let free = declared.iter().find(|it| !it.is_secret() && !given.contains_key(&it.name));
        let name = implicit.or(free).map_or_else(|| "input".into(), |it| it.name.clone());
        given.insert(name, first);
    }
    let mut values = BTreeMap::new();
    for (name, given) in given {
        let input =
            declared.iter().find(|it| it.name == name).ok_or_else(|| unknown(declared, &name))?;
        if input.is_secret() {
            return Err(not_given(input));
        }
        let unfit = |misfit: TypeMismatch| wrong(misfit.within(&name).to_string(), input.span);
        let value = given.value(&input.ty).map_err(unfit)?;
        let value = named_model(value, input, store)?;
        let value = value.cast(&input.ty).map_err(unfit)?;
        values.insert(name, value);
    }
    Ok(values)
}

/// The id of the model that a caller named.
fn named_model(
    value: Value,
    input: &Input,
    store: Option<&dyn Store>,
) -> Result<Value, Box<RunError>> {
    let Some(name) = value.as_str().filter(|_| matches!(input.ty.required(), Type::Model(_)))
    else {
        return Ok(value);
    };
    if name.parse::<ModelId>().is_ok() {
        return Ok(value);
    }
    let Some(store) = store else {
        let message = format!("unknown model `{name}`: this run has no store");
        return Err(wrong(message, input.span));
    };
    let found = store.model_named(name).map_err(|err| wrong(err.to_string(), input.span))?;
    let unknown = || {
        let err = OpError::not_found(format!("unknown model `{name}`"));
        RunError::outside(err.help(HintId::NameModel), input.span)
    };
    found.map(|it| it.to_string().into()).ok_or_else(unknown)
}

/// A secret given by a caller: it would show up in logs of the call.
fn not_given(secret: &Input) -> Box<RunError> {
    let (name, variable) = (&secret.name, host::secret_variable(&secret.name));
    let message = format!("`{name}` is a secret: it comes from the host, not from the caller");
    let help = format!("set `{variable}`, or `{variable}_FILE` to a file that holds it");
    RunError::outside(OpError::invalid_input(message).help(help), secret.span)
}

fn unknown(declared: &[Input], name: &str) -> Box<RunError> {
    let names = declared.iter().filter(|it| !it.is_secret()).map(|it| it.name.as_ref());
    let message = format!("the script has no param `{name}`");
    let help = match (nearest(name, names.clone()), declared) {
        (Some(meant), _) => format!("did you mean `{meant}`?"),
        (None, []) => "it has no params".to_owned(),
        (None, _) => {
            format!(
                "its params are {}",
                names.map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ")
            )
        }
    };
    RunError::outside(OpError::invalid_input(message).help(help), Span::default())
}

fn wrong(message: String, span: Span) -> Box<RunError> {
    RunError::outside(OpError::invalid_input(message), span)
}
