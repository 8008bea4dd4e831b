"""What makes each kind of file. Imported by the processes of jobs only: it loads pandas, charts and documents."""

from __future__ import annotations

from collections.abc import Callable

from app.results.charts.draw import draw_chart
from app.results.documents.report_download import write_report
from app.results.downloads import download_files
from app.results.registration.preregister import write_archive

# Called with the task, and with `Wanted.given`.
MAKERS: dict[str, Callable[..., None]] = {
    "download": download_files.write_one,
    "spreadsheet": download_files.write_ratings_for_spreadsheets,
    "archive": download_files.write_study_zip,
    "chart": draw_chart,
    "report": write_report,
    "registration": write_archive,
}
