//! A help desk that stores its cases in a folder, one file per case.

use std::path::{Path, PathBuf};

use svc::{
    choices,
    host::{self, Host},
    params, record,
    registry::{
        Bias, Component, Compute, Cx, Effect, ErrorKind, Example, Field, Op, OpError, Scheme,
        Scope, compute,
    },
    value::{Text, Value, json},
};

pub(crate) const COMPONENT: Component = Component {
    name: "desk",
    cluster: "helpdesk",
    summary: "Opens cases for tickets, and finds duplicates.",
    version: 1,
    bias: Bias::new(
        "shared words",
        &["tickets about the same problem share half of their words", "a ticket has one case"],
    ),
    aliases: &[
        ("assign", "assign"),
        ("find_duplicates", "find_duplicates"),
        ("file_bug", "file_bug"),
    ],
    ops: &[compute::<Assign>(), compute::<FindDuplicates>(), compute::<FileBug>()],
};

record! {
    /// The message of a customer.
    struct Ticket {
        /// Letters, digits, `-` and `_`.
        id: Text,
        /// The customer's words.
        body: Text,
    }
}

choices! {
    /// The team that works on a case.
    enum Team { Finance = "finance", Support = "support", Engineering = "engineering" }
}

choices! {
    /// The severity of a bug.
    enum Severity { Low = "low", High = "high", Critical = "critical" }
}

record! {
    /// The findings about a bug.
    struct Findings {
        /// The cases that report the same bug.
        dup: Vec<Text>,
        /// The severity.
        sev: Severity,
    }
}

record! {
    /// A case, as stored in its file.
    struct Case {
        /// `C-`, followed by the id of the ticket.
        id: Text,
        /// The responsible team.
        team: Team,
        /// The customer's words.
        body: Text,
        /// The findings about a bug.
        findings: Option<Findings>,
    }
}

/// The folder of the cases, unless the environment variable `HELPDESK` names another one.
const FOLDER: &str = "helpdesk";

/// The maximum size of a case file, in bytes.
const LARGEST: u64 = 1 << 20;

const READS: Effect = Effect::Reads(Scope::Named("helpdesk"));

/// A retry writes the same file again.
const WRITES: Effect = Effect::Writes { scope: Scope::Named("helpdesk"), idempotent: true };

params! {
    /// Opens a case for a ticket and assigns it to a team. Returns the id of the case.
    ///
    /// A ticket has only one case, even if it was assigned to another team before.
    struct Assign {
        /// The ticket.
        ticket: Ticket,
        /// The responsible team.
        team: Team,
    }
}

impl Op for Assign {
    const NAME: &'static str = "assign";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] = &[WRITES];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Denied, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "assign a ticket to a team",
        "open a case for a customer",
        "route a problem to the right department",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A billing problem goes to the finance team",
            r#"{ id: "7", body: "charged twice" } >> assign(team: "finance")"#,
            r#""C-7""#,
        ),
        Example::err(
            "An invalid id",
            r#"{ id: "../7", body: "" } >> assign(team: "support")"#,
            "is not a ticket id",
        ),
    ];
}

impl Compute for Assign {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        open(cx, self.ticket, self.team, None)
    }
}

params! {
    /// Finds the cases that share at least half of a ticket's words, and returns their ids.
    struct FindDuplicates {
        /// The ticket.
        ticket: Ticket,
    }
}

impl Op for FindDuplicates {
    const NAME: &'static str = "find_duplicates";
    const YIELDS: Scheme = Scheme::List(&Scheme::Text, svc::registry::Max::Unknown);
    const EFFECTS: &'static [Effect] = &[READS];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::Denied, ErrorKind::InvalidOutput, ErrorKind::Failed];
    const SAYS: &'static [&'static str] =
        &["has this been reported before", "similar tickets", "cases about the same problem"];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A problem that was reported before",
            r#"{ id: "8", body: "the export crashes" } >> find_duplicates"#,
            r#"["C-7"]"#,
        )
        .with(&[(
            "helpdesk/C-7.json",
            r#"{ "id": "C-7", "team": "engineering", "body": "Export crashes at noon" }"#,
        )]),
        Example::err(
            "A broken file",
            r#"{ id: "8", body: "x" } >> find_duplicates"#,
            "is not a case",
        )
        .with(&[("helpdesk/C-7.json", "{}")]),
    ];
}

