//! Filters of list items: those that pass a test, the first, the last.

use svc_contract::{
    registry::{OpRef, Scheme},
    value::Type,
};

use super::{
    draft::{Draft, Stage},
    fields::{items_of_json, named, quoted_field},
    goal::{Clause, LiteralInContext},
    items::field_of,
    literals::Literal,
    mention::{Mention, What},
    route::{Route, detour},
};

/// A test of an item.
#[derive(Clone, Debug)]
pub(super) enum Test {
    /// The item, its length or a field of it, compared with a number: the operator, and the index
    /// of the number.
    Compared { sign: &'static str, number: usize, of_length: bool },
    /// The item is not empty.
    Filled,
}

/// Words that compare an item with a number, their operator, and whether they are about a length.
const COMPARED: [(&str, &str, bool); 16] = [
    ("longer", ">", true),
    ("shorter", "<", true),
    ("greater", ">", false),
    ("bigger", ">", false),
    ("larger", ">", false),
    ("higher", ">", false),
    ("more", ">", false),
    ("above", ">", false),
    ("over", ">", false),
    ("exceeding", ">", false),
    ("less", "<", false),
    ("smaller", "<", false),
    ("fewer", "<", false),
    ("lower", "<", false),
    ("below", "<", false),
    ("under", "<", false),
];

/// Words for leaving items out.
const DROPPED: &str =
    "drop remove without exclude excluding except skip ignore delete omit discard";

/// Nouns for things that have a first and a last one.
const ITEMS: &str = "line word item element entry record result document hit number value row \
    sentence passage one field";

/// The filters that a step mentions, with the words for them.
pub(super) fn mentions(clause: &Clause) -> Vec<(Mention, Vec<String>)> {
    let compared = compared(clause);
    let filled = filled(clause);
    let end = end(clause);
    let at = quoted_field(clause).map(|it| (What::At(it), of_words(NAMING)));
    let all = [at, field(clause), compared, filled, end, amount(clause)].into_iter().flatten();
    all.map(|(what, words)| (Mention { what: vec![what], gain: 3.0, words: words.clone() }, words))
        .collect()
}

/// Words for a place in JSON.
const NAMING: &str = "field key property attribute entry extract read look";

fn of_words(words: &str) -> Vec<String> {
    words.split_whitespace().map(str::to_owned).collect()
}

/// Reads `longer than 80`, `over 0.5`.
fn compared(clause: &Clause) -> Option<(What, Vec<String>)> {
    let of_number = |it: &LiteralInContext| {
        matches!(it.literal, Literal::Number(_))
            .then(|| COMPARED.iter().find(|(word, ..)| it.before.iter().any(|at| at == word)))?
    };
    let mut all = clause.literals.iter().enumerate();
    let (number, (word, sign, of_length)) = all.find_map(|(at, it)| Some((at, of_number(it)?)))?;
    let counts = |it: &String| matches!(it.as_str(), "characters" | "chars" | "letters" | "long");
    let of_length = *of_length || clause.words.iter().any(counts);
    let test = Test::Compared { sign, number, of_length };
    let words = ["than", "characters", "chars", "letters", "long", "keep", "only", "filter", word];
    let words = words.into_iter().chain(named(clause));
    Some((What::Where(test), words.map(str::to_owned).collect()))
}

/// Reads `without the empty lines`.
fn filled(clause: &Clause) -> Option<(What, Vec<String>)> {
    let is_empty = |it: &&String| matches!(it.as_str(), "empty" | "blank" | "nonempty");
    let word = clause.words.iter().find(is_empty)?;
    let keeps = word == "nonempty" || drops(clause);
    let words = DROPPED.split_whitespace().map(str::to_owned).chain([word.clone()]);
    keeps.then(|| (What::Where(Test::Filled), words.collect()))
}

/// Reads `the first line`, without a number and if nothing is left out.
fn end(clause: &Clause) -> Option<(What, Vec<String>)> {
    let is_item = |word: &str| ITEMS.split_whitespace().any(|it| it == word);
    let mut pairs = clause.words.windows(2).filter(|it| is_item(&it[1]));
    let name = pairs.find_map(|it| ["first", "last"].into_iter().find(|end| it[0] == *end))?;
    (!drops(clause)).then(|| (What::End(name), vec![name.to_owned()]))
}

/// Reads `the first 10 lines`, `the last 3 of them`.
fn amount(clause: &Clause) -> Option<(What, Vec<String>)> {
    let of_end = |it: &LiteralInContext| {
        matches!(it.literal, Literal::Number(_)).then_some(())?;
        it.before.last().filter(|it| matches!(it.as_str(), "first" | "last" | "top")).cloned()
    };
    let mut all = clause.literals.iter().enumerate();
    let (number, word) = all.find_map(|(at, it)| Some((at, of_end(it)?)))?;
    let is_last = word == "last";
    let of_text =
        clause.words.iter().any(|it| matches!(it.as_str(), "characters" | "chars" | "letters"));
    let words = [word.as_str(), "items", "take", "keep", "only"];
    (!drops(clause) && !of_text).then(|| {
        (What::Take { number, is_last }, words.iter().map(|it| (*it).to_owned()).collect())
    })
}

/// Reads `the titles of ..`.
fn field(clause: &Clause) -> Option<(What, Vec<String>)> {
    const FIELDS: [&str; 6] = ["title", "path", "score", "url", "id", "name"];
    let of = |pair: &[String]| {
        let name = pair[0].strip_suffix('s').unwrap_or(&pair[0]);
        let is_field = FIELDS.contains(&name) && matches!(pair[1].as_str(), "of" | "from");
        is_field.then(|| (What::Field(name.to_owned()), vec![pair[0].clone()]))
    };
    let words: Vec<String> = clause.words.iter().filter(|it| *it != "the").cloned().collect();
    words.windows(2).find_map(of)
}

/// Whether a step is about a single item at an end: `the first line`.
pub(super) fn is_of_one(clause: &Clause) -> bool {
    let is_item = |word: &str| ITEMS.split_whitespace().any(|it| it == word);
    clause.words.windows(2).any(|it| matches!(it[0].as_str(), "first" | "last") && is_item(&it[1]))
}

/// Whether a step selects items by a test of each.
pub(super) fn chooses(clause: &Clause) -> bool {
    const CHOOSING: &str = "that which whose keep only filter where containing having with starting \
        ending matching beginning lines";
    drops(clause) || clause.words.iter().any(|it| CHOOSING.split(' ').any(|word| word == it))
}

pub(super) fn drops(clause: &Clause) -> bool {
    clause.words.iter().any(|it| DROPPED.split_whitespace().any(|word| word == it))
}

/// Whether an op returns a bool.
pub(super) fn is_test(op: OpRef) -> bool {
    matches!(op.op.yields, Scheme::Bool)
}

/// Converts a test to a stage that keeps the items that pass it, or drops them if the step requests
/// that.
pub(super) fn kept(stage: &Stage, clause: &Clause) -> Stage {
    let not = if drops(clause) { "not " } else { "" };
    let text = format!("where {{ {not}{} }}", called(&stage.text));
    Stage {
        text,
        per_item: false,
        note: "keeps the items that pass the test".into(),
        ..stage.clone()
    }
}

/// Formats a stage as a function of the item.
fn called(stage: &str) -> String {
    match stage.split_once('(') {
        Some((name, args)) => format!("{name}(it, {args}"),
        None => format!("{stage}(it)"),
    }
}

impl Route<'_> {
    /// Keeps the items of a list that pass a test.
    pub(super) fn filtered(&self, draft: &Draft, step: usize, test: &Test) -> Vec<Draft> {
        let words = &self.clauses[step].words;
        let of_json = items_of_json(&self.clauses[step], true);
        self.on_lists(draft, step, &of_json, |it, item| {
            let test = match test {
                Test::Filled if matches!(item, Type::Text) => "trim(it) != \"\"".to_owned(),
                Test::Filled => "len(it) > 0".to_owned(),
                Test::Compared { sign, number, of_length } => {
                    it.used.push((step, *number));
                    let number = self.clauses[step].literals[*number].literal.written();
                    let field = field_of(item, words).map(|it| format!(".{it}"));
                    let of = if *of_length {
                        "len(it)".to_owned()
                    } else {
                        field.unwrap_or("it".into())
                    };
                    format!("{of} {sign} {number}")
                }
            };
            Stage {
                note: "keeps the items that pass the test".into(),
                ..Stage::value(format!("where {{ {test} }}"))
            }
        })
    }

