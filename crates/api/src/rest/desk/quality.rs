//! How good the outputs of a session are.

use svc_contract::{
    registry::{Field as _, Params as _, params, record},
    value::Value,
};
use svc_service::{
    Fault,
    desk::{Outputs, QualityFilter, ReportFormat, Thresholds, Trend},
    tools,
};

use super::{
    super::{FileReply, Input, Reply, Rest},
    get, named, ok,
};
use crate::rest::route::{Answers, Body, Handle, Method, Route};

params! {
    struct Course {
        /// How many outputs a mean is of.
        #[range(1..=100)]
        window: i64 = 5,
    }
}

params! {
    struct Reported {
        /// The format.
        format: ReportFormat = ReportFormat::Md,
    }
}

params! {
    struct Least {
        /// Of accuracy.
        accuracy: Option<f64> = None,
        /// Of confidence.
        confidence: Option<f64> = None,
        /// Of completeness.
        completeness: Option<f64> = None,
        /// Of efficiency.
        efficiency: Option<f64> = None,
        /// Of utility.
        utility: Option<f64> = None,
    }
}

record! {
    /// The thresholds of a session.
    struct ThresholdsReply {
        /// What holds now.
        thresholds: Thresholds,
    }
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route {
            query: QualityFilter::PARAMS,
            ..get(
                "/sessions/{id}/quality",
                "The outputs of a session with their quality.",
                || tools::output_schema(Outputs::SCHEME),
                Handle::Blocking(|rest, input| {
                    ok(rest.desk()?.quality(input.part(0), &input.query()?)?)
                }),
            )
        },
        Route {
            query: Course::PARAMS,
            ..get(
                "/sessions/{id}/quality/trend",
                "The quality of the outputs of a session over time.",
                || tools::output_schema(Trend::SCHEME),
                Handle::Blocking(|rest, input| {
                    let asked: Course = input.query()?;
                    ok(rest.desk()?.trend(input.part(0), asked.window)?)
                }),
            )
        },
        Route {
            query: Reported::PARAMS,
            answers: Answers::File,
            ..get(
                "/sessions/{id}/quality/report",
                "The quality of a session as a document: Markdown, JSON, CSV or a page.",
                Value::default,
                Handle::Blocking(report),
            )
        },
        Route {
            method: Method::Put,
            body: Some(Body::Fields(Least::PARAMS)),
            ..get(
                "/sessions/{id}/quality/thresholds",
                "Sets the thresholds of a session; null takes that of its project.",
                || tools::output_schema(ThresholdsReply::SCHEME),
                Handle::Io(|rest, input| Box::pin(set(rest, input))),
            )
        },
    ]
}

fn report(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let asked: Reported = input.query()?;
    let (media_type, text) = rest.desk()?.report(input.part(0), asked.format)?;
    let (media_type, content) = (media_type.to_owned(), text.into_bytes());
    Ok(Reply::File(FileReply { media_type, name: None, content }))
}

async fn set(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let Least { accuracy, confidence, completeness, efficiency, utility } = input.read()?;
    let given = Thresholds { accuracy, confidence, completeness, efficiency, utility };
    named("thresholds", rest.desk()?.set_thresholds(input.part(0), given).await?)
}
