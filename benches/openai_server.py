"""A server with the API of OpenAI; what its model says is for the caller of `serve` to decide."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def serve(port, reply, report):
    """Answers until it is ended.

    `reply` gets the body of a request, and returns a text, calls of tools as (name, arguments), and the
    tokens that were read and written. `report` gets the path of a GET, and returns what is said there as
    JSON. Neither is called twice at once.
    """
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # An answer is one packet: otherwise the client waits 40 ms for the second one.
        wbufsize = -1
        disable_nagle_algorithm = True

        def log_message(self, *_):
            pass

        def do_GET(self):
            with lock:
                said = report(self.path)
            self.send("application/json", json.dumps(said).encode())

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with lock:
                text, calls, (read, written) = reply(body)
            usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
            message = {"role": "assistant", "content": text}
            if calls:
                message["tool_calls"] = [called(body, idx, it) for idx, it in enumerate(calls)]
            self.send(*written_as(body, message, "tool_calls" if calls else "stop", usage))

        def send(self, kind, data):
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
            self.wfile.flush()

    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


def called(body, idx, call):
    """A call of a tool as the API has it."""
    name, arguments = call
    return {
        "index": idx,
        "id": f"call_{len(body['messages'])}_{idx}",
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(arguments)},
    }


def written_as(body, message, reason, usage):
    """The type and the bytes of an answer, as a stream if one is asked for."""
    head = {"id": "x", "created": 0, "model": body["model"]}
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": reason}
        whole = {**head, "object": "chat.completion", "usage": usage, "choices": [choice]}
        return "application/json", json.dumps(whole).encode()
    chunk = {**head, "object": "chat.completion.chunk"}
    lines = [
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
        {**chunk, "choices": [], "usage": usage},
    ]
    data = "".join(f"data: {json.dumps(it)}\n\n" for it in lines) + "data: [DONE]\n\n"
    return "text/event-stream", data.encode()
