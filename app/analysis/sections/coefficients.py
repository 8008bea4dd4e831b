"""The coefficients of agreement of a question, each with all intervals that are available."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from app.analysis.data.answers import Answers
from app.analysis.data.question_data import TOO_MANY, AnyQuestionData
from app.analysis.minimum_data import BEYOND_CHANCE, SHARE_OF_PAIRS
from app.analysis.statistic import Column, PageTable, Recorded, Statistic, declare
from app.analysis.wording.formatting import number
from app.protocol.questions.registry import PreferenceQuestion
from app.protocol.questions.scale import Level
from app.stats.agreement import (
    alpha_bootstrap,
    alpha_without_each_rater,
    brennan_prediger,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    icc_forms,
    kendall_w,
    krippendorff_alpha,
    percent_agreement,
    unanimous_share,
    within_one_agreement,
)
from app.stats.agreement.chance import finn_r
from app.stats.agreement.two_way import For
from app.stats.ratings import Ratings
from app.stats.reliability.icc import ONE_WAY, Form
from app.stats.result import Method, Result, undefined, with_method

Named = tuple[str, Result]


ICC_FORMS: tuple[Form, ...] = ("a_1", "a_k", "c_1", "c_k", "1_1", "1_k")
# The cost of resampling and jackknifing is units x values: with this many values, both are fast for any number of
# ratings.
FEW_VALUES = 25
# More points than this are the positions of a slider, where two ratings are rarely equal.
MAX_CATEGORIES = 25

ALPHA_MEANS = "Krippendorff's alpha {} (1: perfect, 0: chance)."
_coefficient = partial(Statistic, kind="coefficient", docs="agreement", minimum=BEYOND_CHANCE)
_icc = partial(_coefficient, cites=("mcgraw1996",))
_share = partial(Statistic, kind="share", docs="agreement", cites=("gwet2014",), minimum=SHARE_OF_PAIRS)


def _tested_as(name: str) -> dict[str, Recorded]:
    """The primary contrast that asks for the coefficient itself."""
    return {name: Recorded(unit=None, keys=())}


declare(
    *(
        _coefficient(
            f"krippendorff_alpha_{level}",
            "Krippendorff's alpha",
            variant=level,
            cites=("krippendorff2011",),
            tests=_tested_as("krippendorff_alpha"),
            agreement="main",
            family="krippendorff_alpha",
            meaning=ALPHA_MEANS,
        )
        for level in ("nominal", "ordinal", "interval", "ratio")
    ),
    _share("percent_agreement", "Percent agreement"),
    _share("unanimous_share", "Share of unanimous units"),
    _share("within_one_agreement", "Agreement within one point"),
    _coefficient("fleiss_kappa", "Fleiss' kappa", cites=("fleiss1971",), tests=_tested_as("fleiss_kappa")),
    _coefficient("gwet_ac1", "Gwet's AC1", cites=("gwet2008",), tests=_tested_as("gwet_ac1"), agreement="beside"),
    _coefficient(
        "gwet_ac2",
        "Gwet's AC2",
        variant="quadratic weights",
        cites=("gwet2008", "gwet2014"),
        tests=_tested_as("gwet_ac2"),
        agreement="beside",
    ),
    _coefficient("finn_r", "Finn's r", cites=("finn1970",)),
    _coefficient("brennan_prediger", "Brennan and Prediger's coefficient", cites=("brennan1981",)),
    _coefficient("kendall_w", "Kendall's W", cites=("kendall1939",)),
    _icc("icc_a_1", "ICC(A,1): agreement of one rating", tests=_tested_as("icc_a_1"), agreement="beside"),
    _icc(
        "icc_a_k",
        "ICC(A,k): agreement of the mean",
        is_of_mean=True,
        tests=_tested_as("icc_a_k"),
        agreement="beside",
    ),
    _icc("icc_c_1", "ICC(C,1): consistency of one rating"),
    _icc("icc_c_k", "ICC(C,k): consistency of the mean", is_of_mean=True),
    _icc("icc_1_1", "ICC(1): one rating", variant="raters unknown"),
    _icc("icc_1_k", "ICC(k): the mean", variant="raters unknown", is_of_mean=True),
)
COEFFICIENTS = PageTable(
    "Agreement between raters, with 95% CIs",
    (
        Column(
            "Krippendorff's alpha",
            (
                "krippendorff_alpha_ordinal",
                "krippendorff_alpha_nominal",
                "krippendorff_alpha_interval",
                "krippendorff_alpha_ratio",
                "kendall_w_within_items",
            ),
        ),
        Column("ICC, one rating", ("icc_a_1", "icc_1_1")),
        Column("Gwet's AC", ("gwet_ac2", "gwet_ac1")),
        Column("Finn's r", ("finn_r",)),
        Column("Ratings per response for .80", ("raters_needed",)),
    ),
)


def coefficients(data: AnyQuestionData, answers: Answers) -> Iterator[Named]:
    """Yield alpha at the level of the scale first, then coefficients of categories, Kendall's W and the ICCs."""
    ratings, level = answers.ratings, data.level
    yield from _alphas(data, answers, level)
    if not data.is_composite:
        yield from _of_categories(data, ratings, level)
    if not data.is_nominal:
        if data.codes.raters.are_known:
            yield "kendall_w", kendall_w(ratings)
        yield from _iccs(data, ratings)


