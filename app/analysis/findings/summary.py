"""The results of a study on one screen: effects, what could overturn them, agreement, model judges, failures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from app.analysis.findings.agreement_summary import agreement_rows, agreement_sentence, needed_sentence
from app.analysis.findings.main_contrasts import main_contrasts
from app.analysis.findings.overturning import warnings_of
from app.analysis.findings.study_question import study_question
from app.analysis.wording.formatting import REASONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.estimate import Estimate
    from app.analysis.findings.agreement_summary import AgreementRow
    from app.analysis.findings.main_contrasts import MainContrast
    from app.analysis.report.report import Report
    from app.design.protocol.study import Protocol

# Reasons of computations that failed, as opposed to having nothing to compute.
FAILED = ("not_converged", "singular", "separation")
JUDGED = {"judge_correlation": "ceiling_correlation", "judge_share": "ceiling_share"}


@dataclass(frozen=True, slots=True)
class JudgeSummary:
    """A model judge compared with human raters: the number of questions on which it reaches the human ceiling."""

    name: str
    n_reached: int
    n_questions: int
    judge: float
    ceiling: float


@dataclass(frozen=True, slots=True)
class Summary:
    """The content of the first screen. `question` is the study's research question as a sentence."""

    question: str
    contrasts: tuple[MainContrast, ...]
    warnings: tuple[str, ...]
    agreement: tuple[AgreementRow, ...]
    agreement_words: str
    needed: str
    judges: tuple[JudgeSummary, ...]
    failed: str


def summary_of(report: Report, protocol: Protocol) -> Summary:
    """Return the summary of a report that is `labelled`."""
    contrasts, rows = main_contrasts(report, protocol), agreement_rows(report, protocol)
    needed = next((words for row in rows if (words := needed_sentence(report, row.label, row.key))), "")
    return Summary(
        question=study_question(protocol, contrasts, report.primary),
        contrasts=tuple(contrasts),
        warnings=tuple(warnings_of(report, contrasts)),
        agreement=tuple(rows),
        agreement_words=agreement_sentence(rows),
        needed=needed,
        judges=tuple(judge_summaries(report)),
        failed=failed_words(report),
    )


def judge_summaries(report: Report) -> Iterator[JudgeSummary]:
    """Yield each judge's summary over all questions with both its estimate and its ceiling."""
    whole = [f for f in report.of("judge") if f.scope.keys() == {"rater_kind", "raters"} and f.estimate is not None]
    ceilings = {(f.statistic, f.question, str(f.scope)): f for f in whole}
    pairs: dict[str, list[tuple[float, float]]] = {}
    for estimate in whole:
        key = (JUDGED.get(estimate.statistic, ""), estimate.question, str(estimate.scope))
        if key in ceilings:
            name = " and ".join(estimate.scope["raters"])
            pairs.setdefault(name, []).append((_value(estimate), _value(ceilings[key])))
    for name, found in pairs.items():
        n_reached = sum(judge >= ceiling for judge, ceiling in found)
        of_judge, of_people = (median(values) for values in zip(*found, strict=True))
        yield JudgeSummary(name, n_reached, len(found), of_judge, of_people)


def _value(estimate: Estimate) -> float:
    return estimate.estimate or 0.0


def failed_words(report: Report) -> str:
    """State how many computations failed, and why; empty if none did."""
    reasons = Counter(f.reason for f in report.estimates if f.reason in FAILED)
    if not reasons:
        return ""
    n = sum(reasons.values())
    said = f"{n:,} {'estimate' if n == 1 else 'estimates'} could not be computed"
    found = [(REASONS[reason], n) for reason, n in reasons.most_common() if reason]
    if len(found) == 1:
        return f"{said} because {found[0][0]}."
    return f"{said}: {'; '.join(f'{n:,} because {why}' for why, n in found)}."
