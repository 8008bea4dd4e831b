"""HTTP responses shared by the rater's handlers: a page in the study's language, or a redirect."""

import time
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.base.language.message import Message
from app.base.rendering.pages import is_htmx, language_in, page, use_language
from app.base.web.error_responses import problem_document
from app.protocol.study import Protocol
from app.protocol.waves import is_welcome

# The handler that shows each step; all pages of questions share one handler with the step in its address.
PAGES = {
    "consent": "show_consent",
    "instructions": "show_start",
    "comprehension": "show_comprehension",
    "practice": "show_practice",
    "attention": "show_attention",
    "rating": "show_current",
    "wait": "show_wait",
    "full": "show_wait",
    "debrief": "show_debrief",
    "done": "show_done",
    "screened_out": "show_ended",
    "failed_checks": "show_ended",
}


def rater_page(
    request: Request,
    template: str,
    slug: str,
    protocol: Protocol,
    *,
    status: int = 200,
    latest_ms: int | None = None,
    **context: Any,  # noqa: ANN401 - a template takes anything
) -> Response:
    """A page of the study, in its language and direction.

    `now_ms` is the time for its forms and scripts: the server's, but not before that of what is stored (`latest_ms`).
    """
    use_language(request, protocol.language)
    now_ms = max(time.time_ns() // 1_000_000, latest_ms or 0)
    return page(
        request, f"rating/rater/{template}", status=status, slug=slug, protocol=protocol, now_ms=now_ms, **context
    )


def go(request: Request, handler: str, **parameters: object) -> Response:
    """Redirect the browser: by status 303, or with htmx by its own header."""
    address = str(request.app.url_path_for(handler, **parameters))
    if is_htmx(request):
        return Response(status_code=204, headers={"HX-Redirect": address})
    return RedirectResponse(address, status_code=303)


def go_to_step(request: Request, slug: str, step: str) -> Response:
    """Redirect the browser to the page of a step."""
    if step in PAGES:
        return go(request, PAGES[step], slug=slug)
    if is_welcome(step):
        return go(request, "show_wave", slug=slug)
    return go(request, "show_questions", slug=slug, step=step)


def refuse_save(request: Request, status: int, sentence: Message, refused: Mapping[str, str] | None = None) -> Response:
    """Tell the script that saves answers why no answer was stored; `refused` has the reason for each invalid answer."""
    words = language_in(request).say(sentence)
    return problem_document(status, words, refused=dict(refused or {}))
