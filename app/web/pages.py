"""Templates: one environment, strict about names that are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from app.design.scale import number_text
from app.web.markdown import markdown
from app.web.words import FILTERS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from starlette.requests import Request

    from app.web.assets import Assets


class Pages:
    """Renders a whole page, or the fragment of it that htmx asked for: both are the same file."""

    def __init__(self, folder: Path, assets: Assets, url_for: Callable[..., str]) -> None:
        """Templates below `folder`; `url_for(handler, **path)` gives the address that a handler answers."""
        self.environment = Environment(
            loader=FileSystemLoader(folder),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self.environment.globals["asset"] = assets.url
        self.environment.globals["url_for"] = url_for
        self.environment.filters.update(FILTERS, number=number_text, markdown=markdown)

    def render(self, template: str, context: dict[str, Any]) -> str:
        """The HTML of one template."""
        return self.environment.get_template(template).render(context)


def page(request: Request, template: str, *, status: int = 200, **context: Any) -> HTMLResponse:  # noqa: ANN401 - a template takes anything
    """Answer with a page (`rater/rate.html`) or, for htmx, with its fragment (`rater/_rate.html`)."""
    pages: Pages = request.app.state.pages
    if is_htmx(request):
        folder, _, name = template.rpartition("/")
        template = f"{folder}/_{name}"
    return HTMLResponse(pages.render(template, {"request": request, **context}), status_code=status)


def is_htmx(request: Request) -> bool:
    """Whether htmx asks, and so wants a fragment; when it restores a page of the history it wants the whole."""
    headers = request.headers
    return headers.get("hx-request") == "true" and headers.get("hx-history-restore-request") != "true"
