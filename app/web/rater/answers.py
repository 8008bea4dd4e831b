"""Ways to answer that the rater's handlers share: a page with the study's language, or go elsewhere."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from app.design.protocol import Protocol
from app.web.pages import is_htmx, page

# Which handler shows a step; pages of questions are one handler with the step in its address.
PAGES = {
    "consent": "show_consent",
    "instructions": "show_start",
    "rating": "show_current",
    "wait": "show_wait",
    "full": "show_wait",
    "debrief": "show_debrief",
    "done": "show_done",
    "screened_out": "show_ended",
    "failed_checks": "show_ended",
    "withdrawn": "show_ended",
}
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


def go_to_step(request: Request, slug: str, step: str) -> Response:
    """Send the browser to the page of a step."""
    if step in PAGES:
        return go(request, PAGES[step], slug=slug)
    return go(request, "show_questions", slug=slug, step=step)


def refuse_save(status: int, sentence: str) -> Response:
    """Say to the script that saves as one goes why an answer was not taken."""
    return JSONResponse({"error": {"status": status, "message": sentence}}, status_code=status)
