//! What scipy, statsmodels and lifelines computed from random inputs: `data/peers.py` writes `data/peers.json`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    Stop, Trouble, describe,
    formula::{Data, Formula},
    glm::{self, Family},
    hypothesis::{self as h, Alternative, Outcome},
    meta, power, survival,
};

type Found = BTreeMap<String, f64>;

fn numbers(given: &Value, name: &str) -> Vec<f64> {
    given[name].as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect()
}

fn groups(given: &Value) -> Vec<Vec<f64>> {
    let all = given["groups"].as_array().unwrap();
    all.iter()
        .map(|it| it.as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect())
        .collect()
}

fn of(outcome: Result<Outcome, Trouble>) -> Found {
    let it = outcome.unwrap();
    let mut found = Found::from([("statistic".to_owned(), it.statistic), ("p".to_owned(), it.p)]);
    let mut add =
        |name: &str, value: Option<f64>| value.map(|it| found.insert(name.to_owned(), it));
    add("df", it.df);
    add("estimate", it.estimate);
    add("low", it.interval.map(|it| it.0));
    add("high", it.interval.map(|it| it.1));
    found
}

fn named<const N: usize>(all: [(&str, f64); N]) -> Found {
    all.into_iter().map(|(name, it)| (name.to_owned(), it)).collect()
}

fn observed(given: &Value) -> Vec<survival::Observed> {
    let events = numbers(given, "event");
    let both = numbers(given, "time").into_iter().zip(events);
    both.map(|(time, event)| survival::Observed { time, is_event: event > 0.0 }).collect()
}

fn column(all: &Value, name: &str) -> Option<Data> {
    let cells = all[name].as_array()?;
    let texts: Option<Vec<&str>> = cells.iter().map(Value::as_str).collect();
    let Some(texts) = texts else {
        return Some(Data::Numbers(cells.iter().map(|it| it.as_f64().unwrap()).collect()));
    };
    let mut levels: Vec<String> = texts.iter().map(|it| (*it).to_owned()).collect();
    levels.sort();
    levels.dedup();
    let code = |it: &&str| levels.iter().position(|own| own == it).unwrap();
    Some(Data::Levels(texts.iter().map(code).collect(), levels))
}

fn regress(given: &Value, columns: &Value) -> Found {
    let formula = Formula::parse(given["formula"].as_str().unwrap()).unwrap();
    let design = formula.design(60, &|name| column(columns, name)).unwrap();
    let family = match given["family"].as_str().unwrap() {
        "gaussian" => Family::Gaussian,
        "binomial" => Family::Binomial,
        _ => Family::Poisson,
    };
    let fit = glm::fit(&design, family, formula.has_intercept, &Stop::NEVER).unwrap();
    let mut found = named([
        ("aic", fit.aic),
        ("bic", fit.bic),
        ("log_likelihood", fit.log_likelihood),
        ("df", fit.df),
        ("r2", fit.r2),
        ("deviance", fit.deviance),
    ]);
    found.extend(fit.adjusted_r2.map(|it| ("adjusted_r2".to_owned(), it)));
    found.extend(fit.f.map(|it| ("f".to_owned(), it.0)));
    found.extend(fit.f.map(|it| ("f_p".to_owned(), it.1)));
    let mut sorted = fit.coefficients;
    sorted.sort_by(|a, b| a.estimate.total_cmp(&b.estimate));
    for (at, it) in sorted.iter().enumerate() {
        let parts = [
            ("b", it.estimate),
            ("se", it.error),
            ("p", it.p),
            ("low", it.interval.0),
            ("high", it.interval.1),
        ];
        found.extend(parts.map(|(name, it)| (format!("{name}{at}"), it)));
    }
    found
}

fn of_power(given: &Value) -> Found {
    let test = match given["test"].as_str().unwrap() {
        "t" => power::Test::TwoSamples,
        "one" => power::Test::OneSample,
        "anova" => power::Test::Anova { groups: 4.0 },
        "proportions" => power::Test::Proportions,
        _ => power::Test::Chi2 { df: 3.0 },
    };
    let n = usize::try_from(given["n"].as_u64().unwrap()).unwrap();
    let number = |name: &str| given[name].as_f64().unwrap();
    named([("power", test.power(number("effect"), n, number("alpha")))])
}

fn cox(given: &Value) -> Found {
    let columns = [numbers(given, "age"), numbers(given, "dose")];
    let names = ["age".to_owned(), "dose".to_owned()];
    let it = survival::cox(&observed(given), &columns, &names, &Stop::NEVER).unwrap();
    named([
        ("age", it.estimates[0]),
        ("dose", it.estimates[1]),
        ("se_age", it.errors[0]),
        ("se_dose", it.errors[1]),
        ("log_likelihood", it.log_likelihood),
        ("concordance", it.concordance.unwrap()),
    ])
}

