"""Changes that are not allowed in a study that has answers or has been opened."""

from __future__ import annotations

from collections.abc import Collection

from app.base.problem import Broken, broken
from app.protocol.cells import cells
from app.protocol.questions.registry import Question
from app.protocol.study import Protocol

# The settings that trials are made from: existing trials cannot change.
_FIXED = ("trials", "pairs", "listed", "pools", "adaptive")


def change_problems(
    old: Protocol,
    new: Protocol,
    *,
    answered: Collection[str],
    used: Collection[str],
    rated: Collection[str] = (),
    was_opened: bool,
) -> Broken:
    """Every change that the collected data do not allow.

    Args:
        old: the version that the data were collected with.
        new: the version that is to replace it.
        answered: keys of the questions that have answers.
        used: keys of the sources that have responses.
        rated: the conditions under which there are ratings, as in ratings.csv: `label=true`.
        was_opened: whether raters may have been given trials.
    """
    if new.slug != old.slug:
        yield broken("slug", f"must stay {old.slug}", new.slug)
    for source in sorted(set(used) - set(new.sources)):
        yield broken("sources", "must include every source that has responses", f"no {source}")
    for condition in sorted(set(rated) - {cell.text for cell in cells(new.conditions)}):
        yield broken(
            "conditions", "must include every condition that has ratings", f"no {old.labels.condition(condition)}"
        )
    places = {question.key: number for number, question in enumerate(new.questions, start=1)}
    for question in old.questions:
        if question.key in answered:
            yield from _question(question, new.question(question.key), places.get(question.key))
    if was_opened:
        yield from _opened(old, new)


def _question(old: Question, new: Question | None, place: int | None) -> Broken:
    if new is None:
        yield broken("questions", "must include every question that has answers", f"no {old.key}")
    elif new.type != old.type or new.target != old.target:
        rule = "must keep its type and target because it has answers (add a question with another key instead)"
        yield broken(f"questions.{place}", rule, f"{new.type} about the {new.target}")
    elif not old.takes_as_before(new):
        rule = "must keep its allowed answers because it has answers (only their labels can change)"
        yield broken(f"questions.{place}", rule, "different ones")


def _opened(old: Protocol, new: Protocol) -> Broken:
    if old.monitoring != new.monitoring:
        yield broken("monitoring", "must stay as it is once the study has been opened", "another plan")
    if {name: (f.kind, set(f.levels), f.assign) for name, f in old.conditions.items()} != {
        name: (f.kind, set(f.levels), f.assign) for name, f in new.conditions.items()
    }:
        yield broken(
            "conditions",
            "must keep its factors, levels and assignment once the study has been opened",
            "different ones",
        )
    for name in _FIXED:
        if getattr(old.design, name) != getattr(new.design, name):
            yield broken(f"design.{name}", "must stay the same once the study has been opened", "another value")
    if new.design.raters_per_trial < old.design.raters_per_trial:
        rule = f"must be {old.design.raters_per_trial} or more once the study has been opened"
        yield broken("design.raters_per_trial", rule, new.design.raters_per_trial)
