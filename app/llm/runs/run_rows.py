"""The runs of models as the pages show them, and the addresses that stop and continue them."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from app.accounts.session import SignedIn
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError, PageError
from app.llm.client.servers import ModelServer
from app.llm.outcomes import OUTCOME_WORDS, Outcome, Purpose
from app.llm.runs.requests import Progress, get_progress, list_problems
from app.llm.runs.run_changes import CAN_BE_REDONE
from app.llm.runs.runs import RunRow, get_run_by_id, is_worked_on, list_runs, record_queued, record_stop
from app.studies.audit import record_act
from app.studies.own_study import Own
from app.studies.studies import StudyRow

router = APIRouter()
PAGE_OF = {"judge": "show_judges", "respond": "show_generated"}


@dataclass(frozen=True, slots=True)
class ShownRun:
    """One run. `outcomes`: words and number of each outcome; `problems`: the most frequent ones."""

    run: RunRow
    progress: Progress
    outcomes: tuple[tuple[str, int], ...]
    problems: tuple[tuple[str, int], ...]
    is_worked_on: bool
    can_continue: bool
    has_server: bool

    @property
    def redoable(self) -> list[tuple[Outcome, str, int]]:
        """The outcomes that can be asked again, each in words and with its number."""
        found = self.progress.by_outcome
        return [(one, OUTCOME_WORDS[one].partition(":")[0], found[one]) for one in CAN_BE_REDONE if found.get(one)]

    @property
    def is_under_way(self) -> bool:
        """Whether its numbers may change soon."""
        return self.is_worked_on or bool(self.progress.n_left and self.run.is_queued and not self.run.is_stopped)

    @property
    def state(self) -> str:
        """The state of the run, in words."""
        if not self.progress.n_left:
            return "Done"
        if self.run.is_stopped:
            return "Stopped"
        if self.is_worked_on:
            return "Running"
        waiting = "Waiting for a batch" if self.run.in_batches and self.progress.n_asked else "Waiting to start"
        if self.run.is_queued:
            return waiting
        return "Not running" if self.progress.n_asked or self.progress.n_with_outcome else "Not started"


def shown_runs(request: Request, db: Db, study: StudyRow, purpose: Purpose) -> list[ShownRun]:
    """The runs of a study for one purpose, the oldest first."""
    return [shown_run(request, db, run) for run in list_runs(db, study.id, purpose)]


def shown_run(request: Request, db: Db, run: RunRow) -> ShownRun:
    """One run."""
    progress, busy = get_progress(db, run), is_worked_on(db, run)
    outcomes = tuple((OUTCOME_WORDS[one], progress.by_outcome[one]) for one in Outcome if one in progress.by_outcome)
    problems = tuple((words, n) for _, words, n in list_problems(db, run))
    has_server = server_of(request, run) is not None
    can_continue = not busy and (run.is_stopped or not run.is_queued) and has_server
    return ShownRun(run, progress, outcomes, problems, busy, can_continue, has_server)


def servers(request: Request) -> tuple[ModelServer, ...]:
    """The servers that leads may use."""
    found: tuple[ModelServer, ...] = request.app.state.model_servers
    return found


def server_of(request: Request, run: RunRow) -> ModelServer | None:
    """The server of the list that has the endpoint and the model of a run."""
    same = (one for one in servers(request) if one.base_url == run.endpoint and run.model in one.models)
    return next(same, None)


def own_run(db: Db, study: StudyRow, number: int, purpose: Purpose | None = None) -> RunRow:
    """The run of a study.

    Raises:
        NotFoundError: the study has no such run.
    """
    run = get_run_by_id(db, study.id, number)
    if run is None or (purpose is not None and run.purpose != purpose):
        raise NotFoundError
    return run


@router.post("/studies/{slug}/model-runs/{number}/stop")
def submit_run_stop(request: Request, db: Db, lead: SignedIn, study: Own, number: int) -> Response:
    run = own_run(db, study, number)
    record_stop(db, run, f"Stopped by {lead.email}.")
    record_act(db, lead, study, "model run stopped", name=run.name)
    return _to_page(request, study, run)


@router.post("/studies/{slug}/model-runs/{number}/continue")
def submit_run_continue(
    request: Request,
    db: Db,
    lead: SignedIn,
    study: Own,
    number: int,
    max_tokens: Annotated[int, Form(ge=1)],
) -> Response:
    run = own_run(db, study, number)
    if is_worked_on(db, run):
        raise PageError(f"A process is working on the run {run.name}. Continue the run when that process has ended.")
    server = server_of(request, run)
    if server is None:
        raise PageError("The server of this run is not in the list of servers. Continue the run on the command line.")
    record_queued(db, run, server.name, min(max_tokens, server.max_tokens), batch=run.in_batches)
    record_act(db, lead, study, "model run continued", name=run.name, max_tokens=max_tokens)
    return _to_page(request, study, run)


def _to_page(request: Request, study: StudyRow, run: RunRow) -> Response:
    return RedirectResponse(request.app.url_path_for(PAGE_OF[run.purpose], slug=study.slug), status_code=303)
