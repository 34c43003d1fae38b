//! After a candidate was applied: whether it does as well as the version before, and the way back if it
//! does not.

use svc_contract::{registry::OpError, value::Value};
use svc_engine::Engine;
use svc_store::book::{BiasRow, Change, Changing};

use crate::{
    biases::{Biases, failed, read_params},
    knobs::{Changes, Knobs, shown},
    layers::Subject,
    stats::{self, Paired},
    value::{object, rounded},
};

/// The fewest scores of users of each version that show anything.
const FEWEST_LIVE: usize = 8;

/// The scores of users that are looked at.
const WINDOW: usize = 200;

/// The level at which a fall is believed.
const ALPHA: f64 = 0.05;

/// The numbers of scores of users at which the guard looks by itself.
const LOOKS: [usize; 5] = [8, 16, 32, 64, 128];

/// What the guard found.
#[derive(Default)]
pub(crate) struct Healing {
    pub(crate) audits: Vec<Value>,
    pub(crate) heals: Vec<Value>,
    pub(crate) health: Vec<(String, Value)>,
}

/// Looks after one component or all that were ever changed.
pub(crate) async fn heal(
    biases: &Biases,
    engine: &Engine,
    component: Option<&str>,
) -> Result<Healing, OpError> {
    let mut healing = Healing::default();
    let chain = biases.book().verify_bias_log().map_err(failed)?;
    healing.audit(
        "",
        "log",
        chain.is_ok(),
        match chain {
            Ok(count) => format!("{count} entries, each linked to the one before"),
            Err(broken) => format!("entry {}: {}", broken.no, broken.why),
        },
    );
    let rows = match component.filter(|it| !it.is_empty()) {
        Some(name) => {
            let knobs = Knobs::of(engine.registry(), name)?;
            vec![biases.book().bias(knobs.component.name).map_err(failed)?]
        }
        None => biases.book().biases().map_err(failed)?,
    };
    for row in rows {
        one(biases, engine, &row, &mut healing).await?;
    }
    Ok(healing)
}

impl Healing {
    fn audit(&mut self, component: &str, check: &str, passed: bool, detail: String) {
        self.audits.push(object([
            ("component", component.into()),
            ("check", check.into()),
            ("passed", passed.into()),
            ("detail", detail.into()),
        ]));
    }

    pub(crate) fn has_rolled_back(&self) -> bool {
        !self.heals.is_empty()
    }
}

async fn one(
    biases: &Biases,
    engine: &Engine,
    row: &BiasRow,
    healing: &mut Healing,
) -> Result<(), OpError> {
    let name = row.component.as_str();
    let Ok(knobs) = Knobs::of(engine.registry(), name) else {
        healing.audit(
            name,
            "component",
            false,
            "this program has no such component with tunables".to_owned(),
        );
        return Ok(());
    };
    if row.active != 1 {
        let kept = biases.book().bias_version(name, row.active).map_err(failed)?;
        let unfit = kept.as_ref().map(|it| read_params(&knobs, &it.params).1);
        match unfit {
            None => {
                healing.audit(name, "version", false, format!("version {} is missing", row.active));
            }
            Some(unfit) if !unfit.is_empty() => {
                let why =
                    format!("{} of version {} cannot be any more", unfit.join(", "), row.active);
                healing.audit(name, "version", false, why.clone());
                back(biases, engine, row, row.guarded.unwrap_or(1), &why, healing).await?;
                return Ok(());
            }
            Some(_) => healing.audit(name, "version", true, format!("version {} fits", row.active)),
        }
    }
    let subject = Subject::of(biases, engine, name)?;
    let Some(before) = row.guarded else {
        let status = object([
            ("status", "steady".into()),
            ("version", row.active.into()),
            (
                "score",
                live(biases, name, row.active)?.map_or(Value::Null, |it| rounded(stats::mean(&it))),
            ),
        ]);
        healing.health.push((name.to_owned(), status));
        return Ok(());
    };
    let found = compared(biases, &subject, before).await?;
    healing.audit(name, "score", !found.is_worse, found.why.clone());
    let status = if found.is_worse { "worse" } else { "guarded" };
    let health = object([
        ("status", status.into()),
        ("version", row.active.into()),
        ("before", before.into()),
        ("difference", rounded(found.difference)),
        ("detail", found.why.clone().into()),
    ]);
    healing.health.push((name.to_owned(), health));
    if found.is_worse {
        back(biases, engine, row, before, &found.why, healing).await?;
    }
    Ok(())
}

/// How the active version compares with the one before.
struct Compared {
    is_worse: bool,
    difference: f64,
    why: String,
}

