"""The report as a document: every number with its digits, every statistic with its reference."""

import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from app.analysis import analyze
from app.analysis.data.simulated import ARE_SIMULATED
from app.analysis.document import study_report as whole_report
from app.analysis.document.bibliography import (
    OF_PROCEDURE,
    OF_TEXT_MEASURE,
    REFERENCES,
    of_estimate,
    of_procedure,
    of_statistic,
    references_of,
)
from app.analysis.document.body_tables import needed_table
from app.analysis.document.design_words import ACTIVE, NO_SPEED, SHAPES
from app.analysis.document.findings import primary_answers_blocks
from app.analysis.document.methods import ADJUSTMENTS
from app.analysis.document.numbered import Numbered
from app.analysis.document.report_context import ReportContext
from app.analysis.document.study_report import digits, study_report
from app.analysis.estimate import Estimate, Scope
from app.analysis.findings.agreement_summary import AgreementRow, needed_sentence
from app.analysis.findings.answers import Answer
from app.analysis.findings.objections import RULES
from app.analysis.findings.summary import summary_of
from app.analysis.report.labelled import labelled
from app.analysis.report.report import Report
from app.analysis.statistic import statistics
from app.analysis.wording.formatting import UNADJUSTED
from app.base.documents.blocks import Bullets, Code, DataTable, Document, Paragraph
from app.protocol.study import Protocol
from tests.analysis.report.test_primary import rows
from tests.kit.frames import CHOICE, FIVE, frames, protocol

NOW = ReportContext("2026-11-22", "The study is closed.")


@cache
def usual() -> tuple[Report, Protocol, Document]:
    """Analysed once for the tests that only read it."""
    return made()


def made(**parts: Any) -> tuple[Report, Protocol, Document]:  # noqa: ANN401 - whatever a protocol takes
    study = protocol(FIVE, CHOICE, **parts)
    report = analyze(frames(study, rows(keys=("empathy",))), study)
    return report, study, study_report(report, study, [], NOW)[0]


def texts(document: Document) -> str:
    said = [*document.lines]
    for block in document.blocks:
        if isinstance(block, Bullets):
            said += block.lines
        elif isinstance(block, DataTable):
            said += [block.caption, *block.notes, *(cell for row in block.rows for cell in row)]
        elif isinstance(block, Paragraph):
            said.append(block.text)
    return "\n".join(said)


def table(document: Document, caption: str) -> DataTable:
    tables = (block for block in document.blocks if isinstance(block, DataTable))
    return next(block for block in tables if block.caption.startswith(caption))


def test_every_reported_number_has_a_full_precision_recipe() -> None:
    report, _, document = usual()
    recipes = table(document, "Recipe for each number").rows
    numbers = [row[0] for row in recipes]
    used = {
        row[0]
        for block in document.blocks
        if isinstance(block, DataTable)
        if block.header[0] == "No."
        for row in block.rows
    }
    assert numbers == [str(number) for number in range(1, len(recipes) + 1)]
    assert used <= set(numbers)
    known = json.loads(json.dumps([digits(one) for one in report.estimates]))
    assert {row[1] for row in recipes} <= set(known)


def test_recipes_say_each_method_and_each_set_of_rows_once() -> None:
    report, _, document = usual()
    methods, rows = table(document, "Methods").rows, table(document, "Rows").rows
    assert len({row[1:] for row in methods}) == len(methods)
    assert len({row[1:] for row in rows}) == len(rows)
    said = {
        (digits(one), one.statistic, one.method, one.recipe["formula"], one.recipe["filter"], one.recipe["answers"])
        for one in report.estimates
    }
    of_method, of_rows = ({row[0]: row[1:] for row in one} for one in (methods, rows))
    for _, value, method, which in table(document, "Recipe for each number").rows:
        assert (value, *of_method[method][:3], *of_rows[which]) in said


def test_ratings_needed_are_in_one_table_for_all_questions() -> None:
    """One sentence for all had 2,912 characters with 40 questions, and 7,645 with three sources."""
    captions = [block.caption for block in usual()[2].blocks if isinstance(block, DataTable)]
    assert sum("for a reliability of .80" in caption for caption in captions) == 1
    by_source: list[Scope] = [{"source": f"Source {n}"} for n in range(6)]
    keys = [f"q{n}" for n in range(40)]
    known = [Estimate("agreement", key, at, "raters_needed", 9.0, 3.0, 20.0) for key in keys for at in by_source]
    asked = [AgreementRow(key, key, None, {}) for key in keys]
    few = replace(usual()[0], estimates=tuple(one for one in known if one.scope["source"] < "Source 2"))
    beside = needed_table(few, asked)
    assert beside is not None
    assert (beside.header, beside.rows[0]) == (("Question", "Source 0", "Source 1"), ("q0", *["9 (3 to 20)"] * 2))
    below = needed_table(replace(few, estimates=tuple(known)), asked)
    assert below is not None
    assert (len(below.rows), below.notes) == (80, ("160 more rows are in report.json.",))
    assert below.rows[6] == ("q1", "Source 0", "9 (3 to 20)")


