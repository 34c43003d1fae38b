//! Studies: searches as data, whose values come from elsewhere.

use svc_contract::{
    registry::{Cx, OpError},
    value::Value,
};
use svc_optimize::{Cma, Optimizer as _, Point, Tpe};

use super::{Evaluated, OptimizeStudy, space::Named};

/// The most values of a study.
const MOST_VALUES: usize = 10_000;

/// The next points of a study.
pub(super) fn suggest(study: &OptimizeStudy, n: usize, cx: &Cx) -> Result<Vec<Value>, OpError> {
    let named = Named::new(&study.space)?;
    let mut rounds: Vec<Vec<(Point, f64)>> = Vec::new();
    for round in study.rounds.iter().flatten() {
        let values =
            round.iter().map(|it| Ok((named.point(&it.at)?, it.value.unwrap_or(f64::INFINITY))));
        rounds.push(values.collect::<Result<_, OpError>>()?);
    }
    let seed = study.seed.unwrap_or(1).cast_unsigned();
    let start = named.space.center();
    let points = if named.has_choices() {
        // It has no state but the values. Another seed for each length, or it would repeat itself.
        let told: usize = rounds.iter().map(Vec::len).sum();
        let start = (told == 0).then_some(&start);
        let mut optimizer = Tpe::new(&named.space, start, seed.wrapping_add(told as u64));
        for round in &rounds {
            optimizer.tell(round);
        }
        cx.check()?;
        optimizer.ask(n)
    } else {
        // The rounds again, so that the points that it asked for are known as such.
        let mut optimizer = Cma::new(&named.space, Some(&start), seed);
        for round in &rounds {
            cx.check()?;
            optimizer.ask(round.len());
            optimizer.tell(round);
        }
        optimizer.ask(n)
    };
    Ok(points.iter().map(|it| named.shown(it)).collect())
}

/// A study with more values.
pub(super) fn tell(
    mut study: OptimizeStudy,
    observed: Vec<Evaluated>,
) -> Result<OptimizeStudy, OpError> {
    let named = Named::new(&study.space)?;
    let mut told = study.rounds.take().unwrap_or_default();
    let total = told.iter().map(Vec::len).sum::<usize>() + observed.len();
    if total > MOST_VALUES {
        let message = format!("too many values in the study (limit {MOST_VALUES})");
        return Err(OpError::invalid_input(message));
    }
    for it in &observed {
        named.point(&it.at)?;
        let lowest = study.best.as_ref().and_then(|it| it.value);
        if it.value.is_some_and(|value| value.is_finite() && lowest.is_none_or(|own| value < own)) {
            study.best = Some(it.clone());
        }
    }
    if !observed.is_empty() {
        told.push(observed);
    }
    study.rounds = Some(told);
    study.seed = study.seed.or(Some(1));
    Ok(study)
}
