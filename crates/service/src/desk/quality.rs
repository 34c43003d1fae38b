//! How good the outputs of a session are: each with its dimensions, over time, and as a report.

use svc_contract::{
    registry::{choices, params, record},
    value::Text,
};
use svc_store::book::{DeskFilter, DeskKind, DeskRow};
use svc_text::markup::escaped;

use super::{
    Desk, MessageState, at, body, chat::MessageBody, sessions::SessionBody, text, word, written,
};
use crate::{
    Fault,
    quality::{Level, Quality},
};

record! {
    /// The least values of quality, from 0 to 1; what is lower is marked.
    pub struct Thresholds {
        /// Of accuracy.
        accuracy: Option<f64>,
        /// Of confidence.
        confidence: Option<f64>,
        /// Of completeness.
        completeness: Option<f64>,
        /// Of efficiency.
        efficiency: Option<f64>,
        /// Of utility.
        utility: Option<f64>,
    }
}

record! {
    /// An output with its quality.
    pub struct Output {
        /// The message.
        message_id: Text,
        /// The run that made it.
        run_id: Option<Text>,
        /// When it was asked for.
        created_at: Text,
        /// The beginning of what it says.
        text: Text,
        /// How good it is.
        quality: Quality,
        /// The dimensions that are below their threshold.
        below: Vec<Text>,
    }
}

record! {
    /// The values of one dimension.
    pub struct Summary {
        /// The dimension.
        dimension: Text,
        /// How many outputs have it.
        count: i64,
        /// Their mean.
        mean: Option<f64>,
        /// The least one.
        min: Option<f64>,
    }
}

record! {
    /// The outputs of a session.
    pub struct Outputs {
        /// The outputs, the first one first.
        outputs: Vec<Output>,
        /// Each dimension.
        summary: Vec<Summary>,
        /// What holds for the session.
        thresholds: Thresholds,
    }
}

record! {
    /// One output in the course of a session.
    pub struct Point {
        /// When it was asked for.
        at: Text,
        /// The message.
        message_id: Text,
        /// Whether its sources support it.
        accuracy: Option<f64>,
        /// How sure it is.
        confidence: Option<f64>,
        /// Whether all of it is there.
        completeness: Option<f64>,
        /// Whether it used what was expected.
        efficiency: Option<f64>,
        /// All together.
        utility: f64,
        /// The mean utility of this and the outputs before it, as many as the window has.
        mean_utility: f64,
    }
}

record! {
    /// The course of quality.
    pub struct Trend {
        /// The outputs, the first one first.
        points: Vec<Point>,
    }
}

choices! {
    /// A dimension of quality.
    pub enum Dimension {
        Accuracy = "accuracy",
        Confidence = "confidence",
        Completeness = "completeness",
        Efficiency = "efficiency",
        Utility = "utility",
    }
}

choices! {
    /// The format of a report.
    pub enum ReportFormat { Md = "md", Json = "json", Csv = "csv", Html = "html" }
}

params! {
    /// Which outputs.
    pub struct QualityFilter {
        /// Only those with at least this utility.
        pub min_utility: Option<f64> = None,
        /// Only those of this level.
        pub level: Option<Level> = None,
        /// The dimension that `below` is about.
        pub dimension: Dimension = Dimension::Utility,
        /// Only those whose dimension is lower.
        pub below: Option<f64> = None,
    }
}

impl QualityFilter {
    /// All outputs.
    pub(super) fn all() -> Self {
        Self { min_utility: None, level: None, dimension: Dimension::Utility, below: None }
    }
}

impl Dimension {
    const ALL: [Self; 5] =
        [Self::Accuracy, Self::Confidence, Self::Completeness, Self::Efficiency, Self::Utility];

    fn of(self, it: &Quality) -> Option<f64> {
        match self {
            Self::Accuracy => it.accuracy,
            Self::Confidence => it.confidence,
            Self::Completeness => it.completeness,
            Self::Efficiency => it.efficiency,
            Self::Utility => Some(it.utility),
        }
    }

    fn least(self, it: &Thresholds) -> Option<f64> {
        match self {
            Self::Accuracy => it.accuracy,
            Self::Confidence => it.confidence,
            Self::Completeness => it.completeness,
            Self::Efficiency => it.efficiency,
            Self::Utility => it.utility,
        }
    }
}

