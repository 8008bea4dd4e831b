"""Charts: specifications for the browser, pictures for papers, and the script that draws."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import FileResponse, JSONResponse, Response

from app.actions.results.vega_script import vega_script
from app.web.assets import FOREVER
from app.web.errors import NotFoundError
from app.web.lead.session import LeadAndStudy, OwnExport, OwnForLong, live_report

if TYPE_CHECKING:
    from app.charts.chart import Chart

router = APIRouter()

Theme = Literal["light", "dark"]
Format = Literal["svg", "png", "pdf"]


def vega_url() -> str:
    """Where the drawing script is; the address changes with its version, and the lock fixes the version's content."""
    return f"/charts/vega/{version('vl-convert-python')}.js"


@router.get("/charts/vega/{name}.js")
def show_vega(request: Request, name: str) -> Response:
    if name != version("vl-convert-python"):
        raise NotFoundError
    return FileResponse(
        vega_script(request.app.state.data_dir), media_type="text/javascript", headers={"Cache-Control": FOREVER}
    )


@router.get("/studies/{slug}/charts.json")
def show_charts(
    request: Request,
    own: OwnForLong,
    theme: Theme = "light",
    key: Annotated[list[str] | None, Query()] = None,
    of: str | None = None,
) -> Response:
    """Several specifications at once, by key; all where none is named."""
    wanted = [chart for chart in _charts(request, own, of) if key is None or chart.key in key]
    return JSONResponse({chart.key: chart.spec(theme=theme, width="container") for chart in wanted})


@router.get("/studies/{slug}/charts/{key}.json")
def export_chart(
    request: Request, own: OwnForLong, key: str, theme: Theme = "light", of: str | None = None
) -> Response:
    """One specification, to restyle."""
    disposition = {"Content-Disposition": f'attachment; filename="{own.study.slug}-{key}.vl.json"'}
    return JSONResponse(_spec(request, own, of, key, theme), headers=disposition)


@router.get("/studies/{slug}/charts/{key}.{picture}")
def export_picture(
    request: Request, own: OwnExport, key: str, picture: Format, theme: Theme = "light", of: str | None = None
) -> Response:
    from app.actions.results.charts import chart_picture

    kind, content = chart_picture(request.app.state.begin, _spec(request, own, of, key, theme), picture)
    disposition = {"Content-Disposition": f'attachment; filename="{own.study.slug}-{key}.{picture}"'}
    return Response(content, media_type=kind, headers=disposition)


def _charts(request: Request, own: LeadAndStudy, of: str | None) -> list[Chart]:
    from app.charts.chart import charts_of

    made = live_report(request, own, of)
    return charts_of(made.report, made.protocol)


def _spec(request: Request, own: LeadAndStudy, of: str | None, key: str, theme: Theme) -> dict[str, Any]:
    chart = next((chart for chart in _charts(request, own, of) if chart.key == key), None)
    spec = chart.spec(theme=theme) if chart else None
    if spec is None:
        raise NotFoundError
    return spec
