"""Which share of the items people must rate, if a model judge rates all of them, to reach a width."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from app.analysis.data.encoded_study import codes_of
from app.analysis.data.frames import Frames
from app.analysis.data.question_data import AnyQuestionData
from app.analysis.data.simulated import counted_frames
from app.analysis.planning.scenario import Simulated
from app.analysis.sections.judges.model_judges import judges_and_people
from app.analysis.sections.judges.together import correlation_of
from app.analysis.sections.study_data import StudyData
from app.protocol.study import Protocol
from app.stats.comparison.human_share import Components, components, correlation_ends, fewest

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0)
MIN_ITEMS = 4


@dataclass(frozen=True, slots=True)
class JudgeAssumed:
    """How far a judge goes along with people over items: a correlation, with its 95% interval if it was estimated.

    `raters` are the IDs of the judges, none if the correlation was stated. `n_items` are those that it was estimated
    from. `saves` is False if a judge with this correlation would get no weight.
    """

    raters: tuple[str, ...]
    correlation: float
    low: float | None = None
    high: float | None = None
    n_items: int | None = None
    saves: bool = True


@dataclass(frozen=True, slots=True)
class ShareRow:
    """People rate `n_items`: the trials that they rate, and the widths by people alone and with each judge."""

    n_items: int
    n_raters: int
    n_ratings: int
    alone: float | None
    together: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class JudgeShare:
    """The smallest part for people that reaches the goal with a judge, and with the low end of its correlation."""

    judge: JudgeAssumed
    needed: ShareRow | None
    cautious: ShareRow | None


@dataclass(frozen=True, slots=True)
class HumanShare:
    """What people must rate of `n_items` to reach a width, alone and with each judge."""

    n_items: int
    goal: float
    alone: ShareRow | None
    judges: tuple[JudgeShare, ...]
    rows: tuple[ShareRow, ...]


def stated_judge(correlation: float) -> JudgeAssumed:
    """The judge of a stated correlation."""
    return JudgeAssumed((), correlation, saves=correlation != 0)


def judges_of_pilot(frames: Frames, protocol: Protocol, question: str | None, statistic: str) -> Iterator[JudgeAssumed]:
    """Yield each judge of a study with its correlation with people in the difference of two sources, then all together.

    Args:
        frames: the pilot.
        protocol: its protocol.
        question: key of a question or score.
        statistic: `mean_difference` of it, or `share_preferred` of the first choice.
    """
    frames = counted_frames(frames)[0]
    study = StudyData(codes_of(frames, protocol), protocol, full=False, frames=frames).with_showings
    reference = protocol.reference
    source = next((name for name in protocol.sources if name != reference), None)
    is_choice = statistic == "share_preferred"
    every: list[AnyQuestionData] = [*(study.choices if is_choice else study.numbers)]
    data = next((one for one in every if is_choice or one.question.key == question), None)
    if data is None or reference is None or source is None:
        return
    for raters, humans, owns in judges_and_people(data):
        r, n_items, saves = correlation_of(data, humans, owns, source, reference)
        low, high = correlation_ends(r, n_items) or (None, None)
        yield JudgeAssumed(raters, r, low, high, n_items, saves)


def human_share(
    simulated: Sequence[Simulated],
    statistic: str,
    judges: Sequence[JudgeAssumed],
    *,
    n_items: int,
    goal: float,
    size_of: Callable[[int], tuple[int, int]],
    n_simulations: int,
) -> HumanShare | None:
    """Return what people must rate for a width.

    Args:
        simulated: studies of different size, of which each is simulated `n_simulations` times.
        statistic: `mean_difference` or `share_preferred`.
        judges: each is planned by itself.
        n_items: number of items that the judges rate.
        goal: width of the interval.
        size_of: returns raters and trials to rate for a number of items that people rate.
        n_simulations: for each of `simulated`.

    Returns:
        None if the studies are too small to have an interval.
    """
    parts = components([one.influences(statistic) for one in simulated for _ in range(n_simulations)])
    if parts is None:
        return None
    plan = _Plan(parts, n_items, size_of, [one.correlation if one.saves else 0.0 for one in judges])
    needed = [plan.needed(goal, r) for r in plan.correlations]
    cautious = [plan.needed(goal, _low(one)) if one.low is not None and one.saves else None for one in judges]
    sizes = dict.fromkeys(max(round(share * n_items), min(MIN_ITEMS, n_items)) for share in SHARES)
    found = (JudgeShare(*each) for each in zip(judges, needed, cautious, strict=True))
    return HumanShare(n_items, goal, plan.needed(goal, 0.0), tuple(found), tuple(map(plan.row, sizes)))


def _low(judge: JudgeAssumed) -> float:
    """The end of the interval that is nearer to 0; 0 if it includes 0."""
    low, high = judge.low or 0.0, judge.high or 0.0
    return 0.0 if low <= 0 <= high else min(abs(low), abs(high))


@dataclass(frozen=True, slots=True)
class _Plan:
    parts: Components
    n_items: int
    size_of: Callable[[int], tuple[int, int]]
    correlations: Sequence[float]

    def width(self, m: int, correlation: float) -> float | None:
        return self.parts.width(m, self.size_of(m)[0], of=self.n_items, correlation=correlation)

    def row(self, m: int) -> ShareRow:
        return ShareRow(m, *self.size_of(m), self.width(m, 0.0), tuple(self.width(m, r) for r in self.correlations))

    def needed(self, goal: float, correlation: float) -> ShareRow | None:
        m = fewest(partial(self.width, correlation=correlation), goal, self.n_items)
        return None if m is None else self.row(m)
