//! Asks a language model for text, or for a value of a type.
//!
//! A call finds its model ([`model`]), is turned into a request of that model's provider
//! ([`openai`], [`anthropic`], [`ollama`]), and the streamed answer ([`talk`]) is made a
//! value ([`answer`]). What it costs stands in a table ([`prices`]).

use std::time::Duration;

use svc_contract::{
    registry::{
        Asking, Component, Cx, Effect, ErrorKind, Example, Generic, Io, Measure, Op, OpError,
        Params, Price, Quote, Scheme, Scope, Takes, Usage, io, params,
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
mod failure;
mod model;
mod ollama;
mod openai;
mod prices;
mod question;
mod stream;
mod talk;

pub(super) const COMPONENT: Component = Component {
    name: "llm_router",
    cluster: "agents-llm",
    summary: "Asks a language model for text or for a typed value.",
    version: 1,
    aliases: &[("ask", "infer")],
    ops: &[io::<Infer>()],
};

params! {
    /// Asks a language model.
    ///
    /// `ask` gives the model's text. `ask<T>` sends the JSON Schema of `T` along, in the way
    /// that the provider has for it, and gives a `T`; an answer that does not fit is an error
    /// of kind `invalid_output`, which is tried again.
    ///
    /// The environment says which models there are: `SVC_MODEL`, and for the aliases `fast`
    /// and `strong` `SVC_MODEL_FAST` and `SVC_MODEL_STRONG`, each as `provider/model`. The
    /// providers are `openai` (`OPENAI_API_KEY`, and `OPENAI_BASE_URL` for every server that
    /// speaks its protocol), `anthropic` (`ANTHROPIC_API_KEY`) and `ollama` (`OLLAMA_HOST`).
    pub(super) struct Infer {
        /// What to ask. Nothing else enters the prompt.
        prompt: Text,
        /// How the model should behave; sent apart from the prompt.
        system: Text = "".into(),
        /// An alias (`default`, `fast`, `strong`), `provider/model`, or a model's bare name.
        model: Text = "default".into(),
        /// The most tokens of the answer, thinking included.
        #[range(1..=1_000_000)]
        max_tokens: i64 = 1024,
        /// How much the answer may vary; the provider's own where nothing is said.
        temperature: Option<Temperature> = None,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Text;
    const GENERIC: Generic = Generic::Asked;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Named("llm")), Effect::Spends];
    const PRICE: Price = Price::Quoted(quote);
    const ERRORS: &'static [ErrorKind] = &[
        ErrorKind::NotFound,
        ErrorKind::Unsupported,
        ErrorKind::Denied,
        ErrorKind::RateLimit,
        ErrorKind::Unavailable,
        ErrorKind::InvalidOutput,
        ErrorKind::Failed,
    ];
    const OUTPUT: Measure = Measure::Arg("max_tokens", BYTES_PER_TOKEN);
    const TAKES: Takes = Takes::Usually(Duration::from_secs(4));
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Text", r#""What is the capital of France?" >> ask"#, r#""Paris""#)
            .answered(LOCAL, &[r#"{"message":{"content":"Paris"},"done":true}"#]),
        Example::ok(
            "A value of a type",
            r#""I was charged twice" >> ask<"billing" | "bug">(system: "Classify the ticket.")"#,
            r#""billing""#,
        )
        .answered(LOCAL, &[r#"{"message":{"content":"{\"value\": \"billing\"}"},"done":true}"#]),
        Example::err("Nothing is configured", r#"ask(prompt: "Hello")"#, "no language model"),
    ];
}

/// The params that may be of any length.
const TEXTS: &[&str] = &["prompt", "system"];

/// No answer is longer than this for each token that it may have: it is cut there. What
/// models write has about four bytes a token, so only an endless row of blanks meets this,
/// and what takes an answer in can count on it.
const BYTES_PER_TOKEN: u64 = 8;

/// Where the examples are asked.
const LOCAL: &[(&str, &str)] = &[("SVC_MODEL", "ollama/llama3.2")];

impl Io for Infer {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let model = Model::find(cx.host(), &self.model)?;
        let question = self.question(cx.wanted())?;
        let answer = talk::ask(&model, &question, cx).await?;
        if let Some(tokens) = answer.counted(&question) {
            let cost = prices::cost(cx.host(), &model, tokens)?;
            if cost.is_err() {
                cx.notice(format!("the price of `{model}` is unknown: the cost leaves it out"));
            }
            cx.used(Usage { tokens: tokens.sum(), cost: cost.unwrap_or_default() });
        } else if answer.tokens.is_some() {
            let why = "fewer tokens than there can be: all that was reserved counts";
            cx.notice(format!("`{model}` counts {why}"));
        }
        give(answer, &model, &question, cx)
    }
}

impl Infer {
    fn question<'a>(&'a self, wanted: Option<&'a Type>) -> Result<Question<'a>, OpError> {
        let question = Question::new(&self.prompt, &self.system, wanted)?;
        Ok(question.limited(self.max_tokens.unsigned_abs(), self.temperature))
    }

    /// The tokens that an answer is likely to have: few models write all that they may, and
    /// values are short.
    fn usual_output(&self, wanted: Option<&Type>) -> u64 {
        let part = if wanted.is_some() { 8 } else { 2 };
        self.max_tokens.unsigned_abs().div_ceil(part)
    }
}

/// What comes of an answer.
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
        let message = format!("the answer of `{model}` is longer than {most} tokens can be");
        return Err(OpError::new(ErrorKind::InvalidOutput, message));
    }
    Ok(value)
}

/// What a call uses. The texts may be unknown yet: no tokenizer makes more tokens of a text
/// than it has bytes.
fn quote(asking: &Asking<'_>) -> Result<Quote, OpError> {
    let infer = Infer::decode(&mut asking.values(TEXTS)?)?;
    let model = Model::find(asking.host, &infer.model)?;
    let known = infer.question(asking.wanted)?.most_tokens();
    let open = asking.unknown(TEXTS);
    let most = open.most.map(|it| known.input.saturating_add(it));
    let usual = usize::try_from(known.input.saturating_add(open.usual)).unwrap_or(usize::MAX);
    let price = |input, output| {
        let tokens = Tokens { input, output };
        let cost = prices::cost(asking.host, &model, tokens)?;
        let usage = Usage { tokens: tokens.sum(), cost: *cost.as_ref().unwrap_or(&Money::ZERO) };
        Ok::<_, OpError>((usage, cost.err()))
    };
    let (most, unpriced) = price(asking.most_input(most, known.output), known.output)?;
    Ok(Quote {
        most,
        usual: price(tokens_of(usual) as u64, infer.usual_output(asking.wanted))?.0,
        least: Usage::default(),
        reserved: price(known.input.saturating_add(open.least), known.output)?.0,
        prices: Some(prices::named(asking.host)?),
        model: Some(model.to_string().into()),
        server: model.server().map(Text::from),
        unpriced,
    })
}
