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
