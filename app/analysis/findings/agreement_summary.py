"""Agreement in one sentence and a short table: pooled, within sources, and by kind of rater."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.analysis.estimate import Estimate
from app.analysis.report.report import Report
from app.analysis.statistic import MIN_UNITS, declared
from app.analysis.wording.formatting import interval_text, number
from app.base.numbers import styled, whole
from app.base.words import isolated, spelled_out
from app.protocol.primary_default import by_importance, first_question
from app.protocol.study import Protocol

MODELS = "Model judges"
UNKNOWN = "not estimable"


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """One question: alpha over all human raters, then by source and pool and of the model judges, keyed by label.

    `rated` is what each rating is of.
    """

    key: str
    label: str
    pooled: Estimate | None
    parts: dict[str, Estimate]
    rated: str = "response"


def agreement_rows(report: Report, protocol: Protocol) -> list[AgreementRow]:
    """Return one row per question with an alpha, primary ones first. The report is `labelled`."""
    found = []
    for key in by_importance(protocol):
        alphas = [f for f in report.estimates if f.measured == key and declared(f.statistic).agreement == "main"]
        firsts: dict[str, Estimate] = {}
        for estimate in alphas:
            firsts.setdefault(str(estimate.scope), estimate)
        if firsts:
            pooled = firsts.get("{}")
            parts = {name: f for f in firsts.values() if (name := _part(f))}
            asked = first_question(protocol, key)
            rated = asked.rated if asked else "response"
            found.append(AgreementRow(key, protocol.labels.question(key), pooled, parts, rated))
    return found


def columns_of(rows: Sequence[AgreementRow]) -> list[str]:
    """Return the sources and pools with an alpha of fewer ratings than the pooled one on any question.

    Others would repeat it, or have a dash in every row.
    """
    every = [(name, f, row.pooled) for row in rows for name, f in row.parts.items() if name != MODELS]
    estimated = {name for name, f, _ in every if f.estimate is not None}
    found = [one for one in every if one[0] in estimated]
    differing = {name for name, f, pooled in found if pooled is None or f.n_ratings != pooled.n_ratings}
    return [name for name in dict.fromkeys(name for name, _, _ in found) if name in differing]


def _part(estimate: Estimate) -> str:
    """Return the column of an alpha; empty for none."""
    scope = estimate.scope
    if scope.keys() in ({"source"}, {"pool"}):
        return str(next(iter(scope.values())))
    return MODELS if scope == {"rater_kind": "model"} else ""


def agreement_sentence(rows: Sequence[AgreementRow], *, has_columns: bool = False) -> str:
    """Describe the range of the pooled coefficients, what they mean, and how they are within sources and pools.

    A difference between sources raises a pooled coefficient, one between pools lowers it. `has_columns`: a table beside
    the sentence has those within sources and pools.
    """
    pooled = [row.pooled for row in rows if row.pooled and row.pooled.estimate is not None]
    found = []
    for meaning in dict.fromkeys(declared(one.statistic).meaning for one in pooled):
        known = [one for one in pooled if declared(one.statistic).meaning == meaning]
        interval = f", 95% CI {interval_text(known[0])}" if len(known) == 1 and known[0].ci_low is not None else ""
        found.append(meaning.format(f"{_range_text(known)}{interval}"))
    for name, words in {"source": "sources", "pool": "pools"}.items():
        within = [one for row in rows for one in row.parts.values() if one.scope.keys() == {name}]
        known = [one for one in within if one.estimate is not None]
        if pooled and not has_columns and len({str(one.scope) for one in known}) > 1:
            found.append(f"Within single {words}, it {_range_text(known)}.")
    return " ".join(found) or f"Agreement could not be estimated: {_why_none(rows)}."


def _why_none(rows: Sequence[AgreementRow]) -> str:
    if {row.pooled.reason for row in rows if row.pooled} == {"no_variation"}:
        return "all answers are the same"
    return f"it needs {spelled_out(MIN_UNITS)} or more responses that were rated by two or more people"


def _range_text(estimates: Sequence[Estimate]) -> str:
    values = sorted(one.estimate or 0.0 for one in estimates)
    low, high = (number(value, "coefficient") for value in (values[0], values[-1]))
    return f"is {low}" if low == high else f"ranges from {low} to {high}"


def needed_sentence(report: Report, row: AgreementRow) -> str:
    """State how many ratings of each response, or of what is rated, a reliable mean needs; empty if unknown."""
    said = ", ".join(_said(one) for one in _needed(report, row.key))
    named = isolated(row.label)
    return (
        f"For a reliability of {styled('.80')}, {named} needs this many ratings per {row.rated}: {said}."
        if said
        else ""
    )


def needed_by_source(report: Report, rows: Sequence[AgreementRow]) -> dict[str, dict[str, str]]:
    """How many ratings per response a reliable mean needs, with the interval: by question, then by source.

    The source is empty where only the number over all sources is known; questions without any are left out.
    """
    found = {row.label: {one.scope.get("source", ""): _number(one) for one in _needed(report, row.key)} for row in rows}
    return {label: by_source for label, by_source in found.items() if by_source}


def _number(estimate: Estimate) -> str:
    said = UNKNOWN if estimate.estimate is None else whole(round(estimate.estimate))
    return f"{said} ({interval_text(estimate)})" if estimate.ci_low is not None else said


def _said(estimate: Estimate) -> str:
    """The number with the source and the interval in brackets, where they are known."""
    said = f"{UNKNOWN} from these data" if estimate.estimate is None else whole(round(estimate.estimate))
    interval = f"95% CI {interval_text(estimate)}" if estimate.ci_low is not None else ""
    about = "; ".join(filter(None, (isolated(estimate.scope.get("source", "")), interval)))
    return f"{said} ({about})" if about else said


def _needed(report: Report, key: str) -> list[Estimate]:
    """The numbers that are known, by source if they are, and the sources for which they cannot be estimated."""
    found = [f for f in report.of("agreement", key) if f.statistic == "raters_needed"]
    known = [f for f in found if f.estimate is not None]
    shown = [f for f in known if f.scope.keys() == {"source"}] or [f for f in known if not f.scope]
    unknown = [f for f in found if f.reason == "no_variation" and f.scope.keys() == {"source"}]
    return [*shown, *unknown] if known else []
