//! The in-process model of the specification, each member once: `cargo run --example blocks`.
//!
//! Blocks with state, the protocols, bounds, the registry, and steps in order and together. The
//! chapter [Blocks](../docs/blocks.md) maps the names of the specification to these.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "an example")]

use std::path::Path;

use svc::{
    blocks::{
        AIBlock, ComponentRegistry, Emittable, InductiveBias, Inferrable, Ingestible, Learnable,
        PipelineStep, ResourceBounds, Result, Storable, blocking, get_registry, run_parallel,
        run_pipeline,
    },
    registry::{ErrorKind, OpError, documents::Hit},
    value::{Value, to_value},
};

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    results()?;
    bounds()?;
    // Without an async runtime, `blocking` runs a future of this module.
    blocking(registry())?;
    blocking(steps())?;
    blocking(pipelines())?;
    let folder = tempfile::tempdir()?;
    blocking(learning(&folder.path().join("rank.svcm")))?;
    blocking(protocols(&folder.path().join("text.json")))?;
    blocking(own_types(&folder.path().join("seen.txt")))?;
    println!("every member works");
    Ok(())
}

/// `Result`, with the combinators of std.
fn results() -> Result<()> {
    let ok: Result<i64> = Ok(20);
    let fail = |text: &str| Err::<i64, _>(OpError::failed(text));
    assert!(ok.is_ok() && fail("no").is_err());
    assert_eq!(ok.clone().map(|it| it + 1)?, 21);
    assert_eq!(ok.and_then(|it| if it > 9 { Ok(it * 2) } else { fail("small") })?, 40);
    let saved = fail("gone").or_else(|err| if err.message == "gone" { Ok(0) } else { Err(err) });
    assert_eq!(saved?, 0);
    assert_eq!(fail("no").map_err(|err| err.message), Err("no".to_owned()));
    Ok(())
}

/// `ResourceBounds`, which are immutable.
fn bounds() -> Result<()> {
    let bounds = ResourceBounds::default();
    assert_eq!((bounds.max_tokens(), bounds.max_retries()), (128_000, 3));
    assert_eq!((bounds.max_budget_usd().to_string(), bounds.timeout_sec()), ("0".to_owned(), 60));
    let tight = bounds.with_max_tokens(500).with_timeout_sec(5).with_max_retries(0);
    let tight = tight.with_max_budget_usd(0.25)?;
    assert_eq!((tight.max_tokens(), tight.timeout_sec(), tight.max_retries()), (500, 5, 0));
    assert_ne!(tight, bounds);
    assert!(bounds.with_max_budget_usd(-1.0).is_err());
    Ok(())
}

/// `get_registry`, `list_all`, `invoke`.
async fn registry() -> Result<()> {
    let registry = get_registry();
    let all = registry.list_all();
    let text = all.iter().find(|it| it.name == "text").ok_or_else(|| OpError::failed("no text"))?;
    assert_eq!(text.category, "core-infrastructure");
    assert!(text.ops.iter().any(|it| it.name == "split" && it.result == "[string]"));

    let params = [("text", "a,b".into()), ("sep", ",".into())];
    let parts: Vec<String> = got(registry.invoke("text", "split", params).await?)?;
    assert_eq!(parts, ["a", "b"]);

    let kind = |it: Result<svc::Response>| it.map(drop).map_err(|err| err.kind);
    let text = || [("text", Value::from("a"))];
    assert_eq!(kind(registry.invoke("texd", "upper", text()).await), Err(ErrorKind::NotFound));
    assert_eq!(kind(registry.invoke("text", "uper", text()).await), Err(ErrorKind::NotFound));
    assert_eq!(kind(registry.invoke("text", "upper", []).await), Err(ErrorKind::InvalidInput));

    // An op that takes longer than the bounds allow does not run at all.
    let hasty = registry.within(ResourceBounds::default().with_timeout_sec(1));
    let wait = [("value", 1.into()), ("duration", "90s".into())];
    assert_eq!(kind(hasty.invoke("control", "wait", wait).await), Err(ErrorKind::Timeout));
    Ok(())
}

