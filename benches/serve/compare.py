"""Requests per second of processor time, next to FastAPI and LangServe in the same run.

    python3 -m venv .venv && .venv/bin/pip install fastapi uvicorn uvloop httptools "langserve[server]"
    .venv/bin/python compare.py SVC        # SVC: the binary; needs wrk, taskset and two cores

Servers have core 0, wrk has core 1.
"""

import hashlib
import hmac
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECONDS, CONNECTIONS = int(os.environ.get("SECONDS", "10")), 64
SCRIPTS = {
    "upper": 'svc 1\n\nparam text: string = "a"\n\ntext >> upper\n',
    "chain": 'svc 1\n\nparam text: string = "a"\n\n'
    'text >> upper >> split(sep: " ") >> reverse >> join(sep: "-")\n',
}
ROLES = """version = 1
[roles.builder]
per_minute = 1000000
burst = 1000000
per_day = 1000000000
at_once = 1000
[roles.admin]
per_minute = 1000000
burst = 1000000
"""
TICKS = os.sysconf("SC_CLK_TCK")


def used(pid):
    """The processor time of a process, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(pid):
    """The resident memory of a process, in MiB."""
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) / 1024


class Server:
    """`svc serve` over a folder of scripts, with a data folder and a store below `folder`."""

    def __init__(self, svc, folder, scripts, *args, core=None):
        self.svc, self.folder, self.args = svc, Path(folder), args
        self.data, self.scripts, self.core = self.folder / "data", self.folder / "scripts", core
        self.data.mkdir(parents=True)
        self.scripts.mkdir()
        (self.data / "access.toml").write_text(ROLES)
        for name, text in scripts.items():
            (self.scripts / f"{name}.svc").write_text(text)

    def key(self, role="builder"):
        issue = [self.svc, "keys", "issue", "--owner", "o", "--role", role, "--data", self.data]
        return subprocess.run(issue, check=True, capture_output=True, text=True).stdout.strip()

    def start(self):
        log, pinned = self.folder / "log", [] if self.core is None else ["taskset", "-c", self.core]
        command = [*pinned, self.svc, "serve", self.scripts, "--bind", "127.0.0.1:0", *self.args]
        command += ["--data", self.data, "--store", self.folder / "runs.db"]
        with log.open("wb") as out:
            self.process = subprocess.Popen(command, stdout=out, stderr=out)
        while not (found := re.search(r"listening at http://127.0.0.1:(\d+)", log.read_text())):
            assert self.process.poll() is None, log.read_text()
            time.sleep(0.002)
        self.port, self.pid = int(found[1]), self.process.pid
        return self

    def end(self, how):
        self.process.send_signal(how)
        return self.process.wait(30)


def peers():
    """The same endpoints in FastAPI: an HMAC of the key against a table; and two runnables."""
    from fastapi import Depends, FastAPI, Header, HTTPException
    from langchain_core.runnables import RunnableLambda
    from langserve import add_routes
    from pydantic import BaseModel

    pepper, secret = b"p" * 32, os.environ["PEER_KEY"]
    macs = {secret[:12]: hmac.new(pepper, secret.encode(), hashlib.sha256).digest()}
    ops = {("text", "upper"): lambda text: text.upper()}
    app = FastAPI()

    class Invoke(BaseModel):
        op: str = "infer"
        params: dict = {}

    async def caller(authorization: str = Header()):
        key = authorization.removeprefix("Bearer ")
        mac = hmac.new(pepper, key.encode(), hashlib.sha256).digest()
        if not hmac.compare_digest(macs.get(key[:12], b""), mac):
            raise HTTPException(401, "invalid API key")

    @app.get("/health")
    async def health():
        return {"ok": True, "status": "ok"}

    @app.get("/components")
    async def components(_: None = Depends(caller)):
        return {"ok": True, "components": [name for name, _ in ops]}

    @app.post("/invoke/{component}")
    async def invoke(component: str, body: Invoke, _: None = Depends(caller)):
        return {"ok": True, "result": ops[component, body.op](**body.params)}

    steps = [str.upper, lambda it: it.split(" "), lambda it: it[::-1], "-".join]
    chain = RunnableLambda(steps[0])
    add_routes(app, chain.with_types(input_type=str, output_type=str), path="/upper")
    for step in steps[1:]:
        chain = chain | RunnableLambda(step)
    add_routes(app, chain.with_types(input_type=str, output_type=str), path="/chain")
    return app


def load(pid, port, path, key, body=None):
    """Requests of a kind for some seconds: (per second, per second of processor, p99 in ms)."""
    lines = [f'wrk.path = "{path}"', f'wrk.headers["Authorization"] = "Bearer {key}"']
    if body is not None:
        lines += ['wrk.method = "POST"', 'wrk.headers["Content-Type"] = "application/json"']
        lines += [f"wrk.body = '{json.dumps(body)}'"]
    lines += ['done = function(s, l) io.write(string.format("N %d %d %d %d\\n", s.requests, '
              "s.duration, l:percentile(99), s.errors.status)) end"]
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write("\n".join(lines))
        script.flush()
        wrk = ["taskset", "-c", "1", "wrk", "-t1", f"-c{CONNECTIONS}", "-s", script.name]
        subprocess.run([*wrk, "-d2s", f"http://127.0.0.1:{port}"], capture_output=True)
        before = used(pid)
        out = subprocess.run([*wrk, f"-d{SECONDS}s", f"http://127.0.0.1:{port}"],
                             capture_output=True, text=True).stdout
        took = used(pid) - before
    requests, micros, p99, wrong = map(int, re.search(r"N (\d+) (\d+) (\d+) (\d+)", out).groups())
    assert not wrong, f"{wrong} of {requests} failed"
    return requests / micros * 1e6, requests / took, p99 / 1e3


def main(svc):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(svc, f"{folder}/svc", SCRIPTS, core="0")
        key = server.key()
        server.start()
        env = {**os.environ, "PEER_KEY": "peer_0123456789_" + "x" * 32}
        uvicorn = ["taskset", "-c", "0", sys.executable, "-m", "uvicorn", "--factory", "compare:peers"]
        uvicorn += ["--port", "8101", "--loop", "uvloop", "--http", "httptools", "--no-access-log"]
        peer = subprocess.Popen([*uvicorn, "--log-level", "warning"], env=env,
                                cwd=Path(__file__).parent, stdout=subprocess.DEVNULL)
        time.sleep(4)
        invoke = {"op": "upper", "params": {"text": "hello"}}
        text, given = {"text": "hello big world"}, {"input": "hello big world"}
        steps = [("text", "upper", text), ("text", "split", {"sep": " "}),
                 ("list", "reverse", {}), ("text", "join", {"sep": "-"})]
        steps = {"steps": [dict(component=c, op=o, params=p) for c, o, p in steps]}
        rows = [
            ("health", ("/health",), ("/health",)),
            ("invoke, key and audit", ("/invoke/text", invoke), ("/invoke/text", invoke)),
            ("list", ("/components",), ("/components",)),
            ("pipeline of 4 steps", ("/pipeline", steps), ("/chain/invoke", given)),
            ("script of 4 steps, recorded", ("/scripts/chain", text), ("/chain/invoke", given)),
            ("script of 1 step, recorded", ("/scripts/upper", text), ("/upper/invoke", given)),
        ]
        print(f"{'':28}  svc/s  p99 ms  svc/CPU-s  peer/CPU-s  times")
        for name, (path, *own), (other, *theirs) in rows:
            rate, mine, p99 = load(server.pid, server.port, path, key, *own)
            _, peers_, _ = load(peer.pid, 8101, other, env["PEER_KEY"], *theirs)
            print(f"{name:28}{rate:7.0f}{p99:8.1f}{mine:11.0f}{peers_:12.0f}{mine / peers_:7.1f}", flush=True)
        peer.terminate()
        print("exit code", server.end(15))


if __name__ == "__main__":
    main(*sys.argv[1:])
