"""Signing in and out."""

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Form, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.accounts import lead_access as access
from app.accounts import leads, passwords
from app.accounts.rate_limits import count, sign_in_limits, take_back
from app.accounts.session import MaybeLead, local_path, log_event, session_token, signed_in_answer, signed_out_answer
from app.base.rendering.pages import is_htmx, language_in, page
from app.base.rendering.words import minutes
from app.base.web.cookies import address_of
from app.base.web.deps import Db
from app.base.web.errors import ForbiddenError, GoneError, SignInError, TooManyError

# The sign-in page, with a form for passwords, a button for OpenID Connect, or both.


def sign_in_page(request: Request, path: str, *, status: int = 200, email: str = "", error: str = "") -> Response:
    """The page; after signing in, the lead is sent to `path`."""
    more = ways_in(request)
    return page(
        request, "accounts/sign_in.html", status=status, next=local_path(path), email=email, error=error, **more
    )


def ways_in(request: Request) -> dict[str, object]:
    """The ways in that this server has, for templates: `provider` with its name, and whether there are passwords."""
    return {"provider": request.app.state.openid, "has_passwords": request.app.state.has_local_passwords}


def check_has_passwords(request: Request) -> None:
    """Refuse what is about passwords if leads sign in by OpenID Connect only.

    Raises:
        ForbiddenError: this server accepts no passwords.
    """
    if not request.app.state.has_local_passwords:
        name = request.app.state.openid.name
        raise ForbiddenError(f"This server does not accept passwords. Sign in with {name} instead.")


router = APIRouter()

WRONG = "Wrong e-mail address or password."


@router.get("/sign-in")
def show_sign_in(request: Request, lead: MaybeLead, next: str = "/studies") -> Response:  # noqa: A002 - the parameter in the address
    if lead:
        return RedirectResponse(local_path(next), status_code=303)
    return sign_in_page(request, next)


@router.post("/sign-in")
def submit_sign_in(
    request: Request,
    db: Db,
    email: Annotated[str, Form(max_length=320)],
    password: Annotated[str, Form()],
    next: Annotated[str, Form()] = "/studies",  # noqa: A002 - the parameter in the address
) -> Response:
    check_has_passwords(request)
    begin, limits = request.app.state.begin, sign_in_limits(email, address_of(request))
    if wait_s := count(begin, limits):
        log_event(request, "sign-in refused after too many attempts")
        raise TooManyError(
            f"There were too many attempts to sign in. Try again in {minutes(wait_s)}.", retry_after_s=wait_s
        )
    lead = passwords.check_password(db, email, password) if email.isprintable() else None
    if lead is None:
        # Looked up for unknown addresses too, so that both take as long.
        log_event(request, "sign-in failed", leads.get_lead(db, email.strip()) if email.isprintable() else None)
        return sign_in_page(request, next, status=422, email=email, error=WRONG)
    take_back(begin, limits)
    log_event(request, "signed in by password", lead)
    return signed_in_answer(request, access.begin_session(db, lead, session_token(request)), next)


@router.get("/sign-in/{token}")
def show_sign_in_link(request: Request, token: str, next: str = "/studies") -> Response:  # noqa: A002 - the parameter in the address
    # Opening the link does not use it up, because programs that preview links open them before their recipient does.
    return page(request, "accounts/sign_in_link.html", token=token, next=local_path(next))


@router.post("/sign-in/{token}")
def submit_sign_in_link(
    request: Request,
    db: Db,
    token: str,
    next: Annotated[str, Form()] = "/studies",  # noqa: A002 - the parameter in the address
) -> Response:
    link = leads.use_sign_in_link(db, token)
    log_event(request, "signed in by link" if link else "sign-in link refused", link.lead if link else None)
    if link is None:
        raise GoneError("This link has already been used or has expired. Ask for a new one.")
    return signed_in_answer(request, access.begin_session(db, link.lead, session_token(request), link), next)


@router.post("/sign-out")
def submit_sign_out(request: Request, db: Db, lead: MaybeLead) -> Response:
    token = session_token(request)
    if token:
        log_event(request, "signed out", lead)
        leads.revoke_lead_session(db, token)
    return signed_out_answer(request)


# What a lead gets whose session has ended: the sign-in page, or first a page that keeps what they entered.

URLENCODED = "application/x-www-form-urlencoded"
STUDIES = "/studies"
# The name of every password field on the pages of studies; those of accounts have other names, and are not kept at all.
PASSWORD = "password"  # noqa: S105 - a name


async def signed_out(request: Request, _: SignInError) -> Response:
    """The answer to a request for a lead's page without a lead's session."""
    # With htmx, the sign-in page would be inserted into the current page.
    if is_htmx(request):
        return Response(status_code=403)
    if entered := await _entered(request):
        context = {"request": request, "entered": entered, "address": _address(request)}
        html = request.app.state.pages.render("accounts/signed_out.html", context, language_in(request))
        return HTMLResponse(html, status_code=403)
    asked = _address(request) if request.method == "GET" else STUDIES
    return RedirectResponse(f"/sign-in?next={quote(asked, safe='/')}", status_code=303)


def _address(request: Request) -> str:
    path, query = request.url.path, request.url.query
    return f"{path}?{query}" if query else path


async def _entered(request: Request) -> list[tuple[str, str]]:
    """The fields of a study's form, for another try; none if they are empty, or if one is a password or a file."""
    if not request.url.path.startswith(f"{STUDIES}/"):
        return []
    if request.method != "POST" or not request.headers.get("content-type", "").startswith(URLENCODED):
        return []
    form = await request.form()
    fields = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
    if any(name == PASSWORD for name, _ in fields) or not any(value.strip() for _, value in fields):
        return []
    return fields
