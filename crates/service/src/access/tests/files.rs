//! Policy files: what they say, and what is wrong with them.

use svc_contract::{registry::Tier, value::Money};
use svc_lang::diag::Source;

use super::*;
use crate::access::{
    Pace,
    patterns::Matched,
    roles::{PolicyError, Roles},
};

fn read(text: &str) -> Result<AccessPolicy, String> {
    let source = Source::new("access.toml", text).in_folder("/srv");
    AccessPolicy::read(&source, true).map_err(|it| it.to_string())
}

#[test]
fn without_a_file_there_are_four_roles() {
    let policy = AccessPolicy::built_in(false);
    let names: Vec<&str> = policy.roles().iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["free", "researcher", "builder", "admin"]);
    let shown = policy.to_string();
    assert_eq!(shown, format!("policy {}: 4 roles", policy.version()));
    assert!(policy.role("free").unwrap().policy().is_empty());
    let hosted = AccessPolicy::built_in(true);
    assert_ne!(hosted.version(), policy.version());
    let (allow, deny) = hosted.role("free").unwrap().rules();
    assert_eq!((allow, deny.join(" ").as_str()), (None, "writes runs spends asks"));
    assert!(hosted.role("researcher").unwrap().policy().is_empty());
}

#[test]
fn a_file_changes_what_it_names() {
    let policy = read(
        r#"version = 1
# Comments do not matter.
[roles.free]
tier = "free"
tools = ["*", "!payroll_*"]
ops = ["*.infer", "text.*"]
allow = ["reads web", "reads fs:./docs"]
max_cost = "$0.05"
per_minute = 60

[roles.partner]
tier = "builder"
note = "Contract of 2026."
burst = 7
per_day = 1_000
at_once = 3
max_cost_per_day = "$2"
max_result = "1.5MiB"
deny = ["runs"]
"#,
    )
    .unwrap();
    assert_eq!(policy.roles().len(), 5);
    let free = policy.role("free").unwrap();
    assert!(matches!(free.tools.of("payroll_pay"), Matched::Refused(_)));
    assert!(matches!(free.ops.of("exec.run"), Matched::Unnamed));
    assert_eq!(free.limits.pace, Some(Pace { per_minute: 60, burst: 10 }));
    assert_eq!((free.limits.max_cost, free.limits.at_once), (Some(Money::cents(5)), Some(2)));
    let (allow, deny) = free.rules();
    assert_eq!(allow.unwrap(), ["reads web", "reads fs:./docs"]);
    assert!(deny.is_empty(), "a file that has rules has all of them");
    let partner = policy.role("partner").unwrap();
    assert_eq!(partner.tier, Tier::Builder);
    assert_eq!(partner.limits.pace, Some(Pace { per_minute: 600, burst: 7 }));
    assert_eq!(partner.limits.max_result, Some(3 << 19));
    assert_eq!(partner.limits.max_cost_per_day, Some(Money::cents(200)));
    assert_eq!(policy.role("admin").unwrap().limits.at_once, Some(64));
}

#[test]
fn the_version_is_that_of_the_rights() {
    let one = read("version = 1\n[roles.a]\ntier = \"free\"\nper_day = 5\n").unwrap();
    let same = read("# x\nversion=1\n[roles]\na = { per_day = 5, tier = 'free' }").unwrap();
    assert_eq!(one.version(), same.version());
    for text in [
        "version = 1",
        "version = 1\n[roles.a]\ntier = \"free\"\nper_day = 6\n",
        "version = 1\n[roles.b]\ntier = \"free\"\nper_day = 5\n",
        "version = 1\n[roles.a]\ntier = \"free\"\nper_day = 5\nallow = []\n",
    ] {
        assert_ne!(read(text).unwrap().version(), one.version(), "{text}");
    }
    assert!(one.version().len() == 6 && one.version().bytes().all(|it| it.is_ascii_hexdigit()));
}

