"""The provider that the administrator has named: where browsers are sent, and what their return proves."""

import json
import re
import threading
import time
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, quote_plus, urlencode, urlsplit

from app.accounts.openid.id_token import NOT_VALID, Attempt, Identity, ProviderError, RefusedError, read_id_token
from app.base.processes.outgoing import PlainConnection, SecureConnection, cut_off_after

# Requests to the provider: JSON only, with a limit on time and size, and without following redirects.

# For a whole request: a provider that sends a byte now and then is cut off too.
DEADLINE_S = 5.0
MAX_BYTES = 256 * 1024
OK, BAD_REQUEST, UNAUTHORIZED = 200, 400, 401


def is_loopback(address: str) -> bool:
    """Whether an address is on this machine.

    >>> is_loopback("http://127.0.0.1:9000/x"), is_loopback("http://localhost"), is_loopback("http://127.example.org")
    (True, True, False)
    """
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_allowed(address: str) -> bool:
    """Whether the provider may be asked there: over https, or on this machine for development and tests.

    >>> is_allowed("https://id.example.org"), is_allowed("http://id.example.org"), is_allowed("http://127.0.0.1:9000")
    (True, False, True)
    """
    try:
        parts = urlsplit(address)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        return False
    is_plain = parts.scheme == "http" and is_loopback(address)
    return bool(parts.hostname) and has_port and (parts.scheme == "https" or is_plain)


def fetch_json(
    address: str,
    *,
    form: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    deadline_s: float = DEADLINE_S,
) -> tuple[int, dict[str, Any]]:
    """The status and the JSON object that the provider answers; with `form` by POST.

    Raises:
        ProviderError: no complete answer in time, an answer that is too long, or no JSON object.
    """
    parts = urlsplit(address)
    kind = SecureConnection if parts.scheme == "https" else PlainConnection
    connection = kind(parts.hostname or "", parts.port, deadline_s)
    try:
        with cut_off_after(connection, deadline_s):
            return _ask(connection, parts, form, headers or {})
    except (OSError, HTTPException) as error:
        raise ProviderError(f"{parts.path} cannot be read: {type(error).__name__}") from None


def _ask(
    connection: HTTPConnection, parts: SplitResult, form: Mapping[str, str] | None, headers: Mapping[str, str]
) -> tuple[int, dict[str, Any]]:
    own = {"accept": "application/json", "user-agent": "Attune", "connection": "close"}
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if form is None:
        connection.request("GET", path, headers={**own, **headers})
    else:
        own["content-type"] = "application/x-www-form-urlencoded"
        connection.request("POST", path, urlencode(form), {**own, **headers})
    response = connection.getresponse()
    body = response.read(MAX_BYTES + 1)
    if len(body) > MAX_BYTES:
        raise ProviderError(f"{parts.path} answered more than {MAX_BYTES} bytes")
    return response.status, _object(body, parts.path, response.status)


def _object(body: bytes, path: str, status: int) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise ProviderError(f"{path} answered {status} without a JSON object")
    return answer


RETURN_PATH = "/sign-in/openid/return"
KEPT_S = 600.0
MAX_TOKEN = 64 * 1024
# A provider that is slow must not take the threads that all pages need.
MAX_AT_ONCE = 4
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_CODE = re.compile(r"[a-z_]{1,40}")


@dataclass(frozen=True, slots=True)
class Client:
    """What the administrator has set: the provider, and this server's registration there."""

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    public_url: str
    name: str = "your institution"
    # Accepted values of the claims acr or amr, which say how the person signed in; empty if all are accepted.
    strengths: tuple[str, ...] = ()

    @property
    def redirect_uri(self) -> str:
        """The address to which the provider sends browsers back; it must be registered there exactly like this."""
        return self.public_url.rstrip("/") + RETURN_PATH


