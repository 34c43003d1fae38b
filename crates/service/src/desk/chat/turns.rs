//! How an answer is made: one after the other in a session, each by a job that is found again after a
//! crash.

use std::time::Duration;

use svc_contract::{
    registry::{ErrorKind, Field as _},
    value::{Money, Record, Text, Type, Value},
};
use svc_lang::{
    diag::Source,
    plan::{Place, Plan, Verb},
};
use svc_store::book::{DeskFilter, DeskKind, DeskRow, JobKind, JobRow, JobState};
use tokio::task::JoinError;

use super::{
    super::{
        Desk, MessageState, ProposalState, after, at, body, job_of, sessions::SessionBody, state,
        states::MessageEvent, text, usage, word, written,
    },
    Author, Failure, MessageBody, Most, Proposal, ToolUse, Turn, answers, follow,
    intent::{self, Intent},
};
use crate::{Args, Bounds, Fault, Service, Why, jobs, jobs::NewWork, service::stopping};

/// How long a proposal is open.
const OPEN: Duration = Duration::from_hours(72);

/// How long after a failed write an answer is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// How many earlier questions an answer knows.
const REMEMBERED: usize = 8;

/// What an answer is made for.
struct Asked {
    /// The answer.
    id: String,
    session: String,
    service: Service,
    model: Option<Text>,
    /// The bounds of its job.
    left: Bounds,
}

impl Desk {
    /// Answers what an earlier process left.
    pub(in super::super) fn answer_pending(&self) -> Result<(), Fault> {
        for open in [MessageState::Generating, MessageState::Pending] {
            let of = DeskFilter { state: Some(word(open)), ..DeskFilter::default() };
            for row in self.rows(DeskKind::Message, &of)? {
                self.answer_session(&row.parent);
            }
        }
        Ok(())
    }

    /// Answers the messages of a session, unless that happens already.
    pub(in super::super) fn answer_session(&self, session: &str) {
        if self.has_queue_worker(session) || !self.busy().insert(session.to_owned()) {
            return;
        }
        let (own, session) = (self.clone(), session.to_owned());
        tokio::spawn(async move {
            while !own.is_stopping() && !own.has_queue_worker(&session) {
                if !own.answer_next(&session).await {
                    break;
                }
            }
            own.busy().remove(&session);
            // A message may have come meanwhile.
            let has_more = own.pending(&session).is_ok_and(|it| !it.is_empty());
            if has_more && !own.is_stopping() {
                own.answer_session(&session);
            }
        });
    }

    /// Makes the first answer of a session that is not complete. Whether there was one.
    pub(in super::super) async fn answer_next(&self, session: &str) -> bool {
        let row = match self.pending(session) {
            Ok(all) => all.into_iter().next(),
            Err(_) => {
                tokio::time::sleep(AGAIN).await;
                return true;
            }
        };
        let Some(row) = row else { return false };
        let ended = match self.made(&row).await {
            Ok(Some(said)) => self.ended(&row, MessageEvent::Completed, said).await,
            // The service stops, and the next one goes on.
            Ok(None) => return false,
            Err(fault) if fault.why == Why::Stopping => return false,
            Err(fault) => self.failed(&row, &fault).await,
        };
        match ended {
            // It was cancelled meanwhile.
            Ok(()) => {}
            Err(fault) if fault.why == Why::Conflict => {}
            // The book cannot be written now: nothing is lost.
            Err(_) => tokio::time::sleep(AGAIN).await,
        }
        true
    }

    async fn failed(&self, row: &DeskRow, fault: &Fault) -> Result<(), Fault> {
        let mut kept: MessageBody = body(&self.row(DeskKind::Message, &row.id)?)?;
        kept.error = Some(Failure {
            kind: fault.why.name().into(),
            message: fault.message.as_str().into(),
            help: fault.help.as_deref().map(Text::from),
        });
        let is_cancelled = fault.why == Why::Op(ErrorKind::Cancelled);
        let event = if is_cancelled { MessageEvent::Cancelled } else { MessageEvent::Failed };
        self.ended(row, event, kept).await
    }

    async fn ended(
        &self,
        row: &DeskRow,
        event: MessageEvent,
        said: MessageBody,
    ) -> Result<(), Fault> {
        self.change(DeskKind::Message, &row.id, move |row| {
            let jobs = body::<MessageBody>(row)?.jobs;
            follow(row, event, "answered")?;
            row.body = written(MessageBody { jobs, ..said.clone() });
            Ok(())
        })
        .await?;
        Ok(())
    }

