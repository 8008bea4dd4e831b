"""What the analytics page lists: a section per question, and the parts that concern the whole study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.report.labelled import labelled
from app.analysis.sections.comparison.composites import composite_question
from app.charts.chart import charts_of
from app.web.lead.results.estimate_tables import agreement_of, all_rows
from app.web.lead.results.headlines import agreement, comparisons
from app.web.lead.results.question_details import folds_of, told_once

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from app.analysis.estimate import Estimate
    from app.analysis.report.report import Report
    from app.design.protocol.study import Protocol
    from app.design.questions.kinds import Question


def sections(report: Report, protocol: Protocol) -> dict[str, Any]:
    """What the template lists: a section for each question that has estimates, and the charts over several."""
    charts = charts_of(report, protocol)
    labels = protocol.labels
    report = labelled(report, labels)
    asked = questions_of(protocol)
    estimates = by_question(report, [question.key for question in asked])
    questions = [
        {
            "anchor": f"question-{place}",
            "question": question,
            "label": labels.question(question.key),
            "comparisons": list(comparisons(report, question)),
            "agreement_claims": list(agreement(report, question)),
            "charts": [chart for chart in charts if chart.question == question.key],
            "agreement": agreement_of([f for f in estimates[question.key] if f.section == "agreement"]),
            "folds": folds_of(estimates[question.key]),
            "rows": all_rows([*told_once(estimates[question.key])]),
        }
        for place, question in enumerate(asked, start=1)
    ]
    is_rated = any(estimate.n_ratings for estimate in report.estimates)
    return {
        "is_rated": is_rated,
        "questions": [section for section in questions if section["rows"]],
        "without": [section["label"] for section in questions if not section["rows"]],
        "overall": [chart for chart in charts if chart.question is None],
        "parts": [*_parts(estimates[None])],
    }


def _parts(estimates: Sequence[Estimate]) -> Iterator[dict[str, Any]]:
    """What is of the whole study and of no question: its texts, its raters."""
    for words, title, of, section in (
        ("Texts", "Texts, before anybody rates them", "the texts", "text"),
        ("Raters", "Raters, over all questions", "the raters", "rater"),
    ):
        own = [estimate for estimate in estimates if estimate.section == section]
        if own:
            part = {"anchor": words.lower(), "words": words, "title": title, "of": of}
            yield {**part, "folds": folds_of(own), "rows": all_rows([*told_once(own)])}


def questions_of(protocol: Protocol) -> list[Question]:
    """The questions of a study, then its composites."""
    scaled = {question.key: question for question in protocol.scaled_questions}
    composites = protocol.analysis.composites.items()
    return [
        *protocol.questions,
        *(composite_question(name, one, [scaled[key] for key in one.questions]) for name, one in composites),
    ]


def by_question(report: Report, keys: Sequence[str]) -> dict[str | None, list[Estimate]]:
    """The estimates of each question; those of one code (`question=code`) belong to its question, None to the study."""
    found: dict[str | None, list[Estimate]] = {None: [], **{key: [] for key in keys}}
    for estimate in report.estimates:
        key = estimate.question
        found[key if key in found or key is None else key.rpartition("=")[0]].append(estimate)
    return found
