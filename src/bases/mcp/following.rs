//! Calls: made, followed, answered for a person, and left to go on as jobs.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, ClientCapabilities, CreateTaskResult,
        ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
        InputRequest, InputRequiredResult, InputResponses,
    },
    service::RequestContext,
};
use svc_api::{
    mcp::{self, CALL_TOOL, Compact, DESCRIBE_TOOLS, JobNow, Output, Question},
    rest::Rest,
};
use svc_contract::value::Value;
use svc_service::{Args, Begun, Fault, Live, Seen, jobs::JobState};

use super::{
    convert,
    handler::Handler,
    progress::{BEAT, Progress, is_new},
    refusal, tasks,
};

/// How long a call is followed: then it goes on as a job.
const PATIENCE: Duration = Duration::from_secs(50);

/// The same for a client that knows tasks.
const SOON: Duration = Duration::from_secs(10);

/// How long a person may think before the call is answered without them.
const THINKING: Duration = Duration::from_mins(10);

/// How long a job may take to go on after an answer.
const AGAIN: Duration = Duration::from_millis(20);

type Answered = Result<CallToolResponse, ErrorData>;

/// Makes a call of a tool or a script.
pub(super) async fn called(
    handler: &Handler,
    rest: &Rest,
    params: CallToolRequestParams,
    context: RequestContext<RoleServer>,
    is_compact: bool,
) -> Answered {
    let CallToolRequestParams { name, arguments, input_responses, request_state, .. } = params;
    let (mut name, mut args) = (name.to_string(), convert::args(arguments)?);
    if is_compact {
        match short(&name, args, rest) {
            Ok(Short::Answer(value)) => return Ok(done(Output::of(value))),
            Ok(Short::Call(of, with)) => (name, args) = (of, with),
            Err(fault) => return Ok(done(Output::of_fault(&fault))),
        }
    }
    let progress = Progress::new(handler, &context);
    let mut call = Following { rest, context, progress, begun: Instant::now() };
    if let Some(job) = request_state {
        return call.answered(&name, &job, input_responses.unwrap_or_default()).await;
    }
    call.made(&name, args).await
}

/// What a call of the short list means.
enum Short {
    Answer(Value),
    Call(String, Args),
}

fn short(name: &str, args: Args, rest: &Rest) -> Result<Short, Fault> {
    match name {
        DESCRIBE_TOOLS => Compact::described(&args, rest).map(Short::Answer),
        CALL_TOOL => {
            let (name, args) = Compact::called(&args)?;
            rest.service.test_tool(&name)?;
            Ok(Short::Call(name, args))
        }
        _ => Ok(Short::Call(name.to_owned(), args)),
    }
}

/// A call and its client.
struct Following<'r> {
    rest: &'r Rest,
    context: RequestContext<RoleServer>,
    progress: Progress,
    begun: Instant,
}

