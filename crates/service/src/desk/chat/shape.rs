//! Messages, as they are shown and as they are kept.

use svc_contract::{
    registry::{choices, params, record},
    value::{Text, Value},
};

use super::super::{MessageState, ProposalState, usage::Totals};
use crate::quality::Quality;

choices! {
    /// Whose message it is.
    pub enum Author { User = "user", Assistant = "assistant" }
}

choices! {
    /// Whether scripts are made for goals.
    pub enum ToolUse { Auto = "auto", None = "none" }
}

choices! {
    /// What an answer is made of: the files of the project, the documentation of svc, or a script
    /// that was named or made for a goal.
    pub enum Turn { Files = "files", Manual = "manual", Script = "script" }
}

record! {
    /// The run of an answer.
    pub struct CallView {
        /// Its job.
        job_id: Text,
        /// The run.
        run_id: Text,
        /// The script that ran.
        script: Text,
        /// The state of the job.
        state: Text,
    }
}

record! {
    /// A passage that an answer rests on.
    pub struct SourceView {
        /// The number that marks it in the text.
        number: i64,
        /// The heading of the passage.
        title: Text,
        /// The file.
        path: Text,
        /// The passage.
        text: Text,
    }
}

record! {
    /// What a script may take.
    pub struct Most {
        /// The least dollars of a run that succeeds.
        min_usd: f64,
        /// The most dollars; null if nothing limits them.
        max_usd: Option<f64>,
        /// The most tokens.
        max_tokens: Option<u64>,
        /// The most milliseconds.
        max_time_ms: Option<u64>,
    }
}

record! {
    /// A script that runs after a person has agreed.
    pub struct Proposal {
        /// What it is for.
        goal: Text,
        /// The script.
        script: Text,
        /// What a run may do.
        effects: Vec<Text>,
        /// The most that a run may take.
        envelope: Most,
        /// Whether it may run.
        state: ProposalState,
        /// When it may not run any more.
        expires_at: Text,
    }
}

record! {
    /// Why it was not answered.
    pub struct Failure {
        /// The kind of the error.
        kind: Text,
        /// What happened.
        message: Text,
        /// What to do next.
        help: Option<Text>,
    }
}

record! {
    /// A message.
    pub struct MessageView {
        /// `msg_` and 26 signs.
        id: Text,
        /// Its place among all messages: a later one has a greater one.
        no: i64,
        /// Whose it is.
        role: Author,
        /// What it says; `[1]` marks the first source.
        text: Text,
        /// The files that were sent with it.
        attachments: Vec<Text>,
        /// The message that it answers.
        answers: Option<Text>,
        /// Whether it is complete.
        state: MessageState,
        /// The run that made it.
        calls: Vec<CallView>,
        /// The passages that it rests on.
        sources: Option<Vec<SourceView>>,
        /// Whether the files of the project answer the question.
        found: Option<bool>,
        /// A script that waits for a person.
        proposal: Option<Proposal>,
        /// How good it is.
        quality: Option<Quality>,
        /// What it has used.
        usage: Option<Totals>,
        /// Why it was not answered.
        error: Option<Failure>,
        /// When it was created.
        created_at: Text,
    }
}

record! {
    /// Some messages.
    pub struct History {
        /// The messages, the first one first.
        messages: Vec<MessageView>,
        /// Where the next page begins.
        next_cursor: Option<Text>,
    }
}

record! {
    /// What is new in a session.
    pub struct Received {
        /// The messages, the first one first.
        messages: Vec<MessageView>,
        /// How many answers are not complete.
        pending: i64,
        /// Whether there is none.
        done: bool,
    }
}

record! {
    /// A message that will be answered.
    pub struct SentMessage {
        /// The message.
        message_id: Text,
        /// Its answer.
        reply_id: Text,
        /// The state of the answer.
        state: MessageState,
        /// How many answers come before it.
        position: i64,
    }
}

params! {
    /// A message to be answered.
    pub struct Exchange {
        /// The session.
        pub session_id: Text,
        /// What is asked, at most 32,000 letters.
        pub text: Text,
        /// Files of the project that it is about.
        pub attachments: Option<Vec<Text>> = None,
        /// Whether scripts are made for goals.
        pub tools: ToolUse = ToolUse::Auto,
    }
}

params! {
    /// The answer to a proposal.
    pub struct Decision {
        /// The message with the proposal.
        pub message_id: Text,
        /// Whether its script may run.
        pub approved: bool,
    }
}

record! {
    /// What is kept of a message.
    pub(in super::super) struct MessageBody {
        /// Whose it is.
        role: Author,
        /// What it says.
        text: Text,
        /// The files that were sent with it.
        attachments: Vec<Text>,
        /// The message that it answers.
        answers: Option<Text>,
        /// Whether scripts are made for goals.
        tools: ToolUse,
        /// What it is made of.
        turn: Option<Turn>,
        /// The jobs that made it.
        jobs: Vec<Text>,
        /// The script that was agreed to.
        agreed: Option<Text>,
        /// The params of the script that is proposed or was agreed to.
        given: Value,
        /// The passages that it rests on.
        sources: Option<Vec<SourceView>>,
        /// Whether the files answer the question.
        found: Option<bool>,
        /// A script that waits for a person.
        proposal: Option<Proposal>,
        /// When it may not run any more.
        expires: Option<i64>,
        /// How good it is.
        quality: Option<Quality>,
        /// What it has used.
        usage: Option<Totals>,
        /// Why it was not answered.
        error: Option<Failure>,
    }
}

impl MessageBody {
    pub(super) fn new(role: Author, said: &str) -> Self {
        Self {
            role,
            text: said.into(),
            attachments: Vec::new(),
            answers: None,
            tools: ToolUse::Auto,
            turn: None,
            jobs: Vec::new(),
            agreed: None,
            given: Value::Null,
            sources: None,
            found: None,
            proposal: None,
            expires: None,
            quality: None,
            usage: None,
            error: None,
        }
    }
}

params! {
    /// Which messages.
    pub struct Between {
        /// Those before this message, the latest ones.
        pub before: Option<Text> = None,
        /// Those after this message.
        pub after: Option<Text> = None,
        /// Only those of the user, or only answers.
        pub role: Option<Author> = None,
        /// The most messages of a page.
        #[range(1..=200)]
        pub limit: i64 = 50,
        /// Where the page begins.
        pub cursor: Option<Text> = None,
    }
}
