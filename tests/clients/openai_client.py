"""Uses `svc serve` by the client of OpenAI: python openai_client.py URL KEY KEY_OF_FREE.

Prints a line for each thing that held.
"""

import sys

import openai
from pydantic import BaseModel

url, key, free = sys.argv[1:]
client = openai.OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)


def held(what: str) -> None:
    print(f"ok: {what}")


def fails(error: type[openai.APIStatusError], status: int, code: str, **asked: object):
    asked = {"model": "echo", "messages": [user("hi")]} | asked
    try:
        client.chat.completions.create(**asked)
    except openai.APIStatusError as err:
        assert type(err) is error and err.status_code == status and err.code == code, repr(err)
        return err
    raise AssertionError(f"{asked} did not fail")


def user(text: object) -> dict[str, object]:
    return {"role": "user", "content": text}


class Words(BaseModel):
    answer: str
    words: int
    note: str | None


class Other(BaseModel):
    answer: str
    words: list[str]


ids = [it.id for it in client.models.list()]
assert ids == ["answer", "echo", "fails", "points", "slow", "talk", "tooled"], ids
assert client.models.retrieve("echo").owned_by == "svc"
try:
    client.models.retrieve("sum")
    raise AssertionError("a script without a chat signature is a model")
except openai.NotFoundError as err:
    assert err.code == "model_not_found" and "no chat signature" in err.message, repr(err)
held("models.list and models.retrieve")

done = client.chat.completions.create(model="echo", messages=[user("hi")])
choice = done.choices[0]
assert choice.message.content == "HI" and choice.finish_reason == "stop", done
assert choice.message.role == "assistant" and done.object == "chat.completion", done
assert done.usage.total_tokens == 0 and done._request_id, done
assert done.id == "chatcmpl-" + done.svc["run_id"], done
parts = [{"type": "text", "text": "h"}, {"type": "text", "text": "i"}]
assert client.chat.completions.create(
    model="echo", messages=[{"role": "system", "content": "x"}, user(parts)], temperature=0.5
).svc["ignored"] == ["temperature", "messages[0]"]
talk = [{"role": "developer", "content": "x"}, user("a"), user("b")]
said = client.chat.completions.create(model="talk", messages=talk)
assert said.choices[0].message.content == "3 messages, the first by developer; x", said
held("chat.completions.create")

used = client.chat.completions.create(model="answer", messages=[user("hi")]).usage
numbers = (used.prompt_tokens, used.completion_tokens, used.total_tokens)
assert numbers == (100, 20, 120), used
held("usage of a language model")

chunks = list(
    client.chat.completions.create(
        model="echo",
        messages=[user("hi")],
        stream=True,
        stream_options={"include_usage": True},
    )
)
assert chunks[0].choices[0].delta.role == "assistant", chunks
text = "".join(it.choices[0].delta.content or "" for it in chunks if it.choices)
assert text == "HI" and chunks[-2].choices[0].finish_reason == "stop", chunks
assert chunks[-1].choices == [] and chunks[-1].usage.total_tokens == 0, chunks
with client.chat.completions.stream(model="points", messages=[user("a b")]) as stream:
    assert stream.get_final_completion().choices[0].message.content == "a b"
try:
    list(client.chat.completions.create(model="fails", messages=[user("a")], stream=True))
    raise AssertionError("the error of a stream is lost")
except openai.APIError as err:
    assert "no luck" in err.message, repr(err)
held("chat.completions.create as a stream")

parsed = client.chat.completions.parse(
    model="points", messages=[user("a b c")], response_format=Words
).choices[0].message.parsed
assert parsed == Words(answer="a b c", words=3, note=None), parsed
err = fails(
    openai.BadRequestError,
    400,
    "unsupported_parameter",
    model="points",
    response_format={
        "type": "json_schema",
        "json_schema": {"name": "Other", "schema": Other.model_json_schema()},
    },
)
assert err.param == "response_format" and "$.words" in err.message, repr(err)
fails(openai.BadRequestError, 400, "unsupported_parameter", response_format={"type": "json_object"})
held("chat.completions.parse")

