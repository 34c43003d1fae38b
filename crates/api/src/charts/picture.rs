//! The SVG of a chart as letters.
//!
//! Only what the component `chart` draws is understood: rectangles, lines, paths, circles and texts,
//! with the classes of its series. Everything else is left out, so any SVG is harmless.

use std::borrow::Cow;

use quick_xml::{
    Reader, XmlVersion,
    events::{BytesStart, Event},
};

use super::canvas::{ACROSS, Anchor, Canvas, DOWN, Letters};

/// The largest picture in pixels, which is that of `chart`.
const LARGEST: f64 = 4_000.0;

/// The size of a key in a legend.
const KEY: (f64, f64) = (12.0, 12.0);

/// The least radius of a point that is a letter of its own.
const POINT: f64 = 4.0;

/// The most points of a path that are drawn.
const MOST_POINTS: usize = 100_000;

/// The lines of a chart; `None` if the text is not a picture. If `is_plain`, series differ by patterns
/// instead of colours.
pub fn letters(svg: &str, is_plain: bool) -> Option<Letters> {
    let mut reader = Reader::from_str(svg);
    let mut drawing: Option<Drawing> = None;
    // The text that is being read; texts of other elements are descriptions.
    let mut label: Option<Label> = None;
    loop {
        match reader.read_event() {
            Ok(Event::Start(it) | Event::Empty(it)) if it.local_name().as_ref() == "svg" => {
                let size = (number(&it, "width")?, number(&it, "height")?);
                let is_fit = |it: f64| (1.0..=LARGEST).contains(&it);
                if !is_fit(size.0) || !is_fit(size.1) {
                    return None;
                }
                drawing.get_or_insert_with(|| Drawing::new(size));
            }
            Ok(Event::Start(it)) if it.local_name().as_ref() == "text" => {
                label = Label::new(&it);
            }
            Ok(Event::Start(it) | Event::Empty(it)) => {
                if let Some(drawing) = &mut drawing {
                    drawing.element(&it);
                }
            }
            Ok(Event::Text(it)) => {
                if let Some(label) = &mut label {
                    label.text.push_str(&it.xml_content(XmlVersion::Implicit1_0));
                }
            }
            Ok(Event::GeneralRef(it)) => {
                if let Some(label) = &mut label {
                    label.text.push_str(named(&it));
                }
            }
            Ok(Event::End(it)) if it.local_name().as_ref() == "text" => {
                if let (Some(drawing), Some(label)) = (&mut drawing, label.take()) {
                    drawing.labels.push(label);
                }
            }
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(_) => return None,
        }
    }
    Some(drawing?.finish(is_plain))
}

/// The letter of an entity.
fn named(name: &str) -> &'static str {
    match name {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" | "#39" => "'",
        _ => "",
    }
}

/// A text with its place.
struct Label {
    class: String,
    at: (f64, f64),
    anchor: Anchor,
    is_turned: bool,
    text: String,
}

impl Label {
    fn new(element: &BytesStart<'_>) -> Option<Self> {
        let anchor = match attribute(element, "text-anchor").as_deref() {
            Some("middle") => Anchor::Middle,
            Some("end") => Anchor::End,
            _ => Anchor::Start,
        };
        Some(Self {
            class: attribute(element, "class").unwrap_or_default().into_owned(),
            at: (number(element, "x")?, number(element, "y")?),
            anchor,
            is_turned: attribute(element, "transform").is_some(),
            text: String::new(),
        })
    }
}

struct Drawing {
    canvas: Canvas,
    width: f64,
    labels: Vec<Label>,
    /// How far the marks are moved down, so that the axis is at the end of a line of letters.
    shift: Option<f64>,
}

impl Drawing {
    fn new((width, height): (f64, f64)) -> Self {
        Self { canvas: Canvas::new(width, height), width, labels: Vec::new(), shift: None }
    }

    fn element(&mut self, it: &BytesStart<'_>) {
        // What lacks a number is not drawn.
        let _ = match it.local_name().as_ref() {
            "rect" => self.rect(it),
            "line" => self.line(it),
            "path" => self.path(it),
            "circle" => self.circle(it),
            _ => None,
        };
    }

