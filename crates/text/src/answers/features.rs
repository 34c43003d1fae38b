//! What speaks for a sentence as the answer to a question.

use super::{
    ages, continuing, count,
    evidence::{Candidate, found, weigh},
    kinds::Wants,
    question::{Asked, Follows, Question, Role},
    reading::{Form, Place, Read},
    shapes, shown,
    signs::{self, Lacking},
    topics, weights,
};
use crate::claims::{Evidence, is_negation, opposed};

/// How many features order sentences.
pub(super) const ORDER: usize = 45;

/// How many features say how certain the best sentence is.
pub(super) const CERTAINTY: usize = 138;

/// How many of them are about the words of the question and the best sentence.
const OF_WORDS: usize = 48;

/// How many are about what is shown and the conversation.
const CONVERSATIONAL: usize = 80;

/// How near in a sentence two neighbours of the question must be.
const NEAR: u32 = 4;

/// Compares a sentence with a question.
pub(super) fn compare(
    read: &Read,
    question: &Question,
    sentence: usize,
    of_block: f64,
) -> Candidate {
    let place = &read.places[sentence];
    let own = found(question, place.terms.iter().map(|it| it.0));
    let is_near = |it: &usize| {
        let is_near = |it: &Place| it.section == place.section && it.form != Form::Row;
        place.form != Form::Row && read.places.get(*it).is_some_and(is_near)
    };
    let around =
        [sentence.checked_sub(1), Some(sentence + 1)].into_iter().flatten().filter(is_near);
    let around = around.flat_map(|it| read.places[it].terms.iter().map(|it| it.0));
    let near = most(&own, &found(question, around));
    let above = read.sections[place.section].terms.iter().chain(&place.context);
    let heads = found(question, above.copied());
    let in_block = read.blocks[place.block].clone().flat_map(|it| read.places[it].terms.iter());
    let block = most(&most(&near, &heads), &found(question, in_block.map(|it| it.0)));
    let source = &read.in_source[place.source];
    let in_source = question.by_term.keys().copied().filter(|it| source.contains(it));
    let source = most(&block, &found(question, in_source));
    let total = question.total();
    let [of_own, of_near, of_blocks, of_source] =
        [&own, &near, &block, &source].map(|it| weigh(question, it) / total);
    let [same, next, topic_section, topic_source, names] =
        topics::nearness(read, question, sentence);
    let section = topic_section;
    let is = |it: bool| f64::from(u8::from(it));
    let row = is(place.form == Form::Row);
    let columns = found(question, place.context.iter().copied());
    let columns = weigh(question, &columns) / total;
    let follows = match question.follows {
        Follows::Yes => 1.0,
        Follows::Perhaps => 0.5,
        Follows::Not => 0.0,
    };
    let whole = 1.0 - follows;
    let typed = question.wants.found(&place.text, &question.text);
    let words = count(place.text.split_whitespace().count().max(place.terms.len()).max(1));
    let lacking = Lacking::of(read, question, &most(&own, &heads));
    let features = [
        of_own,
        of_near - of_own,
        of_blocks - of_near,
        of_source - of_blocks,
        weigh(question, &heads) / total,
        typed,
        together(question, &place.terms),
        share(question, &own, Role::Name),
        share(question, &block, Role::Name),
        share(question, &own, Role::Number),
        (words / 20.0).ln(),
        question.focus.map_or(0.5, |it| own[it]),
        of_block,
        if place.form == Form::Code { 1.0 } else { 0.0 },
        if place.form == Form::Row { 1.0 } else { 0.0 },
        if place.text.ends_with(['?', ':', '？', '：']) { 1.0 } else { 0.0 },
        leads(question, &place.terms),
        is(matches!(place.form, Form::Heading | Form::Letterhead)),
        follows * same,
        follows * next,
        follows * section,
        follows * topic_source,
        follows * names,
        same,
        topic_section,
        whole * topic_source,
        row * of_own,
        row * columns,
        weigh(question, &most(&own, &heads)) / total,
        row * typed,
        ages::fits(read, question.when, place.source),
        ages::fits(read, 1.0, place.source),
        (-question.when).max(0.0) * is(ages::is_past(&place.text)),
        if matches!(question.wants, Wants::Shaped(_)) { typed - 0.5 } else { 0.0 },
        ages::conflict(&question.own, &place.text),
        is(question.wants == Wants::Name) * shapes::person(&place.text, &question.text),
        signs::in_one_part(read, question, place, &heads),
        signs::news(question, &place.terms),
        signs::is_specified(read, question, place) - 0.5,
        is(question.wants_list()) * is(place.list.is_some() || place.text.ends_with([':', '：'])),
        1.0 - lacking.heavy,
        is(question.is_yes_no()) * signs::decides(&place.text),
        is(place.form == Form::Letterhead),
        is(question.extremes.contains(&sentence)),
        is(question.extremes.contains(&sentence)) * (columns + weigh(question, &heads) / total),
    ];
    let score = features.iter().zip(weights::ORDER).map(|(a, b)| a * b).sum();
    Candidate { sentence, features, score, found: [own, near, block, source] }
}

