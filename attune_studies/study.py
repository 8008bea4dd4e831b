"""A study as pandas tables, read from a study folder, its zip file, or a server."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
import zipfile
from functools import cached_property
from pathlib import Path
from typing import IO, Literal
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pandas as pd

from app.analysis import analyze
from app.analysis.data.study_folder import StudyFolder, frames_of
from app.protocol.study import Protocol
from app.studies.folder.read import read_folder
from app.studies.folder.written_tables import tables_of

Who = Literal["people", "judges", "simulated", "all"]
TRIES, LONGEST_WAIT_S = 6, 120.0
BUSY, REFUSED = frozenset({429, 503}), frozenset({401, 403})


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
        _download(_api_address(address) + "/study.zip", token, file)
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


def _api_address(address: str) -> str:
    """The address of a study in the API, from that of the API or of a page.

    >>> _api_address("https://rate.example.org/studies/empathy-2026/results?question=warm")
    'https://rate.example.org/api/v1/studies/empathy-2026'
    """
    parts = urlsplit(address)
    before, _, after = parts.path.partition("/studies/")
    slug = after.partition("/")[0]
    if not slug:
        raise ValueError(f"The address of a study is https://.../studies/SLUG. Found: {address}")
    return f"{parts.scheme}://{parts.netloc}{before.removesuffix('/api/v1')}/api/v1/studies/{slug}"


def _download(address: str, token: str, file: IO[bytes]) -> None:
    """Copy what the address answers into the file; wait as long as a busy server asks for.

    Raises:
        PermissionError: the token is refused, or the answers are hidden.
        ConnectionError: anything else than the file comes back.
    """
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
    for n_tries in range(1, TRIES + 1):
        try:
            with urlopen(Request(address, headers=headers)) as answer:  # noqa: S310 - only http and https come here
                shutil.copyfileobj(answer, file)
                file.seek(0)
                return
        except HTTPError as error:
            if error.code not in BUSY or n_tries == TRIES:
                kind = PermissionError if error.code in REFUSED else ConnectionError
                raise kind(f"The server answered {error.code}: {_said(error)}") from None
            time.sleep(min(float(error.headers.get("Retry-After") or 5), LONGEST_WAIT_S))
        except URLError as error:
            raise ConnectionError(f"The server at {address} cannot be reached: {error.reason}.") from None


def _said(error: HTTPError) -> str:
    """What the server says about the error: the detail of its problem document, if it sends one."""
    try:
        return str(json.loads(error.read())["detail"])
    except (ValueError, KeyError, TypeError):
        return str(error.reason)