    fn rect(&mut self, it: &BytesStart<'_>) -> Option<()> {
        let series = series(it, 's')?;
        let (x, y) = (number(it, "x")?, number(it, "y")?);
        let size = (number(it, "width")?, number(it, "height")?);
        if size == KEY && self.shift.is_none() {
            self.canvas.key((x, y), series);
            return Some(());
        }
        let at = (x, y + self.shift.unwrap_or(0.0));
        match number(it, "fill-opacity") {
            Some(share) => self.canvas.shade(at, size, share),
            None => self.canvas.rect(at, size, series),
        }
        Some(())
    }

    fn line(&mut self, it: &BytesStart<'_>) -> Option<()> {
        let mut from = (number(it, "x1")?, number(it, "y1")?);
        let mut to = (number(it, "x2")?, number(it, "y2")?);
        let class = attribute(it, "class")?;
        let is_level = (from.1 - to.1).abs() < 0.5;
        if class == "axis" && is_level && self.shift.is_none() {
            self.shift = Some((from.1 / DOWN).ceil() * DOWN - from.1);
        }
        let shift = self.shift.unwrap_or(0.0);
        (from.1, to.1) = (from.1 + shift, to.1 + shift);
        match class.as_ref() {
            "axis" => self.canvas.axis(from, to),
            "rod" => self.canvas.line(from, to, 0),
            _ => {}
        }
        Some(())
    }

    fn circle(&mut self, it: &BytesStart<'_>) -> Option<()> {
        let series = series(it, 's')?;
        let (x, y, radius) = (number(it, "cx")?, number(it, "cy")?, number(it, "r")?);
        let y = y + self.shift.unwrap_or(0.0);
        if (POINT..=5.0).contains(&radius) {
            self.canvas.point((x, y), series);
            return Some(());
        }
        if radius < POINT {
            self.canvas.line((x, y), (x, y), series);
            return Some(());
        }
        let around: Vec<(f64, f64)> =
            (0..64).map(|step| turned((x, y), radius, f64::from(step) / 64.0)).collect();
        self.canvas.inside(&around, series);
        Some(())
    }

    fn path(&mut self, it: &BytesStart<'_>) -> Option<()> {
        let data = attribute(it, "d")?;
        if let Some(series) = series(it, 'l') {
            for run in self.moved(&data) {
                for pair in run.windows(2) {
                    self.canvas.line(pair[0], pair[1], series);
                }
            }
            return Some(());
        }
        let series = series(it, 's')?;
        for run in self.moved(&data) {
            self.canvas.inside(&run, series);
        }
        Some(())
    }

    /// The points of a path where the canvas has them.
    fn moved(&self, data: &str) -> Vec<Vec<(f64, f64)>> {
        let shift = self.shift.unwrap_or(0.0);
        let mut runs = runs(data);
        runs.iter_mut().flatten().for_each(|it| it.1 += shift);
        runs
    }

    fn finish(mut self, is_plain: bool) -> Letters {
        let labels = std::mem::take(&mut self.labels);
        let room = room_of_turned(&labels, self.width);
        for label in labels {
            let Label { at, anchor, text, .. } = &label;
            // What is above the marks stays there.
            let moves = label.class == "tick" || *anchor == Anchor::Middle;
            let at = (at.0, at.1 + self.shift.filter(|_| moves).unwrap_or(0.0));
            if label.is_turned {
                // Turned texts end below their bars.
                self.canvas.text(at, Anchor::Middle, text, room, None);
                continue;
            }
            let is_side = label.class == "tick" && *anchor == Anchor::End;
            let end = is_side.then_some('┤');
            self.canvas.text(at, *anchor, text, usize::MAX, end);
        }
        self.canvas.letters(is_plain)
    }
}