def test_source_whose_number_of_ratings_cannot_be_estimated_is_named() -> None:
    known = [
        Estimate("agreement", "empathy", {"source": "Model"}, "raters_needed", 32.0, 14.0, 120.0),
        Estimate("agreement", "empathy", {"source": "Tool"}, "raters_needed", 9.0, 3.0, ci_reason="no_upper_limit"),
        Estimate(
            "agreement",
            "empathy",
            {"source": "Person"},
            "raters_needed",
            None,
            12.0,
            reason="no_variation",
            ci_reason="no_upper_limit",
        ),
    ]
    report = replace(usual()[0], estimates=tuple(known))
    said = needed_sentence(report, AgreementRow("empathy", "Empathy", None, {}))
    assert said.endswith(
        " needs this many ratings per response: 32 (Model; 95% CI 14 to 120), 9 (Tool; 95% CI from 3, no upper limit), "
        "not estimable from these data (Person; 95% CI from 12, no upper limit)."
    )
    assert not needed_sentence(
        replace(report, estimates=(known[2],)), AgreementRow("empathy", "Empathy", None, {}, "turn")
    )


def test_every_estimate_has_a_method_even_if_it_is_undefined() -> None:
    study = protocol(FIVE, CHOICE)
    every = rows(keys=("empathy",))
    for known in ([], every[:1], every[:2], every):
        report = analyze(frames(study, known), study)
        assert [one.statistic for one in report.estimates if not one.method] == []


def test_primary_sentences_are_in_the_summary_and_not_repeated() -> None:
    _, _, document = made(analysis={"primary": ["empathy"]})
    assert texts(document).count("Model was rated higher than Human on Empathy") == 1


def test_methods_name_design_raters_consent_and_exclusions() -> None:
    _, _, document = usual()
    text = texts(document)
    for words in (
        "single-blind",
        "Six raters took part.",
        "no consent form",
        "No answer was excluded",
    ):
        assert words in text


def test_limits_count_further_tests_once() -> None:
    report, _, document = usual()
    (said,) = (note for note in report.notes if "repeat the primary comparisons" in note)
    assert texts(document).count(said) == texts(document).count("repeat the primary comparisons") == 1
    assert "comparisons are exploratory" not in texts(document)


def test_limits_do_not_repeat_that_raters_are_simulated() -> None:
    study = protocol(FIVE)
    found = rows(keys=("empathy",))
    raters = [{"rater": one["rater"], "is_simulated": True} for one in found]
    report = analyze(frames(study, found, raters=raters), study)
    assert any(note.endswith(ARE_SIMULATED) for note in report.notes)
    assert ARE_SIMULATED not in texts(study_report(report, study, [], NOW)[0])


def test_speed_is_not_said_to_be_checked_without_times() -> None:
    """Methods named rules of speed, and Limits said that nobody is flagged, where no rating has a time."""
    study = protocol(FIVE)

    def said(**times: Any) -> str:  # noqa: ANN401 - a cell
        found = [{**row, **times} for row in rows(keys=("empathy",))]
        return texts(study_report(analyze(frames(study, found), study), study, [], NOW)[0])

    timed, untimed = said(active_ms=60_000), said(active_ms=None)
    assert "words per minute" in timed
    assert NO_SPEED not in timed
    assert "words per minute" not in untimed
    assert "median time" not in untimed
    # once in Methods, once in Limits
    assert untimed.count(NO_SPEED) == 2


def test_rules_of_trials_are_not_named_where_raters_only_answer_about_themselves() -> None:
    """Methods named words per minute and times per trial for a questionnaire, which has no trials."""
    study = protocol({**FIVE, "target": "rater"}, checks={"too_fast_sd": 2})
    found = [{"rater": f"r{n}", "question": "empathy", "value": 1 + n % 5} for n in range(12)]
    said = texts(study_report(analyze(frames(study, found), study), study, [], NOW)[0])
    for words in ("are flagged", "is flagged", "per minute", "per trial", "standard deviations below", NO_SPEED):
        assert words not in said


def test_rules_of_flags_are_joined_by_or() -> None:
    assert " times in a row; or if they chose one side so often" in texts(usual()[2])


def test_report_without_ratings_says_so() -> None:
    study = protocol(FIVE)
    document, references = study_report(analyze(frames(study, []), study), study, [], NOW)
    assert "No rater has answered." in texts(document)
    assert NO_SPEED not in texts(document)
    assert references


