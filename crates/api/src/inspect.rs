//! The documentation of a component: `svc inspect`.

use schemars::JsonSchema;
use serde::Serialize;
use svc_contract::{
    registry::{
        Component, Effect, Example, FieldScheme, Generic, Limits, OpRef, Param, ParamDefault,
        Registry, Scheme, Tool, Tuning, nearest,
    },
    value::{Value, units},
};
use svc_engine::output::estimates::millis;
use svc_lang::constructs::{self, Construct};

use crate::{
    bias::BiasJson,
    components::{AliasJson, aliases},
};

/// The meaning of a name: a component, and the selected ops of it.
pub struct Subject {
    pub component: &'static Component,
    pub ops: Vec<OpRef>,
}

/// Finds a component or an op. The name of a component selects all of its ops; any other name
/// selects one op.
pub fn find(registry: &Registry, name: &str) -> Option<Subject> {
    if let Some(component) = registry.components().iter().find(|it| it.name == name).copied() {
        let ops = component.ops.iter().map(|op| OpRef { component, op }).collect();
        return Some(Subject { component, ops });
    }
    let op = registry.resolve(name)?;
    Some(Subject { component: op.component, ops: vec![op] })
}

/// The known name nearest to `name`: of a component, an op, or a word of the language; after a
/// dot, an op of a component.
pub fn meant(registry: &Registry, name: &str) -> Option<String> {
    let Some((component, op)) = name.split_once('.') else {
        let words = constructs::all().flat_map(|it| it.words).copied();
        return nearest(name, registry.names().chain(words)).map(str::to_owned);
    };
    match registry.find(component) {
        Some(found) => {
            let ops = found.component().ops.iter().map(|it| it.name);
            nearest(op, ops).map(|it| format!("{component}.{it}"))
        }
        None => registry.suggest(component).map(|it| format!("{it}.{op}")),
    }
}

/// The fields of the record that a result is or holds.
pub fn fields(scheme: Scheme) -> &'static [FieldScheme] {
    match scheme {
        Scheme::Record(_, fields) => fields,
        Scheme::List(inner, _) | Scheme::Map(inner) | Scheme::Optional(inner) => fields(*inner),
        _ => &[],
    }
}

/// What is known of an op as a whole, each fact with its name. Empty facts are left out.
pub fn facts(op: &OpRef) -> Vec<(&'static str, String)> {
    let def = op.op;
    let errors: Vec<&str> = def.errors.iter().map(|it| it.name()).collect();
    let generic = match def.generic {
        Generic::No => String::new(),
        Generic::Field(name) => format!(", whose `{name}` is a T with `<T>`"),
        _ => ", or T of `<T>`".to_owned(),
    };
    let mut rows = vec![
        ("result", format!("{}{generic}", def.yields.show())),
        ("does", effects(def.effects).join(", ")),
        ("costs", def.price.to_string()),
        ("fails", errors.join(", ")),
        ("within", bounds(op).join(", ")),
        ("runs", def.lacks().map_or(def.cost_class(), |_| "").to_owned()),
        ("needs", def.lacks().map(needs).unwrap_or_default()),
        ("tool", def.tool.map(|it| format!("{} ({})", it.name, it.tier)).unwrap_or_default()),
    ];
    rows.retain(|(_, it)| !it.is_empty());
    rows
}

/// The missing feature of an op.
fn needs(feature: &str) -> String {
    format!("the feature `{feature}`, which this build lacks")
}

/// What a call may take when a script says nothing.
fn bounds(op: &OpRef) -> Vec<String> {
    if op.op.is_inline() {
        return Vec::new();
    }
    let limits = op.op.limits;
    let retries = if op.op.writes_once() { 0 } else { limits.max_retries };
    let timeout = limits.timeout.map(|it| format!("timeout {}", units::show_duration(it)));
    timeout.into_iter().chain([format!("max_retries {retries}")]).collect()
}

pub fn effects(effects: &[Effect]) -> Vec<String> {
    effects.iter().map(ToString::to_string).collect()
}

/// A word or sign of the language.
#[derive(JsonSchema, Serialize)]
pub struct ConstructJson {
    name: &'static str,
    /// All its words, such as `if` and `else`.
    words: &'static [&'static str],
    /// Phrasings in which users ask for it.
    says: &'static [&'static str],
    /// Markdown, like `fails`.
    summary: &'static str,
    forms: Vec<&'static str>,
    example: &'static str,
    /// The result of the example, as JSON text.
    result: &'static str,
    fails: &'static str,
    /// A file in `docs`, and a heading in it.
    chapter: &'static str,
}

impl ConstructJson {
    pub fn new(construct: &Construct) -> Self {
        let Construct { words, says, summary, form, example, result, fails, chapter } = *construct;
        let (name, forms) = (construct.name(), form.lines().collect());
        Self { name, words, says, summary, forms, example, result, fails, chapter }
    }
}

/// A component and the selected ops of it.
#[derive(JsonSchema, Serialize)]
pub struct InspectJson {
    name: &'static str,
    cluster: &'static str,
    summary: &'static str,
    version: u32,
    aliases: Vec<AliasJson>,
    bias: BiasJson,
    /// Whether it learns models.
    learns: bool,
    ops: Vec<OpJson>,
}

