//! Draws single marks: lines, areas, points, boxes, sectors.

use std::fmt::Write as _;

use svc_contract::value::Text;

use super::{
    frame::{Placed, Room},
    marks::{MOST_TIPS, Spot},
    plan::quantile,
    scale::{as_float, plain},
    svg::{Svg, short},
    words::tip,
};

/// More points than this in a series are thinned: of each pixel column the first, the least, the
/// greatest and the last stay, so that the line looks the same.
const MANY: usize = 4_000;

pub(super) fn lines(
    svg: &mut Svg,
    spots: &[Spot],
    (x, y): (&Placed, &Placed),
    series: usize,
    room: Room,
) {
    for of in 0..series {
        let own: Vec<(f64, f64)> = spots
            .iter()
            .filter(|it| it.series == of)
            .map(|it| (x.place(it.x), if it.y.is_nan() { f64::NAN } else { y.place(it.y) }))
            .collect();
        let own = if own.len() > MANY { thinned(&own, room) } else { own };
        let mut path = String::new();
        let mut alone = Vec::new();
        for run in own.split(|it| it.1.is_nan()).filter(|it| !it.is_empty()) {
            if let [one] = run {
                alone.push(*one);
                continue;
            }
            for (at, (x, y)) in run.iter().enumerate() {
                let _ =
                    write!(path, "{}{} {}", if at == 0 { "M" } else { "L" }, short(*x), short(*y));
            }
        }
        if !path.is_empty() {
            svg.path(&format!("line l{of}"), &path, None);
        }
        for it in alone {
            svg.circle(&format!("s{of}"), it, 3.0, None);
        }
    }
}

fn thinned(spots: &[(f64, f64)], room: Room) -> Vec<(f64, f64)> {
    let mut out = Vec::new();
    let column = |it: &(f64, f64)| (it.0 - room.left).floor();
    for same in spots.chunk_by(|a, b| column(a).total_cmp(&column(b)).is_eq()) {
        let seen = || same.iter().enumerate().filter(|it| !it.1.1.is_nan());
        let low = seen().min_by(|a, b| a.1.1.total_cmp(&b.1.1)).map(|it| it.0);
        let high = seen().max_by(|a, b| a.1.1.total_cmp(&b.1.1)).map(|it| it.0);
        let mut kept: Vec<usize> =
            [Some(0), low, high, Some(same.len() - 1)].into_iter().flatten().collect();
        kept.sort_unstable();
        kept.dedup();
        out.extend(kept.into_iter().map(|it| same[it]));
    }
    out
}

pub(super) fn areas(svg: &mut Svg, tops: &[Vec<(f64, f64, f64)>], (x, y): (&Placed, &Placed)) {
    for (of, area) in tops.iter().enumerate().filter(|it| !it.1.is_empty()) {
        let mut path = String::new();
        for (at, (place, _, top)) in area.iter().enumerate() {
            let _ = write!(
                path,
                "{}{} {}",
                if at == 0 { "M" } else { "L" },
                short(x.place(*place)),
                short(y.place(*top))
            );
        }
        for (place, bottom, _) in area.iter().rev() {
            let _ = write!(path, "L{} {}", short(x.place(*place)), short(y.place(*bottom)));
        }
        svg.path(&format!("area s{of}"), &format!("{path}Z"), None);
        if let [(place, bottom, top)] = area[..] {
            let at = (x.place(place) - 2.0, y.place(bottom));
            svg.rect(&format!("s{of}"), at, (4.0, y.place(top) - at.1), None);
        }
    }
}

pub(super) fn points(
    svg: &mut Svg,
    spots: &[Spot],
    (x, y): (&Placed, &Placed),
    legend: &[Text],
    show: &dyn Fn(f64) -> String,
) {
    /// Of points in the same square of so many pixels one is drawn, if there are many.
    const SQUARE: f64 = 2.0;
    let seen: Vec<&Spot> = spots.iter().filter(|it| !it.y.is_nan()).collect();
    let is_many = seen.len() > MANY;
    let radius = if is_many {
        1.5
    } else if seen.len() > MOST_TIPS {
        2.5
    } else {
        4.0
    };
    let mut taken = std::collections::HashSet::new();
    for it in &seen {
        let at = (x.place(it.x), y.place(it.y));
        #[expect(clippy::cast_possible_truncation, reason = "a pixel")]
        let square = ((at.0 / SQUARE) as i32, (at.1 / SQUARE) as i32, it.series);
        if is_many && !taken.insert(square) {
            continue;
        }
        let tip =
            (seen.len() <= MOST_TIPS).then(|| tip(&show(it.x), legend, it.series, &plain(it.y)));
        svg.circle(&format!("dot s{}", it.series), at, radius, tip.as_deref());
    }
}

pub(super) fn one_box(
    svg: &mut Svg,
    sorted: &[f64],
    (x, y): (&Placed, &Placed),
    at: usize,
    name: &str,
) {
    /// The most outliers that are drawn of a box.
    const MOST: usize = 200;
    let (low, median, high) =
        (quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75));
    let reach = 1.5 * (high - low);
    let inside = || sorted.iter().copied().filter(|it| *it >= low - reach && *it <= high + reach);
    let (bottom, top) = (inside().next().unwrap_or(low), inside().next_back().unwrap_or(high));
    let middle = x.place(as_float(at));
    let wide = (x.band() * 0.6).min(70.0);
    let tip = format!(
        "{name}: median {}, half of the values from {} to {}, {} values",
        plain(median),
        plain(low),
        plain(high),
        sorted.len()
    );
    svg.line("rod", (middle, y.place(bottom)), (middle, y.place(low)));
    svg.line("rod", (middle, y.place(high)), (middle, y.place(top)));
    for end in [bottom, top] {
        svg.line("rod", (middle - wide / 4.0, y.place(end)), (middle + wide / 4.0, y.place(end)));
    }
    let corner = (middle - wide / 2.0, y.place(high));
    svg.rect("s0 box", corner, (wide, y.place(low) - y.place(high)), Some(&tip));
    svg.line("rod", (corner.0, y.place(median)), (corner.0 + wide, y.place(median)));
    let mut last = f64::NAN;
    let far = sorted.iter().filter(|it| **it < bottom || **it > top);
    for value in far.take(MOST) {
        let place = y.place(*value);
        if (place - last).abs() >= 1.0 || last.is_nan() {
            svg.circle("s0", (middle, place), 2.5, None);
            last = place;
        }
    }
}

/// A sector between two shares of a turn, clockwise from the top.
pub(super) fn sector((x, y): (f64, f64), radius: f64, from: f64, to: f64) -> String {
    let at = |share: f64| {
        let angle = share * std::f64::consts::TAU;
        (x + radius * angle.sin(), y - radius * angle.cos())
    };
    let (start, end) = (at(from), at(to));
    let is_large = u8::from(to - from > 0.5);
    format!(
        "M{} {}L{} {}A{r} {r} 0 {is_large} 1 {} {}Z",
        short(x),
        short(y),
        short(start.0),
        short(start.1),
        short(end.0),
        short(end.1),
        r = short(radius)
    )
}
