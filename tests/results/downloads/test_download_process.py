"""Downloads are read from the database by a process of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.base.database.engine import transactions
from app.results.downloads.download_process import ARCHIVE_PROCESS, DOWNLOAD_PROCESS, DownloadWriter
from app.results.downloads.exports import download_file, study_zip_file
from app.results.reports.report_job import ReportBounds
from app.studies.folder.read import read_files
from app.studies.load import load_study
from app.studies.studies import get_study
from tests.kit.downloads import WriterHere
from tests.kit.small import small

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Engine

    from app.studies.studies import StudyRow


@pytest.fixture
def study(engine: Engine) -> Iterator[StudyRow]:
    """A stored study with answers; the processes end with the test."""
    with engine.begin() as db:
        load_study(db, read_files(small()))
        found = get_study(db, "small")
    assert found
    yield found
    DOWNLOAD_PROCESS.stop()
    ARCHIVE_PROCESS.stop()


def address(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=False)


def test_process_writes_the_same_bytes_as_a_call(engine: Engine, study: StudyRow) -> None:
    begin, writer = transactions(engine), DownloadWriter(ReportBounds(), lambda: address(engine))
    there, here = (download_file(begin, study, "wide.csv", one) for one in (writer, WriterHere(begin)))
    assert there.read_bytes() == here.read_bytes()
    archive = study_zip_file(begin, study, writer)
    assert archive.read_bytes().startswith(b"PK")
    assert DOWNLOAD_PROCESS.pid != ARCHIVE_PROCESS.pid
    for path in (there, here, archive):
        path.unlink()
