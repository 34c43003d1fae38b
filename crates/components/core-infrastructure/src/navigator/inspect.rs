//! The documentation of a component, as a value.

use svc_contract::{
    registry::{
        Component, Compute, Cx, Effect, ErrorKind, Example, Field, Found, Op, OpDef, OpError,
        OpRef, Param, Registry, Scheme, Tool, params, record,
    },
    value::{Text, Value},
};

use super::EFFECTS;

record! {
    /// An argument of an op.
    struct Argument {
        /// Its name.
        name: Text,
        /// Its type, with the default if there is one.
        signature: Text,
        /// Whether it is required.
        required: bool,
        /// Its meaning.
        doc: Text,
    }
}

record! {
    /// The documentation of an op.
    struct Capability {
        /// The shortest name for it in a script.
        name: Text,
        /// Its full name.
        op: Text,
        /// What the op does.
        doc: Text,
        /// Its parameters; the incoming value fills the first one.
        params: Vec<Argument>,
        /// The type of its result.
        result: Text,
        /// Its effects on the world; empty if it is pure.
        effects: Vec<Text>,
        /// Its cost.
        price: Text,
        /// The kinds of error that it can fail with.
        errors: Vec<Text>,
        /// Example scripts.
        examples: Vec<Text>,
    }
}

record! {
    /// The documentation of a component.
    struct Capabilities {
        /// Its name.
        name: Text,
        /// The group that contains it.
        cluster: Text,
        /// Its purpose.
        summary: Text,
        /// The version, which increases when an op returns another result for the same arguments.
        version: i64,
        /// Its ops.
        ops: Vec<Capability>,
    }
}

params! {
    /// Describes what a component can do: its ops, their arguments, effects, prices and examples.
    pub(super) struct Inspect {
        /// The name of the component, or a short name of one of its ops.
        component: Text,
    }
}

impl Op for Inspect {
    const NAME: &'static str = "inspect";
    const YIELDS: Scheme = Capabilities::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    const SAYS: &'static [&'static str] = &[
        "describe a component",
        "parameters of an op",
        "what arguments does it take",
        "defaults, effects and price of an op",
        "what errors can an op give",
        "the signature of an op",
        "reference page of a component",
        "show its docs, like man or help",
    ];
    const TOOL: Option<Tool> = Some(Tool::researcher("nav_inspect"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The first parameter of `summary`",
            r#""summary" >> nav_inspect >> .ops >> first >> .params >> first >> .signature"#,
            r#""from: string, Doc or [Doc]""#,
        ),
        Example::err("An unknown component", r#""sumary" >> nav_inspect"#, "unknown component"),
    ];
}

impl Compute for Inspect {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let catalog = cx.catalog()?;
        let registry = catalog.registry();
        match registry.find(&self.component) {
            Some(found) => Ok(capabilities(found).encode()),
            None => Err(unknown(registry, &self.component)),
        }
    }
}

fn unknown(registry: &Registry, name: &str) -> OpError {
    let message = format!("unknown component `{name}`");
    let error = OpError::new(ErrorKind::NotFound, message);
    match registry.suggest(name) {
        Some(meant) => error.help(format!("did you mean `{meant}`?")),
        None => error.help("use `nav_discover` to find components by words"),
    }
}

/// A short name selects that op alone if its component has several.
fn capabilities(found: Found) -> Capabilities {
    let component = found.component();
    let ops: Vec<&'static OpDef> = match found {
        Found::Op(it) => vec![it.op],
        Found::Component(it) => it.ops.iter().collect(),
    };
    Capabilities {
        name: component.name.into(),
        cluster: component.cluster.into(),
        summary: component.summary.into(),
        version: component.version.into(),
        ops: ops.into_iter().map(|op| capability(component, op)).collect(),
    }
}

fn capability(component: &'static Component, op: &'static OpDef) -> Capability {
    let of = OpRef { component, op };
    Capability {
        name: of.script_name().into(),
        op: of.to_string().into(),
        doc: op.text().into(),
        params: op.params.iter().map(argument).collect(),
        result: op.yields.show().into(),
        effects: op.effects.iter().map(|it| it.to_string().into()).collect(),
        price: op.price.to_string().into(),
        errors: op.errors.iter().map(|it| it.name().into()).collect(),
        examples: op.examples.iter().map(|it| it.script.into()).collect(),
    }
}

fn argument(param: &Param) -> Argument {
    Argument {
        name: param.name.into(),
        signature: param.signature().into(),
        required: param.default.is_none(),
        doc: param.summary().into(),
    }
}
