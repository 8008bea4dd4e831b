"""Files of a whole study, as the process for downloads writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.exchange.folder.write import write_zip
from app.exchange.folder.written_tables import tables_of
from app.exchange.tabular.csv_cells import write_csv

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from app.analysis.data.study_folder import StudyFolder
    from app.analysis.estimate import Estimate


def write_ratings_for_spreadsheets(path: Path, folder: StudyFolder) -> None:
    """Write the answers with a byte order mark, and no cell that would run as a formula."""
    write_csv(path, tables_of(folder)["ratings"], spreadsheet=True)


def write_study_zip(
    path: Path,
    folder: StudyFolder,
    events: pd.DataFrame,
    rating_sessions: Mapping[str, pd.DataFrame],
    estimates: Sequence[Estimate],
    registration: str | None,
) -> None:
    """Write the study folder with its estimates and events."""
    with path.open("wb") as file:
        write_zip(
            file,
            folder,
            events=events,
            rating_sessions=rating_sessions,
            estimates=estimates,
            registration=registration,
        )
