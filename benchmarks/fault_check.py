"""Comparison of the acknowledged answers with the database."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, text

from benchmarks.fault_rater import Page

_ANSWERS = text("""
    SELECT a.token::text AS token, a.state,
           r.id, r.question, r.side, r.number, r.exclude, r.idempotency_key::text AS key
    FROM assignments a LEFT JOIN ratings r ON r.study_id = a.study_id AND r.assignment_id = a.id
""")
_OLD_KEYS = text("SELECT idempotency_key::text FROM rating_history WHERE idempotency_key IS NOT NULL")
_MAX_PER_TRIAL = text("""
    SELECT count(*) FROM (SELECT FROM assignments WHERE state IN ('planned', 'leased', 'done')
                          GROUP BY study_id, trial_id HAVING count(*) > :k) AS crowded
""")
_SLOTS = {("preference", None): "q0", ("empathy", "left"): "q1r0", ("empathy", "right"): "q1r1"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The numbers of errors of each kind; all are 0 if nothing is wrong."""

    lost: int
    altered: int
    doubled: int
    above_k: int
    stuck: int

    @property
    def is_clean(self) -> bool:
        """Whether every acknowledged answer is stored exactly once and unchanged."""
        return not any((self.lost, self.altered, self.doubled, self.above_k, self.stuck))


def compare(db: Connection, ledger: Mapping[str, Page], ends: Iterable[str], k: int) -> Verdict:
    """Compare the database with the acknowledged answers.

    Args:
        db: the database, after all raters have finished.
        ledger: each page that was shown, by the token of its assignment.
        ends: how each rater ended.
        k: maximum number of raters per trial.
    """
    rows = db.execute(_ANSWERS).all()
    found: dict[tuple[str, str], str] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for row in (row for row in rows if row.id is not None):
        slot = _SLOTS[row.question, row.side if row.question == "empathy" else None]
        counts[row.token, slot] += 1
        found[row.token, slot] = str(row.side) if slot == "q0" else f"{row.number:g}"
    given = {(token, slot): value for token, page in ledger.items() for slot, value in page.answers.items()}
    drafts = {row.token for row in rows if row.exclude is not None or row.state != "done"}
    unsubmitted = sum(page.is_submitted and token in drafts for token, page in ledger.items())
    keys = Counter([row.key for row in rows if row.key] + list(db.execute(_OLD_KEYS).scalars()))
    return Verdict(
        lost=sum(name not in found for name in given) + unsubmitted,
        altered=sum(name in found and found[name] != value for name, value in given.items()),
        doubled=sum(n > 1 for n in counts.values()) + sum(n > 1 for n in keys.values()) + len(found.keys() - given),
        above_k=db.execute(_MAX_PER_TRIAL, {"k": k}).scalar_one(),
        stuck=sum(end == "stuck" for end in ends),
    )
