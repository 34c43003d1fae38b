//! Adding, listing, renewing and removing servers; checks without them.

use std::fs;

use super::{Project, fails, said};

const SUM: &str = "calc.add(a: 1, b: 2) >> .sum";

#[test]
fn a_server_is_added_and_its_tools_are_ops() {
    let Some(project) = Project::new("mcp add", &[("a.svc", SUM)]) else { return };
    fails(&project.svc(&["check", "a.svc"]), 7, "unknown name `calc.add`");
    project.add("calc", &[]).gives("calc: scripted 1.0, 24 ops\n");
    project.svc(&["run", "a.svc"]).gives("3\n");
    let settings = fs::read_to_string(project.0.path().join("svc.toml")).unwrap();
    assert!(settings.starts_with("[mcp.calc]\ncommand = [\"python3\", \"server.py\"]\nenv = {"));
    project.svc(&["mcp", "list"]).gives("calc: scripted 1.0, 24 ops, from python3 server.py\n");
    let shown = project.svc(&["inspect", "calc.add"]);
    for part in
        ["Two numbers.", "a: int", "sum: int", "runs mcp:calc", "writes mcp:calc on every attempt"]
    {
        assert!(shown.out.contains(part), "{part}: {}", shown.out);
    }
    // A default of the server is not sent.
    project.script("b.svc", "calc.echo(\"ho\")");
    project.svc(&["run", "b.svc"]).gives("ho\n");
    assert!(project.log().contains("call echo {'text': 'ho'}"), "{}", project.log());
    project.svc(&["mcp", "remove", "calc"]).gives("calc: removed\n");
    fails(&project.svc(&["check", "a.svc"]), 7, "unknown name `calc.add`");
    assert!(!project.0.path().join(".svc/calc.lock").exists());
}

#[test]
fn nothing_is_started_but_by_a_run() {
    let scripts = [
        ("a.svc", SUM),
        ("b.svc", "calc.add(a: \"one\", b: 2)"),
        ("c.svc", "calc.ad(1, 2)"),
        (
            "t.svc",
            "flow f() -> int { calc.add(1, 2) >> .sum }\ntest \"f\" {\n  mock calc.add = { sum: 9 }\n  let n = f()\n  expect n == 9\n}\n",
        ),
    ];
    let Some(project) = Project::with_calc("offline", &scripts) else { return };
    project.forget();
    fs::remove_file(project.0.path().join("server.py")).unwrap();
    project.svc(&["check", "a.svc"]).gives("a.svc: ok, result int\n");
    fails(&project.svc(&["check", "b.svc"]), 7, "E204");
    fails(&project.svc(&["check", "c.svc"]), 7, "E201");
    let plan = project.svc(&["plan", "a.svc"]);
    assert!(
        plan.out.contains("runs mcp:calc") && plan.out.contains("writes mcp:calc"),
        "{}",
        plan.out
    );
    assert_eq!(project.svc(&["inspect", "calc"]).code, Some(0));
    assert_eq!(project.svc(&["test", "t.svc"]).code, Some(0));
    assert_eq!(project.svc(&["mcp", "list"]).code, Some(0));
    let mut completion = project.command(&["--", "svc", "inspect", "calc."]);
    completion.env("SVC_COMPLETE", "fish");
    let completion = completion.output().unwrap();
    let text = String::from_utf8_lossy(&completion.stdout).into_owned();
    assert!(text.contains("calc.add"), "{text}");
    assert_eq!(project.log(), "", "no server was started");
    fails(&project.svc(&["run", "a.svc"]), 1, "server.py");
}

#[test]
fn a_changed_schema_is_refused_and_shown() {
    let scripts = [
        ("a.svc", SUM),
        ("b.svc", "calc.echo(\"x\")"),
        ("c.svc", "let one = calc.changes_tools(1) >> .sum\ncalc.add(a: one, b: 2) >> .sum"),
    ];
    let Some(project) = Project::with_calc("rug pull", &scripts) else { return };
    project.svc(&["mcp", "update", "calc"]).gives("calc: unchanged\n");
    // In the middle of a run.
    fails(
        &project.svc(&["run", "c.svc"]),
        1,
        "the MCP server `calc` changed the schemas of its tool `add`",
    );
    assert_eq!(project.count("call add"), 0);
    // And from the start.
    let refused = project.svc(&["run", "a.svc"]);
    fails(&refused, 1, "changed the schemas of its tool `add` since they were locked");
    assert!(said(&refused).contains("svc mcp update calc --dry-run"), "{}", refused.err);
    assert_eq!(project.count("call add"), 0, "the tool was not called");
    // Other tools are as they were.
    project.svc(&["run", "b.svc"]).gives("x\n");
    let lock = project.0.path().join(".svc/calc.lock");
    let before = fs::read_to_string(&lock).unwrap();
    let shown = project.svc(&["mcp", "update", "calc", "--dry-run"]);
    shown.gives(
        "~ calc.add\n    a new optional param `where: string?`\ncalc: changed, not renewed\n",
    );
    assert_eq!(before, fs::read_to_string(&lock).unwrap());
    project
        .svc(&["mcp", "update", "calc"])
        .gives("~ calc.add\n    a new optional param `where: string?`\ncalc: renewed\n");
    project.svc(&["run", "a.svc"]).gives("3\n");
}

