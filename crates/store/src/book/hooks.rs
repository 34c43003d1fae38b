//! Scripts that others start by signed requests.

use rusqlite::{Connection, OptionalExtension as _, Row, params, types::Type};

use super::{Book, Written};
use crate::error::{Result, SqlResult};

/// A hook, without its secret. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookRow {
    pub id: String,
    /// The served script that it starts.
    pub script: String,
    pub form: HookForm,
    /// The key whose owner and role it has; `None` for this machine's user.
    pub key: Option<String>,
    /// The name of its secret on the server; `None` if it is made of the pepper.
    pub secret: Option<String>,
    pub created: i64,
}

/// How its requests are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookForm {
    /// As Standard Webhooks.
    Standard,
    /// As those of GitHub.
    Github,
}

impl HookForm {
    pub fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Github => "github",
        }
    }
}

const HOOK: &str = "SELECT id, script, form, key, secret, created FROM hooks";

impl Book {
    pub fn add_hook(&self, new: HookRow) -> Written<()> {
        self.write(move |own| {
            let sql = "INSERT INTO hooks (id, script, form, key, secret, created)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let HookRow { id, script, form, key, secret, created } = &new;
            own.prepare_cached(sql)?.execute(params![
                id,
                script,
                form.name(),
                key,
                secret,
                created
            ])?;
            Ok(())
        })
    }

    /// All hooks, the latest first.
    pub fn hooks(&self) -> Result<Vec<HookRow>> {
        self.read(|it| {
            let mut found = it.prepare_cached(&format!("{HOOK} ORDER BY created DESC, id"))?;
            Ok(found.query_map([], row)?.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The hooks of a script, the latest first.
    pub fn hooks_of(&self, script: &str) -> Result<Vec<HookRow>> {
        self.read(|it| {
            let sql = format!("{HOOK} WHERE script = ?1 ORDER BY created DESC, id");
            let mut found = it.prepare_cached(&sql)?;
            Ok(found.query_map([script], row)?.collect::<rusqlite::Result<_>>()?)
        })
    }

    pub fn hook(&self, id: &str) -> Result<Option<HookRow>> {
        self.read(|it| one(it, id))
    }

    /// Removes a hook; returns it if it was there.
    pub fn remove_hook(&self, id: String) -> Written<Option<HookRow>> {
        self.write(move |own| {
            let found = one(own, &id)?;
            own.prepare_cached("DELETE FROM hooks WHERE id = ?1")?.execute([&id])?;
            Ok(found)
        })
    }

    /// Which secret of an owner signs, counted from 1, and since when.
    pub fn signing(&self, owner: &str) -> Result<(u32, i64)> {
        self.read(|it| signing(it, owner))
    }

    /// Signs with the next secret of an owner from now on.
    pub fn rotate_signing(&self, owner: String, now: i64) -> Written<u32> {
        self.write(move |own| {
            let next = signing(own, &owner)?.0.saturating_add(1);
            let sql = "INSERT OR REPLACE INTO signing (owner, generation, since)
                VALUES (?1, ?2, ?3)";
            own.prepare_cached(sql)?.execute(params![owner, next, now])?;
            Ok(next)
        })
    }
}

fn signing(reader: &Connection, owner: &str) -> SqlResult<(u32, i64)> {
    let sql = "SELECT generation, since FROM signing WHERE owner = ?1";
    let mut found = reader.prepare_cached(sql)?;
    let known = found.query_row([owner], |it| Ok((it.get(0)?, it.get(1)?))).optional()?;
    Ok(known.unwrap_or((1, 0)))
}

fn one(reader: &Connection, id: &str) -> SqlResult<Option<HookRow>> {
    let mut found = reader.prepare_cached(&format!("{HOOK} WHERE id = ?1"))?;
    Ok(found.query_row([id], row).optional()?)
}

fn row(row: &Row<'_>) -> rusqlite::Result<HookRow> {
    Ok(HookRow {
        id: row.get(0)?,
        script: row.get(1)?,
        form: match row.get::<_, String>(2)?.as_str() {
            "standard" => HookForm::Standard,
            "github" => HookForm::Github,
            _ => {
                let why = "an unknown value".into();
                return Err(rusqlite::Error::FromSqlConversionFailure(2, Type::Text, why));
            }
        },
        key: row.get(3)?,
        secret: row.get(4)?,
        created: row.get(5)?,
    })
}
