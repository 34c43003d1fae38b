//! Statistics of tables: descriptions, tests, regressions, curves, power, survival and meta-analysis.
//!
//! The numbers are computed by `svc-learn`; here are the params, the columns that are read ([`input`]), and the results.

mod curve;
#[cfg(feature = "learn")]
mod input;
mod meta;
mod power;
mod regress;
mod summary;
mod survival;
mod test;
#[cfg(all(test, feature = "learn"))]
mod tests;

use svc_contract::registry::{Bias, Component, needs};

pub(super) const COMPONENT: Component = Component {
    name: "adapt_stats",
    cluster: "ml-optimisation",
    summary: "Statistics: descriptions with intervals, tests, regressions, curves, sample sizes, survival, meta-analysis.",
    version: 1,
    bias: Bias::new(
        "classical estimates and tests, intervals of 95 %",
        &[
            "rows are independent",
            "rows without a value in a column that is used are left out",
            "what a test assumes of its data holds",
        ],
    ),
    aliases: &[("describe", "infer")],
    ops: &[
        needs!("learn", compute::<summary::Infer>()),
        needs!("learn", compute::<test::Test>()),
        needs!("learn", compute::<regress::Regress>()),
        needs!("learn", compute::<curve::Fit>()),
        needs!("learn", compute::<power::OfStudy>()),
        needs!("learn", compute::<survival::Survive>()),
        needs!("learn", compute::<meta::Pool>()),
    ],
};
