//! Finds names, quantities and codes in texts.
//!
//! Codes and quantities have patterns ([`patterns`], [`numbers`], [`codes`], [`dates`]); names are those of a list
//! ([`gazetteer`]), or words whose shape and neighbours are those of names ([`shapes`]), or what a
//! tagger has learnt ([`tagger`], [`learn`]). Of pieces that overlap, one stays ([`found`]).

mod checksums;
mod codes;
mod dates;
mod features;
mod found;
mod gazetteer;
mod known;
mod learn;
mod lesson;
mod link;
mod numbers;
mod patterns;
mod shapes;
mod tagger;
#[cfg(test)]
mod tests;
mod words;

use svc_contract::{
    registry::{
        Bias, Cases, Component, Compute, Cx, Example, Field as _, Items, Max, Op, OpError, Scheme,
        Tool, Trained, compute, documents::Entity, load, params, record, save,
    },
    value::{Text, Value},
};

use found::Source;
use gazetteer::Gazetteer;
use tagger::Tagger;

const NAME: &str = "ctx_entities";
const VERSION: u32 = 1;

pub(super) const COMPONENT: Component = Component {
    name: NAME,
    cluster: "knowledge-grounding",
    summary: "Finds names of people, places and organisations, amounts, dates and codes, and links them to a list.",
    version: VERSION,
    bias: Bias::new(
        "perceptron and gazetteers",
        &[
            "names have shapes and contexts",
            "codes have checksums",
            "capitals are as in English without a model",
        ],
    )
    .judged_by(CASES),
    aliases: &[("entities", "infer")],
    ops: &[
        compute::<Infer>(),
        compute::<link::Link>(),
        compute::<learn::Learn>(),
        save::<Tagger>(),
        load::<Tagger>(),
    ],
};

const CASES: Cases = Cases::new(include_str!("../../cases/ctx_entities.jsonl"), &[]);

record! {
    /// A name in a list.
    struct Listed {
        /// The name, as it stands in texts.
        name: Text,
        /// What it is, such as `person`.
        r#type: Option<Text>,
        /// Its identifier.
        id: Option<Text>,
    }
}