/// `PipelineStep`, `run_pipeline`, `run_parallel`.
async fn steps() -> Result<()> {
    let split = PipelineStep::new("text", "split").param("text", "b a").param("sep", " ");
    // The input that a step does not have is the result of the step before it.
    let reverse = PipelineStep::new("list", "reverse");
    let upper = PipelineStep::new("text", "upper").param("text", "done");
    let results = run_pipeline([split.clone(), reverse, upper.clone()]).await?;
    let shown: Vec<String> = results.iter().map(ToString::to_string).collect();
    assert_eq!(shown, [r#"["b","a"]"#, r#"["a","b"]"#, "DONE"]);
    assert_eq!(run_parallel([split, upper]).await?.len(), 2);
    Ok(())
}

/// `a >> b` is a `PipelineBlock`; `process` runs it.
async fn pipelines() -> Result<()> {
    let registry = get_registry();
    let words = registry.block("split")?.arg("sep", ",") >> registry.block("list.reverse")?;
    let pipeline = words >> registry.block("join")?.arg("sep", "+");
    assert_eq!(got::<String>(pipeline.process("a,b,c").await?)?, "c+b+a");
    let cheap = ResourceBounds::default().with_max_budget_usd(0.01)?;
    assert_eq!(got::<String>(pipeline.process_within(cheap, "a,b").await?)?, "b+a");
    // Blocks that do not fit together are an error before anything runs.
    let wrong = registry.block("split")?.arg("sep", ",") >> registry.block("upper")?;
    let err = wrong.check("a,b").unwrap_err();
    assert!(err.message.starts_with("step 2: "), "{err}");
    Ok(())
}

/// `AIBlock`: `name`, `state`, `infer`, `learn`, `save`, `load`.
async fn learning(file: &Path) -> Result<()> {
    let (judged, hits) = lessons()?;
    let file = file.to_string_lossy();
    let mut rank = get_registry().block("rerank")?.arg_of("learn", "hits", hits.clone());
    assert_eq!(rank.name(), "ctx_rerank");
    assert!(rank.state().is_none());
    let id = rank.learn(judged).await?.id();
    let best: Vec<Hit> = got(rank.infer(hits.clone()).await?)?;
    assert_eq!(&*best[0].id, "good");

    assert_eq!(rank.save(&file).await?, file);
    let mut same = get_registry().block("rerank")?;
    assert_eq!(same.load(&file).await?, file);
    assert_eq!(same.state().map(svc::models::Model::id), Some(id));
    let again: Vec<Hit> = got(same.infer(hits.clone()).await?)?;
    assert_eq!(again.len(), best.len());
    *same.state_mut() = None;
    assert!(same.save(&file).await.is_err(), "nothing is left to save");
    Ok(())
}

/// The six protocols, of a block.
async fn protocols(file: &Path) -> Result<()> {
    let mut sum = get_registry().block("list.sum")?;
    let numbers = sum.ingest("[1, 2, 3]").await?;
    let total = Inferrable::infer(&sum, numbers).await?.value;
    assert_eq!(sum.emit(total).await?, "6");
    let err = Learnable::learn(&mut sum, vec![1_i64]).await.unwrap_err();
    assert_eq!(err.kind, ErrorKind::Unsupported, "it has no state");
    let path = file.to_string_lossy();
    assert_eq!(Storable::save(&sum, &path).await?, Storable::load(&mut sum, &path).await?);
    let bias = get_registry().block("rerank")?.bias();
    assert_eq!(bias.get("type"), Some(&"CtxRerank".into()));
    assert!(
        bias.get("evolvable_params").and_then(Value::as_record).is_some_and(|it| it.has("window"))
    );
    Ok(())
}

/// A type of this program with some of the protocols, and a block of an op of this program.
async fn own_types(file: &Path) -> Result<()> {
    let mut seen = Seen::default();
    assert_eq!(seen.learn(vec!["a".to_owned(), "b".to_owned()]).await?, 2);
    assert!(seen.infer("b").await?);
    let path = file.to_string_lossy();
    seen.save(&path).await?;
    let mut other = Seen::default();
    other.load(&path).await?;
    assert!(other.infer("a").await? && !other.infer("c").await?);

    let op = svc::inline_op("shop.greet", |name: String| format!("hello, {name}"));
    let shop = ComponentRegistry::new(svc::engine().with_ops([op])?);
    let polite: AIBlock = shop.block("shop.greet")?;
    let pipeline = shop.block("trim")? >> polite;
    assert_eq!(got::<String>(pipeline.process(" ada ").await?)?, "hello, ada");
    Ok(())
}

/// The words that were seen.
#[derive(Default)]
struct Seen(Vec<String>);

impl Learnable<String> for Seen {
    type State = usize;

    async fn learn(&mut self, data: Vec<String>) -> Result<usize> {
        self.0.extend(data);
        Ok(self.0.len())
    }
}

impl Inferrable<&str> for Seen {
    type Output = bool;

    async fn infer(&self, input: &str) -> Result<bool> {
        Ok(self.0.iter().any(|it| it == input))
    }
}

impl Storable for Seen {
    async fn save(&self, path: &str) -> Result<String> {
        let params = [("text", self.0.join("\n").into()), ("to", path.into())];
        get_registry().invoke("files", "write_file", params).await.map(|_| path.to_owned())
    }

    async fn load(&mut self, path: &str) -> Result<String> {
        let read = get_registry().invoke("files", "read_text", [("path", path.into())]).await?;
        self.0 = got::<String>(read)?.lines().map(str::to_owned).collect();
        Ok(path.to_owned())
    }
}

/// Judgements of ten queries, and the hits of each: the search prefers the wrong one.
fn lessons() -> Result<(Value, Value)> {
    let (mut judged, mut hits) = (Vec::new(), Vec::new());
    for topic in ["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "ibis", "jay"] {
        judged.push(serde_json::json!({ "query": topic, "id": "good", "grade": 1 }));
        for (id, text, score) in [("bad", "all the rest", 1.0), ("good", topic, 0.5)] {
            hits.push(serde_json::json!({
                "id": id, "title": "", "path": "x", "text": text, "query": topic, "score": score,
                "snippet": "", "start": 0, "end": 0,
            }));
        }
    }
    let value = |it: &Vec<serde_json::Value>| {
        to_value(it).map_err(|err| OpError::invalid_input(err.to_string()))
    };
    Ok((value(&judged)?, value(&hits)?))
}

/// The value of a response as a Rust type.
fn got<T: svc::registry::Field>(response: svc::Response) -> Result<T> {
    response.get().map_err(|err| OpError::invalid_input(err.to_string()))
}
