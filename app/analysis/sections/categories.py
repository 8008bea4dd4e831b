"""Questions answered with codes: the share of each code, the share of correct answers, and agreement."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from app.analysis.data.answers import Answers, answers_at
from app.analysis.data.encoded_study import Codes, Floats, Ints
from app.analysis.data.frames import Frames
from app.analysis.data.question_data import ScaledData
from app.analysis.data.scopes import distinct_groups, with_answers
from app.analysis.estimate import Estimate
from app.analysis.statistic import Column, PageTable, Recorded, Statistic, declare
from app.protocol.questions.rating import RatingQuestion
from app.protocol.questions.registry import CodesQuestion
from app.protocol.questions.scale import Point, Scale
from app.stats.comparison.describe import share

SECTION = "category"
BAD_KEY = "The key of {n} answers is not a code of the question, so they are left out."

declare(
    Statistic("code_share", "Share with this code", "share", docs="comparison"),
    Statistic(
        "accuracy_share",
        "Proportion correct",
        "share",
        docs="comparison",
        tests={"accuracy_share": Recorded(keys=(), perhaps=("source",))},
    ),
)
SHARES = PageTable("Share of answers with each category", (Column("Share", ("code_share",)),))


@dataclass(frozen=True, eq=False)
class CategoryData:
    """The question data of a category question.

    `given` has one row per answer and one column per code: 1 if the code was given, otherwise 0. `right` is 1 for
    correct answers, 0 for incorrect ones, nan without a key. `key` is the correct code for each answer; `n_bad_keys`
    counts the answers whose key is not a code of the question.
    """

    codes: Codes
    question: CodesQuestion
    answers: Answers
    given: Floats
    right: Floats
    full: bool
    key: tuple[str | None, ...] = ()
    n_bad_keys: int = 0

    @cached_property
    def by_code(self) -> list[ScaledData]:
        """Each code as a yes-no question, because an estimate has one value but the question has several codes."""
        scale = Scale(points=(Point(value=0, words="no"), Point(value=1, words="yes")))
        return [
            self._of_codes(f"{self.question.text} {words}", scale, self.given[:, k], code)
            for k, (code, words) in enumerate(self.question.codes.items())
        ]

    @cached_property
    def rightness(self) -> Answers:
        """The answers that have a key, with 1 for a correct and 0 for an incorrect one."""
        return replace(self.answers, value=self.right).select(np.isfinite(self.right))

    @cached_property
    def without_key(self) -> str:
        """How many of the items or responses that were answered have no key and are left out; empty if none."""
        unit = self.answers.unit
        n, n_left = len(np.unique(unit)), len(np.unique(unit[~np.isfinite(self.right)]))
        what = {"item": "items", "response": "responses"}.get(self.question.target)
        return f"{n_left} of {n} {what} have no correct answer and are left out." if n_left and what else ""

    @cached_property
    def whole(self) -> ScaledData | None:
        """The question with the position of the code as value; None for multiple codes or only one code."""
        names = list(self.question.codes)
        if self.question.multiple or len(names) == 1:
            return None
        scale = Scale(points=tuple(Point(value=k, words=name) for k, name in enumerate(names)))
        return self._of_codes(self.question.text, scale, self.given.argmax(axis=1).astype(np.float64))

    def _of_codes(self, text: str, scale: Scale, value: Floats, code: str | None = None) -> ScaledData:
        key, target = self.question.key, self.question.target
        question = RatingQuestion(key=key, type="rating", target=target, text=text, scale=scale, level="nominal")
        answers = replace(self.answers, value=value)
        return ScaledData(self.codes, question, answers, None, full=self.full, category=code)


def category_data(codes: Codes, frames: Frames, question: CodesQuestion, *, full: bool) -> CategoryData:
    """Return the answers to a category question; several codes are joined by | in the data."""
    at = codes.rows_of(question.key)
    number, texts = pd.factorize(codes.kept["codes"].to_numpy(dtype=object)[at])
    at, number = at[number >= 0], number[number >= 0]
    names = list(question.codes)
    sets = [set(str(text).split("|")) if question.multiple else {str(text)} for text in texts]
    table = np.array([[float(name in one) for name in names] for one in sets]).reshape(len(sets), len(names))
    answers = answers_at(codes, question.target, at, np.zeros(len(at)))
    key, n_bad = _usable(_key(codes, frames, question, at), question)
    text_of = np.array([str(text) for text in texts], dtype=object)[number] if len(at) else np.zeros(0, dtype=object)
    right = np.array([np.nan if code is None else float(code == text) for code, text in zip(key, text_of, strict=True)])
    return CategoryData(codes, question, answers, table[number], right.astype(np.float64), full, tuple(key), n_bad)


def _key(codes: Codes, frames: Frames, question: CodesQuestion, at: Ints) -> list[str | None]:
    """Return the correct code for each answer, from the question or from a column of the responses or items."""
    if question.correct is not None:
        return [question.correct] * len(at)
    for table, code in ((frames.responses, codes.rows.response[at]), (frames.items, codes.rows.item[at])):
        if question.correct_column in table:
            column = [*table[question.correct_column].astype(object), None]
            return [None if pd.isna(column[k]) else str(column[k]) for k in code]
    return [None] * len(at)


def _usable(key: list[str | None], question: CodesQuestion) -> tuple[list[str | None], int]:
    """Return the key without invalid codes, and the number of answers with an invalid code as their key."""
    allowed = {code for code in set(key) if code is not None and question.read_cell(code) is not None}
    kept = [code if code in allowed else None for code in key]
    return kept, sum(code is not None for code in key) - sum(code is not None for code in kept)


def categories(data: CategoryData) -> Iterator[Estimate]:
    """Yield the share of each code and of correct answers, per source, separately for human raters and models."""
    has_key = bool(np.isfinite(data.right).any()) or data.n_bad_keys > 0
    for one in data.by_code:
        yield from _shares(one, one.answers, "code_share")
    if has_key:
        bad = BAD_KEY.format(n=data.n_bad_keys) if data.n_bad_keys else ""
        for record in _shares(keyed_data(data), replace(data.answers, value=data.right), "accuracy_share"):
            yield replace(record, note=f"{bad} {record.note}".strip())


def keyed_data(data: CategoryData) -> ScaledData:
    """Return the question data for the whole question, however many codes may be given."""
    asked = data.whole or data.by_code[0]
    return replace(asked, category=None)


def _shares(data: ScaledData, answers: Answers, statistic: str) -> Iterator[Estimate]:
    known = answers.select(np.isfinite(answers.value))
    for group, part in with_answers(distinct_groups(data.codes), known):
        for source in data.sources or (None,):
            of_source = part if source is None else part.of_source(data.code_of(source))
            scope = group.scope if source is None else {**group.scope, "source": source}
            result = share(of_source.value, **data.clusters_of(of_source))
            yield data.record(result, of_source, section=SECTION, scope=scope, statistic=statistic, unit="rating")
