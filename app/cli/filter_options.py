"""Options that restrict the ratings of a report, as the filters of the results pages do; declared once, here."""

import inspect
from collections.abc import Callable, Sequence
from datetime import date
from functools import wraps
from typing import Annotated

import typer

from app.analysis.data.filters import unknown_values
from app.analysis.data.frames import Frames
from app.analysis.data.report_filters import Filters
from app.base.words import or_list
from app.protocol.study import Protocol

Sources = Annotated[
    list[str] | None, typer.Option("--source", metavar="KEY", help="Keep responses of this source. Can be repeated.")
]
Conditions = Annotated[
    list[str] | None, typer.Option("--condition", metavar="CELL", help="Keep this condition. Can be repeated.")
]
Pools = Annotated[
    list[str] | None, typer.Option("--pool", metavar="KEY", help="Keep raters of this pool. Can be repeated.")
]
Items = Annotated[
    list[str] | None, typer.Option("--item", metavar="NAME:VALUE", help="Keep items with this attribute.")
]
Raters = Annotated[
    list[str] | None, typer.Option("--rater", metavar="NAME:VALUE", help="Keep raters with this attribute.")
]
Until = Annotated[
    str, typer.Option(metavar="YYYY-MM-DD", help="Keep ratings up to the end of this day, UTC.", show_default=False)
]
WithoutFlagged = Annotated[bool, typer.Option("--without-flagged", help="Leave out raters who are flagged.")]


def takes_filters(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `filters_of` in place of its parameter `filters`."""
    options = inspect.signature(filters_of, eval_str=True).parameters

    @wraps(command)
    def run(**given: object) -> None:
        chosen = {name: given.pop(name) for name in options}
        command(**given, filters=filters_of(**chosen))  # type: ignore[arg-type]  # of the types that typer was told

    own = inspect.signature(command, eval_str=True).parameters.values()
    found = [one for each in own for one in (options.values() if each.name == "filters" else [each])]
    named = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in found]
    run.__annotations__ = {one.name: one.annotation for one in named}
    run.__signature__ = inspect.Signature(named)  # type: ignore[attr-defined]  # read by typer
    return run


def filters_of(
    *,
    sources: Sources = None,
    conditions: Conditions = None,
    pools: Pools = None,
    items: Items = None,
    raters: Raters = None,
    until: Until = "",
    without_flagged: WithoutFlagged = False,
) -> Filters:
    """Return the filters that the options name.

    Raises:
        typer.BadParameter: a value is not written as its option asks.
    """
    return Filters(
        sources=_sorted(sources),
        conditions=_sorted(conditions),
        pools=_sorted(pools),
        items=_pairs(items, "--item"),
        raters=_pairs(raters, "--rater"),
        until=_day(until),
        without_flagged=without_flagged,
    )


def require_known(frames: Frames, protocol: Protocol, filters: Filters) -> None:
    """Refuse a filter that nothing in the study matches: a misspelled name would leave an empty report.

    Raises:
        typer.BadParameter: naming the value and those that the study has.
    """
    for kind, value, known in unknown_values(frames, protocol, filters):
        raise typer.BadParameter(f"The study has no {value}. It has: {or_list(known)}", param_hint=f"--{kind}")


def _sorted(values: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(sorted(set(values or ())))


def _pairs(values: Sequence[str] | None, option: str) -> tuple[tuple[str, str], ...]:
    parts = [value.partition(":") for value in _sorted(values)]
    if any(not name or not colon or not value for name, colon, value in parts):
        raise typer.BadParameter("Write the name of the column, a colon and the value.", param_hint=option)
    return tuple((name, value) for name, _, value in parts)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise typer.BadParameter(f"Write the day as YYYY-MM-DD. Found: {text}", param_hint="--until") from None
