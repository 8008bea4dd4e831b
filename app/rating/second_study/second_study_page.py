"""The second study: the review of what raters wrote, text by text, and the study that others rate it in."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import RedirectResponse, Response

from app.accounts.leads import Lead
from app.accounts.session import SignedIn
from app.base.database.engine import Connection
from app.base.problem import InvalidInputError
from app.base.rendering.pages import page
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError
from app.base.words import typed
from app.rating.deps import FormFields
from app.rating.second_study.first_questions import OWN, SCALES, list_studies_with_questions
from app.rating.second_study.personal_data import KINDS
from app.rating.second_study.shared_texts import (
    REASONS,
    SharedText,
    SharedTexts,
    are_diaries,
    get_turns,
    goals_of,
    list_shared_texts,
    passages,
    record_review,
    tells_others_read,
    why_not,
)
from app.studies.own_study import Own, OwnForLong
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow

router = APIRouter()
N_ON_PAGE = 100
MAX_PAGES = 100_000
EMPTY = "Turn {number} is empty. Write [removed] where nothing may be left, or leave the whole text out."
NO_TURN = "The form does not have all turns of this text. Open the page again."


@router.get("/studies/{slug}/second-study")
def show_second_study(
    request: Request, db: Db, lead: SignedIn, study: Own, at: Annotated[int, Query(ge=1, le=MAX_PAGES)] = 1
) -> Response:
    return _page(request, db, lead, study, at=at)


def _page(
    request: Request,
    db: Connection,
    lead: Lead,
    study: StudyRow,
    *,
    at: int = 1,
    sent: Mapping[str, str] = MappingProxyType({}),
    problem: str = "",
) -> Response:
    protocol, shared = get_protocol(db, study.id, study.protocol_version), list_shared_texts(db, study.id)
    skipped, goals = (at - 1) * N_ON_PAGE, [] if are_diaries(shared) else goals_of(shared)
    usual = goals[-1].template if goals else OWN
    return page(
        request,
        "rating/second_study/second_study.html",
        status=422 if problem else 200,
        lead=lead,
        study=study,
        shared=shared,
        rows=[*enumerate(shared.texts, 1)][skipped : skipped + N_ON_PAGE],
        at=at,
        is_last=skipped + N_ON_PAGE >= len(shared.texts),
        labels=protocol.labels,
        is_draft=protocol.draft is not None,
        left_out={REASONS[reason]: n for reason, n in shared.left_out.items()},
        tells_others_read=tells_others_read(protocol),
        goals=goals,
        scales=SCALES,
        studies=list_studies_with_questions(db, study.id, lead.id),
        reason=why_not(shared),
        sent={"title": f"Ratings of {study.title}", "questions": usual, "words": "", **sent},
        problem=problem,
    )


@router.post("/studies/{slug}/second-study")
def submit_second_study(
    request: Request,
    own: OwnForLong,
    title: Annotated[str, Form(max_length=500)] = "",
    questions: Annotated[str, Form(max_length=80)] = "",
    words: Annotated[str, Form(max_length=20_000)] = "",
) -> Response:
    from app.rating.second_study.second_study import make_second_study

    with request.app.state.begin() as db:
        try:
            named = title.strip() or f"Ratings of {own.study.title}"
            made = make_second_study(db, own.study, own.lead.id, questions, named, lead=own.lead, words=words)
        except InvalidInputError as error:
            problem = error.problems[0]
            told = problem.found if problem.file == own.study.slug or not problem.allowed else problem.sentence()
            sent = {"title": named, "words": words, **({"questions": questions} if questions else {})}
            return _page(request, db, own.lead, own.study, sent=sent, problem=told)
    return RedirectResponse(request.app.url_path_for("show_study", slug=made.slug), status_code=303)


@router.get("/studies/{slug}/second-study/{text}")
def show_text_review(request: Request, db: Db, lead: SignedIn, study: Own, text: int) -> Response:
    shared = list_shared_texts(db, study.id)
    return _review_page(request, db, lead, study, shared, _text(shared, text))


@router.post("/studies/{slug}/second-study/{text}")
def submit_text_review(request: Request, db: Db, lead: SignedIn, study: Own, text: int, form: FormFields) -> Response:
    shared = list_shared_texts(db, study.id)
    reviewed = _text(shared, text)
    written = [turn["text"] for turn in get_turns(db, study.id, text)]
    decision = next(iter(form.get("decision", ())), "")
    texts = written
    if decision not in {"nothing", "leave_out"}:
        texts = [typed(next(iter(form.get(f"text-{number}", ())), "")) for number in range(1, len(written) + 1)]
        if any(f"text-{number}" not in form for number in range(1, len(written) + 1)):
            return _review_page(request, db, lead, study, shared, reviewed, problem=NO_TURN)
        for number, (old, new) in enumerate(zip(written, texts, strict=True), 1):
            if old.strip() and not new:
                problem = EMPTY.format(number=number)
                return _review_page(request, db, lead, study, shared, reviewed, texts=texts, problem=problem)
    record_review(db, study.id, text, texts, lead.id, is_shown=decision != "leave_out")
    following = next((one for one in shared.to_review if one.id != text), None)
    if following is None:
        return RedirectResponse(request.app.url_path_for("show_second_study", slug=study.slug), 303)
    address = request.app.url_path_for("show_text_review", slug=study.slug, text=following.id)
    return RedirectResponse(address, 303)


def _text(shared: SharedTexts, text_id: int) -> SharedText:
    """The text with this ID, if it may be shown to others.

    Raises:
        NotFoundError: there is none.
    """
    found = next((one for one in shared.texts if one.id == text_id), None)
    if found is None:
        raise NotFoundError
    return found


def _review_page(
    request: Request,
    db: Connection,
    lead: Lead,
    study: StudyRow,
    shared: SharedTexts,
    one: SharedText,
    *,
    texts: list[str] | None = None,
    problem: str = "",
) -> Response:
    ids = [other.id for other in shared.texts]
    place = ids.index(one.id)
    return page(
        request,
        "rating/second_study/text_review.html",
        status=422 if problem else 200,
        lead=lead,
        study=study,
        one=one,
        number=place + 1,
        n_texts=len(ids),
        n_to_review=len(shared.to_review),
        before=ids[place - 1] if place else None,
        after=ids[place + 1] if place + 1 < len(ids) else None,
        passages=passages(get_turns(db, study.id, one.id), texts if texts is not None else one.reviewed),
        kinds=KINDS,
        problem=problem,
    )
