"""h2o's group-by queries and joins at 1e6 rows: DuckDB, Polars and the ops of `table`.

Needs the packages duckdb and polars, and cargo. Prints a table of seconds, the best of three calls each
with two threads for the peers, and compares the results by rows and checksums.

    python benches/tables/h2o.py FOLDER
"""

import os
import random
import subprocess
import sys
import time

os.environ.setdefault("POLARS_MAX_THREADS", "2")

import duckdb  # noqa: E402
import polars as pl  # noqa: E402

ROWS, K = 1_000_000, 100


def generate(folder):
    """The data of h2o's G1 and J1, from one seed."""
    rng = random.Random(108)
    groups = os.path.join(folder, "groups.csv")
    if not os.path.exists(groups):
        with open(groups, "w") as out:
            out.write("id1,id2,id3,id4,id5,id6,v1,v2,v3\n")
            for _ in range(ROWS):
                out.write(
                    f"id{rng.randint(1, K):03},id{rng.randint(1, K):03},id{rng.randint(1, ROWS // K):010},"
                    f"{rng.randint(1, K)},{rng.randint(1, K)},{rng.randint(1, ROWS // K)},"
                    f"{rng.randint(1, 5)},{rng.randint(1, 15)},{round(rng.uniform(0, 100), 6)}\n"
                )
    small, medium, big = (os.path.join(folder, f"{it}.csv") for it in ("small", "medium", "big"))
    if not os.path.exists(big):
        for path, key, keys in ((small, "id1", [f"id{it:03}" for it in range(1, K + 1)]),):
            with open(path, "w") as out:
                out.write(f"{key},w1\n")
                out.writelines(f"{it},{round(rng.uniform(0, 100), 6)}\n" for it in keys)
        with open(medium, "w") as out:
            out.write("id2,id5,w2\n")
            for it in range(1, K + 1):
                out.write(f"id{it:03},{it},{round(rng.uniform(0, 100), 6)}\n")
        with open(big, "w") as out:
            out.write("id3,w3\n")
            for it in range(1, ROWS // K + 1):
                out.write(f"id{it:010},{round(rng.uniform(0, 100), 6)}\n")
    return groups, small, medium, big


def best(run):
    times, result = [], None
    for _ in range(3):
        start = time.perf_counter()
        result = run()
        times.append(time.perf_counter() - start)
    return min(times), result


SQL = {
    "q1": "SELECT id1, sum(v1) AS v1 FROM x GROUP BY id1",
    "q2": "SELECT id1, id2, sum(v1) AS v1 FROM x GROUP BY id1, id2",
    "q3": "SELECT id3, sum(v1) AS v1, avg(v3) AS v3 FROM x GROUP BY id3",
    "q4": "SELECT id4, avg(v1) AS v1, avg(v2) AS v2, avg(v3) AS v3 FROM x GROUP BY id4",
    "q5": "SELECT id6, sum(v1) AS v1, sum(v2) AS v2, sum(v3) AS v3 FROM x GROUP BY id6",
    "q6": "SELECT id4, id5, quantile_cont(v3, 0.5) AS median, stddev(v3) AS sd FROM x GROUP BY id4, id5",
    "q7": "SELECT id3, max(v1) - min(v2) AS range FROM x GROUP BY id3",
    "q8": "SELECT id6, n, v3 FROM (SELECT id6, v3, row_number() OVER (PARTITION BY id6 ORDER BY v3 DESC) AS n FROM x) WHERE n <= 2",
    "q9": "SELECT id2, id4, pow(corr(v1, v2), 2) AS r2 FROM x GROUP BY id2, id4",
    "q10": "SELECT id1, id2, id3, id4, id5, id6, sum(v3) AS v3, count(*) AS count FROM x GROUP BY ALL",
    "j1": "SELECT x.*, w1 FROM x JOIN small USING (id1)",
    "j2": "SELECT x.*, medium.id5 AS id5_right, w2 FROM x JOIN medium USING (id2)",
    "j3": "SELECT x.*, medium.id5 AS id5_right, w2 FROM x LEFT JOIN medium USING (id2)",
    "j4": "SELECT x.*, medium.id2 AS id2_right, w2 FROM x JOIN medium USING (id5)",
    "j5": "SELECT x.*, w3 FROM x JOIN big USING (id3)",
}


def with_duckdb(files):
    db = duckdb.connect()
    db.execute("SET threads = 2")
    groups, small, medium, big = files
    found = {}
    seconds, _ = best(lambda: db.execute(f"CREATE OR REPLACE TABLE x AS SELECT * FROM read_csv('{groups}')"))
    found["read"] = (seconds, ROWS, None)
    for name, path in (("small", small), ("medium", medium), ("big", big)):
        db.execute(f"CREATE TABLE {name} AS SELECT * FROM read_csv('{path}')")
    for name, sql in SQL.items():
        seconds, _ = best(lambda: db.execute(f"CREATE OR REPLACE TEMP TABLE answer AS {sql}"))
        last = db.execute("SELECT * FROM answer LIMIT 0").description[-1][0]
        rows, total = db.execute(f'SELECT count(*), sum("{last}") FROM answer').fetchone()
        found[name] = (seconds, rows, float(total))
    return found


def with_polars(files):
    groups, *others = files
    seconds, x = best(lambda: pl.read_csv(groups))
    small, medium, big = (pl.read_csv(it) for it in others)
    found = {"read": (seconds, x.height, None)}
    c = pl.col
    queries = {
        "q1": lambda: x.group_by("id1").agg(c("v1").sum()),
        "q2": lambda: x.group_by("id1", "id2").agg(c("v1").sum()),
        "q3": lambda: x.group_by("id3").agg(c("v1").sum(), c("v3").mean()),
        "q4": lambda: x.group_by("id4").agg(c("v1").mean(), c("v2").mean(), c("v3").mean()),
        "q5": lambda: x.group_by("id6").agg(c("v1").sum(), c("v2").sum(), c("v3").sum()),
        "q6": lambda: x.group_by("id4", "id5").agg(c("v3").median().alias("median"), c("v3").std().alias("sd")),
        "q7": lambda: x.group_by("id3").agg((c("v1").max() - c("v2").min()).alias("range")),
        "q8": lambda: x.group_by("id6").agg(c("v3").top_k(2)).explode("v3"),
        "q9": lambda: x.group_by("id2", "id4").agg((pl.corr("v1", "v2") ** 2).alias("r2")),
        "q10": lambda: x.group_by("id1", "id2", "id3", "id4", "id5", "id6").agg(c("v3").sum(), pl.len().alias("count")),
        "j1": lambda: x.join(small, on="id1"),
        "j2": lambda: x.join(medium, on="id2"),
        "j3": lambda: x.join(medium, on="id2", how="left"),
        "j4": lambda: x.join(medium, on="id5"),
        "j5": lambda: x.join(big, on="id3"),
    }
    for name, run in queries.items():
        seconds, answer = best(run)
        found[name] = (seconds, answer.height, float(answer[answer.columns[-1]].sum()))
    return found


def with_svc(files):
    command = ["cargo", "bench", "-q", "--locked", "-p", "svc-data-processing", "--bench", "h2o", "--", *files]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {}
    for line in printed.splitlines():
        name, seconds, rows, total = line.split()
        found[name] = (float(seconds), int(rows), float(total))
    return found


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    files = generate(folder)
    peers = {"DuckDB": with_duckdb(files), "Polars": with_polars(files), "table": with_svc(files)}
    print("| Query | DuckDB | Polars | `table` | of the better peer |")
    print("|---|---|---|---|---|")
    best_sum = our_sum = 0.0
    for name in ["read", *SQL]:
        duck, pola, ours = (peers[it][name] for it in peers)
        better = min(duck[0], pola[0])
        print(f"| {name} | {duck[0]:.3f} | {pola[0]:.3f} | {ours[0]:.3f} | {ours[0] / better:.2f} |")
        if name != "read":
            best_sum, our_sum = best_sum + better, our_sum + ours[0]
            for it, other in (("DuckDB", duck), ("Polars", pola)):
                same = other[1] == ours[1] and abs(other[2] - ours[2]) <= max(1e-3, 1e-6 * abs(ours[2]))
                if not same:
                    print(f"differs from {it}: {name}: {other[1:]} {ours[1:]}", file=sys.stderr)
    print(f"| sum | | | {our_sum:.3f} | {our_sum / best_sum:.2f} |")


if __name__ == "__main__":
    main()
