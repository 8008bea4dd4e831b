"""The texts that raters of a study wrote: which may be shown to others, and what the review of each decided."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, text

from app.protocol.study import Protocol
from app.rating.second_study.personal_data import Found, find_personal, pieces, replaced
from app.studies.creation.goals import GOALS, Goal
from app.studies.data.sql_words import n_words
from app.studies.protocols import get_protocol

# A text is left out for the first of these reasons that applies.
Reason = Literal["not_agreed", "excluded", "simulated", "loaded"]
REASONS: dict[Reason, str] = {
    "not_agreed": "did not agree that others may read it",
    "excluded": "was excluded",
    "simulated": "is simulated",
    "loaded": "agreed to nothing here: the text was loaded from a study folder, which holds no consent",
}

_VERSIONS = text("SELECT version FROM protocols WHERE study_id = :study")
_LIST = text(f"""
    SELECT p.id, p.key, i.key AS item, s.key AS source, p.turns IS NOT NULL AS is_conversation,
           (SELECT count(DISTINCT turn ->> 'speaker') > 1 FROM jsonb_array_elements(p.turns) AS turn) AS is_answered,
           coalesce(t.condition, '') AS condition, w.is_simulated, w.is_excluded, w.sha256s,
           {n_words("p")} AS n_words, v.is_shown, v.texts AS reviewed, l.email AS reviewer, v.reviewed_at
    FROM responses p
    JOIN items i ON i.study_id = p.study_id AND i.id = p.item_id
    JOIN sources s ON s.study_id = p.study_id AND s.id = p.source_id
    LEFT JOIN assignments a ON a.study_id = p.study_id AND a.rater_id = p.rater_id AND a.response_ids = ARRAY[p.id]
    LEFT JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    LEFT JOIN text_reviews v ON v.study_id = p.study_id AND v.response_id = p.id
    LEFT JOIN leads l ON l.id = v.lead_id
    LEFT JOIN dyads y ON y.study_id = p.study_id AND y.response_id = p.id
    -- Its writer; of two raters who wrote with each other, both, of whom one may have withdrawn since.
    CROSS JOIN LATERAL (
      SELECT bool_or(r.is_simulated) AS is_simulated, bool_or(coalesce(x.is_excluded, false)) AS is_excluded,
             array_agg(d.sha256) || CASE WHEN y.id IS NOT NULL AND count(*) < 2 THEN ARRAY[NULL] END AS sha256s
      FROM raters r
      LEFT JOIN LATERAL (
        SELECT is_excluded FROM rater_exclusions WHERE study_id = r.study_id AND rater_id = r.id
        ORDER BY id DESC LIMIT 1
      ) AS x ON true
      LEFT JOIN LATERAL (
        SELECT d.detail ->> 'sha256' AS sha256 FROM rating_sessions z
        JOIN steps d ON d.study_id = z.study_id AND d.rating_session_id = z.id AND d.step = 'consent'
        WHERE z.study_id = r.study_id AND z.rater_id = r.id ORDER BY d.done_at DESC LIMIT 1
      ) AS d ON true
      WHERE r.study_id = p.study_id AND (r.id = p.rater_id OR EXISTS (
        SELECT FROM dyad_members m WHERE m.study_id = y.study_id AND m.dyad_id = y.id AND m.rater_id = r.id))
    ) AS w
    WHERE p.study_id = :study AND p.rater_id IS NOT NULL ORDER BY p.id
""")  # noqa: S608 - a fixed text
_N_LOADED = text("""
    SELECT count(*) FROM responses WHERE study_id = :study AND rater_id IS NULL AND attributes ? 'written_by'
""")
# The sources of what was there to read before raters wrote, by item.
_BESIDE = text("""
    SELECT DISTINCT i.key AS item, s.key AS source FROM responses p
    JOIN items i ON i.study_id = p.study_id AND i.id = p.item_id
    JOIN sources s ON s.study_id = p.study_id AND s.id = p.source_id
    WHERE p.study_id = :study AND p.rater_id IS NULL AND NOT (p.attributes ?| ARRAY['written_by', 'written_with'])
""")
_TEXT = text("""
    SELECT coalesce(p.turns, jsonb_build_array(jsonb_build_object('speaker', '', 'text', coalesce(p.text, ''))))
    FROM responses p WHERE p.study_id = :study AND p.id = :response
""")
_DECIDE = text("""
    INSERT INTO text_reviews (study_id, response_id, is_shown, texts, lead_id)
    VALUES (:study, :response, :is_shown, CAST(:texts AS text[]), :lead)
    ON CONFLICT (study_id, response_id) DO UPDATE SET is_shown = excluded.is_shown, texts = excluded.texts,
      lead_id = excluded.lead_id, reviewed_at = now()
