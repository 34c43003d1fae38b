//! Discrete Bayesian networks: the probabilities of all variables, given what was observed.
//!
//! Exact by elimination of variables, the cheapest one first; where a table on the way would be too
//! large, by likelihood weighting (Fung & Chang 1990).

use std::collections::HashMap;

use svc_contract::{
    registry::{Cx, OpError},
    value::{Text, Value},
};

use super::{
    conjugate::length,
    input::{Object, invalid, list, number},
    result::{Inference, Named},
};

const MOST_VARIABLES: usize = 500;
const MOST_STATES: usize = 100;
/// The most numbers in all given tables, and in one table on the way.
const MOST_GIVEN: usize = 1_000_000;
const MOST_ENTRIES: usize = 4_000_000;

/// The probabilities of the states of each variable.
type Marginals = Vec<Vec<f64>>;

struct Variable {
    name: Text,
    states: Vec<Text>,
    /// Before this one, in an order in which parents come first.
    parents: Vec<usize>,
    /// For each combination of states of the parents, of which the last changes first, the
    /// probabilities of the states.
    table: Vec<f64>,
}

pub(super) struct Network {
    /// In the order in which they were given.
    variables: Vec<Variable>,
    /// Parents before children.
    order: Vec<usize>,
    /// The observed states.
    seen: Vec<Option<usize>>,
    wanted: Vec<usize>,
}

impl Network {
    pub(super) fn read(data: &Value) -> Result<Self, OpError> {
        let object = Object::new(data, "data", &["variables", "evidence", "query"])?;
        let given = Object::new(object.need("variables")?, "data.variables", &[])?;
        let places: HashMap<&str, usize> =
            given.iter().enumerate().map(|(idx, it)| (it.0.as_ref(), idx)).collect();
        if places.is_empty() || places.len() > MOST_VARIABLES {
            let message =
                format!("expected 1 to {MOST_VARIABLES} variables, found {}", places.len());
            return Err(invalid(message));
        }
        let mut variables = Vec::with_capacity(places.len());
        for (name, it) in given.iter() {
            variables.push(Variable::read(name, it, &places)?);
        }
        let mut entries = 0;
        for at in 0..variables.len() {
            let table = variables[at].read_table(given.need(&variables[at].name)?, &variables)?;
            entries += table.len();
            if entries > MOST_GIVEN {
                return Err(invalid(format!(
                    "the tables are too large (limit {MOST_GIVEN} numbers)"
                )));
            }
            variables[at].table = table;
        }
        let order = order(&variables)?;
        let mut read =
            Self { seen: vec![None; variables.len()], wanted: Vec::new(), variables, order };
        if let Some(evidence) = object.get("evidence") {
            for (name, state) in Object::new(evidence, "data.evidence", &[])?.iter() {
                let at = place(&places, name, "data.evidence")?;
                read.seen[at] = Some(read.variables[at].state(state)?);
            }
        }
        read.wanted = match object.get("query") {
            None => (0..read.variables.len()).collect(),
            Some(names) => {
                let name =
                    |it: &Value| place(&places, it.as_str().unwrap_or_default(), "data.query");
                list(names, "data.query")?.iter().map(name).collect::<Result<_, _>>()?
            }
        };
        read.wanted.dedup();
        Ok(read)
    }

    /// What is known about the variables that are asked for.
    pub(super) fn infer(&self, samples: usize, seed: u64, cx: &Cx) -> Result<Inference, OpError> {
        let (method, evidence, marginals) = match self.eliminated(cx)? {
            Some((evidence, marginals)) => ("elimination", evidence, marginals),
            None => {
                let (evidence, marginals) = self.sampled(samples, seed, cx)?;
                ("sampling", evidence, marginals)
            }
        };
        let seen: Vec<usize> = self.seen.iter().flatten().copied().collect();
        let found = Inference::new("network", length(&seen), Vec::new(), Ok(evidence));
        let named = |(at, all): (&usize, Vec<f64>)| {
            let it = &self.variables[*at];
            (it.name.clone(), Named(it.states.iter().cloned().zip(all).collect()))
        };
        let marginals = Named(self.wanted.iter().zip(marginals).map(named).collect());
        Inference { method: method.into(), marginals, ..found }.checked()
    }

