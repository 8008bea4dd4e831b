"""The analysis in forms: everything is chosen by its label, and a renamed or removed score leaves nothing behind."""

import json
from typing import Any

import pytest

from app.base.problems import Problems
from app.protocol.yaml.study_yaml import read_protocol
from app.studies.editor.analysis_form import NEW, with_analysis_choices, with_analysis_that_fits
from app.studies.editor.controls import Control
from app.studies.editor.named_choices import with_choices
from app.studies.editor.problem_words import problem_words
from app.studies.editor.question_keys import without_key
from app.studies.editor.sections import BY_KEY, section_controls, with_section
from app.studies.editor.stored_texts import Columns
from tests.kit.builder import EMPATHY, protocol_of
from tests.studies.editor.posted import posted
from tests.studies.editor.test_forms_round_trip import TEXTS, data_of

ANALYSIS = BY_KEY["analysis"]
COLUMNS = Columns(responses=("tone",), raters=("age",), numbers=("age",))


def rated(key: str, target: str = "rater") -> dict[str, Any]:
    return {"key": key, "target": target, "type": "rating", "text": f"{key}?", "scale": {1: "low", 2: "high"}}


GUESS = {
    "key": "writer",
    "target": "response",
    "type": "category",
    "text": "Who wrote this?",
    "codes": {"human": "A person", "ai": "An AI", "unsure": "Not sure"},
}


def study(**analysis: Any) -> dict[str, Any]:  # noqa: ANN401 - any part of the analysis
    questions = [EMPATHY, rated("warmth", "response"), rated("before"), rated("after"), GUESS]
    return protocol_of(questions=questions, analysis=analysis)


def controls(data: dict[str, Any]) -> list[Control]:
    drawn = (with_choices(one, data) for one in section_controls(ANALYSIS, data))
    return [with_analysis_choices(one, data, COLUMNS) for one in drawn]


def sent(data: dict[str, Any], fixed: tuple[str, ...] = (), **changed: list[str]) -> dict[str, Any]:
    """The data after fields of the page were changed; `__` for a dot, `_removed` at the end to press *Remove*."""
    fields = posted(*controls(data))
    for name, values in changed.items():
        fields["analysis." + name.replace("_removed", ":remove").replace("__", ".")] = values
    return with_analysis_that_fits(data, with_section(ANALYSIS, data, fields), fixed)


def is_valid(data: dict[str, Any]) -> bool:
    return read_protocol(json.dumps(data), Problems()) is not None


@pytest.mark.parametrize("name", TEXTS)
def test_nothing_in_the_analysis_is_typed_but_names_and_numbers(name: str) -> None:
    for control in controls(data_of(TEXTS[name])):
        for one in control.all:
            field = one.name.rpartition(".")[2]
            is_word_list = one.name.startswith("analysis.word_lists.")
            assert one.shape != "lines" or is_word_list, one.name
            assert one.shape != "line" or field == "label", one.name
            assert (
                one.shape not in {"ticks", "choice"}
                or not one.value
                or {*one.value.split("\n")} <= {option.value for option in one.options}
            )
            is_shown = one.key_name and one.shape != "ticks" and not is_word_list
            assert not is_shown or any(one in each.children and each.options for each in control.all), one.key_name


def test_key_of_a_score_follows_its_name_wherever_it_is_named() -> None:
    data = NEW["analysis.composites"](study())
    assert data["analysis"]["composites"] == {"score": {"label": "Score", "questions": ["empathy", "warmth"]}}
    data["analysis"]["primary"] = [{"question": "score", "test": "equivalence", "margin": 0.5}]
    named = sent(data, composites__0__label=["Wärme insgesamt"])
    assert named["analysis"] == {
        "composites": {"warme_insgesamt": {"label": "Wärme insgesamt", "questions": ["empathy", "warmth"]}},
        "primary": [{"question": "warme_insgesamt", "test": "equivalence", "margin": 0.5}],
    }
    assert is_valid(named)
    opened = sent(data, ("score",), composites__0__label=["Warm"])
    assert opened["analysis"]["composites"] == {"score": {"label": "Warm", "questions": ["empathy", "warmth"]}}


def test_key_that_was_chosen_by_hand_stays() -> None:
    data = study(composites={"total": {"label": "Warmth", "questions": ["empathy", "warmth"]}})
    assert list(sent(data, composites__0__label=["Warm"])["analysis"]["composites"]) == ["total"]


