"""Limits on raters: in total, and by their answers or link parameters; exact when many arrive at once."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text

from app.protocol.questions.form import PageTimes, read_page_ms
from app.rating.answers.submit import Sent, store
from app.rating.life_cycle import open_study
from app.rating.seats.assignment_view import AssignmentView, get_own_assignment
from app.rating.sessions import NO_PARTNER
from app.rating.steps.questionnaires import submit_questions
from app.studies.studies import delete_study
from tests.kit.builder import EMPATHY, PREFERENCE, build_study, protocol_of
from tests.kit.stored_raters import Rater
from tests.rating.seats.test_assignments import expire, state_of

ADULT = {"key": "adult", "target": "rater", "type": "category", "text": "Are you 18?", "codes": ["yes", "no"]}
AGE = {"key": "age", "target": "rater", "type": "slider", "text": "How old are you?"}


def open_with(engine: Engine, *about: dict[str, Any], **design: Any) -> None:  # noqa: ANN401
    """Open a study with these questions about the rater and this design."""
    with engine.begin() as db:
        flow = {"before": [{"questions": [question["key"]]} for question in about]}
        design = {"raters_per_trial": 20, **design}
        protocol = protocol_of(design=design, questions=[PREFERENCE, EMPATHY, *about], flow=flow)
        build_study(db, protocol, n_items=4)
        open_study(db, "study")


def set_limit(db: Connection, n: int) -> None:
    """Change the maximum number of raters of a study that is already open."""
    change = """
        UPDATE protocols SET sha256 = gen_random_uuid()::text,
          document = jsonb_set(document::jsonb, '{design,max_raters}', to_jsonb(CAST(:n AS integer)))::json
    """
    db.execute(text(change), {"n": n})


def add_version(db: Connection) -> None:
    """Add a version of the protocol, which those who come from now on have."""
    add = """
        INSERT INTO protocols (study_id, version, document, yaml, sha256, title)
        SELECT study_id, 2, document, yaml, gen_random_uuid()::text, title FROM protocols
    """
    db.execute(text(add))
    db.execute(text("UPDATE studies SET protocol_version = 2"))


def say(engine: Engine, rater: Rater, answer: str) -> None:
    """Submit a rater's answer about themselves before the instructions."""
    with engine.begin() as db:
        assert not submit_questions(db, rater.session(db), "before-1", {"q2": [answer]}).wrong


def test_concurrent_arrivals_never_exceed_max_raters(engine: Engine) -> None:
    open_with(engine, max_raters=20)
    with engine.begin() as db:
        set_limit(db, 7)
    raters = [Rater(engine, f"rater-{n}") for n in range(20)]
    with ThreadPoolExecutor(20) as pool:
        pages = list(pool.map(Rater.begin, raters))
    assert sum(isinstance(page, AssignmentView) for page in pages) == 7
    assert {page for page in pages if isinstance(page, str)} == {"wait"}


def test_rater_who_left_is_replaced_and_finished_one_is_not(engine: Engine) -> None:
    open_with(engine, max_raters=1, raters_per_trial=1)
    anna, ben, carl = (Rater(engine, who) for who in ("anna", "ben", "carl"))
    anna.begin()
    assert ben.begin() == "wait"
    expire(engine, anna)
    assert isinstance(ben.look(), AssignmentView)
    assert anna.look() == "wait"
    assert ben.go_all_the_way() == 4
    assert carl.begin() == "full"
    assert state_of(engine, carl) == "full"


@pytest.mark.parametrize(
    ("about", "quota", "said"),
    [(ADULT, {"yes": 2}, "yes"), (AGE, {"30": 2}, "30")],
    ids=["by code", "by number"],
)
def test_rater_answer_fills_only_its_quota(
    engine: Engine, about: dict[str, Any], quota: dict[str, int], said: str
) -> None:
    open_with(engine, about, quotas={about["key"]: {**quota, "other": 20}}, raters_per_trial=2)
    raters = [Rater(engine, f"rater-{n}") for n in range(3)]
    for rater in raters:
        say(engine, rater, said)
    assert [rater.go_all_the_way() for rater in raters[:2]] == [4, 4]
    assert raters[2].begin() == "full"


def test_value_without_quota_is_refused(engine: Engine) -> None:
    open_with(engine, {**ADULT, "required": False}, quotas={"adult": {"yes": 20}})
    for who, said in (("anna", "no"), ("ben", "")):
        rater = Rater(engine, who)
        say(engine, rater, said)
        assert rater.begin() == "full"