#[test]
fn all_mistakes_are_reported_with_their_places() {
    let wrong = read(
        r#"version = 2
[rolls.free]
[roles.free]
teir = "free"
tools = "all"
ops = ["text.*", 5, "Text"]
[roles.other]
max_cost = 0.05
per_minute = 0
allow = ["read web", "reads docs/"]
[roles.third]
tier = "freee"
at_once = -1
max_result = "10mb"
[roles.fourth]
tier = "bias"
[roles."a b"]
tier = "free"
"#,
    )
    .unwrap_err();
    let expected = [
        "access.toml:1:11: version: expected `1`, found `2`",
        "access.toml:2:2: unknown field `rolls`; did you mean `roles`?",
        "access.toml:4:1: roles.free: unknown field `teir`; did you mean `tier`?",
        "access.toml:5:9: roles.free.tools: expected a list of texts, found `\"all\"`",
        "access.toml:6:18: roles.free.ops: expected text, found `5`",
        "access.toml:6:21: roles.free.ops: invalid pattern `Text`: expected lower-case letters, \
            digits, `_`, `.` and `*`, found `T`",
        "access.toml:7:8: roles.other: missing `tier`; add `tier = \"free\"`, or `researcher`, \
            `builder`, `admin`",
        "access.toml:8:12: roles.other.max_cost: expected an amount such as `\"$0.05\"`, found a \
            decimal number",
        "access.toml:9:14: roles.other.per_minute: expected a whole number from 1 to 1000000, \
            found `0`",
        "access.toml:10:10: roles.other.allow: `read web` is not a rule: it must begin with \
            `reads`, `writes`, `runs`, `spends` or `asks`; did you mean `reads`?",
        "access.toml:10:22: roles.other.allow: `reads docs/` is not a rule: `docs/` is not a place; \
            use `fs:PATH`, `web`, `web:HOST`, `cmd:NAME`, `mcp:NAME`, or a name such as `llm`",
        "access.toml:12:8: roles.third.tier: expected `free`, `researcher`, `builder` or `admin`, \
            found `freee`; did you mean `free`?",
        "access.toml:13:11: roles.third.at_once: expected a whole number from 1 to 100000, found \
            `-1`",
        "access.toml:14:14: roles.third.max_result: expected a size such as `\"10MiB\"`, found \
            `\"10mb\"`",
        "access.toml:16:8: roles.fourth.tier: expected `free`, `researcher`, `builder` or `admin`, \
            found `bias`; issue keys for tuning with `--bias`",
        "access.toml:17:8: roles.a b: invalid name of a role; use up to 32 lower-case letters, \
            digits, `-` and `_`",
    ];
    let found: Vec<&str> = wrong.lines().collect();
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(*found, expected);
    }
    assert_eq!(found.len(), expected.len(), "{wrong}");
}

#[test]
fn hostile_files_are_refused() {
    for (text, part) in [
        ("", "missing `version`"),
        ("version = 1\nversion = 1", "access.toml:2:1: duplicate key"),
        ("version = 1\n[roles", "access.toml:2:"),
        ("version = 99999999999999999999999", "expected `1`, found"),
        ("version = 1\nroles = 5", "expected a table of roles, found `5`"),
        ("version = 1\nroles.free = []", "expected a table, found a list"),
        ("version = 1\n[roles.free]\nallow = [\"reads fs:~/x\"]", "is not a rule"),
    ] {
        let err = read(text).unwrap_err();
        assert!(err.contains(part), "{text}: {err}");
    }
    let deep = format!("version = 1\nroles = {}1{}", "[".repeat(50_000), "]".repeat(50_000));
    assert!(read(&deep).is_err());
    let many: Vec<String> = (0..20_000).map(|it| format!("x{it} = 1")).collect();
    assert!(read(&format!("version = 1\n{}", many.join("\n"))).is_err());
}

#[test]
fn a_bad_file_leaves_the_old_roles() {
    let file = || Some("/srv/access.toml".into());
    let host = TestHost::new().file("/srv/access.toml", "version = 1\n[roles.a]\ntier = 'free'");
    let roles = Roles::open(file(), true, &host).unwrap();
    let snapshot = roles.current();
    assert_eq!(snapshot.roles().len(), 5);
    for bad in ["version = 1\n[roles.a]\ntier = 'fre'", "\u{0}", "version = 1\n[roles.a]\nx = 1"] {
        host.put(Path::new("/srv/access.toml"), bad.into());
        assert!(matches!(roles.reload(&host), Err(PolicyError::Wrong(_))), "{bad}");
        assert_eq!(roles.current().version(), snapshot.version());
    }
    host.put(Path::new("/srv/access.toml"), b"version = 1 # \xff".to_vec());
    let err = roles.reload(&host).unwrap_err().to_string();
    assert!(err.ends_with("not valid UTF-8 (invalid byte at offset 14)"), "{err}");
    host.remove("/srv/access.toml");
    assert!(matches!(roles.reload(&host), Err(PolicyError::File(_))));
    assert_eq!(roles.current().version(), snapshot.version());
    host.put(Path::new("/srv/access.toml"), "version = 1".into());
    assert_eq!(roles.reload(&host).unwrap().roles().len(), 4);
    // A run that began before keeps its roles.
    assert!(snapshot.role("a").is_some() && roles.current().role("a").is_none());
    host.remove("/srv/access.toml");
    assert_eq!(Roles::open(file(), true, &host).unwrap().current().roles().len(), 4);
    let failing = TestHost::new().failing("/srv/access.toml", std::io::ErrorKind::PermissionDenied);
    assert!(
        Roles::open(file(), true, &failing).is_err(),
        "a file that cannot be read is not an absent one"
    );
}

#[test]
fn patterns_and_rules_that_match_nothing_are_noted() {
    let registry = svc_components::registry();
    let policy = read(
        r#"version = 1
[roles.free]
tools = ["*", "!gide_ask", "weekly_report"]
ops = ["time.*", "tmie.now", "nothing_*"]
allow = ["reads lmm"]
"#,
    )
    .unwrap();
    let notes = policy.notes(&registry, &["weekly_report"]);
    let notes: Vec<&str> = notes.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(
        notes,
        [
            "roles.free.tools: `!gide_ask` matches no name",
            "roles.free.ops: `tmie.now` matches no name",
            "roles.free.ops: `nothing_*` matches no name",
            "roles.free: the rule `reads lmm` matches no effect",
        ]
    );
}
