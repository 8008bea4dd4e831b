"""The specification curve in words and rows: how far each combination of choices changes a primary difference."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.analysis.estimate import Estimate, without
from app.analysis.report.report import Report
from app.analysis.statistic import Kind, declared
from app.analysis.wording.formatting import SENSITIVITY, number
from app.base.numbers import MINUS, whole
from app.protocol.labels import Labels

STATISTICS = {"specifications_difference": 0.0, "specifications_share": 0.5}
TESTS = {
    "clustered": "Means, items and raters",
    "item_means": "Item means, paired t",
    "linear": "Linear mixed model",
    "ordinal": "Ordinal model, logit",
    "items": "Shares, items only",
    "logistic": "Logistic mixed model",
}
OF_CHOICES = {**TESTS, "clustered": "Shares, items and raters"}
RULES = {**SENSITIVITY, "without_flagged": "without flagged raters", "first_half": "first half of trials"}
CURVES = (
    "All combinations of choices are a specification curve (Simonsohn et al., 2020). The analyses share their data: "
    "how many of them are clear is no test."
)
HEADER = ("Estimate", "95% CI", "Excludes no difference", "Test and link", "Answers", "Raters of", "Raters", "Ratings")


@dataclass(frozen=True, slots=True)
class Analysis:
    """One combination of choices; `is_reported` if it is the analysis of the primary contrast as reported."""

    estimate: float
    low: float
    high: float
    test: str
    rules: tuple[str, ...]
    pool: str
    n_raters: int
    n_ratings: int
    is_clear: bool
    is_reported: bool

    @property
    def choices(self) -> tuple[str, ...]:
        """Every choice in words."""
        return (self.test, *self.rules, *([self.pool] if self.pool else []))


@dataclass(frozen=True, slots=True)
class Curve:
    """The analyses of one primary difference, from the lowest to the highest estimate."""

    estimate: Estimate
    question: str
    null: float
    kind: Kind
    analyses: tuple[Analysis, ...]

    @property
    def rows_of_choices(self) -> tuple[str, ...]:
        """Every choice that any analysis made: tests, then what was left out, then pools."""
        words = OF_CHOICES if declared(self.estimate.statistic).is_of_choices else TESTS
        tests = [one for one in words.values() if any(one == each.test for each in self.analyses)]
        rules = dict.fromkeys(rule for each in self.analyses for rule in each.rules)
        pools = dict.fromkeys(each.pool for each in self.analyses if each.pool)
        return (*tests, *rules, *pools)

    @property
    def name(self) -> str:
        """The two sources."""
        scope = self.estimate.scope
        between = "against" if declared(self.estimate.statistic).is_of_choices else MINUS
        return f"{scope['source']} {between} {scope['reference']}"


def curves(report: Report, labels: Labels) -> list[Curve]:
    """The curve of each primary difference that has one; the report is `labelled`."""
    return [_curve(one, report, labels) for one in report.of("rater") if one.statistic in STATISTICS]


def _curve(estimate: Estimate, report: Report, labels: Labels) -> Curve:
    null, kind = STATISTICS[estimate.statistic], declared(estimate.statistic).kind
    reported = _reported(estimate, report)
    words = OF_CHOICES if declared(estimate.statistic).is_of_choices else TESTS
    found = [_analysis(one, null, words, reported, labels) for one in estimate.detail["curve"]]
    question = labels.question(estimate.question or "", estimate.category)
    return Curve(estimate, question, null, kind, tuple(sorted(found, key=lambda one: (one.estimate, one.choices))))


def _reported(estimate: Estimate, report: Report) -> str | None:
    """The procedure of the interval of the primary difference, which is shown wherever one is."""
    name = "share_preferred" if declared(estimate.statistic).is_of_choices else "mean_difference"
    scope = without(estimate.scope, "sensitivity")
    same = (
        one for one in report.estimates if (one.measured, one.statistic, one.scope) == (estimate.measured, name, scope)
    )
    return next((one.procedure for one in same), None)


def _analysis(
    one: dict[str, Any], null: float, words: dict[str, str], reported: str | None, labels: Labels
) -> Analysis:
    is_whole = not one["rules"] and not one["pool"]
    # of two tests with the same procedure, the first is the one for new items and raters
    is_reported = is_whole and one["procedure"] == reported and one["test"] != "items"
    return Analysis(
        one["estimate"],
        one["low"],
        one["high"],
        words[one["test"]],
        tuple(RULES.get(rule, rule) for rule in one["rules"]),
        labels.pool(one["pool"]) if one["pool"] else "",
        one["n_raters"],
        one["n_ratings"],
        not one["low"] <= null <= one["high"],
        is_reported,
    )


def curve_sentence(curve: Curve) -> str:
    """How many analyses are clear, on which side, and how they were chosen."""
    low, high = (number(one.estimate, curve.kind) for one in (curve.analyses[0], curve.analyses[-1]))
    above = sum(one.is_clear and one.estimate > curve.null for one in curve.analyses)
    below = sum(one.is_clear and one.estimate < curve.null for one in curve.analyses)
    scope = curve.estimate.scope
    verb = "clearly preferring" if declared(curve.estimate.statistic).is_of_choices else "clearly higher for"
    sides = [f"{n} {verb} {name}" for n, name in ((above, scope["source"]), (below, scope["reference"])) if n]
    median = number(curve.estimate.estimate or 0.0, curve.kind)
    clear = " and ".join(sides) or "none with a clear difference"
    found = f"each estimate {low}" if low == high else f"estimates from {low} to {high} (median {median})"
    return (
        f"{curve.question}, {curve.name}: {found} in {len(curve.analyses)} analyses, {clear}. "
        f"Computed: {curve.estimate.note}."
    )


def curve_rows(curve: Curve) -> tuple[tuple[str, ...], ...]:
    """A row per analysis, from the lowest to the highest estimate; the columns are `HEADER`."""
    return tuple(
        (
            number(one.estimate, curve.kind) + (" (as reported)" if one.is_reported else ""),
            f"{number(one.low, curve.kind)} to {number(one.high, curve.kind)}",
            "yes" if one.is_clear else "no",
            one.test,
            ", ".join(one.rules) or "all",
            one.pool or "all pools",
            whole(one.n_raters),
            whole(one.n_ratings),
        )
        for one in curve.analyses
    )


def curve_sentences(found: Sequence[Curve]) -> tuple[str, ...]:
    """What each curve shows."""
    return tuple(map(curve_sentence, found))
