"""The responses to errors: a page, a problem document for programs (RFC 9457), or only a status for htmx."""

import logging
from collections.abc import Mapping
from http import HTTPStatus

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from app.base.database.outages import NO_TURN, OUTAGES, outage_in_words
from app.base.language.message import Message, message
from app.base.logs import ThrottledLog, current_request_id
from app.base.problem import BlindedError
from app.base.processes.side_process import SideProcessBusyError, SideProcessError
from app.base.rendering.pages import is_htmx, language_in, use_accepted_language
from app.base.web.errors import (
    WORDS,
    BusyError,
    ForbiddenError,
    GoneError,
    NotFoundError,
    PageError,
    RedirectError,
)
from app.base.words import problem_in_words

log = logging.getLogger("attune.web")
UNEXPECTED = message("Something went wrong on our side. We have logged it. Please try again.")
NOT_POSSIBLE = message("Not possible")
TIMED_OUT = message("That took too long")
TOO_SLOW = message("Your input did not arrive in time. Please check your connection and try again.")
NOT_SAVED_YET = message("Not saved yet")
TRYING_AGAIN = message(
    "Your answers have not reached us yet. If this page says that it will retry, keep it open. Otherwise go back and "
    "try again in a moment."
)
NOT_NOW = message("Not available right now")
COME_BACK = message("The server cannot read its data right now. Please reload this page in a moment.")
SERVER_ERROR, UNAVAILABLE = 500, 503
RETRY_AFTER_S = 5
MAX_PROBLEMS = 20
# Logged, with the number of the lead if one is signed in: someone may be trying what they may not do.
REFUSALS = frozenset({401, 403, 404, 429})
API, RATERS_PAGES = "/api/", "/s/"
PROBLEM_TYPE = "application/problem+json"
NOT_FOUND_BY_RATER = message(
    "This page does not exist or is no longer available. Please open the study again with the link you were given."
)
SAFE_METHODS = frozenset({"GET", "HEAD"})


def register(app: FastAPI) -> None:
    """Register the error handlers."""
    app.exception_handler(PageError)(_page_error)
    app.exception_handler(BlindedError)(_blinded)
    app.exception_handler(SideProcessError)(_stopped)
    app.exception_handler(RedirectError)(_redirect)
    app.exception_handler(HTTPException)(_http)
    app.exception_handler(RequestValidationError)(_invalid)
    app.exception_handler(ClientDisconnect)(_left)
    for kind in OUTAGES:
        app.exception_handler(kind)(_unavailable)
    app.exception_handler(Exception)(_unexpected)


def _page_error(request: Request, error: PageError) -> Response:
    if error.status in REFUSALS:
        path, lead = request.app.state.loggable(request.url.path), getattr(request.state, "lead_id", None)
        if lead is None:
            log.warning("%s %s answered %d", request.method, path, error.status)
        else:
            log.warning("%s %s answered %d to %s", request.method, path, error.status, f"lead {lead}")
    if error.status == UNAVAILABLE:
        return _unavailable(request, error)
    return answer(request, error.status, error.title, error.sentence, headers=error.headers, **error.more)


def _blinded(request: Request, error: BlindedError) -> Response:
    return _page_error(request, ForbiddenError(str(error)))


def _stopped(request: Request, error: SideProcessError) -> Response:
    headers = {"Retry-After": str(RETRY_AFTER_S)} if isinstance(error, SideProcessBusyError) else None
    return answer(request, UNAVAILABLE, NOT_POSSIBLE, str(error), headers=headers)


def _http(request: Request, error: HTTPException) -> Response:
    status = error.status_code
    title = NotFoundError.title if status == NotFoundError.status else NOT_POSSIBLE
    words = WORDS.get(status, message("This did not work."))
    return answer(request, status, title, words, headers=error.headers)


def _invalid(request: Request, error: RequestValidationError) -> Response:
    if request.url.path.startswith(RATERS_PAGES):
        return answer(request, 422, NOT_POSSIBLE, WORDS[422])
    problems = [
        {"field": _encodable(".".join(map(str, one["loc"]))), "problem": _encodable(problem_in_words(one))}
        for one in error.errors()[:MAX_PROBLEMS]
    ]
    return answer(request, 422, NOT_POSSIBLE, WORDS[422], problems=problems)


def _encodable(text: str) -> str:
    """The text without unpaired surrogates, which JSON can name and no response can carry."""
    return text.encode("utf-8", "replace").decode()


def _left(request: Request, _: ClientDisconnect) -> Response:
    return answer(request, 408, TIMED_OUT, TOO_SLOW, headers={"Connection": "close"})


def _unexpected(request: Request, _: Exception) -> Response:
    request_id = current_request_id()
    return answer(request, SERVER_ERROR, message("Something went wrong"), UNEXPECTED, request_id=request_id)


_outages = ThrottledLog(log, every_s=10)


def _unavailable(request: Request, error: Exception) -> Response:
    """Report a temporary database problem, and when to try again. Many requests share one log line."""
    words = NO_TURN if isinstance(error, BusyError) else outage_in_words(error)
    if words is None:
        raise error
    _outages.error("unavailable: %s", words)
    use_accepted_language(request)
    title, sentence = (NOT_NOW, COME_BACK) if request.method in SAFE_METHODS else (NOT_SAVED_YET, TRYING_AGAIN)
    headers = {"Retry-After": str(RETRY_AFTER_S)}
    return answer(request, UNAVAILABLE, title, sentence, headers=headers, request_id=current_request_id())


def _redirect(request: Request, error: RedirectError) -> Response:
    if is_htmx(request):
        return Response(status_code=204, headers={"HX-Redirect": error.address})
    if _wants_json(request):
        return answer(request, 410, GoneError.title, error.sentence)
    return RedirectResponse(error.address, status_code=303)


def answer(
    request: Request,
    status: int,
    title: Message | str,
    sentence: Message | str,
    *,
    headers: Mapping[str, str] | None = None,
    **more: object,
) -> Response:
    """The error as a page, as a problem document, or without a body for htmx."""
    if request.url.path.startswith(RATERS_PAGES):
        use_accepted_language(request)
        sentence = NOT_FOUND_BY_RATER if sentence == WORDS[404] else sentence
    language = language_in(request)
    title, sentence = language.say(title), language.say(sentence)
    if is_htmx(request):
        return Response(status_code=status, headers=headers)
    if _wants_json(request):
        known = {name: more[name] for name in ("problems", "request_id") if name in more}
        return problem_document(status, sentence, headers=headers, **known)
    html = request.app.state.pages.render(
        "base/error.html", {"request": request, "title": title, "sentence": sentence, **more}, language
    )
    return HTMLResponse(html, status_code=status, headers=headers)


def problem_document(
    status: int, detail: str, *, headers: Mapping[str, str] | None = None, **more: object
) -> JSONResponse:
    """What programs are told about an error: a problem document (RFC 9457) of no type but the status."""
    document = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail, **more}
    return JSONResponse(document, status_code=status, headers=headers, media_type=PROBLEM_TYPE)


def _wants_json(request: Request) -> bool:
    """Whether a program sent the request: by its Accept header, through the API, or because it saves single answers."""
    is_script = "application/json" in request.headers.get("accept", "") or request.url.path.endswith("/save")
    return is_script or _is_api(request)


def _is_api(request: Request) -> bool:
    return request.url.path.startswith(API)