    /// The answer to a message; none if the service stops before it is there.
    async fn made(&self, row: &DeskRow) -> Result<Option<MessageBody>, Fault> {
        let kept: MessageBody = body(row)?;
        let (session, left) = self.usable(&row.parent)?;
        let asked = Asked {
            id: row.id.clone(),
            service: self.service().of_project(&session.parent),
            model: body::<SessionBody>(&session)?.model,
            session: session.id,
            left,
        };
        if let Some(script) = kept.agreed.clone() {
            let given = kept.given.clone();
            return self.by_script(&asked, kept, script, given).await;
        }
        let question = kept.answers.as_ref().map(|it| self.message(&asked.session, it));
        let question = question.transpose()?.map(|it| body::<MessageBody>(&it)).transpose()?;
        let Some(question) = question else { return Err(Fault::not_found("nothing is asked")) };
        let names: Vec<String> = asked.service.scripts().iter().map(|it| it.name.clone()).collect();
        match intent::decided(&question.text, &names) {
            Intent::Script { name, rest } => self.by_name(&asked, kept, &name, &rest).await,
            Intent::Goal if kept.tools == ToolUse::Auto => {
                self.by_goal(&asked, kept, &question, &session.parent).await
            }
            Intent::Goal | Intent::Question => self.by_files(&asked, kept, &question).await,
            Intent::Courtesy => {
                let can = self.examples(&asked, &session.parent)?;
                Ok(Some(answers::of_courtesy(kept, &can)))
            }
        }
    }

    /// Answers from the files of the project; what is about svc itself, from its documentation.
    async fn by_files(
        &self,
        asked: &Asked,
        kept: MessageBody,
        asked_for: &MessageBody,
    ) -> Result<Option<MessageBody>, Fault> {
        let question = &asked_for.text;
        let Some((job, result)) = self.said_by_files(asked, asked_for).await? else {
            return Ok(None);
        };
        let said = answers::of_files(kept, &result);
        if said.found != Some(false) || !intent::is_about_svc(question) {
            let project = self.row(DeskKind::Session, &asked.session)?.parent;
            let has_files = !self.resources(&project, 1, None)?.resources.is_empty();
            let said = if has_files { said } else { answers::without_files(said) };
            return self.rated(asked, said, Turn::Files, &job, result).await.map(Some);
        }
        self.count(asked, &job).await?;
        let given = [("question".into(), Value::Text(question.clone()))].into_iter().collect();
        let work = asked.script(intent::MANUAL.into(), Value::Record(given));
        let Some((job, result)) = self.result_of(asked, "b", work).await? else { return Ok(None) };
        let said = answers::of_manual(said, &result);
        self.rated(asked, said, Turn::Manual, &job, result).await.map(Some)
    }

    /// What the files of the project say: by the model of the session, if it has one and can pay it.
    async fn said_by_files(
        &self,
        asked: &Asked,
        question: &MessageBody,
    ) -> Result<Option<(JobRow, Value)>, Fault> {
        let given: [(Text, Value); 3] = [
            ("question".into(), Value::Text(question.text.clone())),
            ("source".into(), self.source_of(asked, question)?),
            ("history".into(), self.earlier(&asked.session, &asked.id)?.into()),
        ];
        if let Some(model) = asked.model.clone() {
            let model = [("model".into(), Value::Text(model))];
            let given: Record = given.clone().into_iter().chain(model).collect();
            let work = asked.script(intent::FILES_BY_MODEL.into(), Value::Record(given));
            match self.result_of(asked, "m", work).await {
                // Quotations cost nothing.
                Err(fault) if fault.why == Why::Op(ErrorKind::Budget) => {}
                ended => return ended,
            }
        }
        let work = asked.script(intent::FILES.into(), Value::Record(given.into_iter().collect()));
        self.result_of(asked, "a", work).await
    }

