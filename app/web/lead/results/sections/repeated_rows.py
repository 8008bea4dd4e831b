"""Rows that repeat another one: a pool that has all raters, or a source that has all responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.analysis.estimate import Estimate, Scope

    Place = tuple[str, str | None, str]

# Scopes with these compare two groups; neither is all of the ratings.
COMPARING = frozenset({"reference", "reference_pool", "reference_rater_kind"})


def without_repeated(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Leave out the estimates of scopes with the same ratings as a wider scope.

    Of model judges the wider scope is left out: thresholds depend on the pool, so that the scope of the pool says more.
    """
    n_ratings = _counts(estimates)
    repeated: set[Place] = set()
    for f in estimates:
        for part in ("pool", *(["source"] if f.section == "agreement" else [])):
            own, wider = _place(f, f.scope), _place(f, {key: f.scope[key] for key in f.scope if key != part})
            is_part = part in f.scope and not COMPARING & f.scope.keys()
            if is_part and n_ratings[own] and n_ratings[own] == n_ratings.get(wider):
                repeated.add(wider if f.section == "judge" else own)
    return [f for f in estimates if _place(f, f.scope) not in repeated]


def _counts(estimates: Sequence[Estimate]) -> dict[Place, int]:
    """The largest number of ratings by section, question and scope."""
    found: dict[Place, int] = {}
    for f in estimates:
        place = _place(f, f.scope)
        found[place] = max(found.get(place, 0), f.n_ratings or 0)
    return found


def _place(estimate: Estimate, scope: Scope) -> Place:
    return estimate.section, estimate.question, str(sorted(scope.items(), key=str))
