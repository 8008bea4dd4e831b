"""Signing in by OpenID Connect: to the provider, and back."""

import logging
import re
from typing import Annotated
from urllib.parse import quote, unquote

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import RedirectResponse, Response

from app.accounts import lead_access as access
from app.accounts.leads import Lead
from app.accounts.openid.id_token import Attempt, Identity, OpenIdError, RefusedError
from app.accounts.openid.provider import OpenIdProvider
from app.accounts.rate_limits import count, sign_in_limit, take_back
from app.accounts.session import local_path, log_event, session_token, signed_in_answer
from app.accounts.sign_in import sign_in_page
from app.base.rendering.words import minutes
from app.base.web.cookies import address_of, drop_cookie, get_cookie, set_cookie
from app.base.web.errors import NotFoundError, TooManyError
from app.studies.members.members import get_invitation
from app.studies.members.openid_accounts import lead_of

log = logging.getLogger("attune.security")
router = APIRouter()
COOKIE, MAX_AGE_S, MAX_PATH = "openid", 600, 1000
STALE = "This sign-in has expired, or it began in another browser. Sign in again."
NOT_FINISHED = "You did not finish signing in, or the sign-in service refused you. Try again."
_INVITATION = re.compile(r"/invitations/([\w-]{1,200})")
Text = Annotated[str, Query(max_length=4000)]


def provider_of(request: Request) -> OpenIdProvider:
    """The provider of this server.

    Raises:
        NotFoundError: it has none.
    """
    provider: OpenIdProvider | None = request.app.state.openid
    if provider is None:
        raise NotFoundError
    return provider


Provider = Annotated[OpenIdProvider, Depends(provider_of)]


@router.get("/sign-in/openid/start")
def start_openid(request: Request, provider: Provider, next: str = "/studies") -> Response:  # noqa: A002 - the parameter in the address
    _count(request)
    path = local_path(next)[:MAX_PATH]
    attempt = Attempt()
    try:
        address = provider.authorization_address(attempt)
    except OpenIdError as error:
        return _problem(request, error, path)
    take_back(request.app.state.begin, [sign_in_limit(address_of(request))])
    response = RedirectResponse(address, status_code=303)
    set_cookie(request, response, COOKIE, f"{attempt.secret}.{quote(path, safe='')}", max_age=MAX_AGE_S)
    return response


@router.get("/sign-in/openid/return")
def finish_openid(
    request: Request, provider: Provider, code: Text = "", state: Text = "", error: Text = "", iss: Text = ""
) -> Response:
    _count(request)
    secret, _, path = (get_cookie(request, COOKIE) or "").partition(".")
    path = local_path(unquote(path))
    try:
        attempt = _checked(Attempt(secret), state=state, code=code, error=error)
        lead, token = _sign_in(request, provider.identify(code, attempt, iss), path)
    except OpenIdError as problem:
        return _problem(request, problem, path)
    take_back(request.app.state.begin, [sign_in_limit(address_of(request))])
    log_event(request, "signed in by OpenID Connect", lead)
    response = signed_in_answer(request, token, path)
    drop_cookie(request, response, COOKIE)
    return response


def _checked(attempt: Attempt, *, state: str, code: str, error: str) -> Attempt:
    if not attempt.secret or not attempt.accepts(state):
        raise RefusedError(STALE, "the state is not that of this browser")
    if error or not code:
        raise RefusedError(NOT_FINISHED, "the provider sent no code")
    return attempt


def _sign_in(request: Request, identity: Identity, path: str) -> tuple[Lead, str]:
    """The lead and the token of a new session, in a transaction that begins after the provider has answered."""
    invited = _INVITATION.fullmatch(path)
    with request.app.state.begin() as db:
        invitation = get_invitation(db, invited[1]) if invited else None
        lead, is_linked_now = lead_of(db, identity, invitation.email if invitation else None)
        if is_linked_now:
            log_event(request, "linked to an identity, earlier ways in ended", lead)
        return lead, access.begin_session(db, lead, session_token(request))


def _count(request: Request) -> None:
    if wait_s := count(request.app.state.begin, [sign_in_limit(address_of(request))]):
        log_event(request, "sign-in refused after too many attempts")
        raise TooManyError(
            f"There were too many attempts to sign in. Try again in {minutes(wait_s)}.", retry_after_s=wait_s
        )


def _problem(request: Request, error: OpenIdError, path: str) -> Response:
    log_event(request, "sign-in by OpenID Connect failed")
    log.warning("sign-in by OpenID Connect: %s", error.detail)
    response = sign_in_page(request, path, status=error.status, error=error.sentence)
    drop_cookie(request, response, COOKIE)
    return response
