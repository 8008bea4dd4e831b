"""Preliminary results of a running study, counted by the database while its report is computed."""

from __future__ import annotations

from sqlalchemy import Connection

from app.analysis.findings.counted_result import CountedResult
from app.analysis.findings.counted_results import counted_choices, counted_questions, counted_results
from app.protocol.study import Protocol
from app.results.blinding import refuse_if_blinded
from app.results.data.answer_counts import answer_counts
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow


def count_results(db: Connection, study: StudyRow) -> tuple[list[CountedResult], Protocol]:
    """Return the statistics that counts suffice for, and the protocol that they are of.

    Raises:
        BlindedError: the study's estimates are hidden until it closes.
    """
    protocol = get_protocol(db, study.id, study.protocol_version)
    refuse_if_blinded(study, protocol)
    questions = [question.key for question in counted_questions(protocol)]
    choices = [question.key for question in protocol.choice_questions]
    counts = answer_counts(db, study.id, questions, choices)
    return [*counted_results(counts, protocol), *counted_choices(counts, protocol)], protocol