def test_link_or_file_value_is_used_for_unanswered_quota(engine: Engine) -> None:
    open_with(engine, quotas={"site": {"north": 20, "south": 20}})
    assert isinstance(Rater(engine, "anna", site="north").begin(), AssignmentView)
    assert Rater(engine, "ben", site="east").begin() == "full"
    carl = Rater(engine, "carl")
    with engine.begin() as db:
        db.execute(text("""UPDATE raters SET attributes = '{"site": "south"}' WHERE id = :id"""), {"id": carl.rater_id})
    assert isinstance(carl.begin(), AssignmentView)


def test_quota_filled_by_active_raters_may_be_released(engine: Engine) -> None:
    open_with(engine, quotas={"site": {"north": 1, "south": 20}}, raters_per_trial=1)
    anna = Rater(engine, "anna", site="north")
    anna.begin()
    ben = Rater(engine, "ben", site="north")
    assert ben.begin() == "wait"
    expire(engine, anna)
    assert isinstance(ben.look(), AssignmentView)


def test_a_lowered_limit_admits_no_one_until_enough_raters_have_left(engine: Engine) -> None:
    open_with(engine, max_raters=20)
    first = [Rater(engine, f"rater-{n}") for n in range(4)]
    assert all(isinstance(rater.begin(), AssignmentView) for rater in first)
    with engine.begin() as db:
        set_limit(db, 3)
    expire(engine, first[0])
    late = Rater(engine, "late")
    assert late.begin() == "wait"
    expire(engine, first[1])
    assert isinstance(late.look(), AssignmentView)


def test_a_limit_of_a_later_version_counts_the_raters_of_earlier_ones(engine: Engine) -> None:
    open_with(engine)
    early, waiting = Rater(engine, "early"), Rater(engine, "waiting")
    assert isinstance(early.begin(), AssignmentView)
    with engine.begin() as db:
        set_limit(db, 3)
        add_version(db)
        db.execute(
            text(
                "UPDATE protocols SET document = (document::jsonb #- '{design,max_raters}')::json,"
                " sha256 = gen_random_uuid()::text WHERE version = 1"
            )
        )
    second, third = Rater(engine, "second"), Rater(engine, "third")
    assert isinstance(second.begin(), AssignmentView)
    assert isinstance(waiting.begin(), AssignmentView)
    assert third.begin() == "wait"
    expire(engine, second)
    assert isinstance(third.look(), AssignmentView)


def test_a_rater_who_had_no_partner_leaves_the_place_to_another(engine: Engine) -> None:
    """Also in a later version of the study, which gives those of earlier ones their places."""
    open_with(engine, max_raters=1, raters_per_trial=1)
    anna, ben, carl = (Rater(engine, who) for who in ("anna", "ben", "carl"))
    page = anna.begin()
    while isinstance(page, AssignmentView):
        with engine.begin() as db:
            own = get_own_assignment(db, "study", anna.token, page.token)
            assert own
            store(db, *own, Sent("skip", PageTimes(read_page_ms({})), reason=NO_PARTNER))
        page = anna.look()
    assert ben.begin() == "wait"
    assert anna.finish()
    with engine.begin() as db:
        add_version(db)
    assert ben.go_all_the_way() == 4
    assert carl.begin() == "full"


def test_a_replaced_rater_who_finishes_counts(engine: Engine) -> None:
    """Anna's place is given away while she reads the last page; she finishes, and no one is admitted for Ben."""
    after = {"questions": ["adult"]}
    with engine.begin() as db:
        design = {"raters_per_trial": 20, "max_raters": 20}
        protocol = protocol_of(design=design, questions=[PREFERENCE, EMPATHY, ADULT], flow={"after": [after]})
        build_study(db, protocol, n_items=1)
        open_study(db, "study")
        set_limit(db, 1)
    anna, ben, carl = (Rater(engine, who) for who in ("anna", "ben", "carl"))
    anna.go_all_the_way()
    expire(engine, anna)
    assert isinstance(ben.begin(), AssignmentView)
    with engine.begin() as db:
        assert not submit_questions(db, anna.session(db), "after-1", {"q2": ["yes"]}).wrong
    assert anna.finish()
    expire(engine, ben)
    assert carl.begin() == "full"


def test_a_study_is_deleted_while_raters_hold_seats_of_limits_and_conditions(engine: Engine) -> None:
    told = {"kind": "instruction", "levels": {"near": "Feel.", "far": "Stay out."}, "assign": "between"}
    with engine.begin() as db:
        protocol = protocol_of(design={"raters_per_trial": 2, "max_raters": 20}, conditions={"told": told})
        study_id = build_study(db, protocol, n_items=2)
        open_study(db, "study")
    assert isinstance(Rater(engine, "anna").begin(), AssignmentView)
    with engine.begin() as db:
        delete_study(db, study_id)
        assert db.execute(text("SELECT count(*) FROM studies")).scalar_one() == 0
