"""A server with the API of OpenAI whose model follows a script.

The script is the name of the model: the requested number of turns, each with calls of the tools
that are listed, then an answer. It counts the requests by the turn that they ask for.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from openai_server import serve

ASKED = []


def turn_of(body):
    return sum(it["role"] == "assistant" for it in body["messages"]) + 1


def step(body, turn):
    """What the model says: `count:40` calls the first tool 40 times; `both:3` calls all, 3 times."""
    kind, turns = body["model"].split(":")
    tools = [it["function"] for it in body.get("tools", []) if it["function"]["name"] != "answer"]
    if turn <= int(turns):
        listed = tools if kind == "both" else tools[:1]
        return "", [(it["name"], arguments(it, turn)) for it in listed]
    answers = [it for it in body.get("tools", []) if it["function"]["name"] == "answer"]
    if answers:
        return "", [("answer", {"value": turn})]
    return f"done after {turn}", []


def arguments(tool, turn):
    properties = tool["parameters"]["properties"]
    required = tool["parameters"].get("required", [])
    value = {"string": f"text {turn}", "integer": turn, "number": 0.5}
    return {it: value[properties[it].get("type", "string")] for it in required}


def reply(body):
    turn = turn_of(body)
    ASKED.append(turn)
    return *step(body, turn), (100, 20)


def report(_):
    """The requests since the last report."""
    asked = ASKED.copy()
    ASKED.clear()
    return asked


if __name__ == "__main__":
    serve(int(sys.argv[1]), reply, report)
