"""Write a study to a folder that `read_folder`, R, pandas, git and spreadsheet programs can read."""

import json
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from app.analysis.data.study_folder import StudyFolder
from app.analysis.estimate import Estimate
from app.analysis.report.report_tables import estimates_csvs
from app.base.files.csv_cells import write_csv, write_text_csv
from app.base.files.new_folder import new_folder
from app.base.progress import Progress, quiet
from app.protocol.yaml.study_yaml import FILE
from app.studies.folder.codebook import codebook_rows, package
from app.studies.folder.raters import rater_composites, scores_of
from app.studies.folder.read import IMAGES
from app.studies.folder.written_tables import EVENT_COLUMNS, Columns, checks_of, events_of, tables_of, with_rater_marks

REGISTRATION = "preregistration.json"
# Requests to language models, with what came back.
REQUESTS = "requests.jsonl"
# Conversations, one per line with its turns.
TRANSCRIPTS = "transcripts.jsonl"
_OF_CONVERSATION = ("rater", "dyad", "item", "response", "source", "condition", "ended_by")
_OF_TURN = ("turn", "speaker", "state", "text", "n_words", "seconds", "flags", "decision", "model_version")
_CODEBOOK = ("file", "column", "label", "question", "value", "meaning")


def write_folder(  # noqa: PLR0913 - the parts of a folder
    path: Path,
    study: StudyFolder,
    *,
    events: pd.DataFrame | None = None,
    rating_sessions: Mapping[str, pd.DataFrame] | None = None,
    estimates: Sequence[Estimate] = (),
    registration: str | None = None,
    requests: Iterable[str] = (),
    spreadsheet: bool = False,
    progress: Progress = quiet,
) -> None:
    """Write the whole study; the folder appears only once it is complete.

    Args:
        path: must not exist, or must be an empty folder.
        study: what to write.
        events: columns rater, kind, detail, happened_at; None for no events.
        rating_sessions: further tables by name, about the assignments of each rater and their outcomes.
        estimates: the estimates of the study's report; if empty, agreement.csv and comparisons.csv are left out.
        registration: the text of preregistration.json, which the report of a folder is compared with.
        requests: the lines of requests.jsonl, which is left out if there are none.
        spreadsheet: write for Excel and similar programs: with a byte order mark, and an apostrophe before cells that
            would run as a formula. To load a study again, use the raw variant.
        progress: called with the progress so far.

    Raises:
        FolderExistsError: the folder is not empty.
    """
    with new_folder(path) as half:
        _write(half, study, events, rating_sessions or {}, estimates, spreadsheet=spreadsheet, progress=progress)
        if registration is not None:
            (half / REGISTRATION).write_text(registration, encoding="utf-8", newline="")
        _write_lines(half / REQUESTS, requests)
        _write_lines(half / TRANSCRIPTS, _transcripts((rating_sessions or {}).get("turns")))
        for name, image in study.images.items():
            (half / IMAGES).mkdir(exist_ok=True)
            (half / IMAGES / name).write_bytes(image.content)


def _transcripts(turns: pd.DataFrame | None) -> Iterator[str]:
    """The lines of transcripts.jsonl: a conversation begins with its first turn, or is that of two raters."""
    if turns is None:
        return
    dyad = turns["dyad"]
    is_first = turns["turn"].astype(int).diff().fillna(-1) <= 0
    for _, rows in turns.groupby(is_first.where(dyad.isna(), dyad != dyad.shift()).cumsum(), sort=True):
        whole = {name: rows[name].iloc[0] for name in _OF_CONVERSATION}
        # Of two raters, each turn has its own.
        names = _OF_TURN if pd.isna(whole["dyad"]) else (*_OF_TURN, "rater", "writer_role")
        said = [dict(zip(names, cells, strict=True)) for cells in zip(*(rows[name] for name in names), strict=True)]
        yield json.dumps({**whole, "turns": said}, ensure_ascii=False) + "\n"


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write a file of lines one after the other, unless there are none."""
    waiting = iter(lines)
    first = next(waiting, None)
    if first is not None:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.write(first)
            file.writelines(waiting)


def _write(
    folder: Path,
    study: StudyFolder,
    events: pd.DataFrame | None,
    rating_sessions: Mapping[str, pd.DataFrame],
    estimates: Sequence[Estimate],
    *,
    spreadsheet: bool,
    progress: Progress,
) -> None:
    (folder / FILE).write_text(study.yaml, encoding="utf-8", newline="")
    happened = pd.DataFrame(columns=[*EVENT_COLUMNS], dtype=object) if events is None else events
    tables: dict[str, Columns] = tables_of(study)
    more = {"scores": scores_of(study)} if rater_composites(study.protocol) else {}
    more |= {"checks": checks_of(happened), "events": events_of(happened)}
    for name, frame in [*((name, pd.DataFrame(columns)) for name, columns in more.items()), *rating_sessions.items()]:
        tables[name] = {str(column): cells for column, cells in with_rater_marks(frame, study.raters).items()}
    columns = {name: list(table) for name, table in tables.items()}
    for name, text in estimates_csvs(estimates).items() if estimates else ():
        columns[name.removesuffix(".csv")] = write_text_csv(folder / name, text, spreadsheet=spreadsheet)
    meanings = pd.DataFrame(list(codebook_rows(study.protocol, columns)), columns=[*_CODEBOOK], dtype=object)
    tables["codebook"] = {name: meanings[name] for name in _CODEBOOK}
    for number, (name, table) in enumerate(tables.items()):
        progress(f"Writing {name}.csv", number, len(tables))
        write_csv(folder / f"{name}.csv", table, spreadsheet=spreadsheet)
    described: dict[str, Any] = package(study.protocol, folder, {**columns, "codebook": _CODEBOOK})
    text = json.dumps(described, ensure_ascii=False, indent=2) + "\n"
    (folder / "datapackage.json").write_text(text, encoding="utf-8", newline="")
    progress("Writing", len(tables), len(tables))


def write_texts(folder: Path, study: StudyFolder) -> None:
    """Write only items.csv and responses.csv into an existing folder."""
    tables = tables_of(study)
    for name in ("items", "responses"):
        write_csv(folder / f"{name}.csv", tables[name])


def write_zip(file: BinaryIO, study: StudyFolder, **options: Any) -> None:  # noqa: ANN401 - the options of write_folder
    """Write the same folder as one zip file, under the study's slug; the same study gives the same bytes."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        path = Path(folder) / study.protocol.slug
        write_folder(path, study, **options)
        for part in sorted(part for part in path.rglob("*") if part.is_file()):
            # A fixed time, the earliest that a zip file can store.
            name = part.relative_to(path.parent).as_posix()
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, part.read_bytes())
