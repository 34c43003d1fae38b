//! `mcp_drift`: what changed of the tools of a server.

use std::collections::BTreeMap;

use svc_contract::{
    record,
    registry::{Cx, Effect, ErrorKind, Example, Field, Io, Max, Op, OpError, Scheme, params},
    value::{Secret, Text, Value},
};
use svc_mcp::Pool;

use super::{READS, ToolInfo, info, server};

record! {
    /// A tool that is not as it was.
    struct ToolChange {
        /// Its name.
        tool: Text,
        /// `added`, `removed`, `schemas` or `words`.
        change: Text,
        /// What it was; null if it is new.
        before: Value,
        /// What it is; null if it was removed.
        now: Value,
    }
}

params! {
    /// Compares the tools of an MCP server with what `mcp_tools` returned earlier.
    ///
    /// `change` is `added`, `removed`, `schemas` for a tool with other arguments or results, and `words`
    /// for one that only describes itself differently, which may be an attempt to mislead a model.
    pub(super) struct Drift {
        /// The tools as they were: the result of `mcp_tools`.
        known: Vec<ToolInfo>,
        /// The address of the server, with `http://` or `https://`.
        server: Text,
        /// The secret for authorization, sent as `Authorization: Bearer ..`.
        token: Option<Secret> = None,
    }
}

impl Op for Drift {
    const NAME: &'static str = "drift";
    const YIELDS: Scheme = Scheme::List(&ToolChange::SCHEME, Max::Unknown);
    const EFFECTS: &'static [Effect] = READS;
    const ERRORS: &'static [ErrorKind] = ErrorKind::OF_SERVERS;
    const SAYS: &'static [&'static str] = &[
        "what changed of the tools of an mcp server",
        "detect a rug pull of an mcp server",
        "compare mcp tools with earlier",
    ];
    const EXAMPLES: &'static [Example] = &[Example::err(
        "An address without a scheme",
        r#"mcp_drift([], server: "mcp.example")"#,
        "invalid address `mcp.example`",
    )];
}

impl Io for Drift {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let server = server(&self.server, self.token.as_ref())?;
        let listing = cx.of_run::<Pool>().listing(cx, &server).await?;
        let now = listing.tools.into_iter().map(info).collect::<Result<Vec<_>, _>>()?;
        let changes = changes(self.known, now).into_iter().map(Field::encode);
        Ok(changes.collect::<Vec<Value>>().into())
    }
}

/// The changes in the order of names.
fn changes(known: Vec<ToolInfo>, now: Vec<ToolInfo>) -> Vec<ToolChange> {
    let mut both: BTreeMap<Text, [Option<ToolInfo>; 2]> = BTreeMap::new();
    for (side, tools) in [known, now].into_iter().enumerate() {
        for tool in tools {
            let sides = both.entry(tool.name.clone()).or_default();
            sides[side] = Some(tool);
        }
    }
    let change = |(tool, [before, now]): (Text, [Option<ToolInfo>; 2])| {
        let change = match (&before, &now) {
            (Some(before), Some(now)) if before.fingerprint != now.fingerprint => "schemas",
            (Some(before), Some(now)) if before.doc != now.doc => "words",
            (None, Some(_)) => "added",
            (Some(_), None) => "removed",
            _ => return None,
        };
        let [before, now] = [before, now].map(|it| it.map_or(Value::Null, Field::encode));
        Some(ToolChange { tool, change: change.into(), before, now })
    };
    both.into_iter().filter_map(change).collect()
}
