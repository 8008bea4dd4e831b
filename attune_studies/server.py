"""A study on a server: everything that its lead does, through the API."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pandas as pd

from app.studies.folder.read import IMAGES
from attune_studies.requests import api_address, send
from attune_studies.study import Study, read


class ServedStudy:
    """A study on a server. Each method is one request, which waits as long as a busy server asks for.

    Methods raise what `read` raises for an address; a request that the server does not accept is a ValueError with
    the server's words.
    """

    def __init__(self, address: str, token: str) -> None:
        """Use a study.

        Args:
            address: of the study or of any of its pages.
            token: of the API, with a role that may do what is asked of it.
        """
        self.address, self._token = api_address(address), token

    def status(self) -> dict[str, Any]:
        """Status, links and progress of the study."""
        return self._json("GET", "")

    def create(self, folder: str | os.PathLike[str]) -> ServedStudy:
        """Make another study of the same lead from a study folder or its zip file. It has a token of its own."""
        path = Path(folder)
        made = self._json("POST", "/studies", path.read_bytes() if path.is_file() else _zipped(path), file="study.zip")
        return ServedStudy(f"{self.address.rpartition('/')[0]}/{made['slug']}", made["token"])

    def add_items(self, file: str | os.PathLike[str], *, dry_run: bool = False, **columns: Any) -> dict[str, Any]:  # noqa: ANN401 - names
        """Add items and responses from a spreadsheet.

        Args:
            file: one row per item.
            dry_run: only check it.
            columns: `item`, `text` and `turns` name a column; `response` is a list of SOURCE=COLUMN.
        """
        path = Path(file)
        return self._json("POST", "/items", path.read_bytes(), file=path.name, dry_run=dry_run, **columns)

    def add_ratings(
        self,
        file: str | os.PathLike[str],
        *,
        new_raters: bool = False,
        dry_run: bool = False,
        **columns: Any,  # noqa: ANN401 - names
    ) -> dict[str, Any]:
        """Add ratings that were collected elsewhere.

        Args:
            file: a spreadsheet, or the export of an annotation tool.
            new_raters: add raters whom the study does not name.
            dry_run: only check it.
            columns: `item`, `response`, `source` and `rater` name a column; `question` is a list of KEY=COLUMN.
        """
        path, given = Path(file), {"new_raters": new_raters, "dry_run": dry_run, **columns}
        return self._json("POST", "/ratings", path.read_bytes(), file=path.name, **given)

    def open(self, *, as_written: Sequence[str] = ()) -> None:
        """Open the study to raters; `as_written` are placeholders that raters should read as they are."""
        self._json("POST", "/status", {"status": "open", "as_written": [*as_written]})

    def pause(self) -> None:
        """Let nobody new begin."""
        self._json("POST", "/status", {"status": "paused"})

    def close(self) -> None:
        """Close the study to all raters."""
        self._json("POST", "/status", {"status": "closed"})

    def links(self, raters: Sequence[str], pool: str | None = None) -> dict[str, str]:
        """Make personal links by rater; they end earlier ones of the same raters."""
        made = self._json("POST", "/links", {"raters": [*raters], "pool": pool})
        return {one["rater"]: one["link"] for one in made["links"]}

    def exclude(self, rater: str, reason: str, *, exclude: bool = True) -> None:
        """Leave out the answers of a rater from all estimates, or take them in again."""
        self._json("POST", f"/raters/{quote(rater, safe='')}/exclusion", {"exclude": exclude, "reason": reason})

    def estimates(self) -> pd.DataFrame:
        """All estimates as the server computes them, one per row."""
        return pd.DataFrame(self._json("GET", "/estimates")["estimates"])

    def read(self) -> Study:
        """Download the study."""
        return read(self.address, self._token)

    def delete(self) -> dict[str, Any]:
        """Delete the study, which must be a draft or closed, with everything in it; returns what it contained."""
        return self._json("DELETE", "", confirm=self.address.rpartition("/")[2])

    def _json(self, method: str, path: str, body: object = None, **parameters: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        said = {name: value for name, value in parameters.items() if value not in (None, False)}
        query = f"?{urlencode(said, doseq=True)}" if said else ""
        content = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
        kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        file = io.BytesIO()
        send(f"{self.address}{path}{query}", self._token, file, method=method, content=content, kind=kind)
        answer: dict[str, Any] = json.load(file)
        return answer


def _zipped(folder: Path) -> bytes:
    if not (folder / "study.yaml").is_file():
        raise FileNotFoundError(f"There is no study folder {str(folder)!r}: it has no study.yaml.")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted((*folder.iterdir(), *(folder / IMAGES).glob("*"))):
            if path.is_file():
                archive.write(path, path.relative_to(folder))
    return file.getvalue()
