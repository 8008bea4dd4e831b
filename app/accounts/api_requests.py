"""API requests with an idempotency key: each is carried out once, and a repetition gets the stored response."""

import json
from typing import Any, NamedTuple

from sqlalchemy import Connection, text

# Of two simultaneous requests with one key, the second waits here until the first one's transaction ends.
_BEGIN = text("""
    INSERT INTO api_requests (token_id, key, request_hash) VALUES (:token, :key, :hash)
    ON CONFLICT (token_id, key) DO NOTHING RETURNING key
""")
_EARLIER = text("SELECT request_hash, response FROM api_requests WHERE token_id = :token AND key = :key")
_FINISH = text("""
    UPDATE api_requests SET response = CAST(:response AS jsonb) WHERE token_id = :token AND key = :key
""")
_FORGET = text("DELETE FROM api_requests WHERE token_id = :token AND created_at < now() - interval '7 days'")


class EarlierRequest(NamedTuple):
    """A request that was carried out with the same key."""

    request_hash: bytes
    response: dict[str, Any]


def begin_api_request(db: Connection, token_id: int, key: str, request_hash: bytes) -> EarlierRequest | None:
    """Claim the key for this request; the earlier request if the key was used within the last seven days."""
    db.execute(_FORGET, {"token": token_id})
    claimed = db.execute(_BEGIN, {"token": token_id, "key": key, "hash": request_hash}).one_or_none()
    if claimed is not None:
        return None
    row = db.execute(_EARLIER, {"token": token_id, "key": key}).one()
    return EarlierRequest(bytes(row.request_hash), row.response)


def finish_api_request(db: Connection, token_id: int, key: str, response: dict[str, Any]) -> None:
    """Store the response of a request, in the transaction that carries it out."""
    db.execute(_FINISH, {"token": token_id, "key": key, "response": json.dumps(response, ensure_ascii=False)})