fn most(one: &[f64], other: &[f64]) -> Vec<f64> {
    one.iter().zip(other).map(|(a, b)| a.max(*b)).collect()
}

/// Whether the sentence begins with a word of the question.
fn leads(question: &Question, terms: &[(u32, u32)]) -> f64 {
    let first = terms.first().and_then(|it| question.by_term.get(&it.0));
    let is_word = |it: &(usize, f64)| question.asked[it.0].role != Role::Frame;
    f64::from(u8::from(first.is_some_and(|it| it.iter().any(is_word))))
}

/// The share of the words with a role that were found; 1 if there are none.
fn share(question: &Question, found: &[f64], role: Role) -> f64 {
    let with = question.asked.iter().zip(found).filter(|it| it.0.role == role);
    let (all, there) = with
        .fold((0.0, 0.0), |(all, there), (it, found)| (all + it.weight, there + it.weight * found));
    if all > 0.0 { there / all } else { 1.0 }
}

/// The share of neighbouring words of the question that are near each other in the sentence.
fn together(question: &Question, terms: &[(u32, u32)]) -> f64 {
    let pairs = question.asked.len().saturating_sub(1);
    if pairs == 0 {
        return 0.5;
    }
    let mut places: Vec<Vec<u32>> = vec![Vec::new(); question.asked.len()];
    for (term, at) in terms {
        for (idx, _) in question.by_term.get(term).into_iter().flatten() {
            places[*idx].push(*at);
        }
    }
    let is_near = |pair: &&[Vec<u32>]| {
        pair[0].iter().any(|a| pair[1].iter().any(|b| a.abs_diff(*b) <= NEAR && a != b))
    };
    count(places.windows(2).filter(is_near).count()) / count(pairs)
}

