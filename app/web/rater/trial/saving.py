"""The response to the script of a page that saves answers while the rater continues."""

from __future__ import annotations

from collections.abc import Collection

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.design.questions.saves import UNKNOWN, Save
from app.web.rater.http_responses import refuse_save
from app.web.rendering.pages import language_in


def answer_save(request: Request, save: Save, older: Collection[str] = ()) -> Response:
    """Which answers are stored, which were too old, and which were rejected, each with its reason.

    A save is rejected if none of its answers can be stored.
    """
    language = language_in(request)
    refused = {name: language.say(words) for name, words in save.refused.items()}
    if not save.taken:
        return refuse_save(request, 422, next(iter(save.refused.values()), UNKNOWN), refused)
    return JSONResponse(
        {
            "saved": [name for name in save.taken if name not in older],
            "older": list(older),
            "refused": refused,
        }
    )
