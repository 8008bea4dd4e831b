"""Estimates as table rows of the results."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.analysis.estimate import Estimate
from app.analysis.report.verdicts import verdict_text
from app.analysis.wording.formatting import (
    estimate_text,
    interval_text,
    name_text,
    of_text,
    on_two_lines,
    p_cell,
    why_text,
)
from app.base.words import counted
from app.protocol.labels import Labels

UNITS = {
    "rating": "rating",
    "item_mean": "item mean",
    "response": "response",
    "choice": "choice",
    "rater_mean": "rater mean",
    "item": "item",
}


def cell_of(estimate: Estimate | None) -> str:
    """Estimate and interval on two lines; a dash if there is no estimate, the reason if it is not estimable."""
    if estimate is None:
        return "–"
    if estimate.estimate is None:
        return why_text(estimate)
    return on_two_lines(estimate)


@dataclass(frozen=True, slots=True)
class Row:
    """One estimate in words, with its recipe."""

    question: str
    statistic: str
    scope: str
    estimate: str
    interval: str
    p: str
    data: str
    method: str
    recipe: str
    made_by: str


def all_rows(estimates: Sequence[Estimate], labels: Labels) -> list[Row]:
    """All estimates as rows."""
    return [
        Row(
            labels.question(estimate.question, estimate.category) if estimate.question else "",
            name_text(estimate),
            of_text(estimate),
            _estimate(estimate),
            interval_text(estimate),
            ", ".join(part for part in (p_cell(estimate), verdict_text(estimate)) if part),
            _counts(estimate),
            ". ".join(part.removesuffix(".") for part in (estimate.method, estimate.note) if part),
            _recipe(estimate),
            _made_by(estimate),
        )
        for estimate in estimates
    ]


def _recipe(estimate: Estimate) -> str:
    """What is specific to this estimate: filter, seed, formula, hash of its answers."""
    parts = estimate.recipe
    seed = "" if parts["seed"] is None else f" Seed {parts['seed']}."
    return f"{parts['filter']}.{seed} {parts['formula']}. Answers {parts['answers']}."


def _counts(estimate: Estimate) -> str:
    """The numbers of items, raters and ratings, and the unit."""
    parts = [(estimate.n_items, "item"), (estimate.n_raters, "rater"), (estimate.n_ratings, "rating")]
    numbers = ", ".join(counted(n, word) for n, word in parts if n)
    return "; ".join(filter(None, (numbers, f"per {UNITS[estimate.unit]}" if estimate.unit else "")))


def _made_by(estimate: Estimate) -> str:
    """What all estimates of a report have in common."""
    return f"Made by {estimate.recipe['software']} from data with the hash {estimate.recipe['data']}."


def _estimate(estimate: Estimate) -> str:
    return estimate_text(estimate) if estimate.estimate is not None else "not estimable"


# All estimates as closed groups: one per question, then those that could not be estimated.

# Rows of one page: each has a recipe of a few hundred characters.
MAX_ROWS = 400
NO_QUESTION, NOT_ESTIMABLE = "All questions together", "Not estimable"


@dataclass(frozen=True, slots=True)
class Group:
    """The estimates of a question; without `rows`, they are at the address of the question `key`."""

    key: str
    title: str
    n: int
    rows: list[Row]
    is_open: bool = False


def estimate_groups(estimates: Sequence[Estimate], labels: Labels) -> list[Group]:
    """Every estimate is in one group. A single group is open, and a page holds at most `MAX_ROWS` rows."""
    known: dict[str, list[Estimate]] = {}
    for estimate in estimates:
        if estimate.estimate is not None:
            known.setdefault(estimate.question or "", []).append(estimate)
    missing = [estimate for estimate in estimates if estimate.estimate is None]
    named = [(key, labels.question(key) if key else NO_QUESTION, own) for key, own in known.items()]
    named += [("", NOT_ESTIMABLE, missing)] if missing else []
    room, groups = MAX_ROWS, []
    for key, title, own in named:
        # What has no question has no address of its own.
        shown = own[:room] if len(own) <= room or len(named) == 1 or not key else []
        room -= len(shown)
        groups.append(Group(key, title, len(own), all_rows(shown, labels), is_open=len(named) == 1))
    return groups
