//! The guide and the navigator: goals, scripts that run, and the commands.

use std::{fs, path::Path, process::Output};

use svc_contract::value::Value;

#[path = "../goals/judge.rs"]
pub(crate) mod judge;

use judge::{Score, goals, judged, score};

/// Goals of authors who saw only a list of the components, judged by what the scripts do. The half
/// that the guide may be tuned on, then the frozen one.
#[test]
fn goals_are_reached_sketched_or_refused() {
    let goals = goals();
    let outcomes = judged(assert_cmd::cargo::cargo_bin!("svc"), &goals);
    let half = |is_frozen: bool| -> Score {
        let both = goals.iter().zip(&outcomes).filter(|(it, _)| it.is_frozen() == is_frozen);
        score(both.map(|(goal, (outcome, _))| (goal, *outcome)))
    };
    for (is_frozen, right, most_wrong) in [(false, 45, 1), (true, 6, 3)] {
        let is = half(is_frozen);
        assert_eq!((is.possible, is.impossible), (104, 28));
        let wrong = is.wrong + is.impossible - is.rightly_refused;
        assert!(is.right >= right && wrong <= most_wrong, "{is:?}");
    }
}

async fn planned(goal: &str) -> Value {
    let engine = svc::engine();
    let request = engine.run("param goal: string  goal >> guide_plan_workflow");
    request.param("goal", goal).await.unwrap().value
}

fn script(workflow: &Value) -> String {
    let script = workflow.as_record().and_then(|it| it.get("script")).and_then(Value::as_str);
    script.unwrap_or_else(|| panic!("{workflow}")).to_owned()
}

/// Runs the script that the guide writes for a goal in a folder.
fn result(goal: &str, files: &[(&str, &str)]) -> (tempfile::TempDir, String) {
    let place = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(place.path().join(name), text).unwrap();
    }
    let done = svc(place.path(), &["guide", "plan", goal, "-o", "goal.svc"]);
    assert!(done.status.success(), "{}", err(&done));
    let done = svc(place.path(), &["run", "--no-store", "goal.svc"]);
    assert!(done.status.success(), "{}", err(&done));
    (place, out(&done))
}

pub(crate) fn svc(folder: &Path, args: &[&str]) -> Output {
    std::process::Command::new(assert_cmd::cargo::cargo_bin!("svc"))
        .args(args)
        .current_dir(folder)
        .env("SVC_CACHE", folder.join(".cache"))
        .env_remove("SVC_MODEL")
        .output()
        .unwrap()
}

pub(crate) fn out(done: &Output) -> String {
    String::from_utf8_lossy(&done.stdout).into_owned()
}

pub(crate) fn err(done: &Output) -> String {
    String::from_utf8_lossy(&done.stderr).into_owned()
}

#[test]
fn scripts_do_what_the_goal_says() {
    let (_place, message) = result("count the words of a.txt", &[("a.txt", "one two\nthree\n")]);
    assert_eq!(message.trim(), "3");
    let (_place, message) = result("the two longest words of a.txt", &[("a.txt", "a bb cccc ddd")]);
    assert_eq!(message.trim(), "cccc\nddd");
    let goal = "remove duplicate lines from a.txt and write the rest to b.txt";
    let (place, _) = result(goal, &[("a.txt", "x\ny\nx\n")]);
    assert_eq!(fs::read_to_string(place.path().join("b.txt")).unwrap(), "x\ny");
    let (_place, message) = result("the largest of 4, 42 and 8", &[]);
    assert_eq!(message.trim(), "42");
}

#[test]
fn values_of_the_goal_are_arguments() {
    for (goal, wanted) in [
        ("add up the numbers from 1 to 10", "55"),
        ("what is 15 percent of 80?", "12"),
        ("clamp 17 between 0 and 10", "10"),
        ("median and average of 1, 2, 3 and 10", "median  2.5\navg     4.0"),
        ("how many keystrokes turn \"kitten\" into \"sitting\"?", "3"),
        ("it is 9:00 in Berlin on 1 July 2025. What time is that in Tokyo?", "16:00"),
        ("groups of three out of Ann, Bo, Cy and Di", "[\"Ann\",\"Bo\",\"Cy\"]"),
    ] {
        let (_place, shown) = result(goal, &[]);
        assert!(shown.trim().starts_with(wanted), "{goal}: {shown}");
    }
}

