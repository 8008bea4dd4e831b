"""Items: search, read one as raters do, see its estimates and disagreement, retire it."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import RedirectResponse, Response

from app.accounts.session import SignedIn
from app.base.rendering.pages import page, use_language
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError, PageError
from app.base.web.middleware.security import FRAMING_POLICY
from app.protocol.cells import cells
from app.protocol.rater_flags import compared_question
from app.rating.page.sheet import reading_sheet
from app.rating.preview.preview import example_view
from app.rating.preview.preview_page import NOBODY, framed
from app.rating.steps.reported_problems import list_problems_of_pages, list_reported_problems
from app.results.blinding import is_blinded
from app.results.items.item_answers import OneItem, get_item, list_item_answers
from app.results.items.item_estimates import item_estimates
from app.results.items.item_rows import (
    Search,
    bring_back_item,
    has_special_trials,
    list_attribute_values,
    list_item_rows,
    retire_item,
)
from app.studies.audit import record_act
from app.studies.imports.text_uploads import why_fixed
from app.studies.own_study import LeadAndStudy, Own
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow

router = APIRouter()
N_ON_PAGE = 50
STATES = (("", "All items"), ("no", "In use"), ("yes", "Retired"), ("reported", "With reported problems"))
IN_CHECKS = (
    "This item is a practice or gold trial, which every rater gets. Take it out of the design instead, and make a new "
    "version."
)


class Asked(BaseModel):
    """The search form. `where`: an attribute and its value, `name=value`; `first`: number of items to skip."""

    words: str = Field("", max_length=200)
    where: str = Field("", max_length=500)
    state: Literal["", "no", "yes", "reported"] = ""
    order: Literal["", "spread"] = ""
    first: int = Field(0, ge=0, le=10_000_000)


@router.get("/studies/{slug}/items")
def show_items(request: Request, db: Db, lead: SignedIn, study: Own, asked: Annotated[Asked, Query()]) -> Response:
    protocol = get_protocol(db, study.id, study.protocol_version)
    hidden = is_blinded(study, protocol)
    question = None if hidden else compared_question(protocol)
    attribute, _, value = asked.where.replace("\0", "").partition("=")
    is_by_spread = question is not None and asked.order == "spread"
    search = Search(asked.words.replace("\0", "").strip(), attribute, value, asked.state, is_by_spread)
    key = question.key if question else ""
    rows, n = list_item_rows(db, study.id, search, key, first=asked.first, n=N_ON_PAGE)
    return page(
        request,
        "results/items/items.html",
        lead=lead,
        study=study,
        rows=rows,
        problems=list_problems_of_pages(db, study.id),
        n=n,
        first=asked.first,
        n_on_page=N_ON_PAGE,
        asked=asked.model_dump(),
        attributes=list_attribute_values(db, study.id),
        states=STATES,
        question=question,
        labels=protocol.labels,
        sources=list(protocol.sources),
    )


@router.get("/studies/{slug}/items/{item}")
def show_item(request: Request, db: Db, lead: SignedIn, study: Own, item: int) -> Response:
    return item_page(request, db, LeadAndStudy(lead, study), item)


def item_page(request: Request, db: Db, own: LeadAndStudy, item: int, problem: str = "") -> Response:
    """One item: its texts, ratings and reported problems, and what can be done with it. `problem`: of its image."""
    lead, study = own
    protocol = get_protocol(db, study.id, study.protocol_version)
    found = _item(db, study, item)
    hidden = is_blinded(study, protocol)
    response = page(
        request,
        "results/items/item.html",
        status=422 if problem else 200,
        problem=problem,
        may_change_image=study.may("edit") and not why_fixed(db, study),
        max_upload_bytes=request.app.state.max_upload_bytes,
        lead=lead,
        study=study,
        item=found,
        hidden=hidden,
        estimates=[] if hidden else item_estimates(list_item_answers(db, study.id, item), protocol),
        labels=protocol.labels,
        problems=list_reported_problems(db, study.id, item),
        is_special=has_special_trials(db, study.id, item),
    )
    response.headers["Content-Security-Policy"] = FRAMING_POLICY
    return response


@router.get("/studies/{slug}/items/{item}/texts")
def show_item_texts(request: Request, db: Db, study: Own, item: int) -> Response:
    protocol, found = get_protocol(db, study.id, study.protocol_version), _item(db, study, item)
    use_language(request, protocol.language)
    view = example_view(
        db,
        study.id,
        item_id=item,
        response_ids=[response.id for response in found.responses],
        condition=cells(protocol.conditions)[0].text,
        shown_labels=tuple(protocol.labels.source(response.source) for response in found.responses),
    )
    context: dict[str, Any] = {"view": view, "sheet": reading_sheet(protocol, view)}
    return framed(
        page(request, "rating/preview/texts.html", slug=study.slug, protocol=protocol, session=NOBODY, **context)
    )


@router.post("/studies/{slug}/items/{item}/retirement")
def submit_retirement(
    request: Request,
    db: Db,
    lead: SignedIn,
    study: Own,
    item: int,
    reason: Annotated[str, Form(max_length=500)] = "",
    *,
    retire: Annotated[bool, Form()] = False,
) -> Response:
    found, words = _item(db, study, item), reason.replace("\0", "").strip()
    if not words:
        raise PageError("Give a reason: it is kept with the decision and shown in the downloads.")
    if retire and has_special_trials(db, study.id, item):
        raise PageError(IN_CHECKS)
    if retire:
        retire_item(db, study.id, item, words)
    else:
        bring_back_item(db, study.id, item)
    record_act(db, lead, study, "item retired" if retire else "item brought back", item=found.key, reason=words)
    address = request.app.url_path_for("show_item", slug=study.slug, item=str(item))
    return RedirectResponse(address, status_code=303)


def _item(db: Db, study: StudyRow, item: int) -> OneItem:
    found = get_item(db, study.id, item)
    if found is None:
        raise NotFoundError
    return found
