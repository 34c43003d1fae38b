//! Boxes and arrows as SVG.

use std::fmt::Write as _;

use svc_text::markup::escaped;

use super::{
    measure::Px,
    part::{BADGE_GAP, BADGE_HEIGHT, BARRIER_HEIGHT, HEAD_GAP, Look, PADDING, Part},
    place::Wire,
};

/// Writes boxes at their positions.
#[derive(Default)]
pub(super) struct Drawing {
    pub(super) text: String,
}

impl Drawing {
    pub(super) fn part(&mut self, part: &Part, x: Px, y: Px) {
        stacker::maybe_grow(64 << 10, 1 << 20, || {
            self.frame(part, x, y);
            let below = self.lines(part, x, y);
            self.badges(part, x + PADDING, below);
            let left = x + (part.width - part.layout.width) / 2;
            let top = y + part.head() + HEAD_GAP;
            for wire in &part.layout.wires {
                self.wire(wire, left, top);
            }
            for (inner, at) in part.inside.iter().zip(&part.layout.at) {
                self.part(inner, left + at.0, top + at.1);
            }
        });
    }

    fn element(&mut self, text: std::fmt::Arguments<'_>) {
        self.text.write_fmt(text).expect("a string takes all");
        self.text.push('\n');
    }

    fn frame(&mut self, part: &Part, x: Px, y: Px) {
        let (class, radius) = match part.look {
            Look::File => ("page", 12),
            Look::Block => ("block", 10),
            Look::Op => ("op", 6),
        };
        let (width, height) = (part.width, part.height);
        let node = match part.node.as_str() {
            "" => String::new(),
            path => format!(r#" data-node="{}""#, escaped(path)),
        };
        self.element(format_args!(
            r#"<rect class="{class}"{node} x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}"/>"#
        ));
        let Some(barrier) = &part.barrier else { return };
        let bottom = y + height;
        self.element(format_args!(
            r#"<rect class="barrier" x="{}" y="{}" width="{}" height="3"/>"#,
            x + radius,
            bottom - 3,
            width - 2 * radius
        ));
        let (x, y) = (x + PADDING, bottom - BARRIER_HEIGHT + 8);
        self.element(format_args!(r#"<text x="{x}" y="{y}">{}</text>"#, escaped(barrier)));
    }

    /// Writes the lines of a box, and returns the position below them.
    fn lines(&mut self, part: &Part, x: Px, y: Px) -> Px {
        let mut base = y + PADDING - 4;
        for line in &part.lines {
            base += line.font.line_height();
            let text = escaped(&line.text);
            let (x, y, class) = (x + PADDING, base - 4, line.class);
            self.element(format_args!(r#"<text class="{class}" x="{x}" y="{y}">{text}</text>"#));
        }
        base
    }

    fn badges(&mut self, part: &Part, mut x: Px, y: Px) {
        for badge in &part.badges {
            let (verb, width, text) = (badge.verb, badge.width, escaped(&badge.text));
            let (top, base) = (y + 3, y + 14);
            self.element(format_args!(
                r#"<g class="badge {verb}"><rect x="{x}" y="{top}" width="{width}" height="{BADGE_HEIGHT}" rx="8"/><text x="{}" y="{base}">{text}</text></g>"#,
                x + width / 2
            ));
            x += width + BADGE_GAP;
        }
    }

    fn wire(&mut self, wire: &Wire, left: Px, top: Px) {
        /// The length of the head of an arrow, by which its line is shorter.
        const HEAD: Px = 5;
        let mut path = String::new();
        let mut at: Option<(Px, Px)> = None;
        for (nth, fall) in wire.iter().enumerate() {
            let (x, bottom) = (fall.x + left, fall.bottom + top);
            let is_last = nth + 1 == wire.len();
            let upper = if is_last { fall.top + top - HEAD } else { fall.top + top };
            match (at, fall.around) {
                (None, _) => path.push_str(&format!("M{x} {upper}")),
                (Some(_), Some((right, below))) => {
                    let up = fall.top + top - 2 * HEAD;
                    let (right, below) = (right + left, below + top);
                    path.push_str(&format!("V{below}H{right}V{up}H{x}V{upper}"));
                }
                (Some((before, above)), None) => {
                    let middle = Px::midpoint(above, upper);
                    path.push_str(&format!("C{before} {middle} {x} {middle} {x} {upper}"));
                }
            }
            if !is_last && bottom > upper {
                path.push_str(&format!("V{bottom}"));
            }
            at = Some((x, bottom));
        }
        self.element(format_args!(r#"<path class="wire" d="{path}" marker-end="url(#head)"/>"#));
    }
}
