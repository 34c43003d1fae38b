//! What a service counts: calls by surface and status, their durations, and what runs used.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt::{self, Write as _},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use svc_contract::{
    registry::ErrorKind,
    value::{Money, Type, Value},
};
use svc_engine::{Happened, RunEvent};

use crate::{RunEnd, Why};

/// The upper ends of the buckets of durations, in milliseconds.
const BUCKETS: [u64; 13] = [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 60_000];

/// The numbers of a service since its start.
pub struct Metrics {
    started: Instant,
    calls: Mutex<Calls>,
    tokens: AtomicU64,
    /// In billionths of a dollar.
    cost: AtomicU64,
    /// Runs that ended, by how.
    ended: [AtomicU64; 3],
}

#[derive(Default)]
struct Calls {
    by_status: BTreeMap<(&'static str, u16), u64>,
    durations: BTreeMap<&'static str, Durations>,
    /// By the hours since the start, the last 24 of them.
    hours: VecDeque<(u64, Hour)>,
}

#[derive(Default)]
struct Durations {
    /// For each bucket, the calls that took no longer; the last one counts all.
    buckets: [u64; BUCKETS.len() + 1],
    sum: Duration,
}

/// The calls of an hour.
#[derive(Default)]
struct Hour {
    calls: u64,
    errors: u64,
    durations: Durations,
}

/// The calls of the last 24 hours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recent {
    pub calls: u64,
    /// Those with an error of the server, or of a service behind it.
    pub errors: u64,
    /// The time within which 95 of 100 were answered, between two ends of buckets.
    pub p95: Option<Duration>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Ok,
    Failed,
    Cancelled,
}

/// The numbers of the moment.
#[derive(Clone, Copy, Debug)]
pub struct Gauges<'a> {
    pub running: usize,
    pub waiting: usize,
    pub uptime: Duration,
    pub version: &'a str,
}

const ENDINGS: [(Ending, &str); 3] =
    [(Ending::Ok, "ok"), (Ending::Failed, "failed"), (Ending::Cancelled, "cancelled")];

impl Ending {
    /// How a call ended.
    pub(crate) fn of(ended: &RunEnd) -> Self {
        match ended {
            Ok(_) => Self::Ok,
            Err(fault) if fault.why == Why::Op(ErrorKind::Cancelled) => Self::Cancelled,
            Err(_) => Self::Failed,
        }
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            started: Instant::now(),
            calls: Mutex::default(),
            tokens: AtomicU64::default(),
            cost: AtomicU64::default(),
            ended: <[AtomicU64; 3]>::default(),
        }
    }
}

impl Metrics {
    /// Counts an answer. `surface` names the kind of interface: `rest`.
    pub fn answered(&self, surface: &'static str, status: u16, took: Duration) {
        let hour = self.hour();
        let mut calls = self.calls();
        *calls.by_status.entry((surface, status)).or_default() += 1;
        calls.durations.entry(surface).or_default().add(took);
        let now = calls.hour(hour);
        now.calls += 1;
        now.errors += u64::from(status >= 500);
        now.durations.add(took);
    }

    /// The answers of the last 24 hours.
    pub fn recent(&self) -> Recent {
        self.calls().recent(self.hour())
    }

    /// The hours since the start.
    fn hour(&self) -> u64 {
        self.started.elapsed().as_secs() / 3600
    }

    /// Counts what was spent.
    pub(crate) fn used(&self, tokens: u64, cost: Money) {
        self.tokens.fetch_add(tokens, Ordering::Relaxed);
        self.cost.fetch_add(cost.nanos().max(0).unsigned_abs(), Ordering::Relaxed);
    }

    /// Counts what an event of a run says was spent.
    pub(crate) fn seen(&self, event: &RunEvent) {
        if let Happened::Spent { usage, .. } = &event.what {
            let cost = Value::from_words(usage.cost.as_str().into(), &Type::Money);
            let cost = if let Value::Money(it) = cost { it } else { Money::ZERO };
            self.used(usage.tokens, cost);
        }
    }

