//! Posteriors against `scipy` 1.17, and hostile data. The expected numbers were printed by
//!
//! ```python
//! from scipy import stats, special
//! d = stats.beta(18, 34); print(d.mean(), d.std(), d.ppf([.025, .975]), special.betaln(18, 34))
//! d = stats.gamma(12, scale=1 / 6)
//! d = stats.t(5, loc=x.mean(), scale=x.std(ddof=1) / 6 ** .5)      # normal, reference prior
//! d = stats.invgamma(2.5, scale=((x - x.mean()) ** 2).sum() / 2)
//! d = stats.t(n - p, b[j], (rss / (n - p) * V[j, j]) ** .5)         # linear, flat prior
//! e = stats.multivariate_t(shape=b0 / a0 * (I + X @ X.T / precision), df=2 * a0).logpdf(y)
//! ```

#![allow(
    clippy::unreadable_literal,
    clippy::excessive_precision,
    reason = "numbers are as the other program prints them"
)]

use proptest::prelude::*;
use svc_contract::{
    registry::ErrorKind,
    value::{Value, json},
};

use super::Infer;
use crate::testing::{call, cancelled, cx, number, read};

fn infer(model: &str, data: &str, prior: &str) -> Value {
    tried(model, data, prior).unwrap_or_else(|err| panic!("{model} of {data}: {err}"))
}

fn tried(model: &str, data: &str, prior: &str) -> Result<Value, String> {
    let prior = if prior.is_empty() { Value::Null } else { read(prior) };
    let args = [("model", model.into()), ("prior", prior)];
    call::<Infer>(read(data), &args, &cx()).map_err(|it| it.message)
}

/// Compares an estimate with a mean, a standard deviation, and an interval.
fn close(found: &Value, path: &str, expected: [f64; 4]) {
    for (part, expected) in ["mean", "sd", "ci95.0", "ci95.1"].into_iter().zip(expected) {
        near(found, &format!("{path}.{part}"), expected, 1e-10);
    }
}

fn near(found: &Value, path: &str, expected: f64, within: f64) {
    let it = number(found, path);
    let error = (it - expected).abs() / expected.abs().max(1e-2);
    assert!(error <= within, "{path} is {it}, and not {expected}");
}

