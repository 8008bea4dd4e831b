"""What became of the people who arrived, by arm: the flow of participants of a report.

The arm is the part of the condition that varies between raters, otherwise the pool; a study without either has one arm.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from app.analysis.data.encoded_study import Codes
from app.analysis.data.flow import FINISHED, LEFT, Arm, Flow, arm_of, is_by_condition
from app.analysis.data.frames import Frames
from app.protocol.rating_columns import RATER_EXCLUDED
from app.protocol.study import Protocol


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
