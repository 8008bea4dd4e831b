"""Cohen's kappa of pairs of named raters."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from app.analysis.data.answers import UNITS, Answers
from app.analysis.data.encoded_study import Ints
from app.analysis.data.question_data import AnyQuestionData
from app.analysis.data.scopes import groups, with_answers
from app.analysis.estimate import Estimate, Scope
from app.analysis.minimum_data import MIN_IN_COMMON
from app.analysis.sections.agreement import SECTION, in_words
from app.analysis.statistic import Statistic, declare
from app.stats.agreement import cohen_kappa, cohen_kappas
from app.stats.agreement.cohen import Categories
from app.stats.agreement.disagreement import Weights
from app.stats.arrays import sorted_unique
from app.stats.result import Method, Result, undefined

# All pairs of ten raters; hundreds of raters have thousands of pairs with hardly any items in common.
MAX_PAIRS = 45
MAX_RATERS = 200
SAME = 1e-12
WEIGHTS: tuple[Literal["quadratic", "linear"], ...] = ("quadratic", "linear")
PLAIN: tuple[Weights, Categories] = ("none", "declared")
WEIGHTED: list[tuple[Weights, Categories]] = [(name, of) for name in WEIGHTS for of in ("declared", "observed")]
NO_PAIR = f"not estimable: no two raters rated {MIN_IN_COMMON} units or more in common"

declare(
    Statistic("cohen_kappa", "Cohen's kappa", "coefficient", docs="agreement", cites=("cohen1960",)),
    Statistic(
        "cohen_kappa_linear",
        "Cohen's kappa",
        "coefficient",
        variant="linear weights",
        docs="agreement",
        cites=("cohen1968",),
    ),
    Statistic(
        "cohen_kappa_quadratic",
        "Cohen's kappa",
        "coefficient",
        variant="quadratic weights",
        docs="agreement",
        cites=("cohen1968",),
    ),
)


def kappas(data: AnyQuestionData) -> Iterator[Estimate]:
    """Yield the kappa of each pair of raters with enough units in common: weighted for scales, unweighted for choices.

    At most MAX_PAIRS pairs per question and kind of rater: first pairs within a pool, then pairs with the most units in
    common.
    """
    if data.question.target == "rater" or data.is_composite:
        return
    whole = [group for group in groups(data.codes) if "pool" not in group.scope]
    for group, answers in with_answers(whole, data.answers):
        pairs, n_pairs = named_pairs(answers, data.codes.raters.pool)
        rows = _rows_by_rater(answers.rater)
        left = f"{len(pairs)} of {n_pairs} pairs are shown: those that share most" if n_pairs > len(pairs) else ""
        for pair in pairs:
            part = answers.select(np.concatenate([rows[code] for code in pair]))
            ids = [data.codes.raters.ids[code] for code in pair]
            for estimate in _of_pair(data, part, {**group.scope, "raters": ids}):
                yield replace(estimate, note="; ".join(note for note in (estimate.note, left) if note))
        if not pairs and len(answers.value):
            nothing = undefined(
                "no_pairable_units", NO_PAIR, method=Method(words="pairs of raters"), n_pairable_units=0
            )
            yield _record(data, answers, group.scope, nothing, _headline(data))


def named_pairs(answers: Answers, pool: Ints) -> tuple[list[tuple[int, int]], int]:
    """Return the pairs of raters to compare, as codes, by number of units in common, and the total number of pairs.

    If there are more than MAX_RATERS raters, only those with the most units are included.
    """
    raters, units = busiest(answers)
    if not len(raters):
        return [], 0
    names, row = np.unique(raters, return_inverse=True)
    cells = csr_array((np.ones(len(row), dtype=np.int64), (row, units)))
    shared = np.triu((cells @ cells.T).toarray(), k=1)
    is_across = pool[names][:, None] != pool[names]
    first, second = np.nonzero(shared >= MIN_IN_COMMON)
    order = np.lexsort((names[second], names[first], -shared[first, second], is_across[first, second]))[:MAX_PAIRS]
    return [(int(names[first[k]]), int(names[second[k]])) for k in order], len(first)


def busiest(answers: Answers) -> tuple[Ints, Ints]:
    """Return rater and unit of each distinct combination, for the raters with the most units."""
    n_units = int(answers.unit.max(initial=0)) + 1
    cell = sorted_unique(answers.rater * n_units + answers.unit)
    rater, unit = cell // n_units, cell % n_units
    count = np.bincount(rater)
    if np.count_nonzero(count) <= MAX_RATERS:
        return rater, unit
    kept = np.isin(rater, np.argsort(-count, kind="stable")[:MAX_RATERS])
    return rater[kept], unit[kept]


def _rows_by_rater(rater: Ints) -> list[Ints]:
    """Return the rows of each rater, by the rater's code."""
    order = np.argsort(rater, kind="stable")
    return np.split(order, np.cumsum(np.bincount(rater))[:-1]) if len(rater) else []


def _of_pair(data: AnyQuestionData, answers: Answers, scope: Scope) -> Iterator[Estimate]:
    """Yield quadratic weights first for a scale, with declared and, if it differs, with observed categories."""
    if _headline(data) == "cohen_kappa":
        yield _record(data, answers, scope, cohen_kappa(answers.ratings))
        return
    plain, *weighted = cohen_kappas(answers.ratings, [PLAIN, *WEIGHTED])
    for weights, declared, observed in zip(WEIGHTS, weighted[::2], weighted[1::2], strict=True):
        yield _record(data, answers, scope, declared, f"cohen_kappa_{weights}")
        if declared.estimate is not None and abs(declared.estimate - (observed.estimate or 0)) > SAME:
            yield _record(data, answers, scope, observed, f"cohen_kappa_{weights}")
    yield _record(data, answers, scope, plain)


def _headline(data: AnyQuestionData) -> str:
    return "cohen_kappa" if data.is_nominal else "cohen_kappa_quadratic"


def _record(
    data: AnyQuestionData, answers: Answers, scope: Scope, result: Result, statistic: str = "cohen_kappa"
) -> Estimate:
    result, unit = in_words(result, data, answers), UNITS[data.question.target]
    return data.record(result, answers, section=SECTION, scope=scope, statistic=statistic, unit=unit)
