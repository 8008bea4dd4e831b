"""One item with its responses, and what people answered about it."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, text

from app.rating.review.rater_rows import list_left_out
from app.results.items.item_rows import KEPT

_ITEM = text("SELECT key, retired_because, image, image_alt FROM items WHERE study_id = :study AND id = :item")
_RESPONSES = text("""
    SELECT r.id, r.key, s.key AS source FROM responses r
    JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
    WHERE r.study_id = :study AND r.item_id = :item ORDER BY r.position, r.id
""")
_ANSWERS = text(f"""
    SELECT a.question, s.key AS source, r.key AS response, a.turn, a.number, a.codes, a.text,
           coalesce((SELECT src.key FROM responses c
                     JOIN sources src ON src.study_id = c.study_id AND src.id = c.source_id
                     WHERE c.study_id = a.study_id AND c.id = a.chosen_response_id), a.outcome) AS chosen
    {KEPT} AND a.item_id = :item ORDER BY a.id
""")  # noqa: S608 - constants only
_NEIGHBOURS = text("""
    SELECT (SELECT o.id FROM items o WHERE o.study_id = :study AND (o.position, o.id) < (i.position, i.id)
            ORDER BY o.position DESC, o.id DESC LIMIT 1) AS previous,
           (SELECT o.id FROM items o WHERE o.study_id = :study AND (o.position, o.id) > (i.position, i.id)
            ORDER BY o.position, o.id LIMIT 1) AS next
    FROM items i WHERE i.study_id = :study AND i.id = :item
""")


class OneResponse(NamedTuple):
    """A response of the item."""

    id: int
    key: str
    source: str


class OneItem(NamedTuple):
    """An item with its responses in the study's order, and the items before and after it.

    `image`: the name of its image; `image_alt`: the image in words.
    """

    id: int
    key: str
    retired_because: str | None
    image: str | None
    image_alt: str | None
    responses: Sequence[OneResponse]
    previous: int | None
    next: int | None


class ItemAnswer(NamedTuple):
    """One answer of a person about the item. `chosen`: the source chosen, `tie` or `neither`."""

    question: str
    source: str | None
    response: str | None
    turn: int | None
    number: float | None
    codes: Sequence[str] | None
    text: str | None
    chosen: str | None


def get_item(db: Connection, study_id: int, item_id: int) -> OneItem | None:
    """The item; None if the study has no such item."""
    ids = {"study": study_id, "item": item_id}
    item = db.execute(_ITEM, ids).one_or_none()
    if item is None:
        return None
    responses = [OneResponse(*row) for row in db.execute(_RESPONSES, ids)]
    near = db.execute(_NEIGHBOURS, ids).one()
    return OneItem(
        item_id, item.key, item.retired_because, item.image, item.image_alt, responses, near.previous, near.next
    )


def list_item_answers(db: Connection, study_id: int, item_id: int) -> list[ItemAnswer]:
    """The answers that the results use: no model judges, repeats or exclusions."""
    given = {"study": study_id, "item": item_id, "excluded": list_left_out(db, study_id)}
    return [ItemAnswer(*row) for row in db.execute(_ANSWERS, given)]
