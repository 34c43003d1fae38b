//! What a chart shows, in words.

use svc_contract::value::Text;

use super::{plan::Plan, scale::plain};

/// The text under the pointer.
pub(super) fn tip(name: &str, legend: &[Text], series: usize, value: &str) -> String {
    if legend.len() > 1 {
        format!("{name}, {}: {value}", legend[series])
    } else {
        format!("{name}: {value}")
    }
}

pub(super) fn in_series(legend: &[Text]) -> String {
    if legend.len() < 2 {
        return String::new();
    }
    format!(
        " {} series: {}.",
        legend.len(),
        legend.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    )
}

/// What a chart of words shows, in a sentence or two; all values if they are few.
pub(super) fn described(
    plan: &Plan,
    called: &str,
    x: &str,
    values: &[(Text, f64)],
    legend: &[Text],
) -> String {
    const FEW: usize = 12;
    let by = if x.is_empty() { String::new() } else { format!(" by {x}") };
    let start = format!("A {} of {called}{by}", plan.mark.name());
    let of = |it: &(Text, f64)| format!("{} {}", it.0, plain(it.1));
    if values.len() <= FEW {
        let all: Vec<String> = values.iter().map(of).collect();
        return format!("{start}: {}.{}", all.join(", "), in_series(legend));
    }
    let low = values.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let high = values.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let (low, high) = (low.map(of).unwrap_or_default(), high.map(of).unwrap_or_default());
    format!(
        "{start}: {} values, the least is {low}, the greatest {high}.{}",
        values.len(),
        in_series(legend)
    )
}