    /// Runs a served script that was named.
    async fn by_name(
        &self,
        asked: &Asked,
        kept: MessageBody,
        name: &str,
        rest: &str,
    ) -> Result<Option<MessageBody>, Fault> {
        let served = asked.service.served(name)?;
        let inputs = &served.plan.program().inputs;
        let given: Vec<(String, Value)> = if rest.starts_with('{') {
            let object = jobs::read(rest).map_err(|_| {
                Fault::field("text", "expected an object as JSON after the name of the script")
            })?;
            let fields = object.as_record().into_iter().flat_map(Record::iter);
            fields.map(|(name, it)| (name.to_string(), it.clone())).collect()
        } else {
            let pairs = intent::given(rest).map_err(|why| Fault::field("text", why))?;
            let typed = pairs.into_iter().map(|(name, it)| {
                let input = inputs.iter().find(|input| input.name.as_ref() == name);
                let value = match input {
                    Some(input) => Value::from_words(it.as_str().into(), &input.ty),
                    None => it.as_str().into(),
                };
                (name, value)
            });
            typed.collect()
        };
        let given: Args = given.into_iter().collect();
        let lacking: Vec<String> = inputs
            .iter()
            .filter(|it| it.is_required() && !it.is_secret() && !given.contains_key(&*it.name))
            .map(|it| format!("`{}` ({})", it.name, it.ty))
            .collect();
        if !lacking.is_empty() {
            let mut said = kept;
            let example = lacking.len();
            let names: Vec<&str> = inputs
                .iter()
                .filter(|it| it.is_required() && !it.is_secret())
                .map(|it| it.name.as_ref())
                .take(example)
                .collect();
            said.text = format!(
                "`{name}` needs {}. Send `/{name} {}=…`.",
                lacking.join(", "),
                names.join("=… ")
            )
            .into();
            said.turn = Some(Turn::Script);
            return Ok(Some(said));
        }
        let work = NewWork {
            kind: JobKind::Script,
            name: name.to_owned(),
            args: given,
            bounds: asked.left,
            session: Some(asked.session.clone()),
            notify: None,
        };
        let Some((job, result)) = self.result_of(asked, "a", work).await? else { return Ok(None) };
        let said = answers::of_script(kept, &result);
        self.rated(asked, said, Turn::Script, &job, result).await.map(Some)
    }

    /// Makes a script for a goal. It runs at once if it only reads the files of the project and costs
    /// nothing; else a person is asked.
    async fn by_goal(
        &self,
        asked: &Asked,
        kept: MessageBody,
        question: &MessageBody,
        project: &str,
    ) -> Result<Option<MessageBody>, Fault> {
        // After a crash the script of the job is the one that was made.
        let known = self.book().job(self.owner(), &job_of(&asked.id, "s"), None)?;
        if let Some(script) = known.as_ref().and_then(|it| super::script_of(&it.input)) {
            let given = known.as_ref().and_then(|it| super::given_of(&it.input));
            return self.by_script(asked, kept, script, given.unwrap_or_default()).await;
        }
        let goal = self.with_files(project, question)?;
        let engine = asked.service.engine().clone();
        let planning = (self.0.planner)(engine, goal.clone()).await?;
        let Some(found) = Planned::of(&planning) else {
            let said = answers::of_question(&planning, kept.clone());
            if said.is_some() {
                return Ok(said);
            }
            // It may be a question in the form of a request: `list the people who attended`.
            let said = self.by_files(asked, kept, question).await?;
            let instead = self.examples(asked, project)?;
            return Ok(said.map(|it| answers::with_missing(it, &planning, &instead)));
        };
        let Some(plan) = found.plan(&asked.service) else {
            return self.by_files(asked, kept, question).await;
        };
        let Some(args) = given_by_project(&plan) else {
            let mut said = kept;
            said.text = answers::of_lacking(&plan);
            return Ok(Some(said));
        };
        if is_harmless(&plan) {
            return self.by_script(asked, kept, found.script, args).await;
        }
        let expires = after(self.now(), OPEN);
        let envelope = plan.envelope();
        let mut said = kept;
        said.turn = Some(Turn::Script);
        said.text = text("This script would do it. It runs when you approve it.");
        said.given = args;
        said.expires = Some(expires);
        said.proposal = Some(Proposal {
            goal: goal.into(),
            script: found.script,
            effects: plan.effects().iter().map(|it| it.to_string().into()).collect(),
            envelope: Most {
                min_usd: envelope.cost.min.dollars(),
                max_usd: envelope.cost.max.map(Money::dollars),
                max_tokens: envelope.tokens.max,
                max_time_ms: envelope.time.max.and_then(|it| u64::try_from(it.as_millis()).ok()),
            },
            state: ProposalState::Open,
            expires_at: at(expires),
        });
        Ok(Some(said))
    }