/// The columns of a turned text: as far as the next one.
fn room_of_turned(labels: &[Label], width: f64) -> usize {
    let mut places = labels.iter().filter(|it| it.is_turned).map(|it| it.at.0);
    let gap = match (places.next(), places.next()) {
        (Some(first), Some(second)) => (second - first).abs(),
        _ => width,
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let columns = (gap / ACROSS) as usize;
    columns.saturating_sub(1).max(1)
}

/// The series in a class: of `s3 edge`, 3.
fn series(element: &BytesStart<'_>, sign: char) -> Option<usize> {
    let class = attribute(element, "class")?;
    class.split(' ').find_map(|it| it.strip_prefix(sign)?.parse().ok())
}

fn attribute<'a>(element: &'a BytesStart<'_>, name: &str) -> Option<Cow<'a, str>> {
    let found = element.try_get_attribute(name).ok()??;
    found.normalized_value(XmlVersion::Implicit1_0).ok()
}

fn number(element: &BytesStart<'_>, name: &str) -> Option<f64> {
    attribute(element, name)?.parse().ok().filter(|it: &f64| it.is_finite())
}

/// The point of a circle at a share of a turn, clockwise from the top.
fn turned((x, y): (f64, f64), radius: f64, share: f64) -> (f64, f64) {
    let angle = share * std::f64::consts::TAU;
    (x + radius * angle.sin(), y - radius * angle.cos())
}

/// The points of a path of `M`, `L`, `A` and `Z`: a list for each part that `M` begins.
fn runs(data: &str) -> Vec<Vec<(f64, f64)>> {
    let mut runs: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut count = 0;
    for (sign, numbers) in steps(data) {
        count += 1;
        if count > MOST_POINTS {
            break;
        }
        match (sign, numbers.as_slice()) {
            ('M', [x, y]) => runs.push(vec![(*x, *y)]),
            ('L', [x, y]) => runs.last_mut().into_iter().for_each(|it| it.push((*x, *y))),
            ('A', [radius, _, _, large, _, x, y]) => {
                runs.last_mut().into_iter().for_each(|it| arc(it, *radius, *large, (*x, *y)));
            }
            _ => {}
        }
    }
    runs
}

/// The steps of a path: a letter with its numbers.
fn steps(data: &str) -> impl Iterator<Item = (char, Vec<f64>)> + '_ {
    let starts: Vec<usize> = data
        .char_indices()
        .filter(|(_, it)| matches!(it, 'M' | 'L' | 'A' | 'Z'))
        .map(|it| it.0)
        .collect();
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([data.len()]).collect();
    let step = move |(start, end): (usize, usize)| {
        let text = &data[start..end];
        let numbers: Option<Vec<f64>> = text[1..]
            .split([' ', ','])
            .filter(|it| !it.is_empty())
            .map(|it| it.parse().ok().filter(|it: &f64| it.is_finite()))
            .collect();
        Some((text.chars().next()?, numbers?))
    };
    starts.into_iter().zip(ends).filter_map(step)
}

/// Adds the points of an arc that turns clockwise, as those of a pie do.
fn arc(run: &mut Vec<(f64, f64)>, radius: f64, large: f64, to: (f64, f64)) {
    let Some(from) = run.last().copied().filter(|_| radius > 0.0) else { return };
    let half = ((to.0 - from.0) / 2.0, (to.1 - from.1) / 2.0);
    let length = half.0.hypot(half.1);
    if length == 0.0 {
        return;
    }
    let height = (radius * radius - length * length).max(0.0).sqrt();
    let side = if large > 0.5 { 1.0 } else { -1.0 };
    let middle = (
        from.0 + half.0 + side * height * half.1 / length,
        from.1 + half.1 - side * height * half.0 / length,
    );
    let angle = |it: (f64, f64)| (it.0 - middle.0).atan2(middle.1 - it.1);
    let (first, mut last) = (angle(from), angle(to));
    if last <= first {
        last += std::f64::consts::TAU;
    }
    for step in 1..=32 {
        let share = first + (last - first) * f64::from(step) / 32.0;
        run.push(turned(middle, radius, share / std::f64::consts::TAU));
    }
}
