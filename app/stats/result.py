"""The return value of every statistic: an estimate, or the reason why there is none."""

from dataclasses import dataclass, field, replace
from typing import Literal, Self, get_args

Reason = Literal[
    "no_pairable_units",
    "no_variation",
    "one_cluster",
    "too_few",
    "separation",
    "disconnected",
    "not_converged",
    "singular",
    "not_run",
    "no_upper_limit",
]
REASONS: tuple[str, ...] = get_args(Reason)

# Ways to compute intervals and tests that other code tells apart.
Procedure = Literal[
    "two_way_cluster_t",
    "two_way_cr2_t",
    "two_way_jackknife_t",
    "item_cluster_t",
    "item_cr2_t",
    "item_jackknife_t",
    "three_way_cluster_t",
    "cluster_t_units",
    "min_f_t",
    "t_paired",
    "t_unpaired",
    "t_welch",
    "t_items",
    "ancova_cr2_t",
    "lmm",
    "lmm_satterthwaite",
    "clmm_laplace",
    "glmm_laplace",
    "pigeonhole",
    "jackknife_two_way",
    "jackknife_raters",
    "jackknife_texts",
    "jackknife_units",
    "bins_bootstrap",
    "bootstrap_units",
    "bootstrap_items",
    "wilson",
    "wilson_cc",
    "newcombe",
    "imbens_manski",
    "clopper_pearson",
    "asymptotic_normal",
    "f_distribution",
    "feldt",
    "wilcoxon",
    "mann_whitney",
    "chi_square",
    "alt_test",
    "stuart_maxwell",
    "cochran_q",
    "sign_test",
    "em",
    "prediction_distribution",
]


@dataclass(frozen=True, slots=True)
class Method:
    """How a number was computed: its text is the procedure, if it has one, followed by `words`, which code never reads.

    >>> str(Method("t_paired", ": item means")), str(Method("wilson").with_words(", rounded"))
    ('t_paired: item means', 'wilson, rounded')
    """

    procedure: Procedure | None = None
    words: str = ""

    def __str__(self) -> str:
        return f"{self.procedure or ''}{self.words}"

    def __bool__(self) -> bool:
        return bool(self.procedure or self.words)

    def with_words(self, words: str) -> Self:
        """The method with further words, which begin with what separates them."""
        return replace(self, words=f"{self.words}{words}")


Inference = Literal[
    "items", "raters", "items_and_raters", "items_and_responders", "items_and_prompts", "ratings", "none"
]


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided confidence interval. If it `is_open`, it has no upper limit, and `high` is infinity.

    `inference` is what the interval generalizes to: new items, new raters, both at once, new items and
    responders, or further ratings if all ratings are treated as independent. It is set by the function that computes
    the interval.
    """

    low: float
    high: float
    method: Method
    level: float = 0.95
    inference: Inference = field(kw_only=True)
    is_open: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Result:
    """One statistic.

    `estimate` is None if and only if `reason` is set. `interval_reason` gives the reason for a missing interval where
    one could be expected. The values of `Reason` are a contract: without any ratings, the reason is
    `no_pairable_units` and the note explains it. Numbers are always finite, except for the upper end of an interval
    without an upper limit, which an undefined result can have; nan is rejected. `seed` is the seed of any random draws.
    `note` is a sentence for readers; `interval_warnings` are those on an interval of few raters or items, which are
    shown wherever it is. The counts describe the data used; None if not applicable.
    """

    estimate: float | None
    method: Method = Method()
    reason: Reason | None = None
    interval: Interval | None = None
    interval_reason: Reason | None = None
    standard_error: float | None = None
    p_value: float | None = None
    df: float | None = None
    n_items: int | None = None
    n_units: int | None = None
    n_pairable_units: int | None = None
    n_raters: int | None = None
    n_ratings: int | None = None
    seed: int | None = None
    note: str = ""
    interval_warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Reject a Result that a page could not show.

        Raises:
            ValueError: neither or both of estimate and reason, or a number that is not finite.

        >>> Result(float("nan"))
        Traceback (most recent call last):
        ValueError: a Result carries finite numbers only, found nan
        """
        if (self.estimate is None) != (self.reason is not None):
            raise ValueError("a Result has an estimate or a reason, never both, never neither")
        numbers = [self.estimate, self.standard_error, self.p_value, self.df]
        if self.interval:
            numbers += [self.interval.low] if self.interval.is_open else [self.interval.low, self.interval.high]
        for number in numbers:
            if number is not None and not abs(number) < float("inf"):
                raise ValueError(f"a Result carries finite numbers only, found {number}")

    def with_inference(self, inference: Inference) -> Self:
        """Return the result with another `inference`, if the caller knows better; unchanged without an interval."""
        return self if self.interval is None else replace(self, interval=replace(self.interval, inference=inference))

    def noted(self, note: str) -> Self:
        """Return the result with a note after its own; unchanged if the note is empty."""
        return replace(self, note=f"{self.note} {note}".strip()) if note else self

    def warned(self, words: str) -> Self:
        """Return the result with a warning about its interval; unchanged if there are no words."""
        return replace(self, interval_warnings=(*self.interval_warnings, words)) if words else self

    def with_counts(self, **counts: int | None) -> Self:
        """Return the result with counts (`n_items`, `n_units` ...) filled in."""
        return replace(self, **counts)  # type: ignore[arg-type]  # replace checks the names


def with_method(result: Result, method: Method) -> Result:
    """Return the result with this method if it has none, as results that were undefined from the start.

    >>> str(with_method(undefined("no_variation"), Method(words="median")).method)
    'median'
    """
    return result if result.method else replace(result, method=method)


def undefined(reason: Reason, note: str = "", *, method: Method = Method(), **counts: int | None) -> Result:
    """Return a Result without an estimate, with the reason.

    >>> undefined("no_variation").estimate is None
    True
    """
    return Result(None, method=method, reason=reason, note=note).with_counts(**counts)
