//! Requests with an `Idempotency-Key`, which are answered once.

use std::time::Duration;

use svc_contract::{
    store::{RunId, RunState},
    value::{Value, json},
};
use svc_service::{
    Answer, Fault, Why,
    jobs::JobRow,
    once::{Entered, Entry, OnceAnswer, OnceKey},
};

use super::{
    Input, Reply, Rest, blocking, bug,
    fault::{WithRequest, answer},
    openai,
    route::{Method, Route},
    scripts::{accepted, finished, of_job},
};
use crate::{
    store::Run,
    tap::{Tapped, tap},
};

/// The largest answer that is kept.
const LARGEST_KEPT: usize = 4 << 20;

const JSON: &str = "application/json";

impl Route {
    /// The answer to a request. A POST with a key is made once: it goes on when its caller goes away,
    /// and who repeats it gets the same answer.
    pub async fn answer_once(
        &'static self,
        rest: &Rest,
        input: Input,
        request_id: &str,
    ) -> Result<Reply, Fault> {
        let key = match &input.once {
            Some(key) if self.method == Method::Post => key.clone(),
            _ => return self.answer(rest, input).await,
        };
        let (rest, request_id) = (rest.clone(), request_id.to_owned());
        let made = async move { self.made_once(&rest, input, key, &request_id).await };
        tokio::spawn(made).await.unwrap_or_else(|err| Err(bug(&err)))
    }

    async fn made_once(
        &self,
        rest: &Rest,
        input: Input,
        key: String,
        request_id: &str,
    ) -> Result<Reply, Fault> {
        let route = format!("{} {}", self.method.name(), self.path);
        let key = OnceKey { caller: caller(rest), route, key };
        let now = rest.service.engine().host().now();
        match rest.once.enter(key, asked(&input), now).await? {
            Entered::Repeated(answer) => Ok(repeated(answer)),
            Entered::First(entry) => self.made(rest, input, entry, request_id).await,
            Entered::Interrupted(entry, run) => {
                let (job, run) = blocking(rest, move |rest| known(rest, &run)).await??;
                match (job, run) {
                    // It goes on by itself, or queueing it was the whole call.
                    (Some(job), _) if !self.gives_result() || !job.state.is_over() => {
                        entry.kept();
                        self.going_on(job.run.as_str(), &of_job(&job))
                    }
                    (_, Some(run)) => self.interrupted(rest, &input, entry, run).await,
                    // It was not begun: nothing of it has happened.
                    (_, None) => {
                        entry.take_over().await?;
                        self.made(rest, input, entry, request_id).await
                    }
                }
            }
        }
    }

    async fn made(
        &self,
        rest: &Rest,
        input: Input,
        entry: Entry,
        request_id: &str,
    ) -> Result<Reply, Fault> {
        let (answered, has_begun) = entry.making(self.answer(rest, input)).await;
        if was_cut_off(rest, &answered) {
            // The run is resumed, and its answer found, after the next start.
            entry.kept();
            return answered;
        }
        let answer = if has_begun { self.kept(&answered, request_id) } else { None };
        if let Some(answer) = answer {
            // The call is made, so its answer is given whether or not it can be kept.
            let _ = entry.answered(answer).await;
        }
        answered
    }
}

/// Whose keys they are.
fn caller(rest: &Rest) -> String {
    rest.service.caller().owner.to_string()
}

/// A hash of everything that decides what is done.
fn asked(input: &Input) -> [u8; 32] {
    let mut hash = blake3::Hasher::new();
    let mut add = |part: &[u8]| {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part);
    };
    for part in &input.path {
        add(part.as_bytes());
    }
    for (name, value) in &input.query {
        add(name.as_bytes());
        add(value.as_bytes());
    }
    add(&input.body);
    *hash.finalize().as_bytes()
}

/// Whether the server stops before the run has ended.
fn was_cut_off(rest: &Rest, answered: &Result<Reply, Fault>) -> bool {
    let is_cancelled = |it: &Fault| it.why == Why::Op(svc_contract::registry::ErrorKind::Cancelled);
    rest.service.accepts().is_err() && answered.as_ref().is_err_and(is_cancelled)
}

