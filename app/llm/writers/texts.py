"""Texts that models wrote for items: the items they are asked about, the texts, and what people decided about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, text

from app.accounts.leads import Lead
from app.base.words import typed
from app.llm.outcomes import Decision
from app.llm.runs.runs import RunRow

_ITEMS = text("""
    SELECT i.id, i.key, i.text, i.turns, i.profile, i.attributes,
      (SELECT coalesce(r.text, (SELECT string_agg(t ->> 'text', ' ') FROM jsonb_array_elements(r.turns) t))
       FROM responses r JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
       WHERE r.study_id = i.study_id AND r.item_id = i.id AND s.key = :source
       ORDER BY r.position, r.id LIMIT 1) AS matched
    FROM items i WHERE i.study_id = :study AND i.retired_because IS NULL ORDER BY i.position, i.id
""")
_RECORD = text("""
    INSERT INTO model_texts (study_id, run_id, request_id, item_id, text, n_words, target_words)
    VALUES (:study, :run, :request, :item, :text, :n_words, :target)
    ON CONFLICT (study_id, run_id, item_id) DO NOTHING
""")
_COLUMNS = """
    t.id, t.item_id, i.key AS item, coalesce(i.text, '') AS situation, i.turns, t.text, t.n_words, t.target_words,
    t.decision, t.edited_text, t.decided_at, t.used_at, l.email AS decided_by, q.model_version, q.fingerprint, q.seed,
    q.answered_at, q.number
"""
_OF_RUN = f"""
    SELECT {_COLUMNS} FROM model_texts t
    JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
    JOIN model_requests q ON q.study_id = t.study_id AND q.id = t.request_id
    LEFT JOIN leads l ON l.id = t.lead_id
    WHERE t.study_id = :study AND t.run_id = :run
"""  # noqa: S608 - constants only
_ALL = text(f"{_OF_RUN} ORDER BY i.position, i.id LIMIT :n OFFSET :first")
_ONE = text(f"{_OF_RUN} AND t.id = :text")
_COUNTS = text("""
    SELECT count(*) AS n, count(decision) AS n_decided, count(*) FILTER (WHERE decision = 'accepted') AS n_accepted,
      count(*) FILTER (WHERE decision = 'edited') AS n_edited,
      count(*) FILTER (WHERE decision = 'rejected') AS n_rejected, count(used_at) AS n_used
    FROM model_texts WHERE study_id = :study AND run_id = :run
""")
# A text that is a response of the study stays as it was decided.
_DECIDE = text("""
    UPDATE model_texts SET decision = :decision, edited_text = :edited, lead_id = :lead, decided_at = now()
    WHERE study_id = :study AND run_id = :run AND id = :text AND used_at IS NULL RETURNING id
""")
_USED = text("UPDATE model_texts SET used_at = now() WHERE study_id = :study AND id = ANY(:texts)")


class UndecidedError(ValueError):
    """The texts cannot be decided or used in this way; the message says why."""


@dataclass(frozen=True, slots=True)
class ItemToAnswer:
    """An item that a model is asked to respond to; `matched` is the response whose length it should have."""

    id: int
    key: str
    text: str | None
    turns: list[dict[str, Any]] | None
    profile: str | None
    attributes: dict[str, str]
    matched: str | None


@dataclass(frozen=True, slots=True)
class TextRow:
    """A text that a model wrote, with its item, the decision about it, and where it comes from."""

    id: int
    item_id: int
    item: str
    situation: str
    turns: list[dict[str, Any]] | None
    text: str
    n_words: int
    target_words: int | None
    decision: Decision | None
    edited_text: str | None
    decided_at: datetime | None
    used_at: datetime | None
    decided_by: str | None
    model_version: str | None
    fingerprint: str | None
    seed: int | None
    answered_at: datetime
    number: int

    @property
    def final(self) -> str:
        """The text as it may enter the study."""
        return self.text if self.edited_text is None else self.edited_text


@dataclass(frozen=True, slots=True)
class TextCounts:
    """The texts of a run, and how many were decided and used."""

    n: int
    n_decided: int
    n_accepted: int
    n_edited: int
    n_rejected: int
    n_used: int

    @property
    def n_usable(self) -> int:
        """Texts that were accepted or edited, and are not in the study yet."""
        return self.n_accepted + self.n_edited - self.n_used


@dataclass(frozen=True, slots=True)
class NewText:
    """A text to be stored."""

    request_id: int
    item_id: int
    text: str
    n_words: int
    target_words: int | None


def list_items_to_answer(db: Connection, study_id: int, matched_source: str | None) -> list[ItemToAnswer]:
    """The items of a study that are in use."""
    rows = db.execute(_ITEMS, {"study": study_id, "source": matched_source}).mappings()
    return [ItemToAnswer(**row | {"attributes": row["attributes"] or {}}) for row in map(dict, rows)]


def record_text(db: Connection, run: RunRow, new: NewText) -> None:
    """Store a text, with the outcome of its request."""
    values: Mapping[str, Any] = {
        "study": run.study_id,
        "run": run.id,
        "request": new.request_id,
        "item": new.item_id,
        "text": new.text.replace("\x00", "�"),
        "n_words": new.n_words,
        "target": new.target_words,
    }
    db.execute(_RECORD, values)


def list_texts(db: Connection, run: RunRow, *, first: int = 0, n: int | None = None) -> list[TextRow]:
    """The texts of a run in the order of the items."""
    values = {"study": run.study_id, "run": run.id, "first": first, "n": n}
    return [TextRow(**row) for row in db.execute(_ALL, values).mappings()]


def get_text(db: Connection, run: RunRow, text_id: int) -> TextRow | None:
    """One text of a run, or None."""
    row = db.execute(_ONE, {"study": run.study_id, "run": run.id, "text": text_id}).mappings().one_or_none()
    return None if row is None else TextRow(**row)


def count_texts(db: Connection, run: RunRow) -> TextCounts:
    """How many texts of a run were written, decided and used."""
    return TextCounts(*db.execute(_COUNTS, {"study": run.study_id, "run": run.id}).one())


def decide_text(
    db: Connection, run: RunRow, row: TextRow, lead: Lead, decision: Decision, edited: str | None = None
) -> None:
    """Store what a person decided about a text. An edit that changes nothing accepts the text.

    Raises:
        UndecidedError: the edited text is empty, or the text is a response of the study already.
    """
    words = typed(edited or "")
    if decision == "edited" and not words:
        raise UndecidedError("The edited text is empty. To leave the text out, reject it.")
    if decision == "edited" and words == typed(row.text):
        decision = "accepted"
    values = {"decision": decision, "edited": words if decision == "edited" else None, "lead": lead.id}
    found = db.execute(_DECIDE, {"study": run.study_id, "run": run.id, "text": row.id, **values})
    if found.one_or_none() is None:
        raise UndecidedError("This text is already a response in the study.")


def record_texts_used(db: Connection, run: RunRow, text_ids: Sequence[int]) -> None:
    """Note that these texts are responses of the study."""
    db.execute(_USED, {"study": run.study_id, "texts": [*text_ids]})
