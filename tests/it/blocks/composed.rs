//! Blocks in a row.

use svc::{
    blocks::{
        AIBlock, Emittable, InductiveBias, Inferrable, Ingestible, PipelineBlock, ResourceBounds,
        get_registry,
    },
    registry::ErrorKind,
    value::Value,
};

fn block(name: &str) -> AIBlock {
    get_registry().block(name).unwrap()
}

#[tokio::test]
async fn composition_is_associative() {
    let split = || block("split").arg("sep", ",");
    let (reverse, join) = (|| block("reverse"), || block("join").arg("sep", "+"));
    let both: [PipelineBlock; 4] = [
        (split() >> reverse()) >> join(),
        split() >> (reverse() >> join()),
        PipelineBlock::from(split()) >> (reverse() >> join()),
        PipelineBlock::from(split()) >> reverse() >> join(),
    ];
    for pipeline in both {
        assert_eq!(pipeline.blocks().len(), 3);
        assert_eq!(pipeline.process("a,b,c").await.unwrap().value, "c+b+a".into());
        assert_eq!(pipeline.infer("x").await.unwrap().value, "x".into());
    }
    // A pipeline of one block is that block.
    for text in ["", "a", "a,b", ",,", "\u{0}${x}\""] {
        let alone = split().infer(text).await.unwrap().value;
        assert_eq!(PipelineBlock::from(split()).process(text).await.unwrap().value, alone);
    }
}

#[tokio::test]
async fn blocks_that_do_not_fit_are_refused_before_the_first_one_runs() {
    let pipeline = block("split").arg("sep", ",") >> block("upper") >> block("lower");
    for err in [pipeline.check("a,b").unwrap_err(), pipeline.process("a,b").await.unwrap_err()] {
        assert_eq!(err.kind, ErrorKind::InvalidInput);
        assert!(err.message.starts_with("step 2: "), "{err}");
    }
    let missing = block("split") >> block("split");
    let err = missing.process("a").await.unwrap_err();
    assert!(err.message.contains("step 1: missing argument `sep` of `text.split`"), "{err}");
    assert!(err.message.contains("step 2: missing argument `sep` of `text.split`"), "{err}");
    let err = (block("upper") >> block("lower")).process(1).await.unwrap_err();
    assert_eq!(err.message, "step 1: expected string for `text`, found 1");
    let err = (block("upper") >> block("lower").arg("texd", 1)).process("a").await.unwrap_err();
    assert!(err.message.starts_with("step 2: unknown param `texd`"), "{err}");
}

#[test]
fn a_block_has_the_name_of_its_component_or_its_op() {
    assert_eq!(block("rerank").name(), "ctx_rerank");
    assert_eq!(block("ctx_rerank").name(), "ctx_rerank");
    assert_eq!(block("upper").name(), "text.upper");
    assert_eq!(block("text.upper").name(), "text.upper");
    let err = get_registry().block("text").unwrap_err();
    assert_eq!(err.kind, ErrorKind::NotFound);
    assert_eq!(err.help.unwrap(), "name one of its ops, such as `text.upper`");
    assert_eq!(get_registry().block("text.uper").unwrap_err().kind, ErrorKind::NotFound);
    assert_eq!(get_registry().block("texd").unwrap_err().kind, ErrorKind::NotFound);
    let tight = ResourceBounds::default().with_max_retries(1);
    assert_eq!(block("upper").within(tight).bounds(), tight);
}

#[tokio::test]
async fn raw_text_becomes_an_input_and_a_result_becomes_text() {
    let mut sum = block("sum");
    let numbers = sum.ingest("[1, 2, 3]").await.unwrap();
    let total = sum.infer(numbers).await.unwrap().value;
    assert_eq!(sum.emit(total).await.unwrap(), "6");
    let mut upper = block("upper");
    assert_eq!(upper.ingest("[1]").await.unwrap(), "[1]".into());
    let err = block("join").ingest("a").await.unwrap_err();
    assert_eq!(err.kind, ErrorKind::InvalidInput, "{err}");
    assert!(err.message.contains("`items`") || err.message.contains("expected"), "{err}");
}

#[test]
fn a_bias_has_the_fields_of_the_specification() {
    let engine = svc::engine().tuned("rerank.window", 4).unwrap();
    let rerank = svc::blocks::ComponentRegistry::new(engine).block("rerank").unwrap();
    let bias = rerank.bias();
    let fields = ["name", "type", "strategy", "assumptions", "evolvable_params", "version"];
    assert_eq!(bias.names().iter().map(|it| &**it).collect::<Vec<_>>(), fields);
    let window = bias.get("evolvable_params").and_then(Value::as_record).unwrap().get("window");
    let window = window.unwrap().as_record().unwrap();
    assert_eq!(window.get("type"), Some(&"int".into()));
    assert_eq!(window.get("value"), Some(&4.into()), "the tuned default");
    assert_eq!((window.get("min"), window.get("max")), (Some(&2.into()), Some(&32.into())));
}
