//! Finds the provider of a search, and its address.

use svc_contract::{
    host::Host,
    registry::{Cx, ErrorKind, OpError},
    value::{Secret, Text},
};

use super::Question;

/// The protocol of a search engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Brave,
    Tavily,
    Serper,
    Searxng,
}

/// A search engine that can be asked.
#[derive(Debug)]
pub(super) struct Provider {
    pub(super) kind: Kind,
    /// The base address of its paths, without a trailing `/`.
    pub(super) base: String,
    pub(super) key: Option<Secret>,
}

/// The environment variables of a provider, and the default without them.
struct Settings {
    name: &'static str,
    base: &'static str,
    default_base: Option<&'static str>,
    key: Option<&'static str>,
    /// The most characters and words of a query.
    most: Option<(usize, usize)>,
}

/// The variable that names the default provider.
const VARIABLE: &str = "SVC_SEARCH";

const HELP: &str = "set `SEARXNG_URL` to the address of a SearXNG server, or `BRAVE_API_KEY`, \
    `TAVILY_API_KEY` or `SERPER_API_KEY` to a key";

impl Kind {
    const ALL: [Self; 4] = [Self::Brave, Self::Tavily, Self::Serper, Self::Searxng];

    const fn settings(self) -> Settings {
        match self {
            Self::Brave => Settings {
                name: "brave",
                base: "BRAVE_BASE_URL",
                default_base: Some("https://api.search.brave.com/res/v1"),
                key: Some("BRAVE_API_KEY"),
                most: Some((400, 50)),
            },
            Self::Tavily => Settings {
                name: "tavily",
                base: "TAVILY_BASE_URL",
                default_base: Some("https://api.tavily.com"),
                key: Some("TAVILY_API_KEY"),
                most: Some((400, usize::MAX)),
            },
            Self::Serper => Settings {
                name: "serper",
                base: "SERPER_BASE_URL",
                default_base: Some("https://google.serper.dev"),
                key: Some("SERPER_API_KEY"),
                most: None,
            },
            Self::Searxng => Settings {
                name: "searxng",
                base: "SEARXNG_URL",
                default_base: None,
                key: None,
                most: None,
            },
        }
    }

    /// Whether the environment configures this provider.
    fn is_configured(self, host: &dyn Host) -> bool {
        let Settings { base, key, .. } = self.settings();
        has(host, base) || key.is_some_and(|it| has(host, it))
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.settings().name == name)
    }
}

/// Whether a variable is set to something.
fn has(host: &dyn Host, variable: &str) -> bool {
    host.env(variable).is_some_and(|it| !it.trim().is_empty())
}

impl Provider {
    /// Returns the provider for `asked`: its name, or `default`.
    pub(super) fn find(host: &dyn Host, asked: &str) -> Result<Self, OpError> {
        let named = |name: &str| Kind::named(name.trim()).ok_or_else(|| unknown(name));
        let kind = match asked {
            "default" => match host.env(VARIABLE).filter(|it| !it.trim().is_empty()) {
                Some(name) => named(&name)?,
                None => the_only(host)?,
            },
            name => named(name)?,
        };
        Self::of(kind, host)
    }

    fn of(kind: Kind, host: &dyn Host) -> Result<Self, OpError> {
        let Settings { name, base, default_base, key, .. } = kind.settings();
        let given = host.env(base).map(|it| it.trim().trim_end_matches('/').to_owned());
        let Some(base) = given.filter(|it| !it.is_empty()).or(default_base.map(str::to_owned))
        else {
            let message = format!("missing address of `{name}`");
            return Err(OpError::new(ErrorKind::Unsupported, message)
                .help(format!("set the environment variable `{base}`")));
        };
        let secret = key.and_then(|it| host.env(it)).map(|it| it.trim().to_owned());
        let provider =
            Self { kind, base, key: secret.filter(|it| !it.is_empty()).map(Secret::new) };
        match key {
            Some(variable) if provider.is_official() && provider.key.is_none() => {
                Err(OpError::new(ErrorKind::Denied, format!("missing key for `{name}`"))
                    .help(format!("set the environment variable `{variable}`")))
            }
            _ => Ok(provider),
        }
    }

    pub(super) fn name(&self) -> &'static str {
        self.kind.settings().name
    }

    /// Whether it is asked at the provider's own address.
    pub(super) fn is_official(&self) -> bool {
        self.kind.settings().default_base == Some(self.base.as_str())
    }

    /// Whether an answer is one page of several, and has no maximum of its own.
    pub(super) fn has_pages(&self) -> bool {
        self.kind == Kind::Searxng
    }

    /// The variable that holds the address.
    pub(super) fn base_variable(&self) -> &'static str {
        self.kind.settings().base
    }

    /// The variable that holds the key.
    pub(super) fn key_variable(&self) -> Option<&'static str> {
        self.kind.settings().key
    }

    /// The address without parts that may be secret.
    pub(super) fn shown_base(&self) -> String {
        let (scheme, rest) = self.base.split_once("://").unwrap_or(("", &self.base));
        let host = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
        let host = host.rsplit('@').next().unwrap_or_default();
        if scheme.is_empty() { host.to_owned() } else { format!("{scheme}://{host}") }
    }

    /// The server that answers, if it is not the provider's own. The part after the host may hold
    /// a key, so only its hash is included.
    pub(super) fn server(&self) -> Option<Text> {
        if self.is_official() {
            return None;
        }
        let hash = blake3::hash(self.base.as_bytes()).to_hex();
        Some(format!("{}/#{}", self.shown_base(), &hash[..16]).into())
    }

    /// Returns text of a server without the key.
    pub(super) fn without_key(&self, text: &str) -> String {
        match &self.key {
            Some(key) => key.hidden_in(text),
            None => text.to_owned(),
        }
    }

    /// Checks what the provider would refuse, before anything is sent.
    pub(super) fn check(&self, question: &Question, cx: &Cx) -> Result<(), OpError> {
        let query = &question.query;
        let (letters, words) = (query.chars().count(), query.split_whitespace().count());
        let name = self.name();
        if let Some((most, most_words)) = self.kind.settings().most {
            let limit = if letters > most {
                Some(format!("{letters} characters, and `{name}` takes {most}"))
            } else {
                (words > most_words)
                    .then(|| format!("{words} words, and `{name}` takes {most_words}"))
            };
            if let Some(limit) = limit {
                return Err(OpError::invalid_input(format!("the query is too long: {limit}"))
                    .help("search for its most important words"));
            }
        }
        if self.kind == Kind::Tavily && question.language.is_some() {
            cx.notice("`tavily` has no param for the language: `language` is ignored");
        }
        Ok(())
    }
}

/// The only provider that the environment configures.
fn the_only(host: &dyn Host) -> Result<Kind, OpError> {
    let all: Vec<Kind> = Kind::ALL.into_iter().filter(|it| it.is_configured(host)).collect();
    match all.as_slice() {
        [only] => Ok(*only),
        [] => {
            let message = "no search engine is configured";
            Err(OpError::new(ErrorKind::Unsupported, message).help(HELP))
        }
        _ => {
            let names: Vec<String> =
                all.iter().map(|it| format!("`{}`", it.settings().name)).collect();
            let message = "ambiguous provider of the search";
            Err(OpError::invalid_input(message)
                .help(format!("set `{VARIABLE}` to {}", names.join(" or "))))
        }
    }
}

fn unknown(name: &str) -> OpError {
    let shown: String = name.chars().take(40).collect();
    OpError::invalid_input(format!("unknown provider `{shown}`"))
        .help("write `brave`, `tavily`, `serper` or `searxng`")
}
