//! Every sentence of an answer stands where its sources say: in Markdown, in text with pages, in
//! text that is not the file's own, before and after it was cut into passages.

use proptest::prelude::*;
use serde_json::{Value, json};
use svc_contract::registry::documents::Cite;

const BLOCKS: &[&str] = &[
    "# Bridges\n\n",
    "The bridge was opened in May 1937. It is 2,737 m long, e.g. longer than 2 km. ",
    "Die Brücke wurde am 3. Mai 1937 eröffnet. Sie ist rot. ",
    "- the bridge is red\n- **the bridge** has `two` towers of steel and stone\n\n",
    "| bridge | length |\n|---|---|\n| Golden Gate bridge of the bay | 2,737 |\n\n",
    "```text\nbridge open --at 1937 --who is never cut\n```\n\n",
    "\n\u{c}\n",
    "Who built the bridge? Joseph Strauss built the bridge with [many others](x.md). 🌉 ",
    "橋は1937年に開通した。橋は赤い。",
    "\r\n\r\n",
];

const SCRIPT: &str = "param docs: [Hit]
param question: string
let whole = docs >> ctx_rag.answer(query: question)
let cut = docs
  >> rag_retrieval(query: question, passage_tokens: 30, top_k: 100)
  >> ctx_rag.answer(query: question)
whole.sources + cut.sources";

/// Documents, each with its text, where it starts in its file, and whether the text is the file's own.
fn documents() -> impl Strategy<Value = Vec<(String, usize, bool)>> {
    let text =
        prop::collection::vec(prop::sample::select(BLOCKS), 1..12).prop_map(|it| it.concat());
    prop::collection::vec((text, 0..2_000_usize, any::<bool>()), 1..4)
}

fn hit(at: usize, (text, start, is_own): &(String, usize, bool)) -> Value {
    let (start, end) = if *is_own { (*start, start + text.len()) } else { (0, 3 * text.len() + 7) };
    json!({
        "id": format!("{at}.md"), "title": "Bridges", "path": format!("{at}.md"), "text": text,
        "query": "bridge", "score": 1.0, "snippet": "", "start": start, "end": end, "page": null,
    })
}

fn holds(documents: &[(String, usize, bool)], cite: &Cite) -> Result<(), TestCaseError> {
    let at: usize = cite.path.trim_end_matches(".md").parse().unwrap();
    let (text, first, is_own) = &documents[at];
    let first = if *is_own { *first } else { 0 };
    let place = |it: i64| usize::try_from(it).unwrap() - first;
    let (start, end) = (place(cite.start), place(cite.end));
    prop_assert_eq!(text.get(start..end), Some(cite.text.as_ref()));
    let pages = text.contains('\u{c}').then(|| text[..start].matches('\u{c}').count() + 1);
    prop_assert_eq!(cite.page, pages.map(|it| i64::try_from(it).unwrap()));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn sentences_stand_where_their_sources_say(documents in documents()) {
        let engine = svc::engine();
        let hits: Vec<Value> = documents.iter().enumerate().map(|(at, it)| hit(at, it)).collect();
        let run = engine
            .run(SCRIPT)
            .param_serde("docs", &hits)
            .param("question", "when was the bridge opened, and who built the red bridge?");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let found: Vec<Cite> = runtime.block_on(async { run.await }).unwrap().get().unwrap();
        let is_answered = documents.iter().any(|(text, ..)| text.contains("opened in May 1937"));
        prop_assert!(!is_answered || !found.is_empty());
        for cite in &found {
            holds(&documents, cite)?;
        }
    }
}
