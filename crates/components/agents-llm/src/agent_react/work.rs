//! The conversation of an agent, turn by turn.

use std::collections::HashSet;

use futures_util::future::join_all;
use svc_contract::{
    registry::{
        Cx, ErrorKind, OpError,
        conversation::{Function, Message, Step, ToolCall},
    },
    value::{Text, Type, Value, json},
};

use super::{
    Asked, Infer, Thinker,
    toolbox::{self, ANSWER, Toolbox},
};

/// The part of the conversation that one result may take.
const PART: usize = 4;

/// A result up to this length is not shortened.
const SHORT: usize = 32;

/// What a provider and its tools may add to the messages, in bytes.
const RESERVE: usize = 512;

/// A conversation that is going on.
struct Work<'a> {
    toolbox: Toolbox<'a>,
    functions: Vec<Function>,
    think: Thinker,
    system: Text,
    model: Text,
    max_tokens: i64,
    max_input: i64,
    max_calls: usize,
    messages: Vec<Message>,
    /// The calls with their results until now, each as a text.
    known: HashSet<String>,
    /// The latest turns without news.
    idle: i64,
}

/// What came of a turn.
enum Turn {
    Done(Value),
    News,
    NoNews,
}

pub(super) async fn run(infer: Infer, cx: &Cx) -> Result<Value, OpError> {
    let (max_turns, patience) = (infer.max_turns, infer.patience);
    let mut work = Work::new(infer, cx.wanted())?;
    for turn in 1..=max_turns {
        cx.progress("turns", turn.unsigned_abs(), Some(max_turns.unsigned_abs()));
        match work.turn().await? {
            Turn::Done(value) => return Ok(value),
            Turn::News => work.idle = 0,
            Turn::NoNews => work.idle += 1,
        }
        if work.idle > patience {
            return Err(work.repeats_itself());
        }
    }
    let message = format!("the model has no result after {max_turns} turns");
    let error = OpError::new(ErrorKind::InvalidOutput, message);
    Err(error.help("raise `max_turns`, or make the task smaller"))
}

impl<'a> Work<'a> {
    fn new(infer: Infer, wanted: Option<&'a Type>) -> Result<Self, OpError> {
        let toolbox = Toolbox::new(infer.tools.0, wanted)?;
        Ok(Self {
            functions: toolbox.functions()?,
            toolbox,
            think: infer.think,
            system: infer.system,
            model: infer.model,
            max_tokens: infer.max_tokens,
            max_input: infer.max_input,
            max_calls: usize::try_from(infer.max_calls).unwrap_or(1),
            messages: vec![Message::user(infer.task)],
            known: HashSet::new(),
            idle: 0,
        })
    }

    async fn turn(&mut self) -> Result<Turn, OpError> {
        self.shorten();
        let step = self.think.0.call(self.asked()).await?;
        if step.calls.is_empty() {
            return Ok(self.said(step));
        }
        let calls = step.calls.clone();
        self.messages.push(Message::assistant(step));
        let results = join_all(calls.iter().enumerate().map(|(idx, it)| self.called(idx, it)));
        let results: Vec<Result<Text, OpError>> = results.await;
        if let Some(cancelled) = results
            .iter()
            .find_map(|it| it.as_ref().err().filter(|it| it.kind == ErrorKind::Cancelled))
        {
            return Err(cancelled.clone());
        }
        let are_ok = results.iter().all(Result::is_ok);
        if are_ok && let Some(result) = self.answered(&calls) {
            return Ok(Turn::Done(result));
        }
        let mut turn = Turn::NoNews;
        for (call, result) in calls.into_iter().zip(results) {
            let text = self.cut(result.unwrap_or_else(|err| words(&err)));
            let args = json::write(&call.args);
            if self.known.insert(format!("{} {args} {text}", call.tool)) {
                turn = Turn::News;
            }
            self.messages.push(Message::result(call.id, text));
        }
        Ok(turn)
    }

    fn asked(&self) -> Asked {
        Asked {
            messages: self.messages.clone(),
            functions: self.functions.clone(),
            system: self.system.clone(),
            model: self.model.clone(),
            max_tokens: self.max_tokens,
            max_input: self.max_input,
        }
    }

