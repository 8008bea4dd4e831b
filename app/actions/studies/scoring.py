"""Score the responses of a study by a program or an endpoint, and store the scores as attributes of the responses."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from app.models.scoring import ScoringError
from app.storage.studies.response_scores import list_texts_to_score, record_scores

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from app.models.scoring import Scored
    from app.storage.database.engine import Begin
    from app.storage.studies.studies import StudyRow

    Score = Callable[[list[dict[str, Any]]], Scored]


def score_responses(begin: Begin, study: StudyRow, name: str, score: Score) -> tuple[Scored, tuple[str, ...]]:
    """Score all responses and store what came back; the texts are read and the scores stored in two transactions.

    Args:
        begin: begins a transaction.
        study: the study.
        name: the name of the metric, which the names of its scores begin with.
        score: from `app.models.scoring`.

    Returns:
        What came back, and the names of the stored columns.

    Raises:
        ScoringError: there is nothing to score, or there are no scores.
    """
    with begin() as db:
        lines = [asdict(one) for one in list_texts_to_score(db, study.id)]
    if not lines:
        raise ScoringError("This study has no responses.")
    scored = score(lines)
    if not scored.scores:
        raise ScoringError(f"No response was scored. {next(iter(scored.problems.values()), '')}".rstrip())
    scored_on = datetime.now(UTC).date().isoformat()
    stored = {}
    for key, scores in scored.scores.items():
        named = {f"{name}.{one}": value for one, value in scores.items()}
        version = scored.versions.get(key) or "not stated"
        stored[key] = {**named, f"{name}.version": f"{version} (scored on {scored_on})"}
    columns = tuple(sorted({column for one in stored.values() for column in one}))
    with begin() as db:
        record_scores(db, study.id, stored)
    return scored, columns
