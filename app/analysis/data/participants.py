"""What became of the people who arrived, by arm: the flow of participants of a report.

The arm is the part of the condition that varies between raters, otherwise the pool; a study without either has one arm.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from app.analysis.data.encoded_study import Codes
from app.analysis.data.flow import FINISHED, LEFT, Arm, Flow, arm_of, is_by_condition
from app.analysis.data.frames import Frames
from app.protocol.rating_columns import RATER_EXCLUDED
from app.protocol.study import Protocol
from app.protocol.waves import MARK, SECOND, Wave, wave_of


def flow_of(frames: Frames, codes: Codes, protocol: Protocol) -> Flow | None:
    """What became of everyone who arrived; None if that is not known."""
    table = arrived(frames, protocol)
    if table is None:
        return None
    is_in = table["arm"].notna()
    before = _counted(table.loc[~is_in, "state"])
    arms = table.loc[is_in, "arm"].unique().tolist()
    analyzed = set(np.asarray(codes.raters.ids, dtype=object)[np.unique(codes.rows.rater)])
    excluded = _excluded(frames)
    return Flow(before, tuple(_arm(str(arm), table[table["arm"] == arm], excluded, analyzed) for arm in sorted(arms)))


def _arm(name: str, own: pd.DataFrame, excluded: dict[str, str], analyzed: set[str]) -> Arm:
    is_analyzed = own["rater"].isin(analyzed)
    n_partial = int((is_analyzed & (own["state"] != FINISHED)).sum())
    why = _counted(own["rater"].map(excluded).dropna())
    return Arm(name, _counted(own["state"]), why, int(is_analyzed.sum()), n_partial)


def _counted(column: pd.Series[str]) -> dict[str, int]:
    return {str(value): int(n) for value, n in column.value_counts(sort=False).items()}


def _excluded(frames: Frames) -> dict[str, str]:
    """The reason of each rater who is excluded."""
    marked = frames.ratings.loc[frames.ratings["exclude"].notna(), ["rater", "exclude"]].drop_duplicates("rater")
    of_raters = marked[marked["exclude"].astype(str).str.startswith(RATER_EXCLUDED)]
    return dict(zip(of_raters["rater"], of_raters["exclude"].str.removeprefix(RATER_EXCLUDED), strict=True))


def arrived(frames: Frames, protocol: Protocol) -> pd.DataFrame | None:
    """The arrivals with their `arm`, None for people without one; None if it is not known who arrived."""
    found = frames.arrivals
    if found is None:
        return None
    is_assigned = (found["rater"].notna() & ~found["state"].isin(["screened_out", "full"])).to_numpy()
    if is_by_condition(protocol):
        conditions = (None if pd.isna(one) else str(one) for one in found["condition"])
        arm = np.array([one and arm_of(one, protocol) for one in conditions], dtype=object)
        is_assigned = is_assigned & (arm != None)  # noqa: E711 - each of an array
    else:
        with_pool = frames.raters[frames.raters["pool"].notna()]
        pools = dict(zip(with_pool["rater"], with_pool["pool"], strict=True))
        arm = np.array([pools.get(rater, "") for rater in found["rater"]], dtype=object)
        is_assigned = is_assigned & (found["state"] != "arrived").to_numpy()
    arm[~is_assigned] = None
    return found.assign(arm=arm)


def ended_raters(frames: Frames, protocol: Protocol) -> pd.DataFrame | None:
    """The raters of whom it is known whether they reach the end: rater, arm, `is_finished`; None without any."""
    table = arrived(frames, protocol)
    if table is None:
        return None
    here = table[table["arm"].notna() & table["state"].isin([FINISHED, *LEFT])]
    if not len(here):
        return None
    return here.assign(is_finished=here["state"] == FINISHED)[["rater", "arm", "is_finished"]].reset_index(drop=True)


def came_back(frames: Frames, ended: pd.DataFrame, waves: Sequence[Wave], number: int) -> pd.DataFrame:
    """The ended raters for whom a later wave has opened; `is_finished` says whether they answered it.

    A wave has opened for a rater if its first day, counted from their last answer of the first wave, is not later than
    the last answer of the study. Raters without a known time count once it has opened for somebody.
    """
    answers = frames.ratings[frames.ratings["rater"].isin(ended["rater"])]
    mark = f"{MARK}{number}"
    is_later = answers["question"].map(lambda key: wave_of(key, waves) > 1).astype(bool)
    counts = answers["exclude"].isna() | answers["exclude"].astype(str).str.startswith(RATER_EXCLUDED)
    is_here = answers["question"].str.endswith(mark) & counts
    done = answers[~is_later].groupby("rater")["rated_at"].max().reindex(ended["rater"])
    opens = done + pd.Timedelta(days=waves[number - SECOND].opens)
    is_open = (opens.dt.normalize() <= answers["rated_at"].max()).to_numpy(dtype=bool)
    is_back = ended["rater"].isin(answers.loc[is_here, "rater"]).to_numpy(dtype=bool)
    is_due = is_open | is_back
    if is_due.any() or answers["rated_at"].isna().all():
        is_due = is_due | done.isna().to_numpy(dtype=bool)
    known: pd.DataFrame = ended.assign(is_finished=is_back)[is_due].reset_index(drop=True)
    return known