impl Desk {
    /// The outputs of a session with their quality.
    pub fn quality(&self, session: &str, filter: &QualityFilter) -> Result<Outputs, Fault> {
        let row = self.session_row(session)?;
        let thresholds = self.thresholds(&row)?;
        let mut outputs = self.outputs(session, &thresholds)?;
        outputs.retain(|it| {
            let value = filter.dimension.of(&it.quality);
            filter.min_utility.is_none_or(|least| it.quality.utility >= least)
                && filter.level.is_none_or(|level| it.quality.level == level)
                && filter.below.is_none_or(|below| value.is_some_and(|it| it < below))
        });
        let summary = Dimension::ALL.map(|it| summary(it, &outputs)).to_vec();
        Ok(Outputs { outputs, summary, thresholds })
    }

    /// The course of the quality of a session.
    pub fn trend(&self, session: &str, window: i64) -> Result<Trend, Fault> {
        let row = self.session_row(session)?;
        let outputs = self.outputs(session, &self.thresholds(&row)?)?;
        let window = usize::try_from(window.max(1)).unwrap_or(1);
        let mut points = Vec::new();
        for (idx, it) in outputs.iter().enumerate() {
            let from = (idx + 1).saturating_sub(window);
            let seen: Vec<f64> = outputs[from..=idx].iter().map(|it| it.quality.utility).collect();
            points.push(Point {
                at: it.created_at.clone(),
                message_id: it.message_id.clone(),
                accuracy: it.quality.accuracy,
                confidence: it.quality.confidence,
                completeness: it.quality.completeness,
                efficiency: it.quality.efficiency,
                utility: it.quality.utility,
                mean_utility: mean(&seen).unwrap_or_default(),
            });
        }
        Ok(Trend { points })
    }

    /// Changes the thresholds of a session; null takes one of the project.
    pub async fn set_thresholds(
        &self,
        session: &str,
        given: Thresholds,
    ) -> Result<Thresholds, Fault> {
        self.session_row(session)?;
        test(Some(&given), "")?;
        let row = self.change(DeskKind::Session, session, move |row| {
            let mut kept: SessionBody = body(row)?;
            kept.thresholds = Some(given.clone());
            row.body = written(kept);
            Ok(())
        });
        self.thresholds(&row.await?)
    }

    /// The quality of a session as a document: its media type, and its text.
    pub fn report(
        &self,
        session: &str,
        format: ReportFormat,
    ) -> Result<(&'static str, String), Fault> {
        let row = self.session_row(session)?;
        let title = body::<SessionBody>(&row)?.title;
        let all = self.quality(session, &QualityFilter::all())?;
        Ok(match format {
            ReportFormat::Json => ("application/json", written(all)),
            ReportFormat::Csv => ("text/csv; charset=utf-8", csv(&all)),
            ReportFormat::Md => ("text/markdown; charset=utf-8", markdown(&title, &all)),
            ReportFormat::Html => ("text/html; charset=utf-8", html(&title, &all)),
        })
    }

    /// What holds for a session: its own thresholds, those of its project, or of the settings.
    fn thresholds(&self, session: &DeskRow) -> Result<Thresholds, Fault> {
        let own = body::<SessionBody>(session)?.thresholds;
        let project = self.project_settings(&session.parent)?.thresholds;
        let all = [own, project, self.settings()?.thresholds];
        let least = |of: Dimension| all.iter().flatten().find_map(|it| of.least(it));
        Ok(Thresholds {
            accuracy: least(Dimension::Accuracy),
            confidence: least(Dimension::Confidence),
            completeness: least(Dimension::Completeness),
            efficiency: least(Dimension::Efficiency),
            utility: least(Dimension::Utility),
        })
    }

    fn outputs(&self, session: &str, thresholds: &Thresholds) -> Result<Vec<Output>, Fault> {
        let of = DeskFilter {
            parent: Some(session.to_owned()),
            state: Some(word(MessageState::Complete)),
            ..DeskFilter::default()
        };
        let mut outputs = Vec::new();
        for row in self.rows(DeskKind::Message, &of)? {
            let kept: MessageBody = body(&row)?;
            let run_id = self.run_of(&kept)?;
            let Some(quality) = kept.quality else { continue };
            let is_below = |it: &Dimension| {
                it.of(&quality).zip(it.least(thresholds)).is_some_and(|(is, least)| is < least)
            };
            let below = Dimension::ALL.into_iter().filter(is_below).map(|it| word(it).into());
            outputs.push(Output {
                message_id: text(&row.id),
                run_id,
                created_at: at(row.at),
                text: kept.text.chars().take(200).collect::<String>().into(),
                below: below.collect(),
                quality,
            });
        }
        Ok(outputs)
    }
}

