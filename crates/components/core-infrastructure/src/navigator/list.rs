//! Lists the components, page by page.

use svc_contract::{
    registry::{
        Component, Compute, Cx, Effect, ErrorKind, Example, Field, Op, OpError, Scheme, Tool,
        params, record,
    },
    value::{Text, Value},
};

use super::EFFECTS;

record! {
    /// A component in a list.
    struct Entry {
        /// Its name.
        name: Text,
        /// Whether one of its ops is a tool for other programs.
        mcp: bool,
        /// The group that contains it.
        category: Text,
        /// Its purpose.
        description: Text,
        /// The record types of its results.
        exports: Vec<Text>,
    }
}

record! {
    /// A part of all components.
    struct Listing {
        /// Their names.
        components: Vec<Text>,
        /// The same components with their purposes.
        entries: Vec<Entry>,
        /// What to pass as `cursor` for the next ones; null after the last one.
        next_cursor: Option<Text>,
    }
}

params! {
    /// Lists the components with their purposes, by family or by group.
    pub(super) struct List {
        /// The beginning of their names: `ctx`, `adapt`, `job`.
        family: Option<Text> = None,
        /// The group that contains them: `context-retrieval`.
        cluster: Option<Text> = None,
        /// The maximum number of components.
        #[range(1..=1000)]
        limit: usize = 200,
        /// Where to go on: the `next_cursor` of the list before.
        cursor: Option<Text> = None,
    }
}

impl Op for List {
    const NAME: &'static str = "list";
    const YIELDS: Scheme = Listing::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const SAYS: &'static [&'static str] = &[
        "list all components",
        "which components exist in a group",
        "every component with its purpose",
        "page through the registry",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("list_components"));
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A family",
            r#"list_components(family: "ctx", limit: 1) >> .components"#,
            r#"["ctx_search"]"#,
        ),
        Example::err(
            "A cursor that leads nowhere",
            r#"list_components(cursor: "nope")"#,
            "unknown cursor `nope`",
        ),
    ];
}

impl Compute for List {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let catalog = cx.catalog()?;
        let is_wanted = |it: &&&'static Component| {
            self.family.as_deref().is_none_or(|family| is_of(it.name, family))
                && self.cluster.as_deref().is_none_or(|cluster| it.cluster == cluster)
        };
        let all: Vec<&Component> =
            catalog.registry().components().iter().filter(is_wanted).copied().collect();
        let start = match &self.cursor {
            None => 0,
            Some(cursor) => {
                let place = all.iter().position(|it| *it.name == **cursor);
                place.ok_or_else(|| {
                    OpError::not_found(format!("unknown cursor `{cursor}`"))
                        .help("pass the `next_cursor` of a list with the same filters")
                })?
            }
        };
        let page: Vec<&Component> = all.iter().skip(start).take(self.limit).copied().collect();
        let next = all.get(start + page.len()).map(|it| it.name.into());
        let components = page.iter().map(|it| it.name.into()).collect();
        let entries = page.into_iter().map(Entry::of).collect();
        Ok(Listing { components, entries, next_cursor: next }.encode())
    }
}

/// Whether a name is of a family: `ctx_rag` is of `ctx` and of `ctx_`.
fn is_of(name: &str, family: &str) -> bool {
    let family = family.trim_end_matches(['_', '*']);
    name.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

impl Entry {
    fn of(component: &Component) -> Self {
        let mut exports: Vec<Text> = Vec::new();
        for name in component.ops.iter().filter_map(|it| record_of(*it.yields)) {
            if !exports.iter().any(|it| **it == *name) {
                exports.push(name.into());
            }
        }
        Self {
            name: component.name.into(),
            mcp: component.ops.iter().any(|it| it.tool.is_some()),
            category: component.cluster.into(),
            description: component.summary.into(),
            exports,
        }
    }
}

/// The name of the record that a result is or holds.
fn record_of(scheme: Scheme) -> Option<&'static str> {
    match scheme {
        Scheme::Record(name, _) if !name.is_empty() => Some(name),
        Scheme::List(inner, _) | Scheme::Map(inner) | Scheme::Optional(inner) => record_of(*inner),
        _ => None,
    }
}