    /// The logarithm of the probability of what was observed, and the probabilities of the states;
    /// `None` if a table on the way would be too large.
    fn eliminated(&self, cx: &Cx) -> Result<Option<(f64, Marginals)>, OpError> {
        let factors: Vec<Factor> = (0..self.variables.len()).map(|it| self.factor(it)).collect();
        let Some(all) = self.reduced(factors.clone(), None, cx)? else { return Ok(None) };
        let evidence = all.values.first().copied().unwrap_or(1.0);
        let evidence = if evidence > 0.0 { evidence.ln() + all.scale } else { f64::NEG_INFINITY };
        if evidence == f64::NEG_INFINITY {
            return Err(impossible());
        }
        let mut marginals = Vec::with_capacity(self.wanted.len());
        for at in &self.wanted {
            if let Some(state) = self.seen[*at] {
                marginals.push(self.certain(*at, state));
                continue;
            }
            let Some(one) = self.reduced(factors.clone(), Some(*at), cx)? else { return Ok(None) };
            let sum: f64 = one.values.iter().sum();
            marginals.push(one.values.iter().map(|it| it / sum).collect());
        }
        Ok(Some((evidence, marginals)))
    }

    fn certain(&self, at: usize, state: usize) -> Vec<f64> {
        let states = 0..self.variables[at].states.len();
        states.map(|it| if it == state { 1.0 } else { 0.0 }).collect()
    }

    /// The table of a variable, in which observed variables are gone.
    fn factor(&self, at: usize) -> Factor {
        let it = &self.variables[at];
        let mut of = it.parents.clone();
        of.push(at);
        let sizes = of.iter().map(|it| self.variables[*it].states.len()).collect();
        let all = Factor { of: of.clone(), sizes, values: it.table.clone(), scale: 0.0 };
        let observed = of.iter().filter_map(|it| Some((*it, self.seen[*it]?)));
        observed.fold(all, |it, (variable, state)| it.given(variable, state))
    }

    /// Sums out every variable but the one to keep.
    fn reduced(
        &self,
        mut factors: Vec<Factor>,
        keep: Option<usize>,
        cx: &Cx,
    ) -> Result<Option<Factor>, OpError> {
        let is_open = |it: &usize| self.seen[*it].is_none() && Some(*it) != keep;
        let mut open: Vec<usize> = (0..self.variables.len()).filter(is_open).collect();
        while !open.is_empty() {
            cx.check()?;
            let size = |at: usize| {
                let mut of: Vec<(usize, usize)> = factors
                    .iter()
                    .filter(|it| it.of.contains(&at))
                    .flat_map(|it| it.of.iter().copied().zip(it.sizes.iter().copied()))
                    .collect();
                of.sort_unstable();
                of.dedup();
                of.iter().fold(1_usize, |all, it| all.saturating_mul(it.1))
            };
            let cheapest = (0..open.len()).min_by_key(|it| (size(open[*it]), open[*it]));
            let at = open.remove(cheapest.unwrap_or(0));
            if size(at) > MOST_ENTRIES {
                return Ok(None);
            }
            let (with, without): (Vec<_>, Vec<_>) =
                factors.into_iter().partition(|it| it.of.contains(&at));
            factors = without;
            factors.push(product(&with, cx)?.without(at));
        }
        product(&factors, cx).map(Some)
    }

    fn sampled(&self, samples: usize, seed: u64, cx: &Cx) -> Result<(f64, Marginals), OpError> {
        let mut rng = fastrand::Rng::with_seed(seed);
        let sizes = self.wanted.iter().map(|it| self.variables[*it].states.len());
        let mut sums: Marginals = sizes.map(|it| vec![0.0; it]).collect();
        let mut total = 0.0;
        let mut states = vec![0; self.variables.len()];
        for _ in 0..samples {
            cx.check()?;
            let mut weight = 1.0;
            for at in &self.order {
                let row = self.variables[*at].row(&states, &self.variables);
                states[*at] = match self.seen[*at] {
                    Some(state) => {
                        weight *= row[state];
                        state
                    }
                    None => drawn(row, rng.f64()),
                };
            }
            total += weight;
            for (sum, at) in sums.iter_mut().zip(&self.wanted) {
                sum[states[*at]] += weight;
            }
        }
        if total <= 0.0 {
            return Err(impossible().help("raise `samples`: no draw agreed with the evidence"));
        }
        sums.iter_mut().flatten().for_each(|it| *it /= total);
        let draws = vec![(); samples];
        Ok(((total / length(&draws)).ln(), sums))
    }
}