tool = {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}
called = client.chat.completions.create(model="tooled", messages=[user("a")], tools=[tool])
calls = called.choices[0].message.tool_calls
assert called.choices[0].finish_reason == "tool_calls", called
assert (calls[0].function.name, calls[0].function.arguments) == ("look_up", '{"q":"x"}'), called
again = [user("a"), called.choices[0].message, {"role": "tool", "tool_call_id": calls[0].id, "content": "y"}]
client.chat.completions.create(model="tooled", messages=again, tools=[tool])
with client.chat.completions.stream(model="tooled", messages=[user("a")], tools=[tool]) as stream:
    final = stream.get_final_completion().choices[0]
assert final.message.tool_calls[0].function.arguments == '{"q":"x"}', final
assert fails(openai.BadRequestError, 400, "unsupported_parameter", tools=[tool]).param == "tools"
client.chat.completions.create(
    model="echo", messages=[user("a")], tools=[tool], tool_choice="none"
)
fails(openai.BadRequestError, 400, "unsupported_parameter", model="tooled", tools=[tool], tool_choice="required")
held("tools")

fails(openai.NotFoundError, 404, "model_not_found", model="nope")
fails(openai.BadRequestError, 400, "unsupported_parameter", n=2)
fails(openai.BadRequestError, 400, "unsupported_parameter", logprobs=True)
fails(openai.BadRequestError, 400, "unsupported_parameter", metadata={"a": "b"})
fails(openai.BadRequestError, 400, "unsupported_parameter", user="ann")
fails(openai.BadRequestError, 400, "unknown_parameter", extra_body={"foo": 1})
fails(openai.BadRequestError, 400, "invalid_value", messages=[])
fails(openai.BadRequestError, 400, "invalid_value", max_tokens=5, max_completion_tokens=5)
fails(openai.BadRequestError, 400, "budget_exceeded", model="answer", max_tokens=5)
image = [{"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}]
err = fails(openai.BadRequestError, 400, "unsupported_parameter", messages=[user(image)])
assert err.param == "messages[0].content[0].type", repr(err)
fails(openai.UnprocessableEntityError, 422, "failed", model="fails")
try:
    openai.OpenAI(base_url=f"{url}/v1", api_key="wrong", max_retries=0).models.list()
    raise AssertionError("a wrong key is let in")
except openai.AuthenticationError as err:
    assert err.code == "invalid_api_key", repr(err)
try:
    many = openai.OpenAI(base_url=f"{url}/v1", api_key=free, max_retries=0)
    for _ in range(50):
        many.models.list()
    raise AssertionError("the rate has no limit")
except openai.RateLimitError as err:
    assert err.code == "rate_limit_exceeded" and err.response.headers["retry-after"], repr(err)
held("errors")

answer = client.responses.create(model="echo", input="hi", instructions="x")
assert answer.output_text == "HI" and answer.status == "completed", answer
assert answer.usage.total_tokens == 0, answer
kinds = [it.type for it in client.responses.create(model="echo", input=[user("hi")], stream=True)]
assert kinds == [
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
], kinds
with client.responses.stream(model="points", input="a b") as stream:
    assert stream.get_final_response().output_text == "a b"
ended = list(client.responses.create(model="fails", input="hi", stream=True))[-1]
assert ended.type == "response.failed" and "no luck" in ended.response.error.message, ended
parsed = client.responses.parse(model="points", input="a b", text_format=Words).output_parsed
assert parsed == Words(answer="a b", words=2, note=None), parsed
function = {"type": "function", "name": "look_up", "parameters": {"type": "object"}}
called = client.responses.create(model="tooled", input="a", tools=[function])
assert called.output[0].type == "function_call" and called.output[0].name == "look_up", called
again = [user("a"), called.output[0], {"type": "function_call_output", "call_id": called.output[0].call_id, "output": "y"}]
client.responses.create(model="tooled", input=again, tools=[function])
events = [it.type for it in client.responses.create(model="tooled", input="a", tools=[function], stream=True)]
assert "response.function_call_arguments.done" in events, events
held("responses.create, its stream and responses.parse")
