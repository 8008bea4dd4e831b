"""The items and responses with the most disagreement, with their texts and the labels of their sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.analysis.estimate import Estimate
from app.base.database.engine import Connection
from app.protocol.labels import Labels
from app.results.data.row_pages import UnitText, get_unit_texts

MAX_OPENING = 90
N_FIRST = 10


@dataclass(frozen=True, slots=True)
class DisagreementRow:
    """One item or response. `about` is its key where the study has no such text any more; `texts` is then None."""

    question: str
    source: str
    opening: str
    about: str
    texts: UnitText | None
    disagreement: str
    note: str


def disagreement_rows(
    db: Connection, study_id: int, estimates: Iterable[Estimate], labels: Labels
) -> list[DisagreementRow]:
    """The rows in the order of the estimates, which are those of a report that is not `labelled`."""
    units = [one for one in estimates if one.statistic == "unit_disagreement" and one.estimate is not None]
    named = [next(iter(one.scope.get("subgroup", {}).items()), ("item", "")) for one in units]
    keys = {kind: {key for of, key in named if of == kind} for kind in ("item", "response")}
    texts = get_unit_texts(db, study_id, items=keys["item"], responses=keys["response"])
    return [_row(one, key, texts.get((kind, key)), labels) for one, (kind, key) in zip(units, named, strict=True)]


def by_place(rows: Sequence[DisagreementRow]) -> tuple[list[DisagreementRow], list[DisagreementRow]]:
    """The rows that are shown at once, and those one click away."""
    return [*rows[:N_FIRST]], [*rows[N_FIRST:]]


def _row(estimate: Estimate, key: str, texts: UnitText | None, labels: Labels) -> DisagreementRow:
    source = labels.source(texts.source) if texts and texts.source else ""
    words = opening(texts.item) if texts else ""
    question = labels.question(estimate.question or "", estimate.category)
    return DisagreementRow(question, source, words, key, texts, f"{estimate.estimate:.2f}", estimate.note)


def opening(words: str) -> str:
    r"""Return the first words of a text, on one line.

    >>> opening("I lost\nmy job. " + "It was long ago. " * 9)
    'I lost my job. It was long ago. It was long ago. It was long ago. It was long ago. It was…'
    """
    line = " ".join(words.split())
    if len(line) <= MAX_OPENING:
        return line
    return line[:MAX_OPENING].rsplit(" ", 1)[0] + "…"
