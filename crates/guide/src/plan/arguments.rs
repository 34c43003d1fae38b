//! Takes arguments from the words of a goal: numbers, amounts, quoted texts, paths, kinds of files.

use svc_contract::registry::{Catalog, Effect, OpRef, Param, Scheme};
use svc_text::stems::Vocabulary;

use super::{
    filters::is_of_one,
    goal::{Clause, LiteralInContext},
    literals::{Literal, quoted},
    mention::is_free_text,
};

/// The names of kinds of files in a goal, and their names in a folder.
const KINDS: [(&str, &str); 8] = [
    ("markdown", "*.md"),
    ("pdf", "*.pdf"),
    ("pdfs", "*.pdf"),
    ("html", "*.html"),
    ("csv", "*.csv"),
    ("txt", "*.txt"),
    ("logs", "*.log"),
    ("json", "*.json"),
];

/// The arguments of a call of an op.
#[derive(Clone, Debug, Default)]
pub(super) struct Call {
    /// Named arguments, in the syntax of a script.
    pub(super) args: Vec<(&'static str, String)>,
    /// The arguments that the goal does not contain, and that become params of the script: a name
    /// and a type.
    pub(super) asked: Vec<(&'static Param, String)>,
    /// The indices of the literals of the step that it uses.
    pub(super) used: Vec<usize>,
}

/// Fills the arguments of an op, except its input, from a step of a goal.
pub(super) struct Filling<'a> {
    pub(super) clause: &'a Clause,
    /// The next step, which the question to a person may be about.
    pub(super) next: Option<&'a Clause>,
    /// The indices of the literals that are already used.
    pub(super) used: Vec<usize>,
    pub(super) catalog: &'a dyn Catalog,
}

impl Filling<'_> {
    pub(super) fn call(&self, op: OpRef) -> Call {
        let mut call = Call::default();
        let mut params: Vec<&'static Param> = op.op.params.iter().skip(1).collect();
        // Required params choose first.
        params.sort_by_key(|it| it.default.is_some());
        for param in params {
            if let Some(written) = self.argument(op, param, &mut call) {
                call.args.push((param.name, written));
            } else if param.default.is_none() {
                self.lacks(op, param, &mut call);
            }
        }
        let place = |name: &str| op.op.params.iter().position(|it| it.name == name);
        call.args.sort_by_key(|(name, _)| place(name));
        call
    }

    fn argument(&self, op: OpRef, param: &'static Param, call: &mut Call) -> Option<String> {
        if param.scheme.flow().is_some() {
            return self.flow(op, param);
        }
        if param.name == "glob" {
            return self.glob(call);
        }
        if let Some(variants) = variants(param.scheme) {
            return self.variant(variants);
        }
        let free = |idx: &usize| !self.used.contains(idx) && !call.used.contains(idx);
        let all = self.clause.literals.iter().enumerate().filter(|(idx, _)| free(idx));
        let is_text = |(idx, it): (usize, &LiteralInContext)| {
            free(&idx) && matches!(it.literal, Literal::Quoted(_))
        };
        let has_text = self.clause.literals.iter().enumerate().any(is_text);
        let scored = all.map(|(idx, it)| (idx, Self::fit(it, param, has_text), it));
        let best = scored
            .filter(|(_, fit, _)| *fit > 0.0)
            .reduce(|best, it| if it.1 > best.1 { it } else { best });
        let Some((idx, _, given)) = best else {
            let is_one = is_count(param) && param.default.is_none() && is_of_one(self.clause);
            return is_one.then(|| "1".to_owned());
        };
        call.used.push(idx);
        Some(given.literal.written())
    }

    /// How well a literal fits a param, by its type and the words around it.
    fn fit(given: &LiteralInContext, param: &Param, has_text: bool) -> f64 {
        let is_text_path =
            matches!((&given.literal, param.scheme), (Literal::Path(_), Scheme::Text));
        let is_meant = is_text_path && param.default.is_none() && !has_text;
        if !(is_meant || given.literal.fits(param.scheme)) {
            return 0.0;
        }
        let near: Vec<&str> =
            given.before.iter().chain(&given.behind).map(String::as_str).collect();
        let named = named(param, &near);
        let required = param.default.is_none();
        let asks_for_count = is_count(param) && speaks_of_count(given);
        match &given.literal {
            _ if named => 3.0,
            Literal::Number(_) if asks_for_count => 2.0,
            Literal::Number(_) if !required && described(param, &near) => 1.5,
            Literal::Number(_) if !required => 0.0,
            _ if required => 1.0,
            Literal::Path(_) => 0.8,
            Literal::Quoted(_) => 0.5,
            _ => 0.0,
        }
    }

    /// A flow that the step names: `the component upper`.
    fn flow(&self, op: OpRef, param: &Param) -> Option<String> {
        if param.default.is_some() {
            return None;
        }
        let registry = self.catalog.registry();
        let known = |it: &&String| {
            registry.resolve(it).is_some_and(|found| found.to_string() != op.to_string())
        };
        let after =
            self.clause.words.iter().skip_while(|it| !matches!(it.as_str(), "component" | "flow"));
        after.skip(1).find(known).or_else(|| self.clause.words.iter().find(known)).cloned()
    }

