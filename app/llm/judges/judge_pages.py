"""The pages that a judge sees: every trial in every condition, as raters see it, with the prompt made from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection

from app.base.language.language import ENGLISH, language_of
from app.llm.client.answers import UnparsedError, read_reply
from app.llm.client.asked import Asked, answer_format
from app.llm.client.endpoint import Message
from app.llm.client.probabilities import AnswerProbability
from app.llm.judges.judge_settings import REFERENCE, JudgeSettings
from app.llm.runs.requests import PlannedRequest
from app.protocol.allocation.randomization import seeded
from app.protocol.allocation.trials import PlannedItem, PlannedTrial, planned_trials
from app.protocol.presentation import presentation, shown_labels
from app.protocol.questions.form import Answer, read_answers
from app.protocol.questions.question import SIDES
from app.protocol.study import Protocol
from app.rating.page.fields import Field
from app.rating.page.plain_text import QUOTE, instructions_text, quoted, trial_text
from app.rating.page.sheet import Sheet, make_sheet
from app.rating.preview.preview import example_view
from app.rating.seats.assignment_view import AssignmentView
from app.rating.seats.trials import list_items
from app.studies.protocols import get_protocol

# The questions of a page as fields of a model's answer, and the answer as the form that a rater would send.

# Questions that models are not asked; the dry run and the docs name them.
NOT_ASKED = (
    "questions about the rater",
    "questions that are asked when a trial is shown again at the end",
    "comments on answers",
)


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """One field of the answer, the field of the form that it fills, and the form's value for each sign."""

    asked: Asked
    form_name: str
    values: Mapping[str, str] = field(default_factory=dict)


def questions_of(sheet: Sheet) -> tuple[PageQuestion, ...]:
    """The fields of a model's answer to a page; they are numbered like the questions of the plain text."""
    return tuple(
        question
        for number, block in enumerate(sheet.blocks, start=1)
        for one in block.rows
        for question in _questions(f"q{number}", one)
    )


def _questions(number: str, one: Field) -> Iterator[PageQuestion]:
    name = "_".join([number, *one.row_name.split()]) if not one.slot.turn else _turn_name(number, one)
    about = one.language.say(one.about) if one.about else ""
    words = f"question {number[1:]}{f', {about}' if about else ''}"
    for part in one.question.reply_fields(one.display):
        asked = Asked(f"{name}{part.name}", f"{words}{part.about}", part.reply, tuple(part.values), part.is_required)
        yield PageQuestion(asked, f"{one.name}{part.part}", part.values)


def _turn_name(number: str, one: Field) -> str:
    row = one.row_name.split()
    letters = row[:1] if len(row) > 1 else []
    return "_".join([number, *letters, "turn", str(one.slot.turn)])


def answers_of(sheet: Sheet, questions: Sequence[PageQuestion], text: str, shown: Sequence[int]) -> tuple[Answer, ...]:
    """What a model answered, checked like the form of a rater.

    Args:
        sheet: the page.
        questions: from `questions_of`.
        text: what the model wrote.
        shown: the IDs of the responses as shown, left first.

    Raises:
        UnparsedError: it is no answer to all required questions.
    """
    found = read_reply(text, [one.asked for one in questions])
    form = {one.form_name: _form_values(one, found[one.asked.name]) for one in questions if one.asked.name in found}
    answers = read_answers([one.slot for one in sheet.fields], form, shown)
    if answers.wrong:
        names = {one.form_name.partition(".")[0]: one.asked.name for one in reversed(questions)}
        raise UnparsedError(
            " ".join(f"The field {names[slot]}: {ENGLISH.say(words)}" for slot, words in answers.wrong.items())
        )
    # An empty text is no answer.
    return tuple(answer for answer in answers.given if answer.text != "")


def probabilities_by_slot(
    questions: Sequence[PageQuestion], found: Mapping[str, AnswerProbability], keys: Mapping[str, str]
) -> dict[str, dict[str, float]]:
    """The probability of each allowed answer as written in ratings.csv, or only of the one given, by slot.

    Args:
        questions: from `questions_of`; of a choice with its strength, the choice counts.
        found: the probabilities of a reply, by field.
        keys: the ID of the response on each side.
    """
    by_slot = {}
    for one in questions:
        probability = found.get(one.asked.name)
        if probability is None or one.asked.kind != "one_of" or one.form_name.endswith(".strength"):
            continue
        by_sign = probability.allowed or {probability.sign or "": probability.given}
        by_value = {one.values[sign]: p for sign, p in by_sign.items() if sign in one.values}
        by_slot[one.form_name] = {keys.get(value, value): round(p, 6) for value, p in by_value.items()}
    return {slot: probabilities for slot, probabilities in by_slot.items() if probabilities}


def _form_values(one: PageQuestion, given: Sequence[str]) -> list[str]:
    if one.asked.kind == "passages":
        lines = [line.removeprefix(QUOTE).strip() for passage in given for line in passage.splitlines()]
        return ["\n".join(line for line in lines if line)]
    return [one.values.get(sign, sign) for sign in given] or [""]


_PAIR = 2


@dataclass(frozen=True, slots=True)
class JudgePage:
    """One page, with the questions that a model is asked on it, and the attributes of its item."""

    view: AssignmentView
    sheet: Sheet
    questions: tuple[PageQuestion, ...]
    attributes: Mapping[str, str] = field(default_factory=dict)

    def prompt(self, protocol: Protocol, settings: JudgeSettings) -> list[Message]:
        """The prompt: persona and profile, what a rater reads before and on the page, then how to answer in JSON."""
        language = language_of(protocol.language)
        parts = (settings.before, instructions_text(protocol, language), settings.after)
        system = "\n\n".join(part for part in parts if part)
        page = [trial_text(self.sheet, self.view, language)]
        if settings.reference:
            page += [REFERENCE, "\n".join(quoted(self.attributes.get(settings.reference, "")))]
        asked = answer_format(settings.fields([one.asked for one in self.questions]))
        return [{"role": "system", "content": system}, {"role": "user", "content": "\n\n".join([*page, asked])}]


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
        item = next(one for one in self.items if one.item_id == planned.item_id)
        return JudgePage(view, sheet, questions_of(sheet), item.attributes)

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
            # The same for both sides, so that they differ in nothing but the side.
            seed=None if settings.seed is None else settings.seed + order.n_again,
        )
        for number, (trial, order, stage) in enumerate(_showings(db, study, settings), start=1)
    ]


def _showings(
    db: Connection, study: JudgedStudy, settings: JudgeSettings
) -> Iterator[tuple[PlannedTrial, _Order, int]]:
    """Each trial with the order of its responses and the number of turns done, as often as it is shown."""
    sources = set(study.protocol.sources)
    planned = planned_trials(study.protocol, study.items)
    trials = [
        trial
        for trial in planned
        if {response.source for response in trial.responses} <= sources
        and (not settings.anchors or trial.item.attributes.get(settings.anchors))
    ]
    stages = [[*_stages(db, study, trial)] for trial in trials]
    for repeat in range(settings.repeats):
        for is_swapped in (False, True) if settings.both_sides else (False,):
            for trial, own in zip(trials, stages, strict=True):
                order = _order(study.protocol, trial, settings, repeat, is_swapped=is_swapped)
                if order is not None:
                    yield from ((trial, order, stage) for stage in own)


@dataclass(frozen=True, slots=True)
class _Order:
    """The order of the responses in one showing of a trial, its number, and its number on this side, from 0."""

    response_ids: tuple[int, ...]
    repeat: int
    n_again: int


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
    return _Order(tuple(ids), repeat * n_sides + is_swapped, repeat)


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