impl Desk {
    /// The run of an answer.
    fn run_of(&self, kept: &MessageBody) -> Result<Option<Text>, Fault> {
        let Some(job) = kept.jobs.last() else { return Ok(None) };
        Ok(self.book().job(self.owner(), job, None)?.map(|it| super::shown(&it.run)))
    }
}

/// Whether thresholds are shares.
pub(super) fn test(it: Option<&Thresholds>, field: &str) -> Result<(), Fault> {
    let Some(it) = it else { return Ok(()) };
    for dimension in Dimension::ALL {
        if let Some(least) = dimension.least(it).filter(|it| !(0.0..=1.0).contains(it)) {
            let name = word(dimension);
            let field = if field.is_empty() { name } else { format!("{field}.{name}") };
            return Err(Fault::field(field, format!("expected 0 to 1, found {least}")));
        }
    }
    Ok(())
}

fn mean(all: &[f64]) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    (!all.is_empty()).then_some((mean * 1000.0).round() / 1000.0)
}

fn summary(dimension: Dimension, outputs: &[Output]) -> Summary {
    let all: Vec<f64> = outputs.iter().filter_map(|it| dimension.of(&it.quality)).collect();
    Summary {
        dimension: word(dimension).into(),
        count: i64::try_from(all.len()).unwrap_or(i64::MAX),
        mean: mean(&all),
        min: all.iter().copied().reduce(f64::min),
    }
}

/// The cells of an output in a table.
fn cells(it: &Output) -> Vec<String> {
    let number = |it: Option<f64>| it.map_or_else(String::new, |it| format!("{it:.3}"));
    let mut cells = vec![it.created_at.to_string(), it.message_id.to_string()];
    cells.extend(Dimension::ALL.map(|of| number(of.of(&it.quality))));
    cells.push(word(it.quality.level));
    cells.push(it.below.join(" "));
    cells
}

const HEAD: [&str; 9] = [
    "time",
    "message",
    "accuracy",
    "confidence",
    "completeness",
    "efficiency",
    "utility",
    "level",
    "below",
];

fn csv(all: &Outputs) -> String {
    let line = |cells: &[String]| cells.join(",") + "\n";
    let head = line(&HEAD.map(str::to_owned));
    let rows = all.outputs.iter().map(|it| line(&cells(it)));
    std::iter::once(head).chain(rows).collect()
}

fn markdown(title: &str, all: &Outputs) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut out = format!("# Quality of {title}\n\n");
    out += &line(&["dimension", "outputs", "mean", "least"].map(str::to_owned));
    out += &line(&["---", "---", "---", "---"].map(str::to_owned));
    for it in &all.summary {
        out += &line(&summed(it));
    }
    out.push('\n');
    out += &line(&HEAD.map(str::to_owned));
    out += &line(&HEAD.map(|_| "---".to_owned()));
    out.extend(all.outputs.iter().map(|it| line(&cells(it))));
    out
}

fn summed(it: &Summary) -> [String; 4] {
    let number = |it: Option<f64>| it.map_or_else(String::new, |it| format!("{it:.3}"));
    [it.dimension.to_string(), it.count.to_string(), number(it.mean), number(it.min)]
}

fn html(title: &str, all: &Outputs) -> String {
    let row = |tag: &str, cells: &[String]| {
        let cells = cells.iter().map(|it| format!("<{tag}>{}</{tag}>", escaped(it)));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let title = escaped(title);
    let head = row("th", &HEAD.map(str::to_owned));
    let outputs = all.outputs.iter().map(|it| row("td", &cells(it))).collect::<String>();
    let sums = row("th", &["dimension", "outputs", "mean", "least"].map(str::to_owned));
    let summary = all.summary.iter().map(|it| row("td", &summed(it))).collect::<String>();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <title>Quality of {title}</title>\n<h1>Quality of {title}</h1>\n\
         <table>\n{sums}{summary}</table>\n<h2>Outputs</h2>\n<table>\n{head}{outputs}</table>\n</html>\n"
    )
}
