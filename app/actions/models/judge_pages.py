"""The pages that a judge sees: every trial in every condition, as raters see it, with the prompt made from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.actions.models.page_questions import PageQuestion, questions_of
from app.actions.trial_page.plain_text import instructions_text, trial_text
from app.actions.trial_page.sheet import Sheet, make_sheet
from app.design.allocation.randomization import seeded
from app.design.allocation.trial_plan import planned_trials
from app.design.presentation import presentation, shown_labels
from app.design.questions.question import SIDES
from app.language.language import language_of
from app.models.asked import answer_format
from app.storage.assignments.trials import list_items
from app.storage.model_runs.requests import PlannedRequest
from app.storage.studies.example_texts import example_view
from app.storage.studies.protocols import get_protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from app.actions.models.judge_settings import JudgeSettings
    from app.design.allocation.trial_plan import PlannedTrial
    from app.design.allocation.trials import PlannedItem
    from app.design.protocol.study import Protocol
    from app.models.endpoint import Message
    from app.storage.assignments.assignment_view import AssignmentView

_PAIR = 2


@dataclass(frozen=True, slots=True)
class JudgePage:
    """One page, with the questions that a model is asked on it."""

    view: AssignmentView
    sheet: Sheet
    questions: tuple[PageQuestion, ...]

    def prompt(self, protocol: Protocol, before: str = "") -> list[Message]:
        """The prompt: persona and profile, what a rater reads before and on the page, then how to answer in JSON."""
        language = language_of(protocol.language)
        system = "\n\n".join(part for part in (before, instructions_text(protocol, language)) if part)
        page = trial_text(self.sheet, self.view, language)
        asked = answer_format([one.asked for one in self.questions])
        return [{"role": "system", "content": system}, {"role": "user", "content": f"{page}\n\n{asked}"}]


@dataclass(frozen=True, slots=True)
class JudgedStudy:
    """The version of a study that is judged. `sources`: the source of each response, by its ID."""

    id: int
    protocol: Protocol
    items: Sequence[PlannedItem]
    sources: Mapping[int, str]

    def page(self, db: Connection, planned: PlannedRequest) -> JudgePage:
        """The page of a request."""
        shown = [self.sources[one] for one in planned.response_ids]
        view = example_view(
            db,
            self.id,
            item_id=planned.item_id,
            response_ids=planned.response_ids,
            condition=planned.condition,
            shown_labels=shown_labels(self.protocol, planned.condition, shown),
        )
        view = replace(view, repeat=planned.repeat, n_turns_done=planned.n_turns_done)
        sheet = make_sheet(self.protocol, view, wrong={})
        return JudgePage(view, sheet, questions_of(sheet))

    def keys_by_side(self, view: AssignmentView) -> dict[str, str]:
        """The ID of the response on each side of a page with two responses."""
        keys = {one.response_id: one.key for item in self.items for one in item.responses}
        shown = [keys[response] for response in view.response_ids]
        return dict(zip(SIDES, shown, strict=True)) if len(shown) == _PAIR else {}


def judged_study(db: Connection, study_id: int, version: int) -> JudgedStudy:
    """The study with its items, read once."""
    items = list_items(db, study_id)
    sources = {one.response_id: one.source for item in items for one in item.responses}
    return JudgedStudy(study_id, get_protocol(db, study_id, version), items, sources)


def planned_requests(db: Connection, study: JudgedStudy, settings: JudgeSettings) -> list[PlannedRequest]:
    """Every request of a judge: first all trials once, then on their other sides, then again."""
    return [
        PlannedRequest(
            number=number,
            item_id=trial.item.item_id or 0,
            response_ids=order.response_ids,
            condition=trial.cell.text,
            repeat=order.repeat,
            n_turns_done=stage,
            seed=None if settings.seed is None else settings.seed + order.repeat,
        )
        for number, (trial, order, stage) in enumerate(_showings(db, study, settings), start=1)
    ]


def _showings(
    db: Connection, study: JudgedStudy, settings: JudgeSettings
) -> Iterator[tuple[PlannedTrial, _Order, int]]:
    """Each trial with the order of its responses and the number of turns done, as often as it is shown."""
    sources = set(study.protocol.sources)
    planned = planned_trials(study.protocol, study.items)
    trials = [trial for trial in planned if {response.source for response in trial.responses} <= sources]
    stages = [[*_stages(db, study, trial)] for trial in trials]
    for repeat in range(settings.repeats):
        for is_swapped in (False, True) if settings.both_sides else (False,):
            for trial, own in zip(trials, stages, strict=True):
                order = _order(study.protocol, trial, settings, repeat, is_swapped=is_swapped)
                if order is not None:
                    yield from ((trial, order, stage) for stage in own)


@dataclass(frozen=True, slots=True)
class _Order:
    """The order of the responses in one showing of a trial, and the number of the showing, from 0."""

    response_ids: tuple[int, ...]
    repeat: int


def _order(
    protocol: Protocol, trial: PlannedTrial, settings: JudgeSettings, repeat: int, *, is_swapped: bool
) -> _Order | None:
    """The order of a showing; None if the trial has no sides to swap.

    The first side is random but the same in each repeat, so that repeats differ in nothing but the model's sampling.
    """
    ids = [response.response_id for response in trial.responses]
    has_sides = len(ids) == _PAIR
    if is_swapped and not has_sides:
        return None
    keys = [trial.item.key, *(response.key for response in trial.responses), trial.cell.text]
    seeded(protocol.design.seed, "judge", *keys).shuffle(ids)
    if is_swapped:
        ids.reverse()
    n_sides = 2 if settings.both_sides and has_sides else 1
    return _Order(tuple(ids), repeat * n_sides + is_swapped)


def _stages(db: Connection, study: JudgedStudy, trial: PlannedTrial) -> Iterator[int]:
    """The numbers of turns done at which the page of a trial asks something."""
    ids = tuple(response.response_id for response in trial.responses)
    first = PlannedRequest(0, trial.item.item_id or 0, ids, trial.cell.text, 0, 0, None)
    page = study.page(db, first)
    n_turns = max((len(response["turns"] or ()) for response in page.view.responses), default=0)
    n_turns = n_turns or len(page.view.turns or ())
    is_by_turn = presentation(study.protocol, trial.cell.text).turn_by_turn
    for stage in range(n_turns + 1) if is_by_turn else (0,):
        if study.page(db, replace(first, n_turns_done=stage)).questions:
            yield stage
