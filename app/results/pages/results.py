"""The results: a summary page and one page per section; and the same report as JSON and CSV."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.analysis.data.earlier_words import earlier_sentences
from app.analysis.estimate import Estimate
from app.analysis.findings.findings_document import findings_document
from app.analysis.model_code.scripts import ScriptName, scripts_of
from app.analysis.report.labelled import labelled
from app.analysis.report.report_tables import command_of, report_json, results_csv
from app.base.database.replica import ReplicaReads
from app.base.numbers import STYLE_NAMES
from app.base.problem import BlindedError
from app.base.processes.side_process import SideProcessError
from app.base.rendering.pages import page
from app.base.web.links import base_address
from app.protocol.labels import Labels
from app.rating.review.rater_rows import has_only_simulated
from app.results.documents.report_context import version_words
from app.results.overview.progress import get_progress
from app.results.overview.progress_chart import ProgressChart
from app.results.pages.report_query import OwnReportQuery, ReportQuery
from app.results.pages.sections.parts import PLAN, SUMMARY, parts_of
from app.results.pages.unit_rows import by_place, unit_rows
from app.results.reports.outcomes import WAITING, ReportStoppedError
from app.results.snapshots.stored import list_snapshots
from app.studies.coverage import get_counts
from app.studies.own_study import LeadAndStudy, OwnExport, OwnForLong

if TYPE_CHECKING:
    from app.analysis.report.report import Report
    from app.results.pages.summary_view import Answered
    from app.results.registration.page import ComparedPlan
    from app.results.reports.live_report import LiveReports
    from app.results.reports.outcomes import Computing, LiveReport, Stopped

Context = Callable[["LiveReport", "Report"], tuple[str, dict[str, Any]]]
# Results from a replica say how old they are; answers of the last second are not missed by anyone.
MIN_LAG_S = 1


def replica_note(replica: ReplicaReads | None) -> str:
    """A sentence for the page; empty if the results are those of this moment, also because the primary was read."""
    lag_s = replica.lag_s() if replica is not None and replica.is_usable() else None
    if lag_s is None or lag_s < MIN_LAG_S:
        return ""
    n = round(lag_s)
    return f"As of {n} second{'s' if n != 1 else ''} ago: these results come from a copy of the database."


router = APIRouter()


@router.get("/studies/{slug}/results")
def show_results(request: Request, own: OwnForLong, asked: OwnReportQuery) -> Response:
    """The summary: what the study asked, what was found, and what could overturn it."""
    return _report_page(request, own, asked, _summary)


@router.get("/studies/{slug}/results.json")
def export_report_json(request: Request, own: OwnExport, asked: OwnReportQuery) -> Response:
    made = asked.report(request, own)
    findings = findings_document(made.report, made.protocol)
    return _file(report_json(made.report, findings, made.read_at), "application/json", _name(own, asked, "json"))


@router.get("/studies/{slug}/results.csv")
def export_report_csv(request: Request, own: OwnExport, asked: OwnReportQuery) -> Response:
    made = asked.report(request, own)
    return _file(results_csv(made.report, made.read_at), "text/csv; charset=utf-8", _name(own, asked, "csv"))


@router.get("/studies/{slug}/results/code/{script}")
def export_model_code(request: Request, own: OwnExport, asked: OwnReportQuery, script: ScriptName) -> Response:
    """The models of the primary contrasts as a script."""
    made = asked.report(request, own)
    text = next(one.text for one in scripts_of(made.report, made.protocol) if one.name == script)
    return _file(text, "text/plain; charset=utf-8", f"{own.study.slug}-{script}")


@router.get("/studies/{slug}/results/{part}")
def show_results_part(request: Request, own: OwnForLong, asked: OwnReportQuery, part: str) -> Response:
    """One section."""

    def context(made: LiveReport, shown: Report) -> tuple[str, dict[str, Any]]:
        from app.results.pages.sections.part_view import part_context

        if part == PLAN:
            return "results/pages/results_plan.html", {"here": PLAN}
        found = parts_of(shown.estimates, made.protocol).get(part)
        if found is None:
            return "results/pages/results_empty.html", {"here": part}
        more = part_context(found, made.report, shown, made.protocol, asked)
        if part == "items":
            more |= _units(request, own, made.report.estimates, made.protocol.labels)
        return "results/pages/results_part.html", {"here": part, **more}

    return _report_page(request, own, asked, context)


def _units(request: Request, own: LeadAndStudy, estimates: Sequence[Estimate], labels: Labels) -> dict[str, Any]:
    """Items with the largest and smallest effect, and most disagreement: rows shown, and one click away."""
    with request.app.state.begin() as db:
        extremes = unit_rows(db, own.study.id, estimates, labels, ("item_difference", "item_share"))
        disputed = unit_rows(db, own.study.id, estimates, labels, ("unit_disagreement",))
    return {
        name: [part for part in by_place(rows) if part] for name, rows in (("extremes", extremes), ("units", disputed))
    }


def _summary(made: LiveReport, shown: Report) -> tuple[str, dict[str, Any]]:
    from app.results.pages.summary_view import summary_context

    if not any(estimate.n_ratings for estimate in shown.estimates):
        return "results/pages/results_empty.html", {"here": SUMMARY}
    return "results/pages/results.html", {"here": SUMMARY, **summary_context(shown, made)}


def _report_page(request: Request, own: LeadAndStudy, asked: ReportQuery, context: Context) -> Response:
    """A page of the report, or a page saying that it is being computed or could not be computed."""
    if asked.snapshot:
        return _snapshot(request, own, asked, context)
    reports: LiveReports = request.app.state.reports
    stopped: Stopped | None = None
    computing: Computing | None = None
    early: LiveReport | None = None
    try:
        soon = reports.soon(request.app.state.begin_reading, own.study, asked.filters, asked.after)
        made, is_current, computing, _, early = soon
    except BlindedError:
        return _blinded(request, own)
    except ReportStoppedError as error:
        stopped, made, is_current = error.stopped, error.latest, False
        if made is None:
            return _failed(request, own, asked, stopped)
    if made is None:
        return _being_computed(request, own, asked, computing or WAITING, early)
    narrowed = replace(made, report=asked.narrowed(made.report))
    shown = labelled(narrowed.report, made.protocol.labels)
    template, found = context(narrowed, shown)
    looks = _looks(request, own) if made.protocol.monitoring.looks and found["here"] == SUMMARY else []
    with request.app.state.begin() as db:
        kept = list_snapshots(db, own.study.id)
        seen = version_words(db, own.study, own.study.protocol_version) if found["here"] == SUMMARY else ""
    plan = _plan(request, own, made, own.study.protocol_version)
    found = {**found, "monitoring": looks, "snapshots": kept, "opened": None, "plan": plan}
    found |= {"replica_note": replica_note(request.app.state.replica), "stopped": stopped}
    found |= {"versions": _versions(made, found["here"], seen), "computing": computing}
    found |= {"newest": early and _answered(asked, early)}
    found |= {"update": _update(request, stopped or made)}
    return page(request, template, lead=own.lead, study=own.study, **_frame(asked, made, shown, is_current), **found)


def _versions(made: LiveReport, here: str, seen: str = "") -> str:
    """Which versions of the design raters saw, and how many answers were given to an earlier wording."""
    reworded = earlier_sentences(made.report.sample.by_version, made.protocol.labels) if here == SUMMARY else ()
    return " ".join(filter(None, (seen, *reworded)))


def _answered(asked: ReportQuery, early: LiveReport) -> Answered | None:
    """What answers the question of the study, before the rest of the report is computed."""
    from app.results.pages.summary_view import answered_of

    return answered_of(labelled(asked.narrowed(early.report), early.protocol.labels), early.protocol)


def _being_computed(
    request: Request, own: LeadAndStudy, asked: ReportQuery, computing: Computing, early: LiveReport | None
) -> Response:
    """What is known before the first report: the size of the study, the answer, and how far the computation is."""
    with request.app.state.begin_reading() as db:
        counts, only_simulated = get_counts(db, own.study.id), has_only_simulated(db, own.study.id)
    context: dict[str, Any] = {"address": str(request.url), "computing": computing, "counts": counts}
    context |= {"only_simulated": only_simulated, "answered": early and _answered(asked, early)}
    context |= {"only": asked.in_words(early.protocol.labels) if early else ""}
    return page(request, "results/pages/being_made.html", lead=own.lead, study=own.study, **context)


def _update(request: Request, outcome: LiveReport | Stopped) -> str:
    """The address of this page with a newer report; it stays the same when it is opened again."""
    return str(request.url.include_query_params(after=outcome.read_at.isoformat()))


def _failed(request: Request, own: LeadAndStudy, asked: ReportQuery, stopped: Stopped) -> Response:
    """Why there is no report."""
    why: dict[str, Any] = {"stopped": stopped, "update": _update(request, stopped), "asked": asked}
    with request.app.state.begin_reading() as db:
        why |= {"only_simulated": has_only_simulated(db, own.study.id)}
    return page(request, "results/pages/results_failed.html", lead=own.lead, study=own.study, **why, status=503)


def _plan(request: Request, own: LeadAndStudy, made: LiveReport, version: int) -> ComparedPlan | None:
    """The registered plan compared with a report by this version of the protocol; None without a registration."""
    from app.results.registration.page import compared_plan

    return compared_plan(request.app.state.begin, own.study, made, version)


def _blinded(request: Request, own: LeadAndStudy) -> Response:
    """What can be seen while estimates are hidden: progress and the declared looks."""
    with request.app.state.begin_reading() as db:
        progress = ProgressChart(get_progress(db, own.study.id))
    context: dict[str, Any] = {"monitoring": _looks(request, own), "progress_chart": progress}
    return page(request, "results/pages/results_blinded.html", lead=own.lead, study=own.study, **context)


def _snapshot(request: Request, own: LeadAndStudy, asked: ReportQuery, context: Context) -> Response:
    """A page of a snapshot: the same digits as when it was saved."""
    opened = asked.opened(request, own)
    made = opened.made
    narrowed = replace(made, report=asked.narrowed(made.report))
    shown = labelled(narrowed.report, made.protocol.labels)
    template, found = context(narrowed, shown)
    frame = _frame(replace(asked, filters=made.filters), made, shown, is_current=True)
    plan = _plan(request, own, made, opened.row.protocol_version)
    found = {**found, "monitoring": [], "snapshots": [], "opened": opened, "base": base_address(request), "plan": plan}
    found |= {"replica_note": "", "stopped": None, "computing": None, "newest": None, "update": ""}
    found |= {"versions": _versions(made, found["here"])}
    frame["command"] = shlex.join(["attune", "snapshot", "show", own.study.slug, asked.snapshot, "--json"])
    return page(request, template, lead=own.lead, study=own.study, **frame, **found)


def _looks(request: Request, own: LeadAndStudy) -> list[str]:
    """Progress and declared looks, in sentences; that they could not be computed, if so."""
    from app.results.reports.looks import monitoring_lines

    try:
        return monitoring_lines(request.app.state.making, request.app.state.begin_reading, own.study)
    except SideProcessError:
        return ["The declared looks could not be computed in time. Reload this page to try again."]


def _frame(asked: ReportQuery, made: LiveReport, shown: Report, is_current: bool) -> dict[str, Any]:  # noqa: FBT001 - as returned by `soon`
    """The context of the frame around every page of the results."""
    labels = made.protocol.labels
    return {
        "parts": list(parts_of(shown.estimates, made.protocol).values()),
        "report": made.report,
        "only_simulated": made.report.is_simulated,
        "read_at": made.read_at,
        "is_current": is_current,
        "asked": asked,
        "only": asked.in_words(labels),
        "options": made.options,
        "labels": labels,
        "questions": [(question.key, labels.question(question.key)) for question in made.protocol.questions],
        "pairs": [*asked.pairs, ("of", made.name)],
        "number_styles": STYLE_NAMES,
        "command": command_of(made.report, made.report.study),
    }


def _name(own: LeadAndStudy, asked: ReportQuery, ending: str) -> str:
    return f"{own.study.slug}-results{'-filtered' if asked.is_narrowed else ''}.{ending}"


def _file(text: str, kind: str, name: str) -> Response:
    return Response(text, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
