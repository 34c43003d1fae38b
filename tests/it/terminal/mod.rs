//! Foreign texts have no effect on a terminal. They enter every command through scripts, documents,
//! file names, arguments and earlier runs, with all kinds of control characters and invisible
//! characters, none of which may reach the terminal.
#![expect(clippy::disallowed_methods, reason = "the real program runs on real files")]

mod pty;

use std::{
    cell::RefCell,
    collections::BTreeSet,
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
    thread,
};

use pty::Keys;
use tempfile::TempDir;

/// A title, a colour that the program never uses and one that it does, a cleared screen, the same
/// with single control characters, a bell, characters that move back and overwrite, characters that
/// reverse others, invisible characters.
const HOSTILE: &str = "pwned\u{1b}]0;t\u{7}\u{1b}[95m\u{1b}[1;32m\u{1b}[31337m\u{1b}[2J\u{9b}31337m\u{9d}0;t\u{9c}\
                       \u{85}\u{8}\r\u{c}\u{7f}\u{202e}\u{2066}\u{200f}\u{61c}\u{2028}\u{200b}\u{feff}\u{e0041}end";

/// The same without characters that would have another meaning: for the name of a file, which ends
/// at a NUL, and for one line of a list.
fn hostile_file(kind: &str) -> String {
    format!("{HOSTILE}\nok: nothing.{kind}")
}

