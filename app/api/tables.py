"""The tables of a study through the API, a page at a time."""

import base64
import binascii
from collections.abc import Callable
from datetime import date
from typing import Annotated, Literal

from fastapi import Query

from app.api.access import OwnApi
from app.api.routing import api_router
from app.api.schemas import Item, Rater, Rating, Response, Row, Rows
from app.base.web.deps import Db
from app.base.web.errors import UnprocessableError
from app.results.blinding import refuse_if_blinded
from app.results.data.row_pages import NoSuchKeyError, RowPage, row_page
from app.studies.protocols import get_protocol

router = api_router("tables")
Cursor = Annotated[str, Query(max_length=40, description="`next` of the page before; empty for the first page.")]
Limit = Annotated[int, Query(ge=1, le=1000, description="Rows per page.")]
Key = Annotated[str, Query(max_length=200)]
Keys = Annotated[tuple[Key, ...], Query(max_length=50, description="Only rows of these; repeat it for several.")]
RaterKind = Annotated[Literal["person", "model"] | None, Query(description="Only people, or only model judges.")]
Simulated = Annotated[bool | None, Query(description="Only simulated raters, or none of them.")]
Since = Annotated[date | None, Query(description="Only answers that were given on this day (UTC) or later.")]
Until = Annotated[date | None, Query(description="Only answers that were given on this day (UTC) or earlier.")]
N_BYTES = 8  # of an ID in PostgreSQL
BAD_CURSOR = "This cursor was not made by this interface. Pass `next` of the page before, unchanged."


@router.get("/items", summary="Items")
def api_items(db: Db, own: OwnApi, cursor: Cursor = "", limit: Limit = 100) -> Rows[Item]:
    """The situations that raters read."""
    return _rows(Rows[Item], lambda: row_page(db, "items", own.study.id, after(cursor), limit, {}))


@router.get("/responses", summary="Responses")
def api_responses(
    db: Db, own: OwnApi, item: Keys = (), source: Keys = (), cursor: Cursor = "", limit: Limit = 100
) -> Rows[Response]:
    """The responses, with their sources."""
    filters = {"item": item, "source": source}
    return _rows(Rows[Response], lambda: row_page(db, "responses", own.study.id, after(cursor), limit, filters))


@router.get("/raters", summary="Raters")
def api_raters(
    db: Db,
    own: OwnApi,
    kind: RaterKind = None,
    is_simulated: Simulated = None,
    cursor: Cursor = "",
    limit: Limit = 100,
) -> Rows[Rater]:
    """The raters by pseudonym. Participant IDs of platforms are not part of this interface."""
    filters = {"kind": kind, "is_simulated": is_simulated}
    return _rows(Rows[Rater], lambda: row_page(db, "raters", own.study.id, after(cursor), limit, filters))


@router.get("/ratings", summary="Answers")
def api_ratings(  # noqa: PLR0913, PLR0917 - one parameter for each filter in the address
    db: Db,
    own: OwnApi,
    question: Keys = (),
    source: Keys = (),
    rater: Keys = (),
    rater_kind: RaterKind = None,
    is_simulated: Simulated = None,
    since: Since = None,
    until: Until = None,
    cursor: Cursor = "",
    limit: Limit = 100,
) -> Rows[Rating]:
    """The answers with the columns of ratings.csv, in the order in which they were first stored.

    Answers that raters change keep their place: to have all changes, read again from the first page.
    """
    from app.results.downloads.ratings_export import rating_page

    protocol = get_protocol(db, own.study.id, own.study.protocol_version)
    refuse_if_blinded(own.study, protocol)
    filters = {
        "question": question,
        "source": source,
        "rater": rater,
        "rater_kind": rater_kind,
        "is_simulated": is_simulated,
        "since": since,
        "until": until,
    }
    return _rows(Rows[Rating], lambda: rating_page(db, own.study.id, protocol, after(cursor), limit, filters))


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


def _rows(kind: type[Rows[Row]], read: Callable[[], RowPage]) -> Rows[Row]:
    try:
        page = read()
    except NoSuchKeyError as error:
        raise UnprocessableError(str(error)) from error
    following = None if page.next_after is None else cursor_of(page.next_after)
    return kind.model_validate({"rows": page.rows, "next": following})