def test_every_listed_publication_is_cited() -> None:
    lists = [*(one.cites for one in statistics().values()), *(keys for _, keys in OF_PROCEDURE.values())]
    others = {
        *(rule.cites for rule in RULES),
        *OF_TEXT_MEASURE.values(),
        *ADJUSTMENTS,
        "lan1983",
        *ACTIVE,
        *(key for _, key in SHAPES.values()),
    }
    assert {key for keys in lists for key in keys} | others == set(REFERENCES)


def test_every_interval_method_is_described() -> None:
    report, _, _ = usual()
    assert {
        one.method for one in report.estimates if one.ci_low is not None and not of_procedure(one.procedure)
    } == set()


def test_statistic_without_reference_cites_its_interval_method() -> None:
    _, _, document = usual()
    assert "Mean difference (Cameron et al., 2011)." in texts(document)
    assert [one.key for one in of_statistic("mean_difference_at_equal")] == ["dubois2024"]


def test_text_measure_cites_its_publication() -> None:
    estimate = Estimate("text", None, {"covariate": "lix"}, "text_mean", 40.0)
    assert [one.key for one in of_estimate(estimate)] == ["bjornsson1968"]
    assert [one.key for one in references_of([estimate])] == ["bjornsson1968"]


def test_weighted_kappa_cites_its_own_publication() -> None:
    assert [one.key for one in of_statistic("cohen_kappa_quadratic")] == ["cohen1968"]


def test_agreement_of_every_question_is_reported_although_there_are_many_sources() -> None:
    sources = {f"s{n}": {"kind": "model"} for n in range(5)}
    questions = [{**FIVE, "key": f"q{n}"} for n in range(4)]
    study = protocol(*questions, sources=sources)
    given = [
        {
            "rater": f"r{r}",
            "item": f"i{i}",
            "response": f"i{i}:{s}",
            "question": q["key"],
            "value": (i + r * n + k) % 5 + 1,
        }
        for k, q in enumerate(questions)
        for r in range(3)
        for i in range(4)
        for n, s in enumerate(sources)
    ]
    report = analyze(frames(study, given), study)
    document, _ = study_report(report, study, [], NOW)
    of_agreement = table(document, "Agreement between raters:")
    alphas = [row[1] for row in of_agreement.rows if row[2].startswith("Krippendorff")]
    assert set(alphas) == {study.labels.question(q["key"]) for q in questions}
    assert len(alphas) == 4 * (1 + 5)
    assert not any("more rows" in note for note in of_agreement.notes)


def test_intervals_beside_adjusted_p_are_said_to_be_unadjusted() -> None:
    two = [{"question": key, "test": "mean_difference"} for key in ("empathy", "clear")]
    study = protocol(FIVE, {**FIVE, "key": "clear", "label": "Clarity"}, analysis={"primary": two})
    report = analyze(frames(study, rows(keys=("empathy", "clear"))), study)
    document = study_report(report, study, [], NOW)[0]
    assert UNADJUSTED in table(document, "Primary contrasts").notes
    paragraphs = [block.text for block in document.blocks if isinstance(block, Paragraph)]
    assert any("Holm's method" in text and UNADJUSTED in text for text in paragraphs)
    assert "; intervals not adjusted; scale 1–5; " in texts(document)


def test_adjustment_is_told_only_where_a_family_has_several_tests() -> None:
    report, study, document = made()
    assert not [one for one in report.estimates if one.role == "primary" and one.p_adjusted is not None]
    assert "Holm's method" not in texts(document)
    _, references = study_report(report, study, [], NOW)
    assert "holm1979" not in {one.key for one in references}


def test_summary_lists_a_dozen_answers_and_counts_the_others() -> None:
    report, study, _ = usual()
    answer = Answer("empathy", (), "A differed.", "A war anders.")
    many = replace(summary_of(labelled(report, study.labels), study), answers=(answer,) * 20)
    listed = primary_answers_blocks(report, study, many, Numbered(study.labels))[0]
    assert isinstance(listed, Bullets)
    assert listed.lines[-2:] == ("A differed.", "8 more primary contrasts are in the table below.")


def test_long_code_is_named_and_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The three scripts of 50 contrasts took nineteen pages of a PDF."""
    report, study, _ = usual()
    (printed,) = whole_report.model_code_section(report, study)
    n_lines = sum(one.text.count("\n") for one in printed.blocks if isinstance(one, Code))
    monkeypatch.setattr(whole_report, "MAX_CODE", n_lines)
    assert [*whole_report.model_code_section(report, study)] == [printed]
    monkeypatch.setattr(whole_report, "MAX_CODE", n_lines - 1)
    ((only,),) = (one.blocks for one in whole_report.model_code_section(report, study))
    assert isinstance(only, Paragraph)
    assert f"{n_lines} lines" in only.text
    assert "models.R, models-brms.R and models.py are in the report's archive" in only.text
