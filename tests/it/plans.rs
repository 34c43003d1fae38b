//! The formats of plans: text, JSON, flowchart, picture.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use svc::{Engine, Policy};
use svc_engine::output::planned::{PLAN_SCHEMA, Planned};
use svc_host_os::test::TestHost;
use svc_lang::{
    diag::{Source, Style},
    plan::Plan,
};

use crate::{components, example_scripts, grammar, helpdesk, scripts, verdict::Schema};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// An engine with the prices of the models in the examples, in any environment.
fn engine() -> Engine {
    let host = TestHost::new()
        .env("SVC_MODEL", "anthropic/claude-haiku-4-5")
        .env("ANTHROPIC_API_KEY", "k");
    let mut folders = vec![root().join("examples")];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                host.put(path.strip_prefix(root()).unwrap(), fs::read(&path).unwrap());
            }
        }
    }
    helpdesk::engine().with_host(Arc::new(host))
}

fn plan_of(script: &Path) -> Plan {
    let text = fs::read_to_string(root().join(script)).unwrap();
    let source = Source::new(script.to_str().unwrap(), text).in_folder(script.parent().unwrap());
    engine().plan(source).unwrap_or_else(|report| panic!("{}\n{report}", script.display()))
}

/// The name of a script's snapshot.
fn stem(script: &Path) -> String {
    script.with_extension("").to_str().unwrap().replace('/', "__")
}

#[test]
fn plans_of_the_examples() {
    for script in example_scripts::scripts() {
        insta::assert_snapshot!(stem(&script), plan_of(&script).show());
    }
}

/// The maximum width of a table whose paths, amounts and bounds are all long; other tables fit into
/// 120 columns.
const WIDEST: usize = 170;

#[test]
fn plans_are_narrow() {
    for script in example_scripts::scripts() {
        let text = plan_of(&script).show();
        let table =
            text.lines().skip_while(|it| !it.starts_with("node ")).take_while(|it| !it.is_empty());
        let widest = table.map(|it| it.chars().count()).max().unwrap_or(0);
        assert!(widest <= WIDEST, "{}: {widest}\n{text}", script.display());
    }
}

#[test]
fn plans_as_charts_and_pictures() {
    for name in ["compare", "research", "draft"] {
        let plan = plan_of(&PathBuf::from(format!("examples/{name}.svc")));
        insta::assert_snapshot!(format!("{name}.mmd"), plan.mermaid());
        // The picture of `compare` is part of the documentation.
        if name != "compare" {
            insta::assert_snapshot!(format!("{name}.svg"), plan.svg());
        }
    }
}

/// The picture in the documentation. `UPDATE_DOCS=1` redraws it.
#[test]
fn the_picture_of_the_documentation_is_real() {
    let file = root().join("docs/plan.svg");
    let picture = plan_of(Path::new("examples/compare.svc")).svg();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&file, &picture).unwrap();
    }
    assert!(fs::read_to_string(&file).unwrap() == picture, "draw it with UPDATE_DOCS=1");
}

/// The plans of all scripts that have one.
fn all_plans() -> Vec<(String, Plan)> {
    let engine = svc::engine().with(components::ALL).with_host(Arc::new(scripts::host()));
    let golden = grammar::scripts().into_iter().filter_map(|(name, text)| {
        Some((name.clone(), engine.plan(Source::new(name, text)).ok()?))
    });
    let examples = example_scripts::scripts().into_iter();
    let examples = examples.map(|it| (it.display().to_string(), plan_of(&it)));
    golden.chain(examples).chain([odd()]).collect()
}

/// A plan whose names contain many special characters of other formats.
fn odd() -> (String, Plan) {
    let name = "<&\">\u{1b}]]>--\u{7}`#;%%{\\.svc";
    let script = r##"
        param q: "a<b" | "c&d" | "\"]" | "#quot;" | "-->" | "end"
        param text: string
        text >> parallel {
            end: search(source: "a<b>&\"c\"'`d`#35;*e*]]>") within { timeout: 5s },
            other?: search(source: "\u{1b}[31m\n%% end") >> len,
        }
        >> { left: .end, right: .other, kind: q }
    "##;
    (name.to_owned(), engine().plan(Source::new(name, script)).unwrap())
}

