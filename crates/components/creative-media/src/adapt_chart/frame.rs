//! The frame of a chart: title, legend, axes, and the room that is left for marks.

use svc_contract::value::Text;

use super::{
    plan::Plan,
    scale::{Scale, Unit, as_float},
    svg::{Svg, fitted, width},
};

/// The rectangle for marks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Room {
    pub(super) fn width(self) -> f64 {
        self.right - self.left
    }
}

/// What an axis shows.
pub(super) enum Across {
    Numbers { range: (f64, f64), unit: Unit, is_nice: bool },
    Words(Vec<Text>),
}

/// An axis with its place: a scale, or equal bands.
pub(super) enum Placed {
    Scale(Scale),
    Bands { names: Vec<Text>, from: f64, to: f64 },
}

impl Placed {
    fn new(across: Across, (from, to): (f64, f64), count: usize) -> Self {
        match across {
            Across::Numbers { range, unit, is_nice } => {
                Self::Scale(Scale::new(range, (from, to), unit, count, is_nice))
            }
            Across::Words(names) => Self::Bands { names, from, to },
        }
    }

    /// The middle of a value; of words, the value is their place.
    pub(super) fn place(&self, value: f64) -> f64 {
        match self {
            Self::Scale(it) => it.place(value),
            Self::Bands { names, from, to } => {
                from + (value + 0.5) * (to - from) / as_float(names.len().max(1))
            }
        }
    }

    /// The width of a band.
    pub(super) fn band(&self) -> f64 {
        match self {
            Self::Scale(it) => (it.to - it.from).abs(),
            Self::Bands { names, from, to } => (to - from).abs() / as_float(names.len().max(1)),
        }
    }

    /// The texts of the axis, with their places.
    fn labels(&self) -> Vec<(f64, String)> {
        match self {
            Self::Scale(it) => {
                it.ticks.iter().map(|(at, text)| (it.place(*at), text.clone())).collect()
            }
            Self::Bands { names, .. } => {
                let names = names.iter().enumerate();
                names.map(|(at, it)| (self.place(as_float(at)), shown(it))).collect()
            }
        }
    }

    /// Whether words stand here.
    fn is_words(&self) -> bool {
        matches!(self, Self::Bands { .. })
    }
}

fn shown(name: &str) -> String {
    if name.trim().is_empty() { "(empty)".to_owned() } else { name.to_owned() }
}

/// The widest room of a label at the side, and the longest turned one below.
const WIDEST: f64 = 150.0;
const LONGEST: f64 = 110.0;

/// Below so many pixels, names of axes are left out.
const SMALL: f64 = 200.0;

