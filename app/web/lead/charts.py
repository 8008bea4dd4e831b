"""Charts: specifications for the browser, pictures for papers, and the script that draws."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import FileResponse, JSONResponse, Response

from app.actions.charts import chart_picture, vega_script
from app.actions.report import report_of_study
from app.web.assets import FOREVER
from app.web.deps import Db
from app.web.errors import NotFoundError
from app.web.lead.session import Own

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
    return FileResponse(vega_script(request.app.state.data_dir), media_type="text/javascript",
                        headers={"Cache-Control": FOREVER})  # fmt: skip


@router.get("/studies/{slug}/charts.json")
def show_charts(
    db: Db, study: Own, theme: Theme = "light", key: Annotated[list[str] | None, Query()] = None
) -> Response:
    """Several specifications at once, by key; all where none is named. One read of the study, not one a chart."""
    from app.charts.chart import charts_of

    charts = charts_of(*report_of_study(db, study))
    wanted = [chart for chart in charts if key is None or chart.key in key]
    return JSONResponse({chart.key: chart.spec(theme=theme, width="container") for chart in wanted})


@router.get("/studies/{slug}/charts/{key}.json")
def export_chart(db: Db, study: Own, key: str, theme: Theme = "light") -> Response:
    """One specification, to restyle."""
    disposition = {"Content-Disposition": f'attachment; filename="{study.slug}-{key}.vl.json"'}
    return JSONResponse(_spec(db, study, key, theme), headers=disposition)


@router.get("/studies/{slug}/charts/{key}.{picture}")
def export_picture(db: Db, study: Own, key: str, picture: Format, theme: Theme = "light") -> Response:
    kind, content = chart_picture(db, _spec(db, study, key, theme), picture)
    disposition = f'attachment; filename="{study.slug}-{key}.{picture}"'
    return Response(content, media_type=kind, headers={"Content-Disposition": disposition})


def _spec(db: Db, study: Own, key: str, theme: Theme) -> dict[str, object]:
    from app.charts.chart import charts_of

    charts = charts_of(*report_of_study(db, study))
    chart = next((chart for chart in charts if chart.key == key), None)
    spec = chart.spec(theme=theme) if chart else None
    if spec is None:
        raise NotFoundError
    return spec
