"""Work through a run, from the command line or for a lead who queued it."""

import asyncio
from typing import Any

from app.base.database.engine import Begin
from app.llm.client.budget import Budget
from app.llm.client.endpoint import Endpoint
from app.llm.judges.judge_pages import judged_study
from app.llm.judges.judging import finish_run, judging
from app.llm.runs.requests import get_progress
from app.llm.runs.runs import RunRow
from app.llm.writers.responding import responding


def work_on(
    begin: Begin,
    run: RunRow,
    endpoint: Endpoint,
    budget: Budget,
    **options: Any,  # noqa: ANN401 - fields of RequestRun
) -> bool:
    """Send the remaining requests of a run; return whether it waits for a batch. The caller holds `only_worker`.

    What the run has used before is added to the budget, which may be one for several runs.

    Raises:
        ClientMissingError: the optional client is not installed.
    """
    with begin() as db:
        before = get_progress(db, run)
        judged = judged_study(db, run.study_id, run.protocol_version) if run.purpose == "judge" else None
    budget.tokens_in += before.tokens_in
    budget.tokens_out += before.tokens_out
    if judged is None:
        work = responding(begin, run, endpoint, budget, **options)
    else:
        work = judging(begin, run, judged, endpoint, budget, **options)
    asyncio.run(work.work())
    if judged is not None:
        with begin() as db:
            finish_run(db, run)
    return work.waits_for_batch
