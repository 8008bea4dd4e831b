"""Comparisons of sources on a scale."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from app.analysis.data.answers import Answers
from app.analysis.data.encoded_study import Bools
from app.analysis.data.question_data import TOO_MANY, ScaledData
from app.analysis.data.scopes import Contrast, Found, distinct_groups, with_answers
from app.analysis.estimate import EFFECTS, Estimate, Scope
from app.analysis.sections.distribution import point_counts
from app.analysis.statistic import Bounds, Column, Effect, Margin, PageTable, Recorded, Statistic, declare
from app.stats.clusters import for_new_items, has_few_raters
from app.stats.comparison import bootstrap, describe
from app.stats.comparison import rank_tests as stats
from app.stats.comparison import t_tests as classical
from app.stats.comparison.bootstrap import METHOD as PIGEONHOLE
from app.stats.comparison.bootstrap import mean_difference_pigeonhole
from app.stats.comparison.rank_tests import compare_responders, mann_whitney, rank_biserial, wilcoxon_of_item_means
from app.stats.comparison.t_tests import equivalence, item_means, mean_difference_responders, non_inferiority
from app.stats.mixed.clmm import METHOD, OrdinalComparison, compare_ordinal, probit_shift
from app.stats.mixed.lmm import mean_difference_lmm
from app.stats.mixed.lmm_name import LMM
from app.stats.mixed.model_design import random_columns
from app.stats.mixed.proportional_odds import proportional_odds
from app.stats.proportions.share_difference import chi_square
from app.stats.result import Result, undefined

# Differences of means and of shares: first for new items and raters, then by the methods common in the field.

# Label of intervals that treat the raters as fixed.
THESE_RATERS = "these raters only"

_statistic = partial(Statistic, docs="comparison")
declare(
    _statistic(
        "mean_difference",
        "Mean difference",
        "points",
        no_difference=0.0,
        bounds=Bounds(times=1),
        tests={"mean_difference": Recorded(), "mean_difference_lmm": Recorded(procedure=LMM.procedure)},
        at_equal_length="mean_difference_at_equal",
    ),
    _statistic(
        "mean_difference_responders",
        "Mean difference",
        "points",
        variant="items and responders random",
        cites=("clark1973", "raaijmakers1999"),
        no_difference=0.0,
        bounds=Bounds(times=1),
        tests={"mean_difference_responders": Recorded(keys=("source", "reference", "level"))},
    ),
    _statistic(
        "mean_difference_clmm",
        "Mean difference predicted by the ordinal mixed model",
        "points",
        cites=("mccullagh1980",),
        no_difference=0.0,
        bounds=Bounds(times=1),
    ),
    _statistic(
        "odds_ratio_clmm",
        "Odds ratio of a higher rating (ordinal mixed model)",
        "ratio",
        cites=("mccullagh1980",),
        no_difference=1.0,
        tests={"odds_ratio_clmm": Recorded()},
    ),
    _statistic(
        "probit_shift_clmm",
        "Latent shift in SD units (probit mixed model)",
        "points",
        cites=("mccullagh1980",),
        no_difference=0.0,
    ),
    _statistic(
        "share_at_least_clmm",
        "Share at or above the cut",
        "share",
        variant="predicted by the ordinal mixed model",
        cites=("mccullagh1980",),
    ),
    _statistic("sd_item_clmm", "SD of items", "points", variant="latent scale", cites=("mccullagh1980",)),
    _statistic("sd_rater_clmm", "SD of raters", "points", variant="latent scale", cites=("mccullagh1980",)),
    _statistic(
        "sd_item_slope_clmm",
        "SD of the difference over items",
        "points",
        variant="latent scale",
        cites=("mccullagh1980",),
    ),
    _statistic(
        "sd_rater_slope_clmm",
        "SD of the difference over raters",
        "points",
        variant="latent scale",
        cites=("mccullagh1980",),
    ),
    _statistic("threshold_clmm", "Threshold below the cut", "points", variant="latent scale", cites=("mccullagh1980",)),
    _statistic(
        "proportional_odds_trend", "Trend of the log odds ratio over the points", "points", cites=("brant1990",)
    ),
    _statistic("log_odds_ratio_at_least", "Log odds ratio at the cut", "points", no_difference=0.0),
    _statistic(
        "equivalence",
        "Equivalence within the margin",
        "points",
        cites=("schuirmann1987",),
        no_difference=0.0,
        bounds=Bounds(times=1),
        margin=Margin("equivalent", "Equivalent", "Equivalence not shown", "equivalence test (two one-sided t tests)"),
        tests={"equivalence": Recorded()},
    ),
    _statistic(
        "non_inferiority",
        "Non-inferiority by the margin",
        "points",
        cites=("schuirmann1987",),
        no_difference=0.0,
        bounds=Bounds(times=1),
        margin=Margin(
            "non_inferior",
            "Non-inferior",
            "Non-inferiority not shown",
            "non-inferiority test (one-sided t test)",
            is_one_sided=True,
        ),
        tests={"non_inferiority": Recorded()},
    ),
    _statistic(
        "prob_superiority",
        "Probability of superiority (same rater",
        "share",
        variant="same item)",
        cites=("cliff1993",),
        no_difference=0.5,
        tests={"prob_superiority": Recorded()},
    ),
    _statistic(
        "cliffs_delta", "Cliff's delta within item and rater", "coefficient", cites=("cliff1993",), no_difference=0.0
    ),
    _statistic(
        "prob_superiority_unpaired",
        "Probability of superiority (unpaired)",
        "share",
        cites=("cliff1993",),
        no_difference=0.5,
    ),
    _statistic(
        "cliffs_delta_unpaired",
        "Cliff's delta",
        "coefficient",
        variant="unpaired",
        cites=("cliff1993",),
        no_difference=0.0,
    ),
    _statistic(
        "wilcoxon",
        "Wilcoxon signed-rank V",
        "test",
        cites=("wilcoxon1945",),
        letter="V",
        effect=Effect("mean_difference", "t_paired"),
        tests={"wilcoxon": Recorded(unit="item_mean")},
    ),
    _statistic(
        "mann_whitney",
        "Mann-Whitney U",
        "test",
        cites=("mann1947",),
        letter="U",
        effect=Effect("rank_biserial"),
        tests={"mann_whitney": Recorded(unit="item_mean", perhaps=("level",))},
    ),
    _statistic("rank_biserial", "Rank-biserial r", "coefficient", cites=("cureton1956",), no_difference=0.0),
    _statistic(
        "chi_square",
        "Chi-square",
        "test",
        cites=("pearson1900",),
        letter="χ²",
        is_of_counts=True,
        tests={"chi_square": Recorded(), "chi_square_all_sources": Recorded(keys=())},
    ),
    _statistic(
        "t_paired",
        "Paired t on item means",
        "test",
        cites=("student1908",),
        letter="t",
        effect=Effect("mean_difference", "t_paired"),
        tests={"t_paired": Recorded(unit="item_mean")},
    ),
    _statistic(
        "t_unpaired",
        "Unpaired t on item means",
        "test",
        cites=("student1908",),
        letter="t",
        effect=Effect("mean_difference", "t_unpaired"),
        tests={"t_unpaired": Recorded(unit="item_mean")},
    ),
    _statistic("share_at_least", "Share at or above the cut", "share"),
    _statistic(
        "share_at_least_ratio",
        "Ratio of shares at or above the cut",
        "ratio",
        no_difference=1.0,
        tests={"share_at_least_ratio": Recorded(unit="item_mean", keys=("source", "reference", "cut"))},
    ),
)
DIFFERENCES = PageTable(
    "Differences between sources, with 95% CIs",
    (
        Column("Mean difference", ("mean_difference",)),
        Column("Probability of superiority", ("prob_superiority", "prob_superiority_unpaired")),
        Column("Odds ratio (ordinal mixed model)", ("odds_ratio_clmm",)),
        Column("Change", ("percent_change",), has_cut=False),
    ),
)
SHARES = PageTable(
    "Shares at or above the cut, with 95% CIs",
    (
        Column("Of ratings", ("share_at_least",), unit="rating"),
        Column("Difference, percentage points", ("share_difference",), unit="rating"),
        Column("Change", ("percent_change",), has_cut=True),
        Column("Of item means", ("share_at_least",), unit="item_mean"),
        Column("Ratio of item means", ("share_at_least_ratio",)),
    ),
)
MARGINS = PageTable(
    "Margins, with 90% CIs", (Column("Equivalence", ("equivalence",)), Column("Non-inferiority", ("non_inferiority",)))
)


def mean_differences(contrast: Contrast) -> Iterator[Found]:
    """Yield the two-way cluster interval first, then alternatives, then the t tests on item means."""
    answers, is_mine, means, means_are_mine = (
        contrast.answers,
        contrast.is_mine,
        contrast.means,
        contrast.means_are_mine,
    )
    found = describe.mean_difference(answers.value, is_mine, **answers.where)
    yield Found("mean_difference", "rating", found)
    if has_few_raters(found):
        alone = describe.mean_difference(answers.value, is_mine, item=answers.item, rater=answers.item)
        yield Found("mean_difference", "rating", for_new_items(alone, THESE_RATERS))
    if contrast.data.is_light:
        linear = mean_difference_lmm(answers.value, is_mine, **answers.where)
        drawn = mean_difference_pigeonhole(answers.value, is_mine, seed=answers.seed, **answers.where)
    else:
        linear, drawn = (undefined("not_run", TOO_MANY, method=method) for method in (LMM, PIGEONHOLE))
    effects = random_columns(answers.item, answers.rater, np.where(contrast.is_mine, 0.5, -0.5)).names
    yield Found("mean_difference", "rating", linear, detail={EFFECTS: effects})
    if contrast.data.codes.raters.are_known:
        yield Found("mean_difference", "rating", drawn)
    for is_paired, name, test in (
        (True, "t_paired", classical.t_paired),
        (False, "t_unpaired", classical.t_unpaired),
    ):
        gap = classical.item_mean_difference(means.value, means_are_mine, is_paired=is_paired, **means.where)
        yield Found("mean_difference", "item_mean", gap)
        yield Found(name, "item_mean", test(means.value, means_are_mine, **means.where))


def against_margin(contrast: Contrast) -> Iterator[Found]:
    """Yield equivalence and non-inferiority, if the lead declared a margin."""
    margin, answers = contrast.data.margin, contrast.answers
    if margin is None:
        return
    difference = describe.mean_difference(answers.value, contrast.is_mine, **answers.where)
    worse_is_higher = contrast.data.question.reversed
    yield Found("equivalence", "rating", equivalence(difference, margin))
    yield Found("non_inferiority", "rating", non_inferiority(difference, margin, is_lower_better=worse_is_higher))


def shares(contrast: Contrast) -> Iterator[Found]:
    """Yield the ratio of the shares of item means at or above the cut."""
    cut, means = contrast.data.cut, contrast.means
    if cut is not None:
        ratio = bootstrap.share_at_least_ratio(
            means.value, contrast.means_are_mine, cut, seed=means.seed, **means.where
        )
        yield Found("share_at_least_ratio", "item_mean", ratio, {"cut": cut})


# Estimates of the cumulative link mixed model for two sources: the primary analysis of an ordinal scale.

PARTS = ("item", "rater", "item_slope", "rater_slope")


def ordinal(contrast: Contrast) -> Iterator[Found]:
    """Yield odds ratio, predicted difference and shares, variance components, and the probit shift.

    Nothing for nominal questions, which have no order.
    """
    data, answers = contrast.data, contrast.answers
    if data.is_nominal:
        return
    if not data.is_light:
        yield Found("odds_ratio_clmm", "rating", undefined("not_run", TOO_MANY, method=METHOD))
        return
    fitted = compare_ordinal(answers.value, contrast.is_mine, **answers.where)
    yield Found("odds_ratio_clmm", "rating", fitted.effect, detail={EFFECTS: tuple(fitted.sds or ())})
    yield Found("mean_difference_clmm", "rating", fitted.mean_difference)
    yield from _predicted(contrast, fitted)
    yield from _components(fitted)
    probit = probit_shift(answers.value, contrast.is_mine, logit=fitted, **answers.where)
    yield Found("probit_shift_clmm", "rating", probit)


def proportionality(contrast: Contrast) -> Iterator[Found]:
    """Yield whether the odds ratio is the same at every point, as the ordinal model assumes."""
    if not contrast.data.is_nominal:
        found = proportional_odds(contrast.answers.value, contrast.is_mine, **contrast.answers.where)
        yield Found("proportional_odds_trend", "rating", found.trend)
        for cut, ratio in zip(found.cuts, found.log_odds_ratios, strict=True):
            yield Found("log_odds_ratio_at_least", "rating", ratio, {"cut": cut})


def _predicted(contrast: Contrast, fitted: OrdinalComparison) -> Iterator[Found]:
    """Yield shares at or above the declared cut; above the middle of the scale if none is declared."""
    values = contrast.data.question.values
    middle = (values[0] + values[-1]) / 2
    for share in fitted.upper_shares:
        if share.cut == contrast.data.cut or (contrast.data.cut is None and share.cut > middle):
            yield Found("share_at_least_clmm", "rating", share.source, {"cut": share.cut})
            reference: Scope = {"source": str(contrast.data.reference), "reference": contrast.source, "cut": share.cut}
            yield Found("share_at_least_clmm", "rating", share.reference, reference)


def _components(fitted: OrdinalComparison) -> Iterator[Found]:
    """Yield the standard deviations of the random effects on the latent scale, and the thresholds."""
    bare = replace(fitted.effect, interval=None, interval_reason=None, p_value=None, note="")
    for part in PARTS:
        if part in (fitted.sds or {}):
            yield Found(f"sd_{part}_clmm", "rating", replace(bare, estimate=(fitted.sds or {})[part]))
    for share, threshold in zip(fitted.upper_shares, fitted.thresholds, strict=True):
        yield Found("threshold_clmm", "rating", replace(bare, estimate=threshold), {"cut": share.cut})


# Comparisons that use only the order of the points, and common tests of ranks and counts.


def superiority(contrast: Contrast) -> Iterator[Found]:
    """Yield how often the source is rated above the reference: by the same rater on the same item, then unpaired."""
    value, is_mine, where = contrast.answers.value, contrast.is_mine, contrast.answers.where
    for name in ("prob_superiority", "cliffs_delta", "prob_superiority_unpaired", "cliffs_delta_unpaired"):
        yield Found(name, "rating", getattr(stats, name)(value, is_mine, **where))


def rank_tests(contrast: Contrast) -> Iterator[Found]:
    """Yield Wilcoxon of paired item means, Mann-Whitney of item or responder means, and chi-square of the points."""
    means = contrast.means
    yield Found("wilcoxon", "item_mean", wilcoxon_of_item_means(means.value, contrast.means_are_mine, **means.where))
    yield from _of_responders(contrast) if _has_responders(contrast) else _of_item_means(contrast)
    sides = (contrast.answers.select(side) for side in _sides(contrast))
    table = np.array([point_counts(contrast.data.question, side)[2] for side in sides])
    yield Found("chi_square", "rating", _as_counted(chi_square(table), contrast, table.shape[1]))


def _as_counted(result: Result, contrast: Contrast, n_columns: int) -> Result:
    """Name the steps in the method if the values of a fine slider were counted in steps."""
    if n_columns == len(contrast.data.question.values):
        return result
    return replace(result, method=result.method.with_words(f", values in {n_columns} equal steps"))


def _of_item_means(contrast: Contrast) -> Iterator[Found]:
    means = item_means(contrast.means.value, contrast.means_are_mine, **contrast.means.where)
    for name, test in (("mann_whitney", mann_whitney), ("rank_biserial", rank_biserial)):
        result = test(means.mine, means.theirs)
        yield Found(name, "item_mean", replace(result, method=result.method.with_words(", item means, unpaired")))


def _has_responders(contrast: Contrast) -> bool:
    """Return whether the authors of the responses are known and the question is about responses."""
    return contrast.data.codes.responses.responder is not None and contrast.data.question.rated == "response"


def _of_responders(contrast: Contrast) -> Iterator[Found]:
    """Yield min F' and the tests of responders' means, without responses of unknown authors (-1)."""
    answers, writers = contrast.answers, contrast.data.codes.responses.responder
    responder = np.full(len(answers.value), -1) if writers is None else writers[answers.unit]
    known = responder >= 0
    value, is_mine, by = answers.value[known], contrast.is_mine[known], responder[known]
    gap = mean_difference_responders(value, is_mine, item=answers.item[known], responder=by)
    counted = gap.with_counts(n_raters=len(np.unique(answers.rater[known])))
    yield Found("mean_difference_responders", "rating", counted, {"level": "responder"})
    found = compare_responders(value, is_mine, by)
    for name, result in (
        ("mann_whitney", found.exact),
        ("mann_whitney", found.asymptotic),
        ("rank_biserial", found.rank_biserial),
    ):
        of_means = replace(result, method=result.method.with_words(", means of responders"))
        yield Found(name, "item_mean", of_means, {"level": "responder"})


def _sides(contrast: Contrast) -> tuple[Bools, Bools]:
    return contrast.is_mine, ~contrast.is_mine


# Comparisons of sources on a scale: each source minus the reference, and the share at or above a cut.

SECTION = "comparison"
ORDINAL_TEST = "odds_ratio_clmm"


def comparison(data: ScaledData, *, fits_ordinal: bool = True) -> Iterator[Estimate]:
    """Yield each source against the reference: ordinal model, differences, superiority, common tests, shares.

    Nothing without a reference. Without `fits_ordinal`, no ordinal model, which takes most of the time.
    """
    if data.reference is None:
        return
    for group, answers in with_answers(distinct_groups(data.codes), data.answers):
        for source in data.sources:
            yield from _shares(data, answers, {**group.scope, "source": source})
        for source in data.sources:
            if source != data.reference:
                scope: Scope = {**group.scope, "source": source, "reference": data.reference}
                yield from _against_reference(data, answers, scope, ORDINAL if fits_ordinal else ())


def _shares(data: ScaledData, answers: Answers, scope: Scope) -> Iterator[Estimate]:
    if data.cut is None:
        return
    part = answers.of_source(data.code_of(scope["source"]))
    means = part.per_item
    single = describe.share_at_least(part.value, data.cut, **part.where)
    by_item = bootstrap.share_of_item_means_at_least(means.value, data.cut, seed=means.seed, **means.where)
    scope = {**scope, "cut": data.cut}
    found = (Found("share_at_least", "rating", single), Found("share_at_least", "item_mean", by_item))
    yield from _records(data, part, scope, found)


Part = Callable[[Contrast], Iterator[Found]]
ORDINAL: tuple[Part, ...] = (ordinal, proportionality)
OTHER: tuple[Part, ...] = (mean_differences, against_margin, superiority, shares, rank_tests)


def _against_reference(
    data: ScaledData, answers: Answers, scope: Scope, models: tuple[Part, ...]
) -> Iterator[Estimate]:
    contrast = Contrast.of(data, answers, scope)
    for part in (*models, *OTHER):
        yield from _records(data, contrast.answers, scope, part(contrast))


def _records(data: ScaledData, answers: Answers, scope: Scope, found: Iterable[Found]) -> Iterator[Estimate]:
    for one in found:
        yield data.record(
            one.result,
            answers,
            section=SECTION,
            scope={**scope, **one.scope},
            statistic=one.statistic,
            unit=one.unit,
            **one.detail,
        )
