//! Vectors of texts by a provider's model.

use std::time::Duration;

use svc_contract::{
    registry::{
        Asking, Cx, Effect, ErrorKind, Example, Io, Known, Limits, Max, Op, OpError, Price, Quote,
        Scheme, Scope, Takes, params,
    },
    value::{Text, Value},
};

use super::{
    bill::{self, Bill, Bounds, PER_TEXT},
    failure,
    model::{Model, Provider, Task},
    talk,
    vectors::{self, Vectors},
};

/// The most texts, and bytes of texts, of one request. A request of OpenAI may have 2,048 texts and
/// 300,000 tokens, and no text has more tokens than bytes.
const MOST_TEXTS: usize = 128;
const MOST_BYTES: usize = 256 << 10;

const TASK: Task = Task {
    what: "embedding model",
    variable: "SVC_MODEL_EMBED",
    example: "ollama/all-minilm",
    providers: &[Provider::OpenAi, Provider::Ollama],
};

params! {
    /// Returns the vectors of texts by meaning, from a provider's embedding model.
    ///
    /// Texts that mean alike have vectors of a similar direction: compare them with
    /// `vectors.nearest`. All vectors have the same length, in the order of the texts. Vectors of
    /// different models cannot be compared.
    ///
    /// The environment variable `SVC_MODEL_EMBED` names the default model, as `provider/model`. The
    /// providers are `openai` (`OPENAI_API_KEY`, and `OPENAI_BASE_URL` for any server with its
    /// `/embeddings`) and `ollama` (`OLLAMA_HOST`). Texts are sent in requests of up to 128 texts and
    /// 256KiB. A text that is longer than the model can read is an error, and so are an empty text,
    /// and an answer with another number of vectors or with vectors of different lengths.
    pub(super) struct Embed {
        /// The texts.
        texts: Vec<Text>,
        /// `default`, `provider/model`, or a model's bare name.
        model: Text = "default".into(),
    }
}

impl Op for Embed {
    const NAME: &'static str = "embed";
    const YIELDS: Scheme = Scheme::List(&Scheme::List(&Scheme::Float, Max::Unknown), Max::Input);
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Named("llm")), Effect::Spends];
    const PRICE: Price = Price::Quoted(quote);
    const ERRORS: &'static [ErrorKind] = ErrorKind::OF_SERVERS;
    /// A collection has more text than a prompt, and costs a hundredth.
    const LIMITS: Limits = Limits {
        max_tokens: Some(4_000_000),
        timeout: Some(Duration::from_mins(10)),
        ..Limits::DEFAULT
    };
    const TAKES: Takes = Takes::Usually(Duration::from_secs(1));
    const SAYS: &'static [&'static str] = &[
        "embed texts through a provider",
        "get embeddings from openai or ollama",
        "turn sentences into vectors",
        "vectors of texts by meaning",
        "semantic vectors of a text from an api",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The vectors of two texts",
            r#"["a cat", "a dog"] >> llm_router.embed"#,
            "[[0.6,0.8],[0.8,0.6]]",
        )
        .answered(LOCAL, &[r#"{"embeddings":[[0.6,0.8],[0.8,0.6]],"prompt_eval_count":4}"#]),
        Example::err(
            "An answer that is not whole",
            r#"(["a cat", "a dog"] >> llm_router.embed) within { max_retries: 0 }"#,
            "1 vectors for 2 texts",
        )
        .answered(LOCAL, &[r#"{"embeddings":[[0.6,0.8]],"prompt_eval_count":4}"#]),
        Example::err(
            "An empty text",
            r#"["a cat", ""] >> llm_router.embed(model: "ollama/all-minilm")"#,
            "text 2 is empty",
        ),
        Example::err(
            "No model is configured",
            r#"["a cat"] >> llm_router.embed"#,
            "no embedding model is configured",
        ),
    ];
}

/// The environment of the examples.
const LOCAL: &[(&str, &str)] = &[("SVC_MODEL_EMBED", "ollama/all-minilm")];

impl Io for Embed {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let model = Model::find_for(&TASK, cx.host(), &self.model)?;
        let mut bill = Bill::open(&model, cx)?;
        let texts: Vec<&str> = self.texts.iter().map(AsRef::as_ref).collect();
        if let Some(place) = texts.iter().position(|it| it.trim().is_empty()) {
            let message = format!("cannot embed the texts: text {} is empty", place + 1);
            return Err(OpError::invalid_input(message).help("leave out empty texts before"));
        }
        let mut all = Vec::with_capacity(texts.len());
        for batch in bill::batches(&texts, MOST_TEXTS, MOST_BYTES, |it| it.len()) {
            let spent = bill.usage(cx)?;
            let body = talk::whole(&model, vectors::request(&model, batch), spent, cx).await?;
            let Vectors { vectors, tokens } = vectors::read(&model, &body, batch.len())?;
            is_as_before(&model, &all, &vectors)?;
            bill.add(tokens, batch.iter().map(|it| it.len()).sum());
            all.extend(vectors);
            cx.progress("texts", all.len() as u64, Some(texts.len() as u64));
        }
        bill.settle(cx)?;
        let list = |it: Vec<f64>| it.into_iter().map(Value::Float).collect::<Vec<_>>().into();
        Ok(Value::List(all.into_iter().map(list).collect()))
    }
}

/// Whether vectors are as long as those of the earlier requests.
fn is_as_before(model: &Model, all: &[Vec<f64>], new: &[Vec<f64>]) -> Result<(), OpError> {
    match (all.first().map(Vec::len), new.first().map(Vec::len)) {
        (Some(old), Some(new)) if old != new => {
            let what = format!("vectors of {old} and of {new} numbers");
            Err(failure::of_protocol(model, &what, "in two answers"))
        }
        _ => Ok(()),
    }
}

/// Estimates the usage of a call, if the texts are known and if they are not.
fn quote(asking: &Asking<'_>) -> Result<Quote, OpError> {
    let [texts, Known::Value(Value::Text(model))] = asking.args else {
        return Err(OpError::invalid_input("`model` is only known at run time"));
    };
    let model = Model::find_for(&TASK, asking.host, model)?;
    Ok(bill::quote(asking, &model, &bounds(texts)))
}

fn bounds(texts: &Known<'_>) -> Bounds {
    /// The fewest bytes around a text in a written list: two quotes and a comma.
    const AROUND: u64 = 3;
    let tokens = |bytes: u64, count: u64| bytes.saturating_add(PER_TEXT.saturating_mul(count));
    match texts {
        Known::Value(Value::List(texts)) => {
            let bytes = texts.iter().filter_map(Value::as_str).map(|it| it.len() as u64).sum();
            let exact = tokens(bytes, texts.len() as u64);
            Bounds { least: exact, usual_bytes: bytes, most: Some(exact) }
        }
        other => {
            let sizes = other.sizes();
            let most = sizes.most.map(|it| tokens(it, it / AROUND + 1));
            Bounds { least: 0, usual_bytes: sizes.usual, most }
        }
    }
}
