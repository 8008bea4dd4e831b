"""What a statistic is: its name, its kind of value, where it is documented, and how it is shown and told.

Each one is declared once, in the module of `app/analysis/sections` that computes it. `declared` finds it by its key.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Literal

from app.stats.result import Procedure

# share: from 0 to 1, shown as a percentage · coefficient: at most 1 · points: of the question's scale · test: a test
# statistic · ratio: 1 means no difference · count: an integer · percent: already a percentage · share_points: a
# difference of two shares, shown in percentage points · slope: small values per unit of something
Kind = Literal["share", "coefficient", "points", "test", "ratio", "count", "percent", "share_points", "slope"]

# units, for coefficients of association and agreement: r over four units is above .9 by chance in one of ten studies
MIN_UNITS = 5


@dataclass(frozen=True, slots=True)
class Minimum:
    """How many of `count` an estimate needs, and how many its interval needs; `what` names them in notes.

    `is_within_scope`: several ratings of a response are one unit, so no more units count than the scope has.
    """

    estimate: int
    interval: int
    count: Literal["n_units", "n_pairable_units", "n_ratings"]
    what: str
    is_within_scope: bool = False


@dataclass(frozen=True, slots=True)
class Bounds:
    """The range of a value that depends on the question: `times` the range of its scale, below and above 0.

    A slope over turns is a weighted mean of slopes between two turns, which are one turn apart or more.

    `is_level`: a value of the scale itself. `is_share_of_choices`: a difference of shares if the question is a choice.
    `is_share_of_codes`: a difference of shares if the values of the question have no order.
    """

    times: int = 0
    is_level: bool = False
    is_share_of_choices: bool = False
    is_share_of_codes: bool = False


@dataclass(frozen=True, slots=True)
class Margin:
    """A test against a margin: its verdict when it is met, that in words, what is said when it is not, and its name."""

    verdict: Literal["equivalent", "non_inferior"]
    met: str
    not_met: str
    test: str
    is_one_sided: bool = False


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect behind a test statistic: its key, and how it is estimated; None for any procedure."""

    statistic: str
    procedure: Procedure | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """How the estimates of a declared test are recorded: unit, keys of the scope, and procedure; None for any.

    `keys` are in the scope of every such record, `perhaps` only in some. The parts that a contrast names are added. If
    several records of one scope differ in their method, the first is the main one.
    """

    unit: str | None = "rating"
    keys: tuple[str, ...] = ("source", "reference")
    perhaps: tuple[str, ...] = ()
    procedure: Procedure | None = None


@dataclass(frozen=True, slots=True)
class Statistic:
    """One statistic. Its label is `name`, followed by `variant` where several statistics share the name."""

    key: str
    name: str
    kind: Kind
    variant: str = field(default="", kw_only=True)
    docs: str = field(kw_only=True)
    """The page of docs/statistics with the formula."""
    cites: tuple[str, ...] = field(default=(), kw_only=True)
    """Keys of `bibliography.REFERENCES`; none for what is defined by counting or averaging."""
    no_difference: float | None = field(default=None, kw_only=True)
    """The value of a comparison that means no difference; None for what compares nothing."""
    per: Literal["", "turn"] = field(default="", kw_only=True)
    """What a slope is per, where sentences say it beside the number."""
    minimum: Minimum | None = field(default=None, kw_only=True)
    minimum_of_rater: Minimum | None = field(default=None, kw_only=True)
    """What an estimate of a single rater needs."""
    bounds: Bounds = field(default=Bounds(), kw_only=True)
    is_of_mean: bool = field(default=False, kw_only=True)
    """A reliability of means or sums: its formula has no lower bound, but no proportion of variance is below 0."""
    letter: str = field(default="", kw_only=True)
    """The letter of a test statistic."""
    is_of_counts: bool = field(default=False, kw_only=True)
    """A test of counts, which is printed with the number of units."""
    effect: Effect | None = field(default=None, kw_only=True)
    margin: Margin | None = field(default=None, kw_only=True)
    tests: Mapping[str, Recorded] = field(default_factory=dict, kw_only=True)
    """The tests of a primary contrast (`app.protocol.primary`) that this statistic answers."""
    agreement: Literal["", "main", "beside"] = field(default="", kw_only=True)
    """The coefficient that summaries show for the agreement on a question, or one that reports show beside it."""
    family: str = field(default="", kw_only=True)
    """The key without the level of measurement, where the same coefficient has one key per level."""
    meaning: str = field(default="", kw_only=True)
    """What the ends of a coefficient of agreement mean, with {} for its values."""
    page: str = field(default="", kw_only=True)
    """The page of the results, where the section of the estimate does not decide it."""
    at_equal_length: str = field(default="", kw_only=True)
    """The statistic for the same difference at equal length."""
    ceiling: str = field(default="", kw_only=True)
    """The statistic for people that a judge's is compared with."""
    is_of_choices: bool = field(default=False, kw_only=True)
    """A share of choices between two sources, for which no difference is an even split."""
    kind_of_share: Kind | None = field(default=None, kw_only=True)
    """The kind where the values are shares: those of a measure of texts that is a share, or of choices."""
    caption: str = field(default="", kw_only=True)
    """The caption of a table of this measure of texts alone."""
    has_repeats: bool = field(default=False, kw_only=True)
    """Whether it uses trials that a rater rated again."""
    is_of_pools: bool = field(default=False, kw_only=True)
    """Whether it compares two groups of raters."""

    @property
    def label(self) -> str:
        """The name for people."""
        return f"{self.name}, {self.variant}" if self.variant else self.name

    @property
    def is_alpha(self) -> bool:
        """Whether it is Krippendorff's alpha, at any level of measurement."""
        return self.family == "krippendorff_alpha"

    @property
    def formula(self) -> str:
        """The page of the documentation with the formula, such as `docs/statistics/agreement.md`."""
        return f"docs/statistics/{self.docs}.md"


# The tables of the results pages.


@dataclass(frozen=True, slots=True)
class Column:
    """A column: it contains the first of these statistics that a row has, of one unit or kind if it names one.

    `has_cut` keeps apart the two forms of a statistic that exists with a cut and without; `covariate` keeps apart those
    at equal values of different covariates.
    """

    words: str
    statistics: tuple[str, ...]
    unit: str | None = None
    has_cut: bool | None = None
    covariate: str | None = None
    kind: Kind | None = None


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table of a page of the results: its caption and its columns."""

    caption: str
    columns: tuple[Column, ...]


def share_points(key: str, name: str, test: Recorded, *, page: str = "", is_of_pools: bool = False) -> Statistic:
    """Declare a difference between shares, in percentage points, that tests a primary contrast."""
    return Statistic(
        key,
        f"{name} (percentage points)",
        "share_points",
        docs="contrasts",
        no_difference=0.0,
        tests={key: test},
        page=page,
        is_of_pools=is_of_pools,
    )


_DECLARED: dict[str, Statistic] = {}


def declare(*statistics: Statistic) -> None:
    """Make statistics known by their keys.

    Raises:
        ValueError: a key is declared already.
    """
    for one in statistics:
        if one.key in _DECLARED:
            raise ValueError(f"the statistic {one.key} is declared twice")
        _DECLARED[one.key] = one


@cache
def statistics() -> Mapping[str, Statistic]:
    """Every statistic by its key.

    They are declared beside their computations, which need pandas and scipy and import this module: the import by name
    is the door between the two, so that a process without results loads neither.
    """
    import_module("app.analysis.sections.all_sections")
    return _DECLARED


def declared(key: str) -> Statistic:
    """The statistic with this key."""
    return statistics()[key]
