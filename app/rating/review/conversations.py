"""The conversations or drafts of a study for its lead: who wrote how much with whom, and which to look at."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, text

from app.protocol.conversation import ConversationPartner
from app.protocol.dialogue import n_words
from app.protocol.study import Protocol
from app.rating.conversations.drafts import NOT_WAITED_FOR
from app.rating.conversations.turns import NO_BUDGET, partner_in
from app.rating.sessions import NO_PARTNER

# Those to look at first, and of them the latest. A turn has a row for each of its flags; an opening is no reply, and
# the text of a draft, with number 0, no message.
_LIST = text("""
    SELECT a.id, a.rater_id, r.key AS rater, i.key AS item, t.condition,
           a.response_ids <> '{}' OR d.ended_at IS NOT NULL OR m.alone_at IS NOT NULL OR g.left_as IS NOT NULL
             AS is_over,
           CASE WHEN m.alone_at IS NOT NULL THEN 'alone' WHEN g.left_as IS NOT NULL THEN g.left_as
                WHEN m.assignment_id IS NOT NULL AND d.id IS NULL THEN 'waits'
                ELSE coalesce(d.ended_by, p.attributes ->> 'ended_by') END AS ended_by,
           c.text, coalesce(c.n_taken, 0) AS n_taken,
           CAST(p.attributes ->> 'share_of_model' AS double precision) AS share_of_model,
           coalesce(c.n_messages, 0) AS n_messages, coalesce(o.n_messages, c.n_replies, 0) AS n_replies,
           coalesce(c.began_at, d.paired_at, m.waits_since) AS began_at,
           coalesce(d.ended_at, c.last_at, m.alone_at, m.seen_at) AS last_at, coalesce(c.flags, '{}') AS flags,
           m.role, d.ended_role, d.id AS dyad_id, o.rater_id AS other_id, o.rater AS other,
           extract(epoch FROM coalesce(d.paired_at, m.alone_at, now()) - m.waits_since) AS waited_s
    FROM (
      SELECT assignment_id, count(DISTINCT number) FILTER (WHERE speaker = 'rater' AND number > 0) AS n_messages,
             count(DISTINCT number) FILTER (WHERE speaker = 'partner' AND state = 'said' AND number > 1) AS n_replies,
             count(DISTINCT number) FILTER (WHERE decision = 'taken') AS n_taken,
             max(text) FILTER (WHERE number = 0) AS text,
             min(asked_at) AS began_at, max(coalesce(said_at, asked_at)) AS last_at,
             array_remove(array_agg(DISTINCT f.flag) || array_agg(DISTINCT nullif(nullif(state, 'said'), 'awaited'))
                            FILTER (WHERE problem IS DISTINCT FROM :not_waited_for), NULL) AS flags
      FROM conversation_turns LEFT JOIN LATERAL unnest(flags) AS f (flag) ON true
      WHERE study_id = :study GROUP BY assignment_id
    ) AS c
    FULL JOIN (SELECT * FROM dyad_members WHERE study_id = :study) AS m ON m.assignment_id = c.assignment_id
    LEFT JOIN dyads d ON d.study_id = :study AND d.id = m.dyad_id
    LEFT JOIN LATERAL (
      SELECT n.rater_id, k.key AS rater, (
        SELECT count(*) FROM conversation_turns u WHERE u.study_id = :study AND u.assignment_id = n.assignment_id
      ) AS n_messages
      FROM dyad_members n JOIN raters k ON k.study_id = n.study_id AND k.id = n.rater_id
      WHERE n.study_id = :study AND n.dyad_id = m.dyad_id AND n.assignment_id <> m.assignment_id
    ) AS o ON true
    JOIN assignments a ON a.study_id = :study AND a.id = coalesce(c.assignment_id, m.assignment_id)
    CROSS JOIN LATERAL (
      SELECT CASE WHEN a.state IN ('skipped', 'returned') AND a.response_ids = '{}'
                  AND a.skip_reason IS DISTINCT FROM :no_partner THEN a.state END AS left_as
    ) AS g
    JOIN raters r ON r.study_id = :study AND r.id = a.rater_id
    JOIN trials t ON t.study_id = :study AND t.id = a.trial_id
    JOIN items i ON i.study_id = :study AND i.id = t.item_id
    LEFT JOIN responses p ON p.study_id = :study AND p.id = a.response_ids[1]
    ORDER BY max(CAST('alert' = ANY (c.flags) AS int)) OVER (PARTITION BY coalesce(d.id, -a.id)) DESC NULLS LAST,
             max(cardinality(c.flags)) OVER (PARTITION BY coalesce(d.id, -a.id)) > 0 DESC NULLS LAST,
             max(c.last_at) OVER (PARTITION BY coalesce(d.id, -a.id)) DESC NULLS LAST, d.id, a.id
    LIMIT :n OFFSET :skipped