    /// Runs a script whole.
    async fn by_script(
        &self,
        asked: &Asked,
        kept: MessageBody,
        script: Text,
        given: Value,
    ) -> Result<Option<MessageBody>, Fault> {
        let work = asked.script(script, given);
        let Some((job, result)) = self.result_of(asked, "s", work).await? else { return Ok(None) };
        let said = answers::of_script(kept, &result);
        self.rated(asked, said, Turn::Script, &job, result).await.map(Some)
    }

    /// Where an answer is looked for: in the file that was sent with the question, or in all of them.
    fn source_of(&self, asked: &Asked, question: &MessageBody) -> Result<Value, Fault> {
        let [only] = question.attachments.as_slice() else { return Ok(".".into()) };
        let project = self.row(DeskKind::Session, &asked.session)?.parent;
        Ok(Value::Text(self.resource(&project, only)?.name))
    }

    /// Three things that can be asked in a project: its scripts, and goals for one of its files.
    fn examples(&self, asked: &Asked, project: &str) -> Result<Vec<String>, Fault> {
        let scripts = asked.service.scripts();
        let mut all: Vec<String> =
            scripts.iter().take(2).map(|it| format!("`/{}`", it.name)).collect();
        if let Some(file) = self.resources(project, 1, None)?.resources.first() {
            all.push(format!("`Summarise {}`", file.name));
            all.push(format!("`Count the words of {}`", file.name));
        }
        all.push("a question about what is in the files".to_owned());
        all.truncate(3);
        Ok(all)
    }

    /// What was asked, with the names of the files that were sent with it.
    fn with_files(&self, project: &str, question: &MessageBody) -> Result<String, Fault> {
        let mut goal = question.text.to_string();
        for id in &question.attachments {
            let name = self.resource(project, id)?.name;
            if !goal.contains(name.as_ref()) {
                goal = format!("{goal} {name}");
            }
        }
        Ok(goal)
    }

    /// The result of a job of an answer; none if the service stops before. The job is found again if
    /// an earlier process has queued it.
    async fn result_of(
        &self,
        asked: &Asked,
        part: &str,
        work: NewWork,
    ) -> Result<Option<(JobRow, Value)>, Fault> {
        let id = job_of(&asked.id, part);
        self.queue(&asked.service, &id, work).await?;
        let job = text(&id);
        self.change(DeskKind::Message, &asked.id, move |row| {
            let mut kept: MessageBody = body(row)?;
            if state::<MessageState>(row)? == MessageState::Pending {
                follow(row, MessageEvent::Begun, "answered")?;
            }
            if !kept.jobs.contains(&job) {
                kept.jobs.push(job.clone());
            }
            row.body = written(kept);
            Ok(())
        })
        .await?;
        let Some(row) = self.until_over(&id).await? else { return Ok(None) };
        match self.result(&row) {
            Ok(result) => Ok(Some((row, result))),
            Err(fault) => {
                self.count(asked, &row).await?;
                Err(fault)
            }
        }
    }

    /// Counts what the job of an answer has used.
    async fn count(&self, asked: &Asked, job: &JobRow) -> Result<usage::UsageBody, Fault> {
        self.record_job(&asked.session, job, asked.model.clone()).await
    }

    /// Queues a job under an id, unless it is there.
    pub(in super::super) async fn queue(
        &self,
        service: &Service,
        id: &str,
        work: NewWork,
    ) -> Result<JobRow, Fault> {
        if let Some(known) = self.book().job(self.owner(), id, None)? {
            return Ok(known);
        }
        let (service, of) = (service.clone(), work.clone());
        let tested = tokio::task::spawn_blocking(move || jobs::tested(&service, &of).map(drop));
        tested.await.map_err(|it| unfinished(&it))??;
        self.jobs().submit_as(self.owner(), id, work).await
    }

