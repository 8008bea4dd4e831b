"""What makes each kind of file. Imported by the processes of jobs only: it loads pandas, charts and documents."""

from __future__ import annotations

from collections.abc import Callable

from app.results.downloads import download_files

# Called with what reads the database, the study, the path of the file, what is told how far it is, and `Wanted.given`.
MAKERS: dict[str, Callable[..., None]] = {
    "download": download_files.write_one,
    "spreadsheet": download_files.write_ratings_for_spreadsheets,
    "archive": download_files.write_study_zip,
}
