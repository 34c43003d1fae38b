"""Ten tasks over a table, with Miller, Nushell and `svc`: the same results, and the time of each.

Needs `mlr` and `nu` (the package `nushell` of npm) in the path, or their paths in MLR and NU, and the path
of `svc` in SVC. Every task is one line; `python benches/tables/tasks.py FOLDER` prints a table of seconds,
the best of three whole processes.

    MLR=mlr NU=node_modules/.bin/nu SVC=target/release/svc python benches/tables/tasks.py FOLDER
"""

import json
import os
import random
import subprocess
import sys
import time

MLR, NU, SVC = (os.environ.get(it.upper(), it) for it in ("mlr", "nu", "svc"))
ROWS = 200_000

# Each: what it does, and how with each program. `t.csv` is the table, `p.csv` has prices.
TASKS = [
    (
        "Rows that meet two conditions, two of their columns",
        """filter '$color == "red" && $quantity > 99' then cut -o -f k,quantity t.csv""",
        """open t.csv | where color == red and quantity > 99 | select k quantity""",
        """table.read(path: "t.csv") >> table.filter(test: "color == 'red' and quantity > 99") >> table.derive(columns: { k: "k", quantity: "quantity" }, only: true)""",
    ),
    (
        "The ten largest, within shapes",
        """sort -f shape -nr quantity then head -n 10 t.csv""",
        """open t.csv | sort-by -r quantity | sort-by shape | first 10""",
        """table.read(path: "t.csv") >> table.sort(by: ["shape", "-quantity"], limit: 10)""",
    ),
    (
        "Mean, least and most by shape",
        """stats1 -a mean,min,max -f quantity -g shape t.csv""",
        """open t.csv | group-by shape --to-table | each {|g| let q = $g.items.quantity; {shape: $g.shape, quantity_mean: ($q | math avg), quantity_min: ($q | math min), quantity_max: ($q | math max)}}""",
        """table.read(path: "t.csv") >> table(by: ["shape"], measures: { quantity_mean: "avg(quantity)", quantity_min: "min(quantity)", quantity_max: "max(quantity)" })""",
    ),
    (
        "A computed column, the five largest of it",
        """filter 'is_not_empty($rate)' then put '$ratio = $quantity / $rate' then sort -nr ratio then head -n 5 then cut -o -f k,ratio t.csv""",
        """open t.csv | where rate != "" and rate != null | insert ratio {|r| $r.quantity / $r.rate} | sort-by ratio | reverse | first 5 | select k ratio""",
        """table.read(path: "t.csv") >> table.filter(test: "not is_null(rate)") >> table.derive(columns: { ratio: "quantity / rate" }) >> table.sort(by: ["-ratio"], limit: 5) >> table.derive(columns: { k: "k", ratio: "ratio" }, only: true)""",
    ),
    (
        "How often each pair occurs",
        """count -g shape,color then sort -f shape,color t.csv""",
        """open t.csv | group-by {|r| $"($r.shape)/($r.color)"} | transpose pair rows | each {|g| {shape: ($g.rows | first | get shape), color: ($g.rows | first | get color), count: ($g.rows | length)}} | sort-by shape color""",
        """table.read(path: "t.csv") >> table(by: ["shape", "color"], measures: { count: "count()" }) >> table.sort(by: ["shape", "color"])""",
    ),
    (
        "A join, and sums of a product",
        """join -j shape -f p.csv then put '$total = $quantity * $price' then stats1 -a sum -f total -g color then sort -f color t.csv""",
        """let p = (open p.csv | transpose -ird); open t.csv | insert total {|r| $r.quantity * ($p | get $r.shape)} | group-by color --to-table | each {|g| {color: $g.color, total_sum: ($g.items.total | math sum)}} | sort-by color""",
        """let p = table.read(path: "p.csv"); table.read(path: "t.csv") >> table.join(other: p, on: ["shape"]) >> table(by: ["color"], measures: { total_sum: "sum(quantity * price)" }) >> table.sort(by: ["color"])""",
    ),
    (
        "The two largest of each shape",
        """top -n 2 -f quantity -g shape -a then cut -o -f shape,k then sort -f shape t.csv""",
        """open t.csv | group-by shape --to-table | each {|g| $g.items | sort-by quantity | last 2 | reverse | select shape k} | flatten | sort-by shape""",
        """table.read(path: "t.csv") >> table.window(partition: ["shape"], order: ["-quantity"], measures: { n: "row_number()" }) >> table.filter(test: "n <= 2") >> table.sort(by: ["shape", "n"]) >> table.derive(columns: { shape: "shape", k: "k" }, only: true)""",
    ),
    (
        "Empty cells as 0, and the sum",
        """put '$rate = is_empty($rate) ? 0 : $rate' then stats1 -a sum -f rate t.csv""",
        """open t.csv | {rate_sum: ($in.rate | each {|r| if ($r | is-empty) { 0 } else { $r }} | math sum)} | [$in]""",
        """table.read(path: "t.csv") >> table(measures: { rate_sum: "sum(rate ?? 0.0)" })""",
    ),
    (
        "Shapes as rows, colours as columns",
        """stats1 -a sum -f quantity -g shape,color then reshape -s color,quantity_sum then sort -f shape t.csv""",
        """open t.csv | group-by shape --to-table | each {|g| $g.items | group-by color --to-table | reduce -f {shape: $g.shape} {|c acc| $acc | insert $c.color ($c.items.quantity | math sum)}} | sort-by shape""",
        """table.read(path: "t.csv") >> table.pivot(rows: ["shape"], columns: "color", values: "quantity") >> table.sort(by: ["shape"])""",
    ),
    (
        "The share of each row in its shape, the three largest",
        """fraction -f quantity -g shape then sort -nr quantity_fraction then head -n 3 then cut -o -f k,quantity_fraction t.csv""",
        """let t = (open t.csv); let s = ($t | group-by shape --to-table | reduce -f {} {|g acc| $acc | insert $g.shape ($g.items.quantity | math sum)}); $t | insert quantity_fraction {|r| $r.quantity / ($s | get $r.shape)} | sort-by quantity_fraction | last 3 | reverse | select k quantity_fraction""",
        """let t = table.read(path: "t.csv"); let s = t >> table(by: ["shape"], measures: { all: "sum(quantity)" }); t >> table.join(other: s, on: ["shape"]) >> table.derive(columns: { quantity_fraction: "quantity / all" }) >> table.sort(by: ["-quantity_fraction"], limit: 3) >> table.derive(columns: { k: "k", quantity_fraction: "quantity_fraction" }, only: true)""",
    ),
]


