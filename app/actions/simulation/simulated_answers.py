"""What a simulated rater thinks and answers: effects of rater, source, item and response, noise, and time to read.

It makes a study look alive and shows what a design would yield. It says nothing about people or models, and is marked
as simulated wherever it goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

from app.design.allocation.randomization import seeded
from app.design.questions.answer import CANNOT_JUDGE
from app.design.questions.form import SIDES
from app.design.questions.models import (
    CategoryQuestion,
    ChoiceQuestion,
    HighlightQuestion,
    RatingQuestion,
    SliderQuestion,
)
from app.design.questions.scale import number_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

    from app.design.questions.slot import Slot
    from app.storage.assignments.assignment_view import AssignmentView

# Standard deviations on the latent scale, where the noise of a single answer is about 1.
OF_SOURCE, OF_ITEM, OF_RESPONSE, OF_RATER, OF_DIMENSION, NOISE = 0.35, 0.3, 0.45, 0.45, 0.2, 0.7
TIE_BELOW, NEITHER_BELOW, SIDE_BIAS = 0.3, -1.0, 0.06
WORDS_A_MINUTE, MS_A_QUESTION = 230, 3500
CANNOT_JUDGE_SHARE = 0.01


def _normal(sd: float, *parts: object) -> float:
    return seeded(*parts).gauss(0, sd)


@dataclass(frozen=True, slots=True)
class Names:
    """Item keys, and key and source of each response, by id: effects hang on names, which no database changes."""

    items: Mapping[int, str]
    responses: Mapping[int, tuple[str, str]]


class Mind:
    """One rater: what they make of a response, and how that becomes answers."""

    def __init__(self, seed: int, name: str, names: Names) -> None:
        """Think up a rater."""
        self.seed, self.names = seed, names
        self.rng: Random = seeded(seed, "rater", name)
        self.leaning = self.rng.gauss(0, OF_RATER)
        self.pace = self.rng.lognormvariate(0, 0.25)

    def answer(self, view: AssignmentView, slots: Sequence[Slot]) -> tuple[dict[str, list[str]], int]:
        """A page's form, and how long the rater took, in milliseconds."""
        return self.fill(slots, view), self._time(view, len(slots))

    def fill(self, slots: Sequence[Slot], view: AssignmentView | None) -> dict[str, list[str]]:
        """A page's form: of a trial, or what the rater says about themselves where there is none."""
        form: dict[str, list[str]] = {}
        for slot in slots:
            form |= self._fill(slot, view)
        return form

    def _fill(self, slot: Slot, view: AssignmentView | None) -> dict[str, list[str]]:
        question = slot.question
        item = self.names.items[view.item_id] if view else ""
        match question:
            case RatingQuestion() | SliderQuestion():
                return {slot.name: [self._scaled(question, self._impression(slot.response_id, item, question.key))]}
            case ChoiceQuestion() if view:
                return self._choose(slot.name, question, view)
            case CategoryQuestion():
                return {slot.name: self._codes(question)}
            case HighlightQuestion():
                return {slot.name: [self._words_of(self.rng.choice(slot.passages))]}
            case _:
                return {slot.name: ["Simulated." if question.required else ""]}

    def _impression(self, response_id: int | None, item: str, dimension: str) -> float:
        """How good this rater finds a response on a dimension, in standard deviations."""
        key, source = self.names.responses.get(response_id or 0, ("", ""))
        return (
            _normal(OF_SOURCE, self.seed, "source", source)
            + _normal(OF_ITEM, self.seed, "item", item)
            + _normal(OF_RESPONSE, self.seed, "response", item, key)
            + _normal(OF_DIMENSION, self.seed, "dimension", dimension, source)
            + self.leaning
            + self.rng.gauss(0, NOISE)
        )

    def _scaled(self, question: RatingQuestion | SliderQuestion, impression: float) -> str:
        if question.cannot_judge and self.rng.random() < CANNOT_JUDGE_SHARE:
            return CANNOT_JUDGE
        place = NormalDist(0, 1.1).cdf(-impression if question.reversed else impression)
        values = question.values
        return number_text(values[min(int(place * len(values)), len(values) - 1)])

    def _choose(self, name: str, question: ChoiceQuestion, view: AssignmentView) -> dict[str, list[str]]:
        item = self.names.items[view.item_id]
        left, right = (self._impression(response, item, question.key) for response in view.response_ids)
        lead = left - right + SIDE_BIAS
        if question.neither and max(left, right) < NEITHER_BELOW:
            return {name: ["neither"]}
        if question.tie and abs(lead) < TIE_BELOW:
            return {name: ["tie"]}
        form = {name: [SIDES[lead < 0]]}
        if question.strength:
            values = question.strength.values
            form[f"{name}.strength"] = [number_text(values[min(int(abs(lead) / 0.8), len(values) - 1)])]
        return form

    def _words_of(self, passage: str) -> str:
        """A few words that stand together."""
        words = passage.split()
        first = self.rng.randrange(max(1, len(words)))
        return " ".join(words[first : first + self.rng.randint(1, 8)])

    def _codes(self, question: CategoryQuestion) -> list[str]:
        codes = list(question.codes)
        if question.correct is not None and self.rng.random() < 3 / 4:
            return [question.correct]
        if question.multiple:
            picked = [code for code in codes if self.rng.random() < 1 / 3]
            return picked or [self.rng.choice(codes)]
        return [self.rng.choice(codes)]

    def _time(self, view: AssignmentView, n_questions: int) -> int:
        texts = [view.text or "", *(response["text"] or "" for response in view.responses)]
        turns = [*(view.turns or ()), *(turn for response in view.responses for turn in response["turns"] or ())]
        n_words = sum(len(text.split()) for text in [*texts, *(turn.get("text", "") for turn in turns)])
        usual = n_words / WORDS_A_MINUTE * 60_000 + n_questions * MS_A_QUESTION
        return int(usual * self.pace * self.rng.lognormvariate(0, 0.3))
