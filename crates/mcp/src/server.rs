//! How a server is reached.

use std::{path::PathBuf, sync::Arc};

use svc_contract::{
    host::{Host, address::Address, secret_variable},
    registry::{ErrorKind, OpError},
    value::Secret,
};
use svc_openapi::fingerprint;

/// The variables that every program receives, if they are set. Others may be secrets.
const INHERITED: [&str; 9] =
    ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"];

/// The maximum size of a message of a server that a script names.
const MAX_SIZE: u64 = 16 << 20;

/// The shortest secret that is looked for in texts: shorter ones occur by chance.
const SHORTEST: usize = 4;

/// A server of a project.
#[derive(Clone, Debug)]
pub struct Server {
    pub name: Arc<str>,
    pub launch: Launch,
    /// The names of secrets, by the variable or header that carries them.
    pub secrets: Vec<(String, String)>,
    /// The maximum size of a message.
    pub max_size: u64,
    /// Whether a script names its address, and no settings.
    pub(crate) is_of_script: bool,
    /// The values of the secrets; those that are named are not here until they are read.
    pub(crate) revealed: Vec<(String, Secret)>,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launch {
    /// A program that speaks on its standard streams, with this environment besides the usual
    /// variables.
    Command { program: String, args: Vec<String>, env: Vec<(String, String)>, dir: PathBuf },
    /// An address, with further headers of each request.
    Url { url: String, headers: Vec<(String, String)> },
}

impl Server {
    pub fn new(name: &str, launch: Launch, secrets: Vec<(String, String)>, max_size: u64) -> Self {
        Self {
            name: name.into(),
            launch,
            secrets,
            max_size,
            is_of_script: false,
            revealed: Vec::new(),
        }
    }

    /// A server at an address that a script names. Its name is the host of the address.
    pub fn at(url: &str, token: Option<&Secret>) -> Result<Self, OpError> {
        let address = Address::read(url);
        let address = address
            .map_err(|why| OpError::invalid_input(format!("invalid address `{url}`: {why}")))?;
        let launch = Launch::Url { url: url.to_owned(), headers: Vec::new() };
        let revealed = token.map(|it| ("authorization".to_owned(), it.clone()));
        Ok(Self {
            is_of_script: true,
            revealed: revealed.into_iter().collect(),
            ..Self::new(address.host(), launch, Vec::new(), MAX_SIZE)
        })
    }

    /// What a run has one connection for: a server, and who is known to it.
    pub(crate) fn key(&self) -> String {
        match &self.launch {
            // The names in settings are unique.
            Launch::Command { .. } => self.name.to_string(),
            Launch::Url { url, .. } => {
                let secrets = self.revealed.iter().map(|it| it.1.reveal());
                let secrets = fingerprint(secrets.collect::<Vec<_>>().join("\n").as_bytes());
                format!("{} {url} {secrets}", self.name)
            }
        }
    }

    /// The server with the values of its secrets.
    pub(crate) fn with_secrets(&self, host: &dyn Host) -> Result<Self, OpError> {
        let read = |(carrier, name): &(String, String)| {
            let text = host.secret(name).map_err(|err| {
                let message = format!("cannot read the secret `{name}`: {err}");
                OpError::new(ErrorKind::Denied, message)
            })?;
            let text = text.ok_or_else(|| {
                let variable = secret_variable(name);
                OpError::invalid_input(format!(
                    "the MCP server `{}` needs the secret `{name}`",
                    self.name
                ))
                .help(format!("set `{variable}`, or `{variable}_FILE` to a file that holds it"))
            })?;
            if text.contains(['\0', '\r', '\n']) {
                let message = format!("the secret `{name}` contains a control character");
                return Err(OpError::invalid_input(message));
            }
            Ok((carrier.clone(), Secret::new(text)))
        };
        let mut revealed = self.revealed.clone();
        for secret in &self.secrets {
            revealed.push(read(secret)?);
        }
        Ok(Self { revealed, ..self.clone() })
    }

    /// The whole environment of the program.
    pub(crate) fn environment(
        &self,
        own: &[(String, String)],
        host: &dyn Host,
    ) -> Vec<(String, String)> {
        let usual = INHERITED.into_iter().filter_map(|it| Some((it.to_owned(), host.env(it)?)));
        let secrets = self.revealed.iter().map(|it| (it.0.clone(), it.1.reveal().to_owned()));
        usual.chain(own.iter().cloned()).chain(secrets).collect()
    }

    /// The text without the secrets of the server.
    pub(crate) fn hidden(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (_, secret) in self.revealed.iter().filter(|it| it.1.reveal().len() >= SHORTEST) {
            text = text.replace(secret.reveal(), "***");
        }
        text
    }

    pub(crate) fn redacted(&self, mut err: OpError) -> OpError {
        err.message = self.hidden(&err.message);
        err
    }

    /// What to do about a tool that changed.
    pub(crate) fn help_on_changes(&self) -> String {
        if self.is_of_script {
            return "`mcp_tools` shows the tool as it is now, with its new fingerprint".to_owned();
        }
        let name = &self.name;
        format!(
            "run `svc mcp update {name} --dry-run` to see what changed, and without `--dry-run` \
             if you trust it"
        )
    }

    /// An error about this server.
    pub(crate) fn error(&self, kind: ErrorKind, what: impl std::fmt::Display) -> OpError {
        OpError::new(kind, self.hidden(&format!("the MCP server `{}` {what}", self.name)))
    }
}
