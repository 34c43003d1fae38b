//! Tests of metadata: conditions, order, counts, and what hits say about their documents.

use std::{cmp::Ordering, fmt::Write as _, path::Path};

use svc_contract::value::{RecordType, json, times};

use super::{super::facets::Facets, *};

fn ask(world: &World, query: &str, source: &str, condition: &str, sort: Option<&str>) -> Answer {
    let condition = json::read(condition).unwrap();
    let sort = sort.map_or(Value::Null, Value::text);
    let path = Value::Path(source.into());
    let args = vec![Value::text(query), path, 1_000.into(), Value::text("words"), condition, sort];
    world.call(args, None)
}

fn metas(answer: &Answer) -> Vec<String> {
    answer.hits().iter().map(|it| json::write(it.meta.as_ref().unwrap())).collect()
}

fn counts(world: &World, query: &str, field: &str, source: &str, condition: &str) -> String {
    let watch = Arc::new(Watch::default());
    let (cancel, meter) = (world.cancel.clone(), Meter::default());
    let cx = Cx::new("ctx_search", world.host.clone(), cancel, watch, meter);
    let path = Value::Path(source.into());
    let condition = json::read(condition).unwrap();
    let mut args = vec![
        Value::text(query),
        Value::text(field),
        path,
        20.into(),
        Value::text("words"),
        condition,
        Value::text("words"),
        Value::Null,
        Value::Null,
    ];
    json::write(&Facets::decode(&mut args).unwrap().run(&cx).unwrap())
}

/// Numbers that only look random, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) as usize % end.max(1)
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn value(&mut self, depth: usize) -> String {
        match self.below(if depth > 2 { 8 } else { 11 }) {
            0 => "null".to_owned(),
            1 => self.one(&["true", "false"]).to_owned(),
            2 | 3 => self.one(&["-3", "0", "1", "2", "2.0", "2.5", "9007199254740993"]).to_owned(),
            4 => self
                .one(&[
                    "\"2020-01-31\"",
                    "\"2020-01-31T10:00:00Z\"",
                    "\"2020-01-31T23:30:00-02:00\"",
                ])
                .to_owned(),
            5..=7 => {
                self.one(&["\"\"", "\"a\"", "\"ab\"", "\"ä\"", "\"日本\"", "\"2\""]).to_owned()
            }
            8 | 9 => {
                let items: Vec<_> = (0..self.below(4)).map(|_| self.value(depth + 1)).collect();
                format!("[{}]", items.join(","))
            }
            _ => self.object(depth + 1),
        }
    }

    fn object(&mut self, depth: usize) -> String {
        let mut fields = String::new();
        for name in ["x", "y", "ключ", "size"]
            .iter()
            .filter(|_| !self.0.is_multiple_of(3))
            .collect::<Vec<_>>()
        {
            let sep = if fields.is_empty() { "" } else { "," };
            let value = self.value(depth);
            write!(fields, "{sep}\"{name}\":{value}").unwrap();
        }
        format!("{{{fields}}}")
    }

    fn scalar(&mut self) -> String {
        loop {
            let value = self.value(3);
            if value != "null" {
                return value;
            }
        }
    }

    /// The value and the operator of a condition.
    fn test(&mut self) -> (&'static str, String) {
        match self.below(9) {
            0 => ("is", self.value(3)),
            1 => ("one_of", format!("[{},{}]", self.scalar(), self.scalar())),
            2 => ("none_of", format!("[{}]", self.scalar())),
            3 => ("exists", self.one(&["true", "false"]).to_owned()),
            4 => ("starts_with", self.one(&["\"\"", "\"a\"", "\"2\"", "\"日\""]).to_owned()),
            _ => loop {
                let value = self.scalar();
                if !matches!(value.as_str(), "true" | "false") {
                    let operator = ["at_least", "above", "at_most", "below"][self.below(4)];
                    return (operator, value);
                }
            },
        }
    }
}

/// All values of a field, in lists and lists of objects, too.
fn values<'a>(value: &'a Value, path: &[&str], found: &mut Vec<&'a Value>) {
    match (value, path) {
        (Value::List(items), _) => items.iter().for_each(|it| values(it, path, found)),
        (Value::Record(fields), [first, rest @ ..]) => {
            if let Some(inner) = fields.get(first) {
                values(inner, rest, found);
            }
        }
        (Value::Record(fields), []) => fields.iter().for_each(|(_, it)| values(it, path, found)),
        (Value::Null, _) => {}
        (it, []) => found.push(it),
        _ => {}
    }
}

/// The scalars directly in a field.
fn scalars<'a>(value: &'a Value, path: &[&str], found: &mut Vec<&'a Value>) {
    match (value, path) {
        (Value::List(items), _) => items.iter().for_each(|it| scalars(it, path, found)),
        (Value::Record(fields), [first, rest @ ..]) => {
            if let Some(inner) = fields.get(first) {
                scalars(inner, rest, found);
            }
        }
        (Value::Record(_) | Value::Null, _) | (_, [_, ..]) => {}
        (it, []) => found.push(it),
    }
}

