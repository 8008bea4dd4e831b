"""The analytics page, and the same report as JSON and CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.analysis.report.report_tables import records_csv, report_json
from app.web.lead.results.charts import vega_url
from app.web.lead.session import OwnExport, OwnForLong, live_report
from app.web.pages import page

if TYPE_CHECKING:
    from app.actions.results.live_report import LiveReports

router = APIRouter()


@router.get("/studies/{slug}/analytics")
def show_analytics(request: Request, own: OwnForLong) -> Response:
    from app.web.lead.results.analytics_sections import sections

    reports: LiveReports = request.app.state.reports
    made, is_current = reports.soon(request.app.state.begin, own.study)
    if made is None:
        return page(request, "lead/being_made.html", lead=own.lead, study=own.study)
    return page(
        request,
        "lead/analytics.html",
        lead=own.lead,
        study=own.study,
        report=made.report,
        read_at=made.read_at,
        is_current=is_current,
        of=made.name,
        vega=vega_url(),
        **sections(made.report, made.protocol),
    )


@router.get("/studies/{slug}/analytics.json")
def export_report_json(request: Request, own: OwnExport, of: str | None = None) -> Response:
    report = live_report(request, own, of).report
    return _file(report_json(report), "application/json", f"{own.study.slug}-analytics.json")


@router.get("/studies/{slug}/analytics.csv")
def export_report_csv(request: Request, own: OwnExport, of: str | None = None) -> Response:
    report = live_report(request, own, of).report
    return _file(records_csv(report.estimates), "text/csv; charset=utf-8", f"{own.study.slug}-analytics.csv")


def _file(text: str, kind: str, name: str) -> Response:
    return Response(text, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _sections(report: Report, protocol: Protocol) -> dict[str, Any]:
    """What the template lists: a section for each question that has estimates, and the charts over several."""
    from app.analysis.findings.headlines import agreement, comparisons
    from app.web.lead.results.estimate_tables import agreement_of, all_rows
    from app.web.lead.results.question_details import folds_of, told_once

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
    from app.web.lead.results.estimate_tables import all_rows
    from app.web.lead.results.question_details import folds_of, told_once

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
    from app.analysis.sections.comparison.composites import composite_question

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
