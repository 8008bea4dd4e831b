"""The specification curve: each primary difference between sources under every combination of defensible choices.

The choices are which answers are left out, which pool of raters counts, and the test with its link. Each combination
is one analysis of the same difference, in points of the scale or as a share of choices.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from app.analysis.data.answers import Answers, Choices
from app.analysis.data.encoded_study import Bools
from app.analysis.data.rater_panel import SECTION
from app.analysis.data.scopes import groups
from app.analysis.estimate import Estimate, Scope, Unit
from app.analysis.sections.choice import outcomes
from app.analysis.sections.sensitivity import OfPair, exclusions, primary_pairs
from app.analysis.sections.study_data import StudyData
from app.analysis.statistic import Bounds, Statistic, declare
from app.stats.choice.controlled_shares import preference_model
from app.stats.choice.preference_shares import share_preferred
from app.stats.comparison import describe
from app.stats.comparison.t_tests import item_mean_difference
from app.stats.mixed.clmm import compare_ordinal
from app.stats.mixed.lmm import mean_difference_lmm
from app.stats.result import Method, Result

MAX_CURVES, MAX_ANALYSES = 3, 96
# A mixed model takes hundreds of times as long as a mean: up to so many ratings, it is fitted with so many departures.
DEPARTURES_OF_MODELS = {1_000: 1, 5_000: 0}
ALL_CHOICES = "all_choices"
CITES = ("simonsohn2020", "steegen2016")
METHOD = Method(words="median over the analyses")

declare(
    Statistic(
        "specifications_difference",
        "Median difference over all analyses",
        "points",
        docs="comparison",
        cites=CITES,
        bounds=Bounds(times=1),
    ),
    Statistic(
        "specifications_share",
        "Median share preferred over all analyses",
        "share",
        docs="comparison",
        cites=CITES,
        is_of_choices=True,
    ),
)


@dataclass(frozen=True, slots=True)
class Test:
    """One way to estimate and test the difference: the estimate is in points of the scale, or a share of choices."""

    key: str
    is_model: bool
    run: Callable[[Answers, Bools, int], Result]


def _clustered(answers: Answers, is_mine: Bools, _: int) -> Result:
    return describe.mean_difference(answers.value, is_mine, **answers.where)


def _item_means(answers: Answers, _: Bools, mine: int) -> Result:
    means = answers.per_item
    return item_mean_difference(means.value, np.asarray(means.source == mine), is_paired=True, **means.where)


def _linear(answers: Answers, is_mine: Bools, _: int) -> Result:
    return mean_difference_lmm(answers.value, is_mine, **answers.where)


def _ordinal(answers: Answers, is_mine: Bools, _: int) -> Result:
    return compare_ordinal(answers.value, is_mine, **answers.where).mean_difference


def _share(answers: Answers, _: Bools, mine: int) -> Result:
    assert isinstance(answers, Choices)  # noqa: S101 - a share is of choices
    return share_preferred(outcomes(answers, mine), **answers.where)


def _share_for_items(answers: Answers, _: Bools, mine: int) -> Result:
    assert isinstance(answers, Choices)  # noqa: S101 - as above
    return share_preferred(outcomes(answers, mine), item=answers.item, rater=answers.item)


def _logistic(answers: Answers, _: Bools, mine: int) -> Result:
    assert isinstance(answers, Choices)  # noqa: S101 - as above
    won = np.where(answers.chosen == mine, 1.0, np.where(answers.chosen >= 0, 0.0, np.nan))
    return preference_model(won, np.zeros((0, len(won))), **answers.where).share


OF_RATINGS = (
    Test("clustered", False, _clustered),
    Test("item_means", False, _item_means),
    Test("linear", True, _linear),
    Test("ordinal", True, _ordinal),
)
OF_CHOICES = (
    Test("clustered", False, _share),
    Test("items", False, _share_for_items),
    Test("logistic", True, _logistic),
)


@dataclass(frozen=True, slots=True)
class Departures:
    """Which answers an analysis leaves out, by which rules, and the pool it is restricted to; "" for all raters."""

    rules: tuple[str, ...]
    pool: str

    @property
    def n(self) -> int:
        """How many departures from the analysis of all answers."""
        return len(self.rules) + bool(self.pool)


def specifications(study: StudyData) -> Iterator[Estimate]:
    """Yield the median over the analyses of each of the first primary differences, with all of them in its detail.

    Combinations with the fewest departures from the analysis of all answers come first, up to MAX_ANALYSES.
    """
    for data, scope in islice(primary_pairs(study), MAX_CURVES):
        pair = OfPair.of(data, scope)
        if not len(pair.value):
            continue
        tests = OF_CHOICES if pair.is_share else OF_RATINGS
        if not pair.is_share and data.is_nominal:
            continue
        rules = {key: kept for key, kept, _ in exclusions(pair, study)}
        pools = {
            str(group.scope["pool"]): group.has_rater[pair.answers.rater]
            for group in groups(data.codes)
            if "pool" in group.scope
        }
        pools = pools if len(pools) > 1 else {}
        n_all = 2 ** len(rules) * (1 + len(pools)) * len(tests)
        mine = data.code_of(scope["source"])
        curve = list(islice(_curve(pair, mine, rules, pools, tests), MAX_ANALYSES))
        if len(curve) > 1:
            median = float(np.median([one["estimate"] for one in curve]))
            found = Result(median, METHOD, n_units=len(curve), note=_note(len(curve), n_all, pair))
            name = "specifications_share" if pair.is_share else "specifications_difference"
            of: Scope = {**scope, "sensitivity": ALL_CHOICES}
            yield data.record(
                found,
                pair.answers,
                section=SECTION,
                scope=of,
                statistic=name,
                unit="choice" if pair.is_share else "rating",
                curve=curve,
                n_all=n_all,
            )


def _note(n: int, n_all: int, pair: OfPair) -> str:
    if n == n_all:
        return f"all {n_all} combinations of choices"
    words = {1: "mixed models with at most one departure", 0: "mixed models of all answers only", -1: "no mixed models"}
    models = words[_departures_of_models(pair)]
    chosen = "those that have an interval, with the fewest departures first"
    return f"{n} of {n_all} combinations of choices: {chosen}, {models}"


def _departures_of_models(pair: OfPair) -> int:
    """With how many departures mixed models are fitted; -1 if they are not."""
    n = len(pair.value)
    return next((most for limit, most in DEPARTURES_OF_MODELS.items() if n <= limit), -1)


def _curve(
    pair: OfPair, mine: int, rules: Mapping[str, Bools], pools: Mapping[str, Bools], tests: tuple[Test, ...]
) -> Iterator[dict[str, object]]:
    """Yield the analyses with an interval; none twice of the same answers."""
    done: set[tuple[str, bytes]] = set()
    for departures in _combined(rules, pools):
        kept = np.ones(len(pair.value), dtype=np.bool_)
        for mask in (*(rules[key] for key in departures.rules), *([pools[departures.pool]] if departures.pool else [])):
            kept = kept & mask
        answers, is_mine = pair.answers.select(kept), pair.is_mine[kept]
        for test in tests:
            identity = (test.key, kept.tobytes())
            if (
                (test.is_model and departures.n > _departures_of_models(pair))
                or identity in done
                or not len(answers.value)
            ):
                continue
            done.add(identity)
            found = _recorded(pair, answers, test.run(answers, is_mine, mine))
            if found.estimate is not None and found.ci_low is not None:
                yield {
                    "estimate": found.estimate,
                    "low": found.ci_low,
                    "high": found.ci_high,
                    "test": test.key,
                    "procedure": found.procedure,
                    "rules": list(departures.rules),
                    "pool": departures.pool,
                    "n_raters": answers.counts["n_raters"],
                    "n_ratings": len(answers.value),
                }


def _recorded(pair: OfPair, answers: Answers, result: Result) -> Estimate:
    """The estimate as the report would have it: within the possible range, without an interval that tells nothing."""
    name: tuple[str, Unit] = ("share_preferred", "choice") if pair.is_share else ("mean_difference", "rating")
    return pair.data.record(result, answers, section=SECTION, scope={}, statistic=name[0], unit=name[1])


def _combined(rules: Mapping[str, Bools], pools: Mapping[str, Bools]) -> list[Departures]:
    """Every combination of rules and pool, those with the fewest departures first."""
    subsets = [chosen for n in range(len(rules) + 1) for chosen in combinations(rules, n)]
    every = [Departures(chosen, pool) for chosen in subsets for pool in ("", *pools)]
    return sorted(every, key=lambda one: one.n)
