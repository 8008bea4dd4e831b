"""The study of an address, if the signed-in lead may do there what the address does; handlers need not check again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, NamedTuple

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool

from app.accounts.leads import Lead
from app.accounts.rate_limits import count, export_limit
from app.accounts.session import maybe_lead, session_token, signed_in_lead
from app.base.rendering.words import minutes
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError, TooManyError
from app.results.snapshots.deleted import refuse_deleted_snapshot
from app.studies.audit import record_act
from app.studies.draft_steps import with_steps
from app.studies.rights import check_right
from app.studies.studies import StudyRow, get_study


def own_study(request: Request, slug: str, lead: Annotated[Lead, Depends(signed_in_lead)], db: Db) -> StudyRow:
    """A study to which this lead belongs, in a role that allows what the address does."""
    return with_steps(db, check_right(request, get_study(db, slug, lead.id)))


class LeadAndStudy(NamedTuple):
    """The signed-in lead, and one of their studies."""

    lead: Lead
    study: StudyRow


async def lead_and_study(request: Request, slug: str) -> AsyncIterator[LeadAndStudy]:
    """For handlers with long computations: the transaction that authorizes has ended before they begin.

    They use connections in addition to those that `get_db` counts, so only as many run at once as there are spare ones.
    """
    async with request.app.state.long_turns.turn(session_token(request) or ""):
        yield await run_in_threadpool(find_lead_and_study, request, slug)


def find_lead_and_study(request: Request, slug: str) -> LeadAndStudy:
    """The signed-in lead and the study, read in a separate transaction.

    Raises:
        NotFoundError: there is no such study, or the lead may not see it.
        GoneError: the address is that of a snapshot whose study was deleted.
    """
    with request.app.state.begin() as db:
        lead = signed_in_lead(request, maybe_lead(request, db))
        try:
            return LeadAndStudy(lead, own_study(request, slug, lead, db))
        except NotFoundError:
            refuse_deleted_snapshot(db, request.query_params.get("snapshot", ""))
            raise


def count_export(request: Request, own: OwnForLong) -> LeadAndStudy:
    """Count a download of a study, which reads all of it, and note it in the log.

    Raises:
        TooManyError: there were too many downloads.
    """
    if wait_s := count(request.app.state.begin, [export_limit(own.lead.id)]):
        raise TooManyError(f"There were too many downloads. Try again in {minutes(wait_s)}.", retry_after_s=wait_s)
    with request.app.state.begin() as db:
        record_act(db, own.lead, own.study, "downloaded", file=request.url.path.rpartition("/")[2])
    return own


Own = Annotated[StudyRow, Depends(own_study)]
OwnForLong = Annotated[LeadAndStudy, Depends(lead_and_study, scope="function")]
OwnExport = Annotated[LeadAndStudy, Depends(count_export)]
