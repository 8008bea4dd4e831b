"""What a report rests on: counts of items, responses, raters and answers, and the days of the answers."""

from dataclasses import replace
from datetime import date

import pandas as pd

from app.analysis import analyze
from app.analysis.data.encoded_study import codes_of
from app.analysis.data.filters import filtered
from app.analysis.data.report_filters import Filters
from app.analysis.report.report import RaterGroup, Sample
from app.analysis.report.sample import sample_of
from app.protocol.study import Protocol
from tests.kit.frames import CHOICE, FIVE, TWO_SOURCES, Row, find, frames, protocol

STUDY = protocol(FIVE, CHOICE)


def _row(rater: str, item: str, question: str, value: object, **more: object) -> Row:
    response = f"{item}:human" if question == "empathy" else None
    return {"rater": rater, "item": item, "response": response, "question": question, "value": value, **more}


def _sample(*rows: Row, times: list[str | None] | None = None) -> Sample:
    raters = [{"rater": "r0", "kind": "person"}, {"rater": "r1", "kind": "model"}, {"rater": "r2", "kind": "person"}]
    data = frames(STUDY, rows, items=[{"item": "i0"}, {"item": "i1"}, {"item": "i2"}], raters=raters)
    if times is not None:
        rated_at = pd.Series(pd.to_datetime(pd.Series(times), utc=True))
        data = replace(data, ratings=data.ratings.assign(rated_at=rated_at))
    return sample_of(data, codes_of(data, STUDY), STUDY, {})


def test_answers_in_use_are_counted_and_excluded_ones_by_reason() -> None:
    found = _sample(
        _row("r0", "i1", "preference", "human"),
        _row("r0", "i1", "empathy", 4),
        _row("r1", "i0", "empathy", 3),
        _row("r2", "i2", "empathy", 3, exclude="too fast"),
    )
    assert found.n_items == 2
    assert found.n_responses == {"human": 2, "model": 2}
    assert found.raters == (RaterGroup("person", None, 1), RaterGroup("model", None, 1))
    assert found.n_raters == 2
    assert found.n_answers == {"empathy": 2, "preference": 1}
    assert found.excluded == {"too fast": 1}


def test_repeats_are_counted_apart() -> None:
    found = _sample(_row("r0", "i0", "empathy", 4), _row("r0", "i0", "empathy", 5, repeat=1))
    assert (found.n_answers, found.n_repeats, found.excluded) == ({"empathy": 1}, 1, {})


def test_days_are_those_of_the_first_and_last_answer() -> None:
    rows = [_row("r0", item, "empathy", 4) for item in ("i0", "i1", "i2")]
    found = _sample(*rows, times=["2026-03-02T23:00Z", None, "2026-02-01T01:00Z"])
    assert (found.first_day, found.last_day) == (date(2026, 2, 1), date(2026, 3, 2))
    assert _sample(*rows).first_day is None


def test_a_study_without_answers_has_an_empty_sample() -> None:
    found = analyze(frames(STUDY, []), STUDY).sample
    assert (found.n_items, found.n_responses, found.raters, found.n_answers) == (0, {}, (), {})
    assert (found.first_day, found.last_day) == (None, None)


def test_missing_answers_are_counted_by_condition_between_raters_else_by_pool() -> None:
    warmth = {**FIVE, "key": "warmth"}
    told = {"told": {"kind": "instruction", "levels": {"a": "A", "b": "B"}}}
    rows = [
        _row(rater, "i0", key, 4, condition=f"told={told}")
        for rater, told, keys in (("r0", "a", ("empathy", "warmth")), ("r2", "b", ("empathy",)))
        for key in keys
    ]
    rows = [{**row, "response": "i0:human"} for row in rows]
    raters: list[Row] = [
        {"rater": "r0", "kind": "person", "pool": "crowd"},
        {"rater": "r2", "kind": "person", "pool": None},
    ]
    for parts, expected in (
        ({"conditions": told}, {"told=a": (0, 2), "told=b": (1, 2)}),
        ({}, {"crowd": (0, 2), "": (1, 2)}),
    ):
        study = protocol(FIVE, warmth, **parts)
        data = frames(study, rows, items=[{"item": "i0"}], raters=raters)
        assert sample_of(data, codes_of(data, study), study, {}).missing == expected


