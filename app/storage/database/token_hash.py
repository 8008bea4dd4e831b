"""What is stored of a secret: its hash, so that a copied database opens no door."""

from __future__ import annotations

import hashlib


def token_hash(token: str) -> bytes:
    """SHA-256 of a token. No salt is needed: a token is 256 random bits."""
    return hashlib.sha256(token.encode()).digest()