#[test]
fn several_files_are_arguments() {
    let files = [("old.txt", "a\nb\n"), ("new.txt", "a\nc\n")];
    let goal = "unified diff of old.txt and new.txt, saved as x.patch";
    let (place, _) = result(goal, &files);
    let patch = fs::read_to_string(place.path().join("x.patch")).unwrap();
    assert!(patch.contains("-b\n+c\n"), "{patch}");
    let files = [("a.yaml", "x: 1\ny: 2\n"), ("b.yaml", "y: 3\n")];
    let goal = "merge the settings of a.yaml and b.yaml; the second wins";
    let (_place, shown) = result(goal, &files);
    assert!(shown.contains('3') && !shown.contains('2'), "{shown}");
    let goal = "summarise each file in ./minutes in one sentence";
    assert!(script_of(goal).contains("each { summary(max_sentences: 1) }"));
}

fn script_of(goal: &str) -> String {
    let place = tempfile::tempdir().unwrap();
    out(&svc(place.path(), &["guide", "plan", goal]))
}

/// Two ops do what the goal says, and nothing in it decides.
#[test]
fn a_goal_with_two_meanings_is_a_question() {
    let place = tempfile::tempdir().unwrap();
    let done = svc(place.path(), &["guide", "plan", "base64 of \"aGk=\""]);
    let shown = format!("{}{}", out(&done), err(&done));
    assert!(shown.contains("to_base64") || shown.contains("do you mean"), "{shown}");
}

#[test]
fn lines_of_all_files_are_counted_and_not_the_files() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("logs")).unwrap();
    fs::write(place.path().join("logs/a.txt"), "x\ny\n").unwrap();
    fs::write(place.path().join("logs/b.txt"), "z\n").unwrap();
    let goal = "how many lines are in all files of ./logs";
    let done = svc(place.path(), &["guide", "plan", goal, "-o", "goal.svc"]);
    assert!(done.status.success(), "{}", err(&done));
    assert_eq!(out(&svc(place.path(), &["run", "--no-store", "goal.svc"])).trim(), "3");
}

#[test]
fn a_table_that_cannot_be_looked_at_is_named() {
    let place = tempfile::tempdir().unwrap();
    let done = svc(place.path(), &["guide", "plan", "how many rows are in missing.csv?"]);
    assert_eq!(done.status.code(), Some(6));
    assert!(err(&done).contains("`missing.csv` could not be looked at"), "{}", err(&done));
}

/// What stands behind the words that fit into a search is not ignored.
#[test]
fn a_goal_that_is_too_long_is_refused() {
    let goal = format!("the sum of 1, 2 and 3 {} sent to Bob", "please ".repeat(130));
    let done = svc(Path::new("."), &["guide", "plan", &goal]);
    assert_eq!(done.status.code(), Some(6), "{}", out(&done));
    assert!(err(&done).contains("more than 128 words"), "{}", err(&done));
}

/// Goals that look like questions about a file, and are not.
#[test]
fn what_nothing_does_is_not_taken_for_something_else() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("orders.csv"), ORDERS).unwrap();
    for goal in [
        "order everything in orders.csv again",
        "call the customers in orders.csv",
        "turn orders.csv into a PDF",
        "open orders.csv in Excel",
        "capitalise \"hello world\"",
    ] {
        let done = svc(place.path(), &["guide", "plan", goal]);
        assert_eq!(done.status.code(), Some(6), "{goal}: {}", out(&done));
    }
    let (_place, shown) = result("sort 5, 3 and 9 descending", &[]);
    assert_eq!(shown.trim(), "9\n5\n3");
}

#[test]
fn records_are_chosen_by_their_fields() {
    let records = [("r.jsonl", "{\"score\": 0.5}\n{\"score\": 0.9}\n")];
    let goal = "count the records of r.jsonl whose score is over 0.8";
    let (_place, message) = result(goal, &records);
    assert_eq!(message.trim(), "1");
    let goal = "what's the city in p.json?";
    let (_place, message) = result(goal, &[("p.json", "{\"city\": \"Ann\"}")]);
    assert_eq!(message.trim(), "Ann");
}

#[tokio::test]
async fn flows_of_the_standard_library_are_called() {
    for (goal, module) in [
        ("clean, profile and report the table in sales.csv", "std:table"),
        ("summarise the very long report book.txt, part by part", "std:summary"),
    ] {
        let script = script(&planned(goal).await);
        assert!(script.contains(&format!("use \"{module}\"")), "{script}");
    }
}

