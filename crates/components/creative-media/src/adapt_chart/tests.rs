//! Charts of odd tables; each is well-formed XML.

use std::sync::Arc;

use svc_contract::{
    registry::{Compute, Cx, Meter, Monitor, OpError, Param, ParamDefault, Params},
    value::{Record, Value, json},
};
use svc_host_os::test::TestHost;

use super::{Infer, spec::Spec, suggest::Suggest};

struct Quiet;

impl Monitor for Quiet {
    fn progress(&self, _: &str, _: u64, _: Option<u64>) {}
    fn notice(&self, _: &str) {}
}

fn cx() -> Cx {
    let cancel = tokio_util::sync::CancellationToken::new();
    Cx::new("test", Arc::new(TestHost::new()), cancel, Arc::new(Quiet), Meter::default())
}

fn decoded<P: Params>(args: &[(&str, Value)]) -> P {
    let given = |name: &str| args.iter().find(|(it, _)| *it == name).map(|(_, it)| it.clone());
    let value = |it: &Param| given(it.name).or(it.default.map(ParamDefault::value));
    let mut all: Vec<Value> = P::PARAMS.iter().map(|it| value(it).unwrap_or_default()).collect();
    P::decode(&mut all).unwrap()
}

fn text(it: Result<Value, OpError>) -> Result<String, String> {
    let it = it.map_err(|err| err.message)?;
    let text = it.as_record().unwrap().get("text").unwrap().as_str().unwrap().to_owned();
    let mut reader = quick_xml::Reader::from_str(&text);
    loop {
        match reader.read_event() {
            Ok(quick_xml::events::Event::Eof) => break,
            Ok(_) => {}
            Err(err) => panic!("{err}: {text:.2000}"),
        }
    }
    assert!(!text.contains("NaN") && !text.contains("inf\""), "{text:.2000}");
    Ok(text)
}

fn draw(rows: Value, mark: &str, x: &str, more: &[(&str, &str)]) -> Result<String, String> {
    let mut args = vec![("rows", rows), ("mark", mark.into()), ("x", x.into())];
    args.extend(more.iter().map(|(name, it)| (*name, Value::from(*it))));
    text(decoded::<Infer>(&args).run(&cx()))
}

fn read(text: &str) -> Value {
    json::read(text).unwrap()
}

const MARKS: [&str; 8] = ["bar", "line", "area", "point", "box", "histogram", "heatmap", "arc"];

#[test]
fn every_mark_draws_odd_tables() {
    let tables = [
        "[]",
        r#"[{"x":1,"y":1,"c":"a"}]"#,
        r#"[{"x":null,"y":null,"c":null}]"#,
        r#"[{"x":1,"y":null,"c":"a"},{"x":2,"y":0,"c":null}]"#,
        r#"[{"x":5,"y":7,"c":"a"},{"x":5,"y":7,"c":"a"}]"#,
        r#"[{"x":1e300,"y":1e300,"c":"<&>\"\u0000\u0007"},{"x":-1e300,"y":1,"c":"𝄞 a very long name that does not fit anywhere in any legend of any picture"}]"#,
        r#"[{"x":1e-300,"y":2e-300,"c":""},{"x":2e-300,"y":1e-300,"c":" "}]"#,
    ];
    for table in tables {
        for mark in MARKS {
            for color in [None, Some("c")] {
                let is_heat = mark == "heatmap";
                let mut more = vec![("y", if is_heat { "c" } else { "y" })];
                more.extend(color.map(|it| ("color", if is_heat { "y" } else { it })));
                let across = if matches!(mark, "bar" | "arc" | "box") { "c" } else { "x" };
                let drawn = draw(read(table), mark, across, &more);
                assert!(drawn.is_ok(), "{mark} {table}: {drawn:?}");
            }
        }
    }
}

