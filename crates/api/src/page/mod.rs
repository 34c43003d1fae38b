//! A run as one self-contained HTML page: a summary, the graph, a timeline, and every value.
//!
//! The page contains the run as data, which its script draws; the essential facts are readable
//! without JavaScript. Values may come from anywhere, so they are never markup: text is escaped,
//! data contains no `<`, and the page's content security policy allows only its own script and
//! loads nothing.

mod contents;
mod data;
mod facts;
mod graph;
mod markup;
mod pictures;
mod places;

use std::io::{self, Write};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};

pub use contents::{Left, PageLimits};
pub use pictures::Picture;

use contents::Contents;
use svc_lang::plan::Plan;
use svc_text::markup::escaped;

use crate::{
    folded::{self, FoldedPlace},
    store::{Attempt, Node, Run, RunStore, StoreError},
};

const TEMPLATE: &str = include_str!("template.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &[&str] = &[
    "'use strict';\n",
    include_str!("values.js"),
    include_str!("model.js"),
    include_str!("details.js"),
    include_str!("timeline.js"),
    include_str!("picture.js"),
    include_str!("zoom.js"),
    include_str!("page.js"),
];

/// A failure to write a page.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Output(#[from] io::Error),
}

type Result<T> = std::result::Result<T, PageError>;

/// The content of a page.
pub struct Page<'a> {
    store: &'a RunStore,
    run: &'a Run,
    nodes: &'a [Node],
    attempts: Vec<(String, Attempt)>,
    places: Vec<FoldedPlace<'a>>,
    /// The script, if the store still has it.
    text: Option<String>,
    /// The plan, if the script still checks.
    plan: Option<Plan>,
    /// What is known of the run besides what it returned.
    pictures: Vec<Picture>,
    limits: PageLimits,
}

impl<'a> Page<'a> {
    pub fn new(
        store: &'a RunStore,
        (run, nodes): (&'a Run, &'a [Node]),
        plan: Option<Plan>,
        limits: PageLimits,
    ) -> Result<Self> {
        let attempts = store.attempts(&run.id)?;
        let text = store.text(run.text)?;
        let places = folded::places(nodes);
        Ok(Self { store, run, nodes, attempts, places, text, plan, pictures: Vec::new(), limits })
    }

    /// The same page with pictures above the result.
    #[must_use]
    pub fn with_pictures(self, pictures: Vec<Picture>) -> Self {
        Self { pictures, ..self }
    }

    /// Writes the page, and returns the values that exceeded the limits.
    pub fn write(&self, out: &mut dyn Write) -> Result<Left> {
        let mut contents = Contents::default();
        let graph = graph::of(self);
        let result = facts::result(self)?;
        let script = SCRIPT.concat();
        let mut left = Left::default();
        for piece in TEMPLATE.split("{{") {
            let (slot, rest) = piece.split_once("}}").unwrap_or(("", piece));
            let text = match slot {
                "policy" => policy(&script, &graph, &result),
                "title" => escaped(&facts::title(self.run)),
                "style" => STYLE.to_owned(),
                "summary" => facts::summary(self),
                "result" => result.clone(),
                "graph" => graph.clone(),
                "places" => places::table(&self.places),
                "script-text" => facts::script(self.run, self.text.as_deref()),
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

/// The content security policy, which allows only the page's own script and styles, and images that
/// are in the page itself.
fn policy(script: &str, graph: &str, result: &str) -> String {
    let of_graph = graph::style(graph).map(|it| format!(" '{}'", hash(it))).unwrap_or_default();
    let images = if result.contains("<img") { "; img-src data:" } else { "" };
    format!("script-src '{}'; style-src '{}'{of_graph}{images}", hash(script), hash(STYLE))
}

/// The hash of a text in the notation of a policy.
pub(crate) fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

/// A writer that escapes `<`, which could end a block of data.
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
