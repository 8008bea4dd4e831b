"""The model judges of a study: how far each is, what came of its requests, what it used; and how to stop one."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from app.design.model_outcomes import OUTCOME_WORDS, Outcome
from app.storage.leads.audit import record_act
from app.storage.model_runs.requests import Progress, get_progress, list_problems
from app.storage.model_runs.runs import RunRow, list_runs, record_stop
from app.web.deps import Db
from app.web.errors import NotFoundError
from app.web.lead.session import Own, SignedIn
from app.web.rendering.pages import page

router = APIRouter()


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One judge of the page. `outcomes`: words and number of each outcome; `problems`: the most frequent ones."""

    run: RunRow
    progress: Progress
    outcomes: tuple[tuple[str, int], ...]
    problems: tuple[tuple[str, int], ...]

    @property
    def n_done(self) -> int:
        """The requests that have an outcome which stands."""
        return self.progress.n_all - self.n_left

    @property
    def n_left(self) -> int:
        """The requests that are asked when the run continues."""
        return self.progress.n_open + self.progress.by_outcome.get(Outcome.FAILED, 0)


@router.get("/studies/{slug}/judges")
def show_judges(request: Request, db: Db, lead: SignedIn, study: Own) -> Response:
    rows = [_row(db, run) for run in list_runs(db, study.id, "judge")]
    return page(request, "lead/judges.html", lead=lead, study=study, rows=rows)


@router.post("/studies/{slug}/judges/{number}/stop")
def submit_judge_stop(request: Request, db: Db, lead: SignedIn, study: Own, number: int) -> Response:
    run = next((run for run in list_runs(db, study.id, "judge") if run.id == number), None)
    if run is None:
        raise NotFoundError
    record_stop(db, run, f"Stopped by {lead.email}.")
    record_act(db, lead, study, "judge stopped", name=run.name)
    return RedirectResponse(request.app.url_path_for("show_judges", slug=study.slug), status_code=303)


def _row(db: Db, run: RunRow) -> JudgeRow:
    progress = get_progress(db, run)
    outcomes = tuple((OUTCOME_WORDS[one], progress.by_outcome[one]) for one in Outcome if one in progress.by_outcome)
    return JudgeRow(run, progress, outcomes, tuple((words, n) for _, words, n in list_problems(db, run)))
