//! The audit: an append-only list of decisions, chained by BLAKE3.
//!
//! The link of an entry is a hash of its fields and of the link before it, under a key that is
//! derived from the pepper. The head, sealed in the same way, holds the number of entries and the
//! last link. So any entry that was changed, removed, inserted or moved breaks the chain, and an
//! entry that is missing at the end differs from the head. Someone who has the pepper can make
//! another chain; a copy of the head, kept elsewhere, shows that.

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use svc_contract::{store::StoreError, value::Money};

use super::{Book, Pepper, Written};
use crate::error::{Result, SqlError, SqlResult};

/// One decision, and what became of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditRow {
    /// From 1, without gaps; chosen when it is written.
    pub no: u64,
    /// Milliseconds since 1970.
    pub at: i64,
    pub key: Option<String>,
    pub owner: Option<String>,
    /// Where the call came from: `rest`, `mcp`, `cli`.
    pub surface: String,
    pub tool: String,
    /// What a meta tool was asked to do, or the name of a script.
    pub work: String,
    /// `allow` or `refuse`.
    pub decision: String,
    /// The rule that decided.
    pub rule: String,
    /// The version of the policy.
    pub policy: String,
    pub status: String,
    /// In microseconds.
    pub took: u64,
    pub cost: Money,
    /// The hash of the arguments.
    pub arguments: Option<[u8; 32]>,
    /// The link of the chain.
    pub chain: [u8; 32],
}

/// The end of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditHead {
    pub entries: u64,
    pub chain: [u8; 32],
}

/// The first place where a chain does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// The number of the entry.
    pub no: u64,
    pub why: String,
}

/// The link before the first entry.
const START: AuditHead = AuditHead { entries: 0, chain: [0; 32] };

const ENTRY: &str = "SELECT no, at, key, owner, surface, tool, work, decision, rule, policy, \
    status, took, cost, arguments, chain FROM audit";

/// Computes links and seals.
#[derive(Clone, Copy)]
struct Chain([u8; 32]);

impl Chain {
    fn of(pepper: &Pepper) -> Self {
        Self(pepper.derive("svc 2026 chain of the audit"))
    }
}

/// Seals the head in a table that has no seal yet. Looks first: only a change needs to wait for others.
pub(super) fn seal_first(own: &Connection, table: &str, seal: [u8; 32]) -> Result<()> {
    let open = "entries = 0 AND seal = zeroblob(32)";
    let sql = format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE {open})");
    if own.query_row(&sql, [], |it| it.get(0)).map_err(SqlError::from)? {
        let sql = format!("UPDATE {table} SET seal = ?1 WHERE {open}");
        own.execute(&sql, [seal]).map_err(SqlError::from)?;
    }
    Ok(())
}

/// Seals the head of a log that has no entry yet.
pub(super) fn seal_empty(own: &Connection, pepper: &Pepper) -> Result<()> {
    seal_first(own, "audit_head", Chain::of(pepper).seal(START))
}

impl Book {
    fn chain(&self) -> Chain {
        Chain::of(&self.pepper)
    }

    /// Adds an entry without waiting.
    pub fn append_audit(&self, mut row: AuditRow) -> Result<()> {
        let chain = self.chain();
        self.append(move |own| chain.add(own, &mut row).map(drop))
    }

    /// Adds an entry. Returns its number once it is durable.
    pub fn commit_audit(&self, mut row: AuditRow) -> Written<u64> {
        let chain = self.chain();
        self.write(move |own| chain.add(own, &mut row))
    }

