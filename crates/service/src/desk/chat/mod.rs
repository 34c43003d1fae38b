//! The chat of a session: messages, and answers that are runs.
//!
//! A message is kept together with the answer that it will get. The answers of a session are made one
//! after the other (`turns.rs`): what a message asks for is decided (`intent.rs`), the script for it
//! becomes a job, and its result the answer (`answers.rs`).

mod answers;
mod intent;
mod shape;
mod turns;

use std::time::Duration;

use svc_contract::value::{Text, Value};
use svc_store::book::{DeskFilter, DeskKind, DeskRow, NewDeskRow};

use super::{
    Desk, MessageState, Page, ProposalState, ResourceState, at, body, conflict, state,
    states::MessageEvent, text, word, written,
};
use crate::{Fault, Why, once};

pub use intent::decided;
pub(super) use shape::MessageBody;
pub use shape::{
    Author, Between, CallView, Decision, Exchange, History, MessageView, Proposal, Received,
    SentMessage, SourceView, ToolUse,
};
use shape::{Failure, Most, Turn};
pub(super) use turns::{Planned, is_harmless, sent, unfinished};

/// The most letters of a message.
const LONGEST: usize = 32_000;

/// The most files that a message names.
const MOST_ATTACHED: usize = 32;

/// The most answers that a session waits for.
const MOST_PENDING: usize = 32;

impl Desk {
    /// Whether a message has a length that is answered.
    pub fn test_text(&self, said: &str) -> Result<(), Fault> {
        let count = said.trim().chars().count();
        if (1..=LONGEST).contains(&count) {
            return Ok(());
        }
        let message = format!("expected 1 to {LONGEST} letters, found {count}");
        Err(Fault::field("text", message))
    }

    /// Keeps a message, which will be answered after those before it.
    pub async fn send(&self, new: Exchange) -> Result<SentMessage, Fault> {
        let said = new.text.trim();
        self.test_text(said)?;
        let (session, _) = self.usable(&new.session_id)?;
        let attachments = new.attachments.unwrap_or_default();
        if attachments.len() > MOST_ATTACHED {
            let message = format!("expected at most {MOST_ATTACHED} files");
            return Err(Fault::field("attachments", message));
        }
        for (idx, id) in attachments.iter().enumerate() {
            let known = self.resource(&session.parent, id);
            if !known.is_ok_and(|it| it.state == ResourceState::Ready) {
                let message = format!("unknown resource `{id}` of the project");
                return Err(Fault::field(format!("attachments[{idx}]"), message));
            }
        }
        let question = MessageBody { attachments, ..MessageBody::new(Author::User, said) };
        let answer = MessageBody { tools: new.tools, ..MessageBody::new(Author::Assistant, "") };
        self.exchange(&session.id, question, answer).await
    }

    /// Adds a message and its answer.
    async fn exchange(
        &self,
        session: &str,
        question: MessageBody,
        answer: MessageBody,
    ) -> Result<SentMessage, Fault> {
        let (rows, reply_id) = self.exchanged(session, Some(question), Some(answer))?;
        let message_id = rows.first().map(|it| text(&it.id)).unwrap_or_default();
        let reply_id = reply_id.unwrap_or_default();
        let _ = once::begins();
        // Others may have sent something since.
        let most = i64::try_from(MOST_PENDING).unwrap_or(i64::MAX);
        let added = self.book().add_all_to_desk(rows, (most, &["pending", "generating"]));
        let position = added.await?.ok_or_else(crowded)?;
        self.tell();
        self.answer_session(session);
        Ok(SentMessage { message_id, reply_id, state: MessageState::Pending, position })
    }

    /// The rows of a message and its answer, and the id of the answer.
    fn exchanged(
        &self,
        session: &str,
        question: Option<MessageBody>,
        answer: Option<MessageBody>,
    ) -> Result<(Vec<NewDeskRow>, Option<Text>), Fault> {
        if answer.is_some() && self.pending(session)?.len() >= MOST_PENDING {
            return Err(crowded());
        }
        let mut rows = Vec::new();
        let mut answers = None;
        if let Some(question) = question {
            let mut row = self.new_row(DeskKind::Message, self.new_id("msg_"), session, question);
            row.state = word(MessageState::Complete);
            answers = Some(text(&row.id));
            rows.push(row);
        }
        let mut reply_id = None;
        if let Some(answer) = answer {
            let answer = MessageBody { answers: answers.or(answer.answers.clone()), ..answer };
            let mut row = self.new_row(DeskKind::Message, self.new_id("msg_"), session, answer);
            row.state = word(MessageState::Pending);
            reply_id = Some(text(&row.id));
            rows.push(row);
        }
        Ok((rows, reply_id))
    }

