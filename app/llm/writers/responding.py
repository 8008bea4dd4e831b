"""A model at work on responses: step by step, with further tries at the length, each text stored once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from app.base.database.engine import Begin
from app.llm.client.budget import Budget
from app.llm.client.endpoint import Endpoint, Message, Parameters, Reply
from app.llm.client.retries import Tried
from app.llm.outcomes import Outcome
from app.llm.runs.request_run import RequestRun, Result, answered_by, failed, without_answer
from app.llm.runs.requests import FollowUp, PlannedRequest
from app.llm.runs.runs import RunRow
from app.llm.writers.respond_prompt import EMPTY, ItemPrompt, count_words
from app.llm.writers.respond_settings import RespondSettings
from app.llm.writers.texts import ItemToAnswer, NewText, list_items_to_answer, record_text

Store = Callable[[Connection], None]


def responding(
    begin: Begin,
    run: RunRow,
    endpoint: Endpoint,
    budget: Budget,
    **options: Any,  # noqa: ANN401 - fields of RequestRun
) -> RequestRun:
    """The work on a run that writes responses."""
    settings = RespondSettings.of(run.settings)
    prompt = settings.parsed
    matched = prompt.length.match if prompt.length else None
    with begin() as db:
        items = {item.id: item for item in list_items_to_answer(db, run.study_id, matched)}

    def prepare(_db: Connection, planned: PlannedRequest) -> RespondJob:
        item = items[planned.item_id]
        return RespondJob(run, settings, planned, item_prompt(settings, item))

    return RequestRun(begin, run, prepare, endpoint, budget, **options)


def item_prompt(settings: RespondSettings, item: ItemToAnswer) -> ItemPrompt:
    """The prompt for one item, with the number of words that its response should have."""
    prompt = settings.parsed
    target = prompt.length.words if prompt.length else None
    if prompt.length and prompt.length.match is not None:
        target = count_words(item.matched or "") or None
    return ItemPrompt(prompt, item, target)


@dataclass(frozen=True, slots=True)
class RespondJob:
    """The response to one item."""

    run: RunRow
    settings: RespondSettings
    planned: PlannedRequest
    asked: ItemPrompt

    def prompt(self) -> list[Message]:
        """The messages of the first request."""
        return self.asked.first()

    def parameters(self) -> Parameters:
        """How the answer is sampled."""
        return Parameters(self.settings.max_tokens, self.settings.temperature, self.planned.seed)

    def result(self, planned: PlannedRequest, prompt: Sequence[Message], tried: Tried) -> Result:
        """The text, or what is asked next: a repair, the next step, or another length."""
        reply = tried.reply
        if reply is None:
            return Result(failed(tried), self._earlier(planned, prompt, tried))
        found = reply.text.strip()
        if not found or without_answer(reply):
            return self._without_text(planned, prompt, tried, reply)
        return Result(
            answered_by(Outcome.ANSWERED, None, prompt, tried),
            None if (following := self._next(planned, prompt, found)) else self._store(planned, found),
            following,
        )

    def _without_text(self, planned: PlannedRequest, prompt: Sequence[Message], tried: Tried, reply: Reply) -> Result:
        no_text = Outcome.UNPARSED, f"The answer to step {planned.stage + 1} has no text."
        outcome, problem = without_answer(reply) or no_text
        repair = None
        if outcome is Outcome.UNPARSED and planned.kind != "repair":
            repair = FollowUp.after(prompt, reply.text, EMPTY, kind="repair", stage=planned.stage)
        keep = None if repair else self._earlier(planned, prompt, tried)
        return Result(answered_by(outcome, problem, prompt, tried), keep, repair)

    def _next(self, planned: PlannedRequest, prompt: Sequence[Message], found: str) -> FollowUp | None:
        """The next step, or another length of a text that is too short or too long."""
        asked, stage = self.asked, planned.stage + 1
        if stage < asked.prompt.n_stages:
            return FollowUp.after(prompt, found, asked.stage(stage), kind="step", stage=stage)
        n_words, length = count_words(found), asked.prompt.length
        n_tried = stage - asked.prompt.n_stages
        if asked.bounds is None or length is None or n_tried >= length.retries:
            return None
        if asked.bounds[0] <= n_words <= asked.bounds[1]:
            return None
        return FollowUp.after(prompt, found, asked.other_length(n_words), kind="length", stage=stage)

    def _store(self, planned: PlannedRequest, found: str) -> Store:
        new = NewText(planned.id, planned.item_id, found, count_words(found), self.asked.target)
        return lambda db: record_text(db, self.run, new)

    def _earlier(self, planned: PlannedRequest, prompt: Sequence[Message], tried: Tried) -> Store | None:
        """Store the previous text if a request for another length has failed for good."""
        is_open = tried.error is not None and tried.error.outcome is Outcome.FAILED
        if planned.stage < self.asked.prompt.n_stages or is_open:
            return None
        said = [message["content"] for message in prompt if message["role"] == "assistant" and message["content"]]
        return self._store(planned, said[-1])
