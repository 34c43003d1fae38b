//! Requests with an `Idempotency-Key`, which are answered once.

use svc_contract::{
    store::{RunId, RunState},
    value::{Value, json},
};
use svc_service::{
    Fault, Why,
    once::{Entered, Entry, OnceAnswer, OnceKey},
};

use super::{
    Input, Reply, Rest, bug,
    fault::{WithRequest, body},
    object,
    route::{Method, Route},
    scripts::accepted,
    with_ok,
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
            Entered::Interrupted(entry, run) => match stored(rest, &run)? {
                // It was not begun: nothing of it has happened.
                None => {
                    entry.take_over().await?;
                    self.made(rest, input, entry, request_id).await
                }
                Some(run) => interrupted(rest, entry, &run).await,
            },
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
        let answer = if has_begun { kept(&answered, request_id) } else { None };
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

/// What is kept of an answer; `None` if the same call may be made again.
fn kept(answered: &Result<Reply, Fault>, request_id: &str) -> Option<OnceAnswer> {
    let of = |fault: &Fault| json::write(&body(&WithRequest { fault, request_id }));
    let (status, format, text) = match answered {
        Ok(Reply::Json(status, value)) => (*status, JSON, json::write(value)),
        Ok(Reply::Text(status, format, text)) => (*status, *format, text.clone()),
        // The events are those of the run, which can be followed.
        Ok(Reply::Events(of)) => (202, JSON, json::write(&accepted(&of.run))),
        Ok(Reply::Repeated(..)) => return None,
        Err(fault) if matches!(fault.why, Why::Busy | Why::Stopping) => return None,
        Err(fault) => (fault.why.status(), JSON, of(fault)),
    };
    if text.len() <= LARGEST_KEPT {
        return Some(OnceAnswer { status, format: format.to_owned(), text });
    }
    let message =
        format!("the call was made, but its answer is larger than {} MiB", LARGEST_KEPT >> 20);
    let fault = Fault::new(Why::Conflict, message).help("GET /runs lists the runs of scripts");
    let status = fault.why.status();
    Some(OnceAnswer { status, format: JSON.to_owned(), text: of(&fault) })
}

fn repeated(answer: OnceAnswer) -> Reply {
    Reply::Repeated(answer.status, answer.format, answer.text)
}

fn stored(rest: &Rest, id: &RunId) -> Result<Option<Run>, Fault> {
    let Some(store) = &rest.store() else { return Ok(None) };
    match store.run(id.as_str()) {
        Ok(run) => Ok(Some(run)),
        Err(err) => {
            let fault = Fault::from(err);
            if fault.why.status() == 404 { Ok(None) } else { Err(fault) }
        }
    }
}

/// The answer for a call whose process ended while it ran: the run is resumed, never made again.
async fn interrupted(rest: &Rest, entry: Entry, run: &Run) -> Result<Reply, Fault> {
    let live = rest.service.live(run.id.as_str()).filter(|it| it.outcome().is_none());
    let reply = match (run.state, live) {
        (RunState::Ok, _) => Some(ended(rest, run)?),
        (_, Some(live)) => {
            entry.kept();
            return Ok(repeated_json(202, &accepted(&live)));
        }
        (RunState::Failed | RunState::Cancelled, None) => None,
        (_, None) => {
            // Until it ends, the call stays known by its run.
            entry.kept();
            let live = rest.service.resume(&run.id).await?;
            live.begun().await;
            return Ok(repeated_json(202, &accepted(&live)));
        }
    };
    let answer = match reply {
        Some(value) => {
            OnceAnswer { status: 200, format: JSON.to_owned(), text: json::write(&value) }
        }
        None => {
            entry.kept();
            let (id, state) = (&run.id, run.state.word());
            return Err(Fault::new(Why::Conflict, format!("the run {id} of this call {state}"))
                .help(format!(
                    "GET /runs/{id} says why, and POST /runs/{id}/resume continues it"
                )));
        }
    };
    let reply = repeated(answer.clone());
    entry.answered(answer).await?;
    Ok(reply)
}

fn repeated_json(status: u16, value: &Value) -> Reply {
    Reply::Repeated(status, JSON.to_owned(), json::write(value))
}

/// What a call that waited for the run would have got.
fn ended(rest: &Rest, run: &Run) -> Result<Value, Fault> {
    let Some(store) = &rest.store() else { return Ok(Value::Null) };
    let result = tap(rest.service.engine(), store, run.id.as_str(), Tapped::Result);
    let result = result.map_err(|err| bug(&err))?;
    let tokens = i64::try_from(run.used.tokens).unwrap_or(i64::MAX);
    let usage = object([("tokens", tokens.into()), ("cost_usd", run.used.cost.dollars().into())]);
    Ok(with_ok(object([("result", result), ("run_id", run.id.as_str().into()), ("usage", usage)])))
}
