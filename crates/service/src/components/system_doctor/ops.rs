//! The tools of the doctor.

use svc_contract::{
    registry::{
        CallerTier, Compute, Cx, Effect, ErrorKind, Example, Field, Inline, Op, OpError, Scheme,
        Scope, Tool, choices, params, record,
    },
    value::{Text, Value},
};

use super::{
    checks::{ALL, Area, Status, of_call},
    reports::{self, DiagReport, Reader},
};
use crate::{Caller, LOCAL, components::engine_of};

/// The machine is not an argument, so reading it is an effect.
const EFFECTS: &[Effect] = &[Effect::Reads(Scope::Named("system"))];

fn collected(area: Area, cx: &Cx) -> Result<DiagReport, OpError> {
    let engine = engine_of(cx)?;
    let found = of_call(area, cx, &engine)?;
    reports::keep(area, found, &reader(cx), cx.host())
}

fn reader(cx: &Cx) -> Reader {
    let owner = cx.lent::<Caller>().map_or_else(|_| LOCAL.into(), |it| it.owner.clone());
    Reader { owner, tier: CallerTier::of(cx) }
}

params! {
    /// Checks this installation: the registry, the clock, memory, folders, the store, the policy and
    /// the tools.
    ///
    /// The report is kept for a while, so that it can be exported. Callers below the tier of
    /// builders see nothing about the machine, such as paths.
    pub(super) struct Collect {
        /// What is checked.
        scope: Area = Area::All,
    }
}

impl Op for Collect {
    const NAME: &'static str = "collect";
    const YIELDS: Scheme = DiagReport::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "diagnose this server",
        "collect a diagnostic report",
        "what is wrong with this installation",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("diagnostics_collect"));
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "The checks of the tools",
        r#"system_doctor.collect("mcp") >> .checks >> each { .name }"#,
        r#"["tools"]"#,
    )];
}

impl Compute for Collect {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        Ok(collected(self.scope, cx)?.encode())
    }
}

record! {
    /// A report.
    struct Made {
        /// The report.
        report: DiagReport,
    }
}

params! {
    /// Checks everything of this installation, and keeps the report.
    pub(super) struct AutoReport {}
}

impl Op for AutoReport {
    const NAME: &'static str = "auto_report";
    const YIELDS: Scheme = Made::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "make a full diagnostic report",
        "report everything about this system",
        "automatic report for support",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("diagnostics_auto_report"));
    const EXAMPLES: &'static [Example] =
        &[Example::ok("Its scope", "system_doctor.auto_report() >> .report.scope", r#""all""#)];
}

impl Compute for AutoReport {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        Ok(Made { report: collected(Area::All, cx)? }.encode())
    }
}

choices! {
    /// The format of an exported report.
    pub(super) enum ReportFormat {
        Json = "json",
        Md = "md",
    }
}

record! {
    /// A report as text.
    struct Exported {
        /// The text.
        content: Text,
    }
}

params! {
    /// Writes a kept report as JSON or as Markdown.
    pub(super) struct Export {
        /// The report.
        report_id: Text,
        /// The format.
        format: ReportFormat = ReportFormat::Json,
    }
}

impl Op for Export {
    const NAME: &'static str = "export";
    const YIELDS: Scheme = Exported::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    const SAYS: &'static [&'static str] = &[
        "export a diagnostic report",
        "a report as markdown for a ticket",
        "download the diagnostics as json",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("diagnostics_export"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "As Markdown",
            r##"system_doctor.collect("mcp") >> .report_id >> system_doctor.export(format: "md") >> .content >> starts_with(prefix: "#")"##,
            "true",
        ),
        Example::err("An unknown report", r#"system_doctor.export("x")"#, "unknown report `x`"),
    ];
}

impl Compute for Export {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let report = reports::find(&self.report_id, &reader(cx))?;
        let content = match self.format {
            ReportFormat::Json => reports::as_json(report),
            ReportFormat::Md => reports::as_markdown(&report),
        };
        Ok(Exported { content: content.into() }.encode())
    }
}

record! {
    /// A kept report, without its checks.
    struct Listed {
        /// The report.
        report_id: Text,
        /// When it was made.
        created_at: Text,
        /// What was checked.
        scope: Area,
        /// The worst status of its checks.
        status: Status,
        /// The result in one sentence.
        summary: Text,
    }
}

