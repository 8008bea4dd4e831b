"""Ratings by unknown raters: a file with, for example, three slots per item that different raters filled.

A slot is not a person. Each combination of item and slot becomes a rater with one item, so that nothing is computed
across items for one rater; intervals then generalize to new items only.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from app.analysis.data.frames import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.analysis.data.frames import Frames
    from app.analysis.estimate import Estimate

# Prefixes of methods that use both items and raters, such as two_way_cluster_t.
TWO_WAY, BY_ITEM = "two_way_", "item_"


def with_slots(frames: Frames) -> Frames:
    """Return the frames with one rater per item and slot of the human raters; model judges are known and unchanged."""
    kind = frames.raters.set_index("rater")["kind"]
    is_person = (frames.ratings["rater"].map(kind) != "model") & frames.ratings["item"].notna()
    cells = frames.ratings.loc[is_person, ["rater", "item"]].drop_duplicates()
    if not cells["rater"].duplicated().any():
        return frames
    slot = frames.ratings["rater"].where(~is_person, frames.ratings["item"] + "/" + frames.ratings["rater"])
    slots = cells.assign(slot=cells["item"] + "/" + cells["rater"])
    persons = slots.merge(frames.raters, on="rater").drop(columns=["rater", "item"]).rename(columns={"slot": "rater"})
    others = frames.raters[frames.raters["rater"].isin(slot) & ~frames.raters["rater"].isin(persons["rater"])]
    raters = pd.concat([persons, others], ignore_index=True)[list(frames.raters.columns)]
    # Sums are taken in the same order as for a folder whose raters have these names.
    return replace(frames, ratings=canonical(frames.ratings.assign(rater=slot)), raters=raters, checks=None)


def for_items_only(estimates: Sequence[Estimate]) -> Iterator[Estimate]:
    """Yield the estimates, those of human raters with intervals for new items only."""
    for estimate in estimates:
        if estimate.scope.get("rater_kind") == "model":
            yield estimate
            continue
        yield replace(
            estimate,
            inference="items" if estimate.inference == "items_and_raters" else estimate.inference,
            method=estimate.method.replace(TWO_WAY, BY_ITEM),
            note=estimate.note.replace("new items and raters needs two of each", "new items needs two of them"),
        )
