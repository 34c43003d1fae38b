//! Tests of ranks and of correlations.

use super::{Alternative, Outcome, constant, is_rounding, needs, ranks, untestable};
use crate::{
    Trouble,
    describe::{mean, squares},
    dist, float,
};

/// The most pairs of two samples whose exact distribution is computed.
const MOST_EXACT: usize = 100_000_000;

/// The distribution of the sum of a random part of the numbers, as shares.
fn shares_of_sums(numbers: &[usize]) -> Vec<f64> {
    let mut shares = vec![0.0; numbers.iter().sum::<usize>() + 1];
    shares[0] = 1.0;
    let mut reached = 0;
    for it in numbers {
        for at in (0..=reached).rev() {
            shares[at] *= 0.5;
            shares[at + it] += shares[at];
        }
        reached += it;
    }
    shares
}

/// The distribution of Mann and Whitney's U without ties, as shares: the numbers of pairs in which the first one is larger.
fn u_shares(n: usize, m: usize) -> Vec<f64> {
    // The recursion of Mann and Whitney, row by row over the first sample.
    let mut rows: Vec<Vec<f64>> = vec![vec![1.0]; m + 1];
    for i in 1..=n {
        let mut next: Vec<Vec<f64>> = Vec::with_capacity(m + 1);
        next.push(vec![1.0]);
        for j in 1..=m {
            let (p, q) = (float(i) / float(i + j), float(j) / float(i + j));
            let mut own = vec![0.0; i * j + 1];
            rows[j].iter().enumerate().for_each(|(u, it)| own[u + j] += p * it);
            next[j - 1].iter().enumerate().for_each(|(u, it)| own[u] += q * it);
            next.push(own);
        }
        rows = next;
    }
    rows.swap_remove(m)
}

/// Mann and Whitney's test of two samples: exact without ties if one of them has at most 8 numbers.
pub fn mann_whitney(a: &[f64], b: &[f64], side: Alternative) -> Result<Outcome, Trouble> {
    needs("the first sample", a, 1)?;
    needs("the second sample", b, 1)?;
    let (n, m) = (float(a.len()), float(b.len()));
    let (all, ties) = ranks(&[a, b].concat());
    let u = all[..a.len()].iter().sum::<f64>() - n * (n + 1.0) / 2.0;
    let other = n * m - u;
    let far = match side {
        Alternative::TwoSided => u.max(other),
        Alternative::Less => other,
        Alternative::Greater => u,
    };
    let factor = if side == Alternative::TwoSided { 2.0 } else { 1.0 };
    let is_exact = ties == 0.0 && a.len().min(b.len()) <= 8 && a.len().max(b.len()) <= 2_000;
    let p = if is_exact {
        let shares = u_shares(a.len(), b.len());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count of pairs"
        )]
        let from = far.round() as usize;
        factor * shares[from..].iter().rev().sum::<f64>()
    } else {
        let of_ties = ties / ((n + m) * (n + m - 1.0));
        let spread = (n * m / 12.0 * (n + m + 1.0 - of_ties)).sqrt();
        if spread == 0.0 {
            return Err(constant());
        }
        factor * dist::normal_above((far - n * m / 2.0 - 0.5) / spread)
    };
    let how = if is_exact { "exact" } else { "normal approximation" };
    Ok(Outcome {
        method: format!("Mann-Whitney U test, {how}"),
        statistic: u,
        p: p.min(1.0),
        estimate: Some(u / (n * m)),
        effect: Some(("rank_biserial", 2.0 * u / (n * m) - 1.0)),
        ..Outcome::default()
    })
}

