"""Tables of the section on raters: main results without flagged raters, and one row per rater."""

import math
from collections.abc import Mapping, Sequence

from app.analysis.estimate import Estimate, Scope, without
from app.analysis.statistic import declared
from app.analysis.wording.formatting import estimate_text, interval_text, scope_text, why_text
from app.base.numbers import p_statement
from app.results.charts.table import Table

Place = tuple[str, str | None, str]


def without_flagged(estimates: Sequence[Estimate], of_question: Sequence[Estimate]) -> Table:
    """Each main result that was also computed without flagged raters, next to the original."""
    rows = []
    for estimate in estimates:
        if "flagged" in estimate.scope:
            scope = without(estimate.scope, "flagged")
            same = [f for f in of_question if (f.statistic, f.scope) == (estimate.statistic, scope)]
            if estimate.estimate is not None:
                # by the same method first: two methods have two intervals of the same ratings
                same.sort(key=lambda f: f.method != estimate.method)
            whole = next((f for f in same if f.section != "rater"), None)
            words = (declared(estimate.statistic).label, scope_text(scope))
            rows.append((*words, _cell(whole), _cell(estimate)))
    return Table(("Result", "For", "All raters", "Without flagged raters"), tuple(rows))


def each_rater(estimates: Sequence[Estimate]) -> Table:
    """One row per rater, fastest first if times are known, and one column per statistic."""
    keys = list(dict.fromkeys(estimate.statistic for estimate in estimates))
    by_rater: dict[str, dict[str, Estimate]] = {}
    for estimate in estimates:
        by_rater.setdefault(estimate.scope["raters"][0], {}).setdefault(estimate.statistic, estimate)
    by_time = sorted(by_rater.items(), key=lambda one: _seconds(one[1]))
    rows = tuple((name, *(_short(found.get(key)) for key in keys)) for name, found in by_time)
    return Table(("Rater", *(declared(key).label for key in keys)), rows)


def _seconds(found: Mapping[str, Estimate]) -> float:
    time = found.get("median_seconds")
    return math.inf if time is None or time.estimate is None else time.estimate


def _cell(estimate: Estimate | None) -> str:
    if estimate is None:
        return "–"
    if estimate.estimate is None:
        return why_text(estimate)
    more = interval_text(estimate) or p_statement(estimate.p_value)
    return "\n".join(part for part in (estimate_text(estimate), more) if part)


def _short(estimate: Estimate | None) -> str:
    return "–" if estimate is None else estimate_text(estimate)


# Rows that repeat another one: a pool that has all raters, or a source that has all responses.

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
            own, wider = _place(f, f.scope), _place(f, without(f.scope, part))
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
    return estimate.section, estimate.measured, str(sorted(scope.items(), key=str))
