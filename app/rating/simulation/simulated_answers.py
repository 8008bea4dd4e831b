"""Answers of simulated raters: effects of rater, source, item and response, noise, and reading time.

The answers make a study look realistic and show what a design would yield. They contain no information about people or
models, and are marked as simulated everywhere.
"""

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from random import Random

from sqlalchemy import Connection

from app.protocol.allocation.randomization import seeded
from app.protocol.allocation.rater_plan import declared_gold
from app.protocol.checks import slot_of_check
from app.protocol.pages.shown_questions import ASKED
from app.protocol.questions.form import Answers
from app.protocol.questions.slot import Slot
from app.protocol.rating_columns import GOLD
from app.protocol.study import Protocol
from app.protocol.waves import is_welcome
from app.rating.arrival.consent import agree
from app.rating.rater_path import begin_rating, begin_wave, protocol_of, slots_of
from app.rating.seats.assignment_view import AssignmentView
from app.rating.sessions import RatingSession
from app.rating.steps.attention import attention_now, submit_attention
from app.rating.steps.comprehension import comprehension_now, submit_comprehension
from app.rating.steps.practice import next_practice, practice_page, submit_practice
from app.rating.steps.questionnaires import pass_debrief, questions_of, submit_questions

Fill = Callable[[Sequence[Slot], AssignmentView | None], dict[str, list[str]]]


# Standard deviations on the latent scale, where the noise of a single answer is about 1.
OF_SOURCE, OF_ITEM, OF_RESPONSE, OF_RATER, OF_DIMENSION, NOISE = 0.35, 0.3, 0.45, 0.45, 0.2, 0.7
WORDS_A_MINUTE, MS_A_QUESTION = 230, 3500


def _normal(sd: float, *parts: object) -> float:
    return seeded(*parts).gauss(0, sd)


@dataclass(frozen=True, slots=True)
class Names:
    """Item keys, and key and source of each response, by ID. Effects depend on these names, not on database IDs."""

    items: Mapping[int, str]
    responses: MutableMapping[int, tuple[str, str]]


class Mind:
    """One simulated rater: impressions of responses, and the answers that follow from them."""

    def __init__(self, seed: int, name: str, names: Names) -> None:
        """Draw the properties of a rater."""
        self.seed, self.name, self.names = seed, name, names
        self.rng: Random = seeded(seed, "rater", name)
        self.leaning = self.rng.gauss(0, OF_RATER)
        self.speed = self.rng.lognormvariate(0, 0.25)

    def answer(self, view: AssignmentView, slots: Sequence[Slot]) -> tuple[dict[str, list[str]], int]:
        """The form data of a page, and how long the rater took, in milliseconds."""
        return self.fill(slots, view), self._time(view, len(slots))

    def fill(self, slots: Sequence[Slot], view: AssignmentView | None) -> dict[str, list[str]]:
        """The form data of a page: of a trial, or of questions about the rater if `view` is None."""
        page = _Page(self, self.names.items[view.item_id] if view else "")
        form: dict[str, list[str]] = {}
        for slot in slots:
            form |= slot.question.simulate(slot.blank(view.response_ids if view else ()), page)
        return form

    def impression(self, response_id: int | None, item: str, dimension: str) -> float:
        """The rater's impression of a response on a dimension, in standard deviations."""
        key, source = self.names.responses.get(response_id or 0, ("", ""))
        return (
            _normal(OF_SOURCE, self.seed, "source", source)
            + _normal(OF_ITEM, self.seed, "item", item)
            + _normal(OF_RESPONSE, self.seed, "response", item, key)
            + _normal(OF_DIMENSION, self.seed, "dimension", dimension, source)
            + self.leaning
            + self.rng.gauss(0, NOISE)
        )

    def _time(self, view: AssignmentView, n_questions: int) -> int:
        texts = [view.text or "", *(response["text"] or "" for response in view.responses)]
        turns = [*(view.turns or ()), *(turn for response in view.responses for turn in response["turns"] or ())]
        n_words = sum(len(text.split()) for text in [*texts, *(turn.get("text", "") for turn in turns)])
        usual = n_words / WORDS_A_MINUTE * 60_000 + n_questions * MS_A_QUESTION
        return int(usual * self.speed * self.rng.lognormvariate(0, 0.3))


