//! Runs as pages and as tables: their content, that no value becomes part of the markup, and the
//! rendering in a browser.
#![expect(clippy::disallowed_methods, reason = "the real program runs on real files")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use svc_contract::{
    registry::Usage,
    store::{Args, Attempt, Blob, End, Entry, Node, NodeState, Run, RunId, RunState, Store as _},
    value::Money,
};
use svc_store::SqliteStore;
use tempfile::TempDir;

use crate::foreign;

/// A folder with a store, in which the program runs.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn svc(&self, args: &[&str]) -> Output {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("svc"));
        command.args(args).current_dir(self.0.path()).env("SVC_STORE", "runs.db");
        command.env("SVC_CACHE", self.file(".cache")).output().unwrap()
    }

    /// The output of a successful run of the program.
    #[track_caller]
    fn prints(&self, args: &[&str]) -> String {
        let done = self.svc(args);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    }

    /// Records a run of this script with these calls and their results, one per second.
    fn keep(&self, script: &str, calls: &[(&str, Result<String, &str>)]) -> RunId {
        let store = SqliteStore::open(&self.file("runs.db"), 0).unwrap();
        let id = RunId::new(BEGAN);
        let text = Blob::new(script.as_bytes());
        let run = Box::new(Run { text: text.hash(), ..run(&id) });
        store.append(Entry::Run { run, text, imports: Vec::new() }).unwrap();
        for (at, (path, result)) in calls.iter().enumerate() {
            let at = i64::try_from(at).unwrap();
            let blobs: Vec<Blob> =
                result.iter().map(|it| Blob::new(it.as_bytes().to_vec())).collect();
            let output = blobs.first().map(Blob::hash);
            let node = Box::new(Node { output, ..node(&id, path, at, result.as_ref().err()) });
            store.append(Entry::Node { node, blobs, tries: Vec::new() }).unwrap();
        }
        let used = Usage { tokens: 1_200, cost: Money::cents(3) };
        let value = Some(Blob::new(br#""the result""#.as_slice()));
        let state = RunState::Ok;
        let end = End { run: id.clone(), state, at: BEGAN + 60_000, used, value, error: None };
        store.commit(Entry::End(Box::new(end))).wait().unwrap();
        id
    }
}

const BEGAN: i64 = 1_798_761_599_000;

fn run(id: &RunId) -> Run {
    Run {
        id: id.clone(),
        script: "<b>report.svc".to_owned(),
        text: Blob::new(b"".as_slice()).hash(),
        folder: String::new(),
        params: r#"{"token":"***","topic":"<i>tides</i>"}"#.to_owned(),
        bounds: r#"{"max_cost_nanos":500000000,"max_tokens":null,"timeout_ms":90000}"#.to_owned(),
        version: "0.1.0".to_owned(),
        state: RunState::Running,
        started: BEGAN,
        ended: None,
        used: Usage::default(),
        value: None,
        error: None,
        origin: None,
        about: "{}".to_owned(),
    }
}

fn node(run: &RunId, path: &str, at: i64, failure: Option<&&str>) -> Node {
    let error = failure.map(|it| serde_json::json!({ "kind": "failed", "message": it }));
    Node {
        run: run.clone(),
        path: path.to_owned(),
        key: [7; 32],
        component: "text".to_owned(),
        op: "upper".to_owned(),
        version: 1,
        state: if failure.is_some() { NodeState::Failed } else { NodeState::Done },
        attempts: 1,
        started: BEGAN + at * 1_000,
        took: 1_500_000,
        used: Usage::default(),
        output: None,
        error: error.map(|it| it.to_string()),
        args: Args::Here(r#"{"text":"</script><b>"}"#.to_owned()),
        input: None,
        born: BEGAN,
        origin: None,
        about: "{}".to_owned(),
        cause: None,
    }
}

/// Values that could be taken for markup or code.
fn hostile() -> Vec<String> {
    let texts = [
        "</script><script>document.documentElement.dataset.broken = 1</script>",
        "</SCRIPT ><svg onload=\"document.documentElement.dataset.broken = 1\">",
        "<!-- <script>",
        "]]> --> '\" & &amp; &lt;",
        "\u{2028}\u{2029}\u{0}\u{1b}[2J\u{7f}\u{85}\r\n\u{202e}right to left\u{feff}\u{ffff}",
        "",
        "!12 not cut",
    ];
    let texts = texts.iter().map(|it| serde_json::to_string(it).unwrap());
    let others = ["9007199254740993", "1e-400", "null", "[]", "{}", r#"{"a":[{"b":[1,[2]]}]}"#];
    texts.chain(others.map(str::to_owned)).collect()
}

/// The lines of the data in a page that start with `opening`.
fn data<'p>(page: &'p str, opening: &str) -> impl Iterator<Item = &'p str> {
    page.split(opening).skip(1).map(|it| {
        let (_, inner) = it.split_once('>').unwrap();
        inner.split_once("</script>").unwrap().0
    })
}

#[test]
fn every_value_stands_in_the_page_and_none_breaks_out() {
    let place = Place::new();
    let paths: Vec<String> = (0..hostile().len()).map(|it| format!("each[{it}]/<b>x")).collect();
    let calls: Vec<_> =
        paths.iter().map(String::as_str).zip(hostile().into_iter().map(Ok)).collect();
    place.keep("\"</script><b>\" >> upper", &calls);
    let page = place.prints(&["show", "last", "--html", "-"]);

    let values: Vec<serde_json::Value> = data(&page, r#"<script type="application/x-ndjson""#)
        .flat_map(str::lines)
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    for value in hostile() {
        let value: serde_json::Value = serde_json::from_str(&value).unwrap();
        assert!(values.contains(&value), "{value}");
    }
    assert!(page.contains("9007199254740993") && page.contains("1e-400"), "as written");

    let count = |it: &str| page.to_lowercase().matches(it).count();
    assert_eq!(count("</script"), count("<script"), "only tags of the page are closed");
    assert_eq!((count("<!--"), count("<b>"), count("<i>t")), (0, 0, 0));
    assert!(page.contains("&lt;b&gt;report.svc") && page.contains("&lt;i&gt;tides"));
    assert!(page.contains("2026-12-31 23:59:59 UTC") && page.contains("$0.03"));
    assert!(page.contains("of $0.50") && page.contains("of 1m30s"), "against the caps");
}

#[test]
fn a_page_loads_nothing_and_runs_only_its_own_script() {
    let place = Place::new();
    place.keep("\"a\" >> upper", &[("upper", Ok("1".to_owned()))]);
    let page = place.prints(&["show", "last", "--html", "-"]);
    let policy = page.split_once("Content-Security-Policy\" content=\"").unwrap().1;
    let policy = policy.split_once('"').unwrap().0;
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    let name_of_svg = "http://www.w3.org/2000/svg";
    let addresses = page.matches("http").count() - page.matches("http-equiv").count();
    assert_eq!(addresses, page.matches(name_of_svg).count());
    for loads in [" src=", " href=", "url(\"", "url('", "@import", "fetch(", "innerHTML"] {
        assert!(!page.contains(loads), "{loads}");
    }
}

#[test]
fn charts_are_images_that_run_nothing() {
    let place = Place::new();
    let script = r#"let rows = [{ city: "<b>Bonn", n: 3 }, { city: "Kiel", n: 5 }]
{ picture: (rows >> chart(mark: "bar", x: "city", y: "n")), n: 2 }"#;
    fs::write(place.file("chart.svc"), script).unwrap();
    place.prints(&["run", "chart.svc"]);
    let page = place.prints(&["show", "last", "--html", "-"]);
    let image = page.split_once("<img class=\"picture\" ").unwrap().1.split_once('>').unwrap().0;
    assert!(
        image.contains("alt=\"A bar chart of n by city: &lt;b&gt;Bonn 3, Kiel 5.\""),
        "{image}"
    );
    assert!(image.contains("src=\"data:image/svg+xml;base64,PHN2Zy"), "{image}");
    let policy = page.split_once("Content-Security-Policy\" content=\"").unwrap().1;
    assert!(policy.split_once('"').unwrap().0.contains("; img-src data:;"), "{policy:.300}");
    assert_eq!(page.matches("<img").count(), 1);
}

#[test]
fn a_value_that_has_no_room_is_cut_and_says_so() {
    let place = Place::new();
    let long = serde_json::to_string(&"<é".repeat(2 << 20)).unwrap();
    place.keep("1", &[("long", Ok(long.clone())), ("again", Ok(long.clone()))]);
    let done = place.svc(&["show", "last", "--html", "out/page.html"]);
    let shown_text = String::from_utf8(done.stderr).unwrap();
    assert!(
        shown_text.contains("1 large value, 7 MB;") && shown_text.contains("`--max-size`"),
        "{shown_text}"
    );
    let page = fs::read_to_string(place.file("out/page.html")).unwrap();
    assert!(page.contains(&format!("\n!{} \"\\u003cé", long.len())), "its size and beginning");
    assert!(page.contains("Cut in this page: 1 large value, 7 MB."), "in the page as well");
    assert!(page.len() < 100_000, "{}", page.len());

    place.prints(&["show", "last", "--html", "out/page.html", "--max-size", "10MB"]);
    let page = fs::read_to_string(place.file("out/page.html")).unwrap();
    assert!(page.len() > long.len() && page.len() < 4 * long.len(), "once: {}", page.len());
    assert_eq!(fs::read_dir(place.file("out")).unwrap().count(), 1, "no leftover files");

    let refused = place.svc(&["show", "last", "--html", "out"]);
    assert_eq!(refused.status.code(), Some(1), "{}", String::from_utf8_lossy(&refused.stderr));
}

#[test]
fn a_script_that_checks_no_more_has_a_tree_for_a_graph() {
    let place = Place::new();
    place.keep("gone()", &[("a/each[0]/b", Ok("1".to_owned())), ("a/c", Err("no"))]);
    let page = place.prints(&["show", "last", "--html", "-"]);
    assert!(page.contains("no longer checks") && !page.contains("<svg"));
    let tree = page.split_once("<div class=\"tree\">").unwrap().1.split_once("</div>").unwrap().0;
    assert_eq!(tree.matches("<ul>").count(), tree.matches("</ul>").count());
    assert_eq!(tree.matches("<code>a</code>").count(), 1, "{tree}");
    assert!(tree.contains("<code>each[]</code>"), "{tree}");
}

#[test]
fn items_are_one_line_but_for_what_is_remarkable() {
    let place = Place::new();
    let paths: Vec<String> = (0..40).map(|it| format!("each[{it}]/ask")).collect();
    let result = |it: usize| if it.is_multiple_of(3) { Err("no luck") } else { Ok("1".to_owned()) };
    let calls: Vec<_> = paths.iter().enumerate().map(|(n, it)| (it.as_str(), result(n))).collect();
    place.keep("1", &calls);
    let shown = place.prints(&["show", "last"]);
    let lines: Vec<&str> = shown.lines().skip_while(|it| !it.starts_with("node\t")).collect();
    assert_eq!(lines[1], "each[]/ask ×40\t26 done, 14 failed\t40\t+0s\t1m\t\t4 more failed: --all");
    assert_eq!(lines[2], "each[0]/ask\tfailed\t1\t+0s\t1s500ms\t\tno luck");
    assert_eq!(lines.len(), 1 + 1 + 10 + 3, "{shown}");
    let all = place.prints(&["show", "last", "--all"]);
    assert_eq!(all.lines().filter(|it| it.starts_with("each[")).count(), 40);
}

#[test]
fn what_another_run_made_is_reused() {
    let place = Place::new();
    let id = place.keep("1", &[("a/ask", Ok("1".to_owned()))]);
    let store = SqliteStore::open(&place.file("runs.db"), 0).unwrap();
    let cause = Some(r#"{"failed":{"kind":"timeout","message":"too slow"}}"#.to_owned());
    let reused = Node { origin: Some(id.clone()), ..node(&id, "b/ask", 1, None) };
    let again = Node { cause, ..node(&id, "c/ask", 2, None) };
    for node in [reused, again].map(Box::new) {
        store.append(Entry::Node { node, blobs: Vec::new(), tries: Vec::new() }).unwrap();
    }
    drop(store);
    let shown = place.prints(&["show", "last"]);
    assert!(shown.contains("b/ask\treused\t") && shown.contains("c/ask\tdone\t"), "{shown}");
    let page = place.prints(&["show", "last", "--html", "-"]);
    assert!(page.contains(r#""too slow"}}]"#), "the page shows why it was repeated");
}

/// A step that is not recorded, because it is fast and pure, is named with its line.
#[test]
fn the_failing_step_of_a_run_is_named() {
    let place = Place::new();
    let script =
        "let x = \"4\" >> wait(duration: 1ms)\n\nlet y = [x] >> each { \"${it}x\" >> to_int }\ny";
    fs::write(place.file("pure.svc"), script).unwrap();
    assert_eq!(place.svc(&["run", "pure.svc"]).status.code(), Some(1));
    let shown = place.prints(&["show", "last"]);
    assert!(shown.contains("in `y/each[0]/to_int`, pure.svc:3:35"), "{shown}");
    assert!(shown.contains("\ny/each[0]/to_int\tfailed\t"), "{shown}");
    let json: serde_json::Value =
        serde_json::from_str(&place.prints(&["show", "last", "--json"])).unwrap();
    let error = &json["run"]["error"];
    assert_eq!((&error["line"], &error["file"]), (&3.into(), &"pure.svc".into()));
    assert_eq!(json["nodes"].as_array().unwrap().len(), 1, "calls are those of the store");

    place.prints(&["show", "last", "--html", "page.html"]);
    let page = fs::read_to_string(place.file("page.html")).unwrap();
    assert!(page.contains("in `y/each[0]/to_int`, pure.svc:3:35</p>"), "in the summary");
    assert!(page.contains("<mark><i>   3</i>"), "in the script");
    let drawn = match browsed(&place.file("page.html")) {
        Ok(drawn) => drawn,
        Err(why) => return foreign::skipped("the_failing_step_of_a_run_is_named", &why),
    };
    let (_, details) = drawn.split_once("<aside").unwrap();
    assert!(details.contains("<h3><bdi>y/each[0]/to_int</bdi></h3>"), "its panel is open");
    assert!(details.contains("<dd>pure.svc:3:35</dd>"), "with its place");
    let marked =
        drawn.split("<rect").find(|it| it.contains("data-node=\"y/each[]/to_int\"")).unwrap();
    assert!(marked.contains("op was-failed"), "{marked}");
}

/// A failure that a `?` swallowed is not the failure of the run.
#[test]
fn a_swallowed_failure_is_not_the_one_that_is_shown() {
    let place = Place::new();
    let script = "let a = parallel { gone?: read_text(path: \"none.txt\"), here: wait(\"x\", duration: 9ms) }\n\
        [a.here] >> each { to_int }";
    fs::write(place.file("two.svc"), script).unwrap();
    assert_eq!(place.svc(&["run", "two.svc"]).status.code(), Some(1));
    let page = place.prints(&["show", "last", "--html", "-"]);
    assert!(page.contains(r#""failed":"each[0]/to_int""#), "{page}");
    assert!(page.contains("not a whole number, in `each[0]/to_int`, two.svc:2:20"), "{page}");
}

/// A branch with `?` has the path of its name in the plan, the run and everything after it.
#[test]
fn an_optional_branch_has_one_path() {
    let place = Place::new();
    let script = |word: &str| {
        format!(
            "let r = parallel {{ a?: wait(\"x\", duration: 1ms), b?: wait(\"{word}\", duration: 1ms) \
             >> path >> read_text }}\n\
             let s = \"p,q\" >> parallel {{ c?: split(sep: \",\") >> each? {{ wait(duration: 1ms) }}, d: trim }}\n\
             let t = [r.a, \"{word}\"] >> each {{ (it ?? \"0\") >> wait(duration: 1ms) }}\n\
             {{ r: r, s: s, t: t }}"
        )
    };
    fs::write(place.file("opt.svc"), script("none")).unwrap();
    place.prints(&["run", "opt.svc"]);
    let json =
        |args: &[&str]| -> serde_json::Value { serde_json::from_str(&place.prints(args)).unwrap() };
    let paths = |nodes: &serde_json::Value| -> BTreeSet<String> {
        let nodes = nodes.as_array().unwrap().iter();
        nodes.map(|it| it["path"].as_str().unwrap().to_owned()).collect()
    };
    let planned = paths(&json(&["plan", "opt.svc", "--json"])["nodes"]);
    let ran = paths(&json(&["show", "last", "--json"])["nodes"]);
    assert!(ran.contains("r/a/wait") && ran.contains("s/c/each[1]/wait"), "{ran:?}");
    let places = ran.iter().map(|it| svc_engine::run::place_of(it));
    assert_eq!(places.filter(|it| !planned.contains(it)).collect::<Vec<_>>(), [""; 0]);
    assert!(planned.iter().all(|it| !it.contains('?')), "{planned:?}");

    let page = place.prints(&["show", "last", "--html", "-"]);
    for path in planned.iter().filter(|it| !it.is_empty()) {
        assert!(page.contains(&format!("data-node=\"{path}\"")), "{path}");
    }
    let replayed = json(&["replay", "last", "--json"]);
    assert_eq!(replayed["same"], true, "{replayed}");
    assert_eq!(paths(&replayed["calls"]), ran);

    // Resumed with another script: only what changed is made again, under the same paths.
    fs::write(place.file("opt.svc"), script("other")).unwrap();
    let against = place.prints(&["plan", "--against", "last", "opt.svc"]);
    assert_eq!(against.matches("r/b/wait").count(), 1, "{against}");
    assert!(!against.contains("r/a/wait"), "{against}");
    place.prints(&["resume", "last", "--with", "opt.svc"]);
    assert_eq!(paths(&json(&["show", "last", "--json"])["nodes"]), ran);
    let why = place.prints(&["why", "last"]);
    assert!(why.contains("r/b/wait") && why.contains("not made again"), "{why}");
}

/// The page as rendered by a browser, or why no browser is available.
fn browsed(page: &Path) -> Result<String, String> {
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let profile = tempfile::tempdir().unwrap();
    let data = format!("--user-data-dir={}", profile.path().display());
    for name in names {
        let mut browser = Command::new(name);
        browser.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]);
        browser.args([&data, "--virtual-time-budget=10000", "--dump-dom"]);
        if let Ok(done) = browser.arg(format!("file://{}", page.display())).output() {
            return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
        }
    }
    Err("Chromium is missing".to_owned())
}

#[test]
fn a_browser_draws_the_page() {
    let place = Place::new();
    let values = hostile();
    let paths: Vec<String> = (0..5_000).map(|it| format!("each[{it}]/upper")).collect();
    let value = |it: usize| match it {
        4_321 => Err("it is <b>broken</b>"),
        _ => Ok(values[it % values.len()].clone()),
    };
    let calls: Vec<_> = paths.iter().enumerate().map(|(n, it)| (it.as_str(), value(n))).collect();
    let script = "param token: string  param topic: string
        range(0, 5000) >> each { \"${it}\" >> upper }";
    let id = place.keep(script, &calls);
    add_tries(&place, &id, "each[4321]/upper");
    place.prints(&["show", "last", "--html", "page.html"]);
    let drawn = match browsed(&place.file("page.html")) {
        Ok(drawn) => drawn,
        Err(why) => return foreign::skipped("a_browser_draws_the_page", &why),
    };
    let opening = drawn.split_once("<head").unwrap().0;
    assert!(opening.contains(r#"data-ready="5000""#), "{opening}");
    assert!(!opening.contains("data-error") && !opening.contains("data-broken"), "{opening}");
    assert!(drawn.contains("5,000 calls</output>"), "all are counted");
    assert!(drawn.contains("done 4,999") && drawn.contains("failed 1"), "by their states");
    assert!(drawn.contains("it is &lt;b&gt;broken&lt;/b&gt;"), "the failure is shown at once");
    assert!(drawn.contains("a hiccup"), "with its tries");
    assert!(drawn.contains(">the result</bdi>"), "the result is drawn");
    assert!(drawn.contains("✗ ×5,000 · 1 failed · up to 1.5"), "the graph is marked, by item");
    assert!(drawn.contains("✗ ×5,000 · 1 failed · 1h23m"), "and the loop as a whole");
    let picture = drawn.split_once("<svg").unwrap().1.split_once('>').unwrap().0;
    assert!(picture.contains("role=\"group\""), "an image cannot contain buttons: {picture}");
    assert!(drawn.contains("class=\"quiet\" aria-live=\"polite\">100%</output>"), "its scale");
    let rows = drawn.matches("role=\"treeitem\"").count();
    assert!((5..80).contains(&rows), "only visible rows are drawn: {rows}");
}

/// Records the failed call again, with its attempts.
fn add_tries(place: &Place, run: &RunId, path: &str) {
    let store = SqliteStore::open(&place.file("runs.db"), 0).unwrap();
    let error = Some(r#"{"kind":"unavailable","message":"a hiccup"}"#.to_owned());
    let (used, took) = (Usage::default(), 20);
    let tries = vec![Attempt { number: 1, started: BEGAN, took, used, error }];
    let node = Box::new(node(run, path, 4_321, Some(&"it is <b>broken</b>")));
    store.commit(Entry::Node { node, blobs: Vec::new(), tries }).wait().unwrap();
}
