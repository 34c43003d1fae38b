//! The Statistical Reference Datasets of NIST, in `data/nist` (public domain, <https://www.itl.nist.gov/div898/strd/>).

use std::fmt::Write as _;

use crate::{
    Stop,
    curve::{Name, Problem, fit},
    describe,
    expr::Expression,
    formula::{Data, Formula},
    glm::{self, Family},
    hypothesis,
};

const FILES: [(&str, &str); 33] = [
    ("AtmWtAg", include_str!("../../data/nist/AtmWtAg.dat")),
    ("Bennett5", include_str!("../../data/nist/Bennett5.dat")),
    ("BoxBOD", include_str!("../../data/nist/BoxBOD.dat")),
    ("Chwirut1", include_str!("../../data/nist/Chwirut1.dat")),
    ("Chwirut2", include_str!("../../data/nist/Chwirut2.dat")),
    ("DanWood", include_str!("../../data/nist/DanWood.dat")),
    ("ENSO", include_str!("../../data/nist/ENSO.dat")),
    ("Eckerle4", include_str!("../../data/nist/Eckerle4.dat")),
    ("Gauss1", include_str!("../../data/nist/Gauss1.dat")),
    ("Gauss2", include_str!("../../data/nist/Gauss2.dat")),
    ("Gauss3", include_str!("../../data/nist/Gauss3.dat")),
    ("Hahn1", include_str!("../../data/nist/Hahn1.dat")),
    ("Kirby2", include_str!("../../data/nist/Kirby2.dat")),
    ("Lanczos1", include_str!("../../data/nist/Lanczos1.dat")),
    ("Lanczos2", include_str!("../../data/nist/Lanczos2.dat")),
    ("Lanczos3", include_str!("../../data/nist/Lanczos3.dat")),
    ("MGH09", include_str!("../../data/nist/MGH09.dat")),
    ("MGH10", include_str!("../../data/nist/MGH10.dat")),
    ("MGH17", include_str!("../../data/nist/MGH17.dat")),
    ("Misra1a", include_str!("../../data/nist/Misra1a.dat")),
    ("Misra1b", include_str!("../../data/nist/Misra1b.dat")),
    ("Misra1c", include_str!("../../data/nist/Misra1c.dat")),
    ("Misra1d", include_str!("../../data/nist/Misra1d.dat")),
    ("Nelson", include_str!("../../data/nist/Nelson.dat")),
    ("Rat42", include_str!("../../data/nist/Rat42.dat")),
    ("Rat43", include_str!("../../data/nist/Rat43.dat")),
    ("Roszman1", include_str!("../../data/nist/Roszman1.dat")),
    ("SiRstv", include_str!("../../data/nist/SiRstv.dat")),
    ("SmLs01", include_str!("../../data/nist/SmLs01.dat")),
    ("SmLs04", include_str!("../../data/nist/SmLs04.dat")),
    ("SmLs07", include_str!("../../data/nist/SmLs07.dat")),
    ("Thurber", include_str!("../../data/nist/Thurber.dat")),
    ("linear", include_str!("../../data/nist/linear.txt")),
];

/// The text of a set.
fn text(name: &str) -> &'static str {
    FILES.iter().find(|it| it.0 == name).unwrap().1
}

fn numbers(line: &str) -> Vec<f64> {
    line.split_whitespace().map_while(|it| it.parse().ok()).collect()
}

/// The number of digits in which a result agrees with the certified one.
fn digits(found: f64, certified: f64) -> f64 {
    let off = if certified == 0.0 { found.abs() } else { ((found - certified) / certified).abs() };
    (-off.max(1e-16).log10()).min(16.0)
}

