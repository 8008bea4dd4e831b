"""scores.csv: each rater's questionnaire scores, with reversed questions recoded. Written by exports only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from app.design.protocol.parts.composite import composite_score
from app.design.word_lists import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from app.analysis.data.study_folder import StudyFolder
    from app.design.protocol.parts.composite import Composite
    from app.design.protocol.study import Protocol
    from app.design.questions.kinds.registry import ScaledQuestion
    from app.exchange.folder.written_tables import Columns

SCORE_COLUMNS = ("rater", "score", "value", "n_answers")


def rater_composites(protocol: Protocol) -> dict[str, Composite]:
    """Return the composites that consist of questions about the rater."""
    targets = {question.key: question.target for question in protocol.scaled_questions}
    composites = protocol.analysis.composites.items()
    return {name: made for name, made in composites if targets[made.questions[0]] == "rater"}


def scores_of(study: StudyFolder) -> Columns:
    """Return one row per rater and score that has enough answers; no rows if the protocol has no such scores."""
    questions = {question.key: question for question in study.protocol.scaled_questions}
    rows = [
        (rater, name, composite_score(composite, questions, values), sum(key in values for key in composite.questions))
        for rater, values in _answers(study)
        for name, composite in rater_composites(study.protocol).items()
    ]
    scores = pd.DataFrame([row for row in rows if row[2] is not None], columns=[*SCORE_COLUMNS], dtype=object)
    return {name: scores[name] for name in SCORE_COLUMNS}


def _answers(study: StudyFolder) -> Iterator[tuple[str, Mapping[str, float]]]:
    rows = study.ratings
    asked = {key for composite in rater_composites(study.protocol).values() for key in composite.questions}
    given = rows[rows["question"].isin(asked) & rows["exclude"].isna() & rows["number"].notna() & rows["item"].isna()]
    for rater, own in given.groupby("rater", sort=True):
        yield str(rater), dict(zip(own["question"], own["number"], strict=True))


def score_meanings(protocol: Protocol) -> Iterator[tuple[str, str]]:
    """Yield the name of each score and how it is calculated, for the codebook."""
    questions: Mapping[str, ScaledQuestion] = {question.key: question for question in protocol.scaled_questions}
    for name, made in rater_composites(protocol).items():
        parts = ", ".join(f"{key} (reversed)" if questions[key].reversed else key for key in made.questions)
        least = f"; needs at least {counted(made.n_needed, 'answer')}" if made.at_least else ""
        yield name, f"{made.text + ': ' if made.text else ''}{made.score} of {parts}{least}"