/// Wilcoxon's test of pairs; differences of zero are left out.
pub fn wilcoxon(a: &[f64], b: &[f64], side: Alternative) -> Result<Outcome, Trouble> {
    let all: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let has_zeros = all.contains(&0.0);
    let all: Vec<f64> = all.into_iter().filter(|it| *it != 0.0).collect();
    if all.is_empty() {
        return Err(Trouble::new("all pairs are equal, so that nothing can be tested"));
    }
    let n = float(all.len());
    let (ranks, ties) = ranks(&all.iter().map(|it| it.abs()).collect::<Vec<_>>());
    let plus: f64 = ranks.iter().zip(&all).filter(|it| *it.1 > 0.0).map(|it| it.0).sum();
    let whole = n * (n + 1.0) / 2.0;
    let is_exact = all.len() <= if ties == 0.0 && !has_zeros { 50 } else { 13 };
    let (above, below) = if is_exact {
        // Twice the ranks are whole numbers, even with ties.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "small whole numbers"
        )]
        let doubled = |it: f64| (2.0 * it).round() as usize;
        let shares = shares_of_sums(&ranks.iter().map(|it| doubled(*it)).collect::<Vec<_>>());
        let at = doubled(plus);
        (shares[at..].iter().rev().sum(), shares[..=at].iter().sum())
    } else {
        let spread = ((n * (n + 1.0) * (2.0 * n + 1.0) - 0.5 * ties) / 24.0).sqrt();
        let z = (plus - whole / 2.0) / spread;
        (dist::normal_above(z), dist::normal_below(z))
    };
    let how = if is_exact { "exact" } else { "normal approximation" };
    Ok(Outcome {
        method: format!("Wilcoxon's signed-rank test, {how}"),
        statistic: if side == Alternative::TwoSided { plus.min(whole - plus) } else { plus },
        p: side.of_symmetric(above, below),
        effect: Some(("rank_biserial", 2.0 * plus / whole - 1.0)),
        ..Outcome::default()
    })
}

/// Kruskal and Wallis's test of two groups or more.
pub fn kruskal(groups: &[Vec<f64>]) -> Result<Outcome, Trouble> {
    if groups.len() < 2 {
        return Err(Trouble::new(format!("expected at least two groups, found {}", groups.len())));
    }
    let (all, ties) = ranks(&groups.concat());
    let n = float(all.len());
    let correction = 1.0 - ties / (n * n * n - n);
    if correction <= 0.0 || all.len() < 2 {
        return Err(constant());
    }
    let mut from = 0;
    let mut sum = 0.0;
    for group in groups {
        let own = &all[from..from + group.len()];
        from += group.len();
        let total: f64 = own.iter().sum();
        sum += total * total / float(group.len());
    }
    let h = (12.0 / (n * (n + 1.0)) * sum - 3.0 * (n + 1.0)) / correction;
    let df = float(groups.len() - 1);
    Ok(Outcome {
        method: "Kruskal-Wallis test".to_owned(),
        statistic: h,
        df: Some(df),
        p: dist::chi2_above(h, df),
        effect: Some(("epsilon_squared", h / (n - 1.0))),
        ..Outcome::default()
    })
}

/// Kolmogorov and Smirnov's test of two samples. `greater` asks whether the distribution function of the first one is above the other's, which means smaller numbers.
pub fn ks(a: &[f64], b: &[f64], side: Alternative) -> Result<Outcome, Trouble> {
    needs("the first sample", a, 1)?;
    needs("the second sample", b, 1)?;
    let sorted = |it: &[f64]| {
        let mut it = it.to_vec();
        it.sort_by(f64::total_cmp);
        it
    };
    let (a, b) = (sorted(a), sorted(b));
    let (n, m) = (a.len(), b.len());
    let (mut i, mut j) = (0, 0);
    // Differences in units of 1/(n m), which are whole numbers.
    let (mut above, mut below) = (0_i64, 0_i64);
    let signed = |it: usize| i64::try_from(it).unwrap_or(i64::MAX);
    while i < n || j < m {
        let x = match (a.get(i), b.get(j)) {
            (Some(a), Some(b)) => a.min(*b),
            (Some(it), None) | (None, Some(it)) => *it,
            (None, None) => break,
        };
        i += a[i..].iter().take_while(|it| **it <= x).count();
        j += b[j..].iter().take_while(|it| **it <= x).count();
        let off = signed(i * m) - signed(j * n);
        (above, below) = (above.max(off), below.min(off));
    }
    let far = match side {
        Alternative::TwoSided => above.max(-below),
        Alternative::Greater => above,
        Alternative::Less => -below,
    };
    #[expect(clippy::cast_precision_loss, reason = "a share of the pairs")]
    let d = far as f64 / (float(n) * float(m));
    let is_exact = n.saturating_mul(m) <= MOST_EXACT;
    let p = if far == 0 {
        1.0
    } else if is_exact {
        share_of_paths(n, m, far, side == Alternative::TwoSided)
    } else {
        limit(d * (float(n) * float(m) / float(n + m)).sqrt(), side == Alternative::TwoSided)
    };
    let how = if is_exact { "exact" } else { "asymptotic" };
    Ok(Outcome {
        method: format!("Kolmogorov-Smirnov test of two samples, {how}"),
        statistic: d,
        p: p.min(1.0),
        effect: Some(("distance", d)),
        ..Outcome::default()
    })
}

