//! The user's book and the registry's documentation as passages, for questions.

use std::collections::BTreeSet;

use svc_contract::registry::{OpRef, Registry};
use svc_text::{
    blocks::{Kind, blocks},
    bm25::Ranking,
    plain::plain,
    sentences::sentences,
    stems::{Term, Vocabulary},
};

/// The chapters that answer users' questions.
const CHAPTERS: [(&str, &str); 11] = [
    ("docs/getting-started.md", include_str!("../../../docs/getting-started.md")),
    ("docs/language.md", include_str!("../../../docs/language.md")),
    ("docs/components.md", include_str!("../../../docs/components.md")),
    ("docs/learning.md", include_str!("../../../docs/learning.md")),
    ("docs/bounds.md", include_str!("../../../docs/bounds.md")),
    ("docs/models.md", include_str!("../../../docs/models.md")),
    ("docs/policy.md", include_str!("../../../docs/policy.md")),
    ("docs/runs.md", include_str!("../../../docs/runs.md")),
    ("docs/tools.md", include_str!("../../../docs/tools.md")),
    ("docs/embedding.md", include_str!("../../../docs/embedding.md")),
    ("docs/blocks.md", include_str!("../../../docs/blocks.md")),
];

/// The weight of a word in a heading; a word in the text has weight 1.
const OF_HEADING: f64 = 3.0;

/// A part of the documentation under one heading.
pub(super) struct Passage {
    /// The place of the passage: `docs/bounds.md: Time`, or `svc inspect search`.
    pub(super) source: String,
    heading: String,
    text: String,
}

/// A passage that answers a question.
pub(super) struct Found<'b> {
    pub(super) passage: &'b Passage,
    /// The sentences that match the question best, in their order.
    pub(super) sentences: Vec<String>,
}

/// All passages, indexed for questions.
pub(super) struct Book {
    words: Vocabulary,
    passages: Vec<Passage>,
    ranking: Ranking,
}

impl Book {
    pub(super) fn of(registry: &Registry) -> Self {
        let chapters = CHAPTERS.into_iter().flat_map(|(name, text)| chapter(name, text));
        let ops = registry.components().iter().copied().flat_map(|component| {
            component.ops.iter().map(move |op| of_op(OpRef { component, op }))
        });
        let passages: Vec<Passage> = chapters.chain(ops).collect();
        let mut words = Vocabulary::default();
        let mut terms = |it: &Passage| {
            let heading = words.terms(&it.heading).into_iter().map(|it| (it, OF_HEADING));
            let heading: Vec<_> = heading.collect();
            heading
                .into_iter()
                .chain(words.terms(&it.text).into_iter().map(|it| (it, 1.0)))
                .collect()
        };
        let ranking = Ranking::of(passages.iter().map(&mut terms).collect::<Vec<_>>());
        Self { words, passages, ranking }
    }

    /// Returns the passages that answer a question best, best first.
    pub(super) fn find(&mut self, question: &str, most: usize) -> Vec<Found<'_>> {
        let asked = self.words.question(question);
        let score = |idx: usize| asked.iter().map(|it| self.ranking.score(idx, *it)).sum::<f64>();
        let mut ranked: Vec<(usize, f64)> =
            (0..self.passages.len()).map(|idx| (idx, score(idx))).filter(|it| it.1 > 0.0).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (words, ranking) = (&mut self.words, &self.ranking);
        let found = |(idx, _): (usize, f64)| {
            let passage = &self.passages[idx];
            Found { passage, sentences: best(&passage.text, &asked, words, ranking) }
        };
        ranked.into_iter().take(most).map(found).collect()
    }
}

/// Returns the two sentences of a text that match the question best, in their order.
fn best(text: &str, asked: &[Term], words: &mut Vocabulary, ranking: &Ranking) -> Vec<String> {
    const MOST: usize = 2;
    let all: Vec<&str> = sentences(text).map(|it| text[it].trim()).collect();
    let mut weigh = |sentence: &str| {
        let terms: BTreeSet<Term> = words.terms(sentence).into_iter().collect();
        let found = asked.iter().filter(|it| terms.contains(it));
        found.map(|it| ranking.idf(*it)).sum::<f64>()
    };
    let mut ranked: Vec<(usize, f64)> =
        all.iter().enumerate().map(|(idx, it)| (idx, weigh(it))).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut chosen: Vec<usize> = ranked.into_iter().take(MOST).map(|(idx, _)| idx).collect();
    chosen.sort_unstable();
    chosen.into_iter().map(|idx| plain(all[idx]).trim().to_owned()).collect()
}

/// Returns the parts of a chapter, each under its own heading; code and tables are left out.
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
                passages.push(Passage { source, heading, text: String::new() });
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
    passages.retain(|it| !it.text.is_empty());
    passages
}

/// The documentation of an op.
fn of_op(op: OpRef) -> Passage {
    let name = op.script_name();
    let params = op.op.params.iter().map(|it| format!("`{}`: {}", it.name, it.summary()));
    let params: Vec<String> = params.collect();
    Passage {
        source: format!("svc inspect {name}"),
        heading: name,
        text: format!("{}\n\n{}\n", op.op.text(), params.join("\n\n")),
    }
}
