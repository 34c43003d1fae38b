//! `svc serve`: offers scripts, components and tools to other programs.

use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
};

use clap::Args;
use svc_api::rest::{Listening, ProxyNetwork, Rest, TlsFiles};
use svc_contract::{host::address, registry::OpError};
use svc_service::{Entrance, Options, Service, once::Once};
use tokio_util::sync::CancellationToken;

use super::{
    Session,
    exit::{Failure, OK, Result},
    keeping,
    service_args::{ServiceArgs, existing, note_scripts},
    signals::{Asked, Signals},
    terminal::Terminal,
};

/// The exit code of a server that refuses its configuration, as in sysexits.h.
const CONFIGURATION: u8 = 78;

/// Offer scripts, components and tools over HTTP.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Serve {
    #[command(flatten)]
    served: ServiceArgs,
    /// The address to listen at. Port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8010")]
    bind: SocketAddr,
    /// A web page that may call, by its origin: `https://app.example.com`.
    #[arg(long, value_name = "ORIGIN")]
    cors: Vec<String>,
    /// A folder that every owner of a key can read, under its name.
    #[arg(long, value_name = "FOLDER")]
    share: Vec<PathBuf>,
    /// The network of a proxy that callers come through, whose `X-Forwarded-For` is believed.
    #[arg(long, value_name = "CIDR")]
    behind_proxy: Vec<ProxyNetwork>,
    /// A certificate in PEM, with those that lead to a known authority after it: callers begin with
    /// TLS. A renewed one is used within a minute.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Its private key in PEM, without a password.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Serve strangers: everybody needs a key, the role `free` only reads, and only what is made
    /// for them is answered.
    #[arg(long)]
    hosted: bool,
    /// An address of this machine or a private network that results may be sent to
    /// (`notify_url`): `10.0.0.5:8080`. Those of the public internet are allowed.
    #[arg(long, value_name = "HOST:PORT", value_parser = host_and_port)]
    notify: Vec<(String, u16)>,
}

const EXAMPLES: &str = r#"Examples:
  svc serve examples
  svc serve examples --allow reads              scripts may only read
  curl -s localhost:8010/scripts
  curl -s localhost:8010/scripts/word_count --json '{"folder": "docs", "most": 2}'
  curl -s localhost:8010/invoke/text --json '{"op": "upper", "params": {"text": "hello"}}'
  svc serve flows --bind 0.0.0.0:443 --tls-cert fullchain.pem --tls-key key.pem
  curl -sN localhost:8010/scripts/research --json '{"question": "how are budgets enforced?"}' \
       -H 'Accept: text/event-stream'

The server answers only to this machine unless it has a certificate or a proxy, and anyone on it
may call until the first key is issued (`svc keys issue`); SIGHUP reads the roles again. A changed script is served
within a second; one that no longer checks is served as it was before. Runs of scripts are
recorded, as with `svc run`. `/openapi.json` describes every endpoint. Ctrl-C and SIGTERM let runs
end for up to 10 seconds; a run that is cut off can be resumed."#;

