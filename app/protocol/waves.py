"""Waves: later parts of a study, in which the same raters answer questions about themselves again.

The first wave is the study as `flow` describes it. In a later one, the question `support` becomes a question of its own
with the key `support@2`, so that everything that knows questions knows the later answers too.
"""

import datetime as dt
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.base.problem import Broken, BrokenRuleError, broken
from app.base.words import and_list, or_list, readable
from app.protocol.completion import Ending
from app.protocol.composite import Composite
from app.protocol.declared_contrasts import Change
from app.protocol.flow import Flow, Questionnaire
from app.protocol.questions.question import Prose
from app.protocol.questions.registry import Question
from app.protocol.questions.scale import Label

MARK = "@"
# Number of the first wave that comes later.
SECOND = 2


class Wave(BaseModel):
    """A later part of the study: when raters come back, and what they are asked then."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    label: Label | None = None
    """The wave's name on the lead's pages and in charts; default: *Wave 2*."""
    days: int = Field(ge=1, le=3650)
    """Days from the end of the first wave to this one."""
    earliest: int | None = Field(default=None, ge=1, le=3650)
    """The first day on which raters can answer, counted like `days`; default: `days`."""
    latest: int | None = Field(default=None, ge=1, le=3650)
    """The last day on which raters can answer, counted like `days`; default: until the next wave, if there is one."""
    text: Prose = ""
    """What raters read when they come back, in Markdown."""
    questionnaires: tuple[Questionnaire, ...] = ()
    """The pages of questions about the rater; default: all those of the first wave."""
    reminder: Prose = ""
    """The message that tells raters to come back, for you to send on the platform."""
    completion: Ending = Ending()
    """What raters get at the end of this wave."""

    @model_validator(mode="after")
    def _days_in_order(self) -> Self:
        if self.earliest is not None and self.earliest > self.days:
            raise BrokenRuleError("earliest must be at most days", self.earliest)
        if self.latest is not None and self.latest < self.days:
            raise BrokenRuleError("latest must be at least days", self.latest)
        return self

    @property
    def opens(self) -> int:
        """The first day on which raters can answer."""
        return self.days if self.earliest is None else self.earliest


def at_wave(key: str, number: int) -> str:
    """The key of a question or composite in a wave.

    >>> at_wave("support", 2), at_wave("support", 1)
    ('support@2', 'support')
    """
    return f"{key}{MARK}{number}" if number >= SECOND else key


def numbered(waves: Sequence[Wave]) -> list[tuple[int, Wave]]:
    """The later waves with their numbers, from 2."""
    return [*enumerate(waves, SECOND)]


def wave_of(key: str, waves: Sequence[Wave]) -> int:
    """The wave in which a question or composite is asked.

    >>> wave_of("support@2", [Wave(days=14)]), wave_of("support", []), wave_of("support@2", [])
    (2, 1, 1)
    """
    return next((number for number, _ in numbered(waves) if key.endswith(f"{MARK}{number}")), 1)


def first_key(key: str, waves: Sequence[Wave]) -> str:
    """The key that a question or composite has in the first wave.

    >>> first_key("support@2", [Wave(days=14)]), first_key("support", [Wave(days=14)])
    ('support', 'support')
    """
    number = wave_of(key, waves)
    return key.removesuffix(f"{MARK}{number}") if number >= SECOND else key


def wave_label(waves: Sequence[Wave], number: int) -> str:
    """The name of a wave: as declared, otherwise made from its number."""
    label = waves[number - SECOND].label if number >= SECOND else None
    return label or f"Wave {number}"


# When a rater can answer a wave, by dates in UTC.


def days_of(waves: Sequence[Wave], number: int, finished: dt.date) -> tuple[dt.date, dt.date | None]:
    """The first and the last date of a wave, for a rater who finished the first one on a date; None for no last date.

    >>> days_of([Wave(days=14, earliest=12), Wave(days=28)], 2, dt.date(2026, 12, 1))
    (datetime.date(2026, 12, 13), datetime.date(2026, 12, 28))
    """
    place = number - SECOND
    wave, after = waves[place], waves[place + 1 : place + 2]
    latest = wave.latest if wave.latest is not None else next((one.opens - 1 for one in after), None)
    opens = finished + dt.timedelta(wave.opens)
    return opens, None if latest is None else finished + dt.timedelta(max(latest, wave.opens))


def welcome_step(number: int) -> str:
    """The step with which a rater begins a wave."""
    return f"wave{number}"


def end_step(number: int) -> str:
    """The step that is completed with the last page of a wave."""
    return f"wave{number}-done"


class WaveStep(NamedTuple):
    """A step of a later wave: its page of questions by number, `done` for its end, or empty for its first page."""

    wave: int
    part: str


def wave_step(step: str) -> WaveStep | None:
    """What a step of a rater's path is in a later wave; None if it belongs to the first.

    >>> wave_step("wave2"), wave_step("wave3-1"), wave_step("wave2-done"), wave_step("before-1")
    (WaveStep(wave=2, part=''), WaveStep(wave=3, part='1'), WaveStep(wave=2, part='done'), None)
    """
    found = _STEP.fullmatch(step)
    return WaveStep(int(found[1]), found[2] or "") if found else None


_STEP = re.compile(r"wave([0-9]+)(?:-([0-9]+|done))?")


def is_welcome(step: str) -> bool:
    """Whether a rater begins a later wave with this step."""
    later = wave_step(step)
    return later is not None and not later.part


def open_wave(waves: Sequence[Wave], finished: dt.date, today: dt.date, passed: Collection[str]) -> int | None:
    """The wave that a rater can answer today; None if there is none. Who began in time may go on for one more day."""
    for number, _ in numbered(waves):
        opens, closes = days_of(waves, number, finished)
        last = closes and closes + dt.timedelta(welcome_step(number) in passed)
        if end_step(number) not in passed and (last is None or today <= last):
            return number if opens <= today else None
    return None


def last_done(waves: Sequence[Wave], passed: Collection[str]) -> int:
    """The last wave that a rater who finished the first one has completed."""
    return max((number for number, _ in numbered(waves) if end_step(number) in passed), default=1)


# The questions, composites and changes of later waves, made from those of the first.


def pages_of_wave(flow: Flow, waves: Sequence[Wave], number: int, about: Sequence[str]) -> tuple[Questionnaire, ...]:
    """The pages of a later wave as declared; `about` are the questions that the first wave asks on no other page."""
    declared = waves[number - SECOND].questionnaires if SECOND <= number < SECOND + len(waves) else ()
    if declared or not SECOND <= number < SECOND + len(waves):
        return declared
    rest = (Questionnaire(questions=tuple(about)),) if about else ()
    return (*flow.before, *flow.after, *rest)


def unlisted(questions: Sequence[Question], flow: Flow, waves: Sequence[Wave]) -> tuple[str, ...]:
    """The questions about the rater that no page of the first wave names: they are asked at its end."""
    named = {key for page in (*flow.before, *flow.after) for key in page.questions}
    named |= set(flow.eligibility.accept) if flow.eligibility else set()
    keys = (question.key for question in questions if question.target == "rater")
    return tuple(key for key in keys if key not in named and wave_of(key, waves) == 1)


def wave_questions(questions: Sequence[Question], flow: Flow, waves: Sequence[Wave]) -> list[Question]:
    """The questions of all later waves."""
    own = {one.key: one for one in questions if one.target == "rater"}
    found: list[Question] = []
    for number, asked in _asked(questions, flow, waves):
        known = [own[key] for key in asked if key in own and wave_of(key, waves) == 1]
        found += [_again(question, number, asked) for question in known]
    return found


def _asked(questions: Sequence[Question], flow: Flow, waves: Sequence[Wave]) -> Iterator[tuple[int, list[str]]]:
    about = unlisted(questions, flow, waves)
    for number, _ in numbered(waves):
        pages = pages_of_wave(flow, waves, number, about)
        yield number, list(dict.fromkeys(key for page in pages for key in page.questions))


def _again(question: Question, number: int, asked: Collection[str]) -> Question:
    rule = question.show_if
    if rule is not None and rule.question in asked:
        rule = rule.model_copy(update={"question": at_wave(rule.question, number)})
    return question.model_copy(update={"key": at_wave(question.key, number), "label": None, "show_if": rule})


def with_wave_labels(labels: Mapping[str, str | None], waves: Sequence[Wave]) -> dict[str, str | None]:
    """The labels of questions or composites, those of later waves made from those of the first.

    >>> with_wave_labels({"support": None, "support@2": None}, [Wave(days=14)])
    {'support': None, 'support@2': 'Support (Wave 2)'}
    """
    found = dict(labels)
    for key in labels:
        number, first = wave_of(key, waves), first_key(key, waves)
        if number >= SECOND:
            found[key] = f"{labels.get(first) or readable(first)} ({wave_label(waves, number)})"
    return found


def wave_composites(
    composites: Mapping[str, Composite], questions: Sequence[Question], waves: Sequence[Wave]
) -> dict[str, Composite]:
    """The composites whose questions are all asked in a later wave, one for each such wave."""
    keys = {question.key for question in questions}
    found = {}
    for number, _ in numbered(waves):
        for name, one in composites.items():
            again = tuple(at_wave(key, number) for key in one.questions)
            if wave_of(name, waves) == 1 and keys.issuperset(again):
                update = {"questions": again, "label": None, "factors": None}
                found[at_wave(name, number)] = one.model_copy(update=update)
    return found


def wave_changes(
    changes: Sequence[Change],
    composites: Mapping[str, Composite],
    scaled: Collection[str],
    waves: Sequence[Wave],
) -> tuple[Change, ...]:
    """The declared changes, and those to later waves.

    A declared change continues from the same `before`. Every other score that a wave asks again is compared with the
    first wave; a question of a composite counts only through it.
    """
    own = [one for one in changes if wave_of(one.after, waves) == 1]
    in_composite = {key for name in composites for key in composites[name].questions}
    found = [*changes]
    for number, _ in numbered(waves):
        scores = [key for key in (*scaled, *composites) if wave_of(key, waves) == number and key not in in_composite]
        for score in scores:
            first = first_key(score, waves)
            before = [one.before for one in own if one.after == first] or [first]
            found += [Change(before=key, after=score) for key in before]
    return tuple(dict.fromkeys(found))


def wave_problems(
    waves: Sequence[Wave],
    questions: Sequence[Question],
    flow: Flow,
    *,
    pools: Collection[str],
    by_browser: bool,
) -> Broken:
    """What is wrong with the declared waves, one sentence each.

    `by_browser`: raters are known by the cookie of their browser only.
    """
    if waves and by_browser:
        yield broken("waves", "must not be set with recruitment.platform: link, which cannot recognize raters", "link")
    own = [one.key for one in questions if one.target == "rater" and wave_of(one.key, waves) == 1]
    keys = {one.key for one in questions}
    if alone := sorted(key for key in keys if first_key(key, waves) not in keys):
        yield broken("questions", f"must not have keys that end like those of a wave ({MARK}2)", ", ".join(alone))
    before = 0
    for place, ((number, asked), wave) in enumerate(zip(_asked(questions, flow, waves), waves, strict=True), 1):
        part = f"waves.{place}"
        if wave.days <= before:
            yield broken(f"{part}.days", f"must be more than those of the wave before, {before}", wave.days)
        before = wave.days
        named = [key for page in wave.questionnaires for key in page.questions]
        if unknown := sorted(set(named) - set(own)):
            rule = f"must name questions about the rater ({or_list(own)})"
            yield broken(f"{part}.questionnaires", rule, ", ".join(unknown))
        if twice := sorted({key for key in named if named.count(key) > 1}):
            rule = "must ask each question about the rater only once"
            yield broken(f"{part}.questionnaires", rule, f"{and_list(twice)} more than once")
        if other := sorted({pool for page in wave.questionnaires for pool in page.pools} - set(pools)):
            rule = f"must name pools from design.pools ({or_list(pools)})"
            yield broken(f"{part}.questionnaires", rule, ", ".join(other))
        if not asked:
            yield broken(f"{part}.questionnaires", "must ask at least one question about the rater", f"wave {number}")