def generate(folder):
    rng = random.Random(7)
    with open(os.path.join(folder, "t.csv"), "w") as out:
        out.write("color,shape,flag,k,index,quantity,rate\n")
        for row in range(ROWS):
            rate = "" if rng.random() < 0.03 else f"{rng.uniform(0.1, 10):.4f}"
            out.write(
                f"{rng.choice(['red', 'yellow', 'purple', 'blue'])},{rng.choice(['triangle', 'square', 'circle'])},"
                f"{rng.choice(['true', 'false'])},{row + 1},{rng.randrange(100)},{rng.uniform(0, 100):.6f},{rate}\n"
            )
    with open(os.path.join(folder, "p.csv"), "w") as out:
        out.write("shape,price\ntriangle,1.5\nsquare,2.25\ncircle,3.0\n")


def best(command, text, folder):
    seconds, printed = [], ""
    for _ in range(3):
        begun = time.perf_counter()
        ended = subprocess.run(command, input=text, capture_output=True, text=True, cwd=folder)
        seconds.append(time.perf_counter() - begun)
        if ended.returncode:
            return None, ended.stderr.strip()[:400]
        printed = ended.stdout
    return min(seconds), json.loads(printed)


def plain(rows):
    """Rows as sorted pairs, with numbers to nine digits."""
    def cell(it):
        if isinstance(it, bool):
            return str(it).lower()
        try:
            return f"{float(it):.9g}"
        except (TypeError, ValueError):
            return str(it).lower()

    return [sorted((name, cell(it)) for name, it in row.items()) for row in rows]


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    generate(folder)
    print("| Task | Miller | Nushell | svc |")
    print("|---|---|---|---|")
    for name, miller, nushell, script in TASKS:
        found = [
            best(["sh", "-c", f"{MLR} --icsv --ojson {miller}"], None, folder),
            best([NU, "-n", "-c", f"{nushell} | to json"], None, folder),
            best([SVC, "run", "-", "--json", "--no-store"], script.replace("; ", "\n"), folder),
        ]
        cells = []
        for program, (seconds, result) in zip(("Miller", "Nushell", "svc"), found):
            if seconds is None:
                sys.exit(f"{name}: {program}: {result}")
            rows = sorted(plain(result)) if "by shape" in name else plain(result)
            wanted = sorted(plain(found[0][1])) if "by shape" in name else plain(found[0][1])
            if rows != wanted:
                sys.exit(f"{name}: {program} differs:\n{rows[:3]}\n{wanted[:3]}")
            cells.append(f"{seconds:.2f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


main()
