"""Create a run that writes responses, or find the one that it continues; and what it would cost."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from app.llm.client.budget import prompt_tokens
from app.llm.client.endpoint import Endpoint
from app.llm.runs.requests import PlannedRequest
from app.llm.runs.run_start import find_run, start_run
from app.llm.runs.runs import RunRow
from app.llm.writers.prompt import check_prompt, check_speaker
from app.llm.writers.respond_prompt import name_of
from app.llm.writers.respond_settings import RespondSettings
from app.llm.writers.responding import item_prompt
from app.llm.writers.texts import ItemToAnswer, list_items_to_answer
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow

# Tokens per word of English text, rather too high, and the words of a response without a given length.
_TOKENS_PER_WORD, _USUAL_WORDS = 1.5, 200


class NothingToAnswerError(ValueError):
    """The study has no items, or none that the model could be asked about; the message says which."""


@dataclass(frozen=True, slots=True)
class RespondEstimate:
    """What a run would use, without repairs and further lengths."""

    n_items: int
    n_requests: int
    tokens_in: int
    tokens_out: int


def estimate_respond(db: Connection, study: StudyRow, settings: RespondSettings, file: str) -> RespondEstimate:
    """What a run of these settings would use; nothing is stored or sent.

    Raises:
        NothingToAnswerError: there are no items.
        InvalidInputError: the study cannot fill the fields of the prompt.
    """
    n_stages = settings.parsed.n_stages
    tokens_in = tokens_out = 0
    items = checked_items(db, study, settings, file)
    for item in items:
        asked = item_prompt(settings, item)
        answer = min(int((asked.target or _USUAL_WORDS) * _TOKENS_PER_WORD), settings.max_tokens)
        first = prompt_tokens(asked.first())
        later = [prompt_tokens([{"content": asked.stage(stage)}]) for stage in range(1, n_stages)]
        # Each step sends the conversation so far.
        tokens_in += sum(first + sum(later[:stage]) + stage * answer for stage in range(n_stages))
        tokens_out += n_stages * answer
    return RespondEstimate(len(items), len(items) * n_stages, tokens_in, tokens_out)


def checked_items(db: Connection, study: StudyRow, settings: RespondSettings, file: str) -> Sequence[ItemToAnswer]:
    """The items of a study, all of which can fill the prompt.

    Raises:
        NothingToAnswerError: there are none, or one has no response whose length could be matched.
        InvalidInputError: the study cannot fill the fields of the prompt.
    """
    prompt = settings.parsed
    matched = prompt.length.match if prompt.length else None
    items = list_items_to_answer(db, study.id, matched)
    if not items:
        raise NothingToAnswerError("This study has no items. Add items first: on Texts, or by attune items import.")
    in_all = set.intersection(*(set(item.attributes) for item in items))
    protocol = get_protocol(db, study.id, study.protocol_version)
    check_prompt(prompt, file, sorted(in_all), list(protocol.sources))
    check_speaker(prompt, file, [{name_of(turn) for turn in item.turns} for item in items if item.turns])
    without = [item.key for item in items if matched and not (item.matched or "").strip()]
    if without:
        raise NothingToAnswerError(
            f"The prompt matches the length of the responses of {matched}, but {len(without):,} items have none, such "
            f"as {without[0]}. Add these responses, or set length.words in the prompt."
        )
    return items


def begin_respond(
    db: Connection,
    study: StudyRow,
    endpoint: Endpoint,
    settings: RespondSettings,
    name: str,
    *,
    file: str,
    lead_id: int | None = None,
) -> tuple[RunRow, bool]:
    """The run of this name: created with its requests, or the one that is continued.

    Returns:
        The run, and whether it was created.

    Raises:
        NothingToAnswerError: there is nothing to ask.
        InvalidInputError: the study cannot fill the fields of the prompt.
        OtherSettingsError: a run of this name has another model, endpoint or other settings.
    """
    if run := find_run(db, study, "respond", name, endpoint, settings):
        return run, False
    items = checked_items(db, study, settings, file)
    planned = [PlannedRequest(number, item.id, (), "", 0, 0, settings.seed) for number, item in enumerate(items, 1)]
    return start_run(db, study, "respond", name, endpoint, settings, planned, lead_id=lead_id), True
