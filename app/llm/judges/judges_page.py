"""The model judges of a study: how far each is, and how a new one is started."""

from dataclasses import replace
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from pydantic import Field
from starlette.responses import RedirectResponse, Response

from app.accounts.session import SignedIn
from app.base.problem import InvalidInputError
from app.base.rendering.pages import page
from app.base.web.deps import Db
from app.base.web.errors import PageError
from app.base.words import typed
from app.llm.client.connection import ClientMissingError
from app.llm.client.handshake import shake_hands
from app.llm.client.request_errors import RequestError
from app.llm.judges.judge_runs import (
    NothingToJudgeError,
    RunExistsError,
    asked_again,
    begin_judges,
    begin_run,
    estimate_runs,
)
from app.llm.judges.judge_settings import JudgeSettings, profile_settings, prompt_settings
from app.llm.judges.rater_profiles import profiles_of_text
from app.llm.runs.run_rows import own_run, server_of, servers, shown_runs
from app.llm.runs.run_start import OtherSettingsError
from app.llm.runs.runs import RunNameTakenError, record_queued, record_server
from app.llm.runs.start_form import StartForm, StartProblemError, chosen, start_page, words_of_estimate
from app.studies.audit import record_act
from app.studies.own_study import Own

router = APIRouter()
_form_page = partial(start_page, "llm/new_judge.html")
# The requests of all judges are planned before the page answers.
MAX_JUDGES = 20
SEPARATOR = "---"
# Seconds to wait for an answer while someone looks at the page.
CHECK_S = 40.0
_PROBLEMS = (
    NothingToJudgeError,
    OtherSettingsError,
    RunExistsError,
    RunNameTakenError,
    StartProblemError,
    RequestError,
    ClientMissingError,
)


def prompts_of_text(text: str) -> dict[str, str]:
    r"""The prompts that were pasted, separated by lines of three hyphens, by their numbers.

    >>> prompts_of_text("Be strict.\n---\nTake the view\nof the writer.")
    {'prompt1': 'Be strict.', 'prompt2': 'Take the view\nof the writer.'}
    """
    lines = text.replace("\0", "").replace("\r\n", "\n").split("\n")
    joined = "\n".join("\0" if line.strip() == SEPARATOR else line for line in lines)
    found = [one.strip() for one in joined.split("\0")]
    return {f"prompt{number}": words for number, words in enumerate(filter(None, found), start=1)}


class JudgeForm(StartForm):
    """How a judge is asked; see `JudgeSettings`."""

    repeats: int = Field(1, ge=1, le=100)
    both_sides: bool = False
    persona: str = Field("", max_length=20_000)
    family: str = Field("", max_length=100)
    answer_format: Literal["schema", "json", "words"] = "schema"
    probabilities: bool = False
    reason_first: bool = False
    examples: str = Field("", max_length=20_000)
    reference: str = Field("", max_length=100)
    profiles: str = Field("", max_length=200_000)
    prompts: str = Field("", max_length=100_000)

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
            persona=typed(self.persona),
            family=self.family.strip(),
            with_probabilities=self.probabilities,
            examples=typed(self.examples),
            reference=self.reference.strip(),
            reason_first=self.reason_first,
        )

    @property
    def judges(self) -> dict[str, JudgeSettings]:
        """The settings of each judge by its name: one, or one per rater profile and prompt.

        Raises:
            InvalidInputError: every problem of the profiles.
            StartProblemError: there are too many.
        """
        judges = {self.run_name: self.settings}
        if self.profiles.strip():
            profiles = profiles_of_text(self.profiles.replace("\0", "").strip())
            judges = profile_settings(profiles, self.run_name, self.settings)
        found = prompt_settings(prompts_of_text(self.prompts), judges)
        if len(found) > MAX_JUDGES:
            raise StartProblemError(
                f"These are {len(found)} judges, one for each profile and prompt. Start at most {MAX_JUDGES} here, and "
                "more with attune judge --profile or --prompt."
            )
        return found


@router.get("/studies/{slug}/judges")
def show_judges(request: Request, db: Db, lead: SignedIn, study: Own) -> Response:
    rows = shown_runs(request, db, study, "judge")
    return page(request, "llm/judges.html", lead=lead, study=study, rows=rows, can_start=bool(servers(request)))


@router.post("/studies/{slug}/judges/{number}/again")
def submit_judge_again(
    request: Request,
    db: Db,
    lead: SignedIn,
    study: Own,
    number: int,
    max_tokens: Annotated[int, Form(ge=1)],
    anchors: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Ask a judge the same once more, as a judge of its own."""
    run = own_run(db, study, number, "judge")
    server = server_of(request, run)
    if server is None:
        raise PageError("The server of this judge is not in the list of servers. Use attune judge --again.")
    try:
        name, settings = asked_again(db, study, run, anchors.strip())
        later, _ = begin_run(db, study, server.endpoint(run.model), settings, name, lead_id=lead.id)
    except _PROBLEMS as error:
        raise PageError(str(error)) from None
    record_queued(db, later, server.name, min(max_tokens, server.max_tokens), batch=run.in_batches)
    record_act(db, lead, study, "judge asked again", name=name, model=run.model, max_tokens=max_tokens)
    return RedirectResponse(request.app.url_path_for("show_judges", slug=study.slug), status_code=303)


@router.get("/studies/{slug}/judges/new")
def show_new_judge(request: Request, lead: SignedIn, study: Own) -> Response:
    return _form_page(request, lead, study, JudgeForm(both_sides=True))


@router.post("/studies/{slug}/judges/new")
def submit_new_judge(
    request: Request, db: Db, lead: SignedIn, study: Own, form: Annotated[JudgeForm, Form()]
) -> Response:
    try:
        server, endpoint = chosen(request, form)
        judges = form.judges
        tokens = form.tokens // len(judges)
        estimate = estimate_runs(db, study, judges.values())
        estimated = words_of_estimate(estimate, server, form)
        if len(judges) > 1:
            estimated = f"{len(judges)} judges, {estimated} Each judge has {tokens:,} tokens of the budget."
        if form.step == "check":
            hasty = replace(endpoint, timeout_s=min(endpoint.timeout_s, CHECK_S))
            findings = shake_hands(hasty, form.settings.parameters, estimate.longest_in)
            return _form_page(request, lead, study, form, estimated=estimated, findings=findings)
        if form.step not in {"start", "plan"} or form.estimated != estimated:
            return _form_page(request, lead, study, form, estimated=estimated)
        runs = begin_judges(db, study, endpoint, judges, lead_id=lead.id)
    except InvalidInputError as error:
        return _form_page(request, lead, study, form, problems=[one.sentence() for one in error.problems])
    except _PROBLEMS as error:
        return _form_page(request, lead, study, form, problems=[str(error)])
    for run in runs:
        if form.step == "plan":
            record_server(db, run, server.name, tokens, batch=form.batch)
        else:
            record_queued(db, run, server.name, tokens, batch=form.batch)
        act = "judge planned" if form.step == "plan" else "judge started"
        record_act(db, lead, study, act, name=run.name, model=run.model, max_tokens=tokens)
    return RedirectResponse(request.app.url_path_for("show_judges", slug=study.slug), status_code=303)
