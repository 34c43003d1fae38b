//! The charts that a run returned, and pictures of what it did, as images.
//!
//! An SVG may come from anywhere, so it is never a part of the page: as the source of an image it runs
//! no script and loads nothing.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use svc_contract::value::{Value, json};

use super::escaped;
use crate::charts::drawn;

/// The most images of a page.
const MOST: usize = 12;

/// The charts of a result: itself, or its items or fields. Those beyond the limit in bytes are left out.
pub(super) fn of(result: &str, limit: u64) -> String {
    // Most results have none, and need not be read.
    if !result.contains("<svg") {
        return String::new();
    }
    let Ok(value) = json::read(result) else { return String::new() };
    let mut left = limit;
    let mut images = String::new();
    for (svg, description) in found(&value).into_iter().take(MOST) {
        let Some(rest) = left.checked_sub(svg.len() as u64) else { continue };
        left = rest;
        images += &image(svg, description);
    }
    images
}

/// A picture of what a run did.
pub struct Picture {
    pub svg: String,
    /// What it shows, for those who do not see it.
    pub description: String,
}

impl Picture {
    pub(super) fn image(&self) -> String {
        image(&self.svg, &self.description)
    }
}

fn image(svg: &str, description: &str) -> String {
    let (data, alt) = (STANDARD.encode(svg), escaped(description));
    format!("<img class=\"picture\" alt=\"{alt}\" src=\"data:image/svg+xml;base64,{data}\">\n")
}

/// Each SVG with its description.
fn found(value: &Value) -> Vec<(&str, &str)> {
    let one = |it| {
        let svg = drawn(it)?;
        let said = it.as_record().and_then(|it| it.get("description")).and_then(Value::as_str);
        Some((svg, said.unwrap_or("A picture of the result")))
    };
    if let Some(it) = one(value) {
        return vec![it];
    }
    match value {
        Value::List(items) => items.iter().filter_map(one).collect(),
        Value::Record(fields) => fields.iter().filter_map(|it| one(it.1)).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: u64 = 1_000;

    #[test]
    fn a_chart_is_an_image() {
        let svg = "<svg onload=\\\"alert(1)\\\"><script>alert(2)</script></svg>";
        let chart = format!("{{\"text\": \"{svg}\", \"description\": \"Bars: \\\"a\\\" <b>\"}}");
        let image = of(&chart, LIMIT);
        assert!(image.contains("alt=\"Bars: &quot;a&quot; &lt;b&gt;\""), "{image}");
        let data = image.split("base64,").nth(1).unwrap().split('"').next().unwrap();
        let decoded = String::from_utf8(STANDARD.decode(data).unwrap()).unwrap();
        assert_eq!(decoded, svg.replace('\\', ""));
        assert!(!image.contains("<script") && !image.contains("onload"), "{image}");
        assert_eq!(of(&format!("[{chart}, 1, {chart}]"), LIMIT).matches("<img").count(), 2);
        assert_eq!(of(&format!("{{\"a\": {chart}, \"b\": 1}}"), LIMIT).matches("<img").count(), 1);
        assert_eq!(of(&format!("\"{svg}\""), LIMIT).matches("<img").count(), 1);
    }

    #[test]
    fn other_results_have_no_images() {
        for none in [
            "1",
            "\"<svg\"",
            "{\"text\": \"a <svg></svg>\"}",
            "\"<svg></svg",
            "[[\"<svg></svg>\"]]",
        ] {
            assert_eq!(of(none, LIMIT), "", "{none}");
        }
        assert_eq!(of("\"<svg></svg>\"", 5), "");
        let many: Vec<&str> = (0..50).map(|_| "\"<svg></svg>\"").collect();
        assert_eq!(of(&format!("[{}]", many.join(",")), LIMIT).matches("<img").count(), MOST);
    }
}