    /// A turn without calls: the text is the result, or should be one.
    fn said(&mut self, step: Step) -> Turn {
        let Some(wanted) = self.toolbox.wanted() else { return Turn::Done(step.text.into()) };
        let read = json::read(&step.text).ok();
        let result = read.and_then(|it| {
            let bare = it.clone().cast(wanted).ok();
            bare.or_else(|| toolbox::result(wanted, &it).ok())
        });
        if let Some(result) = result {
            return Turn::Done(result);
        }
        self.messages.push(Message::assistant(step));
        self.messages.push(Message::user(format!("Call `{ANSWER}` with the result.")));
        Turn::NoNews
    }

    /// The result of a call, with the index of the call in its turn.
    async fn called(&self, idx: usize, call: &ToolCall) -> Result<Text, OpError> {
        if idx >= self.max_calls {
            let message = format!("not called: at most {} calls in one turn", self.max_calls);
            return Err(OpError::invalid_input(message));
        }
        match self.toolbox.wanted() {
            Some(wanted) if call.tool.as_ref() == ANSWER => {
                let result = toolbox::result(wanted, &call.args);
                let other = || "not accepted yet: see the other calls".into();
                result.map(|_| other()).map_err(OpError::invalid_input)
            }
            _ => self.toolbox.call(call).await,
        }
    }

    /// The result that one of the calls gives.
    fn answered(&self, calls: &[ToolCall]) -> Option<Value> {
        let wanted = self.toolbox.wanted()?;
        let answer = calls.iter().find(|it| it.tool.as_ref() == ANSWER)?;
        toolbox::result(wanted, &answer.args).ok()
    }

    /// A result with a bounded length.
    fn cut(&self, text: Text) -> Text {
        let most = usize::try_from(self.max_input).unwrap_or(usize::MAX) / PART;
        if text.len() <= most {
            return text;
        }
        let kept = &text[..text.floor_char_boundary(most)];
        format!("{kept}\n[{} bytes left out]", text.len() - kept.len()).into()
    }

    /// Leaves out the oldest results until the conversation has its length.
    fn shorten(&mut self) {
        let tools: usize = self.functions.iter().map(Function::bytes).sum();
        let fixed = self.system.len() + tools + RESERVE;
        let most = usize::try_from(self.max_input).unwrap_or(usize::MAX).saturating_sub(fixed);
        let mut length: usize = self.messages.iter().map(Message::bytes).sum();
        for it in &mut self.messages {
            if length <= most {
                return;
            }
            if it.id.is_some() && it.text.len() > SHORT {
                let before = it.bytes();
                it.text = format!("[{} bytes left out]", it.text.len()).into();
                length = length.saturating_sub(before.saturating_sub(it.bytes()));
            }
        }
        while length > most && self.drop_turn() {
            length = self.messages.iter().map(Message::bytes).sum();
        }
    }

    /// Leaves out the oldest turn, with its results, but neither the task nor the latest turn.
    /// Returns whether there was one.
    fn drop_turn(&mut self) -> bool {
        let begins = |it: &Message| it.role.as_ref() == "assistant";
        let turns = self.messages.iter().enumerate().filter(|(_, it)| begins(it));
        let mut turns = turns.map(|(idx, _)| idx);
        let Some((first, next)) = turns.next().zip(turns.next()) else { return false };
        self.messages.drain(first..next);
        true
    }

    fn repeats_itself(&self) -> OpError {
        let calls = self.messages.iter().rev().find(|it| !it.calls.is_empty());
        let message = match calls.and_then(|it| it.calls.first()) {
            Some(call) => format!(
                "the model repeats itself: it calls `{}` with the same arguments, {}",
                call.tool,
                json::write(&call.args)
            ),
            None => "the model repeats itself: it gives no result of the type".to_owned(),
        };
        OpError::new(ErrorKind::InvalidOutput, message)
            .help("make the task or the tools clearer, or raise `patience`")
    }
}

/// An error as the model sees it.
fn words(err: &OpError) -> Text {
    match &err.help {
        Some(help) => format!("error: {}\nhelp: {help}", err.message).into(),
        None => format!("error: {}", err.message).into(),
    }
}
