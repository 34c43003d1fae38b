//! The latest reports of this process.

use std::{
    collections::VecDeque,
    fmt::Write as _,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use svc_contract::{
    host::{Host, secret},
    registry::{Field as _, OpError, Tier, nearest, record},
    value::{Text, Timestamp, json},
};

use super::checks::{Area, Found, Status};

/// How many reports are kept; the oldest one goes first.
const MOST: usize = 64;

record! {
    /// What one check found.
    pub(super) struct CheckView {
        /// The check.
        name: Text,
        /// `ok`, `warn` or `fail`.
        status: Status,
        /// What was found.
        detail: Text,
    }
}

record! {
    /// What is known of this installation.
    pub(super) struct DiagReport {
        /// The name of the report, for `diagnostics_export`.
        report_id: Text,
        /// When it was made.
        created_at: Text,
        /// What was checked.
        scope: Area,
        /// The worst status of its checks.
        status: Status,
        /// The result in one sentence.
        summary: Text,
        /// What each check found.
        checks: Vec<CheckView>,
    }
}

/// A report as it is kept: what its reader may see is decided when it is read.
#[derive(Clone)]
struct Kept {
    id: String,
    at: i64,
    area: Area,
    found: Vec<Found>,
    /// The caller for whom it was made: others know nothing of it, and neither does a key of theirs
    /// with a lower tier.
    reader: Reader,
}

/// Who reads a report.
#[derive(Clone)]
pub(super) struct Reader {
    pub(super) owner: Arc<str>,
    pub(super) tier: Tier,
}

impl Reader {
    fn may_know(&self, report: &Kept) -> bool {
        self.owner == report.reader.owner && report.reader.tier <= self.tier
    }
}

static REPORTS: Mutex<VecDeque<Kept>> = Mutex::new(VecDeque::new());

fn reports() -> MutexGuard<'static, VecDeque<Kept>> {
    REPORTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a report for its caller.
pub(super) fn keep(
    area: Area,
    found: Vec<Found>,
    reader: &Reader,
    host: &dyn Host,
) -> Result<DiagReport, OpError> {
    let failed = |err| OpError::failed("cannot name a report: no random numbers").because(err);
    let id = format!("diag_{}", secret(host, 10).map_err(failed)?);
    let kept = Kept { id, at: host.now(), area, found, reader: reader.clone() };
    let shown = kept.shown(reader.tier);
    let mut reports = reports();
    if reports.len() == MOST {
        reports.pop_front();
    }
    reports.push_back(kept);
    Ok(shown)
}

/// The kept report of this name, if its reader may know it.
pub(super) fn find(id: &str, reader: &Reader) -> Result<DiagReport, OpError> {
    let reports = reports();
    let known = || reports.iter().filter(|it| reader.may_know(it));
    if let Some(kept) = known().find(|it| it.id == id) {
        return Ok(kept.shown(reader.tier));
    }
    let error = OpError::not_found(format!("unknown report `{id}`"));
    Err(match nearest(id, known().map(|it| it.id.as_str())) {
        Some(meant) => error.help(format!("did you mean `{meant}`?")),
        None => {
            error.help("`diagnostics_list` lists the reports; this process keeps the latest ones")
        }
    })
}

/// The latest reports that a reader may know, the newest first.
pub(super) fn latest(limit: usize, reader: &Reader) -> Vec<DiagReport> {
    let reports = reports();
    let known = reports.iter().rev().filter(|it| reader.may_know(it));
    known.take(limit).map(|it| it.shown(reader.tier)).collect()
}

impl Kept {
    /// The report for a reader: below the builders, nothing about the machine.
    fn shown(&self, tier: Tier) -> DiagReport {
        let check = |it: &Found| CheckView {
            name: it.name.into(),
            status: it.status,
            detail: match &it.private {
                Some(private) if tier >= Tier::Builder => {
                    format!("{}: {private}", it.detail).into()
                }
                _ => it.detail.as_str().into(),
            },
        };
        let status = worst(&self.found);
        let time = Timestamp::from_millisecond(self.at).map(|it| it.to_string());
        DiagReport {
            report_id: self.id.as_str().into(),
            created_at: time.unwrap_or_default().into(),
            scope: self.area,
            status,
            summary: summary(&self.found).into(),
            checks: self.found.iter().map(check).collect(),
        }
    }
}

/// The worst status of some checks.
pub(super) fn worst(found: &[Found]) -> Status {
    let has = |status: Status| found.iter().any(|it| it.status == status);
    if has(Status::Fail) {
        Status::Fail
    } else if has(Status::Warn) {
        Status::Warn
    } else {
        Status::Ok
    }
}

fn summary(found: &[Found]) -> String {
    let names = |status: Status| -> Vec<&str> {
        found.iter().filter(|it| it.status == status).map(|it| it.name).collect()
    };
    let (failed, warned) = (names(Status::Fail), names(Status::Warn));
    let mut text = format!("{} checks", found.len());
    for (names, word) in [(failed, "failed"), (warned, "worth a look")] {
        if !names.is_empty() {
            let _ = write!(text, "; {word}: {}", names.join(", "));
        }
    }
    if worst(found) == Status::Ok {
        text.push_str(", all is well");
    }
    text
}

/// A report as JSON.
pub(super) fn as_json(report: DiagReport) -> String {
    json::write(&report.encode())
}

/// A report as Markdown.
pub(super) fn as_markdown(report: &DiagReport) -> String {
    let mut text = format!(
        "# Diagnostics {}\n\n{}, {}\n\n| check | status | detail |\n|---|---|---|\n",
        report.report_id, report.created_at, report.summary
    );
    for it in &report.checks {
        let detail = it.detail.replace('|', "\\|").replace(['\n', '\r'], " ");
        let _ = writeln!(text, "| {} | {} | {detail} |", it.name, it.status.name());
    }
    text
}