    /// `*.md` for Markdown, `*.pdf` for PDFs.
    fn glob(&self, call: &mut Call) -> Option<String> {
        let written = self.clause.literals.iter().enumerate();
        let mut globs = written.filter(|(_, it)| matches!(it.literal, Literal::Glob(_)));
        if let Some((idx, given)) = globs.next() {
            call.used.push(idx);
            return Some(given.literal.written());
        }
        let says = |kind: &str| self.clause.words.iter().any(|it| it == kind);
        KINDS.iter().find(|(kind, _)| says(kind)).map(|(_, glob)| quoted(glob))
    }

    /// The variant of an enum that the step mentions.
    fn variant(&self, variants: &[&str]) -> Option<String> {
        let mut words = Vocabulary::default();
        let said: Vec<_> = self.clause.words.iter().flat_map(|it| words.terms(it)).collect();
        let found = variants.iter().find(|it| words.terms(it).iter().any(|it| said.contains(it)));
        found.map(|it| quoted(it))
    }

    /// Fills an argument that the step does not contain. A question to a person or a model gets the
    /// text of the step; anything else becomes a param of the script.
    fn lacks(&self, op: OpRef, param: &'static Param, call: &mut Call) {
        if takes_instructions(op) && matches!(param.scheme, Scheme::Text) {
            let about = self.next.unwrap_or(self.clause);
            call.args.push((param.name, quoted(&sentence(&about.text, '?'))));
            return;
        }
        let ty = match param.scheme {
            Scheme::Var(_) => "string".to_owned(),
            other => other.show(),
        };
        call.args.push((param.name, param.name.to_owned()));
        call.asked.push((param, ty));
    }
}

/// Whether the op passes the text of the step to a person or a model.
pub(super) fn takes_instructions(op: OpRef) -> bool {
    op.op.effects.iter().any(|it| matches!(it, Effect::Asks | Effect::Spends))
}

/// The question for an op that takes one in words: the step without the words that match the op
/// itself.
pub(super) fn free_text(op: OpRef, clause: &Clause, said: &[String]) -> Option<String> {
    if !is_free_text(op) {
        return None;
    }
    topic(clause).or_else(|| {
        let is_said = |it: &str| said.iter().any(|word| *word == it.to_lowercase());
        let links = ["for", "about", "on", "the", "to", "me", "nav"];
        let is_link = |it: &&String| is_said(it) || links.contains(&it.as_str());
        let rest: Vec<&str> = clause.words.iter().skip_while(is_link).map(String::as_str).collect();
        phrase(&rest)
    })
}

/// The topic of a step: the words after `about`.
pub(super) fn topic(clause: &Clause) -> Option<String> {
    let rest: Vec<&str> =
        clause.words[topic_at(clause)? + 1..].iter().map(String::as_str).collect();
    phrase(&rest)
}

/// Returns words without the ones at the end that only lead to a path.
fn phrase(words: &[&str]) -> Option<String> {
    const LEADING: &str = "in of from within inside among under the my our folder directory";
    let leads = |it: &&str| LEADING.split(' ').any(|word| word == *it);
    let end = words.iter().rposition(|it| !leads(it))?;
    Some(words[..=end].join(" "))
}

/// The position at which a step mentions its topic.
pub(super) fn topic_at(clause: &Clause) -> Option<usize> {
    clause
        .words
        .iter()
        .position(|it| matches!(it.as_str(), "about" | "for" | "on" | "say" | "says"))
}

/// Formats a step as a sentence.
pub(super) fn sentence(text: &str, end: char) -> String {
    let text = text.trim().trim_end_matches([',', ';', '.', '?', '!', ':']);
    let mut chars = text.chars();
    let first = chars.next().map(|it| it.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}{end}", chars.as_str())
}

/// Whether a word next to a literal names the param: `5 characters` for `max_chars`.
fn named(param: &Param, near: &[&str]) -> bool {
    let mut words = Vocabulary::default();
    let name = param.name.replace('_', " ");
    let mut terms: Vec<_> = words.read(&name).map(|it| it.term).collect();
    let short = |word: &str, part: &str| part.len() >= 4 && word.starts_with(part);
    if near.iter().any(|it| name.split(' ').any(|part| short(it, part))) {
        return true;
    }
    let most = words.read("max most top n").map(|it| it.term).collect::<Vec<_>>();
    terms.retain(|it| !most.contains(it));
    near.iter()
        .flat_map(|it| words.read(it).map(|it| it.term).collect::<Vec<_>>())
        .any(|it| terms.contains(&it))
}

/// Whether a word next to a literal is in the documentation of the param.
fn described(param: &Param, near: &[&str]) -> bool {
    let mut words = Vocabulary::default();
    let doc = words.terms(param.doc);
    near.iter().any(|it| words.terms(it).iter().any(|it| doc.contains(it)))
}

/// Whether a param is a number of items.
pub(super) fn is_count(param: &Param) -> bool {
    let is_whole = matches!(param.scheme, Scheme::Int | Scheme::IntRange(..));
    is_whole && matches!(param.name, "top_k" | "keep" | "n" | "limit" | "size")
}

fn speaks_of_count(given: &LiteralInContext) -> bool {
    const WORDS: &str = "best top first most last closest nearest hits documents results items \
        passages events lines records entries only keep take";
    let near = given.before.iter().chain(&given.behind);
    near.into_iter().any(|it| WORDS.split_whitespace().any(|word| word == it))
}

fn variants(scheme: Scheme) -> Option<&'static [&'static str]> {
    match scheme {
        Scheme::Enum(all) => Some(all),
        Scheme::Optional(inner) => variants(*inner),
        _ => None,
    }
}
