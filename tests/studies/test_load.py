"""A folder loaded into the database and exported again: identical to the last answer, or nothing is stored."""

import pytest
from sqlalchemy import Connection, Engine, text

from app.analysis.data.frames import Frames
from app.analysis.data.study_folder import StudyFolder, frames_of, is_same
from app.base.problem import InvalidInputError
from app.results.data.frames import study_frames
from app.studies.data.stored_ratings import copy_ratings, ratings_of
from app.studies.export import study_folder
from app.studies.load import load_study
from app.studies.studies import get_study, list_studies
from tests.kit.small import ITEMS, RATINGS, YAML, read_small


def assert_same_frames(one: Frames, other: Frames) -> None:
    from pandas.testing import assert_frame_equal

    assert (one.passages is None) == (other.passages is None)
    for name in ("items", "responses", "raters", "ratings"):
        assert_frame_equal(getattr(one, name), getattr(other, name), obj=name)


def test_small_study_round_trips(db: Connection) -> None:
    folder = read_small()
    study_id = load_study(db, folder)
    assert_same_frames(study_frames(db, study_id), frames_of(folder))
    assert is_same(study_folder(db, study_id), folder)


def test_text_lengths_for_highlights_match_folder(db: Connection) -> None:
    from pandas.testing import assert_frame_equal

    asked = "  - {key: cause, target: item, type: highlight, text: Mark it.}\n  - {key: why,"
    folder = read_small(study=YAML.replace("  - {key: why,", asked), items=ITEMS.replace("Hello", "Grüß 😀"))
    stored = study_frames(db, load_study(db, folder)).passages
    expected = frames_of(folder).passages
    assert stored is not None
    assert expected is not None
    assert_frame_equal(stored, expected)
    assert expected.loc[expected["turn"] == 2, "length"].tolist() == [6]


AWKWARD = [
    "back\\slash \\n \\N \\.",
    "tab\there",
    "line\nbreak and\r\nanother\rthird",
    '"quotes", commas',
    "\\.",
    "\u202eright to left\u2028",
    "<script>alert(1)</script>",
    "  spaces  ",
    "NULL",
    "\U0001f642 ’“",
]


@pytest.mark.parametrize("words", AWKWARD)
def test_any_text_round_trips(db: Connection, words: str) -> None:
    quoted = '"' + words.replace('"', '""') + '"'
    row = f"r1,a,,why,{quoted},,,,,,,,\n"
    folder = read_small(
        items=f"item,text,feels\na,{quoted},sad\nb,b,glad\n",
        ratings=RATINGS.replace("r2,b,,each,-1,,2,,,,,,\n", "") + row,
    )
    assert folder.items["text"].iloc[0] == words
    study_id = load_study(db, folder)
    assert is_same(study_folder(db, study_id), folder)


def test_empty_text_and_no_codes_round_trip(db: Connection) -> None:
    folder = read_small(ratings=f"{RATINGS}r2,b,b1,does,,,,,,,,,\nr1,a,,why,,,,,,,,,\n")
    study_id = load_study(db, folder)
    ratings = study_frames(db, study_id).ratings
    assert ratings[ratings["codes"] == ""]["question"].tolist() == ["does"]
    assert ratings[ratings["text"] == ""]["question"].tolist() == ["why"]
    assert_same_frames(study_frames(db, study_id), frames_of(folder))


def test_numeric_codes_and_conditions_stay_text(db: Connection) -> None:
    yaml = """\
attune: 1
slug: numbers
title: Codes that are numbers
questions: [{key: "1", target: item, type: category, text: Q, options: [1, 2.0], multiple: true}]
conditions: {"0": {kind: instruction, levels: {"0": Read., "1.0": Read aloud.}}}
"""
    folder = read_small(
        study=yaml,
        items="item,text\n1,x\n",
        responses=None,
        raters=None,
        ratings="rater,item,question,value,condition\n7,1,1,2.0,0=0\n8,1,1,1,0=1.0\n",
    )
    stored = study_frames(db, load_study(db, folder)).ratings
    assert stored[["rater", "item", "question", "codes", "condition"]].to_numpy().tolist() == [
        ["7", "1", "1", "2.0", "0=0"],
        ["8", "1", "1", "1", "0=1.0"],
    ]


