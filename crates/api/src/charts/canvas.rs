//! A picture of letters: eight dots in each, as Braille has them, and texts above.

use svc_text::visible::is_hidden;
use unicode_width::UnicodeWidthChar as _;

/// The pixels of a picture that a letter takes.
pub(super) const ACROSS: f64 = 8.0;
pub(super) const DOWN: f64 = 16.0;

/// The pixels of a dot: two across and four down are a letter.
const DOT: f64 = 4.0;

/// The bits of Braille, by the row and the column of a dot.
const BRAILLE: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

/// Where a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A letter of a picture, and the series that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyph {
    pub letter: char,
    pub series: Option<usize>,
}

/// The lines of a picture.
pub type Letters = Vec<Vec<Glyph>>;

/// What the dots of a letter are a part of.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Cover {
    #[default]
    Line,
    Area,
    /// A point of a scatter plot, which is a letter of its own.
    Point,
}

#[derive(Clone, Copy, Default)]
struct Spot {
    dots: u8,
    series: Option<usize>,
    cover: Cover,
    /// The strength of a cell of a heat map, from 0 to 3.
    shade: Option<usize>,
    text: Option<char>,
    /// Whether an axis is here, which is seen where nothing else is.
    is_axis: bool,
    /// The right half of a wide letter.
    is_behind: bool,
}

pub(super) struct Canvas {
    columns: usize,
    spots: Vec<Spot>,
}

impl Canvas {
    /// A canvas for a picture of this size in pixels.
    pub(super) fn new(width: f64, height: f64) -> Self {
        let columns = index(width / ACROSS).max(1);
        // One more, as marks are moved down to the end of a line.
        let rows = index((height / DOWN).ceil()).max(1) + 1;
        Self { columns, spots: vec![Spot::default(); columns * rows] }
    }

    fn rows(&self) -> usize {
        self.spots.len() / self.columns
    }

    fn spot(&mut self, column: usize, row: usize) -> Option<&mut Spot> {
        if column >= self.columns || row >= self.rows() {
            return None;
        }
        self.spots.get_mut(row * self.columns + column)
    }

    fn dot(&mut self, x: f64, y: f64, series: usize, is_filled: bool) {
        if !(x >= 0.0 && y >= 0.0) {
            return;
        }
        let (x, y) = (index(x / DOT), index(y / DOT));
        if let Some(spot) = self.spot(x / 2, y / 4) {
            spot.dots |= BRAILLE[y % 4][x % 2];
            spot.series = Some(series);
            if is_filled {
                spot.cover = Cover::Area;
            }
        }
    }

    /// A point that is larger than a dot.
    pub(super) fn point(&mut self, (x, y): (f64, f64), series: usize) {
        if let Some(spot) = self.spot(index(x / ACROSS), index(y / DOWN)) {
            (spot.cover, spot.series) = (Cover::Point, Some(series));
        }
    }

