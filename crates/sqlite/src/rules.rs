//! What statements may do, decided while they are prepared.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rusqlite::{
    Connection,
    hooks::{AuthAction, AuthContext, Authorization},
};

/// What the statements of a session may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// Only reads.
    Reads,
    /// Reads and writes, in the transaction of the session.
    Writes,
}

/// The rules of one session.
#[derive(Clone, Default)]
pub(crate) struct Rules(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// None while the session runs statements of its own.
    allowed: Option<Allowed>,
    /// Why a statement was refused, for its error.
    refused: Option<String>,
    /// The tables and columns that are read, while they are noted.
    reads: Option<Reads>,
}

/// Tables and their columns.
pub(crate) type Reads = BTreeSet<(String, String)>;

impl Rules {
    pub(crate) fn install(db: &mut Connection, allowed: Allowed) -> rusqlite::Result<Self> {
        let rules = Self::default();
        rules.set(Some(allowed));
        let own = rules.clone();
        db.authorizer(Some(move |asked: AuthContext<'_>| own.decide(asked.action)))?;
        Ok(rules)
    }

    /// Sets what is allowed from now on, and returns what was before.
    pub(crate) fn set(&self, allowed: Option<Allowed>) -> Option<Allowed> {
        std::mem::replace(&mut self.state().allowed, allowed)
    }

    pub(crate) fn take_refused(&self) -> Option<String> {
        self.state().refused.take()
    }

    /// Notes what statements read, until it is taken.
    pub(crate) fn note_reads(&self) {
        self.state().reads = Some(Reads::new());
    }

    pub(crate) fn take_reads(&self) -> Reads {
        self.state().reads.take().unwrap_or_default()
    }

    fn decide(&self, action: AuthAction<'_>) -> Authorization {
        let mut state = self.state();
        if let (Some(reads), AuthAction::Read { table_name, column_name }) =
            (&mut state.reads, action)
        {
            reads.insert((table_name.to_owned(), column_name.to_owned()));
        }
        let Some(why) = state.allowed.and_then(|it| refuse(action, it)) else {
            return Authorization::Allow;
        };
        state.refused.get_or_insert(why);
        Authorization::Deny
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The pragmas that only report, without a value or with the name of a table.
const READING: &[&str] = &[
    "application_id",
    "collation_list",
    "compile_options",
    "encoding",
    "foreign_key_check",
    "foreign_key_list",
    "foreign_keys",
    "freelist_count",
    "index_info",
    "index_list",
    "index_xinfo",
    "integrity_check",
    "journal_mode",
    "page_count",
    "page_size",
    "quick_check",
    "table_info",
    "table_list",
    "table_xinfo",
    "user_version",
];

/// Those of them whose value names what they report on; a value of the others would be set.
const WITH_NAMES: &[&str] = &[
    "foreign_key_check",
    "foreign_key_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "integrity_check",
    "quick_check",
    "table_info",
    "table_list",
    "table_xinfo",
];

/// Why an action is not allowed.
fn refuse(action: AuthAction<'_>, allowed: Allowed) -> Option<String> {
    match action {
        AuthAction::Attach { .. } | AuthAction::Detach { .. } => {
            Some("a statement cannot attach other databases".to_owned())
        }
        AuthAction::Function { function_name }
            if function_name.eq_ignore_ascii_case("load_extension") =>
        {
            Some("a statement cannot load code".to_owned())
        }
        AuthAction::Pragma { pragma_name, pragma_value } => {
            refuse_pragma(pragma_name, pragma_value.is_some())
        }
        AuthAction::Transaction { .. } => {
            Some("the statements of a call are one transaction already".to_owned())
        }
        AuthAction::Select
        | AuthAction::Read { .. }
        | AuthAction::Function { .. }
        | AuthAction::Recursive => None,
        _ if allowed == Allowed::Writes => None,
        other => Some(format!("the statement writes ({})", written(other))),
    }
}

fn refuse_pragma(name: &str, has_value: bool) -> Option<String> {
    let name = name.to_ascii_lowercase();
    let is_of = |names: &[&str]| names.contains(&name.as_str());
    let is_read = if has_value { is_of(WITH_NAMES) } else { is_of(READING) };
    (!is_read).then(|| format!("the pragma `{name}` is not allowed"))
}

/// What a statement changes, in words.
fn written(action: AuthAction<'_>) -> String {
    match action {
        AuthAction::Insert { table_name } => format!("it inserts into `{table_name}`"),
        AuthAction::Update { table_name, .. } => format!("it updates `{table_name}`"),
        AuthAction::Delete { table_name } => format!("it deletes from `{table_name}`"),
        AuthAction::CreateTable { table_name } => format!("it creates `{table_name}`"),
        AuthAction::DropTable { table_name } => format!("it drops `{table_name}`"),
        AuthAction::AlterTable { table_name, .. } => format!("it alters `{table_name}`"),
        _ => "it changes the database".to_owned(),
    }
}
