//! Notes that are kept, recalled, forgotten and merged by scripts.

use std::{fs, path::Path, sync::Arc};

use svc_bias::{MEMORY, Notes};
use svc_contract::{
    registry::Registry,
    value::{Timestamp, Value, json},
};
use svc_engine::Engine;
use svc_host_os::test::TestHost;
use svc_store::book::Book;

use crate::field;

const DAY: i64 = 86_400_000;

/// An engine that keeps notes in a folder, some milliseconds after its first one.
fn engine(folder: &Path, later: i64) -> Engine {
    let host = TestHost::new().at(later);
    let book = Book::open(folder, &host).unwrap();
    Engine::new(Registry::default(), Arc::new(host))
        .with(&[&MEMORY])
        .lend(Arc::new(Notes::of(Arc::new(book))))
}

async fn run(engine: &Engine, script: &str, params: &[(&str, &str)]) -> Value {
    let mut request = engine.run(script);
    for (name, value) in params {
        request = request.param(name, *value);
    }
    request.start().await.unwrap().value
}

const KEEP: &str = "param text: string  text >> remember";

async fn keep(engine: &Engine, text: &str) -> Value {
    run(engine, KEEP, &[("text", text)]).await
}

async fn recalled(engine: &Engine, question: &str) -> Vec<String> {
    let script = "param question: string  question >> recall >> each { .text }";
    let found = run(engine, script, &[("question", question)]).await;
    found.as_list().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_note_is_kept_once_and_recalled_by_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let one = engine(folder.path(), 0);
    let kept = keep(&one, "Invoices above 500 EUR need two signatures.").await;
    assert_eq!(*field(&kept, "duplicate"), Value::Bool(false));
    let again = keep(&one, "  invoices above 500 EUR\nneed two signatures. ").await;
    assert_eq!(*field(&again, "duplicate"), Value::Bool(true));
    assert_eq!(field(&again, "id"), field(&kept, "id"));
    keep(&one, "The printer is on the second floor.").await;
    drop(one);
    let other = engine(folder.path(), DAY);
    let found = recalled(&other, "who signs an invoice?").await;
    assert_eq!(found, ["Invoices above 500 EUR need two signatures."]);
}

#[tokio::test]
async fn what_was_recalled_lately_comes_first() {
    let folder = tempfile::tempdir().unwrap();
    let early = engine(folder.path(), 0);
    keep(&early, "The key of the north door is with Ann.").await;
    keep(&early, "The key of the south door is with Bob.").await;
    let first = recalled(&early, "key of a door").await;
    drop(early);
    let later = engine(folder.path(), 30 * DAY);
    let other = if first[0].contains("north") { "south" } else { "north" };
    for _ in 0..3 {
        assert_eq!(recalled(&later, other).await.len(), 1);
    }
    let now = recalled(&later, "key of a door").await;
    assert!(now[0].contains(other), "{now:?}");
    // At an earlier time, what was used later is not known.
    let script = r#"param at: time  recall("key of a door", at: at)"#;
    let request = later.run(script).param("at", Value::Time(Timestamp::UNIX_EPOCH));
    assert_eq!(request.start().await.unwrap().value, Value::List(Vec::new().into()));
}

#[tokio::test]
async fn a_note_that_was_forgotten_leaves_no_byte() {
    let folder = tempfile::tempdir().unwrap();
    let own = engine(folder.path(), 0);
    let secret = "The code of the safe is 7391-quark-zebra.";
    let kept = keep(&own, secret).await;
    // Enough to split pages, which moves notes.
    for number in 0..60 {
        keep(&own, &format!("Another note stays, whose number is {number}. {}", "-".repeat(150)))
            .await;
        recalled(&own, "code of the safe").await;
    }
    let found = |text: &str| {
        let files = fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().path());
        let holds = |it: &Path| {
            let bytes = fs::read(it).unwrap();
            bytes.windows(text.len()).any(|it| it == text.as_bytes())
        };
        files.filter(|it| it.is_file()).filter(|it| holds(it)).count()
    };
    assert!(found("quark-zebra") > 0);
    let id = field(&kept, "id").as_str().unwrap().to_owned();
    let script = "param id: string  id >> forget >> .removed";
    assert_eq!(run(&own, script, &[("id", &id)]).await, Value::Int(1));
    assert_eq!(found("quark-zebra"), 0);
    assert_eq!(found(&id), 0);
    assert!(found("Another note stays") > 0);
    assert_eq!(run(&own, script, &[("id", &id)]).await, Value::Int(0));
    let wrong = own.run(r#"forget("the safe")"#).start().await.unwrap_err();
    assert!(wrong.to_string().contains("expected the id of a note"), "{wrong}");
}

#[tokio::test]
async fn old_notes_that_say_the_same_become_one_with_all_sources() {
    let folder = tempfile::tempdir().unwrap();
    let early = engine(folder.path(), 0);
    let long =
        "Deliveries from the harbour arrive on Tuesday mornings before nine o'clock at gate four";
    for (text, source) in [
        (format!("{long}. Call Eve."), "mail"),
        (format!("{long}. Bring a pallet jack."), "phone"),
        ("The canteen closes at three.".to_owned(), "wall"),
    ] {
        let script = "param text: string  param source: string  text >> remember(source: source)";
        run(&early, script, &[("text", &text), ("source", source)]).await;
    }
    let script = "adapt_memory.consolidate()";
    let young = run(&early, script, &[]).await;
    assert_eq!((field(&young, "merged"), field(&young, "kept")), (&Value::Int(0), &Value::Int(3)));
    drop(early);
    let later = engine(folder.path(), 31 * DAY);
    let old = run(&later, script, &[]).await;
    assert_eq!((field(&old, "merged"), field(&old, "kept")), (&Value::Int(1), &Value::Int(2)));
    let found = run(&later, r#"recall("harbour deliveries", top_k: 1)"#, &[]).await;
    let found = found.as_list().unwrap().iter().next().unwrap();
    let text = format!("{long}. Call Eve. Bring a pallet jack.");
    assert_eq!(*field(found, "text"), Value::from(text.as_str()));
    assert_eq!(*field(found, "source"), Value::from("mail, phone"));
    let again = run(&later, script, &[]).await;
    assert_eq!(*field(&again, "merged"), Value::Int(0));
}

#[tokio::test]
async fn questions_recall_the_paragraphs_that_answer_them() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/questions/en");
    let Ok(docs) = fs::read_to_string(data.join("docs.jsonl")) else {
        println!("SKIPPED: the shared data is not there");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let own = engine(folder.path(), 0);
    for line in docs.lines() {
        let doc = json::read(line).unwrap();
        let script = "param text: string  param id: string  text >> remember(source: id)";
        let [text, id] = ["text", "id"].map(|it| field(&doc, it).as_str().unwrap());
        run(&own, script, &[("text", text), ("id", id)]).await;
    }
    let queries = fs::read_to_string(data.join("queries.jsonl")).unwrap();
    let (mut all, mut good) = (0, 0);
    for line in queries.lines().step_by(12) {
        let query = json::read(line).unwrap();
        let question = field(&query, "question").as_str().unwrap();
        let script = "param question: string  question >> recall >> each { .source }";
        let found = run(&own, script, &[("question", question)]).await;
        all += 1;
        good += usize::from(found.as_list().unwrap().iter().any(|it| it == field(&query, "doc")));
    }
    println!("recall@5: {good} of {all}");
    assert!(good * 1000 >= all * 960, "{good} of {all}");
}
