//! `svc desktop`: projects, chat, workers and runs in a page of the browser.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Args;
use futures_util::StreamExt as _;
use svc_api::{
    guide::planner,
    rest::{DesktopSecret, Listening, Rest},
};
use svc_contract::{
    host::{self, http::Request},
    registry::OpError,
    value::{Value, json},
};
use svc_service::{
    Entrance, Options,
    desk::{self, Held},
    once::Once,
};
use tokio_util::sync::CancellationToken;

use super::{
    Session,
    call::failure,
    exit::{FAILED, Failure, NOT_FOUND, OK, Result},
    keeping,
    service_args::ServiceArgs,
    signals::Signals,
};

/// The files of the desktop in the folder of the service.
const PROJECTS: &str = "projects";
const PORT: &str = "desktop.port";
const TOKEN: &str = "desktop.token";
const LOCK: &str = "desktop.lock";

/// How long a desktop that may run already has to answer.
const KNOCK: Duration = Duration::from_secs(2);

/// How often, and after which pause, a desktop that holds the folder is asked for its page.
const TRIES: u32 = 6;
const PAUSE: Duration = Duration::from_millis(500);

/// Work with files, a chat, scripts and workers in your browser.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Desktop {
    #[command(flatten)]
    served: ServiceArgs,
    /// The port to listen at. The default is that of the settings, or else a free one.
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Do not open a browser: print the address of the page, which is valid once.
    #[arg(long)]
    no_browser: bool,
    /// Let everybody at this machine in, without a ticket or a token.
    #[arg(long)]
    open: bool,
}

const EXAMPLES: &str = r#"Examples:
  svc desktop                       open it in the browser
  svc desktop examples              offer the scripts of a folder in the chat, as `/name`
  svc desktop --no-browser          print the address instead
  curl -s -H "Authorization: Bearer $(cat ~/.local/share/svc/service/desktop.token)" \
       "localhost:$(cat ~/.local/share/svc/service/desktop.port)/projects"

The server answers only to this machine, and only to the browser that was opened with its ticket, and
to programs with the token. A second start opens another page of the server that runs. The files of
projects are in the folder of the service; the runs of a project see nothing else. `/docs` lists the
endpoints. Ctrl-C lets runs end for up to 10 seconds; everything goes on at the next start."#;

impl Desktop {
    /// Where the project is looked for.
    pub(super) fn place(&self, _: &Session) -> PathBuf {
        self.served.place()
    }

    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let session = &self.served.rules.with_rules(session)?;
        let data = self.served.data_folder(session)?;
        let host = session.engine.host();
        if host.stat(&data.join(PORT)).is_ok()
            && let Some(earlier) = self.served.earlier(session)?
        {
            return Err(elsewhere(&data, &earlier));
        }
        self.note_files(&data, session);
        let token = desk::token(&data.join(TOKEN), host).map_err(keeping::failure)?;
        let Some(_held) = self.held(&data, &token, session).await? else { return Ok(OK) };
        let rest = self.rest(&data, session)?;
        let settings = match &rest.desk {
            Some(desk) => {
                desk.go_on().await.map_err(|it| failure(&it))?;
                desk.settings().map_err(|it| failure(&it))?
            }
            None => return Err(Failure::new(FAILED, "the desktop needs a store of runs")),
        };
        let last = remembered(&data, host);
        let wanted = self.port.or(settings.port);
        let ports = wanted.map_or_else(|| vec![last.unwrap_or(0), 0], |it| vec![it]);
        let stop = CancellationToken::new();
        let signals = tokio::spawn(stopping(stop.clone()));
        let ended = self.serve(&rest, &data, &token, &ports, (session, stop)).await;
        signals.abort();
        ended?;
        session.terminal.note("stopped");
        Ok(OK)
    }

    /// Says where an earlier version kept the files of projects, if the folder has none.
    fn note_files(&self, data: &Path, session: &Session) {
        let host = session.engine.host();
        let Ok(default) = self.served.data.folder(session) else { return };
        let has_files = |it: &Path| host.stat(&it.join(PROJECTS)).is_ok();
        if has_files(&default) && !has_files(data) && self.served.data.named().is_none() {
            session.terminal.note(&format!(
                "files of projects are in `{}` from now on; an earlier version kept them in `{}`",
                data.join(PROJECTS).display(),
                default.join(PROJECTS).display()
            ));
        }
    }

    /// Makes this process the desktop of its folder. If another one is, its page is shown.
    async fn held(&self, data: &Path, token: &str, session: &Session) -> Result<Option<Held>> {
        for _ in 0..TRIES {
            if let Some(held) = desk::hold(&data.join(LOCK)).map_err(keeping::failure)? {
                return Ok(Some(held));
            }
            if let Some(address) = running(data, token, session).await {
                session.terminal.note("the desktop runs already");
                self.show(&address, session);
                return Ok(None);
            }
            // The other one may have begun a moment ago.
            tokio::time::sleep(PAUSE).await;
        }
        let message = format!("another desktop has `{}` and does not answer", data.display());
        Err(Failure::new(FAILED, message).help("end it, or name another folder with `--data DIR`"))
    }

    /// Listens at the first of these ports that is free.
    async fn serve(
        &self,
        rest: &Rest,
        data: &Path,
        token: &str,
        ports: &[u16],
        (session, stop): (&Session, CancellationToken),
    ) -> Result<()> {
        for (idx, port) in ports.iter().enumerate() {
            let address = SocketAddr::from(([127, 0, 0, 1], *port));
            let listening = self.listening(address, data, token, session)?;
            match (session.servers.http)(rest.clone(), listening, stop.clone()).await {
                Ok(()) => return Ok(()),
                Err(err) => {
                    let is_taken = err.kind() == std::io::ErrorKind::AddrInUse;
                    if is_taken && idx + 1 < ports.len() {
                        continue;
                    }
                    let message = format!("cannot listen at {address}: {err}");
                    let failure = Failure::reading(OpError::failed(message));
                    return Err(if is_taken {
                        failure.help("choose another port with `--port`")
                    } else {
                        failure
                    });
                }
            }
        }
        Ok(())
    }

    fn rest(&self, data: &Path, session: &Session) -> Result<Rest> {
        let mut options = Options::new(env!("CARGO_PKG_VERSION"));
        options.projects = Some(data.join(PROJECTS));
        let entrance = Entrance { data: data.to_owned(), needs_keys: false, is_hosted: false };
        let service = self.served.service(session, Some(entrance), options)?;
        let host = service.engine().host();
        let jobs = service.jobs().map_err(|it| failure(&it))?;
        let once = Once::in_book(jobs.shared_book(), host).map_err(keeping::failure)?;
        let desk = desk::Desk::new(service.clone(), planner).map_err(|it| failure(&it))?;
        Ok(Rest { service, version: env!("CARGO_PKG_VERSION"), once, desk: Some(desk) })
    }

    fn listening(
        &self,
        address: SocketAddr,
        data: &Path,
        token: &str,
        session: &Session,
    ) -> Result<Listening> {
        let ticket = ticket(session)?;
        let shown = ticket.clone();
        let (terminal, engine) = (session.terminal, session.engine.clone());
        let (file, opens) = (data.join(PORT), !self.no_browser);
        let announce = move |address: SocketAddr| {
            let port = format!("{}\n", address.port());
            if let Err(err) = engine.host().write(&file, port.as_bytes()) {
                terminal.note(&format!("cannot write `{}`: {err}", file.display()));
            }
            terminal.note(&format!("listening at http://{address}"));
            shown_to(&format!("http://{address}/?ticket={shown}"), opens, terminal);
        };
        Ok(Listening {
            address,
            origins: Vec::new(),
            proxies: Vec::new(),
            tls: None,
            is_hosted: false,
            has_fixtures: false,
            desktop: Some(DesktopSecret { token: (!self.open).then(|| token.to_owned()), ticket }),
            announce: Box::new(announce),
        })
    }

    fn show(&self, address: &str, session: &Session) {
        shown_to(address, !self.no_browser, session.terminal);
    }
}

