"""Five agents in svc and in LangGraph, with the same scripted model: lines, time a turn, and what
happens at a cap and at a kill.

    python3 -m venv /tmp/peer
    /tmp/peer/bin/pip install langchain langgraph langgraph-checkpoint-sqlite langchain-openai
    cargo build --release
    python3 benches/agents/compare.py target/release/svc /tmp/peer/bin/python
"""

import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).parent
AGENTS = ["count", "typed", "both", "write", "docs"]
PORT = 18765
TURNS = 40
KILLS = 20
PRICES = """version = "bench"
[models]
"openai/count:40" = { input = 3, output = 15 }
"openai/*" = { input = 0, output = 0 }
"""
svc, python = (str(pathlib.Path(it).absolute()) for it in sys.argv[1:3])


def environment(kind, turns, **more):
    base = f"http://127.0.0.1:{PORT}/v1"
    own = {"SVC_MODEL": f"openai/{kind}:{turns}", "MODEL": f"{kind}:{turns}", "QUESTION": "Go on."}
    keys = {"OPENAI_BASE_URL": base, "OPENAI_API_KEY": "a-key-of-the-benchmark", "SVC_PRICES": "prices.toml"}
    quiet = {"LANGSMITH_TRACING": "false", "PYTHONDONTWRITEBYTECODE": "1"}
    return {**os.environ, **own, **keys, **quiet, **more}


def command(agent, kind, *more):
    if kind == "svc":
        return [svc, "run", f"{agent}.svc", "-p", "question=Go on.", "--store", "runs.db", *more]
    return [python, f"{agent}.py"]


def place(agent):
    folder = pathlib.Path(tempfile.mkdtemp())
    for name in ("svc", "python"):
        for file in (HERE / name).iterdir():
            text = file.read_text()
            if agent == "write":
                text = text.replace("(tools: [note],", "(tools: [note], approve: false,")
                text = re.sub(r"middleware=\[asks\], ", "", text)
            if file.is_file():
                (folder / file.name).write_text(text)
    (folder / "prices.toml").write_text(PRICES)
    (folder / "docs").symlink_to(HERE.parent.parent / "docs")
    return folder


def asked():
    with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/") as answer:
        return json.load(answer)


def timed(agent, kind, turns):
    folder, best = place(agent), None
    model = "both" if agent == "both" else "count"
    for _ in range(3):
        for old in ("notes.txt", "runs.sqlite"):
            (folder / old).unlink(missing_ok=True)
        asked()
        start = time.perf_counter()
        run = subprocess.run(
            command(agent, kind), cwd=folder, env=environment(model, turns), capture_output=True
        )
        took = time.perf_counter() - start
        if run.returncode:
            sys.exit(f"{agent} {kind}: {run.stderr.decode()[-2000:]}")
        wanted = list(range(1, turns + 2))
        assert sorted(asked()) == wanted, f"{agent} {kind}: other turns"
        if agent == "write":
            assert lines(folder / "notes.txt") == turns, f"{kind}: other notes"
        best = min(best or took, took)
    return best


def lines(path):
    return sum(1 for it in path.read_text().splitlines() if it.strip())


def speed():
    print("| Agent | Lines: svc | LangGraph | A turn: svc | LangGraph | Start: svc | LangGraph |")
    print("|---|---|---|---|---|---|---|")
    shared = lines(HERE / "python" / "common.py")
    for agent in AGENTS:
        row = []
        for kind in ("svc", "python"):
            one, many = timed(agent, kind, 1), timed(agent, kind, TURNS)
            row.append(((many - one) / (TURNS - 1), one))
        (turn, start), (peer_turn, peer_start) = row
        own = lines(HERE / "svc" / f"{agent}.svc")
        peer = lines(HERE / "python" / f"{agent}.py") + shared
        ms = lambda it: f"{it * 1000:.1f} ms"
        print(f"| {agent} | {own} | {peer} | {ms(turn)} | {ms(peer_turn)} | {ms(start)} | {ms(peer_start)} |")


def cap():
    folder = place("count")
    asked()
    run = subprocess.run(
        command("count", "svc", "--max-cost", "$0.25"),
        cwd=folder, env=environment("count", TURNS), capture_output=True, text=True,
    )
    made = len(asked())
    print(f"\nsvc under --max-cost $0.25, {TURNS} turns wanted: {made} requests, ${made * 0.0006:.4f} spent, exit {run.returncode}")
    print("  " + next(it for it in run.stderr.splitlines() if "error[" in it).strip())
    text = (folder / "count.py").read_text().replace("ask(create", "ask(agent=create").replace("[count]))", "[count]), recursion_limit=20)")
    (folder / "count.py").write_text(text)
    run = subprocess.run(
        command("count", "python"), cwd=folder, env=environment("count", TURNS),
        capture_output=True, text=True,
    )
    print(f"LangGraph with recursion_limit 20 (it has no cap of cost): {len(asked())} requests, exit {run.returncode}")
    print("  " + run.stderr.strip().splitlines()[-1][:160])


def kills(kind):
    """Kills runs at random moments; returns those that did not end, and what was done twice."""
    chance, failed, repeated, doubled, kept = random.Random(7), 0, 0, 0, 0
    whole = timed("write", kind, 10)
    while kept < KILLS:
        folder = place("write")
        asked()
        run = subprocess.Popen(
            command("write", kind), cwd=folder, env=environment("count", 10),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        time.sleep(chance.uniform(0.2, 1.0) * whole)
        run.send_signal(signal.SIGKILL)
        if run.wait() == 0 or not (folder / "notes.txt").exists():
            continue
        kept += 1
        again = [svc, "resume", "last", "--store", "runs.db"] if kind == "svc" else command("write", kind)
        ended = subprocess.run(again, cwd=folder, env=environment("count", 10), capture_output=True, text=True)
        requests = asked()
        failed += ended.returncode != 0
        repeated += len(requests) - len(set(requests))
        doubled += max(0, lines(folder / "notes.txt") - 10)
    return failed, repeated, doubled


def main():
    server = subprocess.Popen([sys.executable, HERE / "model.py", str(PORT)])
    try:
        time.sleep(1)
        speed()
        cap()
        print("\n| kill -9 at 20 moments, then resume | did not end | turns asked twice | writes made twice |")
        print("|---|---|---|---|")
        for kind, name in (("svc", "svc"), ("python", "LangGraph, SQLite checkpoints")):
            print(f"| {name} | {' | '.join(map(str, kills(kind)))} |")
    finally:
        server.kill()


if __name__ == "__main__":
    main()
