"""The record of an estimate, which is all that pages, JSON, CSV and command line show."""

from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypedDict, cast

from app.stats.result import Inference, Method, Procedure, Reason, Result

Unit = Literal["rating", "item_mean", "response", "choice", "rater_mean", "item"]
# primary: named by the protocol before the data; exploratory: any other comparison; descriptive: no comparison
Role = Literal["primary", "exploratory", "descriptive"]
# clear or inconclusive: a difference; equivalent, non_inferior or not_shown: a test against a margin
Verdict = Literal["clear", "inconclusive", "equivalent", "non_inferior", "not_shown"]


# Keys of `Estimate.detail` from which code is written: the random effects of a model, and whether the sides of
# choices are known.
EFFECTS, HAS_SIDE = "effects", "has_side"


class Scope(TypedDict, total=False):
    """What an estimate is about, beside its question."""

    source: str
    reference: str
    category: str
    correct: str
    factor: str
    attribute: str
    level: str
    reference_level: str
    condition: str
    shown_label: str
    subgroup: dict[str, str]
    pool: str
    reference_pool: str
    rater_kind: str
    reference_rater_kind: str
    raters: list[str]
    covariate: str
    before: str
    turn: int
    wave: int
    cut: float
    bin: str
    flagged: str
    sensitivity: str


Part = Literal[
    "source",
    "reference",
    "category",
    "factor",
    "attribute",
    "level",
    "reference_level",
    "condition",
    "shown_label",
    "pool",
    "reference_pool",
    "raters",
    "covariate",
    "before",
    "correct",
    "bin",
    "turn",
    "wave",
    "flagged",
    "sensitivity",
]


def without(scope: Scope, *parts: str) -> Scope:
    """The wider scope that lacks these parts."""
    return cast("Scope", {part: value for part, value in scope.items() if part not in parts})


class Counts(TypedDict):
    """The counts that are part of every estimate."""

    n_items: int
    n_units: int
    n_pairable_units: int
    n_raters: int
    n_ratings: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic with its scope. FIELDS, in their order, are the contract of JSON and CSV.

    `verdict` is set by `with_verdicts` only. `recipe` describes how to reproduce the estimate (see `with_recipes`).
    `category` is the category of the question that the estimate is about, which FIELDS have in `question`. `procedure`
    is how its interval and test were computed, with which `method` begins. `interval_warnings` are the sentences of
    `note` on an interval of few raters or items, which are shown wherever the interval is.
    `detail` contains further data for charts, tables and code, such as the counts of a distribution; not exported.
    """

    section: str
    question: str | None
    scope: Scope
    statistic: str
    estimate: float | None
    ci_low: float | None = None
    ci_high: float | None = None
    ci_level: float | None = None
    inference: Inference = "none"
    ci_reason: Reason | None = None
    reason: Reason | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    verdict: Verdict | None = None
    df: float | None = None
    role: Role = "descriptive"
    unit: Unit | None = None
    n_items: int | None = None
    n_units: int | None = None
    n_pairable_units: int | None = None
    n_raters: int | None = None
    n_ratings: int | None = None
    method: str = ""
    note: str = ""
    recipe: dict[str, Any] = field(default_factory=dict)
    detail: dict[str, Any] = field(default_factory=dict)
    category: str | None = None
    procedure: Procedure | None = None
    interval_warnings: tuple[str, ...] = ()

    @property
    def measured(self) -> str | None:
        """What is estimated, as files name it: the question, with its category if the estimate is of one."""
        return self.question if self.category is None else f"{self.question}={self.category}"

    @property
    def ignores_clusters(self) -> bool:
        """Whether it is tested as if answers were independent although items and raters recur; raters are independent.

        By chance, more than 5% of such tests have p < .05.
        """
        return "as independent" in self.method and "raters as independent" not in self.method

    def as_record(self) -> dict[str, Any]:
        """Return the estimate as plain JSON types, with exactly FIELDS."""
        return {name: getattr(self, name) for name in FIELDS} | {"question": self.measured}


INTERNAL = {"detail", "category", "procedure", "interval_warnings"}
FIELDS: tuple[str, ...] = tuple(f.name for f in fields(Estimate) if f.name not in INTERNAL)


def estimate_of(
    result: Result,
    *,
    section: str,
    question: str | None,
    scope: Scope,
    statistic: str,
    unit: Unit | None,
    of_answers: Counts,
    answers: str,
    **detail: object,
) -> Estimate:
    """Return the estimate for a Result; `answers` is the hash of its answers, `of_answers` are their numbers.
    An interval without an upper limit has no `ci_high`, and `ci_reason` says so. Units are those of the Result if it
    states them. `detail` contains further data for charts and tables.
    """
    interval, method = result.interval, method_of(result)
    warnings = result.interval_warnings if interval else ()
    return Estimate(
        section=section,
        question=question,
        scope=scope,
        statistic=statistic,
        estimate=result.estimate,
        ci_low=interval.low if interval else None,
        ci_high=interval.high if interval and not interval.is_open else None,
        ci_level=interval.level if interval else None,
        inference=interval.inference if interval else "none",
        ci_reason="no_upper_limit" if interval and interval.is_open else result.interval_reason,
        reason=result.reason,
        p_value=result.p_value,
        df=result.df,
        unit=unit,
        n_items=of_answers["n_items"],
        n_units=of_answers["n_units"] if result.n_units is None else result.n_units,
        n_pairable_units=of_answers["n_pairable_units"] if result.n_pairable_units is None else result.n_pairable_units,
        n_raters=of_answers["n_raters"],
        n_ratings=of_answers["n_ratings"],
        method=str(method),
        procedure=method.procedure,
        note=" ".join(filter(None, (result.note, *warnings))),
        interval_warnings=warnings,
        recipe={"answers": answers, "seed": result.seed},
        detail=detail,
    )


def method_of(result: Result) -> Method:
    """Return the method of the estimate after that of its interval, unless both are the same procedure."""
    interval, method = result.interval, result.method
    if interval is None or method.procedure == interval.method.procedure:
        return method
    return interval.method.with_words(f": {method}" if method else "")
