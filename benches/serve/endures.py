"""What a server must bear: kill -9, half-open connections, readers, overload, reloads.

    python3 endures.py SVC [kill] [half] [readers] [overload] [reload]

Prints what was measured and fails if a promise is broken. SVC is the binary.
"""

import collections
import http.client
import json
import os
import random
import signal
import socket
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from compare import ROLES, Server, memory

STEPS = 5
SCRIPTS = {
    "step": 'svc 1\n\nparam tag: string = "a"\nparam log: path = "/log"\n\n"${tag} 1" >> append_file(to: log)'
    + "".join(f'\n  >> pause(text: "${{tag}} {n}") >> append_file(to: log)' for n in range(2, STEPS + 1))
    + "\n\nflow pause(log: path, text: string) -> string { text >> wait(duration: 30ms) }\n",
    "sleepy": "svc 1\n\nparam time: duration = 3s\n\n1 >> wait(duration: time)\n",
    "burn": 'svc 1\n\nrange(1, 10000) >> each { show >> hash } >> join(sep: "") >> hash\n',
}


def ask(server, method, path, body=None, key=None, headers=(), timeout=60):
    """The status, the headers and the body of an answer; the status is 0 without an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout)
    head = {"Content-Type": "application/json", **dict(headers)}
    if key:
        head["Authorization"] = f"Bearer {key}"
    try:
        connection.request(method, path, None if body is None else json.dumps(body), head)
        answer = connection.getresponse()
        text = answer.read()
        is_json = "json" in answer.headers.get("Content-Type", "")
        return answer.status, answer.headers, json.loads(text) if is_json else text
    except (OSError, http.client.HTTPException):
        return 0, {}, {}
    finally:
        connection.close()


def kill(server, rounds=100, jobs=6):
    """Kills the server at random moments: no acknowledged job is lost, no write is made twice."""
    key, total, of_run, refused = server.key(), collections.Counter(), {}, set()
    log = server.data / "owners/o/files/log"
    lines = lambda: collections.Counter(log.read_text().split("\n") if log.exists() else [])

    def submit(tag):
        body = {"job": "step", "input": {"tag": tag}}
        head = {"Idempotency-Key": tag}.items()
        return ask(server, "POST", "/tools/job_submit", body, key, head)[2].get("job_id")

    def look(job):
        return ask(server, "POST", "/tools/job_get_result", {"job_id": job, "wait": "0s"}, key)[2]

    def answer_questions():
        for one in ask(server, "GET", "/approvals?state=open", key=key)[2].get("approvals", []):
            tag, number = of_run[one["run_id"]], (one["path"] + "#1").split("#")[1]
            happened = lines()[f"{tag} {number}"] > 0
            total["in doubt"] += 1
            if happened:
                refused.add(tag)
            ask(server, "POST", f"/approvals/{one['id']}", {"approve": not happened}, key)

    server.start()
    for number in range(rounds):
        tags = [f"{number}.{job}" for job in range(jobs)]
        with ThreadPoolExecutor(jobs) as pool:
            futures = [pool.submit(submit, tag) for tag in tags]
            time.sleep(random.random() * 0.8)
            server.end(signal.SIGKILL)
        first = [it.result() for it in futures]
        server.start()
        again = {}
        for tag, before in zip(tags, first):
            while not (job := submit(tag)):
                time.sleep(0.1)
            assert before in (None, job), f"{tag} is {before} and {job}"
            total["acknowledged"] += before is not None
            again[tag] = job
            of_run[look(job)["run_id"]] = tag
        for tag, job in again.items():
            until = time.time() + 60
            while True:
                view = look(job)
                if view["state"] in ("ok", "failed", "cancelled", "stuck"):
                    break
                assert time.time() < until, f"lost: {view}"
                answer_questions()
                time.sleep(0.05)
            total[view["state"]] += 1
            assert view["state"] == "ok" or tag in refused, view
            assert tag in refused or all(lines()[f"{tag} {n}"] == 1 for n in range(1, STEPS + 1))
    twice = [line for line, count in lines().items() if line and count > 1]
    print(f"kill -9 x {rounds}: {dict(total)}, {sum(lines().values())} lines, twice: {twice}")
    assert not twice


def half(server, many=10_000):
    """Connections without a request cost little, keep no one out, and are closed after 10 s."""
    server.start()
    files, before = os.listdir(f"/proc/{server.pid}/fd"), memory(server.pid)
    all_ = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(many)]
    for it in all_:
        it.sendall(b"GET /health HT")
    more = memory(server.pid) - before
    answered = [ask(server, "GET", "/health", timeout=5)[0] for _ in range(20)]
    time.sleep(11)
    left = len(os.listdir(f"/proc/{server.pid}/fd")) - len(files)
    print(f"{many} half-open: +{more:.1f} MiB, others {set(answered)}, files left after 11 s: {left}")
    assert more < 60 and set(answered) == {200} and abs(left) <= 2


def readers(server, many=1000):
    """Readers of events cost little while nothing happens, and each gets the end."""
    from compare import used

    server.start()
    before = memory(server.pid)
    body, head = {"time": "15s"}, {"Prefer": "respond-async"}.items()
    runs = [ask(server, "POST", "/scripts/sleepy", body, headers=head)[2]["run_id"] for _ in range(4)]
    time.sleep(1)
    ends = collections.Counter()

    def read(run):
        ends["event: result" in str(ask(server, "GET", f"/runs/{run}/events")[2])] += 1

    threads = [threading.Thread(target=read, args=[runs[n % len(runs)]]) for n in range(many)]
    for it in threads:
        it.start()
    time.sleep(4)
    start, more = used(server.pid), memory(server.pid) - before
    time.sleep(5)
    share = (used(server.pid) - start) / 5
    for it in threads:
        it.join()
    print(f"{many} readers: +{more:.1f} MiB, {share:.2%} of a core, ends {dict(ends)}")
    assert more < 60 and share < 0.02 and ends == {True: many}


def overload(server, seconds=10):
    """Ten times the capacity: at least 80 % of it is answered, and the rest is refused at once."""
    server.start()

    def rate(threads, pause):
        seen, until, live = collections.Counter(), time.time() + seconds, []

        def one():
            while time.time() < until:
                status, head, _ = ask(server, "POST", "/scripts/burn", {})
                seen[status, head.get("Retry-After")] += 1
                time.sleep(pause if status == 503 else 0)

        all_ = [threading.Thread(target=one) for _ in range(threads)]
        for it in all_:
            it.start()
        while time.time() < until:
            begun = time.time()
            assert ask(server, "GET", "/health/live")[0] == 200
            live.append(time.time() - begun)
            time.sleep(0.1)
        for it in all_:
            it.join()
        return seen, max(live)

    calm, _ = rate(16, 0)
    pressed, slowest = rate(600, 0.3)
    share = pressed[200, None] / calm[200, None]
    print(f"overload: {dict(calm)} then {dict(pressed)}: {share:.0%}, live within {slowest * 1e3:.0f} ms")
    assert share >= 0.8 and set(pressed) <= {(200, None), (503, "1")}


def reload(server, many=1000):
    """Reloads, some of a broken file, while calls go on: no call fails."""
    key, admin, seen, going = server.key(), server.key("admin"), collections.Counter(), [True]
    server.start()

    def calls():
        while going:
            body = {"op": "upper", "params": {"text": "a"}}
            seen[ask(server, "POST", "/invoke/text", body, key)[0]] += 1

    thread = threading.Thread(target=calls)
    thread.start()
    said = collections.Counter()
    for number in range(many):
        new, broken = server.data / "access.new", number % 7 == 3
        new.write_text("version = 2" if broken else ROLES + f'note = "{number}"\n')
        new.replace(server.data / "access.toml")
        if number % 2:
            server.process.send_signal(signal.SIGHUP)
            time.sleep(0.003)
        else:
            status = ask(server, "POST", "/admin/reload-policy", key=admin)[0]
            said[status] += 1
            assert status == (422 if broken else 200)
    going.clear()
    thread.join()
    print(f"{many} reloads: {dict(said)} and signals, calls meanwhile {dict(seen)}")
    assert set(seen) == {200}


if __name__ == "__main__":
    svc, *names = sys.argv[1:]
    for what in [globals()[it] for it in names] or [kill, half, readers, overload, reload]:
        with tempfile.TemporaryDirectory() as folder:
            server = Server(svc, f"{folder}/svc", SCRIPTS)
            what(server)
            assert server.end(signal.SIGTERM) == 0
