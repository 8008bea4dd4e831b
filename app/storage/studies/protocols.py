"""Stored protocols, parsed once per process, because a stored version never changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import text

from app.design.protocol.study import Protocol

if TYPE_CHECKING:
    from sqlalchemy import Connection

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
