//! The boxes of a picture: their text, and their sizes.

use std::collections::BTreeMap;

use super::{
    super::{amounts, outline::Outline, remarks::OWN_WORK, verdict_on},
    layers::Edges,
    measure::{Font, Px},
    place::{Layout, layout},
};
use crate::plan::{EffectUse, Node, Verdict};

/// A box, with the boxes in it.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) look: Look,
    /// The path of its node; bounds and the file have none.
    pub(super) node: String,
    pub(super) lines: Vec<Line>,
    pub(super) badges: Vec<Badge>,
    /// What stages after the box wait for.
    pub(super) barrier: Option<String>,
    pub(super) inside: Vec<Part>,
    pub(super) layout: Layout,
    pub(super) width: Px,
    pub(super) height: Px,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    File,
    Block,
    Op,
}

/// A line of text in a box.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) font: Font,
    /// Its class in the style sheet.
    pub(super) class: &'static str,
    pub(super) text: String,
}

/// An effect, as a coloured mark.
#[derive(Debug)]
pub(super) struct Badge {
    pub(super) verb: &'static str,
    pub(super) text: String,
    pub(super) width: Px,
}

/// The room between a box and its content.
pub(super) const PADDING: Px = 12;

/// The room between the text of a block and the boxes in it.
pub(super) const HEAD_GAP: Px = 10;

/// The room between badges, and their height.
pub(super) const BADGE_GAP: Px = 5;
pub(super) const BADGE_HEIGHT: Px = 16;

/// The height of the line of a block that shows what it waits for.
pub(super) const BARRIER_HEIGHT: Px = 18;

/// The greatest width of text in a box. A block always has room for as much as the boxes
/// inside it.
const TEXT: Px = 230;
const FILE_TEXT: Px = 620;

/// Makes the boxes of a plan.
pub(super) struct Parts<'o, 'p> {
    outline: &'o Outline<'p>,
    /// The dependencies among the children of each node.
    edges: BTreeMap<Option<usize>, Edges>,
}

impl<'o, 'p> Parts<'o, 'p> {
    pub(super) fn of(outline: &'o Outline<'p>) -> Self {
        Self { outline, edges: outline.sibling_edges() }
    }

    /// The box of the whole file.
    pub(super) fn file(&self) -> Part {
        let outline = self.outline;
        let program = outline.plan.program();
        let mut lines = vec![line(Font::File, "file", program.source.name())];
        for input in program.inputs.iter().filter(|it| !it.is_secret()) {
            let optional = if input.default.is_some() { ", optional" } else { "" };
            lines.push(code(&format!("input {}: {}{optional}", input.name, input.ty)));
        }
        if let Some(main) = &program.main {
            lines.push(code(&format!("result {}", main.ty)));
        }
        lines.extend(takes(outline.plan.envelope()));
        if outline.all().any(|it| has_time(&outline.node(it).envelope)) {
            lines.push(code(OWN_WORK));
        }
        lines.extend(outline.plan.verdicts().iter().map(judged));
        let badges = badges(outline.plan.effects());
        self.part(Look::File, None, lines, badges, None)
    }

    fn node(&self, idx: usize) -> Part {
        stacker::maybe_grow(64 << 10, 1 << 20, || {
            let node = self.outline.node(idx);
            let has_inside = !self.outline.children(idx).is_empty();
            let look = if has_inside { Look::Block } else { Look::Op };
            let barrier = node.barrier.map(|it| format!("waits for {it}"));
            let lines = self.lines(idx, node);
            self.part(look, Some(idx), lines, badges(&node.effects), barrier)
        })
    }

    fn lines(&self, idx: usize, node: &Node) -> Vec<Line> {
        let mut lines = vec![line(Font::Name, "name", &self.outline.label(idx))];
        lines.extend(node.op.iter().map(|it| code(it)));
        lines.push(code(&format!("→ {}", node.ty)));
        lines.extend(takes(&node.envelope));
        // The defaults of ops are in the table; a picture only shows the bounds of the script.
        let is_block = node.op.is_none();
        lines.extend(bounds(&node.bounds, &node.verdicts, |verdict| is_block || verdict.is_some()));
        lines
    }