""")
_USED = text("""
    SELECT count(DISTINCT assignment_id) + (
             SELECT count(*) FROM dyad_members m WHERE study_id = :study AND NOT EXISTS (
               SELECT FROM conversation_turns t WHERE t.study_id = :study AND t.assignment_id = m.assignment_id)),
           count(DISTINCT assignment_id) FILTER (WHERE 'alert' = ANY (flags)),
           coalesce(sum(tokens_in), 0) + coalesce(sum(tokens_out), 0), coalesce(sum(cost), 0),
           (SELECT count(*) FROM dyads WHERE study_id = :study),
           (SELECT count(*) FROM dyad_members WHERE study_id = :study AND alone_at IS NOT NULL),
           (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM d.paired_at - m.waits_since))
            FROM dyad_members m JOIN dyads d ON d.study_id = m.study_id AND d.id = m.dyad_id WHERE m.study_id = :study)
    FROM conversation_turns WHERE study_id = :study
""")
_PROBLEMS = text("""
    SELECT problem, count(*) AS n, max(asked_at) AS last_at FROM conversation_turns
    WHERE study_id = :study AND state IN ('failed', 'withheld') AND problem <> ALL(:no_fault)
    GROUP BY problem ORDER BY last_at DESC LIMIT 5
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
    "partner_left": "the partner left",
    "waits": "waits",
    "alone": "nobody came",
    "skipped": "skipped",
    "returned": "not finished",
}


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation or draft. `id` is that of the assignment; `partner` is the label of the source.

    Of a draft, messages are requests for suggestions, and replies are these. `text` is its own; `share_of_model` is
    there at its end. Two raters who write with each other have a row each: `role` and `ended_role` are labels, `other`
    is the partner, and `waited_s` how long they waited for one.
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
    role: str | None = None
    ended_role: str | None = None
    dyad_id: int | None = None
    other_id: int | None = None
    other: str | None = None
    waited_s: float | None = None

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
        if self.ended_by == "waits":
            return ENDED["waits"]
        if not self.is_over:
            return "goes on"
        words = ENDED.get(self.ended_by or "", "over")
        return words.replace("the rater", self.ended_role) if self.ended_role else words

    @property
    def notes(self) -> str:
        """Its flags in words."""
        return ", ".join(FLAGS.get(flag, flag) for flag in self.flags)


class Used(NamedTuple):
    """The conversations of a study, those with alert words, and what their replies used.

    Of raters who write with each other: pairs, raters to whom nobody came, and the median wait of the others.
    """

    n: int
    n_alerts: int
    n_tokens: int
    cost: float
    n_dyads: int = 0
    n_alone: int = 0
    waited_s: float | None = None


def list_conversations(
    db: Connection, study_id: int, protocol: Protocol, *, n: int, skipped: int = 0
) -> list[ConversationRow]:
    """Conversations to look at first, then the others, the latest first."""
    labels, found = protocol.labels, []
    page = {"study": study_id, "n": n, "skipped": skipped}
    for row in db.execute(_LIST, page | {"no_partner": NO_PARTNER, "not_waited_for": NOT_WAITED_FOR}).mappings():
        values = dict(row)
        source, partner = partner_in(protocol, values.pop("condition"))
        roles = partner.roles if isinstance(partner, ConversationPartner) else {}
        for name in ("role", "ended_role"):
            values[name] = roles[values[name]].label if values[name] in roles else values[name]
        found.append(ConversationRow(**values | {"partner": labels.source(source), "flags": tuple(values["flags"])}))
    return found


class ReplyProblem(NamedTuple):
    """Why so many replies did not come or were withheld, and when the last of them was asked for."""

    problem: str
    n: int
    last_at: datetime


def reply_problems(db: Connection, study_id: int) -> list[ReplyProblem]:
    """The latest reasons for replies that raters did not get: a lead can renew a key or raise a limit."""
    values = {"study": study_id, "no_fault": [NO_BUDGET, NOT_WAITED_FOR]}
    return [ReplyProblem(*row) for row in db.execute(_PROBLEMS, values)]


def conversations_used(db: Connection, study_id: int) -> Used:
    """How many conversations there are, and what their replies used."""
    return Used(*db.execute(_USED, {"study": study_id}).one())
