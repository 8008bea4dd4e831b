"""Metric files of processes and servers that have ended do not pile up, and their counts are kept."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from prometheus_client.mmap_dict import MmapedDict, mmap_key

from app.base.web import metric_files
from app.base.web.metric_files import PREFIX, make_folder, only_living

KEY = mmap_key("attune_requests_total", "attune_requests_total", [], [], "Requests.")


def ended_process() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def write(folder: Path, kind: str, number: int, value: float) -> Path:
    file = folder / f"{kind}_{number}.db"
    values = MmapedDict(str(file))  # type: ignore[no-untyped-call]
    values.write_value(KEY, value, 0.0)  # type: ignore[no-untyped-call]
    values.close()  # type: ignore[no-untyped-call]
    return file


def total(folder: Path) -> float:
    files = folder.glob("counter_*.db")
    read = MmapedDict.read_all_values_from_file
    return sum(value for file in files for _, value, _, _ in read(str(file)))  # type: ignore[no-untyped-call]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="the system does not say which processes there are")
def test_any_number_of_ended_processes_leave_one_file_of_each_kind(tmp_path: Path) -> None:
    own = write(tmp_path, "counter", os.getpid(), 5)
    for _ in range(3):
        number = ended_process()
        write(tmp_path, "counter", number, 2)
        write(tmp_path, "histogram", number, 1)
        write(tmp_path, "gauge_livesum", number, 1)
        with only_living(tmp_path):
            pass
    assert {file.name for file in tmp_path.glob("*.db")} == {own.name, "counter_0.db", "histogram_0.db"}
    assert total(tmp_path) == 11


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="the system does not say which processes there are")
def test_file_of_a_process_that_was_killed_while_it_made_it_is_removed(tmp_path: Path) -> None:
    """No process of the server started again."""
    empty = tmp_path / f"counter_{ended_process()}.db"
    empty.touch()
    with only_living(tmp_path):
        assert not empty.exists()


def test_folder_of_a_server_that_was_killed_is_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    killed = tmp_path / f"{PREFIX}killed"
    killed.mkdir()
    write(killed, "counter", 1, 1)
    living = make_folder()
    assert killed.exists()  # it may have just begun
    monkeypatch.setattr(metric_files, "YOUNG_S", 0)
    other = make_folder()
    assert sorted(tmp_path.iterdir()) == sorted([living, other])
