"""Items as their lead searches them: one row each, with the number of ratings per source and their spread."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, text

from app.rating.review.rater_rows import list_left_out
from app.rating.seats.seats import returning_sql

# The first words of a text, and the length of what is searched for.
N_WORDS = 160
# An attribute with more values is an ID or a text of its own, not something to filter by.
MAX_VALUES = 40
_MATCHES = """
    i.study_id = :study
    AND CASE :state WHEN '' THEN true WHEN 'reported' THEN q.n > 0
             ELSE (i.retired_because IS NOT NULL) = (:state = 'yes') END
    AND (:attribute = '' OR i.attributes ->> :attribute = :value)
    AND (:words = '' OR i.key ILIKE :like OR i.text ILIKE :like OR i.profile ILIKE :like
         OR CAST(i.turns AS text) ILIKE :like
         OR EXISTS (SELECT FROM responses r WHERE r.study_id = i.study_id AND r.item_id = i.id
                    AND (r.text ILIKE :like OR CAST(r.turns AS text) ILIKE :like)))
"""
# The ratings that the results use: no model judges, repeats or exclusions.
KEPT = """
    FROM ratings a
    JOIN raters p ON p.study_id = a.study_id AND p.id = a.rater_id AND p.kind <> 'model'
    LEFT JOIN responses r ON r.study_id = a.study_id AND r.id = a.response_id
    LEFT JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
    WHERE a.study_id = :study AND a.repeat = 0 AND a.exclude IS NULL
      AND a.rater_id <> ALL (CAST(:excluded AS bigint[]))
"""
# The standard deviation of a response's ratings, averaged over the responses of the item.
_SPREAD = f"""
    SELECT item_id, avg(spread) AS spread FROM (
      SELECT a.item_id, a.response_id, a.turn, stddev_samp(a.number) AS spread
      {KEPT} AND a.question = :question AND a.number IS NOT NULL GROUP BY a.item_id, a.response_id, a.turn
    ) AS one GROUP BY item_id
"""  # noqa: S608 - constants only
# What raters reported about the item.
_PROBLEMS = """
    SELECT t.item_id, count(*) AS n FROM reported_problems p
    JOIN assignments a ON a.study_id = p.study_id AND a.id = p.assignment_id
    JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    WHERE p.study_id = :study GROUP BY t.item_id
"""
_ROWS = text(f"""
    SELECT i.id, i.key, i.position, left(coalesce(i.text, i.turns -> 0 ->> 'text', ''), {N_WORDS}) AS words,
           i.attributes, i.retired_because, w.spread, coalesce(q.n, 0) AS n_problems, count(*) OVER () AS n_all
    FROM items i LEFT JOIN ({_SPREAD}) AS w ON w.item_id = i.id LEFT JOIN ({_PROBLEMS}) AS q ON q.item_id = i.id
    WHERE {_MATCHES}
    ORDER BY CASE WHEN :by_spread THEN -w.spread END NULLS LAST, i.position, i.id LIMIT :n OFFSET :skipped
""")  # noqa: S608 - constants only
# A pair or a whole item that was answered counts for each source that it showed.
_COUNTS = text(f"""
    SELECT a.item_id, src.key AS source, count(DISTINCT a.rater_id) AS n_raters
    {
    KEPT.replace(
        "WHERE",
        '''
    JOIN responses o ON o.study_id = a.study_id AND o.item_id = a.item_id
      AND (a.response_id = o.id OR (a.response_id IS NULL AND (a.left_response_id IS NULL
           OR o.id IN (a.left_response_id, a.right_response_id))))
    JOIN sources src ON src.study_id = o.study_id AND src.id = o.source_id
    WHERE''',
    )
} AND a.item_id = ANY (CAST(:items AS bigint[]))
    GROUP BY a.item_id, src.key, src.position ORDER BY a.item_id, src.position
""")
_VALUES = text("""
    SELECT name, array_agg(DISTINCT value ORDER BY value) AS values
    FROM items CROSS JOIN LATERAL jsonb_each_text(attributes) AS pair (name, value)
    WHERE study_id = :study GROUP BY name HAVING count(DISTINCT value) BETWEEN 2 AND :most ORDER BY name
