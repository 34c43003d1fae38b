//! A world of files and a model whose parts can be edited.

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc};

use fastrand::Rng;
use serde_json::{Value as Json, json};
use svc::Engine;
use svc_contract::host::http::{Request, Response};
use svc_host_os::test::TestHost;
use svc_lang::diag::Source;

/// The parts and their variants. A data file with the variant `-` does not exist.
const PARTS: &[(&str, &[&str])] = &[
    // Types for the answers of models.
    (
        "kind",
        &[
            r#""bug" | "idea""#,
            r#""bug" | "idea" | "other""#,
            r#""idea" | "bug""#,
            r#""a" | "b" | "c" | "d""#,
        ],
    ),
    (
        "note",
        &[
            "{ kind: Kind, score: float 0..1 }",
            "{ score: float 0..1, kind: Kind }",
            "{ kind: Kind, score: float 0..2 }",
            "{ kind: Kind, score: float 0..1, why: string? }",
            "{ kind: Kind, score: float 0..1, tags: [string; max 1] }",
            "{ kind: Kind, score: float 0..1, tags: [string; max 3] }",
        ],
    ),
    (
        "order",
        &[
            "{ id: int, note: string? }",
            "{ id: int, note: string?, more: string? }",
            "{ note: string?, id: int }",
            "{ id: int 0..1, note: string? }",
            "{ id: float }",
        ],
    ),
    ("prompt", &["what is it?", "who is it?"]),
    // Types of a file that the script and another file use.
    (
        "types.svc",
        &[
            r#"type Far = "near" | "far""#,
            r#"type Far = "near" | "far" | "out""#,
            r#"type Far = "far" | "near""#,
        ],
    ),
    (
        "lib.svc",
        &[
            "use \"types.svc\" as t\nflow far(x: string) -> string { x >> ask<t.Far>(max_tokens: 99) >> \"${it}\" }",
            "use \"types.svc\" as t\nflow far(x: string) -> string { \"${x}!\" >> ask<t.Far>(max_tokens: 99) >> \"${it}\" }",
            "flow far(x: string) -> string { read_text(path: \"far.txt\") fallback \"no\" }",
            "flow far(x: string) -> string { upper(x) }",
            "use \"more.svc\" as m\nflow far(x: string) -> string { m.far(x) }",
        ],
    ),
    (
        "more.svc",
        &[
            "flow far(x: string) -> string { lower(x) }",
            "flow far(x: string) -> string { x >> wait(duration: 1ms) }",
            "flow far(x: string) -> string { \"${x}, ${len(x)}\" >> wait(duration: 1ms) }",
            "flow far(x: string) -> string { read_text(path: \"far.txt\") fallback \"gone\" }",
        ],
    ),
    (
        "steps.rhai",
        &[
            "/// template step(text: string) -> string\nfn step() { `upper >> wait(duration: 1ms)` }",
            "/// template step(text: string) -> string\nfn step() { `lower >> wait(duration: 1ms)` }",
            "/// type Sort = \"x\" | \"y\"\n/// template step(text: string) -> string\nfn step() { `ask<Sort>` }",
            "/// type Sort = \"x\" | \"y\" | \"z\"\n/// template step(text: string) -> string\nfn step() { `ask<Sort>` }",
        ],
    ),
    // Flows that are arguments.
    (
        "judge",
        &[
            r#"{ ends_with(text, "?") }"#,
            "{ len(text) > 5 }",
            r#"{ contains((text >> ask<Kind>(max_tokens: 99) >> "${it}"), "b") }"#,
            r#"{ contains((read_text(path: "words.txt") fallback "none"), text) }"#,
            r#"{ (text >> ask<t.Far>(max_tokens: 99)) == "far" }"#,
            r#"{ len((parse_json<t.Far>("\"out\"") fallback "none")) > 3 }"#,
            "{ len((text >> l.far)) > 5 }",
            r#"{ len((read_files(folder: "docs") fallback [])) > 1 }"#,
        ],
    ),
    // Data.
    ("data.txt", &["one", "two", "three", "-"]),
    ("far.txt", &["far away", "far home", "-"]),
    ("words.txt", &["tea hot", "hot tea is what?", "-"]),
    (
        "data.json",
        &[
            r#"{"id": 1}"#,
            r#"{"id": 1, "note": null}"#,
            r#"{"id": 0, "note": "x"}"#,
            r#"{"id": 7, "note": "y", "more": "z"}"#,
            "-",
        ],
    ),
    ("docs/a.md", &["tea", "hot", "-"]),
    ("docs/b.md", &["-", "one tea", "two tea"]),
    ("docs/c.txt", &["-", "text"]),
    ("docs/deep/a.md", &["-", "deep tea"]),
    (
        "docs/d.jsonl",
        &["-", "{\"id\": \"1\", \"text\": \"tea\"}", "{\"id\": \"1\", \"text\": \"hot\"}"],
    ),
    ("glob", &["*.md", "*", "a.md", "deep/*"]),
    // The environment.
    ("model", &["openai/priced", "openai/other"]),
    ("server", &["http://model/v1", "http://other/v1", "http://model/others"]),
    ("prices", &["1", "2"]),
    ("tuned", &["5", "1", "2"]),
    // The name of the script.
    // A resumed run has other names for its files: their order must not matter.
    ("file", &["a.svc", "main.svc", "z.svc"]),
    ("name", &["first", "second"]),
    ("turn", &["${it}", "${it}.", "${it}, ${len(it)}"]),
    ("items", &[r#"["a", "b"]"#, r#"["a", "b", "c"]"#, r#"["b", "a"]"#]),
    ("number", &["0.0 * -1.0", "0.0", "1.5", "0.1 + 0.2", "-0.25"]),
    ("order of lets", &["0", "1", "2"]),
];

pub(super) struct World {
    chosen: BTreeMap<&'static str, usize>,
}

impl World {
    pub(super) fn new(rng: &mut Rng) -> Self {
        let chosen = PARTS.iter().map(|(name, all)| (*name, rng.usize(0..all.len())));
        Self { chosen: chosen.collect() }
    }

    /// Edits some parts; often none or one.
    pub(super) fn edit(&mut self, rng: &mut Rng) -> Vec<&'static str> {
        let edits = [0, 1, 1, 1, 2, 3][rng.usize(0..6)];
        let mut edited = Vec::new();
        for _ in 0..edits {
            let (name, all) = PARTS[rng.usize(0..PARTS.len())];
            self.chosen.insert(name, rng.usize(0..all.len()));
            edited.push(name);
        }
        edited
    }

    fn part(&self, name: &str) -> &'static str {
        let (_, all) = PARTS.iter().find(|(it, _)| *it == name).unwrap();
        all[self.chosen[name]]
    }

    pub(super) fn source(&self, script: &str) -> Source {
        Source::new(self.part("file"), script).in_folder(".")
    }

    fn files(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let names = PARTS.iter().map(|(name, _)| *name).filter(|it| it.contains('.'));
        names.map(|it| (it, self.part(it))).filter(|(_, text)| *text != "-")
    }

    /// The engine that runs the script.
    pub(super) fn engine(&self) -> Engine {
        let tuned: i64 = self.part("tuned").parse().unwrap();
        self.bare_engine().tuned("summary.max_sentences", tuned).unwrap()
    }

    /// The same without tunings, except those of the run.
    pub(super) fn bare_engine(&self) -> Engine {
        let dollars = self.part("prices");
        let price = |name: &str| {
            format!("\"openai/{name}\" = {{ input = {dollars}, output = {dollars} }}\n")
        };
        let prices = format!("version = \"v\"\n[models]\n{}{}", price("priced"), price("other"));
        let host = TestHost::new()
            .file("prices.toml", prices)
            .env("SVC_PRICES", "prices.toml")
            .env("SVC_MODEL", self.part("model"))
            .env("OPENAI_BASE_URL", self.part("server"))
            .env("OPENAI_API_KEY", "key")
            .answering(|request| {
                let response = answer(&request);
                Box::pin(std::future::ready(Ok(response)))
            });
        // A file that is written again has another time.
        let host = self.files().fold(host, |host, (name, text)| {
            (0..=self.chosen[name]).fold(host, |host, _| host.file(name, text))
        });
        svc::engine().with_host(Arc::new(host))
    }

    /// The script, with a `let` for each way in which a result can become stale.
    pub(super) fn script(&self) -> String {
        let name = self.part("name");
        let prompt = self.part("prompt");
        let mut lets = [
            (name.to_owned(), format!("\"{prompt}\" >> ask<Kind>(max_tokens: 99) >> \"${{it}}\"")),
            ("note".into(), format!("\"{prompt}\" >> ask<Note>(max_tokens: 99) >> to_json")),
            ("plain".into(), "\"say it\" >> ask(max_tokens: 9)".into()),
            ("data".into(), "(read_text(path: \"data.txt\") fallback \"none\") >> wait(duration: 1ms) >> upper".into()),
            ("order".into(), "(read_json<Order>(path: \"data.json\") >> wait(duration: 1ms) >> to_json) fallback \"none\"".into()),
            ("docs".into(), format!(
                "(read_files(folder: \"docs\", glob: \"{}\") fallback []) >> each {{ .text }} >> join(sep: \",\")",
                self.part("glob")
            )),
            ("far".into(), "\"x\" >> l.far".into()),
            ("step".into(), "\"Text\" >> s.step".into()),
            ("message".into(), "(read_text(path: \"data.txt\") fallback \"One. Two. Three.\") >> summary >> .text".into()),
            ("items".into(), format!(
                "{} >> each {{ \"{}\" >> wait(duration: 1ms) }} >> join(sep: \"-\")",
                self.part("items"), self.part("turn")
            )),
            ("judged".into(), "[{ input: \"tea\", expected: true }, { input: \"hot tea\", expected: false }] >> evaluate(flow: judge) >> .score".into()),
            ("apart".into(), "[{ input: \"tea\", expected: \"TEA\" }] >> evaluate(flow: l.far) >> to_json".into()),
            ("typed".into(), "[{ input: \"tea\", expected: true }] >> evaluate(flow: typed_far) >> to_json".into()),
            ("tuned".into(), "[{ input: \"One. Two. Three.\", expected: \"One.\" }] >> evaluate(flow: shorter) >> to_json".into()),
            ("opt".into(), "absent >> wait(duration: 1ms) >> { same: (it == { a: 1 }), json: to_json(it), len: len(keys(it)) }".into()),
            ("number".into(), format!("({}) >> wait(duration: 1ms) >> \"${{it}}\"", self.part("number"))),
            ("time".into(), "(1s / 3) >> wait(duration: 1ms) >> to_json".into()),
        ];
        let turn: usize = self.part("order of lets").parse().unwrap();
        lets.rotate_left(turn * 4);
        let mut text = format!(
            "use \"types.svc\" as t\nuse \"lib.svc\" as l\nuse \"steps.rhai\" as s\n\
             type Kind = {}\ntype Note = {}\ntype Order = {}\n\
             flow judge(text: string) -> bool {}\n\
             flow typed_far(text: string) -> bool {{ len((parse_json<t.Far>(\"\\\"out\\\"\") fallback \"none\")) > 3 }}\n\
             flow shorter(text: string) -> string {{ text >> summary >> .text }}\n\
             let absent: {{ a: int, b: int? }} = {{ a: 1 }}\n",
            self.part("kind"),
            self.part("note"),
            self.part("order"),
            self.part("judge"),
        );
        for (name, value) in &lets {
            writeln!(text, "let {name} = {value}").unwrap();
        }
        let mut names: Vec<&str> = lets.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        let fields: Vec<String> = names.iter().map(|it| format!("{it}: {it}")).collect();
        writeln!(text, "{{ {} }}", fields.join(", ")).unwrap();
        text
    }

    pub(super) fn shown(&self) -> String {
        let files: Vec<String> =
            self.files().map(|(name, text)| format!("--- {name}\n{text}")).collect();
        format!("{}\n{}", self.script(), files.join("\n"))
    }
}

