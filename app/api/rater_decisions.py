"""Decisions about raters through the API: exclusion, and personal links."""

from typing import Annotated

from fastapi import Path, Request

from app.api.access import OwnApi
from app.api.once import IdempotencyKey, once
from app.api.routing import api_router
from app.api.schemas import Decision, Exclusion, Invitation, Link, Links
from app.base.problem import InvalidInputError
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError, UnprocessableError
from app.base.web.links import base_address
from app.rating.arrival.arrivals import get_own_arrival_study
from app.rating.arrival.invitations import InviteError, invite_raters
from app.rating.recruitment.invited_people import check_keys
from app.rating.review.exclusions import find_rater, record_exclusion

router = api_router("raters")


@router.post("/raters/{rater}/exclusion", summary="Exclude or include a rater")
def api_exclusion(
    request: Request,
    db: Db,
    own: OwnApi,
    rater: Annotated[str, Path(description="The pseudonym.")],
    decision: Exclusion,
    idempotency_key: IdempotencyKey = None,
) -> Decision:
    """Leave a rater's answers out of all estimates, or take them in again. The answers stay; every decision is kept."""
    rater_id = find_rater(db, own.study.id, rater)
    if rater_id is None:
        raise NotFoundError

    def act() -> Decision:
        is_excluded, reason = decision.exclude, decision.reason
        record_exclusion(db, own.study.id, rater_id, is_excluded=is_excluded, reason=reason, lead_id=own.lead.id)
        own.record(db, "rater excluded" if is_excluded else "rater included", rater=rater, reason=reason)
        return Decision(rater=rater, is_excluded=is_excluded, reason=reason)

    return once(db, request, own, idempotency_key, decision, answer=Decision, act=act)


@router.post("/links", status_code=201, summary="Make personal links")
def api_links(request: Request, db: Db, own: OwnApi, invitation: Invitation) -> Links:
    """New personal links. Earlier links of the same raters end, so sending a request again does no harm."""
    arrival_study = get_own_arrival_study(db, own.study.slug)
    if arrival_study is None:
        raise NotFoundError
    try:
        check_keys(invitation.raters)
        made = invite_raters(db, arrival_study, invitation.raters, invitation.pool)
    except InvalidInputError as error:
        raise UnprocessableError(error.problems[0].sentence()) from error
    except InviteError as error:
        raise UnprocessableError(str(error)) from error
    own.record(db, "raters invited", n_raters=len(made), pool=invitation.pool or "")
    base = base_address(request)
    address = f"{base}/s/{own.study.rater_token}?invite="
    return Links(links=[Link(rater=key, link=address + token) for key, token in made])
