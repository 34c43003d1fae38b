//! The modules of the standard library as JSON, in `svc components` and `svc inspect`.

use schemars::JsonSchema;
use serde::Serialize;
use svc_lang::stdlib::{self, FlowDoc, Module, PREFIX};

/// The heading of the modules among the clusters of components.
pub const CLUSTER: &str = "standard-library";

/// A module with its flows.
#[derive(JsonSchema, Serialize)]
pub struct ModuleJson {
    name: String,
    cluster: &'static str,
    summary: String,
    flows: Vec<FlowJson>,
}

/// The documentation of a module.
#[derive(JsonSchema, Serialize)]
pub struct ModulePageJson {
    #[serde(flatten)]
    module: ModuleJson,
    doc: String,
    types: Vec<String>,
    /// The scripts in the documentation, with their results.
    examples: Vec<ExampleJson>,
}

#[derive(JsonSchema, Serialize)]
struct FlowJson {
    name: String,
    signature: String,
    doc: String,
    /// Phrasings in which users ask for it.
    says: Vec<String>,
}

#[derive(JsonSchema, Serialize)]
struct ExampleJson {
    script: String,
    result: Option<String>,
}

impl ModuleJson {
    pub fn new(module: &Module<'_>) -> Self {
        let flow = |it: FlowDoc| {
            let signature = it.signature();
            FlowJson { signature, name: it.name, doc: it.doc, says: it.says }
        };
        let flows = module.flows().into_iter().map(flow).collect();
        let name = format!("{PREFIX}{}", module.name);
        Self { name, cluster: CLUSTER, summary: module.summary().to_owned(), flows }
    }
}

impl ModulePageJson {
    /// The page of a module of a user.
    pub fn of_user(module: &Module<'_>) -> Self {
        let page = Self::new(module);
        let own = ModuleJson { name: module.name.to_owned(), cluster: "", ..page.module };
        Self { module: own, ..page }
    }

    pub fn new(module: &Module<'_>) -> Self {
        let example = |it: stdlib::Example| ExampleJson { script: it.script, result: it.gives };
        Self {
            module: ModuleJson::new(module),
            doc: module.docs(),
            types: module.types(),
            examples: module.examples().into_iter().map(example).collect(),
        }
    }
}

/// The documentation of a module as Markdown.
pub fn markdown(module: &Module<'_>) -> String {
    let mut page = format!("# {}\n", module.name);
    let docs = module.docs();
    for line in docs.trim().lines() {
        // Scripts in the comment are indented by two spaces.
        page += &match line.strip_prefix("  ") {
            Some(code) => format!("\n    {code}"),
            None => format!("\n{line}"),
        };
    }
    if !docs.is_empty() {
        page.push('\n');
    }
    for ty in module.types() {
        page += &format!("\n```svc\n{ty}\n```\n");
    }
    for flow in module.flows() {
        page += &format!("\n## {}\n\n```svc\n{}\n```\n", flow.name, flow.signature());
        if !flow.doc.is_empty() {
            page += &format!("\n{}\n", flow.doc);
        }
    }
    page
}

/// The modules whose documentation contains all of these words.
pub fn search(query: &str) -> Vec<&'static Module<'static>> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let has = |it: &&Module| {
        let flows = it.flows().into_iter().map(|it| format!(" {} {}", it.name, it.doc));
        let text = format!("{PREFIX}{} {}{}", it.name, it.docs(), flows.collect::<String>());
        let text = text.to_lowercase();
        words.iter().all(|word| text.contains(word))
    };
    stdlib::ALL.iter().filter(has).collect()
}
