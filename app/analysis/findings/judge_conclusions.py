"""Which main conclusions would change if a model judge replaced the people: each contrast by people and by judges."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.analysis.estimate import Estimate
from app.analysis.findings.judge_summary import judge_name, side_of
from app.analysis.findings.main_contrasts import MainContrast, in_other_direction
from app.analysis.report.report import Report
from app.analysis.statistic import declared
from app.analysis.wording.formatting import interval_text, number
from app.base.numbers import MINUS
from app.base.words import and_list, counted

OF_JUDGES = {
    "share_preferred": ("judge_share_preferred", "prompts_share_preferred"),
    "mean_difference": ("judge_mean_difference", "prompts_mean_difference"),
}
OVER_PROMPTS = {statistic for _, statistic in OF_JUDGES.values()}
HEADER = ("Question", "Comparison", "Answers of", "Estimate (95% CI)", "Another conclusion")
TOGETHER = {"judge_share_preferred": "share_preferred_ppi", "judge_mean_difference": "mean_difference_ppi"}


@dataclass(frozen=True, slots=True)
class JudgeConclusion:
    """One contrast by one judge. `effect`: what it finds; `changes`: whether people would conclude something else.

    `together`: what people and judge find, if it answered units that people did not.
    """

    judge: str
    effect: str
    changes: bool
    together: str


@dataclass(frozen=True, slots=True)
class Conclusion:
    """One contrast by people, by each judge that answered it, and by all judges as a jury."""

    label: str
    pair: str
    people: str
    judges: tuple[JudgeConclusion, ...]

    @property
    def rows(self) -> Iterator[tuple[str, str, str]]:
        """The last three columns of `HEADER`: whose answers, what they find, whether people would conclude another."""
        yield "People", self.people, "–"
        for one in self.judges:
            yield f"{one.judge} alone", one.effect, "yes" if one.changes else "no"
            if one.together:
                yield f"People and {one.judge}", one.together, "–"


def conclusions_by_judge(report: Report, contrasts: Sequence[MainContrast]) -> Iterator[Conclusion]:
    """Yield each main contrast that a judge answered too.

    Args:
        report: `labelled`, like that of the contrasts.
        contrasts: from `main_contrasts`.
    """
    by_place: dict[tuple[object, ...], list[Estimate]] = {}
    for one in report.of("judge"):
        if one.scope.keys() == {"rater_kind", "raters", "source", "reference"}:
            by_place.setdefault(_place(one, one.scope["source"], one.scope["reference"]), []).append(one)
    for contrast in contrasts:
        shown, answer = contrast.estimate, contrast.answer
        # A primary contrast may be answered by a model; judges are compared in the units of the question.
        people = answer if answer.statistic == shown.statistic else shown
        source, reference = people.scope["source"], people.scope["reference"]
        # judges are compared with the reference of the study, whatever the direction of the contrast
        found = [
            (one, turn)
            for statistic in OF_JUDGES.get(shown.statistic, ())
            for turn, pair in ((_as_it_is, (source, reference)), (in_other_direction, (reference, source)))
            for one in by_place.get((people.question, statistic, *pair), ())
        ]
        if found and people.estimate is not None:
            judged = tuple(
                JudgeConclusion(
                    _judge(one),
                    _effect(turn(one)),
                    _side(turn(one)) != _side(people),
                    next((_effect(turn(both)) for both in _together(one, by_place)), ""),
                )
                for one, turn in found
            )
            pair = f"{source} against {reference}"
            yield Conclusion(contrast.label, pair, _effect(people), judged)


def _place(one: Estimate, source: object, reference: object) -> tuple[object, ...]:
    return one.question, one.statistic, source, reference


def _as_it_is(estimate: Estimate) -> Estimate:
    return estimate


def _together(one: Estimate, by_place: Mapping[tuple[object, ...], Sequence[Estimate]]) -> Iterator[Estimate]:
    key = (one.question, TOGETHER.get(one.statistic, ""), one.scope["source"], one.scope["reference"])
    yield from (both for both in by_place.get(key, ()) if both.scope == one.scope and both.estimate is not None)


def _judge(one: Estimate) -> str:
    raters = one.scope["raters"]
    return f"all prompts ({and_list(raters)})" if one.statistic in OVER_PROMPTS else judge_name(raters)


def _side(one: Estimate) -> int:
    return side_of(one, declared(one.statistic).no_difference or 0.0)


def _effect(one: Estimate) -> str:
    if one.estimate is None:
        return "not estimable"
    kind = declared(one.statistic).kind
    value = number(one.estimate, kind)
    is_above = kind != "share" and not value.startswith(MINUS) and value.strip("0.") != ""
    signed = f"+{value}" if is_above else value
    interval = interval_text(one)
    return f"{signed} ({interval})" if interval else signed


def conclusion_rows(conclusions: Sequence[Conclusion]) -> tuple[tuple[str, ...], ...]:
    """The table of conclusions; the columns are `HEADER`."""
    return tuple((one.label, one.pair, *row) for one in conclusions for row in one.rows)


def changes_sentence(conclusions: Sequence[Conclusion]) -> str:
    """State for each judge how many conclusions change, and which."""
    changed: dict[str, list[str]] = {}
    n: dict[str, int] = {}
    for one in conclusions:
        for judged in one.judges:
            n[judged.judge] = n.get(judged.judge, 0) + 1
            changed.setdefault(judged.judge, [])
            if judged.changes:
                told = f"{one.label}, {one.pair}: {one.people} by people, {judged.effect} by {judged.judge}"
                changed[judged.judge].append(told)
    return " ".join(
        f"In the place of people, {judge} changes {len(told)} of {counted(n[judge], 'main conclusion')}"
        + (f" ({'; '.join(told)})." if told else ".")
        for judge, told in changed.items()
    )