#[tokio::test]
async fn a_script_that_leaves_out_a_part_is_a_sketch() {
    let workflow = planned("turn \"Hello\" into capital letters and then backwards").await;
    let field = |name: &str| workflow.as_record().and_then(|it| it.get(name)).unwrap().to_string();
    assert_eq!(field("verdict"), "sketch");
    let hole = ">> ?rest: string -> json  # not covered: `backwards`";
    assert!(script(&workflow).contains(hole), "{workflow}");
    let verdict = svc::engine().verdict(script(&workflow).as_str());
    assert!(!verdict.ok && verdict.problems.iter().all(|it| it.code == "E224"));
    let workflow = planned("sort the records in people.json by age and give me the oldest").await;
    assert_eq!(workflow.as_record().and_then(|it| it.get("script")), Some(&Value::Null));
}

const ORDERS: &str = "id,customer,status,amount,placed\n1,Ann,paid,12.50,2025-03-01\n\
    2,Bo,open,7.25,2025-04-02\n3,Ann,open,30,2025-04-20\n4,Cy,paid,1,2024-12-31\n";

#[test]
fn the_words_of_a_goal_mean_columns_and_values_of_its_file() {
    for (goal, wanted) in [
        ("how many orders in orders.csv are not paid?", "2"),
        ("average amount of the paid orders in orders.csv, to one decimal", "6.8"),
        ("who placed orders before 2025? customer of orders.csv please", "Cy"),
        ("the customers in orders.csv with an amount over 10, each one once", "Ann"),
        ("customer of the newest order in orders.csv", "Ann"),
        (
            "sum of the amount per status in orders.csv, highest first",
            "status\tamount\nopen\t37.25",
        ),
    ] {
        let (_place, shown) = result(goal, &[("orders.csv", ORDERS)]);
        assert!(shown.starts_with(wanted), "{goal}: {shown}");
    }
}

const PARCELS: &str = "\
parcel,customer,city,state,sent,arrived,price
P1,Ana Bell,Oslo,delivered,2025-03-03,2025-03-05,12.40
P2,Bo Chan,Turin,lost,2025-03-04,,8.90
P3,Ana Bell,Oslo,in transit,2025-03-28,,31.00
P4,Cy Dale,Lyon,delivered,2025-04-02,2025-04-09,5.10
P5,Bo Chan,Turin,delivered,2025-04-04,2025-04-05,14.75
P6,Di Ek,Oslo,returned,2025-04-20,2025-05-02,22.00
";

#[test]
fn groups_and_comparisons_of_a_table() {
    for (goal, wanted) in [
        ("number of parcels in parcels.csv by month sent", "month\tcount\n2025-03\t3\n2025-04\t3"),
        ("which customer in parcels.csv paid the most?", "Ana Bell"),
        ("customers in parcels.csv who sent more than one parcel", "Ana Bell\nBo Chan"),
        ("lost or returned parcels in parcels.csv, parcel and city", "parcel\tcity\nP2\tTurin\nP6"),
        ("parcels of parcels.csv sent in March that are not delivered, price only", "8.9\n31"),
        (
            "which parcels in parcels.csv arrived more than five days after they were sent?",
            "P4\nP6",
        ),
        ("how many different customers are in parcels.csv?", "4"),
        ("which parcels in parcels.csv were sent on a Monday?", "P1\n"),
        (
            "lines like \"P1: Oslo, Ana Bell\" for parcels.csv, cheapest first",
            "P4: Lyon, Cy Dale\nP2",
        ),
        (
            "for each city in parcels.csv the number of parcels and the total price, most parcels first",
            "city\tcount\tprice\nOslo\t3\t65.4\nTurin\t2\t23.65\n",
        ),
    ] {
        let (_place, shown) = result(goal, &[("parcels.csv", PARCELS)]);
        assert!(shown.starts_with(wanted), "{goal}: {shown}");
    }
}

/// Where a word may mean two things, or says something of all rows of a group, nothing is guessed.
#[test]
fn what_is_not_clear_in_a_table_is_refused() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("parcels.csv"), PARCELS).unwrap();
    for goal in [
        "how many refunds are in parcels.csv?",
        "customers in parcels.csv whose parcels never arrived",
        "parcels of parcels.csv sent last month",
        "parcels in parcels.csv between March and April",
        "price per kilo of the parcels in parcels.csv",
    ] {
        let done = svc(place.path(), &["guide", "plan", goal]);
        assert_eq!(done.status.code(), Some(6), "{goal}: {}", out(&done));
    }
}