def _of_categories(data: AnyQuestionData, ratings: Ratings, level: Level) -> Iterator[Named]:
    """Yield coefficients based on equal ratings; composites are left out because their scores are rarely equal.

    So are the positions of a slider: its coefficients with one category per position would be 0 whatever raters do.

    Each coefficient has an interval for new units and raters, if available, and then one for new units.
    """
    question, domain = data.question, domain_of(data)
    named: dict[str, Callable[[For], Result]] = {
        "percent_agreement": lambda who: percent_agreement(ratings, inference=who),
        "within_one_agreement": lambda who: within_one_agreement(ratings, inference=who),
        "fleiss_kappa": lambda who: fleiss_kappa(ratings, inference=who),
        "gwet_ac1": lambda who: gwet_ac1(ratings, domain=domain, inference=who),
        "gwet_ac2": lambda who: gwet_ac2(ratings, domain=domain, inference=who),
        "finn_r": lambda who: finn_r(ratings, domain=domain, inference=who),
        "brennan_prediger": lambda who: brennan_prediger(ratings, domain=domain, inference=who),
    }
    if not (question.has_points and domain[-1] - domain[0] > 1):
        del named["within_one_agreement"]
    if level == "nominal":
        del named["gwet_ac2"], named["finn_r"]
    if is_fine(level, domain):
        named = {name: named[name] for name in ("percent_agreement", "gwet_ac2", "finn_r")}
    for name, statistic in named.items():
        both = statistic("new_units_and_raters") if data.codes.raters.are_known else None
        if both and both.interval:
            yield name, both
        yield name, with_method(statistic("new_units"), Method("jackknife_units"))
    if not is_fine(level, domain):
        yield (
            "unanimous_share",
            with_method(unanimous_share(ratings), Method(words="units that all raters rated alike")),
        )


def is_fine(level: Level, domain: Sequence[float]) -> bool:
    """Whether a scale has the positions of a slider rather than categories."""
    return level != "nominal" and len(domain) > MAX_CATEGORIES


def _alphas(data: AnyQuestionData, answers: Answers, level: Level) -> Iterator[Named]:
    """Yield alpha for new units and raters if available, for new units, and bootstrapped.

    A note gives the range when one rater is left out. Two raters form a single pair, from which new raters cannot be
    inferred: the interval for new units then comes first.
    """
    ratings, name = answers.ratings, f"krippendorff_alpha_{level}"
    units = with_method(krippendorff_alpha(ratings, level=level), Method("jackknife_units", f": {level} distances"))
    if units.estimate is None:
        yield name, units
        return
    is_light = data.is_light or len(ratings.values) <= FEW_VALUES
    found = [units]
    if data.codes.raters.are_known:
        both = krippendorff_alpha(ratings, level=level, inference="new_units_and_raters")
        both = with_method(both, Method("jackknife_two_way", f": {level} distances"))
        found = [both, units] if both.interval else [units, both]
        found[0] = replace(found[0], note=_range(ratings, level) if is_light else "")
    yield from ((name, result) for result in found)
    if is_light:
        yield name, alpha_bootstrap(ratings, level=level, seed=answers.seed)
    else:
        yield name, undefined("not_run", TOO_MANY, method=Method("bootstrap_units"))


def _range(ratings: Ratings, level: Level) -> str:
    ends = alpha_without_each_rater(ratings, level=level).range
    low, high = (number(end, "coefficient") for end in ends) if ends else ("", "")
    return f"between {low} and {high} when one rater at a time is left out" if ends else ""


def domain_of(data: AnyQuestionData, *, is_decisive: bool = False) -> list[float]:
    """Return the possible categories; for a choice every response of an item, and tie and neither if allowed.

    With `is_decisive`, those of choices without tie and neither.
    """
    question = data.question
    if not isinstance(question, PreferenceQuestion):
        return list(question.values)
    places = int(data.codes.responses.place.max(initial=0)) + 1
    allowed = (False, False) if is_decisive else (question.tie, question.neither)
    more = [places + k for k, is_allowed in enumerate(allowed) if is_allowed]
    return [float(category) for category in (*range(places), *more)]


def _iccs(data: AnyQuestionData, ratings: Ratings) -> Iterator[Named]:
    """Yield the ICCs. Unbalanced data need a mixed model, which is fitted to large studies on demand only."""
    is_complete = len(ratings.value) == ratings.n_units * len(ratings.rater_codes)
    is_light = is_complete or data.is_light
    forms = [form for form in ICC_FORMS if data.codes.raters.are_known or form in ONE_WAY]
    found = icc_forms(ratings, [form for form in forms if is_light or form in ONE_WAY])
    for form in forms:
        result = found.get(form) or undefined("not_run", TOO_MANY, method=Method(words="REML"))
        yield f"icc_{form}", with_method(result, Method("f_distribution", ": mean squares or REML"))
