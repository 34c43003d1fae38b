//! Asks a language model for text, or for a value of a type.
//!
//! A call finds its model ([`model`]) and becomes a request to that model's provider ([`openai`],
//! [`anthropic`], [`ollama`]); the streamed answer ([`talk`]) is converted to a value ([`answer`]).
//! A turn of a conversation may ask for calls of tools ([`turn`]). Texts become vectors ([`embed`], [`vectors`]) and hits scores ([`rerank`]) in whole answers.
//! The cost is computed from a price table ([`prices`]).

use std::time::Duration;

use svc_contract::{
    registry::{
        Asking, Bias, Component, Cx, Effect, ErrorKind, Example, Generic, Io, Measure, Op, OpError,
        Params, Price, Quote, Scheme, Scope, Takes, Tool, Usage, io, params,
    },
    value::{Money, Text, Type, Value},
};
use svc_text::tokens::tokens_of;

use self::{
    answer::{Answer, End, Tokens},
    model::Model,
    question::{Question, Temperature},
};

mod answer;
mod anthropic;
mod bill;
mod embed;
mod failure;
mod model;
mod ollama;
mod openai;
mod prices;
mod question;
mod rerank;
mod stream;
mod talk;
mod turn;
mod vectors;

pub(super) const COMPONENT: Component = Component {
    name: "llm_router",
    cluster: "agents-llm",
    summary: "Asks a language model for text, a typed value, the vectors of texts or the order of hits.",
    version: 1,
    bias: Bias::new(
        "the model that the call or the environment names",
        &[
            "the price table is up to date",
            "no text has more tokens than bytes",
            "another attempt may repair an answer that does not fit",
        ],
    ),
    aliases: &[("ask", "infer")],
    ops: &[io::<Infer>(), io::<turn::Turn>(), io::<embed::Embed>(), io::<rerank::Rerank>()],
};

