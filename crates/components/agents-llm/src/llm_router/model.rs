//! Finds the model of a call, and its address.

use std::fmt;

use svc_contract::{
    host::Host,
    registry::{ErrorKind, OpError},
    value::Secret,
};

/// The protocol of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Provider {
    /// Also any other server that speaks the same protocol.
    OpenAi,
    Anthropic,
    Ollama,
}

/// A model that can be called.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) provider: Provider,
    /// The name of the model at the provider.
    pub(super) name: String,
    /// The base address of the provider's paths, without a trailing `/`.
    pub(super) base: String,
    pub(super) key: Option<Secret>,
}

/// The environment variables of a provider, and the defaults without them.
struct Settings {
    name: &'static str,
    base: &'static str,
    default_base: &'static str,
    key: Option<&'static str>,
}

const HELP: &str = "set `SVC_MODEL` to one as `provider/model`: `openai/..` with \
    `OPENAI_API_KEY`, `anthropic/..` with `ANTHROPIC_API_KEY`, `ollama/..` for a local Ollama, \
    or `openai/..` with `OPENAI_BASE_URL` for another server that speaks OpenAI's protocol";

/// A task besides answering questions.
pub(super) struct Task {
    /// What kind of model it needs.
    pub(super) what: &'static str,
    /// The variable that names the default model.
    pub(super) variable: &'static str,
    /// A model to name as an example.
    pub(super) example: &'static str,
    pub(super) providers: &'static [Provider],
}

impl Task {
    fn unconfigured(&self) -> OpError {
        let message = format!("no {} is configured", self.what);
        OpError::new(ErrorKind::Unsupported, message).help(self.help())
    }

    fn help(&self) -> String {
        let Self { variable, example, .. } = self;
        format!("set `{variable}` to one as `provider/model`, for example `{example}`")
    }
}

impl Provider {
    const ALL: [Self; 3] = [Self::OpenAi, Self::Anthropic, Self::Ollama];

    fn settings(self) -> Settings {
        match self {
            Self::OpenAi => Settings {
                name: "openai",
                base: "OPENAI_BASE_URL",
                default_base: "https://api.openai.com/v1",
                key: Some("OPENAI_API_KEY"),
            },
            Self::Anthropic => Settings {
                name: "anthropic",
                base: "ANTHROPIC_BASE_URL",
                default_base: "https://api.anthropic.com",
                key: Some("ANTHROPIC_API_KEY"),
            },
            Self::Ollama => Settings {
                name: "ollama",
                base: "OLLAMA_HOST",
                default_base: "http://127.0.0.1:11434",
                key: None,
            },
        }
    }

    /// Whether the environment configures this provider.
    fn is_configured(self, host: &dyn Host) -> bool {
        let Settings { base, key, .. } = self.settings();
        host.env(base).is_some() || key.is_some_and(|it| host.env(it).is_some())
    }

    fn base(self, host: &dyn Host) -> String {
        let Settings { base, default_base, .. } = self.settings();
        match (self, host.env(base)) {
            (_, None) => default_base.to_owned(),
            (Self::Ollama, Some(given)) => ollama_address(&given),
            (_, Some(given)) => given.trim_end_matches('/').to_owned(),
        }
    }
}

impl Model {
    /// Returns the model for `asked`: an alias, `provider/model`, or a bare name.
    pub(super) fn find(host: &dyn Host, asked: &str) -> Result<Self, OpError> {
        let full = match asked {
            "default" => host.env("SVC_MODEL"),
            "fast" => host.env("SVC_MODEL_FAST").or_else(|| host.env("SVC_MODEL")),
            "strong" => host.env("SVC_MODEL_STRONG").or_else(|| host.env("SVC_MODEL")),
            named => Some(named.to_owned()),
        };
        Self::named(host, &full.ok_or_else(unconfigured)?)
    }

    /// Returns the model for `asked` in a task that few language models can do: `default` is the one
    /// that the task's own variable names.
    pub(super) fn find_for(task: &Task, host: &dyn Host, asked: &str) -> Result<Self, OpError> {
        let own = host.env(task.variable);
        let model = match (asked, own) {
            ("default", Some(full)) => Self::named(host, &full)?,
            ("default", None) => return Err(task.unconfigured()),
            (asked, _) => Self::find(host, asked)?,
        };
        if task.providers.contains(&model.provider) {
            return Ok(model);
        }
        let (provider, what) = (model.provider.settings().name, task.what);
        let message = format!("the provider `{provider}` of `{model}` has no {what}s");
        Err(OpError::new(ErrorKind::Unsupported, message).help(task.help()))
    }