/// The environment of a program in a terminal: everything that it keeps is in `folder`.
pub(crate) fn environment(folder: &Path) -> [(&'static str, String); 5] {
    let inside = |name: &str| folder.join(name).display().to_string();
    [
        ("SVC_CACHE", inside(".cache")),
        ("SVC_STORE", inside(".runs/runs.db")),
        ("SVC_HISTORY", inside(".lines")),
        ("XDG_DATA_HOME", inside(".data")),
        ("TERM", "xterm".to_owned()),
    ]
}

/// A folder, and the problems found in it: a test runs all its commands before it fails.
struct Place {
    folder: TempDir,
    wrong: RefCell<Vec<String>>,
}

impl Drop for Place {
    fn drop(&mut self) {
        if !thread::panicking() {
            let wrong = self.wrong.take();
            assert!(wrong.is_empty(), "{} commands:\n{}", wrong.len(), wrong.join("\n\n"));
        }
    }
}

impl Place {
    fn new() -> Self {
        let (folder, wrong) = (tempfile::tempdir().unwrap(), RefCell::default());
        let place = Self { folder, wrong };
        place.file("hostile.txt", HOSTILE);
        place.file("docs/hostile.md", &format!("# {HOSTILE}\n\nA cap is {HOSTILE}.\n"));
        place
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn file(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn environment(&self) -> [(&'static str, String); 5] {
        environment(self.path())
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("svc"));
        command.args(args).current_dir(self.path()).envs(self.environment()).stdin(Stdio::null());
        command
    }

    /// Runs the program in a terminal and checks its output.
    fn draws(&self, args: &[&str], keys: Keys<'_>) -> String {
        let args: Vec<String> = args.iter().map(|it| (*it).to_owned()).collect();
        let drawn = pty::run(self, &args, keys);
        let (text, foreign) = (String::from_utf8_lossy(&drawn).into_owned(), pty::foreign(&drawn));
        if !foreign.is_empty() {
            let wrong = format!("{args:?} draws {foreign:?}:\n{text:?}");
            self.wrong.borrow_mut().push(wrong);
        }
        text
    }

    /// The same for a command that shows the hostile text, which must therefore be escaped.
    fn shows(&self, args: &[&str]) -> String {
        let drawn = self.draws(args, &[]);
        let plain = drawn.replace(['\r', '\n', ' ', '│'], "");
        if ![r"pwned\u{1b}", r"pwned\u001b"].iter().any(|it| plain.contains(it)) {
            self.wrong.borrow_mut().push(format!("{args:?} does not show it:\n{drawn}"));
        }
        drawn
    }
}

/// A string of the language that contains a text verbatim.
fn raw(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', r"\\").replace('"', "\\\""))
}

/// Scripts that put hostile text into an error, from data or from their own text.
fn wrong_runs() -> Vec<String> {
    let hostile = raw(HOSTILE);
    let json = serde_json::to_string(HOSTILE).unwrap();
    vec![
        "read_text(path: \"hostile.txt\") >> to_int".to_owned(),
        "read_text(path: \"hostile.txt\") >> parse_json".to_owned(),
        "read_jsonl(path: \"hostile.txt\")".to_owned(),
        "read_text(path: \"hostile.txt\") >> fail".to_owned(),
        format!("\"a\" >> matches(pattern: {})", raw(&format!("({HOSTILE}"))),
        format!("parse_json(\"{{}}\") >> at(path: {hostile})"),
        format!("parse_json({}) >> at(path: {hostile})", raw(&json)),
        format!("fail({hostile})"),
        format!("fetch({})", raw(&format!("http://{HOSTILE}"))),
        format!("fetch({})", raw(&format!("{HOSTILE}://x"))),
        format!("read_text(path: {hostile})"),
        format!("read_files(path: {})", raw(&format!("docs/*{HOSTILE}["))),
        format!("search(\"cap\", source: {hostile})"),
        format!("{hostile} >> rhai(x: string) -> string {{ throw x }}"),
        format!("write_file({hostile}, path: {})", raw(&format!("/proc/{HOSTILE}"))),
        format!("{hostile} >> to_float"),
        format!("{hostile} >> (it as int)"),
        format!("expect {hostile} == \"\"\n1"),
    ]
}

/// Scripts that contain hostile text themselves: in names, strings, comments, next to a mistake.
fn wrong_scripts() -> Vec<String> {
    let hostile = raw(HOSTILE);
    vec![
        format!("# {HOSTILE}\nupperr({hostile})"),
        format!("use {} as x\nx.f", raw(&format!("./{HOSTILE}.svc"))),
        format!("{HOSTILE} >> upper"),
        format!("{hostile} >> nothing{HOSTILE}"),
        format!("let a{HOSTILE} = 1\na"),
        format!("1 + {hostile}"),
        format!("let x: int = {hostile}\nx"),
        format!("type T = {hostile} | {hostile}\n1"),
        format!("{hostile} within {{ timeout: {hostile} }}"),
        format!("parallel {{ a: {hostile} >> to_int, b: {hostile} >> sum }}"),
        format!("match {hostile} {{ {hostile} => 1 }}"),
        format!("\"a\" >> rhai`{HOSTILE} !`"),
        format!("secret{HOSTILE} key\nkey"),
        format!("param p: string = {hostile}\np >> sum"),
        format!("test {hostile} {{ expect 1 == 2 }}\n1 >> sum >> upper"),
        format!("\"{}\" {HOSTILE} >> sum", "x".repeat(500)),
        format!("edition {HOSTILE}\n1"),
        HOSTILE.to_owned(),
    ]
}

/// The commands with a case below. A new command fails `every_command_is_covered`.
const COVERED: [&str; 50] = [
    "bias",
    "table",
    "certify",
    "verify",
    "api",
    "desktop",
    "serve",
    "mcp",
    "ci",
    "hooks",
    "call",
    "tools",
    "openapi",
    "jobs",
    "keys",
    "access",
    "audit",
    "run",
    "repl",
    "resume",
    "runs",
    "models",
    "show",
    "tap",
    "why",
    "replay",
    "store",
    "doctor",
    "init",
    "check",
    "test",
    "fix",
    "fmt",
    "expand",
    "doc",
    "plan",
    "components",
    "inspect",
    "find",
    "ask",
    "guide",
    "lsp",
    "schema",
    "explain",
    "grammar",
    "card",
    "completions",
    "man",
    "book",
    "help",
];

#[test]
fn every_command_is_covered() {
    let help = Place::new().command(&["--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let (_, commands) = help.split_once("Run scripts:\n").unwrap();
    let (commands, _) = commands.split_once("Options:\n").unwrap();
    let named = commands.lines().filter(|it| it.starts_with("  ") && !it.starts_with("   "));
    let named: BTreeSet<&str> = named.filter_map(|it| it.split_whitespace().next()).collect();
    assert_eq!(named, BTreeSet::from(COVERED), "give each command a case in this file");
}

#[test]
fn what_fails_shows_no_more_than_text() {
    let place = Place::new();
    for script in wrong_runs() {
        place.file("wrong.svc", &script);
        place.shows(&["run", "wrong.svc"]);
    }
}

#[test]
fn scripts_of_others_are_only_text() {
    let place = Place::new();
    for script in wrong_scripts() {
        place.file("wrong.svc", &script);
        for args in [["check", "wrong.svc"], ["plan", "wrong.svc"], ["test", "wrong.svc"]] {
            place.draws(&args, &[]);
        }
        for args in [["fix", "-n"], ["fmt", "--check"], ["expand", "--color=always"]] {
            let flag = if args[1] == "-n" { "--dry-run" } else { args[1] };
            place.draws(&[args[0], flag, "wrong.svc"], &[]);
        }
        place.draws(&["run", "wrong.svc", "--color", "never"], &[]);
        place.draws(&["run", "wrong.svc", "--help"], &[]);
    }
    let documented = format!("# {HOSTILE}\n## {HOSTILE}\nparam p: string = {}\np", raw(HOSTILE));
    place.file("documented.svc", &documented.replace(['\r', '\u{c}', '\u{85}', '\u{2028}'], ""));
    place.shows(&["run", "documented.svc", "--help"]);
    place.file(
        "module.svc",
        &format!(
            "# {HOSTILE}\n## {HOSTILE}\nflow f(x: string = {}) -> string {{ x }}",
            raw(HOSTILE)
        )
        .replace(['\r', '\u{c}', '\u{85}', '\u{2028}'], ""),
    );
    for args in [&["doc", "module.svc"][..], &["doc", "--markdown", "module.svc"]] {
        place.shows(args);
    }
}

#[test]
fn results_and_runs_are_only_text() {
    let place = Place::new();
    let file = hostile_file(".svc");
    let flow = raw(HOSTILE);
    place.file(
        &file,
        &format!(
            "param topic: string = {flow}\nlet text = read_text(path: \"hostile.txt\")\n\
             {{ topic: topic, text: text, json: parse_json(to_json({{ a: text }})) }}"
        ),
    );
    place.shows(&["run", &file]);
    place.shows(&["run", &file, "--json"]);
    place.shows(&["run", &file, "--log", "trace"]);
    place.shows(&["run", &file, "--log", "trace", "--log-format", "json"]);
    place.draws(&["plan", &file], &[]);
    place.shows(&["certify", &file]);
    place.draws(&["certify", &file, "-o", "hostile.cert.json"], &[]);
    place.shows(&["verify", "hostile.cert.json", &file]);
    place.draws(&["verify", "hostile.txt", &file], &[]);
    place.draws(&["plan", &file, "--mermaid"], &[]);
    place.shows(&["plan", &file, "--json"]);
    place.shows(&["plan", &file, "--svg", "-"]);
    place.shows(&["check", &file]);
    place.shows(&["fmt", &file]);
    place.shows(&["fix", &file]);
    place.shows(&["expand", &file]);
    place.shows(&["runs"]);
    place.shows(&["runs", "--json"]);
    place.shows(&["show", "last"]);
    place.draws(&["show", "last", "--all"], &[]);
    place.shows(&["show", "last", "--json"]);
    place.shows(&["show", "last", "--html", "-"]);
    place.shows(&["tap", "last", "text/read_text"]);
    place.shows(&["tap", "last", "text/read_text", "--json"]);
    place.shows(&["test", "--from-run", "last"]);
    place.draws(&["replay", "last"], &[]);
    place.file("hostile.txt", &format!("another {HOSTILE}"));
    place.draws(&["plan", "--against", "last", &file], &[]);
    place.shows(&["run", &file, "-p", &format!("topic={HOSTILE}")]);
    place.draws(&["why", "last"], &[]);
    place.draws(&["replay", "last", "--json"], &[]);

    for args in [["show", HOSTILE].as_slice(), &["tap", "last", HOSTILE], &["why", HOSTILE]] {
        place.shows(args);
    }

    let fails = "read_text(path: \"hostile.txt\") >> fail";
    place.file(&hostile_file(".2.svc"), fails);
    place.shows(&["run", &hostile_file(".2.svc")]);
    place.shows(&["resume", "last"]);
    place.shows(&["show", "last"]);
    place.draws(&["why", "last"], &[]);
    place.shows(&["doctor", "--store", HOSTILE]);
    place.shows(&["store", "backup", HOSTILE]);
    place.shows(&["init", HOSTILE]);
    place.shows(&["init", HOSTILE]);
    place.shows(&["man", HOSTILE]);
    place.shows(&["book", HOSTILE]);
    place.shows(&["book", "b", "--chapters", HOSTILE]);
}

#[test]
fn what_is_looked_up_is_only_text() {
    let place = Place::new();
    for args in [
        ["inspect", HOSTILE].as_slice(),
        &["components", HOSTILE],
        &["components", &format!("std:{HOSTILE}")],
        &["explain", HOSTILE],
        &["guide", "plan", &format!("summarise each file in ./{HOSTILE}/x.md")],
        &["guide", "plan", "--json", &format!("summarise each file in ./{HOSTILE}/x.md")],
        &["guide", "edit", HOSTILE, HOSTILE],
        // Errors from clap: arguments may be file names that a shell inserted for `*`.
        &["schema", HOSTILE],
        &["grammar", HOSTILE],
        &["completions", HOSTILE],
        &["card", HOSTILE],
        &["help", HOSTILE],
        &["lsp", HOSTILE],
        &[HOSTILE],
        &["run", &format!("--{HOSTILE}")],
        &["run", "x.svc", "--max-cost", HOSTILE],
        &["run", "x.svc", "--log", HOSTILE],
        &["run", "x.svc", "--allow", HOSTILE],
        &["run", HOSTILE],
    ] {
        place.shows(args);
    }
    place.file("hostile.csv", &format!("name,n\n\"{}\",1\n", HOSTILE.replace('"', "\"\"")));
    for args in [
        ["ask", HOSTILE].as_slice(),
        &["table", "hostile.csv"],
        &["table", HOSTILE],
        &["find", HOSTILE],
        &["guide", "overview"],
        &["explain"],
        &["schema", "check"],
        &["grammar"],
        &["card"],
        &["completions", "bash"],
        &["openapi"],
        &["jobs"],
        &["jobs", "show", HOSTILE],
        &["keys", "list", "--data", HOSTILE],
        &["keys", "revoke", HOSTILE],
        &["access", "check", HOSTILE],
        &["access", "explain", "--key", HOSTILE, "--tool", HOSTILE],
        &["audit", "--data", HOSTILE],
        &["tools"],
        &["tools", HOSTILE],
        &["call", HOSTILE],
        &["call", "nav_inspect", "-p", &format!("component={HOSTILE}")],
        &["serve", HOSTILE],
        &["desktop", HOSTILE],
        &["mcp", HOSTILE],
        &["ci", HOSTILE],
        &["ci", "--changed", HOSTILE],
        &["hooks", "list", "--data", HOSTILE],
        &["hooks", "remove", HOSTILE],
        &["mcp", "add", "x", HOSTILE],
        &["mcp", "add", HOSTILE, "cat"],
        &["mcp", "allow", HOSTILE],
        &["mcp", "update", HOSTILE],
        &["api", "add", "x", HOSTILE],
        &["api", "add", HOSTILE, "hostile.txt"],
        &["api", "add", "x", "hostile.txt"],
        &["api", "list", HOSTILE],
        &["bias", "snapshot", "--data", "service"],
        &["bias", "evolve", HOSTILE, "--data", "service"],
        &["bias", "apply", "ctx_search", HOSTILE, "--data", "service"],
        &["bias", "cases", "ctx_search", "--from-file", "hostile.txt", "--data", "service"],
        &["bias", "remember", HOSTILE, "--data", "service"],
        &["bias", "recall", HOSTILE, "--data", "service"],
        &["models"],
        &["models", "--json"],
        &["components"],
        &["inspect", "ask"],
        &["--help"],
    ] {
        place.draws(args, &[]);
    }
    place.draws(&["lsp"], &[("", "\u{4}")]);
}

#[test]
fn what_is_approved_cannot_look_like_something_else() {
    let place = Place::new();
    let text = raw(&format!("send \u{202e}this {HOSTILE}"));
    place.file("ask.svc", &format!("{text} >> approve(question: {text})"));
    let drawn = place.draws(&["run", "ask.svc"], &[("[y/N] ", "y\n")]);
    assert_eq!(drawn.matches(r"send \u{202e}this pwned\u{1b}").count(), 3, "{drawn}");
}

/// `svc guide plan --run` asks before a script that writes.
#[test]
fn the_script_of_a_goal_runs_if_a_person_allows_it() {
    let place = Place::new();
    let goal = "save the lines of hostile.txt as copy.txt";
    let copy = place.path().join("copy.txt");
    let plan = ["guide", "plan", "--run", goal];
    let drawn = place.draws(&plan, &[("[y/N] ", "n\n")]);
    assert!(drawn.contains("This script writes fs:copy.txt."), "{drawn}");
    assert!(drawn.contains("not allowed") && !copy.exists(), "{drawn}");
    let drawn = place.draws(&plan, &[("[y/N] ", "y\n")]);
    assert!(copy.exists(), "{drawn}");
    place.draws(&["guide", "plan", "--try", "the lines of hostile.txt"], &[]);
}

/// A run asks before it starts the command that the settings of a project name.
#[test]
fn a_server_of_a_project_starts_if_a_person_agrees() {
    if Command::new("python3").arg("--version").output().is_err() {
        crate::foreign::skipped("a server of a project", "no python3");
        return;
    }
    let place = Place::new();
    place.file("server.py", include_str!("../cli/servers/server.py"));
    place.file("a.svc", "calc.add(a: 1, b: 2) >> .sum");
    let mut add =
        place.command(&["mcp", "add", "calc", "--", "python3", "server.py", "\u{202e}well"]);
    // The one who adds it is someone else.
    let added = add.env("XDG_DATA_HOME", place.path().join(".other")).output().unwrap();
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    let drawn = place.draws(&["run", "a.svc"], &[("[y/N] ", "n\n")]);
    assert!(
        drawn.contains("not allowed") && drawn.contains("python3 server.py \\u{202e}well"),
        "{drawn}"
    );
    let drawn = place.draws(&["run", "a.svc"], &[("[y/N] ", "y\n")]);
    assert!(drawn.trim_end().ends_with('3'), "{drawn}");
    let drawn = place.draws(&["run", "a.svc"], &[]);
    assert!(!drawn.contains("[y/N]") && drawn.contains('3'), "{drawn}");
    // The progress of the server is that of the call.
    place.file("s.svc", "calc.slow(n: 1)");
    let drawn = place.draws(&["run", "s.svc"], &[]);
    assert!(drawn.contains("calc.slow: steps") && drawn.contains("/20"), "{drawn}");
}

#[test]
fn the_prompt_draws_only_text() {
    let place = Place::new();
    place.file(&format!("docs/{HOSTILE}.md"), "x");
    let pasted = |text: &str| format!("\u{1b}[200~{text}\u{1b}[201~\r");
    // An editor interprets ESC and similar characters as keys; all others can be pasted.
    let hidden: String = HOSTILE.chars().filter(|it| *it > '\u{9f}').collect();
    let line = pasted(&format!("let x = \"pwned{hidden}\""));
    let keys = [
        ("svc> ", line.as_str()),
        ("x: string", "read_text(path: \"hostile.txt\")\r"),
        ("ans: string", "{ a: [[(read_text(path: \"hostile.txt\"))]] }\r"),
        ("ans: {", ":tree\r"),
        ("svc> ", ":json\r"),
        ("svc> ", "[{ a: (read_text(path: \"hostile.txt\")), n: 1 }]\r"),
        ("ans: [", ":chart bar a n\r"),
        ("svc> ", ":names\r"),
        ("svc> ", ":script\r"),
        ("svc> ", ":history\r"),
        ("svc> ", "read_text(path: \"hostile.txt\") >> to_int\r"),
        ("E401", "let x"),
        (" x", "\u{5}\r"),
        ("svc> ", ":plan read_text(path: \"hostile.txt\") >> to_int\r"),
        ("svc> ", ":quit\r"),
    ];
    let drawn = place.draws(&["repl"], &keys);
    assert!(drawn.contains(r"pwned\u{202e}\u{2066}"), "{drawn}");
    assert!(drawn.contains("the line contains hidden characters"), "{drawn}");
    let keys = [("svc> ", "read_text(\"docs/p\t"), ("pwned", "\u{3}"), ("svc> ", "\u{4}")];
    place.draws(&["repl", "--color", "never"], &keys);
}

#[test]
fn data_in_a_pipe_is_as_it_is() {
    let place = Place::new();
    place.file("ok.svc", "read_text(path: \"hostile.txt\")");
    let out = place.command(&["run", "ok.svc"]).output().unwrap();
    assert_eq!(String::from_utf8(out.stdout).unwrap(), format!("{HOSTILE}\n"));
    let out = place.command(&["run", "ok.svc", "--json"]).output().unwrap();
    let json: String = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(json, HOSTILE);
    // Messages stay harmless where they are read later.
    place.file("bad.svc", "read_text(path: \"hostile.txt\") >> to_int");
    let out = place.command(&["run", "bad.svc"]).output().unwrap();
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.contains(r"pwned\u{1b}]0;t\u{7}"), "{said}");
    assert!(!said.contains(['\u{1b}', '\u{202e}', '\u{9b}']), "{said}");
    place.file(&hostile_file(".svc"), "1");
    place.command(&["run", &hostile_file(".svc")]).output().unwrap();
    for args in [["runs", "--color=always"], ["show", "last"]] {
        let listed = place.command(&args).output().unwrap().stdout;
        let listed = String::from_utf8(listed).unwrap();
        assert!(listed.contains(r"pwned\u{1b}"), "{listed}");
        assert!(!listed.contains(['\u{1b}', '\u{202e}', '\u{9b}']), "{listed}");
    }
    let mut repl =
        place.command(&["repl"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    repl.stdin.take().unwrap().write_all(b"read_text(path: \"hostile.txt\")\n").unwrap();
    let out = String::from_utf8(repl.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(out, format!("{HOSTILE}\n"));
}
