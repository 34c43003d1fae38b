//! Webhooks: signed requests that start scripts, and what was sent about jobs.

use std::time::{Duration, SystemTime};

use svc_contract::{
    registry::{Field as _, Params as _, choices, params, record},
    value::{Text, Value},
};
use svc_service::{
    Args, Bounds, Call, Fault, Served, Work,
    hooks::{DeliveryFilter, DeliveryRow, DeliveryState},
    tools,
};

use super::{
    Input, Reply, Rest, object,
    route::{Access, Answers, Body, Handle, Method, Route},
    scripts::queued,
    with_ok,
};

/// The params of a script that get the whole request instead of its fields.
const PAYLOAD: &str = "payload";
const EVENT: &str = "event";
const DELIVERY: &str = "delivery";

choices! {
    /// What has become of a delivery.
    enum State {
        Pending = "pending",
        Delivered = "delivered",
        Stopped = "stopped",
        Failed = "failed",
    }
}

impl State {
    fn kept(self) -> DeliveryState {
        match self {
            Self::Pending => DeliveryState::Pending,
            Self::Delivered => DeliveryState::Delivered,
            Self::Stopped => DeliveryState::Stopped,
            Self::Failed => DeliveryState::Failed,
        }
    }
}

params! {
    struct Listed {
        /// Only deliveries in this state.
        state: Option<State> = None,
        /// Only those of this job.
        job: Option<Text> = None,
        /// The maximum number of deliveries.
        #[range(1..=500)]
        limit: i64 = 50,
    }
}

record! {
    /// What was or is sent about a job.
    struct DeliveryView {
        /// The `webhook-id`, which is the same at each try.
        id: Text,
        /// The job.
        job_id: Text,
        /// What is reported: `job.ok`, `job.failed`, `job.cancelled`, `job.stuck` or `job.waiting`.
        event: String,
        /// Where it is sent.
        url: Text,
        /// `pending`, `delivered`, `stopped` or `failed`.
        state: Text,
        /// How often it was tried.
        tries: i64,
        /// When the job came into the reported state.
        at: SystemTime,
        /// When the next try is.
        next_at: Option<SystemTime>,
        /// The last status of the receiver.
        status: Option<i64>,
        /// Why the last try failed.
        error: Option<String>,
    }
}

record! {
    /// What was or is sent.
    struct DeliveryViews {
        /// The deliveries, the latest first.
        deliveries: Vec<DeliveryView>,
    }
}

record! {
    /// The secret that signs what is sent.
    struct SecretView {
        /// `whsec_` and a key in base64, as Standard Webhooks defines it.
        secret: Text,
    }
}

pub(super) fn routes() -> Vec<Route> {
    let base = |method, path, summary, reply, handle| Route {
        method,
        path,
        tag: "webhooks",
        summary,
        access: Access::Key,
        query: &[],
        body: None,
        reply,
        statuses: &[],
        tool: None,
        answers: Answers::Object,
        handle,
    };
    let one: fn() -> Value = || tools::output_schema(DeliveryView::SCHEME);
    vec![
        Route {
            access: Access::Signed,
            body: Some(Body::Open),
            statuses: &[202, 403, 404],
            ..base(
                Method::Post,
                "/hooks/{script}",
                "Starts a served script by a signed request. A repeated request starts nothing.",
                || object([("type", "object".into())]),
                Handle::Io(|rest, input| Box::pin(start(rest, input))),
            )
        },
        Route {
            query: Listed::PARAMS,
            ..base(
                Method::Get,
                "/deliveries",
                "What was or is sent about the caller's jobs, the latest first.",
                || tools::output_schema(DeliveryViews::SCHEME),
                Handle::Blocking(list),
            )
        },
        base(
            Method::Get,
            "/deliveries/secret",
            "The secret that signs what is sent to the caller.",
            || tools::output_schema(SecretView::SCHEME),
            Handle::Blocking(secret),
        ),
        Route {
            statuses: &[404],
            ..base(
                Method::Post,
                "/deliveries/{id}/resend",
                "Sends a delivery again, with all its tries.",
                one,
                Handle::Io(|rest, input| Box::pin(resend(rest, input))),
            )
        },
    ]
}

/// Queues the script, so that what is acknowledged survives the server.
async fn start(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let served = rest.service.served(input.part(0))?;
    let args = args(&served, &input)?;
    let call =
        Call { work: Work::Served { name: served.name.clone(), args }, bounds: Bounds::default() };
    let resolved = rest.service.resolve(call.clone())?;
    queued(rest, rest.service.jobs()?, &resolved, call, None).await
}

/// The params of the script: the fields of the body, or the whole request if the script has a param
/// `payload`.
fn args(served: &Served, input: &Input) -> Result<Args, Fault> {
    let inputs = &served.plan.program().inputs;
    let has = |name: &str| inputs.iter().any(|it| &*it.name == name);
    if !has(PAYLOAD) {
        return input.object();
    }
    let payload = input.json()?;
    let hook = &input.hook;
    let of_body = payload.as_record().and_then(|it| it.get("type")?.as_str().map(str::to_owned));
    let event = hook.github_event.clone().or(of_body);
    let delivery = hook.github_delivery.clone().or_else(|| hook.id.clone());
    let further = [(EVENT, event), (DELIVERY, delivery)];
    let further = further.into_iter().filter(|(name, _)| has(name));
    let further = further.filter_map(|(name, it)| Some((name.to_owned(), it?.into())));
    Ok([(PAYLOAD.to_owned(), payload)].into_iter().chain(further).collect())
}

fn list(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let asked: Listed = input.query()?;
    let filter = DeliveryFilter {
        state: asked.state.map(State::kept),
        job: asked.job.map(|it| it.to_string()),
        limit: u32::try_from(asked.limit).unwrap_or(50),
    };
    let rows = rest.service.deliveries(&filter)?;
    let deliveries = rows.iter().map(|it| view(rest, it)).collect::<Result<_, Fault>>()?;
    Ok(Reply::ok(with_ok(DeliveryViews { deliveries }.encode())))
}

fn secret(rest: &Rest, _: &Input) -> Result<Reply, Fault> {
    let secret = rest.service.signing_secret()?.into();
    Ok(Reply::ok(with_ok(SecretView { secret }.encode())))
}

async fn resend(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let row = rest.service.resend(input.part(0)).await?;
    Ok(Reply::ok(with_ok(view(rest, &row)?.encode())))
}

fn view(rest: &Rest, row: &DeliveryRow) -> Result<DeliveryView, Fault> {
    let time = |it: i64| SystemTime::UNIX_EPOCH + Duration::from_millis(it.max(0).cast_unsigned());
    let is_pending = row.state == DeliveryState::Pending;
    Ok(DeliveryView {
        id: row.id.as_str().into(),
        job_id: rest.service.job_of(row)?.unwrap_or_default().into(),
        event: format!("job.{}", row.event.name()),
        url: row.url.as_str().into(),
        state: row.state.name().into(),
        tries: row.tries.into(),
        at: time(row.at),
        next_at: is_pending.then(|| time(row.next)),
        status: row.status.map(i64::from),
        error: row.error.clone(),
    })
}
