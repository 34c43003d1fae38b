//! Which sentences of documents answer a question, and how sure that is, without a model of
//! language.
//!
//! The words of the question are looked for in each sentence, in its neighbours, its paragraph with
//! the headings above it, and its document. Two logistic models, fitted to questions with known
//! answers, turn this into an order of the sentences and into the probability that the first ones
//! answer. Half of the questions of the fit have no answer in the documents although these are about
//! the same subject.
//!
//! **Invariant:** the time is linear in the size of the documents, plus a constant number of closer
//! comparisons.

mod ages;
mod amounts;
mod continuing;
mod evidence;
mod extremes;
mod features;
mod halves;
mod irregular;
mod kinds;
mod layout;
mod letters;
mod light;
mod located;
mod question;
mod reading;
mod records;
mod shapes;
mod shown;
mod signs;
mod slips;
mod spelling;
mod synonyms;
mod thesaurus;
mod topics;
mod weights;
mod wordings;
mod words;

use std::ops::Range;

use crate::language;
use evidence::Candidate;
use question::{Follows, Question};
use reading::{Form, Place, Read};
use shown::Shown;
use topics::Topic;
use words::Words;

/// A document.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub title: &'a str,
    pub text: &'a str,
}

/// A sentence of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The index of its document.
    pub source: usize,
    pub range: Range<usize>,
    /// Its text without markup.
    pub text: String,
    /// The headings above it, the outermost first.
    pub headings: Vec<String>,
}

/// What documents say to a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// The sentences that answer best, in the order in which they are read.
    pub sentences: Vec<Sentence>,
    /// The probability that they answer, from 0 to 1.
    pub confidence: f64,
    /// The words of the question that no document has.
    pub unknown: Vec<String>,
    /// The best sentence of each of the documents that are nearest to the question, the best first.
    pub nearest: Vec<Sentence>,
}

/// How certain it is that two answers make a comparison.
const BOTH: f64 = 0.88;

/// Two answers are shown if they are at least this certain, of how certain the whole answer is.
const LEAST_OF_BOTH: f64 = 0.5;

#[doc(hidden)]
pub type Explained = (Sentence, Vec<f64>, f64);

/// A question with the sentences that may answer it.
struct Answered {
    question: Question,
    ranked: Vec<Candidate>,
}

impl Answered {
    /// How much of the question is in its best sentence and the ones around.
    fn coverage(&self) -> f64 {
        self.ranked.first().map_or(0.0, |it| it.features[0] + it.features[1])
    }
}

/// How many sentences are compared closely.
const CLOSELY: usize = 40;

/// Of how many documents the nearest sentence is named.
const NEAREST: usize = 3;

/// Documents, ready for questions.
pub struct Library {
    read: Read,
}

impl Library {
    /// Reads documents. `pause` is called every few milliseconds of work; an error of it ends the
    /// reading.
    pub fn read<E>(sources: &[Source], pause: impl FnMut() -> Result<(), E>) -> Result<Self, E> {
        let language = language::most(sources.iter().map(|it| it.text));
        let read = Read::of(sources, Words::of(language), pause)?;
        Ok(Self { read })
    }

    /// Answers a question with at most `most` sentences. `before` are earlier questions, the last one
    /// last, on which a short question may depend.
    pub fn answer(&self, question: &str, before: &[&str], most: usize) -> Reply {
        let whole = self.reply(self.best(question, before), most);
        let halves = halves::halves(question).filter(|_| most > 1);
        let Some([one, other]) =
            halves.map(|it| it.map(|it| self.reply(self.asked(&it, &[], &[]), 1)))
        else {
            return whole;
        };
        let both = BOTH * one.confidence.min(other.confidence);
        if both <= LEAST_OF_BOTH * whole.confidence {
            return whole;
        }
        let confidence = both.max(whole.confidence);
        let mut sentences = one.sentences;
        // One sentence may say both.
        for it in other.sentences.into_iter().chain(whole.sentences) {
            if sentences.len() < most && sentences.iter().all(|other| other.text != it.text) {
                sentences.push(it);
            }
        }
        Reply { sentences, confidence, ..whole }
    }

    /// A question as it is answered best: with the words of the ones before, or as it is.
    fn best(&self, question: &str, before: &[&str]) -> Answered {
        let topics = self.topics(before);
        let whole = self.asked(question, before, &topics);
        if before.is_empty() || whole.question.follows == Follows::Not {
            return whole;
        }
        // A question that is whole by itself gains nothing from the words before.
        let alone = self.asked(question, &[], &topics);
        if whole.coverage() > alone.coverage() { whole } else { alone }
    }

