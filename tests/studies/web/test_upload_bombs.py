"""Small uploads that unpack to huge ones, sent to a real server: rejected, nothing stored, its memory unchanged."""

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2 as httpx
import pandas as pd
import pytest
from sqlalchemy import Engine, text

from app.accounts.lead_access import add_lead, begin_session
from tests.kit.processes import IN_PROC
from tests.kit.serving import serving

# Allowance for two more pages and their threads; reading the smallest of the files takes a hundred.
MEGABYTES = 25
Case = tuple[str, dict[str, str], str, bytes, str]


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def parquet(table: pd.DataFrame) -> bytes:
    with TemporaryDirectory() as folder:
        table.to_parquet(f"{folder}/a", compression="gzip", index=False)
        return Path(f"{folder}/a").read_bytes()


def aliases() -> bytes:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    return "\n".join([*rows, *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10))]).encode()


def cases() -> Iterator[Case]:
    sheet = zipped({"xl/worksheets/sheet1.xml": b"<c><v>7</v></c>" * 8_000_000})
    assert len(sheet) < 900_000
    yield "/studies/new/sheets", {}, "bomb.xlsx", sheet, "114.4 MiB unpacked"
    table = pd.DataFrame({"text": [f"{n}{'x' * 1000}" for n in range(150_000)]})
    table_file = parquet(table)
    assert len(table_file) < 2_000_000
    yield "/studies/new/sheets", {}, "bomb.parquet", table_file, "MiB unpacked"
    columns = ",".join(f"c{n}" for n in range(5_000)).encode()
    yield "/studies/new/sheets", {}, "wide.csv", columns, "5,000 columns"
    yield "/studies/new", {}, "study.yaml", aliases(), "aliases that expand without end"
    yield "/studies/new", {}, "study.yaml", b"[" + b"1," * 500_000 + b"]", "more than 20,000 values"
    bomb = zipped({"study.yaml": b"attune: 1", "items.csv": b"0" * 150_000_000})
    yield "/studies/new", {}, "study.zip", bomb, "times larger than its compressed form"


def peak_megabytes(pid: int) -> float:
    """The peak memory of a process so far."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found
    return int(found[1]) / 1024


@pytest.mark.skipif(not IN_PROC, reason="reads the server's memory in /proc")
@pytest.mark.slow
def test_upload_bombs_are_rejected_without_memory_growth(engine: Engine, tmp_path: Path) -> None:
    with engine.begin() as db:
        token = begin_session(db, add_lead(db, "lead@example.org", "correct horse battery"))
    with serving(engine, tmp_path / "log", workers=1) as (address, pid):
        client = httpx.Client(
            base_url=address, headers={"Origin": address}, cookies={"attune-lead": token}, timeout=120
        )
        (path, fields, name, content, found), *others = list(cases())
        assert found in client.post(path, data=fields, files={"files": (name, content)}).text
        before = peak_megabytes(pid)
        for path, fields, name, content, found in others:
            answer = client.post(path, data=fields, files={"files": (name, content)})
            assert answer.status_code == 422
            assert found in answer.text
        assert peak_megabytes(pid) < before + MEGABYTES
        client.close()
    with engine.connect() as db:
        assert db.execute(text("SELECT count(*) FROM studies")).scalar_one() == 0
