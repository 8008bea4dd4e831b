"""The evidence from stored answers is that of the statistics, and that of the report."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from struct import pack
from typing import Any

import numpy as np
import pytest
from sqlalchemy import Connection, text

from app.analysis.data.frame_evidence import frame_evidence, rater_flags
from app.protocol.rater_flags import Evidence
from app.protocol.study import Protocol
from app.rating.review.answers_by_rater import Compared, StoredAnswers, list_answers_by_rater
from app.rating.review.rater_review import review
from app.rating.review.rater_rows import list_rater_kinds, list_rater_rows
from app.rating.review.stored_evidence import evidence_in
from app.results.data.frames import study_frames
from app.stats.raters.profiles import habits, profiles, side_habits
from app.studies.folder.read import read_files
from app.studies.load import load_study
from tests.kit.builder import PREFERENCE, build_study, protocol_of
from tests.kit.folder import N_ITEMS, rated_folder

QUESTIONS = Compared("empathy", "preference")


def list_evidence(db: Connection, study_id: int, questions: Compared = QUESTIONS) -> dict[int, Evidence]:
    kinds = list_rater_kinds(db, study_id)
    return evidence_in(list_answers_by_rater(db, study_id, questions), kinds.models, kinds.simulated)


@pytest.fixture
def answers(db: Connection) -> list[tuple[Any, ...]]:
    """Ratings and choices of four people about six items: rater, response, number, side, in order of answering."""
    study = build_study(db, protocol_of(), n_items=6)
    rng = np.random.default_rng(7)
    raters = add_raters(db, study, dict.fromkeys("abcd", "person"))
    responses = db.execute(text("SELECT id, item_id FROM responses ORDER BY id")).all()
    given = []
    for rater in raters:
        for response, item in responses:
            number, side = int(rng.integers(1, 4)), str(rng.choice(["left", "right"]))
            values = {"s": study, "r": rater, "p": response, "i": item, "n": number, "side": side, "at": response}
            db.execute(
                text(
                    "INSERT INTO ratings (study_id, rater_id, question, item_id, response_id, number, position)"
                    " VALUES (:s, :r, 'empathy', :i, :p, :n, :at)"
                ),
                values,
            )
            db.execute(
                text(
                    "INSERT INTO ratings (study_id, rater_id, question, item_id, turn, outcome, chosen_response_id,"
                    " side, position) VALUES (:s, :r, 'preference', :i, :p, 'response', :p, :side, :at)"
                ),
                values,
            )
            given.append((rater, response, float(number), side))
    return given


def test_patterns_are_those_of_the_statistics(db: Connection, answers: list[tuple[Any, ...]]) -> None:
    rater, response, number, side = (np.array(column) for column in zip(*answers, strict=True))
    found = list_evidence(db, db.execute(text("SELECT id FROM studies")).scalar_one())
    for profile in profiles(number, unit=response, rater=rater, is_modelled=False):
        own = found[int(str(profile.rater))]
        assert own.n_compared == 12
        assert own.agreement == pytest.approx(profile.leave_one_out.estimate)
    for habit in habits(number, rater):
        assert found[int(str(habit.rater))].longest_run == habit.longest_run
    for one in side_habits((side == "left").astype(float), rater):
        assert found[int(str(one.rater))].longest_side_run == one.longest_run


def test_patterns_of_mixed_answers_are_those_of_their_definition(db: Connection) -> None:
    """Models, repeats, excluded ratings, ratings of a whole item, and times that are missing or out of order."""
    study = build_study(db, protocol_of(), n_items=6)
    raters = add_raters(db, study, {"a": "person", "b": "person", "c": "person", "d": "person", "e": "model"})
    rows = mixed_answers(db, raters)
    db.execute(
        text(
            "INSERT INTO ratings (study_id, rater_id, question, item_id, response_id, turn, repeat, exclude, number,"
            " side, position, rated_at, stored_at) VALUES (:study, :rater, 'empathy', :item, :response, :turn, :repeat,"
            " :exclude, :number, :side, :position, timestamptz '2026-01-01' + :hour * interval '1 hour', '2026-01-01')"
        ),
        [{"study": study, **row} for row in rows],
    )
    found = list_evidence(db, study, Compared("empathy", "empathy"))
    assert {rater: by_definition(rows, rater, raters[:4]) for rater in raters} == {
        rater: (
            one.n_compared,
            pytest.approx(one.agreement) if one.agreement else None,
            *(one.longest_run, one.longest_side_run, one.n_ratings),
            *(one.n_points, one.n_most, one.n_sides, one.n_left),
        )
        for rater, one in found.items()
    }


def add_raters(db: Connection, study: int, kinds: dict[str, str]) -> list[int]:
    """Add raters by key and kind, and return their IDs."""
    db.execute(
        text("INSERT INTO raters (study_id, key, kind) VALUES (:study, :key, :kind)"),
        [{"study": study, "key": key, "kind": kind} for key, kind in kinds.items()],
    )
    return list(db.execute(text("SELECT id FROM raters ORDER BY id")).scalars())


def mixed_answers(db: Connection, raters: Sequence[int]) -> list[dict[str, Any]]:
    """Random answers about responses and whole items, with and without a turn; values can be missing."""
    rng = np.random.default_rng(11)
    things = [tuple(row) for row in db.execute(text("SELECT item_id, id FROM responses ORDER BY id"))]
    things += [(item, None) for item in sorted({item for item, _ in things})]
    return [
        {
            "rater": rater,
            "item": item,
            "response": response,
            "turn": turn,
            "repeat": int(rng.integers(2)),
            "exclude": "withdrawn" if rng.random() < 0.15 else None,
            "number": float(rng.integers(1, 4)),
            "side": str(rng.choice(["left", "right"])) if rng.random() < 0.8 else None,
            "hour": int(rng.integers(1, 5)) if rng.random() < 0.7 else None,
            "position": int(rng.integers(1, 4)) if rng.random() < 0.7 else None,
        }
        for rater in raters
        for item, response in things
        for turn in (None, 1)
        if rng.random() < 0.8
    ]


def by_definition(rows: list[dict[str, Any]], rater: int, people: Sequence[int]) -> tuple[Any, ...]:
    """The pattern of a rater, counted answer by answer. The rows are in the order of their IDs."""
    own = [row for row in rows if row["rater"] == rater]
    # In PostgreSQL's order, a missing position is last.
    own.sort(
        key=lambda row: (
            *(row["hour"] or 0, row["position"] or 99),
            *(row["item"], row["response"] or 0, row["turn"] or 0),
        )
    )
    numbers = [row["number"] for row in own]
    sides = [row["side"] for row in own if row["side"] and row["response"] is None]
    compared = [row for row in rows if row["rater"] in people and not row["repeat"] and not row["exclude"]]
    pairs = [
        (row["number"], float(np.mean(others)))
        for row in compared
        if row["rater"] == rater and (others := [one["number"] for one in compared if is_other(one, row)])
    ]
    agreement = np.corrcoef(np.array(pairs).T)[0, 1] if pairs else None
    most = Counter(numbers).most_common(1)[0][1]
    runs = [max((len(list(run)) for _, run in groupby(values)), default=0) for values in (numbers, sides)]
    return len(pairs), agreement, *runs, len(own), len(numbers), most, len(sides), sides.count("left")


def is_other(one: dict[str, Any], row: dict[str, Any]) -> bool:
    """Whether this is a rating of the same thing by someone else."""
    return one["rater"] != row["rater"] and all(one[key] == row[key] for key in ("item", "response", "turn"))


def test_side_counts_include_only_choices(db: Connection) -> None:
    study_id = load_study(db, read_files(rated_folder()))
    # Each response of a pair is on one side; this rater always chose the left one.
    db.execute(
        text("""
            UPDATE ratings
            SET side = CASE WHEN response_id IS NULL OR response_id % 2 = 0 THEN 'left' ELSE 'right' END
        """)
    )
    found = list_evidence(db, study_id).values()
    assert {(one.n_sides, one.n_left) for one in found} == {(N_ITEMS, N_ITEMS)}


def test_agreement_is_undefined_where_nothing_varies_or_nobody_else_rated() -> None:
    def given(*points: tuple[float, int]) -> StoredAnswers:
        return StoredAnswers(len(points), 0, points=b"".join(pack(">dqi", *one, -1) for one in points))

    found = evidence_in(
        {
            1: given((4, 11), (4, 12), (4, 13)),
            2: given((1, 11), (3, 12), (5, 13), (5, 14)),
            3: given((2, 0), (5, 21)),
            4: StoredAnswers(2, 0, sides=b"lr"),
        },
        models=(),
        simulated=(),
    )
    assert [(one.n_compared, one.agreement) for one in found.values()] == [(3, None), (3, None), (0, None), (0, None)]
    assert evidence_in({}, models=(), simulated=()) == {}


def test_page_and_report_flag_the_same_raters_for_the_same_reasons(db: Connection) -> None:
    """Attentive raters, a hasty one who always gives the same answers, a simulated one, and one who is excluded."""
    looks = {"text": "Choose A.", "codes": {"a": "A", "b": "B"}, "correct": "a"}
    checks = {
        "attention": [{"key": "look", "after": 1, **looks}],
        "comprehension": [{"key": "task", **looks}],
    }
    document = protocol_of(checks=checks)
    texts = [
        {
            "key": f"i{n}",
            "text": "a b  c\nd" * (n + 1),
            "responses": {"person": "Yes. " * 40, "model": "Well, no. " * 30},
        }
        for n in range(14)
    ]
    study, protocol = build_study(db, document, texts=texts), Protocol.model_validate(document)
    raters = add_raters(db, study, dict.fromkeys(["anna", "ben", "cleo", "dora", "hasty", "robot", "gpt"], "person"))
    db.execute(text("UPDATE raters SET kind = 'model' WHERE key = 'gpt'"))
    db.execute(text("UPDATE raters SET is_simulated = true WHERE key = 'robot'"))
    answer_pages(db, study, raters, hasty=raters[4])
    for name, rater in (("task", raters[0]), ("look", raters[4])):
        db.execute(
            text(
                "INSERT INTO events (study_id, rater_id, kind, detail) VALUES (:s, :r, 'check',"
                " jsonb_build_object('check', CAST(:name AS text), 'is_passed', false))"
            ),
            {"s": study, "r": rater, "name": name},
        )
    db.execute(
        text("INSERT INTO rater_exclusions (study_id, rater_id, is_excluded, reason) VALUES (:s, :r, true, 'late')"),
        {"s": study, "r": raters[3]},
    )
    rows = list_rater_rows(db, study, ["task"])
    page = {one.row.key: one for one in review(protocol, rows, list_evidence(db, study))}
    frames = study_frames(db, study)
    people = ["anna", "ben", "cleo", "dora", "hasty"]
    only = replace(frames, ratings=frames.ratings[frames.ratings["rater"] != "robot"])
    report, flags = frame_evidence(only, protocol), rater_flags(only, protocol)
    for name in people:
        own = page[name].evidence
        assert report[name]._replace(agreement=None) == own._replace(agreement=None)
        assert report[name].agreement == pytest.approx(own.agreement)
        assert flags.get(name, ()) == page[name].flags
    assert [name for name in people if page[name].flags] == ["hasty"]
    assert {flag.rule for flag in page["hasty"].flags} == {"checks", "speed", "time", "straight_lining", "side"}


def test_page_and_report_compare_choices_where_nothing_is_rated(db: Connection) -> None:
    """The response of higher number is chosen in nine of ten pairs, but the last rater chooses the left one."""
    document = protocol_of(questions=[PREFERENCE])
    study, protocol = build_study(db, document, n_items=16), Protocol.model_validate(document)
    raters = add_raters(db, study, dict.fromkeys(["anna", "ben", "cleo", "dora", "left"], "person"))
    pairs = db.execute(text("SELECT item_id, array_agg(id ORDER BY id) AS ids FROM responses GROUP BY item_id")).all()
    rng = np.random.default_rng(8)
    for rater in raters:
        for place, (item, both) in enumerate(sorted(pairs)):
            left, right = both if rng.random() < 0.5 else reversed(both)
            chosen = left if rater == raters[-1] or max(both) == left else right
            chosen = chosen if rater == raters[-1] or rng.random() < 0.9 else min(both)
            db.execute(
                text(
                    "INSERT INTO ratings (study_id, rater_id, question, item_id, outcome, chosen_response_id, side,"
                    " left_response_id, right_response_id, position, repeat) VALUES (:s, :r, 'preference', :i,"
                    " 'response', :chosen, :side, :left, :right, :p, :repeat)"
                ),
                {
                    "s": study,
                    "r": rater,
                    "i": item,
                    "chosen": chosen,
                    "left": left,
                    "right": right,
                    "p": place,
                    "side": "left" if chosen == left else "right",
                    "repeat": int(place == 0),
                },
            )
    page = list_evidence(db, study, Compared("", "preference"))
    frames = study_frames(db, study)
    report, flags = frame_evidence(frames, protocol), rater_flags(frames, protocol)
    for name, rater in zip(["anna", "ben", "cleo", "dora", "left"], raters, strict=True):
        assert page[rater].n_compared == report[name].n_compared == 15
        assert page[rater].agreement == pytest.approx(report[name].agreement)
        assert page[rater].n_sides == 16
    assert {name: {flag.rule for flag in found} for name, found in flags.items()} == {"left": {"agreement", "side"}}
    assert [one.n_compared for one in list_evidence(db, study, Compared("empathy", "preference")).values()] == [0] * 5


def answer_pages(db: Connection, study: int, raters: Sequence[int], hasty: int) -> None:
    """Each rater rates both responses to each item and chooses one, on one page."""
    rng = np.random.default_rng(5)
    pairs = db.execute(
        text("SELECT item_id, array_agg(id ORDER BY id) AS ids FROM responses GROUP BY item_id ORDER BY item_id")
    ).all()
    for rater in raters:
        for place, (item, (one, other)) in enumerate(pairs):
            is_hasty, side = rater == hasty, "left" if rater == hasty else str(rng.choice(["left", "right"]))
            values = {"s": study, "r": rater, "i": item, "l": one, "o": other, "p": place, "side": side}
            values |= {
                "chosen": one if side == "left" else other,
                "ms": 900 if is_hasty else int(rng.integers(20_000, 60_000)),
            }
            db.execute(
                text(
                    "INSERT INTO ratings (study_id, rater_id, question, item_id, outcome, chosen_response_id, side,"
                    " left_response_id, right_response_id, position, active_ms, rated_at) VALUES (:s, :r, 'preference',"
                    " :i, 'response', :chosen, :side, :l, :o, :p, :ms, timestamptz '2026-01-01' + :p * interval '1 h')"
                ),
                values,
            )
            for number, response in enumerate((one, other)):
                given = 4 if is_hasty else min(5, max(1, 1 + (place + 2 * number) % 5 + int(rng.integers(-1, 2))))
                db.execute(
                    text(
                        "INSERT INTO ratings (study_id, rater_id, question, item_id, response_id, number, side,"
                        " left_response_id, right_response_id, position, active_ms, rated_at) VALUES (:s, :r,"
                        " 'empathy', :i, :response, :n, 'left', :l, :o, :p, :ms,"
                        " timestamptz '2026-01-01' + :p * interval '1 h')"
                    ),
                    values | {"response": response, "n": given},
                )
