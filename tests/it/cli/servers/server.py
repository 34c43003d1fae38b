"""An MCP server whose tools do what their names say, right or wrong.

Arguments: how it starts (`well`, `hangs`, `dies`, `refuses`, `pages`, `stubborn`, `newest`). The variable LOG names a
file that gets a line for each start and call; SCHEMA=2 changes the schema of `add`.
"""

import json
import os
import signal
import sys
import time

START = sys.argv[1] if len(sys.argv) > 1 else "well"
NEWEST = "2026-07-28"
NUMBER = {"type": "integer"}
ADD = {"type": "object", "required": ["a", "b"], "properties": {"a": NUMBER, "b": NUMBER}}
if os.environ.get("SCHEMA") == "2" or os.path.exists("changed"):
    ADD["properties"]["where"] = {"type": "string"}
SUM = {"type": "object", "required": ["sum"], "properties": {"sum": NUMBER}}
ANY = {"type": "object", "required": ["n"], "properties": {"n": NUMBER}}
WRONG = [
    "hang", "die", "wrong_json", "not_rpc", "wrong_schema", "huge", "flood", "endless", "wrong_id",
    "twice", "rpc_error", "tool_error", "junk", "asks", "bad_utf8", "half", "null_result", "unstructured",
    "changes_tools",
]


def tools():
    yield {"name": "add", "description": "Adds.\n\nTwo numbers.", "inputSchema": ADD, "outputSchema": SUM,
           "annotations": {"readOnlyHint": True, "idempotentHint": True}}
    yield {"name": "echo", "inputSchema": {"type": "object", "required": ["text"], "properties": {
        "text": {"type": "string"}, "times": {"type": "integer", "default": 1}}}}
    yield {"name": "env", "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}
    yield {"name": "slow", "inputSchema": ANY}
    yield {"name": "pid", "inputSchema": {"type": "object", "properties": {}}}
    for name in WRONG:
        yield {"name": name, "inputSchema": ANY, "outputSchema": SUM}


def log(line):
    if "LOG" in os.environ:
        with open(os.environ["LOG"], "a") as file:
            file.write(line + "\n")


def write(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def send(**message):
    write(json.dumps({"jsonrpc": "2.0", **message}))


def text(id, content, **more):
    send(id=id, result={"content": [{"type": "text", "text": content}], **more})


def total(id, n):
    text(id, str(n), structuredContent={"sum": n})


def call(id, name, args, token):
    n = args.get("n", 0)
    log(f"call {name} {args}")
    if name == "add":
        total(id, args["a"] + args["b"])
    elif name == "echo":
        text(id, args["text"] * args.get("times", 1))
    elif name == "env":
        one = args.get("name")
        text(id, os.environ.get(one, "-") if one else " ".join(sorted(os.environ)))
    elif name == "slow":
        for step in range(int(os.environ.get("STEPS", "20"))):
            send(method="notifications/progress",
                 params={"progressToken": token, "progress": step, "total": 20})
            time.sleep(0.1)
        text(id, f"slow {n}")
    elif name == "pid":
        text(id, str(os.getpid()))
    elif name == "hang":
        pass
    elif name == "die":
        print("the disk is on fire", file=sys.stderr, flush=True)
        os._exit(3)
    elif name == "wrong_json":
        write('{"jsonrpc": "2.0", "id": ')
    elif name == "not_rpc":
        write('{"hello": "world"}')
    elif name == "wrong_schema":
        text(id, "many", structuredContent={"sum": "many"})
    elif name == "huge":
        text(id, "x" * 3_000_000)
    elif name == "flood":
        for _ in range(2_000 if n == 0 else 20):
            send(method="notifications/message", params={"level": "info", "data": "noise"})
            send(method="notifications/progress", params={"progressToken": token, "progress": 1})
        total(id, n)
    elif name == "endless":
        while True:
            send(method="notifications/progress", params={"progressToken": token, "progress": 1})
    elif name == "wrong_id":
        total(987654, n)
    elif name == "twice":
        total(id, n)
        total(id, -1)
    elif name == "rpc_error":
        send(id=id, error={"code": -32000, "message": "no such luck"})
    elif name == "tool_error":
        text(id, "nothing here", isError=True)
    elif name == "junk":
        write("Listening on port 8080 ..")
        write("")
        total(id, n)
    elif name == "asks":
        send(id="own", method="sampling/createMessage", params={
            "messages": [{"role": "user", "content": {"type": "text", "text": "a secret?"}}],
            "maxTokens": 9})
        send(id="own2", method="roots/list")
        total(id, n)
    elif name == "bad_utf8":
        sys.stdout.buffer.write(b'{"jsonrpc": "2.0", "id": 1, "result": {"x": "\xff\xfe"}}\n')
        sys.stdout.buffer.flush()
    elif name == "half":
        sys.stdout.write('{"jsonrpc": "2.0", "id": ')
        sys.stdout.flush()
        os._exit(0)
    elif name == "null_result":
        send(id=id, result=None)
    elif name == "unstructured":
        text(id, "only text")
    elif name == "changes_tools":
        open("changed", "w").close()
        ADD["properties"]["where"] = {"type": "string"}
        send(method="notifications/tools/list_changed")
        total(id, n)
    else:
        send(id=id, error={"code": -32602, "message": f"unknown tool {name}"})


def answer(message):
    id, method, params = message.get("id"), message.get("method"), message.get("params") or {}
    if START == "newest":
        about = params.get("_meta") or {}
        if method == "initialize" or about.get("io.modelcontextprotocol/protocolVersion") != NEWEST:
            send(id=id, error={"code": -32022, "message": "unsupported protocol version",
                               "data": {"supported": [NEWEST]}})
            return
    if method == "server/discover" and START == "newest":
        send(id=id, result={"resultType": "complete", "supportedVersions": [NEWEST],
                            "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "private",
                            "_meta": {"io.modelcontextprotocol/serverInfo": {
                                "name": "scripted", "version": "1.0"}}})
    elif method == "initialize":
        if START == "hangs":
            return
        if START == "refuses":
            send(id=id, error={"code": -32600, "message": "not today"})
            return
        send(id=id, result={"protocolVersion": params["protocolVersion"],
                            "capabilities": {"tools": {"listChanged": True}},
                            "serverInfo": {"name": "scripted", "version": "1.0"}})
    elif method == "tools/list":
        more = {"nextCursor": "again"} if START == "pages" else {}
        send(id=id, result={"tools": list(tools()), **more})
    elif method == "tools/call":
        call(id, params["name"], params.get("arguments") or {},
             (params.get("_meta") or {}).get("progressToken"))
    elif method == "notifications/cancelled":
        log("cancelled")
    elif method == "ping":
        send(id=id, result={})
    elif id is not None:
        send(id=id, error={"code": -32601, "message": f"unknown method {method}"})


log(f"start {os.getpid()}")
if START == "dies":
    print("cannot find my settings", file=sys.stderr, flush=True)
    sys.exit(5)
if START == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
for line in sys.stdin:
    answer(json.loads(line))
if START == "stubborn":
    while True:
        time.sleep(1)
log("end")
