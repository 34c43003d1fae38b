//! From SVG to pixels.

use std::sync::{Arc, LazyLock};

use resvg::{
    tiny_skia::{Pixmap, Transform},
    usvg::{Options, Tree, fontdb},
};
use svc_contract::registry::{Cx, OpError};

/// The most pixels: 160 MB while they are drawn.
const MOST_PIXELS: f64 = 40_000_000.0;

/// The largest SVG in bytes; that of a chart is far smaller.
const LARGEST: usize = 16 << 20;

/// The elements of charts. Others could load files or take hours.
const ELEMENTS: [&str; 11] =
    ["svg", "title", "desc", "style", "rect", "g", "line", "circle", "path", "text", "metadata"];

/// Where the colours for dark pages begin.
const DARK: &str = "@media (prefers-color-scheme:dark){";

const FAMILY: &str = "DejaVu Sans";

static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(include_bytes!("../../fonts/DejaVuSans.ttf").to_vec());
    fonts.load_font_data(include_bytes!("../../fonts/DejaVuSans-Bold.ttf").to_vec());
    fonts.set_sans_serif_family(FAMILY);
    Arc::new(fonts)
});

/// A PNG, with its size in pixels.
pub(super) struct Drawn {
    pub content: Vec<u8>,
    pub width: u32,
    pub height: u32,
}

/// Draws the SVG of a chart.
pub(super) fn png(svg: &str, scale: f64, is_dark: bool, cx: &Cx) -> Result<Drawn, OpError> {
    if !is_chart(svg) {
        return Err(OpError::invalid_input(
            "expected a chart that `chart` drew, found another text",
        )
        .help("draw it with `chart`, `chart.spec`, or a program such as `rsvg-convert`"));
    }
    let styled = with_colours(svg, is_dark);
    let options =
        Options { font_family: FAMILY.to_owned(), fontdb: FONTS.clone(), ..Options::default() };
    let broken = |why: String| OpError::invalid_input(format!("cannot draw the chart: {why}"));
    let tree = Tree::from_str(&styled, &options).map_err(|err| broken(err.to_string()))?;
    cx.check()?;
    let size = tree.size();
    let (width, height) = (f64::from(size.width()) * scale, f64::from(size.height()) * scale);
    if width * height > MOST_PIXELS {
        let message = format!("a picture of {width:.0} x {height:.0} pixels is too large");
        return Err(OpError::invalid_input(message).help("choose a smaller `scale`"));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded above")]
    let (width, height) = (width.round().max(1.0) as u32, height.round().max(1.0) as u32);
    let mut pixels = Pixmap::new(width, height).ok_or_else(|| broken("no pixels".to_owned()))?;
    #[expect(clippy::cast_possible_truncation, reason = "at most 8")]
    let transform = Transform::from_scale(scale as f32, scale as f32);
    resvg::render(&tree, transform, &mut pixels.as_mut());
    cx.check()?;
    let content = pixels.encode_png().map_err(|err| broken(err.to_string()))?;
    Ok(Drawn { content, width, height })
}

/// Whether a text is an SVG of `chart`: of its class, and with no other elements.
fn is_chart(svg: &str) -> bool {
    let start = svg.find('>').unwrap_or(0);
    let is_own = svg.starts_with("<svg ") && svg[..start].contains("class=\"svc-chart\"");
    let name = |it: &str| {
        let end = it.find(|it: char| !it.is_ascii_alphanumeric()).unwrap_or(it.len());
        ELEMENTS.contains(&&it[..end])
    };
    let is_plain = svg.split('<').skip(1).all(|it| name(it.strip_prefix('/').unwrap_or(it)));
    svg.len() <= LARGEST && is_own && is_plain
}

/// The SVG with the colours for light or for dark pages: a picture has no page to ask.
fn with_colours(svg: &str, is_dark: bool) -> String {
    let Some((before, rest)) = svg.split_once(DARK) else { return svg.to_owned() };
    let Some((rules, after)) = rest.split_once("}}") else { return svg.to_owned() };
    if is_dark { [before, rules, "}", after].concat() } else { [before, after].concat() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_charts_are_drawn() {
        let chart = |inside: &str| {
            format!("<svg class=\"svc-chart\" width=\"9\" height=\"9\">{inside}</svg>")
        };
        assert!(is_chart(&chart("<g><text>a &lt;image&gt;</text></g>")));
        for other in
            ["<image href=\"/etc/passwd\"/>", "<filter/>", "<!DOCTYPE svg [", "<?xml ?>", "<use/>"]
        {
            assert!(!is_chart(&chart(other)), "{other}");
        }
        assert!(!is_chart("<svg width=\"9\"><g class=\"svc-chart\"/></svg>"));
    }

    #[test]
    fn colours_are_those_of_one_page() {
        let svg = format!("a{{b}}{DARK}c{{d}}e{{f}}}}</style>");
        assert_eq!(with_colours(&svg, false), "a{b}</style>");
        assert_eq!(with_colours(&svg, true), "a{b}c{d}e{f}</style>");
    }
}
