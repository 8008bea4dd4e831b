"""The conversations or drafts of a study for its lead: who wrote how much with whom, and which to look at."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, text

from app.protocol.dialogue import n_words
from app.protocol.study import Protocol
from app.rating.conversations.turns import partner_in

# Those to look at first, and of them the latest. A turn has a row for each of its flags; an opening is no reply, and
# the text of a draft, with number 0, no message.
_LIST = text("""
    SELECT a.id, a.rater_id, r.key AS rater, i.key AS item, t.condition, a.response_ids <> '{}' AS is_over,
           p.attributes ->> 'ended_by' AS ended_by, c.text, c.n_taken,
           CAST(p.attributes ->> 'share_of_model' AS double precision) AS share_of_model,
           c.n_messages, c.n_replies, c.began_at, c.last_at, c.flags
    FROM (
      SELECT assignment_id, count(DISTINCT number) FILTER (WHERE speaker = 'rater' AND number > 0) AS n_messages,
             count(DISTINCT number) FILTER (WHERE speaker = 'partner' AND state = 'said' AND number > 1) AS n_replies,
             count(DISTINCT number) FILTER (WHERE decision = 'taken') AS n_taken,
             max(text) FILTER (WHERE number = 0) AS text,
             min(asked_at) AS began_at, max(coalesce(said_at, asked_at)) AS last_at,
             array_remove(array_agg(DISTINCT f.flag) || array_agg(DISTINCT nullif(nullif(state, 'said'), 'awaited')),
                          NULL) AS flags
      FROM conversation_turns LEFT JOIN LATERAL unnest(flags) AS f (flag) ON true
      WHERE study_id = :study GROUP BY assignment_id
    ) AS c
    JOIN assignments a ON a.study_id = :study AND a.id = c.assignment_id
    JOIN raters r ON r.study_id = :study AND r.id = a.rater_id
    JOIN trials t ON t.study_id = :study AND t.id = a.trial_id
    JOIN items i ON i.study_id = :study AND i.id = t.item_id
    LEFT JOIN responses p ON p.study_id = :study AND p.id = a.response_ids[1]
    ORDER BY 'alert' = ANY (c.flags) DESC, cardinality(c.flags) > 0 DESC, c.last_at DESC, a.id
    LIMIT :n OFFSET :skipped
""")
_USED = text("""
    SELECT count(DISTINCT assignment_id), count(DISTINCT assignment_id) FILTER (WHERE 'alert' = ANY (flags)),
           coalesce(sum(tokens_in), 0) + coalesce(sum(tokens_out), 0), coalesce(sum(cost), 0)
    FROM conversation_turns WHERE study_id = :study
""")
# What a lead reads for a flag of a turn or a state that a reply ended in.
FLAGS = {
    "alert": "alert words",
    "withheld": "reply withheld by a filter",
    "failed": "a reply did not come",
    "leak": "the reply quotes its instructions",
    "names_source": "the reply names a model",
    "refusal": "the model refused",
    "cut_off": "reply cut off at its limit",
    "shortened": "the beginning was left out of the prompt",
    "begun_again": "reply begun again",
    "simulated": "simulated",
}
ENDED = {
    "rater": "by the rater",
    "rater_early": "by the rater, early",
    "messages": "last message",
    "time": "time over",
    "budget": "budget used up",
    "no_reply": "no reply came",
}


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation or draft. `id` is that of the assignment; `partner` is the label of the source.

    Of a draft, messages are requests for suggestions, and replies are these. `text` is its own; `share_of_model` is
    there at its end.
    """

    id: int
    rater_id: int
    rater: str
    item: str
    partner: str
    is_over: bool
    ended_by: str | None
    text: str | None
    n_taken: int
    share_of_model: float | None
    n_messages: int
    n_replies: int
    began_at: datetime
    last_at: datetime
    flags: tuple[str, ...]

    @property
    def n_words(self) -> int:
        """The words of a draft."""
        return n_words(self.text, None)

    @property
    def minutes(self) -> float:
        """Minutes from its first turn to its last."""
        return (self.last_at - self.began_at).total_seconds() / 60

    @property
    def state(self) -> str:
        """How it ended, or that it goes on."""
        return ENDED.get(self.ended_by or "", "over") if self.is_over else "goes on"

    @property
    def notes(self) -> str:
        """Its flags in words."""
        return ", ".join(FLAGS.get(flag, flag) for flag in self.flags)


class Used(NamedTuple):
    """The conversations of a study, those with alert words, and what their replies used."""

    n: int
    n_alerts: int
    n_tokens: int
    cost: float


def list_conversations(
    db: Connection, study_id: int, protocol: Protocol, *, n: int, skipped: int = 0
) -> list[ConversationRow]:
    """Conversations to look at first, then the others, the latest first."""
    labels, found = protocol.labels, []
    for row in db.execute(_LIST, {"study": study_id, "n": n, "skipped": skipped}).mappings():
        values = dict(row)
        partner = labels.source(partner_in(protocol, values.pop("condition"))[0])
        found.append(ConversationRow(**values | {"partner": partner, "flags": tuple(values["flags"])}))
    return found


def conversations_used(db: Connection, study_id: int) -> Used:
    """How many conversations there are, and what their replies used."""
    return Used(*db.execute(_USED, {"study": study_id}).one())