fn impossible() -> OpError {
    invalid("the evidence is impossible: its probability is 0")
}

/// The state that a number from 0 to 1 stands for.
fn drawn(row: &[f64], at: f64) -> usize {
    let mut sum = 0.0;
    let found = row.iter().position(|it| {
        sum += it;
        at < sum
    });
    found.unwrap_or_else(|| row.iter().rposition(|it| *it > 0.0).unwrap_or(0))
}

fn place(places: &HashMap<&str, usize>, name: &str, of: &str) -> Result<usize, OpError> {
    let shown: String = name.chars().take(40).collect();
    let unknown = || invalid(format!("unknown variable `{shown}` in `{of}`"));
    places.get(name).copied().ok_or_else(unknown)
}

impl Variable {
    /// The variable without its table, which needs the states of its parents.
    fn read(name: &Text, value: &Value, places: &HashMap<&str, usize>) -> Result<Self, OpError> {
        let at = format!("data.variables.{name}");
        let object = Object::new(value, &at, &["states", "parents", "table"])?;
        let texts = |field: &str| -> Result<Vec<Text>, OpError> {
            let place = format!("{at}.{field}");
            let Some(value) = object.get(field) else { return Ok(Vec::new()) };
            let text = |it: &Value| {
                let wrong = || invalid(format!("expected texts in `{place}`, found {}", it.kind()));
                it.as_str().map(Text::from).ok_or_else(wrong)
            };
            list(value, &place)?.iter().map(text).collect()
        };
        let states = texts("states")?;
        let mut distinct = states.clone();
        distinct.sort();
        distinct.dedup();
        if !(1..=MOST_STATES).contains(&states.len()) || distinct.len() < states.len() {
            let message = format!("expected 1 to {MOST_STATES} different names in `{at}.states`");
            return Err(invalid(message));
        }
        let of = format!("{at}.parents");
        let parents = texts("parents")?;
        let parents: Vec<usize> =
            parents.iter().map(|it| place(places, it, &of)).collect::<Result<_, _>>()?;
        let is_doubled = (1..parents.len()).any(|it| parents[..it].contains(&parents[it]));
        if is_doubled {
            return Err(invalid(format!("duplicate parent in `{of}`")));
        }
        Ok(Self { name: name.clone(), states, parents, table: Vec::new() })
    }

    fn read_table(&self, value: &Value, all: &[Self]) -> Result<Vec<f64>, OpError> {
        let at = format!("data.variables.{}", self.name);
        let object = Object::new(value, &at, &[])?;
        let at = format!("{at}.table");
        let given = list(object.need("table")?, &at)?;
        let sizes = self.parents.iter().map(|it| all[*it].states.len());
        let rows = sizes.fold(1_usize, usize::saturating_mul);
        let is_one_row = rows == 1 && given.iter().all(|it| it.as_list().is_none());
        if !is_one_row && given.len() != rows {
            let message = format!("expected {rows} rows in `{at}`, found {}", given.len());
            let help = "write a row for each combination of states of the parents; the last parent changes first";
            return Err(invalid(message).help(help));
        }
        let mut table = Vec::new();
        for idx in 0..rows {
            let place = format!("{at}[{idx}]");
            let row = if is_one_row { given } else { list(&given[idx], &place)? };
            let mut cells = Vec::with_capacity(row.len());
            for it in row {
                cells.push(number(it, &place)?);
            }
            let sum: f64 = cells.iter().sum();
            let is_valid = cells.iter().all(|it| *it >= 0.0) && (sum - 1.0).abs() <= 1e-6;
            if cells.len() != self.states.len() || !is_valid {
                let states = self.states.len();
                let message = format!(
                    "expected {states} probabilities with the sum 1 in `{place}`, found {} with the sum {sum}",
                    cells.len()
                );
                return Err(invalid(message));
            }
            table.extend(cells.iter().map(|it| it / sum));
        }
        Ok(table)
    }

