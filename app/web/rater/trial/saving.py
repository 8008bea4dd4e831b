"""One answer of a page that is not submitted yet, as the script of the page sends it while a rater goes on."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.design.questions.question import AnswerError
from app.language.message import message
from app.web.rater.answers import refuse_save
from app.web.rater.deps import Form


def saved(request: Request, form: Form, save: Callable[[str, UUID | None], bool | None]) -> Response | None:
    """Save by slot and key, and say to the script what became of it; None where `save` gives False and kept nothing."""
    name, key = (next(iter(form.get(field, ())), "") for field in ("slot", "idempotency_key"))
    try:
        is_kept = save(name, UUID(key) if key else None)
    except KeyError:
        return refuse_save(request, 422, message("This page has no such question."))
    except AnswerError as error:
        return refuse_save(request, 422, error.words)
    except ValueError:
        return refuse_save(request, 422, message("The key is no UUID."))
    return None if is_kept is False else JSONResponse({"saved": name})
