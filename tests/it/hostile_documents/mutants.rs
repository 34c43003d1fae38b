//! Documents with random changes: the same ones in each run, or new ones for a time: `SVC_FUZZ=600`
//! is ten minutes each. No reader may panic, take too long, or use much memory.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use fastrand::Rng;
use svc_contract::value::json;
use svc_documents::{Document, Sink, Source, extract};
use svc_host_os::OsHost;

use super::{memory, pdf, report};

/// The memory limit of the process, in kilobytes. Other tests of this binary count too, so it is
/// checked only if nothing else runs.
const MOST: u64 = 512 << 10;

/// The time limit of a document of this size, on a machine with other load.
const LONGEST: Duration = Duration::from_mins(2);

/// The number of documents without `SVC_FUZZ`.
const CASES: u64 = 60;

/// The size limit of a mutant.
const LARGEST: usize = 256 << 10;

/// The results of the documents.
#[derive(Default)]
pub(super) struct Found {
    outcomes: BTreeMap<String, u64>,
    documents: u64,
}

impl Found {
    /// Counts something that was read.
    pub(super) fn add(&mut self) {
        self.documents += 1;
    }
}

impl Sink for Found {
    fn document(&mut self, document: Document) {
        assert!(document.start <= document.end);
        self.documents += 1;
    }

    fn notice(&mut self, _: Option<u64>, message: String) {
        let outcome = message.split([':', '(']).take(2).collect::<Vec<_>>().join(":");
        let outcome: String = outcome.chars().filter(|it| !it.is_ascii_digit()).take(60).collect();
        *self.outcomes.entry(outcome).or_default() += 1;
    }

    fn is_stopped(&self) -> bool {
        false
    }
}

/// A document with some changes: bytes, words of the format, pieces that are repeated, removed, or
/// taken from another document.
fn mutant(rng: &mut Rng, seeds: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
    let mut bytes = rng.choice(seeds).unwrap().clone();
    for _ in 0..rng.usize(1..8) {
        let at = rng.usize(..=bytes.len());
        let length = 1 << rng.u32(0..12);
        let end = rng.usize(at..=bytes.len().min(at + length));
        match rng.u8(0..7) {
            0 if at < bytes.len() => bytes[at] = rng.u8(..),
            1 => drop(bytes.drain(at..end)),
            2 => drop(bytes.splice(at..at, rng.choice(words).unwrap().bytes())),
            3 => drop(bytes.splice(at..end, rng.choice(words).unwrap().bytes())),
            4 => {
                let times = 1 << rng.u32(0..14);
                let piece = bytes[at..end].repeat(times.min(1 + LARGEST / (1 + end - at)));
                bytes.splice(at..at, piece);
            }
            5 => {
                let word = rng.choice(words).unwrap();
                let times = 1 << rng.u32(0..16);
                bytes.splice(at..at, word.repeat(times.min(LARGEST / (1 + word.len()))).bytes());
            }
            _ => {
                let other = rng.choice(seeds).unwrap();
                let from = rng.usize(..=other.len());
                bytes.splice(at..end, other[from..].iter().copied());
            }
        }
        bytes.truncate(LARGEST);
    }
    bytes
}

/// Reads mutants.
pub(super) fn fuzz(
    format: &str,
    seeds: &[Vec<u8>],
    words: &[&str],
    mut read: impl FnMut(&mut Found, &[u8]),
) {
    let time = std::env::var("SVC_FUZZ").ok().and_then(|it| it.parse().ok());
    let time = time.map(Duration::from_secs);
    let mut rng = Rng::with_seed(if time.is_some() { fastrand::u64(..) } else { 11 });
    let (mut found, begun, mut count, mut slowest) =
        (Found::default(), Instant::now(), 0_u64, Duration::ZERO);
    while time.map_or(count < CASES, |it| begun.elapsed() < it) {
        let seed = rng.get_seed();
        let bytes = mutant(&mut rng, seeds, words);
        let started = Instant::now();
        read(&mut found, &bytes);
        let took = started.elapsed();
        assert!(took < LONGEST, "{format}: {took:?} with seed {seed}");
        slowest = slowest.max(took);
        count += 1;
    }
    let most = memory(std::process::id());
    assert!(time.is_none() || most < MOST, "{format}: {most} kB");
    let Found { outcomes, documents } = found;
    report(&format!(
        "{format}: {count} executions, {documents} documents, slowest {slowest:?}, {most} kB, {outcomes:?}"
    ));
}

fn read_file(found: &mut Found, host: &OsHost, name: &str, bytes: &[u8]) {
    let source = Source { name, size: bytes.len() as u64, input: &mut &*bytes, host };
    match extract(source, found) {
        // The reader's own limit, which depends on the load of the machine.
        Err(err) if err.kind() == std::io::ErrorKind::TimedOut => {
            found.notice(None, err.to_string());
        }
        read => read.unwrap(),
    }
}