/// A model whose answer depends on the whole request, and on the address.
fn answer(request: &Request) -> Response {
    let body: Json = serde_json::from_slice(&request.body).unwrap();
    let chance = blake3::hash(&[request.url.as_bytes(), &request.body].concat());
    let mut rng = Rng::with_seed(u64::from_le_bytes(chance.as_bytes()[..8].try_into().unwrap()));
    let schema = &body["response_format"]["json_schema"]["schema"];
    let text = match schema {
        Json::Null => format!("answer {}", rng.u32(..)),
        schema => of_schema(schema, &mut rng).to_string(),
    };
    let chunk = |delta: Json, stop: Option<&str>| {
        let choices = json!([{ "index": 0, "delta": delta, "finish_reason": stop }]);
        format!("data: {}\n\n", json!({ "choices": choices, "usage": null }))
    };
    let usage = json!({ "prompt_tokens": 10, "completion_tokens": 2 });
    let end = format!("data: {}\n\ndata: [DONE]\n\n", json!({ "choices": [], "usage": usage }));
    let body = [chunk(json!({ "content": text }), None), chunk(json!({}), Some("stop")), end];
    Response::whole(200, body.concat())
}

fn of_schema(schema: &Json, rng: &mut Rng) -> Json {
    if let Some(variants) = schema["enum"].as_array() {
        return variants[rng.usize(0..variants.len())].clone();
    }
    if let Some(any) = schema["anyOf"].as_array() {
        return of_schema(&any[rng.usize(0..any.len())], rng);
    }
    match schema["type"].as_str().unwrap_or_default() {
        "object" => {
            let fields = schema["properties"].as_object().unwrap();
            fields.iter().map(|(name, it)| (name.clone(), of_schema(it, rng))).collect()
        }
        "array" => {
            let most = schema["maxItems"].as_u64().unwrap_or(3);
            (0..rng.u64(0..=most)).map(|_| of_schema(&schema["items"], rng)).collect()
        }
        "number" => {
            let [low, high] = ["minimum", "maximum"].map(|it| schema[it].as_f64().unwrap_or(1.0));
            json!(low + (high - low) * rng.f64())
        }
        "integer" => json!(rng.i32(..)),
        "boolean" => json!(rng.bool()),
        "string" => json!(format!("text {}", rng.u16(..))),
        _ => Json::Null,
    }
}
