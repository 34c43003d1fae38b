//! Tests of conversions in both directions.

use std::time::{Duration, Instant};

use super::*;
use crate::tests::host;

fn html(markdown: &str, gfm: bool) -> String {
    to_html(markdown, gfm, &host(), &|| false).unwrap()
}

fn markdown(html: &str) -> String {
    from_html(html, &|| false).unwrap()
}

/// HTML with one space for white space between words, and none between tags.
fn normal(html: &str) -> String {
    let html = html.replace("&quot;", "\"");
    let words = html.split_whitespace().collect::<Vec<_>>().join(" ");
    words.replace("> <", "><").replace(" </", "</").replace(" <br", "<br").replace("> ", ">")
}

/// Converts HTML to Markdown and back, which is the same.
#[track_caller]
fn returns(page: &str) {
    let markdown = markdown(page);
    assert_eq!(normal(&html(&markdown, true)), normal(page), "{markdown}");
}

#[test]
fn what_is_in_markdown_returns() {
    for text in [
        "# A *b*\n\nText with **bold**, *em*, ~~old~~, `code`, [a link](b.md \"t\") and ![p](p.png).\n",
        "- one\n- two\n  - three\n  - four\n    1. five\n    2. six\n- seven\n",
        "3. three\n4. four\n\n   with a paragraph\n",
        "- a\n\n  b\n\n- c\n\n  > quote\n\n  ```rust\n  let x = \"```\";\n\n  end\n  ```\n",
        "> quote\n>\n> > inner\n>\n> - item\n\n> other\n",
        "| a | b |\n|---|---|\n| 1 | `x\\|y` |\n| [l](m) | \\| |\n",
        "- one\n\n* two\n\n1. a\n\n1) b\n",
        "- [ ] open\n- [x] done\n",
        "a  \nb\n\n---\n\n## c\n\n````\n```\n````\n",
        "- ***\n- # h\n- - x\n",
        "1986\\. A year \\# no \\- no\n\n\\# no\n\n\\- no\n\n\\+ no\n\n\\> no\n\n\\---\n\na\\*b\\_c \\[x\\](y) \\<b> &amp;amp; \\`\n",
        "<https://a.b/c_d> a\\!\n\n\\![x](y)\n",
    ] {
        let page = html(text, true);
        returns(&page);
    }
}

#[test]
fn pages_of_the_web_become_markdown() {
    for (page, expected) in [
        ("<div>a<div>b</div>c</div>", "a\n\nb\n\nc"),
        ("<a href=u><h2>T</h2><p>x</a>", "## [T](u)\n\n[x](u)"),
        ("<b><p>a<p>b</b>", "**a**\n\n**b**"),
        ("<b>a:</b>b <i> c </i>", "<strong>a:</strong>b *c*"),
        ("<script>x</script><p hidden>y<p style='display:none'>z<p>a", "a"),
        ("<a href='javascript:x()'>a</a><img src='data:x' alt='b'><a href=''></a>", "ab"),
        ("<dl><dt>t<dd>one<dd>two<dt>u</dl>", "- **t**\n  - one\n  - two\n- **u**"),
        ("<pre class='lang-c'>\nint x;\n\n  y</pre>", "```c\nint x;\n\n  y\n```"),
        ("<code>a <a href=b>c</a></code>", "`a `[`c`](b)"),
        ("<ul><li><p>a<p>b<li>c</ul>", "- a\n\n  b\n\n- c"),
        ("<ul><li> <li><span></span><li>a</ul>", "-\n- a"),
        ("<h1>a<br>b <div>c</div></h1>", "# a b c"),
        ("<h1></h1><h2># x #</h2>", "## # x \\#"),
        ("  ", ""),
    ] {
        assert_eq!(markdown(page), expected, "{page}");
    }
}

#[test]
fn tables_of_data_are_tables_and_those_of_layout_are_text() {
    let table = "<table><caption>C</caption><tr><th>a<th>b<tr><td rowspan=2>1|2<td><b>x</b><br>y\
        <tr><td><p>z<p>w</table>";
    let expected = "C\n\n| a | b |\n| --- | --- |\n| 1\\|2 | **x**<br>y |\n| 1\\|2 | z w |";
    assert_eq!(markdown(table), expected);
    let layout = "<table><tr><td><ul><li>a</ul><td><table><tr><td>b<td>c</table></table>";
    assert_eq!(markdown(layout), "- a\n\n| b | c |\n| --- | --- |");
    assert_eq!(markdown("<table><tr><td>a<tr><td>b</table>"), "a\n\nb");
    assert_eq!(
        markdown("<ul><li>a<table><tr><td>b<td>c</table></ul>"),
        "- a\n\n  | b | c |\n  | --- | --- |"
    );
}

#[test]
fn hostile_pages_and_texts_take_bounded_time() {
    const MANY: usize = 100_000;
    let started = Instant::now();
    for page in [
        "<blockquote>".repeat(MANY) + "x",
        "<ul><li>".repeat(MANY) + "x",
        "<div>".repeat(MANY) + "x",
        "<ul><li>x".repeat(MANY),
        "<table><tr><td>x<td>".repeat(MANY),
        "<b><p>x".repeat(MANY / 10),
        "<td colspan=1000>".repeat(MANY),
    ] {
        assert!(from_html(&page, &|| false).is_err() || !page.contains("<div>"), "{}", &page[..20]);
    }
    let page = format!("{}<pre>{}", "<blockquote>".repeat(60), "x\n".repeat(1 << 20));
    let why = from_html(&page, &|| false).unwrap_err().to_string();
    assert!(why.contains("its Markdown is larger than 64MiB"), "{why}");
    for page in [
        format!("<p>{}", "*_[<&`~\\".repeat(1 << 17)),
        format!("<p>{}", "x ".repeat(1 << 19)),
        format!("<pre>{}", "`\n".repeat(1 << 19)),
        format!("{}{}", "<blockquote>".repeat(60), "<p>x".repeat(10_000)),
    ] {
        let read = from_html(&page, &|| false).unwrap();
        assert!(read.len() > 1 << 19, "{}", &page[..20]);
    }
    for (start, rest) in
        [("> ", "x"), ("- ", "x"), ("- ", "\n\n\n"), ("[a]: b\n", "[a]"), ("| ", "\n|")]
    {
        let text = format!("{}x{}", start.repeat(MANY), rest.repeat(MANY));
        assert!(to_html(&text, true, &host(), &|| false).is_ok(), "{start}");
        let small = format!(
            "{}x{}",
            start.repeat((8 << 10) / start.len()),
            rest.repeat((8 << 10) / rest.len())
        );
        assert!(to_html(&small, true, &host(), &|| false).is_ok(), "{start}");
    }
    assert!(started.elapsed() < Duration::from_mins(2));
    let large = "x".repeat((16 << 20) + 1);
    assert!(
        to_html(&large, true, &host(), &|| false)
            .unwrap_err()
            .to_string()
            .contains("larger than 16MiB")
    );
}

#[test]
fn a_result_that_is_no_longer_wanted_is_not_made() {
    assert!(from_html(&"<p>x".repeat(10_000), &|| true).is_err());
}
