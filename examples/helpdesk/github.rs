//! Issues on GitHub: <https://docs.github.com/rest/issues>.

use std::time::Duration;

use futures_util::StreamExt as _;
use svc::{
    choices,
    host::http::{Request, Response},
    params, record,
    registry::{
        Bias, Component, Cx, Effect, ErrorKind, Example, Field, Io, Max, Op, OpError, Scheme,
        Scope, io,
    },
    value::{Secret, Text, Value, json},
};

pub(crate) const COMPONENT: Component = Component {
    name: "github",
    cluster: "helpdesk",
    summary: "Reads GitHub issues and comments on them.",
    version: 1,
    bias: Bias::new(
        "one page of issues a call",
        &["the newest hundred issues and pull requests are enough"],
    ),
    aliases: &[],
    ops: &[io::<ListIssues>(), io::<Comment>()],
};

record! {
    /// An issue on GitHub.
    struct Issue {
        /// The id, as `owner/name#12`.
        id: Text,
        /// Its page.
        url: Text,
        /// Its title.
        title: Text,
        /// The text below the title, in Markdown.
        body: Text,
        /// The names of its labels.
        labels: Vec<Text>,
    }
}

choices! {
    /// Which issues to list.
    enum State { Open = "open", Closed = "closed", All = "all" }
}

/// The address of the API, unless the environment variable `GITHUB_API_URL` names another one.
const API: &str = "https://api.github.com";

/// The maximum size of a response, in bytes.
const LARGEST: usize = 16 << 20;

const ERRORS: &[ErrorKind] = &[
    ErrorKind::NotFound,
    ErrorKind::Denied,
    ErrorKind::RateLimit,
    ErrorKind::Unavailable,
    ErrorKind::InvalidOutput,
    ErrorKind::Failed,
];

params! {
    /// Lists the issues of a repository, the newest one first. Pull requests are omitted.
    struct ListIssues {
        /// The repository, as `owner/name`.
        repo: Text,
        /// Which issues to list.
        state: State = State::Open,
        /// The maximum number of issues.
        #[range(1..=100)]
        limit: i64 = 30,
        /// A token with permission to read issues.
        token: Secret,
    }
}

impl Op for ListIssues {
    const NAME: &'static str = "list_issues";
    const YIELDS: Scheme = Scheme::List(&Issue::SCHEME, Max::Arg("limit"));
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Named("github"))];
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] =
        &["issues of a repository", "open tickets on github", "bugs that were reported on github"];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The newest issue",
            r#"secret github_token  github.list_issues(repo: "ada/engine", limit: 1, token: github_token)"#,
            r#"[{ "id": "ada/engine#3", "url": "https://x/3", "title": "It stops", "body": "",
                  "labels": ["bug"] }]"#,
        )
        .answered(
            TOKEN,
            &[r#"[{ "number": 4, "html_url": "https://x/4", "title": "a patch", "body": null,
                    "labels": [], "pull_request": {} },
                  { "number": 3, "html_url": "https://x/3", "title": "It stops", "body": null,
                    "labels": [{ "name": "bug" }] }]"#],
        ),
        Example::err(
            "An invalid repository",
            r#"secret github_token  github.list_issues(repo: "engine", token: github_token)"#,
            "is not a repository",
        )
        .answered(TOKEN, &[]),
    ];
}

/// The secret that the examples need.
const TOKEN: &[(&str, &str)] = &[("SVC_SECRET_GITHUB_TOKEN", "secret")];

record! {
    /// An issue, as returned by the API.
    struct Listed {
        /// The number; issues and pull requests share one sequence.
        number: i64,
        /// Its page.
        html_url: Text,
        /// Its title.
        title: Text,
        /// The text below the title.
        body: Option<Text>,
        /// Its labels.
        labels: Vec<Label>,
        /// Present if this is a pull request.
        pull_request: Option<Value>,
    }
}

record! {
    /// A label, as returned by the API.
    struct Label {
        /// The text of the label.
        name: Text,
    }
}

impl Io for ListIssues {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let repo = repository(&self.repo)?;
        let state = self.state.encode();
        // Pages include pull requests, so request a full page.
        let path = format!("/repos/{repo}/issues?state={state}&per_page=100");
        let listed: Vec<Listed> = Call { cx, token: &self.token }.get(&path).await?;
        let issues = listed.into_iter().filter(|it| it.pull_request.is_none());
        let most = usize::try_from(self.limit).unwrap_or_default();
        Ok(issues.take(most).map(|it| it.of(repo)).collect::<Vec<_>>().encode())
    }
}

impl Listed {
    fn of(self, repo: &str) -> Issue {
        Issue {
            id: format!("{repo}#{}", self.number).into(),
            url: self.html_url,
            title: self.title,
            body: self.body.unwrap_or_default(),
            labels: self.labels.into_iter().map(|it| it.name).collect(),
        }
    }
}