/// Where a value is compared to another one, which may be a day; `None` if they cannot be compared.
fn compare(value: &Value, with: &Value) -> Option<Ordering> {
    let time = |text: &str| {
        let midnight = || times::completed_time(&format!("{text}T00:00:00"));
        times::parse_time(text).or_else(|| times::parse_date(text).and_then(|_| midnight()))
    };
    match (value, with) {
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::Text(a), Value::Text(b)) => match time(b) {
            Some(from) => {
                let is_day = times::parse_date(b).is_some();
                let at = time(a)?;
                let is_in_day = is_day && at >= from && at.as_second() < from.as_second() + 86_400;
                Some(if is_in_day { Ordering::Equal } else { at.cmp(&from) })
            }
            None => Some(a.as_bytes().cmp(b.as_bytes())),
        },
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => {
            if value == with {
                return Some(Ordering::Equal);
            }
            let float = |it: &Value| match it {
                #[expect(clippy::cast_precision_loss, reason = "equal ints were compared before")]
                Value::Int(it) => *it as f64,
                Value::Float(it) => *it,
                _ => 0.0,
            };
            float(value).partial_cmp(&float(with))
        }
        _ => None,
    }
}

/// Whether a document fulfils a condition, found without the index.
fn fulfils(meta: &Value, path: &[&str], operator: &str, with: &Value) -> bool {
    let (mut all, mut inner) = (Vec::new(), Vec::new());
    scalars(meta, path, &mut all);
    values(meta, path, &mut inner);
    let any = |with: &Value, is: fn(Ordering) -> bool| {
        all.iter().any(|it| compare(it, with).is_some_and(is))
    };
    let list = || with.as_list().unwrap().iter().any(|it| any(it, Ordering::is_eq));
    match operator {
        "is" if with.is_null() => inner.is_empty(),
        "is" => any(with, Ordering::is_eq),
        "one_of" => list(),
        "none_of" => !list(),
        "exists" => inner.is_empty() != (with == &Value::Bool(true)),
        "starts_with" => {
            let start = with.as_str().unwrap();
            all.iter().any(|it| it.as_str().is_some_and(|it| it.starts_with(start)))
        }
        "at_least" => any(with, Ordering::is_ge),
        "above" => any(with, Ordering::is_gt),
        "at_most" => any(with, Ordering::is_le),
        _ => any(with, Ordering::is_lt),
    }
}

#[test]
fn conditions_find_what_a_plain_filter_finds() {
    let mut dice = Dice(7);
    let mut lines = Vec::new();
    for id in 0..150 {
        let meta = dice.object(0);
        let inner = meta.strip_prefix('{').unwrap();
        let sep = if inner == "}" { "" } else { "," };
        lines.push((id, meta.clone(), format!("{{\"id\":\"{id}\",\"text\":\"cat\"{sep}{inner}\n")));
    }
    let half: String = lines.iter().take(75).map(|it| it.2.as_str()).collect();
    let content: String = lines.iter().map(|it| it.2.as_str()).collect();
    let world = World::with(&[("a.jsonl", &half)]);
    world.ask("cat", "a.jsonl", 1, "words");
    // The other half is in a segment of its own.
    world.host.put(Path::new("a.jsonl"), content.into_bytes());
    let metas: Vec<Value> = lines.iter().map(|it| json::read(&it.1).unwrap()).collect();
    let mut hits = 0;
    for _ in 0..600 {
        let (operator, value) = dice.test();
        let path = dice.one(&["x", "y", "ключ", "size", "x.y", "y.x", "x.x.y", "none"]);
        let with = json::read(&value).unwrap();
        let parts: Vec<&str> = path.split('.').collect();
        let wanted: Vec<String> = (0..)
            .zip(&metas)
            .filter(|(_, it)| fulfils(it, &parts, operator, &with))
            .map(|(id, _): (usize, _)| id.to_string())
            .collect();
        let condition = format!("{{\"{path}\":{{\"{operator}\":{value}}}}}");
        let answer = ask(&world, "cat", "a.jsonl", &condition, None);
        let mut ids: Vec<String> = answer.ids().iter().map(|it| (*it).to_owned()).collect();
        ids.sort_by_key(|it| it.parse::<usize>().unwrap());
        assert_eq!(ids, wanted, "{condition}");
        hits += ids.len();
        let reverse = ask(
            &world,
            "cat",
            "a.jsonl",
            &format!("{{\"{path}\":{{\"not\":{{\"{operator}\":{value}}}}}}}"),
            None,
        );
        assert_eq!(reverse.hits().len(), lines.len() - ids.len(), "not {condition}");
    }
    assert!(hits > 3_000, "{hits}");
}

