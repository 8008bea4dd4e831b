"""The meaning of each estimate as a sentence without its interval: one function per kind of statistic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from app.analysis.estimate import Estimate
from app.analysis.statistic import declared
from app.analysis.wording.formatting import covariate_text, kind_of, measure_text, number, statistic_text
from app.base.words import number_text, readable
from app.protocol.labels import Labels
from app.protocol.primary import KINDS

# An estimate with its labels, as the sentences about it need it.


@dataclass(frozen=True, slots=True)
class About:
    """An estimate with what is needed to describe it. `value` is the estimate, `scale` the ends of its scale.

    `effect` is the estimate behind a test statistic, such as the difference behind a t. `cut` names the ratings at or
    above the cut, such as "4 (Good) or more".
    """

    estimate: Estimate
    labels: Labels
    value: float
    scale: tuple[float, float] | None = None
    effect: Estimate | None = None
    cut: str = ""

    @property
    def question(self) -> str:
        """The label of the question; for a code, that of its question."""
        return self.labels.question(self.estimate.question or "")

    @property
    def source(self) -> str:
        """The label of the source, or "all sources" if none is named."""
        return self._source("source")

    @property
    def reference(self) -> str:
        """The label of the reference source."""
        return self._source("reference")

    def _source(self, part: Literal["source", "reference"]) -> str:
        return self.labels.source(self.estimate.scope[part]) if part in self.estimate.scope else "all sources"

    def group(self, side: Literal["", "reference_"] = "") -> str:
        """The group of raters on one side: the label of the pool, people, or models."""
        scope: Mapping[str, Any] = self.estimate.scope
        pool = scope.get(f"{side}pool")
        return KINDS[scope[f"{side}rater_kind"]] if pool is None else self.labels.pool(pool)

    @property
    def code(self) -> str:
        """The label of the code that is compared."""
        key, code = self.estimate.question or "", str(self.estimate.scope.get("category", ""))
        return self.labels.codes.get(key, {}).get(code) or readable(code)

    @property
    def on_scale(self) -> str:
        """The range of the scale, as the end of a sentence."""
        return f" on a scale from {number_text(self.scale[0])} to {number_text(self.scale[1])}" if self.scale else ""

    def level(self, part: Literal["level", "reference_level"]) -> str:
        """Return the label of a level of a factor or an attribute."""
        scope = self.estimate.scope
        return self.labels.level(str(scope.get("factor", "")), str(scope[part]))

    @property
    def factor(self) -> str:
        """The label of the factor or attribute."""
        scope = self.estimate.scope
        name = str(scope.get("factor") or scope.get("attribute"))
        return self.labels.factors.get(name) or self.labels.column(name)

    @property
    def of_source(self) -> str:
        """The source in parentheses, if the estimate is about one source only."""
        return f" ({self.source} only)" if "source" in self.estimate.scope else ""

    def points(self, more: str = "higher", less: str = "lower") -> str:
        """Return the size of the difference, such as "0.50 points higher"."""
        return f"{number(abs(self.value), 'points')} points {more if self.value > 0 else less}"


def rated(about: About) -> str:
    if about.value == 0:
        return f"{about.question}: {about.source} and {about.reference} are rated the same on average"
    return f"{about.question}: {about.source} is rated {about.points()} than {about.reference}{about.on_scale}"


def tested(about: About) -> str:
    """Describe a test statistic by the difference that it tests, if available."""
    value = statistic_text(about.estimate)
    if "source" not in about.estimate.scope:
        return f"{about.question}, all sources: {value}"
    if about.effect is None or about.effect.estimate is None:
        return f"{about.question}, {about.source} against {about.reference}: {value}"
    if about.effect.statistic == "rank_biserial":
        r = number(about.effect.estimate, "coefficient")
        higher = "higher" if about.effect.estimate > 0 else "lower"
        return f"{about.question}: {about.source} ranks {higher} than {about.reference}, rank-biserial r = {r}"
    gap = About(about.estimate, about.labels, about.effect.estimate, about.scale)
    return rated(gap)


def odds(about: About) -> str:
    times = number(about.value, "ratio")
    return (
        f"{about.question}: the odds of a higher rating are {times} times as high for {about.source} "
        f"as for {about.reference}"
    )


def superior(about: About) -> str:
    share = number(about.value, "share")
    return (
        f"{about.question}: in {share} of cases the same rater rates {about.source} above {about.reference} "
        "on the same item (ties as half)"
    )


def ratio(about: About) -> str:
    times = number(about.value, "ratio")
    return (
        f"{about.question}: item means of {about.cut} are {times} times as frequent for {about.source} "
        f"as for {about.reference}"
    )


def percent(about: About) -> str:
    size = number(abs(about.value), "percent")
    if "cut" in about.estimate.scope:
        more = "more" if about.value > 0 else "less"
        return (
            f"{about.question}: ratings of {about.cut} are {size} {more} frequent for {about.source} "
            f"than for {about.reference}"
        )
    way = "higher" if about.value > 0 else "lower"
    return f"{about.question}: {about.source} is rated {size} {way} than {about.reference}"


def preferred(about: About) -> str:
    share = number(about.value, "share")
    verb = "ranked above" if about.estimate.section == "ranking" else "preferred over"
    answers = "rankings" if about.estimate.section == "ranking" else "choices"
    return f"{about.question}: {about.source} is {verb} {about.reference} in {share} of {answers}{_outcomes(about)}"


def _outcomes(about: About) -> str:
    """The shares of choices won, tied and lost, if there are ties; a choice of neither is none of them."""
    counts = cast("list[int]", about.estimate.detail.get("counts", [0] * 4))
    won, tied, _, lost = counts
    shares = (number(n / max(sum(counts), 1), "share") for n in (won, tied, lost))
    return " (won {}, tied {}, lost {})".format(*shares) if tied else ""


def code(about: About) -> str:
    if about.value == 0:
        return f"{about.question}: {about.code} is chosen as often for {about.source} as for {about.reference}"
    more = "more" if about.value > 0 else "less"
    size = number(abs(about.value), "share").removesuffix("%")
    return (
        f"{about.question}: {about.code} is chosen {size} percentage points {more} often for {about.source} "
        f"than for {about.reference}"
    )


def marginal(about: About) -> str:
    return (
        f"{about.question}: comparing how often each answer is given about {about.source} and about "
        f"{about.reference}, {statistic_text(about.estimate)}"
    )


def factor(about: About) -> str:
    return (
        f'{about.question}, {about.factor}: ratings are {about.points()} with "{about.level("level")}" '
        f'than with "{about.level("reference_level")}"{about.of_source}{about.on_scale}'
    )


def interaction(about: About) -> str:
    return (
        f"{about.question}: the difference {about.source} minus {about.reference} is "
        f"{about.points()} with {_part(about)} than otherwise"
    )


def _part(about: About) -> str:
    """The condition, shown label, or group of items or raters by an attribute, that an estimate is about."""
    scope = about.estimate.scope
    if "condition" in scope:
        return about.labels.condition(str(scope["condition"]))
    of_attribute = (f"{about.labels.column(name)}: {value}" for name, value in scope.get("subgroup", {}).items())
    return next(of_attribute, "") or str(scope["shown_label"])


_OF_ITEMS = {
    "item_attribute_accuracy": "answers are correct",
    "item_attribute_category": "{code} is answered",
    "item_attribute_preference": "{source} is preferred over {reference}",
}


def of_items(about: About) -> str:
    """Describe how much more often something is answered about items at one level of an attribute."""
    more = "more" if about.value > 0 else "less"
    levels = f"with {about.level('level')} than with {about.level('reference_level')}"
    if about.estimate.statistic == "item_attribute_interaction":
        larger = "larger" if about.value > 0 else "smaller"
        difference = f"the difference {about.source} minus {about.reference} in {about.code}"
        return f"{about.question}, {about.factor}: {difference} is {_size(about)} percentage points {larger} {levels}"
    what = _OF_ITEMS[about.estimate.statistic].format(code=about.code, source=about.source, reference=about.reference)
    return f"{about.question}, {about.factor}: {what} {_size(about)} percentage points {more} often {levels}"


# What a group of raters does more or less often than another: the words before and after the size.
_OF_GROUPS: dict[str, tuple[str, str]] = {
    "pool_accuracy_difference": ("{mine} answer correctly", "often than {theirs}"),
    "pool_category_difference": ("{mine} answer {code}", "often than {theirs}"),
    "pool_preference_difference": ("{mine} prefer {source} over {reference}", "often than {theirs}"),
}
_F1 = {"pool_f1_difference": "macro F1", "pool_span_f1_difference": "F1 of marked characters"}


def groups(about: About) -> str:
    """Describe how one group of raters differs from another."""
    statistic, scope = about.estimate.statistic, about.estimate.scope
    mine, theirs = about.group(), about.group("reference_")
    if statistic == "pool_correlation":
        r = number(about.value, "coefficient")
        return f"{about.question}: the ratings of {mine} and {theirs} correlate with r = {r} over the same responses"
    if statistic in _F1:
        size = f"{_size(about)} percentage points {'higher' if about.value > 0 else 'lower'}"
        return f"{about.question}: {_F1[statistic]} is {size} for {mine} than for {theirs}"
    if statistic in _OF_GROUPS:
        before, after = (
            words.format(mine=mine, theirs=theirs, code=about.code, source=about.source, reference=about.reference)
            for words in _OF_GROUPS[statistic]
        )
        more = "more" if about.value > 0 else "less"
        return f"{about.question}: {before} {_size(about)} percentage points {more} {after}"
    if "before" in scope:
        return f"{about.question}: the change is {about.points()} among {mine} than among {theirs}{about.on_scale}"
    if about.estimate.unit == "rater_mean":
        return f"{about.question}: {mine} score {about.points()} than {theirs}{about.on_scale}"
    return f"{about.question}: {mine} rate {about.points()} than {theirs} on the same responses{about.on_scale}"


def _size(about: About) -> str:
    return number(abs(about.value), "share").removesuffix("%")


def turns(about: About) -> str:
    rise = "rise" if about.value > 0 else "fall"
    size = number(abs(about.value), "points")
    if "reference" not in about.estimate.scope:
        return f"{about.question}: ratings of {about.source} {rise} by {size} points per turn{about.on_scale}"
    more = "more" if about.value > 0 else "less"
    return (
        f"{about.question}: ratings of {about.source} rise by {size} points {more} per turn "
        f"than those of {about.reference}{about.on_scale}"
    )


def covariate(about: About) -> str:
    scope = about.estimate.scope
    name = covariate_text(about.labels.column(str(scope["covariate"])))
    if "reference" in scope:
        return (
            f"{about.question}: the slope of ratings on {name} is {about.points()} per unit for {about.source} "
            f"than for {about.reference}"
        )
    return f"{about.question}: ratings of {about.source} are {about.points()} per unit of {name}"


def detection(about: About) -> str:
    return f"Raters distinguish models from people with d' = {number(about.value, 'points')} (0 is chance)"


def belief(about: About) -> str:
    return (
        f"{about.question}: responses of {about.source} are rated {about.points()} when raters believe that a model "
        f"wrote them{about.on_scale}"
    )


def change(about: About) -> str:
    """Describe a change over all raters or in one arm, or one arm against the other at the same score before."""
    scope = about.estimate.scope
    if "reference_level" in scope:
        return (
            f"{about.question}, {about.factor}: {about.points()} with {about.level('level')} than with "
            f"{about.level('reference_level')}, at the same baseline score{about.on_scale}"
        )
    arm = f" with {about.level('level')}" if "level" in scope else ""
    return f"{about.question}: {about.points()} after than before{arm}{about.on_scale}"


def component(about: About) -> str:
    """Describe what a level of a randomized attribute adds to a rating, or to the probability of being chosen."""
    scope = about.estimate.scope
    levels = f"{about.factor} is {scope['level']} rather than {scope['reference_level']}"
    if about.estimate.unit != "choice":
        return f"{about.question}: ratings are {about.points()} where {levels}{about.on_scale}"
    more = "more" if about.value > 0 else "less"
    size = number(abs(about.value), "share").removesuffix("%")
    return f"{about.question}: responses are chosen {size} percentage points {more} often where {levels}"


def trade_off(about: About) -> str:
    """Describe how many times as much one attribute of a conjoint design counts as another."""
    scope = about.estimate.scope
    levels = f"{scope['level']} rather than {scope['reference_level']} ({about.factor})"
    other = about.labels.column(scope["covariate"])
    return f"{about.question}: {levels} counts {number(about.value, 'ratio')} times as much as {other}"


def empathic(about: About) -> str:
    r = number(about.value, "coefficient")
    return f"{about.question}: perceivers' ratings correlate with the target's own at r = {r} on average (Fisher z)"


def empathic_groups(about: About) -> str:
    """Describe how much more closely one group of perceivers follows the targets than another."""
    size, way = number(abs(about.value), "ratio"), "higher" if about.value > 0 else "lower"
    gap = f"{size} {way} for {about.group()} than for {about.group('reference_')}"
    return f"{about.question}: correlations with the targets' own ratings are {gap} (Fisher z)"


def of_texts(about: About) -> str:
    """Describe how the texts of one source differ from those of another in a measure."""
    kind = kind_of(about.estimate)
    size = f"{_size(about)} percentage points" if kind == "share_points" else number(abs(about.value), kind)
    name = measure_text(str(about.estimate.scope["covariate"]), about.labels)
    way = "higher" if about.value > 0 else "lower"
    return f"{name[:1].upper()}{name[1:]}: {size} {way} in texts of {about.source} than in those of {about.reference}"


def structure(about: About) -> str:
    """Say how many factors parallel analysis finds in the questions of a score."""
    n = round(about.value)
    return f"{about.question}: parallel analysis finds {n or 'no'} factor{'' if n == 1 else 's'} in its questions"


def accuracy(about: About) -> str:
    return f"{about.question}: {number(about.value, 'share')} of answers are correct{about.of_source}"


def _coefficient(about: About) -> str:
    statistic = declared(about.estimate.statistic)
    words = f"{statistic.name} ({statistic.variant})" if statistic.variant else statistic.name
    return f"{about.question}: {words} is {number(about.value, statistic.kind)}{about.of_source}"


def claim_of(about: About) -> str:
    """Return the claim without a full stop. Statistics without a sentence of their own are stated as a value."""
    claim = (declared(about.estimate.statistic).claim or _coefficient)(about)
    return f"{claim}{_among(about.estimate, about.labels)}"


def _among(estimate: Estimate, labels: Labels) -> str:
    """The raters that an estimate is limited to, as the end of a sentence; empty for all, and for two groups."""
    scope = estimate.scope
    if {"reference_pool", "reference_rater_kind"} & scope.keys():
        return ""
    if "pool" in scope:
        return f" among raters of the pool {labels.pool(scope['pool'])}"
    return f" among {KINDS[scope['rater_kind']]}" if "rater_kind" in scope else ""