/// What says how certain it is that the best sentence answers.
pub(super) fn certainty(
    read: &Read,
    question: &Question,
    ranked: &[Candidate],
) -> [f64; CERTAINTY] {
    let mut out = [0.0; CERTAINTY];
    let Some(best) = ranked.first() else { return out };
    let place = &read.places[best.sentence];
    let other = ranked.iter().find(|it| read.places[it.sentence].block != place.block);
    let second = ranked.get(1).map_or(0.0, |it| it.score);
    let total = question.total();
    let [own, near, block, source] = &best.found;
    let unknown: f64 =
        question.asked.iter().filter(|it| it.forms.is_empty()).map(|it| it.weight).sum();
    let missing = |found: &[f64], test: &dyn Fn(&Asked) -> bool| {
        let which = question.asked.iter().zip(found).filter(|it| test(it.0));
        which.map(|(it, found)| it.weight * (1.0 - found)).sum::<f64>()
    };
    let unknown_words: f64 = missing(&vec![0.0; question.asked.len()], &|it| {
        it.forms.is_empty() && it.role == Role::Word
    });
    let heaviest = |found: &[f64]| {
        let missing = question.asked.iter().zip(found).map(|(it, found)| it.weight * (1.0 - found));
        missing.fold(0.0, f64::max) / read.rarity(None)
    };
    let missing_all = |found: &[f64], role: Role| {
        let is_missing = |it: &(&Asked, &f64)| it.0.role == role && *it.1 < 0.5;
        count(question.asked.iter().zip(found).filter(is_missing).count().min(3))
    };
    let is = |wants: Wants| f64::from(u8::from(question.wants == wants));
    let judged = judged(read, question, best.sentence);
    let shown = shown::choose(read, question, ranked, 2).into_iter().flat_map(|it| it.all);
    let shown = shown.filter(|it| read.places[*it].section == place.section);
    let typed = shown
        .map(|it| question.wants.found(&read.places[it].text, &question.text))
        .fold(0.0, f64::max);
    let content = count(question.asked.iter().filter(|it| it.role != Role::Frame).count());
    let corrected = question.asked.iter().filter(|it| it.forms.iter().all(|it| it.1 < 1.0)).count();
    let of_words = [
        best.features[0],
        best.features[1],
        best.features[2],
        best.features[3],
        best.features[6],
        best.features[7],
        best.features[8],
        best.features[9],
        best.features[10],
        best.features[11],
        1.0 - best.features[13],
        unknown / total,
        heaviest(own),
        heaviest(near),
        heaviest(block),
        heaviest(source),
        (best.score - other.map_or(0.0, |it| it.score)).clamp(0.0, 5.0),
        (best.score - second).clamp(0.0, 5.0),
        content.max(1.0).ln(),
        judged,
        missing_all(block, Role::Name),
        missing_all(block, Role::Number),
        missing_all(source, Role::Name),
        missing_all(own, Role::Word),
        missing_all(block, Role::Word),
        is(Wants::Name) * (typed - 0.5),
        f64::from(u8::from(question.wants.is_number())) * (typed - 0.5),
        is(Wants::Time) * (typed - 0.5),
        count(corrected) / count(question.asked.len().max(1)),
        best.score,
        is(Wants::Place) * (typed - 0.5),
        share(question, near, Role::Name),
        share(question, near, Role::Number),
        share(question, source, Role::Name),
        question.focus.map_or(0.5, |it| near[it]),
        question.focus.map_or(0.5, |it| block[it]),
        question.focus.map_or(0.5, |it| source[it]),
        question.focus.map_or(0.0, |it| f64::from(u8::from(question.asked[it].forms.is_empty()))),
        best.features[0] * judged,
        best.features[0].powi(2),
        opposite(read, question, best.sentence),
        f64::from(u8::from(question.wants == Wants::Anything)),
        counted(question, read, best.sentence),
        (weigh(question, near) / total).powi(4),
        missing(source, &|it| it.role == Role::Word) / total,
        if matches!(question.wants, Wants::Amount(_)) { typed - 0.5 } else { 0.0 },
        (unknown_words / total).sqrt(),
        missing(near, &|it| it.role == Role::Name && !it.forms.is_empty()) / total,
    ];
    out[..OF_WORDS].copy_from_slice(&of_words);
    let (more, near, typed) = conversational(read, question, ranked);
    out[OF_WORDS..OF_WORDS + CONVERSATIONAL].copy_from_slice(&more);
    let signs = continuing::signs(read, question, best, &near, typed);
    out[OF_WORDS + CONVERSATIONAL..].copy_from_slice(&signs);
    out
}