    /// Waits for the end of a job; none if the service stops before.
    pub(in super::super) async fn until_over(&self, id: &str) -> Result<Option<JobRow>, Fault> {
        let mut last = None;
        loop {
            if self.is_stopping() {
                return Ok(None);
            }
            let row = self.jobs().ended(self.owner(), id, Duration::from_millis(500)).await?;
            if row.state.is_over() {
                return Ok(Some(row));
            }
            // Waiting for a person is shown, and takes no time.
            if last.replace(row.state) != Some(row.state) {
                self.tell();
            }
            if row.state == JobState::Waiting {
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
        }
    }

    /// The result of a job that has ended, or why it has none.
    pub(in super::super) fn result(&self, job: &JobRow) -> Result<Value, Fault> {
        if job.state != JobState::Ok {
            return Err(answers::of_failure(job));
        }
        let value = self.jobs().result(job)?.unwrap_or_default();
        // A script that was sent has its value next to its run.
        let inner = value.as_record().and_then(|it| it.get("result")).cloned();
        Ok(match (job.kind, inner) {
            (JobKind::Tool, Some(inner)) => inner,
            _ => value,
        })
    }

    /// An answer with its quality and its usage.
    async fn rated(
        &self,
        asked: &Asked,
        mut said: MessageBody,
        turn: Turn,
        job: &JobRow,
        result: Value,
    ) -> Result<MessageBody, Fault> {
        let (service, run) = (asked.service.clone(), job.run.clone());
        let rate = move || service.quality(&run, &result);
        said.quality = tokio::task::spawn_blocking(rate).await.unwrap_or_default();
        let used = self.count(asked, job).await?;
        said.usage = Some(usage::shown(&used));
        said.turn = Some(turn);
        Ok(said)
    }

    /// The latest questions before an answer, the first one first.
    fn earlier(&self, session: &str, answer: &str) -> Result<Vec<Value>, Fault> {
        let before = self.message(session, answer)?.no;
        let of = DeskFilter {
            parent: Some(session.to_owned()),
            before: Some(before),
            is_reversed: true,
            limit: Some(64),
            ..DeskFilter::default()
        };
        let mut questions = Vec::new();
        // The first one is the question itself.
        for row in self.rows(DeskKind::Message, &of)?.iter().skip(1) {
            let kept: MessageBody = body(row)?;
            let is_question = kept.role == Author::User && !intent::is_courtesy(&kept.text);
            if is_question && questions.len() < REMEMBERED {
                questions.push(Value::Text(kept.text));
            }
        }
        questions.reverse();
        Ok(questions)
    }
}

impl Asked {
    /// A script that is sent, as work.
    fn script(&self, script: Text, initial: Value) -> NewWork {
        sent(script, initial, self.left, self.session.clone())
    }
}

/// Work on another thread that has no result: this process ends, or it panicked.
pub(in super::super) fn unfinished(err: &JoinError) -> Fault {
    if err.is_cancelled() {
        return stopping();
    }
    Fault::new(Why::Op(ErrorKind::Bug), err.to_string())
}

/// A script that is sent, as the work of a session.
pub(in super::super) fn sent(
    script: Text,
    initial: Value,
    bounds: Bounds,
    session: String,
) -> NewWork {
    let args = [("script".to_owned(), Value::Text(script)), ("initial".to_owned(), initial)];
    NewWork {
        kind: JobKind::Tool,
        name: "run_pipeline".to_owned(),
        args: args.into_iter().collect(),
        bounds,
        session: Some(session),
        notify: None,
    }
}

/// A script for a goal.
pub(in super::super) struct Planned {
    pub(in super::super) script: Text,
}

impl Planned {
    /// The script of what the guide has found, if it is whole.
    pub(in super::super) fn of(found: &Value) -> Option<Self> {
        let found = found.as_record()?;
        let is_whole = found.get("ok").cloned().and_then(bool::decode)?;
        let script = found.get("script").cloned().and_then(Text::decode)?;
        is_whole.then_some(Self { script })
    }

    pub(in super::super) fn plan(&self, service: &Service) -> Option<Plan> {
        service.engine().plan(Source::new("script", self.script.as_ref())).ok()
    }
}

/// The params of a script for a goal, if those that it needs are the folder of the project.
fn given_by_project(plan: &Plan) -> Option<Value> {
    let inputs = plan.program().inputs.iter().filter(|it| it.is_required());
    let given = inputs.map(|it| {
        let is_folder = it.ty == Type::Path && ["folder", "source", "dir"].contains(&&*it.name);
        is_folder.then(|| (it.name.clone(), Value::from(".")))
    });
    given.collect::<Option<Record>>().map(Value::Record)
}

/// Whether a plan only reads files, and costs nothing.
pub(in super::super) fn is_harmless(plan: &Plan) -> bool {
    let is_file = |it: &Option<Place>| matches!(it, Some(Place::Path(_) | Place::PathOf(_)));
    let only_reads = plan.effects().iter().all(|it| it.verb == Verb::Reads && is_file(&it.place));
    only_reads && plan.envelope().cost.max == Some(Money::ZERO)
}
