"""Loaders for rater pages. They authorize: handlers need not check again that an assignment belongs to the rater."""

from collections.abc import Mapping
from itertools import chain
from typing import Annotated
from urllib.parse import parse_qsl, quote, unquote, urlencode
from uuid import UUID

from fastapi import Depends, Request
from starlette.datastructures import UploadFile
from starlette.responses import Response

from app.base.language.message import message
from app.base.rendering.pages import use_language
from app.base.web.cookies import get_cookie, set_cookie
from app.base.web.deps import Db
from app.base.web.errors import WORDS, ForbiddenError, GoneError, NoStudyError, NotFoundError, PageError, RedirectError
from app.protocol.questions.form import Form
from app.rating.arrival.arrivals import get_arrival_study
from app.rating.arrival.mturk import SUBMITTED
from app.rating.rater_path import as_shown, protocol_of
from app.rating.seats.assignment_view import AssignmentView, get_own_assignment
from app.rating.sessions import RatingSession, get_origin, get_rating_session
from app.rating.steps.endings import PageEnding, ending_of, with_link
from app.rating.withdrawal.withdraw import get_withdrawal
from app.studies.protocols import get_protocol

OwnTrial = tuple[RatingSession, AssignmentView]
MAX_FIELDS = 1000
MAX_AGE_S = 180 * 24 * 60 * 60
LINK_KEPT_FOR_S = 60 * 60
NO_LINK = message(
    "Please open the study with the link you were given. It takes you to where you left off, on any device."
)

WITHDREW = message("You have stopped taking part in this study. Nothing more is stored.")


class ClosedError(GoneError):
    """The study is closed and the rater has not finished; their platform is told that no place was free."""

    def __init__(self, slug: str, ending: PageEnding, *, has_begun: bool) -> None:
        """`has_begun`: whether there may be answers that the rater can have deleted."""
        super().__init__(
            message("This study is closed. Your ratings so far are saved. Thank you.")
            if has_begun
            else message("This study is closed to new raters. Thank you for your interest.")
        )
        self.ending, self.leave = ending, slug if has_begun else None

    @property
    def more(self) -> Mapping[str, object]:
        """The code for the platform, and the link to withdraw."""
        return {"ending": self.ending} | ({"leave": self.leave} if self.leave else {})

    @property
    def headers(self) -> Mapping[str, str]:
        """What allows the form that submits an assignment of Mechanical Turk."""
        return SUBMITTED if self.ending.submission else {}


class NotOpenError(PageError):
    """The study exists but is not open at present."""

    status = 403
    title = message("This study is not open")


NOT_YET = message("This study has not opened yet. Please come back later with the same link.")


def rater_cookie(slug: str) -> str:
    """Name of the cookie, one per study, so that being a rater in one study does not affect others."""
    return f"rater-{slug}"


def link_cookie(slug: str) -> str:
    """Name of a cookie with the parameters of the link of a rater whose data are deleted.

    Their last page grants SONA's credit by them, or submits the assignment of Mechanical Turk.
    """
    return f"link-{slug}"


def keep_link(request: Request, response: Response, slug: str, parameters: Mapping[str, str]) -> None:
    """Leave the parameters of a link with its rater."""
    if parameters:
        set_cookie(request, response, link_cookie(slug), quote(urlencode(parameters)), max_age=LINK_KEPT_FOR_S)


def kept_link(request: Request, slug: str) -> dict[str, str]:
    """The parameters of the link that were left with the rater."""
    return dict(parse_qsl(unquote(get_cookie(request, link_cookie(slug)) or "")))


def check_open(db: Db, slug: str, session: RatingSession) -> None:
    """Refuse raters if the study is not open to them.

    Raters who have started can finish while a study is paused; the completion page stays available after the end.
    """
    if session.status == "closed" and not session.has_ended:
        platform, parameters = get_origin(db, session)
        is_prolific = platform == "prolific"
        ending = ending_of(protocol_of(db, session), "full", is_prolific=is_prolific, is_moved=session.is_moved)
        raise ClosedError(slug, with_link(ending, "full", platform, parameters), has_begun=session.has_begun)
    if session.status == "draft":
        raise NotOpenError(NOT_YET)
    if session.status == "paused" and not session.has_begun:
        raise NotOpenError(message("This study is paused. Please come back later with the same link."))


def get_any_session(request: Request, slug: str, db: Db) -> RatingSession:
    """The rating session of the cookie, whatever the state of the study: raters can withdraw at any time."""
    token = get_cookie(request, rater_cookie(slug))
    session = get_rating_session(db, slug, token) if token else None
    if session is None:
        check_withdrawn(request, slug, db)
        use_language_of_study(request, slug, db)
        check_study_exists(db, slug)
        raise ForbiddenError(NO_LINK)
    use_language(request, protocol_of(db, session).language)
    return session


