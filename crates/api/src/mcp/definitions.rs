//! The definitions of tools: those of the registry, and the scripts of the served folder.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use svc_contract::{
    registry::{Effect, Scope},
    value::{Record, Text, Value, json},
};
use svc_lang::plan::{EffectUse, Place, Plan, Verb};
use svc_service::{
    Served,
    tools::{self, Hints, Row},
};

use super::shortened::first;
use crate::rest::{Rest, object};

/// The most bytes of a definition without its output schema. A model reads all of them, so what
/// is longer is shortened; `describe_tools` has the whole.
pub const LARGEST_DEFINITION: usize = 700;

/// What a client reads before it calls a tool.
#[derive(Clone, Debug)]
pub struct Definition {
    pub name: String,
    pub description: String,
    /// The same in fewer words, for a definition that would be too long.
    pub(super) brief: String,
    pub input_schema: Value,
    pub output_schema: Value,
    pub hints: Hints,
    /// The tier, the effects, the price and the fingerprint.
    pub meta: Value,
    /// The params that a short definition does without first: they are for tuning.
    pub(super) spare: Vec<&'static str>,
}

/// The definitions of a service, which are made once for each version of what it offers.
#[derive(Default)]
pub struct Definitions {
    tools: OnceLock<Vec<Arc<Definition>>>,
    scripts: Mutex<Scripts>,
}

/// The served scripts of a version of the folder.
#[derive(Default)]
struct Scripts {
    version: Option<u64>,
    all: Vec<Arc<Definition>>,
}

impl Definitions {
    /// The definitions of what the caller may call, by name.
    pub fn of_caller(&self, rest: &Rest) -> Vec<Arc<Definition>> {
        let (caller, registry) = (rest.service.caller(), rest.service.engine().registry());
        let tools = self.tools(rest).iter().filter(|it| caller.may_use(&it.name, registry));
        let scripts = self.scripts(rest).into_iter().filter(|it| caller.may_run(&it.name));
        let mut all: Vec<_> = tools.cloned().chain(scripts).collect();
        all.sort_by(|one, two| one.name.cmp(&two.name));
        all
    }

    /// The definition of a tool or a script that the caller may call, with all that is left out of
    /// the list.
    pub fn whole(name: &str, rest: &Rest) -> Option<Definition> {
        let (caller, registry) = (rest.service.caller(), rest.service.engine().registry());
        if let Some(row) = tools::find(registry, name) {
            return caller.may_use(name, registry).then(|| Definition::of_row(&row));
        }
        let scripts = rest.service.scripts();
        scripts.iter().find(|it| it.name == name).map(|it| Definition::of_script(it))
    }

    fn tools(&self, rest: &Rest) -> &[Arc<Definition>] {
        self.tools.get_or_init(|| {
            let rows = tools::table(rest.service.engine().registry());
            rows.iter().map(|it| Arc::new(Definition::of_row(it).shortened())).collect()
        })
    }

    fn scripts(&self, rest: &Rest) -> Vec<Arc<Definition>> {
        let Some(folder) = rest.service.folder() else { return Vec::new() };
        let version = Some(folder.version());
        let mut known = self.scripts.lock().unwrap_or_else(PoisonError::into_inner);
        if known.version != version {
            let scripts = folder.scripts();
            known.all =
                scripts.iter().map(|it| Arc::new(Definition::of_script(it).shortened())).collect();
            known.version = version;
        }
        known.all.clone()
    }
}

impl Definition {
    /// The definition of a tool.
    pub fn of_row(row: &Row) -> Self {
        let texts =
            |all: &[String]| all.iter().map(|it| it.as_str().into()).collect::<Vec<Value>>();
        Self {
            name: row.name.to_owned(),
            description: row.description.clone(),
            brief: first(&row.description),
            input_schema: explicit(&row.input_schema),
            output_schema: or_pending(&explicit(&row.output_schema)),
            hints: row.hints,
            meta: object([
                ("svc/tier", row.tier.name().into()),
                ("svc/effects", texts(&row.effects).into()),
                ("svc/price", row.price.as_str().into()),
                ("svc/fingerprint", row.fingerprint.as_str().into()),
            ]),
            spare: row.op.op.params.iter().filter(|it| it.is_evolvable).map(|it| it.name).collect(),
        }
    }

    /// The definition of a served script: what it is for, the most that it may take, and what it
    /// may do.
    pub fn of_script(script: &Served) -> Self {
        let effects = effects(&script.plan);
        let verbs: BTreeSet<Verb> = script.plan.effects().iter().map(|it| it.verb).collect();
        let verbs: Vec<String> = verbs.into_iter().map(|it| it.name().to_owned()).collect();
        let said = |about: String, effects: &[String]| {
            let gap = if about.is_empty() { "" } else { "\n\n" };
            [&about, gap, &within(&script.plan, effects)].concat()
        };
        let about = script.description.trim();
        Self {
            name: script.name.clone(),
            description: said(about.to_owned(), &effects),
            brief: said(first(about), &verbs),
            input_schema: explicit(&script.input_schema),
            output_schema: or_pending(&explicit(&script.output_schema)),
            hints: hints(script.plan.effects()),
            meta: object([
                ("svc/script", script.path.as_str().into()),
                (
                    "svc/effects",
                    effects.iter().map(|it| it.as_str().into()).collect::<Vec<Value>>().into(),
                ),
            ]),
            spare: Vec::new(),
        }
    }

