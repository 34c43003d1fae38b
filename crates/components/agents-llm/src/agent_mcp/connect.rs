//! `mcp_connect`: whether a server answers, and what it is.

use svc_contract::{
    record,
    registry::{Cx, Effect, ErrorKind, Example, Field, Io, Op, OpError, Scheme, params},
    value::{Secret, Text, Value},
};
use svc_mcp::Pool;

use super::{READS, server};

record! {
    /// What a server says of itself.
    struct Connected {
        /// Its name and version.
        server: Text,
        /// The revision of the protocol that it speaks.
        protocol: Text,
        /// How many tools it has.
        tools: i64,
    }
}

params! {
    /// Connects to an MCP server, and returns what it says of itself.
    pub(super) struct Connect {
        /// The address of the server, with `http://` or `https://`.
        server: Text,
        /// The secret for authorization, sent as `Authorization: Bearer ..`.
        token: Option<Secret> = None,
    }
}

impl Op for Connect {
    const NAME: &'static str = "connect";
    const YIELDS: Scheme = Connected::SCHEME;
    const EFFECTS: &'static [Effect] = READS;
    const ERRORS: &'static [ErrorKind] = ErrorKind::OF_SERVERS;
    const SAYS: &'static [&'static str] = &[
        "connect to an mcp server",
        "is an mcp server reachable",
        "which mcp revision does a server speak",
    ];
    const EXAMPLES: &'static [Example] = &[Example::err(
        "An address without a scheme",
        r#"mcp_connect("mcp.example")"#,
        "invalid address `mcp.example`",
    )];
}

impl Io for Connect {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let server = server(&self.server, self.token.as_ref())?;
        let listing = cx.of_run::<Pool>().listing(cx, &server).await?;
        let title = format!("{} {}", listing.server, listing.version);
        let connected = Connected {
            server: title.trim().into(),
            protocol: listing.protocol.into(),
            tools: i64::try_from(listing.tools.len()).unwrap_or(i64::MAX),
        };
        Ok(connected.encode())
    }
}
