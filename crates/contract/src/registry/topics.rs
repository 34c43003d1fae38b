//! What users ask for, in one index: ops, words of the language, flows of the standard library, and
//! codes of problems.

use std::ops::Range;

use svc_text::search::{Page, Place, Search};

use super::{OpRef, Param, Registry};

/// One thing that users ask for.
#[derive(Clone, Debug)]
pub struct Topic {
    pub subject: Subject,
    /// As scripts write it: `upper`, `sort`, `panel.vote`, `E203`.
    pub name: String,
    /// Further words that name it.
    pub other_names: String,
    /// Phrasings in which users ask for it.
    pub says: Vec<String>,
    pub summary: String,
    pub details: String,
    /// How it is written: parameters and result of an op, forms of a word.
    pub signature: String,
    /// A script that shows its use.
    pub example: String,
}

/// What a topic is about.
#[derive(Clone, Copy, Debug)]
pub enum Subject {
    Op(OpRef),
    /// A word or sign of the language.
    Construct,
    /// A flow of the module `std:NAME`.
    Flow(&'static str),
    /// The code of a problem.
    Code,
}

/// A topic that matches a question.
#[derive(Clone, Debug)]
pub struct Ranked<'t> {
    pub topic: &'t Topic,
    /// Higher is better, comparable within one question.
    pub score: f64,
    /// The words of the question that it has, as byte ranges, with their place in the topic;
    /// without stop words.
    pub words: Vec<(Range<usize>, Place)>,
}

/// The index of all topics.
pub struct Topics {
    all: Vec<Topic>,
    search: Search,
}

impl Topics {
    /// The ops of a registry, and the topics of the language.
    pub fn of(registry: &Registry, others: impl IntoIterator<Item = Topic>) -> Self {
        let components = registry.components().iter().copied();
        let ops = components
            .flat_map(|component| component.ops.iter().map(move |op| OpRef { component, op }));
        let all: Vec<Topic> = ops.map(Topic::of_op).chain(others).collect();
        let search = Search::of(all.iter().map(page));
        Self { all, search }
    }

    /// The topics that match a question in plain words, best first.
    pub fn find(&self, question: &str) -> Vec<Ranked<'_>> {
        let found = self.search.find(question).into_iter();
        let ranked =
            found.map(|it| Ranked { topic: &self.all[it.page], score: it.score, words: it.words });
        ranked.filter(|it| !it.words.is_empty()).collect()
    }

    /// How much a word says about a topic: 0 if no topic has it.
    pub fn rarity(&self, word: &str) -> f64 {
        self.search.rarity(word)
    }

    /// A word that no topic has, as the one that is spelt nearly the same.
    pub fn respelt(&self, word: &str) -> Option<&str> {
        self.search.respelt(word)
    }

    pub fn all(&self) -> &[Topic] {
        &self.all
    }
}

impl Ranked<'_> {
    /// The reason for the match, in words: the places of the words of the question.
    pub fn why(&self, question: &str) -> String {
        let mut places: Vec<(Place, Vec<String>)> = Vec::new();
        for (range, place) in &self.words {
            let word = format!("`{}`", question[range.clone()].to_lowercase());
            match places.iter_mut().find(|it| it.0 == *place) {
                Some((_, words)) if words.contains(&word) => {}
                Some((_, words)) => words.push(word),
                None => places.push((*place, vec![word])),
            }
        }
        places.sort_by_key(|it| it.0);
        let phrase = |(place, words): &(Place, Vec<String>)| {
            format!("{} in {}", words.join(", "), phrase(*place))
        };
        places.iter().map(phrase).collect::<Vec<_>>().join("; ")
    }
}

fn phrase(place: Place) -> &'static str {
    match place {
        Place::Name => "its name",
        Place::Phrase => "what users call it",
        Place::Summary => "its summary",
        Place::Details => "its documentation",
    }
}

impl Subject {
    /// `op`, `construct`, `flow` or `code`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Op(_) => "op",
            Self::Construct => "construct",
            Self::Flow(_) => "flow",
            Self::Code => "code",
        }
    }
}

impl Topic {
    pub fn op(&self) -> Option<OpRef> {
        match self.subject {
            Subject::Op(op) => Some(op),
            _ => None,
        }
    }

    /// Whether it is part of a script: everything but a code.
    pub fn is_of_scripts(&self) -> bool {
        !matches!(self.subject, Subject::Code)
    }

    fn of_op(it: OpRef) -> Self {
        let OpRef { component, op } = it;
        let (name, is_only) = (it.script_name(), component.ops.len() == 1);
        let aliases = component.aliases.iter().filter(|(_, of)| *of == op.name).map(|(it, _)| *it);
        let own = (op.name != "infer").then_some(op.name);
        let names = aliases.chain(own).chain(is_only.then_some(component.name));
        let params = op.params.iter().flat_map(|it| [it.name, it.doc]);
        let titles = op.examples.iter().map(|it| it.title);
        let of_component = [component.name, component.summary];
        let details = [op.doc].into_iter().chain(params).chain(titles).chain(of_component);
        let signature: Vec<String> = op.params.iter().map(Param::signature).collect();
        Self {
            subject: Subject::Op(it),
            other_names: joined(names),
            says: op.says.iter().map(|it| (*it).to_owned()).collect(),
            summary: op.summary().replace('\n', " "),
            details: joined(details),
            signature: format!("{name}({}) -> {}", signature.join(", "), op.yields.show()),
            example: op.examples.first().map_or("", |it| it.script).to_owned(),
            name,
        }
    }
}

fn joined<'s>(parts: impl Iterator<Item = &'s str>) -> String {
    parts.collect::<Vec<_>>().join(" ")
}

fn page(topic: &Topic) -> Page {
    Page {
        names: format!("{} {}", topic.name, topic.other_names),
        phrases: topic.says.clone(),
        summary: topic.summary.clone(),
        details: topic.details.clone(),
    }
}
