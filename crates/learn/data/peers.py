"""Writes peers.json: random inputs, and what scipy, statsmodels and lifelines compute from them.

    pip install numpy scipy statsmodels lifelines && python peers.py > peers.json
"""

import json
import sys
import warnings

import numpy as np
import pandas as pd
import scipy.optimize
import scipy.stats as st
import statsmodels.api as sm
import statsmodels.formula.api as smf
from lifelines import CoxPHFitter, KaplanMeierFitter
from lifelines.statistics import multivariate_logrank_test
from statsmodels.stats.meta_analysis import combine_effects
from statsmodels.stats.power import FTestAnovaPower, GofChisquarePower, NormalIndPower, TTestIndPower, TTestPower

warnings.filterwarnings("ignore")
rng = np.random.default_rng(20261126)
SIDES = [("two_sided", "two-sided"), ("less", "less"), ("greater", "greater")]
cases = []


def case(op, given, **want):
    cases.append({"op": op, "given": given, "want": {k: float(v) for k, v in want.items() if np.isfinite(v)}})


def sample(n, ties=False):
    x = rng.normal(rng.normal(), rng.uniform(0.5, 3), n)
    return [float(it) for it in (np.round(x) if ties else np.round(x, 4))]


for name, side in SIDES:
    for n, m, ties in [(5, 7, False), (20, 31, False), (60, 45, True), (8, 40, False), (9, 9, False)]:
        a, b = sample(n, ties), sample(m, ties)
        given = {"a": a, "b": b, "side": name}
        r = st.ttest_ind(a, b, alternative=side)
        case("student", given, statistic=r.statistic, p=r.pvalue, df=r.df)
        r = st.ttest_ind(a, b, equal_var=False, alternative=side)
        case("welch", given, statistic=r.statistic, p=r.pvalue, df=r.df)
        r = st.mannwhitneyu(a, b, alternative=side)
        case("mann_whitney", given, statistic=r.statistic, p=r.pvalue)
        r = st.ks_2samp(a, b, alternative=side)
        case("ks", given, statistic=r.statistic, p=r.pvalue)
        given = {"a": a, "mean": 0.4, "side": name}
        r = st.ttest_1samp(a, 0.4, alternative=side)
        case("one_sample", given, statistic=r.statistic, p=r.pvalue)
    for n, ties in [(6, False), (12, True), (25, False), (40, True), (80, False)]:
        a, b = sample(n, ties), sample(n, ties)
        given = {"a": a, "b": b, "side": name}
        r = st.ttest_rel(a, b, alternative=side)
        case("paired", given, statistic=r.statistic, p=r.pvalue)
        r = st.wilcoxon(a, b, alternative=side)
        case("wilcoxon", given, statistic=r.statistic, p=r.pvalue)
        r = st.pearsonr(a, b, alternative=side)
        ci = st.pearsonr(a, b).confidence_interval()
        case("correlation", given, estimate=r.statistic, p=r.pvalue, low=ci.low, high=ci.high)
        r = st.spearmanr(a, b, alternative=side)
        case("spearman", given, estimate=r.statistic, p=r.pvalue)
    for _ in range(4):
        t = rng.integers(1, 25, (2, 2)).tolist()
        r = st.fisher_exact(t, alternative=side)
        case("fisher", {"table": t, "side": name}, statistic=r.statistic, p=r.pvalue)

for n in [3, 4, 5, 6, 11, 12, 50, 400]:
    a = sample(n)
    r = st.shapiro(a)
    case("shapiro", {"a": a}, statistic=r.statistic, p=r.pvalue)
for k in [2, 3, 5]:
    groups = [sample(int(rng.integers(4, 15)), k == 3) for _ in range(k)]
    r = st.f_oneway(*groups)
    case("anova", {"groups": groups}, statistic=r.statistic, p=r.pvalue)
    r = st.kruskal(*groups)
    case("kruskal", {"groups": groups}, statistic=r.statistic, p=r.pvalue)
for shape in [(2, 2), (2, 3), (4, 3)]:
    t = rng.integers(3, 40, shape).tolist()
    r = st.chi2_contingency(t)
    case("chi2_table", {"groups": t}, statistic=r.statistic, p=r.pvalue, df=r.dof)
t = rng.integers(3, 40, 6).tolist()
r = st.chisquare(t)
case("chi2_fit", {"a": t}, statistic=r.statistic, p=r.pvalue)

# Describe.
for n in [2, 10, 101]:
    a = sample(n)
    half = st.t.interval(0.95, n - 1, np.mean(a), st.sem(a))
    case("describe", {"a": a}, mean=np.mean(a), sd=np.std(a, ddof=1), low=half[0], high=half[1],
         q1=np.quantile(a, 0.25), median=np.median(a), skewness=st.skew(a), kurtosis=st.kurtosis(a))

