"""Limits on the number of raters: in total, and by their answers and attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.design.protocol.parts.study_design import Design

ALL_RATERS = ""


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `n` raters with this value of an attribute; the attribute `ALL_RATERS` stands for every rater."""

    attribute: str
    value: str
    n: int


def limits_of(design: Design, attributes: Mapping[str, str]) -> list[Limit]:
    """The limits that apply to a rater, in a fixed order.

    Args:
        design: the design of the study.
        attributes: the rater's values, of the attributes that are known so far. A value that a quota does not list has
            a limit of 0.
    """
    quotas = [
        Limit(attribute, attributes[attribute], design.quotas[attribute].get(attributes[attribute], 0))
        for attribute in sorted(design.quotas)
        if attribute in attributes
    ]
    return [*_total(design), *quotas]


def all_limits(design: Design) -> list[Limit]:
    """The limits on all raters and on each value of each quota."""
    quotas = [Limit(name, value, n) for name in sorted(design.quotas) for value, n in design.quotas[name].items()]
    return [*_total(design), *quotas]


def _total(design: Design) -> list[Limit]:
    return [] if design.max_raters is None else [Limit(ALL_RATERS, "", design.max_raters)]
