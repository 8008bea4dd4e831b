"""Stored protocols, parsed once per process, because a stored version never changes."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, text

from app.protocol.changes import asked_otherwise
from app.protocol.study import Protocol

_DOCUMENT = text("SELECT document, sha256 FROM protocols WHERE study_id = :study AND version = :version")
_TEXT = text("SELECT yaml, sha256 FROM protocols WHERE study_id = :study AND version = :version")
_parsed: dict[tuple[int, int, str], Protocol] = {}
_MAX_PARSED = 256


class ProtocolText(NamedTuple):
    """The text of study.yaml, and its hash."""

    yaml: str
    sha256: str


def get_protocol_text(db: Connection, study_id: int, version: int) -> ProtocolText:
    """One version of a study's protocol, as it was written."""
    return ProtocolText(*db.execute(_TEXT, {"study": study_id, "version": version}).one())


def get_protocol(db: Connection, study_id: int, version: int, sha256: str | None = None) -> Protocol:
    """One version of a study's protocol.

    Args:
        db: a connection.
        study_id: the study.
        version: number of the version.
        sha256: its hash, if the caller knows it; a protocol that is already parsed then needs no query.
    """
    if sha256 is not None and (known := _parsed.get((study_id, version, sha256))):
        return known
    row = db.execute(_DOCUMENT, {"study": study_id, "version": version}).one()
    key = (study_id, version, row.sha256)
    if key not in _parsed:
        if len(_parsed) >= _MAX_PARSED:
            _parsed.clear()
        _parsed[key] = Protocol.model_validate(row.document)
    return _parsed[key]


# The versions of a study's protocol, and the tables of its questions and sources.

_PROTOCOL = text("""
    INSERT INTO protocols (study_id, version, title, document, yaml, sha256)
    VALUES (:study, :version, :title, CAST(:document AS json), :yaml, :sha256)
    ON CONFLICT (study_id, version) DO UPDATE SET title = excluded.title, document = excluded.document,
      yaml = excluded.yaml, sha256 = excluded.sha256
""")
_NOW = text("UPDATE studies SET protocol_version = :version WHERE id = :study")
# Questions that have answers and sources that have responses stay in the tables, because rows reference them.
_QUESTION = text("""
    INSERT INTO questions (study_id, key, position, type, target) VALUES (:study, :key, :position, :type, :target)
    ON CONFLICT (study_id, key) DO UPDATE SET position = excluded.position, type = excluded.type,
      target = excluded.target
""")
_OTHER_QUESTIONS = text("""
    DELETE FROM questions q WHERE study_id = :study AND key <> ALL(CAST(:keys AS text[]))
      AND NOT EXISTS (SELECT FROM ratings r WHERE r.study_id = q.study_id AND r.question = q.key)
""")
_SOURCE = text("""
    INSERT INTO sources (study_id, key, position, kind, attributes)
    VALUES (:study, :key, :position, :kind, CAST(:attributes AS jsonb))
    ON CONFLICT (study_id, key) DO UPDATE SET position = excluded.position, kind = excluded.kind,
      attributes = excluded.attributes
""")
_OTHER_SOURCES = text("""
    DELETE FROM sources s WHERE study_id = :study AND key <> ALL(CAST(:keys AS text[]))
      AND NOT EXISTS (SELECT FROM responses r WHERE r.study_id = s.study_id AND r.source_id = s.id)
""")
_VERSIONS = text("""
    SELECT version, created_at, yaml FROM protocols WHERE study_id = :study ORDER BY version DESC
""")
# The versions that raters began with, and the current one.
_BEGUN = text("""
    SELECT DISTINCT s.protocol_version AS version, t.protocol_version AS current
    FROM rating_sessions s JOIN studies t ON t.id = s.study_id WHERE s.study_id = :study ORDER BY version
""")
_ANSWERED = text("SELECT DISTINCT question FROM ratings WHERE study_id = :study")
_RATED = text("SELECT DISTINCT condition FROM ratings WHERE study_id = :study AND condition IS NOT NULL")
_USED = text("""
    SELECT key FROM sources s WHERE study_id = :study
      AND EXISTS (SELECT FROM responses r WHERE r.study_id = s.study_id AND r.source_id = s.id)
""")


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a protocol, as written by its lead."""

    number: int
    created_at: datetime
    yaml: str


def record_version(db: Connection, study_id: int, version: int, protocol: Protocol, yaml: str) -> None:
    """Store a version and make it the current one. A version that no rater has seen may be replaced."""
    document = json.dumps(protocol.model_dump(mode="json"), ensure_ascii=False)
    sha256 = hashlib.sha256(yaml.encode()).hexdigest()
    row = {"title": protocol.title, "document": document, "yaml": yaml, "sha256": sha256}
    db.execute(_PROTOCOL, {"study": study_id, "version": version, **row})
    db.execute(_NOW, {"study": study_id, "version": version})
    _record_questions(db, study_id, protocol)
    _record_sources(db, study_id, protocol)


def _record_questions(db: Connection, study_id: int, protocol: Protocol) -> None:
    questions = [
        {"study": study_id, "key": question.key, "position": place, "type": question.type, "target": question.target}
        for place, question in enumerate(protocol.questions)
    ]
    db.execute(_QUESTION, questions)
    db.execute(_OTHER_QUESTIONS, {"study": study_id, "keys": [question.key for question in protocol.questions]})


def _record_sources(db: Connection, study_id: int, protocol: Protocol) -> None:
    sources = [
        {
            "study": study_id,
            "key": key,
            "position": place,
            "kind": source.kind,
            "attributes": json.dumps(source.attributes, ensure_ascii=False),
        }
        for place, (key, source) in enumerate(protocol.sources.items())
    ]
    if sources:
        db.execute(_SOURCE, sources)
    db.execute(_OTHER_SOURCES, {"study": study_id, "keys": list(protocol.sources)})


def list_versions(db: Connection, study_id: int) -> list[Version]:
    """Every version, newest first."""
    return [Version(*row) for row in db.execute(_VERSIONS, {"study": study_id})]


def answered_questions(db: Connection, study_id: int) -> set[str]:
    """Keys of the questions that have answers."""
    return set(db.execute(_ANSWERED, {"study": study_id}).scalars())


def asked_before(db: Connection, study_id: int) -> dict[int, list[str]]:
    """For each version that raters began with, the keys of questions whose wording differs from the current version."""
    begun = db.execute(_BEGUN, {"study": study_id}).all()
    return {
        one.version: sorted(
            asked_otherwise(get_protocol(db, study_id, one.version), get_protocol(db, study_id, one.current))
        )
        for one in begun
    }


def rated_conditions(db: Connection, study_id: int) -> set[str]:
    """The conditions under which there are ratings, as in ratings.csv: `label=true`."""
    return set(db.execute(_RATED, {"study": study_id}).scalars()) - {""}


def used_sources(db: Connection, study_id: int) -> set[str]:
    """Keys of the sources that have responses."""
    return set(db.execute(_USED, {"study": study_id}).scalars())
