"""A study's data as DataFrames, made by the store and from study folders, and used by the analysis.

items      item, then one column per attribute; in the order of items.csv
responses  response, item, source, attributes, text (one line per turn); in the order of responses.csv
raters     rater, kind, pool, is_simulated, is_imported, then attributes
ratings    RATING_COLUMNS, one row per answer
checks     CHECK_COLUMNS, one row per answered check; None if there are none
arrivals   ARRIVAL_COLUMNS, one row per person who arrived; None if that is not known
passages   PASSAGE_COLUMNS, one row per text or turn that raters can mark; None in a study without highlights
words      WORD_COLUMNS, one row per text; None if the texts are not known
sample     item, its probability to be in the sample that people rate (nan if unknown), and is_out if it was not drawn;
           one row per item; None if people were to rate all items

Missing text is None; missing numbers are nan or NA. IDs are text. Rows are always in canonical order (see
`canonical`), so that the same study always gives exactly the same estimates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from app.analysis.estimate import Estimate
from app.protocol.allocation.human_sample import IN_SAMPLE, OF_SAMPLE, PROBABILITY, STAGE
from app.protocol.rating_columns import FRAME_COLUMNS, Type
from app.stats.result import Procedure

Ints = NDArray[np.int64]


RATING_COLUMNS = tuple(column.name for column in FRAME_COLUMNS)
_DTYPES: dict[Type, Any] = {"whole": "Int64", "number": "float64", "time": "datetime64[us, UTC]"}
CHECK_COLUMNS = ("rater", "check", "is_passed", "happened_at")
# `rater` is None for people who did not consent (state refused) and raters whose answers were deleted (state deleted);
# `condition` is the part that was assigned to the rater, None before that; `version` is that of the study, in which
# the questions `reworded` (keys joined by |) had other words or answers than they have now, None if none had
ARRIVAL_COLUMNS = ("rater", "state", "condition", "version", "reworded")
# `response` is None for the item's own text; `turn` is NA for texts without turns; `length` is in characters
PASSAGE_COLUMNS = ("item", "response", "turn", "length")
# `response` is None for the item's own text
WORD_COLUMNS = ("item", "response", "n_words")
ORDER = ("rater", "item", "question", "response", "turn", "condition", "repeat", "left_response", "right_response")
# sort keys are encoded in 62 bits
_MAX_KEYS = 2**62


@dataclass(frozen=True, slots=True)
class Frames:
    """One study's data; see the module docstring for the columns.

    `n_responses`: the number of responses of each item, in their order, before a filter left out sources.
    """

    items: pd.DataFrame
    responses: pd.DataFrame
    raters: pd.DataFrame
    ratings: pd.DataFrame
    checks: pd.DataFrame | None = None
    arrivals: pd.DataFrame | None = None
    passages: pd.DataFrame | None = None
    words: pd.DataFrame | None = None
    sample: pd.DataFrame | None = None
    n_responses: pd.Series[int] | None = None


def rating_frame(columns: Mapping[str, object], n_rows: int) -> pd.DataFrame:
    """Return ratings with the declared type of each column.

    Args:
        columns: any of RATING_COLUMNS, each of length n_rows, with None or nan for missing values; columns that are not
            given are missing.
        n_rows: the number of answers.

    Returns:
        All of RATING_COLUMNS: text as object, `turn, position, active_ms` Int64, `repeat` int64, `number, strength`
            float64, times as UTC with microseconds.
    """
    # Columns without values share their memory until one of them is changed: of a million ratings, 170 MB.
    missing: dict[str, pd.Series[Any]] = {}

    def typed(name: str, kind: Type) -> pd.Series[Any]:
        cells = columns.get(name)
        if cells is not None or kind == "count":
            return _typed(cells, kind, n_rows)
        stored_as = str(_DTYPES.get(kind, object))
        if stored_as not in missing:
            missing[stored_as] = _typed(None, kind, n_rows)
        return missing[stored_as].copy(deep=False)

    return pd.DataFrame({column.name: typed(column.name, column.type) for column in FRAME_COLUMNS}, copy=False)


def _typed(cells: object, kind: Type, n_rows: int) -> pd.Series[Any]:
    """Return a column with its declared type; all missing, or 0 for a count, if `cells` is None."""
    rows = range(n_rows)
    if kind == "count":
        return pd.Series(0 if cells is None else cells, index=rows, dtype="Int64").fillna(0).astype("int64")
    if kind in _DTYPES:
        typed_cells: pd.Series[Any] = pd.Series(cells, index=rows, dtype=_DTYPES[kind])
        return typed_cells
    text = np.full(n_rows, None) if cells is None else np.array(cells, dtype=object)
    text[pd.isna(text)] = None
    return pd.Series(text, index=rows, dtype=object)


def items_and_sample(items: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Return the items without the columns of the human sample, and these columns as a table, if there are any."""
    if PROBABILITY not in items:
        return items, None
    is_in = items.get(IN_SAMPLE)
    sample = pd.DataFrame(
        {
            "item": items["item"],
            "probability": pd.to_numeric(items[PROBABILITY]).astype("float64"),
            "is_out": False if is_in is None else is_in == "false",
            "stage": 0 if is_in is None else _stage(items).where(is_in == "true", 0),
        }
    )
    return items.drop(columns=[*OF_SAMPLE], errors="ignore"), sample


def _stage(items: pd.DataFrame) -> pd.Series[int]:
    """Return the stage in which each item could have been drawn; 1 where it is not known."""
    stage: pd.Series[Any] = items[STAGE] if STAGE in items else pd.Series("", index=items.index)
    return pd.to_numeric(stage, errors="coerce").fillna(1).astype("int64")


