//! `svc mcp`: offers tools and scripts to an agent, over its standard streams. Its subcommands are
//! about MCP servers that scripts call.

use std::time::Duration;

use clap::Args;
use svc_api::{mcp::StreamOptions, rest::Rest};
use svc_service::{Entrance, Options, Service, once::Once};
use tokio_util::sync::CancellationToken;

use super::{
    Session,
    exit::{Failure, OK, Result},
    mcp_servers::ServerCommand,
    service_args::{ServiceArgs, note_scripts},
    signals::{Asked, Signals},
};

/// The variable with the key of the caller.
const KEY: &str = "SVC_API_KEY";

/// How long runs may go on after the client has gone.
const DRAIN: Duration = Duration::from_secs(10);

/// Offer tools and scripts to an agent, or add MCP servers.
///
/// Speaks the Model Context Protocol on the standard streams: the client starts this command.
/// `svc serve` offers the same at `/mcp`.
#[derive(Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(super) struct Mcp {
    #[command(subcommand)]
    server: Option<ServerCommand>,
    #[command(flatten)]
    served: ServiceArgs,
    /// List six tools that lead to all others, for a small prompt.
    #[arg(long)]
    compact: bool,
}

const EXAMPLES: &str = r#"Examples:
  svc mcp examples                              the tools, and the scripts of a folder
  svc mcp examples --allow reads                its scripts may only read
  svc mcp --compact                             six tools that lead to all others
  claude mcp add svc -- svc mcp "$PWD/examples"
  svc mcp ./add                                 a folder that is named as a subcommand
  svc mcp add memory npx -y @modelcontextprotocol/server-memory
                                                the other direction: a server as a component

In the settings of a client that starts servers:
  {"mcpServers": {"svc": {"command": "svc", "args": ["mcp", "/path/to/scripts"]}}}

The caller is this machine's user, or the holder of the key in SVC_API_KEY. Runs of scripts are
recorded; one that takes longer than its client waits goes on as a job. Messages of this program
are on standard error; standard output has only the protocol."#;

impl Mcp {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        if let Some(command) = self.server {
            return Box::pin(command.execute(session)).await;
        }
        let session = &session.at(&self.served.place())?;
        let session = &self.served.rules.with_rules(session)?;
        let key = session.engine.host().env(KEY);
        let service = self.service(session, key.is_some())?;
        note_scripts(&service, session.terminal);
        let host = service.engine().host();
        let once = Once::in_memory(host);
        let rest =
            Rest { service: service.clone(), version: env!("CARGO_PKG_VERSION"), once, desk: None };
        let options = StreamOptions {
            is_compact: self.compact,
            has_fixtures: self.served.conformance_fixtures,
            key,
        };
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let signals = tokio::spawn(async move {
            let mut signals = Signals::of_server();
            while signals.next().await == Some(Asked::Reload) {}
            stopped.cancel();
        });
        let own = service.clone();
        let working = tokio::spawn(async move { own.work().await });
        let ended = (session.servers.mcp)(rest, options, stop).await;
        signals.abort();
        service.stop(DRAIN).await;
        let _ = tokio::time::timeout(Duration::from_secs(1), working).await;
        ended.map_err(|err| Failure::new(super::exit::FAILED, err.to_string()))?;
        Ok(OK)
    }

    fn service(&self, session: &Session, has_key: bool) -> Result<Service> {
        let entrance = |data| Entrance { data, needs_keys: true, is_hosted: false };
        let data = has_key.then(|| self.served.data.folder(session)).transpose()?;
        self.served.service(session, data.map(entrance), Options::new(env!("CARGO_PKG_VERSION")))
    }
}
