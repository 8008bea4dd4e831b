"""Check that no rater answers the same question about the same target in the same condition twice."""

from __future__ import annotations

import numpy as np
import pandas as pd

from app.base.files.cells import Places
from app.base.files.table import Column, places
from app.studies.folder.ratings.targets import Replies, Sheet, Study, Targets

_NEW = "answers that the study does not have yet; remove this one from the file"


def check_once(
    sheet: Sheet, targets: Targets, context: dict[str, Column], study: Study, before: pd.DataFrame | None = None
) -> None:
    """Check for one answer per rater, item, question, response, turn, condition, repeat and pair in either order.

    Args:
        sheet: the table of answers.
        targets: what each row is about.
        context: turn, condition and repeat of each row.
        study: the study in which the existing answers are looked up.
        before: existing answers of the study.
    """
    key = _keys(
        targets,
        turn=pd.Series(context["turn"], dtype="Int64"),
        condition=pd.Series(context["condition"], dtype=object),
        repeat=np.array([repeat or 0 for repeat in context["repeat"]], dtype=np.int64),
    )[sheet.ok]
    _check_within(sheet, key)
    if before is not None and len(before):
        _check_against(sheet, key, _keys_of(before, study, targets.replies))


def _keys(
    targets: Targets, *, turn: pd.Series[int], condition: pd.Series[str], repeat: Places | pd.Series[int]
) -> pd.DataFrame:
    """Return what identifies an answer; rows with equal keys are repeats of one answer."""
    first, second = targets.replies.first_two(targets.item)
    left = np.where(targets.left >= 0, targets.left, first)
    right = np.where(targets.right >= 0, targets.right, second)
    return pd.DataFrame(
        {
            "rater": targets.rater,
            "item": targets.item,
            "question": targets.question,
            "response": targets.response,
            "turn": turn.fillna(-1).to_numpy(dtype=np.int64),
            "condition": condition.where(condition.notna(), "").to_numpy(dtype=object),
            "repeat": np.asarray(repeat, dtype=np.int64),
            "low": np.minimum(left, right),
            "high": np.maximum(left, right),
        }
    )


def _keys_of(answers: pd.DataFrame, study: Study, replies: Replies) -> pd.DataFrame:
    """Return the keys of answers in a frame with RATING_COLUMNS."""

    def found(name: str, keys: Column) -> Places:
        codes, distinct = pd.factorize(answers[name])
        return np.append(places(keys, np.asarray(distinct, dtype=object)), -1)[codes]

    questions = np.array([question.key for question in study.protocol.questions], dtype=object)
    targets = Targets(
        question=found("question", questions),
        rater=found("rater", study.raters["rater"].to_numpy(dtype=object)),
        item=found("item", study.items["item"].to_numpy(dtype=object)),
        response=found("response", replies.keys),
        left=found("left_response", replies.keys),
        right=found("right_response", replies.keys),
        replies=replies,
    )
    return _keys(targets, turn=answers["turn"], condition=answers["condition"], repeat=answers["repeat"])


def _check_within(sheet: Sheet, key: pd.DataFrame) -> None:
    several = key[key.duplicated(keep=False)]
    if several.empty:
        return
    rows = several.index.to_numpy()
    group = several.groupby(list(several.columns), sort=False).ngroup().to_numpy()
    earliest = rows[np.unique(group, return_index=True)[1]][group]
    repeated = rows != earliest
    for place, earlier in zip(rows[repeated], earliest[repeated], strict=True):
        _reject(sheet, place, f"one answer (the first is in row {sheet.table.rows[earlier]})")


def _check_against(sheet: Sheet, key: pd.DataFrame, before: pd.DataFrame) -> None:
    both = pd.concat([before, key.drop_duplicates()])
    repeated = both.index[both.duplicated().to_numpy() & (np.arange(len(both)) >= len(before))]
    for place in repeated:
        _reject(sheet, place, _NEW)


def _reject(sheet: Sheet, place: int, allowed: str) -> None:
    rater, question, value = (sheet.table.column(name)[place] for name in ("rater", "question", "value"))
    found = f"a second answer of {rater} to {question} ({value})"
    sheet.problems.add(
        sheet.table.file, int(sheet.table.rows[place]), sheet.table.header("value", place), found, allowed
    )
