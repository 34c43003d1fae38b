//! Questions to persons, each with an end and one answer.

use rusqlite::{Connection, OptionalExtension as _, params};
use svc_contract::store::RunId;

use super::{
    super::{Book, Written},
    rows::{APPROVAL, ApprovalRow, AskKind, approval},
    state::{ApprovalEvent, ApprovalState},
};
use crate::error::{Result, SqlResult};

/// A question to be asked.
#[derive(Clone, Debug)]
pub struct NewApproval {
    pub id: String,
    pub owner: String,
    /// The place of its job in the queue.
    pub job: i64,
    pub kind: AskKind,
    pub run: RunId,
    pub path: String,
    pub question: String,
    pub details: String,
    pub asked: i64,
    pub expires: i64,
}

/// What became of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answered {
    Done(ApprovalRow),
    /// It was answered before, or has expired.
    TooLate(ApprovalRow),
    Unknown,
}

impl Book {
    /// Asks a question, unless the same run has asked it at the same place: then returns that one.
    pub fn ask(&self, new: NewApproval) -> Written<ApprovalRow> {
        self.write(move |own| {
            let mark = mark(own, &new)?;
            own.prepare_cached(
                "INSERT INTO approvals (id, owner, job, kind, run, path, mark, question, details,
                    state, asked, expires)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'open', ?10, ?11)
                    ON CONFLICT (run, mark) DO NOTHING",
            )?
            .execute(params![
                new.id,
                new.owner,
                new.job,
                new.kind.name(),
                new.run.as_str(),
                new.path,
                mark,
                new.question,
                new.details,
                new.asked,
                new.expires,
            ])?;
            let sql = format!("{APPROVAL} WHERE run = ?1 AND mark = ?2");
            let mut found = own.prepare_cached(&sql)?;
            Ok(found.query_row(params![new.run.as_str(), mark], approval)?)
        })
    }

    /// Answers an open question. The first answer decides. Its job can go on.
    pub fn answer(
        &self,
        owner: String,
        id: String,
        event: ApprovalEvent,
        comment: Option<String>,
        now: i64,
    ) -> Written<Answered> {
        self.write(move |own| {
            let Some(row) = by_id(own, &owner, &id)? else { return Ok(Answered::Unknown) };
            // The clock may be ahead of those who expire them.
            let event = if row.expires <= now { ApprovalEvent::Expired } else { event };
            let Some(state) = row.state.next(event) else { return Ok(Answered::TooLate(row)) };
            let comment = comment.as_deref().filter(|_| event != ApprovalEvent::Expired);
            decide(own, &row, state, comment, now)?;
            let row = by_id(own, &owner, &id)?;
            Ok(match row {
                Some(row) if event == ApprovalEvent::Expired => Answered::TooLate(row),
                Some(row) => Answered::Done(row),
                None => Answered::Unknown,
            })
        })
    }

    /// Ends the questions that no one answered in time. Their jobs go on, and find no answer.
    pub fn expire(&self, now: i64) -> Written<usize> {
        self.write(move |own| {
            let sql = format!("{APPROVAL} WHERE state = 'open' AND expires <= ?1");
            let old: Vec<ApprovalRow> = own
                .prepare_cached(&sql)?
                .query_map([now], approval)?
                .collect::<rusqlite::Result<_>>()?;
            for row in &old {
                if let Some(state) = row.state.next(ApprovalEvent::Expired) {
                    decide(own, row, state, None, now)?;
                }
            }
            Ok(old.len())
        })
    }

    /// Whether a question is too old.
    pub fn has_expired(&self, now: i64) -> Result<bool> {
        self.read(|it| {
            let sql =
                "SELECT EXISTS (SELECT 1 FROM approvals WHERE state = 'open' AND expires <= ?1)";
            Ok(it.prepare_cached(sql)?.query_row([now], |it| it.get(0))?)
        })
    }

    /// The writes of a run that a person allowed to be repeated, each of them once.
    pub fn allowed_writes(&self, run: RunId) -> Written<Vec<String>> {
        self.write(move |own| {
            let mut found = own.prepare_cached(
                "UPDATE approvals SET used = 1 WHERE run = ?1 AND kind = 'write'
                    AND state = 'approved' AND used = 0 RETURNING path",
            )?;
            let paths = found.query_map([run.as_str()], |it| it.get(0))?;
            Ok(paths.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// A question.
    pub fn approval(&self, owner: &str, id: &str) -> Result<Option<ApprovalRow>> {
        self.read(|it| by_id(it, owner, id))
    }

    /// The questions of an owner, the latest first.
    pub fn approvals(
        &self,
        owner: &str,
        state: Option<ApprovalState>,
        limit: u32,
    ) -> Result<Vec<ApprovalRow>> {
        self.read(|it| {
            let sql = format!(
                "{APPROVAL} WHERE owner = ?1 AND (?2 IS NULL OR state = ?2)
                    ORDER BY no DESC LIMIT ?3"
            );
            let mut found = it.prepare_cached(&sql)?;
            let state = state.map(ApprovalState::name);
            let rows = found.query_map(params![owner, state, limit], approval)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The open questions of a job.
    pub fn open_approvals(&self, job: i64) -> Result<Vec<ApprovalRow>> {
        self.read(|it| {
            let sql = format!("{APPROVAL} WHERE job = ?1 AND state = 'open' ORDER BY no");
            let mut found = it.prepare_cached(&sql)?;
            let rows = found.query_map([job], approval)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

/// A question that is repeated is the same one. The fate of a write is asked again once it was
/// repeated.
fn mark(own: &Connection, new: &NewApproval) -> SqlResult<[u8; 32]> {
    let round: i64 = match new.kind {
        // One that expired is asked again when the run is resumed.
        AskKind::Ask => {
            let sql = "SELECT count(*) FROM approvals
                WHERE run = ?1 AND kind = 'ask' AND path = ?2 AND state = 'expired'";
            let of = params![new.run.as_str(), new.path];
            own.prepare_cached(sql)?.query_row(of, |it| it.get(0))?
        }
        AskKind::Write => {
            let sql = "SELECT count(*) FROM approvals
                WHERE run = ?1 AND kind = 'write' AND path = ?2 AND used = 1";
            let of = params![new.run.as_str(), new.path];
            own.prepare_cached(sql)?.query_row(of, |it| it.get(0))?
        }
    };
    let mut hasher = blake3::Hasher::new();
    for part in [new.kind.name(), &new.path, &new.question, &new.details] {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    Ok(*hasher.update(&round.to_le_bytes()).finalize().as_bytes())
}

fn by_id(reader: &Connection, owner: &str, id: &str) -> SqlResult<Option<ApprovalRow>> {
    let mut found = reader.prepare_cached(&format!("{APPROVAL} WHERE id = ?1 AND owner = ?2"))?;
    Ok(found.query_row(params![id, owner], approval).optional()?)
}

fn decide(
    own: &Connection,
    row: &ApprovalRow,
    state: ApprovalState,
    comment: Option<&str>,
    now: i64,
) -> SqlResult<()> {
    let sql = "UPDATE approvals SET state = ?2, answered = ?3, comment = ?4 WHERE id = ?1";
    own.prepare_cached(sql)?.execute(params![row.id, state.name(), now, comment])?;
    let sql = "UPDATE jobs SET ready = 1 WHERE no = ?1 AND state = 'waiting'";
    own.prepare_cached(sql)?.execute([row.job])?;
    Ok(())
}

pub(super) fn is_open(own: &Connection, id: &str) -> SqlResult<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM approvals WHERE id = ?1 AND state = 'open')";
    Ok(own.prepare_cached(sql)?.query_row([id], |it| it.get(0))?)
}

/// Ends the open questions of a job that has ended.
pub(super) fn drop_open(own: &Connection, job: i64, now: i64) -> SqlResult<()> {
    let sql = "UPDATE approvals SET state = 'expired', answered = ?2
        WHERE job = ?1 AND state = 'open'";
    own.prepare_cached(sql)?.execute(params![job, now])?;
    Ok(())
}
