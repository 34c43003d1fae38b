//! Any change of the audit is found.

use proptest::prelude::*;
use rusqlite::Connection;

use super::*;

const ENTRIES: u64 = 12;

fn filled(folder: &TempDir) -> AuditHead {
    let book = open(folder);
    for number in 1..=ENTRIES {
        let mut row = entry(number);
        row.key = (number % 2 == 0).then(|| "key".to_owned());
        row.arguments = (number % 3 == 0).then_some([number.to_le_bytes()[0]; 32]);
        if number % 4 == 0 {
            book.append_audit(row).unwrap();
        } else {
            assert_eq!(book.commit_audit(row).wait().unwrap(), number);
        }
    }
    book.flush().wait().unwrap();
    book.verify_audit(None).unwrap().unwrap()
}

/// Changes the database as someone would who has the file and not the pepper.
fn changed(folder: &TempDir, sql: &str) -> std::result::Result<AuditHead, Break> {
    let connection = Connection::open(folder.path().join(FILE)).unwrap();
    connection.execute_batch(sql).unwrap();
    drop(connection);
    open(folder).verify_audit(None).unwrap()
}

#[test]
fn an_intact_chain_holds() {
    let folder = tempfile::tempdir().unwrap();
    let empty = open(&folder).verify_audit(None).unwrap().unwrap();
    assert_eq!(empty.entries, 0);
    let head = filled(&folder);
    assert_eq!(head.entries, ENTRIES);
    let book = open(&folder);
    assert_eq!(book.verify_audit(Some(head)).unwrap(), Ok(head));
    assert_eq!(book.verify_audit(Some(empty)).unwrap(), Ok(head));
    let latest = book.audit(3).unwrap();
    assert_eq!(latest.iter().map(|it| it.no).collect::<Vec<_>>(), [12, 11, 10]);
    book.commit_audit(entry(0)).wait().unwrap();
    assert_eq!(book.verify_audit(Some(head)).unwrap().unwrap().entries, ENTRIES + 1);
    let other = AuditHead { chain: [1; 32], ..head };
    assert_eq!(book.verify_audit(Some(other)).unwrap().unwrap_err().no, ENTRIES);
    let longer = AuditHead { entries: 99, ..head };
    assert_eq!(book.verify_audit(Some(longer)).unwrap().unwrap_err().no, ENTRIES + 2);
}

