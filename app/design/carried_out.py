"""What of a protocol this version does not do for raters yet: refused at opening rather than passed over in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.design.protocol import Protocol


def not_carried_out(protocol: Protocol) -> list[str]:
    """The parts of a protocol that raters would not get, as key paths of study.yaml; list places count from 1.

    >>> from app.design.protocol import Protocol
    >>> question = {"key": "warm", "type": "slider", "target": "response", "text": "How warm?"}
    >>> parts = {"attune": 1, "slug": "s", "title": "T", "questions": [question]}
    >>> parts |= {"checks": {"gold": [{"item": "g", "expect": {"warm": 1}}]}}
    >>> not_carried_out(Protocol.model_validate(parts))
    ['checks.gold']
    """
    return [*_flow(protocol), *_checks(protocol)]


def _flow(protocol: Protocol) -> Iterator[str]:
    # The direction of scales is a condition of the trials, which are given out after the practice.
    if protocol.flow.practice and any(factor.kind == "scale_direction" for factor in protocol.conditions.values()):
        yield "flow.practice"


def _checks(protocol: Protocol) -> Iterator[str]:
    return (f"checks.{part}" for part in ("gold",) if getattr(protocol.checks, part))
