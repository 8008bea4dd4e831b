"""The time that each rater took, checks passed, and raters flagged by the rule that the protocol declares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from app.analysis.data.questions.answers import answers_at
from app.analysis.data.questions.question_data import record_of
from app.analysis.data.questions.rater_panel import MAX_RATERS, SECTION
from app.analysis.data.questions.scopes import groups
from app.design.protocol.parts.checks import is_flagged, too_fast
from app.stats.core.result import Result, undefined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.data.encoded_study import Codes
    from app.analysis.data.frames import Frames
    from app.analysis.data.questions.answers import Answers
    from app.analysis.estimate import Estimate
    from app.design.protocol.study import Protocol

TRIAL = ["rater", "item", "condition", "repeat", "served_at", "active_ms"]
NO_TIMES = "no times were recorded"
SECOND = 1000
MEDIAN_TIME = "median over trials of the time with the page visible"


@dataclass(frozen=True)
class RatingSessions:
    """Data about the human raters other than their answers."""

    codes: Codes
    frames: Frames
    protocol: Protocol

    @cached_property
    def trials(self) -> pd.DataFrame:
        """One row per trial with a known time: rater, active_ms. The questions of one page share their time."""
        ratings = self.frames.ratings
        known = ratings.loc[ratings["active_ms"].notna(), TRIAL].drop_duplicates()
        return known.loc[known["rater"].isin(self.persons), ["rater", "active_ms"]].astype({"active_ms": float})

    @cached_property
    def persons(self) -> set[str]:
        """The IDs of the human raters."""
        has_rater = groups(self.codes)[0].has_rater
        return {name for name, is_person in zip(self.codes.raters.ids, has_rater, strict=True) if is_person}

    @cached_property
    def checks(self) -> pd.DataFrame:
        """One row per check that a human rater answered: rater, is_passed.

        Comprehension checks are left out because they are repeated until they are passed.
        """
        checks = self.frames.checks
        if checks is None:
            return pd.DataFrame({"rater": [], "is_passed": []})
        asked_again = [check.key for check in self.protocol.checks.comprehension]
        kept = checks["rater"].isin(self.persons) & ~checks["check"].isin(asked_again)
        return checks.loc[kept, ["rater", "is_passed"]]

    @cached_property
    def flagged(self) -> dict[str, str]:
        """Each flagged human rater with the reason: failed checks, or a total time far below that of the others."""
        rule = self.protocol.checks
        failed = self.checks.loc[~self.checks["is_passed"].astype(bool), "rater"].value_counts()
        found = {str(name): f"{n} checks failed" for name, n in failed.items() if is_flagged(rule, int(n))}
        for name in sorted(too_fast(rule, self._whole_times())):
            found[name] = f"{found[name]}, too fast" if name in found else "too fast"
        return found

    def _whole_times(self) -> dict[str, float]:
        """Return milliseconds by rater, for raters with at least the designed (or median) number of trials."""
        by_rater = self.trials.groupby("rater")["active_ms"].agg(["sum", "size"])
        if not len(by_rater):
            return {}
        full = self.protocol.design.trials_per_rater or float(by_rater["size"].median())
        done = by_rater.loc[by_rater["size"] >= full, "sum"]
        return {str(name): float(time) for name, time in done.items()}


def rating_sessions(known: RatingSessions) -> Iterator[Estimate]:
    """Yield the median time overall and per rater, the share of checks passed, and the share of raters flagged."""
    codes = known.codes
    about_items = np.flatnonzero(codes.rows.item >= 0)
    answers = groups(codes)[0].of(answers_at(codes, "item", about_items, np.zeros(len(about_items))))
    yield from _times(known, answers)
    if len(known.checks):
        yield from _checks(known, answers)
    n = answers.counts["n_raters"]
    if n and (len(known.trials) or len(known.checks)):
        names = ", ".join(f"{name} ({why})" for name, why in known.flagged.items())
        share = Result(len(known.flagged) / n, "flagged", n_units=n, note=names or "no rater is flagged")
        yield record_of(None, share, answers, section=SECTION, scope={}, statistic="flagged_share", unit="rater_mean")


def _times(known: RatingSessions, answers: Answers) -> Iterator[Estimate]:
    medians = known.trials.groupby("rater")["active_ms"].median() / SECOND
    size = known.trials["rater"].value_counts()
    method = f"{MEDIAN_TIME}, then over raters"
    whole = undefined("no_pairable_units", NO_TIMES, method=method, n_units=0)
    if len(medians):
        whole = Result(float(medians.median()), method, n_units=len(medians))
    yield record_of(None, whole, answers, section=SECTION, scope={}, statistic="median_seconds", unit="rater_mean")
    by_need = sorted(size.index, key=lambda name: name not in known.flagged)  # stable: then by number of trials
    for name in sorted(by_need[:MAX_RATERS]):
        result = Result(float(medians[name]), MEDIAN_TIME, n_units=int(size[name]))
        yield _of_rater(known, answers, name, "median_seconds", result)


def _checks(known: RatingSessions, answers: Answers) -> Iterator[Estimate]:
    passed = known.checks.assign(is_passed=known.checks["is_passed"].astype(float)).groupby("rater")["is_passed"]
    method = "share of attention checks and gold trials"
    for name, share, n in zip(passed.mean().index[:MAX_RATERS], passed.mean(), passed.size(), strict=False):
        result = Result(float(share), method, n_units=int(n))
        yield _of_rater(known, answers, str(name), "checks_passed_share", result)


def _of_rater(known: RatingSessions, answers: Answers, name: str, statistic: str, result: Result) -> Estimate:
    own = answers.select(answers.rater == known.codes.raters.ids.index(name))
    return record_of(None, result, own, section=SECTION, scope={"raters": [name]}, statistic=statistic, unit="item")
