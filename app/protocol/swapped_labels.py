"""Which source's label a response carries if labels are swapped."""

from __future__ import annotations

from collections.abc import Mapping

from app.protocol.conditions import Factor
from app.protocol.study_parts import Source


def swapped_source(sources: Mapping[str, Source], factor: Factor, source: str) -> str | None:
    """The source whose label a swapped response carries: the declared one, otherwise the first of the other kind."""
    if source in factor.swaps:
        return factor.swaps[source]
    other = {"human": "model", "model": "human"}.get(sources[source].kind)
    return next((key for key, value in sources.items() if value.kind == other), None)
