"""The server's address in the links that commands print."""

from __future__ import annotations

from typing import Annotated

import typer

from app.settings import settings

_THIS_MACHINE = "http://127.0.0.1:8000"


def _given_or_public(address: str) -> str:
    return (address or settings().public_url or _THIS_MACHINE).rstrip("/")


Address = Annotated[
    str,
    typer.Option(
        "--address",
        metavar="URL",
        help=f"The server's address, used in links. Default: ATTUNE_PUBLIC_URL, otherwise {_THIS_MACHINE}.",
        show_default=False,
        callback=_given_or_public,
    ),
]
