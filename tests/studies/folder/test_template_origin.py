"""Methods of a study that was started from a template are those of the study, not those of the template."""

from collections.abc import Callable
from typing import Any

import pytest

from app.analysis import analyze
from app.analysis.document.report_context import ReportContext
from app.analysis.document.study_report import study_report
from app.protocol.study import Protocol
from app.studies.folder.study_templates import template_origin
from tests.analysis.document.test_study_report import texts
from tests.kit.frames import frames
from tests.kit.templates import template_study

AYERS = "Attune template ayers-pair, which is based on Ayers et al. 2023, JAMA Intern Med 183:589-596."
SEVEN = dict.fromkeys(range(1, 8), "") | {1: "not at all", 7: "entirely"}


def changed(change: Callable[[dict[str, Any]], object]) -> Protocol:
    data = template_study("ayers-pair").protocol.model_dump(mode="json", exclude_unset=True)
    change(data)
    return Protocol.model_validate(data)


def counselor_study() -> Protocol:
    """Four raters, three sources, ties, and a scale from 1 to 7."""

    def change(data: dict[str, Any]) -> None:
        data["title"] = "Consolation"
        data["sources"] = {"counselor": {"kind": "human"}, "gpt": {"kind": "model"}, "llama": {"kind": "model"}}
        data["questions"][0]["tie"] = True
        for question in data["questions"][1:]:
            question["scale"] = SEVEN
        data["design"] |= {"raters_per_trial": 4, "trials_per_rater": 10}
        data["analysis"] = {"reference": "counselor", "primary": ["preference", "empathy"]}

    return changed(change)


def test_an_unchanged_design_follows_its_template() -> None:
    assert template_origin(template_study("ayers-pair").protocol) == f"The design follows the {AYERS}"


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["sources"]["chatbot"].update(label="GPT-4o"),
        lambda data: data["design"].update(max_raters=90, seed=7),
        lambda data: data.update(title="Consolation", language="de"),
    ],
)
def test_names_and_admission_do_not_change_the_design(change: Callable[[dict[str, Any]], object]) -> None:
    assert template_origin(changed(change)) == f"The design follows the {AYERS}"


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["questions"][0].update(tie=True),
        lambda data: data["design"].update(raters_per_trial=4),
        lambda data: data["sources"].update(other={"kind": "model"}),
        lambda data: data.update(checks={"too_fast_sd": 2}),
    ],
)
def test_a_changed_design_says_nothing_of_its_template(change: Callable[[dict[str, Any]], object]) -> None:
    assert template_origin(changed(change)) == ""


@pytest.mark.parametrize("name", ["", "no-such-template"])
def test_a_study_without_a_template_says_nothing(name: str) -> None:
    assert template_origin(changed(lambda data: data.update(template=name))) == ""


def test_methods_of_a_changed_study_say_nothing_of_its_template() -> None:
    study = counselor_study()
    given = [
        {
            "rater": f"r{r}",
            "item": f"i{i}",
            "response": f"i{i}:{source}",
            "question": "empathy",
            "value": (r + i * n) % 7 + 1,
        }
        for r in range(4)
        for i in range(3)
        for n, source in enumerate(study.sources)
    ]
    report = analyze(frames(study, given), study)
    now = ReportContext("2026-11-24", origin=template_origin(study))
    text = texts(study_report(report, study, [], now)[0])
    for words in (
        "4 raters per trial and at most 10 trials per rater",
        "Counselor (human, 3 responses), GPT (model, 3 responses) and Llama (model, 3 responses)",
        "one of the two responses or about the same",
        "1 not at all, 2, 3, 4, 5, 6, 7 entirely",
        "No justification of the sample size was given.",
        "Tests are two-sided at an alpha level of .05",
        "Four raters took part.",
    ):
        assert words in text
    for words in (
        "template",
        "Ayers",
        "hree raters",
        "without ties",
        "1 to 5",
        "physician",
        "Physician",
        "medical advice",
    ):
        assert words not in text


def test_a_study_in_its_leads_own_words_keeps_them() -> None:
    study = changed(lambda data: data.update(description="A pilot."))
    report = analyze(frames(study, []), study)
    assert "A pilot." in texts(study_report(report, study, [], ReportContext("2026-11-24"))[0])
