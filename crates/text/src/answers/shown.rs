//! Which sentences a reply shows, and what belongs to them: the items of a list, the text below a
//! heading, the answer behind a question.

use super::{
    evidence::Candidate,
    question::Question,
    reading::{Form, Read},
};

/// A second sentence is shown if its score is at most this much below that of the first.
const ANOTHER: f64 = 3.5;

/// Of longer lists the beginning is shown.
const ITEMS: usize = 12;

/// So many sentences of a section are searched for its list.
const NEAR: usize = 8;

/// Sentences that are shown as one, in the order in which they are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    /// The sentence for which they are shown.
    pub best: usize,
    pub all: Vec<usize>,
}

impl Shown {
    fn one(sentence: usize) -> Self {
        Self { best: sentence, all: vec![sentence] }
    }

    fn has(&self, sentence: usize) -> bool {
        self.all.contains(&sentence)
    }
}

/// What to show for the best sentences, in the order of their rank.
pub(super) fn choose(
    read: &Read,
    question: &Question,
    ranked: &[Candidate],
    most: usize,
) -> Vec<Shown> {
    let Some(best) = ranked.first() else { return Vec::new() };
    let mut chosen = vec![whole(read, question, best.sentence)];
    if let Some(before) = depended_on(read, best.sentence).filter(|_| chosen.len() < most) {
        chosen.insert(0, Shown::one(before));
    }
    if let Some(list) = list_below(read, question, best.sentence).filter(|_| chosen.len() < most) {
        push(&mut chosen, list);
    }
    if let Some(it) = beside(read, question, best.sentence).filter(|_| chosen.len() < most) {
        push(&mut chosen, Shown::one(it));
    }
    for other in ranked.iter().skip(1).filter(|it| it.score >= best.score - ANOTHER) {
        if chosen.len() >= most {
            break;
        }
        let text = &read.places[other.sentence].text;
        let is_same = chosen.iter().flat_map(|it| &it.all).any(|it| read.places[*it].text == *text);
        if !is_same && !is_bare(read, other.sentence) {
            push(&mut chosen, whole(read, question, other.sentence));
        }
    }
    chosen
}

fn push(chosen: &mut Vec<Shown>, mut next: Shown) {
    next.all.retain(|it| !chosen.iter().any(|other| other.has(*it)));
    if !next.all.is_empty() {
        chosen.push(next);
    }
}

/// A heading of a few words says nothing more, nor does a line above a letter.
fn is_bare(read: &Read, sentence: usize) -> bool {
    let place = &read.places[sentence];
    place.form == Form::Heading && place.terms.len() < 4
}

/// A sentence with what it leads into.
pub(super) fn whole(read: &Read, question: &Question, sentence: usize) -> Shown {
    let place = &read.places[sentence];
    let leads = place.form == Form::Heading || place.text.ends_with([':', '：', '?', '？']);
    let mut all = vec![sentence];
    if leads {
        all.extend(below(read, sentence));
    } else if question.wants_list()
        && let Some(list) = place.list.and_then(|it| read.lists.get(it))
    {
        all = list.lead.into_iter().chain(list.items.clone().take(ITEMS)).collect();
        if !all.contains(&sentence) {
            all.push(sentence);
        }
    }
    Shown { best: sentence, all }
}

/// What a heading, a question or a sentence with a colon leads into.
fn below(read: &Read, sentence: usize) -> Vec<usize> {
    let place = &read.places[sentence];
    let next = sentence + 1;
    let at = read.lists.partition_point(|it| it.items.start < next);
    if let Some(list) = read.lists.get(at).filter(|it| it.lead == Some(sentence)) {
        return list.items.clone().take(ITEMS).collect();
    }
    let stands = |it: &usize| {
        read.places.get(*it).is_some_and(|it| it.source == place.source && it.form != Form::Heading)
    };
    let is_head = |it: &usize| read.places.get(*it).is_some_and(|it| it.form == Form::Letterhead);
    let next = (next..next + 4).find(|it| !is_head(it)).filter(stands);
    let Some(next) = next else { return Vec::new() };
    let first = &read.places[next];
    if first.form == Form::Row {
        let rows = next..read.places.len();
        let is_row = |it: &usize| {
            let it = &read.places[*it];
            it.form == Form::Row && it.section == first.section
        };
        return rows.take_while(is_row).take(ITEMS).collect();
    }
    // A colon leads into one sentence, a heading into the first three.
    let most = if place.form == Form::Heading { 3 } else { 1 };
    let is_same = |it: &usize| read.places.get(*it).is_some_and(|it| it.block == first.block);
    let mut all: Vec<usize> = (next..next + most).filter(is_same).collect();
    // `Yes.` is the beginning of an answer.
    if let [.., last] = all[..]
        && read.places[last].text.split_whitespace().count() < 3
        && is_same(&(last + 1))
    {
        all.push(last + 1);
    }
    // A heading above a sentence with a colon leads into its list, too.
    if let [.., last] = all[..]
        && place.form == Form::Heading
        && read.places[last].text.ends_with([':', '：'])
    {
        all.extend(below(read, last));
    }
    all
}

