//! Draws the marks of each kind of chart.

use std::collections::{BTreeMap, BTreeSet};

use svc_columns::Table;
use svc_contract::{
    registry::{Cx, OpError},
    value::{Record, Text, Value, json},
};

use super::{
    data::{self, Axis, Values, series},
    frame::{self, Across},
    paint::{areas, lines, one_box, points, sector},
    plan::{Aggregate, Mark, Plan, quantile},
    scale::{Unit, as_float, moment_alone, plain},
    stack::{Bar, bars, bin, from_zero, merged, stacked},
    svg::{SERIES, Svg},
    words::{described, in_series, tip},
};

/// The most bars, boxes, or cells in a row.
const MOST_WORDS: usize = 100;

/// The most marks that have a text of their own under the pointer.
pub(super) const MOST_TIPS: usize = 500;

/// The most drawn values that stand in the metadata.
const MOST_DATA: usize = 2_000;

/// A drawn value.
pub(super) struct Datum {
    pub x: Value,
    pub y: f64,
    pub series: usize,
}

/// All that a picture needs.
pub(super) struct Drawing<'a> {
    pub plan: &'a Plan,
    pub table: &'a Table<Value>,
    pub cx: &'a Cx,
}

/// A point with its place across.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    pub x: f64,
    pub y: f64,
    pub series: usize,
}