""")


@dataclass(frozen=True, slots=True)
class SharedText:
    """A text that may be shown to others once it is reviewed.

    `source` and `item` are keys. `reviewed` holds the texts of its turns, or its only text, as others will read them.
    `is_shown` is None before the review, and False if the text is left out. `is_answered`: a conversation whose partner
    wrote something too.
    """

    id: int
    key: str
    item: str
    source: str
    condition: str
    is_conversation: bool
    is_answered: bool
    n_words: int
    is_shown: bool | None
    reviewed: Sequence[str]
    reviewer: str | None
    reviewed_at: datetime | None


class SharedTexts(NamedTuple):
    """The texts that may be shown, and how many may not, by reason; `beside`: items and sources of other responses."""

    texts: list[SharedText]
    left_out: dict[Reason, int]
    beside: Sequence[tuple[str, str]] = ()

    @property
    def to_review(self) -> list[SharedText]:
        """Those that nobody has reviewed yet."""
        return [one for one in self.texts if one.is_shown is None]

    @property
    def shown(self) -> list[SharedText]:
        """Those that were reviewed and will be shown."""
        return [one for one in self.texts if one.is_shown]

    @property
    def n_withheld(self) -> int:
        """How many the review left out."""
        return sum(one.is_shown is False for one in self.texts)


class Passage(NamedTuple):
    """A turn for its review, or the only text: in `pieces` with the kinds that rules found, and as it is proposed."""

    speaker: str
    text: str
    pieces: list[tuple[str, str | None]]
    proposed: str


def list_shared_texts(db: Connection, study_id: int) -> SharedTexts:
    """What raters wrote and may be shown to others: they agreed, and are not excluded.

    Texts of simulated raters are taken only if nobody else wrote any.
    """
    agreed = _agreed(db, study_id)
    rows = [dict(row) for row in db.execute(_LIST, {"study": study_id}).mappings()]
    has_people = any(not row["is_simulated"] for row in rows)
    kept, left_out = list[SharedText](), dict.fromkeys(REASONS, 0)
    left_out["loaded"] = db.execute(_N_LOADED, {"study": study_id}).scalar_one()
    for row in rows:
        is_simulated, is_excluded, forms = (row.pop(name) for name in ("is_simulated", "is_excluded", "sha256s"))
        if is_simulated and has_people:
            left_out["simulated"] += 1
        elif is_excluded:
            left_out["excluded"] += 1
        elif not agreed.issuperset(forms):
            left_out["not_agreed"] += 1
        else:
            kept.append(SharedText(**row | {"reviewed": tuple(row["reviewed"] or ())}))
    beside = [tuple(row) for row in db.execute(_BESIDE, {"study": study_id})]
    return SharedTexts(kept, {reason: n for reason, n in left_out.items() if n}, beside)


def _agreed(db: Connection, study_id: int) -> set[str]:
    """The hashes of the consent forms that say that other people may read what raters write, in any version."""
    protocols = (get_protocol(db, study_id, row.version) for row in db.execute(_VERSIONS, {"study": study_id}))
    forms = (protocol.flow.consent for protocol in protocols)
    return {hashlib.sha256(form.text.encode()).hexdigest() for form in forms if form and form.shows_to_others}


def tells_others_read(protocol: Protocol) -> bool:
    """Whether the consent form says that other people may read what raters write."""
    return bool(protocol.flow.consent and protocol.flow.consent.shows_to_others)


def goals_of(shared: SharedTexts) -> list[Goal]:
    """What can be asked about the texts: about conversations as a whole, or about texts of so many sources."""
    is_dialogue = any(one.is_conversation for one in shared.texts)
    shown = [one for one in shared.texts if one.is_shown is not False]
    items = {one.item for one in shown}
    sources = {one.source for one in shown} | {source for item, source in shared.beside if item in items}
    return [goal for goal in GOALS if goal.is_dialogue == is_dialogue and not goal.misfit(max(1, len(sources)))]


def are_diaries(shared: SharedTexts) -> bool:
    """Whether nobody answered what raters wrote, so that no question about a supporter fits."""
    return all(one.is_conversation and not one.is_answered for one in shared.texts)


def why_not(shared: SharedTexts) -> str:
    """Why no study can be made of the texts yet; empty if one can."""
    if not shared.texts:
        return "There is no text that may be shown to others."
    if n := len(shared.to_review):
        return f"{n:,} {'text is' if n == 1 else 'texts are'} not reviewed yet. Review each text first."
    return "" if shared.shown else "The review left every text out."


def get_turns(db: Connection, study_id: int, response_id: int) -> list[dict[str, Any]]:
    """The turns of a text as they were written; a text without turns is one turn without a speaker."""
    turns: list[dict[str, Any]] = db.execute(_TEXT, {"study": study_id, "response": response_id}).scalar_one()
    return turns


def passages(turns: Sequence[dict[str, Any]], reviewed: Sequence[str]) -> list[Passage]:
    """A text for its review: as it was reviewed before, otherwise as the rules propose it."""
    written = [turn["text"] for turn in turns]
    found: list[list[Found]] = find_personal(written)
    proposed = list(reviewed) or [replaced(*one) for one in zip(written, found, strict=True)]
    return [
        Passage(turn["speaker"], turn["text"], list(pieces(turn["text"], marks)), words)
        for turn, marks, words in zip(turns, found, proposed, strict=True)
    ]


def record_review(
    db: Connection, study_id: int, response_id: int, texts: Sequence[str], lead_id: int, *, is_shown: bool
) -> None:
    """Store what the review of a text decided; a later review replaces an earlier one. The text itself stays.

    Args:
        db: the transaction.
        study_id: the study in which it was written.
        response_id: the text.
        texts: its turns, or its only text, as others will read them.
        lead_id: who reviewed it.
        is_shown: False if it is left out.
    """
    values = {"study": study_id, "response": response_id, "texts": list(texts), "lead": lead_id}
    db.execute(_DECIDE, values | {"is_shown": is_shown})