#[test]
fn what_is_removed_moved_or_added_is_found() {
    for (sql, no, why) in [
        ("DELETE FROM audit WHERE no = 1", 1, "it is missing"),
        ("DELETE FROM audit WHERE no = 5", 5, "it is missing"),
        ("DELETE FROM audit WHERE no = 12", 12, "the last 1 entries are missing"),
        ("DELETE FROM audit", 1, "the last 12 entries are missing"),
        ("DELETE FROM audit; DELETE FROM audit_head", 1, "the head is missing"),
        ("DELETE FROM audit WHERE no > 3", 4, "the last 9 entries are missing"),
        ("DELETE FROM audit", 1, "the last 12 entries are missing"),
        ("DELETE FROM audit; DELETE FROM audit_head; INSERT INTO audit_head VALUES
            (1, 0, zeroblob(32), zeroblob(32))", 1, "the head was changed"),
        ("DELETE FROM audit WHERE no = 12; UPDATE audit_head SET entries = 11,
            chain = (SELECT chain FROM audit WHERE no = 11)", 12, "the head was changed"),
        ("DELETE FROM audit_head", 13, "the head is missing"),
        ("UPDATE audit SET no = 0 WHERE no = 1", 1, "it is missing"),
        ("UPDATE audit SET no = 99 WHERE no = 4; UPDATE audit SET no = 4 WHERE no = 5;
            UPDATE audit SET no = 5 WHERE no = 99", 4, "it was changed, or those before it"),
        ("INSERT INTO audit SELECT 13, at, key, owner, surface, tool, work, decision, rule, policy,
            status, took, cost, arguments, chain FROM audit WHERE no = 12", 13,
            "it was changed, or those before it"),
        ("UPDATE audit SET tool = 'tool_2', took = 2 WHERE no = 3", 3,
            "it was changed, or those before it"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        filled(&folder);
        let found = changed(&folder, sql).unwrap_err();
        assert_eq!((found.no, found.why.as_str()), (no, why), "{sql}");
    }
}

/// A new book in place of the old one holds; a noted head shows it.
#[test]
fn a_noted_head_shows_that_all_was_replaced() {
    let head = filled(&tempfile::tempdir().unwrap());
    let folder = tempfile::tempdir().unwrap();
    assert!(open(&folder).verify_audit(None).unwrap().is_ok());
    let found = open(&folder).verify_audit(Some(head)).unwrap().unwrap_err();
    assert_eq!((found.no, found.why.as_str()), (1, "the given head has 12 entries"));
}

const COLUMNS: [(&str, &[&str]); 13] = [
    ("at", &["at + 1", "0"]),
    ("key", &["NULL", "'other'", "coalesce(key, '') || 'x'", "''"]),
    ("owner", &["'eve'", "''"]),
    ("surface", &["'mcp'", "''", "surface || tool"]),
    ("tool", &["'other'", "tool || char(0)", "upper(tool)"]),
    ("work", &["'x'"]),
    ("decision", &["'refuse'"]),
    ("rule", &["'x'"]),
    ("policy", &["'x'"]),
    ("status", &["'x'"]),
    ("took", &["took + 1", "-1"]),
    ("cost", &["1", "-1"]),
    ("arguments", &["NULL", "zeroblob(32)", "zeroblob(31)", "zeroblob(0)"]),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn any_single_change_is_found(
        no in 1..=ENTRIES,
        column in 0..COLUMNS.len(),
        value in any::<prop::sample::Index>(),
    ) {
        let (column, values) = COLUMNS[column];
        let value = values[value.index(values.len())];
        let folder = tempfile::tempdir().unwrap();
        filled(&folder);
        let connection = Connection::open(folder.path().join(FILE)).unwrap();
        let sql = format!("UPDATE audit SET {column} = {value}
            WHERE no = {no} AND {column} IS NOT {value}");
        let is_changed = connection.execute(&sql, []).unwrap() == 1;
        drop(connection);
        let verified = open(&folder).verify_audit(None).unwrap();
        prop_assert_eq!(verified.err().map(|it| it.no), is_changed.then_some(no));
    }

    /// A flipped bit of the file is found by the store or by the chain, or is not in the audit.
    #[test]
    fn a_flipped_bit_changes_no_entry_unnoticed(at in any::<prop::sample::Index>(), bit in 0_u32..8) {
        let folder = tempfile::tempdir().unwrap();
        let head = filled(&folder);
        let before = open(&folder).audit(99).unwrap();
        let file = folder.path().join(FILE);
        let mut bytes = fs::read(&file).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= 1_u8 << bit;
        fs::write(&file, bytes).unwrap();
        let opened = Book::open(folder.path(), &host());
        let read = opened.and_then(|it| Ok((it.verify_audit(Some(head))?, it.audit(99)?)));
        if let Ok((Ok(same), entries)) = read {
            prop_assert_eq!(same, head);
            prop_assert_eq!(entries, before);
        }
    }
}

/// A component with two more versions, of which the first one is active again.
fn tuned(folder: &TempDir) -> u64 {
    let book = open(folder);
    let change = |based_on: u64, op: &'static str, change: Change| {
        let component = "ctx_summary".to_owned();
        let changing = Changing {
            component,
            based_on,
            at: 1,
            op,
            change,
            detail: "position = 0.25".to_owned(),
        };
        book.change_bias(changing).wait().unwrap().unwrap()
    };
    let params = |it: &str| Change::Add { summary: String::new(), params: it.to_owned() };
    assert_eq!(change(1, "apply", params(r#"{"position":0.25}"#)), 2);
    assert_eq!(change(2, "import", params(r#"{"position":0.5}"#)), 3);
    assert_eq!(change(3, "rollback", Change::Return { to: 2 }), 2);
    book.verify_bias_log().unwrap().unwrap()
}

#[test]
fn a_bias_that_differs_from_its_log_is_found() {
    for (sql, why) in [
        ("UPDATE biases SET active = 1", "version 1 of `ctx_summary` is active, and the log says version 2"),
        ("UPDATE biases SET active = 3", "version 3 of `ctx_summary` is active, and the log says version 2"),
        ("UPDATE bias_versions SET params = '{}' WHERE version = 2", "version 2 of `ctx_summary` was changed"),
        ("UPDATE bias_versions SET params = '{}' WHERE version = 3", "version 3 of `ctx_summary` was changed"),
        (
            "UPDATE bias_versions SET params = '{\"position\":1.0}' WHERE version = 1",
            "no entry is about version 1 of `ctx_summary`",
        ),
        (
            "INSERT INTO bias_versions SELECT component, 4, 2, at, summary, params FROM bias_versions
                WHERE version = 3",
            "no entry is about version 4 of `ctx_summary`",
        ),
        ("UPDATE bias_log SET params = NULL WHERE no = 3", "it was changed, or those before it"),
        ("DELETE FROM bias_log", "entries at the end are missing, or the head was changed"),
        (
            "DELETE FROM bias_log; DELETE FROM bias_log_head",
            "entries at the end are missing, or the head was changed",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(tuned(&folder), 3);
        let connection = Connection::open(folder.path().join(FILE)).unwrap();
        connection.execute_batch(sql).unwrap();
        drop(connection);
        let found = open(&folder).verify_bias_log().unwrap().unwrap_err();
        assert_eq!(found.why, why, "{sql}");
    }
}
