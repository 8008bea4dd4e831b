"""Questions about the turns of one writer, after a conversation: each rater is asked about theirs or the partner's."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, text

from app.base.problem import InvalidInputError
from app.rating.simulation.simulate import simulate
from app.studies.export import study_folder
from app.studies.folder.read import read_folder
from app.studies.folder.write import write_folder
from tests.kit.database import rows
from tests.kit.dyads import dyads, end, rate_address, say, two
from tests.kit.rater_pages import Visitor

FELT: dict[str, Any] = {
    "key": "felt",
    "target": "turn",
    "turns": "own",
    "type": "slider",
    "text": "How did you feel?",
    "min": 0,
    "max": 100,
}
INFERRED = {**FELT, "key": "inferred", "turns": "partner", "text": "How did your partner feel?"}
ACCURACY = {"empathic_accuracy": {"felt": "felt", "perceived": "inferred"}}
ASKED = text("""
    SELECT d.role, a.question, a.turn, p.turns -> (a.turn - 1) ->> 'by' AS writer, a.number
    FROM ratings a JOIN dyad_members d ON d.assignment_id = a.assignment_id JOIN responses p ON p.id = a.response_id
    ORDER BY a.question, a.turn, d.role
""")


def talk(visitor: Callable[[], Visitor], *who: str) -> list[tuple[Visitor, Any]]:
    """Two raters after a conversation, each in front of the questions: the seeker wrote turns 1 and 3."""
    (seeker, page), (supporter, _) = two(visitor, *who)
    page = say(seeker, page, "My week was long.")
    say(supporter, supporter.get("/s/study/rate"), "I hear you.")
    say(seeker, seeker.get("/s/study/rate"), "It was my sister.")
    return [(one, end(one, one.get("/s/study/rate"))) for one in (seeker, supporter)]


def asked(page: Any) -> list[str]:  # noqa: ANN401 - httpx's response
    return re.findall(r'data-slot="(\w+)"', page.text)


def test_each_rater_answers_about_their_own_turns_and_the_partners(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    dyads(study, questions=[FELT, INFERRED])
    (seeker, page), (supporter, other) = talk(visitor)
    assert asked(page) == ["q0r0t1", "q0r0t3", "q1r0t2"]
    assert asked(other) == ["q0r0t2", "q1r0t1", "q1r0t3"]
    # The only turn of a writer has its number too: otherwise nothing says which turn is meant.
    assert re.search(r'row-name" aria-hidden="true">\s*2\s*<', page.text)
    incomplete = seeker.post(rate_address(page), data={"q0r0t1": "20", "q0r0t3": "30"})
    assert incomplete.status_code == 422
    # An answer about a turn that was not asked about is not stored.
    seeker.post(rate_address(page), data={"q0r0t1": "20", "q0r0t3": "30", "q1r0t2": "60", "q0r0t2": "99"})
    supporter.post(rate_address(other), data={"q0r0t2": "70", "q1r0t1": "25", "q1r0t3": "35"})
    with engine.connect() as db:
        stored = [tuple(row) for row in db.execute(ASKED)]
    assert stored == [
        ("seeker", "felt", 1, "seeker", 20),
        ("supporter", "felt", 2, "supporter", 70),
        ("seeker", "felt", 3, "seeker", 30),
        ("supporter", "inferred", 1, "seeker", 25),
        ("seeker", "inferred", 2, "supporter", 60),
        ("supporter", "inferred", 3, "seeker", 35),
    ]


def test_own_turns_look_as_they_did_in_the_conversation(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    """Those of the rater who began had the look of the partner's once the questions came."""
    dyads(study, questions=[FELT])
    (_, page), (_, other) = talk(visitor)
    looks = [re.findall(r'class="turn voice-(\d)', one.text) for one in (page, other)]
    assert looks == [["1", "0", "1"], ["0", "1", "0"]]


