"""Which answers are missing in the trials that were rated: what was asked and has no answer, by arm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from app.analysis.data.encoded_study import Codes, Ints, codes_of
from app.analysis.data.flow import arm_of, is_by_condition
from app.analysis.data.frames import Frames
from app.protocol.questions.question import Measure, Target
from app.protocol.questions.registry import Question
from app.protocol.study import Protocol

# Questions that may well be left unanswered.
OPEN: frozenset[Measure] = frozenset({"text", "passages"})
# more than any dialogue has
MANY_TURNS = 2**16


def missing_answers(frames: Frames, codes: Codes, protocol: Protocol) -> dict[str, tuple[int, int]]:
    """The numbers of missing and of expected answers by arm; `codes` are the codes of the frames without repeats.

    A rater who answered one of the questions of a trial was asked all of them. What has a single question is not
    counted, because nothing says where its answer is missing. Excluded answers are not missing.
    """
    arm, names = _arms(codes, protocol)
    excluded = _excluded(frames, protocol)
    counts = np.zeros((2, len(names)), dtype=np.int64)
    for asked in _asked_together(protocol):
        trials = _rows_of(codes, asked)
        for rated in dict.fromkeys(question.rated for question in asked):
            mine = [question for question in asked if question.rated == rated]
            things, rows = _asked_about(codes, rated, _rows_of(codes, mine), trials, asked)
            left_out = _things(excluded, rated, _rows_of(excluded, mine))
            left_out = left_out[np.isin(left_out, things)]
            given = np.concatenate([_rows_of(codes, mine), rows[np.searchsorted(things, left_out)]])
            expected = len(mine) * np.bincount(arm[rows], minlength=len(names))
            counts += (expected - np.bincount(arm[given], minlength=len(names)), expected)
    return {name: (int(n), int(of)) for name, n, of in zip(names, *counts, strict=True) if of}


def _asked_together(protocol: Protocol) -> Iterator[list[Question]]:
    """Several questions that every rater is asked in the same trial, or about the same turn."""
    always = [
        question
        for question in protocol.questions
        if question.show_if is None
        and question.condition is None
        and question.key not in protocol.flow.revisit
        and question.measure not in OPEN
        and question.rated != "rater"
    ]
    trials = [question for question in always if question.rated != "turn"]
    of_turns = [question for question in always if question.rated == "turn"]
    turns = [[question for question in of_turns if question.turns == one] for one in ("all", "own", "partner")]
    yield from (asked for asked in (trials, *turns) if len(asked) > 1)


def _excluded(frames: Frames, protocol: Protocol) -> Codes:
    """The codes of the answers that are excluded from estimates, as if they were not."""
    ratings = frames.ratings[frames.ratings["exclude"].notna()]
    return codes_of(replace(frames, ratings=ratings.assign(exclude=None)), protocol)


def _rows_of(codes: Codes, asked: Sequence[Question]) -> Ints:
    return np.concatenate([codes.rows_of(question.key) for question in asked])


def _asked_about(codes: Codes, rated: Target, own: Ints, trials: Ints, asked: Sequence[Question]) -> tuple[Ints, Ints]:
    """What raters were asked about, in order, and for each a row of the trial.

    Args:
        codes: the study.
        rated: what the questions are about.
        own: the rows with answers to these questions.
        trials: the rows with answers to any question of the same trials.
        asked: all questions of these trials.
    """
    found = [(_things(codes, rated, own), own)]
    if rated == "item":
        found.append((_things(codes, rated, trials), trials))
    if rated in {"pair", "response"}:
        rows, pairs = _in_pairs(codes, trials, asked)
        if rated == "pair":
            found.append((_pair_things(codes, rows, pairs), rows))
        else:
            found += [(_response_things(codes, rows, side), rows) for side in pairs]
    things, first = np.unique(np.concatenate([one for one, _ in found]), return_index=True)
    return things, np.concatenate([rows for _, rows in found])[first]


def _things(codes: Codes, rated: Target, rows: Ints) -> Ints:
    """A number for the rater of each answer and what it is about, the same for the same."""
    of = codes.rows
    if rated == "item":
        return of.rater[rows] * codes.responses.n_items + of.item[rows]
    if rated == "pair":
        return _pair_things(codes, rows, _pairs(codes, rows, has_choices=True))
    things = _response_things(codes, rows, of.response[rows])
    if rated != "turn":
        return things
    return things * MANY_TURNS + np.nan_to_num(of.turn[rows]).astype(np.int64)


def _response_things(codes: Codes, rows: Ints, response: Ints) -> Ints:
    """Texts that are no response are the item's own."""
    n = len(codes.responses.item)
    thing = np.where(response >= 0, response, n + codes.rows.item[rows])
    return np.asarray(codes.rows.rater[rows] * (n + codes.responses.n_items) + thing)


def _pair_things(codes: Codes, rows: Ints, pairs: Ints) -> Ints:
    n = len(codes.responses.item) + 1
    return np.asarray((codes.rows.rater[rows] * n + pairs.min(axis=0) + 1) * n + pairs.max(axis=0) + 1)


def _in_pairs(codes: Codes, trials: Ints, asked: Sequence[Question]) -> tuple[Ints, Ints]:
    """The rows of trials with two responses in use, and these."""
    pairs = _pairs(codes, trials, has_choices=any(question.rated == "pair" for question in asked))
    is_known = (pairs >= 0).all(axis=0)
    return trials[is_known], pairs[:, is_known]


def _pairs(codes: Codes, rows: Ints, *, has_choices: bool) -> Ints:
    """The two responses shown with each answer, -1 where there are none.

    In a study of choices, an answer without sides, as from a file, is about the two responses of its item.
    """
    pairs = np.stack([codes.rows.left[rows], codes.rows.right[rows]])
    if not has_choices:
        return pairs
    has_no_sides = codes.kept[["left_response", "right_response"]].isna().all(axis=1).to_numpy()[rows]
    return np.where(has_no_sides, np.stack(codes.responses.two)[:, codes.rows.item[rows]], pairs)


def _arms(codes: Codes, protocol: Protocol) -> tuple[Ints, list[str]]:
    """The arm of each answer, and the names of the arms."""
    if is_by_condition(protocol):
        cell, cells = pd.factorize(codes.kept["condition"].fillna("").astype(str))
        named = [arm_of(text, protocol) for text in cells]
        arms = list(dict.fromkeys(named))
        return np.array([arms.index(name) for name in named], dtype=np.int64)[cell], arms
    pools = [*codes.raters.pools, ""]
    return codes.raters.pool[codes.rows.rater] % len(pools), pools
