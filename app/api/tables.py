"""The tables of a study through the API, a page at a time."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated

from fastapi import Query

from app.api.access import OwnApi
from app.api.routing import api_router
from app.api.schemas import Item, Rater, Rating, Response, Row, Rows
from app.base.web.deps import Db
from app.base.web.errors import UnprocessableError
from app.results.blinding import refuse_if_blinded
from app.results.data.row_pages import RowPage, item_page, rater_page, response_page
from app.studies.protocols import get_protocol

router = api_router("tables")
Cursor = Annotated[str, Query(max_length=40, description="`next` of the page before; empty for the first page.")]
Limit = Annotated[int, Query(ge=1, le=1000, description="Rows per page.")]
N_BYTES = 8  # of an ID in PostgreSQL
BAD_CURSOR = "This cursor was not made by this interface. Pass `next` of the page before, unchanged."


@router.get("/items", summary="Items")
def api_items(db: Db, own: OwnApi, cursor: Cursor = "", limit: Limit = 100) -> Rows[Item]:
    """The situations that raters read."""
    return _rows(Rows[Item], item_page(db, own.study.id, after(cursor), limit))


@router.get("/responses", summary="Responses")
def api_responses(db: Db, own: OwnApi, cursor: Cursor = "", limit: Limit = 100) -> Rows[Response]:
    """The responses, with their sources."""
    return _rows(Rows[Response], response_page(db, own.study.id, after(cursor), limit))


@router.get("/raters", summary="Raters")
def api_raters(db: Db, own: OwnApi, cursor: Cursor = "", limit: Limit = 100) -> Rows[Rater]:
    """The raters by pseudonym. Participant IDs of platforms are not part of this interface."""
    return _rows(Rows[Rater], rater_page(db, own.study.id, after(cursor), limit))


@router.get("/ratings", summary="Answers")
def api_ratings(db: Db, own: OwnApi, cursor: Cursor = "", limit: Limit = 100) -> Rows[Rating]:
    """The answers with the columns of ratings.csv, in the order in which they were first stored.

    Answers that raters change keep their place: to have all changes, read again from the first page.
    """
    from app.results.downloads.ratings_export import rating_page

    protocol = get_protocol(db, own.study.id, own.study.protocol_version)
    refuse_if_blinded(own.study, protocol)
    return _rows(Rows[Rating], rating_page(db, own.study.id, protocol, after(cursor), limit))


def cursor_of(after_id: int) -> str:
    """The cursor that continues after a row.

    >>> after(cursor_of(1234))
    1234
    """
    return base64.urlsafe_b64encode(after_id.to_bytes(N_BYTES)).decode().rstrip("=")


def after(cursor: str) -> int:
    """The ID after which a page begins; 0 without a cursor.

    Raises:
        UnprocessableError: not one of our cursors.
    """
    if not cursor:
        return 0
    try:
        found = base64.b64decode(cursor + "=", altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise UnprocessableError(BAD_CURSOR) from None
    if len(found) != N_BYTES or (after_id := int.from_bytes(found)) >= 2**63:
        raise UnprocessableError(BAD_CURSOR)
    return after_id


def _rows(kind: type[Rows[Row]], page: RowPage) -> Rows[Row]:
    following = None if page.next_after is None else cursor_of(page.next_after)
    return kind.model_validate({"rows": page.rows, "next": following})
