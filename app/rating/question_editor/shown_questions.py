"""Every question of a draft as raters see it, with the study's first texts."""

from dataclasses import dataclass

from sqlalchemy import Connection

from app.base.language.language import language_of
from app.protocol.cells import cells
from app.protocol.pages.page_slots import slots_of_rater, slots_of_trial
from app.protocol.pages.reveal import Stage
from app.protocol.study import Protocol
from app.rating.page.fields import Field, fields_of
from app.rating.page.sheet import Sheet, make_sheet
from app.rating.preview.preview import NO_TOKEN, example_trial
from app.rating.rater_path import shown_on
from app.rating.seats.assignment_view import AssignmentView

# Questions that are asked in some conditions only are looked for in the first ones.
_N_CELLS = 12
_N_OF_SET = 3


@dataclass(frozen=True, slots=True)
class ShownQuestions:
    """The rating page, and the rows of each question by its key. Questions that nothing can be shown of are missing."""

    view: AssignmentView
    sheet: Sheet
    rows: dict[str, tuple[Field, ...]]


def shown_questions(db: Connection, study_id: int, protocol: Protocol) -> ShownQuestions:
    """The questions of all conditions, and the texts of the first one."""
    language, rows, first = language_of(protocol.language), dict[str, tuple[Field, ...]](), None
    for cell in cells(protocol.conditions)[:_N_CELLS]:
        view = example_trial(db, study_id, protocol, cell.text) or _without_texts(protocol, cell.text)
        asked = Stage(), slots_of_trial(protocol, shown_on(protocol, view))
        sheet = make_sheet(protocol, view, asked=asked, wrong={})
        first = first or (view, sheet)
        for block in sheet.blocks:
            rows.setdefault(block.first.question.key, block.rows)
        for slot in slots_of_rater(protocol, cell.text):
            rows.setdefault(slot.question.key, fields_of([slot], language))
    if first is None:
        raise ValueError("a protocol has at least one condition, if only the empty one")
    return ShownQuestions(*first, rows)


def _without_texts(protocol: Protocol, condition: str) -> AssignmentView:
    """A trial with stand-ins for texts that are not there yet."""
    targets = {question.target for question in protocol.questions}
    n = _N_OF_SET if "set" in targets else 2 if "pair" in targets else 1
    texts = [{"text": f"Response {number} will be here.", "turns": None} for number in range(1, n + 1)]
    return AssignmentView(
        study_id=0,
        id=0,
        token=NO_TOKEN,
        rater_id=0,
        trial_id=0,
        position=1,
        response_ids=tuple(range(1, n + 1)),
        shown_labels=(),
        repeat=0,
        state="leased",
        n_turns_done=0,
        served_at=None,
        condition=condition,
        item_id=0,
        text="The text of your first item will be here.",
        turns=None,
        profile=None,
        content_note=None,
        responses=texts,
        answers=[],
        n_all=1,
        place=1,
        previous=None,
    )
