"""Calls of a tool over the standard streams: svc mcp, and a peer.

usage: mcp.py SVC PEER_COMMAND..

Keeps 64 calls going for some seconds, first with one server, then with the other, three times. Prints
calls a second, calls a CPU-second of the server, and the 50th and 99th percentile of the time of a call; then the
same for `tools/list`, also with a folder of 243 generated scripts, each of which is a tool. The peer is
@modelcontextprotocol/server-everything, with its tool `echo`.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time

AT_ONCE = 64
SECONDS = 8
TICKS = os.sysconf("SC_CLK_TCK")


def cpu(pid):
    """The CPU-seconds of a process."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(pid):
    """The resident MiB of a process."""
    with open(f"/proc/{pid}/status") as file:
        line = next(it for it in file if it.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


class Server:
    def __init__(self, command, env=None):
        self.child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **(env or {})},
        )
        self.next = 0
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        }
        self.send("initialize", hello)
        self.read()
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        self.write(json.dumps(note))

    def write(self, text):
        self.child.stdin.write(text.encode() + b"\n")
        self.child.stdin.flush()

    def send(self, method, params):
        self.next += 1
        self.write(json.dumps({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}))
        return self.next

    def read(self):
        """The id of the next answer."""
        while True:
            line = self.child.stdout.readline()
            if not line:
                raise SystemExit("the server has gone")
            message = json.loads(line)
            if "result" in message:
                if message["result"].get("isError"):
                    raise SystemExit(f"the call failed: {line[:300]}")
                return message["id"]
            if "error" in message:
                raise SystemExit(f"the call failed: {line[:300]}")

    def load(self, method, params, at_once=AT_ONCE):
        begun, times, going = {}, [], threading.Event()
        before, start = cpu(self.child.pid), time.monotonic()
        for _ in range(at_once):
            begun[self.send(method, params)] = time.monotonic()
        while begun:
            done = self.read()
            now = time.monotonic()
            times.append(now - begun.pop(done))
            if now - start < SECONDS:
                begun[self.send(method, params)] = now
        took, used = time.monotonic() - start, cpu(self.child.pid) - before
        times.sort()
        at = lambda share: 1000 * times[int(share * (len(times) - 1))]
        return len(times) / took, len(times) / used, at(0.5), at(0.99)

    def end(self):
        self.child.stdin.close()
        self.child.wait(30)


def generated(folder):
    """A folder of 243 scripts with params of several types."""
    os.mkdir(folder)
    for number in range(243):
        kinds = ['string', 'int 0..100 = 5', 'float = 0.5', '[string] = []', '"fast"|"good" = "good"']
        params = [f"# What the {part} value means.\nparam value{part}: {kinds[(number + part) % 5]}" for part in range(1 + number % 5)]
        with open(f"{folder}/tool_{number:03}.svc", "w") as file:
            file.write(f"# Does the work number {number} with its values.\n" + "\n".join(params) + f"\n[{number}] >> to_json\n")
    return folder


def shown(name, what, result):
    each, cpu_second, half, most = result
    print(f"{name:22} {what:11} {each:9.0f}/s {cpu_second:9.0f}/CPU-s  p50 {half:7.2f} ms  p99 {most:7.2f} ms", flush=True)


def main():
    svc, peer = sys.argv[1], sys.argv[2:]
    for _ in range(3):
        with tempfile.TemporaryDirectory() as place:
            own = Server([svc, "mcp"], {"SVC_STORE": f"{place}/runs.db", "SVC_CACHE": f"{place}/cache"})
            print(f"svc idle: {memory(own.child.pid):.1f} MiB")
            params = {"component": "text", "op": "upper", "params": {"text": "hello"}}
            call = {"name": "invoke_component", "arguments": params}
            shown("svc mcp", "tools/call", own.load("tools/call", call))
            shown("svc mcp", "tools/list", own.load("tools/list", {}, 1))
            own.end()
            folder = generated(f"{place}/tools")
            own = Server([svc, "mcp", folder], {"SVC_STORE": f"{place}/runs2.db", "SVC_CACHE": f"{place}/cache"})
            print(f"svc idle with 243 scripts: {memory(own.child.pid):.1f} MiB")
            shown("svc mcp, 243 scripts", "tools/list", own.load("tools/list", {}, 1))
            own.end()
        other = Server(peer)
        print(f"peer idle: {memory(other.child.pid):.1f} MiB")
        call = {"name": "echo", "arguments": {"message": "hello"}}
        shown("peer", "tools/call", other.load("tools/call", call))
        shown("peer", "tools/list", other.load("tools/list", {}, 1))
        other.end()


main()
