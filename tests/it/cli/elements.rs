//! Elements of web pages, read by the program in its worker processes.

use serde_json::{Value, json};

use super::Place;

fn run(page: &str, script: &str) -> super::Done {
    let place = Place::new(&[("page.html", page)]);
    let script = format!("read_text(\"page.html\") >> {script}");
    place.svc_with(script.as_bytes(), &["run", "-", "--json"])
}

#[track_caller]
fn gives(page: &str, script: &str, wanted: &Value) {
    let done = run(page, script);
    assert_eq!(done.code, Some(0), "{}{}", done.out, done.err);
    assert_eq!(&done.json(), wanted);
}

#[track_caller]
fn fails(page: &str, script: &str, wanted: &str) {
    let done = run(page, script);
    // A selector that is written out is refused by the check.
    assert!(matches!(done.code, Some(1 | 7)), "{}{}", done.out, done.err);
    let message = done.json()["error"]["message"].clone();
    assert!(message.as_str().unwrap().contains(wanted), "{message}");
}

const PAGE: &str = "<!doctype html><title>T</title>
<table id=t><tr><th>Name<th>Price<tr><td>pear <b>green</b></td><td>1&nbsp;&euro;</td><tr><td>fig<td>2</table>
<p class='x y' data-n=1>one<br>two<script>no()</script><p hidden>three</p><div>a<div>b</div>c</div>";

#[test]
fn elements_are_found_in_the_order_of_the_page() {
    let texts = |css: &str| format!("select_html(css: \"{css}\") >> each {{ .text }}");
    gives(PAGE, &texts("#t td:first-child"), &json!(["pear green", "fig"]));
    gives(PAGE, &texts("td, th"), &json!(["Name", "Price", "pear green", "1 €", "fig", "2"]));
    gives(PAGE, &texts("p.x.y, p[hidden]"), &json!(["one two", "three"]));
    gives(PAGE, &texts("tr:not(:has(th)) > td:nth-child(2)"), &json!(["1 €", "2"]));
    gives(PAGE, &texts("div"), &json!(["a b c", "b"]));
    gives(PAGE, &texts("script, title"), &json!(["T", "no()"]));
    gives(PAGE, &texts("article"), &json!([]));
    gives("", &texts("p"), &json!([]));
    let whole = json!([{
        "text": "one two",
        "html": "<p class=\"x y\" data-n=\"1\">one<br>two<script>no()</script></p>",
        "attributes": { "class": "x y", "data-n": "1" },
    }]);
    gives(PAGE, r#"select_html(css: "p[data-n]")"#, &whole);
}

#[test]
fn what_is_not_a_selector_is_refused() {
    for css in ["", "p[", "p:hover(", "::before", "@media", ">", "p,,q", &"a ".repeat(4_000)] {
        fails(PAGE, &format!("select_html(css: \"{css}\")"), "invalid selector");
    }
}

/// Every element contains all that follow: together they are far larger than the page.
#[test]
fn the_elements_of_a_page_have_a_limit() {
    let nested = "<div>0123456789".repeat(5_000);
    let all = r#"select_html(css: "div")"#;
    fails(&nested, all, "its elements are together larger than 64MiB");
    gives(&nested, r#"select_html(css: "div:empty") >> len"#, &json!(0));
}
