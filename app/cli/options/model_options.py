"""Options of the commands that ask language models, and the endpoint that they name."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

import typer

from app.models.budget import Prices
from app.models.endpoint import Endpoint
from app.settings import settings

Model = Annotated[str, typer.Option(metavar="NAME", help="The model, as the server names it.", show_default=False)]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="The OpenAI-compatible server, such as http://127.0.0.1:8000/v1. Default: ATTUNE_MODEL_ENDPOINT.",
    ),
]
MaxTokens = Annotated[int, typer.Option(min=1, help="Maximum tokens of one answer.")]
TokenBudget = Annotated[
    int | None, typer.Option(min=1, help="Stop before a request that could exceed this number of tokens.")
]
MoneyBudget = Annotated[
    float | None, typer.Option(min=0, help="Stop before a request that could cost more than this in total.")
]
PriceIn = Annotated[float, typer.Option(min=0, help="Price of a million tokens in prompts.")]
PriceOut = Annotated[float, typer.Option(min=0, help="Price of a million tokens in answers.")]
AtOnce = Annotated[int, typer.Option(min=1, max=64, help="Number of requests at the same time.")]
Timeout = Annotated[float, typer.Option(min=0.1, help="Seconds to wait for an answer.")]


def endpoint_of(base_url: str | None, model: str, timeout_s: float) -> Endpoint:
    """The endpoint of a command, with the key of the environment."""
    known = settings()
    address = base_url or known.model_endpoint
    if not address:
        raise typer.BadParameter("Name the server, or set ATTUNE_MODEL_ENDPOINT.", param_hint="--base-url")
    parts = urlsplit(address)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username is not None:
        raise typer.BadParameter(
            "Expected an address such as http://127.0.0.1:8000/v1, without a user name.", param_hint="--base-url"
        )
    key = known.model_key.get_secret_value() if known.model_key else ""
    return Endpoint(address, model, key, timeout_s)


def prices_of(price_in: float, price_out: float, budget: float | None) -> Prices:
    """The prices of a command; a budget in money needs them."""
    if budget is not None and not (price_in or price_out):
        raise typer.BadParameter("A budget in money needs --price-in and --price-out.", param_hint="--budget")
    return Prices(price_in, price_out)
