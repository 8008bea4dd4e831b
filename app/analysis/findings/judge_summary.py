"""Model judges on the first screen: the alternative annotator test, the interval to the ceiling, and biases."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, log1p
from statistics import NormalDist

from app.analysis.estimate import Estimate
from app.analysis.report.report import Report
from app.analysis.wording.formatting import estimate_text, number
from app.base.words import and_list

# The rule of Calderon, Reichart and Dror (2025): the judge can replace at least half of the human raters.
PASSING_RATE = 0.5
# A judge that left out more than this is not said to be as good as a person.
MIN_ANSWERED = 0.95
ALPHA = 0.05
# The same side on so many items by chance: p < .05 (two-sided binomial test).
MIN_ITEMS = 6
# What the arithmetic leaves of no difference at all.
TINY = 1e-9
BELOW_CEILING = ("correlation_minus_ceiling", "share_minus_ceiling")
# Of a judge and of the same judge on a later day.
DRIFT = {"drift", "drift_same"}
BIASES = {
    "first_side_share": (0.5, "chooses the first side in {}", "chooses the second side ({} for the first)"),
    "side_effect": (0.0, "rates the left response higher ({} points)", "rates the right response higher ({} points)"),
    "length_bias": (0.0, "favours longer texts", "favours shorter texts"),
    "self_preference": (0.0, "favours its own family", "rates its own family lower"),
}


@dataclass(frozen=True, slots=True)
class JudgeSummary:
    """A model judge compared with human raters.

    `n_passed` of `n_tested` questions pass the alternative annotator test; on `n_below` of `n_compared`, the interval
    of judge minus human ceiling is below zero. `biases`: in words, those that are clear among all that were looked for
    (Holm). `answered`: the smallest share of the units rated by people that it answered.
    """

    name: str
    n_passed: int
    n_tested: int
    n_below: int
    n_compared: int
    biases: tuple[str, ...]
    answered: float | None

    @property
    def verdict(self) -> str:
        """Whether it was shown to be able to replace a human rater."""
        if self.biases:
            return "Biased"
        if not self.n_tested:
            return "Not tested: too few units rated by both"
        if self.answered is not None and self.answered < MIN_ANSWERED:
            return "Incomplete"
        if self.n_passed < self.n_tested or self.n_below:
            return "Does not pass"
        return "Passes"

    @property
    def sentence(self) -> str:
        """The summary in words."""
        told = [f"{self.name}: {self.verdict[0].lower()}{self.verdict[1:]}."]
        if self.n_tested:
            told.append(
                f"It passes the alternative annotator test on {self.n_passed} of {self.n_tested} "
                f"question{'' if self.n_tested == 1 else 's'}."
            )
        if self.n_compared:
            told.append(
                f"Its agreement with people is below the human ceiling (95% CI) on {self.n_below} of {self.n_compared}."
            )
        if self.biases:
            told.append(f"It {and_list(self.biases)}.")
        if self.answered is not None and self.answered < 1:
            told.append(f"It answered {number(self.answered, 'share')} of the units rated by people.")
        return " ".join(told)


def judge_name(raters: Sequence[str]) -> str:
    """The name of a judge, or of the jury of several."""
    return raters[0] if len(raters) == 1 else f"Jury of {and_list(raters)}"


def judge_summaries(estimates: Report | Sequence[Estimate]) -> Iterator[JudgeSummary]:
    """Yield the summary of each judge over all questions, compared with all human raters."""
    found = estimates.of("judge") if isinstance(estimates, Report) else estimates
    of_judge: dict[str, list[Estimate]] = {}
    for one in found:
        if one.scope.keys() == {"rater_kind", "raters"} and one.estimate is not None and one.statistic not in DRIFT:
            of_judge.setdefault(judge_name(one.scope["raters"]), []).append(one)
    for name, each in of_judge.items():
        rates = _values(each, "alt_test_winning_rate")
        gaps = [one for one in each if one.statistic in BELOW_CEILING and one.ci_high is not None]
        answered = _values(each, "judge_answered")
        yield JudgeSummary(
            name,
            sum(rate >= PASSING_RATE for rate in rates),
            len(rates),
            sum((one.ci_high or 0.0) < 0 for one in gaps),
            len(gaps),
            tuple(_clear_biases(each)),
            min(answered, default=None),
        )


def _values(estimates: Sequence[Estimate], statistic: str) -> list[float]:
    return [one.estimate for one in estimates if one.statistic == statistic and one.estimate is not None]


def _clear_biases(each: Sequence[Estimate]) -> Iterator[str]:
    """Yield the biases in words, tested together: a fair judge has one by chance in at most a twentieth of studies."""
    tested = [(p, one) for one in each if one.statistic in BIASES and (p := _p_value(one)) is not None]
    clear: dict[str, list[Estimate]] = {words: [] for _, *each_side in BIASES.values() for words in each_side}
    for n_before, (p, one) in enumerate(sorted(tested, key=lambda pair: pair[0])):
        if p * (len(tested) - n_before) >= ALPHA:
            break
        none, above, below = BIASES[one.statistic]
        clear[above if (one.estimate or 0.0) > none else below].append(one)
    for words, found in clear.items():
        if found:
            ends = (estimate_text(end(found, key=_value)) for end in (min, max))
            yield words.format(" to ".join(dict.fromkeys(ends)))


def _value(one: Estimate) -> float:
    return one.estimate or 0.0


def _p_value(one: Estimate) -> float | None:
    """The p-value for no bias, from the interval if the estimate has none.

    The quantile of t and its normal equivalent are those of Wallace (1959, Ann. Math. Stat. 30:1121), to three digits.
    """
    none, normal = BIASES[one.statistic][0], NormalDist()
    n_items = one.n_items or 0
    if one.p_value is not None or one.estimate is None or n_items < 2:  # noqa: PLR2004 - a variance needs two
        return one.p_value
    if one.ci_low is None or one.ci_high is None:
        # The same on every item: there is no interval, and as many equal sides by chance are rare.
        is_none = abs(one.estimate - none) < TINY
        return 2 * 0.5**n_items if one.ci_reason == "no_variation" and not is_none else None
    reach = one.estimate - one.ci_low if one.estimate > none else one.ci_high - one.estimate
    df, level = n_items - 1, normal.inv_cdf(1 - ALPHA / 2)
    stretch = (8 * df + 3) / (8 * df + 1)
    t = abs(one.estimate - none) / reach * (df * (exp((level * stretch) ** 2 / df) - 1)) ** 0.5
    return 2 * (1 - normal.cdf((df * log1p(t * t / df)) ** 0.5 / stretch))


def side_of(one: Estimate, none: float) -> int:
    """1 if an estimate is clearly above a value, -1 if it is clearly below, otherwise 0."""
    if one.estimate is None:
        return 0
    if one.ci_low is None or one.ci_high is None:
        # The same on every item: there is no interval, but no chance either.
        is_same = one.ci_reason == "no_variation" and (one.n_items or 0) >= MIN_ITEMS
        return ((one.estimate > none + TINY) - (one.estimate < none - TINY)) * is_same
    return (one.ci_low > none) - (one.ci_high < none)
