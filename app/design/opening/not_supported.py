"""Settings of a protocol that this version does not support for raters yet; studies with them cannot be opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.design.protocol.study import Protocol


def not_carried_out(protocol: Protocol) -> list[str]:
    """The parts of a protocol that raters would not get, as key paths of study.yaml; list positions count from 1.

    >>> from app.design.protocol.study import Protocol
    >>> question = {"key": "warm", "type": "slider", "target": "response", "text": "How warm?"}
    >>> parts = {"attune": 1, "slug": "s", "title": "T", "questions": [question]}
    >>> parts["conditions"] = {"turn": {"kind": "scale_direction"}}
    >>> parts["flow"] = {"practice": {"trials": [{"item": "p"}]}}
    >>> not_carried_out(Protocol.model_validate(parts))
    ['flow.practice']
    """
    # The scale direction is a condition of the trials, which are assigned after the practice.
    is_turned = any(factor.kind == "scale_direction" for factor in protocol.conditions.values())
    return ["flow.practice"] if protocol.flow.practice and is_turned else []
