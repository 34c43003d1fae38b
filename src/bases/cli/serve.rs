//! `svc serve`: offers scripts, components and tools to other programs.

use std::{
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
};

use clap::Args;
use svc_api::rest::{Listening, Rest};
use svc_contract::registry::OpError;
use svc_service::{Options, Service};
use tokio_util::sync::CancellationToken;

use super::{
    Session,
    exit::{Failure, OK, Result},
    keeping::OptionalStoreArgs,
    policy::Rules,
    signals::Signals,
};

/// The exit code of a server that refuses its configuration, as in sysexits.h.
const CONFIGURATION: u8 = 78;

/// Offer scripts, components and tools over HTTP.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Serve {
    /// A folder: each of its scripts with a pipeline becomes an endpoint.
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// The address to listen at. Port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8010")]
    bind: SocketAddr,
    /// A web page that may call, by its origin: `https://app.example.com`.
    #[arg(long, value_name = "ORIGIN")]
    cors: Vec<String>,
    #[command(flatten)]
    rules: Rules,
    #[command(flatten)]
    keeping: OptionalStoreArgs,
}

const EXAMPLES: &str = r#"Examples:
  svc serve examples
  svc serve examples --allow reads              scripts may only read
  curl -s localhost:8010/scripts
  curl -s localhost:8010/scripts/word_count --json '{"folder": "docs", "most": 2}'
  curl -s localhost:8010/invoke/text --json '{"op": "upper", "params": {"text": "hello"}}'
  curl -sN localhost:8010/scripts/research --json '{"question": "how are budgets enforced?"}' \
       -H 'Accept: text/event-stream'

The server answers only to this machine, and anyone on it may call. A changed script is served
within a second; one that no longer checks is served as it was before. Runs of scripts are
recorded, as with `svc run`. `/openapi.json` describes every endpoint. Ctrl-C and SIGTERM let runs
end for up to 10 seconds; a run that is cut off can be resumed."#;

impl Serve {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        self.test_address()?;
        let session = &self.rules.with_rules(session)?;
        let (service, store) = self.service(session)?;
        let rest = Rest { service, store, version: env!("CARGO_PKG_VERSION") };
        let stop = CancellationToken::new();
        let listening = self.listening(&rest, session);
        let serving = (session.servers.http)(rest, listening, stop.clone());
        let signals = tokio::spawn(async move {
            Signals::new().next().await;
            stop.cancel();
        });
        let ended = serving.await;
        signals.abort();
        ended.map_err(|err| {
            let failure =
                Failure::reading(OpError::failed(format!("cannot listen at {}: {err}", self.bind)));
            match err.kind() {
                std::io::ErrorKind::AddrInUse => failure.help("choose another port with `--bind`"),
                _ => failure,
            }
        })?;
        session.terminal.note("stopped");
        Ok(OK)
    }

    /// Without keys, only this machine may call.
    fn test_address(&self) -> Result<()> {
        let is_local = match self.bind.ip() {
            IpAddr::V4(it) => it.is_loopback(),
            IpAddr::V6(it) => it.is_loopback(),
        };
        if is_local {
            return Ok(());
        }
        let message = format!("{} can be reached from other machines", self.bind.ip());
        Err(Failure::new(CONFIGURATION, message)
            .help("listen at 127.0.0.1, with a proxy before it that knows its callers"))
    }

    fn service(&self, session: &Session) -> Result<(Service, Option<svc_api::store::RunStore>)> {
        let engine = session.engine.clone();
        let store = self.keeping.opened(session)?;
        let kept = store.as_ref().map(|it| it.engine(engine.clone()));
        let mut options = Options::new(env!("CARGO_PKG_VERSION"));
        if let Some(store) = &store {
            options.jobs = Some(self.keeping.jobs(store, session)?);
        }
        if let Some(folder) = &self.folder {
            options.folder = Some(Self::existing(folder, session)?);
        }
        Ok((Service::new(engine, kept, options), store))
    }

    fn existing(folder: &Path, session: &Session) -> Result<PathBuf> {
        let stat = session.engine.host().stat(folder);
        let stat = stat.map_err(|err| Failure::reading(OpError::io(err, folder)))?;
        if stat.is_dir {
            return Ok(folder.to_owned());
        }
        let message = format!("`{}` is not a folder", folder.display());
        Err(Failure::new(super::exit::USAGE, message)
            .help("serve the folder that contains the script"))
    }

    fn listening(&self, rest: &Rest, session: &Session) -> Listening {
        let (terminal, service) = (session.terminal, rest.service.clone());
        let announce = move |address: SocketAddr| {
            if let Some(folder) = service.folder() {
                let names: Vec<String> =
                    folder.scripts().iter().map(|it| it.name.clone()).collect();
                terminal.note(&format!("scripts: {}", names.join(", ")));
                for it in folder.unserved() {
                    terminal.note(&format!("not served: {}: {}", it.path, it.why));
                }
            }
            terminal.note(&format!("listening at http://{address}"));
        };
        Listening { address: self.bind, origins: self.cors.clone(), announce: Box::new(announce) }
    }
}
