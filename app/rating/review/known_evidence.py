"""How each rater answers. Only raters whose ratings changed are read again."""

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import NamedTuple

from sqlalchemy import Connection

from app.protocol.rater_flags import Evidence
from app.rating.review.answers_by_rater import (
    Compared,
    StoredAnswers,
    get_server_start,
    list_answers_by_rater,
    list_rater_states,
)
from app.rating.review.rater_rows import RaterKinds, list_rater_kinds

# Studies that are kept, and the bytes that their answers may take together: three million ratings.
KEPT, KEPT_BYTES = 8, 60_000_000


class _Known(NamedTuple):
    answers: Mapping[int, StoredAnswers]
    evidence: Mapping[int, Evidence]

    @property
    def n_bytes(self) -> int:
        return sum(len(one.points) + len(one.sides) + len(one.pairs) + len(one.times) for one in self.answers.values())


class KnownEvidence:
    """The answers of the studies viewed most recently and the evidence in them, without texts and names of raters."""

    def __init__(self) -> None:
        """Start empty."""
        self._guard = Lock()
        self._known: OrderedDict[tuple[object, ...], _Known] = OrderedDict()

    def of(self, db: Connection, study_id: int, questions: Compared) -> Mapping[int, Evidence]:
        """The evidence about each rater of the study who has answered, by the number of the rater."""
        key = study_id, questions, get_server_start(db)
        known = self._known.get(key)
        if known is None:
            read = list_answers_by_rater(db, study_id, questions)
            return self._keep(key, read, list_rater_kinds(db, study_id)) if read else {}
        states = list_rater_states(db, study_id)
        current = {rater: one for rater, one in known.answers.items() if one.is_current(states.get(rater))}
        changed = states.keys() - current.keys()
        if not changed and len(current) == len(known.answers):
            return known.evidence
        read = list_answers_by_rater(db, study_id, questions, changed if current else None) if changed else {}
        return self._keep(key, current | read, list_rater_kinds(db, study_id))

    def _keep(
        self, key: tuple[object, ...], answers: Mapping[int, StoredAnswers], kinds: RaterKinds
    ) -> Mapping[int, Evidence]:
        from app.rating.review.stored_evidence import evidence_in

        found = _Known(answers, evidence_in(answers, kinds.models, kinds.simulated))
        with self._guard:
            self._known[key] = found
            self._known.move_to_end(key)
            while len(self._known) > 1 and self._is_too_much():
                self._known.popitem(last=False)
        return found.evidence

    def _is_too_much(self) -> bool:
        return len(self._known) > KEPT or sum(one.n_bytes for one in self._known.values()) > KEPT_BYTES


# One for each web process.
KNOWN_EVIDENCE = KnownEvidence()