def passage_frame(rows: Iterable[tuple[str, str | None, int | None, int]]) -> pd.DataFrame:
    """Return passages with the type of each column, in canonical order."""
    table = pd.DataFrame([*rows], columns=[*PASSAGE_COLUMNS])
    typed = table.astype({"item": object, "response": object, "turn": "Int64", "length": "int64"})
    return typed.sort_values(["item", "response", "turn"], na_position="first", ignore_index=True)


def word_frame(rows: Iterable[tuple[str, str | None, int]]) -> pd.DataFrame:
    """Return the numbers of words with the type of each column."""
    table = pd.DataFrame([*rows], columns=[*WORD_COLUMNS])
    return table.astype({"item": object, "response": object, "n_words": "int64"})


def canonical(ratings: pd.DataFrame) -> pd.DataFrame:
    """Sort the ratings into the order in which every estimate is computed, because sums of floats depend on it.

    Args:
        ratings: columns RATING_COLUMNS.

    Returns:
        The same rows, sorted by ORDER (stable), with a new index.
    """
    key = np.zeros(len(ratings), dtype=np.int64)
    n_keys = 1
    for name in ORDER:
        code, n = _ordered_codes(ratings[name])
        if n_keys * n >= _MAX_KEYS:
            key, n_keys = _ordered_codes(pd.Series(key))
        key, n_keys = key * n + code, n_keys * n
    # A million ratings are a quarter of a gigabyte, most of it columns that are missing in most studies: neither
    # ratings in order, as from the store, nor columns without values are copied.
    if (key[1:] >= key[:-1]).all():
        return ratings.reset_index(drop=True)
    order, index = np.argsort(key, kind="stable"), pd.RangeIndex(len(key))
    ordered = {
        name: column.set_axis(index) if is_missing(column) else column.take(order).set_axis(index)
        for name, column in ratings.items()
    }
    return pd.DataFrame(ordered, index=index, copy=False)


def _ordered_codes(column: pd.Series[Any]) -> tuple[Ints, int]:
    """Return the place of each value among the distinct values, 0 for missing, and the number of places."""
    if is_missing(column):
        return np.zeros(len(column), dtype=np.int64), 1
    code, values = pd.factorize(column, sort=True)
    return code.astype(np.int64, copy=False) + 1, len(values) + 1


def is_missing(column: pd.Series[Any]) -> bool:
    """Whether all values are missing, as in the columns of questions that a study does not ask: these need no codes."""
    return len(column) > 0 and bool(pd.isna(column.iloc[0])) and bool(column.isna().all())


# Conversations and drafts of raters: each is a text that nobody else has, about one of few items that were chosen.

# The columns of responses that name the rater who wrote it, and the one with whom.
WRITTEN_BY, WRITTEN_WITH = "written_by", "written_with"


def with_own_texts(frames: Frames) -> Frames:
    """Return the frames with each text of a rater as an item of its own, which has the attributes of its item.

    Nobody else rates a rater's text, and its item is the task, which was chosen and not drawn: intervals then
    generalize to new raters with their texts about the same tasks. Answers about an item are about the rater's text.
    What two raters wrote with each other is one item: their answers about it are one cluster.
    """
    responses = frames.responses
    if responses.empty:
        return frames
    items = responses[["response", "item"]].merge(frames.items, on="item").drop(columns="item")
    ratings = frames.ratings
    about = ratings["response"].where(ratings["response"].notna(), None)
    writers = [name for name in (WRITTEN_BY, WRITTEN_WITH) if name in responses]
    if writers:
        texts = responses.melt(["response", "item"], writers, value_name="rater").dropna(subset=["rater"])
        own = texts.drop_duplicates(["rater", "item"], keep=False).set_index(["rater", "item"])["response"]
        pairs = pd.MultiIndex.from_frame(ratings[["rater", "item"]])
        about = about.where(about.notna(), pd.Series(own.reindex(pairs).to_numpy(), index=ratings.index))
    return replace(
        frames,
        items=items.rename(columns={"response": "item"})[list(frames.items.columns)],
        responses=responses.assign(item=responses["response"]),
        ratings=canonical(ratings.assign(item=about.where(about.notna(), None))),
        passages=_of_responses(frames.passages),
        words=_of_responses(frames.words),
    )


def _of_responses(texts: pd.DataFrame | None) -> pd.DataFrame | None:
    """The rows about responses, with each as its own item."""
    if texts is None:
        return None
    own = texts[texts["response"].notna()]
    return own.assign(item=own["response"]).reset_index(drop=True)


# Ratings by unknown raters: a file with, for example, three slots per item that different raters filled.
#
# A slot is not a person. Each combination of item and slot becomes a rater with one item, so that nothing is computed
# across items for one rater; intervals then generalize to new items only.

# The names of procedures by items and raters once each rater has a single item.
OF_ITEMS: dict[Procedure | None, Procedure] = {
    "two_way_cluster_t": "item_cluster_t",
    "two_way_cr2_t": "item_cr2_t",
    "two_way_jackknife_t": "item_jackknife_t",
}


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
    return replace(
        frames, ratings=canonical(frames.ratings.assign(rater=slot)), raters=raters, checks=None, arrivals=None
    )


def for_items_only(estimates: Sequence[Estimate]) -> Iterator[Estimate]:
    """Yield the estimates, those of human raters with intervals for new items only."""
    for estimate in estimates:
        if estimate.scope.get("rater_kind") == "model":
            yield estimate
            continue
        procedure = OF_ITEMS.get(estimate.procedure, estimate.procedure)
        yield replace(
            estimate,
            inference="items" if estimate.inference == "items_and_raters" else estimate.inference,
            method=estimate.method.replace(estimate.procedure or "", procedure or ""),
            procedure=procedure,
            note=estimate.note.replace("new items and raters needs two of each", "new items needs two of them"),
        )
