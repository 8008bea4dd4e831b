"""The texts of a run: accept, edit or reject each, add them to the study, and compare two prompts."""

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import RedirectResponse, Response

from app.accounts.session import SignedIn
from app.base.problem import InvalidInputError
from app.base.rendering.pages import page
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError, PageError
from app.llm.runs.run_rows import own_run
from app.llm.runs.runs import list_runs
from app.llm.writers.compared_runs import compared_prompts, compared_texts
from app.llm.writers.prompt import PromptLength
from app.llm.writers.respond_prompt import count_words
from app.llm.writers.respond_settings import RespondSettings
from app.llm.writers.texts import TextRow, UndecidedError, count_texts, decide_text, get_text, list_texts
from app.studies.editor.protocol_edits import EditConflictError, get_draft
from app.studies.imports.import_report import revealing_excerpt
from app.studies.imports.text_uploads import TextsFixedError, check_replaceable
from app.studies.own_study import Own

router = APIRouter()
N_ON_PAGE = 20
MAX_TEXT = 100_000
MAX_FIRST = 10_000_000
First = Annotated[int, Query(ge=0, le=MAX_FIRST)]


class DecisionForm(BaseModel):
    """What a person decides about a text. `first`: the place of the page in the list, to return to it."""

    decision: Literal["accepted", "edited", "rejected"]
    edited: str = Field("", max_length=MAX_TEXT)
    first: int = Field(0, ge=0, le=MAX_FIRST)


class UseForm(BaseModel):
    """The source that texts are added to, and the save of the protocol's draft that the lead saw."""

    source: str = Field(max_length=100)
    save: int = Field(0, ge=0)


@router.get("/studies/{slug}/generated/{number}")
def show_generated_texts(
    request: Request, db: Db, lead: SignedIn, study: Own, number: int, first: First = 0
) -> Response:
    run = own_run(db, study, number, "respond")
    length = RespondSettings.of(run.settings).parsed.length
    rows = list_texts(db, run, first=first, n=N_ON_PAGE)
    return page(
        request,
        "llm/generated_texts.html",
        lead=lead,
        study=study,
        run=run,
        rows=[
            (row, revealing_excerpt(row.final), count_words(row.final), _is_other_length(length, row)) for row in rows
        ],
        counts=count_texts(db, run),
        first=first,
        n_on_page=N_ON_PAGE,
        others=[one for one in list_runs(db, study.id, "respond") if one.id != run.id],
        fixed=_why_fixed(db, study),
        number=get_draft(db, study).number,
    )


def _is_other_length(length: PromptLength | None, row: TextRow) -> bool:
    """Whether the text as it may enter the study is too short or too long."""
    if length is None or not row.target_words:
        return False
    low, high = length.bounds(row.target_words)
    return not low <= count_words(row.final) <= high


def _why_fixed(db: Db, study: Own) -> str:
    """Why no texts can be added to the study; empty if they can."""
    try:
        check_replaceable(db, study)
    except TextsFixedError as error:
        return str(error)
    return ""


@router.post("/studies/{slug}/generated/{number}/texts/{text}")
def submit_text_decision(
    request: Request,
    db: Db,
    lead: SignedIn,
    study: Own,
    number: int,
    text: int,
    form: Annotated[DecisionForm, Form()],
) -> Response:
    run = own_run(db, study, number, "respond")
    row = get_text(db, run, text)
    if row is None:
        raise NotFoundError
    try:
        decide_text(db, run, row, lead, form.decision, form.edited.replace("\0", ""))
    except UndecidedError as error:
        raise PageError(str(error)) from None
    address = request.app.url_path_for("show_generated_texts", slug=study.slug, number=str(number))
    return RedirectResponse(f"{address}?first={form.first}#text-{row.id}", status_code=303)


@router.post("/studies/{slug}/generated/{number}/use")
def submit_texts_used(
    request: Request,
    db: Db,
    lead: SignedIn,
    study: Own,
    number: int,
    form: Annotated[UseForm, Form()],
) -> Response:
    from app.llm.writers.generated_texts import use_texts

    run, key = own_run(db, study, number, "respond"), " ".join(form.source.replace("\0", "").split())
    if not key:
        raise PageError("Enter a name for the source.")
    try:
        use_texts(db, study, lead, run, key, form.save)
    except InvalidInputError as error:
        raise PageError(" ".join(one.sentence() for one in error.problems[:5])) from None
    except EditConflictError:
        raise PageError("Someone else has changed the sources in the meantime. Open the page again.") from None
    except (UndecidedError, TextsFixedError) as error:
        raise PageError(str(error)) from None
    return RedirectResponse(request.app.url_path_for("show_items", slug=study.slug), status_code=303)


@router.get("/studies/{slug}/generated/{number}/compare")
def show_prompt_comparison(
    request: Request, db: Db, lead: SignedIn, study: Own, number: int, other: int, first: First = 0
) -> Response:
    old, new = (own_run(db, study, one, "respond") for one in (other, number))
    return page(
        request,
        "llm/comparison.html",
        lead=lead,
        study=study,
        old=old,
        new=new,
        compared=[compared_prompts(old, new), *compared_texts(db, old, new, first=first, n=N_ON_PAGE)],
        first=first,
        n_on_page=N_ON_PAGE,
        n_texts=min(count_texts(db, one).n for one in (old, new)),
    )