    /// Messages of a session.
    pub fn history(&self, session: &str, asked: &Between) -> Result<History, Fault> {
        self.session_row(session)?;
        let mut page = Page::of(asked.limit, asked.cursor.as_ref())?;
        if let Some(after) = &asked.after {
            let no = self.message(session, after)?.no;
            page.after = Some(page.after.map_or(no, |it| it.max(no)));
        }
        let before = asked.before.as_ref().map(|it| self.message(session, it)).transpose()?;
        // The latest ones before a message, in their order.
        let is_reversed = before.is_some() && page.after.is_none();
        let mut rows = self.rows(
            DeskKind::Message,
            &DeskFilter {
                parent: Some(session.to_owned()),
                after: page.after,
                before: before.map(|it| it.no),
                is_reversed,
                limit: Some(page.most()),
                ..DeskFilter::default()
            },
        )?;
        let mut next_cursor = None;
        if is_reversed {
            rows.truncate(page.limit as usize);
            rows.reverse();
        } else {
            (rows, next_cursor) = page.cut(rows);
        }
        let mut messages = self.views(&rows)?;
        if let Some(role) = asked.role {
            messages.retain(|it| it.role == role);
        }
        Ok(History { messages, next_cursor })
    }

    /// The messages of a session after one of them; waits for a while until an answer is there.
    pub async fn receive(
        &self,
        session: &str,
        since: Option<&Text>,
        most: Duration,
    ) -> Result<Received, Fault> {
        self.session_row(session)?;
        let since = since.map(|it| self.message(session, it)).transpose()?.map(|it| it.no);
        let until = tokio::time::Instant::now() + most;
        let mut changed = self.changes();
        loop {
            let of = DeskFilter {
                parent: Some(session.to_owned()),
                after: since,
                ..DeskFilter::default()
            };
            // First, so that the rows are not older than what is said about them.
            let pending = self.pending(session)?.len();
            let rows = self.rows(DeskKind::Message, &of)?;
            let is_new = |it: &DeskRow| {
                state::<MessageState>(it).is_ok_and(MessageState::is_over)
                    && body::<MessageBody>(it).is_ok_and(|it| it.role == Author::Assistant)
            };
            let left = until.saturating_duration_since(tokio::time::Instant::now());
            if left.is_zero() || pending == 0 || rows.iter().any(is_new) {
                let messages = self.views(&rows)?;
                let waiting = i64::try_from(pending).unwrap_or(i64::MAX);
                return Ok(Received { messages, pending: waiting, done: pending == 0 });
            }
            let _ =
                tokio::time::timeout(left.min(Duration::from_millis(500)), changed.changed()).await;
        }
    }

    /// The messages of a session that changed after a version, and the latest version.
    pub fn changed_messages(
        &self,
        session: &str,
        version: i64,
    ) -> Result<(Vec<MessageView>, i64), Fault> {
        self.session_row(session)?;
        let of = DeskFilter {
            parent: Some(session.to_owned()),
            changed: Some(version),
            ..DeskFilter::default()
        };
        let rows = self.rows(DeskKind::Message, &of)?;
        let latest = rows.iter().map(|it| it.version).max().unwrap_or(version);
        Ok((self.views(&rows)?, latest))
    }

    /// Answers a proposal: its script runs, or it never does.
    pub async fn decide(&self, session: &str, decision: Decision) -> Result<SentMessage, Fault> {
        self.usable(session)?;
        let row = self.message(session, &decision.message_id)?;
        self.expire_proposal(&row).await?;
        let approved = decision.approved;
        let proposed: MessageBody = body(&row)?;
        let script = proposed.proposal.filter(|_| approved).map(|it| it.script);
        let answer = script.map(|script| MessageBody {
            answers: Some(text(&row.id)),
            agreed: Some(script),
            given: proposed.given,
            ..MessageBody::new(Author::Assistant, "")
        });
        let (rows, reply_id) = self.exchanged(session, None, answer)?;
        let _ = once::begins();
        let changed = self.book().change_desk_adding(
            self.owner().to_owned(),
            row.id.clone(),
            move |row| {
                let mut kept: MessageBody = body(row)?;
                let Some(proposal) = &mut kept.proposal else {
                    return Err(conflict(row, "decided").help("it proposes nothing"));
                };
                proposal.state = proposal.state.next(Some(approved)).ok_or_else(|| {
                    let state = word(proposal.state);
                    let message =
                        format!("the proposal of `{}` is not open: it is {state}", row.id);
                    Fault::new(Why::Conflict, message)
                })?;
                row.body = written(kept);
                Ok(())
            },
            rows,
        );
        let row = changed.await?.ok_or_else(|| super::unknown(DeskKind::Message, &row.id))??;
        self.tell();
        let position = match &reply_id {
            Some(reply) => self.pending(session)?.iter().position(|it| *it.id == **reply),
            None => None,
        };
        let position = position.and_then(|it| i64::try_from(it).ok()).unwrap_or(0);
        self.answer_session(session);
        let message_id = text(&row.id);
        match reply_id {
            Some(reply_id) => {
                Ok(SentMessage { message_id, reply_id, state: MessageState::Pending, position })
            }
            None => {
                let reply_id = message_id.clone();
                Ok(SentMessage { message_id, reply_id, state: state(&row)?, position: 0 })
            }
        }
    }

