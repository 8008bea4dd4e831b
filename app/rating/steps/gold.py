"""Gold trials: mixed into each rater's list, and compared with the expected answers. They only flag raters."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Row, text

from app.protocol.allocation.randomization import seeded
from app.protocol.allocation.rater_plan import declared_gold, name_of_gold
from app.protocol.allocation.trials import is_declared_as
from app.protocol.checks import score_of
from app.protocol.questions.question import Given
from app.protocol.questions.slot import Slot
from app.protocol.study import Protocol
from app.rating.seats.assignment_view import AssignmentView
from app.rating.seats.available_trials import Trial
from app.rating.sessions import RatingSession

# Gold trials: the stored ones, how they were answered, and whether a rater passed them.

_STORED = """
    SELECT t.id, i.key AS item, t.condition, t.response_ids,
           array(SELECT r.key FROM unnest(t.response_ids) WITH ORDINALITY AS o (id, place)
                 JOIN responses r ON r.study_id = t.study_id AND r.id = o.id ORDER BY o.place) AS responses,
           array(SELECT s.key FROM unnest(t.response_ids) WITH ORDINALITY AS o (id, place)
                 JOIN responses r ON r.study_id = t.study_id AND r.id = o.id
                 JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id ORDER BY o.place) AS sources
    FROM trials t JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
    WHERE t.study_id = :study AND t.purpose = 'gold'
"""
_LIST = text(f"{_STORED} AND t.condition = ANY (CAST(:conditions AS text[])) ORDER BY i.position, t.id")
_ONE = text(f"{_STORED} AND t.id = :trial")
_ANSWERS = text("""
    SELECT question, response_id, turn, number, outcome, chosen_response_id, codes, text
    FROM ratings WHERE study_id = :study AND assignment_id = :assignment
""")
# Raters can change an answer, and with it whether the check is passed; the answers themselves keep their history.
_CHANGE = text("""
    UPDATE events SET detail = CAST(:detail AS jsonb)
    WHERE study_id = :study AND rater_id = :rater AND assignment_id = :assignment AND kind = 'check' RETURNING id
""")
_RECORD = text("""
    INSERT INTO events (study_id, rater_id, assignment_id, kind, detail)
    VALUES (:study, :rater, :assignment, 'check', CAST(:detail AS jsonb))
""")

Asked = tuple[str, int | None]


@dataclass(frozen=True, slots=True)
class StoredGold:
    """A gold trial in one condition, by the keys of its item and responses."""

    trial_id: int
    item: str
    condition: str
    responses: tuple[str, ...]
    response_ids: tuple[int, ...]
    sources: tuple[str, ...]

    @property
    def trial(self) -> Trial:
        """The trial as one of a rater's list."""
        name = f"{self.item}:{':'.join(self.responses)}"
        return Trial(self.trial_id, name, self.response_ids, self.sources, self.condition)


def list_gold(db: Connection, session: RatingSession, conditions: Sequence[str]) -> list[StoredGold]:
    """The gold trials of these conditions, in the study's order."""
    return [_stored(row) for row in db.execute(_LIST, {"study": session.study_id, "conditions": list(conditions)})]


def get_gold(db: Connection, view: AssignmentView) -> StoredGold:
    """The gold trial of an assignment."""
    return _stored(db.execute(_ONE, {"study": view.study_id, "trial": view.trial_id}).one())


def list_gold_answers(db: Connection, view: AssignmentView) -> dict[Asked, dict[int | None, Given]]:
    """The answers by (question, turn), then by the ID of the response that a row is about."""
    found: dict[Asked, dict[int | None, Given]] = {}
    for row in db.execute(_ANSWERS, {"study": view.study_id, "assignment": view.id}):
        given = Given(row.number, row.outcome, row.chosen_response_id, codes=row.codes, text=row.text)
        found.setdefault((row.question, row.turn), {})[row.response_id] = given
    return found


def record_gold(db: Connection, view: AssignmentView, detail: Mapping[str, object]) -> None:
    """Store whether a gold trial is passed, according to its current answers."""
    who = {"study": view.study_id, "rater": view.rater_id, "assignment": view.id}
    values = {**who, "detail": json.dumps(detail, ensure_ascii=False)}
    if db.execute(_CHANGE, values).first() is None:
        db.execute(_RECORD, values)


def _stored(row: Row[tuple[int, str, str, list[int], list[str], list[str]]]) -> StoredGold:
    return StoredGold(
        row.id, row.item, row.condition, tuple(row.responses), tuple(row.response_ids), tuple(row.sources)
    )


def gold_for(
    db: Connection, session: RatingSession, protocol: Protocol, rater: str, conditions: Sequence[str]
) -> list[Trial]:
    """The gold trials of one rater, each in one of the rater's conditions, in the study's order."""
    if not protocol.checks.gold:
        return []
    stored = list_gold(db, session, conditions)
    chosen = set[int]()
    for number, declared in enumerate(protocol.checks.gold):
        ways = [gold.trial_id for gold in stored if is_declared_as(declared, gold.item, gold.responses)]
        if ways:
            chosen.add(seeded(session.seed, "gold", rater, number).choice(ways))
    return [gold.trial for gold in stored if gold.trial_id in chosen]


def check_gold(db: Connection, protocol: Protocol, view: AssignmentView, slots: Sequence[Slot]) -> None:
    """Record whether a completed gold trial was answered as expected.

    Args:
        db: the transaction.
        protocol: the rater's version of the protocol.
        view: the assignment of a gold trial.
        slots: all slots of the trial, at every turn.
    """
    stored = get_gold(db, view)
    declared = declared_gold(protocol, stored.item, stored.responses)
    if declared is None:
        return
    given, keys = list_gold_answers(db, view), dict(zip(stored.response_ids, stored.responses, strict=True))
    asked: dict[str, list[str]] = {}
    for slot in slots:
        asked.setdefault(slot.question.key, []).append(_cell(slot, given.get((slot.question.key, slot.turn), {}), keys))
    score = score_of(declared.expect, asked)
    record_gold(
        db,
        view,
        {
            "check": name_of_gold(protocol, declared),
            "is_passed": score.n_right == score.n_expected,
            "n_right": score.n_right,
            "n_expected": score.n_expected,
        },
    )


def _cell(slot: Slot, rows: Mapping[int | None, Given], keys: Mapping[int, str]) -> str:
    """The answer in a slot, written as in the protocol's expected answers; empty if there is none."""
    own = rows if slot.shown else {slot.response_id: rows[slot.response_id]} if slot.response_id in rows else {}
    return slot.question.cell(slot.question.from_rows(own), keys) if own else ""
