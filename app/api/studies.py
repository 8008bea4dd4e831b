"""A study through the API: its state, progress and protocol."""

from typing import Annotated

from fastapi import Query, Request

from app.api.access import OwnApi
from app.api.once import IdempotencyKey, once
from app.api.routing import api_router
from app.api.schemas import Deleted, NewStatus, Progress, ProtocolDocument, StatusChange, Study
from app.base.web.deps import Db
from app.base.web.errors import ConflictError, UnprocessableError
from app.base.web.links import base_address
from app.rating import life_cycle
from app.rating.withdrawal.deletions import deletion_of_study
from app.studies.coverage import get_counts, get_coverage
from app.studies.protocols import get_protocol_text
from app.studies.studies import count_contents, delete_study

router = api_router("study")


@router.get("", summary="The study and its progress")
def api_study(request: Request, db: Db, own: OwnApi) -> Study:
    """The study and its progress."""
    study, counts, coverage = own.study, get_counts(db, own.study.id), get_coverage(db, own.study.id, n_least=0)
    base = base_address(request)
    return Study(
        slug=study.slug,
        title=study.title,
        status=study.status,
        protocol_version=study.protocol_version,
        is_demo=study.is_demo,
        created_at=study.created_at,
        opened_at=study.opened_at,
        closed_at=study.closed_at,
        rater_link=f"{base}/s/{study.rater_token}",
        progress=Progress(
            n_items=counts.n_items,
            n_trials=coverage.n_trials,
            n_seats=coverage.n_seats,
            n_rated=coverage.n_rated,
            n_raters=counts.n_raters,
            n_simulated=counts.n_simulated,
            n_judges=counts.n_judges,
            n_ratings=counts.n_ratings,
            n_active=coverage.rating_sessions.n_active,
            n_finished=coverage.rating_sessions.n_finished,
            last_rating_at=counts.last_rating_at,
        ),
    )


@router.get("/protocol", summary="The protocol")
def api_protocol(db: Db, own: OwnApi) -> ProtocolDocument:
    """The protocol, as study.yaml."""
    text = get_protocol_text(db, own.study.id, own.study.protocol_version)
    return ProtocolDocument(version=own.study.protocol_version, sha256=text.sha256, yaml=text.yaml)


@router.post("/status", summary="Open, pause or close")
def api_status(
    request: Request, db: Db, own: OwnApi, change: StatusChange, idempotency_key: IdempotencyKey = None
) -> NewStatus:
    """Open, pause or close the study. A study that has this status already stays as it is."""

    def act() -> NewStatus:
        try:
            life_cycle.change_status(db, own.study, change.status, change.as_written)
        except life_cycle.OpeningError as error:
            raise ConflictError(str(error)) from error
        own.record(db, "status changed", before=own.study.status, after=change.status)
        return NewStatus(status=change.status)

    return once(db, request, own, idempotency_key, change, answer=NewStatus, act=act)


@router.delete("", summary="Delete the study")
def api_deletion(
    request: Request, db: Db, own: OwnApi, confirm: Annotated[str, Query(max_length=64, description="The slug.")]
) -> Deleted:
    """Delete a draft or a closed study with its texts, raters, answers and tokens. Nothing of it is kept."""
    study = own.study
    if study.status in {"open", "paused"}:
        raise ConflictError(f"The study is {study.status}. Close it before you delete it.")
    if confirm != study.slug:
        raise UnprocessableError(f"Nothing was deleted. To delete the study, send confirm={study.slug}.")
    counts = count_contents(db, study.id)
    request.app.state.deletions.add(deletion_of_study(db, study.id))
    delete_study(db, study.id)
    own.record(db, "study deleted", title=study.title, **counts)
    return Deleted(slug=study.slug, **{f"n_{name}": n for name, n in counts.items() if name != "versions"})
