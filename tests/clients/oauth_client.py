"""A login server, and a client of MCP that logs in there before it calls a script.

usage: oauth_client.py SVC FOLDER

The client is that of the package `mcp`: it finds the login server by what `svc serve` answers without a
token, registers itself, and asks for a token for the server. The tokens are made by PyJWT.
"""

import asyncio
import http.server
import json
import pathlib
import secrets
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

import httpx2
import jwt
import mcp
from cryptography.hazmat.primitives.asymmetric import rsa
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

KEY = rsa.generate_private_key(65537, 2048)
RETURN = "http://127.0.0.1:9/return"


class Login(http.server.BaseHTTPRequestHandler):
    """Logs everyone in as `ann`."""

    codes = {}

    def log_message(self, *_):
        pass

    def json(self, body, status=200):
        body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def issuer(self):
        return f"http://{self.headers['host']}"

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        asked = dict(urllib.parse.parse_qsl(url.query))
        if url.path == "/.well-known/oauth-authorization-server":
            places = {f"{it}_endpoint": f"{self.issuer()}/{it}" for it in ("authorization", "token", "registration")}
            self.json(
                {
                    "issuer": self.issuer(),
                    "jwks_uri": f"{self.issuer()}/keys",
                    "response_types_supported": ["code"],
                    "code_challenge_methods_supported": ["S256"],
                    **places,
                }
            )
        elif url.path == "/keys":
            key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
            self.json({"keys": [key | {"kid": "a", "use": "sig", "alg": "RS256"}]})
        elif url.path == "/authorization":
            code = secrets.token_hex(8)
            self.codes[code] = asked
            back = urllib.parse.urlencode({"code": code, "state": asked["state"]})
            self.send_response(302)
            self.send_header("location", f"{asked['redirect_uri']}?{back}")
            self.send_header("content-length", "0")
            self.end_headers()
        else:
            self.json({}, 404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if self.path == "/registration":
            self.json(json.loads(body) | {"client_id": "client"}, 201)
            return
        form = dict(urllib.parse.parse_qsl(body))
        asked, now = self.codes.pop(form["code"]), int(time.time())
        claims = {
            "iss": self.issuer(),
            "sub": "ann",
            "aud": form["resource"],
            "scope": asked["scope"],
            "iat": now,
            "exp": now + 60,
        }
        token = jwt.encode(claims, KEY, algorithm="RS256", headers={"kid": "a", "typ": "at+jwt"})
        self.json({"access_token": token, "token_type": "Bearer", "expires_in": 60})


class Storage:
    """Keeps what the client learns."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


async def call(url):
    """Logs in, as a person with a browser does, and calls the script."""
    returned = {}

    async def browse(url):
        async with httpx2.AsyncClient() as client:
            answer = await client.get(url)
        query = urllib.parse.urlsplit(answer.headers["location"]).query
        returned.update(urllib.parse.parse_qsl(query))

    async def wait():
        return AuthorizationCodeResult(code=returned["code"], state=returned["state"])

    auth = OAuthClientProvider(
        server_url=url,
        client_metadata=OAuthClientMetadata(client_name="test", redirect_uris=[RETURN]),
        storage=Storage(),
        redirect_handler=browse,
        callback_handler=wait,
    )
    client = httpx2.AsyncClient(auth=auth)
    async with streamable_http_client(url, http_client=client) as (reader, writer, *_):
        async with mcp.ClientSession(reader, writer) as session:
            await session.initialize()
            result = await session.call_tool("count", {})
            print(json.dumps(result.structured_content))


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def main():
    svc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    login = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Login)
    threading.Thread(target=login.serve_forever, daemon=True).start()
    address = f"127.0.0.1:{free_port()}"
    (folder / "data").mkdir()
    (folder / "data/access.toml").write_text(
        f'version = 1\n[oauth]\nissuer = "http://127.0.0.1:{login.server_port}"\n'
        f'resource = "http://{address}"\n[oauth.roles]\n"svc:call" = "builder"\n'
    )
    (folder / "count.svc").write_text('{ words: "a b c" >> split(sep: " ") >> len }')
    command = [svc, "serve", str(folder), "--bind", address, "--data", str(folder / "data")]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        while "listening at" not in server.stderr.readline():
            pass
        asyncio.run(call(f"http://{address}/mcp"))
    finally:
        server.kill()


main()