#[test]
fn a_damaged_or_forged_lock_is_found() {
    let Some(project) = Project::with_calc("damaged locks", &[("a.svc", SUM)]) else { return };
    let lock = project.0.path().join(".svc/calc.lock");
    let good = fs::read_to_string(&lock).unwrap();
    for (bad, why) in [
        (good.replace("\"sum\"", "\"total\""), "invalid fingerprint of `add`"),
        (good.replace("{\"op\":\"add\"", "{\"op\":\"Add\""), "invalid name `Add`"),
        (good.replace("{\"op\":\"echo\"", "{\"op\":\"add\""), "duplicate op `add`"),
        (good.replacen("svc_lock\":1", "svc_lock\":9", 1), "unknown format 9"),
        (format!("{good}{{"), "invalid line"),
        (String::new(), "invalid line 1"),
    ] {
        fs::write(&lock, &bad).unwrap();
        let checked = project.svc(&["check", "a.svc"]);
        assert!(said(&checked).contains(why), "{why}: {}", checked.err);
        assert!(said(&checked).contains("svc mcp update calc"), "{}", checked.err);
    }
    fs::write(&lock, &good).unwrap();
    project.svc(&["check", "a.svc"]).gives("a.svc: ok, result int\n");
}

#[test]
fn wrong_settings_and_commands_are_errors() {
    let Some(project) = Project::with_calc("wrong settings", &[("a.svc", SUM)]) else { return };
    for (args, why) in [
        (&["mcp", "add", "Calc", "python3"][..], "invalid name `Calc`"),
        (&["mcp", "add", "upper", "python3"], "a name of the component"),
        (&["mcp", "add", "calc", "other"], "has an MCP server `calc` already"),
        (&["mcp", "add", "nowhere"], "name its command or its address"),
        (&["mcp", "add", "x", "no-such-program-4711"], "no program of that name"),
        (&["mcp", "add", "x", "./no-such-file"], "the file does not exist"),
        (&["mcp", "add", "x", "true"], "ended with the exit code 0"),
        (&["mcp", "add", "x", "--secret", "A=sk-12345", "true"], "invalid name `sk-12345`"),
        (&["mcp", "add", "x", "--header", "a=b", "true"], "for servers with a `url`"),
        (&["mcp", "add", "x", "http://127.0.0.1:1/mcp"], "cannot be reached at"),
        (&["mcp", "update", "other"], "its servers are: calc"),
        (&["mcp", "allow", "other"], "its servers are: calc"),
        (&["mcp", "remove", "other"], "its servers are: calc"),
    ] {
        let done = project.svc(args);
        assert!(done.code == Some(1) || done.code == Some(2), "{args:?} {:?}", done.code);
        assert!(said(&done).contains(why), "{args:?}: {}", done.err);
    }
    let settings = fs::read_to_string(project.0.path().join("svc.toml")).unwrap();
    for (line, why) in [
        ("reads = 1\n", "expected a boolean"),
        ("url = 'https://a.example'\n", "expected one of `command` and `url`"),
        ("ops = { add = { red = true } }\n", "red"),
        ("ops = { ad = { reads = true } }\n", "did you mean `add`?"),
        ("idempotentt = true\n", "idempotentt"),
    ] {
        fs::write(project.0.path().join("svc.toml"), format!("{settings}{line}")).unwrap();
        let done = project.svc(&["check", "a.svc"]);
        assert!(done.code != Some(0) && said(&done).contains(why), "{line}: {}", done.err);
    }
}

#[test]
fn what_the_user_says_of_a_tool_counts_and_hints_do_not() {
    let Some(project) = Project::with_calc("user's word", &[("a.svc", SUM)]) else { return };
    let effects = |project: &Project| project.svc(&["inspect", "calc.add"]).out;
    assert!(effects(&project).contains("writes mcp:calc on every attempt"));
    project.settings("[mcp.calc.ops.add]\nreads = true\nprice = '$0.25'\n");
    let now = effects(&project);
    assert!(now.contains("reads mcp:calc") && !now.contains("writes"), "{now}");
    fails(&project.svc(&["run", "a.svc", "--max-cost", "$0.10"]), 1, "$0.25");
    project.svc(&["run", "a.svc", "--max-cost", "$0.30"]).gives("3\n");
}

#[test]
fn a_server_that_is_not_greeted_is_called_too() {
    let Some(project) = Project::new("newest", &[]) else { return };
    let added = project.add("calc", &["python3", "server.py", "newest"]);
    assert!(added.out.contains("scripted 1.0"), "{}{}", added.out, added.err);
    project.script("a.svc", "range(1, 4) >> each { calc.add(a: it, b: 2) >> .sum }");
    let done = project.svc(&["run", "a.svc", "--json"]);
    assert_eq!(done.json().to_string(), "[3,4,5]", "{}", done.err);
    assert!(project.survivors().is_empty());
}

#[test]
fn a_server_that_does_not_start_says_why() {
    let Some(project) = Project::new("starts", &[]) else { return };
    for (start, why) in [
        ("dies", "ended with the exit code 5: cannot find my settings"),
        ("refuses", "refuses to connect: not today"),
        ("pages", "has too many tools (limit 2000)"),
    ] {
        fails(&project.add("x", &["python3", "server.py", start]), 1, why);
    }
    assert!(!project.0.path().join("svc.toml").exists());
    assert!(project.survivors().is_empty());
}