# Regression.
n = 60
frame = pd.DataFrame({
    "x": np.round(rng.normal(2, 1.5, n), 3),
    "z": np.round(rng.uniform(0.1, 5, n), 3),
    "g": rng.choice(["red", "green", "blue"], n),
})
eta = 0.4 + 0.6 * frame.x - 0.3 * frame.z + (frame.g == "red") * 0.5
frame["y"] = np.round(eta + rng.normal(0, 0.7, n), 4)
frame["b"] = (rng.uniform(size=n) < 1 / (1 + np.exp(-eta))).astype(int)
frame["c"] = rng.poisson(np.exp(eta / 2))
columns = {name: frame[name].tolist() for name in frame}
FORMULAS = ["x", "x + z + g", "x * z", "x:g + np.log(z)", "g - 1", "x + I(x**2) + np.sqrt(z)", "x + z - 1"]
for text in FORMULAS:
    ours = text.replace("np.", "").replace("**", "^")
    for response, family in [("y", "gaussian"), ("b", "binomial"), ("c", "poisson")]:
        formula = f"{response} ~ {text}"
        if family == "gaussian":
            r = smf.ols(formula, frame).fit()
        else:
            f = sm.families.Binomial() if family == "binomial" else sm.families.Poisson()
            r = smf.glm(formula, frame, family=f).fit(tol=1e-14, maxiter=200)
        want = {"aic": r.aic, "log_likelihood": r.llf, "df": r.df_resid}
        if family == "gaussian":
            want |= {"r2": r.rsquared, "adjusted_r2": r.rsquared_adj, "f": r.fvalue, "f_p": r.f_pvalue, "bic": r.bic}
            if text == "g - 1":  # statsmodels finds the constant in the categories; the R2 differs
                for it in ["r2", "adjusted_r2", "f", "f_p"]:
                    want.pop(it)
        else:
            want |= {"deviance": r.deviance}
        # By sorted values: the order of the terms differs.
        order = np.argsort(r.params.to_numpy())
        for at, idx in enumerate(order):
            ci = r.conf_int().to_numpy()[idx]
            want |= {f"b{at}": r.params.iloc[idx], f"se{at}": r.bse.iloc[idx], f"p{at}": r.pvalues.iloc[idx],
                     f"low{at}": ci[0], f"high{at}": ci[1]}
        case("regress", {"formula": f"{response} ~ {ours}", "family": family}, **want)

# Power.
for alpha in [0.01, 0.05]:
    for effect in [0.2, 0.5, 0.9]:
        for n in [5, 30, 200]:
            case("power", {"test": "t", "effect": effect, "n": n, "alpha": alpha},
                 power=TTestIndPower().power(effect, n, alpha))
            case("power", {"test": "one", "effect": effect, "n": n, "alpha": alpha},
                 power=TTestPower().power(effect, n, alpha))
            case("power", {"test": "anova", "effect": effect, "n": n, "alpha": alpha},
                 power=FTestAnovaPower().power(effect, 4 * n, alpha, k_groups=4))
            case("power", {"test": "proportions", "effect": effect, "n": n, "alpha": alpha},
                 power=NormalIndPower().power(effect, n, alpha))
            case("power", {"test": "chi2", "effect": effect, "n": n, "alpha": alpha},
                 power=GofChisquarePower().power(effect, n, alpha, n_bins=4))

# Survival.
for n in [30, 90]:
    time = np.ceil(rng.weibull(1.2, n) * 20)
    event = (rng.uniform(size=n) < 0.7).astype(int)
    age, dose = np.round(rng.normal(50, 9, n), 1), np.round(rng.uniform(0, 3, n), 2)
    group = rng.choice(3, n)
    given = {"time": time.tolist(), "event": event.tolist()}
    km = KaplanMeierFitter().fit(time, event)
    ci = km.confidence_interval_
    for at in [5, 12, 25]:
        low, high = ci[ci.index <= at].iloc[-1]
        case("kaplan_meier", given | {"at": at}, survival=km.predict(at), low=low, high=high)
    case("median", given, median=km.median_survival_time_)
    r = multivariate_logrank_test(time, group, event)
    case("log_rank", given | {"group": group.tolist()}, statistic=r.test_statistic, p=r.p_value)
    frame = pd.DataFrame({"time": time, "event": event, "age": age, "dose": dose})
    cox = CoxPHFitter().fit(frame, "time", "event", fit_options={"precision": 1e-12})
    case("cox", given | {"age": age.tolist(), "dose": dose.tolist()},
         age=cox.params_["age"], dose=cox.params_["dose"], se_age=cox.standard_errors_["age"],
         se_dose=cox.standard_errors_["dose"], log_likelihood=cox.log_likelihood_, concordance=cox.concordance_index_)

# Meta-analysis; the restricted likelihood is maximised by scipy.
for n in [3, 8, 20]:
    effects = np.round(rng.normal(0.3, 0.4, n), 3)
    errors = np.round(rng.uniform(0.1, 0.5, n), 3)
    given = {"effects": effects.tolist(), "errors": errors.tolist()}
    r = combine_effects(effects, errors**2, method_re="dl")
    case("meta", given | {"model": "fixed"}, estimate=r.mean_effect_fe, error=r.sd_eff_w_fe, q=r.q)
    if r.tau2 >= 0:  # statsmodels goes on with a negative variance, where DerSimonian and Laird take zero
        case("meta", given | {"model": "dl"}, estimate=r.mean_effect_re, error=r.sd_eff_w_re, tau2=r.tau2)

    def loss(tau2):
        w = 1 / (errors**2 + tau2)
        mean = (w * effects).sum() / w.sum()
        return 0.5 * (-np.log(w).sum() + np.log(w.sum()) + (w * (effects - mean) ** 2).sum())

    best = scipy.optimize.minimize_scalar(loss, bounds=(0, 4), method="bounded", options={"xatol": 1e-13})
    tau2 = best.x if best.fun < loss(0) - 1e-12 else 0.0
    w = 1 / (errors**2 + tau2)
    case("meta", given | {"model": "reml"}, estimate=(w * effects).sum() / w.sum(), error=1 / np.sqrt(w.sum()))

json.dump({"columns": columns, "cases": cases}, sys.stdout, separators=(",", ":"))
