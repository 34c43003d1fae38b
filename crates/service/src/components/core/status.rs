//! What a caller of this server can do.

use svc_contract::{
    registry::{
        Compute, Cx, ErrorKind, Example, Field, Op, OpError, Registry, Scheme, Tier, Tool, nearest,
        params, record,
    },
    value::{Text, Value},
};

use crate::{Caller, tools};

record! {
    /// Whether a tool can be called, and why.
    struct Explained {
        /// Whether this caller can call it.
        callable: bool,
        /// Why, in one sentence.
        reason: String,
        /// The tier that it needs.
        tier_needed: Option<String>,
    }
}

record! {
    /// The state of the server for its caller.
    struct StatusView {
        /// The tier of the caller.
        tier: String,
        /// The number of tools of this build.
        tools_total: i64,
        /// Those that the caller can call.
        tools_callable: i64,
        /// The version of the server.
        version: String,
        /// Whether the caller may use the experimental tools.
        experimental: bool,
        /// Whether the tool that was asked about can be called.
        explain: Option<Explained>,
    }
}

params! {
    /// Says what the caller can do here: the tier, the number of tools, and whether a tool can be
    /// called.
    pub(super) struct Status {
        /// A tool to explain.
        explain: Option<Text> = None,
    }
}

impl Op for Status {
    const NAME: &'static str = "status";
    const YIELDS: Scheme = StatusView::SCHEME;
    const EFFECTS: &'static [svc_contract::registry::Effect] =
        &[svc_contract::registry::Effect::Reads(svc_contract::registry::Scope::Named("registry"))];
    const SAYS: &'static [&'static str] =
        &["what can my key do", "status of the server", "which tools may i call here"];
    const TOOL: Option<Tool> = Some(Tool::free("system_status"));
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Unsupported];
    const EXAMPLES: &'static [Example] = &[Example::err(
        "Outside of a server nothing is known of a caller",
        "core.status()",
        "no `svc_service::caller::Caller` is available",
    )];
}

impl Compute for Status {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let caller = cx.lent::<Caller>()?;
        let catalog = cx.catalog()?;
        let rows = tools::table(catalog.registry());
        let callable = rows.iter().filter(|it| caller.may_use(it.name, catalog.registry())).count();
        let explain = self
            .explain
            .map(|name| explained(&name, &rows, &caller, catalog.registry()))
            .transpose()?;
        let view = StatusView {
            tier: caller.tier.to_string(),
            tools_total: count(rows.len()),
            tools_callable: count(callable),
            version: caller.version.clone(),
            experimental: caller.is_experimental,
            explain,
        };
        Ok(view.encode())
    }
}

fn explained(
    name: &str,
    rows: &[tools::Row],
    caller: &Caller,
    registry: &Registry,
) -> Result<Explained, OpError> {
    let visible = || rows.iter().filter(|it| it.tier != Tier::Admin);
    let Some(row) = visible().find(|it| it.name == name) else {
        let error = OpError::not_found(format!("unknown tool `{name}`"));
        return Err(match nearest(name, visible().map(|it| it.name)) {
            Some(meant) => error.help(format!("did you mean `{meant}`?")),
            None => error,
        });
    };
    let verdict = caller.rights().of_tool(name, registry);
    Ok(Explained {
        callable: verdict.is_allowed(),
        reason: verdict.to_string(),
        tier_needed: Some(row.tier.to_string()),
    })
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
