"""The model judges of a study: how far each is, and how a new one is started."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from pydantic import Field
from starlette.responses import RedirectResponse, Response

from app.actions.models.judge_runs import NothingToJudgeError, begin_run, estimate_run
from app.actions.models.judge_settings import JudgeSettings
from app.actions.models.run_start import OtherSettingsError
from app.storage.leads.audit import record_act
from app.storage.model_runs.runs import RunNameTakenError, record_queued
from app.web.deps import Db
from app.web.lead.models.run_rows import servers, shown_runs
from app.web.lead.models.start_form import StartForm, StartProblemError, check_new, chosen, words_of_estimate
from app.web.lead.session import Own, SignedIn
from app.web.rendering.pages import page

router = APIRouter()


class JudgeForm(StartForm):
    """How a judge is asked; see `JudgeSettings`."""

    repeats: int = Field(1, ge=1, le=100)
    both_sides: bool = False
    persona: str = Field("", max_length=20_000)
    family: str = Field("", max_length=100)
    answer_format: Literal["schema", "json", "words"] = "schema"
    probabilities: bool = False

    @property
    def settings(self) -> JudgeSettings:
        """The settings of the judge."""
        return JudgeSettings(
            repeats=self.repeats,
            both_sides=self.both_sides,
            temperature=self.temperature,
            seed=self.seed_number,
            max_tokens=self.answer_tokens,
            answer_format=self.answer_format,
            persona=self.persona.replace("\r\n", "\n").strip(),
            family=self.family.strip(),
            with_probabilities=self.probabilities,
        )


@router.get("/studies/{slug}/judges")
def show_judges(request: Request, db: Db, lead: SignedIn, study: Own) -> Response:
    rows = shown_runs(request, db, study, "judge")
    return page(request, "lead/models/judges.html", lead=lead, study=study, rows=rows, can_start=bool(servers(request)))


@router.get("/studies/{slug}/judges/new")
def show_new_judge(request: Request, lead: SignedIn, study: Own) -> Response:
    return _form_page(request, lead, study, JudgeForm(both_sides=True))


@router.post("/studies/{slug}/judges/new")
def submit_new_judge(
    request: Request, db: Db, lead: SignedIn, study: Own, form: Annotated[JudgeForm, Form()]
) -> Response:
    try:
        server, endpoint = chosen(request, form)
        estimate = estimate_run(db, study, form.settings)
        estimated = words_of_estimate(estimate, server, form)
        if form.step != "start" or form.estimated != estimated:
            return _form_page(request, lead, study, form, estimated=estimated)
        run, is_new = begin_run(db, study, endpoint, form.settings, form.run_name, lead_id=lead.id)
        check_new(run, is_new=is_new)
    except (NothingToJudgeError, OtherSettingsError, RunNameTakenError, StartProblemError) as error:
        return _form_page(request, lead, study, form, problem=str(error))
    record_queued(db, run, server.name, form.tokens)
    record_act(db, lead, study, "judge started", name=run.name, model=run.model, max_tokens=form.tokens)
    return RedirectResponse(request.app.url_path_for("show_judges", slug=study.slug), status_code=303)


def _form_page(
    request: Request, lead: SignedIn, study: Own, form: JudgeForm, *, estimated: str = "", problem: str = ""
) -> Response:
    return page(
        request,
        "lead/models/new_judge.html",
        status=422 if problem else 200,
        lead=lead,
        study=study,
        form=form,
        servers=servers(request),
        estimated=estimated,
        problem=problem,
    )
