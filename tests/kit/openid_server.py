"""A small provider of OpenID Connect on this machine, with its own key. Tests change what it states."""

import hashlib
import hmac
import json
import time
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

from app.accounts.openid.provider import Client, OpenIdProvider

CLIENT_ID, SECRET = "attune", "a secret: with/signs"
PUBLIC_URL = "https://rate.example.org"


@cache
def rsa_key(name: str = "key-1") -> RSAKey:
    """A key pair; making one takes a while, so each is made once."""
    return RSAKey.generate_key(2048, {"kid": name})


def _encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def _unsigned(header: dict[str, str], claims: dict[str, Any]) -> str:
    return ".".join(_encoded(json.dumps(one).encode()) for one in (header, claims))


def unsigned(claims: dict[str, Any]) -> str:
    """A token with `alg: none`."""
    return _unsigned({"alg": "none"}, claims) + "."


def signed_with_public_key(claims: dict[str, Any]) -> str:
    """A token by somebody who takes the public key for a shared secret."""
    text = _unsigned({"alg": "HS256", "kid": "key-1"}, claims)
    return f"{text}.{_encoded(hmac.digest(rsa_key().as_pem(private=False), text.encode(), 'sha256'))}"


@dataclass
class State:
    """What the provider states about the person who signs in, and how it behaves."""

    issuer: str = ""
    claims: dict[str, Any] = field(
        default_factory=lambda: {"sub": "person-1", "email": "Lead@Example.org", "email_verified": True}
    )
    discovery: dict[str, Any] = field(default_factory=dict)
    key: RSAKey = field(default_factory=rsa_key)
    # Replaces the token, given its claims.
    token: Any = None
    body: bytes | None = None
    waits: Event | None = None
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def provider(self, deadline_s: float = 5, strengths: tuple[str, ...] = ()) -> OpenIdProvider:
        """Our side, registered at this provider."""
        client = Client(self.issuer, CLIENT_ID, SECRET, PUBLIC_URL, "Example University", strengths)
        return OpenIdProvider(client, deadline_s=deadline_s)

    def authorize(self, address: str) -> dict[str, str]:
        """What a person who signs in brings back, after the browser was sent to `address`."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert query["redirect_uri"] == f"{PUBLIC_URL}/sign-in/openid/return"
        assert query["code_challenge_method"] == "S256"
        code = f"code-{len(self.codes)}"
        self.codes[code] = query
        return {"code": code, "state": query["state"], "iss": self.issuer}

    def document(self) -> dict[str, Any]:
        """The discovery document."""
        paths = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
        return {
            "issuer": self.issuer,
            **{name: f"{self.issuer}/{path}" for name, path in paths.items()},
            **self.discovery,
        }

    def exchange(self, form: dict[str, str], authorization: str) -> dict[str, Any]:
        """The answer to a code, which is accepted once, from the registered client, with the right verifier."""
        asked = self.codes.pop(form["code"], None)
        if b64decode(authorization.removeprefix("Basic ")) != b"attune:a+secret%3A+with%2Fsigns":
            return {"error": "invalid_client"}
        challenge = _encoded(hashlib.sha256(form["code_verifier"].encode()).digest())
        if asked is None or asked["code_challenge"] != challenge or asked["redirect_uri"] != form["redirect_uri"]:
            return {"error": "invalid_grant"}
        now = int(time.time())
        stated = {"iss": self.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        claims = {name: value for name, value in (stated | self.claims).items() if value is not None}
        made = self.token(claims) if self.token else jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self.key)
        return {"access_token": "unused", "token_type": "Bearer", "id_token": made}


class _Handler(BaseHTTPRequestHandler):
    of: State

    def do_GET(self) -> None:
        self.of.asked.append(self.path)
        if self.of.waits is not None:
            self.of.waits.wait(30)
        if self.of.body is not None:
            self._send(200, self.of.body)
        elif self.path == "/keys":
            # The public key is always the first one, whatever the tokens are signed with.
            self._json(200, {"keys": [{"kty": "oct", "kid": "x", "k": "eA"}, rsa_key().as_dict(private=False)]})
        else:
            self._json(200, self.of.document())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        answer = self.of.exchange(form, self.headers.get("authorization", ""))
        self._json(400 if "error" in answer else 200, answer)

    def _json(self, status: int, answer: dict[str, Any]) -> None:
        self._send(status, json.dumps(answer).encode())

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:  # Attune reads no more than it needs
            self.close_connection = True

    def log_message(self, *args: object) -> None:
        """Log nothing."""


@contextmanager
def openid_server() -> Iterator[State]:
    """Yield a running provider."""
    state = State()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"of": state}))
    state.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        if state.waits is not None:
            state.waits.set()
        server.shutdown()
        server.server_close()
        thread.join(10)
