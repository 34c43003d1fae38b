//! `[mcp.NAME]` of `svc.toml`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Deserialize;
use svc_contract::{host::address::Address, value::Money};
use svc_mcp::{Launch, Server};

use crate::settings::{duration, is_secret_name, money, size};

/// The maximum size of a message, unless the settings state another one.
const MAX_SIZE: u64 = 16 << 20;

/// The settings of an MCP server.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpSettings {
    /// The program and its arguments.
    pub command: Option<Vec<String>>,
    /// Or the address.
    pub url: Option<String>,
    /// The environment of the program, besides the usual variables.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Further headers of each request.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The names of secrets, by the variable or the header that carries them.
    #[serde(default)]
    pub secrets: BTreeMap<String, String>,
    /// The maximum size of a message.
    #[serde(default, deserialize_with = "size")]
    pub max_size: Option<u64>,
    #[serde(flatten)]
    pub call: ToolSettings,
    /// What differs for some tools, by the names of their ops.
    #[serde(default)]
    pub ops: BTreeMap<String, ToolSettings>,
}

/// The settings of calls of tools.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolSettings {
    /// The price of a call.
    #[serde(default, deserialize_with = "money")]
    pub price: Option<Money>,
    #[serde(default, deserialize_with = "duration")]
    pub timeout: Option<Duration>,
    pub max_retries: Option<u32>,
    /// Whether a call changes nothing: the user says so, not the server.
    pub reads: Option<bool>,
    /// Whether a second call changes nothing further.
    pub idempotent: Option<bool>,
}

impl McpSettings {
    /// Why the settings are wrong, if they are.
    pub(crate) fn test(&self) -> Result<(), String> {
        match (&self.command, &self.url) {
            (Some(command), None) => self.test_command(command)?,
            (None, Some(url)) => self.test_url(url)?,
            _ => return Err("expected one of `command` and `url`".to_owned()),
        }
        match self.secrets.values().find(|it| !is_secret_name(it)) {
            Some(secret) => Err(format!(
                "invalid name `{secret}` of a secret: expected letters, digits and `_`"
            )),
            None => Ok(()),
        }
    }

    fn test_command(&self, command: &[String]) -> Result<(), String> {
        if command.first().is_none_or(|it| it.trim().is_empty()) {
            return Err("expected the name of a program in `command`".to_owned());
        }
        if command.iter().any(|it| it.contains('\0')) {
            return Err("`command` contains a zero byte".to_owned());
        }
        if !self.headers.is_empty() {
            return Err("`headers` are for servers with a `url`".to_owned());
        }
        let is_wrong = |it: &&String| it.is_empty() || it.contains(['=', '\0']);
        if let Some(name) = self.env.keys().chain(self.secrets.keys()).find(is_wrong) {
            return Err(format!("invalid environment variable `{name}`"));
        }
        if self.env.values().any(|it| it.contains('\0')) {
            return Err("`env` contains a zero byte".to_owned());
        }
        Ok(())
    }

    fn test_url(&self, url: &str) -> Result<(), String> {
        Address::read(url).map_err(|why| format!("invalid `url`: {why}"))?;
        if !self.env.is_empty() {
            return Err("`env` is for servers with a `command`".to_owned());
        }
        let is_sign = |it: u8| it.is_ascii_alphanumeric() || b"-_".contains(&it);
        let is_wrong = |it: &&String| it.is_empty() || !it.bytes().all(is_sign);
        if let Some(name) = self.headers.keys().chain(self.secrets.keys()).find(is_wrong) {
            return Err(format!("invalid header `{name}`"));
        }
        if self.headers.values().any(|it| it.chars().any(char::is_control)) {
            return Err("`headers` contain a control character".to_owned());
        }
        Ok(())
    }

    /// The server that they describe, in a project of this folder.
    pub fn server(&self, name: &str, folder: &Path) -> Server {
        let pairs = |of: &BTreeMap<String, String>| {
            of.iter().map(|it| (it.0.clone(), it.1.clone())).collect::<Vec<_>>()
        };
        let launch = match (&self.command, &self.url) {
            (_, Some(url)) => {
                let lower = |(name, value): (String, String)| (name.to_ascii_lowercase(), value);
                let headers = pairs(&self.headers).into_iter().map(lower).collect();
                Launch::Url { url: url.clone(), headers }
            }
            (command, None) => {
                let words = command.as_deref().unwrap_or_default();
                let (program, args) = words.split_first().map_or(("", &[][..]), |it| (it.0, it.1));
                Launch::Command {
                    program: program_in(folder, program),
                    args: args.to_vec(),
                    env: pairs(&self.env),
                    dir: folder.to_owned(),
                }
            }
        };
        Server::new(name, launch, pairs(&self.secrets), self.max_size.unwrap_or(MAX_SIZE))
    }

    /// The settings of a tool.
    pub(crate) fn of_op(&self, name: &str) -> ToolSettings {
        let (all, own) = (&self.call, self.ops.get(name).cloned().unwrap_or_default());
        ToolSettings {
            price: own.price.or(all.price),
            timeout: own.timeout.or(all.timeout),
            max_retries: own.max_retries.or(all.max_retries),
            reads: own.reads.or(all.reads),
            idempotent: own.idempotent.or(all.idempotent),
        }
    }

    /// The command or the address, in one line.
    pub fn shown(&self) -> String {
        match (&self.command, &self.url) {
            (Some(command), _) => command.join(" "),
            (None, url) => url.clone().unwrap_or_default(),
        }
    }

    /// The lines of their table.
    pub(crate) fn lines(&self) -> String {
        let mut lines = String::new();
        if let Some(command) = &self.command {
            lines += &format!("command = {}\n", toml::Value::from(command.clone()));
        }
        if let Some(url) = &self.url {
            lines += &format!("url = {}\n", toml::Value::from(url.as_str()));
        }
        for (key, of) in
            [("env", &self.env), ("headers", &self.headers), ("secrets", &self.secrets)]
        {
            let pair = |(name, value): (&String, &String)| {
                let [name, value] = [name, value].map(|it| toml::Value::from(it.as_str()));
                format!("{name} = {value}")
            };
            let pairs: Vec<String> = of.iter().map(pair).collect();
            if !pairs.is_empty() {
                lines += &format!("{key} = {{ {} }}\n", pairs.join(", "));
            }
        }
        lines
    }
}

/// A program with a path is relative to the folder of the settings; a name is looked up.
fn program_in(folder: &Path, program: &str) -> String {
    if program.contains(std::path::MAIN_SEPARATOR) {
        let path: PathBuf = folder.join(program);
        return path.to_string_lossy().into_owned();
    }
    program.to_owned()
}
