"""A server with the API of OpenAI whose model follows a script, and which counts what it bills.

As a usual model, it calls a tool three times and then answers; it grades twice badly and then well;
a list has three items; any other answer is a text of 240 letters, and a token is four bytes.

As the worst one, it never stops calling tools and never grades well; its answers are as long as they
may be, and it bills a token for each byte that it reads, and as many for its answer as it may.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from openai_server import serve

TOOL_TURNS = 3
TEXT = ("some words of an answer " * 10).strip() + "."
# An answer of a token may have this many bytes.
BYTES_PER_TOKEN = 8
BILLED = {"requests": 0, "tokens": 0, "cost": 0.0}
GRADES = {"asked": 0}
MODE = {"worst": False}
# Dollars for a million tokens, as in the table of the comparison.
INPUT, OUTPUT = 1.0, 4.0


def value(schema, definitions):
    """A value of a schema."""
    if "$ref" in schema:
        return value(definitions[schema["$ref"].split("/")[-1]], definitions)
    if "enum" in schema:
        if "funny" not in schema["enum"]:
            return schema["enum"][-1]
        GRADES["asked"] += 1
        return "funny" if GRADES["asked"] > 2 and not MODE["worst"] else "not funny"
    kind = schema.get("type")
    if kind == "object":
        return {name: value(it, definitions) for name, it in schema["properties"].items()}
    if kind == "array":
        count = schema.get("maxItems", 3) if MODE["worst"] else 3
        return [value(schema["items"], definitions) for _ in range(count)]
    text = "a title" + " of many words" * (15 * MODE["worst"])
    return {"string": text, "integer": 3, "number": 0.5, "boolean": True}[kind]


def limit(body):
    """The tokens that an answer may have."""
    return body.get("max_completion_tokens") or body.get("max_tokens")


def answer(body):
    """The text and the calls of tools of an answer."""
    turn = sum(it["role"] == "assistant" for it in body["messages"])
    tools = [it["function"] for it in body.get("tools", [])]
    if tools and (turn < TOOL_TURNS or MODE["worst"]):
        tool = tools[turn % len(tools)]
        arguments = value(tool["parameters"], tool["parameters"].get("$defs", {}))
        # An agent stops if a call is repeated.
        varied = {name: f"{it} {turn}" if isinstance(it, str) else it for name, it in arguments.items()}
        return "", [(tool["name"], varied)]
    form = body.get("response_format", {}).get("json_schema", {}).get("schema")
    if form:
        return json.dumps(value(form, form.get("$defs", {}))), []
    return "x" * (limit(body) * BYTES_PER_TOKEN) if MODE["worst"] else TEXT, []


def tokens(body, text, calls):
    """The tokens that are billed for what was read and for what was written."""
    read = len(json.dumps([body["messages"], body.get("tools", [])], ensure_ascii=False).encode())
    if MODE["worst"]:
        return read, limit(body)
    written = len(text) + sum(len(json.dumps(it)) for it in calls)
    return -(-read // 4), -(-written // 4)


def reply(body):
    text, calls = answer(body)
    read, written = tokens(body, text, calls)
    BILLED["requests"] += 1
    BILLED["tokens"] += read + written
    BILLED["cost"] += (read * INPUT + written * OUTPUT) / 1e6
    return text, calls, (read, written)


def report(path):
    """What was billed since the last report; the path chooses the model of the next ones."""
    billed = BILLED.copy()
    MODE["worst"] = path == "/worst"
    BILLED.update(requests=0, tokens=0, cost=0.0)
    GRADES["asked"] = 0
    return billed


if __name__ == "__main__":
    serve(int(sys.argv[1]), reply, report)
