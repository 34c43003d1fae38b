//! The fonts of a PDF: what the codes of a text are, and how wide.

use std::{
    collections::{BTreeMap, HashMap},
    ptr,
    rc::Rc,
};

use lopdf::{Dictionary, Document, Encoding, Object};

use crate::pdf::LARGEST_STREAM;

/// A font of a page.
pub(super) struct Font<'a> {
    encoding: Option<Encoding<'a>>,
    widths: Widths,
    /// Whether a code has two bytes.
    is_wide: bool,
}

enum Widths {
    /// Of the codes from a first one on, and of all others.
    Simple {
        first: usize,
        widths: Vec<f64>,
        other: f64,
    },
    Wide {
        widths: HashMap<u16, f64>,
        other: f64,
    },
    /// Of a font that every reader has, with a factor for bold letters.
    Standard(&'static [u16; 95], f64),
}

/// A code of a text.
pub(super) struct Code {
    pub(super) text: String,
    /// Its width for a font of size 1.
    pub(super) width: f64,
    pub(super) is_space: bool,
}

impl Font<'_> {
    /// The width of a space for a font of size 1.
    pub(super) fn space(&self) -> f64 {
        const USUAL: f64 = 0.28;
        let width = if self.is_wide { USUAL } else { self.widths.of(32) };
        if (0.15..=0.7).contains(&width) { width } else { USUAL }
    }

    /// The codes of a shown text.
    pub(super) fn codes<'b>(&'b self, bytes: &'b [u8]) -> impl Iterator<Item = Code> + 'b {
        bytes.chunks(if self.is_wide { 2 } else { 1 }).map(|code| {
            let mut text = String::new();
            if let Some(encoding) = &self.encoding {
                // A code that stands for nothing is shown as nothing.
                let _ = encoding.write_to_string(code, &mut text);
            }
            let number = code.iter().fold(0_u16, |it, byte| it << 8 | u16::from(*byte));
            Code { text, width: self.widths.of(number), is_space: code == b" " }
        })
    }
}

impl Widths {
    fn of(&self, code: u16) -> f64 {
        let thousandths = match self {
            Self::Simple { first, widths, other } => {
                let at = usize::from(code).checked_sub(*first);
                at.and_then(|it| widths.get(it)).copied().unwrap_or(*other)
            }
            Self::Wide { widths, other } => widths.get(&code).copied().unwrap_or(*other),
            Self::Standard(widths, factor) => {
                let at = usize::from(code).checked_sub(32);
                f64::from(at.and_then(|it| widths.get(it)).copied().unwrap_or(556)) * factor
            }
        };
        thousandths / 1_000.0
    }
}

/// The fonts that were read, most of which are shared between pages.
pub(super) struct Fonts<'a> {
    pdf: &'a Document,
    known: HashMap<*const Dictionary, Rc<Font<'a>>>,
}

pub(super) type Named<'a> = BTreeMap<Vec<u8>, Rc<Font<'a>>>;

impl<'a> Fonts<'a> {
    /// The maximum number of fonts that are kept.
    const MOST: usize = 64;

    pub(super) fn of(pdf: &'a Document) -> Self {
        Self { pdf, known: HashMap::new() }
    }

    /// The fonts by their names on a page or in a form.
    pub(super) fn named(
        &mut self,
        fonts: impl IntoIterator<Item = (Vec<u8>, &'a Dictionary)>,
    ) -> Named<'a> {
        fonts.into_iter().map(|(name, font)| (name, self.font(font))).collect()
    }

