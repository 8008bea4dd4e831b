"""Codes (harm, refusal, behaviours, errors): how much more often each is given to one source than to the reference."""

from collections.abc import Iterator

import numpy as np

from app.analysis.data.answers import Answers
from app.analysis.data.encoded_study import Bools, Ints
from app.analysis.data.question_data import ScaledData
from app.analysis.data.scopes import groups
from app.analysis.estimate import Estimate, Scope
from app.analysis.sections.categories import CategoryData
from app.analysis.statistic import Column, PageTable, Recorded, Statistic, declare, share_points
from app.protocol.questions.registry import CodesQuestion
from app.protocol.study import Protocol
from app.stats.proportions.share_difference import category_difference, cochran_q, stuart_maxwell

SECTION = "contrast"
_TWO = 2

declare(
    share_points(
        "category_difference",
        "Difference in share with this code",
        Recorded(keys=("category", "source", "reference")),
        page="codes",
    ),
    Statistic(
        "cochran_q",
        "Cochran's Q",
        "test",
        docs="contrasts",
        cites=("cochran1950",),
        letter="Q",
        is_of_counts=True,
        page="codes",
    ),
    Statistic(
        "stuart_maxwell",
        "Stuart-Maxwell chi-square",
        "test",
        docs="contrasts",
        cites=("stuart1955", "maxwell1970"),
        letter="χ²",
        is_of_counts=True,
        tests={"stuart_maxwell": Recorded()},
        page="codes",
    ),
)
DIFFERENCES = PageTable(
    "Differences between sources", (Column("Difference, percentage points", ("category_difference",)),)
)


def code_differences(asked: CategoryData, protocol: Protocol) -> Iterator[Estimate]:
    """Yield, for human raters: differences of shares per code, Cochran's Q over sources, Stuart-Maxwell over codes."""
    reference = protocol.reference
    if reference is None or len(asked.by_code[0].sources) < _TWO:
        return
    tested = tested_codes(asked.question, protocol)
    for name, data in zip(asked.question.codes, asked.by_code, strict=True):
        if name not in tested:
            continue
        answers = groups(data.codes)[0].of(data.answers)
        for source in data.sources:
            if source != reference:
                part, is_mine = of_two(data, answers, source, reference)
                found = category_difference(part.value, is_mine, **part.where)
                scope: Scope = {"category": name, "source": source, "reference": reference}
                yield data.record(
                    found, part, section=SECTION, scope=scope, statistic="category_difference", unit="rating"
                )
        q = cochran_q(answers.value, _cells(answers), answers.source)
        yield data.record(q, answers, section=SECTION, scope={"category": name}, statistic="cochran_q", unit="rating")
    if asked.whole is not None:
        yield from _marginal(asked.whole, reference)


def tested_codes(question: CodesQuestion, protocol: Protocol) -> list[str]:
    """Return the codes that are compared: of two codes that exclude each other only one, as the other is its mirror.

    That is the one (or both) that a primary contrast names, else the last.
    """
    codes = list(question.codes)
    if question.multiple or len(codes) != _TWO:
        return codes
    named = [one.code for one in protocol.analysis.primary if one.question == question.key]
    return [code for code in codes if code in named] or codes[-1:]


def _marginal(data: ScaledData, reference: str) -> Iterator[Estimate]:
    """Yield whether the same rater's codes for source and reference on the same item have the same shares."""
    answers = groups(data.codes)[0].of(data.answers)
    for source in data.sources:
        if source != reference:
            part, is_mine = of_two(data, answers, source, reference)
            cell = _cells(part)
            _, mine, theirs = np.intersect1d(cell[is_mine], cell[~is_mine], return_indices=True)
            found = stuart_maxwell(part.value[is_mine][mine], part.value[~is_mine][theirs])
            scope: Scope = {"source": source, "reference": reference}
            yield data.record(found, part, section=SECTION, scope=scope, statistic="stuart_maxwell", unit="rating")


def of_two(data: ScaledData, answers: Answers, source: str, reference: str) -> tuple[Answers, Bools]:
    """Return the answers about either source, and which are about the first, shape (n,)."""
    mine, theirs = data.code_of(source), data.code_of(reference)
    part = answers.select((answers.source == mine) | (answers.source == theirs))
    return part, np.asarray(part.source == mine)


def _cells(answers: Answers) -> Ints:
    """Return one code per combination of item and rater."""
    return np.asarray(answers.item * (int(answers.rater.max(initial=0)) + 1) + answers.rater)
