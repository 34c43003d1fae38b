//! A help desk that keeps its cases in a folder, one file a case.

use std::path::{Path, PathBuf};

use svc::{
    choices,
    host::{self, Host},
    params, record,
    registry::{
        Component, Compute, Cx, Effect, ErrorKind, Example, Field, Op, OpError, Scheme, Scope,
        compute,
    },
    value::{Text, Value, json},
};

pub(crate) const COMPONENT: Component = Component {
    name: "desk",
    cluster: "helpdesk",
    summary: "Opens cases for tickets, and finds those that tell the same.",
    version: 1,
    aliases: &[
        ("assign", "assign"),
        ("find_duplicates", "find_duplicates"),
        ("file_bug", "file_bug"),
    ],
    ops: &[compute::<Assign>(), compute::<FindDuplicates>(), compute::<FileBug>()],
};

record! {
    /// What a customer wrote.
    struct Ticket {
        /// Letters, digits, `-` and `_`.
        id: Text,
        /// The customer's words.
        body: Text,
    }
}

choices! {
    /// Who works on cases.
    enum Team { Finance = "finance", Support = "support", Engineering = "engineering" }
}

choices! {
    /// How bad a bug is.
    enum Severity { Low = "low", High = "high", Critical = "critical" }
}

record! {
    /// What was found out about a bug.
    struct Findings {
        /// The cases that tell the same.
        dup: Vec<Text>,
        /// How bad it is.
        sev: Severity,
    }
}

record! {
    /// A case, as its file has it.
    struct Case {
        /// `C-`, and the id of the ticket.
        id: Text,
        /// Who works on it.
        team: Team,
        /// The customer's words.
        body: Text,
        /// What is known of a bug.
        findings: Option<Findings>,
    }
}

/// Where cases are kept, unless the environment variable `HELPDESK` names another folder.
const FOLDER: &str = "helpdesk";

/// Cases are short; what is larger is none.
const LARGEST: u64 = 1 << 20;

const READS: Effect = Effect::Reads(Scope::Named("helpdesk"));

/// A second try writes the same file again.
const WRITES: Effect = Effect::Writes { scope: Scope::Named("helpdesk"), idempotent: true };

params! {
    /// Opens a case for a ticket and gives it to a team. Gives the id of the case.
    ///
    /// The same ticket has one case, whichever team had it before.
    struct Assign {
        /// The ticket.
        ticket: Ticket,
        /// Who is to work on it.
        team: Team,
    }
}

impl Op for Assign {
    const NAME: &'static str = "assign";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] = &[WRITES];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Denied, ErrorKind::Failed];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Money is the affair of the finance team",
            r#"{ id: "7", body: "charged twice" } >> assign(team: "finance")"#,
            r#""C-7""#,
        ),
        Example::err(
            "An id that is none",
            r#"{ id: "../7", body: "" } >> assign(team: "support")"#,
            "is no id of a ticket",
        ),
    ];
}

impl Compute for Assign {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        open(cx, self.ticket, self.team, None)
    }
}

params! {
    /// Finds the cases that have at least half of a ticket's words, and gives their ids.
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
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "One that was told before",
            r#"{ id: "8", body: "the export crashes" } >> find_duplicates"#,
            r#"["C-7"]"#,
        )
        .with(&[(
            "helpdesk/C-7.json",
            r#"{ "id": "C-7", "team": "engineering", "body": "Export crashes at noon" }"#,
        )]),
        Example::err("A broken file", r#"{ id: "8", body: "x" } >> find_duplicates"#, "is no case")
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
    /// Files a bug for the engineers, with what was found out about it. Gives the id of the
    /// case.
    struct FileBug {
        /// What was found out.
        findings: Findings,
        /// The ticket that tells of the bug.
        ticket: Ticket,
    }
}

impl Op for FileBug {
    const NAME: &'static str = "file_bug";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] = &[WRITES];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Denied, ErrorKind::Failed];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A bug that nobody told of before",
            r#"{ dup: [], sev: "high" } >> file_bug(ticket: { id: "9", body: "it crashes" })"#,
            r#""C-9""#,
        ),
        Example::err(
            "An id that is none",
            r#"{ dup: [], sev: "low" } >> file_bug(ticket: { id: "", body: "" })"#,
            "is no id of a ticket",
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

/// The id becomes the name of a file, so it must not lead elsewhere.
fn case_id(ticket: &Ticket) -> Result<Text, OpError> {
    let id = &ticket.id;
    let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
    if id.is_empty() || !id.chars().all(is_plain) {
        let message = format!("{:?} is no id of a ticket", &**id);
        return Err(OpError::invalid_input(message).help("letters, digits, `-` and `_` make an id"));
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
        let message = format!("`{}` is no case", path.display());
        OpError::new(ErrorKind::InvalidOutput, message)
    })
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_lowercase).collect()
}
