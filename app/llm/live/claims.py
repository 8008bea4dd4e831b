"""Awaited turns in the database: one process at a time claims one, within the budgets, and stores its reply.

A claim lasts for some seconds and is renewed while the reply is made: that of a process that was killed passes, and
another process makes the reply. `n_tries` changes with each claim, so that a late reply of a process that has lost its
claim changes nothing.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from sqlalchemy import Connection, text

from app.base.database.process_locks import lock_until_commit
from app.llm.client.budget import prompt_tokens
from app.llm.client.servers import ModelServer
from app.llm.live.written import Turn, Written, messages_to
from app.protocol.study import Protocol
from app.protocol.writing import Partner, SafeWriting
from app.rating.conversations.turns import NO_BUDGET, partner_in
from app.studies.protocols import get_protocol

CLAIM_S = 15.0
_LOCK = "budget of replies"
# A claim that lasts longer than any was made by a clock that was ahead.
_IS_FREE = """(t.claimed_until IS NULL OR t.claimed_until <= clock_timestamp()
        OR t.claimed_until > clock_timestamp() + make_interval(secs => 2 * :seconds))"""

_GET = text("""
    SELECT t.state, t.text, a.rater_id, r.condition, s.protocol_version, p.sha256,
      coalesce(i.text, (SELECT string_agg(concat(o.turn ->> 'speaker', ': ', o.turn ->> 'text'), E'\\n'
                                   ORDER BY o.place)
                        FROM jsonb_array_elements(i.turns) WITH ORDINALITY o (turn, place))) AS item,
      encode(sha256(convert_to(concat(a.token, '-', t.number), 'UTF8')), 'hex') AS request_key,
      (SELECT jsonb_agg(jsonb_build_array(o.speaker, o.text) ORDER BY o.number) FROM conversation_turns o
       WHERE o.study_id = t.study_id AND o.assignment_id = t.assignment_id AND o.number < t.number AND o.number > 0
         AND o.state = 'said') AS turns
    FROM conversation_turns t
    JOIN assignments a ON a.study_id = t.study_id AND a.id = t.assignment_id
    JOIN rating_sessions s ON s.study_id = a.study_id AND s.id = a.rating_session_id
    JOIN protocols p ON p.study_id = s.study_id AND p.version = s.protocol_version
    JOIN trials r ON r.study_id = a.study_id AND r.id = a.trial_id
    JOIN items i ON i.study_id = r.study_id AND i.id = r.item_id
    WHERE t.study_id = :study AND t.id = :turn
""")
# What was reserved for a try whose process was killed counts as used: its server may have answered it.
_SPENT = """
    spent AS (
      SELECT
        (SELECT coalesce(sum(
           CAST(coalesce(c.tokens_reserved, 0) AS bigint) + coalesce(c.tokens_in, 0) + coalesce(c.tokens_out, 0)), 0)
         FROM conversation_turns c WHERE c.study_id = :study AND c.speaker = 'partner') AS by_study,
        (SELECT coalesce(sum(
           CAST(coalesce(c.tokens_reserved, 0) AS bigint) + coalesce(c.tokens_in, 0) + coalesce(c.tokens_out, 0)), 0)
         FROM rating_sessions s JOIN assignments a ON a.study_id = s.study_id AND a.rating_session_id = s.id
         JOIN conversation_turns c ON c.study_id = a.study_id AND c.assignment_id = a.id AND c.speaker = 'partner'
         WHERE s.study_id = :study AND s.rater_id = :rater) AS by_rater
    ), fits AS (
      SELECT by_study + :more <= :most_of_study
        AND (CAST(:most_of_rater AS bigint) IS NULL OR by_rater + :more <= :most_of_rater) AS it FROM spent
    )
"""
_CLAIM = text(f"""
    WITH {_SPENT}
    UPDATE conversation_turns t SET
      state = CASE WHEN fits.it THEN 'awaited' ELSE 'failed' END,
      problem = CASE WHEN NOT fits.it THEN :no_budget END,
      claimed_until = CASE WHEN fits.it THEN clock_timestamp() + make_interval(secs => :seconds) END,
      n_tries = t.n_tries + CAST(fits.it AS int),
      tokens_in = CASE WHEN t.tokens_reserved IS NULL THEN t.tokens_in
                  ELSE coalesce(t.tokens_in, 0) + :tokens_in END,
      tokens_out = CASE WHEN t.tokens_reserved IS NULL THEN t.tokens_out
                   ELSE coalesce(t.tokens_out, 0) + t.tokens_reserved - :tokens_in END,
      tokens_reserved = CASE WHEN fits.it THEN :more END
    FROM fits
    WHERE t.study_id = :study AND t.id = :turn AND t.state = 'awaited' AND {_IS_FREE}
    RETURNING t.state, t.n_tries
