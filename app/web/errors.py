"""Expected errors are classes with a status; here, and only here, they become words."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from urllib.parse import quote

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from app.language.message import Message, message
from app.web.pages import is_htmx, language_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastapi import FastAPI
    from starlette.requests import Request

log = logging.getLogger("attune.web")
WORDS = {
    400: message("The request could not be read."),
    404: message("Nothing is at this address, or it is not yours to see."),
    405: message("This address does not take that kind of request."),
    413: message("What was sent is too large."),
    422: message("The request lacks something, or has a value that is not allowed."),
}


class PageError(Exception):
    """Something that a visitor is told in one sentence."""

    status = 400
    title: Message | str = message("This did not work")

    def __init__(self, sentence: Message | str) -> None:
        """`sentence` is for the visitor: it says nothing of the inside."""
        super().__init__(sentence.text if isinstance(sentence, Message) else sentence)
        self.sentence = sentence

    @property
    def more(self) -> Mapping[str, object]:
        """What else the page of this error shows."""
        return {}


class NotFoundError(PageError):
    """Nothing is here, or nothing that this visitor may see: both look the same."""

    status = 404
    title = message("Page not found")

    def __init__(self, sentence: Message | str = WORDS[404]) -> None:
        """Say no more than that."""
        super().__init__(sentence)


class ForbiddenError(PageError):
    """Not allowed."""

    status = 403
    title = message("Not allowed")


class GoneError(PageError):
    """It was here and is over: a closed study, a used link."""

    status = 410
    title = message("This is over")


class TooManyError(PageError):
    """Asked too often."""

    status = 429
    title = message("Too many attempts")


class SignInError(Exception):
    """A lead's page was asked for without a lead's session."""


class SentOnError(Exception):
    """What this visitor may see is elsewhere; a script that cannot go there is told why."""

    def __init__(self, address: str, sentence: Message) -> None:
        """`address` is of this application."""
        super().__init__(sentence.text)
        self.address, self.sentence = address, sentence


UNEXPECTED = message("It was not your fault, and it was noted. Please try again.")
NOT_POSSIBLE = message("Not possible")


def register(app: FastAPI) -> None:
    """Attach the handlers."""

    @app.exception_handler(PageError)
    def _page_error(request: Request, error: PageError) -> Response:
        if error.status in {403, 404}:
            log.warning("%s %s answered %d", request.method, request.url.path, error.status)
        return answer(request, error.status, error.title, error.sentence, **error.more)

    @app.exception_handler(SignInError)
    def _sign_in(request: Request, _: SignInError) -> Response:
        # A login page inside a fragment would be a page inside a page.
        if is_htmx(request):
            return Response(status_code=403)
        path = request.url.path if request.method == "GET" else "/studies"
        return RedirectResponse(f"/sign-in?next={quote(path, safe='/')}", status_code=303)

    app.exception_handler(SentOnError)(_send_on)

    @app.exception_handler(HTTPException)
    def _http(request: Request, error: HTTPException) -> Response:
        status = error.status_code
        title = NotFoundError.title if status == NotFoundError.status else NOT_POSSIBLE
        return answer(request, status, title, WORDS.get(status, message("This did not work.")))

    @app.exception_handler(RequestValidationError)
    def _invalid(request: Request, _: RequestValidationError) -> Response:
        return answer(request, 422, NOT_POSSIBLE, WORDS[422])

    @app.exception_handler(Exception)
    def _unexpected(request: Request, _: Exception) -> Response:
        return answer(request, 500, message("Something went wrong"), UNEXPECTED)


def _send_on(request: Request, error: SentOnError) -> Response:
    if is_htmx(request):
        return Response(status_code=204, headers={"HX-Redirect": error.address})
    if "application/json" in request.headers.get("accept", ""):
        return answer(request, 410, GoneError.title, error.sentence)
    return RedirectResponse(error.address, status_code=303)


def answer(request: Request, status: int, title: Message | str, sentence: Message | str, **more: object) -> Response:
    """The same words as a page, as JSON, or as nothing where htmx asked."""
    language = language_in(request)
    title, sentence = language.say(title), language.say(sentence)
    if is_htmx(request):
        return Response(status_code=status)
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"error": {"status": status, "title": title, "message": sentence}}, status_code=status)
    html = request.app.state.pages.render(
        "shared/error.html", {"request": request, "title": title, "sentence": sentence, **more}, language
    )
    return HTMLResponse(html, status_code=status)
