"""Compares the front of quality and speed of `svc bias evolve --weights` with that of NSGA-II.

    venv/bin/pip install blake3 numpy pymoo recordlinkage
    venv/bin/python benches/optimize/peers/front.py SVC classes

Both have the same cases and begin with the defaults, and may try as many candidates. pymoo's NSGA-II
measures each on the training and validation cases of the evolution, and its front is of all that it
tried. The params of both fronts are then measured again: the quality on these cases and on unseen
ones, and the time as the least of three runs, as `seconds` of the clock and as `used` ones of the
processor. What is printed is the hypervolume, where 0 and 1 are the best and the worst quality and
time of all fronts of all seeds, and the reference point is 1.1; then how many points a front has.
The interval is that of Student's t over the seeds.
"""

import json
import math
import pathlib
import resource
import tempfile
import time

import numpy as np
from cases import SETTINGS
from compare import Component, arguments, is_log, report

REFERENCE = 1.1


def front_of_svc(component, budget, seed):
    """The params of the front of an evolution."""
    common = ["--evaluations", str(budget), "--seed", str(seed)]
    component.call(
        "bias", "evolve", component.name, *common, "--weights", "quality=1,speed=1"
    )
    found = json.loads(component.call("bias", "frontier", component.name, "--json"))
    params = [it["bias"]["evolvable_params"] for it in found]
    return [{name: it["value"] for name, it in own.items()} for own in params]


def front_of_pymoo(component, budget, seed):
    """The params that no others beat, of all that NSGA-II tried."""
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.core.problem import ElementwiseProblem
    from pymoo.optimize import minimize
    from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

    tried = {}

    class Problem(ElementwiseProblem):
        def __init__(self):
            super().__init__(n_var=len(component.params), n_obj=2, xl=0.0, xu=1.0)

        def _evaluate(self, x, out):
            point = decoded(component.params, x)
            key = json.dumps(point)
            if key not in tried:
                quality, seconds = measured(component, point, component.seen)
                tried[key] = (point, (1 - quality, seconds))
            out["F"] = tried[key][1]

    first = np.random.default_rng(seed).random((12, len(component.params)))
    first[0] = encoded(component.params, component.defaults)
    algorithm = NSGA2(pop_size=12, sampling=first)
    minimize(Problem(), algorithm, ("n_eval", budget), seed=seed)
    points = list(tried.values())
    best = NonDominatedSorting().do(
        np.array([it[1] for it in points]), only_non_dominated_front=True
    )
    return [points[it][0] for it in best]


def decoded(params, x):
    """The params of a point in the unit cube."""
    point = {}
    for (name, it), share in zip(params.items(), x):
        low, high, share = it["min"], it["max"], float(share)
        if it["type"] == "int":
            point[name] = min(int(low + share * (high + 1 - low)), high)
        elif is_log(it):
            point[name] = math.exp(math.log(low) + share * math.log(high / low))
        else:
            point[name] = low + share * (high - low)
    return point


def encoded(params, point):
    shares = []
    for name, it in params.items():
        low, high, value = it["min"], it["max"], point[name]
        if it["type"] == "int":
            shares.append((value + 0.5 - low) / (high + 1 - low))
        elif is_log(it):
            shares.append(math.log(value / low) / math.log(high / low))
        else:
            shares.append((value - low) / (high - low))
    return shares


def measured(component, params, cases, runs=1, clock=time.monotonic):
    """The quality, and the time for each case, the least of several runs."""
    seconds = math.inf
    for _ in range(runs):
        begun = clock()
        quality = component.scores(params, cases).mean()
        seconds = min(seconds, clock() - begun)
    return quality, seconds / len(cases)


def processor():
    """The time of the processor that the processes which ended have used, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


METHODS = {"ours": front_of_svc, "pymoo nsga2": front_of_pymoo}


def main():
    args = arguments(__doc__, seeds=5, evaluations=60).parse_args()
    for setting in args.settings:
        name, make = SETTINGS[setting]
        found = []
        for seed in range(1, args.seeds + 1):
            own, unseen = make(seed)
            for method, front in METHODS.items():
                with tempfile.TemporaryDirectory() as folder:
                    component = Component(args.svc, name, pathlib.Path(folder), own)
                    points = front(component, args.evaluations, seed)
                    for params in [component.defaults, *points]:
                        quality, seconds = measured(
                            component, params, component.seen, 3
                        )
                        _, used = measured(
                            component, params, component.seen, 3, processor
                        )
                        line = {"setting": setting, "seed": seed, "method": method}
                        line |= {
                            "params": params,
                            "quality": quality,
                            "seconds": seconds,
                        }
                        line |= {
                            "used": used,
                            "is_default": params is component.defaults,
                        }
                        line["unseen"] = component.scores(params, unseen).mean()
                        found.append(line)
                        if args.log:
                            print(json.dumps(line), file=args.log, flush=True)
        for quality in ("quality", "unseen"):
            for seconds in ("seconds", "used"):
                compared(setting, found, quality, seconds, args.seeds)


def compared(setting, found, quality, seconds, seeds):
    """Prints the hypervolumes by a quality and a time."""
    from pymoo.indicators.hv import HV

    all_points = np.array([(1 - it[quality], it[seconds]) for it in found])
    low, high = all_points.min(axis=0), all_points.max(axis=0)
    scaled = (all_points - low) / np.maximum(high - low, 1e-12)
    volume = HV(ref_point=[REFERENCE, REFERENCE])
    volumes = {it: [] for it in ["default", *METHODS]}
    sizes = {it: [] for it in METHODS}
    for seed in range(1, seeds + 1):
        at = np.array([it["seed"] == seed for it in found])
        is_default = np.array([it["is_default"] for it in found])
        volumes["default"].append(volume(scaled[at & is_default][:1]))
        for method in METHODS:
            own = at & ~is_default & np.array([it["method"] == method for it in found])
            volumes[method].append(volume(scaled[own]))
            sizes[method].append(int(own.sum()))
    print(f"{setting}: {quality} and {seconds}")
    for method, own in volumes.items():
        report(
            setting, method, own, *([np.mean(sizes[method])] if method in sizes else [])
        )
    ours, peer = METHODS
    report(setting, "ours - peer", np.subtract(volumes[ours], volumes[peer]))


if __name__ == "__main__":
    main()
