"""A part of the analytics page that is folded away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.charts.table import Table


@dataclass(frozen=True, slots=True)
class Fold:
    """A part that opens on a click. `about` says how to read it."""

    title: str
    about: str
    tables: tuple[tuple[str, Table], ...]