    /// A key of the legend, on the line of its text.
    pub(super) fn key(&mut self, (x, y): (f64, f64), series: usize) {
        if let Some(spot) = self.spot(index(x / ACROSS), index((y + 5.0) / DOWN)) {
            (spot.dots, spot.cover, spot.series) = (0xFF, Cover::Area, Some(series));
        }
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), series: usize) {
        let longest = (to.0 - from.0).abs().max((to.1 - from.1).abs());
        if !longest.is_finite() {
            return;
        }
        let steps = index((longest / (DOT / 2.0)).ceil()).clamp(1, MOST_STEPS);
        for step in 0..=steps {
            let share = float(step) / float(steps);
            let at = |from: f64, to: f64| from + (to - from) * share;
            self.dot(at(from.0, to.0), at(from.1, to.1), series, false);
        }
    }

    /// A rectangle: at least one dot wide and tall, so that no value is invisible.
    pub(super) fn rect(&mut self, at: (f64, f64), size: (f64, f64), series: usize) {
        if size.0 <= 0.0 || size.1 <= 0.0 {
            return;
        }
        let range = |from: f64, size: f64| {
            let first = (from / DOT).round();
            (first, ((from + size) / DOT).round().max(first + 1.0))
        };
        let ((left, right), (top, bottom)) = (range(at.0, size.0), range(at.1, size.1));
        let mut y = top.max(0.0);
        while y < bottom.min(float(self.rows() * 4)) {
            let mut x = left.max(0.0);
            while x < right.min(float(self.columns * 2)) {
                self.dot((x + 0.5) * DOT, (y + 0.5) * DOT, series, true);
                x += 1.0;
            }
            y += 1.0;
        }
    }

    /// A rectangle of whole letters, as strong as `share` says.
    pub(super) fn shade(&mut self, at: (f64, f64), size: (f64, f64), share: f64) {
        let range = |from: f64, size: f64, of: f64| {
            let first = (from / of).round().max(0.0);
            (index(first), index(((from + size) / of).round().max(first + 1.0)))
        };
        let (left, right) = range(at.0, size.0, ACROSS);
        let (top, bottom) = range(at.1, size.1, DOWN);
        let rows = self.rows();
        for row in top..bottom.min(rows) {
            for column in left..right.min(self.columns) {
                if let Some(spot) = self.spot(column, row) {
                    spot.shade = Some(index(share * 3.999).min(3));
                    spot.series = Some(0);
                }
            }
        }
    }

    /// What is inside of a closed path, by the rule of even and odd.
    pub(super) fn inside(&mut self, path: &[(f64, f64)], series: usize) {
        for y in 0..self.rows() * 4 {
            let middle = (float(y) + 0.5) * DOT;
            let mut cuts: Vec<f64> = Vec::new();
            for (idx, from) in path.iter().enumerate() {
                let to = path[(idx + 1) % path.len()];
                if (from.1 <= middle) != (to.1 <= middle) {
                    cuts.push(from.0 + (middle - from.1) / (to.1 - from.1) * (to.0 - from.0));
                }
            }
            cuts.sort_by(f64::total_cmp);
            for pair in cuts.chunks_exact(2) {
                let first = (pair[0] / DOT - 0.5).ceil().max(0.0);
                let mut x = first;
                while (x + 0.5) * DOT < pair[1] && x < float(self.columns * 2) {
                    self.dot((x + 0.5) * DOT, middle, series, true);
                    x += 1.0;
                }
            }
        }
    }

    /// A horizontal line of an axis, below everything else.
    pub(super) fn axis(&mut self, from: (f64, f64), to: (f64, f64)) {
        if (from.1 - to.1).abs() > 0.5 || (to.0 - from.0).abs() < ACROSS {
            return;
        }
        let row = index((from.1 - 1.0) / DOWN);
        for column in index(from.0 / ACROSS)..=index(to.0 / ACROSS).min(self.columns) {
            if let Some(spot) = self.spot(column, row) {
                spot.is_axis = true;
            }
        }
    }

    /// A text on the line at `y`, in at most `most` columns; `end` is put behind it.
    pub(super) fn text(
        &mut self,
        (x, y): (f64, f64),
        anchor: Anchor,
        text: &str,
        most: usize,
        end: Option<char>,
    ) {
        let text = fitted(text, most.min(self.columns));
        let wide = text.iter().map(|it| it.1).sum::<usize>();
        let row = index(((y - 5.0) / DOWN).max(0.0));
        let x = index((x / ACROSS).max(0.0));
        let start = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x.saturating_sub(wide / 2),
            Anchor::End => x.saturating_sub(wide),
        };
        let mut column = start.min(self.columns.saturating_sub(wide));
        for (letter, width) in text {
            let Some(spot) = self.spot(column, row) else { return };
            spot.text = Some(letter);
            if width == 2
                && let Some(spot) = self.spot(column + 1, row)
            {
                spot.is_behind = true;
            }
            column += width;
        }
        if let Some(end) = end
            && let Some(spot) = self.spot(column, row).filter(|it| it.dots == 0)
        {
            spot.text = Some(end);
        }
    }

    /// The lines without empty ones around the marks and without spaces behind. If `is_plain`, series differ by
    /// their patterns instead of colours.
    pub(super) fn letters(&self, is_plain: bool) -> Letters {
        let lines = self.spots.chunks(self.columns).map(|line| {
            let seen = line.iter().filter(|it| !it.is_behind || it.text.is_some());
            let mut line: Vec<Glyph> = seen.map(|it| it.glyph(is_plain)).collect();
            let is_space = |it: &Glyph| it.letter == ' ';
            let len = line.iter().rposition(|it| !is_space(it)).map_or(0, |it| it + 1);
            line.truncate(len);
            line
        });
        let lines: Letters = lines.collect();
        let is_marked = |it: &Spot| {
            it.dots != 0 || it.shade.is_some() || it.is_axis || it.cover == Cover::Point
        };
        let marked: Vec<bool> =
            self.spots.chunks(self.columns).map(|it| it.iter().any(is_marked)).collect();
        let first = marked.iter().position(|it| *it).unwrap_or(marked.len());
        let last = marked.iter().rposition(|it| *it).unwrap_or(0);
        let inside = |row: usize| (first..=last).contains(&row);
        let kept = lines.into_iter().enumerate().filter(|(row, it)| inside(*row) || !it.is_empty());
        kept.map(|it| it.1).collect()
    }
}

