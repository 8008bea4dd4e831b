"""Preregister a study: its protocol and the power of its plan at a time, with a hash, as files in two forms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sqlalchemy import Connection, text

from app.accounts.leads import Lead
from app.analysis.document.judges import JUDGE_RULE, judge_of
from app.analysis.document.registration import (
    Registration,
    assumed_record,
    hashed,
    plan_records,
    read_registration,
    registration_json,
)
from app.protocol.allocation.human_sample import rated_by_people
from app.protocol.allocation.trials import PlannedItem
from app.protocol.rating_columns import GOLD, RATER_EXCLUDED
from app.protocol.study import Protocol
from app.rating.answers.ratings import NOT_SUBMITTED
from app.rating.seats.trials import list_items
from app.results.documents.document_formats import FORMATS, Format, zipped
from app.results.making.task import Task
from app.studies.audit import record_act
from app.studies.coverage import get_counts
from app.studies.folder.study_templates import template_origin
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow, list_excluded

# Registrations of a study: each is kept as it was made, and none is ever changed.


# The registration of a study that its results are compared with.


def registration_of(db: Connection, study: StudyRow) -> Registration | None:
    """The plan that a report is compared with, or None."""
    text = registration_text(db, study)
    return read_registration(text) if text else None


def registration_text(db: Connection, study: StudyRow) -> str | None:
    """The text of that plan: of the last one from before the study opened, else of the first one."""
    rows = list_registrations(db, study.id)
    before = [row for row in rows if study.opened_at is None or row.registered_at <= study.opened_at]
    chosen = before[-1] if before else next(iter(rows), None)
    return chosen.document if chosen else None


_RECORD = text("""
    INSERT INTO registrations (study_id, number, protocol_version, sha256, document)
    SELECT :study, coalesce(max(number), 0) + 1, :version, :sha256, :document FROM registrations WHERE study_id = :study
    RETURNING number
""")
_JUDGES = text("SELECT key, attributes FROM raters WHERE study_id = :study AND kind = 'model' ORDER BY id")
_N_SIMULATED = text("""
    SELECT count(*) FROM ratings a JOIN raters r ON r.study_id = a.study_id AND r.id = a.rater_id
    WHERE a.study_id = :study AND r.is_simulated
""")
# Pages that are still open are no answers that were left out, and gold trials are declared.
_LEFT_OUT = text("""
    SELECT coalesce(a.exclude, e.why) AS why, count(*) AS n
    FROM ratings a JOIN raters r ON r.study_id = a.study_id AND r.id = a.rater_id
    LEFT JOIN unnest(CAST(:raters AS bigint[]), CAST(:reasons AS text[])) AS e (rater_id, why) USING (rater_id)
    WHERE a.study_id = :study AND NOT r.is_simulated AND coalesce(a.exclude, e.why) NOT IN (:open, :gold)
    GROUP BY 1 ORDER BY 1
""")
_LIST = text("""
    SELECT number, protocol_version, sha256, document, registered_at FROM registrations
    WHERE study_id = :study ORDER BY number