def test_every_float_round_trips_exactly(db: Connection) -> None:
    yaml = """\
attune: 1
slug: floats
title: Floats
questions: [{key: q, target: item, type: slider, text: Q, min: 0, max: 1, step: 0.0001}]
"""
    values = [f"{n / 10_000:.4f}" for n in range(1, 10_000, 7)]
    rows = "".join(f"r{n},a,q,{value}\n" for n, value in enumerate(values))
    folder = read_small(
        study=yaml, items="item,text\na,x\n", responses=None, raters=None, ratings=f"rater,item,question,value\n{rows}"
    )
    stored = study_frames(db, load_study(db, folder)).ratings
    assert sorted(stored["number"]) == [float(value) for value in values]


def test_loading_same_study_twice_changes_nothing(db: Connection) -> None:
    folder = read_small()
    assert load_study(db, folder) == load_study(db, folder)
    assert db.execute(text("SELECT count(*) FROM ratings")).scalar_one() == 11


def test_different_study_with_taken_slug_is_rejected(db: Connection) -> None:
    load_study(db, read_small())
    with pytest.raises(InvalidInputError) as raised:
        load_study(db, read_small(ratings=RATINGS.replace("r2,,,age,40", "r2,,,age,41")))
    problem = raised.value.problems[0]
    assert (problem.file, problem.column, problem.found) == ("study.yaml", "slug", "small")
    assert "is already stored" in problem.allowed


def test_same_study_of_another_lead_is_rejected(db: Connection) -> None:
    one, other = (
        db.execute(text("INSERT INTO leads (email) VALUES (:email) RETURNING id"), {"email": email}).scalar_one()
        for email in ("a@b.c", "d@e.f")
    )
    load_study(db, read_small(), one)
    with pytest.raises(InvalidInputError):
        load_study(db, read_small(), other)


def test_answers_withdrawn_while_reading_are_omitted(db: Connection) -> None:
    study_id = load_study(db, read_small())
    copied = copy_ratings(db, study_id)
    db.execute(text("DELETE FROM raters WHERE key = 'r1'"))
    tables = {
        name: db.execute(text(f"SELECT id, key FROM {name} WHERE study_id = :study"), {"study": study_id}).all()  # noqa: S608
        for name in ("raters", "items", "responses")
    }
    ratings = ratings_of(copied, **tables)
    assert ratings["rater"].tolist() == ["r2"] * 4


def test_failed_load_stores_nothing(engine: Engine) -> None:
    folder = read_small()
    broken = StudyFolder(
        folder.protocol,
        folder.yaml,
        folder.items,
        folder.responses,
        folder.raters,
        folder.ratings.assign(side="middle"),
    )
    with pytest.raises(Exception, match="ck_ratings_side"), engine.begin() as db:
        load_study(db, broken)
    with engine.connect() as db:
        assert list_studies(db) == []
        assert db.execute(text("SELECT count(*) FROM items")).scalar_one() == 0


def test_loaded_study_is_a_draft_with_identical_protocol_text(db: Connection) -> None:
    lead = db.execute(text("INSERT INTO leads (email) VALUES ('a@b.c') RETURNING id")).scalar_one()
    folder = read_small(study="# kept\r\n" + read_small().yaml)
    load_study(db, folder, lead)
    study = get_study(db, "small", lead)
    assert study is not None
    assert (study.status, study.role, study.title) == ("draft", "owner", "A small study")
    assert [row.slug for row in list_studies(db, lead)] == ["small"]
    assert list_studies(db, lead + 1) == []
    stored = db.execute(text("SELECT yaml, sha256 FROM protocols")).one()
    assert stored.yaml == folder.yaml
    assert db.execute(text("SELECT encode(sha256(convert_to(yaml, 'UTF8')), 'hex') FROM protocols")).scalar_one() == (
        stored.sha256
    )


def test_unknown_study_is_none(db: Connection) -> None:
    assert get_study(db, "nobody") is None
