//! The JSON Schemas of what the commands print with `--json`: `svc schema`.
//!
//! Each is made from the types that are printed. Those of `svc check`, `svc plan` and of failures
//! are published by the engine, and tests keep them in sync.

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, json_schema};
use serde_json::{Map, Value, json};
use svc_contract::value::{json as values, schema};
use svc_engine::{
    Engine,
    history::why::Why,
    output::{failure::FAILURE_SCHEMA, planned::PLAN_SCHEMA, verdict::VERDICT_SCHEMA},
};

use crate::{
    access::{
        AuditHeadJson, AuditJson, DecisionJson, IssuedJson, KeyJson, LockJson, PolicyJson,
        UnlockedJson,
    },
    certificate::{Certificate, VerifiedJson},
    ci::json::CiJson,
    components::EntryJson,
    explain::CodeJson,
    guide,
    hooks::{DeliveryJson, HookJson, NewHookJson, SecretJson},
    inspect::{ConstructJson, InspectJson},
    library::ModulePageJson,
    models::ModelJson,
    replay::ReplayJson,
    rest::tools_schema,
    runs::RunJson,
    show::ShowJson,
    tables::TableJson,
    testing::TestsJson,
};

/// A command with `--json`, and what it prints.
pub struct Described {
    /// Its words, joined by `-`.
    pub name: &'static str,
    pub prints: &'static str,
    form: Form,
}

