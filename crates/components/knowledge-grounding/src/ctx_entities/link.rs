//! `link`: entities as entries of a list of names.

use std::collections::{HashMap, HashSet};

use svc_contract::{
    registry::{
        Compute, Cx, Example, Field, Items, Max, Op, OpError, Scheme, documents::Entity, params,
        record,
    },
    value::{Text, Value},
};
use svc_text::scripts;

/// A few milliseconds of work.
const BETWEEN_CHECKS: usize = 1 << 10;

/// Longer names are not compared letter by letter.
const LONGEST: usize = 200;

record! {
    /// An entry of a list of names.
    struct Known {
        /// The name.
        name: Text,
        /// Its identifier. By default the name.
        id: Option<Text>,
        /// What it is, such as `person`. It links only entities of that type.
        r#type: Option<Text>,
        /// Words about it, such as its place and its field.
        about: Option<Text>,
    }
}

params! {
    /// Links entities to the entries of a list of names: `id` becomes that of the entry.
    ///
    /// An entry is possible if its name is similar enough by Jaro-Winkler (Winkler 1990), which counts
    /// common letters in a similar order, and equal beginnings more. Capitals, accents and punctuation do not count, and
    /// the words of a name may stand in another order: `Schmidt, Anna`. Of several possible entries, the most
    /// similar one is taken; words of its `about` that are among the other entities count for it, but never against
    /// an equal name. An
    /// entry with a `type` links only entities of that type.
    ///
    /// `score` becomes the similarity of the names. Entities without a possible entry stay as they are.
    pub(super) struct Link {
        /// The entities of one text, as returned by `entities`.
        entities: Vec<Entity>,
        /// The list: `name`, and if known `id`, `type` and `about`.
        names: Items<Known>,
        /// The similarity from which on a name is possible.
        #[tune]
        #[range(0.0..=1.0)]
        threshold: f64 = 0.7,
        /// How much the words of `about` count among possible entries.
        #[tune]
        #[range(0.0..=1.0)]
        context: f64 = 0.35,
    }
}

impl Op for Link {
    const NAME: &'static str = "link";
    const YIELDS: Scheme = Scheme::List(&Entity::SCHEME, Max::Input);
    const SAYS: &'static [&'static str] = &[
        "match names to my customer list",
        "link entities to identifiers",
        "which entry of the list is meant",
        "resolve company names against a register",
        "resolve misspelt names",
        "entity linking",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A misspelt name",
            r#"let customers = [{ name: "Schmidt, Anna", id: "c1" }, { name: "Schulz, Peter", id: "c2" }]
"Dear Mrs Ana Schmidt" >> entities >> ctx_entities.link(names: customers) >> each { .id }"#,
            r#"["c1"]"#,
        ),
        Example::ok(
            "The same name twice",
            r#"let names = [
  { name: "Paris", id: "fr", about: "France Seine" },
  { name: "Paris", id: "tx", about: "Texas United States" },
]
"She lives in Paris, near Dallas in Texas." >> entities >> ctx_entities.link(names: names) >> each { .id } >> first"#,
            r#""tx""#,
        ),
        Example::err(
            "A list without names",
            r#""Anna" >> entities >> ctx_entities.link(names: [{ name: "" }])"#,
            "item 1 of `names` has no name",
        ),
    ];
}

/// An entry, ready to be compared.
struct Entry {
    id: Text,
    kind: Option<Text>,
    name: String,
    /// Its words in order, if that is another name.
    sorted: Option<String>,
    about: HashSet<String>,
}