/// The share of the paths from (0, 0) to (n, m) that go at least so far from the diagonal.
///
/// The recursion has only positive terms, so that small shares keep their digits.
fn share_of_paths(n: usize, m: usize, far: i64, is_both: bool) -> f64 {
    let signed = |it: usize| i64::try_from(it).unwrap_or(i64::MAX);
    let mut row = vec![0.0_f64; m + 1];
    for i in 0..=n {
        for j in 0..=m {
            let off = signed(i * m) - signed(j * n);
            let is_far = if is_both { off.abs() >= far } else { off >= far };
            row[j] = if is_far {
                1.0
            } else if i == 0 && j == 0 {
                0.0
            } else {
                let all = float(i + j);
                let from_left = if j > 0 { row[j - 1] * float(j) / all } else { 0.0 };
                let from_above = if i > 0 { row[j] * float(i) / all } else { 0.0 };
                from_left + from_above
            };
        }
    }
    row[m]
}

/// The limit of Kolmogorov and Smirnov for large samples.
fn limit(x: f64, is_both: bool) -> f64 {
    if !is_both {
        return (-2.0 * x * x).exp();
    }
    if x < 0.2 {
        return 1.0;
    }
    let term = |k: i32| {
        let k = f64::from(k);
        2.0 * if k % 2.0 == 1.0 { 1.0 } else { -1.0 } * (-2.0 * k * k * x * x).exp()
    };
    (1..=100).map(term).sum()
}

/// A correlation that differs from 1 or -1 only by the rounding of its computation is that.
fn whole(r: f64) -> f64 {
    if r.abs() > 1.0 - 4.0 * f64::EPSILON { r.signum() } else { r }
}

/// Pearson's correlation of pairs.
pub fn correlation(a: &[f64], b: &[f64], side: Alternative) -> Result<Outcome, Trouble> {
    needs("the pairs", a, 3)?;
    let (ma, mb) = (mean(a), mean(b));
    let (sa, sb) = (squares(a), squares(b));
    match (is_rounding(&[a], sa, ma), is_rounding(&[b], sb, mb)) {
        (false, false) => {}
        (true, true) if a[0] == b[0] => return Err(constant()),
        (true, true) => return Err(untestable("the numbers of both columns are equal")),
        (true, false) => return Err(untestable("the numbers of the first column are equal")),
        (false, true) => return Err(untestable("the numbers of the second column are equal")),
    }
    let sum: f64 = a.iter().zip(b).map(|(a, b)| (a - ma) * (b - mb)).sum();
    let r = whole(sum / (sa.sqrt() * sb.sqrt()));
    let n = float(a.len());
    let df = n - 2.0;
    let t = r * (df / ((1.0 - r) * (1.0 + r))).sqrt();
    let interval = (a.len() > 3 && r.abs() < 1.0).then(|| {
        let half = dist::normal_quantile(0.975) / (n - 3.0).sqrt();
        ((r.atanh() - half).tanh(), (r.atanh() + half).tanh())
    });
    Ok(Outcome {
        method: "Pearson's correlation".to_owned(),
        statistic: t,
        df: Some(df),
        p: side.of_t(t, df),
        estimate: Some(r),
        interval,
        effect: Some(("r", r)),
        ..Outcome::default()
    })
}

/// Spearman's correlation of ranks, with the t approximation.
pub fn spearman(a: &[f64], b: &[f64], side: Alternative) -> Result<Outcome, Trouble> {
    let found = correlation(&ranks(a).0, &ranks(b).0, side)?;
    let effect = found.estimate.map(|it| ("rho", it));
    Ok(Outcome {
        method: "Spearman's correlation of ranks".to_owned(),
        interval: None,
        effect,
        ..found
    })
}
