"""Changes that are not allowed in a study that has answers or has been opened."""

from collections.abc import Collection

from app.base.problem import Broken, broken
from app.protocol.cells import cells
from app.protocol.presentation import label_of
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
    elif new.turns != old.turns:
        rule = "must stay as it is because the question has answers (add a question with another key instead)"
        yield broken(f"questions.{place}.turns", rule, new.turns)
    elif not old.takes_as_before(new):
        rule = "must keep its allowed answers because it has answers (only their labels can change)"
        yield broken(f"questions.{place}", rule, "different ones")
    elif moved := _moved_words(old, new):
        rule = "must keep its words with their answers because it has answers (new words are allowed)"
        yield broken(f"questions.{place}", rule, moved)


def _moved_words(old: Question, new: Question) -> str:
    """The first words that another answer has now, so that old and new answers would say the opposite; or empty."""
    had = {words.casefold(): value for value, words in old.words_of_answers().items()}
    for value, words in new.words_of_answers().items():
        before = had.get(words.casefold(), value)
        if before != value:
            return f"“{words}” for {value}, before for {before}"
    return ""


def asked_otherwise(old: Protocol, new: Protocol) -> set[str]:
    """Keys of the questions of `new` that raters of the version `old` read in other words or with other answers.

    All questions but those about the rater count if the instructions, the text of a condition or a label of a source
    that raters are told was another one.
    """
    is_set_otherwise = _around(old) != _around(new)
    return {
        one.key
        for one in new.questions
        if (before := old.question(one.key)) is not None
        and ((is_set_otherwise and one.target != "rater") or before.as_asked() != one.as_asked())
    }


def _around(protocol: Protocol) -> list[str]:
    """What raters read around the questions."""
    factors = protocol.conditions.values()
    texts = [protocol.instructions]
    texts += [words for factor in factors if factor.kind == "instruction" for words in factor.levels.values()]
    if not protocol.design.blind or any(factor.kind == "shown_label" for factor in factors):
        texts += [label_of(protocol, source) for source in protocol.sources]
    return [" ".join(words.split()) for words in texts]


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
