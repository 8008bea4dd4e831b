"""When a rater is flagged: the only definition, for the page of raters, the filter, the charts and the report.

Flags are reasons to look at a rater. They exclude nobody, and they describe what the rater did: the decision to exclude
a rater does not change them.
"""

from collections.abc import Hashable, Iterator, Mapping
from math import asin, atanh, comb, sqrt
from statistics import mean, median, stdev
from typing import Literal, NamedTuple, TypeVar

from app.protocol.checks import Checks
from app.protocol.questions.registry import PreferenceQuestion, ScaledQuestion
from app.protocol.study import Protocol

Rule = Literal["checks", "speed", "time", "straight_lining", "side", "agreement", "typing"]
# Faster than anyone reads for meaning, and faster than scanning for a word (600 words per minute; Carver, 1992).
MAX_WORDS_PER_MINUTE = 700
# Speeders in web surveys: less than a third of the median time (Matjasic et al., 2018, review the rules in use).
MIN_SHARE_OF_MEDIAN = 1 / 3
# Number of raters without which there is no typical rater to compare one with.
MIN_RATERS = 3
# Minimum number of ratings for a pattern.
MIN_POINTS = 12
SAME_POINT, SAME_SIDE, LONG_RUN = 0.9, 0.9, 20
# Patterns that chance produces are flagged only if it produces them in fewer than one of a hundred raters.
MAX_CHANCE = 0.01
_Z_OF_MAX_CHANCE = 2.326
# Most of what was entered was pasted, in texts of more than a few words. Nobody types 25 keys per second for long.
_PASTED, _MIN_ENTERED, _MAX_KEYS_PER_S = 0.5, 50, 25
_MS_PER_MINUTE = 60_000

K = TypeVar("K", bound="Hashable")


class Typing(NamedTuple):
    """All text answers of one rater whose typing was counted."""

    n_texts: int
    n_characters: int
    n_keystrokes: int
    n_pasted: int
    typing_ms: int

    @property
    def pasted_share(self) -> float:
        """Pasted characters among all that were entered, 0 to 1."""
        n_entered = self.n_pasted + self.n_keystrokes
        return self.n_pasted / n_entered if n_entered else 0.0

    @property
    def keys_per_s(self) -> float | None:
        """Keystrokes per second between the first and the last key; None if that is not known."""
        return self.n_keystrokes / (self.typing_ms / 1000) if self.typing_ms else None


class Evidence(NamedTuple):
    """What one rater did, in the numbers that the rules are about.

    Attributes:
        n_ratings: number of answers.
        n_checks: attention checks and gold trials answered; `n_failed` of them were failed.
        n_trials: trials with a known time.
        median_ms: median time of these trials; None without any.
        total_ms: their time in all.
        n_words: words of the texts that these trials showed, each text counted once.
        n_points: ratings that are numbers; `n_most` of them have the same value.
        longest_run: the longest run of equal ratings, 0 if their order is not known.
        n_sides: choices of a side; `n_left` of them are the left one.
        longest_side_run: the longest run of the same side, 0 if their order is not known.
        n_compared: ratings of what others rated too; where nothing is rated, choices between the same two responses.
        agreement: correlation of these with the mean of the others.
        typing: how texts were typed, if that was counted.
    """

    n_ratings: int = 0
    n_checks: int = 0
    n_failed: int = 0
    n_trials: int = 0
    median_ms: float | None = None
    total_ms: float = 0.0
    n_words: int = 0
    n_points: int = 0
    n_most: int = 0
    longest_run: int = 0
    n_sides: int = 0
    n_left: int = 0
    longest_side_run: int = 0
    n_compared: int = 0
    agreement: float | None = None
    typing: Typing | None = None

    @property
    def words_per_minute(self) -> float | None:
        """The least reading speed that shows this many words in this time; None without a known time."""
        return self.n_words / (self.total_ms / _MS_PER_MINUTE) if self.total_ms > 0 else None


class Flag(NamedTuple):
    """A rule that a rater's answers meet, and the evidence in words."""

    rule: Rule
    words: str


class _Typical(NamedTuple):
    """What the raters of a study do; None where too few of them can be compared."""

    median_ms: float | None
    agreement: float | None
    min_total_ms: float | None
    n_whole: float


def compared_question(protocol: Protocol) -> ScaledQuestion | None:
    """The question on which raters are compared: the first that is answered by a number about an item."""
    return next((question for question in protocol.scaled_questions if question.target != "rater"), None)


def side_question(protocol: Protocol) -> PreferenceQuestion | None:
    """The choice whose sides are looked at: the first. Several choices about one pair are not independent."""
    return next(iter(protocol.choice_questions), None)


def flags_of(checks: Checks, evidence: Mapping[K, Evidence]) -> dict[K, tuple[Flag, ...]]:
    """The flags of each rater who has any.

    Args:
        checks: the rules that the protocol declares.
        evidence: the raters who are compared with each other. People, simulated raters and models are not.
    """
    typical = _typical(checks, evidence)
    found = {key: tuple(_flags(checks, one, typical)) for key, one in evidence.items()}
    return {key: flags for key, flags in found.items() if flags}


