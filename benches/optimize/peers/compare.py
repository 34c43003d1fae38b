"""Compares `svc bias evolve` with random search, Optuna's TPE and SMAC on components, in one run.

    python3 -m venv venv && venv/bin/pip install blake3 numpy optuna smac recordlinkage
    venv/bin/python benches/optimize/peers/compare.py SVC search-cranfield classes summaries

All have the same cases, begin with the defaults and may try as many candidates. A peer tries each on the
training and validation cases of the evolution, and its best one is taken. Each seed has other cases to
tune on. What is printed is the gain over the defaults on unseen cases, with the interval of Student's t over
the seeds and the number of seeds whose own interval (paired bootstrap over the cases) is above and below 0.
With `--apply`, what `svc bias apply` refuses counts as no gain.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import tempfile

import numpy as np
from blake3 import blake3
from cases import SETTINGS

HERE = pathlib.Path(__file__).parent

# The 97.5 % quantiles of Student's t with so many degrees of freedom.
T = {
    1: 12.706,
    2: 4.303,
    3: 3.182,
    4: 2.776,
    5: 2.571,
    6: 2.447,
    7: 2.365,
    8: 2.306,
    9: 2.262,
}


class Component:
    """A component in a folder of its own, with the cases that it is tuned on."""

    def __init__(self, svc, name, folder, cases, draw=0):
        self.svc, self.name, self.folder = svc, name, folder
        self.env = {
            **os.environ,
            "XDG_DATA_HOME": str(folder / "data"),
            "NO_COLOR": "1",
        }
        (folder / "cases").mkdir(parents=True)
        with open(folder / "cases" / f"{name}.jsonl", "w", encoding="utf-8") as file:
            file.writelines(json.dumps(it) + "\n" for it in cases)
        self.params = json.loads(self.call("bias", "snapshot", "--json"))["snapshot"][
            name
        ]
        self.params = self.params["evolvable_params"]
        self.defaults = {name: it["value"] for name, it in self.params.items()}
        seen = [it for it in cases if part(name, it, draw) != "sealed"]
        counts = json.loads(self.call("bias", "cases", name, "--json"))
        assert counts["train"] + counts["validation"] == len(seen), (counts, len(seen))
        self.seen = seen

    def call(self, *args, check=True):
        args = ["nice", "-n", "15", self.svc, *args]
        done = subprocess.run(
            args,
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        if check and done.returncode:
            raise RuntimeError(done.stderr[:2000])
        return done.stdout

    def scores(self, params, cases):
        """The score of each case under changed defaults."""
        file = self.folder / "asked.jsonl"
        with open(file, "w", encoding="utf-8") as out:
            out.writelines(json.dumps(it["input"]) + "\n" for it in cases)
        tune = [f"--tune={self.name}.{name}={value}" for name, value in params.items()]
        script = str(HERE / f"{self.name}.svc")
        found = json.loads(
            self.call("run", script, "-p", f"cases={file}", "--json", *tune)
        )
        return np.array([score(it, case) for it, case in zip(found, cases)])

    def evolved(self, budget, seed, applies):
        """What an evolution proposes; the defaults if it proposes nothing better or that is refused."""
        common = [
            "--evaluations",
            str(budget),
            "--seed",
            str(seed),
            "--output",
            "better.json",
        ]
        self.call("bias", "evolve", self.name, *common)
        if applies:
            applied = self.call(
                "bias", "apply", self.name, "better.json", "--json", check=False
            )
            if not json.loads(applied)["applied"]:
                return dict(self.defaults)
        found = json.loads((self.folder / "better.json").read_text())[
            "evolvable_params"
        ]
        return {name: it["value"] for name, it in found.items()}


def part(component, case, draw):
    """The part of the cases that a case is in: as `crates/bias/src/cases.rs` draws it."""
    kind, text = ("script", case["script"]) if "script" in case else ("op", "infer")
    args = json.dumps(
        dict(sorted(case["input"].items())), ensure_ascii=False, separators=(",", ":")
    )
    digest = blake3()
    for it in (kind, text, args):
        digest.update(len(it.encode()).to_bytes(8, "little"))
        digest.update(it.encode())
    salted = blake3(derive_key_context="svc 2026 parts of the cases")
    salted.update(component.encode() + draw.to_bytes(8, "little") + digest.digest())
    share = int.from_bytes(salted.digest()[24:32], "little") / (2**64 - 1)
    return "sealed" if share < 0.35 else "validation" if share < 0.5 else "train"


def score(found, case):
    if case["score"] == "value":
        return float(found)
    if case["score"] == "contains":
        text = json.dumps(found, ensure_ascii=False).lower()
        return float(np.mean([it.lower() in text for it in set(case["expected"])]))
    if case["score"] == "f1":
        found, wanted = set(found), set(case["expected"])
        both = len(found) + len(wanted)
        return 2 * len(found & wanted) / both if both else 1.0
    grades = case["expected"]
    gain = sum(
        grades.get(it, 0) / math.log2(at + 2) for at, it in enumerate(found[:10])
    )
    best = sorted(grades.values(), reverse=True)[:10]
    return gain / sum(it / math.log2(at + 2) for at, it in enumerate(best))


def is_log(param):
    return (
        param["type"] == "float"
        and param["min"] > 0
        and param["max"] / param["min"] > 100
    )


def random_search(component, quality, budget, seed):
    rng = np.random.default_rng(seed)
    for _ in range(budget):
        point = {}
        for name, it in component.params.items():
            low, high = it["min"], it["max"]
            if it["type"] == "int":
                point[name] = int(rng.integers(low, high + 1))
            elif is_log(it):
                point[name] = float(np.exp(rng.uniform(np.log(low), np.log(high))))
            else:
                point[name] = float(rng.uniform(low, high))
        quality(point)


def tpe(component, quality, budget, seed):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True)
    study = optuna.create_study(sampler=sampler, direction="maximize")
    study.enqueue_trial(component.defaults)

    def objective(trial):
        point = {}
        for name, it in component.params.items():
            if it["type"] == "int":
                point[name] = trial.suggest_int(name, it["min"], it["max"])
            else:
                point[name] = trial.suggest_float(
                    name, it["min"], it["max"], log=is_log(it)
                )
        return quality(point)

    study.optimize(objective, n_trials=budget + 1)


def smac(component, quality, budget, seed):
    from ConfigSpace import Configuration, ConfigurationSpace, Float, Integer
    from smac import HyperparameterOptimizationFacade, Scenario

    space = ConfigurationSpace(seed=seed)
    for name, it in component.params.items():
        bounds, default = (it["min"], it["max"]), it["value"]
        if it["type"] == "int":
            space.add(Integer(name, bounds, default=default))
        else:
            space.add(Float(name, bounds, default=default, log=is_log(it)))
    with tempfile.TemporaryDirectory() as folder:
        scenario = Scenario(
            space,
            deterministic=True,
            n_trials=budget + 1,
            seed=seed,
            output_directory=folder,
        )
        start = [Configuration(space, values=component.defaults)]
        design = HyperparameterOptimizationFacade.get_initial_design(
            scenario, additional_configs=start
        )
        HyperparameterOptimizationFacade(
            scenario,
            lambda config, seed=0: 1 - quality(dict(config)),
            initial_design=design,
            overwrite=True,
            logging_level=False,
        ).optimize()


PEERS = {"random": random_search, "optuna tpe": tpe, "smac": smac}


def best_of(peer, component, budget, seed):
    """The best of the candidates of a peer, on all cases that an evolution sees; the defaults are one."""
    tried = [(component.scores({}, component.seen).mean(), dict(component.defaults))]
    known = {json.dumps(component.defaults): tried[0][0]}

    def quality(point):
        # Python's own numbers, which are written as JSON; an int may be numpy's.
        point = {
            name: it.item() if hasattr(it, "item") else it for name, it in point.items()
        }
        key = json.dumps({name: point[name] for name in component.params})
        if key not in known:
            known[key] = component.scores(point, component.seen).mean()
            tried.append((known[key], point))
        return known[key]

    peer(component, quality, budget, seed)
    return max(tried, key=lambda it: it[0])[1]


def interval(differences, seed=0):
    """The mean with its paired bootstrap."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, len(differences), (10_000, len(differences)))
    low, high = np.quantile(differences[drawn].mean(axis=1), [0.025, 0.975])
    return low, high