def test_turns_one_at_a_time_ask_each_rater_about_their_own(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    dyads(study, questions=[FELT], design={"reveal": "turns"})
    (seeker, page), _ = talk(visitor)
    assert asked(page) == ["q0r0t1"]
    page = seeker.post(rate_address(page), data={"q0r0t1": "20", "turn": "1"})
    assert asked(page) == []
    page = seeker.post(rate_address(page), data={"turn": "2"})
    assert asked(page) == ["q0r0t3"]


def test_simulated_raters_answer_about_the_same_turns(study: Callable[..., int], engine: Engine) -> None:
    dyads(study, questions=[FELT, INFERRED])
    assert simulate(engine.begin, "study", 4, 0).n_finished == 4
    with engine.connect() as db:
        stored = db.execute(ASKED).all()
    assert {(row.question, row.role == row.writer) for row in stored} == {("felt", True), ("inferred", False)}
    (n_turns,) = rows(engine, "SELECT CAST(sum(jsonb_array_length(turns)) AS integer) FROM responses")[0]
    assert len(stored) == 2 * n_turns


def test_answers_come_back_from_files_that_name_the_writers(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, tmp_path: Path
) -> None:
    study_id = dyads(study, questions=[FELT, INFERRED], analysis=ACCURACY)
    (seeker, page), (supporter, other) = talk(visitor)
    seeker.post(rate_address(page), data={"q0r0t1": "20", "q0r0t3": "30", "q1r0t2": "60"})
    supporter.post(rate_address(other), data={"q0r0t2": "70", "q1r0t1": "25", "q1r0t3": "35"})
    with engine.begin() as db:
        folder = study_folder(db, study_id)
    write_folder(tmp_path / "out", folder)
    answers = [
        sorted(one.ratings[["question", "turn", "number", "rater"]].itertuples(index=False, name=None))
        for one in (read_folder(tmp_path / "out"), folder)
    ]
    assert answers[0] == answers[1]
    file = tmp_path / "out" / "ratings.csv"
    lines = file.read_text(encoding="utf-8-sig").splitlines()
    head = lines[0].split(",")
    place, question = head.index("turn"), head.index("question")
    cells = [line.split(",") for line in lines]
    for row in cells[1:]:
        row[place] = {"1": "2", "2": "1", "3": "3"}[row[place]]
    file.write_text("\n".join(",".join(row) for row in cells), encoding="utf-8")
    with pytest.raises(InvalidInputError) as error:
        read_folder(tmp_path / "out")
    found = {problem.row: problem.sentence() for problem in error.value.problems}
    assert len(found) == 4
    for number, row in enumerate(cells[1:], start=2):
        if row[place] != "3":
            whose = {
                "felt": "a turn that the rater wrote, because the question is about raters' own turns",
                "inferred": "a turn of the partner, because the question is about the partner's turns",
            }[row[question]]
            assert whose in found[number]


def test_broken_turns_and_unknown_sources_of_conversations_are_told_with_all_else(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, tmp_path: Path
) -> None:
    study_id = dyads(study, questions=[FELT, INFERRED], analysis=ACCURACY)
    (seeker, page), _ = talk(visitor)
    seeker.post(rate_address(page), data={"q0r0t1": "20", "q0r0t3": "30", "q1r0t2": "60"})
    with engine.begin() as db:
        folder = study_folder(db, study_id)
    write_folder(tmp_path / "out", folder)
    file = tmp_path / "out" / "responses.csv"
    as_written = file.read_text(encoding="utf-8-sig")
    source = folder.responses["source"].iloc[0]
    for changed, said in ((as_written.replace("[{", "[{,"), "turns"), (as_written.replace(source, "nobody"), "source")):
        file.write_text(changed, encoding="utf-8")
        with pytest.raises(InvalidInputError) as error:
            read_folder(tmp_path / "out")
        assert any(said in problem.sentence() for problem in error.value.problems)