impl Following<'_> {
    async fn made(&mut self, name: &str, args: Args) -> Answered {
        let Some(call) = mcp::call(self.rest, name, args) else {
            return Err(refusal::unknown_tool(name, self.rest));
        };
        let rest = self.rest.clone();
        let mut beginning = Box::pin(rest.service.begin(call));
        loop {
            tokio::select! {
                begun = &mut beginning => {
                    return match begun {
                        Ok(Begun::Ended(answer)) => Ok(done(Output::of(answer.value))),
                        Ok(Begun::Running(run)) => self.followed(&run).await,
                        Err(fault) => failed(&fault),
                    };
                }
                () = self.context.ct.cancelled() => return Err(cancelled()),
                () = tokio::time::sleep(BEAT) => self.progress.beat().await,
            }
        }
    }

    /// Follows a run to its end, or until it goes on as a job.
    async fn followed(&mut self, run: &Arc<Live>) -> Answered {
        let patience = if self.knows_tasks() { SOON } else { PATIENCE };
        let until = tokio::time::Instant::now() + patience;
        let mut after = 0;
        loop {
            tokio::select! {
                seen = run.next(after) => match seen {
                    Seen::Gap(next) => after = next - 1,
                    Seen::Event(it) => {
                        after = it.number;
                        self.progress.event(&it.event).await;
                    }
                    Seen::Ended(_) => break,
                },
                () = self.context.ct.cancelled() => {
                    run.cancel();
                    return Err(cancelled());
                }
                () = tokio::time::sleep(BEAT) => self.progress.beat().await,
                () = tokio::time::sleep_until(until) => return self.later(run).await,
                () = self.rest.service.parting() => return self.later(run).await,
            }
        }
        match run.job_id() {
            Some(job) if run.is_waiting() => {
                let job = job.to_owned();
                self.asked(&job).await
            }
            _ => ended(run),
        }
    }

    /// Leaves a run to go on as a job.
    async fn later(&self, run: &Arc<Live>) -> Answered {
        run.begun().await;
        if run.outcome().is_some() && !run.is_waiting() {
            return ended(run);
        }
        if let Ok(jobs) = self.rest.service.jobs()
            && let Err(fault) = jobs.adopt_run(run).await
        {
            return failed(&fault);
        }
        match run.job_id() {
            Some(job) => self.left(job).await,
            None => Ok(done(Output::of_live(run))),
        }
    }

    /// The answer for a job that goes on without this request.
    async fn left(&self, job: &str) -> Answered {
        match tasks::now(self.rest, job).await {
            Ok(now) if self.knows_tasks() => Ok(CreateTaskResult::new(tasks::task(&now)).into()),
            Ok(now) => Ok(done(pending(&now))),
            Err(fault) => failed(&fault),
        }
    }

    /// Asks the person behind the client what a job waits for, if that is possible here.
    async fn asked(&mut self, job: &str) -> Answered {
        loop {
            let now = match tasks::now(self.rest, job).await {
                Ok(now) => now,
                Err(fault) => return failed(&fault),
            };
            if let Some(output) = now.output {
                return Ok(done(output));
            }
            if now.questions.is_empty() {
                // It was answered elsewhere and goes on.
                if let Some(answer) = self.ended(job).await? {
                    return Ok(answer);
                }
                tokio::time::sleep(AGAIN).await;
                continue;
            }
            if !self.elicits() {
                return self.left(job).await;
            }
            if is_new(&self.context) {
                return Ok(InputRequiredResult::new(
                    Some(inputs(&now.questions)),
                    Some(job.into()),
                )
                .into());
            }
            for question in &now.questions {
                let Some(said) = self.elicited(question).await? else {
                    return self.left(job).await;
                };
                if let Err(fault) = answer(self.rest, &question.id, said).await {
                    return failed(&fault);
                }
            }
        }
    }

    /// Waits until a job has ended, or needs an answer: then there is nothing yet.
    async fn ended(&mut self, job: &str) -> Result<Option<CallToolResponse>, ErrorData> {
        let patience = PATIENCE.saturating_sub(self.begun.elapsed()).max(SOON);
        let until = tokio::time::Instant::now() + patience;
        let Ok(jobs) = self.rest.service.jobs() else { return Ok(None) };
        let owner = self.rest.service.owner().to_owned();
        loop {
            tokio::select! {
                row = jobs.ended(&owner, job, BEAT) => {
                    let row = row.map_err(|it| refusal::error(&it))?;
                    if row.state.is_over() || (row.state == JobState::Waiting && !row.is_ready) {
                        return Ok(None);
                    }
                    self.progress.beat().await;
                }
                () = self.context.ct.cancelled() => {
                    let _ = jobs.cancel(&owner, job).await;
                    return Err(cancelled());
                }
                () = tokio::time::sleep_until(until) => return self.left(job).await.map(Some),
            }
        }
    }

    /// Goes on with a call whose client was asked for input.
    async fn answered(&mut self, name: &str, job: &str, given: InputResponses) -> Answered {
        let now = match tasks::now(self.rest, job).await {
            Ok(now) if now.name == name => now,
            // The state is only the name of a job, which must be one of the caller's own.
            _ => return Err(ErrorData::invalid_params("unknown requestState", None)),
        };
        if let Err(fault) = answers(self.rest, &now, &given).await {
            return failed(&fault);
        }
        self.asked(job).await
    }

    /// Asks the person behind the client; nothing if they do not decide.
    async fn elicited(&self, question: &Question) -> Result<Option<Said>, ErrorData> {
        let asking =
            self.context.peer.create_elicitation_with_timeout(form(question), Some(THINKING));
        tokio::select! {
            // A client that cannot ask leaves the question open.
            said = asking => Ok(said.ok().and_then(|it| Said::of(&it))),
            () = self.context.ct.cancelled() => Err(cancelled()),
        }
    }

    fn capabilities(&self) -> ClientCapabilities {
        self.context.client_capabilities().unwrap_or_default()
    }

    fn knows_tasks(&self) -> bool {
        self.capabilities().supports_tasks() && self.rest.service.jobs().is_ok()
    }

    fn elicits(&self) -> bool {
        self.capabilities().elicitation.is_some()
    }
}

