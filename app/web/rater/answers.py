"""Ways to answer that the rater's handlers share: a page with the study's language, or go elsewhere."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.design.protocol import Protocol
from app.web.pages import is_htmx, page

RIGHT_TO_LEFT = frozenset({"ar", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"})


def rater_page(
    request: Request,
    template: str,
    slug: str,
    protocol: Protocol,
    *,
    status: int = 200,
    **context: Any,  # noqa: ANN401 - a template takes anything
) -> Response:
    """A page of the study, in its language and direction."""
    lang = protocol.language
    direction = "rtl" if lang.split("-")[0].lower() in RIGHT_TO_LEFT else "ltr"
    return page(
        request, f"rater/{template}", status=status, slug=slug, protocol=protocol, lang=lang, dir=direction, **context
    )


def go(request: Request, handler: str, **parameters: object) -> Response:
    """Send the browser on: by 303, or by htmx's own header where htmx asks."""
    address = str(request.app.url_path_for(handler, **parameters))
    if is_htmx(request):
        return Response(status_code=204, headers={"HX-Redirect": address})
    return RedirectResponse(address, status_code=303)
