"""attune score: numbers for each response from a program or an endpoint."""

import re
import shlex
from functools import partial
from typing import Annotated

import typer

from app.base.database.engine import transactions
from app.cli.output import WRONG_CALL, fail, say
from app.cli.store import store, stored_study
from app.cli.study_argument import Slug
from app.llm.scoring import ScoringError, score_by_command, score_by_endpoint, score_responses
from app.llm.writers.prompt import KEY

_MAX_SAID = 10


def score(
    study: Slug,
    name: Annotated[str, typer.Option(help="The name of the metric; the names of its scores begin with it.")],
    command: Annotated[
        str | None, typer.Option(metavar="COMMAND", help="A program that reads and writes JSON lines.")
    ] = None,
    endpoint: Annotated[
        str | None, typer.Option(metavar="URL", help="An address that takes and returns JSON lines.")
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds for the whole command, or for each request to the endpoint.")
    ] = 600.0,
) -> None:
    """Score each response of a study with a program or an endpoint, such as an emotion classifier.

    The scores are stored with the responses, like numeric columns of responses.csv: the results compare them with the
    ratings, and exports include them. An existing metric of the same name is replaced.
    """
    if (command is None) == (endpoint is None):
        raise typer.BadParameter("Give either --command or --endpoint.", param_hint="--command")
    if not _is_key(name):
        fail("The name of a metric can contain only letters, digits, hyphens, points and underscores.", WRONG_CALL)
    call = (
        partial(score_by_command, shlex.split(command), timeout_s=timeout)
        if command is not None
        else partial(score_by_endpoint, endpoint or "", timeout_s=timeout)
    )
    with store() as engine:
        with engine.connect() as db:
            row = stored_study(db, study)
        try:
            scored, columns = score_responses(transactions(engine), row, name, call)
        except ScoringError as error:
            fail(str(error))
    say(f"Scored {len(scored.scores):,} responses: {', '.join(columns)}")
    for key, problem in list(scored.problems.items())[:_MAX_SAID]:
        say(f"  {key}: {problem}")
    if scored.problems:
        say(f"Without scores: {len(scored.problems):,} responses.")
        raise typer.Exit(1)


def _is_key(name: str) -> bool:
    return re.fullmatch(KEY, name) is not None
