"""Text of several lines, shown in forms as a multi-line field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True, slots=True)
class ManyLines:
    """Marks a field whose text may have several lines."""


Prose = Annotated[str, ManyLines()]
