//! One turn of a conversation in which a model may call tools.

use std::fmt::Write as _;

use svc_contract::{
    choices,
    registry::{
        Asking, Cx, Effect, ErrorKind, Example, Field as _, Io, Op, OpError, Params, Price, Quote,
        Scheme, Scope, Takes, Usage,
        conversation::{Function, Message, Step, ToolCall},
        params,
    },
    value::{EnumType, Money, Text, Type, Value, json},
};
use svc_text::tokens::tokens_of;

use super::{
    LOCAL,
    answer::{Answer, End, Requested, Tokens},
    anthropic,
    model::{Model, Provider},
    ollama, openai, prices,
    question::Question,
    talk,
};

/// What a provider adds to the whole, in tokens; messages and tools count it themselves.
const PER_REQUEST: u64 = 1_024;

choices! {
    /// How a model calls tools: as its provider does it, or in answers whose type names the tools.
    /// A model whose server says that it cannot call tools gets the second form, too.
    pub(super) enum Calling { Native = "native", Typed = "typed" }
}

params! {
    /// Asks a language model for its next step in a conversation: an answer, or calls of tools.
    ///
    /// The tools are only described to the model: who uses this op makes the calls, and asks again
    /// with their results. `agent_react` does that. The messages, the functions and `system` must not
    /// be longer than `max_input`.
    pub(super) struct Turn {
        /// The conversation so far, the oldest message first.
        #[filled]
        messages: Vec<Message>,
        /// What the model may call.
        functions: Vec<Function> = Vec::new(),
        /// How the model should behave; sent separately.
        system: Text = "".into(),
        /// An alias (`default`, `fast`, `strong`), `provider/model`, or a model's bare name.
        model: Text = "default".into(),
        /// The maximum number of tokens of the answer, including thinking.
        #[range(1..=1_000_000)]
        max_tokens: i64 = 2048,
        /// The maximum length of all that is sent, in bytes.
        #[range(1_000..=10_000_000)]
        max_input: i64 = 64_000,
        /// Whether the provider's own form of calls is used.
        calling: Calling = Calling::Native,
    }
}

impl Op for Turn {
    const NAME: &'static str = "turn";
    const YIELDS: Scheme = Step::SCHEME;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Named("llm")), Effect::Spends];
    const PRICE: Price = Price::Quoted(quote);
    const ERRORS: &'static [ErrorKind] = ErrorKind::OF_SERVERS;
    const TAKES: Takes = Takes::Usually(std::time::Duration::from_secs(5));
    const SAYS: &'static [&'static str] = &[
        "one chat completion with functions",
        "which function would be called next",
        "the next message of a conversation",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A call that the model asks for",
            r#"let question = { role: "user", text: "Is it warm in Rome?", calls: [], id: null }
let weather = { name: "weather", doc: "The weather of a city.", params: parse_json("{\"type\": \"object\"}") }
[question] >> llm_router.turn(functions: [weather]) >> .calls >> each { .tool }"#,
            r#"["weather"]"#,
        )
        .answered(
            LOCAL,
            &[r#"{"message":{"content":"","tool_calls":[{"function":{"name":"weather","arguments":{"city":"Rome"}}}]},"done":true}"#],
        ),
        Example::err(
            "No model is configured",
            r#"[{ role: "user", text: "Hello", calls: [], id: null }] >> llm_router.turn"#,
            "no language model",
        ),
    ];
}

impl Io for Turn {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let model = Model::find(cx.host(), &self.model)?;
        // A price table that cannot be read fails before anything is spent.
        prices::named(cx.host())?;
        self.test()?;
        let answer = match self.calling {
            Calling::Native => match self.natively(&model, cx).await {
                Err(err) if lacks_tools(&err) => {
                    let why = "cannot call tools by itself: typed answers are used";
                    cx.notice(format!("`{model}` {why}"));
                    self.in_typed_answers(&model, cx).await?
                }
                answer => answer?,
            },
            Calling::Typed => self.in_typed_answers(&model, cx).await?,
        };
        Ok(answer.encode())
    }
}

impl Turn {
    fn test(&self) -> Result<(), OpError> {
        let (bytes, most) = (self.bytes(), self.max_input);
        if bytes as u64 > most.unsigned_abs() {
            let message = format!("the conversation has {bytes} bytes (`max_input` is {most})");
            return Err(OpError::invalid_input(message).help("raise `max_input`, or send less"));
        }
        Ok(())
    }

