//! The user's book and the documentation of all topics, for questions.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use svc_contract::registry::{Subject, Topic, Topics};
use svc_text::{
    blocks::{Kind, blocks},
    plain::plain,
    search::{Page as Searched, Search},
    sentences::sentences,
    stems::{Term, Vocabulary, Word},
};

/// The chapters that answer users' questions.
const FILES: [(&str, &str); 25] = [
    ("docs/getting-started.md", include_str!("../../../docs/getting-started.md")),
    ("docs/language.md", include_str!("../../../docs/language.md")),
    ("docs/components.md", include_str!("../../../docs/components.md")),
    ("docs/learning.md", include_str!("../../../docs/learning.md")),
    ("docs/bounds.md", include_str!("../../../docs/bounds.md")),
    ("docs/proofs.md", include_str!("../../../docs/proofs.md")),
    ("docs/models.md", include_str!("../../../docs/models.md")),
    ("docs/agents.md", include_str!("../../../docs/agents.md")),
    ("docs/apis.md", include_str!("../../../docs/apis.md")),
    ("docs/mcp-servers.md", include_str!("../../../docs/mcp-servers.md")),
    ("docs/tables.md", include_str!("../../../docs/tables.md")),
    ("docs/policy.md", include_str!("../../../docs/policy.md")),
    ("docs/runs.md", include_str!("../../../docs/runs.md")),
    ("docs/tools.md", include_str!("../../../docs/tools.md")),
    ("docs/serving.md", include_str!("../../../docs/serving.md")),
    ("docs/access.md", include_str!("../../../docs/access.md")),
    ("docs/mcp.md", include_str!("../../../docs/mcp.md")),
    ("docs/embedding.md", include_str!("../../../docs/embedding.md")),
    ("docs/blocks.md", include_str!("../../../docs/blocks.md")),
    ("docs/guide.md", include_str!("../../../docs/guide.md")),
    ("docs/repl.md", include_str!("../../../docs/repl.md")),
    ("docs/stdlib.md", include_str!("../../../docs/stdlib.md")),
    ("docs/observability.md", include_str!("../../../docs/observability.md")),
    ("docs/other-languages.md", include_str!("../../../docs/other-languages.md")),
    ("docs/errors.md", ERRORS),
];

/// Its entries of codes are topics.
const ERRORS: &str = include_str!("../../../docs/errors.md");

/// The number of passages whose sentences are compared.
const NEAREST: usize = 40;

/// How much a passage counts by itself; the words that its best sentences have count 1.
const OF_PASSAGE: f64 = 1.0;

/// Precedes the phrasings of users, in a comment below a heading.
const ASKED: &str = "<!-- asked as:";

/// A page of the book.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// `bounds`.
    pub name: &'static str,
    /// Its first heading.
    pub title: &'static str,
    pub text: &'static str,
}

/// The pages of the book, and the language on one page.
pub fn pages() -> impl Iterator<Item = Page> {
    let card = ("docs/card.md", super::CARD);
    [card].into_iter().chain(FILES).map(|(path, text)| {
        let name = path.trim_start_matches("docs/").trim_end_matches(".md");
        let title = text.lines().find_map(|it| it.strip_prefix("# ")).unwrap_or(name);
        Page { name, title, text }
    })
}

/// A part of the documentation under one heading.
struct Passage {
    source: String,
    heading: String,
    says: Vec<String>,
    text: String,
}

/// A passage that answers a question.
pub(super) struct Found {
    /// The place of the passage: `docs/bounds.md: Time`, or `svc inspect search`.
    pub(super) source: String,
    /// The sentences that match the question best, in their order.
    pub(super) sentences: Vec<String>,
}

/// The chapters, indexed once for questions.
static CHAPTERS: LazyLock<Chapters> = LazyLock::new(|| {
    let passages: Vec<Passage> =
        FILES.into_iter().flat_map(|(name, text)| chapter(name, text)).collect();
    let search = Search::of(passages.iter().map(page));
    Chapters { passages, search }
});

struct Chapters {
    passages: Vec<Passage>,
    search: Search,
}

/// The chapters, and the documentation of all topics.
pub(super) struct Book<'t> {
    topics: &'t Topics,
}

impl<'t> Book<'t> {
    pub(super) fn of(topics: &'t Topics) -> Self {
        Self { topics }
    }

    /// Returns the passages that answer a question best, best first.
    pub(super) fn find(&self, question: &str, most: usize) -> Vec<Found> {
        let mut words = Vocabulary::default();
        let asked = words.question(question);
        let all: Vec<Word> = words.read(question).collect();
        let content = all.into_iter().filter(|it| asked.contains(&it.term));
        let total: f64 = content.map(|it| self.rarity(&question[it.range])).sum();
        let mut found: Vec<(f64, Found)> = self
            .nearest(question)
            .map(|(score, source, text)| {
                let (sentences, weight) = self.best(&text, &asked, &mut words);
                let quoted = weight / total.max(f64::MIN_POSITIVE);
                (score * (OF_PASSAGE + quoted), Found { source, sentences })
            })
            .collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut sources = BTreeSet::new();
        let found = found.into_iter().map(|it| it.1);
        found.filter(|it| sources.insert(it.source.clone())).take(most).collect()
    }