ROLES = {"a": {"label": "A"}, "b": {"label": "B"}}
TALK: Row = {
    "design": {"trials": "conversation", "raters_per_trial": 2},
    "conversation": {"partners": {"human": {"replies": "person", "roles": ROLES}}},
}
SIDES = {"left_response": "i0:human", "right_response": "i0:model"}


def _missing(study: Protocol, *rows: Row, filters: Filters | None = None) -> dict[str, tuple[int, int]]:
    data = frames(study, rows, items=[{"item": "i0"}, {"item": "i1"}])
    data = filtered(data, filters or Filters())
    return sample_of(data, codes_of(data, study), study, {}).missing


def test_a_pair_whose_responses_were_rated_lacks_its_choice() -> None:
    rated = [
        {**_row("r0", "i0", "empathy", 4), "response": f"i0:{source}", **sides}
        for sides in (SIDES, {})
        for source in ("human", "model")
    ]
    for shown in (rated[:2], rated[2:]):
        assert _missing(STUDY, *shown) == {"": (1, 3)}
        chosen = {**_row("r0", "i0", "preference", "human"), **SIDES}
        assert _missing(STUDY, *shown, chosen) == {"": (0, 3)}
        chosen = _row("r0", "i0", "preference", "human")
        assert _missing(STUDY, *rated[2:], chosen) == {"": (0, 3)}
        # of one source alone nothing can be chosen
        assert _missing(STUDY, *shown, filters=Filters(sources=("human",))) == {"": (0, 1)}
    assert _missing(STUDY, {**_row("r0", "i0", "preference", "tie"), **SIDES}) == {"": (2, 3)}


def test_two_of_three_responses_of_an_item_are_no_pair() -> None:
    three = {**TWO_SOURCES, "other": {"kind": "model"}}
    study = protocol(FIVE, CHOICE, sources=three, analysis={"reference": "human"})
    rows = [{**_row("r0", "i0", "empathy", 4), "response": f"i0:{source}"} for source in three]
    rows.append(_row("r0", "i0", "preference", "human"))
    data = frames(study, rows, items=[{"item": "i0"}])
    for filters in (Filters(), Filters(sources=("human", "model"))):
        found = analyze(data, study, filters=filters)
        (share,) = {
            one.n_units for one in find(found, "share_preferred", scope={"source": "model", "reference": "human"})
        }
        assert share == 0
        assert found.sample.missing == {"": (0, 4 if not filters else 3)}


def test_an_excluded_answer_is_not_missing() -> None:
    warmth = {**FIVE, "key": "warmth"}
    rows = [
        _row("r0", "i0", "empathy", 4),
        {**_row("r0", "i0", "warmth", 4), "response": "i0:human", "exclude": "late"},
    ]
    others = [{**row, "rater": "r1", "exclude": "late"} for row in rows]
    assert _missing(protocol(FIVE, warmth), *rows, *others) == {"": (0, 2)}


def test_only_questions_about_the_same_turns_are_asked_together() -> None:
    felt, calm, inferred = (
        {**FIVE, "key": key, "target": "turn", "turns": turns}
        for key, turns in (("felt", "own"), ("calm", "own"), ("inferred", "partner"))
    )
    study = protocol(felt, calm, inferred, sources={"human": {"kind": "human"}}, **TALK)
    rows = [
        {**_row("r0", "i0", key, 4), "response": "i0:human", "turn": turn}
        for key, turn in (("felt", 1), ("calm", 1), ("inferred", 2), ("felt", 3))
    ]
    assert _missing(study, *rows) == {"": (1, 4)}