    /// What the last questions were about, the last one last.
    fn topics(&self, before: &[&str]) -> Vec<Topic> {
        let mut topics = Vec::new();
        for at in before.len().saturating_sub(topics::QUESTIONS)..before.len() {
            // Thanks, and questions about something else.
            if !question::is_known(before[at], &self.read) {
                continue;
            }
            let question = Question::of(before[at], &before[..at], &topics, &self.read);
            let ranked = evidence::rank(&self.read, &question, CLOSELY);
            let best = ranked.first().map(|it| Topic::of(&self.read, it.sentence));
            topics = Topic::continued(topics, best);
        }
        topics
    }

    fn asked(&self, question: &str, before: &[&str], topics: &[Topic]) -> Answered {
        let question = Question::of(question, before, topics, &self.read);
        let ranked = evidence::rank(&self.read, &question, CLOSELY);
        Answered { question, ranked }
    }

    fn reply(&self, answered: Answered, most: usize) -> Reply {
        let Answered { question, ranked } = answered;
        let confidence = features::confidence(&self.read, &question, &ranked);
        let chosen = shown::choose(&self.read, &question, &ranked, most);
        Reply {
            sentences: chosen.into_iter().map(|it| self.joined(&it)).collect(),
            confidence,
            unknown: question.unknown(),
            nearest: self.nearest(&question, &ranked),
        }
    }

    /// For the fit of the weights: the best sentences with their features and scores, and the features
    /// of the certainty.
    #[doc(hidden)]
    pub fn explain(&self, question: &str, before: &[&str]) -> (Vec<Explained>, Vec<f64>) {
        let Answered { question, ranked } = self.best(question, before);
        let certainty = features::certainty(&self.read, &question, &ranked);
        let all = ranked.iter().map(|it| {
            let shown = self.joined(&shown::whole(&self.read, &question, it.sentence));
            (shown, it.features.to_vec(), it.score)
        });
        (all.collect(), certainty.to_vec())
    }

    fn sentence(&self, number: usize) -> Sentence {
        let Place { source, section, range, text, .. } = &self.read.places[number];
        let headings = self.read.sections[*section].headings.clone();
        Sentence { source: *source, range: range.clone(), text: text.clone(), headings }
    }

    /// Sentences as one: a heading with what is below it, the items of a list each on a line.
    fn joined(&self, shown: &Shown) -> Sentence {
        let mut all = shown.all.iter().map(|it| &self.read.places[*it]);
        let mut joined = self.sentence(shown.all.first().copied().unwrap_or(shown.best));
        let mut last = all.next();
        for place in all {
            let form = last.map_or(Form::Prose, |it| it.form);
            let joint = match form {
                _ if place.list.is_some() && last.is_none_or(|it| it.block != place.block) => {
                    "\n- "
                }
                _ if place.form == Form::Row => "\n- ",
                Form::Heading if !joined.text.ends_with(['?', '!', '.', ':']) => ": ",
                _ => " ",
            };
            joined.text = format!("{}{joint}{}", joined.text, place.text);
            joined.range.start = joined.range.start.min(place.range.start);
            joined.range.end = joined.range.end.max(place.range.end);
            last = Some(place);
        }
        joined
    }