#[test]
fn every_plan_fits_the_schema() {
    let schema = Schema::of(PLAN_SCHEMA);
    let rules = Policy::default().deny("reads").unwrap();
    let mut known = BTreeSet::new();
    for (name, plan) in all_plans() {
        let refused = plan.refusals(&rules, &TestHost::new());
        let printed = serde_json::to_value(Planned::of(&plan, &refused)).unwrap();
        assert_eq!(printed["refused"] == serde_json::json!([]), !refused.has_errors(), "{name}");
        assert_eq!(schema.misfits(&printed), [""; 0], "{name}");
        for node in printed["nodes"].as_array().unwrap() {
            let filled = node.as_object().unwrap().iter().filter(|(_, it)| match it {
                serde_json::Value::Array(items) => !items.is_empty(),
                other => !other.is_null(),
            });
            known.extend(filled.map(|(name, _)| name.clone()));
        }
    }
    // No field is described that never occurs.
    let fields = schema.fields("node").into_iter();
    assert_eq!(fields.filter(|it| !known.contains(*it)).collect::<Vec<_>>(), [""; 0]);
}

/// Blocks are balanced, every node has a unique name, every arrow joins two nodes, and no text ends
/// its quotes.
#[test]
fn flowcharts_are_valid() {
    for (name, plan) in all_plans() {
        let chart = plan.mermaid();
        let (mut ids, mut arrows, mut open) = (BTreeSet::new(), Vec::new(), 0_usize);
        for line in chart.lines().skip_while(|it| it.starts_with("%%")).map(str::trim) {
            if line == "end" {
                open = open.checked_sub(1).unwrap();
            } else if let Some((from, to)) = line.split_once(" --> ") {
                arrows.push((from.to_owned(), to.to_owned()));
            } else if line != "flowchart TB" {
                open += usize::from(line.starts_with("subgraph "));
                let node = line.trim_start_matches("subgraph ");
                let (id, label) = node.split_once("[\"").unwrap();
                let label = label.strip_suffix("\"]").unwrap();
                assert!(!label.contains(['"', '`', '\n']), "{name}: {line}");
                let tags = label.replace("<b>", "").replace("</b>", "").replace("<br/>", "");
                assert!(!tags.contains(['<', '>', '&']), "{name}: {line}");
                assert!(ids.insert(id.to_owned()), "{name}: duplicate {id}");
            }
        }
        assert_eq!(open, 0, "{name}");
        for (from, to) in arrows {
            assert!(ids.contains(&from) && ids.contains(&to) && from != to, "{name}: {from} {to}");
        }
    }
}

/// A chart that Mermaid refuses with its default settings begins with the settings that it needs.
#[test]
fn a_flowchart_beyond_the_limits_of_mermaid_says_so() {
    let chart = |name: &str, count: usize, stages: &str| {
        let last = count - 1;
        let bind = |it: usize| format!("let {name}{it} = {name}{} >> {stages}\n", it - 1);
        let lets: String = (1..count).map(bind).collect();
        let script = format!("let {name}0 = \"x\"\n{lets}{name}{last} >> upper");
        engine().plan(script).unwrap().mermaid()
    };
    let arrows = |chart: &str| chart.matches(" --> ").count();
    let small = chart("v", 250, "upper >> lower");
    assert!(arrows(&small) < 500 && small.len() < 50_000 && small.starts_with("%%{init"));
    let many = chart("v", 260, "upper >> lower");
    let (first, count) = (many.lines().next().unwrap(), arrows(&many));
    assert!(count > 500);
    let edges = format!("set `maxEdges` to at least {count} (default 500)");
    assert_eq!(first, format!("%% too large for Mermaid by default: {edges}"));
    let long = chart(&"v".repeat(60), 480, "upper");
    let first = long.lines().next().unwrap();
    let (_, limit) = first.split_once("`maxTextSize` to at least ").unwrap();
    let limit: usize = limit.split(' ').next().unwrap().parse().unwrap();
    assert!(limit > 50_000 && long.encode_utf16().count() <= limit, "{first}");
}

