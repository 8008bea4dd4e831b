"""One attempt to sign in: `state`, `nonce` and the PKCE verifier, all derived from a secret in the browser's cookie.

Nothing is stored on the server, and a response fits only the browser in which the attempt began.
"""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field


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
