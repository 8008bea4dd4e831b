"""Answers of simulated raters: effects of rater, source, item and response, noise, and reading time.

The answers make a study look realistic and show what a design would yield. They contain no information about people or
models, and are marked as simulated everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.design.allocation.randomization import seeded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

    from app.design.questions.slot import Slot
    from app.storage.assignments.assignment_view import AssignmentView

# Standard deviations on the latent scale, where the noise of a single answer is about 1.
OF_SOURCE, OF_ITEM, OF_RESPONSE, OF_RATER, OF_DIMENSION, NOISE = 0.35, 0.3, 0.45, 0.45, 0.2, 0.7
WORDS_A_MINUTE, MS_A_QUESTION = 230, 3500


def _normal(sd: float, *parts: object) -> float:
    return seeded(*parts).gauss(0, sd)


@dataclass(frozen=True, slots=True)
class Names:
    """Item keys, and key and source of each response, by ID. Effects depend on these names, not on database IDs."""

    items: Mapping[int, str]
    responses: Mapping[int, tuple[str, str]]


class Mind:
    """One simulated rater: impressions of responses, and the answers that follow from them."""

    def __init__(self, seed: int, name: str, names: Names) -> None:
        """Draw the properties of a rater."""
        self.seed, self.names = seed, names
        self.rng: Random = seeded(seed, "rater", name)
        self.leaning = self.rng.gauss(0, OF_RATER)
        self.pace = self.rng.lognormvariate(0, 0.25)

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
        return int(usual * self.pace * self.rng.lognormvariate(0, 0.3))


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
