//! Tests of counts.

use statrs::function::gamma::ln_gamma;

use super::{Alternative, Outcome};
use crate::{Trouble, dist, float};

/// Whether two categories are independent: Pearson's test of a table of counts, with the correction of Yates for two by two.
pub fn chi2_of_table(table: &[Vec<f64>]) -> Result<Outcome, Trouble> {
    let rows: Vec<f64> = table.iter().map(|it| it.iter().sum()).collect();
    let width = table.first().map_or(0, Vec::len);
    let columns: Vec<f64> = (0..width).map(|at| table.iter().map(|it| it[at]).sum()).collect();
    let n: f64 = rows.iter().sum();
    if table.len() < 2 || width < 2 {
        return Err(Trouble::new("each of both columns needs at least two categories")
            .help("give one column for a test of equal frequencies"));
    }
    let df = float(table.len() - 1) * float(width - 1);
    let is_corrected = table.len() == 2 && width == 2;
    let (mut sum, mut plain) = (0.0, 0.0);
    for (row, total) in table.iter().zip(&rows) {
        for (found, of) in row.iter().zip(&columns) {
            let expected = total * of / n;
            let off = (found - expected).abs();
            plain += off * off / expected;
            let off = if is_corrected { off - off.min(0.5) } else { off };
            sum += off * off / expected;
        }
    }
    let least = float(table.len().min(width) - 1);
    let corrected = if is_corrected { ", with the correction of Yates" } else { "" };
    Ok(Outcome {
        method: format!("chi-squared test of independence{corrected}"),
        statistic: sum,
        df: Some(df),
        p: dist::chi2_above(sum, df),
        effect: Some(("cramer_v", (plain / (n * least)).sqrt())),
        ..Outcome::default()
    })
}

/// Whether categories are equally frequent.
pub fn chi2_of_fit(counts: &[f64]) -> Result<Outcome, Trouble> {
    if counts.len() < 2 {
        return Err(Trouble::new("the column has fewer than two categories"));
    }
    let n: f64 = counts.iter().sum();
    let expected = n / float(counts.len());
    let sum: f64 = counts.iter().map(|it| (it - expected).powi(2) / expected).sum();
    let df = float(counts.len() - 1);
    Ok(Outcome {
        method: "chi-squared test of equal frequencies".to_owned(),
        statistic: sum,
        df: Some(df),
        p: dist::chi2_above(sum, df),
        effect: Some(("cohen_w", (sum / n).sqrt())),
        ..Outcome::default()
    })
}

fn ln_choose(n: f64, k: f64) -> f64 {
    ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0)
}

/// Fisher's exact test of a two by two table; the estimate is the odds ratio of the sample.
pub fn fisher(table: [[f64; 2]; 2], side: Alternative) -> Outcome {
    let [[a, b], [c, d]] = table;
    let (row, column, n) = (a + b, a + c, a + b + c + d);
    let low = (row + column - n).max(0.0);
    let high = row.min(column);
    let ln_p = |k: f64| ln_choose(column, k) + ln_choose(n - column, row - k) - ln_choose(n, row);
    let observed = ln_p(a);
    let mut p = 0.0;
    let mut k = low;
    while k <= high {
        let own = ln_p(k);
        let is_extreme = match side {
            Alternative::TwoSided => own <= observed + 1e-7,
            Alternative::Less => k <= a,
            Alternative::Greater => k >= a,
        };
        p += if is_extreme { own.exp() } else { 0.0 };
        k += 1.0;
    }
    let odds = a * d / (b * c);
    Outcome {
        method: "Fisher's exact test".to_owned(),
        statistic: odds,
        p: p.min(1.0),
        estimate: Some(odds),
        effect: Some(("odds_ratio", odds)),
        ..Outcome::default()
    }
}