def arguments(description, seeds, evaluations):
    """The arguments of a comparison."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("svc", type=os.path.abspath)
    parser.add_argument("settings", nargs="+", choices=list(SETTINGS))
    parser.add_argument("--seeds", type=int, default=seeds)
    parser.add_argument("--evaluations", type=int, default=evaluations)
    parser.add_argument("--log", type=argparse.FileType("a"))
    return parser


def main():
    parser = arguments(__doc__, seeds=10, evaluations=30)
    parser.add_argument("--only", default=",".join(["ours", *PEERS]))
    parser.add_argument("--apply", action="store_true")
    args = parser.parse_args()
    for setting in args.settings:
        name, make = SETTINGS[setting]
        gains = {it: [] for it in args.only.split(",")}
        signs = {it: [0, 0] for it in gains}
        # The unseen cases are the same ones for each seed.
        default = None
        for seed in range(1, args.seeds + 1):
            own, unseen = make(seed)
            for method, all_gains in gains.items():
                with tempfile.TemporaryDirectory() as folder:
                    component = Component(args.svc, name, pathlib.Path(folder), own)
                    if method == "ours":
                        params = component.evolved(args.evaluations, seed, args.apply)
                    else:
                        params = best_of(
                            PEERS[method], component, args.evaluations, seed
                        )
                    if default is None:
                        default = component.scores({}, unseen)
                    differences = component.scores(params, unseen) - default
                low, high = interval(differences)
                all_gains.append(differences.mean())
                signs[method][0] += low > 0
                signs[method][1] += high < 0
                line = {
                    "setting": setting,
                    "seed": seed,
                    "method": method,
                    "params": params,
                }
                line |= {
                    "default": default.mean(),
                    "gain": differences.mean(),
                    "low": low,
                }
                if args.log:
                    print(json.dumps(line | {"high": high}), file=args.log, flush=True)
        for method, own in gains.items():
            report(setting, method, own, *signs[method])
        for method, own in gains.items():
            if method != "ours" and "ours" in gains:
                report(setting, f"ours - {method}", np.subtract(gains["ours"], own))


def report(setting, method, gains, above="", below=""):
    count = len(gains)
    error = np.std(gains, ddof=1) / math.sqrt(count) if count > 1 else math.nan
    width = T.get(count - 1, 2.0) * error
    print(
        f"{setting:18} {method:18} {np.mean(gains):+.4f} ± {width:.4f}  {above} {below}"
    )


if __name__ == "__main__":
    main()