""")  # noqa: S608 - constants only
_FAIL = text("""
    UPDATE conversation_turns SET state = 'failed', problem = :problem
    WHERE study_id = :study AND id = :turn AND state = 'awaited'
""")
_SETTLE = text(f"""
    WITH {_SPENT}
    UPDATE conversation_turns t SET
      tokens_in = coalesce(t.tokens_in, 0) + :tokens_in, tokens_out = coalesce(t.tokens_out, 0) + :tokens_out
    FROM fits WHERE t.study_id = :study AND t.id = :turn AND t.state = 'awaited' AND t.n_tries = :n_tries
    RETURNING fits.it
""")  # noqa: S608 - constants only
_OWN = "t.state = 'awaited' AND t.n_tries = c.n_tries AND t.study_id = c.study_id AND t.id = c.turn_id"
_CLAIMS = """unnest(CAST(:studies AS bigint[]), CAST(:turns AS bigint[]), CAST(:tries AS int[]))
    AS c (study_id, turn_id, n_tries)"""
_RENEW = text(f"""
    UPDATE conversation_turns t SET claimed_until = clock_timestamp() + make_interval(secs => :seconds)
    FROM {_CLAIMS} WHERE {_OWN}
""")  # noqa: S608 - constants only
_RELEASE = text(f"""
    UPDATE conversation_turns t SET claimed_until = NULL,
      tokens_reserved = CASE WHEN :is_sent THEN t.tokens_reserved END
    FROM {_CLAIMS} WHERE {_OWN}
""")  # noqa: S608 - constants only
_RECORD = text("""
    UPDATE conversation_turns SET
      state = :state, text = CAST(:text AS text), said_at = CASE WHEN :state = 'said' THEN now() END,
      flags = CAST(:flags AS text[]), claimed_until = NULL, tokens_reserved = NULL, n_tries = n_tries + :more_tries,
      tokens_in = coalesce(tokens_in, 0) + :tokens_in, tokens_out = coalesce(tokens_out, 0) + :tokens_out,
      cost = (coalesce(tokens_in, 0) + :tokens_in) * CAST(:price_in AS double precision)
        + (coalesce(tokens_out, 0) + :tokens_out) * CAST(:price_out AS double precision),
      latency_ms = :latency_ms, model_version = :model_version, finish_reason = :finish_reason, problem = :problem,
      thoughts = :thoughts
    WHERE study_id = :study AND id = :turn AND state = 'awaited' AND n_tries = :n_tries RETURNING id
""")
_STATES = text(f"""
    SELECT t.study_id, t.id, t.state <> 'awaited' OR {_IS_FREE}
    FROM conversation_turns t
    JOIN unnest(CAST(:studies AS bigint[]), CAST(:turns AS bigint[])) AS c (study_id, turn_id)
      ON t.study_id = c.study_id AND t.id = c.turn_id
""")  # noqa: S608 - constants only


class Key(NamedTuple):
    """A turn."""

    study_id: int
    turn_id: int


@dataclass(frozen=True, slots=True)
class Claim:
    """An awaited turn that this process replies to. `request_key` is the same in each process; no other turn has it."""

    key: Key
    n_tries: int
    protocol: Protocol
    source: str
    partner: Partner
    bounds: SafeWriting
    server: ModelServer
    item: str
    turns: tuple[Turn, ...]
    rater_id: int
    request_key: str


@dataclass(frozen=True, slots=True)
class Over:
    """A turn that is not awaited any more, or does not exist."""

    state: str
    text: str


@dataclass(frozen=True, slots=True)
class Used:
    """What a reply took: tokens of the tries that are not settled yet, further tries, and the last one's time."""

    tokens_in: int = 0
    tokens_out: int = 0
    more_tries: int = 0
    latency_ms: int | None = None


class NoServerError(LookupError):
    """No server of the installation has the partner's model; the message says what is missing."""


def server_of(partner: Partner, servers: Sequence[ModelServer]) -> ModelServer:
    """The server of a partner.

    Raises:
        NoServerError: there is none.
    """
    if not partner.model:
        raise NoServerError("A partner has no model. Name the model that replies.")
    having = [one for one in servers if partner.server in {"", one.name} and partner.model in one.models]
    if not having:
        found = f"There is no server {partner.server} with" if partner.server else "No server of this installation has"
        raise NoServerError(
            f"{found} the model {partner.model}. Choose another model, or ask who runs this installation to add it."
        )
    return having[0]