@dataclass(frozen=True, slots=True)
class _Page:
    """The rater on the page of one item, as `SimulatedRater`."""

    mind: Mind
    item: str

    @property
    def rng(self) -> Random:
        return self.mind.rng

    def impression(self, response_id: int | None, dimension: str) -> float:
        return self.mind.impression(response_id, self.item, dimension)


# Answers of simulated raters where an answer is expected: in practice, gold trials and checks.

# Proportion of gold trials that a simulated rater answers like any other trial.
CARELESS_SHARE = 0.05


def gold_form(
    protocol: Protocol, slots: Sequence[Slot], view: AssignmentView, names: Names, rng: Random
) -> dict[str, list[str]]:
    """The form data with the expected answers of a gold trial, except for careless answers; empty for other trials."""
    if view.purpose != GOLD:
        return {}
    keys = {response_id: names.responses[response_id][0] for response_id in view.response_ids}
    gold = declared_gold(protocol, names.items[view.item_id], keys.values())
    is_careless = rng.random() < CARELESS_SHARE
    return {} if gold is None or is_careless else expected_form(gold.expect, slots, view, keys)


def expected_form(
    expect: Mapping[str, Sequence[str]], slots: Sequence[Slot], view: AssignmentView, keys: Mapping[int, str]
) -> dict[str, list[str]]:
    """The form data with the first accepted answer in each slot for which one is expected.

    Args:
        expect: accepted answers by question, as written in ratings.csv.
        slots: the slots of the page.
        view: the content of the page.
        keys: the keys of the responses, by ID.
    """
    shown = [keys[response_id] for response_id in view.response_ids]
    form: dict[str, list[str]] = {}
    for slot in slots:
        value = next(iter(expect.get(slot.question.key, ())), None)
        if value is not None:
            form |= slot.question.form_of(value, slot.name, shown)
    return form


# Steps other than trials, answered as an eligible, attentive person would.


def pass_step(db: Connection, session: RatingSession, step: str, fill: Fill) -> None:
    """Complete one step.

    Args:
        db: the transaction.
        session: the rater's rating session, whose current step this is.
        step: a step in `protocol.pages.steps` other than `rating`.
        fill: returns the form data for a page of questions, given the trial if it is one.

    Raises:
        RuntimeError: the answers were rejected.
    """
    if step == "consent":
        agree(db, session)
    elif step == "instructions":
        begin_rating(db, session)
    elif step == "debrief":
        pass_debrief(db, session)
    elif is_welcome(step):
        begin_wave(db, session)
    elif step == "attention":
        _answer_attention_check(db, session)
    elif step == "comprehension":
        _answer_comprehension_check(db, session)
    elif step == "practice":
        _answer_practice_trial(db, session, fill)
    else:
        _answer(db, session, step, fill)


def _answer_attention_check(db: Connection, session: RatingSession) -> None:
    check = attention_now(db, session, protocol_of(db, session))
    if check:
        form = {slot_of_check(check).name: [check.correct]}
        _demand("attention", submit_attention(db, session, check, form))


def _answer_comprehension_check(db: Connection, session: RatingSession) -> None:
    now = comprehension_now(db, session)
    form = {slot.name: [check.correct] for slot, check in zip(now.slots, now.open, strict=True)}
    _demand("comprehension", submit_comprehension(db, session, now, form))


def _answer_practice_trial(db: Connection, session: RatingSession, fill: Fill) -> None:
    page = practice_page(db, session, next_practice(db, session))
    slots = slots_of(protocol_of(db, session), page.view)
    form = fill(slots, page.view) | expected_form(page.declared.expect, slots, page.view, page.keys)
    _demand("practice", submit_practice(db, session, page, form))


def _answer(db: Connection, session: RatingSession, step: str, fill: Fill) -> None:
    slots = questions_of(db, session, step)
    form = fill(slots, None) | {ASKED: [slot.name for slot in slots]}
    eligibility = protocol_of(db, session).flow.eligibility
    if step == "eligibility" and eligibility:
        form |= {slot.name: list(eligibility.accept[slot.question.key][:1]) for slot in slots}
    _demand(step, submit_questions(db, session, step, form))


def _demand(step: str, answers: Answers) -> None:
    if answers.wrong:
        raise RuntimeError(f"answers to {step} were refused: {answers.wrong}")
