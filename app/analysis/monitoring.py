"""Declared looks at the primary contrast: each on the ratings that had come when it was due, whenever it is read."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from app.analysis.data.frames import Frames
from app.analysis.estimate import Estimate
from app.analysis.report.computed_report import report_of
from app.analysis.report.verdicts import decisive_p
from app.base.numbers import styled, whole
from app.protocol.primary_default import first_question, primary_contrasts
from app.protocol.study import Protocol
from app.stats.sequential import boundaries, nominal_p

# The results of a study that is not blinded are on the same page.
NOT_ADJUSTED = "Intervals and p-values below are not adjusted for looks."


@dataclass(frozen=True, slots=True)
class Look:
    """One declared look. `estimates` are those of the primary contrast, None while the look is not due.

    `bound` is the critical |z|, `threshold` the p-value that it stands for.
    """

    fraction: float
    n_due: int
    bound: float
    threshold: float
    estimates: tuple[Estimate, ...] | None = None

    @property
    def is_due(self) -> bool:
        """Whether enough ratings have come."""
        return self.estimates is not None

    @property
    def is_crossed(self) -> bool:
        """Whether any estimate of the contrast crosses; of several, by p-values adjusted as one family."""
        return any(crosses(one, self.threshold) for one in self.estimates or ())


@dataclass(frozen=True, slots=True)
class Monitored:
    """How far a study is on its plan. `undated` counts ratings without a time: they cannot be put in order."""

    n_ratings: int
    n_planned: int
    n_undated: int
    looks: tuple[Look, ...]

    @property
    def crossed(self) -> Look | None:
        """The first look that crossed."""
        return next((look for look in self.looks if look.is_crossed), None)

    @property
    def next_look(self) -> Look | None:
        """The first look that is not due yet."""
        return next((look for look in self.looks if not look.is_due), None)


def crosses(estimate: Estimate, threshold: float) -> bool:
    """Whether an estimate's p-value, adjusted where it is one of several, is at most the threshold."""
    p = decisive_p(estimate)
    return p is not None and p <= threshold


def monitored(frames: Frames, protocol: Protocol) -> Monitored | None:
    """The state of the plan; None where no looks are declared.

    A look uses the first n answers in the order of their times, with n fixed by the plan: whoever reads it later, or
    again, reads the same, and nothing is told between looks.
    """
    plan = protocol.monitoring
    if not plan.looks or plan.n_ratings is None:
        return None
    times, n_undated = answer_times(frames, protocol)
    bounds = boundaries(plan.looks, alpha=plan.alpha, spending=plan.spending)
    looks: list[Look] = []
    for fraction, n_due, bound in zip(plan.looks, plan.ratings_at_looks, bounds, strict=True):
        look = Look(fraction, n_due, bound, nominal_p(bound))
        is_over = any(earlier.is_crossed for earlier in looks)
        if len(times) >= n_due and not is_over:
            look = replace(look, estimates=_estimates_until(frames, protocol, times.iloc[n_due - 1]))
        looks.append(look)
    return Monitored(len(times), plan.n_ratings, n_undated, tuple(looks))


def answer_times(frames: Frames, protocol: Protocol) -> tuple[pd.Series[pd.Timestamp], int]:
    """When the answers of persons to the primary question were given, in order; and how many have no time."""
    contrast = primary_contrasts(protocol)[0]
    composite = protocol.analysis.composites.get(contrast.question)
    question = composite.questions[0] if composite else contrast.question
    assert first_question(protocol, question) is not None  # noqa: S101 - the protocol was checked
    ratings = frames.ratings
    persons = frames.raters.loc[frames.raters["kind"] != "model", "rater"]
    is_mine = (ratings["question"] == question) & ratings["rater"].isin(persons)
    counted = ratings.loc[is_mine & (ratings["repeat"] == 0) & ratings["exclude"].isna(), "rated_at"]
    return counted.dropna().sort_values(ignore_index=True), int(counted.isna().sum())


def _estimates_until(frames: Frames, protocol: Protocol, last: pd.Timestamp) -> tuple[Estimate, ...]:
    """The primary contrast from all answers up to a time."""
    until = replace(frames, ratings=frames.ratings.loc[frames.ratings["rated_at"] <= last].reset_index(drop=True))
    return report_of(until, protocol, full=False, only_primary=True).primary_estimates


def progress_sentences(state: Monitored, *, is_blinded: bool = False) -> list[str]:
    """What a lead reads while the study runs; `is_blinded` says whether estimates are hidden meanwhile."""
    share = 100 * state.n_ratings / state.n_planned
    said = [f"{whole(state.n_ratings)} of {whole(state.n_planned)} planned ratings ({share:.0f}%)."]
    said += [look_sentence(number, look) for number, look in enumerate(state.looks, 1) if look.is_due]
    if state.crossed is None and (following := state.next_look):
        number = state.looks.index(following) + 1
        said.append(f"Look {number} of {len(state.looks)} is due at {whole(following.n_due)} ratings.")
    said += [] if is_blinded else [NOT_ADJUSTED]
    if state.n_undated:
        said.append(f"{whole(state.n_undated)} ratings have no time and enter no look.")
    return said


def look_sentence(number: int, look: Look) -> str:
    """What one look found: whether the bound was crossed, and nothing else."""
    otherwise = "this was the last look" if look.fraction == 1 else "continue"
    verdict = "crossed: the study can stop" if look.is_crossed else f"not crossed: {otherwise}"
    if not look.estimates:
        verdict = "not tested: the contrast could not be estimated"
    p = styled(f"{look.threshold:.4f}".removeprefix("0"))
    bound = f"the bound |z| = {styled(f'{look.bound:.3f}')} (p = {p})"
    return f"Look {number} ({whole(look.n_due)} ratings): {bound} was {verdict}."
