"""Static bounds of svc and of costwright: which programs each certifies, and how tight the bounds are.

    cargo build --locked
    python3 benches/certificates/compare.py target/debug/svc

It installs costwright and LangGraph into a virtual environment in the target folder. Every program
of `python/` stands in `svc/` as a script that does the same. Both run with the same scripted model
where they end without help. The tables are those of docs/bounds.md.
"""

import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).parent.absolute()
PEER = ["costwright==0.2.15", "langgraph==1.2.24", "langchain-openai==1.7.4"]
PORT = 18766
BASE = f"http://127.0.0.1:{PORT}"
INPUTS = json.loads((HERE / "inputs.json").read_text())
# Programs that end without help, and whose library is installed.
RUNS = ["chain", "cycle", "fan_out", "approval", "subgraph", "gate", "parallel", "route", "orchestrate", "improve"]
UNITS = {
    "chain": "two nodes in a line",
    "cycle": "an agent with tools",
    "driver": "a graph started without end",
    "huge": "a limit of 1,000,000",
    "fan_out": "`Send`",
    "approval": "a person approves",
    "subgraph": "a graph in a graph",
    "crew": "CrewAI, two tasks",
    "manager": "CrewAI, hierarchical",
    "turns": "Agents SDK, `max_turns=None`",
    "setting": "Agents SDK, turns of a setting",
    "gate": "LangGraph: prompt chain",
    "parallel": "LangGraph: parallel calls",
    "route": "LangGraph: routing",
    "orchestrate": "LangGraph: orchestrator",
    "improve": "LangGraph: evaluator",
}


def installed():
    """The Python with the peer."""
    place = HERE.parent.parent / "target" / "certificates"
    python = place / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PEER], check=True)
    return python


def billed(mode="usual"):
    """What was billed; the next answers are those of a usual model, or of the worst one."""
    with urllib.request.urlopen(f"{BASE}/{mode}") as answer:
        return json.load(answer)


def environment(folder):
    keys = {"OPENAI_BASE_URL": f"{BASE}/v1", "OPENAI_API_KEY": "a-key-of-the-comparison"}
    own = {"SVC_MODEL": "openai/gpt-5.4-mini", "SVC_PRICES": str(HERE / "prices.toml"), "SVC_STORE": f"{folder}/runs.db"}
    return {**os.environ, **keys, **own, "LANGSMITH_TRACING": "false", "PYTHONDONTWRITEBYTECODE": "1"}


def ran(command, folder, mode="usual"):
    """What a run was billed, and whether it ended well. At its terminal, every answer is `y`."""
    billed(mode)
    terminal, its_end = pty.openpty()
    os.write(terminal, b"y\n")
    done = subprocess.run(command, cwd=folder, env=environment(folder), stdin=its_end, stdout=subprocess.PIPE, stderr=its_end)
    os.close(its_end)
    if done.returncode and mode == "usual":
        sys.exit(f"{command}: {os.read(terminal, 4000).decode()}")
    return billed()


def peer_bounds(python, folder):
    """The category and the bound of each program."""
    check = [python, "-c", "import sys; from costwright.cli import main; sys.exit(main())", "check", folder, "--json"]
    report = json.loads(subprocess.run(check, check=True, capture_output=True, text=True).stdout)
    found = {}
    # The last unit of a file is the outermost graph.
    for unit in sorted(report["units"], key=lambda it: it["span"]["line"]):
        found[unit["file"].removesuffix(".py")] = unit
    return found


def limited(folder):
    """The programs with an explicit limit where they have none."""
    copies = pathlib.Path(tempfile.mkdtemp())
    for file in folder.iterdir():
        text = file.read_text()
        if "recursion_limit" not in text:
            text = text.replace("})[", '}, config={"recursion_limit": 25})[')
        (copies / file.name).write_text(text)
    return copies


def certified(svc, name, folder):
    """The certificate of a script, or why it has none."""
    command = [svc, "certify", HERE / "svc" / f"{name}.svc", *inputs(name)]
    done = subprocess.run(command, cwd=folder, env=environment(folder), capture_output=True, text=True)
    if done.returncode:
        return None, next(it for it in done.stderr.splitlines() if "error" in it)
    return json.loads(done.stdout), None


def number(it):
    return f"{it:,}" if isinstance(it, int) else "-"


def factor(bound, real):
    if not bound or not real:
        return "-"
    times = bound / real
    return f"{times:,.0f}" if times >= 10 else f"{times:.1f}"


def inputs(name):
    return [word for it in INPUTS[name] for word in ("-p", it)]


def measured(svc, python, folder, name):
    """The requests of the program, the certificate of the script, and what its runs are billed."""
    peer = ran([python, HERE / "python" / f"{name}.py"], folder)["requests"] if name in RUNS else None
    certificate, why = certified(svc, name, folder)
    run = [svc, "run", HERE / "svc" / f"{name}.svc", *inputs(name)]
    # A million calls are not made.
    usual, worst = ({}, {}) if name == "huge" else (ran(run, folder), ran(run, folder, "worst"))
    return peer, certificate, why, usual, worst


def certifies(title, unit, limited_unit, certificate, why):
    category = unit["category"].replace("_", " ")
    reason = f", {unit['reasons'][0]}" if unit["reasons"] else ""
    bounds = [number(it["bound"]["node_executions_ceiling"]) for it in (unit, limited_unit)]
    most = certificate and certificate["at_most"]
    ours = [number(most["tokens"]), most["cost"]] if most else [why, "-"]
    return [title, f"{category}{reason}", *bounds, *ours]


def tight(name, unit, limited_unit, peer, certificate, usual, worst):
    nodes = [it["bound"]["node_executions_ceiling"] for it in (unit, limited_unit)]
    most = certificate and certificate["at_most"]["tokens"]
    ours = [factor(most, run.get("tokens")) for run in (usual, worst)]
    return [f"`{name}`", number(usual.get("requests")), *(factor(it, peer) for it in nodes), *ours]


def table(head, rows):
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    print()


def main():
    svc = pathlib.Path(sys.argv[1]).absolute()
    python = installed()
    folder = pathlib.Path(tempfile.mkdtemp())
    plain = peer_bounds(python, HERE / "python")
    bounded = peer_bounds(python, limited(HERE / "python"))
    server = subprocess.Popen([sys.executable, HERE / "model.py", str(PORT)])
    first, second = [], []
    try:
        time.sleep(1)
        for name, title in UNITS.items():
            peer, certificate, why, usual, worst = measured(svc, python, folder, name)
            if peer not in (None, usual.get("requests")):
                sys.exit(f"{name}: {peer} requests in Python, and {usual['requests']} in svc")
            units = (plain[name], bounded[name])
            first.append(certifies(f"`{name}`: {title}", *units, certificate, why))
            if usual:
                second.append(tight(name, *units, peer, certificate, usual, worst))
    finally:
        server.kill()
    table(["Program", "costwright", "nodes at most", "with a limit of 25", "svc: tokens at most", "dollars at most"], first)
    theirs = ["costwright: bound / requests", "the same with a limit of 25"]
    table(["Program", "requests made", *theirs, "svc: bound / tokens, usual model", "bound / tokens, worst model"], second)


if __name__ == "__main__":
    main()