#[test]
fn mutants_of_pdfs() {
    let mut rng = Rng::with_seed(3);
    let mut seeds: Vec<_> = (0..4)
        .flat_map(|_| pdf::SHAPES.iter().map(|(_, make)| make(&mut rng)).collect::<Vec<_>>())
        .filter(|it| it.len() < 16 << 10)
        .collect();
    seeds.push(pdf::good("a text"));
    let words = [
        "obj",
        "endobj",
        "stream",
        "endstream",
        "xref",
        "trailer",
        "startxref",
        "<<",
        ">>",
        "[",
        "]",
        "(",
        ")",
        "/Kids",
        "/Count 2147483647",
        "/Length 99999999999",
        "/Prev 0",
        "/Type/Pages",
        "/Type/ObjStm",
        "/N 999999999",
        "/First -1",
        "/Filter/FlateDecode",
        "/FlateDecode",
        "/LZWDecode",
        "/ASCII85Decode",
        "/DecodeParms<</Predictor 15/Columns 2147483647>>",
        "1 0 R",
        "4 0 R",
        "q ",
        "[]TJ ",
        "Tj",
        "BT",
        "/Encrypt",
        "/W[9 9 9]",
        "/Index[0 4294967295]",
        "beginbfrange",
        "<0000><ffff>",
        "\0",
        "%",
    ];
    let host = OsHost::default().working_in(assert_cmd::cargo::cargo_bin!("svc"));
    fuzz("pdf", &seeds, &words, |found, bytes| read_file(found, &host, "a.pdf", bytes));
}

#[test]
fn mutants_of_pages() {
    let seeds = [
        "<!doctype html><head><title>T</title></head><body><h1>H</h1><p>a <b>b <i>c</b> d</i><table><tr><td>1<td>2</table><ul><li>x</ul><pre>\n y</pre>",
        "<p><b a><b b><p>x<p>y<template><p>z</template><svg><title>t</title><foreignObject><p>q</svg>",
        "<table><b><tr><td><select><option>a<option>b</select></table></b><form><input></form>",
        "<script>if (a<b) {}</script><style>p{}</style><!-- c --><textarea>t</textarea><a href='x'>l</a>",
        "<frameset><frame></frameset><noframes>x</noframes><math><mi><p>y</math><ruby>a<rt>b</ruby>",
    ];
    let seeds: Vec<_> = seeds.iter().map(|it| it.as_bytes().to_vec()).collect();
    let words = [
        "<b>",
        "</b>",
        "<p>",
        "<p>x",
        "<a>",
        "<nobr>",
        "<table>",
        "<tr>",
        "<td>",
        "<template>",
        "</template>",
        "<svg>",
        "<math>",
        "<select>",
        "<button>",
        "<li>",
        "<div>",
        "</div>",
        "<h1>",
        "<form>",
        "<frameset>",
        "<body a=b>",
        "<html c=d>",
        "<script>",
        "</script>",
        "<!--",
        "-->",
        "<![CDATA[",
        "&amp;",
        "&#x10ffff;",
        "&",
        "<",
        ">",
        "\"",
        "'",
        " a=b",
        " a",
        "=",
        "/",
        "\0",
        "<title>",
        "<pre>",
        "<font size=1>",
        "<optgroup>",
        "<rt>",
        "<object>",
    ];
    let host = OsHost::default();
    fuzz("html", &seeds, &words, |found, bytes| {
        read_file(found, &host, "a.html", bytes);
    });
}

#[test]
fn mutants_of_json() {
    let seeds = [
        r#"[{"id":"a","text":"x","title":"T"},{"id":2,"text":"y"}]"#,
        "{\"id\":1,\"text\":\"a\"}\n{\"id\":\"b\",\"text\":\"\\u00e9\\ud83d\\ude00\"}\n",
        r#"{"a":[1,2.5e3,-0,null,true,{"b":{}}],"":"\n"}"#,
        "[[[[1]]]]",
    ];
    let seeds: Vec<_> = seeds.iter().map(|it| it.as_bytes().to_vec()).collect();
    let words = [
        "[",
        "]",
        "{",
        "}",
        ":",
        ",",
        "\"",
        "\\",
        "\\u0000",
        "\\ud800",
        "1e999",
        "-",
        "0",
        "18446744073709551616",
        "null",
        "true",
        "\"id\":",
        "\"text\":",
        "{\"id\":",
        "\n",
        "\u{feff}",
        "\0",
        "\"a\":1,",
    ];
    let host = OsHost::default();
    fuzz("json", &seeds, &words, |found, bytes| {
        read_file(found, &host, "a.json", bytes);
        read_file(found, &host, "a.jsonl", bytes);
        if let Ok(value) = json::read(&String::from_utf8_lossy(bytes)) {
            let text = json::write(&value);
            assert_eq!(json::write(&json::read(&text).unwrap()), text);
        }
    });
}

#[test]
fn mutants_of_tables() {
    let seeds = ["name,town\n\"Doe, Ann\",Oslo\r\n", "a\tb\n\n\"x\"\"y\",\"\nz\"", ";;;\n1,2\r"];
    let seeds: Vec<_> = seeds.iter().map(|it| it.as_bytes().to_vec()).collect();
    let words = [",", "\"", "\n", "\r", "\"\"", "a", ";", "\t", "\u{feff}", "é", ",,,,"];
    let engine = svc::engine();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    fuzz("csv", &seeds, &words, |found, bytes| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        match runtime.block_on(async { engine.run("parse_csv").input(text.as_str()).await }) {
            Ok(_) => found.documents += 1,
            Err(err) => found.notice(None, err.kind().unwrap().name().to_owned()),
        }
    });
}

#[test]
fn mutants_of_text() {
    let seeds =
        ["---\ntitle: T\n---\n# A `b`\n\n* c\n> d\n", "plain\nwords. And more.", "caf\u{e9}"];
    let seeds: Vec<_> = seeds.iter().map(|it| it.as_bytes().to_vec()).collect();
    let words =
        ["#", "[", "]", "(", "*", "_", "`", "> ", "---\n", "title:", "\0", "|", "<", "&", "\t"];
    let host = OsHost::default();
    fuzz("text", &seeds, &words, |found, bytes| {
        read_file(found, &host, "a.md", bytes);
        read_file(found, &host, "a.txt", bytes);
    });
}