/// The curves, as the files describe them; `y` is `log(y)` for one of them.
const CURVES: [(&str, &str); 27] = [
    ("Misra1a", "b1*(1-exp(-b2*x))"),
    ("Chwirut2", "exp(-b1*x)/(b2+b3*x)"),
    ("Chwirut1", "exp(-b1*x)/(b2+b3*x)"),
    ("Lanczos3", "b1*exp(-b2*x) + b3*exp(-b4*x) + b5*exp(-b6*x)"),
    ("Gauss1", "b1*exp(-b2*x) + b3*exp(-(x-b4)^2/b5^2) + b6*exp(-(x-b7)^2/b8^2)"),
    ("Gauss2", "b1*exp(-b2*x) + b3*exp(-(x-b4)^2/b5^2) + b6*exp(-(x-b7)^2/b8^2)"),
    ("DanWood", "b1*x^b2"),
    ("Misra1b", "b1*(1-(1+b2*x/2)^(-2))"),
    ("Kirby2", "(b1 + b2*x + b3*x^2)/(1 + b4*x + b5*x^2)"),
    ("Hahn1", "(b1+b2*x+b3*x^2+b4*x^3)/(1+b5*x+b6*x^2+b7*x^3)"),
    ("Nelson", "b1 - b2*x1*exp(-b3*x2)"),
    ("MGH17", "b1 + b2*exp(-x*b4) + b3*exp(-x*b5)"),
    ("Lanczos1", "b1*exp(-b2*x) + b3*exp(-b4*x) + b5*exp(-b6*x)"),
    ("Lanczos2", "b1*exp(-b2*x) + b3*exp(-b4*x) + b5*exp(-b6*x)"),
    ("Gauss3", "b1*exp(-b2*x) + b3*exp(-(x-b4)^2/b5^2) + b6*exp(-(x-b7)^2/b8^2)"),
    ("Misra1c", "b1*(1-(1+2*b2*x)^(-0.5))"),
    ("Misra1d", "b1*b2*x*((1+b2*x)^(-1))"),
    ("Roszman1", "b1 - b2*x - arctan(b3/(x-b4))/pi"),
    (
        "ENSO",
        "b1 + b2*cos(2*pi*x/12) + b3*sin(2*pi*x/12) + b5*cos(2*pi*x/b4) + b6*sin(2*pi*x/b4) + b8*cos(2*pi*x/b7) + b9*sin(2*pi*x/b7)",
    ),
    ("MGH09", "b1*(x^2+x*b2)/(x^2+x*b3+b4)"),
    ("Thurber", "(b1+b2*x+b3*x^2+b4*x^3)/(1+b5*x+b6*x^2+b7*x^3)"),
    ("BoxBOD", "b1*(1-exp(-b2*x))"),
    ("Rat42", "b1/(1+exp(b2-b3*x))"),
    ("MGH10", "b1*exp(b2/(x+b3))"),
    ("Eckerle4", "(b1/b2)*exp(-0.5*((x-b3)/b2)^2)"),
    ("Rat43", "b1/((1+exp(b2-b3*x))^(1/b4))"),
    ("Bennett5", "b1*(b2+x)^(-1/b3)"),
];

struct Certified {
    starts: [Vec<f64>; 2],
    params: Vec<f64>,
    deviations: Vec<f64>,
    rss: f64,
    /// y, and the predictors.
    columns: Vec<Vec<f64>>,
}

fn certified(name: &str) -> Certified {
    let text = text(name);
    let mut found = Certified {
        starts: [Vec::new(), Vec::new()],
        params: Vec::new(),
        deviations: Vec::new(),
        rss: 0.0,
        columns: Vec::new(),
    };
    for (at, line) in text.lines().enumerate() {
        if let Some((name, rest)) = line.split_once('=') {
            let values = numbers(rest);
            if name.trim().starts_with('b') && values.len() == 4 {
                found.starts[0].push(values[0]);
                found.starts[1].push(values[1]);
                found.params.push(values[2]);
                found.deviations.push(values[3]);
            }
        }
        if let Some(rest) = line.strip_prefix("Residual Sum of Squares:") {
            found.rss = rest.trim().parse().unwrap();
        }
        let values = numbers(line);
        if at >= 60 && values.len() >= 2 {
            found.columns.resize(values.len(), Vec::new());
            found.columns.iter_mut().zip(values).for_each(|(it, value)| it.push(value));
        }
    }
    found
}

/// Every one of the 27 sets, from both starts: parameters, deviations and the sum of squares to at least 6 digits.
#[test]
fn nonlinear_sets_agree_to_6_digits_from_both_starts() {
    let mut table = String::new();
    let mut worst = 16.0_f64;
    for (set, formula) in CURVES {
        let known = certified(set);
        let curve = Expression::parse(formula).unwrap();
        let names = curve.names.iter().map(|it| match it.strip_prefix('b') {
            Some(number) => Name::Parameter(number.parse::<usize>().unwrap() - 1),
            None => Name::Column(it.strip_prefix('x').unwrap().parse().unwrap_or(1) - 1),
        });
        let mut y = known.columns[0].clone();
        if set == "Nelson" {
            for it in &mut y {
                *it = it.ln();
            }
        }
        let problem = Problem {
            names: names.collect(),
            curve: &curve,
            columns: known.columns[1..].to_vec(),
            y,
        };
        let params: Vec<String> = (1..=known.params.len()).map(|it| format!("b{it}")).collect();
        for (number, start) in known.starts.iter().enumerate() {
            let found = match fit(&problem, start, &params, &Stop::NEVER) {
                Ok(it) => it,
                Err(err) => {
                    writeln!(table, "{set} {number}: {err}").unwrap();
                    worst = 0.0;
                    continue;
                }
            };
            let least = |found: &[f64], known: &[f64]| {
                found.iter().zip(known).map(|(a, b)| digits(*a, *b)).fold(16.0, f64::min)
            };
            let of_params = least(&found.estimates, &known.params);
            let of_errors = least(&found.errors, &known.deviations);
            let of_rss = digits(found.rss, known.rss);
            writeln!(
                table,
                "{set} {}: parameters {of_params:.1}, deviations {of_errors:.1}, sum of squares {of_rss:.1}, {} iterations",
                number + 1,
                found.iterations
            )
            .unwrap();
            // The residuals of this set are the rounding of its data to 14 digits: doubles do not have them.
            let is_rounding = set == "Lanczos1";
            worst = worst.min(of_params);
            worst = if is_rounding { worst } else { worst.min(of_errors).min(of_rss) };
        }
    }
    assert!(worst >= 6.0, "{table}");
    assert_eq!(table.lines().count(), 54, "{table}");
}

