//! What a page shows: words with their places, and straight lines.

use std::rc::Rc;

use lopdf::{
    Dictionary, Document, Object, ObjectId,
    content::{Content, Operation},
};

use super::{
    fonts::{Font, Fonts, Named, number},
    places::{Edge, Matrix, Word},
};
use crate::pdf::LARGEST_STREAM;

/// The maximum depth of forms in forms, and the number of operations of a page.
const DEEPEST: usize = 8;
pub(super) const MOST_OPERATIONS: usize = 4_000_000;

/// What a page shows.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) words: Vec<Word>,
    pub(super) vertical: Vec<Edge>,
    pub(super) horizontal: Vec<Edge>,
}

#[derive(Clone)]
pub(super) struct State<'a> {
    pub(super) place: Matrix,
    font: Option<Rc<Font<'a>>>,
    size: f64,
    letter_gap: f64,
    word_gap: f64,
    stretch: f64,
    leading: f64,
    rise: f64,
}

pub(super) struct Reader<'a, 'f> {
    pdf: &'a Document,
    fonts: &'f mut Fonts<'a>,
    pub(super) shown: Shown,
    pub(super) state: State<'a>,
    kept: Vec<State<'a>>,
    line: Matrix,
    text: Matrix,
    /// The corners of the current path: each line of it.
    pub(super) path: Vec<((f64, f64), (f64, f64))>,
    pub(super) first: (f64, f64),
    pub(super) last: (f64, f64),
    /// Whether the next letter begins a word.
    is_apart: bool,
    operations: usize,
}

/// Reads a page.
pub(super) fn shown<'a>(
    pdf: &'a Document,
    page: ObjectId,
    fonts: &mut Fonts<'a>,
) -> lopdf::Result<Shown> {
    let named = fonts.named(pdf.get_page_fonts(page)?);
    let content = pdf.get_page_content_with_limit(page, LARGEST_STREAM)?;
    let state = State {
        place: turned(pdf, page),
        font: None,
        size: 0.0,
        letter_gap: 0.0,
        word_gap: 0.0,
        stretch: 1.0,
        leading: 0.0,
        rise: 0.0,
    };
    let (shown, kept, path) = (Shown::default(), Vec::new(), Vec::new());
    let (line, text, first, last) = (Matrix::ONE, Matrix::ONE, (0.0, 0.0), (0.0, 0.0));
    let (is_apart, operations) = (true, 0);
    let mut reader = Reader {
        pdf,
        fonts,
        shown,
        state,
        kept,
        line,
        text,
        path,
        first,
        last,
        is_apart,
        operations,
    };
    let (own, others) = pdf.get_page_resources(page)?;
    let others = others.iter().filter_map(|it| pdf.get_dictionary(*it).ok());
    let resources: Vec<&Dictionary> = own.into_iter().chain(others).collect();
    reader.run(&content, &named, &resources, 0)?;
    Ok(reader.shown)
}

/// The rotation of a page, which may be that of a group of pages.
fn turned(pdf: &Document, page: ObjectId) -> Matrix {
    let mut node = pdf.get_dictionary(page).ok();
    for _ in 0..32 {
        let Some(it) = node else { break };
        if let Some(angle) = it.get(b"Rotate").ok().and_then(|it| number(pdf, it)) {
            return match angle.rem_euclid(360.0) {
                90.0 => Matrix([0.0, -1.0, 1.0, 0.0, 0.0, 0.0]),
                180.0 => Matrix([-1.0, 0.0, 0.0, -1.0, 0.0, 0.0]),
                270.0 => Matrix([0.0, 1.0, -1.0, 0.0, 0.0, 0.0]),
                _ => Matrix::ONE,
            };
        }
        node = it.get_deref(b"Parent", pdf).and_then(Object::as_dict).ok();
    }
    Matrix::ONE
}

