//! The audit of decisions. See [`svc_store::book`] for its chain.

use std::sync::Arc;

use svc_contract::{store::StoreError, value::Money};
use svc_store::book::{AuditHead, AuditRow, Book, Break, Written};

use super::redact::redact;

/// The longest text of a field in bytes.
const LONGEST: usize = 1_024;

/// A decision to be recorded.
#[derive(Clone, Debug, Default)]
pub struct AuditEntry<'a> {
    /// Milliseconds since 1970.
    pub at: i64,
    pub key: Option<&'a str>,
    pub owner: Option<&'a str>,
    /// Where the call came from: `rest`, `mcp`, `cli`.
    pub surface: &'a str,
    pub tool: &'a str,
    /// What a meta tool was asked to do, or the name of a script.
    pub work: &'a str,
    /// `allow` or `refuse`.
    pub decision: &'a str,
    pub rule: &'a str,
    /// The version of the policy.
    pub policy: &'a str,
    pub status: &'a str,
    /// In microseconds.
    pub took: u64,
    pub cost: Money,
    /// The arguments, of which only a hash is kept.
    pub arguments: Option<&'a [u8]>,
}

/// The audit of a service.
#[derive(Clone, Debug)]
pub struct Audit {
    book: Arc<Book>,
    /// The key of the hashes of arguments: short arguments cannot be found by trying.
    arguments: [u8; 32],
}

impl Audit {
    pub fn open(book: Arc<Book>) -> Self {
        let arguments = book.pepper().derive("svc 2026 arguments in the audit");
        Self { book, arguments }
    }

    /// Why no decision can be recorded at present.
    pub fn test(&self) -> Result<(), StoreError> {
        self.book.test_writing()
    }

    /// Records a decision without waiting: it is durable some milliseconds later.
    pub fn append(&self, entry: &AuditEntry<'_>) -> Result<(), StoreError> {
        self.book.append_audit(self.row(entry))
    }

    /// Records a decision, durable once the result resolves to its number.
    pub fn commit(&self, entry: &AuditEntry<'_>) -> Written<u64> {
        self.book.commit_audit(self.row(entry))
    }

    /// The latest entries, the latest first.
    pub fn latest(&self, limit: usize) -> Result<Vec<AuditRow>, StoreError> {
        self.book.audit(limit)
    }

    /// Verifies the chain. Returns its head, or the first entry that is not as it was written. `kept`
    /// is a head that was noted earlier, and that the chain must contain.
    pub fn verify(&self, kept: Option<AuditHead>) -> Result<Result<AuditHead, Break>, StoreError> {
        self.book.verify_audit(kept)
    }

    fn row(&self, entry: &AuditEntry<'_>) -> AuditRow {
        let text = |it: &str| short(&redact(it)).to_owned();
        let hash = |it: &[u8]| *blake3::keyed_hash(&self.arguments, it).as_bytes();
        AuditRow {
            at: entry.at,
            key: entry.key.map(text),
            owner: entry.owner.map(text),
            surface: text(entry.surface),
            tool: text(entry.tool),
            work: text(entry.work),
            decision: text(entry.decision),
            rule: text(entry.rule),
            policy: text(entry.policy),
            status: text(entry.status),
            took: entry.took,
            cost: entry.cost,
            arguments: entry.arguments.map(hash),
            ..AuditRow::default()
        }
    }
}

/// A head as text: `1234:` and 64 hex digits.
pub fn show_head(head: &AuditHead) -> String {
    format!("{}:{}", head.entries, blake3::Hash::from_bytes(head.chain).to_hex())
}

/// Reads what [`show_head`] wrote.
pub fn read_head(text: &str) -> Option<AuditHead> {
    let (entries, chain) = text.split_once(':')?;
    let chain = *blake3::Hash::from_hex(chain).ok()?.as_bytes();
    let is_number = entries.bytes().all(|it| it.is_ascii_digit());
    let entries = entries.parse().ok().filter(|_| is_number)?;
    Some(AuditHead { entries, chain })
}

fn short(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}
