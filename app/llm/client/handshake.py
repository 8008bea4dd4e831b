"""What a model on a server can do, found out by a few requests before a run exists."""

import asyncio
from dataclasses import dataclass
from secrets import choice
from uuid import uuid4

from app.llm.client.answers import UnparsedError, read_reply
from app.llm.client.asked import Asked, answer_format, schema_of
from app.llm.client.budget import estimated_tokens
from app.llm.client.connection import connection
from app.llm.client.dialect import N_ALTERNATIVES, Dialect
from app.llm.client.endpoint import Endpoint, Parameters, Reply
from app.llm.client.request_errors import RequestError
from app.llm.client.retries import RetryPolicy, send_with_retries

# Words of one token or two in every tokenizer, none of which is in the filler.
_CANARIES = ("heron", "copper", "violet", "harbor", "walnut", "lantern")
_FILLER = "The morning was quiet and the street was wet. "
_FIELD = (Asked("word", "the word of the first line", "text"),)
# A server that counts so much less than the estimate has cut the prompt.
_MAX_CUT = 0.5
_PATIENCE = RetryPolicy(n_tries=2, base_s=0.5)


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the table: what was tried and what was found; `is_good` if the run can do as it is set up to."""

    what: str
    found: str
    is_good: bool = True


def shake_hands(endpoint: Endpoint, asked: Parameters, n_prompt_tokens: int) -> list[Finding]:
    """Send a short prompt with all parameters, and one as long as the longest of the run.

    Args:
        endpoint: the server and the model.
        asked: how the answers of the run are sampled; `n_alternatives` is tried in any case.
        n_prompt_tokens: estimated tokens of the longest prompt of the run.

    Raises:
        RequestError: the server answers nothing.
        ClientMissingError: the client is not installed.
    """
    return asyncio.run(_findings(endpoint, asked, n_prompt_tokens))


async def _findings(endpoint: Endpoint, asked: Parameters, n_prompt_tokens: int) -> list[Finding]:
    dialect = Dialect()
    async with connection(endpoint, dialect) as send:

        async def ask(n_tokens: int) -> tuple[Reply, str]:
            canary = choice(_CANARIES)
            prompt = _prompt(canary, n_tokens)
            tried = Parameters(
                asked.max_tokens,
                asked.temperature,
                asked.seed or 1,
                schema_of(_FIELD),
                asked.answer_format,
                N_ALTERNATIVES[0],
            )
            request_id = f"handshake-{uuid4().hex}"
            found = await send_with_retries(
                lambda: send([{"role": "user", "content": prompt}], tried, request_id), _PATIENCE
            )
            if found.reply is None:
                assert found.error is not None  # noqa: S101 - without a reply there is an error
                raise found.error
            return found.reply, canary

        short, canary = await ask(0)
        findings = [*_of_short(short, canary, asked, dialect)]
        try:
            long, canary = await ask(n_prompt_tokens)
        except RequestError as error:
            return [*findings, Finding("Longest prompt of the run", str(error), is_good=False)]
    return [*findings, _of_long(long, canary, n_prompt_tokens)]


def _prompt(canary: str, n_tokens: int) -> str:
    end = f"\n\nWhich word does the first line name?\n\n{answer_format(_FIELD)}"
    n_filler = max(0, n_tokens - estimated_tokens(end)) * 100 // estimated_tokens(_FILLER * 100)
    return f"The word is {canary}.\n{_FILLER * n_filler}{end}"


def _named(reply: Reply, canary: str) -> bool:
    try:
        return canary in read_reply(reply.text, _FIELD)["word"][0].lower()
    except UnparsedError:
        return False


def _of_short(reply: Reply, canary: str, asked: Parameters, dialect: Dialect) -> list[Finding]:
    words = {"schema": "with a schema", "json": "with JSON mode", "words": "in the prompt only"}
    sent = dialect.adapted(asked)
    is_read = _named(reply, canary)
    return [
        Finding("Model that answered", reply.model_version or "not said", is_good=bool(reply.model_version)),
        Finding(
            "A short answer", "read" if is_read else f"not as asked: {reply.text[:60] or 'no text'}", is_good=is_read
        ),
        Finding("JSON", words[sent.answer_format], is_good=sent.answer_format == asked.answer_format),
        Finding(
            "Temperature",
            "taken" if dialect.has_temperature else "refused: sent without",
            is_good=dialect.has_temperature,
        ),
        Finding("Seed", "taken" if dialect.has_seed else "refused: sent without", is_good=dialect.has_seed),
        Finding(
            "Limit of an answer", "max_completion_tokens" if "max_completion_tokens" in reply.sent else "max_tokens"
        ),
        Finding(
            "Log-probabilities",
            _of_probabilities(reply),
            is_good=bool(reply.probabilities) or not asked.n_alternatives,
        ),
        Finding("Thoughts", "kept apart" if reply.thoughts or reply.tokens_thinking else "none"),
        Finding(
            "Tokens",
            "counted by the server" if reply.tokens_in else "not counted: estimated",
            is_good=bool(reply.tokens_in),
        ),
        Finding("Sent at once", "no, only piece by piece" if dialect.only_streams else "yes"),
    ]


def _of_probabilities(reply: Reply) -> str:
    n = max((len(one.others) for one in reply.probabilities), default=0)
    return f"yes, with {n} alternatives" if reply.probabilities else "none"


def _of_long(reply: Reply, canary: str, n_prompt_tokens: int) -> Finding:
    what = f"A prompt as long as the longest (about {n_prompt_tokens:,} tokens)"
    if reply.tokens_in and reply.tokens_in < _MAX_CUT * n_prompt_tokens:
        return Finding(what, f"cut: the server counted {reply.tokens_in:,} tokens", is_good=False)
    if not _named(reply, canary):
        return Finding(what, "its first line was not read: cut, or too long for the model", is_good=False)
    return Finding(what, "read from its first line on")
