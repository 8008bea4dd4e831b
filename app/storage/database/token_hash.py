"""Tokens are stored as hashes, so a copy of the database gives no access."""

from __future__ import annotations

import hashlib


def token_hash(token: str) -> bytes:
    """SHA-256 of a token. No salt is needed, because a token is 256 random bits."""
    return hashlib.sha256(token.encode()).digest()