    /// Selects a field of a record, or of each record of a list.
    pub(super) fn field(draft: &Draft, name: &str) -> Vec<Draft> {
        let has = |ty: &Type| matches!(ty, Type::Record(of) if of.fields.iter().any(|(it, _)| **it == *name));
        let stage = match &draft.ty {
            Some(Type::List(item, _)) if has(item) => format!("each {{ .{name} }}"),
            Some(ty) if has(ty) => format!(".{name}"),
            _ => return Vec::new(),
        };
        let mut draft = draft.clone();
        draft.stages.push(Stage { note: "selects the field".into(), ..Stage::value(stage) });
        vec![draft]
    }

    /// Selects the first item of a list, or the last.
    pub(super) fn end(&self, draft: &Draft, step: usize, name: &str) -> Vec<Draft> {
        self.on_lists(draft, step, &Type::Json, |_, _| detour(self.catalog, name))
    }

    /// Selects a number of items at the start or end, if nothing else has limited them yet.
    pub(super) fn taken(
        &self,
        draft: &Draft,
        step: usize,
        number: usize,
        is_last: bool,
    ) -> Vec<Draft> {
        if draft.used.contains(&(step, number)) {
            return vec![draft.clone()];
        }
        let counted = self.counted(std::slice::from_ref(draft), step, number);
        if !counted.is_empty() && !is_last {
            return counted;
        }
        let written = self.clauses[step].literals[number].literal.written();
        self.on_lists(draft, step, &Type::Json, |it, _| {
            it.used.push((step, number));
            if is_last {
                Stage {
                    note: "takes the last items".into(),
                    ..Stage::value(format!("reverse >> take(n: {written}) >> reverse"))
                }
            } else {
                detour(self.catalog, &format!("take(n: {written})"))
            }
        })
    }
}
