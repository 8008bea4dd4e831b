"""Items and responses of which a value is shown, such as those with the most disagreement, with their texts."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from app.analysis.estimate import Estimate
from app.analysis.wording.formatting import estimate_text
from app.base.database.engine import Connection
from app.protocol.labels import Labels
from app.results.data.row_pages import UnitText, get_unit_texts

MAX_OPENING = 90
N_FIRST = 10


@dataclass(frozen=True, slots=True)
class UnitRow:
    """One item or response. `about` is its key where the study has no such text any more; `texts` is then None."""

    question: str
    source: str
    opening: str
    about: str
    texts: UnitText | None
    value: str
    note: str


def unit_rows(
    db: Connection, study_id: int, estimates: Iterable[Estimate], labels: Labels, statistics: Collection[str]
) -> list[UnitRow]:
    """The rows of these statistics in the order of the estimates, which are those of a report not `labelled`."""
    units = [one for one in estimates if one.statistic in statistics and one.estimate is not None]
    named = [next(iter(one.scope.get("subgroup", {}).items()), ("item", "")) for one in units]
    keys = {kind: {key for of, key in named if of == kind} for kind in ("item", "response")}
    texts = get_unit_texts(db, study_id, items=keys["item"], responses=keys["response"])
    return [_row(one, key, texts.get((kind, key)), labels) for one, (kind, key) in zip(units, named, strict=True)]


def by_place(rows: Sequence[UnitRow]) -> tuple[list[UnitRow], list[UnitRow]]:
    """The rows that are shown at once, and those one click away."""
    return [*rows[:N_FIRST]], [*rows[N_FIRST:]]


def _row(estimate: Estimate, key: str, texts: UnitText | None, labels: Labels) -> UnitRow:
    source = labels.source(texts.source) if texts and texts.source else ""
    words = opening(texts.item) if texts else ""
    question = labels.question(estimate.question or "", estimate.category)
    if "source" in estimate.scope:
        question += f": {labels.source(estimate.scope['source'])} against {labels.source(estimate.scope['reference'])}"
    question += f", turn {estimate.scope['turn']}" if "turn" in estimate.scope else ""
    return UnitRow(question, source, words, key, texts, estimate_text(estimate), estimate.note)


def opening(words: str) -> str:
    r"""Return the first words of a text, on one line.

    >>> opening("I lost\nmy job. " + "It was long ago. " * 9)
    'I lost my job. It was long ago. It was long ago. It was long ago. It was long ago. It was…'
    >>> opening("The dog came home. " * 4 + "Well. " * 9)
    'The dog came home. The dog came home. The dog came home. The dog came home. Well. Well…'
    """
    line = " ".join(words.split())
    if len(line) <= MAX_OPENING:
        return line
    return line[:MAX_OPENING].rsplit(" ", 1)[0].rstrip(".,;:") + "…"
