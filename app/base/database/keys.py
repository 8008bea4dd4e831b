"""Secret keys of this installation, made when they are first needed, and values derived from them."""

import hashlib
import hmac
import secrets

from sqlalchemy import Connection, text

_NEW_SECRET = text("INSERT INTO secrets (name, value) VALUES (:name, :value) ON CONFLICT DO NOTHING")
_SECRET = text("SELECT value FROM secrets WHERE name = :name")


def installation_key(db: Connection, name: str) -> bytes:
    """The key with this name; a new one if there is none yet."""
    value = db.execute(_SECRET, {"name": name}).scalar_one_or_none()
    if value is None:
        db.execute(_NEW_SECRET, {"name": name, "value": secrets.token_bytes(32)})
        value = db.execute(_SECRET, {"name": name}).scalar_one()
    return bytes(value)


def keyed(key: bytes, *parts: object) -> bytes:
    """HMAC-SHA256 of these parts: a value that nobody can compute without the key."""
    return hmac.digest(key, "\x1f".join(map(str, parts)).encode(), "sha256")


# Tokens are stored as hashes, so a copy of the database gives no access.


def token_hash(token: str) -> bytes:
    """SHA-256 of a token. No salt is needed, because a token is 256 random bits."""
    return hashlib.sha256(token.encode()).digest()
