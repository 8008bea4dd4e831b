"""What downloads have in common. Nothing heavy, because web processes import it."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Literal, cast

from app.base.database.engine import Begin
from app.protocol.study import Protocol
from app.results.blinding import refuse_if_blinded
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow

# Names of the downloads that jobs write, for pages that do not load what writes them.


DownloadName = Literal[
    "wide.csv",
    "study.xlsx",
    "ratings.parquet",
    "psych-ds.zip",
    "hugging-face.zip",
    "label-studio.zip",
    "read.R",
    "read.sps",
    "requests.jsonl",
]


class TooManyRowsError(ValueError):
    """A table of the study is longer than a sheet of Excel can be."""


def readable(begin: Begin, study: StudyRow) -> Protocol:
    """The protocol of a study whose answers may be downloaded.

    Raises:
        BlindedError: they are hidden until the study closes.
    """
    with begin() as db:
        protocol = get_protocol(db, study.id, study.protocol_version)
    refuse_if_blinded(study, protocol)
    return protocol


def temporary_file(write: Callable[[BinaryIO], object]) -> Path:
    """A temporary file, to be deleted by the caller; it is deleted if writing fails."""
    with tempfile.NamedTemporaryFile(prefix="attune-", delete=False) as file:
        path = Path(file.name)
        try:
            write(cast("BinaryIO", file))
        except BaseException:
            path.unlink(missing_ok=True)
            raise
    return path