impl Compute for FindDuplicates {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let own = case_id(&self.ticket)?;
        let words = words(&self.ticket.body);
        let is_like = |case: &Case| {
            let there = self::words(&case.body);
            let shared = words.iter().filter(|it| there.contains(it)).count();
            case.id != own && shared > 0 && shared * 2 >= words.len()
        };
        let cases = cases(cx)?.into_iter().filter(is_like);
        Ok(cases.map(|it| it.id).collect::<Vec<_>>().encode())
    }
}

params! {
    /// Files a bug for the engineers, with the findings about it. Returns the id of the case.
    struct FileBug {
        /// The findings.
        findings: Findings,
        /// The ticket that reports the bug.
        ticket: Ticket,
    }
}

impl Op for FileBug {
    const NAME: &'static str = "file_bug";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] = &[WRITES];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Denied, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "file a bug for the engineers",
        "report a defect with its severity",
        "hand a crash over to engineering",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A bug that was not reported before",
            r#"{ dup: [], sev: "high" } >> file_bug(ticket: { id: "9", body: "it crashes" })"#,
            r#""C-9""#,
        ),
        Example::err(
            "An invalid id",
            r#"{ dup: [], sev: "low" } >> file_bug(ticket: { id: "", body: "" })"#,
            "is not a ticket id",
        ),
    ];
}

impl Compute for FileBug {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        open(cx, self.ticket, Team::Engineering, Some(self.findings))
    }
}

fn open(cx: &Cx, ticket: Ticket, team: Team, findings: Option<Findings>) -> Result<Value, OpError> {
    let id = case_id(&ticket)?;
    let path = folder(cx.host()).join(format!("{id}.json"));
    let case = Case { id: id.clone(), team, body: ticket.body, findings };
    let text = json::write_pretty(&case.encode());
    cx.host().write(&path, text.as_bytes()).map_err(|err| OpError::io(err, &path))?;
    Ok(id.into())
}

/// The id becomes a file name, so it must not contain path separators.
fn case_id(ticket: &Ticket) -> Result<Text, OpError> {
    let id = &ticket.id;
    let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
    if id.is_empty() || !id.chars().all(is_plain) {
        let message = format!("{:?} is not a ticket id", &**id);
        return Err(OpError::invalid_input(message).help("use only letters, digits, `-` and `_`"));
    }
    Ok(format!("C-{id}").into())
}

fn folder(host: &dyn Host) -> PathBuf {
    host.env("HELPDESK").unwrap_or_else(|| FOLDER.to_owned()).into()
}

fn cases(cx: &Cx) -> Result<Vec<Case>, OpError> {
    let folder = folder(cx.host());
    if cx.host().stat(&folder).is_err_and(|it| it.kind() == std::io::ErrorKind::NotFound) {
        return Ok(Vec::new());
    }
    let mut cases = Vec::new();
    for entry in cx.host().walk(&folder) {
        cx.check()?;
        cases.push(read(cx.host(), &entry.map_err(|err| OpError::io(err, &folder))?.path)?);
    }
    Ok(cases)
}

fn read(host: &dyn Host, path: &Path) -> Result<Case, OpError> {
    let bytes = host::read(host, path, LARGEST).map_err(|err| OpError::io(err, path))?;
    let value = json::read(&String::from_utf8_lossy(&bytes)).ok();
    value.and_then(Case::decode).ok_or_else(|| {
        let message = format!("`{}` is not a case", path.display());
        OpError::new(ErrorKind::InvalidOutput, message)
    })
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_lowercase).collect()
}
