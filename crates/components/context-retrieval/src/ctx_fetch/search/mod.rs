//! `web_search`: what a search engine finds on the web.
//!
//! A call finds its provider ([`provider`]) and becomes a request to it ([`request`]); the answer is
//! read ([`answer`]) into hits. The cost is that of a request ([`prices`]).

use std::time::Duration;

use svc_contract::{
    host::address,
    registry::{
        Asking, Cx, Effect, ErrorKind, Example, Field as _, Io, Known, Max, Op, OpError, Price,
        Quote, Scheme, Scope, Takes, Usage, choices, documents::Hit, params,
    },
    value::{Money, Text, Value},
};

use self::{
    answer::{Answer, Found},
    provider::Provider,
};

mod answer;
mod failure;
mod prices;
mod provider;
mod request;

choices! {
    /// The age of pages.
    pub(super) enum Recent { Day = "day", Week = "week", Month = "month", Year = "year" }
}

params! {
    /// Asks a search engine, and returns the pages that it finds, best first.
    ///
    /// `text` of a hit is what the engine shows of the page, without markup; for the page itself, pass
    /// `path` to `fetch`. `score` is 1 for the first hit, 1/2 for the second, and so on. `meta` has the
    /// `provider`, the `site`, and `published` where the engine gives a date. The same page is
    /// returned once. Nothing found is an empty list.
    ///
    /// Environment variables configure the providers: `SEARXNG_URL` is the address of a SearXNG server,
    /// which may be on this machine, and whose settings must allow the format `json`. `BRAVE_API_KEY`,
    /// `TAVILY_API_KEY` and `SERPER_API_KEY` are the keys of Brave Search, Tavily and Serper. If several
    /// are set, `SVC_SEARCH` names the default one.
    ///
    /// SearXNG is free. A request to another provider costs what the price table says: `[searches]` of
    /// the file that `SVC_PRICES` names, or the standard price. A call of 11 results or more is two
    /// requests of Serper.
    pub(in super::super) struct Search {
        /// What to search for.
        query: Text,
        /// The maximum number of hits.
        #[range(1..=20)]
        top_k: i64 = 10,
        /// Only pages of this site, such as `example.com`.
        site: Option<Text> = None,
        /// Only pages of the last day, week, month or year.
        recent: Option<Recent> = None,
        /// The language of the pages, as a code of two letters. Tavily ignores it.
        language: Option<Text> = None,
        /// `default`, `brave`, `tavily`, `serper` or `searxng`.
        provider: Text = "default".into(),
    }
}

impl Op for Search {
    const NAME: &'static str = "search";
    const YIELDS: Scheme = Scheme::List(&Hit::SCHEME, Max::Arg("top_k"));
    const EFFECTS: &'static [Effect] =
        &[Effect::Reads(Scope::Named("search_engine")), Effect::Spends];
    const PRICE: Price = Price::Quoted(quote);
    const ERRORS: &'static [ErrorKind] = ErrorKind::OF_SERVERS;
    const TAKES: Takes = Takes::Usually(Duration::from_secs(1));
    const SAYS: &'static [&'static str] = &[
        "search the web",
        "google something",
        "search the internet for pages",
        "find websites about a subject",
        "ask brave, tavily or searxng",
        "results of a search engine",
        "look something up online",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The best pages",
            r#""caps of budgets" >> web_search(top_k: 1) >> each { { title: .title, path: .path, text: .text } }"#,
            r#"[{"title":"Caps","path":"https://example.com/caps","text":"A cap is kept."}]"#,
        )
        .answered(LOCAL, &[ONE]),
        Example::ok(
            "What the pages say about it",
            r#""which cap is kept?"
  >> web_search(top_k: 1)
  >> each { { ...it, text: (fetch(url: .path)).text } }
  >> rag_retrieval
  >> summary
  >> .text"#,
            r#""A cap is kept by a ledger. [1]""#,
        )
        .answered(LOCAL, &[ONE, "A cap is kept by a ledger."]),
        Example::err(
            "No provider is configured",
            r#"web_search(query: "caps")"#,
            "no search engine is configured",
        ),
    ];
}

/// The environment of the examples, and the answer of its server.
const LOCAL: &[(&str, &str)] = &[("SEARXNG_URL", "http://127.0.0.1:8888")];
const ONE: &str = r#"{"results":[{"url":"https://example.com/caps","title":"Caps","content":"A cap is <b>kept</b>."}]}"#;

/// What is asked, besides the provider.
struct Question {
    query: Text,
    top_k: usize,
    site: Option<String>,
    recent: Option<Recent>,
    language: Option<String>,
}

