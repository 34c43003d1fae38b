use super::*;

fn drawing(marks: &str, size: (usize, usize)) -> String {
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\">{marks}</svg>",
        size.0, size.1
    );
    let lines = letters(&svg, true).unwrap();
    let line = |it: &Vec<Glyph>| it.iter().map(|it| it.letter).collect::<String>();
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn bars_have_quarters_of_letters() {
    let bars = r#"<rect class="s0" x="0" y="20" width="16" height="28"/>
        <rect class="s1" x="24" y="0" width="16" height="48"><title>a tip</title></rect>
        <line class="axis" x1="0" y1="48" x2="56" y2="48"/>"#;
    assert_eq!(drawing(bars, (56, 48)), "   ▒▒\n▆▆ ▒▒\n██▁▒▒▁▁");
}

#[test]
fn lines_and_points_are_dots() {
    let line =
        r#"<path class="line l0" d="M1 1L31 31"/><circle class="dot s1" cx="38" cy="2" r="2.5"/>"#;
    assert_eq!(drawing(line, (40, 32)), "⠑⢄  ⠈\n  ⠑⢄");
    let pie = r#"<path class="s0 edge" d="M32 32L32 0A32 32 0 0 1 64 32Z"/>"#;
    let drawn = drawing(pie, (64, 64));
    // A quarter: the upper right one.
    assert!(drawn.lines().all(|it| it.starts_with("    ")) && drawn.contains('█'), "{drawn}");
    assert_eq!(drawn.lines().count(), 2, "{drawn}");
    let rest = r#"<path class="s0 edge" d="M32 32L64 32A32 32 0 1 1 32 0Z"/>"#;
    assert_eq!(drawing(rest, (64, 64)).lines().count(), 4);
}

#[test]
fn points_and_keys_are_letters() {
    let points = r#"<rect class="s1" x="0" y="2" width="12" height="12"/><text x="18" y="12">b</text>
        <circle class="dot s0" cx="4" cy="30" r="4"/><circle class="dot s1" cx="12" cy="30" r="4"/>"#;
    assert_eq!(drawing(points, (40, 32)), "▒ b\n●○");
    // The axis is at the end of a line, and what stands on it, too.
    let bars = r#"<line class="axis" x1="0" y1="29" x2="40" y2="29"/><rect class="s0" x="8" y="13" width="8" height="16"/>"#;
    assert_eq!(drawing(bars, (40, 32)), "▁█▁▁▁");
}

#[test]
fn texts_stand_at_their_places() {
    let texts = r#"<text class="tick" x="30" y="20" text-anchor="end">10 &lt; "k"</text>
        <text class="tick" x="120" y="20" text-anchor="middle">日本</text>"#;
    assert_eq!(drawing(texts, (160, 32)), "10 < \"k\"┤    日本");
    let turned = r#"<text x="20" y="10" transform="rotate(-40 20 10)">Longest</text>
        <text x="60" y="10" transform="rotate(-40 60 10)">Other</text>"#;
    assert_eq!(drawing(turned, (80, 16)), "Lon… Oth…");
}

#[test]
fn shades_are_strengths() {
    let cell = |(at, share): (usize, &f64)| {
        let x = at * 16;
        format!(r#"<rect class="s0" x="{x}" y="0" width="15" height="15" fill-opacity="{share}"/>"#)
    };
    let cells: Vec<String> = [0.06, 0.4, 0.7, 1.0].iter().enumerate().map(cell).collect();
    let cells = cells.concat();
    assert_eq!(drawing(&cells, (64, 16)), "░░▒▒▓▓██");
}

#[test]
fn anything_else_is_no_picture_or_an_empty_one() {
    for wrong in
        ["", "x", "<svg", "<svg/>", r#"<svg width="1e9" height="10"/>"#, "<a width=\"1\"/>"]
    {
        assert!(letters(wrong, true).is_none(), "{wrong}");
    }
    let odd = r#"<rect class="s0" x="-1e300" y="nan" width="1e300" height="2"/><path class="s1" d="MLAZ é M1 1"/>
        <rect class="s99" x="-1e300" y="0" width="1e305" height="1e300"/><circle class="s1" cx="5" cy="5" r="1e300"/>
        <path class="line l0" d="M0 0L1e300 1e300"/><line class="axis" x1="0" y1="1" x2="1e300" y2="1"/><script>alert(1)</script><text x="-9" y="-9">é̀</text>"#;
    drawing(odd, (80, 32));
}

#[test]
fn numbers_are_rows_and_others_are_refused() {
    let of = |text: &str| table(&json::read(text).unwrap()).map_err(|it| it.message);
    assert_eq!(of("[1, 2.5, null]").unwrap().names.len(), 2);
    assert_eq!(of(r#"[{"a": 1}]"#).unwrap().names.len(), 1);
    assert_eq!(of("3").unwrap_err(), "expected a list of records or numbers, found int");
    assert_eq!(of("[]").unwrap_err(), "expected a list of records or numbers, found an empty list");
    let found = of(r#"["a"]"#).unwrap_err();
    assert_eq!(found, "expected a list of records or numbers, found string as row 1");
}