""")


@dataclass(frozen=True, slots=True)
class Search:
    """Which items to list. `attribute` and `value`: a column of items.csv.

    `state`: `yes` for retired items, `no` for others, `reported` for those with reported problems, or empty for all.
    """

    words: str = ""
    attribute: str = ""
    value: str = ""
    state: str = ""
    is_by_spread: bool = False

    def values(self) -> dict[str, object]:
        """The parameters of the statement."""
        escaped = self.words.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
        return {
            "words": self.words,
            "like": f"%{escaped}%",
            "attribute": self.attribute,
            "value": self.value,
            "state": self.state,
            "by_spread": self.is_by_spread,
        }


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One item: `n_raters` people by source, the mean standard deviation between raters of one question, reports."""

    id: int
    key: str
    words: str
    attributes: Mapping[str, Any]
    retired_because: str | None
    spread: float | None
    n_problems: int
    n_raters: Mapping[str, int]


def list_item_rows(
    db: Connection, study_id: int, search: Search, question: str, *, first: int, n: int
) -> tuple[list[ItemRow], int]:
    """One page of the items that match, and how many match in all.

    Args:
        db: a connection.
        study_id: the study.
        search: which items, and their order.
        question: the rating question whose spread is computed; empty for none.
        first: number of items to skip.
        n: maximum number of items.
    """
    given = {"study": study_id, "excluded": list_left_out(db, study_id)}
    page = {"question": question, "skipped": first, "n": n}
    rows = db.execute(_ROWS, given | search.values() | page).all()
    counts = db.execute(_COUNTS, given | {"items": [row.id for row in rows]}).all()
    raters: dict[int, dict[str, int]] = {}
    for row in counts:
        raters.setdefault(row.item_id, {})[row.source] = row.n_raters
    found = [
        ItemRow(
            row.id,
            row.key,
            row.words,
            row.attributes,
            row.retired_because,
            row.spread,
            row.n_problems,
            raters.get(row.id, {}),
        )
        for row in rows
    ]
    return found, rows[0].n_all if rows else 0


def list_attribute_values(db: Connection, study_id: int) -> list[tuple[str, Sequence[str]]]:
    """The attributes of items that divide them into sets, each with its values."""
    rows = db.execute(_VALUES, {"study": study_id, "most": MAX_VALUES}).mappings()
    return [(row["name"], row["values"]) for row in rows]


# Retired items: no one else gets their trials, raters who have one open can finish it, and all ratings are kept.

_RETIRE = text("UPDATE items SET retired_because = :reason WHERE study_id = :study AND id = :item")
# Trials that were planned for a rater but not shown yet are given to no one; those that are open stay with their rater.
_OF_ITEM = "a.trial_id IN (SELECT id FROM trials WHERE study_id = :study AND item_id = :item)"
_RETURN = text("WITH " + returning_sql(f"a.state = 'planned' AND {_OF_ITEM}"))
_IS_SPECIAL = text("""
    SELECT EXISTS (SELECT FROM trials WHERE study_id = :study AND item_id = :item AND purpose <> 'rating')
""")


def retire_item(db: Connection, study_id: int, item_id: int, reason: str) -> None:
    """Retire an item, or change the reason; trials of it that were not shown yet are taken off the raters' lists."""
    db.execute(_RETIRE, {"study": study_id, "item": item_id, "reason": reason})
    db.execute(_RETURN, {"study": study_id, "item": item_id})


def bring_back_item(db: Connection, study_id: int, item_id: int) -> None:
    """Use a retired item again: its free seats can be taken from now on."""
    db.execute(_RETIRE, {"study": study_id, "item": item_id, "reason": None})


def has_special_trials(db: Connection, study_id: int, item_id: int) -> bool:
    """Whether the item is a practice or gold trial, which every rater gets and which has no seats."""
    return bool(db.execute(_IS_SPECIAL, {"study": study_id, "item": item_id}).scalar_one())