    /// The best sentence of each of the nearest sources.
    fn nearest(&self, question: &Question, ranked: &[Candidate]) -> Vec<Sentence> {
        let mut nearest: Vec<Sentence> = Vec::new();
        for candidate in ranked {
            let source = self.read.places[candidate.sentence].source;
            if nearest.len() < NEAREST && nearest.iter().all(|it| it.source != source) {
                nearest.push(self.joined(&shown::whole(&self.read, question, candidate.sentence)));
            }
        }
        nearest
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of words and sentences are small")]
fn count(it: usize) -> f64 {
    it as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFFICE: &str = "# Office\n\nThe office in Kassel was opened in 2003 by Jana Vogel. It has room for \
        22 people. The dishwasher runs at 16:00.\n\n## Parking\n\nSix parking spaces are behind the house.";
    const DEVICE: &str = "# LX-4 anemometer\n\n| Property | Value |\n|---|---|\n| Weight | 310 g |\n\
        | Range | 0.2 to 75 m/s |\n\nClean the bearings every two years. Use 1,200 g of fat.";

    fn asked(question: &str, before: &[&str]) -> Reply {
        let source = |title, text| Source { title, text };
        let sources = [source("Office", OFFICE), source("LX-4", DEVICE)];
        let library = Library::read(&sources, || Ok::<(), ()>(())).unwrap();
        library.answer(question, before, 1)
    }

    fn first(question: &str, before: &[&str]) -> String {
        let reply = asked(question, before);
        reply.sentences.first().map_or_else(String::new, |it| it.text.clone())
    }

    #[test]
    fn the_sentence_that_answers_is_found() {
        for (question, expected) in [
            ("When was the office in Kassel opened?", "2003"),
            ("How many people fit into the office?", "22 people"),
            ("when does the dishwaser run?", "16:00"),
            ("How much does the LX-4 weigh?", "Weight: 310 g"),
            ("How often must the bearings be cleaned?", "every two years"),
            ("How many parking spaces are there?", "Six parking"),
        ] {
            assert!(first(question, &[]).contains(expected), "{question} {}", first(question, &[]));
        }
    }

    #[test]
    fn a_short_question_continues_the_one_before() {
        let before = ["When was the office in Kassel opened?"];
        assert!(first("And by whom?", &before).contains("Jana Vogel"));
    }

    #[test]
    fn thanks_do_not_change_the_subject() {
        for before in
            [&["Who opened the office?"][..], &["Who opened the office?", "Thanks a lot!"]]
        {
            assert!(first("When was it opened?", before).contains("2003"), "{before:?}");
        }
    }

    #[test]
    fn the_nearest_heading_comes_with_what_is_below_it() {
        let text = "# Hub\n\nIt is white.\n\n## Factory reset\n\nHold the button for 25 seconds.";
        let sources = [Source { title: "Hub", text }];
        let library = Library::read(&sources, || Ok::<(), ()>(())).unwrap();
        let near = library.answer("factory reset?", &[], 1).nearest;
        assert_eq!(near[0].text, "Factory reset: Hold the button for 25 seconds.");
    }

    /// Each item has a heading of its own, and not those of the items before it.
    #[test]
    fn items_with_headings_stand_by_themselves() {
        let items: Vec<String> =
            (0..200).map(|it| format!("- Room {it}. It holds {it} people.")).collect();
        let text = items.join("\n");
        let sources = [Source { title: "Rooms", text: &text }];
        let read = Library::read(&sources, || Ok::<(), ()>(())).unwrap().read;
        assert!(read.places.iter().all(|it| it.context.len() < 5));
    }

    #[test]
    fn what_the_documents_do_not_say_is_less_certain() {
        let known = asked("When was the office in Kassel opened?", &[]).confidence;
        for question in [
            "When was the office in Madrid opened?",
            "Was the office in Kassel opened in 1995?",
            "Which church painted the office?",
            "Who won the world cup?",
            "How much does the LX-5 weigh?",
        ] {
            let unknown = asked(question, &[]).confidence;
            assert!(unknown < known && unknown < 0.5, "{question} {unknown} {known}");
        }
        assert_eq!(asked("Where is the zebra?", &[]).unknown, ["zebra"]);
    }

    #[test]
    fn a_comparison_shows_both_sides() {
        let text =
            "The mill was built in 1740. It grinds rye. The bridge was built in 1890. It is red.";
        let sources = [Source { title: "Sights", text }];
        let library = Library::read(&sources, || Ok::<(), ()>(())).unwrap();
        let reply = library.answer("Was the mill built earlier than the bridge?", &[], 3);
        let shown: Vec<&str> = reply.sentences.iter().map(|it| &*it.text).collect();
        assert!(shown.concat().contains("1740") && shown.concat().contains("1890"), "{shown:?}");
    }

    #[test]
    fn a_common_word_that_no_document_has_does_not_veto() {
        let asked = |question: &str| asked(question, &[]).confidence;
        let common = asked("When was the office in Kassel possibly initiated and opened?");
        assert!(
            common > asked("When was the office in Kassel, zebra and giraffe opened?")
                && common > 0.5,
            "{common}"
        );
    }

    #[test]
    fn odd_questions_and_documents_have_no_answer() {
        for question in ["", "?!", "the of", "東京", "\u{0}", "1,2.3-4"] {
            assert!(asked(question, &["", "?"]).confidence < 0.5, "{question}");
        }
        let none = Library::read(&[], || Ok::<(), ()>(())).unwrap();
        assert_eq!(none.answer("why?", &[], 3), Reply::default());
        let text = "| a |\n|---|\n\n```\n\n```\n<!-- x -->\n# \n";
        let odd = Library::read(&[Source { title: "", text }], || Ok::<(), ()>(())).unwrap();
        assert_eq!(odd.answer("why a?", &[], 3).sentences, []);
    }

    #[test]
    fn large_documents_are_done_in_time_and_can_be_stopped() {
        let text = "The budget of 1,200 runs is not enforced by Anna in Kassel. ".repeat(5_000);
        let sources = [Source { title: "Budgets", text: &text }];
        let library = Library::read(&sources, || Ok::<(), ()>(())).unwrap();
        let question = "Who enforces the budget of the runs in Kassel? ".repeat(100);
        assert!(library.answer(&question, &[], 3).sentences.len() <= 3);
        assert!(Library::read(&sources, || Err(())).is_err());
    }
}