def missing_models(protocol: Protocol, servers: Sequence[ModelServer]) -> tuple[str, ...]:
    """One sentence for each partner that no server of the installation can play."""
    found = []
    partners = protocol.writing.all_partners.values() if protocol.writing else ()
    for partner in partners:
        try:
            if partner.replies == "model":
                server_of(partner, servers)
        except NoServerError as error:
            found.append(str(error))
    return tuple(dict.fromkeys(found))


def claim(db: Connection, key: Key, servers: Sequence[ModelServer]) -> Claim | Over | None:
    """Claim an awaited turn; None if another process has.

    A turn that cannot be replied to, because its server is missing or a budget used up, fails.
    """
    row = db.execute(_GET, {"study": key.study_id, "turn": key.turn_id}).mappings().one_or_none()
    if row is None:
        return Over("failed", "")
    if row["state"] != "awaited":
        return Over(row["state"], row["text"] or "")
    protocol = get_protocol(db, key.study_id, row["protocol_version"], row["sha256"])
    source, partner = partner_in(protocol, row["condition"])
    bounds = protocol.writing
    assert bounds is not None  # noqa: S101 - `partner_in` says so
    turns = tuple((speaker, said) for speaker, said in row["turns"] or ())
    try:
        server = server_of(partner, servers)
    except NoServerError as error:
        db.execute(_FAIL, {"study": key.study_id, "turn": key.turn_id, "problem": str(error)})
        return Over("failed", "")
    made = Claim(
        key, 0, protocol, source, partner, bounds, server, row["item"] or "", turns, row["rater_id"], row["request_key"]
    )
    tokens_in = prompt_tokens(messages_to(partner, made.item, turns))
    lock_until_commit(db, _LOCK, key.study_id)
    values = _within(made, tokens_in, tokens_in + partner.reply_tokens)
    claimed = db.execute(_CLAIM, values | {"no_budget": NO_BUDGET, "seconds": CLAIM_S}).one_or_none()
    if claimed is None:
        return None
    return Over("failed", "") if claimed.state == "failed" else replace(made, n_tries=claimed.n_tries)


def settle(db: Connection, of: Claim, tokens_in: int, tokens_out: int) -> bool:
    """Count the tokens of a try that was in vain; False if the budgets do not allow for another one."""
    lock_until_commit(db, _LOCK, of.key.study_id)
    values = _within(of, tokens_in, tokens_in + tokens_out)
    values |= {"tokens_out": tokens_out, "n_tries": of.n_tries}
    fits: bool | None = db.execute(_SETTLE, values).scalar_one_or_none()
    return fits is not False  # without the claim, another process goes on


def _within(of: Claim, tokens_in: int, more: int) -> dict[str, Any]:
    """The values of a statement that takes more tokens, if the budgets of study and rater allow it."""
    most = min(of.bounds.max_tokens or of.server.max_tokens, of.server.max_tokens)
    return {
        "study": of.key.study_id,
        "turn": of.key.turn_id,
        "rater": of.rater_id,
        "most_of_study": most,
        "most_of_rater": of.bounds.max_tokens_per_rater,
        "tokens_in": tokens_in,
        "more": more,
    }


def renew(db: Connection, claims: Iterable[Claim]) -> None:
    """Let claims last for as long again, unless another process has taken them."""
    db.execute(_RENEW, _columns(claims) | {"seconds": CLAIM_S})


def release(db: Connection, of: Claim, *, is_sent: bool) -> None:
    """Let another process make the reply; `is_sent`: the server may have been asked, so that its tokens count."""
    db.execute(_RELEASE, _columns([of]) | {"is_sent": is_sent})


def _columns(claims: Iterable[Claim]) -> dict[str, Any]:
    rows = [(one.key.study_id, one.key.turn_id, one.n_tries) for one in claims]
    return dict(zip(("studies", "turns", "tries"), map(list, zip(*rows, strict=True)), strict=True))


def record(db: Connection, of: Claim, made: Written, used: Used) -> bool:
    """Store what became of a reply; False, and nothing is changed, if another process has taken the claim."""
    prices = of.server.prices
    values = {
        **asdict(made),
        **asdict(used),
        "flags": list(made.flags),
        "price_in": prices.cost(1, 0),
        "price_out": prices.cost(0, 1),
        "study": of.key.study_id,
        "turn": of.key.turn_id,
        "n_tries": of.n_tries,
    }
    return db.execute(_RECORD, values).one_or_none() is not None


def list_free(db: Connection, keys: Collection[Key]) -> set[Key]:
    """Which of these turns no process replies to: they are not awaited any more, or their claim has passed."""
    values = {"studies": [key.study_id for key in keys], "turns": [key.turn_id for key in keys], "seconds": CLAIM_S}
    awaited = {Key(study, turn) for study, turn, is_free in db.execute(_STATES, values) if not is_free}
    return {*keys} - awaited