/// The list of the section of a sentence, if the question asks for one.
fn list_below(read: &Read, question: &Question, sentence: usize) -> Option<Shown> {
    let place = &read.places[sentence];
    if !question.wants_list() || place.list.is_some() || place.form == Form::Row {
        return None;
    }
    let next = sentence + 1;
    let at = read.lists.partition_point(|it| it.items.start < next);
    let list = read.lists.get(at)?;
    let first = list.items.start;
    let is_near = first <= sentence + NEAR && read.places.get(first)?.section == place.section;
    is_near.then(|| {
        let lead = list.lead.filter(|it| *it != sentence);
        let all = lead.into_iter().chain(list.items.clone().take(ITEMS)).collect();
        Shown { best: first, all }
    })
}

/// The sentence before one that begins with a word such as `it`.
fn depended_on(read: &Read, sentence: usize) -> Option<usize> {
    let place = &read.places[sentence];
    let before = sentence.checked_sub(1).filter(|_| depends_on_previous(&place.text))?;
    let other = &read.places[before];
    (other.section == place.section && other.form != Form::Heading).then_some(before)
}

/// The sentence next to one that does not have what the question wants, if that one has it; otherwise
/// the one behind it in the same paragraph.
fn beside(read: &Read, question: &Question, sentence: usize) -> Option<usize> {
    let place = &read.places[sentence];
    if place.form == Form::Row {
        return None;
    }
    let typed = |it: usize| question.wants.found(&read.places[it].text, &question.text);
    let near = [Some(sentence + 1), sentence.checked_sub(1)].into_iter().flatten();
    let is_near = |it: &usize| {
        read.places.get(*it).is_some_and(|it| {
            it.section == place.section && !matches!(it.form, Form::Heading | Form::Letterhead)
        })
    };
    let own = typed(sentence);
    if own < 0.4
        && let Some(it) = near.clone().filter(is_near).find(|it| typed(*it) > 0.7)
    {
        return Some(it);
    }
    let next = sentence + 1;
    (own < 0.8 && read.places.get(next).is_some_and(|it| it.block == place.block)).then_some(next)
}

/// Whether a sentence begins with a word that stands for something in the one before.
fn depends_on_previous(text: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "he", "she", "it", "they", "his", "her", "its", "their", "this", "that", "these", "those",
        "er", "sie", "es", "dies", "diese", "dieser", "él", "ella", "este", "esta", "such",
    ];
    let first = text.split(|it: char| !it.is_alphanumeric()).find(|it| !it.is_empty());
    first.is_some_and(|it| BEGINNINGS.contains(&it.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::super::{Library, Source};

    const GUIDE: &str = "# Guide\n\n## Moving out\n\nProceed as follows:\n\n1. Give notice by letter.\n\
        2. Read the meters.\n3. Hand over every key.\n\n## Factory reset\n\nHold the button for 25 seconds. \
        Everything is deleted.\n\n## Questions\n\n**Can I sync a database?** Please don't. The copy is \
        worthless.\n\n**A bee stung me. What now?** Scrape the sting out sideways.";

    fn first(question: &str) -> String {
        let sources = [Source { title: "Guide", text: GUIDE }];
        let library = Library::read(&sources, || Ok::<(), ()>(())).unwrap();
        let reply = library.answer(question, &[], 3);
        reply.sentences.first().map_or_else(String::new, |it| it.text.clone())
    }

    #[test]
    fn the_items_of_a_list_are_shown_together() {
        let shown = first("What are the steps for moving out?");
        for step in ["Give notice", "Read the meters", "Hand over"] {
            assert!(shown.contains(step), "{shown}");
        }
    }

    #[test]
    fn a_heading_comes_with_what_is_below_it() {
        let shown = first("How do I do a factory reset?");
        assert!(shown.contains("25 seconds"), "{shown}");
    }

    #[test]
    fn a_question_in_the_documents_comes_with_its_answer() {
        let shown = first("Can I sync a database?");
        assert!(shown.contains("Please don't"), "{shown}");
        let shown = first("What should I do if a bee stung me?");
        assert!(shown.contains("Scrape"), "{shown}");
    }
}
