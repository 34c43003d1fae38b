//! Articles of web pages, measured on pages of the article-extraction benchmark. The pages are not
//! part of the repository: without them the tests print a message and pass.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    io::Read as _,
    path::Path,
    sync::Arc,
};

use serde::Deserialize;
use svc_host_os::test::TestHost;

/// The mean precision and recall of four words in sequence, as one number.
const F1: f64 = 0.975;

/// The maximum share of sentences of summaries that are not from the article.
const OUTSIDE: f64 = 0.03;

const SCRIPT: &str = r#"
read_files(folder: "pages", glob: "*.html", max_files: 1_000) >> each {
    { path: .path, text: .text, gist: (it >> summary(max_sentences: 3, cite: false)).text }
}
"#;

#[derive(Deserialize)]
struct Truth {
    id: String,
    text: String,
}

svc::record! {
    /// What was read of a page.
    struct Page {
        path: String,
        text: String,
        gist: String,
    }
}

#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
#[tokio::test]
async fn articles_are_found_in_pages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/articles");
    if !folder.is_dir() {
        eprintln!("skipped: no pages with articles");
        return;
    }
    let truth = truth(&folder);
    let mut host = TestHost::new();
    for id in truth.keys() {
        host = host.file(&format!("pages/{id}.html"), page(&folder, id));
    }
    let engine = svc::engine().with_host(Arc::new(host));
    let pages: Vec<Page> = engine.run(SCRIPT).await.unwrap().get().unwrap();
    assert_eq!(pages.len(), truth.len());
    let of = |page: &Page| &truth[Path::new(&page.path).file_stem().unwrap().to_str().unwrap()];

    let f1 = f1(pages.iter().map(|it| (of(it).as_str(), it.text.as_str())));
    assert!(f1 >= F1, "the F1 of articles is {f1:.4}");
    let outside = outside(pages.iter().map(|it| (of(it).as_str(), it.gist.as_str())));
    assert!(outside <= OUTSIDE, "{outside:.4} of the sentences are not from the article");
}

fn truth(folder: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder.join("truth.jsonl")).unwrap();
    let rows = text.lines().map(|it| serde_json::from_str::<Truth>(it).unwrap());
    rows.map(|it| (it.id, it.text)).collect()
}

fn page(folder: &Path, id: &str) -> Vec<u8> {
    let packed = fs::read(folder.join(format!("pages/{id}.html.gz"))).unwrap();
    let mut page = Vec::new();
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut page).unwrap();
    page
}

/// The F1 of mean precision and mean recall over pages, each with the expected and the found text.
fn f1<'a>(pages: impl Iterator<Item = (&'a str, &'a str)>) -> f64 {
    let (mut precisions, mut recalls) = (Vec::new(), Vec::new());
    for (wanted, found) in pages {
        let (wanted, found) = (shingles(wanted), shingles(found));
        let both: usize = wanted.iter().map(|(it, n)| found.get(it).map_or(0, |m| *n.min(m))).sum();
        if !found.is_empty() {
            precisions.push(share(both, found.values().sum()));
        }
        recalls.push(share(both, wanted.values().sum()));
    }
    let mean = |all: &[f64]| all.iter().sum::<f64>() / share(all.len(), 1);
    let (precision, recall) = (mean(&precisions), mean(&recalls));
    2.0 * precision * recall / (precision + recall)
}

/// The share of sentences of which at least half of the shingles are not in the article.
fn outside<'a>(pages: impl Iterator<Item = (&'a str, &'a str)>) -> f64 {
    let (mut all, mut outside) = (0, 0);
    for (wanted, gist) in pages {
        let wanted = shingles(wanted);
        for range in svc_text::sentences::sentences(gist) {
            let said = shingles(&gist[range]);
            let missing = said.keys().filter(|it| !wanted.contains_key(*it)).count();
            all += 1;
            outside += usize::from(missing * 2 >= said.len());
        }
    }
    assert!(all > 200, "only {all} sentences");
    share(outside, all)
}

/// Four words in sequence, with the number of their places.
fn shingles(text: &str) -> HashMap<Vec<&str>, usize> {
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let words: Vec<_> = text.split(|it| !is_word(it)).filter(|it| !it.is_empty()).collect();
    let mut counts = HashMap::new();
    for four in words.windows(4) {
        *counts.entry(four.to_vec()).or_default() += 1;
    }
    counts
}

#[expect(clippy::cast_precision_loss, reason = "there are thousands")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}
