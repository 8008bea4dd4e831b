"""The requests of a run in the browser, and the addresses that ask some of them again or delete the run."""

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import RedirectResponse, Response

from app.accounts.session import SignedIn
from app.base.rendering.pages import page
from app.base.web.deps import Db
from app.base.web.errors import PageError
from app.llm.outcomes import OUTCOME_WORDS, Outcome
from app.llm.runs.request_reader import count_requests, list_requests, outcomes_by_attribute
from app.llm.runs.run_changes import delete_run, redo_requests
from app.llm.runs.run_rows import PAGE_OF, own_run
from app.llm.runs.runs import RunIsBusyError, is_worked_on
from app.studies.audit import record_act
from app.studies.own_study import Own

router = APIRouter()
N_ON_PAGE = 20
First = Annotated[int, Query(ge=0, le=10_000_000)]
Redone = Literal["unparsed", "cut_off", "refused", "too_long"]


@router.get("/studies/{slug}/model-runs/{number}/requests")
def show_model_requests(
    request: Request,
    db: Db,
    lead: SignedIn,
    study: Own,
    number: int,
    outcome: Outcome | Literal["open", ""] = "",
    first: First = 0,
) -> Response:
    run = own_run(db, study, number)
    counts = count_requests(db, run)
    words = {str(one): one_words.partition(":")[0] for one, one_words in OUTCOME_WORDS.items()} | {"open": "Open"}
    return page(
        request,
        "llm/requests.html",
        lead=lead,
        study=study,
        run=run,
        rows=list_requests(db, run, outcome=outcome, first=first, n=N_ON_PAGE),
        counts={one: counts[one] for one in words if one in counts},
        words=words,
        by_attribute=outcomes_by_attribute(db, run),
        outcome=str(outcome),
        n_shown=counts.get(outcome, 0) if outcome else sum(counts.values()),
        first=first,
        n_on_page=N_ON_PAGE,
        back=PAGE_OF[run.purpose],
    )


@router.post("/studies/{slug}/model-runs/{number}/redo")
def submit_run_redo(
    request: Request, db: Db, lead: SignedIn, study: Own, number: int, outcomes: Annotated[list[Redone], Form()]
) -> Response:
    run = own_run(db, study, number)
    if is_worked_on(db, run):
        raise PageError(f"A process is working on the run {run.name}. Ask again when that process has ended.")
    n = redo_requests(db, run, [Outcome(one) for one in outcomes])
    record_act(db, lead, study, "model requests planned again", name=run.name, outcomes=", ".join(outcomes), n=n)
    return RedirectResponse(request.app.url_path_for(PAGE_OF[run.purpose], slug=study.slug), status_code=303)


@router.post("/studies/{slug}/model-runs/{number}/delete")
def submit_run_deletion(request: Request, db: Db, lead: SignedIn, study: Own, number: int) -> Response:
    run = own_run(db, study, number)
    try:
        delete_run(db, run)
    except RunIsBusyError as error:
        raise PageError(str(error)) from None
    record_act(db, lead, study, "model run deleted", name=run.name, model=run.model)
    return RedirectResponse(request.app.url_path_for(PAGE_OF[run.purpose], slug=study.slug), status_code=303)