impl Drawing<'_> {
    pub(super) fn draw(&self) -> Result<String, OpError> {
        match self.plan.mark {
            Mark::Bar => self.bars(),
            Mark::Line | Mark::Area | Mark::Point => self.spots(),
            Mark::Box => self.boxes(),
            Mark::Histogram => self.histogram(),
            Mark::Heatmap => self.heatmap(),
            Mark::Arc => self.arcs(),
        }
    }

    fn axis(&self, name: &Text, wants_words: bool) -> Result<Axis, OpError> {
        self.cx.check()?;
        Axis::read(self.table, name, wants_words)
    }

    fn colors(&self) -> Result<(Vec<usize>, Vec<Text>), OpError> {
        let axis = self.plan.color.as_ref().map(|it| self.axis(it, true)).transpose()?;
        Ok(series(axis.as_ref(), self.table.len(), SERIES))
    }

    /// The words of a column, at most so many.
    fn words(&self, name: &Text) -> Result<(Vec<Option<usize>>, Vec<Text>), OpError> {
        let Values::Words { of, names } = self.axis(name, true)?.values else {
            return Err(OpError::bug("expected words"));
        };
        if names.len() > MOST_WORDS {
            let message = format!(
                "too many different values in `{name}` for a {} ({}, limit {MOST_WORDS})",
                self.plan.mark.name(),
                names.len()
            );
            return Err(OpError::invalid_input(message)
                .help("group the rows before, or draw a line, points or a histogram"));
        }
        Ok((of, names))
    }

    /// The numbers of y, and what they are called; counts without a column.
    fn measured(&self) -> Result<(Option<Vec<f64>>, Aggregate, String), OpError> {
        let aggregate = self.plan.aggregate;
        let Some(name) = &self.plan.y else {
            return Ok((None, Aggregate::Count, "number of rows".to_owned()));
        };
        let axis = self.axis(name, false)?;
        let numbers = axis.numbers()?.0.to_vec();
        let aggregate = aggregate.unwrap_or(Aggregate::Sum);
        let called = match self.plan.aggregate {
            None => name.to_string(),
            Some(it) => format!("{} of {name}", it.name()),
        };
        Ok((Some(numbers), aggregate, called))
    }

    /// The value of each pair of a word and a series.
    fn grouped(
        of: &[Option<usize>],
        series: &[usize],
        numbers: Option<&[f64]>,
        aggregate: Aggregate,
    ) -> BTreeMap<(usize, usize), f64> {
        let mut groups: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
        for (row, place) in of.iter().enumerate() {
            let Some(place) = place else { continue };
            let value = numbers.map_or(1.0, |it| it[row]);
            if !value.is_nan() {
                groups.entry((*place, series[row])).or_default().push(value);
            }
        }
        groups.into_iter().map(|(key, mut it)| (key, aggregate.of(&mut it))).collect()
    }

    fn names(&self, x: &str, y: &str) -> (String, String) {
        let given = |own: &Option<Text>, it: &str| own.as_deref().unwrap_or(it).to_owned();
        (given(&self.plan.x_title, x), given(&self.plan.y_title, y))
    }

    fn start(&self, description: &str) -> Svg {
        let plan = self.plan;
        let title = if plan.title.is_empty() { plan.mark.name() } else { &plan.title };
        let key = blake3::hash(format!("{title}\0{description}").as_bytes()).to_hex();
        Svg::new(plan.width, plan.height, title, description, &key[..8])
    }

    fn finish(svg: Svg, data: &[Datum], legend: &[Text], names: (&str, &str)) -> String {
        let rows = data.iter().take(MOST_DATA).map(|it| {
            let mut fields = vec![(Text::from(names.0), it.x.clone())];
            if legend.len() > 1 {
                fields.push(("series".into(), legend[it.series].clone().into()));
            }
            fields.push((Text::from(names.1), Value::Float(it.y)));
            Value::Record(Record::from_iter(fields))
        });
        svg.finish(&json::write(&Value::from(rows.collect::<Vec<_>>())))
    }

    /// An empty frame that says so.
    pub(super) fn nothing(&self) -> String {
        let what = self.plan.mark.name();
        let mut svg = self.start(&format!("A {what} without data."));
        frame::heading(&mut svg, self.plan, &[]);
        let at = (self.plan.width / 2.0, self.plan.height / 2.0);
        svg.text("none", at, "middle", 0.0, "no data");
        svg.finish("[]")
    }

    fn bars(&self) -> Result<String, OpError> {
        let x = self.plan.x()?;
        let (of, words) = self.words(x)?;
        let (series, legend) = self.colors()?;
        let (numbers, aggregate, called) = self.measured()?;
        let groups = Self::grouped(&of, &series, numbers.as_deref(), aggregate);
        if groups.is_empty() {
            return Ok(self.nothing());
        }
        let is_stacked = self.plan.is_stacked(aggregate);
        let rooms = if is_stacked { 1 } else { legend.len() };
        let (bars, ends) = bars(&groups, words.len(), rooms);
        let low = ends.iter().map(|it| it.0).fold(0.0, f64::min);
        let high = ends.iter().map(|it| it.1).fold(0.0, f64::max);
        let (x_name, y_name) = self.names(x, &called);
        let totals: Vec<(Text, f64)> = if rooms == 1 {
            let drawn: BTreeSet<usize> = bars.iter().map(|it| it.word).collect();
            let total = |it: &usize| (words[*it].clone(), ends[*it].0 + ends[*it].1);
            drawn.iter().map(total).collect()
        } else {
            let named = |it: &Bar| format!("{}, {}", words[it.word], legend[it.series]).into();
            bars.iter().map(|it| (named(it), it.value)).collect()
        };
        let mut svg = self.start(&described(self.plan, &called, x, &totals, &legend));
        let across = Across::Words(words.clone());
        let up = Across::Numbers { range: (low, high), unit: Unit::Number, is_nice: true };
        let (x, y, room) =
            frame::draw(&mut svg, self.plan, (across, up), (&x_name, &y_name), &legend);
        let wide = (x.band() * 0.8).min(90.0);
        let room_wide = wide / as_float(rooms);
        svg.open("class=\"marks\"");
        let mut data = Vec::new();
        for Bar { word, series, from, to, value } in bars {
            let left = x.place(as_float(word)) - wide / 2.0;
            let left = if rooms == 1 { left } else { left + room_wide * as_float(series) };
            let tip = tip(&words[word], &legend, series, &plain(value));
            let (bottom, top) = (y.place(from), y.place(to));
            svg.rect(&format!("s{series}"), (left, bottom), (room_wide, top - bottom), Some(&tip));
            data.push(Datum { x: words[word].clone().into(), y: value, series });
        }
        svg.close();
        if low < 0.0 {
            svg.line("axis", (room.left, y.place(0.0)), (room.right, y.place(0.0)));
        }
        Ok(Self::finish(svg, &data, &legend, (&x_name, &y_name)))
    }

    fn spots(&self) -> Result<String, OpError> {
        let x_name = self.plan.x()?;
        let x = self.axis(x_name, self.plan.is_nominal)?;
        let y_axis = self.axis(self.plan.y()?, false)?;
        let (ys, y_unit) = y_axis.numbers()?;
        let (series, legend) = self.colors()?;
        let xs: Vec<f64> = match &x.values {
            Values::Numbers(all, _) => all.clone(),
            Values::Words { of, .. } => of.iter().map(|it| it.map_or(f64::NAN, as_float)).collect(),
        };
        let mut spots: Vec<Spot> = Vec::with_capacity(xs.len());
        for (row, x) in xs.into_iter().enumerate().filter(|it| !it.1.is_nan()) {
            spots.push(Spot { x, y: ys[row], series: series[row] });
        }
        let is_area = self.plan.mark == Mark::Area;
        if self.plan.mark != Mark::Point {
            spots.sort_by(|a, b| a.series.cmp(&b.series).then(a.x.total_cmp(&b.x)));
            if let Some(aggregate) = self.plan.aggregate.or(is_area.then_some(Aggregate::Sum)) {
                spots = merged(&spots, aggregate);
            } else if legend.len() == SERIES && legend[SERIES - 1].as_ref() == data::OTHERS {
                // A line through several series at once shows their mean.
                let at = spots.partition_point(|it| it.series < SERIES - 1);
                let others = merged(&spots[at..], Aggregate::Mean);
                spots.truncate(at);
                spots.extend(others);
            }
        }
        if spots.iter().all(|it| it.y.is_nan()) {
            return Ok(self.nothing());
        }
        let is_stacked = self.plan.is_stacked(self.plan.aggregate.unwrap_or(Aggregate::Sum));
        let tops = match is_area {
            true if is_stacked => stacked(&mut spots, legend.len()),
            true => from_zero(&mut spots, legend.len()),
            false => Vec::new(),
        };
        let is_seen = |it: &&Spot| !it.y.is_nan();
        let range = |of: fn(&Spot) -> f64| {
            let all = spots.iter().filter(is_seen).map(of);
            all.fold((f64::INFINITY, f64::NEG_INFINITY), |it, at| (it.0.min(at), it.1.max(at)))
        };
        let (mut low, mut high) = range(|it| it.y);
        if is_area {
            let tops = || tops.iter().flatten().map(|it| it.2);
            (low, high) = (tops().fold(0.0, f64::min), tops().fold(0.0, f64::max));
        }
        // Lines that are near zero start there.
        if y_unit == Unit::Number && low > 0.0 && low < (high - low) * 0.75 {
            low = 0.0;
        }
        let count = spots.iter().filter(is_seen).count();
        let y_called = match self.plan.aggregate {
            Some(it) => format!("{} of {}", it.name(), y_axis.name),
            None => y_axis.name.to_string(),
        };
        let (across, show): (Across, Box<dyn Fn(f64) -> String>) = match x.values {
            Values::Words { names, .. } => {
                let shown = names.clone();
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a place"
                )]
                let show = move |it: f64| {
                    shown.get(it as usize).map_or(String::new(), ToString::to_string)
                };
                (Across::Words(names), Box::new(show))
            }
            Values::Numbers(_, unit) => {
                let is_nice = self.plan.mark == Mark::Point && unit == Unit::Number;
                let across = Across::Numbers { range: range(|it| it.x), unit, is_nice };
                (
                    across,
                    Box::new(
                        move |it| if unit == Unit::Time { moment_alone(it) } else { plain(it) },
                    ),
                )
            }
        };
        let ends = range(|it| it.x);
        let values = range(|it| it.y);
        let description = format!(
            "A {} of {y_called} by {x_name}: {count} values from {} to {}; {y_called} from {} to {}.{}",
            self.plan.mark.name(),
            show(ends.0),
            show(ends.1),
            plain(values.0),
            plain(values.1),
            in_series(&legend)
        );
        let mut svg = self.start(&description);
        let up = Across::Numbers { range: (low, high), unit: y_unit, is_nice: true };
        let (x_name, y_name) = self.names(x_name, &y_called);
        let (x, y, room) =
            frame::draw(&mut svg, self.plan, (across, up), (&x_name, &y_name), &legend);
        svg.open("class=\"marks\"");
        match self.plan.mark {
            Mark::Point => points(&mut svg, &spots, (&x, &y), &legend, show.as_ref()),
            Mark::Area => areas(&mut svg, &tops, (&x, &y)),
            _ => lines(&mut svg, &spots, (&x, &y), legend.len(), room),
        }
        svg.close();
        let drawn: Vec<Datum> = spots
            .iter()
            .filter(is_seen)
            .take(MOST_DATA)
            .map(|it| Datum { x: show(it.x).into(), y: it.y, series: it.series })
            .collect();
        Ok(Self::finish(svg, &drawn, &legend, (&x_name, &y_name)))
    }

    fn boxes(&self) -> Result<String, OpError> {
        let y_axis = self.axis(self.plan.y()?, false)?;
        let (ys, _) = y_axis.numbers()?;
        let (of, words) = match &self.plan.x {
            Some(x) => self.words(x)?,
            None => (vec![Some(0); ys.len()], vec![Text::from("all")]),
        };
        let mut groups: Vec<Vec<f64>> = vec![Vec::new(); words.len()];
        for (place, y) in of.iter().zip(ys).filter(|it| !it.1.is_nan()) {
            if let Some(place) = place {
                groups[*place].push(*y);
            }
        }
        for it in &mut groups {
            it.sort_by(f64::total_cmp);
        }
        let all = || groups.iter().flatten().copied();
        if all().next().is_none() {
            return Ok(self.nothing());
        }
        let range = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        let x_called = self.plan.x.as_deref().unwrap_or_default();
        let medians: Vec<(Text, f64)> = words
            .iter()
            .zip(&groups)
            .filter(|it| !it.1.is_empty())
            .map(|(word, it)| (word.clone(), quantile(it, 0.5)))
            .collect();
        let called = format!("median of {}", y_axis.name);
        let mut svg = self.start(&described(self.plan, &called, x_called, &medians, &[]));
        let (x_name, y_name) = self.names(x_called, &y_axis.name);
        let up = Across::Numbers { range, unit: Unit::Number, is_nice: true };
        let axes = (Across::Words(words.clone()), up);
        let (x, y, _) = frame::draw(&mut svg, self.plan, axes, (&x_name, &y_name), &[]);
        svg.open("class=\"marks\"");
        for (at, values) in groups.iter().enumerate().filter(|it| !it.1.is_empty()) {
            one_box(&mut svg, values, (&x, &y), at, &words[at]);
        }
        svg.close();
        let data: Vec<Datum> =
            medians.into_iter().map(|(x, y)| Datum { x: x.into(), y, series: 0 }).collect();
        Ok(Self::finish(svg, &data, &[], (&x_name, &called)))
    }

    fn histogram(&self) -> Result<String, OpError> {
        let x_name = self.plan.x()?;
        let axis = self.axis(x_name, false)?;
        let (xs, unit) = axis.numbers()?;
        let (series, legend) = self.colors()?;
        let mut sorted: Vec<f64> = xs.iter().copied().filter(|it| !it.is_nan()).collect();
        sorted.sort_by(f64::total_cmp);
        let (Some(low), Some(high)) = (sorted.first().copied(), sorted.last().copied()) else {
            return Ok(self.nothing());
        };
        let step = bin(&sorted, unit);
        let first = (low / step).floor();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most some hundred bins"
        )]
        let place = |it: f64| ((it / step).floor() - first).clamp(0.0, 400.0) as usize;
        let bins = place(high) + 1;
        let mut counts = vec![vec![0_usize; legend.len()]; bins];
        for (x, series) in xs.iter().zip(&series).filter(|it| !it.0.is_nan()) {
            counts[place(*x)][*series] += 1;
        }
        let highest = counts.iter().map(|it| it.iter().sum::<usize>()).max().unwrap_or(0);
        let show = |it: f64| if unit == Unit::Time { moment_alone(it) } else { plain(it) };
        let start = |at: usize| (first + as_float(at)) * step;
        let median = quantile(&sorted, 0.5);
        let description = format!(
            "A histogram of {x_name}: {} values from {} to {}, median {}, in {bins} bins of {}.{}",
            sorted.len(),
            show(low),
            show(high),
            show(median),
            if unit == Unit::Time { format!("{} s", plain(step)) } else { plain(step) },
            in_series(&legend)
        );
        let mut svg = self.start(&description);
        let (x_name, y_name) = self.names(x_name, "number of rows");
        let across = Across::Numbers { range: (start(0), start(bins)), unit, is_nice: false };
        let up =
            Across::Numbers { range: (0.0, as_float(highest)), unit: Unit::Number, is_nice: true };
        let (x, y, _) = frame::draw(&mut svg, self.plan, (across, up), (&x_name, &y_name), &legend);
        svg.open("class=\"marks\"");
        let mut data = Vec::new();
        for (at, counts) in counts.iter().enumerate() {
            let (left, right) = (x.place(start(at)), x.place(start(at + 1)));
            let mut base = 0;
            for (series, count) in counts.iter().enumerate().filter(|it| *it.1 > 0) {
                let (bottom, top) = (y.place(as_float(base)), y.place(as_float(base + count)));
                let range = format!("{} to {}", show(start(at)), show(start(at + 1)));
                let tip = tip(&range, &legend, series, &count.to_string());
                let wide = (right - left - 1.0).max(0.5);
                svg.rect(
                    &format!("s{series}"),
                    (left + 0.5, bottom),
                    (wide, top - bottom),
                    Some(&tip),
                );
                data.push(Datum { x: show(start(at)).into(), y: as_float(*count), series });
                base += count;
            }
        }
        svg.close();
        Ok(Self::finish(svg, &data, &legend, (&x_name, &y_name)))
    }

    fn heatmap(&self) -> Result<String, OpError> {
        let (x_name, y_name) = (self.plan.x()?, self.plan.y()?);
        let (of, across) = self.words(x_name)?;
        let (down_of, down) = self.words(y_name)?;
        let (numbers, called) = match &self.plan.color {
            None => (None, "number of rows".to_owned()),
            Some(name) => {
                let aggregate = self.plan.aggregate.unwrap_or(Aggregate::Mean);
                let axis = self.axis(name, false)?;
                (Some(axis.numbers()?.0.to_vec()), format!("{} of {name}", aggregate.name()))
            }
        };
        let aggregate = match numbers {
            None => Aggregate::Count,
            Some(_) => self.plan.aggregate.unwrap_or(Aggregate::Mean),
        };
        let rows: Vec<usize> = down_of.iter().map(|it| it.unwrap_or(usize::MAX)).collect();
        let mut cells = Self::grouped(&of, &rows, numbers.as_deref(), aggregate);
        cells.retain(|key, it| key.1 != usize::MAX && !it.is_nan());
        if cells.is_empty() {
            return Ok(self.nothing());
        }
        let low = cells.values().copied().fold(f64::INFINITY, f64::min);
        let high = cells.values().copied().fold(f64::NEG_INFINITY, f64::max);
        let description = format!(
            "A heat map of {called} by {x_name} and {y_name}: {} cells, from {} (light) to {} (strong).",
            cells.len(),
            plain(low),
            plain(high)
        );
        let mut svg = self.start(&description);
        let (x_called, y_called) = self.names(x_name, y_name);
        let axes = (Across::Words(across.clone()), Across::Words(down.clone()));
        let shown = format!("{y_called}   (colour: {called}, {} to {})", plain(low), plain(high));
        let (x, y, _) = frame::draw(&mut svg, self.plan, axes, (&x_called, &shown), &[]);
        let (wide, tall) = (x.band(), y.band());
        svg.open("class=\"marks\"");
        let mut data = Vec::new();
        for ((column, row), value) in &cells {
            let share = if high > low { (value - low) / (high - low) } else { 1.0 };
            let at = (
                x.place(as_float(*column)) - wide / 2.0 + 0.5,
                y.place(as_float(*row)) - tall / 2.0 + 0.5,
            );
            let tip = (cells.len() <= 4 * MOST_TIPS)
                .then(|| format!("{}, {}: {}", across[*column], down[*row], plain(*value)));
            svg.shade(at, ((wide - 1.0).max(0.5), (tall - 1.0).max(0.5)), share, tip.as_deref());
            data.push(Datum { x: across[*column].clone().into(), y: *value, series: *row });
        }
        svg.close();
        Ok(Self::finish(svg, &data, &down, (&x_called, &called)))
    }

    fn arcs(&self) -> Result<String, OpError> {
        let x = self.plan.x()?;
        let axis = self.axis(x, true)?;
        let (series, words) = series(Some(&axis), self.table.len(), SERIES);
        let (numbers, aggregate, called) = self.measured()?;
        let of: Vec<Option<usize>> = vec![Some(0); series.len()];
        let groups = Self::grouped(&of, &series, numbers.as_deref(), aggregate);
        if let Some(((_, at), value)) = groups.iter().find(|it| *it.1 < 0.0) {
            let message = format!("a pie chart cannot show {} of `{}`", plain(*value), words[*at]);
            return Err(OpError::invalid_input(message).help("draw a bar chart"));
        }
        let total: f64 = groups.values().sum();
        if total <= 0.0 || !total.is_finite() {
            return Ok(self.nothing());
        }
        let parts: Vec<(usize, f64)> = groups.iter().map(|(key, it)| (key.1, *it)).collect();
        let shown: Vec<Text> = words
            .iter()
            .enumerate()
            .map(|(at, word)| {
                let value = parts.iter().find(|it| it.0 == at).map_or(0.0, |it| it.1);
                format!("{word} {:.1} %", value / total * 100.0).into()
            })
            .collect();
        let totals: Vec<(Text, f64)> =
            parts.iter().map(|(at, value)| (words[*at].clone(), *value)).collect();
        let mut svg = self.start(&described(self.plan, &called, x, &totals, &[]));
        let top = frame::heading(&mut svg, self.plan, &shown);
        let radius = (self.plan.width.min(self.plan.height - top) / 2.0 - 14.0).max(5.0);
        let middle = (self.plan.width / 2.0, top + (self.plan.height - top) / 2.0);
        svg.open("class=\"marks\"");
        let mut turned = 0.0;
        for (at, value) in &parts {
            let share = value / total;
            let tip = format!("{}: {} ({:.1} %)", words[*at], plain(*value), share * 100.0);
            let class = format!("s{at} edge");
            if share > 0.999_999 {
                svg.circle(&class, middle, radius, Some(&tip));
            } else {
                svg.path(&class, &sector(middle, radius, turned, turned + share), Some(&tip));
            }
            turned += share;
        }
        svg.close();
        let data: Vec<Datum> =
            totals.into_iter().map(|(x, y)| Datum { x: x.into(), y, series: 0 }).collect();
        Ok(Self::finish(svg, &data, &[], (x, &called)))
    }
}