impl Io for Search {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let provider = Provider::find(cx.host(), &self.provider)?;
        let price = prices::of(cx.host(), &provider, self.top_k)?;
        let question = self.question()?;
        provider.check(&question, cx)?;
        if price.is_err() {
            let name = provider.name();
            cx.notice(format!(
                "the price of a search by `{name}` is unknown: the cost does not include it"
            ));
        }
        let spent = Usage { tokens: 0, cost: price.unwrap_or_default() };
        let found = pages(&provider, &question, cx).await?;
        cx.used(spent);
        Ok(hits(&provider, &question, found))
    }
}

/// The pages of `SearXNG` that are asked for at most: it has no param for the number of results.
const MOST_PAGES: usize = 3;

async fn pages(provider: &Provider, question: &Question, cx: &Cx) -> Result<Vec<Found>, OpError> {
    let most = if provider.has_pages() { MOST_PAGES } else { 1 };
    let mut all: Vec<Found> = Vec::new();
    for page in 1..=most {
        let request = request::of(provider, question, page);
        let body = request::send(provider, request, cx).await?;
        let Answer { found, failed } = answer::read(provider, &body, cx)?;
        if !failed.is_empty() {
            let names = failed.join(", ");
            if found.is_empty() && all.is_empty() {
                return Err(failure::of_engines(provider, &names));
            }
            cx.notice(format!("these engines of `{}` did not answer: {names}", provider.name()));
        }
        let before = all.len();
        for it in found {
            if all.iter().all(|other| other.url != it.url) {
                all.push(it);
            }
        }
        if all.len() >= question.top_k || all.len() == before {
            break;
        }
    }
    all.truncate(question.top_k);
    Ok(all)
}

impl Search {
    fn question(&self) -> Result<Question, OpError> {
        let query: Text = self.query.trim().into();
        if query.is_empty() {
            return Err(OpError::invalid_input("cannot search the web: the query is empty"));
        }
        let site = self.site.as_deref().map(site).transpose()?;
        let language = self.language.as_deref().map(language).transpose()?;
        let top_k = usize::try_from(self.top_k).unwrap_or(1);
        Ok(Question { query, top_k, site, recent: self.recent, language })
    }
}

fn site(given: &str) -> Result<String, OpError> {
    match address::host_and_port(given.trim()) {
        Ok((host, None)) if host.contains('.') && !host.contains(':') => Ok(host),
        _ => {
            let shown: String = given.chars().take(100).collect();
            let message = format!("expected the name of a site, found `{shown}`");
            Err(OpError::invalid_input(message).help("write it as in `example.com`"))
        }
    }
}

fn language(given: &str) -> Result<String, OpError> {
    let code = given.trim().to_ascii_lowercase();
    if code.len() == 2 && code.bytes().all(|it| it.is_ascii_lowercase()) {
        return Ok(code);
    }
    let shown: String = given.chars().take(20).collect();
    Err(OpError::invalid_input(format!("expected a language, found `{shown}`"))
        .help("write a code of two letters, such as `en` or `de`"))
}

fn hits(provider: &Provider, question: &Question, found: Vec<Found>) -> Value {
    let hit = |(idx, it): (usize, Found)| {
        let end = i64::try_from(it.text.len()).unwrap_or(i64::MAX);
        let url: Text = it.url.into();
        let (meta, text) = (answer::meta(provider, it.site, it.published), Text::from(it.text));
        #[expect(clippy::cast_precision_loss, reason = "there are few hits")]
        let score = 1.0 / (idx as f64 + 1.0);
        Hit {
            id: url.clone(),
            title: it.title.into(),
            path: url,
            text,
            query: question.query.clone(),
            score,
            snippet: it.snippet.into(),
            start: 0,
            end,
            page: None,
            meta: Some(meta),
        }
        .encode()
    };
    Value::List(found.into_iter().enumerate().map(hit).collect())
}

/// Quotes a call: it is one request, whatever the query.
fn quote(asking: &Asking<'_>) -> Result<Quote, OpError> {
    let arg = |name: &str| {
        let place = asking.op.params.iter().position(|it| it.name == name)?;
        match asking.args.get(place)? {
            Known::Value(it) => Some(*it),
            _ => None,
        }
    };
    let Some(Value::Text(named)) = arg("provider") else {
        return Err(OpError::invalid_input("`provider` is only known at run time"));
    };
    let provider = Provider::find(asking.host, named)?;
    let of = |top_k| {
        // No call is possible with a table that cannot be read, so the check reports it.
        let cost = prices::of(asking.host, &provider, top_k).unwrap_or_else(Err);
        (Usage { tokens: 0, cost: *cost.as_ref().unwrap_or(&Money::ZERO) }, cost.err())
    };
    let (least, (most, unpriced)) = match arg("top_k") {
        Some(Value::Int(top_k)) => (of(*top_k).0, of(*top_k)),
        _ => (of(1).0, of(i64::MAX)),
    };
    Ok(Quote {
        most,
        usual: most,
        least,
        reserved: least,
        prices: prices::named(asking.host).ok(),
        model: Some(provider.name().into()),
        server: provider.server(),
        unpriced,
    })
}