def _typical(checks: Checks, evidence: Mapping[K, Evidence]) -> _Typical:
    times = [one.median_ms for one in evidence.values() if one.median_ms is not None]
    agreed = [one.agreement for one in evidence.values() if one.agreement is not None and one.n_compared >= MIN_POINTS]
    n_whole = median(one.n_trials for one in evidence.values() if one.n_trials) if times else 0.0
    totals = [one.total_ms for one in evidence.values() if one.n_trials and one.n_trials >= n_whole]
    sd = checks.too_fast_sd
    return _Typical(
        median(times) if len(times) >= MIN_RATERS else None,
        median(agreed) if len(agreed) >= MIN_RATERS else None,
        mean(totals) - sd * stdev(totals) if sd is not None and len(totals) >= MIN_RATERS else None,
        n_whole,
    )


def _flags(checks: Checks, one: Evidence, typical: _Typical) -> Iterator[Flag]:
    if one.n_failed >= checks.flagged_at:
        yield Flag("checks", f"Failed {one.n_failed} of {one.n_checks} checks")
    yield from _speed(checks, one, typical)
    yield from _straight_lining(one)
    yield from _sides(one)
    yield from _agreement(one, typical)
    if one.typing is not None:
        yield from _typing(one.typing)


def _speed(checks: Checks, one: Evidence, typical: _Typical) -> Iterator[Flag]:
    speed = one.words_per_minute
    if speed is not None and speed > MAX_WORDS_PER_MINUTE:
        yield Flag("speed", f"Shown {speed:,.0f} words per minute, more than {MAX_WORDS_PER_MINUTE}")
    if one.median_ms is None:
        return
    if typical.median_ms is not None and one.median_ms < MIN_SHARE_OF_MEDIAN * typical.median_ms:
        own, usual = _seconds(one.median_ms), _seconds(typical.median_ms)
        yield Flag("time", f"{own} seconds per trial, less than a third of the median ({usual})")
    is_whole = one.n_trials >= typical.n_whole
    if typical.min_total_ms is not None and is_whole and one.total_ms < typical.min_total_ms:
        yield Flag("time", f"Total time more than {checks.too_fast_sd:g} SD below the mean")


def _seconds(ms: float) -> str:
    return f"{ms / 1000:.1f}"


def _straight_lining(one: Evidence) -> Iterator[Flag]:
    if one.n_points >= MIN_POINTS and one.n_most / one.n_points >= SAME_POINT:
        yield Flag("straight_lining", f"{one.n_most} of {one.n_points} ratings are the same")
    elif one.longest_run >= LONG_RUN:
        yield Flag("straight_lining", f"{one.longest_run} equal ratings in a row")


def _sides(one: Evidence) -> Iterator[Flag]:
    n = one.n_sides
    n_most = max(one.n_left, n - one.n_left)
    if n and n_most / n >= SAME_SIDE and _chance_of_side(n, n_most) < MAX_CHANCE:
        side = "left" if one.n_left == n_most else "right"
        yield Flag("side", f"Chose the {side} side in {n_most} of {n} choices")
    elif one.longest_side_run and _chance_of_run(n, one.longest_side_run) < MAX_CHANCE:
        yield Flag("side", f"Chose the same side {one.longest_side_run} times in a row")


def _chance_of_side(n: int, n_most: int) -> float:
    """How often a rater without a preference chooses one of the sides at least so often: the exact sign test.

    >>> round(_chance_of_side(10, 9), 4), round(_chance_of_side(10, 10), 4)
    (0.0215, 0.002)
    """
    return min(1.0, sum(comb(n, k) for k in range(n_most, n + 1)) / float(2 ** (n - 1)))


def _chance_of_run(n: int, length: int) -> float:
    """How often, at most, n choices without a preference have a run of one side of at least this length.

    A run starts at the first choice, or where the side changes.

    >>> round(_chance_of_run(10, 10), 4), round(_chance_of_run(100, 10), 4)
    (0.002, 0.0898)
    """
    return float((2 + n - length) / 2**length)


def _agreement(one: Evidence, typical: _Typical) -> Iterator[Flag]:
    """Flag agreement that is not above chance, and is below that of the typical rater.

    Both on a scale on which a correlation varies alike whatever its size, so that one that is small for everyone flags
    nobody: Fisher's z for ratings, the arcsine for choices, which are 1 or -1.
    """
    if one.agreement is None or typical.agreement is None or one.n_compared < MIN_POINTS:
        return
    is_of_ratings = one.n_points > 0
    even = _fisher_z if is_of_ratings else asin
    reach = _Z_OF_MAX_CHANCE / sqrt(one.n_compared - 3 if is_of_ratings else one.n_compared)
    own, usual = even(one.agreement), even(typical.agreement)
    if own < reach and own < usual - reach:
        yield Flag(
            "agreement",
            f"Agreement with the others is at chance: correlation {_decimal(one.agreement)} over {one.n_compared} "
            f"{'ratings' if is_of_ratings else 'choices'} (median rater {_decimal(typical.agreement)})",
        )


def _fisher_z(r: float) -> float:
    return atanh(max(-0.999999, min(0.999999, r)))


def _decimal(r: float) -> str:
    return f"{r:.2f}".replace("-0.00", "0.00").replace("-", "\N{MINUS SIGN}")


def _typing(typed: Typing) -> Iterator[Flag]:
    if typed.n_keystrokes + typed.n_pasted < _MIN_ENTERED:
        return
    texts = f"{typed.n_texts} text answer{'' if typed.n_texts == 1 else 's'}"
    if typed.pasted_share >= _PASTED:
        yield Flag("typing", f"Pasted {typed.pasted_share:.0%} of what was entered in {texts}")
    if typed.keys_per_s is not None and typed.keys_per_s > _MAX_KEYS_PER_S:
        yield Flag("typing", f"{typed.keys_per_s:.0f} keystrokes per second in {texts}")
