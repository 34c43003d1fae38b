//! Sessions: statements entered one after the other, where later ones know the names of earlier
//! ones.
//!
//! Each statement is a separate script. Earlier declarations are appended to it, so that places
//! in the entered text are places in the script; values computed earlier are its params. A run
//! of it can therefore be stored, resumed and explained like any other.

mod saved;
mod scripts;
mod spelled;
mod statements;

use std::{collections::BTreeMap, path::PathBuf};

pub use saved::Saved;
pub use statements::Statement;

use statements::Act;
use svc_contract::value::{Text, Type, Value};
use svc_engine::Engine;

/// The name of the result of the last pipeline.
pub const ANSWER: &str = "ans";

/// A session with everything entered so far.
#[derive(Clone)]
pub struct Session {
    engine: Engine,
    /// The named statements and tests, in the order of entry.
    entries: Vec<Entry>,
    /// Those whose name means something else now, or nothing.
    earlier: Vec<Entry>,
    /// The answers before the last one.
    answers: Vec<Answer>,
    /// Counts the statements.
    now: usize,
    /// The given params, by name, as text.
    given: BTreeMap<Text, Text>,
    answer: Option<Answer>,
    /// The edition and the bounds of the whole session.
    edition: Option<Text>,
    folder: PathBuf,
}

/// One statement that stays in effect.
#[derive(Clone, Debug)]
struct Entry {
    name: Text,
    /// The entered text, with the comments above it.
    text: Text,
    /// The same as it was entered: with `ans`, and with its own name for what that meant before.
    raw: Text,
    kind: Kind,
    /// When it was entered.
    at: usize,
    /// When its name got another meaning.
    until: Option<usize>,
}

#[derive(Clone, Debug)]
enum Kind {
    Declared,
    Test,
    Let(Known),
}

/// A computed value.
#[derive(Clone, Debug)]
struct Known {
    value: Value,
    ty: Type,
    /// The type, as a script can write it.
    spelled: Text,
}

/// The result of the last pipeline, and the pipeline.
#[derive(Clone, Debug)]
struct Answer {
    text: Text,
    /// The same as it was entered.
    raw: Text,
    known: Known,
    at: usize,
}

/// A name of the session, for lists of names.
#[derive(Clone, Debug)]
pub struct Binding {
    pub name: Text,
    pub text: Text,
    /// Only for names with a value.
    pub value: Option<(Type, Value)>,
}

