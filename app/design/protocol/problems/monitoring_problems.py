"""What is wrong with the declared looks of a protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.broken_rule import broken

if TYPE_CHECKING:
    from app.design.broken_rule import Broken
    from app.design.protocol.study_parts import ProtocolParts


def monitoring_problems(protocol: ProtocolParts) -> Broken:
    """Looks that are declared without exactly one primary contrast."""
    n = len(protocol.analysis.primary)
    if protocol.monitoring.looks and n != 1:
        yield broken("monitoring.looks", "must be for a study with one contrast in analysis.primary", n)
