"""Model judges and human raters: each judge's agreement with the human raters, and the human ceiling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.wording.formatting import estimate_text, interval_text, why_text
from app.charts.drawing.rows_of_dots import Axis, Dot, dots_spec
from app.charts.drawing.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.analysis.estimate import Estimate
    from app.charts.drawing.theme import Spec, Theme, Width

PAIRS = (("judge_correlation", "ceiling_correlation"), ("judge_share", "ceiling_share"))
CEILING = "Human ceiling"
SUBTITLE = "Each judge's agreement with the human raters, and the agreement that a human rater reaches; 95% CIs"


def judge_rows(estimates: Sequence[Estimate]) -> list[tuple[Estimate, Estimate | None]]:
    """Return each judge's agreement on each question over all human raters, with the human ceiling."""
    found = []
    for judge, ceiling in PAIRS:
        whole = [f for f in estimates if set(f.scope) == {"rater_kind", "raters"}]
        ceilings = {(f.question, str(f.scope)): f for f in whole if f.statistic == ceiling}
        found += [(f, ceilings.get((f.question, str(f.scope)))) for f in whole if f.statistic == judge]
    return found


def judges_spec(
    estimates: Sequence[Estimate], *, title: str, theme: Theme = "light", width: Width = 560
) -> Spec | None:
    """Return a chart with one row per question; the ceiling is one more series beside the judges."""
    rows = [(f, ceiling) for f, ceiling in judge_rows(estimates) if f.estimate is not None]
    names = list(dict.fromkeys(str(estimate.question) for estimate, _ in rows))
    dots: dict[tuple[int, str], Dot] = {}
    for estimate, ceiling in rows:
        at = names.index(str(estimate.question))
        for one, series in ((ceiling, CEILING), (estimate, judge_name(estimate))):
            if one is not None and one.estimate is not None:
                dots.setdefault(
                    (at, series), Dot(at, series, one.estimate, one.ci_low, one.ci_high, estimate_text(one))
                )
    is_share = any(estimate.statistic == "judge_share" for estimate, _ in rows)
    axis = Axis("Agreement with human raters" if is_share else "Correlation with human raters", rule=0.0)
    return dots_spec(names, list(dots.values()), axis, title=title, subtitle=SUBTITLE, theme=theme, width=width)


def judges_table(estimates: Sequence[Estimate]) -> Table:
    """One row per question and judge."""
    header = ("Question", "Judge", "Agreement with people", "95% CI", "Human ceiling", "95% CI of the ceiling")
    return Table(header, tuple(_row(estimate, ceiling) for estimate, ceiling in judge_rows(estimates)))


def _row(estimate: Estimate, ceiling: Estimate | None) -> tuple[str, ...]:
    words = interval_text(estimate) if estimate.estimate is not None else why_text(estimate)
    of_people = (estimate_text(ceiling), interval_text(ceiling)) if ceiling else ("–", "")
    return str(estimate.question), judge_name(estimate), estimate_text(estimate), words, *of_people


def judges_finding(estimates: Sequence[Estimate]) -> str:
    """Describe on how many questions each judge reaches the ceiling."""
    sentences = [judge_sentence(name, rows) for name, rows in by_judge(estimates).items()]
    return " ".join(sentences) or "No judge could be compared with people."


def by_judge(estimates: Sequence[Estimate]) -> dict[str, list[tuple[Estimate, Estimate]]]:
    """Group the questions with both a judge's agreement and its ceiling, by judge."""
    found: dict[str, list[tuple[Estimate, Estimate]]] = {}
    for estimate, ceiling in judge_rows(estimates):
        if estimate.estimate is not None and ceiling is not None and ceiling.estimate is not None:
            found.setdefault(judge_name(estimate), []).append((estimate, ceiling))
    return found


def judge_sentence(name: str, rows: Sequence[tuple[Estimate, Estimate]]) -> str:
    """State on how many questions a judge agrees with human raters as much as a human rater does."""
    n = sum((estimate.estimate or 0.0) >= (ceiling.estimate or 0.0) for estimate, ceiling in rows)
    questions = "question" if len(rows) == 1 else "questions"
    return f"{name} reaches the human ceiling on {n} of {len(rows)} {questions}."


def judge_name(estimate: Estimate) -> str:
    """Return the judge's ID; judges have no labels."""
    return " and ".join(estimate.scope["raters"])
