"""A study as pandas tables, read from a study folder, its zip file, or a server."""

from __future__ import annotations

import tempfile
import zipfile
from functools import cached_property
from pathlib import Path
from typing import IO, Literal

import pandas as pd

from app.analysis import analyze
from app.analysis.data.study_folder import StudyFolder, frames_of
from app.protocol.study import Protocol
from app.studies.folder.read import read_folder
from app.studies.folder.written_tables import tables_of
from attune_studies.requests import api_address, send

Who = Literal["people", "judges", "simulated", "all"]


class Study:
    """A study in memory. Tables have the columns of the files of a study folder, which the glossary explains."""

    def __init__(self, folder: StudyFolder) -> None:
        """Use what `read` has read."""
        self._folder = folder
        self._tables = {name: pd.DataFrame(columns) for name, columns in tables_of(folder).items()}

    @property
    def protocol(self) -> Protocol:
        """What study.yaml says, with all defaults."""
        return self._folder.protocol

    @property
    def items(self) -> pd.DataFrame:
        """The situations that raters read, one per row."""
        return self._tables["items"].copy()

    @property
    def responses(self) -> pd.DataFrame:
        """The responses with their items and sources, one per row."""
        return self._tables["responses"].copy()

    @property
    def raters(self) -> pd.DataFrame:
        """The raters by pseudonym: people, model judges and simulated raters, one per row."""
        return self._tables["raters"].copy()

    def ratings(self, who: Who = "people") -> pd.DataFrame:
        """The answers, one per row.

        Args:
            who: `people`, `judges` or `simulated` give what such raters answered, without what estimates leave out:
                excluded answers and planned repeats. `all` gives every answer of every rater.

        Raises:
            ValueError: none of these.
        """
        ratings = self._tables["ratings"]
        is_judge, is_simulated = ratings["rater_kind"] == "model", ratings["is_simulated"].astype(bool)
        of = {"people": ~is_judge & ~is_simulated, "judges": is_judge, "simulated": is_simulated & ~is_judge}
        if who == "all":
            return ratings.copy()
        if who not in of:
            raise ValueError(f"who is one of people, judges, simulated and all. Found: {who!r}")
        counted = of[who]
        if "repeat" in ratings:
            counted &= ratings["repeat"] == 0
        if "exclude" in ratings:
            counted &= ratings["exclude"].isna()
        return ratings[counted].reset_index(drop=True)

    @cached_property
    def estimates(self) -> pd.DataFrame:
        """All estimates as `attune analyze` computes them, one per row; docs/glossary.md explains the columns.

        Computed when first asked for, which takes seconds, and minutes for a million ratings.
        """
        report = analyze(frames_of(self._folder), self.protocol)
        return pd.DataFrame([estimate.as_record() for estimate in report.estimates])


def read(place: str | Path, token: str = "") -> Study:
    """Read a study.

    Args:
        place: a study folder, its zip file, or the address of a study on a server, such as
            https://rate.example.org/api/v1/studies/empathy-2026 or https://rate.example.org/studies/empathy-2026.
        token: a token for the API of that study, with a role that may download answers; only for an address.

    Raises:
        InvalidInputError: the folder has errors; the message lists them.
        ValueError: the file is no zip file, or the address is not that of a study.
        FileNotFoundError: there is no such folder or file.
        PermissionError: the server refuses the token, or hides the answers until the study closes.
        ConnectionError: the server cannot be reached, is busy for minutes, or has no such study.
    """
    address = str(place)
    if not address.startswith(("https://", "http://")):
        return _read_path(Path(place))
    with tempfile.TemporaryFile() as file:
        send(api_address(address) + "/study.zip", token, file)
        return _read_zip(file)


def _read_path(path: Path) -> Study:
    if not path.exists():
        raise FileNotFoundError(
            f"There is no study folder {str(path)!r}. Give a folder with study.yaml, or an address."
        )
    if path.is_dir():
        return Study(read_folder(path))
    if not zipfile.is_zipfile(path):
        raise ValueError(f"{str(path)!r} is neither a folder nor a zip file with a study folder.")
    with path.open("rb") as file:
        return _read_zip(file)


def _read_zip(file: IO[bytes]) -> Study:
    """Read the one folder of a zip file."""
    with tempfile.TemporaryDirectory() as place:
        with zipfile.ZipFile(file) as archive:
            archive.extractall(place)
        (found, *_) = [*Path(place).rglob("study.yaml"), Path(place) / "study.yaml"]
        return Study(read_folder(found.parent))
