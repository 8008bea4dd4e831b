"""The evidence about each human rater from frames, and the flags that the report names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from app.analysis.data.frames import Frames
from app.analysis.data.rater_evidence import RaterAnswers, evidence_of
from app.protocol.questions.registry import PreferenceQuestion, ScaledQuestion
from app.protocol.rater_flags import Evidence, Flag, Typing, compared_question, flags_of, side_question
from app.protocol.rating_columns import RATER_EXCLUDED
from app.protocol.study import Protocol
from app.stats.arrays import Ints, sorted_unique

# The questions of one page share their time.
TRIAL = ["rater", "item", "condition", "repeat", "served_at", "active_ms"]
_SHOWN = ("response", "left_response", "right_response")
_TYPED = ["text", "n_keystrokes", "n_pasted", "typing_ms"]
_USED = ["rated_at", "position", "question", "item", *_SHOWN, "turn", "number", "side", "exclude", "repeat"]


def rater_flags(frames: Frames, protocol: Protocol) -> dict[str, tuple[Flag, ...]]:
    """The flags of the human raters who have any, from all answers; none if raters are not known."""
    if protocol.raters.identity != "known":
        return {}
    return flags_of(protocol.checks, frame_evidence(frames, protocol))


def frame_evidence(frames: Frames, protocol: Protocol) -> dict[str, Evidence]:
    """The evidence about each human rater who answered."""
    persons = frames.raters.loc[frames.raters["kind"] != "model", "rater"]
    ratings = frames.ratings[frames.ratings["rater"].isin(persons)]
    names, answers = _answers(frames, ratings, protocol)
    found = evidence_of(names, answers, group=np.ones(len(names), dtype=np.int64))
    checks, typed = scored_checks(frames, protocol), _typed(ratings, protocol)
    n_checks, n_failed = checks["rater"].value_counts(), checks.loc[~checks["is_passed"], "rater"].value_counts()
    return {
        name: one._replace(
            n_checks=int(n_checks.get(name, 0)), n_failed=int(n_failed.get(name, 0)), typing=typed.get(name)
        )
        for name in dict.fromkeys([*found, *n_checks.index[n_checks.index.isin(persons)]])
        for one in [found.get(name, Evidence())]
    }


def scored_checks(frames: Frames, protocol: Protocol) -> pd.DataFrame:
    """One row per attention check or gold trial that was answered: rater, is_passed.

    Comprehension checks are left out because they are repeated until they are passed.
    """
    checks = frames.checks
    if checks is None:
        return pd.DataFrame({"rater": pd.Series(dtype=object), "is_passed": pd.Series(dtype=bool)})
    repeated = [check.key for check in protocol.checks.comprehension]
    return checks.loc[~checks["check"].isin(repeated), ["rater", "is_passed"]].astype({"is_passed": bool})


def trial_times(ratings: pd.DataFrame) -> pd.DataFrame:
    """One row per trial with a known time: rater, active_ms."""
    known = ratings.loc[ratings["active_ms"].notna(), TRIAL].drop_duplicates()
    return known[["rater", "active_ms"]].astype({"active_ms": float})


def _answers(frames: Frames, ratings: pd.DataFrame, protocol: Protocol) -> tuple[list[str], RaterAnswers]:
    """The raters, and their answers in the order in which they were given; on one page in that of their questions."""
    code, index = pd.factorize(ratings["rater"])
    names = [str(name) for name in index]
    responses = pd.Index(frames.responses["response"])
    ordered = (
        ratings[_USED]
        .assign(code=code, place=_places(ratings["response"], responses), turn=ratings["turn"].fillna(-1))
        .sort_values(["code", "rated_at", "position", "question", "item", "place", "turn"], kind="stable")
    )
    points = _points(ordered, compared_question(protocol))
    sides = _sides(ordered, side_question(protocol))
    pairs = _pairs(sides[:0] if compared_question(protocol) else sides, responses)
    placed = ordered.loc[ordered[["rated_at", "position"]].notna().any(axis=1), "code"]
    times = trial_times(ratings)
    return names, RaterAnswers(
        n_ratings=np.bincount(code, minlength=len(names)),
        number=points["number"].to_numpy(np.float64),
        number_of=points["code"].to_numpy(np.int64),
        unit=points["unit"].to_numpy(np.int64),
        is_left=sides["is_left"].to_numpy(bool),
        side_of=sides["code"].to_numpy(np.int64),
        pair=pairs[["lower", "higher"]].to_numpy(np.int64),
        is_lower=pairs["is_lower"].to_numpy(bool),
        pair_of=pairs["code"].to_numpy(np.int64),
        active_ms=times["active_ms"].to_numpy(np.float64),
        time_of=index.get_indexer(pd.Index(times["rater"])),
        n_words=_words_shown(frames, ratings, code, len(names)),
        has_order=np.bincount(placed, minlength=len(names)) > 0,
    )


def _points(ordered: pd.DataFrame, compared: ScaledQuestion | None) -> pd.DataFrame:
    """Return the ratings about an item that are numbers, each with a code of what it is about."""
    points = ordered[ordered["number"].notna() & ordered["item"].notna()]
    is_about = (points["question"] == (compared.key if compared else "")) & _is_compared(points)
    return points.assign(unit=_units(points, is_about))


def _is_compared(answers: pd.DataFrame) -> pd.Series[bool]:
    """Which answers are compared with those of others: no repeats, gold trials, or answers excluded one by one.

    The decision to exclude a rater changes no flag.
    """
    of_rater = answers["exclude"].isna() | answers["exclude"].astype(str).str.startswith(RATER_EXCLUDED)
    return (answers["repeat"] == 0) & of_rater


def _places(names: pd.Series[Any], among: pd.Index[Any]) -> Ints:
    """Return the position of each name; -1 if it is missing or not among them. Each distinct name is looked up once."""
    code, distinct = pd.factorize(names)
    return np.append(among.get_indexer(pd.Index(distinct)), -1)[code]


def _pairs(sides: pd.DataFrame, responses: pd.Index[Any]) -> pd.DataFrame:
    """Return the choices between two known responses, with the places of both and which of them was chosen."""
    chosen = sides[_is_compared(sides)]
    left, right = (_places(chosen[name], responses) for name in _SHOWN[1:])
    both = chosen.assign(
        lower=np.minimum(left, right), higher=np.maximum(left, right), is_lower=chosen["is_left"] == (left < right)
    )
    return both[(left >= 0) & (right >= 0)]


def _sides(ordered: pd.DataFrame, asked: PreferenceQuestion | None) -> pd.DataFrame:
    """Return the choices of a side. A rating of one response of a pair has a side too, which nobody chose."""
    is_choice = ordered["question"] == (asked.key if asked else "")
    chosen = ordered[is_choice & ordered["side"].notna() & ordered["response"].isna()]
    return chosen.assign(is_left=chosen["side"] == "left")


def _units(ratings: pd.DataFrame, is_about: pd.Series[bool]) -> Ints:
    """Return a code from 1 per response, or item where there is none, and turn; 0 if agreement is not about it."""
    response, responses = pd.factorize(ratings["response"])
    thing = np.where(response >= 0, response, len(responses) + pd.factorize(ratings["item"])[0])
    turn, turns = pd.factorize(ratings["turn"])
    code = pd.factorize(thing * len(turns) + turn)[0] + 1
    return np.where(is_about.to_numpy(dtype=bool), code, 0).astype(np.int64)


def _words_shown(frames: Frames, ratings: pd.DataFrame, code: Ints, n_raters: int) -> Ints:
    """Return the number of words of the texts that each rater's trials with a known time showed, each text once."""
    words = frames.words
    if words is None:
        return np.zeros(n_raters, dtype=np.int64)
    is_known = ratings["active_ms"].notna().to_numpy(dtype=bool)
    known, rater = ratings[is_known], code[is_known]
    is_response, n_words = words["response"].notna().to_numpy(dtype=bool), words["n_words"].to_numpy(np.int64)
    seen = []
    for of, columns, is_such in (("response", _SHOWN, is_response), ("item", ("item",), ~is_response)):
        texts = np.flatnonzero(is_such)
        names = pd.Index(words[of].iloc[texts])
        for name in columns:
            place = _places(known[name], names)
            is_text = place >= 0
            seen.append(rater[is_text] * len(words) + texts[place[is_text]])
    shown = sorted_unique(np.concatenate(seen))
    total = np.bincount(shown // len(words), n_words[shown % len(words)], n_raters)
    return total.astype(np.int64)


def _typed(ratings: pd.DataFrame, protocol: Protocol) -> dict[str, Typing]:
    """Return how texts were typed, where the study counts it."""
    counted = [question.key for question in protocol.questions if question.records_typing]
    texts = ratings[ratings["question"].isin(counted) & ratings[_TYPED[:2]].notna().all(axis=1)]
    if not len(texts):
        return {}
    sums = texts.assign(n_characters=texts["text"].str.len()).groupby("rater")
    numbers = sums[["n_characters", *_TYPED[1:]]].sum()
    size = sums.size()
    return {str(name): Typing(int(size[name]), *(int(one) for one in row)) for name, *row in numbers.itertuples()}
