"""Rankings: mean ranks, shares of implied pairs, and agreement between rankings."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from app.analysis.data.answers import Answers, answers_at
from app.analysis.data.encoded_study import Codes, Ints
from app.analysis.data.question_data import QuestionData, record_of
from app.analysis.data.scopes import distinct_groups, with_answers
from app.analysis.estimate import Estimate, Scope
from app.analysis.statistic import Column, PageTable, Statistic, declare
from app.protocol.questions.registry import OrderQuestion
from app.stats.agreement.rankings import concordance_within_items, midranks, rank_correlation_within_items
from app.stats.choice.preference_shares import RankedPairs, ranked_pairs
from app.stats.clusters import kept_within
from app.stats.comparison.describe import mean, share
from app.stats.result import Result

SECTION = "ranking"
MEAN_OF_PLACES = "tied responses share the mean of their ranks"
IMPLIED = "pairs implied by the rankings, ties count half"

declare(
    Statistic("mean_rank", "Mean rank (1 is first)", "points", docs="comparison"),
    Statistic(
        "kendall_w_within_items",
        "Kendall's W within items",
        "coefficient",
        variant="mean",
        docs="agreement",
        cites=("kendall1939",),
        agreement="main",
        meaning="Kendall's W {} (1: identical rankings, 0: no agreement).",
    ),
    Statistic(
        "rank_correlation_within_items",
        "Rank correlation of two raters within items",
        "coefficient",
        variant="mean",
        docs="agreement",
    ),
)
RANKS = PageTable("Mean ranks; 1 is first", (Column("Mean rank", ("mean_rank",)),))


@dataclass(frozen=True, eq=False)
class Ranks(Answers):
    """One entry per ranked response. `value` is its rank (the mean for ties), `ranking` the code of the ranking."""

    ranking: Ints


RankingData = QuestionData[OrderQuestion, Ranks]


def ranking_data(codes: Codes, question: OrderQuestion, reference: str | None) -> RankingData:
    """Return the question data of a question about an order."""
    at = codes.rows_of(question.key)
    at = at[np.isfinite(codes.rows.number[at]) & (codes.rows.response[at] >= 0)]
    answers = answers_at(codes, "response", at, codes.rows.number[at])
    condition = pd.factorize(codes.kept["condition"].to_numpy(dtype=object)[at])[0]
    keys = pd.DataFrame({"item": answers.item, "rater": answers.rater, "condition": condition})
    ranking: Ints = keys.groupby([*keys.columns], sort=False).ngroup().to_numpy().astype(np.int64)
    rank = midranks(answers.value, ranking)
    parts = (answers.item, answers.unit, answers.rater, answers.source, rank, answers.is_first, answers.row)
    return RankingData(codes, question, Ranks(*parts, ranking=ranking), reference)


def rankings(data: RankingData) -> Iterator[Estimate]:
    """Yield the mean rank of each source, the shares ranked above the reference and all others, and agreement."""
    places = (1.0, float(np.bincount(data.answers.ranking).max(initial=1)))
    for group, answers in with_answers(distinct_groups(data.codes), data.answers):
        for source in data.sources:
            own = answers.of_source(data.code_of(source))
            result = _by(mean(own.value, **own.where), MEAN_OF_PLACES)
            yield record_of(
                data.question.key,
                kept_within(result, *places),
                own,
                section=SECTION,
                scope={**group.scope, "source": source},
                statistic="mean_rank",
                unit="rating",
                ends=places,
            )
        yield from _shares(data, answers, group.scope)
        yield from _agreement(data, answers, group.scope)


def _shares(data: RankingData, answers: Ranks, scope: Scope) -> Iterator[Estimate]:
    reference = data.reference
    others = [source for source in data.sources if source != reference]
    compared = [(source, reference) for source in others if reference is not None]
    compared += [(second, first) for first, second in combinations(others, 2)]
    pairs = ranked_pairs(answers.value, answers.ranking)
    for source, against in compared:
        yield _share(data, answers, pairs, {**scope, "source": source, "reference": against})


def _share(data: RankingData, answers: Ranks, pairs: RankedPairs, scope: Scope) -> Estimate:
    one, other = answers.source[pairs.one], answers.source[pairs.other]
    mine, theirs = data.code_of(scope["source"]), data.code_of(scope["reference"])
    is_one, is_other = (one == mine) & (other == theirs), (one == theirs) & (other == mine)
    met = is_one | is_other
    worth = np.where(is_one, pairs.worth, 1 - pairs.worth)[met]
    part = answers.select(pairs.one[met])
    result = _by(share(worth, **part.where, null=0.5), IMPLIED)
    return data.record(result, part, section=SECTION, scope=scope, statistic="share_preferred", unit="choice")


def _agreement(data: RankingData, answers: Ranks, scope: Scope) -> Iterator[Estimate]:
    first = answers.select(answers.is_first)
    for statistic, of in (
        ("kendall_w_within_items", concordance_within_items),
        ("rank_correlation_within_items", rank_correlation_within_items),
    ):
        result = of(first.value, item=first.item, response=first.unit, rater=first.rater)
        yield data.record(result, first, section=SECTION, scope=scope, statistic=statistic, unit="item")


def _by(result: Result, how: str) -> Result:
    return replace(result, method=result.method.with_words(f": {how}"))