    /// The length of all that is sent.
    fn bytes(&self) -> usize {
        let tools = self.functions.iter().map(Function::bytes);
        let messages = self.messages.iter().map(Message::bytes);
        self.system.len() + messages.chain(tools).sum::<usize>()
    }

    async fn natively(&self, model: &Model, cx: &Cx) -> Result<Step, OpError> {
        let chat = Chat {
            messages: &self.messages,
            tools: &self.functions,
            system: &self.system,
            max_tokens: self.max_tokens.unsigned_abs(),
        };
        let request = match model.provider {
            Provider::OpenAi => openai::turn(model, &chat),
            Provider::Anthropic => anthropic::turn(model, &chat),
            Provider::Ollama => ollama::turn(model, &chat),
        };
        let answer = talk::answer(model, request, cx).await?;
        self.bill(&answer, model, cx)?;
        self.step(answer, model)
    }

    fn step(&self, answer: Answer, model: &Model) -> Result<Step, OpError> {
        if let Some(End::Refused(why)) = &answer.end {
            return Err(OpError::failed(format!("`{model}` refuses to answer: {why}")));
        }
        if answer.is_cut() {
            let message =
                format!("`{model}` needs more than {} tokens for its answer", self.max_tokens);
            let error = OpError::new(ErrorKind::InvalidOutput, message);
            return Err(error.help("raise `max_tokens`"));
        }
        let calls = answer.calls.into_iter().enumerate().map(|(idx, it)| call(idx, it));
        Ok(Step { calls: calls.collect(), text: answer.text.into() })
    }

    /// Asks for a record that names the tools.
    async fn in_typed_answers(&self, model: &Model, cx: &Cx) -> Result<Step, OpError> {
        let (system, prompt) = (self.instructions(), transcript(&self.messages));
        let wanted = step_type(&self.functions);
        let question = Question::new(&prompt, &system, Some(&wanted))?;
        let question = question.limited(self.max_tokens.unsigned_abs(), None);
        let answer = talk::ask(model, &question, cx).await?;
        self.bill(&answer, model, cx)?;
        let value = answer.value(model, &question)?;
        let field =
            |name| value.as_record().and_then(|it| it.get(name)).cloned().unwrap_or_default();
        let text = field("text").as_str().unwrap_or_default().into();
        let Value::List(calls) = field("calls") else {
            return Ok(Step { text, calls: Vec::new() });
        };
        let calls = calls.iter().enumerate().map(|(idx, it)| {
            let field =
                |name| it.as_record().and_then(|it| it.get(name)).cloned().unwrap_or_default();
            let tool = field("tool").as_str().unwrap_or_default().into();
            ToolCall { id: id_of(idx), tool, args: field("args") }
        });
        Ok(Step { text, calls: calls.collect() })
    }

    /// The system text for typed answers, with the tools.
    fn instructions(&self) -> String {
        let mut text = self.system.to_string();
        if self.functions.is_empty() {
            return text;
        }
        text += "\n\nYou can call tools. To call some, list them in `calls`, each with its arguments \
                 in `args`; you get the results and are asked again. To finish, leave `calls` empty.\
                 \nThe tools, each with the JSON Schema of its arguments:";
        for it in &self.functions {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n- {}: {} {}", it.name, it.doc, json::write(&it.params));
        }
        text
    }

    /// Reports the usage.
    fn bill(&self, answer: &Answer, model: &Model, cx: &Cx) -> Result<(), OpError> {
        if let Some(tokens) = answer.counted_for(self.bytes()) {
            let cost = prices::cost(cx.host(), model, tokens)?;
            if cost.is_err() {
                cx.notice(format!(
                    "the price of `{model}` is unknown: the cost does not include it"
                ));
            }
            cx.used(Usage { tokens: tokens.sum(), cost: cost.unwrap_or_default() });
        } else if answer.tokens.is_some() {
            let why = "fewer tokens than possible: the whole reservation is charged";
            cx.notice(format!("`{model}` reports {why}"));
        }
        Ok(())
    }
}