params! {
    /// Asks a language model.
    ///
    /// `ask` returns the model's text. `ask<T>` sends the JSON Schema of `T` with the request, in
    /// the form that the provider supports, and returns a `T`; an answer that does not fit is an
    /// error of kind `invalid_output`, and the call is retried.
    ///
    /// Environment variables configure the models: `SVC_MODEL`, and `SVC_MODEL_FAST` and
    /// `SVC_MODEL_STRONG` for the aliases `fast` and `strong`, each as `provider/model`. The
    /// providers are `openai` (`OPENAI_API_KEY`, and `OPENAI_BASE_URL` for any server that speaks
    /// its protocol), `anthropic` (`ANTHROPIC_API_KEY`) and `ollama` (`OLLAMA_HOST`).
    pub(super) struct Infer {
        /// The question or task. Nothing else is added to the prompt.
        prompt: Text,
        /// How the model should behave; sent separately from the prompt.
        system: Text = "".into(),
        /// An alias (`default`, `fast`, `strong`), `provider/model`, or a model's bare name.
        model: Text = "default".into(),
        /// The maximum number of tokens of the answer, including thinking.
        #[range(1..=1_000_000)]
        max_tokens: i64 = 1024,
        /// How much the answer may vary; the provider's default if omitted.
        temperature: Option<Temperature> = None,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Text;
    const GENERIC: Generic = Generic::Asked;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Named("llm")), Effect::Spends];
    const PRICE: Price = Price::Quoted(quote);
    const ERRORS: &'static [ErrorKind] = ErrorKind::OF_SERVERS;
    const OUTPUT: Measure = Measure::Arg("max_tokens", BYTES_PER_TOKEN);
    const TAKES: Takes = Takes::Usually(Duration::from_secs(4));
    const SAYS: &'static [&'static str] = &[
        "ask a language model",
        "put a question to gpt or claude",
        "translate into french",
        "classify support tickets by their meaning",
        "rewrite it in a friendlier tone",
        "extract typed fields from free text with ai",
        "draft an email or reply with chatgpt",
        "let the model do it",
    ];
    const TOOL: Option<Tool> = Some(Tool::builder("complete_text"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Text", r#""What is the capital of France?" >> ask"#, r#""Paris""#)
            .answered(LOCAL, &[r#"{"message":{"content":"Paris"},"done":true}"#]),
        Example::ok(
            "A value of a type",
            r#""I was charged twice" >> ask<"billing" | "bug">(system: "Classify the ticket.")"#,
            r#""billing""#,
        )
        .answered(LOCAL, &[r#"{"message":{"content":"{\"value\": \"billing\"}"},"done":true}"#]),
        Example::err("No model is configured", r#"ask(prompt: "Hello")"#, "no language model"),
    ];
}

/// The params that may have any length.
const TEXTS: &[&str] = &["prompt", "system"];

/// The most bytes of an answer per token that it may have; longer answers are cut. Models write
/// about four bytes per token, so only an endless run of blanks reaches this limit, and consumers
/// of an answer can rely on it.
const BYTES_PER_TOKEN: u64 = 8;

/// The environment of the examples.
const LOCAL: &[(&str, &str)] = &[("SVC_MODEL", "ollama/llama3.2")];

impl Io for Infer {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let model = Model::find(cx.host(), &self.model)?;
        // A price table that cannot be read fails before anything is spent.
        prices::named(cx.host())?;
        let question = self.question(cx.wanted())?;
        let answer = talk::ask(&model, &question, cx).await?;
        if let Some(tokens) = answer.counted(&question) {
            let cost = prices::cost(cx.host(), &model, tokens)?;
            if cost.is_err() {
                cx.notice(format!(
                    "the price of `{model}` is unknown: the cost does not include it"
                ));
            }
            cx.used(Usage { tokens: tokens.sum(), cost: cost.unwrap_or_default() });
            cx.wrote(tokens.output);
        } else if answer.tokens.is_some() {
            let why = "fewer tokens than possible: the whole reservation is charged";
            cx.notice(format!("`{model}` reports {why}"));
        }
        give(answer, &model, &question, cx)
    }
}

impl Infer {
    fn question<'a>(&'a self, wanted: Option<&'a Type>) -> Result<Question<'a>, OpError> {
        let question = Question::new(&self.prompt, &self.system, wanted)?;
        Ok(question.limited(self.max_tokens.unsigned_abs(), self.temperature))
    }

    /// The likely number of tokens of an answer: few models use their whole limit, and values are
    /// short.
    fn usual_output(&self, wanted: Option<&Type>) -> u64 {
        let part = if wanted.is_some() { 8 } else { 2 };
        self.max_tokens.unsigned_abs().div_ceil(part)
    }
}

/// Converts an answer to the result of the op.
fn give(
    mut answer: Answer,
    model: &Model,
    question: &Question<'_>,
    cx: &Cx,
) -> Result<Value, OpError> {
    let most = question.max_tokens;
    let room = usize::try_from(most.saturating_mul(BYTES_PER_TOKEN)).unwrap_or(usize::MAX);
    if question.wanted.is_none() && answer.text.len() > room {
        answer.text.truncate(answer.text.floor_char_boundary(room));
        answer.end = Some(End::Cut);
    }
    if question.wanted.is_none() && answer.is_cut() && !answer.text.is_empty() {
        cx.notice(format!("the answer was cut at `max_tokens: {most}`"));
    }
    let value = answer.value(model, question)?;
    if question.wanted.is_some() && value.to_string().len() > room {
        let message = format!("the answer of `{model}` is longer than {most} tokens can hold");
        return Err(OpError::new(ErrorKind::InvalidOutput, message));
    }
    Ok(value)
}

/// Estimates the usage of a call. The texts may still be unknown: no tokenizer makes more tokens of
/// a text than it has bytes.
fn quote(asking: &Asking<'_>) -> Result<Quote, OpError> {
    let infer = Infer::decode(&mut asking.values(TEXTS)?)?;
    let model = Model::find(asking.host, &infer.model)?;
    let known = infer.question(asking.wanted)?.most_tokens();
    let open = asking.unknown(TEXTS);
    let most = open.most.map(|it| known.input.saturating_add(it));
    let usual = usize::try_from(known.input.saturating_add(open.usual)).unwrap_or(usize::MAX);
    let price = |input, output| {
        let tokens = Tokens { input, output };
        // No call is possible with a table that cannot be read, so the check reports it.
        let cost = prices::cost(asking.host, &model, tokens).unwrap_or_else(Err);
        let usage = Usage { tokens: tokens.sum(), cost: *cost.as_ref().unwrap_or(&Money::ZERO) };
        (usage, cost.err())
    };
    let (most, unpriced) = price(asking.most_input(most, known.output), known.output);
    Ok(Quote {
        most,
        usual: price(tokens_of(usual) as u64, infer.usual_output(asking.wanted)).0,
        least: Usage::default(),
        reserved: price(known.input.saturating_add(open.least), known.output).0,
        prices: prices::named(asking.host).ok(),
        model: Some(model.to_string().into()),
        server: model.server().map(Text::from),
        unpriced,
    })
}
