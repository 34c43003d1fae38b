//! Lets a language model call tools until it has a result.
//!
//! The op keeps the conversation ([`work`]) and calls two kinds of flows: the one that asks the
//! model, and the tools ([`toolbox`]). The run evaluates both, so that each turn and each call is a
//! node with its own bounds and records.

use svc_contract::{
    record,
    registry::{
        Bias, Component, Cx, Effect, ErrorKind, Example, Field, Flow, Generic, Io, Limits, Max, Op,
        OpError, Scheme, Takes, Tool, ToolCalls, ToolRef,
        conversation::{Function, Message, Step},
        io, params, tools_of,
    },
    value::{Text, Value},
};

mod toolbox;
mod work;

pub(super) const COMPONENT: Component = Component {
    name: "agent_react",
    cluster: "agents-llm",
    summary: "Runs an agent: a language model that calls tools until it has the result.",
    version: 1,
    bias: Bias::new(
        "ask, call, look at the results, and ask again",
        &["an action without news will not help again"],
    ),
    aliases: &[("agent", "infer")],
    ops: &[io::<Infer>()],
};

params! {
    /// Runs an agent: a language model that calls tools until it has the result of a task.
    ///
    /// `agent` returns the model's text, and `agent<T>` a `T`. In each turn the model answers, or
    /// asks for calls of the tools, which run at the same time; it gets the results, or the errors
    /// of calls that fail, such as wrong arguments. It can call nothing else. Before a tool writes
    /// or runs a program, a person is asked, unless `approve` is false. The plan shows the effects
    /// of all tools, and the cost of `max_turns` turns with `max_calls` calls each.
    pub(super) struct Infer {
        /// What the model is to do.
        #[filled]
        task: Text,
        /// What the model may call: names of flows and components, such as `[search, my_flow]`.
        tools: Tools,
        /// The maximum number of answers of the model.
        #[range(1..=64)]
        max_turns: i64 = 8,
        /// The maximum number of calls in one turn.
        #[range(1..=32)]
        max_calls: i64 = 4,
        /// Whether a person is asked before each call of a tool that writes or runs a program.
        approve: bool = true,
        /// How the model should behave; sent separately.
        system: Text = "".into(),
        /// An alias (`default`, `fast`, `strong`), `provider/model`, or a model's bare name.
        model: Text = "default".into(),
        /// The maximum number of tokens of each answer, including thinking.
        #[range(1..=1_000_000)]
        max_tokens: i64 = 2048,
        /// The maximum length of the conversation, in bytes; the oldest results are left out first.
        #[range(1_000..=10_000_000)]
        max_input: i64 = 64_000,
        /// How many turns without news are accepted.
        #[tune]
        #[range(1..=8)]
        patience: i64 = 2,
        /// What makes the turns: a model, or a flow that stands for one.
        #[calls("llm_router.turn")]
        think: Thinker,
    }
}

record! {
    /// What the model is asked in a turn. The fields with names of params have their values.
    pub struct Asked {
        /// The conversation so far, the oldest message first.
        messages: Vec<Message>,
        /// What the model may call.
        functions: Vec<Function>,
        /// How the model should behave.
        system: Text,
        /// The model.
        model: Text,
        /// The maximum number of tokens of the answer.
        max_tokens: i64,
        /// The maximum length of all that is sent, in bytes.
        max_input: i64,
    }
}

/// The tools that a call lists.
struct Tools(Vec<ToolRef>);

impl Field for Tools {
    const SCHEME: Scheme =
        Scheme::Tools(ToolCalls { most: ("max_turns", "max_calls"), asks: "approve" });

    fn decode(value: Value) -> Option<Self> {
        tools_of(value).map(Self)
    }

    fn encode(self) -> Value {
        Value::Null
    }
}

/// The flow that makes a turn.
struct Thinker(Flow<Asked, Step>);

impl Field for Thinker {
    const SCHEME: Scheme = Scheme::Flow(&Asked::SCHEME, &Step::SCHEME, Max::Arg("max_turns"));

    fn decode(value: Value) -> Option<Self> {
        Flow::decode(value).map(Self)
    }

    fn encode(self) -> Value {
        self.0.encode()
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Text;
    const GENERIC: Generic = Generic::Asked;
    const EFFECTS: &'static [Effect] = &[];
    // A second attempt would be another conversation.
    const LIMITS: Limits = Limits { max_retries: 0, ..Limits::UNTIMED };
    // Those of the model and of the tools.
    const ERRORS: &'static [ErrorKind] = ErrorKind::ALL;
    const TAKES: Takes = Takes::Usually(std::time::Duration::from_secs(30));
    const SAYS: &'static [&'static str] = &[
        "an agent that calls tools",
        "my flows as tools of an agent",
        "function calling until the task is done",
        "react agent",
        "an agent with access to an api",
        "langgraph style tool loop",
        "autonomous agent with a budget",
    ];
    const TOOL: Option<Tool> = Some(Tool::builder("run_agent"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A question about a text",
            r#"flow count_words(text: string) -> int { text >> words >> len }
"How many words are in: a b c" >> agent<int>(tools: [count_words])"#,
            "3",
        )
        .answered(LOCAL, &[COUNT, THREE]),
        Example::err(
            "No model is configured",
            r#""What time is it?" >> agent(tools: [])"#,
            "no language model",
        ),
    ];
}

/// The environment of the example, and the answers of its model.
const LOCAL: &[(&str, &str)] = &[("SVC_MODEL", "ollama/llama3.2")];
const COUNT: &str = r#"{"message":{"content":"","tool_calls":[{"function":{"name":"count_words","arguments":{"text":"a b c"}}}]},"done":true}"#;
const THREE: &str = r#"{"message":{"content":"","tool_calls":[{"function":{"name":"answer","arguments":{"value":3}}}]},"done":true}"#;

impl Io for Infer {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        work::run(self, cx).await
    }
}
