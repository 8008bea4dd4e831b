"""How long a rater's trials take, for the page before the first one; and a whole study, for those who plan it."""

import math

from sqlalchemy import Connection, text

from app.protocol.allocation.trials import kind_of_trials
from app.protocol.questions.registry import AnyQuestion
from app.protocol.study import Protocol
from app.protocol.waves import wave_of
from app.studies.data.sql_words import n_words

# Silent reading of English non-fiction (Brysbaert 2019), and a usual time per answer in web surveys.
WORDS_PER_MINUTE, SECONDS_PER_ANSWER = 238, 7.5
# To write a message of about 30 words and read its reply.
MINUTES_PER_MESSAGE = 1.25
# To compose a text at a keyboard (Karat et al. 1999).
WORDS_WRITTEN_PER_MINUTE = 19
# From this many minutes on, they are rounded to multiples of five.
_LONG, _STEP = 10, 5
# The words and responses of the first items stand for all of them, so that a draft can be planned.
_TEXTS = text(f"""
    SELECT {n_words("i")} AS words, count(r.id) AS n, coalesce(avg({n_words("r")}), 0) AS words_each
    FROM (SELECT * FROM items WHERE study_id = :study ORDER BY position LIMIT 50) AS i
    LEFT JOIN responses r ON r.study_id = i.study_id AND r.item_id = i.id GROUP BY i.id, i.text, i.turns
""")  # noqa: S608 - constants only


def expected_minutes(db: Connection, study_id: int, protocol: Protocol, n_trials: int) -> int:
    """The time to read and rate so many trials, at least a minute; the study need not have any yet."""
    return rounded(n_trials * minutes_per_trial(db, study_id, protocol))


def planned_minutes(db: Connection, study_id: int, protocol: Protocol, n_trials: int) -> int:
    """The time from the consent form to the end, with so many trials."""
    return rounded(n_trials * minutes_per_trial(db, study_id, protocol) + other_minutes(protocol))


def other_minutes(protocol: Protocol) -> float:
    """The time of a rater beside the trials: the consent form, the instructions, and the questions about the rater."""
    consent = protocol.flow.consent.text if protocol.flow.consent else ""
    asked = (one.key for one in protocol.questions if one.target == "rater")
    n_asked = sum(wave_of(key, protocol.waves) == 1 for key in asked)
    read = len(f"{consent} {protocol.instructions}".split()) / WORDS_PER_MINUTE
    return read + n_asked * SECONDS_PER_ANSWER / 60


def minutes_per_trial(db: Connection, study_id: int, protocol: Protocol) -> float:
    """The time to read and rate a trial."""
    items = db.execute(_TEXTS, {"study": study_id}).all()
    kind, n_items = kind_of_trials(protocol, [item.n for item in items]), max(1, len(items))
    shown = [min(item.n, {"single": 1, "pairs": 2, "conversation": 0, "draft": 0}.get(kind, item.n)) for item in items]
    words: float = sum(item.words + n * float(item.words_each) for item, n in zip(items, shown, strict=True)) / n_items
    # what raters write themselves is not there to read, and is rated like a response
    n_rated: float = 1 if protocol.writing else sum(shown) / n_items
    n_answers = sum(_n_answers(one, protocol, n_rated) for one in protocol.questions if one.target != "rater")
    before = writing_minutes(protocol) + waiting_minutes(protocol)
    return words / WORDS_PER_MINUTE + n_answers * SECONDS_PER_ANSWER / 60 + before


def _n_answers(question: AnyQuestion, protocol: Protocol, n_rated: float) -> float:
    """How often a trial asks a question; about turns of a conversation, as often as messages are asked for."""
    if question.target == "response":
        return n_rated
    if question.target == "turn" and protocol.conversation:
        return protocol.conversation.min_messages * (2 if question.turns == "all" else 1)
    return 1


def writing_minutes(protocol: Protocol) -> float:
    """The time to write what raters are asked for: messages, with the replies to them, or the words of a text."""
    if protocol.conversation:
        usual, most = protocol.conversation.min_messages * MINUTES_PER_MESSAGE, protocol.conversation.minutes
    elif protocol.draft:
        usual, most = protocol.draft.min_words / WORDS_WRITTEN_PER_MINUTE, protocol.draft.minutes
    else:
        return 0.0
    return usual if most is None else min(usual, most)


def waiting_minutes(protocol: Protocol) -> float:
    """How long a rater waits for another one at most, which is paid as the rest: nobody can say how soon one comes."""
    partners = protocol.conversation.partners.values() if protocol.conversation else ()
    return max((partner.wait_minutes for partner in partners if partner.is_person), default=0.0)


def rounded(minutes: float) -> int:
    """Minutes as they are said: whole ones, and multiples of five from ten on."""
    return max(1, math.ceil(minutes)) if minutes < _LONG else _STEP * round(minutes / _STEP)
