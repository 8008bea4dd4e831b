"""The downloads by name: what writes each of them."""

from pathlib import Path

import pandas as pd

from app.analysis.data.study_folder import StudyFolder
from app.base.files.csv_cells import write_csv
from app.results.downloads.exports import DownloadName
from app.results.downloads.hugging_face import write_hugging_face
from app.results.downloads.label_studio import write_label_studio
from app.results.downloads.parquet import write_parquet
from app.results.downloads.psych_ds import write_psych_ds
from app.results.downloads.r_script import r_script
from app.results.downloads.spss_script import spss_script
from app.results.downloads.workbook import write_workbook
from app.studies.folder.written_tables import Columns, tables_of


def write_download(path: Path, name: DownloadName, study: StudyFolder) -> None:
    """Write one of the downloads to a file.

    Raises:
        TooManyRowsError: the study does not fit into a workbook.
    """
    match name:
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


# wide.csv: one row per rater and thing rated, one column per question.

# What was rated and in which condition: answers that share all of these share a row.
ABOUT = (
    "rater",
    "item",
    "response",
    "source",
    "turn",
    "left_response",
    "right_response",
    "condition",
    "shown_label",
    "repeat",
    "rater_kind",
    "is_simulated",
    "exclude",
)


def wide_table(study: StudyFolder) -> Columns:
    """Return a row per rater and response, pair, turn or item, and a column per question with the answer.

    The source of a choice is the source chosen, so it is left out of the rows of pairs. A question with the key of
    another column, such as `source`, is in a column with `_answer` at the end.
    """
    ratings = pd.DataFrame(tables_of(study)["ratings"])
    if "source" in ratings:
        ratings["source"] = ratings["source"].where(ratings["response"].notna(), None)
    about = [name for name in ABOUT if name in ratings]
    filled = ratings[about].astype(object).where(ratings[about].notna(), "")
    asked = [question.key for question in study.protocol.questions if question.key in set(ratings["question"])]
    named = {key: f"{key}_answer" if key in about else key for key in asked}
    answers = filled.assign(question=ratings["question"].map(named), value=ratings["value"].astype(object))
    wide = answers.set_index([*about, "question"])["value"].unstack().reset_index()  # noqa: PD010 - no aggregation
    return {name: wide[name] for name in [*about, *named.values()]}