impl Route {
    /// What is kept of an answer; `None` if the same call may be made again.
    fn kept(&self, answered: &Result<Reply, Fault>, request_id: &str) -> Option<OnceAnswer> {
        let of = |fault: &Fault| {
            let (status, body) = answer(self.path, &WithRequest { fault, request_id });
            (status, JSON, json::write(&body))
        };
        let (status, format, text) = match answered {
            Ok(Reply::Json(status, value)) => (*status, JSON, json::write(value)),
            Ok(Reply::Text(status, format, text)) => (*status, *format, text.clone()),
            // The events are those of the run, which can be followed.
            Ok(Reply::Events(of)) => (202, JSON, json::write(&accepted(&of.run))),
            // Who wants a stream cannot have it once; see `openai`.
            Ok(Reply::Repeated(..) | Reply::File(_) | Reply::Stream(_)) => return None,
            Err(fault) if matches!(fault.why, Why::Busy | Why::Stopping) => return None,
            Err(fault) => of(fault),
        };
        if text.len() <= LARGEST_KEPT {
            return Some(OnceAnswer { status, format: format.to_owned(), text });
        }
        let message =
            format!("the call was made, but its answer is larger than {} MiB", LARGEST_KEPT >> 20);
        let fault = Fault::new(Why::Conflict, message).help("GET /runs lists the runs of scripts");
        let (status, format, text) = of(&fault);
        Some(OnceAnswer { status, format: format.to_owned(), text })
    }
}

fn repeated(answer: OnceAnswer) -> Reply {
    Reply::Repeated(answer.status, answer.format, answer.text)
}

/// What became of a call: its job, and its run.
fn known(rest: &Rest, id: &RunId) -> Result<(Option<JobRow>, Option<Run>), Fault> {
    let job = match rest.service.jobs() {
        Ok(jobs) => jobs.of_run(rest.service.owner(), id.as_str())?,
        Err(_) => None,
    };
    let Some(store) = rest.store() else { return Ok((job, None)) };
    match store.run(id.as_str()) {
        Ok(run) => Ok((job, Some(run))),
        Err(err) => {
            let fault = Fault::from(err);
            if fault.why.status() == 404 { Ok((job, None)) } else { Err(fault) }
        }
    }
}

impl Route {
    /// The answer for a call whose process ended while it ran: the run is resumed, never made again.
    async fn interrupted(
        &self,
        rest: &Rest,
        input: &Input,
        entry: Entry,
        run: Run,
    ) -> Result<Reply, Fault> {
        let (id, word) = (run.id.clone(), run.state.word());
        let live = rest.service.live(id.as_str()).filter(|it| it.outcome().is_none());
        match (run.state, live) {
            (RunState::Ok, _) if self.gives_result() => {
                let answer = blocking(rest, move |rest| answer_of(rest, &run)).await??;
                let value = if openai::owns(self.path) {
                    openai::stored(rest, self.path, input, &id, &answer)?
                } else {
                    finished(id.as_str(), answer)
                };
                let text = json::write(&value);
                let answer = OnceAnswer { status: 200, format: JSON.to_owned(), text };
                let reply = repeated(answer.clone());
                entry.answered(answer).await?;
                Ok(reply)
            }
            (_, Some(live)) => {
                entry.kept();
                self.going_on(id.as_str(), &accepted(&live))
            }
            (RunState::Ok | RunState::Failed | RunState::Cancelled, None) => {
                entry.kept();
                let what = format!("the answer of this call is lost; its run {id} is {word}");
                let help = format!("GET /runs/{id} shows it, with its result if it has one");
                Err(Fault::new(Why::Conflict, what).help(help))
            }
            (_, None) => {
                // Until it ends, the call stays known by its run.
                entry.kept();
                let live = rest.service.resume(&id).await?;
                live.begun().await;
                self.going_on(id.as_str(), &accepted(&live))
            }
        }
    }

    /// The answer for a run that goes on.
    fn going_on(&self, id: &str, value: &Value) -> Result<Reply, Fault> {
        if openai::owns(self.path) {
            Err(openai::goes_on(id))
        } else {
            Ok(repeated_json(202, value))
        }
    }
}

fn repeated_json(status: u16, value: &Value) -> Reply {
    Reply::Repeated(status, JSON.to_owned(), json::write(value))
}

/// The answer of a stored run that succeeded.
fn answer_of(rest: &Rest, run: &Run) -> Result<Answer, Fault> {
    let store = rest.store().ok_or_else(|| Fault::not_found("no runs are kept here"))?;
    let result = tap(rest.service.engine(), &store, run.id.as_str(), Tapped::Result);
    let value = result.map_err(|err| bug(&err))?;
    let quality = rest.service.quality(&run.id, &value);
    Ok(Answer {
        value,
        run: Some(run.id.clone()),
        usage: run.used,
        // Not recorded.
        output_tokens: 0,
        took: Duration::ZERO,
        steps: Vec::new(),
        quality,
    })
}