    fn font(&mut self, font: &'a Dictionary) -> Rc<Font<'a>> {
        let place = ptr::from_ref(font);
        if let Some(known) = self.known.get(&place) {
            return known.clone();
        }
        if self.known.len() >= Self::MOST {
            self.known.clear();
        }
        let is_wide = matches!(name(self.pdf, font, b"Subtype"), Some(b"Type0"));
        let encoding = font.get_font_encoding_with_limit(self.pdf, LARGEST_STREAM).ok();
        let widths = if is_wide { wide(self.pdf, font) } else { simple(self.pdf, font) };
        let read = Rc::new(Font { encoding, widths, is_wide });
        self.known.insert(place, read.clone());
        read
    }
}

fn name<'a>(pdf: &'a Document, of: &'a Dictionary, key: &[u8]) -> Option<&'a [u8]> {
    of.get_deref(key, pdf).ok()?.as_name().ok()
}

pub(super) fn number(pdf: &Document, it: &Object) -> Option<f64> {
    let (_, it) = pdf.dereference(it).ok()?;
    let it = f64::from(it.as_float().ok()?);
    it.is_finite().then_some(it)
}

fn simple(pdf: &Document, font: &Dictionary) -> Widths {
    let base = name(pdf, font, b"BaseFont").unwrap_or_default();
    let descriptor = font.get_deref(b"FontDescriptor", pdf).and_then(Object::as_dict);
    let missing = descriptor.ok().and_then(|it| number(pdf, it.get(b"MissingWidth").ok()?));
    let all = font.get_deref(b"Widths", pdf).and_then(Object::as_array);
    let Ok(all) = all else { return standard(base) };
    let first = font.get(b"FirstChar").ok().and_then(|it| number(pdf, it)).unwrap_or(0.0);
    let widths: Vec<f64> = all.iter().map(|it| number(pdf, it).unwrap_or(0.0)).collect();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a code is small")]
    let first = first.clamp(0.0, 255.0) as usize;
    Widths::Simple { first, widths, other: missing.unwrap_or(0.0) }
}

/// The widths of one of the fonts that need not have any, or of one like it.
fn standard(base: &[u8]) -> Widths {
    let base = String::from_utf8_lossy(base).to_ascii_lowercase();
    let factor = if base.contains("bold") { 1.06 } else { 1.0 };
    if base.contains("courier") || base.contains("mono") {
        Widths::Simple { first: 0, widths: Vec::new(), other: 600.0 }
    } else if base.contains("times") || base.contains("serif") || base.contains("roman") {
        Widths::Standard(&TIMES, factor)
    } else {
        Widths::Standard(&HELVETICA, factor)
    }
}

/// Widths by `[first [width ..] first last width ..]`.
fn wide(pdf: &Document, font: &Dictionary) -> Widths {
    let inner = font.get_deref(b"DescendantFonts", pdf).and_then(Object::as_array).ok();
    let inner = inner.and_then(|it| pdf.dereference(it.first()?).ok()?.1.as_dict().ok());
    let other = inner.and_then(|it| number(pdf, it.get(b"DW").ok()?)).unwrap_or(1_000.0);
    let all = inner.and_then(|it| it.get_deref(b"W", pdf).ok()?.as_array().ok());
    let mut widths = HashMap::new();
    let mut rest = all.map(Vec::as_slice).unwrap_or_default();
    while let [first, next, after @ ..] = rest {
        let Some(first) = number(pdf, first).and_then(code) else { break };
        let list = pdf.dereference(next).ok().and_then(|(_, it)| it.as_array().ok());
        if let Some(list) = list {
            for (code, width) in (first..=u16::MAX).zip(list) {
                widths.insert(code, number(pdf, width).unwrap_or(other));
            }
            rest = after;
            continue;
        }
        let (Some(last), [width, after @ ..]) = (number(pdf, next).and_then(code), after) else {
            break;
        };
        let width = number(pdf, width).unwrap_or(other);
        widths.extend((first..=last).map(|it| (it, width)));
        rest = after;
    }
    Widths::Wide { widths, other }
}

fn code(number: f64) -> Option<u16> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
    (0.0..=65_535.0).contains(&number).then_some(number as u16)
}

/// The widths of Helvetica from the space to the tilde, as published by Adobe.
const HELVETICA: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// The widths of Times.
const TIMES: [u16; 95] = [
    250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500,
    500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611,
    556, 722, 722, 333, 389, 722, 611, 889, 722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722,
    722, 611, 333, 278, 333, 469, 500, 333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500,
    278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541,
];