params! {
    /// Posts a comment on an issue, and returns the address of the comment.
    ///
    /// It is never retried, because a retry would post the comment twice.
    struct Comment {
        /// The comment, in Markdown.
        text: Text,
        /// The issue, as `owner/name#12`.
        issue: Text,
        /// A token with permission to write issues.
        token: Secret,
    }
}

impl Op for Comment {
    const NAME: &'static str = "comment";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] =
        &[Effect::Writes { scope: Scope::Named("github"), idempotent: false }];
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] =
        &["reply to an issue", "post a comment on github", "answer a bug report in public"];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A thank-you",
            r#"secret github_token  "Thank you!" >> github.comment(issue: "ada/engine#3", token: github_token)"#,
            r#""https://x/3#1""#,
        )
        .answered(TOKEN, &[r#"{ "html_url": "https://x/3#1" }"#]),
        Example::err(
            "An invalid issue",
            r#"secret github_token  "Thank you!" >> github.comment(issue: "3", token: github_token)"#,
            "is not an issue",
        )
        .answered(TOKEN, &[]),
    ];
}

record! {
    /// A comment, as returned by the API.
    struct Posted {
        /// The address of the comment.
        html_url: Text,
    }
}

impl Io for Comment {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let issue = || OpError::invalid_input(format!("{:?} is not an issue", &*self.issue));
        let (repo, number) = self.issue.split_once('#').ok_or_else(issue)?;
        let number: u64 = number.parse().map_err(|_| issue())?;
        let path = format!("/repos/{}/issues/{number}/comments", repository(repo)?);
        let body = svc::value::Record::from_iter([("body".into(), Value::from(self.text))]);
        let posted: Posted = Call { cx, token: &self.token }.post(&path, &body.into()).await?;
        Ok(posted.html_url.into())
    }
}

/// Validates `owner/name`, which becomes a part of an address.
fn repository(name: &str) -> Result<&str, OpError> {
    let is_part = |it: &str| {
        let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
        !it.trim_matches('.').is_empty() && it.chars().all(is_plain)
    };
    match name.split_once('/') {
        Some((owner, repo)) if is_part(owner) && is_part(repo) => Ok(name),
        _ => Err(OpError::invalid_input(format!("{name:?} is not a repository"))
            .help("write it as `owner/name`")),
    }
}

/// A client for one call of the API.
struct Call<'a> {
    cx: &'a Cx,
    token: &'a Secret,
}

impl Call<'_> {
    async fn get<T: Field>(&self, path: &str) -> Result<T, OpError> {
        self.send(Request::get(self.url(path))).await
    }

    async fn post<T: Field>(&self, path: &str, body: &Value) -> Result<T, OpError> {
        self.send(Request::post_json(self.url(path), json::write(body).into_bytes())).await
    }

    fn url(&self, path: &str) -> String {
        let api = self.cx.host().env("GITHUB_API_URL").unwrap_or_else(|| API.to_owned());
        format!("{api}{path}")
    }

    async fn send<T: Field>(&self, request: Request) -> Result<T, OpError> {
        // The address comes from the environment, never from a script.
        let request = request
            .configured()
            .header("accept", "application/vnd.github+json")
            .header("authorization", format!("Bearer {}", self.token.reveal()))
            .header("user-agent", "svc-helpdesk");
        let answer = self.cx.host().http(request).await.map_err(|err| {
            OpError::new(ErrorKind::Unavailable, format!("cannot reach GitHub: {err}"))
        })?;
        if !(200..300).contains(&answer.status) {
            return Err(refused(&answer));
        }
        let value = json::read(&text(answer).await?).ok().and_then(T::decode);
        value.ok_or_else(|| {
            OpError::new(ErrorKind::InvalidOutput, "unexpected response from GitHub")
        })
    }
}

fn refused(answer: &Response) -> OpError {
    let wait = answer.header("retry-after").and_then(|it| it.parse().ok());
    let (kind, why) = match answer.status {
        401 => (ErrorKind::Denied, "the token is not accepted".to_owned()),
        403 | 429 if wait.is_some() => (ErrorKind::RateLimit, "too many requests".to_owned()),
        403 => (ErrorKind::Denied, "the token lacks a permission".to_owned()),
        404 => (ErrorKind::NotFound, "unknown repository or issue".to_owned()),
        429 => (ErrorKind::RateLimit, "too many requests".to_owned()),
        500.. => (ErrorKind::Unavailable, format!("HTTP status {}", answer.status)),
        status => (ErrorKind::Failed, format!("HTTP status {status}")),
    };
    let error = OpError::new(kind, format!("GitHub rejected the request: {why}"));
    match wait {
        Some(seconds) => error.retry_after(Duration::from_secs(seconds)),
        None => error,
    }
}

async fn text(mut answer: Response) -> Result<String, OpError> {
    let mut bytes = Vec::new();
    while let Some(piece) = answer.body.next().await {
        bytes.extend(piece.map_err(|err| {
            OpError::new(ErrorKind::Unavailable, format!("the response of GitHub broke off: {err}"))
        })?);
        if bytes.len() > LARGEST {
            return Err(OpError::failed("the response of GitHub is too large (limit 16MiB)"));
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