/// What says how certain an answer is besides the words of its best sentence: the shown sentences
/// together, their lead over the others, the kind of the question, and what was asked before.
fn conversational(
    read: &Read,
    question: &Question,
    ranked: &[Candidate],
) -> ([f64; CONVERSATIONAL], Vec<f64>, f64) {
    let best = &ranked[0];
    let place = &read.places[best.sentence];
    let total = question.total();
    let is = |it: bool| f64::from(u8::from(it));
    let shown = shown::choose(read, question, ranked, 3);
    let shown: Vec<usize> = shown.into_iter().flat_map(|it| it.all).collect();
    let mut all = vec![0.0; question.asked.len()];
    let mut near = all.clone();
    for it in &shown {
        let found = found(question, read.places[*it].terms.iter().map(|it| it.0));
        all = most(&all, &found);
        let place = &read.places[*it];
        let above = read.sections[place.section].terms.iter().chain(&place.context);
        near = most(&near, &self::found(question, above.copied()));
    }
    near = most(&near, &all);
    let typed = shown
        .iter()
        .map(|it| question.wants.found(&read.places[*it].text, &question.text))
        .fold(0.0, f64::max);
    let heaviest = |found: &[f64]| {
        let missing = question.asked.iter().zip(found).map(|(it, found)| it.weight * (1.0 - found));
        missing.fold(0.0, f64::max) / read.rarity(None)
    };
    let of_best = best.features[5];
    let exps: Vec<f64> = ranked.iter().map(|it| (it.score - best.score).exp()).collect();
    let sum: f64 = exps.iter().sum();
    let three: f64 = exps.iter().take(3).sum();
    let content = question.asked.iter().filter(|it| it.role != Role::Frame && !it.is_carried);
    let content: Vec<usize> = content
        .filter_map(|it| question.asked.iter().position(|other| other.word == it.word))
        .collect();
    let own_missing = content.iter().filter(|it| all[**it] < 0.5).count();
    let near_missing = content.iter().filter(|it| near[**it] < 0.5).count();
    let block_missing = content.iter().filter(|it| best.found[2][**it] < 0.5).count();
    let source_missing = content.iter().filter(|it| best.found[3][**it] < 0.5).count();
    let share = |missing: usize| count(missing) / count(content.len().max(1));
    let follows = best.features[18..23].iter().sum::<f64>().min(2.0);
    let unknown =
        question.asked.iter().filter(|it| it.role == Role::Word && it.forms.is_empty()).count();
    let is_yes_no = question.is_yes_no();
    let lacking = Lacking::of(read, question, &near);
    let heads = read.sections[place.section].terms.iter().chain(&place.context);
    let alone = most(&best.found[0], &found(question, heads.copied()));
    let alone_lacking = Lacking::of(read, question, &alone);
    let near_lacking = Lacking::of(read, question, &most(&alone, &best.found[1]));
    let (densest, densest_news) = signs::densest_part(read, question, place);
    let in_part = |it: &usize| {
        let place = &read.places[*it];
        let above = read.sections[place.section].terms.iter().chain(&place.context);
        signs::in_one_part(read, question, place, &self::found(question, above.copied()))
    };
    let in_part = shown.iter().map(in_part).fold(0.0, f64::max);
    let decides = shown.iter().map(|it| signs::decides(&read.places[*it].text)).fold(0.0, f64::max);
    let wants_list = is(question.wants_list());
    let has_list = is(shown.len() > 4);
    let wants_type = question.wants != Wants::Anything;
    let shaped = matches!(question.wants, Wants::Shaped(_));
    let out = [
        weigh(question, &all) / total,
        weigh(question, &near) / total,
        heaviest(&all),
        heaviest(&near),
        (1.0 / sum).ln(),
        (three / sum).ln(),
        is(is_yes_no),
        is(is_yes_no) * weigh(question, &near) / total,
        is(question.wants == Wants::Reason) * (typed - 0.5),
        is(shaped) * (typed - 0.5),
        is(question.wants == Wants::Name) * (of_best - 0.5),
        is(question.wants == Wants::Time) * (of_best - 0.5),
        is(question.wants.is_number()) * (of_best - 0.5),
        is(question.follows == Follows::Yes),
        is(question.follows == Follows::Perhaps),
        is(!question.topics.is_empty()),
        follows,
        is(place.form == Form::Row),
        is(place.form == Form::Heading),
        best.features[27],
        best.features[26],
        share(own_missing),
        share(near_missing),
        share(block_missing),
        share(source_missing),
        count(unknown.min(2)),
        missing_names(question, best),
        count(block_missing.min(3)),
        best.features[34],
        is(question.wants == Wants::Name) * (best.features[35] - 0.5),
        is(question.is_which()) * (Wants::Name.found(&place.text, &question.text) - 0.5),
        is(question.is_which()) * (Wants::Number.found(&place.text, &question.text) - 0.5),
        lacking.heavy,
        lacking.light,
        lacking.elsewhere,
        lacking.nowhere,
        lacking.attribute,
        lacking.rarest,
        lacking.things.powi(3),
        signs::news(question, &place.terms),
        signs::is_specified(read, question, place) - 0.5,
        in_part,
        is(wants_type) * in_part,
        is(wants_type) * (typed - 0.5),
        is(is_yes_no) * decides,
        wants_list,
        wants_list * has_list,
        is(is_yes_no) * lacking.heavy,
        is(wants_type) * lacking.heavy,
        best.features[40],
        is(question.wants == Wants::Anything && !is_yes_no && !question.is_which())
            * lacking.attribute,
        is(place.form == Form::Letterhead),
        alone_lacking.heavy,
        alone_lacking.light,
        alone_lacking.attribute,
        near_lacking.heavy,
        near_lacking.elsewhere,
        near_lacking.nowhere,
        is(is_yes_no) * alone_lacking.heavy,
        is(question.wants == Wants::Name) * alone_lacking.light,
        is(question.wants == Wants::Name) * near_lacking.heavy,
        is(question.wants.is_number()) * near_lacking.heavy,
        is(question.wants == Wants::Reason),
        is(question.wants == Wants::Time),
        is(question.wants == Wants::Place),
        is(question.is_which()),
        is(question.wants == Wants::Name),
        is(question.wants.is_number()),
        is(question.extremes.contains(&best.sentence)),
        is(question.wants == Wants::Anything) * alone_lacking.heavy,
        densest,
        densest_news,
        densest * densest_news,
        best.features[36],
        is(wants_type) * best.features[36],
        signs::other_things(question, &near),
        signs::other_things(question, &alone),
        is(question.wants == Wants::Name) * densest,
        is(is_yes_no) * densest,
        is(wants_type) * densest,
    ];
    (out, near, typed)
}