""")


@dataclass(frozen=True, slots=True)
class RegistrationRow:
    """One registration. `document` is the text of preregistration.json."""

    number: int
    protocol_version: int
    sha256: str
    document: str
    registered_at: datetime


def record_registration(db: Connection, study_id: int, *, version: int, sha256: str, document: str) -> int:
    """Store a registration; returns its number, from 1."""
    row = {"study": study_id, "version": version, "sha256": sha256, "document": document}
    return int(db.execute(_RECORD, row).scalar_one())


def list_registrations(db: Connection, study_id: int) -> list[RegistrationRow]:
    """All registrations, the oldest first."""
    return [RegistrationRow(*row) for row in db.execute(_LIST, {"study": study_id})]


N_SIMULATIONS = 200


@dataclass(frozen=True, slots=True)
class ToRegister:
    """What is registered: a protocol with its items; `version` is None for a study folder."""

    protocol: Protocol
    items: Sequence[PlannedItem]
    n_ratings: int
    version: int | None = None
    judges: tuple[dict[str, str], ...] = ()
    n_simulated: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    n_simulations: int = field(default_factory=lambda: N_SIMULATIONS)


def register(asked: ToRegister) -> Registration:
    """The registration, as of now. A study that cannot be planned is registered without power, and says why."""
    from app.results.planning.make_plan import Asked, PlanError, make_plan

    try:
        plan = make_plan(
            asked.protocol, rated_by_people(asked.protocol, asked.items), Asked(n_simulations=asked.n_simulations)
        )
        rows, assumed, why = plan_records(plan.rows), assumed_record(plan), ""
    except PlanError as error:
        rows, assumed, why = (), {}, str(error)
    return hashed(
        Registration(
            study=asked.protocol.slug,
            version=asked.version,
            registered_at=datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S"),
            protocol=asked.protocol.model_dump(mode="json"),
            n_items=len(asked.items),
            n_ratings=asked.n_ratings,
            n_simulated=asked.n_simulated,
            left_out=dict(asked.left_out),
            plan=rows,
            assumed=assumed,
            no_plan=why,
            judges=asked.judges,
            judge_rule=JUDGE_RULE if asked.judges else "",
        )
    )


def to_register(db: Connection, study: StudyRow) -> ToRegister:
    """What a registration of a stored study is made from, now."""
    protocol = get_protocol(db, study.id, study.protocol_version)
    n_ratings = get_counts(db, study.id).n_ratings
    n_simulated = db.execute(_N_SIMULATED, {"study": study.id}).scalar_one()
    items, judges = list_items(db, study.id), list_judges(db, study.id)
    left_out = _count_left_out(db, study.id)
    return ToRegister(protocol, items, n_ratings, study.protocol_version, judges, n_simulated, left_out)


def _count_left_out(db: Connection, study_id: int) -> dict[str, int]:
    """How many answers are left out of all estimates now, by the reason."""
    excluded = list_excluded(db, study_id)
    reasons = [f"{RATER_EXCLUDED}{why}" for why in excluded.values()]
    which = {"study": study_id, "raters": list(excluded), "reasons": reasons, "open": NOT_SUBMITTED, "gold": GOLD}
    return {row.why: int(row.n) for row in db.execute(_LEFT_OUT, which)}


def list_judges(db: Connection, study_id: int) -> tuple[dict[str, str], ...]:
    """The model judges of a study, the oldest first."""
    return tuple(judge_of(row.key, row.attributes) for row in db.execute(_JUDGES, {"study": study_id}))


def keep_registration(db: Connection, study: StudyRow, made: Registration, lead: Lead | None) -> None:
    """Store a registration of a study, and log it; `lead` is None on the command line."""
    text = registration_json(made)
    record_act(db, lead, study, "preregistered", version=made.version, sha256=made.sha256)
    record_registration(db, study.id, version=made.version or 1, sha256=made.sha256, document=text)


def register_study(db: Connection, study: StudyRow) -> Registration:
    """Register a stored study as it is now, and keep the registration, on the command line."""
    made = register(to_register(db, study))
    keep_registration(db, study, made, None)
    return made


def registration_files(registration: Registration, formats: Sequence[Format]) -> dict[str, bytes]:
    """`preregistration.json`, and both forms in these formats."""
    from app.analysis.document.preregistration import aspredicted_document, osf_document
    from app.results.documents.report_files import document_files

    files = {"preregistration.json": registration_json(registration).encode()}
    origin = template_origin(registration.as_protocol())
    forms = {"osf": osf_document, "aspredicted": aspredicted_document}
    for form, make in forms.items():
        made = document_files(make(registration, origin), {}, formats, name=f"preregistration-{form}")
        files |= {path: content for path, content in made.items() if path != "tables.tex"}
    return files


def write_registration(task: Task) -> None:
    """Write the registration of the study as it is now, in the process of a job; it is not kept yet."""
    with task.begin() as db:
        asked = to_register(db, task.study)
    task.path.write_text(registration_json(register(asked)), encoding="utf-8")


def write_archive(task: Task, number: int) -> None:
    """Write both forms of a registration in every format, with preregistration.json, in the process of a job."""
    with task.begin() as db:
        [row] = [row for row in list_registrations(db, task.study.id) if row.number == number]
    task.path.write_bytes(zipped(registration_files(read_registration(row.document), FORMATS)))
