"""A rater's path through a study: its steps in order, the current step, and the questions of each step."""

from collections.abc import Collection, Iterator, Sequence

from app.protocol.allocation.randomization import seeded
from app.protocol.flow import Eligibility, Questionnaire
from app.protocol.pages.page_slots import Shown, slots_of_rater, slots_of_trial
from app.protocol.questions.form import Answer
from app.protocol.questions.slot import Slot
from app.protocol.study import Protocol
from app.protocol.waves import at_wave, end_step, numbered, pages_of_wave, unlisted, wave_step, welcome_step

# The last step: raters who reach it have completed everything.
DONE = "done"
# From these steps on a rater may know who wrote the responses, so ratings can no longer be changed.
AFTER_RATINGS = frozenset({"debrief", DONE})


def rater_steps(protocol: Protocol, *, pool: str | None = None, condition: str = "", wave: int = 1) -> tuple[str, ...]:
    """The steps of a rater's path in one wave, in order, ending with `done`.

    Args:
        protocol: the study.
        pool: the rater's pool; some questionnaires are for certain pools only.
        condition: the rater's between-rater cell; some questions are asked in one condition only.
        wave: the first wave is the whole study, a later one has a page to begin and its questionnaires.

    Returns:
        Those of `consent`, `eligibility`, `before-1`..., `instructions`, `comprehension`, `practice`, `rating`,
        `revisit`, `after-1`..., `about`, `debrief` that the study has; always `instructions`, `rating` and `done`. The
        number of a questionnaire is its position in study.yaml; `about` asks the questions that no other part asks.
        In wave 2 they are `wave2`, `wave2-1`... and `done`.
    """
    there = _first_wave(protocol, pool) if wave == 1 else _later_wave(protocol, pool, wave)
    return tuple(
        step
        for step, part in there
        if part and (not isinstance(part, Questionnaire) or slots_of_step(protocol, step, condition=condition))
    )


def all_steps(protocol: Protocol, *, pool: str | None = None, condition: str = "") -> tuple[str, ...]:
    """The steps of all waves in order: those of the first one until `done`, of wave 2 until `wave2-done`."""
    found = [*rater_steps(protocol, pool=pool, condition=condition)]
    for number, _ in numbered(protocol.waves):
        steps = rater_steps(protocol, pool=pool, condition=condition, wave=number)
        found += [*steps[:-1], end_step(number)]
    return tuple(found)


def _later_wave(protocol: Protocol, pool: str | None, wave: int) -> list[tuple[str, object]]:
    step = welcome_step(wave)
    return [(step, True), *_questionnaires(step, _pages_of(protocol, wave), pool), (DONE, True)]


def _pages_of(protocol: Protocol, wave: int) -> tuple[Questionnaire, ...]:
    """The pages of a later wave, naming the questions as they are called there."""
    about = unlisted(protocol.questions, protocol.flow, protocol.waves)
    pages = pages_of_wave(protocol.flow, protocol.waves, wave, about)
    return tuple(
        page.model_copy(update={"questions": tuple(at_wave(key, wave) for key in page.questions)}) for page in pages
    )


def _first_wave(protocol: Protocol, pool: str | None) -> list[tuple[str, object]]:
    flow = protocol.flow
    return [
        ("consent", flow.consent),
        ("eligibility", flow.eligibility),
        *_questionnaires("before", flow.before, pool),
        ("instructions", True),
        ("comprehension", protocol.checks.comprehension),
        ("practice", flow.practice),
        ("rating", True),
        ("revisit", flow.revisit),
        *_questionnaires("after", flow.after, pool),
        ("about", _unnamed(protocol)),
        ("debrief", flow.debrief),
        (DONE, True),
    ]


def _questionnaires(
    name: str, pages: Sequence[Questionnaire], pool: str | None
) -> Iterator[tuple[str, Questionnaire | None]]:
    for number, page in enumerate(pages, start=1):
        yield f"{name}-{number}", page if not page.pools or pool in page.pools else None


def next_step(way: Sequence[str], passed: Collection[str]) -> str:
    """A rater's current step: the first one that they have not completed.

    >>> next_step(("consent", "instructions", "rating", "done"), {"consent"})
    'instructions'
    """
    return next((step for step in way[:-1] if step not in passed), way[-1])


def questionnaire_of(protocol: Protocol, step: str) -> Questionnaire | None:
    """The questions of a step about the rater; None if the step is not a page of questions."""
    flow = protocol.flow
    name, _, number = step.partition("-")
    if name in {"before", "after"}:
        pages = flow.before if name == "before" else flow.after
        return dict(enumerate(pages, start=1)).get(int(number) if number.isdecimal() else 0)
    if (later := wave_step(step)) and later.part.isdecimal():
        return dict(enumerate(_pages_of(protocol, later.wave), start=1)).get(int(later.part))
    if step == "eligibility" and flow.eligibility:
        return Questionnaire(questions=tuple(flow.eligibility.accept))
    return _unnamed(protocol) if step == "about" else None


def _unnamed(protocol: Protocol) -> Questionnaire | None:
    keys = unlisted(protocol.questions, protocol.flow, protocol.waves)
    return Questionnaire(questions=keys) if keys else None


def slots_of_step(
    protocol: Protocol, step: str, *, condition: str = "", seed: int = 0, rater: str = ""
) -> tuple[Slot, ...]:
    """The slots of a page of questions, in this rater's order.

    Args:
        protocol: the study.
        step: a step of the rater's path.
        condition: the rater's between-rater cell.
        seed: the study's seed.
        rater: the rater's key, which determines the order if the questionnaire is shuffled.
    """
    page = questionnaire_of(protocol, step)
    if page is None:
        return ()
    by_key = {slot.question.key: slot for slot in slots_of_rater(protocol, condition)}
    slots = [by_key[key] for key in page.questions if key in by_key]
    if page.shuffle:
        seeded(seed, "questionnaire", step, rater).shuffle(slots)
    return tuple(slots)


def is_eligible(eligibility: Eligibility, answers: Sequence[Answer]) -> bool:
    """Whether each eligibility question has an accepted answer."""
    given = {answer.slot.question.key: answer.slot.question.cell(answer, {}) for answer in answers}
    return all(given.get(key) in accepted for key, accepted in eligibility.accept.items())


# Revisiting: questions that are asked after the last trial, when each trial is shown once more.


def asked_at(protocol: Protocol, shown: Shown, *, is_revisit: bool) -> tuple[Slot, ...]:
    """The slots on the page of a trial: when revisiting, the questions in `flow.revisit`; before that, all others.

    Asking at once who wrote a response would reveal the purpose of the ratings.
    """
    later = frozenset(protocol.flow.revisit)
    return tuple(slot for slot in slots_of_trial(protocol, shown) if (slot.question.key in later) == is_revisit)
