//! Full-text search compared with direct calls of tantivy, on which it is based.
#![expect(clippy::disallowed_methods, reason = "a benchmark may write its own files")]

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use svc::Engine;
use svc_contract::value::Value;
use svc_host_os::OsHost;
use svc_lang::plan::Plan;
use tantivy::{
    Index, TantivyDocument,
    collector::TopDocs,
    query::QueryParser,
    schema::{
        FAST, Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
    },
};
use tokio::runtime::Runtime;

use super::{
    planned::runtime,
    table::{Table, tell},
    timing::millis,
};

/// The number of words of a language in which each word is half as frequent as the one with half
/// its index.
const WORDS: usize = 30_000;
const QUERIES: usize = 300;

pub(crate) fn search(table: &mut Table) {
    let count = table.size(100_000, 100);
    let folder = tempfile::tempdir().expect("a folder can be created");
    let docs = documents(count);
    let file = folder.path().join("docs.jsonl");
    std::fs::write(&file, lines(&docs)).expect("the file can be written");

    let svc = Searching::new(&file, folder.path());
    let start = Instant::now();
    drop(svc.ask("w1 w2"));
    let indexing = start.elapsed();
    let direct = Direct::new(&docs, &folder.path().join("direct"));
    let ratio = indexing.as_secs_f64() / direct.took.as_secs_f64();
    table.at_most("indexing 100,000 documents, times tantivy alone", ratio, 1.3, "×");
    tell("  with tantivy alone", millis(direct.took), "ms");

    // File times are coarse: until they are settled, every opening reads all files again.
    std::thread::sleep(Duration::from_secs(3));
    drop(Searching::new(&file, folder.path()).ask("w1 w2"));
    let warm = Searching::new(&file, folder.path());
    let first = table.best(1, || drop(warm.ask("w1 w2")));
    let (p50, p99) = percentiles(|query| drop(warm.ask(query)));
    table.at_most("a query over 100,000 documents, p50", millis(p50), 2.0, "ms");
    table.at_most("  p99", millis(p99), 10.0, "ms");
    let opening = first.saturating_sub(p50);
    table.at_most("opening a warm index, besides the query", millis(opening), 20.0, "ms");
    let (p50, p99) = percentiles(|query| drop(direct.ask(query)));
    tell("a query with tantivy alone, p50", millis(p50), "ms");
    tell("  p99", millis(p99), "ms");
}

/// A search as a script that was planned once.
struct Searching {
    engine: Engine,
    plan: Plan,
    docs: Value,
    runtime: Runtime,
}

impl Searching {
    fn new(docs: &Path, cache: &Path) -> Self {
        const SCRIPT: &str = "param question: string
            param docs: path
            question >> search(source: docs, top_k: 10)";
        let engine = svc::engine().with_host(Arc::new(OsHost::with_cache(cache.join("cache"))));
        let plan = engine.plan(SCRIPT).expect("the script checks");
        let docs = Value::Path(docs.to_str().expect("a path in UTF-8").into());
        Self { engine, plan, docs, runtime: runtime() }
    }

    fn ask(&self, question: &str) -> Value {
        let run = self.engine.run_plan(self.plan.clone());
        let run = run.param("question", question).param("docs", self.docs.clone());
        self.runtime.block_on(async { run.await.expect("the script runs").value })
    }
}

/// The same documents in tantivy, with the same fields and a single writer thread.
struct Direct {
    index: Index,
    body: Field,
    took: Duration,
}

impl Direct {
    fn new(docs: &[String], folder: &Path) -> Self {
        const WRITER_BYTES: usize = 64 << 20;
        std::fs::create_dir_all(folder).expect("a folder can be created");
        let start = Instant::now();
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("en_stem")
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let id = schema.add_text_field("id", STRING | STORED | FAST);
        let text = schema.add_text_field("text", STORED);
        let options = TextOptions::default().set_indexing_options(indexing);
        let body = schema.add_text_field("body", options);
        let index = Index::create_in_dir(folder, schema.build()).expect("an index can be created");
        let mut writer =
            index.writer_with_num_threads(1, WRITER_BYTES).expect("there is a single writer");
        for (idx, doc) in docs.iter().enumerate() {
            let mut row = TantivyDocument::new();
            row.add_text(id, idx.to_string());
            row.add_text(text, doc);
            row.add_text(body, doc);
            writer.add_document(row).expect("the row is accepted");
        }
        writer.commit().expect("the commit succeeds");
        writer.wait_merging_threads().expect("the threads end");
        Self { index, body, took: start.elapsed() }
    }

    fn ask(&self, question: &str) -> Vec<BTreeMap<String, String>> {
        let searcher = self.index.reader().expect("the index can be read").searcher();
        let query = QueryParser::for_index(&self.index, vec![self.body]).parse_query(question);
        let best = TopDocs::with_limit(10).order_by_score();
        let found = searcher
            .search(&query.expect("the query is valid"), &best)
            .expect("the search succeeds");
        let doc = |(_, at)| {
            let doc: TantivyDocument = searcher.doc(at).expect("the document is stored");
            let fields = doc.field_values().map(|(field, value)| {
                let text = tantivy::schema::Value::as_str(&value).unwrap_or_default();
                (field.field_id().to_string(), text.to_owned())
            });
            fields.collect()
        };
        found.into_iter().map(doc).collect()
    }
}

/// Texts of 40 to 80 words.
fn documents(count: usize) -> Vec<String> {
    let mut dice = fastrand::Rng::with_seed(7);
    let doc = |_| {
        (0..dice.usize(40..80)).fold(String::new(), |mut text, _| {
            write!(text, "{} ", word(&mut dice)).expect("writing to a string cannot fail");
            text
        })
    };
    (0..count).map(doc).collect()
}

fn word(dice: &mut fastrand::Rng) -> String {
    let most = dice.usize(1..WORDS);
    format!("w{}", dice.usize(0..most))
}

fn lines(docs: &[String]) -> String {
    docs.iter().enumerate().fold(String::new(), |mut text, (idx, doc)| {
        writeln!(text, "{{\"id\": \"{idx}\", \"text\": \"{doc}\"}}")
            .expect("writing to a string cannot fail");
        text
    })
}

/// The median time of the queries, and the 99th percentile.
fn percentiles(mut ask: impl FnMut(&str)) -> (Duration, Duration) {
    let mut dice = fastrand::Rng::with_seed(11);
    let mut took: Vec<Duration> = (0..QUERIES)
        .map(|_| {
            let query = format!("{} {}", word(&mut dice), word(&mut dice));
            let start = Instant::now();
            ask(&query);
            start.elapsed()
        })
        .collect();
    took.sort_unstable();
    (took[QUERIES / 2], took[QUERIES * 99 / 100])
}
