"""Fault test of what raters write, with a model or with each other, while parts are killed in the middle of turns.

Run: python -m benchmarks.fault_writing [--kills 28] [--raters 16] [--write benchmarks/results/fault-writing.md]

As `benchmarks.faults`, with a model that takes some seconds for a reply and is killed too. At the end, each
acknowledged message, text and decision must be in the database once and unchanged, each awaited reply there once, and
the budget must have counted what the model was asked. The exit code is 1 if not.
"""

import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import cycle, islice
from pathlib import Path

from sqlalchemy import Connection, RowMapping, create_engine, text

from app.llm.client.budget import prompt_tokens
from app.rating.life_cycle import open_study
from benchmarks.fault_pair import FaultPairMember
from benchmarks.fault_writer import FaultWriter, Writing
from benchmarks.faults import (
    PATIENCE_SECONDS,
    given_of,
    kill_while_raters_work,
    open_database,
    small_place,
    table,
    tell,
)
from benchmarks.slow_model import TOKENS_IN, TOKENS_OUT, WORDS, ModelProcess, servers_file
from tests.kit.builder import EMPATHY, build_study, protocol_of
from tests.kit.dyads import PERSON
from tests.kit.postgres_fixture import reachable_folder

SLUGS = ("talk", "beside", "pair", "pair", "talk", "inserted", "pair", "pair")
SOURCES = {"talk": "model", "pair": "human"}
PERSON_WAITS = {"wait_minutes": 0.5, "silence_minutes": 0.2, "when_alone": "next"}
MODEL, MODEL_S, AWAY_S, REPLY_TOKENS = "model", 2.0, 3.0, 100
PROMPT = "You are a warm listener. Answer briefly, and ask at most one question."
CONSENT = {
    "version": "1",
    "text": "A language model or another participant reads what you write.",
    "sends_to_model": True,
    "sends_to_rater": True,
}
# Messages to another rater are counted by their writer, as in the form.
_TURNS = text("""
    SELECT a.token::text AS token, t.speaker,
           CASE WHEN t.dyad_id IS NULL THEN t.number
           ELSE row_number() OVER (PARTITION BY t.study_id, t.assignment_id ORDER BY t.number) END AS number,
           t.state, t.text, t.decision, t.problem, t.n_tries,
           coalesce(t.tokens_in, 0) + coalesce(t.tokens_out, 0) AS counted, t.tokens_reserved,
           encode(sha256(convert_to(concat(a.token, '-', t.number), 'UTF8')), 'hex') AS request_key
    FROM conversation_turns t JOIN assignments a ON a.study_id = t.study_id AND a.id = t.assignment_id
""")
_ENDED = text("""
    SELECT a.token::text, coalesce(p.text, (SELECT string_agg(o.turn ->> 'text', E'\\n' ORDER BY o.place)
             FROM jsonb_array_elements(p.turns) WITH ORDINALITY o (turn, place)))
    FROM assignments a JOIN responses p ON p.study_id = a.study_id AND p.id = a.response_ids[1]
""")
# Two raters whose conversation became two responses, or has a number twice.
_SPLIT = text("""
    SELECT (SELECT count(*) FROM (
        SELECT FROM dyad_members m JOIN assignments a ON a.study_id = m.study_id AND a.id = m.assignment_id
        WHERE m.dyad_id IS NOT NULL AND a.response_ids <> '{}'
        GROUP BY m.study_id, m.dyad_id HAVING count(DISTINCT a.response_ids) > 1) AS responses)
      + (SELECT count(*) FROM (
        SELECT FROM conversation_turns WHERE dyad_id IS NOT NULL
        GROUP BY study_id, dyad_id, number HAVING count(*) > 1) AS numbers)
""")
INTRODUCTION = """# Conversations, drafts and pairs while servers and the model are killed

A quarter of the raters have conversations with a model, a quarter write drafts with suggestions beside their text or in
its place, and half write with each other, while parts are killed with SIGKILL or cut off as in [faults](faults.md). The
model streams each reply over two seconds, so that every kill is in the middle of many turns; *model* kills it too, and
it stays away for three seconds. Raters send again what was not acknowledged, and three of ten requests arrive once more
later. The time is from a kill until each rater who writes with the model has heard a reply to something that was
written after it, and each other one has read their page: at least the time of a reply, and up to fifteen seconds until
the claim of a killed process has passed.

Of two raters, each writes in turn and listens to the other. Some end early, and some close the page for good: the other
one must be told, as must who waits and to whom nobody comes.

At the end, everything acknowledged is looked up: *lost* is not in the database, *altered* differs, *doubled* is there
twice, or two raters have two transcripts of their conversation, *unanswered* are awaited replies that are not there,
*refused* are requests that were refused although nothing was wrong with them, *uncounted* are replies for which the
budget counted fewer tokens than the model was paid for, *overcounted* those that count tokens for more requests than
there were tries, and *asked under another key* are requests that a provider could not tell from a new one. *Stuck* are
raters who could not finish, or to whom nobody said for five minutes what became of their partner.

A reply that was broken off by a kill is asked for again under the same key, and what may have been used for it counts
too. The model *answers twice* where its first answer cannot be stored while the claim of a process lasts, as when the
database is away or its clock jumps. Which kill led to each is not recorded.

Created by `python -m benchmarks.fault_writing --write benchmarks/results/fault-writing.md`. A short run of it is
part of `make slow`.

"""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The numbers of errors of each kind; all are 0 if nothing is wrong."""

    lost: int
    altered: int
    doubled: int
    unanswered: int
    refused: int
    uncounted: int
    overcounted: int
    asked_under_another_key: int
    stuck: int

    @property
    def is_clean(self) -> bool:
        """Whether nothing acknowledged is lost, and each turn is stored and counted once."""
        return not any(asdict(self).values())


@dataclass(frozen=True, slots=True)
class Run:
    """The outcome of a run.

    `n_again`: requests that were sent again; `n_twice`: replies that the model made twice; `told`: what those raters
    were told who write with each other.
    """

    verdict: Verdict
    n_raters: int
    n_messages: int
    n_drafts: int
    n_decisions: int
    n_replies: int
    n_again: int
    n_twice: int
    n_copies: int
    told: Counter[str]
    recovery_s: Mapping[str, Sequence[float]]


def make_studies(db: Connection) -> None:
    """Create open studies of each kind of writing, with more seats than the run can fill."""
    helper = {"model": "m", "prompt": PROMPT, "reply_tokens": REPLY_TOKENS}
    talk = {"min_messages": 1, "max_messages": 10}
    for slug, kind, partners, bounds in (
        ("talk", "conversation", {"kim": helper}, talk),
        ("pair", "conversation", {"peer": PERSON | PERSON_WAITS}, talk),
        ("beside", "draft", {"help": helper}, {"max_words": 5000}),
        ("inserted", "draft", {"help": helper | {"suggestions": "inserted"}}, {"max_words": 5000}),
    ):
        parts = protocol_of(
            slug,
            sources={key: {"kind": SOURCES.get(slug, "human+model")} for key in partners},
            questions=[EMPATHY],
            design={"trials": kind, "raters_per_trial": 1000, "trials_per_rater": 2},
            flow={"consent": CONSENT},
            **{kind: {"partners": partners} | bounds},
        )
        texts = [{"key": f"week-{n}", "text": f"Week {n}", "responses": {}} for n in range(4)]
        build_study(db, parts, texts=texts)
        open_study(db, slug)


def make_writer(addresses: Sequence[str], place: int, who: str) -> FaultWriter:
    """A rater of one of the studies."""
    slug = SLUGS[place % len(SLUGS)]
    return (FaultPairMember if slug == "pair" else FaultWriter)(addresses, slug, who, patience_s=PATIENCE_SECONDS)


def run(place: Path, kinds: Sequence[str], n_raters: int, *, between_s: float = 1.0) -> Run:
    """Kill parts of these kinds in order while raters write; return the outcome."""
    model = ModelProcess(MODEL_S, place)
    try:
        with servers_file(model.port, place) as path:
            os.environ["ATTUNE_MODEL_SERVERS_FILE"] = str(path)
            crowd, recovery_s = kill_while_raters_work(
                place,
                kinds,
                n_raters,
                make_studies,
                make_writer,
                between_s=between_s,
                others={MODEL: partial(model.kill, AWAY_S)},
            )
    finally:
        model.stop()
    writers = crowd.raters
    ledger = {token: writing for rater in writers for token, writing in rater.written.items()}
    refusals = [one for rater in writers for one in rater.refusals]
    for one in refusals:
        print(f"refused: {one}", file=sys.stderr)
    asked, answered = model.counts()
    with open_database(place / "data") as url:
        engine = create_engine(url)
        with engine.connect() as db:
            verdict = compare(db, ledger, asked, answered, n_refused=len(refusals), n_stuck=crowd.ends.count("stuck"))
        engine.dispose()
    return Run(
        verdict,
        n_raters=len(writers),
        n_messages=sum(len(one.messages) for one in ledger.values() if one.text is None),
        n_drafts=sum(one.text is not None for one in ledger.values()),
        n_decisions=sum(len(one.decisions) for one in ledger.values()),
        n_replies=len(answered),
        n_again=sum(asked.values()) - len(asked),
        n_twice=sum(n > 1 for n in answered.values()),
        n_copies=sum(rater.copies.n_sent for rater in writers),
        told=Counter(one for rater in writers if isinstance(rater, FaultPairMember) for one in rater.told),
        recovery_s=recovery_s,
    )


def compare(
    db: Connection,
    ledger: Mapping[str, Writing],
    asked: Counter[str],
    answered: Counter[str],
    *,
    n_refused: int = 0,
    n_stuck: int = 0,
) -> Verdict:
    """Compare the database with what was acknowledged, and its budget with what the model was asked."""
    turns = {(row["token"], row["number"]): row for row in db.execute(_TURNS).mappings()}
    ended = {token: words or "" for token, words in db.execute(_ENDED)}
    given = [(token, number, words) for token, one in ledger.items() for number, words in _acknowledged(one)]
    drafts = {token: one for token, one in ledger.items() if one.text is not None}
    decided = [((token, number), is_so) for token, one in drafts.items() for number, is_so in one.decisions.items()]
    said = Counter(row["text"] for row in turns.values() if row["speaker"] == "rater" and row["token"] not in drafts)
    replies = [row for row in turns.values() if row["speaker"] == "partner"]
    # A suggestion that the rater did not wait for is not there.
    unanswered = [row for row in replies if (row["state"], row["text"]) != ("said", WORDS)]
    keys = {row["request_key"][:40] for row in replies}
    # No prompt has more than all that was written.
    prompts = Counter[str]()
    for row in turns.values():
        prompts[row["token"]] += prompt_tokens([{"role": "user", "content": f"{PROMPT}{row['text'] or ''}"}])
    return Verdict(
        lost=sum((token, number) not in turns for token, number, _ in given)
        + sum(one.is_over and token not in ended for token, one in ledger.items()),
        altered=sum(
            (token, number) in turns and turns[token, number]["text"] != words for token, number, words in given
        )
        + sum(token in ended and ended[token] != (one.text or "").strip() for token, one in drafts.items())
        + sum(words not in ended.get(token, words) for token, _, words in given if token not in drafts)
        + sum(place not in turns or turns[place]["decision"] != is_so for place, is_so in decided),
        doubled=sum(n > 1 for n in said.values()) + db.execute(_SPLIT).scalar_one(),
        unanswered=len(unanswered),
        refused=n_refused,
        uncounted=sum(row["counted"] < _paid(row, answered) for row in replies),
        overcounted=sum(_is_overcounted(row, asked, prompts[row["token"]]) for row in replies),
        asked_under_another_key=len(asked.keys() - keys),
        stuck=n_stuck,
    )


def _acknowledged(one: Writing) -> list[tuple[int, str]]:
    """The turns whose words are known: messages of a conversation, or the text of a draft."""
    return [*one.messages.items()] if one.text is None else [(0, one.text)]


def _paid(row: RowMapping, answered: Counter[str]) -> int:
    return answered[row["request_key"][:40]] * (TOKENS_IN + TOKENS_OUT)


def _is_overcounted(row: RowMapping, asked: Counter[str], prompt: int) -> bool:
    """One request is counted as it was; each try that was broken off at most as what was reserved for it."""
    once, n_others = TOKENS_IN + TOKENS_OUT, row["n_tries"] - 1
    if asked[row["request_key"][:40]] == 1 and not n_others:
        return bool(row["counted"] != once)
    return bool(row["counted"] > once + n_others * (prompt + REPLY_TOKENS)) or row["tokens_reserved"] is not None


def page(result: Run) -> str:
    """The outcome as a page of the documentation."""
    counts = (f"{name.replace('_', ' ')} {count}" for name, count in asdict(result.verdict).items())
    n_kills, told = sum(map(len, result.recovery_s.values())), result.told
    return INTRODUCTION + "\n".join(
        [
            *table(result.recovery_s),
            "",
            f"{n_kills} kills, {result.n_raters} raters, {result.n_messages:,} messages and {result.n_drafts:,} drafts",
            f"acknowledged with {result.n_decisions:,} decisions, {result.n_replies:,} replies of the model,",
            f"{result.n_again:,} requests sent again, of which {result.n_twice:,} were answered twice, and",
            f"{result.n_copies:,} late copies. Of those who wrote with each other,",
            f"{told['went']:,} closed the page for good; {told['ended']:,} were told that the partner had ended it,",
            f"{told['over']:,} when they wrote, {told['left']:,} that there was no sign of the partner, and",
            f"{told['alone']:,} that nobody came. After the run: **{', '.join(counts)}**.",
            "",
        ]
    )


def main() -> None:
    """Print the page, or write it."""
    given = given_of(__doc__, 28, 16)
    with reachable_folder() as place, small_place(place) as kinds:
        result = run(place, list(islice(cycle([MODEL, *kinds]), given.kills)), given.raters)
    tell(page(result), given.write)
    sys.exit(0 if result.verdict.is_clean else 1)


if __name__ == "__main__":
    main()
