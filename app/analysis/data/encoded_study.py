"""Frames encoded as integers: every ID is looked up once, and all sections of the report share the result.

A code is the position of an ID in its table; -1 means none. Only answers that enter estimates are included: rows with
`exclude` are left out of every estimate, and planned repeats (`repeat` above 0) are used for intra-rater estimates
only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from app.analysis.data.frames import WRITTEN_BY, WRITTEN_WITH, Frames, is_missing
from app.analysis.data.series import later_runs
from app.protocol.rating_columns import OUTCOMES
from app.protocol.study import Protocol

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
TWO = 2


@dataclass(frozen=True, eq=False)
class Raters:
    """The raters in the order of the table. If not `are_known`, each human rater is a slot of one item.

    `declared_pools` are those that a primary contrast names. `counts_as` is the first rater of kind model with the same
    `model` in raters.csv, as runs of one model are; each other rater counts as itself. `prompt`: the name of the prompt
    with which a model was asked, empty for none. `cluster`: raters who wrote with each other, also by way of others,
    have the number of the first of them; each other rater has their own.
    """

    ids: tuple[str, ...]
    is_model: Bools
    pool: Ints
    pools: tuple[str, ...]
    counts_as: Ints
    prompt: tuple[str, ...]
    cluster: Ints
    are_known: bool = True
    declared_pools: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Responses:
    """The responses: item, source and position among the responses of the item, from 0.

    `responder` is the code of the author within a source, if the protocol names the column. `text` is the complete
    text, None if the texts are not available. `n_before` are the responses of each item before a filter left out
    sources, None without one; it is no array, so that the hash of the data does not depend on it.
    """

    item: Ints
    source: Ints
    place: Ints

    n_items: int
    text: pd.Series[str] | None = None
    responder: Ints | None = None
    n_before: pd.Series[int] | None = None

    @cached_property
    def doublings(self) -> Floats:
        """Length of each text: the log to base 2 of its number of characters, nan without text."""
        if self.text is None:
            return np.full(len(self.item), np.nan)
        size = self.text.str.len().to_numpy(dtype=np.float64)
        return np.log2(size, out=np.full(len(size), np.nan), where=size > 0)

    @cached_property
    def two(self) -> tuple[Ints, Ints]:
        """The two responses of each item, indexed by the item's code; -1 if it has fewer or more than two."""
        has_two = np.bincount(self.item, minlength=self.n_items) == TWO
        if self.n_before is not None:
            has_two &= (self.n_before == TWO).to_numpy()
        both = np.full((2, self.n_items), -1)
        for place in (0, 1):
            at = np.flatnonzero(self.place == place)
            both[place, self.item[at]] = at
        return np.where(has_two, both[0], -1), np.where(has_two, both[1], -1)


@dataclass(frozen=True, eq=False)
class Rows:
    """The answers that enter estimates, one entry per answer: codes, and the value if it is a number."""

    question: Ints
    rater: Ints
    item: Ints
    response: Ints
    turn: Floats
    number: Floats
    outcome: Ints
    chosen: Ints
    left: Ints
    right: Ints
    strength: Floats


@dataclass(frozen=True, eq=False)
class Sample:
    """How items were drawn for people to rate, by the code of the item.

    `probability` is nan where it is not known; `is_out` marks the items that were not drawn.
    """

    probability: Floats
    is_out: Bools


@dataclass(frozen=True, eq=False)
class Codes:
    """One study as codes.

    The tables are kept for less common needs; `kept` contains the ratings of `rows`. `n_repeats`: those of people; the
    showings of a judge are averaged.
    """

    sources: tuple[str, ...]
    questions: tuple[str, ...]
    raters: Raters
    responses: Responses
    rows: Rows
    n_excluded: int
    n_repeats: int
    kept: pd.DataFrame
    items: pd.DataFrame
    rater_table: pd.DataFrame
    sample: Sample | None = None

    def rows_of(self, question: str) -> Ints:
        """Return the positions in `rows` of the answers to this question."""
        return np.flatnonzero(self.rows.question == self.questions.index(question))