/// Draws the frame; returns the axes and the room.
pub(super) fn draw(
    svg: &mut Svg,
    plan: &Plan,
    (x, y): (Across, Across),
    (x_name, y_name): (&str, &str),
    legend: &[Text],
) -> (Placed, Placed, Room) {
    // A small picture has no room for the names of its axes.
    let is_small = plan.height < SMALL || plan.width < SMALL;
    let (x_name, y_name) = if is_small { ("", "") } else { (x_name, y_name) };
    let mut top = heading(svg, plan, legend);
    top += if y_name.is_empty() { 8.0 } else { 26.0 };
    // Below: the labels, turned if they do not fit, and the name.
    let sides = |it: &Across, from: f64, to: f64, count: usize| match it {
        Across::Numbers { range, unit, is_nice } => {
            Scale::new(*range, (from, to), *unit, count, *is_nice)
                .ticks
                .into_iter()
                .map(|it| it.1)
                .collect::<Vec<_>>()
        }
        Across::Words(names) => names.iter().map(|it| shown(it)).collect(),
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few ticks")]
    let count_of = |pixels: f64, each: f64| (pixels / each).clamp(1.0, 12.0) as usize;
    let down = count_of(plan.height - top - 50.0, 45.0);
    let texts = sides(&y, 0.0, 1.0, down);
    let left =
        texts.iter().map(|it| width(it)).fold(0.0, f64::max).min(WIDEST.min(plan.width / 3.0))
            + 16.0;
    let right = plan.width - 18.0;
    let over = count_of(right - left, 85.0);
    let texts = sides(&x, 0.0, 1.0, over);
    let widest = texts.iter().map(|it| width(it)).fold(0.0, f64::max);
    let each = (right - left) / as_float(texts.len().max(1));
    let is_turned = widest > each - 6.0 && matches!(x, Across::Words(_));
    // The first label reaches to the left of its band.
    let first = texts.first().map_or(0.0, |it| width(it).min(LONGEST) * 0.77 - each / 2.0 + 8.0);
    let left = if is_turned { left.max(first) } else { left };
    let below = if is_turned { widest.min(LONGEST) * 0.64 + 18.0 } else { 22.0 };
    let bottom = plan.height - below - if x_name.is_empty() { 6.0 } else { 22.0 };
    let room = Room { left, top, right, bottom: bottom.max(top + 10.0) };
    let x = Placed::new(x, (room.left, room.right), over);
    let y_ends = match y {
        Across::Words(_) => (room.top, room.bottom),
        Across::Numbers { .. } => (room.bottom, room.top),
    };
    let y = Placed::new(y, y_ends, down);
    grid(svg, &x, &y, room, is_turned);
    if !x_name.is_empty() {
        let at = (f64::midpoint(room.left, room.right), plan.height - 8.0);
        svg.text("name", at, "middle", 0.0, &fitted(x_name, room.width()));
    }
    if !y_name.is_empty() {
        svg.text("name", (12.0, room.top - 12.0), "start", 0.0, &fitted(y_name, plan.width - 24.0));
    }
    (x, y, room)
}

/// The title and the legend; returns where they end.
pub(super) fn heading(svg: &mut Svg, plan: &Plan, legend: &[Text]) -> f64 {
    let mut top = 10.0;
    if !plan.title.is_empty() {
        svg.text(
            "title",
            (12.0, 26.0),
            "start",
            0.0,
            &fitted(&plan.title, (plan.width - 24.0) * 0.74),
        );
        top = 38.0;
    }
    if legend.len() > 1 {
        let mut at = 12.0;
        svg.open("class=\"legend\"");
        for (idx, name) in legend.iter().enumerate() {
            let text = fitted(&shown(name), 160.0_f64.min(plan.width - 50.0));
            let wide = width(&text) + 34.0;
            if at + wide > plan.width && at > 12.0 {
                at = 12.0;
                top += 18.0;
            }
            svg.rect(&format!("s{idx}"), (at, top + 2.0), (12.0, 12.0), None);
            svg.text("key", (at + 18.0, top + 12.0), "start", 0.0, &text);
            at += wide;
        }
        svg.close();
        top += 22.0;
    }
    top
}

fn grid(svg: &mut Svg, x: &Placed, y: &Placed, room: Room, is_turned: bool) {
    svg.open("class=\"axes\" aria-hidden=\"true\"");
    for (at, text) in every(y.labels(), 14.0) {
        if !y.is_words() {
            svg.line("grid", (room.left, at), (room.right, at));
        }
        svg.text("tick", (room.left - 6.0, at + 4.0), "end", 0.0, &fitted(&text, room.left - 14.0));
    }
    svg.line("axis", (room.left, room.bottom), (room.right, room.bottom));
    let labels = x.labels();
    let least = if is_turned {
        20.0
    } else {
        labels.iter().map(|it| width(&it.1)).fold(0.0, f64::max) + 8.0
    };
    for (at, text) in every(labels, least) {
        if !x.is_words() {
            svg.line("axis", (at, room.bottom), (at, room.bottom + 4.0));
        }
        if is_turned {
            let text = fitted(&text, LONGEST);
            svg.text("tick", (at + 4.0, room.bottom + 12.0), "end", -40.0, &text);
        } else {
            // The last label stays inside of the picture.
            let half = width(&text) / 2.0;
            let at = at.min(room.right + 14.0 - half);
            svg.text("tick", (at, room.bottom + 17.0), "middle", 0.0, &text);
        }
    }
    svg.close();
}

/// The labels that have room: each, or each second one, and so on.
fn every(labels: Vec<(f64, String)>, least: f64) -> Vec<(f64, String)> {
    let gap = match labels[..] {
        [ref a, ref b, ..] => (a.0 - b.0).abs(),
        _ => f64::INFINITY,
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
    let step = (least / gap.max(0.001)).ceil().clamp(1.0, 1e6) as usize;
    labels.into_iter().step_by(step).collect()
}
