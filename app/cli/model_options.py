"""Options of the commands that ask language models, declared once, and what follows from them."""

import inspect
import json
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from functools import wraps
from typing import Annotated, Any, get_type_hints
from urllib.parse import urlsplit

import typer

from app.base.header_values import can_be_headers
from app.cli.output import WRONG_CALL, fail
from app.llm.client.budget import Budget, Prices
from app.llm.client.endpoint import MAX_DIGITS_OF_SEED, MAX_TOKENS_OF_ANSWER, Endpoint
from app.llm.client.servers import ModelServer, ServersFileError, read_servers
from app.llm.outcomes import Outcome
from app.llm.runs.run_changes import CAN_BE_REDONE
from app.settings import settings

Command = Callable[..., None]


def _seed_that_fits(seed: int | None) -> int | None:
    """The seed, if the database can hold it."""
    if seed is not None and len(str(abs(seed))) > MAX_DIGITS_OF_SEED:
        raise typer.BadParameter(f"a whole number of at most {MAX_DIGITS_OF_SEED} digits is allowed")
    return seed


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """The model, how it is sampled, and what it may cost. Commands set their own defaults by `with_model_options`."""

    model: Annotated[
        str, typer.Option(metavar="NAME", help="The model, as the server names it.", show_default=False)
    ] = ""
    base_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="The OpenAI-compatible server, such as http://127.0.0.1:8000/v1. Default: ATTUNE_MODEL_ENDPOINT.",
        ),
    ] = None
    temperature: Annotated[float, typer.Option(min=0, max=2, help="Sampling temperature.")] = 0.0
    seed: Annotated[
        int | None, typer.Option(help="The seed that is sent. Default: none.", callback=_seed_that_fits)
    ] = None
    max_tokens: Annotated[int, typer.Option(min=1, max=MAX_TOKENS_OF_ANSWER, help="Maximum tokens of one answer.")] = (
        1000
    )
    budget_tokens: Annotated[
        int | None, typer.Option(min=1, help="Stop before a request that could exceed this number of tokens.")
    ] = None
    budget: Annotated[
        float | None, typer.Option(min=0, help="Stop before a request that could cost more than this in total.")
    ] = None
    price_in: Annotated[float, typer.Option(min=0, help="Price of a million tokens in prompts.")] = 0.0
    price_out: Annotated[float, typer.Option(min=0, help="Price of a million tokens in answers.")] = 0.0
    at_once: Annotated[int, typer.Option(min=1, max=64, help="Number of requests at the same time.")] = 4
    batch: Annotated[
        bool | None,
        typer.Option(
            "--batch/--no-batch",
            help="Send all requests in batches, which servers answer within a day at half the price: give the usual "
            "prices. A command that was stopped finds its batches again.",
            show_default=False,
        ),
    ] = None
    per_minute: Annotated[
        float | None, typer.Option(min=0.1, help="Largest number of requests per minute. Default: any.")
    ] = None
    extra_body: Annotated[
        str, typer.Option(metavar="JSON", help='Fields that are sent too, such as {"reasoning_effort": "low"}.')
    ] = ""
    header: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A header that is sent too. Can be repeated.")
    ] = None
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds to wait for an answer.")] = 120.0
    limit: Annotated[
        int | None, typer.Option(min=1, help="Ask at most this number of requests now, to look at them first.")
    ] = None
    redo: Annotated[
        str, typer.Option(metavar="OUTCOMES", help="Ask again what was: unparsed, cut_off, refused, too_long.")
    ] = ""
    delete: Annotated[
        bool, typer.Option("--delete", help="Delete the run with its requests and answers, and ask nothing.")
    ] = False
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show the number of requests and the estimated tokens and cost.")
    ] = False

    @property
    def endpoint(self) -> Endpoint:
        """The server and the model, with the key of the environment."""
        if not self.model:
            raise typer.BadParameter("Name the model, as the server names it.", param_hint="--model")
        known = settings()
        address = self.base_url or known.model_endpoint
        if not address:
            raise typer.BadParameter("Name the server, or set ATTUNE_MODEL_ENDPOINT.", param_hint="--base-url")
        parts = urlsplit(address)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username is not None:
            raise typer.BadParameter(
                "Expected an address such as http://127.0.0.1:8000/v1, without a user name.", param_hint="--base-url"
            )
        key = known.model_key.get_secret_value() if known.model_key else ""
        return Endpoint(address, self.model, key, self.timeout, self._extra_fields(), self._headers(), self.per_minute)

    def _extra_fields(self) -> dict[str, Any]:
        try:
            found = json.loads(self.extra_body or "{}")
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise typer.BadParameter(
                'Expected a JSON object, such as {"reasoning_effort": "low"}.', param_hint="--extra-body"
            )
        return found

    def _headers(self) -> dict[str, str]:
        pairs = [one.partition("=") for one in self.header or ()]
        if not all(name.strip() and mark for name, mark, _ in pairs):
            raise typer.BadParameter("Expected NAME=VALUE.", param_hint="--header")
        headers = {name.strip(): value.strip() for name, _, value in pairs}
        if not can_be_headers(headers):
            raise typer.BadParameter("A header is one line of ASCII characters.", param_hint="--header")
        return headers

    @property
    def redone(self) -> tuple[Outcome, ...]:
        """The outcomes to ask again."""
        names = [name.strip().replace("-", "_") for name in self.redo.split(",") if name.strip()]
        allowed = [str(outcome) for outcome in CAN_BE_REDONE]
        if unknown := [name for name in names if name not in allowed]:
            raise typer.BadParameter(f"Found {unknown[0]}. Allowed: {', '.join(allowed)}.", param_hint="--redo")
        return tuple(Outcome(name) for name in names)

    @property
    def new_budget(self) -> Budget:
        """A new budget; one in money needs prices."""
        usual = Prices(self.price_in, self.price_out)
        prices = usual.of_batches if self.batch else usual
        if self.budget is not None and prices == Prices():
            raise typer.BadParameter("A budget in money needs --price-in and --price-out.", param_hint="--budget")
        return Budget(prices, self.budget_tokens, self.budget)


def with_model_options(**defaults: float) -> Callable[[Command], Command]:
    """Give a command the options of `ModelOptions`, which it receives as the parameter `asked`.

    `defaults` are those that differ for this command.
    """

    def with_options(command: Command) -> Command:
        @wraps(command)
        def run(**given: Any) -> None:  # noqa: ANN401 - as typer read them
            names = {field.name for field in fields(ModelOptions)}
            asked = ModelOptions(**{name: value for name, value in given.items() if name in names})
            command(asked=asked, **{name: value for name, value in given.items() if name not in names})

        own = inspect.signature(command, eval_str=True).parameters.values()
        every = [one for parameter in own for one in (_options(defaults) if parameter.name == "asked" else [parameter])]
        keywords = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in every]
        run.__signature__ = inspect.Signature(keywords)  # type: ignore[attr-defined]  # where typer looks for it
        return run

    return with_options


def _options(defaults: dict[str, float]) -> list[inspect.Parameter]:
    hints = get_type_hints(ModelOptions, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=defaults.get(field.name, inspect.Parameter.empty if field.default is MISSING else field.default),
            annotation=hints[field.name],
        )
        for field in fields(ModelOptions)
    ]


def listed_servers() -> tuple[ModelServer, ...]:
    """The model servers of the settings; the command fails if their file cannot be read."""
    try:
        return read_servers(settings().model_servers_file)
    except ServersFileError as error:
        fail(f"ATTUNE_MODEL_SERVERS_FILE: {error}", WRONG_CALL)
