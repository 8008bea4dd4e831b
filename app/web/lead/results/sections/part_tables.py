"""The tables of each section: one row per question and scope, and one column per main statistic."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.analysis.wording.formatting import MINUS, estimate_text, interval_text, p_text, scope_text, why_text
from app.analysis.wording.statistics_registry import STATISTICS
from app.charts.drawing.table import Table
from app.web.lead.results.sections.part_columns import BLOCKS, Column

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from app.analysis.estimate import Estimate
    from app.design.protocol.parts.labels import Labels

MAX_ROWS, MAX_REASONS = 30, 3
CONFUSION = "confusion_share"


@dataclass(frozen=True, slots=True)
class Block:
    """A table with its caption and notes; `more` contains the rows that do not fit, one click away."""

    caption: str
    table: Table
    more: Table | None
    notes: tuple[str, ...]


def blocks_of(part: str, estimates: Sequence[Estimate], labels: Labels) -> Iterator[Block]:
    """The tables of a section that are not empty."""
    for caption, columns in BLOCKS.get(part, ()):
        keys = {key for column in columns for key in column.statistics}
        block = _block(caption, columns, [f for f in estimates if f.statistic in keys], labels)
        if block is not None:
            yield block
    yield from _others(part, estimates, labels)


def _others(part: str, estimates: Sequence[Estimate], labels: Labels) -> Iterator[Block]:
    """A table for each contrast that is in none of the tables above, and the confusion tables of answer keys."""
    known = {key for _, columns in BLOCKS.get(part, ()) for column in columns for key in column.statistics}
    others = [f for f in estimates if f.section in {"contrast", "category"} and f.statistic not in known]
    for name in dict.fromkeys(f.statistic for f in others if f.estimate is not None and f.statistic != CONFUSION):
        words = STATISTICS[name].words
        block = _block(words, (Column("Estimate", (name,)),), [f for f in others if f.statistic == name], labels)
        if block is not None:
            yield block
    for key in dict.fromkeys(f.question for f in others if f.statistic == CONFUSION):
        shares = {
            (f.scope["correct"], f.scope["category"]): f
            for f in others
            if (f.question, f.statistic) == (key, CONFUSION)
        }
        yield _confusion(labels.question(key or ""), shares)


def _confusion(name: str, shares: dict[tuple[str, str], Estimate]) -> Block:
    """One row per correct code, with the share of answers for each code."""
    given = list(dict.fromkeys(code for _, code in shares))
    rows = tuple(
        (right, *(estimate_text(f) if (f := shares.get((right, code))) else "–" for code in given))
        for right in dict.fromkeys(right for right, _ in shares)
    )
    return Block(f"{name}: confusion table", Table(("Correct", *given), rows), None, ())


def _block(caption: str, columns: Sequence[Column], estimates: Sequence[Estimate], labels: Labels) -> Block | None:
    rows = _rows(estimates, labels)
    shown = [column for column in columns if _is_known(column, rows.values())]
    kept = {place: found for place, found in rows.items() if any(_cell(column, found) for column in shown)}
    if not kept:
        why = _notes(rows.values(), columns)
        return Block(caption, Table((), ()), None, tuple(f"{caption}: {note[2:]}" for note in why)) if why else None
    has_p = any(f.p_adjusted is not None for found in kept.values() for f in found.values())
    header = ("Question", "Of", *(column.words for column in shown), *(("Adjusted p",) if has_p else ()))
    lines = [
        (*place, *(_cell(column, found) or "–" for column in shown), *((_p(found),) if has_p else ()))
        for place, found in kept.items()
    ]
    table = Table(
        (*header, "Ratings"), tuple((*line, _n(found)) for line, found in zip(lines, kept.values(), strict=True))
    )
    first, rest = Table(table.header, table.rows[:MAX_ROWS]), Table(table.header, table.rows[MAX_ROWS:])
    return Block(caption, first, rest if rest.rows else None, _notes(rows.values(), shown))


def _rows(estimates: Sequence[Estimate], labels: Labels) -> dict[tuple[str, str], dict[str, Estimate]]:
    """Estimates by question and scope: for each question, first all ratings, then parts of them."""
    wholes = {(f.question, f.statistic): f.n_ratings for f in reversed(estimates) if not f.scope}
    asked = list(dict.fromkeys(f.question for f in estimates))
    rows: dict[tuple[str, str], dict[str, Estimate]] = {}
    for f in sorted(estimates, key=lambda f: (asked.index(f.question), len(f.scope), "pool" in f.scope)):
        is_everybody = f.scope.keys() == {"pool"} and wholes.get((f.question, f.statistic)) == f.n_ratings
        is_within_pool = {"pool", "source"} <= f.scope.keys() and f.section == "agreement"
        if "flagged" not in f.scope and not is_everybody and not is_within_pool:
            rows.setdefault((_label(f, labels), _of(f)), {}).setdefault(f.statistic, f)
    return rows


def _is_known(column: Column, rows: Iterable[dict[str, Estimate]]) -> bool:
    return any(_cell(column, found) for found in rows)


def _find(column: Column, found: dict[str, Estimate]) -> Estimate | None:
    return next((found[key] for key in column.statistics if key in found), None)


def _cell(column: Column, found: dict[str, Estimate]) -> str:
    """Estimate and interval on two lines; empty if there is none."""
    estimate = _find(column, found)
    if estimate is None or estimate.estimate is None:
        return ""
    return f"{estimate_text(estimate)}\n{interval_text(estimate) if estimate.ci_low is not None else ''}".strip()


def _notes(rows: Iterable[dict[str, Estimate]], columns: Sequence[Column]) -> tuple[str, ...]:
    """The reasons for dashes, each once, most frequent first."""
    reasons: Counter[str] = Counter()
    for found in rows:
        missing = (f for column in columns if (f := _find(column, found)) is not None and f.estimate is None)
        reasons.update(why_text(f).rstrip(".") for f in missing)
    return tuple(f"– not estimable: {why}." for why, _ in reasons.most_common(MAX_REASONS))


def _label(estimate: Estimate, labels: Labels) -> str:
    return labels.question(estimate.question) if estimate.question else "All questions"


def _of(estimate: Estimate) -> str:
    """The scope of the row, without the kind of raters if the section makes it clear."""
    is_named = len(estimate.scope) == 1 or estimate.section == "contrast"
    scope = {key: value for key, value in estimate.scope.items() if key != "rater_kind" or is_named}
    between = "against" if estimate.statistic.startswith("share_pref") else MINUS
    return scope_text(scope, between=between) if scope else "all ratings"


def _p(found: dict[str, Estimate]) -> str:
    known = (f.p_adjusted for f in found.values() if f.p_adjusted is not None)
    return p_text(next(known, None)) or "–"


def _n(found: dict[str, Estimate]) -> str:
    n = max((f.n_ratings or 0 for f in found.values()), default=0)
    return f"{n:,}"
