"""What stands beside the answers: the means that they compare, by source, and by pool, level or turn."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from app.analysis.estimate import Estimate, without
from app.analysis.findings.main_contrasts import effect_cell
from app.analysis.report.brief import brief
from app.analysis.report.report import Report
from app.analysis.report.sentences import change_text
from app.analysis.statistic import declared
from app.protocol.cells import cell_of
from app.protocol.primary import KINDS
from app.protocol.study import Protocol

# What two groups of raters or two levels are compared by, where that is no mean by source.
VALUES = {
    "change_difference": "change",
    "pool_change_difference": "change",
    "pool_accuracy_difference": "accuracy_share",
    "item_attribute_accuracy": "accuracy_share",
    "pool_f1_difference": "f1_macro",
    "pool_empathic_difference": "empathic_accuracy",
    "pool_span_f1_difference": "span_f1",
    "pool_difference": "mean",
}
# What tells two sides apart.
SIDES = ("pool", "rater_kind", "level")
GROUPS = {"pool", "shown_label", "condition"}
PER_TURN, CHANGE = "change per turn", "change from before to after"


@dataclass(frozen=True, slots=True)
class MeansRow:
    """The means of one question and group by label of source, group or level."""

    name: str
    cells: Mapping[str, Estimate]

    @property
    def text(self) -> str:
        """All of it in one line."""
        return f"{self.name}: {'; '.join(f'{label} {effect_cell(one)}' for label, one in self.cells.items())}"


def means_of(report: Report, protocol: Protocol) -> list[MeansRow]:
    """The means of every question by source, and what else the primary contrasts compare.

    The report is not `labelled`.
    """
    means = {one.measured: one for one in brief(report, protocol).estimates if _is_mean(one)}
    by_source = [row for mean in means.values() for row in _of_question(report, mean, protocol)]
    return [*by_source, *_of_sides(report, protocol)]


def means_beside(report: Report, protocol: Protocol) -> list[MeansRow]:
    """Those that the primary contrasts compare: of groups without those over all of them."""
    keys = {result.contrast.question for result in report.primary}
    rows = [row for row in means_of(report, protocol) if {one.question for one in row.cells.values()} <= keys]
    in_groups = {one.measured for row in rows for one in row.cells.values() if one.scope.keys() & GROUPS}
    return [row for row in rows if not all(_is_mean(one) and one.measured in in_groups for one in row.cells.values())]


def by_columns(rows: Iterable[MeansRow]) -> dict[tuple[str, ...], list[MeansRow]]:
    """The rows that fit into one table, by the labels of its columns."""
    found: dict[tuple[str, ...], list[MeansRow]] = {}
    for row in rows:
        found.setdefault(tuple(row.cells), []).append(row)
    return found


def _is_mean(estimate: Estimate) -> bool:
    return estimate.statistic == "mean" and estimate.scope.keys() == {"source"}


def _of_question(report: Report, mean: Estimate, protocol: Protocol) -> Iterator[MeansRow]:
    """The means of a question by source: of all raters, then of each group that a primary contrast compares."""
    name = protocol.labels.question(mean.question or "", mean.category)
    same = [one for one in report.estimates if one.measured == mean.measured and "source" in one.scope]
    first = {str(one.scope["source"]): one for one in reversed(same) if _is_mean(one)}
    by_group: dict[str, dict[str, Estimate]] = {"": first}
    for one in same:
        if (group := _group(one, report, protocol)) is not None:
            by_group.setdefault(group, {}).setdefault(str(one.scope["source"]), one)
    for group, found in by_group.items():
        cells = {protocol.labels.source(key): found[key] for key in protocol.sources if key in found}
        if cells:
            yield MeansRow(f"{name}, {group}" if group else name, cells)


def _group(estimate: Estimate, report: Report, protocol: Protocol) -> str | None:
    """The group that a mean or a slope by source is of, if a primary contrast of its question compares it."""
    contrasts = [result.contrast for result in report.primary if result.contrast.question == estimate.question]
    scope, labels = estimate.scope, protocol.labels
    if estimate.statistic == "turn_slope" and scope.keys() == {"source"}:
        primary = (one for one in report.primary_estimates if one.measured == estimate.measured)
        return PER_TURN if any(declared(one.statistic).per == "turn" for one in primary) else None
    if estimate.statistic != "mean":
        return None
    factors = {one.factor for one in contrasts if one.factor}
    if scope.keys() == {"pool", "source"}:
        is_compared = scope["pool"] in {pool for one in contrasts for pool in (one.pool, one.reference_pool)}
        return labels.pool(scope["pool"] or "") if is_compared else None
    if scope.keys() == {"shown_label", "source"} and "shown_label" in factors:
        return f"shown as {scope['shown_label']}"
    if scope.keys() == {"condition", "source"}:
        levels = cell_of(str(scope["condition"])).levels
        is_compared = len(levels) == 1 and levels[0][0] in factors
        return labels.level(*levels[0]) if is_compared else None
    return None


def _of_sides(report: Report, protocol: Protocol) -> Iterator[MeansRow]:
    """What two groups of raters or two levels are compared by, a row per question."""
    rows: dict[str, dict[str, Estimate]] = {}
    for primary in (one for one in report.primary_estimates if one.statistic in VALUES):
        side = next((name for name in SIDES if f"reference_{name}" in primary.scope), "")
        value, label = VALUES[primary.statistic], protocol.labels.question(primary.question or "", primary.category)
        if value == "change":
            label = f"{change_text(primary.question or '', protocol)}, {CHANGE}"
        for key in (f"reference_{side}", side) if side else ():
            which = str(primary.scope[key])  # type: ignore[literal-required]
            scope = without(primary.scope, "reference_level", "reference_pool", "reference_rater_kind")
            wanted = {**scope, side: which}
            if wanted.get("rater_kind") == "person":
                del wanted["rater_kind"]
            same = (one for one in report.estimates if (one.measured, one.statistic) == (primary.measured, value))
            if (found := next((one for one in same if one.scope == wanted), None)) is not None:
                rows.setdefault(label, {})[_name(side, which, primary, protocol)] = found
    yield from (MeansRow(label, cells) for label, cells in rows.items())


def _name(side: str, which: str, primary: Estimate, protocol: Protocol) -> str:
    if side == "level":
        return protocol.labels.level(primary.scope.get("factor") or "", which)
    return protocol.labels.pool(which) if side == "pool" else KINDS[which]
