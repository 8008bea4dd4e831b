"""Every public statistic as a function of one tiny data set, for tests that it terminates."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from hypothesis import strategies as st

from app.stats import agreement, multiplicity, scales
from app.stats import factors as interaction
from app.stats import scales as omega
from app.stats.accuracy import detection
from app.stats.agreement.disagreement import Level
from app.stats.arrays import Bools, Floats, Ints
from app.stats.choice import controlled_shares as choice_models
from app.stats.choice import preference_shares as choice
from app.stats.choice import strengths
from app.stats.comparison import bootstrap, describe, rank_tests, t_tests
from app.stats.comparison import rank_tests as ranks
from app.stats.comparison import t_tests as classical
from app.stats.linear import correlation, regression
from app.stats.mixed import clmm, lmm
from app.stats.mixed import proportional_odds as proportional
from app.stats.proportions import binomial_intervals as binomial
from app.stats.proportions import share_difference as tables
from app.stats.raters import alt_test, dawid_skene, profiles
from app.stats.raters import profiles as habits
from app.stats.ratings import Ratings
from app.stats.reliability.icc import Form
from tests.stats.conftest import Where

SCALES: list[list[float]] = [[0, 1], [1, 2, 3, 4, 5], [0, 0.5, 1], [-5, -2, 0, 5], [0.1, 0.3], [3], [0, 50, 100, 7.25]]
DRAWS = 50


@dataclass(frozen=True)
class Tiny:
    """Up to twelve ratings of two sources by up to four raters, each with a number, a split and a side."""

    value: Floats
    treated: Bools
    item: Ints
    rater: Ints
    other: Floats
    member: Bools

    @property
    def where(self) -> Where:
        return {"item": self.item, "rater": self.rater}

    @property
    def two(self) -> tuple[Floats, Bools]:
        return self.value, self.treated

    @property
    def ratings(self) -> Ratings:
        return Ratings(self.item, self.rater, self.value)

    @property
    def won(self) -> Floats:
        """The values as outcomes of choices: 0, 1/2 or 1."""
        rank = np.unique(self.value, return_inverse=True)[1]
        return np.array([0.0, 1.0, 0.5])[rank % 3]

    @property
    def outcome(self) -> Ints:
        return np.unique(self.value, return_inverse=True)[1].astype(np.int64) % 4

    @property
    def side(self) -> Floats:
        return np.where(self.treated, 0.5, -0.5)[np.newaxis]

    @property
    def scores(self) -> Floats:
        return np.column_stack([self.value, self.other, np.roll(self.value, 1) + self.treated, self.other * self.item])

    @property
    def table(self) -> Floats:
        """The ratings as a table, shape (n_raters, n_units); nan if not rated."""
        table = np.full((4, 6), np.nan)
        table[self.rater, self.item] = self.value
        return table


@st.composite
def tiny(draw: st.DrawFn) -> Tiny:
    """Draw one to twelve ratings on a scale of one to five points."""
    scale = draw(st.sampled_from(SCALES))
    n = draw(st.integers(1, 12))

    def column(of: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(of, min_size=n, max_size=n))

    return Tiny(
        np.array(column(st.sampled_from(scale)), float),
        np.array(column(st.booleans()), bool),
        np.array(column(st.integers(0, 5)), np.int64),
        np.array(column(st.integers(0, 3)), np.int64),
        np.array(column(st.sampled_from([0.0, 1.0, 2.5, -3.0])), float),
        np.array(column(st.booleans()), bool),
    )


def _strengths(d: Tiny) -> object:
    left, right = d.item % 3, (d.item + 1 + d.rater % 2) % 3
    return strengths.strengths(left, right, d.won, n_sources=3, **d.where)


# statistics that search for a maximum
SEARCHING: dict[str, Callable[[Tiny], object]] = {
    "compare_ordinal": lambda d: clmm.compare_ordinal(*d.two, **d.where),
    "compare_ordinal, probit": lambda d: clmm.compare_ordinal(*d.two, link="probit", **d.where),
    "compare_ordinal, no slopes": lambda d: clmm.compare_ordinal(*d.two, has_slopes=False, **d.where),
    "preference_model": lambda d: choice_models.preference_model(d.won, d.side, **d.where),
    "share_at_equal": lambda d: choice_models.share_at_equal(d.won, d.side, **d.where),
    "strengths": _strengths,
    "mean_difference_lmm": lambda d: lmm.mean_difference_lmm(*d.two, **d.where),
    "profiles": lambda d: profiles.profiles(d.value, unit=d.item, rater=d.rater),
    "icc_forms": lambda d: agreement.icc_forms(d.ratings, get_args(Form)),
    "omega": lambda d: omega.omega(d.scores, **d.where),
    "dawid_skene": lambda d: dawid_skene.dawid_skene(d.item, d.rater, d.outcome, n_categories=4),
}
CLOSED: dict[str, Callable[[Tiny], object]] = {
    **{
        f"krippendorff_alpha, {level}": lambda d, level=level: agreement.krippendorff_alpha(d.ratings, level=level)  # type: ignore[misc]
        for level in get_args(Level)
    },
    "krippendorff_alpha, two ways": lambda d: agreement.krippendorff_alpha(
        d.ratings, level="ordinal", inference="new_units_and_raters"
    ),
    "alpha_bootstrap": lambda d: agreement.alpha_bootstrap(d.ratings, level="ordinal", n_resamples=DRAWS),
    "alpha_without_each_rater": lambda d: agreement.alpha_without_each_rater(d.ratings, level="ordinal"),
    "brennan_prediger": lambda d: agreement.brennan_prediger(d.ratings, inference="new_units_and_raters"),
    "fleiss_kappa": lambda d: agreement.fleiss_kappa(d.ratings, inference="new_units_and_raters"),
    "gwet_ac1": lambda d: agreement.gwet_ac1(d.ratings),
    "gwet_ac2": lambda d: agreement.gwet_ac2(d.ratings, inference="new_units_and_raters"),
    "cohen_kappa": lambda d: agreement.cohen_kappa(d.ratings.of_raters([0, 1]), weights="quadratic"),
    "kendall_w": lambda d: agreement.kendall_w(d.ratings),
    "rater_pairs": lambda d: agreement.rater_pairs(d.ratings),
    "intra_rater_agreement": lambda d: agreement.intra_rater_agreement(
        d.ratings, Ratings(d.item, d.rater, np.roll(d.value, 1))
    ),
    "percent_agreement": lambda d: agreement.percent_agreement(d.ratings, inference="new_units_and_raters"),
    "unanimous_share": lambda d: agreement.unanimous_share(d.ratings),
    "within_one_agreement": lambda d: agreement.within_one_agreement(d.ratings),
    "worst_units": lambda d: agreement.worst_units(d.ratings, level="ordinal"),
    "alternative_annotator_test": lambda d: alt_test.alternative_annotator_test(d.table, d.table[0], epsilon=0.1),
    "wilson": lambda d: binomial.wilson(int(d.treated.sum()), len(d.treated)),
    "share_of_item_means_at_least": lambda d: bootstrap.share_of_item_means_at_least(
        d.value, 1, n_resamples=DRAWS, **d.where
    ),
    "share_at_least_ratio": lambda d: bootstrap.share_at_least_ratio(*d.two, 1, n_resamples=DRAWS, **d.where),
    "share_preferred": lambda d: choice.share_preferred(d.outcome, **d.where),
    "share_decisive": lambda d: choice.share_decisive(d.outcome, **d.where),
    "coherence": lambda d: choice.coherence(d.other, **d.where),
    "t_paired": lambda d: classical.t_paired(*d.two, **d.where),
    "item_mean_difference": lambda d: classical.item_mean_difference(*d.two, is_paired=False, **d.where),
    "correlation": lambda d: correlation.correlation(d.value, d.other, **d.where),
    "correlation, ranks": lambda d: correlation.correlation(d.value, d.other, kind="spearman", **d.where),
    "halo": lambda d: correlation.halo(d.value, d.other, unit=d.item, **d.where),
    "mean": lambda d: describe.mean(d.value, **d.where),
    "mean_difference": lambda d: describe.mean_difference(*d.two, **d.where),
    "share_at_least": lambda d: describe.share_at_least(d.value, 1, **d.where),
    "dprime": lambda d: detection.dprime(d.won, d.treated, **d.where),
    "equivalence": lambda d: t_tests.equivalence(describe.mean_difference(*d.two, **d.where), 0.5),
    "habits": lambda d: habits.habits(d.value, d.rater),
    "side_habits": lambda d: habits.side_habits(d.treated.astype(float), d.rater),
    "mean_difference_responders": lambda d: t_tests.mean_difference_responders(*d.two, item=d.item, responder=d.rater),
    "interaction": lambda d: interaction.interaction(*d.two, d.member, **d.where),
    "adjusted": lambda d: multiplicity.adjusted(np.abs(np.cos(d.value)).tolist(), "holm"),
    "pigeonhole": lambda d: bootstrap.mean_difference_pigeonhole(*d.two, n_resamples=DRAWS, **d.where),
    "proportional_odds": lambda d: proportional.proportional_odds(*d.two, **d.where),
    "wilcoxon": lambda d: ranks.wilcoxon_of_item_means(*d.two, **d.where),
    "mann_whitney": lambda d: ranks.mann_whitney(d.value[d.treated], d.value[~d.treated]),
    "difference_at_equal": lambda d: regression.difference_at_equal(*d.two, d.other, **d.where),
    "cronbach_alpha": lambda d: scales.cronbach_alpha(d.scores),
    "win_matrix": lambda d: strengths.win_matrix(d.item % 3, d.rater % 3, d.won, n_sources=4).n_intransitive,
    "prob_superiority": lambda d: rank_tests.prob_superiority(*d.two, **d.where),
    "cliffs_delta_unpaired": lambda d: rank_tests.cliffs_delta_unpaired(*d.two, **d.where),
    "chi_square": lambda d: tables.chi_square(np.array([np.bincount(d.item), np.bincount(d.item, d.treated)])),
}