/// The most points of a line between two others.
const MOST_STEPS: usize = 10_000;

impl Spot {
    fn glyph(self, is_plain: bool) -> Glyph {
        const SHADES: [char; 4] = ['░', '▒', '▓', '█'];
        const PATTERNS: [char; 4] = ['█', '▒', '▓', '░'];
        const POINTS: [char; 6] = ['●', '○', '◆', '◇', '▲', '△'];
        if let Some(letter) = self.text {
            return Glyph { letter, series: None };
        }
        if self.cover == Cover::Point {
            let idx = if is_plain { self.series.unwrap_or(0) % POINTS.len() } else { 0 };
            return Glyph { letter: POINTS[idx], series: self.series };
        }
        let letter = match (self.shade, self.dots) {
            (Some(shade), _) => SHADES[shade],
            (None, 0) => {
                let letter = if self.is_axis { '▁' } else { ' ' };
                return Glyph { letter, series: None };
            }
            (None, dots) if self.cover == Cover::Area => match dots {
                0xFF if is_plain => PATTERNS[self.series.unwrap_or(0) % PATTERNS.len()],
                0xFF => '█',
                0xC0 => '▂',
                0xE4 => '▄',
                0xF6 => '▆',
                0x47 => '▌',
                0xB8 => '▐',
                dots => braille(dots),
            },
            (None, dots) => braille(dots),
        };
        Glyph { letter, series: self.series }
    }
}

fn braille(dots: u8) -> char {
    char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' ')
}

/// The letters of a text with their widths, cut off so that they fit.
fn fitted(text: &str, most: usize) -> Vec<(char, usize)> {
    let shown = |it: char| if is_hidden(it) || it.is_control() { '·' } else { it };
    let wide = |it: char| it.width().unwrap_or(0);
    // Marks that join others have no column of their own.
    let all: Vec<(char, usize)> =
        text.chars().map(shown).map(|it| (it, wide(it))).filter(|it| it.1 > 0).collect();
    if all.iter().map(|it| it.1).sum::<usize>() <= most {
        return all;
    }
    let (mut kept, mut room) = (Vec::new(), most.saturating_sub(1));
    for it in all {
        if it.1 > room {
            break;
        }
        room -= it.1;
        kept.push(it);
    }
    if most > 0 {
        kept.push(('…', 1));
    }
    kept
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
fn index(it: f64) -> usize {
    it as usize
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand")]
fn float(it: usize) -> f64 {
    it as f64
}