/// A linear set in `linear.txt`: its formula, the certified coefficients with their deviations, and the data, y first.
struct Linear {
    name: String,
    formula: String,
    certified: Vec<Vec<f64>>,
    data: Vec<Vec<f64>>,
}

fn linear_sets() -> Vec<Linear> {
    let mut all: Vec<Linear> = Vec::new();
    let mut is_certified = false;
    for line in text("linear").lines().filter(|it| !it.starts_with('#') && !it.is_empty()) {
        if let Some((name, formula)) = line.split_once(": ") {
            let (name, formula) = (name.to_owned(), formula.to_owned());
            all.push(Linear { name, formula, certified: Vec::new(), data: Vec::new() });
            is_certified = true;
        } else if line == "--" {
            is_certified = false;
        } else {
            let set = all.last_mut().unwrap();
            if is_certified { &mut set.certified } else { &mut set.data }.push(numbers(line));
        }
    }
    all
}

#[test]
fn linear_sets_agree_to_6_digits() {
    let mut table = String::new();
    let mut worst = 16.0_f64;
    let sets = linear_sets();
    for set in &sets {
        let formula = Formula::parse(&set.formula).unwrap();
        let column = |name: &str| {
            let at = if name == "y" { 0 } else { name[1..].parse().unwrap_or(1) };
            Some(Data::Numbers(set.data.iter().map(|it| it[at]).collect()))
        };
        let design = formula.design(set.data.len(), &column).unwrap();
        let fit = glm::fit(&design, Family::Gaussian, formula.has_intercept, &Stop::NEVER).unwrap();
        let of = |pick: fn(&glm::Coefficient) -> f64, at: usize| {
            let pairs = fit.coefficients.iter().zip(&set.certified);
            pairs.map(|(it, known)| digits(pick(it), known[at])).fold(16.0, f64::min)
        };
        let (estimates, errors) = (of(|it| it.estimate, 0), of(|it| it.error, 1));
        writeln!(table, "{}: coefficients {estimates:.1}, deviations {errors:.1}", set.name)
            .unwrap();
        worst = worst.min(estimates).min(errors);
    }
    assert!(worst >= 7.0, "{table}");
    assert_eq!(sets.len(), 10, "{table}");
}

/// The first set of each level of difficulty, with up to 13 constant leading digits, and two of observations.
#[test]
fn analyses_of_variance_agree() {
    let mut table = String::new();
    // The last level has 13 constant digits of the 16 of a float.
    for (set, least) in
        [("SiRstv", 9.0), ("AtmWtAg", 9.0), ("SmLs01", 12.0), ("SmLs04", 9.0), ("SmLs07", 3.0)]
    {
        let text = text(set);
        let certified = text.lines().find(|it| it.starts_with("Between")).unwrap();
        let f: f64 = certified.split_whitespace().last().unwrap().parse().unwrap();
        let mut groups: Vec<Vec<f64>> = Vec::new();
        for row in text.lines().skip(60).map(numbers).filter(|it| it.len() == 2) {
            let group = format!("{}", row[0]).parse::<usize>().unwrap();
            groups.resize(groups.len().max(group), Vec::new());
            groups[group - 1].push(row[1]);
        }
        let found = hypothesis::anova(&groups).unwrap();
        let agreed = digits(found.statistic, f);
        writeln!(table, "{set}: {agreed:.1} of {least}").unwrap();
        assert!(agreed >= least, "{table}");
    }
}

/// The sets `NumAcc1` to `NumAcc4`, which are made by a rule.
#[test]
fn means_and_deviations_keep_their_digits() {
    let alternating = |low: f64, middle: f64, high: f64| -> Vec<f64> {
        std::iter::once(middle).chain((0..500).flat_map(|_| [low, high])).collect()
    };
    for (all, mean, sd, least) in [
        (vec![10_000_001.0, 10_000_003.0, 10_000_002.0], 10_000_002.0, 1.0, 15.0),
        (alternating(1.1, 1.2, 1.3), 1.2, 0.1, 14.0),
        (alternating(1_000_000.1, 1_000_000.2, 1_000_000.3), 1_000_000.2, 0.1, 9.0),
        (alternating(10_000_000.1, 10_000_000.2, 10_000_000.3), 10_000_000.2, 0.1, 8.0),
    ] {
        let found = describe::describe(&all, 0.95).unwrap();
        assert!(digits(found.mean, mean) >= 14.0, "{found:?}");
        assert!(digits(found.sd.unwrap(), sd) >= least, "{found:?}");
    }
}