#[test]
fn columns_may_have_names_that_a_script_cannot_write() {
    let table = "Order No;Net Total;Sales Rep\n1;5.5;Ann\n2;7;Bob\n3;1;Ann\n";
    let goal = "ship.csv: net total per sales rep";
    let (_place, shown) = result(goal, &[("ship.csv", table)]);
    assert_eq!(shown, "sales_rep\tnet_total\nAnn\t6.5\nBob\t7.0\n");
}

#[test]
fn lines_of_a_file_are_chosen_by_what_they_contain() {
    let notes = [("n.txt", "buy milk\ncall Ann\nURGENT lamp\n\nbuy bread\n")];
    for (goal, wanted) in [
        ("how many lines of n.txt contain URGENT?", "1"),
        ("lines of n.txt that don't contain URGENT and that start with buy", "buy milk\nbuy bread"),
        ("which lines in n.txt mention milk?", "buy milk"),
        ("how many lines of n.txt do not start with \"buy\"", "3"),
    ] {
        let (_place, shown) = result(goal, &notes);
        assert_eq!(shown.trim(), wanted, "{goal}");
    }
}

#[test]
fn a_word_that_means_nothing_in_the_file_is_not_ignored() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("orders.csv"), ORDERS).unwrap();
    fs::write(place.path().join("none.csv"), "id,status\n").unwrap();
    for goal in [
        "how many rows are in none.csv?",
        "how many orders in orders.csv are unshipped?",
        "how many green orders in orders.csv are not paid?",
        "how many orders in orders.csv are not paid? text it to my phone",
        "average weight of the orders in orders.csv",
    ] {
        let done = svc(place.path(), &["guide", "plan", goal]);
        assert_eq!(done.status.code(), Some(6), "{goal}: {}", out(&done));
    }
}

/// A goal is text, whatever it contains: nothing of it runs while its files are looked at.
#[test]
fn paths_of_a_goal_are_not_code() {
    let place = tempfile::tempdir().unwrap();
    let goal = r#"how many rows are in ${write_file("x",to:"y.csv")}.csv"#;
    let done = svc(place.path(), &["guide", "plan", goal]);
    assert!(!place.path().join("y.csv").exists(), "{}", err(&done));
}

#[test]
fn every_phrase_names_its_stage() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("orders.csv"), ORDERS).unwrap();
    let goal = "how many orders in orders.csv are not paid?";
    let done = svc(place.path(), &["guide", "plan", "--explain", goal]);
    assert!(out(&done).contains("# \"paid\": where { .status != \"paid\" }"), "{}", out(&done));
}

#[tokio::test]
async fn a_goal_has_one_script() {
    let goal = "Search ./notes for \"budget\", keep the best 3 and summarise them in two sentences";
    let (one, two) = (script(&planned(goal).await), script(&planned(goal).await));
    assert_eq!(one, two);
    assert!(one.starts_with("# Goal: Search ./notes"), "{one}");
    assert!(one.contains("# Takes: time"), "{one}");
    assert!(one.contains("max_sentences: 2") && one.contains("top_k: 3"), "{one}");
    assert_eq!(svc_lang::syntax::format(&one).text, one, "it is formatted");
}

#[tokio::test]
async fn words_of_a_goal_mean_what_people_mean() {
    for (goal, stage) in [
        ("search the folder \"docs\" for \"a\"", "search(source: \"docs\")"),
        ("sumarize report.txt in 3 sentences", "summary(max_sentences: 3)"),
        ("summarise report.pdf", "pdf_text\n  >> summary"),
        ("the first 10 lines of a.txt", "take(n: 10)"),
        ("split \"a,b\" on commas", "split(sep: \",\")"),
        ("clamp 17 between 0 and 10", "clamp(low: 0, high: 10)"),
    ] {
        let message = script(&planned(goal).await);
        assert!(message.contains(stage), "{goal}: {message}");
    }
}