def get_session(request: Request, slug: str, db: Db) -> RatingSession:
    """The rating session of the cookie, if it can continue."""
    session = get_any_session(request, slug, db)
    check_going_on(request, db, slug, session)
    return session


def check_going_on(request: Request, db: Db, slug: str, session: RatingSession) -> None:
    """Redirect raters who have withdrawn; refuse raters if the study is not open."""
    if session.session_state == "withdrawn":
        raise RedirectError(request.app.url_path_for("show_receipt", slug=slug), WITHDREW)
    check_open(db, slug, session)


def check_withdrawn(request: Request, slug: str, db: Db) -> None:
    """Redirect raters whose answers, and with them the rating session, were deleted."""
    token = get_cookie(request, rater_cookie(slug))
    if token and get_withdrawal(db, slug, token):
        use_language_of_study(request, slug, db)
        raise RedirectError(request.app.url_path_for("show_receipt", slug=slug), WITHDREW)


def check_moved(request: Request, slug: str, db: Db) -> None:
    """Redirect a browser that only has an ID and requests a page that was answered in another browser."""
    token = get_cookie(request, rater_cookie(slug))
    session = get_rating_session(db, slug, token) if token else None
    if session and session.is_moved:
        use_language(request, protocol_of(db, session).language)
        words = message("This page was rated in another browser, and can be opened only there.")
        raise RedirectError(request.app.url_path_for("show_current", slug=slug), words)


def check_study_exists(db: Db, slug: str) -> None:
    """Tell raters of a deleted study that it is gone: opening their link again would not help them."""
    if get_arrival_study(db, slug) is None:
        raise NoStudyError


def use_language_of_study(request: Request, slug: str, db: Db) -> None:
    """Use the language of the study for visitors who are not raters yet."""
    if study := get_arrival_study(db, slug):
        protocol = get_protocol(db, study.id, study.protocol_version, study.sha256)
        use_language(request, protocol.language)


def get_own(request: Request, slug: str, token: UUID, db: Db) -> OwnTrial:
    """The assignment in the address if it belongs to this rater; otherwise it looks as if it did not exist."""
    cookie = get_cookie(request, rater_cookie(slug))
    own = get_own_assignment(db, slug, cookie, token) if cookie else None
    if own is None:
        check_withdrawn(request, slug, db)
        check_moved(request, slug, db)
    if own is None or own[1].state == "planned":
        use_language_of_study(request, slug, db)
        check_study_exists(db, slug)
        raise NotFoundError
    use_language(request, protocol_of(db, own[0]).language)
    check_going_on(request, db, slug, own[0])
    return own[0], as_shown(db, *own)


async def get_form(request: Request) -> Form:
    """The fields of a form or of a JSON object, each with its values."""
    kind = request.headers.get("content-type", "")
    if kind.startswith("application/json"):
        return readable(_flat(await _json(request)))
    if kind.startswith("application/x-www-form-urlencoded"):
        return readable(_urlencoded(await request.body()))
    async with request.form(max_files=0) as data:
        return readable({name: [v for v in data.getlist(name) if not isinstance(v, UploadFile)] for name in data})


def _urlencoded(body: bytes) -> Form:
    """The fields of a form, parsed at once: Starlette's streaming parser takes several times as long."""
    try:
        pairs = parse_qsl(body.decode("latin-1"), keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        raise PageError(WORDS[400]) from None
    form = dict[str, list[str]]()
    for name, value in pairs:
        form.setdefault(name, []).append(value)
    return form


async def _json(request: Request) -> object:
    try:
        return await request.json()
    except (ValueError, RecursionError):
        raise PageError(WORDS[400]) from None


def _flat(body: object) -> Form:
    if not isinstance(body, dict):
        raise PageError(message("A JSON object is expected."))
    return {
        str(name): [str(v) for v in (value if isinstance(value, list) else [value])] for name, value in body.items()
    }


def readable(form: Form) -> Form:
    """The form, if its texts can be stored.

    Raises:
        PageError: a NUL or an unpaired surrogate, which no keyboard produces and the database does not accept.
    """
    whole = "".join(chain(form, *form.values()))
    if "\0" in whole or not _is_encodable(whole):
        raise PageError(message("Your input contains a character that cannot be stored."))
    return form


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


Session = Annotated[RatingSession, Depends(get_session)]
AnySession = Annotated[RatingSession, Depends(get_any_session)]
Own = Annotated[OwnTrial, Depends(get_own)]
FormFields = Annotated[Form, Depends(get_form)]
