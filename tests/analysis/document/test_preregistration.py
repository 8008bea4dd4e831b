"""A registration has a hash over all of it, fills in two forms, and the report is compared with it."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from app.analysis import analyze
from app.analysis.data.report_filters import Filters
from app.analysis.document.deviations import NONE, SELECTED, deviations_section
from app.analysis.document.judges import judges_of_folder
from app.analysis.document.preregistration import aspredicted_document, osf_document, randomization, study_type
from app.analysis.document.registration import Registration, RegistrationError, read_registration, registration_json
from app.base.documents.blocks import DataTable, Paragraph
from app.protocol.study import Protocol
from app.results.registration.preregister import ToRegister, register
from tests.analysis.document.test_study_report import texts
from tests.analysis.report.test_primary import rows
from tests.kit.frames import FIVE, frames, protocol

WORDS = {
    "hypotheses": ["The model is rated higher."],
    "stopping_rule": "On 1 March.",
    "exclusions": "Who fails checks.",
}
OSF = ["Study information", "Design plan", "Sampling plan", "Variables", "Analysis plan", "Other"]


def registered() -> tuple[Registration, Protocol]:
    study = protocol(FIVE, preregistration=WORDS)
    return register(ToRegister(study, [], 0, 1, n_simulations=2)), study


def deviations(registration: Registration | None, study: Protocol, version: int = 1) -> tuple[str, dict[str, str]]:
    report = analyze(frames(study, rows(keys=("empathy",))), study)
    blocks = deviations_section(registration, report, study, version).blocks
    found = {row[0]: row[3] for block in blocks if isinstance(block, DataTable) for row in block.rows}
    return " ".join(block.text for block in blocks if isinstance(block, Paragraph)), found


def test_registration_round_trips_through_json() -> None:
    made, _ = registered()
    assert read_registration(registration_json(made)) == made


@pytest.mark.parametrize("part", ["registered_at", "study", "n_items", "protocol"])
def test_changed_registration_is_rejected(part: str) -> None:
    document = json.loads(registration_json(registered()[0]))
    document[part] = {"slug": "other"} if part == "protocol" else 7 if part == "n_items" else "other"
    with pytest.raises(RegistrationError, match="hash does not match"):
        read_registration(json.dumps(document))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"study": 1}', "null"])
def test_invalid_registration_file_is_rejected(text: str) -> None:
    with pytest.raises(RegistrationError, match="not a preregistration"):
        read_registration(text)


def test_osf_form_has_headings_in_order_and_lead_text() -> None:
    made, _ = registered()
    document = osf_document(made)
    assert [section.title for section in document.sections] == OSF
    for words in ("The model is rated higher.", "On 1 March.", "Who fails checks.", made.sha256, "Empathy: Mean"):
        assert words in texts(document)


def test_aspredicted_form_has_eight_questions_in_order() -> None:
    document = aspredicted_document(registered()[0])
    assert [section.title[:2] for section in document.sections] == [f"{number})" for number in range(1, 9)]
    assert "No ratings existed at registration." in texts(document)


def test_simulated_answers_are_no_data_that_existed() -> None:
    """A rehearsal before registration was registered as data that existed."""
    study = protocol(FIVE, preregistration=WORDS)
    rehearsed = register(ToRegister(study, [], 1296, 1, n_simulated=1296, n_simulations=2))
    said = texts(osf_document(rehearsed))
    assert "No ratings existed at registration. 1,296 simulated answers rehearsed the analysis." in said
    assert deviations(rehearsed, study)[1]["Ratings before registration"] == "no"
    assert read_registration(registration_json(rehearsed)) == rehearsed
    piloted = register(ToRegister(study, [], 1300, 1, n_simulated=1296, n_simulations=2))
    assert "4 answers existed at registration. 1,296 simulated" in texts(osf_document(piloted))


def test_study_done_as_registered_has_no_deviations() -> None:
    made, study = registered()
    words, found = deviations(made, study)
    assert found["Primary contrasts and tests"] == found["Questions"] == found["Stopping rule"] == "no"
    assert found["Items"] == "yes"  # nothing was loaded when it was registered
    assert made.sha256 in words


def test_changed_test_and_stopping_rule_are_deviations() -> None:
    made, _ = registered()
    study = protocol(FIVE, analysis={"primary": [{"question": "empathy", "test": "t_paired"}]})
    words, found = deviations(made, study, version=3)
    assert {found[name] for name in ("Primary contrasts and tests", "Hypotheses", "Stopping rule")} == {"yes"}
    assert "registered for version 1 of the protocol; these results use version 3" in words


def test_exclusion_rule_in_own_words_is_left_to_the_reader() -> None:
    plan = protocol(FIVE, preregistration={**WORDS, "exclusions": "Raters who fail the check."})
    made = register(ToRegister(plan, [], 0, 1, n_simulations=2))
    words, found = deviations(made, plan)
    assert found["Answers left out"] == "compare"
    assert "1 is to be compared by reading." in words


def test_selected_ratings_are_not_compared_with_the_plan() -> None:
    made, study = registered()
    report = analyze(frames(study, rows(keys=("empathy",))), study, filters=Filters(until=date(2100, 1, 1)))
    assert deviations_section(made, report, study, 1).blocks == (Paragraph(SELECTED),)


def test_report_without_registration_says_so() -> None:
    assert deviations(None, protocol(FIVE)) == (NONE, {})


def test_unreadable_registered_protocol_is_reported() -> None:
    made, study = registered()
    words, found = deviations(replace(made, protocol={"attune": 0}), study)
    assert "cannot be read by this version" in words
    assert found == {}


def test_stopping_rule_lists_declared_looks_and_bounds() -> None:
    plan = {"looks": [0.5, 1], "n_ratings": 400, "blind_interim": True}
    study = protocol(FIVE, analysis={"primary": ["empathy"]}, monitoring=plan)
    text = texts(osf_document(register(ToRegister(study, [], 0, n_simulations=2))))
    assert "200 and 400 ratings" in text
    assert "|z| = 2.963 and 1.969" in text
    assert "Lan and DeMets, 1983" in text
    assert "hidden from the study" in text


JUDGE = {"name": "j", "model": "m-2026", "endpoint": "host", "temperature": "0", "prompt_words": "0a1b"}


def judged(*done: dict[str, str]) -> dict[str, tuple[str, str]]:
    """What the report says of judges if this one was registered."""
    study = protocol(FIVE, preregistration=WORDS)
    made = register(ToRegister(study, [], 0, 1, judges=(JUDGE,), n_simulations=2))
    assert read_registration(registration_json(made)) == made
    report = analyze(frames(study, rows(keys=("empathy",))), study)
    blocks = deviations_section(made, report, study, 1, done).blocks
    (table,) = (block for block in blocks if isinstance(block, DataTable))
    return {row[0]: (row[2], row[3]) for row in table.rows if "udge" in row[0]}


def test_judges_are_registered_with_their_settings_and_the_rule() -> None:
    study = protocol(FIVE)
    made = register(ToRegister(study, [], 0, 1, judges=(JUDGE,), n_simulations=2))
    for form in (osf_document, aspredicted_document):
        words = texts(form(made))
        assert "j: model m-2026, endpoint host, prompt words 0a1b, temperature 0." in words
        assert "alternative annotator test" in words
        assert "annotator" not in texts(form(registered()[0]))
    document = json.loads(registration_json(made))
    document["judges"][0]["model"] = "another"
    with pytest.raises(RegistrationError, match="hash does not match"):
        read_registration(json.dumps(document))


def test_registrations_of_before_judges_keep_their_hash() -> None:
    made, _ = registered()
    document = json.loads(registration_json(made))
    del document["judges"], document["judge_rule"]
    assert read_registration(json.dumps(document)) == made


def test_a_judge_as_registered_is_no_deviation_whatever_its_version() -> None:
    found = judged({**JUDGE, "model_version": "m-2026-03"})
    assert {name: deviates for name, (_, deviates) in found.items()} == dict.fromkeys(
        ("Model judge j", "Rule for model judges", "Other model judges"), "no"
    )


@pytest.mark.parametrize(
    ("done", "point", "words"),
    [
        ([{**JUDGE, "temperature": "1"}], "Model judge j", "temperature 1"),
        ([{**JUDGE, "prompt_words": "ffff"}], "Model judge j", "prompt words ffff"),
        ([{**JUDGE, "model_version": "a, b"}], "Model judge j", "model version a, b"),
        ([], "Model judge j", "Not in the study"),
        ([JUDGE, {**JUDGE, "name": "k"}], "Other model judges", "k"),
    ],
)
def test_judges_that_differ_are_deviations(done: list[dict[str, str]], point: str, words: str) -> None:
    said, deviates = judged(*done)[point]
    assert words in said
    assert deviates == "yes"


def test_judges_of_a_folder_are_those_of_raters_csv(tmp_path: Path) -> None:
    assert judges_of_folder(tmp_path) == ()
    lines = "rater,kind,pool,model,temperature\na,person,x,,\nj,model,,m-2026,0\n"
    (tmp_path / "raters.csv").write_text(lines)
    assert judges_of_folder(tmp_path) == ({"name": "j", "model": "m-2026", "temperature": "0"},)


def test_only_what_the_study_has_is_said_to_be_random() -> None:
    single = protocol(FIVE, design={"trials": "single"})
    assert randomization(single) == "The order of trials is random, from seed 0."
    several = randomization(protocol(FIVE, design={"trials": "set"}))
    assert several == "The order of trials and the order of responses on a page are random, from seed 0."
    told = {"told": {"kind": "instruction", "levels": {"a": "A", "b": "B"}}}
    fixed = protocol(FIVE, design={"order": "fixed"}, conditions=told)
    assert randomization(fixed) == (
        "The sides of responses are random; trials come in the order described, from seed 0. "
        "Raters get conditions in a balanced order."
    )


def test_study_type_names_what_is_assigned_at_random() -> None:
    def of(*assigned: str) -> str:
        factors = ({"kind": "instruction", "levels": {"a": "A", "b": "B"}}, {"kind": "profile"})
        told = {f"told{n}": {**factors[n], "assign": assign} for n, assign in enumerate(assigned)}
        return study_type(protocol(FIVE, conditions=told))

    assert of() == "Experiment: the source of the responses is varied. What is random is stated under Randomization."
    assert of("between") == "Experiment: conditions are assigned to raters at random."
    assert of("within", "between") == "Experiment: conditions are assigned to raters and trials at random."
    assert study_type(protocol(FIVE, sources={"human": {"kind": "human"}})).startswith("Observational study")


def test_answers_left_out_before_registration_are_registered_and_no_deviation() -> None:
    """A registration after an exclusion said that no rater is left out, and the report called it a deviation."""
    study, slept = protocol(FIVE), "rater excluded: slept"
    answers = [{**row, "exclude": slept if row["rater"] == "r0" else None} for row in rows(keys=("empathy",))]
    report, n = analyze(frames(study, answers), study), len(answers) // 6
    made = register(ToRegister(study, [], len(answers), 1, left_out={slept: n}, n_simulations=2))
    assert read_registration(registration_json(made)) == made
    for form in (osf_document(made), aspredicted_document(made)):
        assert f"Answers left out before registration: {n}: {slept}. From then on: No rater is left out." in texts(form)
    for registration, differs in (
        (made, "no"),
        (replace(made, left_out={}), "yes"),
        (replace(made, left_out={slept: 1}), "yes"),
    ):
        blocks = deviations_section(registration, report, study, 1).blocks
        found = {row[0]: row[3] for block in blocks if isinstance(block, DataTable) for row in block.rows}
        assert found["Answers left out"] == differs


def test_gold_trials_are_declared_and_no_deviation() -> None:
    """Answers to gold trials, which no estimate uses, were listed as a deviation from every plan."""
    study = protocol(FIVE)
    answers = [{**row, "exclude": "gold" if row["item"] == "i0" else None} for row in rows(keys=("empathy",))]
    made = register(ToRegister(study, [], 0, 1, n_simulations=2))
    blocks = deviations_section(made, analyze(frames(study, answers), study), study, 1).blocks
    found = {row[0]: row[3] for block in blocks if isinstance(block, DataTable) for row in block.rows}
    assert found["Answers left out"] == "no"