#[tokio::test]
async fn what_is_forbidden_is_not_done() {
    let refused = planned("translate a.txt to Spanish without a model").await;
    assert_eq!(refused.as_record().and_then(|it| it.get("ok")), Some(&Value::from(false)));
    let message = script(&planned("do not use the llm, just summarise a.txt").await);
    assert!(message.contains("summary") && !message.contains("ask("), "{message}");
}

#[tokio::test]
async fn bounds_of_the_goal_are_bounds_of_the_script() {
    let message = script(&planned("let the model translate a.txt for at most $0.20").await);
    assert!(message.contains("svc 1 within { max_cost: $0.20 }"), "{message}");
    let message = script(&planned("fetch https://example.com/a within 20 seconds").await);
    assert!(message.contains("svc 1 within { timeout: 20s }"), "{message}");
}

#[tokio::test]
async fn types_are_kept() {
    let script = r#"param goal: string
        goal >> guide_plan_workflow(input: "[string]", output: "string") >> .result"#;
    let engine = svc::engine();
    let result = engine.run(script).param("goal", "the unique ones, reversed").await;
    assert_eq!(result.unwrap().value, Value::from("string"));
}

#[tokio::test]
async fn a_text_of_a_goal_stays_a_text() {
    let message = script(&planned("turn \"${fail(1)} $x\" into capital letters").await);
    assert!(message.contains(r#""\${fail(1)} \$x""#), "{message}");
    let verdict = svc::engine().verdict(message.as_str());
    assert!(verdict.ok, "{message}");
}

#[tokio::test]
async fn any_goal_has_an_answer() {
    let engine = svc::engine();
    let long = "summarise a.txt, ".repeat(11);
    let odd = ["", "?!", "and then and", "x", "\"", "$ 5 ''", "“a", &"é".repeat(999), &long];
    for goal in odd {
        let request = engine.run("param goal: string  goal >> guide_plan_workflow");
        match request.param("goal", goal).await {
            Ok(planned) => assert!(planned.value.as_record().is_some(), "{goal}"),
            Err(err) => assert!(err.to_string().contains("empty goal"), "{goal}: {err}"),
        }
    }
}

#[test]
fn commands_tell_what_they_find() {
    let place = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| svc(place.path(), args);
    let found = run(&["find", "remove", "duplicates"]);
    assert!(out(&found).trim_start().starts_with("unique"), "{}", out(&found));
    assert!(
        out(&found).contains("`remove`, `duplicates` in what users call it"),
        "{}",
        out(&found)
    );
    let nothing = run(&["find", "xyzzy"]);
    assert_eq!(nothing.status.code(), Some(6), "{}", err(&nothing));
    let asked = run(&["ask", "how are budgets enforced?"]);
    assert!(
        out(&asked).contains("[1] docs/bounds.md: How budgets are enforced"),
        "{}",
        out(&asked)
    );
    assert_eq!(run(&["ask", "xyzzy"]).status.code(), Some(6));
    let overview = run(&["guide", "overview", "--json"]);
    let message: serde_json::Value = serde_json::from_slice(&overview.stdout).unwrap();
    assert!(
        message["components"].as_str().unwrap().contains("ctx_search (search facets)"),
        "{message}"
    );
}

/// The internal script of a command is hidden from its user.
#[test]
fn commands_fail_without_showing_their_own_script() {
    let place = tempfile::tempdir().unwrap();
    let done = svc(place.path(), &["guide", "plan", ""]);
    assert_eq!(err(&done).lines().next(), Some("error: empty goal"));
    let done = svc(place.path(), &["guide", "plan", "sort the list", "--input", "wrong<"]);
    assert_eq!(err(&done).lines().next(), Some("error: `wrong<` is not a type"));
    let long = svc(place.path(), &["guide", "plan", &"x".repeat(10_000)]);
    assert!(err(&long).len() < 400, "{}", err(&long));
}

#[test]
fn a_goal_that_nothing_serves_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let goal = "summarise a.txt and send an e-mail with it to bob@example.com";
    let done = svc(place.path(), &["guide", "plan", goal]);
    assert_eq!((done.status.code(), out(&done).as_str()), (Some(6), ""));
    assert!(err(&done).contains("no components do `send`, `e-mail`"), "{}", err(&done));
    let done = svc(place.path(), &["guide", "plan", "--json", goal]);
    let message: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((done.status.code(), &message["ok"]), (Some(6), &serde_json::Value::Bool(false)));
    assert_eq!(message["missing"][1]["part"], "e-mail");
}
