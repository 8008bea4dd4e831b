"""Webhooks of a study: add one, test it, and see the results of the deliveries."""

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from app.accounts.leads import Lead
from app.accounts.session import SignedIn
from app.base.rendering.pages import form_page
from app.base.web.cookies import after_showing, redirect_showing, shown_once
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError
from app.studies.own_study import Own
from app.studies.studies import StudyRow
from app.webhooks.deliveries import list_deliveries
from app.webhooks.events import EVENTS, LABELS, LONGEST_ADDRESS
from app.webhooks.retries import MAX_ATTEMPTS
from app.webhooks.subscriptions import (
    WebhookError,
    add_webhook,
    check_webhook,
    list_webhooks,
    remove_webhook,
    renew_webhook_secret,
    restart_webhook,
)

router = APIRouter()
MAX_SHOWN = 50
CHANGES = {"test": check_webhook, "resume": restart_webhook, "delete": remove_webhook}


@router.get("/studies/{slug}/settings/webhooks")
def show_webhooks(request: Request, db: Db, lead: SignedIn, study: Own) -> Response:
    return _page(request, db, lead, study)


@router.post("/studies/{slug}/settings/webhooks")
def submit_webhook(
    request: Request,
    db: Db,
    lead: SignedIn,
    study: Own,
    address: Annotated[str, Form(max_length=5000)] = "",
    events: Annotated[tuple[str, ...], Form(max_length=10)] = (),
) -> Response:
    networks = request.app.state.webhook_networks
    try:
        made = add_webhook(db, study, lead, address=address, events=events, networks=networks)
    except WebhookError as error:
        return _page(request, db, lead, study, problem=str(error), address=address, events=events)
    return redirect_showing(request, _address(request, study), made.secret)


@router.post("/studies/{slug}/settings/webhooks/{number}/{change}")
def submit_webhook_change(
    request: Request,
    db: Db,
    lead: SignedIn,
    study: Own,
    number: int,
    change: Literal["test", "resume", "delete", "secret"],
) -> Response:
    if change == "secret":
        secret = renew_webhook_secret(db, study, lead, number)
        if secret is None:
            raise NotFoundError
        return redirect_showing(request, _address(request, study), secret)
    if not CHANGES[change](db, study, lead, number):
        raise NotFoundError
    return RedirectResponse(_address(request, study), status_code=303)


def _address(request: Request, study: StudyRow) -> str:
    return str(request.app.url_path_for("show_webhooks", slug=study.slug))


def _page(
    request: Request,
    db: Db,
    lead: Lead,
    study: StudyRow,
    *,
    problem: str = "",
    address: str = "",
    events: tuple[str, ...] = tuple(EVENTS),
) -> Response:
    response = form_page(
        request,
        "webhooks/webhooks.html",
        lead=lead,
        study=study,
        webhooks=list_webhooks(db, study.id),
        deliveries=list_deliveries(db, study.id, MAX_SHOWN),
        labels=LABELS,
        all_events=EVENTS,
        max_attempts=MAX_ATTEMPTS,
        longest_address=LONGEST_ADDRESS,
        problem=problem,
        address=address,
        events=events,
        secret=shown_once(request),
    )
    return after_showing(request, response)
