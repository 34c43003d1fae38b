"""Compares the optimizers of svc-optimize with pycma, Optuna and pymoo, in one run and with equal budgets.

    python3 -m venv venv && venv/bin/pip install cma pymoo optuna coco-experiment numpy
    cargo build --release -p svc-optimize --example ask_tell
    venv/bin/python benches/optimize/compare.py bbob
    venv/bin/python benches/optimize/compare.py zdt

`bbob`: the 24 functions of COCO, dimensions 2 and 5, instances 1 to 3, 100 evaluations a dimension. The figures are the
shares of problems whose best value is within 10, 0.1, 0.001 and 1e-8 of the optimum. All start in the same point.
`zdt`: ZDT 1 to 4 by NSGA-II, the hypervolume of all evaluated points relative to that of the front.
"""

import argparse
import os
import subprocess
import sys
import warnings

import numpy as np

GAPS = [10, 0.1, 0.001, 1e-8]
TARGET = os.environ.get("CARGO_TARGET_DIR", "target")
BINARY = os.path.join(TARGET, "release", "examples", "ask_tell")


class Driver:
    """One process of the example; a new search for each problem."""

    def __init__(self):
        self.process = subprocess.Popen(
            [BINARY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1 << 16
        )

    def say(self, line):
        self.process.stdin.write(line + "\n")

    def ask(self, count):
        self.say(f"ask {count}")
        self.process.stdin.flush()
        return [[float(it) for it in self.process.stdout.readline().split()] for _ in range(count)]

    def tell(self, point, values):
        values = " ".join(repr(float(it)) for it in np.atleast_1d(values))
        self.say(f"set {' '.join(repr(it) for it in point)} = {values}")

    def minimize(self, name, settings, problem, low, high, start, budget, seed, batch=1):
        dims = " ".join(f"float:{float(lo)!r}:{float(hi)!r}" for lo, hi in zip(low, high))
        start = "" if start is None else " start=" + ",".join(repr(float(it)) for it in start)
        self.say(f"new {name} {seed} {dims}{start} {settings}")
        done = 0
        while done < budget:
            for point in self.ask(min(batch, budget - done)):
                self.tell(point, problem(point))
                done += 1


def pycma(problem, low, high, start, budget, seed):
    import cma

    options = {
        "bounds": [low[0], high[0]],
        "maxfevals": budget,
        "verbose": -9,
        "seed": seed + 1,
    }
    width = high[0] - low[0]
    rng = np.random.default_rng(seed)
    left, runs = budget, 0
    while left > 0 and runs < 9:
        # Restarts with a population twice as large: IPOP, by hand so that the budget is exact.
        n = len(low)
        options["popsize"] = (4 + int(3 * np.log(n))) * 2**runs
        options["maxfevals"] = left
        at = start if runs == 0 else rng.uniform(low, high)
        es = cma.CMAEvolutionStrategy(list(at), 0.2 * width, options)
        while not es.stop() and left > 0:
            asked = es.ask()
            values = [problem(it) for it in asked[:left]]
            left -= len(values)
            if len(values) < len(asked):
                return
            es.tell(asked, values)
        runs += 1


def optuna_tpe(problem, low, high, start, budget, seed):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, multivariate=True))
    study.enqueue_trial({f"x{index}": value for index, value in enumerate(start)})
    study.optimize(
        lambda trial: problem(
            [trial.suggest_float(f"x{index}", low[index], high[index]) for index in range(len(low))]
        ),
        n_trials=budget,
    )


def uniform(problem, low, high, start, budget, seed):
    rng = np.random.default_rng(seed)
    for _ in range(budget):
        problem(rng.uniform(low, high))


