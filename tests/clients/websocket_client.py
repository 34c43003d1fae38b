"""Uses `/ws` of `svc serve` by the package `websockets`: python websocket_client.py HOST KEY.

Prints a line for each thing that held.
"""

import asyncio
import json
import sys

import websockets

host, key = sys.argv[1:]
url = f"ws://{host}/ws"


async def ask(socket, message):
    await socket.send(json.dumps(message))
    return json.loads(await socket.recv())


async def main():
    bearer = {"Authorization": f"Bearer {key}"}
    async with websockets.connect(url, additional_headers=bearer) as socket:
        call = {"component": "text", "op": "upper", "params": {"text": "a"}}
        answer = await ask(socket, {"id": 1, "call": call})
        assert answer == {"id": 1, "status": 200, "answer": {"ok": True, "result": "A"}}, answer
        print("ok: a call")
        await socket.send(json.dumps({"id": 2, "call": {"script": "slow", "params": {"time": "1s"}, "events": True}}))
        names = []
        while not names or names[-1] != "result":
            names.append(json.loads(await socket.recv())["event"])
        assert names[0] == "begun", names
        print("ok: events")
        await (await socket.ping())
        print("ok: a ping")
        await socket.send(b"x")
        try:
            await socket.recv()
            raise AssertionError("a binary message is accepted")
        except websockets.ConnectionClosed as err:
            assert err.rcvd.code == 1003, err
        print("ok: a code at the end")
    async with websockets.connect(url, subprotocols=["svc", f"bearer.{key}"]) as socket:
        assert socket.subprotocol == "svc"
    print("ok: the key as a protocol")
    try:
        async with websockets.connect(url, origin="https://evil.example"):
            raise AssertionError("another origin is let in")
    except websockets.InvalidStatus as err:
        assert err.response.status_code == 403, err
    print("ok: another origin")


asyncio.run(main())