impl<'a> Reader<'a, '_> {
    fn run(
        &mut self,
        content: &[u8],
        fonts: &Named<'a>,
        resources: &[&'a Dictionary],
        depth: usize,
    ) -> lopdf::Result<()> {
        for operation in Content::decode_iter(content) {
            let Operation { operator, operands } = operation?;
            self.operations += 1;
            if self.operations > MOST_OPERATIONS {
                break;
            }
            let numbers: Vec<f64> = operands.iter().filter_map(|it| number(self.pdf, it)).collect();
            match operator.as_str() {
                "Do" => self.form(&operands, resources, depth)?,
                "Tf" => {
                    let name = operands.first().and_then(|it| it.as_name().ok());
                    self.state.font = name.and_then(|it| fonts.get(it)).cloned();
                    self.state.size = numbers.last().copied().unwrap_or(0.0);
                }
                "Tj" | "TJ" | "'" | "\"" => self.show_operands(&operator, &operands, &numbers),
                "q" if self.kept.len() < 512 => self.kept.push(self.state.clone()),
                "Q" => self.state = self.kept.pop().unwrap_or_else(|| self.state.clone()),
                other => {
                    self.text_state(other, &numbers);
                    self.path(other, &numbers);
                }
            }
        }
        Ok(())
    }

    /// Reads a form as a part of the page.
    fn form(
        &mut self,
        operands: &[Object],
        resources: &[&'a Dictionary],
        depth: usize,
    ) -> lopdf::Result<()> {
        let pdf = self.pdf;
        let find = |name: &[u8]| {
            resources.iter().find_map(|it| {
                let forms = it.get_deref(b"XObject", pdf).ok()?.as_dict().ok()?;
                forms.get_deref(name, pdf).ok()?.as_stream().ok()
            })
        };
        let name = operands.first().and_then(|it| it.as_name().ok());
        let Some(form) = name.and_then(find).filter(|_| depth < DEEPEST) else { return Ok(()) };
        if !matches!(form.dict.get(b"Subtype").and_then(Object::as_name), Ok(b"Form")) {
            return Ok(());
        }
        let content = form.get_plain_content_with_limit(LARGEST_STREAM)?;
        let own = form.dict.get_deref(b"Resources", pdf).and_then(Object::as_dict).ok();
        let inner: Vec<&Dictionary> = own.map_or_else(|| resources.to_vec(), |it| vec![it]);
        let mut fonts = Vec::new();
        for it in inner.iter().rev() {
            let Ok(all) = it.get_deref(b"Font", pdf).and_then(Object::as_dict) else { continue };
            let font = |(name, _): (&Vec<u8>, &Object)| {
                Some((name.clone(), all.get_deref(name, pdf).ok()?.as_dict().ok()?))
            };
            fonts.extend(all.iter().filter_map(font));
        }
        let named = self.fonts.named(fonts);
        let (state, line, text) = (self.state.clone(), self.line, self.text);
        let kept = std::mem::take(&mut self.kept);
        if let Ok(matrix) = form.dict.get_deref(b"Matrix", pdf).and_then(Object::as_array) {
            let numbers: Vec<f64> = matrix.iter().filter_map(|it| number(pdf, it)).collect();
            self.text_state("cm", &numbers);
        }
        self.run(&content, &named, &inner, depth + 1)?;
        (self.state, self.line, self.text, self.kept) = (state, line, text, kept);
        Ok(())
    }

    fn text_state(&mut self, operator: &str, numbers: &[f64]) {
        let matrix = || <[f64; 6]>::try_from(numbers).ok().map(Matrix);
        match (operator, numbers) {
            ("cm", _) => {
                if let Some(matrix) = matrix() {
                    self.state.place = matrix.then(self.state.place);
                }
            }
            ("BT", _) => (self.line, self.text) = (Matrix::ONE, Matrix::ONE),
            ("Tm", _) => {
                if let Some(matrix) = matrix() {
                    (self.line, self.text) = (matrix, matrix);
                }
            }
            ("Td", [x, y]) => self.move_line(*x, *y),
            ("TD", [x, y]) => {
                self.state.leading = -y;
                self.move_line(*x, *y);
            }
            ("T*", _) => self.move_line(0.0, -self.state.leading),
            ("TL", [it]) => self.state.leading = *it,
            ("Tc", [it]) => self.state.letter_gap = *it,
            ("Tw", [it]) => self.state.word_gap = *it,
            ("Tz", [it]) => self.state.stretch = it / 100.0,
            ("Ts", [it]) => self.state.rise = *it,
            _ => {}
        }
    }

    fn move_line(&mut self, x: f64, y: f64) {
        self.line = Matrix([1.0, 0.0, 0.0, 1.0, x, y]).then(self.line);
        self.text = self.line;
    }

    fn show_operands(&mut self, operator: &str, operands: &[Object], numbers: &[f64]) {
        if let ("\"", [words, letters]) = (operator, numbers) {
            (self.state.word_gap, self.state.letter_gap) = (*words, *letters);
        }
        if matches!(operator, "'" | "\"") {
            self.move_line(0.0, -self.state.leading);
        }
        for operand in operands {
            match operand {
                Object::String(bytes, _) => self.show(bytes),
                Object::Array(parts) => {
                    for part in parts {
                        match part {
                            Object::String(bytes, _) => self.show(bytes),
                            other => {
                                let back = number(self.pdf, other).unwrap_or(0.0) / 1_000.0;
                                self.advance(-back * self.state.size * self.state.stretch);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn advance(&mut self, x: f64) {
        self.text = Matrix([1.0, 0.0, 0.0, 1.0, x, 0.0]).then(self.text);
    }

    fn show(&mut self, bytes: &[u8]) {
        let Some(font) = self.state.font.clone() else { return };
        let State { size, stretch, rise, letter_gap, word_gap, .. } = self.state;
        for code in font.codes(bytes) {
            let place = self.text.then(self.state.place);
            let width = code.width * size * stretch;
            let ((left, base), (right, end)) = (place.of(0.0, rise), place.of(width, rise));
            let height = (place.of(0.0, rise + size).1 - base).abs();
            let is_upright = (end - base).abs() < 0.1 && right >= left && left.is_finite();
            if code.text.trim().is_empty() {
                self.is_apart = true;
            } else if is_upright && base.is_finite() && height > 0.0 {
                let space = font.space() * height;
                let (text, last) = (code.text, left);
                self.letter(Word { text, left, right, base, size: height, space, last });
            }
            let gap = letter_gap + if code.is_space { word_gap } else { 0.0 };
            self.advance(width + gap * stretch);
        }
    }

    /// Adds a letter to the last word, or begins another.
    fn letter(&mut self, letter: Word) {
        let is_apart = std::mem::take(&mut self.is_apart);
        match self.shown.words.last_mut() {
            // Some programs show a letter twice for a bold one.
            Some(word) if word.ends_in(&letter) => {}
            Some(word) if !is_apart && word.continues(&letter) => {
                word.text.push_str(&letter.text);
                word.right = word.right.max(letter.right);
                word.last = letter.left;
            }
            _ => self.shown.words.push(letter),
        }
    }
}