#[test]
fn mistakes_are_named() {
    let rows = r#"[{"x":1,"y":"many"},{"x":2,"y":"few"}]"#;
    let fails = |mark: &str, x: &str, y: &str, why: &str| {
        let err = draw(read(rows), mark, x, &[("y", y)]).unwrap_err();
        assert!(err.contains(why), "{err}");
    };
    fails("line", "x", "y", "expected numbers in column `y`, found `many`");
    fails("bar", "z", "x", "column `z`");
    fails("histogram", "y", "x", "expected numbers in column `y`");
    assert!(draw(read(rows), "line", "x", &[]).unwrap_err().contains("missing `y`"));
    let many: Vec<String> = (0..101).map(|it| format!(r#"{{"x":"w{it}"}}"#)).collect();
    let err = draw(read(&format!("[{}]", many.join(","))), "bar", "x", &[]).unwrap_err();
    assert!(
        err.contains("too many different values in `x` for a bar chart (101, limit 100)"),
        "{err}"
    );
    let err = draw(read(r#"[{"x":"a","y":-1}]"#), "arc", "x", &[("y", "y")]).unwrap_err();
    assert!(err.contains("cannot show -1 of `a`"), "{err}");
}

#[test]
fn a_million_points_are_a_small_picture() {
    let rows: Vec<Value> = (0..1_000_000_i64)
        .map(|it| {
            let y = Value::Int((it * 7919) % 10_007);
            Value::Record(Record::from_iter([("x".into(), Value::Int(it)), ("y".into(), y)]))
        })
        .collect();
    let rows = Value::from(rows);
    for mark in ["line", "point", "area", "histogram"] {
        let drawn = draw(rows.clone(), mark, "x", &[("y", "y")]).unwrap();
        let most = if mark == "area" { 40 << 20 } else { 8 << 20 };
        assert!(drawn.len() < most, "{mark}: {} bytes", drawn.len());
    }
}

#[test]
fn pictures_are_read_out() {
    let rows = r#"[{"city":"Bonn","n":3,"k":"a"},{"city":"Kiel","n":-5,"k":"b"}]"#;
    let drawn =
        draw(read(rows), "bar", "city", &[("y", "n"), ("color", "k"), ("title", "A & B")]).unwrap();
    for part in [
        "role=\"img\" aria-labelledby=\"t-",
        ">A &amp; B</title>",
        ">A bar chart of n by city: Bonn 3, Kiel -5. 2 series: a, b.</desc>",
        "<title>Kiel, b: -5</title>",
        "prefers-color-scheme:dark",
        "<metadata>[{&quot;city&quot;:&quot;Bonn&quot;,&quot;series&quot;:&quot;a&quot;,&quot;n&quot;:3.0}",
    ] {
        assert!(drawn.contains(part), "{part}: {drawn}");
    }
}

#[test]
fn a_bar_without_a_value_is_not_described() {
    let rows = read(r#"[{"a":"x","y":null},{"a":"b","y":2},{"a":"c","y":0}]"#);
    let drawn = draw(rows, "bar", "a", &[("y", "y")]).unwrap();
    assert!(drawn.contains(">A bar chart of y by a: b 2, c 0.</desc>"), "{drawn}");
}

#[test]
fn the_last_day_of_the_calendar_is_shown() {
    let rows = read(r#"[{"x":"0001-01-01","y":1},{"x":"9999-12-31","y":2}]"#);
    let drawn = draw(rows, "line", "x", &[("y", "y")]).unwrap();
    assert!(drawn.contains("2 values from 0001-01-01 to 9999-12-31"), "{drawn}");
    let rows = read(r#"[{"x":"1969-12-31T23:00:05Z","y":1},{"x":"1970-01-01","y":2}]"#);
    let drawn = draw(rows, "line", "x", &[("y", "y")]).unwrap();
    assert!(drawn.contains("from 1969-12-31T23:00:05Z to 1970-01-01"), "{drawn}");
}

#[test]
fn specifications_say_what_they_do_not_know() {
    let rows = read(r#"[{"d":"2026-01-01","n":3},{"d":"2026-02-01","n":5}]"#);
    let spec = |spec: &str| {
        let args = [("rows", rows.clone()), ("spec", read(spec))];
        text(decoded::<Spec>(&args).run(&cx()))
    };
    let line = r#"{"$schema":"x","data":{"values":[]},"mark":{"type":"line","point":true},"title":"T","width":300,"encoding":{"x":{"field":"d","type":"temporal","title":"Day"},"y":{"field":"n","type":"quantitative"}}}"#;
    let drawn = spec(line).unwrap();
    assert!(drawn.contains(">Day</text>") && drawn.contains("width=\"300\""), "{drawn}");
    for (given, why) in [
        (r#"{"mark":"line","transform":[]}"#, "unknown `transform`"),
        (r#"{"mark":"line","encoding":{"size":{}}}"#, "unknown `encoding.size`"),
        (
            r#"{"mark":"bar","encoding":{"x":{"field":"d"},"y":{"field":"n","aggregate":"stdev"}}}"#,
            "unknown aggregate `stdev`",
        ),
        (
            r#"{"mark":"bar","encoding":{"x":{"field":"d","sort":"-y"}}}"#,
            "`encoding.x.sort` is not supported",
        ),
        (r#"{"encoding":{}}"#, "missing `mark`"),
        (r#"{"mark":"line","width":7}"#, "expected 100 to 4000 for `width`"),
        ("[]", "expected an object"),
    ] {
        let err = spec(given).unwrap_err();
        assert!(err.contains(why), "{given}: {err}");
    }
}

#[test]
fn only_what_can_be_added_up_is_stacked() {
    let rows = read(
        r#"[{"c":"a","k":"x","n":60},{"c":"a","k":"y","n":60},{"c":"b","k":"x","n":-60},{"c":"b","k":"y","n":20}]"#,
    );
    let spec = |mark: &str, y: &str| {
        let given = format!(
            r#"{{"mark":"{mark}","encoding":{{"x":{{"field":"c"}},"y":{{"field":"n",{y}}},"color":{{"field":"k"}}}}}}"#
        );
        text(decoded::<Spec>(&[("rows", rows.clone()), ("spec", read(&given))]).run(&cx()))
    };
    let is_stacked = |mark: &str, y: &str| spec(mark, y).unwrap().contains(">100</text>");
    for mark in ["bar", "area"] {
        assert!(is_stacked(mark, r#""aggregate":"sum""#), "{mark}");
        assert!(is_stacked(mark, r#""title":"n""#), "{mark}");
        for alone in ["mean", "median", "min", "max"] {
            assert!(!is_stacked(mark, &format!(r#""aggregate":"{alone}""#)), "{mark} {alone}");
        }
        assert!(is_stacked(mark, r#""aggregate":"mean","stack":"zero""#), "{mark}");
        for none in ["null", "false"] {
            assert!(!is_stacked(mark, &format!(r#""stack":{none}"#)), "{mark} {none}");
        }
    }
    let err = spec("bar", r#""stack":"normalize""#).unwrap_err();
    assert!(err.contains("`encoding.y.stack` cannot be"), "{err}");
    let drawn = spec("bar", r#""aggregate":"mean""#).unwrap();
    assert!(drawn.contains("by c: a, x 60, a, y 60, b, x -60, b, y 20. 2 series"), "{drawn}");
}

#[test]
fn suggestions_can_be_drawn() {
    let rows = read(
        r#"[{"id":1,"d":"2026-01-01","c":"a","n":3,"m":1},{"id":2,"d":"2026-02-01","c":"b","n":5,"m":2}]"#,
    );
    let found = decoded::<Suggest>(&[("rows", rows.clone())]).run(&cx()).unwrap();
    let found = found.as_list().unwrap().clone();
    assert_eq!(found.len(), 5);
    for it in &found {
        let args = [("rows", rows.clone()), ("spec", it.clone())];
        text(decoded::<Spec>(&args).run(&cx())).unwrap_or_else(|err| panic!("{it}: {err}"));
    }
    let goal = [("rows", rows), ("goal", "the distribution of m".into())];
    let found = decoded::<Suggest>(&goal).run(&cx()).unwrap();
    let first = json::write(found.as_list().unwrap().get(0).unwrap());
    assert!(first.contains("\"field\":\"m\"") && first.contains("box"), "{first}");
}

/// The pixels of a PNG that differ from its first one, as a share.
#[cfg(feature = "media")]
fn inked(content: &[u8]) -> (u32, u32, f64) {
    let pixels = resvg::tiny_skia::Pixmap::decode_png(content).unwrap();
    let paper = pixels.pixels()[0];
    let other = pixels.pixels().iter().filter(|it| **it != paper).count();
    #[expect(clippy::cast_precision_loss, reason = "a share of pixels")]
    let share = other as f64 / pixels.pixels().len() as f64;
    (pixels.width(), pixels.height(), share)
}

#[cfg(feature = "media")]
#[test]
fn a_png_has_marks_and_texts_in_both_colours() {
    let rows = r#"[{"x":"Köln","y":3},{"x":"Αθήνα","y":5},{"x":"Київ","y":4}]"#;
    let svg = draw(read(rows), "bar", "x", &[("y", "y")]).unwrap();
    let light = super::raster::png(&svg, 1.0, false, &cx()).unwrap();
    let (width, height, share) = inked(&light.content);
    assert_eq!((width, height), (640, 400));
    assert!((0.2..0.7).contains(&share), "{share}");
    // Without a font there would be no pixel of the letters: the legend and the axes would vanish.
    let start = svg.find("<text").unwrap();
    let bare: String = svg[..start].to_owned()
        + &svg[start..]
            .split("<text")
            .skip(1)
            .map(|it| it.split_once("</text>").unwrap().1)
            .collect::<String>();
    let bare = super::raster::png(&bare, 1.0, false, &cx()).unwrap();
    assert!(inked(&bare.content).2 < share - 0.002, "{share}");
    let dark = super::raster::png(&svg, 2.0, true, &cx()).unwrap();
    assert_eq!((dark.width, dark.height), (1280, 800));
    let paper = resvg::tiny_skia::Pixmap::decode_png(&dark.content).unwrap().pixels()[0];
    assert!(paper.red() < 60, "{paper:?}");
    let large = super::raster::png(&svg, 8.0, false, &cx()).unwrap();
    assert_eq!(large.width, 5120);
}