    fn part(
        &self,
        look: Look,
        idx: Option<usize>,
        mut lines: Vec<Line>,
        mut badges: Vec<Badge>,
        barrier: Option<String>,
    ) -> Part {
        let children = idx.map_or(&*self.outline.roots, |it| self.outline.children(it));
        let inside: Vec<Part> = children.iter().map(|it| self.node(*it)).collect();
        let sizes: Vec<(Px, Px)> = inside.iter().map(|it| (it.width, it.height)).collect();
        let none = Edges::new();
        let layout = layout(&sizes, self.edges.get(&idx).unwrap_or(&none));
        let room = layout.width.max(if look == Look::File { FILE_TEXT } else { TEXT });
        for line in &mut lines {
            line.text = line.font.cut(&line.text, room);
        }
        wrap(&mut badges, room);
        let node = idx.map_or_else(String::new, |it| self.outline.node(it).path.clone());
        let mut part =
            Part { look, node, lines, badges, barrier, inside, layout, width: 0, height: 0 };
        part.width = part.widest() + 2 * PADDING;
        part.height = part.head() + part.below_the_head();
        part
    }
}

impl Part {
    fn widest(&self) -> Px {
        let lines = self.lines.iter().map(|it| it.font.width(&it.text));
        let badges = self.badges.iter().map(|it| it.width + BADGE_GAP).sum::<Px>() - BADGE_GAP;
        let barrier = self.barrier.iter().map(|it| Font::Code.width(it));
        lines.chain(barrier).chain([badges, self.layout.width]).max().unwrap_or(0)
    }

    /// The height of the text and the badges, including the room above them.
    pub(super) fn head(&self) -> Px {
        let lines: Px = self.lines.iter().map(|it| it.font.line_height()).sum();
        let badges = if self.badges.is_empty() { 0 } else { BADGE_HEIGHT + 6 };
        PADDING - 4 + lines + badges
    }

    fn below_the_head(&self) -> Px {
        let barrier = if self.barrier.is_some() { BARRIER_HEIGHT } else { 0 };
        if self.inside.is_empty() {
            PADDING - 2 + barrier
        } else {
            HEAD_GAP + self.layout.height + PADDING + barrier
        }
    }
}

fn line(font: Font, class: &'static str, text: &str) -> Line {
    Line { font, class, text: text.to_owned() }
}

fn code(text: &str) -> Line {
    line(Font::Code, "code", text)
}

fn takes(envelope: &crate::plan::Envelope) -> Option<Line> {
    let text = amounts::at_most(envelope);
    (!text.is_empty()).then(|| line(Font::Code, "most", &text))
}

/// Whether a maximum of time is shown.
fn has_time(envelope: &crate::plan::Envelope) -> bool {
    envelope.time.max.is_some_and(|it| !it.is_zero())
}

fn bounds(
    bounds: &[(&'static str, String)],
    verdicts: &[Verdict],
    is_shown: impl Fn(Option<&Verdict>) -> bool,
) -> Vec<Line> {
    let line_of = |(key, limit): &(&'static str, String)| {
        let verdict = verdict_on(key, verdicts);
        let written = || verdict.map_or_else(|| code(&format!("{key} {limit}")), judged);
        is_shown(verdict).then(written)
    };
    bounds.iter().filter_map(line_of).collect()
}

/// A bound with its verdict.
fn judged(verdict: &Verdict) -> Line {
    let (key, limit, word) = (verdict.title(), &verdict.limit, verdict.holds.word());
    if verdict.is_judged() {
        line(Font::Code, word, &format!("{key} {limit}: {word}"))
    } else {
        code(&format!("{key} {limit}"))
    }
}

fn badges<'e>(effects: impl IntoIterator<Item = &'e EffectUse>) -> Vec<Badge> {
    let badge = |it: &EffectUse| {
        let text = Font::Badge.cut(&it.to_string(), TEXT - 14);
        Badge { verb: it.verb.name(), width: Font::Badge.width(&text) + 12, text }
    };
    effects.into_iter().map(badge).collect()
}

/// Replaces the badges that do not fit by their number.
fn wrap(badges: &mut Vec<Badge>, room: Px) {
    let more = |count: usize| {
        let text = format!("+{count}");
        Badge { verb: "more", width: Font::Badge.width(&text) + 12, text }
    };
    let total = |all: &[Badge]| all.iter().map(|it| it.width + BADGE_GAP).sum::<Px>();
    let mut hidden = 0;
    while badges.len() > 1 && total(badges) + if hidden > 0 { 40 } else { 0 } > room + BADGE_GAP {
        badges.pop();
        hidden += 1;
    }
    if hidden > 0 {
        badges.push(more(hidden));
    }
}