const BOOKS: &str = r#"{"id":"a","text":"whale whale","year":2001,"lang":"en","date":"2020-01-02"}
{"id":"b","text":"whale","year":1999,"lang":"de","date":"2020-01-01T23:00:00-05:00"}
{"id":"c","text":"whale and ship","lang":"en","date":"2019-12-31"}
{"id":"d","text":"ship","year":2001,"lang":["en","fr"]}
"#;

#[test]
fn exactly_the_best_of_those_that_fulfil_a_condition_are_found() {
    let world = World::with(&[("b.jsonl", BOOKS)]);
    let args = |most: i64, condition: &str| {
        vec![
            Value::text("whale"),
            Value::Path("b.jsonl".into()),
            most.into(),
            Value::text("words"),
            json::read(condition).unwrap(),
        ]
    };
    let ids = |most, condition| -> Vec<String> {
        world.call(args(most, condition), None).ids().iter().map(|it| (*it).to_owned()).collect()
    };
    assert_eq!(ids(1, "null"), ["a"]);
    assert_eq!(ids(1, r#"{"lang":"de"}"#), ["b"]);
    assert_eq!(ids(1, r#"{"year":null}"#), ["c"]);
    assert_eq!(ids(9, r#"{"year":{"at_least":1999,"below":2001}}"#), ["b"]);
    assert_eq!(ids(9, r#"{"date":{"at_most":"2020-01-01"}}"#), ["c"]);
    assert_eq!(ids(9, r#"{"date":"2020-01-02"}"#), ["a", "b"]);
    let nothing = ask(&world, "whale", "b.jsonl", r#"{"lang":"fr"}"#, None);
    assert_eq!(nothing.notices, ["`where` excludes all 3 documents that match the query"]);
    let typo = ask(&world, "whale", "b.jsonl", r#"{"lnag":{"not":"fr"}}"#, None);
    assert_eq!(typo.hits().len(), 3);
    assert!(typo.notices[0].contains("no document has the field `lnag`; did you mean `lang`?"));
    let kind = ask(&world, "whale", "b.jsonl", r#"{"year":{"at_least":"2000"}}"#, None);
    assert_eq!(kind.notices[0], "`where` compares `year` with text, but it has only numbers");
    let operator = ask(&world, "whale", "b.jsonl", r#"{"year":{"atleast":2000}}"#, None);
    assert!(operator.error().1.contains("unknown operator `atleast`"));
}

#[test]
fn documents_are_sorted_by_a_field_and_those_without_it_are_last() {
    let world = World::with(&[("b.jsonl", BOOKS)]);
    let sorted = |sort| {
        let answer = ask(&world, "", "b.jsonl", "null", Some(sort));
        answer.ids().join("")
    };
    assert_eq!(sorted("year"), "badc");
    assert_eq!(sorted("-year"), "adbc");
    assert_eq!(sorted("date"), "cabd");
    assert_eq!(sorted("-date"), "bacd");
    assert_eq!(sorted("none"), "abcd");
    let empty = ask(&world, "", "b.jsonl", "null", Some("-"));
    assert!(empty.error().1.contains("invalid `sort`"));
    // Both segments count.
    let more = format!("{BOOKS}{{\"id\":\"e\",\"text\":\"x\",\"year\":2000}}\n");
    world.host.put(Path::new("b.jsonl"), more.into_bytes());
    assert_eq!(sorted("year"), "beadc");
    let two = vec![
        Value::text(""),
        Value::Path("b.jsonl".into()),
        2.into(),
        Value::text("words"),
        Value::Null,
        Value::text("-year"),
    ];
    assert_eq!(world.call(two, None).ids(), ["a", "d"]);
}

#[test]
fn values_are_counted_in_all_documents_that_match() {
    let world = World::with(&[("b.jsonl", BOOKS)]);
    assert_eq!(
        counts(&world, "", "lang", "b.jsonl", "null"),
        r#"{"field":"lang","values":[{"value":"en","count":3},{"value":"de","count":1},{"value":"fr","count":1}],"documents":4,"missing":0}"#
    );
    assert_eq!(
        counts(&world, "whale", "year", "b.jsonl", r#"{"lang":"en"}"#),
        r#"{"field":"year","values":[{"value":2001,"count":1}],"documents":2,"missing":1}"#
    );
    assert_eq!(
        counts(&world, "zebra", "year", "b.jsonl", "null"),
        r#"{"field":"year","values":[],"documents":0,"missing":0}"#
    );
}

#[test]
fn hits_have_the_metadata_of_their_documents_and_files() {
    let world = World::with(&[
        ("a.md", "---\ntitle: T\nyear: 2020\ndate: 18 Nov 2019\n---\nwhale"),
        ("p.html", "<html lang=en><title>P</title><meta name=author content=Ann><p>whale"),
        ("r.jsonl", r#"{"id":"r","text":"whale","n":null,"deep":{"a":[{"b":1}]}}"#),
    ]);
    let answer = ask(&world, "whale", ".", "null", None);
    let by_id = |id: &str| {
        let at = answer.ids().iter().position(|it| *it == id).unwrap();
        metas(&answer)[at].clone()
    };
    assert!(
        by_id("a.md").ends_with(r#""size":51,"year":2020,"date":"2019-11-18"}"#),
        "{}",
        by_id("a.md")
    );
    assert!(by_id("a.md").starts_with(r#"{"modified":"#));
    assert!(
        by_id("p.html").ends_with(r#","author":"Ann","language":"en"}"#),
        "{}",
        by_id("p.html")
    );
    assert_eq!(by_id("r"), r#"{"n":null,"deep":{"a":[{"b":1}]}}"#);
    assert_eq!(ask(&world, "", ".", r#"{"size":{"at_most":51}}"#, None).ids(), ["a.md"]);
    assert_eq!(
        ask(&world, "", ".", r#"{"modified":{"exists":true}}"#, Some("-size")).ids(),
        ["p.html", "a.md"]
    );
    assert_eq!(ask(&world, "", ".", r#"{"deep":{"a":{"b":1}}}"#, None).ids(), ["r"]);
}

#[test]
fn only_metadata_has_changed() {
    let world = World::with(&[("b.jsonl", BOOKS), ("a.md", "---\nlang: en\n---\nwhale")]);
    let all = |world: &World| ask(world, "whale", ".", r#"{"lang":"xx"}"#, None).ids().join("");
    assert_eq!(all(&world), "");
    let changed = BOOKS.replace(r#""lang":"de""#, r#""lang":"xx""#);
    world.host.put(Path::new("b.jsonl"), changed.into_bytes());
    world.host.put(Path::new("a.md"), b"---\nlang: xx\n---\nwhale".to_vec());
    let mut found: Vec<_> = ask(&world, "whale", ".", r#"{"lang":"xx"}"#, None)
        .ids()
        .iter()
        .map(|it| (*it).to_owned())
        .collect();
    found.sort();
    assert_eq!(found, ["a.md", "b"]);
    assert_eq!(
        counts(&world, "", "lang", "b.jsonl", "null"),
        r#"{"field":"lang","values":[{"value":"en","count":3},{"value":"fr","count":1},{"value":"xx","count":1}],"documents":4,"missing":0}"#
    );
}

#[test]
fn metadata_has_the_type_that_a_call_asks_for() {
    let world = World::with(&[("b.jsonl", BOOKS)]);
    let of = |ty: Type| {
        let fields = vec![("year".into(), ty)];
        let ty = Type::Record(Arc::new(RecordType { name: None, fields }));
        world.call(
            vec![
                Value::text("whale"),
                Value::Path("b.jsonl".into()),
                9.into(),
                Value::text("words"),
            ],
            Some(ty),
        )
    };
    assert_eq!(
        metas(&of(Type::INT.optional())),
        [r#"{"year":2001}"#, r#"{"year":1999}"#, r#"{"year":null}"#]
    );
    let wrong = of(Type::INT);
    assert_eq!(wrong.error().0, ErrorKind::InvalidInput);
    assert!(wrong.error().1.contains("the metadata of `c` does not fit"), "{}", wrong.error().1);
}

#[test]
fn odd_records_are_searched() {
    let names: String = (0..10_000).fold(String::new(), |mut all, it| {
        writeln!(
            all,
            r#"{{"id":"{it}","text":"cat","field {it}":{it},"same":"{}"}}"#,
            "x".repeat(it % 3)
        )
        .unwrap();
        all
    });
    let huge = format!(
        r#"{{"id":"huge","text":"dog","big":"{}","list":[{}0],"after":1}}"#,
        "y".repeat(100_000),
        "0,".repeat(100_000)
    );
    let world = World::with(&[("names.jsonl", &names), ("huge.jsonl", &huge)]);
    assert_eq!(ask(&world, "cat", "names.jsonl", r#"{"field 77":77}"#, None).ids(), ["77"]);
    assert_eq!(
        ask(&world, "cat", "names.jsonl", r#"{"same":{"exists":true}}"#, None).hits().len(),
        1_000
    );
    let unknown = ask(&world, "cat", "names.jsonl", r#"{"sane":"x"}"#, None);
    assert!(unknown.notices[0].contains("and more"), "{:?}", unknown.notices);
    let found = ask(&world, "dog", "huge.jsonl", r#"{"big":{"starts_with":"yyy"}}"#, None);
    assert_eq!(found.ids(), ["huge"]);
    assert!(metas(&found)[0].len() < 5_000);
}
