"""The downloads that need a whole study, as jobs make them.

A study of a million answers takes seconds to read into tables, in which the web process would answer raters late.
"""

from app.analysis.data.study_folder import StudyFolder
from app.base.files.csv_cells import write_csv
from app.llm.runs.requests_file import write_requests
from app.results.downloads.exports import DownloadName, TooManyRowsError
from app.results.downloads.files import write_download
from app.results.making.task import RefusedError, Task
from app.results.reports.outcomes import READING, WRITING
from app.studies.export import study_folder
from app.studies.folder.written_tables import tables_of

TOO_MANY = (
    "The study has more rows than a sheet of Excel can hold. Download ratings.csv or ratings.parquet instead, and read "
    "it with R or pandas."
)


def write_one(task: Task, file: DownloadName) -> None:
    """Write one of the files of *Downloads*.

    Raises:
        RefusedError: the study does not fit into a workbook.
    """
    if file == "requests.jsonl":
        with task.reading() as db:
            write_requests(db, task.study.id, task.path)
        return
    folder = _whole(task)
    try:
        write_download(task.path, file, folder)
    except TooManyRowsError:
        raise RefusedError(TOO_MANY) from None


def write_ratings_for_spreadsheets(task: Task) -> None:
    """Write the answers with a byte order mark, and no cell that would run as a formula."""
    write_csv(task.path, tables_of(_whole(task))["ratings"], spreadsheet=True)


def _whole(task: Task) -> StudyFolder:
    task.tell(READING)
    with task.reading() as db:
        folder = study_folder(db, task.study.id)
    task.tell(WRITING)
    return folder
