"""The checklist of a stored study: what its protocol and its texts say, before raters come."""

from collections.abc import Container, Iterator
from dataclasses import replace

from sqlalchemy import Connection, text

from app.protocol.allocation.feasibility import DrawnUp
from app.protocol.study import Protocol
from app.rating.arrival.expected_minutes import planned_minutes
from app.rating.life_cycle import drawn_up
from app.rating.recruitment.recruitment import pay_in_words
from app.rating.seats.trials import get_yaml
from app.studies.editor.problem_words import path_of, problem_words
from app.studies.editor.protocol_edits import get_draft
from app.studies.imports.import_report import names_of_models, revealing_excerpt
from app.studies.imports.text_uploads import get_upload
from app.studies.opening_checklist import Opening, Revealing
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow
from app.studies.walk_throughs import get_walk

# Trials of more items are only planned when the study is opened.
MANY_ITEMS = 5000
_N_ITEMS = text("SELECT count(*) FROM items WHERE study_id = :study")
_RESPONSES = text("""
    SELECT i.id, i.key, s.key AS source, coalesce(r.text, r.turns::text) AS words
    FROM responses r JOIN items i ON i.study_id = r.study_id AND i.id = r.item_id
    JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
    WHERE r.study_id = :study AND i.retired_because IS NULL ORDER BY i.position, i.id, r.position, r.id
""")


def get_opening(db: Connection, study: StudyRow, as_written: Container[str] = ()) -> Opening:
    """What is known about a study with the version that raters get; its texts are read before it is opened only."""
    protocol = get_protocol(db, study.id, study.protocol_version)
    upload = get_upload(db, study.id)
    is_used = upload is not None and upload.used_at is not None
    draft = get_draft(db, study) if study.opened_at is None else None
    opening = Opening(
        protocol,
        get_yaml(db, study.id, study.protocol_version),
        needs=None,
        as_written=as_written,
        problems=[(path_of(one), problem_words(one, draft.data)) for one in draft.problems] if draft else (),
        file_name=upload.file_name if upload is not None and is_used else "",
        decided=upload.decided() if upload is not None and is_used else (),
        walk=get_walk(db, study.id, study.protocol_version) if study.opened_at is None else None,
    )
    if db.execute(_N_ITEMS, {"study": study.id}).scalar_one() >= MANY_ITEMS:
        return opening
    drawn = drawn_up(db, study.id, protocol)
    left_out = () if protocol.design.listed else _left_out(drawn)
    if study.opened_at is not None:
        return replace(opening, needs=drawn.needs, left_out=left_out)
    n_trials = max((group.n_each for group in drawn.needs.groups), default=0)
    minutes = planned_minutes(db, study.id, protocol, n_trials) if n_trials else None
    pay, is_low = pay_in_words(protocol, minutes) if minutes else ("", False)
    return replace(
        opening,
        needs=drawn.needs,
        left_out=left_out,
        revealing=tuple(_revealing(db, study.id, protocol)),
        minutes=minutes,
        n_trials=n_trials,
        low_pay=pay if is_low else "",
    )


def _left_out(drawn: DrawnUp) -> list[str]:
    """Items that no rater would see, because their responses make no trial."""
    used = {trial.item.key for trial in drawn.trials} | {trial.item.key for trial in drawn.special.trials}
    return [item.key for item in drawn.items if item.key not in used] if drawn.trials else []


def _revealing(db: Connection, study_id: int, protocol: Protocol) -> Iterator[Revealing]:
    labels = protocol.labels
    names = names_of_models(labels.source(key) for key, one in protocol.sources.items() if one.kind != "human")
    for row in db.execute(_RESPONSES, {"study": study_id}):
        if (words := revealing_excerpt(row.words, names)) is not None:
            yield Revealing(row.key, labels.source(row.source), words, row.id)
