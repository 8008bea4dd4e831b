"""The downloads that need a whole study, as jobs make them.

A study of a million answers takes seconds to read into tables, in which the web process would answer raters late.
"""

from app.analysis.data.study_folder import StudyFolder
from app.base.files.csv_cells import write_csv
from app.llm.runs.requests_file import write_requests
from app.results.downloads.download_names import DownloadName
from app.results.downloads.hugging_face import write_hugging_face
from app.results.downloads.label_studio import write_label_studio
from app.results.downloads.parquet import write_parquet
from app.results.downloads.psych_ds import write_psych_ds
from app.results.downloads.r_script import r_script
from app.results.downloads.spss_script import spss_script
from app.results.downloads.wide_table import wide_table
from app.results.downloads.workbook import write_workbook
from app.results.making.task import Task
from app.results.reports.outcomes import READING, WRITING
from app.studies.export import study_folder
from app.studies.folder.written_tables import tables_of


def write_one(task: Task, file: DownloadName) -> None:
    """Write one of the files of *Downloads*.

    Raises:
        RefusedError: the study does not fit into a workbook.
    """
    if file == "requests.jsonl":
        with task.reading() as db:
            write_requests(db, task.study.id, task.path)
        return
    study, path = _whole(task), task.path
    match file:
        case "wide.csv":
            write_csv(path, wide_table(study))
        case "study.xlsx":
            write_workbook(path, study)
        case "ratings.parquet":
            write_parquet(path, study)
        case "psych-ds.zip":
            write_psych_ds(path, study)
        case "hugging-face.zip":
            write_hugging_face(path, study)
        case "label-studio.zip":
            write_label_studio(path, study)
        case "read.R":
            path.write_text(r_script(study.protocol), encoding="utf-8")
        case "read.sps":
            columns = list(tables_of(study)["ratings"])
            path.write_text(spss_script(study.protocol, columns), encoding="utf-8-sig")


def write_ratings_for_spreadsheets(task: Task) -> None:
    """Write the answers with a byte order mark, and no cell that would run as a formula."""
    write_csv(task.path, tables_of(_whole(task))["ratings"], spreadsheet=True)


def _whole(task: Task) -> StudyFolder:
    task.tell(READING)
    with task.reading() as db:
        folder = study_folder(db, task.study.id)
    task.tell(WRITING)
    return folder
