"""The time that each rater took, checks passed, and raters flagged."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from app.analysis.data.answers import Answers, answers_at
from app.analysis.data.encoded_study import Codes
from app.analysis.data.frame_evidence import scored_checks, trial_times
from app.analysis.data.frames import Frames
from app.analysis.data.question_data import record_of
from app.analysis.data.rater_panel import MAX_RATERS, SECTION
from app.analysis.data.scopes import groups
from app.analysis.estimate import Estimate
from app.analysis.statistic import Statistic, declare
from app.protocol.rater_flags import Flag
from app.protocol.study import Protocol
from app.stats.result import Method, Result, undefined

NO_TIMES = "no times were recorded"
SECOND = 1000
MEDIAN_TIME = "median over trials of the time with the page visible"

declare(
    Statistic("flagged_share", "Share of raters flagged", "share", docs="raters"),
    Statistic("checks_passed_share", "Share of checks passed", "share", docs="raters"),
    Statistic("median_seconds", "Median seconds per trial", "points", docs="raters"),
)


@dataclass(frozen=True)
class RatingSessions:
    """Data about the human raters other than their answers; `flagged` are those with flags, by name."""

    codes: Codes
    frames: Frames
    protocol: Protocol
    flagged: Mapping[str, tuple[Flag, ...]]

    @cached_property
    def trials(self) -> pd.DataFrame:
        """One row per trial with a known time: rater, active_ms."""
        ratings = self.frames.ratings
        return trial_times(ratings[ratings["rater"].isin(self.persons)])

    @cached_property
    def persons(self) -> set[str]:
        """The IDs of the human raters."""
        has_rater = groups(self.codes)[0].has_rater
        return {name for name, is_person in zip(self.codes.raters.ids, has_rater, strict=True) if is_person}

    @cached_property
    def checks(self) -> pd.DataFrame:
        """One row per check of a human rater that counts: rater, is_passed."""
        checks = scored_checks(self.frames, self.protocol)
        return checks[checks["rater"].isin(self.persons)]

    def flagged_among(self, answers: Answers) -> dict[str, str]:
        """The flagged raters with the reasons, of those who gave these answers."""
        names = {self.codes.raters.ids[code] for code in np.unique(answers.rater)}
        return {name: reasons(flags) for name, flags in sorted(self.flagged.items()) if name in names}


def reasons(flags: Iterable[Flag]) -> str:
    """Return the evidence of a rater's flags as a text."""
    return "; ".join(flag.words for flag in flags)


def rating_sessions(known: RatingSessions) -> Iterator[Estimate]:
    """Yield the median time overall and per rater, the share of checks passed, and the share of raters flagged."""
    codes = known.codes
    about_items = np.flatnonzero(codes.rows.item >= 0)
    answers = groups(codes)[0].of(answers_at(codes, "item", about_items, np.zeros(len(about_items))))
    yield from _times(known, answers)
    if len(known.checks):
        yield from _checks(known, answers)
    n = answers.counts["n_raters"]
    if n:
        flagged = known.flagged_among(answers)
        names = ", ".join(f"{name} ({why})" for name, why in flagged.items())
        unchecked = "" if len(known.trials) else f"; {NO_TIMES}, so speed was not checked"
        note = names or f"no rater is flagged{unchecked}"
        share = Result(len(flagged) / n, Method(words="flagged"), n_units=n, note=note)
        yield record_of(None, share, answers, section=SECTION, scope={}, statistic="flagged_share", unit="rater_mean")


def _times(known: RatingSessions, answers: Answers) -> Iterator[Estimate]:
    medians = known.trials.groupby("rater")["active_ms"].median() / SECOND
    size = known.trials["rater"].value_counts()
    method = Method(words=f"{MEDIAN_TIME}, then over raters")
    whole = undefined("no_pairable_units", NO_TIMES, method=method, n_units=0)
    if len(medians):
        whole = Result(float(medians.median()), method, n_units=len(medians))
    yield record_of(None, whole, answers, section=SECTION, scope={}, statistic="median_seconds", unit="rater_mean")
    by_need = sorted(size.index, key=lambda name: name not in known.flagged)  # stable: then by number of trials
    for name in sorted(by_need[:MAX_RATERS]):
        result = Result(float(medians[name]), Method(words=MEDIAN_TIME), n_units=int(size[name]))
        yield _of_rater(known, answers, name, "median_seconds", result)


def _checks(known: RatingSessions, answers: Answers) -> Iterator[Estimate]:
    passed = known.checks.assign(is_passed=known.checks["is_passed"].astype(float)).groupby("rater")["is_passed"]
    method = Method(words="share of attention checks and gold trials")
    for name, share, n in zip(passed.mean().index[:MAX_RATERS], passed.mean(), passed.size(), strict=False):
        result = Result(float(share), method, n_units=int(n))
        yield _of_rater(known, answers, str(name), "checks_passed_share", result)


def _of_rater(known: RatingSessions, answers: Answers, name: str, statistic: str, result: Result) -> Estimate:
    own = answers.select(answers.rater == known.codes.raters.ids.index(name))
    return record_of(None, result, own, section=SECTION, scope={"raters": [name]}, statistic=statistic, unit="item")
