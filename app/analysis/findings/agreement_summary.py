"""Agreement in one sentence and a short table: pooled, within sources, and by kind of rater."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.analysis.estimate import Estimate
from app.analysis.report.report import Report
from app.analysis.statistic import declared
from app.analysis.wording.formatting import interval_text, number
from app.protocol.primary_default import by_importance
from app.protocol.study import Protocol
from app.stats.reliability.decision import UNLIMITED

MODELS = "Model judges"


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """One question: alpha over all human raters, then by source and pool and of the model judges, keyed by label."""

    key: str
    label: str
    pooled: Estimate | None
    parts: dict[str, Estimate]


def agreement_rows(report: Report, protocol: Protocol) -> list[AgreementRow]:
    """Return one row per question with an alpha, primary ones first. The report is `labelled`."""
    found = []
    for key in by_importance(protocol):
        alphas = [f for f in report.estimates if f.asked == key and declared(f.statistic).agreement == "main"]
        firsts: dict[str, Estimate] = {}
        for estimate in alphas:
            firsts.setdefault(str(estimate.scope), estimate)
        if firsts:
            pooled = firsts.get("{}")
            parts = {name: f for f in firsts.values() if (name := _part(f))}
            found.append(AgreementRow(key, protocol.labels.question(key), pooled, parts))
    return found


def columns_of(rows: Sequence[AgreementRow]) -> list[str]:
    """Return the sources and pools with fewer ratings than the pooled alpha on any question; others would repeat it."""
    found = [(name, f, row.pooled) for row in rows for name, f in row.parts.items() if name != MODELS]
    differing = {name for name, f, pooled in found if pooled is None or f.n_ratings != pooled.n_ratings}
    return [name for name in dict.fromkeys(name for name, _, _ in found) if name in differing]


def _part(estimate: Estimate) -> str:
    """Return the column of an alpha; empty for none."""
    scope = estimate.scope
    if scope.keys() in ({"source"}, {"pool"}):
        return str(next(iter(scope.values())))
    return MODELS if scope == {"rater_kind": "model"} else ""


def agreement_sentence(rows: Sequence[AgreementRow]) -> str:
    """Describe the range of the pooled coefficients, and what they mean."""
    pooled = [row.pooled for row in rows if row.pooled and row.pooled.estimate is not None]
    found = []
    for sentence in dict.fromkeys(declared(one.statistic).meaning for one in pooled):
        known = sorted(one.estimate or 0.0 for one in pooled if declared(one.statistic).meaning == sentence)
        low, high = (number(value, "coefficient") for value in (known[0], known[-1]))
        found.append(sentence.format(f"is {low}" if low == high else f"ranges from {low} to {high}"))
    none = "Agreement could not be estimated: it needs several responses that were rated by two or more people."
    return " ".join(found) or none


def needed_sentence(report: Report, label: str, key: str) -> str:
    """State how many ratings per response a reliable mean needs; empty if unknown."""
    needed = _needed(report, key)
    return f"For a reliability of .80, {label} needs this many ratings per response: {needed}." if needed else ""


def needed_by_question(report: Report, rows: Sequence[AgreementRow]) -> str:
    """The same for all questions in one sentence; empty if it is known for none."""
    said = [f"{row.label} {needed}" for row in rows if (needed := _needed(report, row.key))]
    return f"Ratings per response for a reliability of .80: {'; '.join(said)}." if said else ""


def _needed(report: Report, key: str) -> str:
    found = [f for f in report.of("agreement", key) if f.statistic == "raters_needed" and f.estimate is not None]
    by_source = [f for f in found if f.scope.keys() == {"source"}]
    shown = by_source or [f for f in found if not f.scope]
    said = [_with_limits(f) for f in shown]
    unknown = [f for f in report.of("agreement", key) if f.statistic == "raters_needed" and f.reason == "no_variation"]
    names = [str(f.scope["source"]) for f in unknown if f.scope.keys() == {"source"}]
    return ", ".join([*said, *([f"not estimable from these data for {' and '.join(names)}"] if said and names else [])])


def _with_limits(estimate: Estimate) -> str:
    """The number with its source and its limits, the upper one of which may be missing."""
    has_no_end = estimate.ci_low is None and estimate.note.endswith(UNLIMITED)
    limits = f"95% CI {interval_text(estimate)}" if estimate.ci_low is not None else ""
    limits = "no upper limit" if has_no_end else limits
    about = "; ".join(filter(None, (str(estimate.scope.get("source", "")), limits)))
    return f"{estimate.estimate:.0f}{f' ({about})' if about else ''}"
