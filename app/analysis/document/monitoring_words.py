"""The declared looks in words, for methods and preregistrations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.document.bibliography import REFERENCES
from app.analysis.document.reference import cited
from app.analysis.wording.formatting import p_text
from app.design.word_lists import and_list
from app.stats.sequential.boundaries import boundaries, nominal_p

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.design.protocol.study import Protocol

SHAPES = {"obrien_fleming": ("O'Brien and Fleming", "obrien1979"), "pocock": ("Pocock", "pocock1977")}


def monitoring_keys(protocol: Protocol) -> tuple[str, ...]:
    """The publications that a plan of looks cites."""
    return ("lan1983", SHAPES[protocol.monitoring.spending][1]) if protocol.monitoring.looks else ()


def monitoring_sentences(protocol: Protocol) -> Iterator[str]:
    """When the primary contrast is tested, and by which bounds; whether estimates are hidden meanwhile."""
    plan = protocol.monitoring
    if plan.looks and plan.n_ratings:
        bounds = boundaries(plan.looks, alpha=plan.alpha, spending=plan.spending)
        at = and_list([f"{look * plan.n_ratings:,.0f}" for look in plan.looks])
        zs = and_list([f"{bound:.3f}" for bound in bounds])
        ps = and_list([p_text(nominal_p(bound)) for bound in bounds])
        references = cited([REFERENCES[key] for key in monitoring_keys(protocol)])
        yield (
            f"The primary contrast is tested at {at} ratings, with alpha spending in the shape of "
            f"{SHAPES[plan.spending][0]} at a two-sided error rate of {plan.alpha:g}{references}: bounds |z| = {zs} "
            f"(p {ps}). The study stops where a bound is crossed."
        )
    if plan.blind_interim:
        yield "Estimates are hidden from the study's leads until the study closes."
