"""Who sends an API request: a token, its lead and its study. These loaders authorize, as those of the pages do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Annotated, NamedTuple

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from app.accounts.leads import Lead
from app.accounts.rate_limits import Limit, api_limit, count, export_limit
from app.api.routing import refuse_unknown_parameters
from app.base.rendering.words import minutes
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError, TooManyError, UnauthorizedError
from app.studies.audit import record_act
from app.studies.members.api_tokens import ApiToken, use_api_token
from app.studies.rights import check_right
from app.studies.studies import StudyRow, get_study

MISSING = "This needs a token of the study: send the header Authorization: Bearer attune_..."
WRONG = "This token is unknown, expired or revoked, or its lead has left the study. Make a new one in the settings."
_bearer = HTTPBearer(auto_error=False, scheme_name="token", description="A token of one study.")
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]


class TokenAndStudy(NamedTuple):
    """The token of a request, and the study, with the role of the token."""

    token: ApiToken
    study: StudyRow

    @property
    def lead(self) -> Lead:
        """The lead in whose name the request is made."""
        return self.token.lead

    def record(self, db: Db, action: str, **detail: object) -> None:
        """Note in the audit log what the token did."""
        record_act(db, self.lead, self.study, action, **detail, api_token=self.token.name)


def limited(request: Request, credentials: Credentials) -> str:
    """The secret that was sent, unless there are too many requests from this address.

    Raises:
        UnauthorizedError: none was sent.
        TooManyError: too many requests.
        UnprocessableError: the address takes no such parameter.
    """
    if credentials is None or not credentials.credentials:
        raise UnauthorizedError(MISSING)
    _count(request, api_limit(request.client.host if request.client else ""), "requests")
    refuse_unknown_parameters(request)
    return credentials.credentials


def own_api_study(request: Request, slug: str, secret: Annotated[str, Depends(limited)], db: Db) -> TokenAndStudy:
    """The token and its study, if the token's role allows what the address does.

    Raises:
        UnauthorizedError: there is no such token.
        NotFoundError: it belongs to another study, which looks as if the study did not exist.
        ForbiddenError: its role does not allow this.
    """
    token = use_api_token(db, secret)
    if token is None:
        raise UnauthorizedError(WRONG)
    request.state.lead_id = token.lead.id
    if token.slug != slug:
        raise NotFoundError
    study = get_study(db, slug)
    return TokenAndStudy(token, check_right(request, study and replace(study, role=token.role)))


async def own_api_study_for_long(
    request: Request, slug: str, secret: Annotated[str, Depends(limited)]
) -> AsyncIterator[TokenAndStudy]:
    """For long computations: the transaction that authorizes has ended before they begin, and few run at once."""
    async with request.app.state.long_turns.turn(secret):
        yield await run_in_threadpool(token_and_study, request, slug, secret)


def count_api_export(request: Request, own: OwnApiForLong) -> TokenAndStudy:
    """Count a download together with those in the browser, and note it in the log.

    Raises:
        TooManyError: there were too many downloads.
    """
    _count(request, export_limit(own.lead.id), "downloads")
    with request.app.state.begin() as db:
        own.record(db, "downloaded", file=request.url.path.rpartition("/")[2])
    return own


def token_and_study(request: Request, slug: str, secret: str) -> TokenAndStudy:
    """`own_api_study` in a transaction of its own."""
    with request.app.state.begin() as db:
        return own_api_study(request, slug, secret, db)


def _count(request: Request, limit: Limit, what: str) -> None:
    if wait_s := count(request.app.state.begin, [limit]):
        raise TooManyError(f"There were too many {what}. Try again in {minutes(wait_s)}.", retry_after_s=wait_s)


OwnApi = Annotated[TokenAndStudy, Depends(own_api_study)]
OwnApiForLong = Annotated[TokenAndStudy, Depends(own_api_study_for_long, scope="function")]
OwnApiExport = Annotated[TokenAndStudy, Depends(count_api_export)]