/// What a person said.
pub(super) struct Said {
    is_yes: bool,
    comment: Option<String>,
}

impl Said {
    /// The decision in an answer; none if the person turned away.
    fn of(result: &ElicitResult) -> Option<Self> {
        let field = |name: &str| result.content.as_ref().and_then(|it| it.get(name));
        let comment = field("comment").and_then(|it| it.as_str()).filter(|it| !it.is_empty());
        let comment = comment.map(str::to_owned);
        match result.action {
            ElicitationAction::Accept => {
                let is_yes = field("approve").and_then(serde_json::Value::as_bool)?;
                Some(Self { is_yes, comment })
            }
            ElicitationAction::Decline => Some(Self { is_yes: false, comment }),
            _ => None,
        }
    }
}

/// Answers the questions of a job that a client has answers for.
pub(super) async fn answers(
    rest: &Rest,
    now: &JobNow,
    given: &InputResponses,
) -> Result<(), Fault> {
    for question in &now.questions {
        let Some(given) = given.get(&question.id) else { continue };
        let Ok(result) = serde_json::from_value::<ElicitResult>(given.clone()) else {
            return Err(Fault::field(question.id.clone(), "expected the answer to a question"));
        };
        if let Some(said) = Said::of(&result) {
            answer(rest, &question.id, said).await?;
        }
    }
    Ok(())
}

async fn answer(rest: &Rest, id: &str, said: Said) -> Result<(), Fault> {
    mcp::answer(rest, id, said.is_yes, said.comment).await
}

/// The questions as requests for input, by their ids.
pub(super) fn inputs(questions: &[Question]) -> rmcp::model::InputRequests {
    let of =
        |it: &Question| (it.id.clone(), InputRequest::Elicitation(ElicitRequest::new(form(it))));
    questions.iter().map(of).collect()
}

fn form(question: &Question) -> ElicitRequestParams {
    let details = if question.details.is_empty() { "" } else { "\n\n" };
    let schema = ElicitationSchema::from_json_schema(convert::json_object(&mcp::answer_schema()));
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: [&question.text, details, &question.details].concat(),
        requested_schema: schema.unwrap_or_else(|_| ElicitationSchema::new(BTreeMap::default())),
    }
}

/// The answer for a job that goes on, to a client without tasks.
fn pending(now: &JobNow) -> Output {
    let questions: Vec<(String, String)> =
        now.questions.iter().map(|it| (it.id.clone(), it.text.clone())).collect();
    Output::later(&now.run, Some(&now.id), now.state.name(), &questions)
}

fn done(output: Output) -> CallToolResponse {
    convert::result(output).into()
}

/// The answer of a run that has ended.
fn ended(run: &Live) -> Answered {
    match run.outcome() {
        Some(Err(fault)) => failed(&fault),
        _ => Ok(done(Output::of_live(run))),
    }
}

/// A call that failed: an error of the protocol if it was never made.
fn failed(fault: &Fault) -> Answered {
    if refusal::is_before_the_call(fault) {
        return Err(refusal::error(fault));
    }
    Ok(done(Output::of_fault(fault)))
}

fn cancelled() -> ErrorData {
    ErrorData::internal_error("cancelled by the client", None)
}
