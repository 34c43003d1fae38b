//! Resources: pages of the book, components, served scripts and runs, by their addresses.

use svc_service::Fault;

use crate::{
    inspect,
    rest::{Input, Reply, Rest, routes},
};

/// A resource of the list.
#[derive(Clone, Debug)]
pub struct Resource {
    pub uri: String,
    pub name: String,
    pub description: String,
    pub media_type: &'static str,
}

/// A pattern of addresses, with the param in braces.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    pub uri: &'static str,
    pub name: &'static str,
    pub description: &'static str,
    pub media_type: &'static str,
}

/// The text of a resource.
#[derive(Clone, Debug)]
pub struct ResourceText {
    pub media_type: &'static str,
    pub text: String,
}

const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";
const SCRIPT: &str = "text/x-svc";

const TEMPLATES: [Template; 4] = [
    Template {
        uri: "svc://docs/{page}",
        name: "docs",
        description: "A page of the book: how the language and the program work.",
        media_type: MARKDOWN,
    },
    Template {
        uri: "svc://component/{name}",
        name: "component",
        description: "A component: its ops with params, results, effects, prices and examples.",
        media_type: JSON,
    },
    Template {
        uri: "svc://script/{name}",
        name: "script",
        description: "The text of a served script.",
        media_type: SCRIPT,
    },
    Template {
        uri: "svc://run/{id}",
        name: "run",
        description: "A run: its state, its result or error, and its calls.",
        media_type: JSON,
    },
];

/// The patterns of all addresses.
pub fn templates() -> &'static [Template] {
    &TEMPLATES
}

/// The resources that are worth a place in a list: the book and the served scripts.
pub fn resources(rest: &Rest) -> Vec<Resource> {
    let pages = svc_guide::pages().map(|it| Resource {
        uri: format!("svc://docs/{}", it.name),
        name: it.name.to_owned(),
        description: it.title.to_owned(),
        media_type: MARKDOWN,
    });
    let scripts = rest.service.scripts().into_iter().map(|it| Resource {
        uri: format!("svc://script/{}", it.name),
        name: it.name.clone(),
        description: it.description.lines().next().unwrap_or_default().to_owned(),
        media_type: SCRIPT,
    });
    pages.chain(scripts).collect()
}

/// The text of the resource at an address.
pub async fn read(rest: &Rest, uri: &str) -> Result<ResourceText, Fault> {
    let unknown = || {
        let patterns: Vec<&str> = TEMPLATES.iter().map(|it| it.uri).collect();
        Fault::not_found(format!("unknown resource `{uri}`"))
            .help(format!("addresses are {}", patterns.join(", ")))
    };
    let (kind, name) =
        uri.strip_prefix("svc://").and_then(|it| it.split_once('/')).ok_or_else(unknown)?;
    let name = percent_encoding::percent_decode_str(name).decode_utf8().map_err(|_| unknown())?;
    match kind {
        "docs" => {
            let page = svc_guide::pages().find(|it| it.name == name).ok_or_else(unknown)?;
            Ok(ResourceText { media_type: MARKDOWN, text: page.text.to_owned() })
        }
        "component" => {
            let registry = rest.service.engine().registry();
            let found = registry.find(&name).ok_or_else(unknown)?;
            let subject = inspect::find(registry, found.component().name).ok_or_else(unknown)?;
            let shown = inspect::InspectJson::new(&subject, rest.service.engine().tuning());
            let text = serde_json::to_string(&shown).map_err(|err| crate::rest::bug(&err))?;
            Ok(ResourceText { media_type: JSON, text })
        }
        "script" => {
            let scripts = rest.service.scripts();
            let script = scripts.iter().find(|it| *it.name == *name).ok_or_else(unknown)?;
            let text = script.plan.program().source.text().to_owned();
            Ok(ResourceText { media_type: SCRIPT, text })
        }
        "run" => {
            let input = Input { path: vec![name.into_owned()], ..Input::default() };
            let route = routes().iter().find(|it| it.path == "/runs/{id}").ok_or_else(unknown)?;
            match route.answer(rest, input).await? {
                Reply::Json(_, value) => {
                    let text = svc_contract::value::json::write(&value);
                    Ok(ResourceText { media_type: JSON, text })
                }
                _ => Err(unknown()),
            }
        }
        _ => Err(unknown()),
    }
}