def bbob(args):
    import cocoex

    driver = Driver()

    def ours(name, settings="", batch=1):
        def run(problem, low, high, start, budget, seed):
            driver.minimize(name, settings, problem, low, high, start, budget, seed, batch)

        return run

    solvers = {
        "pycma": pycma,
        "ours cma": ours("cma"),
        "ours cma 8 at a time": ours("cma", batch=8),
        "ours cma without model": ours("cma", "model=0"),
        "ours cma without model sigma .2": ours("cma", "model=0 sigma=0.2"),
        "ours cma sigma .2": ours("cma", "sigma=0.2"),
        "ours tpe": ours("tpe"),
        "ours local": ours("local"),
        "ours random": ours("random"),
        "random": uniform,
        "optuna tpe": optuna_tpe,
    }
    names = args.only.split(",") if args.only else list(solvers)
    optima = {}
    suite = cocoex.Suite("bbob", "", "dimensions: 2,5 instance_indices: 1-3")
    print(f"{'':34} {'gap':>6} " + " ".join(f"{it:>6g}" for it in GAPS) + "   D 2 / D 5")
    for name in names:
        gaps = {2: [], 5: []}
        for repeat in range(args.repeats):
            for problem in suite:
                best = [np.inf]
                count = [0]
                budget = args.budget * problem.dimension

                def evaluate(point):
                    value = problem(np.asarray(point))
                    count[0] += 1
                    if count[0] <= budget:
                        best[0] = min(best[0], value)
                    return value

                if problem.id not in optima:
                    optima[problem.id] = optimum(problem)
                rng = np.random.default_rng([repeat, problem.index])
                start = rng.uniform(-4, 4, problem.dimension)
                if args.center:
                    start = np.zeros(problem.dimension)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    solvers[name](
                        evaluate, problem.lower_bounds, problem.upper_bounds, start, budget, repeat
                    )
                gaps[problem.dimension].append(best[0] - optima[problem.id])
        every = np.array(gaps[2] + gaps[5])
        shares = [np.mean(every <= gap) for gap in GAPS]
        parts = [[np.mean(np.array(gaps[it]) <= gap) for gap in GAPS] for it in (2, 5)]
        text = " / ".join(" ".join(f"{it:.2f}" for it in part) for part in parts)
        print(f"{name:34} {'share':>6} " + " ".join(f"{it:6.3f}" for it in shares) + "   " + text)
        if args.functions:
            for function in range(24):
                part = np.array(gaps[5]).reshape(args.repeats, 24, 3)[:, function].ravel()
                print(f"  f{function + 1} D 5: " + " ".join(f"{it:.2g}" for it in sorted(part)))
        sys.stdout.flush()


def optimum(problem):
    """The value of the optimum, from the point that the suite knows."""
    problem._best_parameter("print")
    with open("._bbob_problem_best_parameter.txt") as file:
        point = [float(it) for it in file.read().split()]
    os.remove("._bbob_problem_best_parameter.txt")
    return problem(np.array(point))


def zdt(args):
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.indicators.hv import HV
    from pymoo.optimize import minimize
    from pymoo.problems import get_problem

    driver = Driver()
    print(f"{'':10} {'evaluations':>11} " + f"{'pymoo':>8} {'ours':>8} {'batch 10':>8} {'ours 1':>8}")
    for name in ("zdt1", "zdt2", "zdt3", "zdt4"):
        problem = get_problem(name)
        indicator = HV(ref_point=np.array([args.reference] * 2))
        whole = indicator(problem.pareto_front(1000) if name != "zdt3" else problem.pareto_front())
        low, high = problem.bounds()
        results = {"pymoo": [], 100: [], 10: [], 1: []}
        for seed in range(args.repeats):
            values = []
            evaluate_all = problem._evaluate

            def recording(x, out, *rest, **named):
                evaluate_all(x, out, *rest, **named)
                values.extend(out["F"])

            problem._evaluate = recording
            minimize(problem, NSGA2(pop_size=100), ("n_eval", args.evaluations), seed=seed + 1)
            problem._evaluate = evaluate_all
            results["pymoo"].append(indicator(np.array(values[: args.evaluations])) / whole)
            for batch in (100, 10, 1):
                values = []

                def evaluate(point):
                    value = problem.evaluate(np.array(point))
                    values.append(value)
                    return value

                driver.minimize(
                    "nsga2", "popsize=100", evaluate, low, high, None, args.evaluations, seed, batch
                )
                results[batch].append(indicator(np.array(values)) / whole)
        text = " ".join(f"{np.mean(it):8.3f}" for it in results.values())
        print(f"{name:10} {args.evaluations:11} {text}")
        sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["bbob", "zdt"])
    parser.add_argument("--only", default="")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--budget", type=int, default=100)
    parser.add_argument("--center", action="store_true")
    parser.add_argument("--functions", action="store_true")
    parser.add_argument("--evaluations", type=int, default=10000)
    parser.add_argument("--reference", type=float, default=1.1)
    args = parser.parse_args()
    {"bbob": bbob, "zdt": zdt}[args.what](args)


main()
