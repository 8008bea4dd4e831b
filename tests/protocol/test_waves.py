"""Later waves: when they are open, what they ask, and the questions and changes that follow."""

from datetime import date

import pytest
from pydantic import ValidationError

from app.protocol.declared_contrasts import Change
from app.protocol.pages.steps import all_steps, questionnaire_of, rater_steps, slots_of_step
from app.protocol.study import Protocol
from app.protocol.waves import (
    Wave,
    days_of,
    first_key,
    is_welcome,
    last_done,
    open_wave,
    wave_label,
    wave_of,
    wave_step,
)
from tests.kit.protocols import protocol

START = date(2026, 12, 1)
LONELY = {"key": "lonely", "target": "rater", "type": "slider", "text": "How lonely?", "label": "Loneliness"}
HELPED = {
    "key": "helped",
    "target": "rater",
    "type": "slider",
    "text": "Who helped?",
    "show_if": {"question": "lonely", "at_least": 50},
}
CALM = {"key": "calm", "target": "rater", "type": "slider", "text": "How calm?"}
WARM = {"key": "warm", "target": "response", "type": "slider", "text": "How warm?"}


def study(*waves: dict[str, object], **parts: object) -> Protocol:
    questions = [WARM, LONELY, HELPED, CALM]
    return protocol(questions=questions, waves=list(waves), **parts)


def problem_of(*waves: dict[str, object], **parts: object) -> str:
    with pytest.raises(ValidationError) as error:
        study(*waves, **parts)
    return str(error.value)


def test_wave_is_open_from_its_first_to_its_last_day() -> None:
    waves = [Wave(days=14, earliest=12, latest=16)]
    days = {day: open_wave(waves, START, date(2026, 12, 1 + day), ()) for day in (0, 11, 12, 14, 16, 17)}
    assert days == {0: None, 11: None, 12: 2, 14: 2, 16: 2, 17: None}


def test_who_began_on_the_last_day_may_go_on_for_one_more() -> None:
    waves = [Wave(days=14, latest=14)]
    assert open_wave(waves, START, date(2026, 12, 16), ("wave2",)) == 2
    assert open_wave(waves, START, date(2026, 12, 17), ("wave2",)) is None


def test_steps_of_later_waves_are_told_apart() -> None:
    assert [wave_step(step) for step in ("wave2", "wave12-3", "wave2-done")] == [(2, ""), (12, "3"), (2, "done")]
    assert [wave_step(step) for step in ("rating", "wave", "wave2-x", "waves")] == [None] * 4
    assert [is_welcome(step) for step in ("wave2", "wave2-1", "wave2-done", "done")] == [True, False, False, False]


def test_wave_without_last_day_is_open_until_the_next_one() -> None:
    waves = [Wave(days=7), Wave(days=28, earliest=25)]
    assert days_of(waves, 2, START) == (date(2026, 12, 8), date(2026, 12, 25))
    assert days_of(waves, 3, START) == (date(2026, 12, 26), None)
    assert open_wave(waves, START, date(2026, 12, 26), ()) == 3
    assert open_wave(waves, START, date(2026, 12, 20), ("wave2", "wave2-done")) is None
    assert open_wave(waves, START, date(2027, 12, 20), ("wave2-done", "wave3-done")) is None
    assert last_done(waves, ("wave2", "wave2-done", "wave3")) == 2


def test_later_wave_asks_all_questionnaires_again_unless_it_names_some() -> None:
    some = {"days": 28, "questionnaires": [{"questions": ["calm"]}]}
    whole = study({"days": 14}, some, flow={"before": [{"questions": ["lonely", "helped"]}]})
    keys = ["warm", "lonely", "helped", "calm", "lonely@2", "helped@2", "calm@2", "calm@3"]
    assert [one.key for one in whole.questions] == keys
    assert rater_steps(whole) == ("before-1", "instructions", "rating", "about", "done")
    assert rater_steps(whole, wave=2) == ("wave2", "wave2-1", "wave2-2", "done")
    assert rater_steps(whole, wave=3) == ("wave3", "wave3-1", "done")
    later = ("wave2", "wave2-1", "wave2-2", "wave2-done", "wave3", "wave3-1", "wave3-done")
    assert all_steps(whole) == (*rater_steps(whole), *later)
    assert [slot.question.key for slot in slots_of_step(whole, "wave2-1")] == ["lonely@2", "helped@2"]
    assert questionnaire_of(whole, "wave9-1") is None
    assert questionnaire_of(whole, "wavex-1") is None
    named = [whole.labels.question(key) for key in keys[4:]]
    assert named == ["Loneliness (Wave 2)", "Helped (Wave 2)", "Calm (Wave 2)", "Calm (Wave 3)"]


