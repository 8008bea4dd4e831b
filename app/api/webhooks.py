"""Webhooks through the API: which addresses are told about events, and the results of the deliveries."""

from typing import Annotated

from fastapi import Path, Query, Request

from app.api.access import OwnApi
from app.api.routing import api_router
from app.api.schemas import Deliveries, Delivery, Done, Webhook, WebhookRequest, Webhooks, WebhookWithSecret
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError, UnprocessableError
from app.webhooks.deliveries import list_deliveries
from app.webhooks.subscriptions import WebhookError, add_webhook, check_webhook, list_webhooks, remove_webhook

router = api_router("webhooks")
Number = Annotated[int, Path(ge=1, lt=2**63, description="The ID of the webhook.")]


@router.get("/webhooks", summary="Webhooks")
def api_webhooks(db: Db, own: OwnApi) -> Webhooks:
    """The addresses that are told about events of the study, without their secrets."""
    found = list_webhooks(db, own.study.id)
    return Webhooks(webhooks=[Webhook.model_validate(one, from_attributes=True) for one in found])


@router.get("/webhooks/deliveries", summary="Recent deliveries")
def api_deliveries(db: Db, own: OwnApi, limit: Annotated[int, Query(ge=1, le=1000)] = 100) -> Deliveries:
    """The last messages to all webhooks, newest first."""
    found = list_deliveries(db, own.study.id, limit)
    return Deliveries(deliveries=[Delivery.model_validate(one, from_attributes=True) for one in found])


@router.post("/webhooks", status_code=201, summary="Add a webhook")
def api_webhook(request: Request, db: Db, own: OwnApi, wanted: WebhookRequest) -> WebhookWithSecret:
    """Tell an address about events from now on. The response has the secret, which is not shown again."""
    networks = request.app.state.webhook_networks
    try:
        made = add_webhook(db, own.study, own.lead, address=wanted.address, events=wanted.events, networks=networks)
    except WebhookError as error:
        raise UnprocessableError(str(error)) from error
    return WebhookWithSecret(id=made.id, secret=made.secret)


@router.delete("/webhooks/{number}", summary="Delete a webhook")
def api_webhook_deletion(db: Db, own: OwnApi, number: Number) -> Done:
    """Send nothing more to this webhook, and forget its deliveries."""
    if not remove_webhook(db, own.study, own.lead, number):
        raise NotFoundError
    return Done()


@router.post("/webhooks/{number}/test", status_code=202, summary="Send a test")
def api_webhook_test(db: Db, own: OwnApi, number: Number) -> Done:
    """Send the event `webhook.test` within a few seconds; the list of deliveries shows the result."""
    if not check_webhook(db, own.study, own.lead, number):
        raise NotFoundError
    return Done()