impl Serve {
    /// Where the project is looked for.
    pub(super) fn place(&self, _: &Session) -> PathBuf {
        self.served.place()
    }

    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        self.test_address()?;
        let session = &self.served.rules.with_rules(session)?;
        let service = self.service(session)?;
        let host = service.engine().host();
        let once = match service.jobs() {
            Ok(jobs) => Once::in_book(jobs.shared_book(), host).map_err(keeping::failure)?,
            Err(_) => Once::in_memory(host),
        };
        let rest =
            Rest { service: service.clone(), version: env!("CARGO_PKG_VERSION"), once, desk: None };
        let stop = CancellationToken::new();
        let listening = self.listening(&rest, session);
        let serving = (session.servers.http)(rest, listening, stop.clone());
        let terminal = session.terminal;
        let signals = tokio::spawn(async move {
            let mut signals = Signals::of_server();
            while signals.next().await == Some(Asked::Reload) {
                reload(&service, terminal);
            }
            stop.cancel();
        });
        let ended = serving.await;
        signals.abort();
        ended.map_err(|err| {
            let failure =
                Failure::reading(OpError::failed(format!("cannot listen at {}: {err}", self.bind)));
            match err.kind() {
                std::io::ErrorKind::InvalidInput => Failure::new(CONFIGURATION, err.to_string())
                    .help("`--tls-cert` and `--tls-key` name a certificate and its key in PEM"),
                std::io::ErrorKind::AddrInUse => failure.help("choose another port with `--bind`"),
                _ => failure,
            }
        })?;
        session.terminal.note("stopped");
        Ok(OK)
    }

    /// Whether everybody needs a key, even before the first one is issued.
    fn needs_keys(&self) -> bool {
        self.hosted || !self.behind_proxy.is_empty() || !is_local(self.bind.ip())
    }

    /// Keys must not travel over a network that others can read.
    fn test_address(&self) -> Result<()> {
        let is_private = self.tls_cert.is_some() || !self.behind_proxy.is_empty();
        if is_local(self.bind.ip()) || is_private {
            return Ok(());
        }
        let message = format!("{} can be reached from other machines", self.bind.ip());
        Err(Failure::new(CONFIGURATION, message).help(
            "give it a certificate with `--tls-cert` and `--tls-key`, or put a proxy with TLS before \
             it and name its network: `--behind-proxy 10.0.0.0/8`",
        ))
    }

    fn service(&self, session: &Session) -> Result<Service> {
        let mut options = Options::new(env!("CARGO_PKG_VERSION"));
        for folder in &self.share {
            options.shared.push(existing(folder, session)?);
        }
        options.notify.clone_from(&self.notify);
        self.served.service(session, self.entrance(session)?, options)
    }

    /// Where the keys are. Without a place for them there are none.
    fn entrance(&self, session: &Session) -> Result<Option<Entrance>> {
        let needs_keys = self.needs_keys();
        match self.served.data.folder(session) {
            Ok(data) => Ok(Some(Entrance { data, needs_keys, is_hosted: self.hosted })),
            Err(_) if !needs_keys => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    fn listening(&self, rest: &Rest, session: &Session) -> Listening {
        let files = self.tls_cert.clone().zip(self.tls_key.clone());
        let tls = files.map(|(certificate, key)| TlsFiles { certificate, key });
        let scheme = if tls.is_some() { "https" } else { "http" };
        let (terminal, service) = (session.terminal, rest.service.clone());
        let announce = move |address: SocketAddr| {
            note_scripts(&service, terminal);
            match service.needs_keys() {
                Ok(true) => terminal.note(&match service.issuer() {
                    None => "callers need a key: `svc keys issue` makes one".to_owned(),
                    Some(issuer) => {
                        format!("callers need a token of `{issuer}`, or a key: `svc keys issue` makes one")
                    }
                }),
                Ok(false) => {}
                Err(fault) => terminal.note(&fault.message),
            }
            terminal.note(&format!("listening at {scheme}://{address}"));
        };
        Listening {
            address: self.bind,
            origins: self.cors.clone(),
            proxies: self.behind_proxy.clone(),
            tls,
            is_hosted: self.hosted,
            has_fixtures: self.served.conformance_fixtures,
            desktop: None,
            announce: Box::new(announce),
        }
    }
}

fn host_and_port(text: &str) -> std::result::Result<(String, u16), String> {
    let (host, port) = address::host_and_port(text)?;
    Ok((host, port.ok_or("expected a port, as in `10.0.0.5:8080`")?))
}

fn is_local(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// Reads the roles again, and says which ones there are now or why the old ones stay.
fn reload(service: &Service, terminal: Terminal) {
    match service.reload_policy() {
        Ok(Some(policy)) => terminal.note(&policy.to_string()),
        Ok(None) => {}
        Err(err) => terminal.note(&format!("{err}; the old roles stay")),
    }
}