/// Where the schema comes from.
enum Form {
    /// Types that are printed; one of several.
    Types(fn(&mut SchemaGenerator) -> Vec<Schema>),
    /// A published schema.
    Published(&'static str),
    /// The result of a script that is part of the program.
    ResultOf(&'static str),
    /// Made of the declarations of records.
    Made(fn() -> svc_contract::value::Value),
    /// A value of the script, of any type.
    Value,
}

/// Every command with `--json`.
pub const ALL: &[Described] = &[
    described(
        "access",
        "the roles of a policy, or a decision",
        Form::Types(|it| vec![of::<PolicyJson>(it), of::<DecisionJson>(it)]),
    ),
    described("ask", "an answer from the documentation", Form::ResultOf(guide::ASK)),
    described(
        "audit",
        "the entries of the audit, or its head",
        Form::Types(|it| vec![of::<Vec<AuditJson>>(it), of::<AuditHeadJson>(it)]),
    ),
    described("call", "the result of the tool", Form::Value),
    described("certificate", "a certificate", Form::Types(|it| vec![of::<Certificate>(it)])),
    described("check", "the verdict on each file", Form::Published(VERDICT_SCHEMA)),
    described("ci", "the steps of each script", Form::Types(|it| vec![of::<CiJson>(it)])),
    described(
        "components",
        "the components and modules, or one module",
        Form::Types(|it| vec![of::<Vec<EntryJson>>(it), of::<ModulePageJson>(it)]),
    ),
    described("doc", "the modules", Form::Types(|it| vec![of::<Vec<ModulePageJson>>(it)])),
    described(
        "explain",
        "one error code, or all",
        Form::Types(|it| vec![of::<CodeJson>(it), of::<Vec<CodeJson>>(it)]),
    ),
    described("find", "the ops for a task", Form::ResultOf(guide::FIND)),
    described("guide-edit", "a changed script", Form::ResultOf(guide::EDIT)),
    described("guide-overview", "the overview of svc", Form::ResultOf(guide::OVERVIEW)),
    described("guide-plan", "a script for a goal", Form::ResultOf(guide::PLANNED)),
    described(
        "hooks",
        "hooks, one hook, a new hook, a secret, or deliveries",
        Form::Types(|it| {
            vec![
                of::<Vec<HookJson>>(it),
                of::<HookJson>(it),
                of::<NewHookJson>(it),
                of::<SecretJson>(it),
                of::<Vec<DeliveryJson>>(it),
                of::<DeliveryJson>(it),
            ]
        }),
    ),
    described(
        "inspect",
        "a component, a word of the language, or a module",
        Form::Types(|it| {
            vec![of::<InspectJson>(it), of::<ConstructJson>(it), of::<ModulePageJson>(it)]
        }),
    ),
    described(
        "keys",
        "keys, one key, a new key, or locks",
        Form::Types(|it| {
            vec![
                of::<Vec<KeyJson>>(it),
                of::<KeyJson>(it),
                of::<IssuedJson>(it),
                of::<Vec<LockJson>>(it),
                of::<UnlockedJson>(it),
            ]
        }),
    ),
    described("models", "the models", Form::Types(|it| vec![of::<Vec<ModelJson>>(it)])),
    described("plan", "the plan of a script", Form::Published(PLAN_SCHEMA)),
    described("replay", "the comparison", Form::Types(|it| vec![of::<ReplayJson>(it)])),
    described("resume", "the result of the run", Form::Value),
    described("run", "the result of the script", Form::Value),
    described("runs", "the runs", Form::Types(|it| vec![of::<Vec<RunJson>>(it)])),
    described("show", "a run with its calls", Form::Types(|it| vec![of::<ShowJson>(it)])),
    described("table", "the columns of a table", Form::Types(|it| vec![of::<TableJson>(it)])),
    described("tap", "the value of a call or run", Form::Value),
    described("test", "the result of each test", Form::Types(|it| vec![of::<TestsJson>(it)])),
    described("tools", "the tools", Form::Made(tools_schema)),
    described("verify", "what differs", Form::Types(|it| vec![of::<VerifiedJson<'static>>(it)])),
    described("why", "the reasons", Form::Types(|it| vec![of::<Why>(it)])),
];

const fn described(name: &'static str, prints: &'static str, form: Form) -> Described {
    Described { name, prints, form }
}

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

impl Described {
    /// The schema as JSON text: what the command prints, or why it has no result.
    pub fn schema(&self, engine: &Engine) -> String {
        let (mut prints, mut definitions) = self.form.parts(engine);
        close(&mut prints);
        definitions.values_mut().for_each(close);
        let (failed, of_failure) = split(FAILURE_SCHEMA);
        definitions.extend(of_failure);
        definitions.insert("output".into(), prints);
        definitions.insert("failed".into(), failed);
        let command = match self.name {
            "certificate" => "certify".to_owned(),
            name => name.replace('-', " "),
        };
        let option = if command == "certify" { "" } else { " --json" };
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": format!("What `svc {command}{option}` prints: {}", self.prints),
            "description": "The second form is the reason why a result is missing. Durations are numbers of milliseconds, instants are strings as in RFC 3339.",
            "anyOf": [{ "$ref": "#/$defs/output" }, { "$ref": "#/$defs/failed" }],
            "$defs": definitions,
        });
        format!("{schema:#}\n")
    }
}

impl Form {
    /// What is printed, and the definitions that it refers to.
    fn parts(&self, engine: &Engine) -> (Value, Map<String, Value>) {
        match self {
            Self::Published(text) => split(text),
            Self::Types(types) => {
                let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
                let types = types(&mut generator);
                (json!({ "anyOf": types }), generator.take_definitions(true))
            }
            Self::ResultOf(script) => (result_of(engine, script), Map::new()),
            Self::Made(make) => {
                let text = values::write(&make());
                (serde_json::from_str(&text).unwrap_or_else(|_| json!({})), Map::new())
            }
            Self::Value => (json!({ "description": "A value of any type." }), Map::new()),
        }
    }
}

/// A published schema without its head, and its definitions.
fn split(published: &str) -> (Value, Map<String, Value>) {
    let mut schema: Map<String, Value> = serde_json::from_str(published).unwrap_or_default();
    let definitions = match schema.remove("$defs") {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    schema.remove("$schema");
    (schema.into(), definitions)
}

/// The schema of a script's result; anything, if the registry lacks its component.
fn result_of(engine: &Engine, script: &str) -> Value {
    let program = engine.check(script).ok();
    let main = program.as_ref().and_then(|it| it.main.as_ref());
    let schema = main.and_then(|it| schema::of(&it.ty, schema::Ranges::Asserted).ok());
    let text = schema.map(|it| values::write(&it));
    text.and_then(|it| serde_json::from_str(&it).ok()).unwrap_or_else(|| json!({}))
}

/// Allows no fields but those that are described.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.contains_key("properties") && !fields.contains_key("additionalProperties") {
                fields.insert("additionalProperties".into(), false.into());
            }
            fields.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

/// The problems of a script, as `svc check --json` prints them. The schema of failures, which is
/// part of every schema, describes them.
pub(crate) fn problems(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": { "$ref": "#/$defs/problem" } })
}

/// The error of a stored run or call.
pub(crate) fn recorded_error(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": ["object", "null"],
        "description": "Why it failed; null if it did not.",
        "properties": {
            "kind": { "type": "string" },
            "message": { "type": "string" },
            "path": { "type": "string", "description": "The step that failed; only for a run." },
            "file": { "type": ["string", "null"], "description": "The file of its place; only for a run, like the rest." },
            "line": { "type": ["integer", "null"], "description": "From 1." },
            "column": { "type": ["integer", "null"], "description": "From 1." },
        },
        "required": ["kind", "message"],
    })
}