/// The projects of a folder are in the database of another one.
fn elsewhere(data: &Path, earlier: &Path) -> Failure {
    let (data, earlier) = (data.display(), earlier.display());
    let message = format!(
        "the database of the desktop is not in `{data}`: an earlier version kept it in `{earlier}`"
    );
    Failure::new(NOT_FOUND, message).help(format!(
        "end what uses it and copy `service.db` and `pepper` from there to `{data}`, or name a new \
         folder with `--data DIR`"
    ))
}

/// Opens a page in the browser, or says where it is.
fn shown_to(address: &str, opens: bool, terminal: super::terminal::Terminal) {
    if opens && svc_host_os::open_in_browser(address).is_ok() {
        terminal.note("opened in the browser");
        return;
    }
    terminal.note(&format!("open {address}"));
}

/// The address of a page of the desktop that runs already, with a ticket.
async fn running(data: &Path, token: &str, session: &Session) -> Option<String> {
    let host = session.engine.host();
    let port = remembered(data, host)?;
    let base = format!("http://127.0.0.1:{port}");
    let request = Request::post_json(format!("{base}/desktop/ticket"), b"{}".to_vec())
        .header("authorization", format!("Bearer {token}"))
        .configured();
    let answer = tokio::time::timeout(KNOCK, host.http(request)).await.ok()?.ok()?;
    let mut text = Vec::new();
    // Something else may listen there, and send without an end.
    let mut parts = answer.body.take(16);
    while let Some(Ok(part)) = tokio::time::timeout(KNOCK, parts.next()).await.ok()? {
        text.extend(part);
    }
    let body: Value = json::read(std::str::from_utf8(&text).ok()?).ok()?;
    let ticket = body.as_record()?.get("ticket")?.as_str()?.to_owned();
    Some(format!("{base}/?ticket={ticket}"))
}

/// The port of the last start.
fn remembered(data: &Path, host: &dyn host::Host) -> Option<u16> {
    let text = host::read(host, &data.join(PORT), 16).ok()?;
    std::str::from_utf8(&text).ok()?.trim().parse().ok()
}

fn ticket(session: &Session) -> Result<String> {
    host::secret(session.engine.host(), 16)
        .map_err(|err| Failure::new(FAILED, format!("this machine gives no random numbers: {err}")))
}

/// Stops at the first signal.
async fn stopping(stop: CancellationToken) {
    let mut signals = Signals::new();
    signals.next().await;
    stop.cancel();
}
