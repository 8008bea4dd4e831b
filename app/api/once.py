"""Requests with an idempotency key are carried out once, however often they are sent."""

import hashlib
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import Header, Request
from pydantic import BaseModel

from app.accounts.api_requests import begin_api_request, finish_api_request
from app.api.access import TokenAndStudy
from app.base.web.deps import Db
from app.base.web.errors import ConflictError

Answer = TypeVar("Answer", bound=BaseModel)
IdempotencyKey = Annotated[
    str | None,
    Header(min_length=1, max_length=200, description="A text of your choice, such as a UUID, new for each request."),
]
OTHER = "This idempotency key was used for another request. Use a new key for each request."


def once(
    db: Db,
    request: Request,
    own: TokenAndStudy,
    key: str | None,
    sent: BaseModel,
    *,
    answer: type[Answer],
    act: Callable[[], Answer],
) -> Answer:
    """The result of `act`, or that of an earlier request with the same key.

    Both are stored in one transaction, so that a request whose response was lost can be sent again safely.

    Raises:
        ConflictError: the key was used for a different request.
    """
    if key is None:
        return act()
    digest = hashlib.sha256(f"{request.method} {request.url.path} {sent.model_dump_json()}".encode()).digest()
    earlier = begin_api_request(db, own.token.id, key, digest)
    if earlier is None:
        result = act()
        finish_api_request(db, own.token.id, key, _stored(result))
        return result
    if earlier.request_hash != digest:
        raise ConflictError(OTHER)
    return answer.model_validate(earlier.response)


def _stored(result: BaseModel) -> dict[str, Any]:
    return result.model_dump(mode="json")