#[test]
fn rates_and_counts_are_those_of_scipy() {
    let it = infer("beta_binomial", r#"{"successes":17,"trials":50}"#, "");
    let wanted = [0.34615384615384615, 0.0653483208409447, 0.22430620333569712, 0.4792125542306298];
    close(&it, "posterior.rate", wanted);
    near(&it, "evidence", -33.850052116778954, 1e-10);

    let none = "[false,false,0,0,false]";
    let it = infer("beta_binomial", none, r#"{"alpha":0.5,"beta":0.5}"#);
    let wanted =
        [0.08333333333333333, 0.10446386175466811, 9.342060003954474e-5, 0.37937714229903935];
    close(&it, "posterior.rate", wanted);
    near(&it, "posterior.rate.ci95.0", 9.342060003954474e-5, 1e-12);
    near(&it, "evidence", -1.4020427180880297, 1e-10);

    let it = infer("beta_binomial", r#"{"successes":123456,"trials":1000000}"#, "");
    let wanted =
        [0.12345675308649383, 3.2896026896763483e-4, 0.12281271652550484, 0.12410221622034964];
    close(&it, "posterior.rate", wanted);
    near(&it, "evidence", -373761.8399240561, 1e-12);

    let it = infer("poisson_gamma", "[2,3,0,1,4]", r#"{"shape":2,"rate":1}"#);
    let wanted = [2.0, 0.5773502691896257, 1.0334291847870363, 3.2803397522169924];
    close(&it, "posterior.rate", wanted);
    near(&it, "evidence", -9.661766264998722, 1e-10);

    let it = infer("poisson_gamma", r#"{"events":50000,"exposure":1000}"#, "");
    let wanted = [50.0005, 0.22360791578117264, 49.56318445901897, 50.43970984413752];
    close(&it, "posterior.rate", wanted);
    assert!(json::write(&it).contains(r#""evidence":null,"no_evidence":"the prior is not"#));
}

const SIX: &str = "[4.1,5.0,3.9,6.2,5.5,4.8]";

#[test]
fn means_and_variances_are_those_of_scipy() {
    let it = infer("normal", SIX, "");
    let wanted = [4.916666666666667, 0.453892628843561, 4.0128919461967065, 5.820441387136627];
    close(&it, "posterior.mean", wanted);
    let wanted = [1.2361111111111114, 1.7481250979334095, 0.28897975897907785, 4.461358904476899];
    close(&it, "posterior.variance", wanted);

    let it = infer("normal", SIX, r#"{"mean":4,"weight":2,"shape":3,"rate":1.5}"#);
    let wanted = [4.6875, 0.315609529323815, 4.059760570398839, 5.31523942960116];
    close(&it, "posterior.mean", wanted);
    let wanted = [0.7968750000000002, 0.3984375000000001, 0.34146911254442874, 1.8095215034433332];
    close(&it, "posterior.variance", wanted);
    near(&it, "evidence", -9.190321264033916, 1e-10);
}

const ROWS: &str = r#"{"target":"y","rows":[{"b":1,"c":2,"y":3.1},{"b":2,"c":1,"y":3.9},
    {"b":3,"c":5,"y":7.2},{"b":4,"c":3,"y":6.8},{"b":5.5,"c":8,"y":11.9},{"b":7,"c":6.5,"y":11.1}]}"#;

#[test]
fn regressions_are_those_of_scipy() {
    let it = infer("linear", ROWS, "");
    let wanted = [1.2523031825795674, 0.7313412295678454, -0.09145312281811946, 2.5960594879772536];
    close(&it, "posterior.intercept", wanted);
    let wanted = [0.7716080402010046, 0.29625549663706263, 0.227272269811014, 1.315943810590995];
    close(&it, "posterior.b", wanted);
    let wanted = [0.7499999999999999, 0.24332231911008076, 0.30292292116312713, 1.1970770788368725];
    close(&it, "posterior.c", wanted);
    near(&it, "posterior.variance.ci95.1", 3.2923287436433304, 1e-10);

    let it = infer("linear", ROWS, r#"{"precision":0.5,"shape":2,"rate":3}"#);
    let wanted = [0.9534435737218221, 0.7329208247207735, -0.5072001825705394, 2.4140873300141825];
    close(&it, "posterior.intercept", wanted);
    let wanted = [0.7713075798897594, 0.2745729375591534, 0.22410898303528715, 1.3185061767442314];
    close(&it, "posterior.c", wanted);
    near(&it, "evidence", -12.004888599226849, 1e-10);
}

/// The probability is the closed form of Miller (2015), a sum of beta functions; the losses are from
/// `integrate.quad`, and the intervals from 20 million draws (±0.0003).
#[test]
fn variants_are_compared_as_by_quadrature_and_by_draws() {
    let data = r#"{"a":{"successes":40,"trials":400},"b":{"successes":60,"trials":400}}"#;
    let it = infer("ab_test", data, "");
    near(&it, "decision.better.b", 0.9835548478043507, 1e-12);
    near(&it, "decision.best.b", 0.9835548478043507, 1e-12);
    near(&it, "decision.loss.a", 0.0498899329229387, 1e-11);
    near(&it, "decision.loss.b", 0.00013868914184419074, 1e-12);
    near(&it, "decision.difference.b.mean", 0.049749767688932814, 1e-3);
    near(&it, "decision.difference.b.sd", 0.02338321842705829, 1e-3);
    near(&it, "decision.difference.b.ci95.0", 0.004048317947369959, 3e-3);
    near(&it, "decision.difference.b.ci95.1", 0.0958105106887021, 1e-3);
    near(&it, "decision.lift.b.mean", 0.5211967432824193, 1e-3);
    near(&it, "decision.lift.b.sd", 0.2937605620511943, 1e-3);
    near(&it, "decision.lift.b.ci95.0", 0.03267403781088956, 1e-2);
    near(&it, "decision.lift.b.ci95.1", 1.1793938412231293, 1e-3);

    let three = r#"{"a":{"successes":40,"trials":400},"b":{"successes":60,"trials":400},
        "c":{"successes":50,"trials":400}}"#;
    let it = infer("ab_test", three, "");
    near(&it, "decision.best.a", 0.0095891, 1e-2);
    near(&it, "decision.best.b", 0.83974485, 1e-3);

    let means = format!(r#"{{"a":{{"values":{SIX}}},"b":{{"values":[5.9,6.1,4.7,7.0]}}}}"#);
    let it = infer("ab_test", &means, "");
    near(&it, "decision.better.b", 0.9053089975442233, 1e-9);
    near(&it, "decision.difference.b.ci95.0", -0.7443102211570208, 2e-3);
    near(&it, "decision.difference.b.ci95.1", 2.7607925083135787, 2e-3);
    near(&it, "decision.loss.a", 1.0678241423066264, 2e-3);
}

#[test]
fn variants_of_very_different_sizes_are_compared() {
    let tiny =
        r#"{"a":{"successes":0,"trials":0},"b":{"successes":500000000,"trials":1000000000}}"#;
    near(&infer("ab_test", tiny, ""), "decision.better.b", 0.5, 1e-9);
    let equal = r#"{"a":{"successes":0,"trials":9},"b":{"successes":0,"trials":9}}"#;
    let it = infer("ab_test", equal, r#"{"alpha":0.1,"beta":1000000}"#);
    near(&it, "decision.better.b", 0.5, 1e-9);
    let one = r#"{"a":{"values":[1,2]},"b":{"values":[1,2]}}"#;
    near(&infer("ab_test", one, ""), "decision.better.b", 0.5, 1e-9);
}

/// Lauritzen and Spiegelhalter (1988); the numbers are from an enumeration of all 256 states.
const ASIA: &str = r#"
    "asia":{"states":["y","n"],"table":[0.01,0.99]},
    "tub":{"states":["y","n"],"parents":["asia"],"table":[[0.05,0.95],[0.01,0.99]]},
    "smoke":{"states":["y","n"],"table":[0.5,0.5]},
    "lung":{"states":["y","n"],"parents":["smoke"],"table":[[0.1,0.9],[0.01,0.99]]},
    "bronc":{"states":["y","n"],"parents":["smoke"],"table":[[0.6,0.4],[0.3,0.7]]},
    "either":{"states":["y","n"],"parents":["tub","lung"],"table":[[1,0],[1,0],[1,0],[0,1]]},
    "xray":{"states":["y","n"],"parents":["either"],"table":[[0.98,0.02],[0.05,0.95]]},
    "dysp":{"states":["y","n"],"parents":["either","bronc"],
        "table":[[0.9,0.1],[0.7,0.3],[0.8,0.2],[0.1,0.9]]}"#;

#[test]
fn the_marginals_of_asia_are_those_of_the_enumeration() {
    let it = infer("network", &format!(r#"{{"variables":{{{ASIA}}}}}"#), "");
    let wanted = [
        ("tub", 0.010399999999999994),
        ("lung", 0.05500000000000003),
        ("either", 0.06482800000000012),
        ("xray", 0.11029004000000009),
        ("dysp", 0.4359706000000002),
    ];
    for (name, wanted) in wanted {
        near(&it, &format!("marginals.{name}.y"), wanted, 1e-12);
    }
    let seen = r#"{"asia":"y","xray":"y","dysp":"y"}"#;
    let it = infer("network", &format!(r#"{{"variables":{{{ASIA}}},"evidence":{seen}}}"#), "");
    let wanted = [
        ("asia", 1.0),
        ("tub", 0.3917117200075792),
        ("smoke", 0.7020251172112069),
        ("lung", 0.44427050775543164),
        ("bronc", 0.6288217759739857),
        ("either", 0.8137687023752391),
    ];
    for (name, wanted) in wanted {
        near(&it, &format!("marginals.{name}.y"), wanted, 1e-12);
    }
    near(&it, "evidence", -6.919598382499848, 1e-12);
    assert!(json::write(&it).contains(r#""method":"elimination""#));
}

/// One variable depends on 23 others, which all depend on a first one.
fn wide(parents: usize) -> String {
    let table = |rows: usize| vec!["[0.3,0.7]"; rows].join(",");
    let name = |it: usize| format!("\"v{it}\"");
    let mut all = vec![r#""v0":{"states":["y","n"],"table":[0.3,0.7]}"#.to_owned()];
    for at in 1..=parents {
        let earlier: Vec<String> = (at.saturating_sub(16)..at).map(name).collect();
        let rows = table(1 << earlier.len());
        all.push(format!(
            r#"{}:{{"states":["y","n"],"parents":[{}],"table":[{rows}]}}"#,
            name(at),
            earlier.join(",")
        ));
    }
    format!(r#"{{"variables":{{{}}},"query":["v0"]}}"#, all.join(","))
}

#[test]
fn a_network_that_is_too_large_is_refused_or_drawn() {
    let err = tried("network", &wide(40), "").unwrap_err();
    assert!(err.contains("the tables are too large (limit 1000000 numbers)"), "{err}");
    // Every pair of 24 variables has a child, so a table of all of them is on the way.
    let mut all: Vec<String> =
        (0..24).map(|it| format!(r#""v{it}":{{"states":["y","n"],"table":[0.3,0.7]}}"#)).collect();
    let mut seen = Vec::new();
    for a in 0..24 {
        for b in 0..a {
            all.push(format!(
                r#""c{a}_{b}":{{"states":["y","n"],"parents":["v{a}","v{b}"],"table":[[0.5,0.5],[0.5,0.5],[0.5,0.5],[0.5,0.5]]}}"#
            ));
            seen.push(format!(r#""c{a}_{b}":"y""#));
        }
    }
    let data = format!(
        r#"{{"variables":{{{}}},"evidence":{{{}}},"query":["v0"]}}"#,
        all.join(","),
        seen.join(",")
    );
    let it = infer("network", &data, "");
    assert!(json::write(&it).contains(r#""method":"sampling""#), "{it}");
    near(&it, "marginals.v0.y", 0.3, 0.1);
    near(&it, "evidence", 276.0 * 0.5_f64.ln(), 1e-9);
    assert_eq!(json::write(&it), json::write(&infer("network", &data, "")));
}

#[test]
fn what_is_wrong_is_named() {
    let cases = [
        ("beta_binomial", "{}", "", "missing field `successes` in `data`"),
        ("beta_binomial", "[1,2]", "", "expected true, false, 1 or 0 for `data[1]`, found int"),
        ("beta_binomial", r#"{"successes":1.5,"trials":3}"#, "", "expected a whole number"),
        ("beta_binomial", "[1]", r#"{"alpha":0}"#, "expected 0.01..1e12 for `prior.alpha`"),
        ("beta_binomial", "[1]", r#"{"a":1}"#, "unknown field `a` in `prior`"),
        ("normal", "[2,2,2]", "", "expected at least two different numbers"),
        ("normal", r#"["x"]"#, "", "expected a number for `data[0]`, found string"),
        ("normal", "[1e200,1]", "", "expected a number of at most 1e100"),
        ("poisson_gamma", "[]", "", "`data` is empty"),
        ("poisson_gamma", "[-1]", "", "expected a whole number from 0 to 1e12 for `data[0]`"),
        ("ab_test", r#"{"a":[1]}"#, "", "expected 2 to 20 variants in `data`, found 1"),
        ("ab_test", r#"{"a":[1],"b":{"values":[1]}}"#, "", "expected an object for `data.a`"),
        ("linear", r#"{"rows":[],"target":"y"}"#, "", "`data.rows` is empty"),
        ("linear", r#"{"rows":[{"y":1}],"target":"z"}"#, "", "missing column `z`"),
        ("linear", r#"{"rows":[{"x":1,"y":1}],"target":"y"}"#, "", "expected more than 2 rows"),
        ("network", r#"{"variables":{}}"#, "", "expected 1 to 500 variables, found 0"),
        ("network", r#"{"variables":{}}"#, "{}", "a network has no `prior`"),
    ];
    for (model, data, prior, wanted) in cases {
        let err = tried(model, data, prior).expect_err(data);
        assert!(err.contains(wanted), "{model} of {data}: {err}");
    }
    let double = ROWS.replace(r#""y":"#, r#""d":1,"y":"#);
    let err = tried("linear", &double, "").unwrap_err();
    assert!(err.contains("column `d` follows from the columns before it"), "{err}");
    let exact = r#"{"rows":[{"x":1,"y":2},{"x":2,"y":4},{"x":3,"y":6}],"target":"y"}"#;
    let err = tried("linear", exact, "").unwrap_err();
    assert!(err.contains("no variance is left"), "{err}");
    let cycle = r#"{"variables":{"a":{"states":["y"],"parents":["b"],"table":[[1]]},
        "b":{"states":["y"],"parents":["a"],"table":[[1]]}}}"#;
    assert!(tried("network", cycle, "").unwrap_err().contains("form a cycle"));
    let impossible =
        r#"{"variables":{"a":{"states":["y","n"],"table":[1,0]}},"evidence":{"a":"n"}}"#;
    assert!(tried("network", impossible, "").unwrap_err().contains("its probability is 0"));
}

#[test]
fn a_cancelled_call_ends() {
    let data = read(r#"{"a":[1,0],"b":[1,1]}"#);
    let err = call::<Infer>(data, &[("model", "ab_test".into())], &cancelled()).unwrap_err();
    assert_eq!(err.kind, ErrorKind::Cancelled);
}

fn listed(all: &[f64]) -> String {
    format!("[{}]", all.iter().map(|it| format!("{it:e}")).collect::<Vec<_>>().join(","))
}

/// JSON whose parts are anything, so that most of it is wrong.
fn anything() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        any::<i64>().prop_map(|it| it.to_string()),
        (-1e300..1e300).prop_map(|it: f64| format!("{it:e}")),
        "[a-z\u{e4}]{0,4}".prop_map(|it| format!("{it:?}")),
    ];
    let names =
        ["successes", "trials", "values", "rows", "target", "variables", "states", "a", "b"];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|it| format!("[{}]", it.join(","))),
            prop::collection::btree_map(prop::sample::select(names.to_vec()), inner, 0..4)
                .prop_map(|it| {
                    let fields: Vec<String> =
                        it.iter().map(|(name, it)| format!("\"{name}\":{it}")).collect();
                    format!("{{{}}}", fields.join(","))
                }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_order_does_not_matter_and_the_mean_lies_between(
        mut all in prop::collection::vec(-1e6..1e6_f64, 2..30), seed in any::<u64>()
    ) {
        let one = infer("normal", &listed(&all), "");
        let low = all.iter().copied().fold(f64::INFINITY, f64::min);
        let high = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mean = if all.len() > 2 { number(&one, "posterior.mean.mean") } else { low };
        prop_assert!(low - 1e-9 <= mean && mean <= high + 1e-9);
        fastrand::Rng::with_seed(seed).shuffle(&mut all);
        prop_assert_eq!(json::write(&one), json::write(&infer("normal", &listed(&all), "")));
    }

    #[test]
    fn two_orders_of_rows_give_one_regression(seed in any::<u64>()) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut rows: Vec<String> = (0..12)
            .map(|it| format!(r#"{{"x":{},"z":{},"y":{it}}}"#, rng.f64(), rng.f64()))
            .collect();
        let data = |rows: &[String]| format!(r#"{{"rows":[{}],"target":"y"}}"#, rows.join(","));
        let one = json::write(&infer("linear", &data(&rows), ""));
        rng.shuffle(&mut rows);
        prop_assert_eq!(one, json::write(&infer("linear", &data(&rows), "")));
    }

    #[test]
    fn quantiles_invert_probabilities(a in 0.01..1e7_f64, b in 0.01..1e7_f64, p in 0.001..0.999_f64) {
        use super::special::{Beta, Continuous, Gamma, StudentT};
        let beta = Beta { a, b };
        prop_assume!(beta.quantile(p) > 1e-300);
        prop_assert!((beta.below(beta.quantile(p)) - p).abs() < 1e-9);
        let gamma = Gamma { shape: a, rate: b };
        prop_assert!((gamma.below(gamma.quantile(p)) - p).abs() < 1e-9);
        let t = StudentT { df: a.max(1.0), place: 1.0, scale: 2.0 };
        prop_assert!((t.below(t.quantile(p)) - p).abs() < 1e-9);
    }

    #[test]
    fn anything_is_an_error_or_a_result(data in anything(), prior in anything()) {
        for model in ["beta_binomial", "poisson_gamma", "normal", "ab_test", "linear", "network"] {
            let _ = tried(model, &data, "");
            let _ = tried(model, &data, &prior);
        }
    }
}
