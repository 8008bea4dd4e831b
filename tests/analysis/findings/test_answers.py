"""The sentence that answers a question says what the verdicts say, in both languages."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from app.analysis import analyze
from app.analysis.estimate import Estimate
from app.analysis.findings.answers import answers_document, answers_of, in_short
from app.analysis.findings.main_contrasts import MainContrast
from app.analysis.report.report_tables import report_json
from tests.kit.frames import CHOICE, FIVE, frames, protocol

if TYPE_CHECKING:
    from app.analysis.estimate import Verdict

HARM = {**FIVE, "key": "harm", "text": "How harmful is it?", "reversed": True}
STUDY = protocol(FIVE, CHOICE, HARM)
LABELS = {"empathy": "Empathy", "preference": "Preference", "harm": "Harm"}


def contrast(
    source: str,
    value: float | None,
    verdict: Verdict | None,
    *,
    key: str = "empathy",
    statistic: str = "mean_difference",
    answer: str = "",
    **more: Any,  # noqa: ANN401 - fields of an estimate
) -> MainContrast:
    """A primary contrast with Counselor; `answer` is the statistic whose verdict it is, if it is another one."""
    fields: dict[str, Any] = {"p_value": 0.012, "p_adjusted": 0.024, "n_items": 30, "n_raters": 1036, **more}
    width = 0.1 if statistic == "share_preferred" else 0.35
    ends = (None, None, None) if value is None else (value - width, value + width, 0.95)
    scope: Any = {"source": source, "reference": "Counselor"}
    fields["verdict"] = verdict
    made = Estimate("comparison", key, scope, statistic, value, *ends, **fields)
    decided = Estimate("comparison", key, scope, answer, value, **fields) if answer else made
    return MainContrast(key, LABELS[key], "", made, None, None, is_reversed=key == "harm", primary=decided)


def said(*contrasts: MainContrast) -> tuple[str, str, str]:
    (answer,) = answers_of(contrasts, STUDY)
    return in_short([answer])[0], answer.english, answer.german


def test_neither_of_two_sources_differs() -> None:
    short, english, german = said(contrast("GPT-4o", -0.14, "inconclusive"), contrast("Llama", -0.19, "inconclusive"))
    assert short == "Neither GPT-4o nor Llama differed clearly from Counselor on Empathy."
    assert english == (
        "Neither GPT-4o nor Llama differed clearly from Counselor on Empathy (GPT-4o −0.14, 95% CI −0.49 to 0.21, "
        "adjusted p = .024; Llama −0.19, 95% CI −0.54 to 0.16, adjusted p = .024; scale 1–5; 1,036 raters, 30 items)."
    )
    assert german == (
        "Weder GPT-4o noch Llama unterschied sich bei Empathy klar von Counselor (GPT-4o −0,14, 95-%-KI −0,49 bis "
        "0,21, adjustiert p = 0,024; Llama −0,19, 95-%-KI −0,54 bis 0,16, adjustiert p = 0,024; Skala 1–5; 1.036 "
        "beurteilende Personen, 30 Items)."
    )


@pytest.mark.parametrize(
    ("contrasts", "short"),
    [
        ([contrast("A", 0.8, "clear")], "A was rated higher than Counselor on Empathy."),
        (
            [contrast("A", -0.8, "clear"), contrast("B", -0.9, "clear")],
            "A and B were rated lower than Counselor on Empathy.",
        ),
        (
            [contrast("A", 0.8, "clear"), contrast("B", -0.9, "clear"), contrast("C", 0.1, "inconclusive")],
            (
                "A was rated higher than Counselor on Empathy; B was rated lower than Counselor on Empathy; "
                "C did not differ clearly from Counselor on Empathy."
            ),
        ),
        (
            [contrast(name, 0.1, "inconclusive") for name in "ABC"],
            "None of A, B and C differed clearly from Counselor on Empathy.",
        ),
        ([contrast("A", None, None)], "A cannot be compared with Counselor on Empathy yet."),
        # Too few raters: there is a difference of means, but no verdict on it.
        ([contrast("A", 0.8, None)], "A cannot be compared with Counselor on Empathy yet."),
        (
            [contrast("A", 0.7, "clear", key="preference", statistic="share_preferred")],
            "A was preferred over Counselor.",
        ),
        (
            [contrast("A", 0.3, "clear", key="preference", statistic="share_preferred")],
            "Counselor was preferred over A.",
        ),
        (
            [contrast("A", 0.1, "equivalent", answer="equivalence")],
            "A was equivalent to Counselor on Empathy.",
        ),
        (
            [contrast("A", -0.4, "not_shown", answer="non_inferiority")],
            "A was not shown to be non-inferior to Counselor on Empathy.",
        ),
        (
            [contrast("A", 0.2, "clear", statistic="category_difference")],
            "A was given Empathy more often than Counselor.",
        ),
    ],
)
def test_sentence_follows_the_verdicts(contrasts: list[MainContrast], short: str) -> None:
    assert said(*contrasts)[0] == short


def test_numbers_of_choices_and_of_undesirable_scales() -> None:
    _, english, german = said(
        contrast("A", 0.7, "clear", key="preference", statistic="share_preferred", p_adjusted=None)
    )
    assert "(70.0% of choices, 95% CI 60.0% to 80.0%, p = .012; 1,036 raters, 30 items)" in english
    assert "(70,0\N{NO-BREAK SPACE}% der Wahlen, 95-%-KI 60,0\N{NO-BREAK SPACE}% bis 80,0\N{NO-BREAK SPACE}%" in german
    _, english, _ = said(contrast("A", 0.5, "clear", key="harm"))
    assert english.startswith("A was rated higher than Counselor on Harm (+0.50, 95% CI 0.15 to 0.85")
    assert "scale 1–5, high values are undesirable" in english


def test_each_question_and_reference_has_its_own_answer_and_only_primary_ones_count() -> None:
    rated, chosen = (
        contrast("A", 0.8, "clear"),
        contrast("A", 0.7, "clear", key="preference", statistic="share_preferred"),
    )
    exploratory = MainContrast("harm", "Harm", "", rated.estimate, None, None)
    assert in_short(answers_of([rated, chosen, exploratory], STUDY)) == [
        "A was rated higher than Counselor on Empathy.",
        "A was preferred over Counselor.",
    ]
    assert answers_of([], STUDY) == []


def test_questions_with_the_same_answer_share_a_sentence_without_numbers() -> None:
    found = answers_of(
        [
            contrast("A", 0.8, "clear"),
            contrast("A", 0.5, "clear", key="harm"),
            contrast("B", -0.5, "clear", key="harm"),
        ],
        STUDY,
    )
    assert in_short([found[0], replace(found[1], contrasts=found[1].contrasts[:1])]) == [
        "A was rated higher than Counselor on Empathy and Harm."
    ]
    assert len(in_short(found)) == 2


def test_answers_are_in_the_json_of_a_report() -> None:
    rows = [
        {"rater": rater, "item": item, "response": f"{item}:{source}", "question": "empathy", "value": value}
        for n, rater in enumerate("abcdef")
        for m, item in enumerate("uvwxyz")
        for source, value in (("human", 2 + (n + m) % 2), ("model", 4 + (n * m) % 2))
    ]
    study = protocol(FIVE)
    report = analyze(frames(study, rows), study)
    answers = answers_document(report, study)
    assert [one["question"] for one in answers] == ["empathy"]
    assert answers[0]["en"].startswith("Model was rated higher than Human on Empathy (+")
    assert answers[0]["de"].startswith("Model wurde bei Empathy höher bewertet als Human (+")
    assert json.loads(report_json(report, answers))["answers"] == answers