record! {
    /// The kept reports.
    struct AllListed {
        /// The newest first.
        reports: Vec<Listed>,
    }
}

params! {
    /// Lists the diagnostic reports that are kept, the newest first.
    pub(super) struct List {
        /// The maximum number of reports.
        #[range(1..=100)]
        limit: i64 = 20,
    }
}

impl Op for List {
    const NAME: &'static str = "list";
    const YIELDS: Scheme = AllListed::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const SAYS: &'static [&'static str] = &[
        "list the diagnostic reports",
        "earlier reports of the doctor",
        "which diagnostics were collected",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("diagnostics_list"));
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "After a report",
        r#"system_doctor.collect("mcp") >> system_doctor.list(limit: 1) >> .reports >> len"#,
        "1",
    )];
}

impl Compute for List {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let limit = usize::try_from(self.limit).unwrap_or(1);
        let listed = |it: DiagReport| Listed {
            report_id: it.report_id,
            created_at: it.created_at,
            scope: it.scope,
            status: it.status,
            summary: it.summary,
        };
        let reports = reports::latest(limit, &reader(cx));
        Ok(AllListed { reports: reports.into_iter().map(listed).collect() }.encode())
    }
}

record! {
    /// Whether this installation works.
    struct Now {
        /// The worst status of all checks.
        status: Status,
        /// The checks that failed.
        failed: Vec<Text>,
    }
}

params! {
    /// Says whether this installation works, and which checks fail. No report is kept.
    pub(super) struct StatusNow {}
}

impl Op for StatusNow {
    const NAME: &'static str = "status";
    const YIELDS: Scheme = Now::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "is this installation healthy",
        "which diagnostics fail",
        "does everything work on this machine",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("diagnostics_status"));
    const EXAMPLES: &'static [Example] =
        &[Example::ok("Nothing fails", "system_doctor.status() >> .failed", "[]")];
}

impl Compute for StatusNow {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let found = of_call(Area::All, cx, &engine_of(cx)?)?;
        let failed = found.iter().filter(|it| it.status == Status::Fail);
        let failed = failed.map(|it| it.name.into()).collect();
        Ok(Now { status: reports::worst(&found), failed }.encode())
    }
}

record! {
    /// One check.
    struct Described {
        /// Its name.
        name: Text,
        /// The scope that it belongs to.
        scope: Area,
        /// What it looks at.
        about: Text,
    }
}

record! {
    /// All checks.
    struct AllDescribed {
        /// In their order.
        ops: Vec<Described>,
    }
}

params! {
    /// Lists what the diagnostics look at.
    pub(super) struct Ops {}
}

impl Op for Ops {
    const NAME: &'static str = "ops";
    const YIELDS: Scheme = AllDescribed::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "what do the diagnostics check",
        "list the checks of the doctor",
        "what is looked at in a diagnosis",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("diagnostics_ops"));
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "The first check",
        "system_doctor.ops() >> .ops >> each { .name } >> first",
        r#""registry""#,
    )];
}

impl Inline for Ops {
    fn run(self) -> Result<Value, OpError> {
        let ops =
            ALL.iter().map(|it| Described { name: it.0.into(), scope: it.1, about: it.2.into() });
        let ops = ops.collect();
        Ok(AllDescribed { ops }.encode())
    }
}

record! {
    /// What the diagnostics are.
    struct Info {
        /// The version of the checks.
        version: Text,
        /// The names of the checks.
        checks: Vec<Text>,
    }
}

params! {
    /// The version of the diagnostics, and the names of their checks.
    pub(super) struct About {}
}

impl Op for About {
    const NAME: &'static str = "info";
    const YIELDS: Scheme = Info::SCHEME;
    const SAYS: &'static [&'static str] =
        &["version of the diagnostics", "names of the doctor's checks", "about the diagnostics"];
    const TOOL: Option<Tool> = Some(Tool::free("diagnostics_info"));
    const EXAMPLES: &'static [Example] =
        &[Example::ok("The version", "system_doctor.info() >> .version", r#""1""#)];
}

impl Inline for About {
    fn run(self) -> Result<Value, OpError> {
        let version = super::COMPONENT.version.to_string().into();
        Ok(Info { version, checks: ALL.iter().map(|it| it.0.into()).collect() }.encode())
    }
}