    /// Counts the end of a run.
    pub(crate) fn ended(&self, how: Ending) {
        for (place, (ending, _)) in self.ended.iter().zip(ENDINGS) {
            if ending == how {
                place.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Everything in the text format of Prometheus.
    pub fn text(&self, now: &Gauges<'_>) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(now, &mut text);
        text
    }

    fn write(&self, now: &Gauges<'_>, out: &mut String) -> fmt::Result {
        head(out, "svc_build_info", "gauge", "The version of the program.")?;
        writeln!(out, "svc_build_info{{version=\"{}\"}} 1", now.version)?;
        head(out, "svc_uptime_seconds", "gauge", "The time since the start.")?;
        writeln!(out, "svc_uptime_seconds {}", now.uptime.as_secs_f64())?;
        head(out, "svc_runs_running", "gauge", "Runs that are computed now.")?;
        writeln!(out, "svc_runs_running {}", now.running)?;
        head(out, "svc_calls_waiting", "gauge", "Calls that wait for a free place.")?;
        writeln!(out, "svc_calls_waiting {}", now.waiting)?;
        head(out, "svc_runs_ended_total", "counter", "Calls and runs that ended, by how.")?;
        for (count, (_, name)) in self.ended.iter().zip(ENDINGS) {
            let count = count.load(Ordering::Relaxed);
            writeln!(out, "svc_runs_ended_total{{outcome=\"{name}\"}} {count}")?;
        }
        head(out, "svc_tokens_total", "counter", "Tokens of language models.")?;
        writeln!(out, "svc_tokens_total {}", self.tokens.load(Ordering::Relaxed))?;
        head(out, "svc_cost_dollars_total", "counter", "The cost of all calls in dollars.")?;
        let cost = i64::try_from(self.cost.load(Ordering::Relaxed)).unwrap_or(i64::MAX);
        writeln!(out, "svc_cost_dollars_total {}", Money::from_nanos(cost).dollars())?;
        self.calls().write(out)
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Durations {
    fn add(&mut self, took: Duration) {
        self.sum += took;
        for (bucket, most) in
            self.buckets.iter_mut().zip(BUCKETS.iter().copied().map(Some).chain([None]))
        {
            if most.is_none_or(|it| took <= Duration::from_millis(it)) {
                *bucket += 1;
            }
        }
    }

    /// The time within which so many of 100 were answered, as Prometheus estimates it: durations
    /// lie evenly in their bucket.
    fn percentile(&self, percent: u64) -> Option<Duration> {
        let all = self.buckets[BUCKETS.len()];
        if all == 0 {
            return None;
        }
        let wanted = (all * percent).div_ceil(100);
        let mut below = (0, 0);
        for (end, count) in BUCKETS.into_iter().zip(self.buckets) {
            let (start, before) = below;
            if count >= wanted {
                let part = (end - start) * 1000 * (wanted - before) / (count - before);
                return Some(Duration::from_micros(start * 1000 + part));
            }
            below = (end, count);
        }
        BUCKETS.last().map(|it| Duration::from_millis(*it))
    }
}

impl Calls {
    /// The counts of this hour.
    fn hour(&mut self, hour: u64) -> &mut Hour {
        if self.hours.back().is_none_or(|(last, _)| *last < hour) {
            self.hours.push_back((hour, Hour::default()));
        }
        while self.hours.len() > 1 && self.hours.front().is_some_and(|(at, _)| at + 24 <= hour) {
            self.hours.pop_front();
        }
        let last = self.hours.len() - 1;
        &mut self.hours[last].1
    }

    fn recent(&self, hour: u64) -> Recent {
        let mut all = Hour::default();
        for (_, it) in self.hours.iter().filter(|(at, _)| at + 24 > hour) {
            all.calls += it.calls;
            all.errors += it.errors;
            for (sum, count) in all.durations.buckets.iter_mut().zip(it.durations.buckets) {
                *sum += count;
            }
        }
        Recent { calls: all.calls, errors: all.errors, p95: all.durations.percentile(95) }
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        head(out, "svc_calls_total", "counter", "Answers, by surface and status.")?;
        for ((surface, status), count) in &self.by_status {
            writeln!(out, "svc_calls_total{{surface=\"{surface}\",status=\"{status}\"}} {count}")?;
        }
        let name = "svc_call_duration_seconds";
        head(out, name, "histogram", "The time until the head of an answer is sent.")?;
        for (surface, durations) in &self.durations {
            let ends = BUCKETS.map(|it| Duration::from_millis(it).as_secs_f64().to_string());
            let ends = ends.iter().map(String::as_str).chain(["+Inf"]);
            for (end, count) in ends.zip(durations.buckets) {
                writeln!(out, "{name}_bucket{{surface=\"{surface}\",le=\"{end}\"}} {count}")?;
            }
            let count = durations.buckets[BUCKETS.len()];
            writeln!(out, "{name}_sum{{surface=\"{surface}\"}} {}", durations.sum.as_secs_f64())?;
            writeln!(out, "{name}_count{{surface=\"{surface}\"}} {count}")?;
        }
        Ok(())
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) -> fmt::Result {
    writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_counted_in_every_bucket_that_holds_them() {
        let metrics = Metrics::default();
        metrics.answered("rest", 200, Duration::from_millis(5));
        metrics.answered("rest", 200, Duration::from_millis(700));
        metrics.answered("rest", 404, Duration::from_secs(100));
        metrics.used(7, Money::from_nanos(1_500_000));
        metrics.ended(Ending::Failed);
        let now = Gauges { running: 1, waiting: 2, uptime: Duration::from_secs(3), version: "1" };
        let text = metrics.text(&now);
        for line in [
            "svc_calls_total{surface=\"rest\",status=\"200\"} 2",
            "svc_calls_total{surface=\"rest\",status=\"404\"} 1",
            "svc_call_duration_seconds_bucket{surface=\"rest\",le=\"0.001\"} 0",
            "svc_call_duration_seconds_bucket{surface=\"rest\",le=\"0.005\"} 1",
            "svc_call_duration_seconds_bucket{surface=\"rest\",le=\"1\"} 2",
            "svc_call_duration_seconds_bucket{surface=\"rest\",le=\"60\"} 2",
            "svc_call_duration_seconds_bucket{surface=\"rest\",le=\"+Inf\"} 3",
            "svc_call_duration_seconds_sum{surface=\"rest\"} 100.705",
            "svc_call_duration_seconds_count{surface=\"rest\"} 3",
            "svc_runs_running 1",
            "svc_calls_waiting 2",
            "svc_uptime_seconds 3",
            "svc_tokens_total 7",
            "svc_cost_dollars_total 0.0015",
            "svc_runs_ended_total{outcome=\"failed\"} 1",
            "svc_runs_ended_total{outcome=\"ok\"} 0",
        ] {
            assert!(text.lines().any(|it| it == line), "{line}\n{text}");
        }
    }

    #[test]
    fn the_calls_of_a_day_are_counted_by_the_hour() {
        let mut calls = Calls::default();
        for (hour, counted) in [(0, 1), (0, 2), (23, 3), (24, 2)] {
            let now = calls.hour(hour);
            now.calls += 1;
            now.durations.add(Duration::from_millis(40));
            assert_eq!(calls.recent(hour).calls, counted, "{hour}");
        }
        assert_eq!(calls.recent(60), Recent { calls: 0, errors: 0, p95: None });
        calls.hour(24 * 365);
        assert_eq!(calls.hours.len(), 1);
    }

    #[test]
    fn the_95th_of_100_durations_is_estimated_within_its_bucket() {
        let mut all = Durations::default();
        for millis in 1..=100 {
            all.add(Duration::from_millis(millis));
        }
        let p95 = all.percentile(95).unwrap().as_millis();
        assert!((90..=100).contains(&p95), "{p95}");
        all.add(Duration::from_mins(10));
        assert_eq!(all.percentile(100), Some(Duration::from_mins(1)));
    }
}
