"""Text of several lines, which a form gives room for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True, slots=True)
class ManyLines:
    """Marks a field whose text may have several lines."""


Prose = Annotated[str, ManyLines()]
