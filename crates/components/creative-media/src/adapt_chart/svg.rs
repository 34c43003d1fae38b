//! Writing SVG: elements, text, colours for light and dark.

use std::fmt::Write as _;

/// Colours of series, for a light and a dark background; each differs from its background by at least
/// 3 to 1.
const COLOURS: [(&str, &str); 10] = [
    ("#3b6fd4", "#7aa2f7"),
    ("#c9610a", "#ff9e64"),
    ("#1d8a6a", "#4fd6be"),
    ("#c2336a", "#ff7eb6"),
    ("#8656c9", "#bb9af7"),
    ("#7d7a00", "#d7ce4e"),
    ("#0b84a5", "#7dcfff"),
    ("#a0522d", "#d9a06f"),
    ("#5c6b7a", "#a9b1c6"),
    ("#4b8b1f", "#9ece6a"),
];

/// The number of colours that differ.
pub(super) const SERIES: usize = COLOURS.len();

pub(super) struct Svg {
    out: String,
}

impl Svg {
    /// Starts a picture that readers announce by its title and description.
    pub(super) fn new(width: f64, height: f64, title: &str, description: &str, key: &str) -> Self {
        let mut out = String::new();
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\" aria-labelledby=\"t-{key} d-{key}\" class=\"svc-chart\">\n\
             <title id=\"t-{key}\">{}</title>\n<desc id=\"d-{key}\">{}</desc>\n<style>{}</style>\n\
             <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n",
            escaped(title),
            escaped(description),
            style(),
        );
        Self { out }
    }

    pub(super) fn finish(mut self, data: &str) -> String {
        let _ = write!(self.out, "<metadata>{}</metadata>\n</svg>\n", escaped(data));
        self.out
    }

    pub(super) fn open(&mut self, attributes: &str) {
        let _ = writeln!(self.out, "<g {attributes}>");
    }

    pub(super) fn close(&mut self) {
        self.out.push_str("</g>\n");
    }

    /// A rectangle; `tip` is read out, and shown under the pointer.
    pub(super) fn rect(
        &mut self,
        class: &str,
        at: (f64, f64),
        size: (f64, f64),
        tip: Option<&str>,
    ) {
        let (x, y) = (at.0.min(at.0 + size.0), at.1.min(at.1 + size.1));
        let attributes = format!(
            "class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
            short(x),
            short(y),
            short(size.0.abs()),
            short(size.1.abs())
        );
        self.element("rect", &attributes, tip);
    }

    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let attributes = format!(
            "class=\"{class}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"",
            short(from.0),
            short(from.1),
            short(to.0),
            short(to.1)
        );
        self.element("line", &attributes, None);
    }

    pub(super) fn circle(&mut self, class: &str, at: (f64, f64), radius: f64, tip: Option<&str>) {
        let attributes = format!(
            "class=\"{class}\" cx=\"{}\" cy=\"{}\" r=\"{}\"",
            short(at.0),
            short(at.1),
            short(radius)
        );
        self.element("circle", &attributes, tip);
    }

    pub(super) fn path(&mut self, class: &str, path: &str, tip: Option<&str>) {
        self.element("path", &format!("class=\"{class}\" d=\"{path}\""), tip);
    }

    /// A cell with a shade between 0 and 1.
    pub(super) fn shade(
        &mut self,
        at: (f64, f64),
        size: (f64, f64),
        share: f64,
        tip: Option<&str>,
    ) {
        let share = 0.06 + 0.94 * share;
        let attributes = format!(
            "class=\"s0\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill-opacity=\"{}\"",
            short(at.0),
            short(at.1),
            short(size.0),
            short(size.1),
            short(share)
        );
        self.element("rect", &attributes, tip);
    }

    fn element(&mut self, name: &str, attributes: &str, tip: Option<&str>) {
        let _ = match tip {
            Some(tip) => {
                writeln!(self.out, "<{name} {attributes}><title>{}</title></{name}>", escaped(tip))
            }
            None => writeln!(self.out, "<{name} {attributes}/>"),
        };
    }

    /// A text; `anchor` is start, middle or end, and `turned` its angle in degrees.
    pub(super) fn text(
        &mut self,
        class: &str,
        at: (f64, f64),
        anchor: &str,
        turned: f64,
        text: &str,
    ) {
        let (x, y) = (short(at.0), short(at.1));
        let turn = if turned == 0.0 {
            String::new()
        } else {
            format!(" transform=\"rotate({} {x} {y})\"", short(turned))
        };
        let _ = writeln!(
            self.out,
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\"{turn}>{}</text>",
            escaped(text)
        );
    }
}

fn style() -> String {
    let mut light = String::new();
    let mut dark = String::new();
    for (idx, (day, night)) in COLOURS.iter().enumerate() {
        let _ = write!(light, ".s{idx}{{fill:{day}}}.l{idx}{{stroke:{day}}}");
        let _ = write!(dark, ".s{idx}{{fill:{night}}}.l{idx}{{stroke:{night}}}");
    }
    format!(
        ".svc-chart text{{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:#333}}\
         .svc-chart .title{{font-size:16px;font-weight:600;fill:#111}}.svc-chart .name{{font-weight:600}}\
         .paper{{fill:#fff}}.grid{{stroke:#e3e3e3}}.axis{{stroke:#666}}.edge{{stroke:#fff}}.box{{stroke:#333;fill-opacity:.55}}\
         .rod{{stroke:#333}}.line{{fill:none;stroke-width:2;stroke-linejoin:round}}.area{{fill-opacity:.6}}.dot{{fill-opacity:.7}}{light}\
         @media (prefers-color-scheme:dark){{.svc-chart text{{fill:#ccc}}.svc-chart .title{{fill:#f2f2f2}}\
         .paper{{fill:#16181d}}.grid{{stroke:#2f333b}}.axis{{stroke:#999}}.edge{{stroke:#16181d}}.box{{stroke:#ddd}}.rod{{stroke:#ddd}}{dark}}}"
    )
}

/// A number with at most two digits after the point.
pub(super) fn short(it: f64) -> String {
    let text = format!("{it:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text for an element or an attribute; what XML cannot contain is left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(' '),
            it if it < ' ' || matches!(it, '\u{fffe}' | '\u{ffff}') => {}
            it => out.push(it),
        }
    }
    out
}

/// About how wide a text is at 12 px.
pub(super) fn width(text: &str) -> f64 {
    let of = |it: char| match it {
        'i' | 'l' | 'j' | '.' | ',' | '\'' | ':' | ';' | '|' | '!' => 3.6,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 10.5,
        it if it.is_uppercase() => 8.2,
        it if u32::from(it) >= 0x1100 => 12.0,
        _ => 6.8,
    };
    text.chars().map(of).sum()
}

/// The text, cut off so that it is at most this wide.
pub(super) fn fitted(text: &str, most: f64) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut out = String::new();
    for letter in text.chars() {
        if width(&out) + width(&letter.to_string()) + 9.0 > most {
            break;
        }
        out.push(letter);
    }
    format!("{}…", out.trim_end())
}
