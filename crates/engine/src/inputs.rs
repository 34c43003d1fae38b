//! Converts the inputs from a caller to the types of a script.

use std::collections::BTreeMap;

use svc_contract::{
    host,
    registry::{HintId, OpError, nearest},
    store::Store,
    value::{ModelId, Text, Type, TypeMismatch, Value},
};
use svc_lang::{
    check::{CalledFlow, Checked, Input},
    diag::Span,
};

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
    fn weight(&self) -> u64 {
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

/// All inputs of a run, as they were given.
#[derive(Clone, Debug, Default)]
pub(super) struct Inputs {
    pub(super) named: BTreeMap<Text, Given>,
    /// The input of a script that begins with a stage, or else the first missing input.
    pub(super) first: Option<Given>,
    /// The arguments of a flow, in the order of its params.
    pub(super) ordered: Vec<Given>,
}

impl Inputs {
    pub(super) fn named(named: BTreeMap<Text, Given>) -> Self {
        Self { named, ..Self::default() }
    }

    pub(super) fn weight(&self) -> u64 {
        let all = self.named.values().chain(&self.first).chain(&self.ordered);
        all.map(Given::weight).fold(0, u64::saturating_add)
    }

    /// All inputs by the names of a program.
    fn by_name(self, program: &Checked) -> Result<BTreeMap<Text, Given>, Box<RunError>> {
        let Self { mut named, first, ordered } = self;
        let declared = || program.inputs.iter().filter(|it| !it.is_secret());
        let count = ordered.len();
        for (idx, given) in ordered.into_iter().enumerate() {
            let input = declared().nth(idx).ok_or_else(|| too_many(program, count))?;
            if named.insert(input.name.clone(), given).is_some() {
                return Err(wrong(format!("duplicate argument `{}`", input.name), input));
            }
        }
        if let Some(first) = first {
            let implicit = declared().find(|it| it.name.as_ref() == "input");
            let free = declared().find(|it| !named.contains_key(&it.name));
            let name = implicit.or(free).map_or_else(|| "input".into(), |it| it.name.clone());
            named.insert(name, first);
        }
        Ok(named)
    }
}

/// What takes the inputs of a program, for messages.
fn taker(program: &Checked) -> String {
    match &program.called {
        Some(CalledFlow::Named(name)) => format!("the flow `{name}`"),
        Some(CalledFlow::Kept(flow)) => format!("the flow `{}`", flow.name),
        None => "the script".to_owned(),
    }
}

/// Converts the inputs to the declared types; every required input must be given.
pub(super) fn read(
    program: &Checked,
    inputs: Inputs,
    store: Option<&dyn Store>,
) -> Result<BTreeMap<Text, Value>, Box<RunError>> {
    let values = known(program, inputs, store)?;
    let lacks = |it: &&Input| it.is_required() && !it.is_secret() && !values.contains_key(&it.name);
    let lacking: Vec<&Input> = program.inputs.iter().filter(lacks).collect();
    let Some(first) = lacking.first() else { return Ok(values) };
    let names: Vec<String> = lacking.iter().map(|it| format!("`{}: {}`", it.name, it.ty)).collect();
    Err(wrong(format!("{} needs {}", taker(program), names.join(" and ")), first))
}

/// The same for an incomplete set of inputs.
pub(super) fn known(
    program: &Checked,
    inputs: Inputs,
    store: Option<&dyn Store>,
) -> Result<BTreeMap<Text, Value>, Box<RunError>> {
    let declared = &program.inputs;
    let mut values = BTreeMap::new();
    for (name, given) in inputs.by_name(program)? {
        let input =
            declared.iter().find(|it| it.name == name).ok_or_else(|| unknown(program, &name))?;
        if input.is_secret() {
            return Err(not_given(input));
        }
        let unfit = |misfit: TypeMismatch| wrong(misfit.within(&name).to_string(), input);
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
        return Err(wrong(message, input));
    };
    let found = store.model_named(name).map_err(|err| wrong(err.to_string(), input))?;
    let unknown = || {
        let err = OpError::not_found(format!("unknown model `{name}`"));
        RunError::outside(err.help(HintId::NameModel), input.span).of_param(&input.name)
    };
    found.map(|it| it.to_string().into()).ok_or_else(unknown)
}

/// A secret given by a caller: it would show up in logs of the call.
fn not_given(secret: &Input) -> Box<RunError> {
    let (name, variable) = (&secret.name, host::secret_variable(&secret.name));
    let message = format!("`{name}` is a secret: it comes from the host, not from the caller");
    let help = format!("set `{variable}`, or `{variable}_FILE` to a file that holds it");
    RunError::outside(OpError::invalid_input(message).help(help), secret.span).of_param(name)
}

fn too_many(program: &Checked, count: usize) -> Box<RunError> {
    let limit = program.inputs.iter().filter(|it| !it.is_secret()).count();
    let message = format!("too many arguments for {}: {count} (limit {limit})", taker(program));
    RunError::outside(OpError::invalid_input(message).help(its_params(program)), Span::default())
}

fn unknown(program: &Checked, name: &str) -> Box<RunError> {
    let names = program.inputs.iter().filter(|it| !it.is_secret()).map(|it| it.name.as_ref());
    let message = format!("{} has no param `{name}`", taker(program));
    let help = nearest(name, names).map(|meant| format!("did you mean `{meant}`?"));
    let help = help.unwrap_or_else(|| its_params(program));
    let error = OpError::invalid_input(message).help(help);
    RunError::outside(error, Span::default()).of_param(name)
}

fn its_params(program: &Checked) -> String {
    let names = program.inputs.iter().filter(|it| !it.is_secret());
    let names: Vec<_> = names.map(|it| format!("`{}`", it.name)).collect();
    if names.is_empty() {
        return "it has no params".to_owned();
    }
    format!("its params are {}", names.join(", "))
}

fn wrong(message: String, input: &Input) -> Box<RunError> {
    RunError::outside(OpError::invalid_input(message), input.span).of_param(&input.name)
}