fn found(op: &str, given: &Value, columns: &Value) -> Found {
    let side = match given["side"].as_str() {
        Some("less") => Alternative::Less,
        Some("greater") => Alternative::Greater,
        _ => Alternative::TwoSided,
    };
    let list = |name: &str| numbers(given, name);
    match op {
        "student" => of(h::student(&list("a"), &list("b"), side)),
        "welch" => of(h::welch(&list("a"), &list("b"), side)),
        "paired" => of(h::paired(&list("a"), &list("b"), side)),
        "one_sample" => of(h::one_sample(&list("a"), given["mean"].as_f64().unwrap(), side)),
        "mann_whitney" => of(h::mann_whitney(&list("a"), &list("b"), side)),
        "wilcoxon" => of(h::wilcoxon(&list("a"), &list("b"), side)),
        "ks" => of(h::ks(&list("a"), &list("b"), side)),
        "correlation" => of(h::correlation(&list("a"), &list("b"), side)),
        "spearman" => of(h::spearman(&list("a"), &list("b"), side)),
        "shapiro" => of(h::shapiro(&list("a"))),
        "anova" => of(h::anova(&groups(given))),
        "kruskal" => of(h::kruskal(&groups(given))),
        "chi2_table" => of(h::chi2_of_table(&groups(given))),
        "chi2_fit" => of(h::chi2_of_fit(&list("a"))),
        "fisher" => {
            let cell = |i: usize, j: usize| given["table"][i][j].as_f64().unwrap();
            of(Ok(h::fisher([[cell(0, 0), cell(0, 1)], [cell(1, 0), cell(1, 1)]], side)))
        }
        "describe" => {
            let it = describe::describe(&list("a"), 0.95).unwrap();
            let (low, high) = it.interval.unwrap();
            named([
                ("mean", it.mean),
                ("sd", it.sd.unwrap()),
                ("low", low),
                ("high", high),
                ("q1", it.quartiles[1]),
                ("median", it.quartiles[2]),
                ("skewness", it.skewness.unwrap()),
                ("kurtosis", it.kurtosis.unwrap()),
            ])
        }
        "regress" => regress(given, columns),
        "power" => of_power(given),
        "kaplan_meier" => {
            let steps = survival::kaplan_meier(&observed(given));
            let at = given["at"].as_f64().unwrap();
            let it = steps.iter().rev().find(|it| it.time <= at).unwrap();
            named([("survival", it.survival), ("low", it.interval.0), ("high", it.interval.1)])
        }
        "median" => named([(
            "median",
            survival::median(&survival::kaplan_meier(&observed(given))).unwrap(),
        )]),
        "log_rank" => {
            let all = observed(given);
            let group = list("group");
            let of = |it: u8| {
                let own = all.iter().zip(&group).filter(|(_, own)| **own == f64::from(it));
                own.map(|(it, _)| *it).collect()
            };
            let (statistic, _, p) = survival::log_rank(&[of(0), of(1), of(2)]).unwrap();
            named([("statistic", statistic), ("p", p)])
        }
        "cox" => cox(given),
        "meta" => {
            let model = match given["model"].as_str().unwrap() {
                "fixed" => meta::Model::Fixed,
                "dl" => meta::Model::DerSimonianLaird,
                _ => meta::Model::Reml,
            };
            let it = meta::pool(&list("effects"), &list("errors"), model).unwrap();
            named([
                ("estimate", it.estimate),
                ("error", it.error),
                ("q", it.q.0),
                ("tau2", it.tau2),
            ])
        }
        other => panic!("unknown op {other}"),
    }
}

#[test]
fn results_agree_with_scipy_statsmodels_and_lifelines() {
    let all: Value = serde_json::from_str(include_str!("../../data/peers.json")).unwrap();
    let cases = all["cases"].as_array().unwrap();
    let mut compared: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in cases {
        let op = case["op"].as_str().unwrap();
        let found = found(op, &case["given"], &all["columns"]);
        for (name, want) in case["want"].as_object().unwrap() {
            let want = want.as_f64().unwrap();
            *compared.entry(op).or_default() += 1;
            let Some(it) = found.get(name) else {
                wrong.push(format!("{op}: no {name}"));
                continue;
            };
            if (it - want).abs() > 1e-6 * want.abs().max(1e-6) {
                let mut given = case["given"].to_string();
                given.truncate(100);
                wrong.push(format!("{op}, {name}: expected {want}, found {it}; {given}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {compared:?}\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(compared.len(), 23, "{compared:?}");
}