impl Compute for Link {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let entries = self.entries(cx)?;
        let words: Vec<HashSet<String>> =
            self.entities.iter().map(|it| words_of(&it.text)).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for word in words.iter().flatten() {
            *counts.entry(word).or_default() += 1;
        }
        let mut known: HashMap<(Text, Text), Vec<(usize, f64)>> = HashMap::new();
        let mut linked = Vec::with_capacity(self.entities.len());
        for (idx, it) in self.entities.iter().enumerate() {
            let key = (it.text.clone(), it.r#type.clone());
            if !known.contains_key(&key) {
                let found = possible(it, &entries, self.threshold, cx)?;
                known.insert(key.clone(), found);
            }
            cx.check()?;
            // Whether another entity has a word.
            let is_near = |word: &&String| {
                let all = counts.get(word.as_str()).copied().unwrap_or_default();
                all > usize::from(words[idx].contains(*word))
            };
            let score = |place: usize, similarity: f64| {
                let about = &entries[place].about;
                let seen = about.iter().filter(is_near).count();
                // What surrounds a name decides between equal or between similar names, and never
                // against an equal one.
                let equal = if similarity >= 1.0 { self.context } else { 0.0 };
                equal
                    + similarity
                    + if seen > 0 { self.context * share(seen, about.len()) } else { 0.0 }
            };
            let mut best: Option<(f64, usize, f64)> = None;
            for (place, similarity) in &known[&key] {
                let score = score(*place, *similarity);
                if best.is_none_or(|it| score > it.0) {
                    best = Some((score, *place, *similarity));
                }
            }
            let it = it.clone();
            linked.push(match best {
                Some((_, place, similarity)) => {
                    Entity { id: Some(entries[place].id.clone()), score: similarity, ..it }.encode()
                }
                None => it.encode(),
            });
        }
        Ok(Value::List(linked.into_iter().collect()))
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of words are small")]
fn share(part: usize, all: usize) -> f64 {
    part as f64 / all.max(1) as f64
}

impl Link {
    fn entries(&self, cx: &Cx) -> Result<Vec<Entry>, OpError> {
        let mut entries = Vec::with_capacity(self.names.0.len());
        for (idx, row) in self.names.0.iter().enumerate() {
            if idx % BETWEEN_CHECKS == 0 {
                cx.check()?;
            }
            let it = Known::decode(row.clone()).ok_or_else(|| {
                OpError::invalid_input(format!("item {} of `names` is not an entry", idx + 1))
            })?;
            let name = normal(&it.name);
            if name.is_empty() {
                let message = format!("item {} of `names` has no name", idx + 1);
                return Err(OpError::invalid_input(message).help("leave out empty names before"));
            }
            let sorted = sorted(&name);
            entries.push(Entry {
                id: it.id.unwrap_or(it.name),
                kind: it.r#type,
                sorted: (sorted != name).then_some(sorted),
                name,
                about: it.about.map(|it| words_of(&it)).unwrap_or_default(),
            });
        }
        Ok(entries)
    }
}

/// The places of the entries that an entity may mean, with the similarity of each.
fn possible(
    entity: &Entity,
    entries: &[Entry],
    threshold: f64,
    cx: &Cx,
) -> Result<Vec<(usize, f64)>, OpError> {
    let name = normal(&entity.text);
    let in_order = sorted(&name);
    let mut found = Vec::new();
    if name.is_empty() || name.len() > LONGEST {
        return Ok(found);
    }
    for (idx, it) in entries.iter().enumerate() {
        if idx % BETWEEN_CHECKS == 0 {
            cx.check()?;
        }
        let is_kind = it.kind.as_ref().is_none_or(|kind| *kind == entity.r#type);
        if !is_kind || it.name.len() > LONGEST {
            continue;
        }
        let other = it.sorted.as_ref().unwrap_or(&it.name);
        let similarity = similarity(&name, &it.name).max(similarity(&in_order, other));
        if similarity >= threshold {
            found.push((idx, similarity));
        }
    }
    Ok(found)
}

/// The similarity of Jaro and Winkler, from 0 to 1.
pub(super) fn similarity(a: &str, b: &str) -> f64 {
    strsim::jaro_winkler(a, b)
}

/// A name as it is compared: its words in small letters, without accents.
fn normal(name: &str) -> String {
    let words = name.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
    words.map(scripts::folded).collect::<Vec<_>>().join(" ")
}

fn sorted(name: &str) -> String {
    let mut words: Vec<&str> = name.split(' ').collect();
    words.sort_unstable();
    words.join(" ")
}

fn words_of(text: &str) -> HashSet<String> {
    normal(text).split(' ').filter(|it| !it.is_empty()).map(str::to_owned).collect()
}