def test_removed_score_leaves_nothing_that_names_it() -> None:
    data = study(
        composites={"mood_now": ["after"], "both": ["empathy", "warmth"]},
        primary=["both", "empathy"],
        changes=[{"before": "before", "after": "mood_now"}],
        margin={"both": 0.5},
    )
    assert sent(data, composites__1_removed=[""])["analysis"] == {
        "composites": {"mood_now": ["after"]},
        "primary": ["empathy"],
        "changes": [{"before": "before", "after": "mood_now"}],
    }
    assert "changes" not in sent(data, composites__0_removed=[""])["analysis"]


def test_questions_of_a_score_are_ticked() -> None:
    data = study(composites={"both": ["empathy", "warmth"]})
    changed = sent(data, composites__0__questions=["", "warmth"], composites__0__score=["sum"])
    assert changed["analysis"]["composites"] == {"both": {"questions": ["warmth"], "score": "sum"}}


def test_score_offers_questions_about_the_same_thing() -> None:
    data = study(composites={"mood": ["before"]})
    (row,) = next(one for one in controls(data) if one.name == "analysis.composites").children
    questions = next(one for one in row.children if one.shape == "ticks")
    assert [one.value for one in questions.options] == ["before", "after"]


def test_new_change_is_of_two_scores_that_are_in_none() -> None:
    data = NEW["analysis.changes"](study())
    assert data["analysis"]["changes"] == [{"before": "before", "after": "after"}]
    swapped = sent(data, changes__0__before=["after"], changes__0__after=["before"])
    assert swapped["analysis"]["changes"] == [{"before": "after", "after": "before"}]
    assert is_valid(swapped)
    row = next(one for one in controls(data) if one.name == "analysis.changes").children[0]
    assert " ".join(f"{one.label} [{one.value}]" for one in row.children) == "From [before] to [after]"


def test_believed_source_is_asked_by_answer_and_guessed_at_first() -> None:
    data = NEW["analysis.believed_source"](study())
    assert data["analysis"]["believed_source"] == {
        "question": "writer",
        "means": {"human": ["person"], "ai": ["model"]},
    }
    assert is_valid(data)
    part = next(one for one in controls(data) if one.name == "analysis.believed_source")
    means = next(one for one in part.children if one.shape == "answers")
    assert [one.label for one in means.children] == [
        "“A person” means", "“An AI” means", "“Not sure” means",
    ]  # fmt: skip
    ticked = sent(data, believed_source__means__1=[""], believed_source__means__2=["", "person", "model"])
    assert ticked["analysis"]["believed_source"]["means"] == {"human": ["person"], "unsure": ["person", "model"]}


def test_cut_off_without_its_question_is_kept_and_asks_for_it() -> None:
    first = sent(study(), cut__0=["2"])
    assert first["analysis"]["cut"] == {"unnamed": 2}
    assert sent(first) == first
    problems = Problems()
    read_protocol(json.dumps(first), problems)
    said = [(one.column, problem_words(one, first)) for one in problems.errors]
    assert said == [("analysis.cut", "Choose a question for each entry, or remove the entry.")]
    assert is_valid(chosen := sent(first, (), **{"cut__0:key": ["warmth"]}))
    assert chosen["analysis"]["cut"] == {"warmth": 2}


def test_other_question_about_the_believed_source_has_other_answers() -> None:
    other = GUESS | {"key": "author", "codes": {"machine": "A machine", "mensch": "A person"}}
    data = NEW["analysis.believed_source"](study())
    data["questions"].append(other)
    changed = sent(data, believed_source__question=["author"])
    assert changed["analysis"]["believed_source"] == {
        "question": "author",
        "means": {"machine": ["model"], "mensch": ["person"]},
    }


def test_columns_are_ticked() -> None:
    by_name = {one.name: one for one in controls(study())}
    options = {name: [one.value for one in by_name[f"analysis.{name}"].options] for name in ("covariates", "conjoint")}
    assert options == {"covariates": ["empathy", "warmth", "age"], "conjoint": ["tone"]}
    assert sent(study(), covariates=["", "warmth", "age"])["analysis"] == {"covariates": ["warmth", "age"]}


@pytest.mark.parametrize("path", sorted(NEW.keys() - {"analysis.primary"}))
def test_what_lacks_its_questions_cannot_be_added(path: str) -> None:
    data = protocol_of(questions=[GUESS | {"type": "text"}])
    assert NEW[path](data) == data
    control = next(one for one in controls(data) if one.name == path)
    assert not control.is_open
    assert control.help.startswith("Needs ")


def test_removed_question_takes_its_change_and_score_along() -> None:
    data = study(composites={"calm": ["before"]}, changes=[{"before": "calm", "after": "after"}])
    assert "analysis" not in without_key(data, "before")