class OpenIdProvider:
    """Requests to one provider. Its discovery document is kept for ten minutes, its keys are read at each sign-in."""

    def __init__(self, client: Client, *, deadline_s: float = DEADLINE_S) -> None:
        """Send no request yet, so that the server can start while the provider is down."""
        self.client, self._deadline_s = client, deadline_s
        self._turns = threading.BoundedSemaphore(MAX_AT_ONCE)
        self._kept: tuple[float, dict[str, Any]] | None = None

    @property
    def name(self) -> str:
        """The provider's name on the sign-in button."""
        return self.client.name

    def authorization_address(self, attempt: Attempt) -> str:
        """The address at which the browser signs in.

        Raises:
            ProviderError: the provider cannot be asked.
        """
        from authlib.oauth2.rfc7636 import create_s256_code_challenge

        with self._turn():
            endpoint = str(self._discovery()["authorization_endpoint"])
        query = {
            "response_type": "code",
            "client_id": self.client.client_id,
            "redirect_uri": self.client.redirect_uri,
            "scope": "openid email",
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": create_s256_code_challenge(attempt.verifier),
            "code_challenge_method": "S256",
        }
        if self.client.strengths:
            query["acr_values"] = " ".join(self.client.strengths)
        return f"{endpoint}{'&' if urlsplit(endpoint).query else '?'}{urlencode(query)}"

    def identify(self, code: str, attempt: Attempt, response_issuer: str = "") -> Identity:
        """Who has signed in, by the code that the browser brought back.

        Args:
            code: the code, which the provider accepts once.
            attempt: the attempt of this browser.
            response_issuer: the parameter `iss` of the response (RFC 9207), empty if there was none.

        Raises:
            ProviderError: the provider cannot be asked.
            RefusedError: the code or the ID token is not valid.
        """
        with self._turn():
            discovery = self._discovery()
            self._check_response_issuer(discovery, response_issuer)
            token = self._id_token(discovery, code, attempt)
            keys = self._get(str(discovery["jwks_uri"]))
        issuer, client_id, strengths = self.client.issuer, self.client.client_id, self.client.strengths
        return read_id_token(token, keys, issuer=issuer, client_id=client_id, nonce=attempt.nonce, strengths=strengths)

    def _check_response_issuer(self, discovery: dict[str, Any], response_issuer: str) -> None:
        is_promised = discovery.get("authorization_response_iss_parameter_supported") is True
        if (response_issuer or is_promised) and response_issuer != self.client.issuer:
            raise RefusedError(NOT_VALID, "the response is from another issuer")

    def _id_token(self, discovery: dict[str, Any], code: str, attempt: Attempt) -> str:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.client.redirect_uri,
            "code_verifier": attempt.verifier,
        }
        more, headers = self._credentials(discovery)
        status, answer = fetch_json(
            str(discovery["token_endpoint"]), form=form | more, headers=headers, deadline_s=self._deadline_s
        )
        error, token = answer.get("error"), answer.get("id_token")
        if status in {BAD_REQUEST, UNAUTHORIZED} and isinstance(error, str) and _CODE.fullmatch(error):
            raise RefusedError(NOT_VALID, f"the provider refused the code: {error}")
        if status != OK or not isinstance(token, str) or len(token) > MAX_TOKEN:
            raise ProviderError(f"the token endpoint answered {status} without an ID token")
        return token

    def _credentials(self, discovery: dict[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
        """How this server authenticates: in the header by default, in the form if only that is offered."""
        client_id, secret = self.client.client_id, self.client.client_secret
        offered = discovery.get("token_endpoint_auth_methods_supported")
        if isinstance(offered, list) and "client_secret_basic" not in offered and "client_secret_post" in offered:
            return {"client_id": client_id, "client_secret": secret}, {}
        both = f"{quote_plus(client_id)}:{quote_plus(secret)}".encode()
        return {}, {"authorization": f"Basic {b64encode(both).decode()}"}

    def _discovery(self) -> dict[str, Any]:
        if self._kept is None or time.monotonic() - self._kept[0] > KEPT_S:
            address = self.client.issuer.rstrip("/") + "/.well-known/openid-configuration"
            self._kept = time.monotonic(), self._checked(self._get(address))
        return self._kept[1]

    def _checked(self, discovery: dict[str, Any]) -> dict[str, Any]:
        if discovery.get("issuer") != self.client.issuer:
            raise ProviderError("the discovery document is of another issuer than ATTUNE_OPENID_ISSUER")
        for name in ENDPOINTS:
            address = discovery.get(name)
            is_elsewhere = isinstance(address, str) and is_loopback(address) and not is_loopback(self.client.issuer)
            if not isinstance(address, str) or not is_allowed(address) or is_elsewhere:
                raise ProviderError(f"the discovery document has no {name} over https")
        return discovery

    def _get(self, address: str) -> dict[str, Any]:
        status, answer = fetch_json(address, deadline_s=self._deadline_s)
        if status != OK:
            raise ProviderError(f"{urlsplit(address).path} answered {status}")
        return answer

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if not self._turns.acquire(blocking=False):
            raise ProviderError("too many sign-ins at once")
        try:
            yield
        finally:
            self._turns.release()
