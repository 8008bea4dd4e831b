"""The page of a draft: the rater writes a text, which is kept, asks for suggestions, and goes on to the questions."""

from typing import Any, NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from app.base.database.engine import Connection
from app.base.language.language import language_of
from app.base.language.message import Message
from app.base.web.deps import Db
from app.protocol.study import Protocol
from app.rating.answers.skips import reasons_at
from app.rating.conversations.conversation_page import ensure_reply, goes_on
from app.rating.conversations.drafts import (
    ELSEWHERE,
    DraftText,
    ask,
    decide,
    draft_of,
    is_done,
    problem_at_end,
    read_draft,
    write,
)
from app.rating.conversations.help_lines import help_by_country
from app.rating.conversations.keystrokes import record
from app.rating.conversations.transcripts import end
from app.rating.conversations.turns import ALERT
from app.rating.deps import FormFields, Own
from app.rating.http_responses import go, rater_page
from app.rating.page.sheet import reading_sheet
from app.rating.seats.assignment_view import AssignmentView, to_show
from app.rating.sessions import RatingSession

router = APIRouter()
_DECISIONS = frozenset({"take", "taken", "ignore", "back"})


class Refused(NamedTuple):
    """What was not kept or done: why, the text in the field, and whether the rater may end with too few words."""

    problem: Message
    words: str
    may_stop: bool


def draft_page(
    request: Request,
    slug: str,
    db: Connection,
    protocol: Protocol,
    session: RatingSession,
    view: AssignmentView,
    refused: Refused | None = None,
) -> Response:
    """The text as far as it is, or that which was not kept, with the reason."""
    # Nothing takes the place of a text of which a request was refused: it may be a late copy, while the rater goes on.
    draft = read_draft(db, protocol, view) if refused else draft_of(db, protocol, view)
    ensure_reply(request, view, draft)
    return rater_page(
        request,
        "draft.html",
        slug,
        protocol,
        status=422 if refused else 200,
        latest_ms=view.latest_ms,
        session=session,
        **draft_context(protocol, view, draft, refused) | {"skip_reasons": reasons_at(protocol, view)},
    )


def draft_context(
    protocol: Protocol, view: AssignmentView, draft: DraftText, refused: Refused | None = None
) -> dict[str, Any]:
    """What the template of a text draws, where nothing can be sent unless it is told so."""
    return {
        "view": view,
        "sheet": reading_sheet(protocol, view),
        "draft": draft,
        "help_lines": help_by_country(draft.bounds.help_lines, language_of(protocol.language)),
        "words": draft.text if refused is None else refused.words,
        "problem": refused and refused.problem,
        "is_elsewhere": refused is not None and refused.problem is ELSEWHERE,
        "offers_stop": refused is not None and refused.may_stop,
        "skip_reasons": (),
    }


@router.post("/{slug}/rate/{token}/write")
def submit_draft(request: Request, slug: str, db: Db, own: Own, form: FormFields) -> Response:
    """Keep the text, and do what the button says.

    Its fields: `message` is the text, made from revision `number`; `does` is `keep`, `ask`, one of the decisions about
    suggestion `of`, `end`, or `stop` to end with fewer words than are asked for; `keystrokes`, if they are recorded.
    A script that saves asks for JSON.
    """
    session, view = own
    protocol = goes_on(db, own)
    if protocol is None or protocol.draft is None:
        return go(request, "show_current", slug=slug)
    sent = {name: next(iter(form.get(name, ())), "") for name in ("message", "number", "does", "next", "of")}
    # A page that says nothing of the text, such as a link to *Try again*, leaves it as it is.
    has_text = "message" in form
    draft = read_draft(db, protocol, view)
    if not draft.own.id:
        draft = draft_of(db, protocol, view)
    if typed := next(iter(form.get("keystrokes", ())), ""):
        record(db, protocol.draft, view, typed)
    if is_done(draft, sent["of"], sent["does"], sent["message"]):
        return go(request, "show_rate", slug=slug, token=view.token)
    problem = write(db, view, draft, sent["number"], sent["message"]) if has_text else None
    if problem is None:
        draft = read_draft(db, protocol, view)
        problem = _do(db, protocol, view, draft, sent)
    if problem is None and request.headers.get("accept") == "application/json":
        return JSONResponse({"number": draft.own.revision, "alert": ALERT in draft.own.flags})
    if problem:
        may_stop = sent["does"] == "end" and draft.ended_by == "rater_early" and draft.n_words > 0
        refused = Refused(problem, sent["message"] if has_text else draft.text, may_stop)
        return draft_page(request, slug, db, protocol, session, to_show(db, view), refused)
    return go(request, "show_rate", slug=slug, token=view.token)


def _do(
    db: Connection, protocol: Protocol, view: AssignmentView, draft: DraftText, sent: dict[str, str]
) -> Message | None:
    """Do what was asked for with the text, which is kept; returns why it cannot be done."""
    match sent["does"]:
        case "keep" if draft.is_over:
            # The page is drawn without the suggestion that it showed.
            return decide(db, view, draft, sent["of"], "ignore")
        case "ask":
            ask(db, view, draft, sent["next"])
        case "end" | "stop":
            if problem := problem_at_end(draft, is_early_wanted=sent["does"] == "stop"):
                return problem
            end(db, protocol, view, draft, sent["of"])
        case does if does in _DECISIONS:
            return decide(db, view, draft, sent["of"], does)
    return None
