"""Ratings whose raters are not known: a file with three slots per item, filled by whoever was there.

A slot is no person. Each item and slot becomes a rater with one item, so that nothing is computed across items for one
rater; what an interval generalizes to is then new items only.
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

# of every method that looks through items and raters, such as two_way_cluster_t
TWO_WAY, BY_ITEM = "two_way_", "item_"


def with_slots(frames: Frames) -> Frames:
    """The frames with a rater for each item and slot of the persons; model judges are known and stay as they are."""
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
    # the order in which sums are taken is that of a folder whose raters are named so
    return replace(frames, ratings=canonical(frames.ratings.assign(rater=slot)), raters=raters, checks=None)


def for_items_only(estimates: Sequence[Estimate]) -> Iterator[Estimate]:
    """The estimates of persons with intervals for new items: nothing can be said about new raters."""
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
