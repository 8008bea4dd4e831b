"""Charts: image files for pages and papers, and specifications that users can restyle."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from fastapi import APIRouter, Query, Request
from starlette.responses import JSONResponse, Response

from app.base.web.errors import NotFoundError
from app.rating.withdrawal.withdraw import count_deleted_raters
from app.results.overview.progress import get_progress
from app.results.overview.progress_chart import KEY as PROGRESS
from app.results.overview.progress_chart import ProgressChart
from app.results.pages.report_query import OwnReportQuery
from app.studies.own_study import LeadAndStudy, OwnExport, OwnForLong

if TYPE_CHECKING:
    from app.results.charts.chart import Chart

router = APIRouter()

Theme = Literal["light", "dark"]
Format = Literal["svg", "png", "pdf"]
Size = Literal["narrow", "wide", "full"]
# As wide as a phone, as one of two columns, and as both. Pages show no picture smaller, so its letters are readable.
WIDTHS: dict[Size, int] = {"narrow": 300, "wide": 540, "full": 880}
# Characters per line of a subtitle: a longer line would widen the picture.
LINES: dict[Size, int] = {"narrow": 44, "wide": 80, "full": 130}
# The address of a chart names a report; the chart made from it never changes.
KEEP = "private, max-age=86400"


@router.get("/studies/{slug}/charts.json")
def show_charts(
    request: Request,
    own: OwnForLong,
    asked: OwnReportQuery,
    theme: Theme = "light",
    key: Annotated[list[str] | None, Query()] = None,
) -> Response:
    """Several specifications at once, by key; all of them if no key is given."""
    charts, _ = _charts(request, own, asked)
    wanted = [chart for chart in charts if key is None or chart.key in key]
    return JSONResponse({chart.key: chart.spec(theme=theme, width="container") for chart in wanted})


@router.get(f"/studies/{{slug}}/drawings/{PROGRESS}.svg")
def show_progress_drawing(request: Request, own: OwnForLong, theme: Theme = "light", size: Size = "wide") -> Response:
    """As `show_drawing`, for those who follow the study and see no results."""
    chart, made_from = _progress(request, own)
    return _drawing(request, own, chart, made_from.n_deleted, theme, size)


@router.get("/studies/{slug}/drawings/{key}.svg")
def show_drawing(
    request: Request, own: OwnForLong, asked: OwnReportQuery, key: str, theme: Theme = "light", size: Size = "wide"
) -> Response:
    """The chart for a page: without its title, which the page contains as text."""
    chart, made_from = _chart(request, own, asked, key)
    response = _drawing(request, own, chart, made_from.n_deleted, theme, size)
    if made_from.name and made_from.name == asked.of:
        response.headers["Cache-Control"] = KEEP
    return response


def _drawing(
    request: Request, own: LeadAndStudy, chart: Chart | ProgressChart, n_deleted: int, theme: Theme, size: Size
) -> Response:
    from app.results.charts.draw import Drawing, chart_picture

    spec = chart.spec(theme=theme, width=WIDTHS[size])
    if spec is None:
        raise NotFoundError
    drawing = Drawing(own.study, n_deleted, untitled(spec, LINES[size]))
    kind, content = chart_picture(request.app.state.making, drawing, "svg")
    return Response(content, media_type=kind)


@router.get("/studies/{slug}/charts/{key}.json")
def export_chart(
    request: Request, own: OwnForLong, asked: OwnReportQuery, key: str, theme: Theme = "light"
) -> Response:
    """One specification, to restyle."""
    disposition = {"Content-Disposition": f'attachment; filename="{own.study.slug}-{key}.vl.json"'}
    spec, _ = _spec(request, own, asked, key, theme)
    return JSONResponse(spec, headers=disposition)


@router.get("/studies/{slug}/charts/{key}.{picture}")
def export_picture(
    request: Request, own: OwnExport, asked: OwnReportQuery, key: str, picture: Format, theme: Theme = "light"
) -> Response:
    from app.results.charts.draw import Drawing, chart_picture

    spec, made_from = _spec(request, own, asked, key, theme)
    kind, content = chart_picture(request.app.state.making, Drawing(own.study, made_from.n_deleted, spec), picture)
    disposition = {"Content-Disposition": f'attachment; filename="{own.study.slug}-{key}.{picture}"'}
    return Response(content, media_type=kind, headers=disposition)


def untitled(spec: dict[str, Any], length: int) -> dict[str, Any]:
    """The specification with the subtitle in place of the title, in lines of at most `length` characters.

    >>> untitled({"title": {"text": ["A"], "subtitle": ["one two", "three"]}}, 9)
    {'title': {'text': ['one two', 'three'], 'fontSize': 12, 'fontWeight': 'normal'}}
    """
    title = spec.get("title", {})
    rest = {key: value for key, value in spec.items() if key != "title"}
    if not title.get("subtitle"):
        return rest
    lines = textwrap.wrap(" ".join(title["subtitle"]), length)
    return {**rest, "title": {"text": lines, "fontSize": 12, "fontWeight": "normal"}}


class MadeFrom(NamedTuple):
    """The name of a chart's report, and of how many raters the answers had been deleted when its data were read.

    The progress of this moment is of no report, whatever report its page was shown from: its name is empty.
    """

    name: str
    n_deleted: int


def _charts(request: Request, own: LeadAndStudy, asked: OwnReportQuery) -> tuple[list[Chart], MadeFrom]:
    from app.results.charts.chart import charts_of

    made = asked.report(request, own)
    return charts_of(made.report, made.protocol, asked.axes), MadeFrom(made.name, made.n_deleted)


def _progress(request: Request, own: LeadAndStudy) -> tuple[ProgressChart, MadeFrom]:
    with request.app.state.begin_reading() as db:
        n_deleted = count_deleted_raters(db, own.study.id)
        return ProgressChart(get_progress(db, own.study.id)), MadeFrom("", n_deleted)


def _chart(
    request: Request, own: LeadAndStudy, asked: OwnReportQuery, key: str
) -> tuple[Chart | ProgressChart, MadeFrom]:
    if key == PROGRESS:
        return _progress(request, own)
    charts, made_from = _charts(request, own, asked)
    chart = next((chart for chart in charts if chart.key == key), None)
    if chart is None:
        raise NotFoundError
    return chart, made_from


def _spec(
    request: Request, own: LeadAndStudy, asked: OwnReportQuery, key: str, theme: Theme
) -> tuple[dict[str, Any], MadeFrom]:
    chart, made_from = _chart(request, own, asked, key)
    spec = chart.spec(theme=theme)
    if spec is None:
        raise NotFoundError
    return spec, made_from