#[derive(JsonSchema, Serialize)]
struct OpJson {
    name: &'static str,
    /// The canonical name, as used in plans.
    path: String,
    /// The shortest name for scripts.
    script_name: String,
    doc: String,
    /// Phrasings in which users ask for it.
    says: &'static [&'static str],
    tool: Option<ToolJson>,
    /// The feature that this build lacks.
    needs: Option<&'static str>,
    /// The param that receives the incoming value.
    input: Option<&'static str>,
    params: Vec<ParamJson>,
    result: String,
    /// The fields of the record that the result is or contains.
    fields: Vec<FieldJson>,
    generic: bool,
    effects: Vec<String>,
    price: String,
    errors: Vec<&'static str>,
    limits: LimitsJson,
    cost_class: &'static str,
    examples: Vec<ExampleJson>,
}

/// The public name of an op, and who may call it.
#[derive(JsonSchema, Serialize)]
struct ToolJson {
    name: &'static str,
    tier: &'static str,
}

#[derive(JsonSchema, Serialize)]
struct ParamJson {
    name: &'static str,
    r#type: String,
    doc: String,
    required: bool,
    /// Also null if the default is null; `required` distinguishes the two.
    #[schemars(with = "serde_json::Value")]
    default: Value,
    tunable: bool,
    /// The changed default; null if it is not changed.
    #[schemars(with = "serde_json::Value")]
    tuned: Value,
}

#[derive(JsonSchema, Serialize)]
struct FieldJson {
    name: &'static str,
    r#type: String,
    doc: &'static str,
}

#[derive(JsonSchema, Serialize)]
struct LimitsJson {
    /// Milliseconds.
    timeout: Option<f64>,
    max_retries: u32,
    max_tokens: Option<u64>,
}

#[derive(JsonSchema, Serialize)]
struct ExampleJson {
    title: &'static str,
    script: &'static str,
    /// The result as JSON text.
    result: Option<&'static str>,
    /// A part of the error message.
    fails: Option<&'static str>,
    files: Vec<FileJson>,
}

#[derive(JsonSchema, Serialize)]
struct FileJson {
    path: &'static str,
    content: &'static str,
}

impl InspectJson {
    pub fn new(subject: &Subject, tuning: &Tuning) -> Self {
        let component = subject.component;
        Self {
            name: component.name,
            cluster: component.cluster,
            summary: component.summary,
            version: component.version,
            aliases: aliases(component),
            bias: BiasJson::new(component, tuning),
            learns: component.learns(),
            ops: subject.ops.iter().map(|it| OpJson::new(it, tuning)).collect(),
        }
    }
}

impl OpJson {
    fn new(op: &OpRef, tuning: &Tuning) -> Self {
        let def = op.op;
        Self {
            name: def.name,
            path: op.to_string(),
            script_name: op.script_name(),
            doc: def.text(),
            says: def.says,
            tool: def.tool.as_ref().map(ToolJson::new),
            needs: def.lacks(),
            input: def.input().map(|it| it.name),
            params: def.params.iter().map(|it| ParamJson::new(op.component, it, tuning)).collect(),
            result: def.yields.show(),
            fields: fields(*def.yields).iter().map(FieldJson::new).collect(),
            generic: def.generic != Generic::No,
            effects: effects(def.effects),
            price: def.price.to_string(),
            errors: def.errors.iter().map(|it| it.name()).collect(),
            limits: LimitsJson::new(&def.limits),
            cost_class: def.cost_class(),
            examples: def.examples.iter().map(ExampleJson::new).collect(),
        }
    }
}

impl ToolJson {
    fn new(tool: &Tool) -> Self {
        Self { name: tool.name, tier: tool.tier.name() }
    }
}

impl ParamJson {
    fn new(component: &Component, param: &Param, tuning: &Tuning) -> Self {
        Self {
            name: param.name,
            r#type: param.scheme.show(),
            doc: param.summary(),
            required: param.default.is_none(),
            default: param.default.map(default).unwrap_or_default(),
            tunable: param.is_tunable(),
            tuned: tuning.changed(component, param).cloned().unwrap_or_default(),
        }
    }
}

/// The value of a default, or the name of the op that is one.
fn default(of: ParamDefault) -> Value {
    match of {
        ParamDefault::Op(name) => name.into(),
        other => other.value(),
    }
}

impl FieldJson {
    fn new(field: &FieldScheme) -> Self {
        Self { name: field.name, r#type: field.scheme.show(), doc: field.doc.trim() }
    }
}

impl LimitsJson {
    fn new(limits: &Limits) -> Self {
        Self {
            timeout: limits.timeout.map(millis),
            max_retries: limits.max_retries,
            max_tokens: limits.max_tokens,
        }
    }
}

impl ExampleJson {
    fn new(example: &Example) -> Self {
        let file = |(path, content): &(&'static str, &'static str)| FileJson { path, content };
        Self {
            title: example.title,
            script: example.script,
            result: example.yields.ok(),
            fails: example.yields.err(),
            files: example.files.iter().map(file).collect(),
        }
    }
}
