//! A run as one page for a browser, which needs nothing but itself: a summary, the graph, a
//! timeline, and every value.
//!
//! What a run did stands in the page as data, and a script in the page draws it; what a
//! person must know can be read without. Values come from anywhere, so nothing of them is
//! ever markup: text is escaped, data has no `<`, and the page's policy runs no other script
//! than its own and loads nothing.

mod contents;
mod data;
mod facts;
mod graph;
mod markup;
mod places;

use std::io::{self, Write};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};

pub(super) use contents::{Left, Limits};

use super::{
    exit::Result,
    folded::{self, Place},
    keeping::failure,
};
use contents::Contents;
use svc_lang::plan::Plan;
use svc_store::{Attempt, Node, Run, Store};
use svc_text::markup::escaped;

const TEMPLATE: &str = include_str!("template.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &[&str] = &[
    "'use strict';\n",
    include_str!("values.js"),
    include_str!("model.js"),
    include_str!("details.js"),
    include_str!("timeline.js"),
    include_str!("picture.js"),
    include_str!("page.js"),
];

/// All that a page shows of a run.
pub(super) struct Page<'a> {
    store: &'a Store,
    run: &'a Run,
    nodes: &'a [Node],
    attempts: Vec<(String, Attempt)>,
    places: Vec<Place<'a>>,
    /// The script, where the store still has it.
    text: Option<String>,
    /// Where the script still is one.
    plan: Option<Plan>,
    limits: Limits,
}

impl<'a> Page<'a> {
    pub(super) fn new(
        store: &'a Store,
        (run, nodes): (&'a Run, &'a [Node]),
        plan: Option<Plan>,
        limits: Limits,
    ) -> Result<Self> {
        let attempts = store.all_attempts(&run.id).map_err(failure)?;
        let text = store.text(run.text).map_err(failure)?;
        let places = folded::places(nodes);
        Ok(Self { store, run, nodes, attempts, places, text, plan, limits })
    }

    /// Writes the page. Gives what had no room in it.
    pub(super) fn write(&self, out: &mut dyn Write) -> Result<Left> {
        let mut contents = Contents::default();
        let graph = graph::of(self);
        let script = SCRIPT.concat();
        let mut left = Left::default();
        for piece in TEMPLATE.split("{{") {
            let (slot, rest) = piece.split_once("}}").unwrap_or(("", piece));
            let text = match slot {
                "policy" => policy(&script, &graph),
                "title" => escaped(&facts::title(self.run)),
                "style" => STYLE.to_owned(),
                "summary" => facts::summary(self),
                "result" => facts::result(self)?,
                "graph" => graph.clone(),
                "places" => places::table(&self.places),
                "script-text" => facts::script(self.text.as_deref()),
                "footer" => facts::footer(self.run),
                "script" => script.clone(),
                "left" => facts::left(left, self.run),
                "data" => {
                    data::write(self, &mut contents, out)?;
                    left = contents.write(self.store, self.limits, out)?;
                    String::new()
                }
                _ => String::new(),
            };
            out.write_all(text.as_bytes())?;
            out.write_all(rest.as_bytes())?;
        }
        Ok(left)
    }
}

/// What the page may do: run its own script and use its own styles. No other.
fn policy(script: &str, graph: &str) -> String {
    let of_graph = graph::style(graph).map(|it| format!(" '{}'", hash(it))).unwrap_or_default();
    format!("script-src '{}'; style-src '{}'{of_graph}", hash(script), hash(STYLE))
}

/// A text as a policy names it.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

/// Writes without the one sign that could end a block of data.
struct Guarded<'w>(&'w mut dyn Write);

impl Write for Guarded<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let mut pieces = data.split(|it| *it == b'<');
        self.0.write_all(pieces.next().unwrap_or_default())?;
        for piece in pieces {
            self.0.write_all(br"\u003c")?;
            self.0.write_all(piece)?;
        }
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