    fn state(&self, value: &Value) -> Result<usize, OpError> {
        let found = value.as_str().and_then(|it| self.states.iter().position(|name| **name == *it));
        found.ok_or_else(|| {
            let shown: String = value.to_string().chars().take(40).collect();
            let known: Vec<&str> = self.states.iter().take(20).map(AsRef::as_ref).collect();
            let message = format!("unknown state `{shown}` of `{}`", self.name);
            invalid(message).help(format!("use one of: {}", known.join(", ")))
        })
    }

    /// The probabilities of the states, given the states of all.
    fn row(&self, states: &[usize], all: &[Self]) -> &[f64] {
        let of = self.parents.iter().fold(0, |row, it| row * all[*it].states.len() + states[*it]);
        let width = self.states.len();
        &self.table[of * width..][..width]
    }
}

/// Parents before children.
fn order(variables: &[Variable]) -> Result<Vec<usize>, OpError> {
    let mut order = Vec::with_capacity(variables.len());
    let mut is_done = vec![false; variables.len()];
    while order.len() < variables.len() {
        let is_next =
            |it: &usize| !is_done[*it] && variables[*it].parents.iter().all(|it| is_done[*it]);
        let Some(next) = (0..variables.len()).find(is_next) else {
            let left = (0..variables.len()).find(|it| !is_done[*it]).unwrap_or(0);
            let name = &variables[left].name;
            return Err(invalid(format!("the parents of `{name}` form a cycle")));
        };
        is_done[next] = true;
        order.push(next);
    }
    Ok(order)
}

/// A function of the states of some variables, of which the last changes first.
#[derive(Clone)]
struct Factor {
    of: Vec<usize>,
    sizes: Vec<usize>,
    values: Vec<f64>,
    /// The logarithm of a number by which all values are to be multiplied.
    scale: f64,
}

impl Factor {
    /// The number of values before a variable changes.
    fn step(&self, at: usize) -> usize {
        self.sizes[at + 1..].iter().product()
    }

    fn given(self, variable: usize, state: usize) -> Self {
        self.combined(variable, |values| values[state])
    }

    fn without(self, variable: usize) -> Self {
        let mut summed = self.combined(variable, |values| values.iter().sum());
        let largest = summed.values.iter().copied().fold(0.0, f64::max);
        if largest > 0.0 {
            summed.values.iter_mut().for_each(|it| *it /= largest);
            summed.scale += largest.ln();
        }
        summed
    }

    /// Replaces the values for all states of a variable by one value.
    fn combined(self, variable: usize, combine: impl Fn(&[f64]) -> f64) -> Self {
        let Some(at) = self.of.iter().position(|it| *it == variable) else { return self };
        let (step, size) = (self.step(at), self.sizes[at]);
        let mut values = Vec::with_capacity(self.values.len() / size);
        let mut own = vec![0.0; size];
        for block in self.values.chunks_exact(step * size) {
            for offset in 0..step {
                own.iter_mut()
                    .enumerate()
                    .for_each(|(it, value)| *value = block[it * step + offset]);
                values.push(combine(&own));
            }
        }
        let (mut of, mut sizes) = (self.of, self.sizes);
        of.remove(at);
        sizes.remove(at);
        Self { of, sizes, values, scale: self.scale }
    }
}

fn product(factors: &[Factor], cx: &Cx) -> Result<Factor, OpError> {
    let mut pairs: Vec<(usize, usize)> =
        factors.iter().flat_map(|it| it.of.iter().copied().zip(it.sizes.iter().copied())).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let (of, sizes): (Vec<usize>, Vec<usize>) = pairs.into_iter().unzip();
    let mut values = vec![1.0; sizes.iter().product()];
    for factor in factors {
        cx.check()?;
        // How far the place in the factor moves when a variable of the product changes.
        let step =
            |it: &usize| factor.of.iter().position(|own| own == it).map_or(0, |at| factor.step(at));
        let steps: Vec<usize> = of.iter().map(step).collect();
        let (mut states, mut place) = (vec![0; of.len()], 0);
        for value in &mut values {
            *value *= factor.values[place];
            for at in (0..of.len()).rev() {
                states[at] += 1;
                place += steps[at];
                if states[at] < sizes[at] {
                    break;
                }
                place -= steps[at] * sizes[at];
                states[at] = 0;
            }
        }
    }
    let scale = factors.iter().map(|it| it.scale).sum();
    Ok(Factor { of, sizes, values, scale })
}