def test_follow_up_question_depends_on_the_answer_of_its_own_wave_if_that_is_asked() -> None:
    whole = study({"days": 14}, {"days": 28, "questionnaires": [{"questions": ["helped"]}]})
    rules = {one.key: one.show_if.question for one in whole.questions if one.show_if}
    assert rules == {"helped": "lonely", "helped@2": "lonely@2", "helped@3": "lonely"}


def test_stored_protocol_has_each_question_of_a_wave_once() -> None:
    whole = study({"days": 14}, analysis={"composites": {"mood": ["lonely", "calm"]}})
    assert Protocol.model_validate(whole.model_dump(mode="json")) == whole


def test_score_of_a_later_wave_is_compared_with_the_first() -> None:
    analysis = {"composites": {"mood": ["lonely", "calm"]}, "changes": [{"before": "calm", "after": "helped"}]}
    whole = study({"days": 14}, analysis=analysis)
    assert whole.analysis.composites["mood@2"].questions == ("lonely@2", "calm@2")
    assert set(whole.analysis.changes) == {
        Change(before="calm", after="helped"),
        Change(before="calm", after="helped@2"),
        Change(before="mood", after="mood@2"),
    }
    contrast = study({"days": 14}, analysis={"primary": [{"question": "lonely@2", "test": "change"}]})
    assert contrast.analysis.primary[0].question == "lonely@2"


def test_question_of_a_wave_is_called_after_both() -> None:
    long = study({"days": 14, "label": "L" * 80})
    assert long.labels.questions["lonely@2"] == f"Loneliness ({'L' * 80})"
    named = study({"days": 14, "label": "Two weeks later"})
    assert named.labels.questions["lonely@2"] == "Loneliness (Two weeks later)"
    assert (wave_label(named.waves, 1), wave_label(named.waves, 2)) == ("Wave 1", "Two weeks later")
    assert (wave_of("lonely@3", named.waves), first_key("lonely@3", named.waves)) == (1, "lonely@3")


@pytest.mark.parametrize(
    ("wave", "words"),
    [
        ({"days": 14, "earliest": 15}, "earliest must be at most days"),
        ({"days": 14, "latest": 13}, "latest must be at least days"),
        ({"days": 14, "questionnaires": [{"questions": ["warm"]}]}, "must name questions about the rater"),
        ({"days": 14, "questionnaires": [{"questions": ["calm"]}, {"questions": ["calm"]}]}, "calm more than once"),
        ({"days": 14, "questionnaires": [{"questions": ["calm"], "pools": ["x"]}]}, "must name pools"),
        ({"days": 14, "questionnaires": [{"questions": ["helped", "lonely"]}]}, "asked earlier"),
    ],
)
def test_faulty_wave_is_refused(wave: dict[str, object], words: str) -> None:
    assert words in problem_of(wave)


def test_waves_must_follow_each_other() -> None:
    assert "must be more than those of the wave before, 14" in problem_of({"days": 14}, {"days": 14})


def test_study_that_cannot_recognize_raters_has_no_waves() -> None:
    assert "cannot recognize raters" in problem_of({"days": 14}, recruitment={"platform": "link"})


def test_study_without_questions_about_the_rater_has_no_waves() -> None:
    with pytest.raises(ValidationError, match="at least one question about the rater"):
        protocol(questions=[WARM], waves=[{"days": 14}])


def test_key_like_that_of_a_wave_is_refused() -> None:
    with pytest.raises(ValidationError, match="must not have keys that end like those of a wave"):
        protocol(questions=[WARM, {**CALM, "key": "other@2"}, LONELY], waves=[{"days": 14}])
    with pytest.raises(ValidationError, match="more than once"):
        protocol(questions=[WARM, CALM, {**CALM, "key": "calm@2", "text": "Really?"}], waves=[{"days": 14}])
