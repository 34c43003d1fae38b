//! How good the data of a table are: profiles, schemas, duplicates, gaps, rules.

use svc_contract::registry::{Bias, Cases, Component, compute, load, save};

mod chained;
mod compare;
mod dedupe;
mod drift;
mod exact;
mod expect;
mod expectation;
mod impute;
mod learn;
mod linkage;
mod profile;
mod ridge;
mod rules;
mod schema;
#[cfg(test)]
mod tests;
mod validate;

pub(crate) use schema::run as run_schema;

use learn::Weights;

pub(super) const NAME: &str = "adapt_quality";
const VERSION: u32 = 1;

pub(super) const COMPONENT: Component = Component {
    name: NAME,
    cluster: "data-processing",
    summary: "The quality of tables: profiles, JSON Schema, duplicates, gaps, rules, expectations, drift.",
    version: VERSION,
    bias: Bias::new(
        "Fellegi-Sunter linkage, its weights by expectation maximization or learnt",
        &["fields err independently", "two records of the same thing agree in some whole field"],
    )
    .judged_by(CASES),
    aliases: &[("profile", "infer")],
    ops: &[
        compute::<profile::Infer>(),
        compute::<validate::Validate>(),
        compute::<dedupe::Dedupe>(),
        compute::<impute::Impute>(),
        compute::<rules::Rules>(),
        compute::<expect::Expect>(),
        compute::<drift::Drift>(),
        compute::<learn::Learn>(),
        save::<Weights>(),
        load::<Weights>(),
    ],
};

const CASES: Cases = Cases::new(include_str!("../../cases/adapt_quality.jsonl"), &[]);
