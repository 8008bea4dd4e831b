"""Whether every `show_if` names an earlier question about the rater and answers that this question has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.broken_rule import broken
from app.design.questions.kinds.category import CategoryQuestion
from app.design.questions.kinds.rating import RatingQuestion
from app.design.questions.kinds.slider import SliderQuestion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.design.broken_rule import Broken
    from app.design.protocol.study_parts import ProtocolParts
    from app.design.questions.kinds.registry import Question
    from app.design.questions.show_if import ShowIf


def show_if_problems(protocol: ProtocolParts) -> Broken:
    """Every problem."""
    dependent = {question.key: question for question in protocol.questions if question.show_if}
    if not dependent:
        return
    about_rater = {question.key: question for question in protocol.questions if question.target == "rater"}
    cycle = _cycle(dependent)
    if cycle:
        yield broken("questions.show_if", "must not form a cycle", " > ".join(cycle))
    pages = _pages(protocol, list(about_rater))
    place = {key: (number, nth) for number, (keys, _) in enumerate(pages) for nth, key in enumerate(keys)}
    for key, question in dependent.items():
        if key not in about_rater:
            yield broken("questions", "with show_if must be about the rater", f"{key}, about the {question.target}")
        elif protocol.flow.eligibility and key in protocol.flow.eligibility.accept:
            yield broken(
                "flow.eligibility", "must name questions that every rater is asked", f"{key}, which has show_if"
            )
        else:
            yield from _problems(question, about_rater, place, pages, in_cycle=key in cycle)


def _problems(
    question: Question,
    about_rater: Mapping[str, Question],
    place: Mapping[str, tuple[int, int]],
    pages: Sequence[tuple[Sequence[str], bool]],
    *,
    in_cycle: bool,
) -> Broken:
    rule, part = question.show_if, f"questions.{question.key}.show_if"
    earlier = about_rater.get(rule.question) if rule else None
    if rule is None or earlier is None:
        yield broken(part, "must name a question about the rater", rule and rule.question)
    else:
        (of_page, of_place), (page, own_place) = place[rule.question], place[question.key]
        if not in_cycle and (of_page, of_place) >= (page, own_place):
            yield broken(part, "must name a question that is asked earlier", rule.question)
        if of_page == page and pages[page][1]:
            yield broken(part, "must name a question of an earlier page, because its page is shuffled", rule.question)
        yield from _test(part, rule, earlier)


def _test(part: str, rule: ShowIf, earlier: Question) -> Broken:
    if rule.at_least is not None:
        if not isinstance(earlier, RatingQuestion | SliderQuestion):
            yield broken(part, "needs a question answered by a number for at_least", rule.question)
    elif not isinstance(earlier, RatingQuestion | SliderQuestion | CategoryQuestion):
        yield broken(part, "needs a question with answers to choose from", rule.question)
    elif unknown := [value for value in rule.accepted if not earlier.accepts(value, ())]:
        allowed = earlier.allowed_words()
        yield broken(part, f"must name answers of {rule.question} ({allowed})", ", ".join(unknown))


def _pages(protocol: ProtocolParts, about_rater: Sequence[str]) -> list[tuple[Sequence[str], bool]]:
    """The questions about the rater page by page, as raters get them, and whether a page is shuffled."""
    flow = protocol.flow
    pages: list[tuple[Sequence[str], bool]] = [(list(flow.eligibility.accept) if flow.eligibility else [], False)]
    pages += [(page.questions, page.shuffle) for page in (*flow.before, *flow.after)]
    named = {key for keys, _ in pages for key in keys}
    return [*pages, ([key for key in about_rater if key not in named], False)]


def _cycle(dependent: Mapping[str, Question]) -> list[str]:
    """The keys of a cycle, beginning and ending with the same one; empty if there is none."""
    for first in dependent:
        way, key = [first], first
        while (question := dependent.get(key)) and question.show_if and len(way) <= len(dependent):
            key = question.show_if.question
            way.append(key)
            if key == first:
                return way
    return []