async fn compared(biases: &Biases, subject: &Subject, before: u64) -> Result<Compared, OpError> {
    let name = subject.name();
    let knobs = &subject.evaluator.knobs;
    if let Some(fall) = fall(biases, name, subject.row.active, before, ALPHA)? {
        return Ok(fall);
    }
    let cases = subject.open();
    if cases.is_empty() {
        let why = "no cases, so only scores of users show a fall".to_owned();
        return Ok(Compared { is_worse: false, difference: 0.0, why });
    }
    let old: Changes = biases.changes_of(knobs, before)?;
    let old = subject.evaluator.scores(&old, &cases).await?;
    let new = subject.evaluator.scores(&subject.active, &cases).await?;
    let paired = Paired::of(&old.quality, &new.quality);
    let why = format!(
        "on {} cases version {} scores {:.4} and version {before} {:.4}",
        cases.len(),
        subject.row.active,
        new.mean(),
        old.mean()
    );
    Ok(Compared { is_worse: paired.upper(ALPHA) < 0.0, difference: paired.mean, why })
}

/// A fall of the scores of users from one version to another, if it is significant.
fn fall(
    biases: &Biases,
    component: &str,
    active: u64,
    before: u64,
    alpha: f64,
) -> Result<Option<Compared>, OpError> {
    let (Some(new), Some(old)) =
        (live(biases, component, active)?, live(biases, component, before)?)
    else {
        return Ok(None);
    };
    let (difference, upper) = welch(&old, &new, alpha);
    let why = format!(
        "users score version {active} {:.3} and version {before} {:.3}, of {} and {} results",
        stats::mean(&new),
        stats::mean(&old),
        new.len(),
        old.len()
    );
    Ok((upper < 0.0).then_some(Compared { is_worse: true, difference, why }))
}

/// Listens to a score of users: returns to the version before if users are significantly less content, and
/// says so.
///
/// Scores are compared after 8, 16, 32, 64 and 128 of them, each time at a fifth of the level: all
/// looks together take a good version back in at most 5 % of cases.
pub(crate) async fn listen(
    biases: &Biases,
    engine: &Engine,
    component: &str,
) -> Result<Option<String>, OpError> {
    let row = biases.book().bias(component).map_err(failed)?;
    let Some(before) = row.guarded else { return Ok(None) };
    let scores = biases.book().bias_scores(component, row.active, WINDOW).map_err(failed)?;
    if !LOOKS.contains(&scores.len()) {
        return Ok(None);
    }
    #[expect(clippy::cast_precision_loss, reason = "a few looks")]
    let alpha = ALPHA / LOOKS.len() as f64;
    let Some(fall) = fall(biases, component, row.active, before, alpha)? else { return Ok(None) };
    let mut healing = Healing::default();
    back(biases, engine, &row, before, &fall.why, &mut healing).await?;
    let said = format!("{component} returned to version {before}: {}", fall.why);
    Ok(healing.has_rolled_back().then_some(said))
}

/// The latest scores of users of a version, if there are enough.
fn live(biases: &Biases, component: &str, version: u64) -> Result<Option<Vec<f64>>, OpError> {
    let found = biases.book().bias_scores(component, version, WINDOW).map_err(failed)?;
    Ok((found.len() >= FEWEST_LIVE).then_some(found))
}

/// The difference of two means, and its upper one-sided bound (Welch 1947).
#[expect(clippy::cast_precision_loss, reason = "counts")]
fn welch(old: &[f64], new: &[f64], alpha: f64) -> (f64, f64) {
    let part = |all: &[f64]| svc_learn::describe::variance(all) / all.len() as f64;
    let (a, b) = (part(old), part(new));
    let difference = stats::mean(new) - stats::mean(old);
    let error = (a + b).sqrt();
    if error == 0.0 {
        return (difference, difference);
    }
    let freedom = (a + b).powi(2)
        / (a * a / (old.len() as f64 - 1.0) + b * b / (new.len() as f64 - 1.0))
            .max(f64::MIN_POSITIVE);
    let quantile = svc_learn::dist::t_quantile(1.0 - alpha, freedom.max(1.0));
    (difference, difference + quantile * error)
}

/// Returns to an earlier version.
async fn back(
    biases: &Biases,
    engine: &Engine,
    row: &BiasRow,
    to: u64,
    why: &str,
    healing: &mut Healing,
) -> Result<(), OpError> {
    let changing = Changing {
        component: row.component.clone(),
        based_on: row.active,
        at: engine.host().now(),
        op: "self_heal",
        change: Change::Return { to },
        detail: format!("from version {}: {why}", row.active),
    };
    let changed = biases.change(changing).await?;
    let Some(version) = changed else { return Ok(()) };
    let params = Knobs::of(engine.registry(), &row.component)
        .and_then(|knobs| biases.changes_of(&knobs, version))
        .map(|it| shown(&it))
        .unwrap_or_default();
    healing.heals.push(object([
        ("component", row.component.clone().into()),
        ("from", row.active.into()),
        ("to", version.into()),
        ("params", params.into()),
        ("why", why.into()),
    ]));
    Ok(())
}