    fn named(host: &dyn Host, full: &str) -> Result<Self, OpError> {
        let (provider, name) = match split(full) {
            Some((provider, name)) => (provider, name),
            None => (usual_provider(host, full)?, full),
        };
        if name.is_empty() {
            return Err(OpError::invalid_input(format!("missing model name in `{full}`")));
        }
        let settings = provider.settings();
        let base = provider.base(host);
        let key = settings.key.and_then(|it| host.env(it)).map(|it| Secret::new(it.trim()));
        let model = Self { provider, name: name.to_owned(), base, key };
        match settings.key {
            Some(variable) if model.is_official() && model.key.is_none() => {
                Err(without_key(&model, variable))
            }
            _ => Ok(model),
        }
    }

    /// Whether the model is called at the provider's official address.
    pub(super) fn is_official(&self) -> bool {
        self.base == self.provider.settings().default_base
    }

    /// The variable that holds the address of the provider.
    pub(super) fn base_variable(&self) -> &'static str {
        self.provider.settings().base
    }

    /// The variable that holds the key of the provider.
    pub(super) fn key_variable(&self) -> Option<&'static str> {
        self.provider.settings().key
    }

    /// The address without parts that may be secret.
    pub(super) fn shown_base(&self) -> String {
        let (scheme, host, _) = self.base_parts();
        if scheme.is_empty() { host.to_owned() } else { format!("{scheme}://{host}") }
    }

    /// The server that answers, if it is not the provider's own: another server may use the same
    /// name for another model. The part after the host may hold a key, so only its hash is
    /// included.
    pub(super) fn server(&self) -> Option<String> {
        if self.is_official() {
            return None;
        }
        let (_, _, path) = self.base_parts();
        let shown = self.shown_base();
        match path.trim_end_matches('/') {
            "" | "/v1" => Some(format!("{shown}{path}")),
            path => Some(format!("{shown}/#{}", &blake3::hash(path.as_bytes()).to_hex()[..16])),
        }
    }

    /// Splits the address into scheme, host with port but without credentials, and the rest.
    fn base_parts(&self) -> (&str, &str, &str) {
        let (scheme, rest) = self.base.split_once("://").unwrap_or(("", &self.base));
        let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        (scheme, host.rsplit('@').next().unwrap_or_default(), path)
    }
}

/// Splits `provider/model`.
fn split(full: &str) -> Option<(Provider, &str)> {
    let (provider, name) = full.split_once('/')?;
    let known = Provider::ALL.into_iter().find(|it| it.settings().name == provider)?;
    Some((known, name))
}

/// The provider of a bare name: that of the default model, or the only configured one.
fn usual_provider(host: &dyn Host, name: &str) -> Result<Provider, OpError> {
    if let Some((provider, _)) = host.env("SVC_MODEL").as_deref().and_then(split) {
        return Ok(provider);
    }
    let all: Vec<Provider> =
        Provider::ALL.into_iter().filter(|it| it.is_configured(host)).collect();
    match all.as_slice() {
        [only] => Ok(*only),
        [] => match name.split_once('/') {
            Some((provider, _)) => Err(unknown_provider(provider, name)),
            None => Err(unconfigured()),
        },
        _ => {
            let names: Vec<String> =
                all.iter().map(|it| format!("`{}/..`", it.settings().name)).collect();
            Err(OpError::invalid_input("ambiguous provider of the model")
                .help(format!("write {}", names.join(" or "))))
        }
    }
}

fn unconfigured() -> OpError {
    OpError::new(ErrorKind::Unsupported, "no language model is configured").help(HELP)
}

fn unknown_provider(provider: &str, name: &str) -> OpError {
    let known: Vec<&str> = Provider::ALL.iter().map(|it| it.settings().name).collect();
    let message = format!("unknown provider `{provider}` of the model `{name}`");
    OpError::new(ErrorKind::Unsupported, message).help(format!(
        "the providers are {}; before a name with a slash of its own, write one of them too",
        known.join(", ")
    ))
}

fn without_key(model: &Model, variable: &str) -> OpError {
    let message = format!("missing key for `{model}`");
    OpError::new(ErrorKind::Denied, message)
        .help(format!("set the environment variable `{variable}`"))
}

