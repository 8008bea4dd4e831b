"""The steps of a rating session in order, a rater's current step, and the questions of each page."""

from app.protocol.flow import Questionnaire
from app.protocol.pages.page_slots import slots_of_rater
from app.protocol.pages.steps import is_eligible, next_step, questionnaire_of, rater_steps, slots_of_step
from app.protocol.questions.form import Answer
from tests.kit.protocols import AGE, DEBRIEF, LABEL, MOOD, SURE, WARM, WHO, protocol

CARE = {"key": "care", "type": "rating", "target": "rater", "text": "Do you care?", "scale": {1: "no", 2: "yes"}}
TASK = {"key": "task", "text": "What?", "codes": {"a": "A", "b": "B"}, "correct": "a"}
WHOLE = {
    "consent": {"version": "1", "text": "You may stop at any time."},
    "eligibility": {"accept": {"adult": "yes"}},
    "before": [{"questions": ["mood"]}],
    "practice": {"trials": [{"item": "p1"}]},
    "revisit": ["who", "sure"],
    "after": [{"questions": ["care"]}],
    "debrief": {"text": "Thank you."},
}
QUESTIONS = [WARM, WHO, SURE, MOOD, AGE, CARE]


def test_minimal_study_has_instructions_trials_and_end() -> None:
    assert rater_steps(protocol(questions=[WARM])) == ("instructions", "rating", "done")


def test_steps_follow_consent_to_debriefing_order() -> None:
    whole = protocol(questions=[*QUESTIONS, {**MOOD, "key": "wish"}], flow=WHOLE, checks={"comprehension": [TASK]})
    assert rater_steps(whole) == (
        "consent",
        "eligibility",
        "before-1",
        "instructions",
        "comprehension",
        "practice",
        "rating",
        "revisit",
        "after-1",
        "about",
        "debrief",
        "done",
    )


def test_next_step_is_first_not_passed() -> None:
    way = ("consent", "instructions", "rating", "done")
    assert [next_step(way, passed) for passed in ((), ("consent",), ("consent", "rating"), way)] == [
        "consent",
        "instructions",
        "instructions",
        "done",
    ]


def test_questionnaire_is_for_its_pools_and_keeps_its_number() -> None:
    flow = {"before": [{"questions": ["mood"], "pools": ["expert"]}, {"questions": ["adult"]}]}
    study = protocol(design={"pools": {"crowd": {}, "expert": {}}}, flow=flow)
    assert rater_steps(study, pool="crowd")[:2] == ("before-2", "instructions")
    assert rater_steps(study, pool="expert")[:2] == ("before-1", "before-2")


def test_page_without_questions_in_condition_is_skipped() -> None:
    told = {**MOOD, "key": "told", "condition": "label=swapped"}
    study = protocol(
        questions=[WARM, told], conditions={"label": LABEL}, flow={**DEBRIEF, "after": [{"questions": ["told"]}]}
    )
    assert "after-1" not in rater_steps(study, condition="label=true")
    assert "after-1" in rater_steps(study, condition="label=swapped")


def test_unassigned_rater_questions_are_asked_at_the_end() -> None:
    study = protocol(questions=QUESTIONS, flow={"before": [{"questions": ["mood"]}]})
    assert [slot.question.key for slot in slots_of_step(study, "about")] == ["adult", "care"]
    assert questionnaire_of(protocol(questions=[WARM]), "about") is None


def test_step_without_questions_has_no_slots() -> None:
    study = protocol(questions=QUESTIONS, flow=WHOLE)
    for step in ("rating", "before-2", "after-0", "before-x", "nonsense"):
        assert slots_of_step(study, step) == ()
    assert questionnaire_of(study, "after-1") == Questionnaire(questions=("care",))
    assert [slot.question.key for slot in slots_of_step(study, "eligibility")] == ["adult"]


def test_shuffled_questions_keep_a_stable_order_per_rater() -> None:
    many = [{**MOOD, "key": f"mood-{n}"} for n in range(6)]
    keys = [str(question["key"]) for question in many]
    study = protocol(questions=[WARM, *many], flow={"before": [{"questions": keys, "shuffle": True}]})

    def order(rater: str) -> list[str]:
        return [slot.question.key for slot in slots_of_step(study, "before-1", seed=1, rater=rater)]

    assert order("anna") == order("anna")
    assert order("anna") != order("ben")
    assert sorted(order("ben")) == sorted(keys)


def test_eligibility_requires_every_accepted_answer() -> None:
    study = protocol(questions=QUESTIONS, flow={"eligibility": {"accept": {"adult": "yes", "mood": [50, 60]}}})
    eligibility = study.flow.eligibility
    assert eligibility
    slots = {slot.question.key: slot for slot in slots_of_rater(study)}
    adult = Answer(slot=slots["adult"], codes=("yes",))
    assert is_eligible(eligibility, [adult, Answer(slot=slots["mood"], number=60.0)])
    assert not is_eligible(eligibility, [adult, Answer(slot=slots["mood"], number=61.0)])
    assert not is_eligible(eligibility, [adult])


def test_answers_are_written_as_in_ratings_csv() -> None:
    slot = slots_of_rater(protocol())[0]
    answers = [
        Answer(slot=slot, number=4.0),
        Answer(slot=slot, outcome="tie"),
        Answer(slot=slot, codes=("a", "b")),
        Answer(slot=slot, text="so"),
        Answer(slot=slot, codes=()),
    ]
    assert [slot.question.cell(answer, {}) for answer in answers] == ["4", "tie", "a|b", "so", ""]