    /// The latest entries, the latest first.
    pub fn audit(&self, limit: usize) -> Result<Vec<AuditRow>> {
        self.read(|it| {
            let mut found = it.prepare_cached(&format!("{ENTRY} ORDER BY no DESC LIMIT ?1"))?;
            let rows = found.query_map([i64::try_from(limit).unwrap_or(i64::MAX)], entry)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Verifies the whole chain. `kept` is an earlier head that the chain must contain.
    pub fn verify_audit(
        &self,
        kept: Option<AuditHead>,
    ) -> Result<std::result::Result<AuditHead, Break>> {
        let chain = self.chain();
        // One transaction: entries may be added meanwhile.
        self.read(|it| {
            let own = it.unchecked_transaction()?;
            let verified = chain.verify(&own, kept);
            own.finish()?;
            verified
        })
    }
}

impl Chain {
    fn add(self, own: &Connection, row: &mut AuditRow) -> SqlResult<u64> {
        const SQL: &str = "INSERT INTO audit (no, at, key, owner, surface, tool, work, decision,
            rule, policy, status, took, cost, arguments, chain)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
        let last = head(own)?.map_or(START, |(it, _)| it);
        row.no = last.entries + 1;
        // `SQLite` counts to 2^63.
        row.took = row.took.min(i64::MAX.cast_unsigned());
        row.chain = self.link(last.chain, row);
        own.prepare_cached(SQL)?.execute(params![
            row.no.cast_signed(),
            row.at,
            row.key,
            row.owner,
            row.surface,
            row.tool,
            row.work,
            row.decision,
            row.rule,
            row.policy,
            row.status,
            row.took.cast_signed(),
            row.cost.nanos(),
            row.arguments,
            row.chain,
        ])?;
        let next = AuditHead { entries: row.no, chain: row.chain };
        own.prepare_cached(
            "INSERT OR REPLACE INTO audit_head (one, entries, chain, seal) VALUES (1, ?1, ?2, ?3)",
        )?
        .execute(params![next.entries.cast_signed(), next.chain, self.seal(next)])?;
        Ok(row.no)
    }

    fn verify(
        self,
        own: &Connection,
        kept: Option<AuditHead>,
    ) -> SqlResult<std::result::Result<AuditHead, Break>> {
        let broken = |no: u64, why: &str| Ok(Err(Break { no, why: why.to_owned() }));
        let mut last = START;
        let mut found = own.prepare(&format!("{ENTRY} ORDER BY no"))?;
        let mut rows = found.query([])?;
        while let Some(row) = rows.next()? {
            let no = last.entries + 1;
            // A field of another type is a change as well.
            let Ok(row) = entry(row) else { return broken(no, "it was changed") };
            if row.no != no {
                return broken(no, "it is missing");
            }
            if row.chain != self.link(last.chain, &row) {
                return broken(no, "it was changed, or those before it");
            }
            last = AuditHead { entries: no, chain: row.chain };
            if kept.is_some_and(|it| it.entries == no && it.chain != row.chain) {
                return broken(no, "it differs from the given head");
            }
        }
        let next = last.entries + 1;
        match head(own)? {
            None => return broken(next, "the head is missing"),
            Some((head, seal)) if seal != self.seal(head) => {
                return broken(next, "the head was changed");
            }
            Some((head, _)) if head.entries > last.entries => {
                let missing = head.entries - last.entries;
                return broken(next, &format!("the last {missing} entries are missing"));
            }
            Some((head, _)) if head != last => return broken(next, "the head is of another chain"),
            Some(_) => {}
        }
        match kept {
            Some(kept) if kept.entries > last.entries => {
                broken(next, &format!("the given head has {} entries", kept.entries))
            }
            _ => Ok(Ok(last)),
        }
    }

    /// The link of an entry. Every field is written with its length, so that no two entries have
    /// the same bytes.
    fn link(self, before: [u8; 32], row: &AuditRow) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        let mut field = |bytes: Option<&[u8]>| {
            hasher.update(&bytes.map_or(u64::MAX, |it| it.len() as u64).to_le_bytes());
            hasher.update(bytes.unwrap_or_default());
        };
        field(Some(b"entry"));
        field(Some(&before));
        for number in [row.no, row.at.cast_unsigned(), row.took, row.cost.nanos().cast_unsigned()] {
            field(Some(&number.to_le_bytes()));
        }
        for text in [&row.key, &row.owner] {
            field(text.as_ref().map(String::as_bytes));
        }
        let texts = [
            &row.surface,
            &row.tool,
            &row.work,
            &row.decision,
            &row.rule,
            &row.policy,
            &row.status,
        ];
        for text in texts {
            field(Some(text.as_bytes()));
        }
        field(row.arguments.as_ref().map(<[u8; 32]>::as_slice));
        *hasher.finalize().as_bytes()
    }

    fn seal(self, head: AuditHead) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(b"head").update(&head.entries.to_le_bytes()).update(&head.chain);
        *hasher.finalize().as_bytes()
    }
}

fn head(reader: &Connection) -> SqlResult<Option<(AuditHead, [u8; 32])>> {
    let sql = "SELECT entries, chain, seal FROM audit_head WHERE one = 1";
    let found = reader.prepare_cached(sql)?.query_row([], |it| {
        Ok((it.get::<_, i64>(0)?, it.get::<_, [u8; 32]>(1)?, it.get::<_, [u8; 32]>(2)?))
    });
    let Some((entries, chain, seal)) = found.optional()? else { return Ok(None) };
    let entries = u64::try_from(entries)
        .map_err(|_| StoreError::corrupt("the number of audit entries is negative"))?;
    Ok(Some((AuditHead { entries, chain }, seal)))
}

fn entry(row: &Row<'_>) -> rusqlite::Result<AuditRow> {
    Ok(AuditRow {
        no: row.get::<_, i64>(0)?.cast_unsigned(),
        at: row.get(1)?,
        key: row.get(2)?,
        owner: row.get(3)?,
        surface: row.get(4)?,
        tool: row.get(5)?,
        work: row.get(6)?,
        decision: row.get(7)?,
        rule: row.get(8)?,
        policy: row.get(9)?,
        status: row.get(10)?,
        took: row.get::<_, i64>(11)?.cast_unsigned(),
        cost: Money::from_nanos(row.get(12)?),
        arguments: row.get(13)?,
        chain: row.get(14)?,
    })
}