    /// Cancels an answer that is not complete.
    pub async fn cancel_message(&self, session: &str, id: &str) -> Result<MessageView, Fault> {
        let row = self.message(session, id)?;
        let row = self
            .change(DeskKind::Message, &row.id, |row| {
                follow(row, MessageEvent::Cancelled, "cancelled")
            })
            .await?;
        for job in &body::<MessageBody>(&row)?.jobs {
            // It may have ended meanwhile.
            let _ = self.jobs().cancel(self.owner(), job).await;
        }
        self.tell();
        self.view(&row)
    }

    /// Cancels every answer of a session.
    pub(super) async fn cancel_all(&self, session: &str) -> Result<(), Fault> {
        for row in self.pending(session)? {
            match self.cancel_message(session, &row.id).await {
                Err(fault) if fault.why != Why::Conflict => return Err(fault),
                _ => {}
            }
        }
        Ok(())
    }

    /// The answers of a session that are not complete, the first one first.
    fn pending(&self, session: &str) -> Result<Vec<DeskRow>, Fault> {
        let mut all = Vec::new();
        for open in [MessageState::Generating, MessageState::Pending] {
            let of = DeskFilter {
                parent: Some(session.to_owned()),
                state: Some(word(open)),
                ..DeskFilter::default()
            };
            all.extend(self.rows(DeskKind::Message, &of)?);
        }
        all.sort_by_key(|it| it.no);
        Ok(all)
    }

    /// Whether an answer of a session is not complete.
    pub(super) fn has_pending(&self, session: &str) -> Result<bool, Fault> {
        Ok(!self.pending(session)?.is_empty())
    }

    /// A message of a session.
    fn message(&self, session: &str, id: &str) -> Result<DeskRow, Fault> {
        let row = self.row(DeskKind::Message, id)?;
        if row.parent == session { Ok(row) } else { Err(super::unknown(DeskKind::Message, id)) }
    }

    fn views(&self, rows: &[DeskRow]) -> Result<Vec<MessageView>, Fault> {
        rows.iter().map(|it| self.view(it)).collect()
    }

    fn view(&self, row: &DeskRow) -> Result<MessageView, Fault> {
        let kept: MessageBody = body(row)?;
        let mut calls = Vec::new();
        for id in &kept.jobs {
            if let Some(job) = self.book().job(self.owner(), id, None)? {
                calls.push(CallView {
                    job_id: id.clone(),
                    run_id: super::shown(&job.run),
                    script: script_of(&job.input).unwrap_or_else(|| text(&job.name)),
                    state: job.state.name().into(),
                });
            }
        }
        Ok(MessageView {
            id: text(&row.id),
            no: row.no,
            role: kept.role,
            text: kept.text,
            attachments: kept.attachments,
            answers: kept.answers,
            state: state(row)?,
            calls,
            sources: kept.sources,
            found: kept.found,
            proposal: kept.proposal,
            quality: kept.quality,
            usage: kept.usage,
            error: kept.error,
            created_at: at(row.at),
        })
    }

    /// Ends a proposal whose time is over.
    async fn expire_proposal(&self, row: &DeskRow) -> Result<(), Fault> {
        let kept: MessageBody = body(row)?;
        let is_late = kept.expires.is_some_and(|it| it <= self.now());
        if !is_late || kept.proposal.is_none_or(|it| it.state != ProposalState::Open) {
            return Ok(());
        }
        self.change(DeskKind::Message, &row.id, |row| {
            let mut kept: MessageBody = body(row)?;
            if let Some(proposal) = &mut kept.proposal
                && let Some(next) = proposal.state.next(None)
            {
                proposal.state = next;
            }
            row.body = written(kept);
            Ok(())
        })
        .await?;
        Ok(())
    }
}

fn crowded() -> Fault {
    let message = format!("{MOST_PENDING} messages of the session wait for an answer");
    Fault::new(Why::Busy, message).retry_after(Duration::from_secs(2))
}

fn follow(row: &mut DeskRow, event: MessageEvent, what: &str) -> Result<(), Fault> {
    let next = state::<MessageState>(row)?.next(event).ok_or_else(|| conflict(row, what))?;
    row.state = word(next);
    Ok(())
}

/// The params of a script that was sent with a job.
fn given_of(input: &str) -> Option<Value> {
    crate::jobs::read(input).ok()?.as_record()?.get("initial").cloned()
}

/// The script of a job that was sent with it.
fn script_of(input: &str) -> Option<Text> {
    let input = crate::jobs::read(input).ok()?;
    let Value::Text(it) = input.as_record()?.get("script")? else { return None };
    Some(it.clone())
}
