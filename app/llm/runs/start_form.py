"""The form that starts a run of a model: server and model from the list, limits, and the estimate shown first."""

from collections.abc import Sequence
from typing import Literal

from fastapi import Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from app.accounts.leads import Lead
from app.base.rendering.pages import page
from app.llm.client.budget import RunEstimate, cost_words
from app.llm.client.endpoint import MAX_DIGITS_OF_SEED, MAX_TOKENS_OF_ANSWER, Endpoint
from app.llm.client.handshake import Finding
from app.llm.client.servers import ModelServer
from app.llm.runs.run_rows import servers
from app.llm.runs.runs import RunRow
from app.studies.studies import StudyRow


class StartProblemError(ValueError):
    """The run cannot be started; the message says why."""


class StartForm(BaseModel):
    """Fields of every run. `place`: server and model, by their numbers in the list; `tokens`: the budget.

    `estimated`: the estimate that the lead has seen; a run is started only with the estimate of its own settings.
    """

    place: str = Field("", max_length=200)
    name: str = Field("", max_length=100)
    temperature: float = Field(0.0, ge=0, le=2)
    seed: str = Field("", max_length=20)
    answer_tokens: int = Field(1000, ge=1, le=MAX_TOKENS_OF_ANSWER)
    tokens: int = Field(1_000_000, ge=1)
    batch: bool = False
    step: Literal["estimate", "check", "start", "plan"] = "estimate"
    estimated: str = Field("", max_length=500)

    @property
    def seed_number(self) -> int | None:
        """The seed, None for none."""
        words = self.seed.strip()
        digits = words.removeprefix("-")
        return int(words) if digits.isdecimal() and len(digits) <= MAX_DIGITS_OF_SEED else None

    @property
    def run_name(self) -> str:
        """The name of the run, in one line."""
        return " ".join(self.name.replace("\0", "").split())


def chosen(request: Request, form: StartForm) -> tuple[ModelServer, Endpoint]:
    """The server and the endpoint that the form names.

    Raises:
        StartProblemError: the form names none of the list, has no name or no seed, or asks for more than is allowed.
    """
    number, _, model = form.place.partition(":")
    known = servers(request)
    if not (number.isdecimal() and int(number) < len(known)):
        raise StartProblemError("Choose a model from the list.")
    server = known[int(number)]
    if not (model.isdecimal() and int(model) < len(server.models)):
        raise StartProblemError("Choose a model from the list.")
    if not form.run_name:
        raise StartProblemError("Enter a name.")
    if form.seed.strip() and form.seed_number is None:
        raise StartProblemError(
            f"The seed must be a whole number of at most {MAX_DIGITS_OF_SEED} digits. Leave it empty to send none."
        )
    if form.tokens > server.max_tokens:
        raise StartProblemError(f"The token budget on {server.name} can be at most {server.max_tokens:,}.")
    if form.batch and not server.batches:
        raise StartProblemError(f"{server.name} takes no batches. Untick the batches, or choose another model.")
    return server, server.endpoint(server.models[int(model)])


def check_new(run: RunRow, *, is_new: bool) -> None:
    """Make sure that a run was created, not found.

    Raises:
        StartProblemError: a run has this name already.
    """
    if not is_new:
        raise StartProblemError(f"The study already has a run {run.name}. Choose another name.")


def words_of_estimate(estimate: RunEstimate, server: ModelServer, form: StartForm) -> str:
    """The estimate as a sentence."""
    cost = cost_words(estimate, server.prices.of_batches if form.batch else server.prices)
    in_batches = " The requests are sent in batches, which take up to a day." if form.batch else ""
    all_tokens = estimate.tokens_in + estimate.tokens_out
    short = " The run will probably stop at its budget before it is done." if all_tokens > form.tokens else ""
    return (
        f"{estimate.n_requests:,} requests: about {estimate.tokens_in:,} tokens in prompts and "
        f"{estimate.tokens_out:,} in answers{cost}, with a budget of {form.tokens:,} tokens.{in_batches}{short}"
    )


# The page with the form that starts a run of a model.


def start_page(
    template: str,
    request: Request,
    lead: Lead,
    study: StudyRow,
    form: StartForm,
    *,
    estimated: str = "",
    problems: Sequence[str] = (),
    findings: Sequence[Finding] = (),
) -> Response:
    """Show the form, with the estimate of what the run would use or the reasons why it cannot be started."""
    return page(
        request,
        template,
        status=422 if problems else 200,
        lead=lead,
        study=study,
        form=form,
        servers=servers(request),
        estimated=estimated,
        problems=problems,
        findings=findings,
    )