    /// The passages and topics with words of a question: the score, the source and the text of each.
    fn nearest(&self, question: &str) -> impl Iterator<Item = (f64, String, String)> {
        let found = CHAPTERS.search.find(question).into_iter().filter(|it| !it.words.is_empty());
        let passages = found.take(NEAREST).map(|it| {
            let passage = &CHAPTERS.passages[it.page];
            (it.score, passage.source.clone(), passage.text.clone())
        });
        let topics = self.topics.find(question).into_iter().take(NEAREST);
        passages.chain(topics.map(|it| (it.score, source(it.topic), text(it.topic))))
    }

    /// How much a word says about a passage or a topic.
    fn rarity(&self, word: &str) -> f64 {
        CHAPTERS.search.rarity(word).max(self.topics.rarity(word))
    }

    /// The first sentence of a text and the two that match the question best, in their order, and
    /// the weight of the words that they match; earlier ones where they match equally well.
    fn best(&self, text: &str, asked: &[Term], words: &mut Vocabulary) -> (Vec<String>, f64) {
        const MOST: usize = 2;
        let all: Vec<&str> = sentences(text).map(|it| text[it].trim()).collect();
        let mut matched = |sentence: &str| -> BTreeMap<Term, f64> {
            let read: Vec<Word> = words.read(sentence).collect();
            let found = read.into_iter().filter(|it| asked.contains(&it.term));
            let weight = |it: Word| (it.term, self.rarity(&sentence[it.range]));
            found.map(weight).collect()
        };
        let mut ranked: Vec<(usize, BTreeMap<Term, f64>)> =
            all.iter().enumerate().map(|(idx, it)| (idx, matched(it))).collect();
        let weight = |it: &BTreeMap<Term, f64>| it.values().sum::<f64>();
        ranked.sort_by(|a, b| weight(&b.1).total_cmp(&weight(&a.1)));
        ranked.truncate(MOST);
        // The first sentence says what a section is about.
        if ranked.iter().all(|it| it.0 != 0)
            && let Some(first) = all.first()
        {
            ranked.push((0, matched(first)));
        }
        ranked.sort_by_key(|it| it.0);
        let quoted = ranked.iter().map(|it| plain(all[it.0]).trim().to_owned()).collect();
        (quoted, weight(&ranked.into_iter().flat_map(|it| it.1).collect()))
    }
}

fn page(passage: &Passage) -> Searched {
    Searched {
        names: passage.heading.clone(),
        phrases: passage.says.clone(),
        summary: passage.text.clone(),
        details: String::new(),
    }
}

/// Returns the parts of a chapter, each under its own heading; code is left out.
fn chapter(name: &str, text: &str) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    let mut title = "";
    for block in blocks(text) {
        let body = text[block.body.clone()].trim();
        match block.kind {
            Kind::Heading(level) => {
                title = if level == 1 { body } else { title };
                let heading = if level == 1 { body.to_owned() } else { format!("{title}: {body}") };
                let source = format!("{name}: {body}");
                passages.push(Passage { source, heading, says: Vec::new(), text: String::new() });
            }
            Kind::Markup => {
                let asked = body.strip_prefix(ASKED).and_then(|it| it.split_once("-->"));
                if let (Some(open), Some((asked, _))) = (passages.last_mut(), asked) {
                    open.says.extend(asked.split(';').map(|it| it.trim().to_owned()));
                }
            }
            Kind::Table => {
                if let Some(open) = passages.last_mut() {
                    open.text.extend(body.lines().skip(2).map(row));
                }
            }
            _ if block.is_prose() => {
                if let Some(open) = passages.last_mut() {
                    open.text.push_str(body);
                    open.text.push_str("\n\n");
                }
            }
            _ => {}
        }
    }
    passages.retain(|it| !it.text.is_empty() && !is_code(&it.source));
    passages
}

/// A row of a table as a sentence.
fn row(line: &str) -> String {
    let cells = line.trim().trim_matches('|').split(" | ").map(str::trim);
    format!("{}.\n\n", cells.filter(|it| !it.is_empty()).collect::<Vec<_>>().join(": "))
}

/// Whether a section of the chapter on errors is the entry of a code, which is a topic: `E203: ..`.
fn is_code(source: &str) -> bool {
    let heading = source.strip_prefix("docs/errors.md: E");
    heading.is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()))
}

/// The command that shows a topic.
fn source(topic: &Topic) -> String {
    let name = &topic.name;
    match topic.subject {
        Subject::Op(_) | Subject::Construct => format!("svc inspect {name}"),
        Subject::Flow(module) => format!("svc inspect std:{module}"),
        Subject::Code => format!("svc explain {name}"),
    }
}

/// The documentation of an op, a word, a flow or a code.
fn text(topic: &Topic) -> String {
    let Topic { subject, name, summary, details, .. } = topic;
    match subject {
        Subject::Op(op) => {
            let params = op.op.params.iter().map(|it| format!("`{}`: {}", it.name, it.summary()));
            format!("{}\n\n{}\n", op.op.text(), params.collect::<Vec<_>>().join("\n\n"))
        }
        Subject::Code => format!("{name}: {summary}.\n\n{details}\n"),
        Subject::Construct | Subject::Flow(_) => format!("{summary}\n\n{}\n", details.trim()),
    }
}