    /// The bytes of it as JSON without the output schema, about.
    pub fn size(&self) -> usize {
        let own = object([
            ("name", self.name.as_str().into()),
            ("description", self.description.as_str().into()),
            ("inputSchema", self.input_schema.clone()),
            ("annotations", annotations(self.hints)),
            ("_meta", self.meta.clone()),
        ]);
        json::write(&own).len()
    }
}

/// The hints as the protocol writes them. What it assumes anyway is left out.
fn annotations(hints: Hints) -> Value {
    let Hints { read_only, destructive, idempotent, open_world } = hints;
    let all = [
        ("readOnlyHint", read_only, true),
        ("destructiveHint", destructive, !read_only && !destructive),
        ("idempotentHint", idempotent, !read_only && idempotent),
        ("openWorldHint", open_world, !open_world),
    ];
    let all = all.into_iter().filter(|(_, _, is_said)| *is_said);
    Value::Record(all.map(|(name, it, _)| (name.into(), it.into())).collect())
}

/// The most that a run may take, and what it may do.
fn within(plan: &Plan, effects: &[String]) -> String {
    let envelope = plan.envelope().summary();
    let effects = if effects.is_empty() { "none".to_owned() } else { effects.join(", ") };
    format!("Estimate: {envelope}. Effects: {effects}.")
}

/// The effects of a plan, each once. Paths of the server are its own business.
fn effects(plan: &Plan) -> Vec<String> {
    let shown = |it: &EffectUse| match &it.place {
        Some(Place::Path(path)) if Path::new(path.as_ref()).is_absolute() => {
            format!("{} files", it.verb.name())
        }
        _ => it.to_string(),
    };
    let mut all: Vec<String> = plan.effects().iter().map(shown).collect();
    all.dedup();
    all
}

/// What follows from the effects of a plan.
fn hints(effects: &BTreeSet<EffectUse>) -> Hints {
    let effects: Vec<Effect> = effects
        .iter()
        .map(|it| {
            let scope = match &it.place {
                Some(Place::Web(_)) => Scope::Web(""),
                Some(Place::Named(name)) => Scope::Named(name),
                _ => Scope::Path(""),
            };
            match it.verb {
                Verb::Reads => Effect::Reads(scope),
                // Whether a second write changes something further is not known of a plan.
                Verb::Writes => Effect::Writes { scope, idempotent: false },
                Verb::Runs => Effect::Runs(scope),
                Verb::Spends => Effect::Spends,
                Verb::Asks => Effect::Asks,
            }
        })
        .collect();
    tools::hints(&effects)
}

/// A schema that names the types of what may be anything: some models and clients take a schema
/// without any word for a mistake.
fn explicit(schema: &Value) -> Value {
    const ALL: [&str; 6] = ["string", "number", "boolean", "object", "array", "null"];
    let Value::Record(of) = schema else { return schema.clone() };
    let of_each = |inner: &Record| {
        Value::Record(inner.iter().map(|(name, it)| (name.clone(), explicit(it))).collect())
    };
    let fields = of.iter().map(|(name, it)| {
        let it = match (name.as_ref(), it) {
            ("properties", Value::Record(inner)) => of_each(inner),
            ("items", it) => explicit(it),
            ("additionalProperties", Value::Record(inner)) if inner.iter().next().is_none() => {
                Value::Bool(true)
            }
            ("additionalProperties", it) => explicit(it),
            ("anyOf", Value::List(all)) => all.iter().map(explicit).collect::<Vec<_>>().into(),
            (_, it) => it.clone(),
        };
        (name.clone(), it)
    });
    let is_word = |name: &str| !["description", "default", "title"].contains(&name);
    let is_any = !of.iter().any(|(name, _)| is_word(name));
    let types = ALL.iter().map(|it| object([("type", Value::from(*it))])).collect::<Vec<_>>();
    let types = is_any.then(|| (Text::from("anyOf"), types.into()));
    Value::Record(types.into_iter().chain(fields).collect())
}

/// The schema of a result that may come later: then the answer names the job. Any call may take long,
/// or be interrupted by the end of the server.
fn or_pending(schema: &Value) -> Value {
    let is_object =
        schema.as_record().and_then(|it| it.get("type")).and_then(Value::as_str) == Some("object");
    let result = if is_object {
        schema.clone()
    } else {
        object([
            ("type", "object".into()),
            ("properties", object([("result", schema.clone())])),
            ("required", vec![Value::from("result")].into()),
            ("additionalProperties", false.into()),
        ])
    };
    let text = || object([("type", "string".into())]);
    let later = object([
        ("type", "object".into()),
        ("properties", object([("job_id", text()), ("run_id", text()), ("state", text())])),
        ("required", vec![Value::from("run_id"), "state".into()].into()),
    ]);
    object([("type", "object".into()), ("anyOf", vec![result, later].into())])
}
