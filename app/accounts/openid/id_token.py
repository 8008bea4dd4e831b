"""Checking an ID token: signature, issuer, audience, times and nonce (OpenID Connect Core 1.0, section 3.1.3.7)."""

import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

# Why a sign-in by OpenID Connect ended. The sentence is for the visitor, the detail for the log.


class OpenIdError(Exception):
    """A sign-in that did not succeed. Neither text contains anything that the visitor or the provider chose freely."""

    status = 403

    def __init__(self, sentence: str, detail: str) -> None:
        """`sentence` is shown to the visitor, `detail` is logged for the administrator."""
        super().__init__(sentence)
        self.sentence, self.detail = sentence, detail


class RefusedError(OpenIdError):
    """The visitor may not sign in, or the response of the provider is not valid."""


class ProviderError(OpenIdError):
    """The provider cannot be reached, or does not answer as it should."""

    status = 503

    def __init__(self, detail: str) -> None:
        """All these problems have one sentence: the visitor can only try again."""
        super().__init__(
            "The sign-in service did not respond as expected. Try again in a minute. If this continues, ask the "
            "administrator of this server.",
            detail,
        )


# Signatures by a key pair only: with `none` or HS*, whoever knows the client secret, or nothing, could write tokens.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
KEY_TYPES = frozenset({"RSA", "EC"})
# How far the clocks of the provider and of this server may differ.
LEEWAY_S = 60
# Microsoft Entra sends no `email_verified`, but says whether the owner of the domain is verified.
ENTRA = "login.microsoftonline.com"
NOT_STRONG = (
    "The sign-in service did not confirm a sign-in as strong as this server requires. Sign in there with your second "
    "factor, then try again."
)
NOT_VALID = "The sign-in service sent a response that is not valid for this sign-in. Sign in again."


@dataclass(frozen=True, slots=True)
class Identity:
    """Who signed in at the provider. `email` is in lower case, and None unless the provider has verified it."""

    issuer: str
    subject: str
    email: str | None


def read_id_token(
    token: str, keys: Mapping[str, Any], *, issuer: str, client_id: str, nonce: str, strengths: Collection[str] = ()
) -> Identity:
    """The identity that a token states, after all checks.

    Raises:
        RefusedError: a check failed.
    """
    from authlib.oidc.core import CodeIDToken
    from joserfc import jwt
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet

    try:
        read = jwt.decode(token, KeySet.import_key_set({"keys": _signing_keys(keys)}), algorithms=ALGORITHMS)
        options = {"iss": {"essential": True, "value": issuer}, "aud": {"essential": True, "value": client_id}}
        claims = CodeIDToken(read.claims, read.header, options, {"nonce": nonce, "client_id": client_id})
        claims.validate(leeway=LEEWAY_S)
    except (JoseError, ValueError, TypeError, KeyError) as error:
        # The name of a claim that was refused, such as nonce, but never its value.
        claim = getattr(error, "claim", None) or type(error).__name__
        raise RefusedError(NOT_VALID, f"the ID token is not valid ({claim})") from None
    if strengths and not _is_strong(read.claims, strengths):
        raise RefusedError(NOT_STRONG, "the sign-in was not strong enough (acr, amr)")
    return _identity(read.claims, issuer)


def _signing_keys(keys: Mapping[str, Any]) -> list[Any]:
    """The public keys for signatures; keys of kinds that are not used here do no harm."""
    listed = keys.get("keys")
    return [
        key
        for key in (listed if isinstance(listed, list) else [])
        if isinstance(key, dict) and key.get("kty") in KEY_TYPES and key.get("use", "sig") == "sig"
    ]


def _is_strong(claims: Mapping[str, Any], strengths: Collection[str]) -> bool:
    """Whether the provider states one of these classes (acr) or methods (amr) of authentication."""
    methods = claims.get("amr")
    stated = [claims.get("acr"), *(methods if isinstance(methods, list) else [])]
    return any(isinstance(one, str) and one in strengths for one in stated)


def _identity(claims: Mapping[str, Any], issuer: str) -> Identity:
    subject, email = claims.get("sub"), claims.get("email")
    if not isinstance(subject, str) or not subject.isprintable() or not 0 < len(subject) <= 255:  # noqa: PLR2004 - OpenID Connect's limit
        raise RefusedError(NOT_VALID, "the ID token is not valid (sub)")
    is_text = isinstance(email, str) and email.isprintable()
    return Identity(issuer, subject, str(email).strip().lower() if is_text and _is_verified(claims, issuer) else None)


def _is_verified(claims: Mapping[str, Any], issuer: str) -> bool:
    if claims.get("email_verified") is True:
        return True
    return urlsplit(issuer).hostname == ENTRA and claims.get("xms_edov") in (True, "1", "true")


# One attempt to sign in: `state`, `nonce` and the PKCE verifier, all derived from a secret in the browser's cookie.
#
# Nothing is stored on the server, and a response fits only the browser in which the attempt began.


@dataclass(frozen=True, slots=True)
class Attempt:
    """A secret of 256 random bits, and what is derived from it."""

    secret: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def state(self) -> str:
        """Ties the response to the browser."""
        return self._derive("state")

    @property
    def nonce(self) -> str:
        """Ties the ID token to the attempt."""
        return self._derive("nonce")

    @property
    def verifier(self) -> str:
        """Ties the code to the attempt (PKCE)."""
        return self._derive("verifier")

    def accepts(self, state: str) -> bool:
        """Whether a response with this state belongs to the attempt."""
        return hmac.compare_digest(self.state.encode(), state.encode())

    def _derive(self, purpose: str) -> str:
        digest = hmac.digest(self.secret.encode(), purpose.encode(), "sha256")
        return urlsafe_b64encode(digest).decode().rstrip("=")
