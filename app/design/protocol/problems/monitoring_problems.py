"""What is wrong with the declared looks of a protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.design.protocol.study_parts import ProtocolParts


def monitoring_problems(protocol: ProtocolParts) -> Iterator[str]:
    """What is wrong with the looks: they are for one declared primary contrast."""
    n = len(protocol.analysis.primary)
    if protocol.monitoring.looks and n != 1:
        yield f"monitoring.looks is for a study with one contrast in analysis.primary, found {n}"