impl Session {
    /// Creates a session whose scripts are in a folder.
    pub fn new(engine: Engine, folder: impl Into<PathBuf>) -> Self {
        Self {
            engine,
            entries: Vec::new(),
            earlier: Vec::new(),
            answers: Vec::new(),
            now: 0,
            given: BTreeMap::new(),
            answer: None,
            edition: None,
            folder: folder.into(),
        }
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Replaces the engine, such as for one with changed defaults.
    pub fn use_engine(&mut self, engine: Engine) {
        self.engine = engine;
    }

    fn known(&self, name: &str) -> Option<&Known> {
        let bound = self.entries.iter().find_map(|it| match &it.kind {
            Kind::Let(known) if it.name.as_ref() == name => Some(known),
            _ => None,
        });
        bound.or_else(|| self.answer.as_ref().filter(|_| name == ANSWER).map(|it| &it.known))
    }

    /// The last answer, unless a declaration has its name.
    fn named_answer(&self) -> Option<&Answer> {
        let is_bound = self.entries.iter().any(|it| it.name.as_ref() == ANSWER);
        self.answer.as_ref().filter(|_| !is_bound)
    }

    /// Keeps a declaration, or the result of a statement.
    pub fn keep(&mut self, statement: &Statement, given: Option<(Type, Value)>) {
        let known = given.map(|(ty, value)| {
            let spelled = spelled::spelled(self, &ty);
            Known { value, ty, spelled }
        });
        let text: Text = self.expanded(&self.unbound(statement)).into();
        let raw: Text = statement.text().into();
        self.now += 1;
        match (&statement.act, known) {
            (Act::Pipeline, Some(known)) => {
                let answer = Answer { text, raw, known, at: self.now };
                self.answers.extend(self.answer.replace(answer));
            }
            (Act::Let(name), Some(known)) => self.enter(name, text, raw, Kind::Let(known)),
            (Act::Declare(name), _) => {
                self.enter(name, text, raw, Kind::Declared);
                self.spell_again(name);
            }
            (Act::Test(name), _) => self.enter(name, text, raw, Kind::Test),
            (Act::Edition, _) => self.edition = Some(text),
            _ => {}
        }
    }

    /// Writes the types of values again that name a type which was just declared again.
    fn spell_again(&mut self, name: &str) {
        let mut known = self
            .entries
            .iter()
            .filter_map(Entry::known)
            .chain(self.answer.as_ref().map(|it| &it.known));
        if !known.any(|it| scripts::mentions(&it.spelled, name)) {
            return;
        }
        let again = |this: &Self, known: &Known| spelled::spelled(this, &known.ty);
        for idx in 0..self.entries.len() {
            let Some(known) = self.entries[idx].known() else { continue };
            let spelled = again(self, known);
            if let Kind::Let(known) = &mut self.entries[idx].kind {
                known.spelled = spelled;
            }
        }
        let spelled = self.answer.as_ref().map(|it| again(self, &it.known));
        if let (Some(answer), Some(spelled)) = (&mut self.answer, spelled) {
            answer.known.spelled = spelled;
        }
    }

    /// The text of a statement; if it rebinds a name, with the old value of the name inlined.
    fn unbound(&self, statement: &Statement) -> String {
        let text = statement.text();
        let entry = self.entries.iter().find(|it| Some(it.name.as_ref()) == statement.name());
        let earlier = entry.map(|it| statements::of(&it.text)).unwrap_or_default();
        match (earlier.last().and_then(Statement::value), statement.value()) {
            (Some(earlier), Some(value)) if statement.rebinds => {
                let head = text.strip_suffix(value).unwrap_or_default();
                let name = statement.name().unwrap_or_default();
                format!("{head}{}", saved::replaced(value, name, |_| format!("({earlier})")))
            }
            _ => text,
        }
    }

    /// A rebound name keeps its position.
    fn enter(&mut self, name: &Text, text: Text, raw: Text, kind: Kind) {
        let entry = Entry { name: name.clone(), text, raw, kind, at: self.now, until: None };
        match self.entries.iter_mut().find(|it| it.name == entry.name) {
            Some(old) => {
                let old = std::mem::replace(old, entry);
                self.earlier.push(Entry { until: Some(self.now), ..old });
            }
            None => self.entries.push(entry),
        }
    }

    /// Sets a param from text, even if it is declared later.
    pub fn give(&mut self, name: &str, text: &str) {
        self.given.insert(name.into(), text.into());
    }

    /// Moves the scripts of the session to this folder.
    pub fn stands_in(&mut self, folder: impl Into<PathBuf>) {
        self.folder = folder.into();
    }

    /// Forgets a name; returns false if the name is unknown.
    pub fn forget(&mut self, name: &str) -> bool {
        self.now += 1;
        self.given.remove(name);
        let place = self.entries.iter().position(|it| it.name.as_ref() == name);
        if let Some(place) = place {
            let forgotten = self.entries.remove(place);
            self.earlier.push(Entry { until: Some(self.now), ..forgotten });
        }
        let forgotten = self.answer.take_if(|_| name == ANSWER);
        let was_answer = forgotten.is_some();
        self.answers.extend(forgotten);
        was_answer || place.is_some()
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        *self = Self::new(self.engine.clone(), std::mem::take(&mut self.folder));
    }

    /// All names, in session order, the last answer at the end.
    pub fn bindings(&self) -> Vec<Binding> {
        let mut all: Vec<Binding> = self.entries.iter().map(Entry::binding).collect();
        all.extend(self.answer.as_ref().map(|it| Binding {
            name: ANSWER.into(),
            text: it.text.clone(),
            value: Some((it.known.ty.clone(), it.known.value.clone())),
        }));
        all
    }

    /// The pipeline of the last answer.
    pub fn answer_text(&self) -> Option<Text> {
        self.answer.as_ref().map(|it| it.text.clone())
    }
}

impl Entry {
    fn known(&self) -> Option<&Known> {
        match &self.kind {
            Kind::Let(known) => Some(known),
            Kind::Declared | Kind::Test => None,
        }
    }

    fn binding(&self) -> Binding {
        let value = match &self.kind {
            Kind::Let(known) => Some((known.ty.clone(), known.value.clone())),
            Kind::Declared | Kind::Test => None,
        };
        Binding { name: self.name.clone(), text: self.text.clone(), value }
    }
}
