"""Filters: which answers a report uses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from app.analysis.data.filter_options import FilterOptions
from app.analysis.data.frames import Frames
from app.analysis.data.report_filters import Filters
from app.protocol.labels import Labels
from app.protocol.study import Protocol

Mask = np.ndarray[Any, np.dtype[np.bool_]]


# Apply filters to frames: the available options, and the ratings that remain.

MAX_LEVELS = 12
OWN_COLUMNS = frozenset({"item", "rater", "kind", "pool", "is_simulated"})


def options_of(frames: Frames, protocol: Protocol) -> FilterOptions:
    """Return the filters that a study allows: attributes with a few levels, and only what varies."""
    labels = protocol.labels
    return FilterOptions(
        _several(tuple(protocol.sources), labels.source),
        _several(_levels(frames.ratings["condition"]), labels.condition),
        _several(_levels(frames.raters["pool"]), labels.pool),
        _attributes(frames.items, labels),
        _attributes(frames.raters, labels),
        bool(frames.ratings["rated_at"].notna().any()),
    )


def unknown_values(frames: Frames, protocol: Protocol, filters: Filters) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Each value of the filters that the study does not have: the kind of filter, the value, and those that it has."""
    plain = (
        ("source", filters.sources, tuple(protocol.sources)),
        ("condition", filters.conditions, _levels(frames.ratings["condition"])),
        ("pool", filters.pools, _levels(frames.raters["pool"])),
    )
    for kind, values, known in plain:
        yield from ((kind, value, known) for value in values if value not in known)
    for kind, pairs, table in (("item", filters.items, frames.items), ("rater", filters.raters, frames.raters)):
        for name, value in pairs:
            known = _levels(table[name].astype(object).map(str)) if name in table else ()
            if value not in known:
                has = known or tuple(str(column) for column in table.columns)
                yield kind, f"{name}:{value}", tuple(f"{name}:{level}" for level in has) if known else has


def _several(levels: tuple[str, ...], label: Callable[[str], str]) -> dict[str, str]:
    return {level: label(level) for level in levels} if len(levels) > 1 else {}


def _levels(column: pd.Series[Any]) -> tuple[str, ...]:
    return tuple(sorted(str(value) for value in column.dropna().unique()))


def _attributes(table: pd.DataFrame, labels: Labels) -> dict[str, tuple[str, tuple[str, ...]]]:
    levels = {str(name): _levels(table[name]) for name in table.columns if name not in OWN_COLUMNS}
    return {name: (labels.column(name), values) for name, values in levels.items() if 1 < len(values) <= MAX_LEVELS}


def filtered(frames: Frames, filters: Filters, flagged: Collection[str] = ()) -> Frames:
    """Return the frames with only the ratings that are kept.

    Items and raters stay complete, so that IDs keep their meaning. `flagged`: the raters to leave out if the filters
    say so.
    """
    if not filters:
        return frames
    ratings = frames.ratings
    keep = np.ones(len(ratings), dtype=bool)
    if filters.sources:
        keep &= _of_sources(frames, set(filters.sources))
    if filters.conditions:
        keep &= ratings["condition"].isin(filters.conditions).to_numpy()
    keep &= _of_raters(frames, filters, set(flagged) if filters.without_flagged else set())
    for name, value in filters.items:
        keep &= ratings["item"].isin(_with(frames.items, "item", name, value)).to_numpy()
    if filters.until:
        end = pd.Timestamp(filters.until, tz="UTC") + pd.Timedelta(days=1)
        keep &= (ratings["rated_at"] < end).fillna(value=False).to_numpy(dtype=bool)
    # who left is known of all raters only
    kept = replace(frames, ratings=ratings[keep].reset_index(drop=True), arrivals=None)
    if not filters.sources:
        return kept
    responses = frames.responses[frames.responses["source"].isin(filters.sources)].reset_index(drop=True)
    n_responses = frames.responses["item"].value_counts().reindex(frames.items["item"], fill_value=0)
    return replace(kept, responses=responses, n_responses=n_responses)


def _of_raters(frames: Frames, filters: Filters, flagged: set[str]) -> Mask:
    raters = frames.raters
    keep = np.ones(len(frames.ratings), dtype=bool)
    if filters.pools:
        keep &= frames.ratings["rater"].isin(raters.loc[raters["pool"].isin(filters.pools), "rater"]).to_numpy()
    for name, value in filters.raters:
        keep &= frames.ratings["rater"].isin(_with(raters, "rater", name, value)).to_numpy()
    return keep & ~frames.ratings["rater"].isin(flagged).to_numpy()


def _with(table: pd.DataFrame, ids: str, name: str, value: str) -> pd.Series[Any]:
    """Return the IDs of rows whose attribute has this value; none if the attribute does not exist."""
    if name not in table:
        return table[ids].iloc[:0]
    return table.loc[table[name].astype(object).map(str) == value, ids]


def _of_sources(frames: Frames, sources: set[str]) -> Mask:
    """Keep ratings of responses of these sources, choices between two of them, and answers that name no response.

    A rating of one response counts whichever other response was beside it.
    """
    source = dict(zip(frames.responses["response"], frames.responses["source"], strict=True))
    is_about_one = frames.ratings["response"].notna().to_numpy()
    keep = np.ones(len(frames.ratings), dtype=bool)
    for column in ("response", "chosen", "left_response", "right_response"):
        ids = frames.ratings[column]
        is_kept = (ids.isna() | ids.map(source).isin(sources)).to_numpy()
        keep &= is_kept if column == "response" else is_kept | is_about_one
    return keep