/// Ollama's variable may lack the scheme, the host or the port, and may contain the address that a
/// server listens on.
fn ollama_address(given: &str) -> String {
    let given = given.trim().trim_end_matches('/');
    let (scheme, rest) = given.split_once("://").unwrap_or(("", given));
    let (host, port) = match rest.rsplit_once(':') {
        Some((host, port)) if port.chars().all(|it| it.is_ascii_digit()) => (host, Some(port)),
        _ => (rest, None),
    };
    let host = if matches!(host, "" | "0.0.0.0") { "127.0.0.1" } else { host };
    match (scheme, port) {
        ("", port) => format!("http://{host}:{}", port.unwrap_or("11434")),
        (scheme, Some(port)) => format!("{scheme}://{host}:{port}"),
        (scheme, None) => format!("{scheme}://{host}"),
    }
}

impl fmt::Display for Model {
    /// Writes the model as the price table names it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider.settings().name, self.name)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use svc_host_os::test::TestHost;

    fn found(host: &TestHost, asked: &str) -> String {
        match Model::find(host, asked) {
            Ok(it) => format!("{it} at {}", it.shown_base()),
            Err(err) => format!("{}: {err}", err.kind),
        }
    }

    #[test]
    fn aliases_and_bare_names_find_their_provider() {
        let host = TestHost::new()
            .env("SVC_MODEL", "openai/gpt-5.4")
            .env("SVC_MODEL_FAST", "ollama/llama3.2")
            .env("OPENAI_API_KEY", "sk-secret");
        assert_eq!(found(&host, "default"), "openai/gpt-5.4 at https://api.openai.com");
        assert_eq!(found(&host, "fast"), "ollama/llama3.2 at http://127.0.0.1:11434");
        assert_eq!(found(&host, "strong"), "openai/gpt-5.4 at https://api.openai.com");
        assert_eq!(found(&host, "gpt-4.1"), "openai/gpt-4.1 at https://api.openai.com");
        assert_eq!(found(&host, "meta/llama"), "openai/meta/llama at https://api.openai.com");
        assert_eq!(found(&host, "anthropic/x"), "denied: missing key for `anthropic/x`");
        assert_eq!(found(&host, "openai/"), "invalid_input: missing model name in `openai/`");
    }

    #[test]
    fn an_unknown_provider_is_named() {
        assert_eq!(
            found(&TestHost::new(), "nosuch/x"),
            "unsupported: unknown provider `nosuch` of the model `nosuch/x`"
        );
    }

    #[test]
    fn without_a_default_the_only_provider_is_meant() {
        let host = TestHost::new().env("OPENAI_BASE_URL", "http://me:pw@gpu:8000/v1/");
        assert_eq!(found(&host, "qwen"), "openai/qwen at http://gpu:8000");
        assert_eq!(found(&host, "default"), "unsupported: no language model is configured");
        let host = host.env("OLLAMA_HOST", "0.0.0.0");
        assert_eq!(found(&host, "qwen"), "invalid_input: ambiguous provider of the model");
    }

    #[test]
    fn servers_differ_and_their_secrets_are_not_shown() {
        let server = |base: &str| {
            let host = TestHost::new().env("OPENAI_BASE_URL", base).env("OPENAI_API_KEY", "k");
            Model::find(&host, "openai/x").unwrap().server()
        };
        assert_eq!(server("https://api.openai.com/v1/"), None);
        assert_eq!(server("http://me:pw@gpu:8000/v1"), Some("http://gpu:8000/v1".into()));
        let bases = ["http://gpu", "http://gpu/one", "http://gpu/two", "http://gpu?k=secret"];
        let all: BTreeSet<_> = bases.map(server).into();
        assert_eq!(all.len(), bases.len());
        assert!(all.iter().flatten().all(|it| it.starts_with("http://gpu")), "{all:?}");
        assert!(!format!("{all:?}").contains("secret"));
    }

    #[test]
    fn ollamas_address_may_be_short() {
        assert_eq!(ollama_address("gpu"), "http://gpu:11434");
        assert_eq!(ollama_address(":8080"), "http://127.0.0.1:8080");
        assert_eq!(ollama_address("https://gpu.example/"), "https://gpu.example");
    }

    #[test]
    fn a_key_is_never_shown() {
        let host = TestHost::new().env("OPENAI_API_KEY", "sk-secret");
        let model = Model::find(&host, "openai/x").unwrap();
        assert!(!format!("{model:?}").contains("sk-secret"));
        let key = model.key.unwrap();
        assert_eq!(key.hidden_in("key sk-secret is wrong"), "key *** is wrong");
    }
}