def codes_of(frames: Frames, protocol: Protocol, *, with_repeats: bool = False, with_later: bool = False) -> Codes:
    """Encode the frames of a study. Sources and questions follow the protocol's order, all else the tables' order.

    `with_repeats` keeps the planned repeats among the rows, for estimates of intra-rater agreement; `with_later` keeps
    the answers of judges that were asked again on a later day, which only measure how a judge changes.
    """
    sources = _with_others(tuple(protocol.sources), frames.responses["source"])
    items, ids = frames.items["item"], frames.responses["response"]
    responses = _responses(frames, sources, protocol.analysis.responder)
    ratings = frames.ratings
    repeat = _numbers(ratings["repeat"])
    is_repeat, is_excluded = np.nan_to_num(repeat) > 0, ratings["exclude"].notna().to_numpy()
    is_out = is_excluded if with_repeats else is_repeat | is_excluded
    if not with_later and (later := later_runs(frames.raters)):
        is_out = is_out | ratings["rater"].isin(later).to_numpy()
    kept = ratings[~is_out] if is_out.any() else ratings
    declared = frozenset(one.pool for one in protocol.analysis.primary if one.pool)
    are_known = protocol.raters.identity == "known"
    raters = replace(_raters(frames), are_known=are_known, declared_pools=declared)
    questions = tuple(question.key for question in protocol.questions)
    rows = Rows(
        question=_look_up(questions, kept["question"]),
        rater=_look_up(raters.ids, kept["rater"]),
        item=_look_up(items, kept["item"]),
        response=_look_up(ids, kept["response"]),
        turn=_numbers(kept["turn"]),
        number=_numbers(kept["number"]),
        outcome=_look_up(OUTCOMES, kept["outcome"]),
        chosen=_look_up(ids, kept["chosen"]),
        left=_look_up(ids, kept["left_response"]),
        right=_look_up(ids, kept["right_response"]),
        strength=_numbers(kept["strength"]),
    )
    repeating = ratings["rater"][is_repeat & ~is_excluded]
    models = [one for one, is_model in zip(raters.ids, raters.is_model, strict=True) if is_model]
    return Codes(
        sources,
        questions,
        raters,
        responses,
        rows,
        n_excluded=int(is_excluded.sum()),
        n_repeats=int((~repeating.isin(models)).sum()),
        kept=kept,
        items=frames.items,
        rater_table=frames.raters,
        sample=_sample(frames),
    )


def _sample(frames: Frames) -> Sample | None:
    if frames.sample is None:
        return None
    of_items = frames.sample.set_index("item").loc[frames.items["item"]]
    return Sample(of_items["probability"].to_numpy(), of_items["is_out"].to_numpy(dtype=bool))


def _with_others(declared: tuple[str, ...], found: pd.Series[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*declared, *found.dropna().unique()]))


def _responses(frames: Frames, sources: tuple[str, ...], responder: str | None) -> Responses:
    table = frames.responses
    item = _look_up(frames.items["item"], table["item"])
    order = np.argsort(item, kind="stable")
    first = np.searchsorted(item[order], item[order])
    place = np.empty(len(item), dtype=np.int64)
    place[order] = np.arange(len(item)) - first
    writers = pd.factorize(table[responder])[0].astype(np.int64) if responder in table else None
    source, text = _look_up(sources, table["source"]), table.get("text")
    return Responses(item, source, place, len(frames.items), text, writers, frames.n_responses)


def _raters(frames: Frames) -> Raters:
    table = frames.raters
    pool, pools = pd.factorize(table["pool"])
    is_model = (table["kind"] == "model").to_numpy(dtype=bool)
    names = tuple(str(name) for name in pools)
    prompts = table["prompt"].where(is_model).fillna("").astype(str) if "prompt" in table else [""] * len(table)
    counts_as = _counts_as(table, is_model)
    cluster = _clusters(table["rater"], frames.responses)
    return Raters(tuple(table["rater"]), is_model, pool.astype(np.int64), names, counts_as, tuple(prompts), cluster)


def _clusters(raters: pd.Series[str], responses: pd.DataFrame) -> Ints:
    own = np.arange(len(raters), dtype=np.int64)
    if WRITTEN_WITH not in responses:
        return own
    one, other = (_look_up(raters, responses[name]) for name in (WRITTEN_BY, WRITTEN_WITH))
    both = (one >= 0) & (other >= 0)
    links = coo_array((np.ones(int(both.sum())), (one[both], other[both])), shape=(len(own), len(own)))
    _, first, of = np.unique(connected_components(links)[1], return_index=True, return_inverse=True)
    return first.astype(np.int64)[of]


def _counts_as(table: pd.DataFrame, is_model: Bools) -> Ints:
    own = np.arange(len(table), dtype=np.int64)
    if "model" in table:
        runs = np.flatnonzero(is_model & table["model"].notna().to_numpy())
        _, first, of = np.unique(table["model"].to_numpy()[runs].astype(str), return_index=True, return_inverse=True)
        own[runs] = runs[first][of]
    return own


def _look_up(ids: pd.Series[str] | tuple[str, ...], values: pd.Series[str]) -> Ints:
    """Return the position of each value among the IDs, which are unique; -1 if missing or not an ID."""
    if is_missing(values):
        return np.broadcast_to(np.int64(-1), len(values))
    known = np.asarray(ids, dtype=object)
    number = pd.factorize(np.concatenate([known, np.asarray(values, dtype=object)]))[0][len(known) :]
    number[number >= len(known)] = -1
    return number.astype(np.int64, copy=False)


def _numbers(column: pd.Series[float]) -> Floats:
    if is_missing(column):
        return np.broadcast_to(np.nan, len(column))
    return pd.to_numeric(column).to_numpy(dtype=np.float64, na_value=np.nan)