/// A conversation that is sent to a provider.
pub(super) struct Chat<'a> {
    pub(super) messages: &'a [Message],
    pub(super) tools: &'a [Function],
    pub(super) system: &'a str,
    pub(super) max_tokens: u64,
}

/// Whether a server refused a request because its model cannot call tools.
fn lacks_tools(err: &OpError) -> bool {
    let is_refusal =
        matches!(err.kind, ErrorKind::InvalidInput | ErrorKind::NotFound | ErrorKind::Unsupported);
    let words = err.message.to_lowercase();
    is_refusal && words.contains("tool") && words.contains("support")
}

/// An id for a call whose provider gives none.
fn id_of(idx: usize) -> Text {
    format!("call_{}", idx + 1).into()
}

fn call(idx: usize, it: Requested) -> ToolCall {
    let args = match it.args.trim() {
        "" => Value::Record(std::iter::empty::<(Text, Value)>().collect()),
        args => json::read(args).unwrap_or_else(|_| Value::from(args)),
    };
    let id = if it.id.is_empty() { id_of(idx) } else { it.id.into() };
    ToolCall { id, tool: it.name.into(), args }
}

/// The type of a typed answer.
fn step_type(tools: &[Function]) -> Type {
    let names = tools.iter().map(|it| it.name.clone()).collect();
    let tool = Type::Enum(std::sync::Arc::new(EnumType { name: None, variants: names }));
    let call = Type::record(vec![("tool".into(), tool), ("args".into(), Type::Json)]);
    let calls = if tools.is_empty() { Type::list(Type::Json) } else { Type::list(call) };
    Type::record(vec![("text".into(), Type::Text), ("calls".into(), calls)])
}

/// A conversation as one text.
fn transcript(messages: &[Message]) -> String {
    let mut text = String::new();
    for it in messages {
        let who = it.id.as_ref().map_or(it.role.to_string(), |id| format!("result of {id}"));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{who}: {}", it.text);
        for call in &it.calls {
            let _ = writeln!(text, "{} calls {}: {}", call.id, call.tool, json::write(&call.args));
        }
    }
    text
}

/// The arguments that the run decides: together they have at most `max_input` bytes.
const TEXTS: &[&str] = &["messages", "functions", "system"];

/// Estimates the usage of a turn: no tokenizer makes more tokens of a text than it has bytes.
fn quote(asking: &Asking<'_>) -> Result<Quote, OpError> {
    let turn = Bounds::of(&mut asking.values(TEXTS)?)?;
    let model = Model::find(asking.host, &turn.model)?;
    let price = |input, output| {
        let tokens = Tokens { input, output };
        let cost = prices::cost(asking.host, &model, tokens).unwrap_or_else(Err);
        let usage = Usage { tokens: tokens.sum(), cost: *cost.as_ref().unwrap_or(&Money::ZERO) };
        (usage, cost.err())
    };
    let (input, output) = (turn.bytes.saturating_add(PER_REQUEST), turn.max_tokens);
    let (most, unpriced) = price(asking.most_input(Some(input), output), output);
    let usual = usize::try_from(turn.bytes / 8).unwrap_or(usize::MAX);
    Ok(Quote {
        most,
        usual: price(tokens_of(usual) as u64, output.div_ceil(8)).0,
        least: Usage::default(),
        reserved: price(PER_REQUEST, output).0,
        prices: prices::named(asking.host).ok(),
        model: Some(model.to_string().into()),
        server: model.server().map(Text::from),
        unpriced,
    })
}

/// What bounds the usage of a turn.
struct Bounds {
    model: Text,
    max_tokens: u64,
    /// The bytes that are sent: those of the arguments, or as many as there may be.
    bytes: u64,
}

impl Bounds {
    fn of(args: &mut [Value]) -> Result<Self, OpError> {
        let is_known = args.iter().take(2).all(|it| matches!(it, Value::List(_)));
        if !is_known {
            // One message stands for those that are not known yet.
            args[0] = vec![Message::user("").encode()].into();
            args[1] = Vec::<Value>::new().into();
        }
        let turn = Turn::decode(args)?;
        let most = turn.max_input.unsigned_abs();
        Ok(Self {
            bytes: if is_known { (turn.bytes() as u64).min(most) } else { most },
            model: turn.model,
            max_tokens: turn.max_tokens.unsigned_abs(),
        })
    }
}
