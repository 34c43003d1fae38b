//! Charts as PNG: the SVG of a chart, drawn by resvg with a font of this program.

use std::path::PathBuf;

#[cfg(feature = "media")]
use svc_contract::registry::{Compute, Cx, OpError};
use svc_contract::{
    registry::{Effect, ErrorKind, Example, Field, Op, Scheme, Scope, Size, params, record},
    value::{Text, Value},
};

use super::Svg;

/// A chart, or the text of its SVG.
pub(super) struct Picture(Text);

impl Field for Picture {
    const SCHEME: Scheme = Scheme::OneOf(&[Svg::SCHEME, Scheme::Text]);

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::Text(it) => Some(Self(it)),
            Value::Record(it) => it.get("text")?.as_str().map(|it| Self(it.into())),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        Value::Text(self.0)
    }
}

record! {
    /// A picture that was written.
    struct WrittenPicture {
        /// The file.
        path: PathBuf,
        /// The width in pixels.
        width: i64,
        /// The height in pixels.
        height: i64,
        /// The size of the file.
        bytes: Size,
    }
}

params! {
    /// Writes a chart of `chart` to a file as PNG.
    ///
    /// Texts are drawn with DejaVu Sans, which has Latin, Greek and Cyrillic; other letters are boxes. `scale` is the number
    /// of pixels of the PNG for one of the chart: 2 suits screens and 4 print. An SVG that `chart` did not draw is
    /// an error of kind `invalid_input`, as it could load files or take hours. An existing file is replaced atomically.
    pub(super) struct Png {
        /// The chart, or the text of its SVG.
        picture: Picture,
        /// The file to write to.
        to: PathBuf,
        /// The pixels for one of the chart.
        #[range(0.1..=8.0)]
        scale: f64 = 2.0,
        /// Whether the colours are those for dark pages.
        dark: bool = false,
    }
}

impl Op for Png {
    const NAME: &'static str = "png";
    const YIELDS: Scheme = WrittenPicture::SCHEME;
    const EFFECTS: &'static [Effect] =
        &[Effect::Writes { scope: Scope::Path("to"), idempotent: true }];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Failed, ErrorKind::Unsupported];
    const SAYS: &'static [&'static str] = &[
        "chart as png",
        "save a chart as a picture",
        "render a chart to an image file",
        "png of a bar chart for a slide",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A chart for a slide",
            r#"[{ city: "Bonn", n: 3 }, { city: "Kiel", n: 5 }]
    >> chart(mark: "bar", x: "city", y: "n")
    >> chart.png(to: "cities.png")
    >> { width: .width, height: .height }"#,
            r#"{"width":1280,"height":800}"#,
        ),
        Example::err(
            "Another SVG",
            r#""<svg/>" >> chart.png(to: "x.png")"#,
            "expected a chart that `chart` drew",
        ),
    ];
}

#[cfg(feature = "media")]
impl Compute for Png {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let drawn = super::raster::png(&self.picture.0, self.scale, self.dark, cx)?;
        let written = cx.host().write(&self.to, &drawn.content);
        written.map_err(|err| OpError::io(err, &self.to))?;
        Ok(WrittenPicture {
            path: self.to,
            width: drawn.width.into(),
            height: drawn.height.into(),
            bytes: Size(drawn.content.len() as u64),
        }
        .encode())
    }
}