/// On a terminal, no line is wider than the terminal, except for a word that is.
#[test]
fn plans_fit_a_terminal() {
    let colour = |line: &str| line.matches("\x1b[1;").count() * 11;
    for script in example_scripts::scripts() {
        let plan = plan_of(&script);
        for columns in [60, 80, 100] {
            let shown = plan.render_within(Style::Colour, columns);
            for line in shown.lines() {
                let width = line.chars().count() - colour(line);
                let longest = line.split(' ').map(str::len).max().unwrap_or(0);
                let limit = columns.max(longest + 12);
                assert!(width <= limit, "{}, {columns}: {width}\n{shown}", script.display());
            }
            // Every node has a line, and every bound is there.
            let bounds = |it: &str| it.matches("ENFORCED").count();
            let plain = |it: String| it.replace("\x1b[1;36m", "").replace("\x1b[0m", "");
            assert_eq!(bounds(&plain(shown)), bounds(&plan.show()), "{}", script.display());
        }
    }
}

/// Elements are balanced, and all text in them is escaped.
fn is_well_formed(xml: &str) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = xml.trim();
    while let Some((text, after)) = rest.split_once('<') {
        let (tag, after) = after.split_once('>').ok_or("a tag has no end")?;
        for entity in text.split('&').skip(1) {
            let known =
                ["lt;", "gt;", "amp;", "quot;", "#39;"].iter().any(|it| entity.starts_with(it));
            known.then_some(()).ok_or_else(|| format!("&{entity}"))?;
        }
        if text.chars().any(|it| it.is_control() && it != '\n') {
            return Err(format!("{text:?}"));
        }
        match tag.strip_prefix('/') {
            Some(name) if open.pop() == Some(name) => {}
            Some(name) => return Err(format!("</{name}>")),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split_whitespace().next().unwrap_or_default()),
        }
        if tag.matches('"').count() % 2 == 1 {
            return Err(tag.to_owned());
        }
        rest = after;
    }
    if open.is_empty() && rest.is_empty() { Ok(()) } else { Err(format!("{open:?} {rest}")) }
}

#[test]
fn pictures_are_well_formed() {
    assert!(is_well_formed("<a><b c=\"d\"/>&lt;</a>").is_ok());
    for wrong in ["<a>", "<a></b>", "<a>&</a>", "<a>\u{1b}</a>", "<a b=\"></a>"] {
        assert!(is_well_formed(wrong).is_err(), "{wrong}");
    }
    for (name, plan) in all_plans() {
        let picture = plan.svg();
        assert_eq!(is_well_formed(&picture), Ok(()), "{name}");
        assert_eq!(picture, plan.svg(), "{name}");
    }
}

/// The width and height of a picture.
fn size(picture: &str) -> (u32, u32) {
    let number = |it: &str| {
        let (_, rest) = picture.split_once(&format!(" {it}=\"")).unwrap();
        rest.split('"').next().unwrap().parse().unwrap()
    };
    (number("width"), number("height"))
}

/// Large pictures are wrapped, whatever their form.
#[test]
fn large_pictures_fit_a_page() {
    let each = |text: &dyn Fn(usize) -> String| (0..200).map(text).collect::<Vec<_>>().concat();
    let branches = each(&|it| format!("b{it}: search(source: \"docs\", top_k: 5),\n"));
    let wide = format!("param q: string\nq >> parallel {{ {branches} }}");
    let long = format!("param q: string\nq{}", " >> upper >> trim".repeat(100));
    let uses = each(&|it| format!("${{v{it}.text}}"));
    let lets = each(&|it| format!("let v{it} = found >> summary(max_words: {})\n", it + 10));
    let fan = format!(
        "param q: string\nlet found = q >> search(source: \"docs\")\n{lets}\"{uses}\" >> upper >> trim"
    );
    for (name, script) in [("wide", wide), ("long", long), ("fan", fan)] {
        let plan = engine().plan(script).unwrap_or_else(|it| panic!("{name}: {it}"));
        assert!(plan.nodes().len() >= 200, "{name}: {}", plan.nodes().len());
        let (width, height) = size(&plan.svg());
        assert!(width < 2_000 && height < 4_500, "{name}: {width} x {height}");
    }
}
