"""Responses that models wrote: their runs, and the form that starts one."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Form, Request
from pydantic import Field
from starlette.responses import RedirectResponse, Response

from app.accounts.session import SignedIn
from app.base.problem import InvalidInputError
from app.base.rendering.pages import page
from app.base.web.deps import Db
from app.llm.client.endpoint import MAX_TOKENS_OF_ANSWER
from app.llm.runs.run_rows import servers, shown_runs
from app.llm.runs.run_start import OtherSettingsError
from app.llm.runs.runs import record_queued
from app.llm.runs.start_form import StartForm, StartProblemError, check_new, chosen, start_page, words_of_estimate
from app.llm.writers.prompt import read_prompt
from app.llm.writers.respond_runs import NothingToAnswerError, begin_respond, estimate_respond
from app.llm.writers.respond_settings import RespondSettings
from app.llm.writers.texts import count_texts
from app.studies.audit import record_act
from app.studies.own_study import Own

router = APIRouter()
_form_page = partial(start_page, "llm/new_generated.html")
FILE = "prompt.yaml"
FIRST_PROMPT = """\
name: my-prompt
version: 1
system: You answer people who write about a hard moment.
user: "{situation}"
"""


class RespondForm(StartForm):
    """The prompt file as text, and how answers are sampled."""

    prompt: str = Field(FIRST_PROMPT, max_length=200_000)
    temperature: float = Field(0.7, ge=0, le=2)
    answer_tokens: int = Field(2000, ge=1, le=MAX_TOKENS_OF_ANSWER)

    @property
    def settings(self) -> RespondSettings:
        """The settings of the run.

        Raises:
            InvalidInputError: every problem of the prompt.
        """
        parsed, text = read_prompt(self.prompt.replace("\r\n", "\n").replace("\0", "").encode(), FILE)
        data = parsed.model_dump(mode="json")
        return RespondSettings(data, text, self.temperature, self.seed_number, self.answer_tokens)


@router.get("/studies/{slug}/generated")
def show_generated(request: Request, db: Db, lead: SignedIn, study: Own) -> Response:
    rows = shown_runs(request, db, study, "respond")
    return page(
        request,
        "llm/generated.html",
        lead=lead,
        study=study,
        rows=[(row, count_texts(db, row.run)) for row in rows],
        can_start=bool(servers(request)),
    )


@router.get("/studies/{slug}/generated/new")
def show_new_generated(request: Request, lead: SignedIn, study: Own) -> Response:
    return _form_page(request, lead, study, RespondForm())


@router.post("/studies/{slug}/generated/new")
def submit_new_generated(
    request: Request, db: Db, lead: SignedIn, study: Own, form: Annotated[RespondForm, Form()]
) -> Response:
    try:
        server, endpoint = chosen(request, form)
        estimate = estimate_respond(db, study, form.settings, FILE)
        estimated = words_of_estimate(estimate, server, form)
        if form.step != "start" or form.estimated != estimated:
            return _form_page(request, lead, study, form, estimated=estimated)
        run, is_new = begin_respond(db, study, endpoint, form.settings, form.run_name, file=FILE, lead_id=lead.id)
        check_new(run, is_new=is_new)
    except InvalidInputError as error:
        return _form_page(request, lead, study, form, problems=[one.sentence() for one in error.problems])
    except (NothingToAnswerError, OtherSettingsError, StartProblemError) as error:
        return _form_page(request, lead, study, form, problems=[str(error)])
    record_queued(db, run, server.name, form.tokens, batch=form.batch)
    record_act(db, lead, study, "generation started", name=run.name, model=run.model, max_tokens=form.tokens)
    return RedirectResponse(request.app.url_path_for("show_generated", slug=study.slug), status_code=303)