/// Whether the sentence has the opposite of a word of the question that it does not have, or negates
/// and the question does not, or the other way round.
fn opposite(read: &Read, question: &Question, sentence: usize) -> f64 {
    let place = &read.places[sentence];
    let own = found(question, place.terms.iter().map(|it| it.0));
    let missing = question.asked.iter().zip(&own).filter(|it| *it.1 < 0.5);
    let words = || {
        let known = place.terms.iter().map(|it| &read.words.known[it.0 as usize]);
        known.flat_map(|it| it.words.iter())
    };
    let mut has_opposite = false;
    for (it, _) in missing {
        let test = opposed(&it.word);
        has_opposite |= words().any(|it| test(it));
    }
    let negates = |text: &str| {
        let lower = text.to_lowercase();
        lower.split(|it: char| !it.is_alphanumeric() && !matches!(it, '\'' | '’')).any(is_negation)
    };
    let is_negated = negates(&question.text) != negates(&place.text);
    f64::from(u8::from(has_opposite))
        + 0.5 * f64::from(u8::from(is_negated && negates(&question.text)))
}

/// Whether a number stands before the word that is to be counted.
fn counted(question: &Question, read: &Read, sentence: usize) -> f64 {
    let (true, Some(focus)) = (question.wants.is_number(), question.focus) else { return 0.5 };
    let text = read.places[sentence].text.to_lowercase();
    let words: Vec<&str> =
        text.split(|it: char| it.is_whitespace() || matches!(it, '-' | '(' | ')')).collect();
    let word = &question.asked[focus].word;
    let start = word.get(..word.floor_char_boundary(4)).unwrap_or(word);
    let is_number = |it: &&str| {
        it.starts_with(|it: char| it.is_numeric()) || crate::claims::numeral(it).is_some()
    };
    let near = |at: usize| words[at.saturating_sub(3)..at].iter().any(is_number);
    let has = words.iter().enumerate().any(|(at, it)| it.starts_with(start) && near(at));
    f64::from(u8::from(has))
}

/// How far the sentence and its neighbours say what the question says, as a claim.
fn judged(read: &Read, question: &Question, sentence: usize) -> f64 {
    let mut evidence = Evidence::of(read.words.language);
    let block = read.blocks[read.places[sentence].block].clone();
    let near = sentence.saturating_sub(2).max(block.start)..(sentence + 3).min(block.end);
    for it in near.clone() {
        evidence.learn(&read.places[it].text);
    }
    for it in near {
        evidence.add(0, &read.places[it].text);
    }
    evidence.judge(&question.text).score
}

/// The probability that the best sentences answer.
pub(super) fn confidence(read: &Read, question: &Question, ranked: &[Candidate]) -> f64 {
    if ranked.is_empty() {
        return 0.0;
    }
    let features = certainty(read, question, ranked);
    let sum: f64 = features.iter().zip(weights::CERTAINTY).map(|(a, b)| a * b).sum();
    1.0 / (1.0 + (-(sum + weights::base(read.words.language))).exp())
}

/// How many names and numbers of the question are nowhere around the sentence.
fn missing_names(question: &Question, best: &Candidate) -> f64 {
    let [_, near, block, source] = &best.found;
    let is_missing = |it: &usize| {
        let asked = &question.asked[*it];
        match asked.role {
            Role::Name if asked.is_new => near[*it] < 0.5,
            Role::Name => source[*it] < 0.5,
            Role::Number => block[*it] < 0.5,
            _ => false,
        }
    };
    let found = 0..question.asked.len();
    count(found.filter(is_missing).count().min(2))
}