params! {
    /// Finds the names, quantities and codes in a text, in the order of the text.
    ///
    /// Without a model, `person`, `organisation` and `place` are found by their shape and their
    /// neighbours (`Dr.`, `Ltd`, `lives in`, a list of countries and capitals), as in English. With a model that
    /// `ctx_entities.learn` returned, the types that it has learnt are found by it instead of their shape. `gazetteer` is
    /// a list of names of yours, which are found wherever they stand as whole words, with their
    /// `type` and `id`.
    ///
    /// By patterns, in any language: `email`, `url`, `ip`, `iban`, `card`, `phone`, `ssn` (of the
    /// United States), `money`, `amount` (a number with a unit or `%`), `date` and `code` (letters and
    /// digits, such as `INV-2024-001`). IBANs and cards must have the right checksum.
    ///
    /// `text[start..end]` in bytes is `text` of the entity. Pieces never overlap. `score` is 1 for what
    /// a checksum confirms, and less for what only looks like it.
    struct Infer {
        /// The text.
        text: Text,
        /// Only these types. By default all.
        types: Option<Vec<Text>> = None,
        /// A list of names: `name`, and if known `type` (by default `name`) and `id`.
        gazetteer: Option<Items<Listed>> = None,
        /// What `ctx_entities.learn` returned.
        model: Option<Trained<Tagger>> = None,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::List(&Entity::SCHEME, Max::Unknown);
    const SAYS: &'static [&'static str] = &[
        "find the names of people and companies in a text",
        "extract entities",
        "which places are mentioned",
        "find email addresses, phone numbers and ibans",
        "named entity recognition",
        "pull amounts, dates and codes out of a letter",
        "who and what is mentioned",
    ];
    const TOOL: Option<Tool> = Some(Tool::builder("extract_entities"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Names and quantities",
            r#""Dr. Anna Schmidt of Ferrum Ltd paid $5,000 in Berlin on 3 May 2024." >> entities >> each { "${.type}: ${.text}" }"#,
            r#"["person: Anna Schmidt","organisation: Ferrum Ltd","money: $5,000","place: Berlin","date: 3 May 2024"]"#,
        ),
        Example::ok(
            "Only codes, with their checksums",
            r#""Pay to DE89 3704 0044 0532 0130 00, not to DE89 3704 0044 0532 0130 01." >> entities(types: ["iban"]) >> each { .text }"#,
            r#"["DE89 3704 0044 0532 0130 00"]"#,
        ),
        Example::ok(
            "Names of a list",
            r#""the blue widget and the Red Widget" >> entities(gazetteer: [{ name: "red widget", type: "product", id: "p7" }]) >> each { { text: .text, id: .id, start: .start } }"#,
            r#"[{"text":"Red Widget","id":"p7","start":24}]"#,
        ),
        Example::err(
            "A type that nothing finds",
            r#""A text." >> entities(types: ["persona"])"#,
            "unknown type `persona`",
        ),
    ];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let gazetteer = self.gazetteer.as_ref().map(|it| Gazetteer::read(&it.0, cx)).transpose()?;
        let tagger = self.model.as_ref().map(Trained::state).transpose()?;
        let wanted = Wanted::of(self.types.as_deref(), gazetteer.as_ref(), tagger.as_deref())?;
        let text = self.text.as_ref();
        let mut all = Vec::new();
        if let Some(gazetteer) = &gazetteer {
            gazetteer.find(text, &mut all, cx)?;
        }
        let words = words::words(text, cx)?;
        let learnt = tagger.as_deref().map(Tagger::types).unwrap_or_default();
        patterns::find(text, &words, &mut all, cx)?;
        shapes::find(text, &words, &mut all, cx)?;
        all.retain(|it| it.source != Source::Shape || !learnt.contains(&it.kind));
        if let Some(tagger) = tagger.as_deref() {
            tagger.find(text, &words, &mut all, cx)?;
        }
        all.retain(|it| wanted.has(&it.kind));
        let all = found::without_overlaps(all, cx)?;
        Ok(Value::List(all.into_iter().map(|it| it.entity(text).encode()).collect()))
    }
}

/// The types that are found without a list and a model.
const TYPES: [&str; 14] = [
    "person",
    "organisation",
    "place",
    "email",
    "url",
    "ip",
    "iban",
    "card",
    "phone",
    "ssn",
    "money",
    "amount",
    "date",
    "code",
];

/// The types that are asked for.
struct Wanted(Option<Vec<Text>>);

impl Wanted {
    fn of(
        types: Option<&[Text]>,
        gazetteer: Option<&Gazetteer>,
        tagger: Option<&Tagger>,
    ) -> Result<Self, OpError> {
        let Some(types) = types else { return Ok(Self(None)) };
        let listed = gazetteer.map(Gazetteer::types).unwrap_or_default();
        let learnt = tagger.map(Tagger::types).unwrap_or_default();
        let is_known = |it: &Text| {
            let it = it.as_ref();
            TYPES.contains(&it)
                || listed.iter().any(|known| known.as_ref() == it)
                || learnt.iter().any(|known| known.as_ref() == it)
        };
        if let Some(unknown) = types.iter().find(|it| !is_known(it)) {
            let shown: String = unknown.chars().take(40).collect();
            let mut known: Vec<&str> = TYPES.to_vec();
            let others = listed.iter().chain(&learnt).map(AsRef::as_ref);
            known.extend(others.filter(|it| !TYPES.contains(it)).take(20));
            let message = format!("unknown type `{shown}`");
            return Err(
                OpError::invalid_input(message).help(format!("use one of: {}", known.join(", ")))
            );
        }
        Ok(Self(Some(types.to_vec())))
    }

    fn has(&self, kind: &Text) -> bool {
        self.0.as_ref().is_none_or(|it| it.contains(kind))
    }
}
