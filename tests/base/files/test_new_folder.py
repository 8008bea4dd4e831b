"""A folder appears once it is complete, or not at all."""

import errno
import os
from pathlib import Path

import pytest

from app.base.files.new_folder import new_files, new_folder


def _write(path: Path, *, error: BaseException | None = None) -> None:
    with new_folder(path) as half:
        (half / "one.csv").write_text("a")
        if error:
            raise error


@pytest.mark.parametrize("is_there", [True, False])
def test_nothing_is_left_of_a_folder_that_could_not_be_completed(tmp_path: Path, *, is_there: bool) -> None:
    out = tmp_path / "out"
    if is_there:
        out.mkdir()
    with pytest.raises(OSError, match="No space left") as failed:
        _write(out, error=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    assert failed.value.filename == str(out)
    with pytest.raises(KeyboardInterrupt):
        _write(out, error=KeyboardInterrupt())
    assert [*tmp_path.rglob("*")] == ([out] if is_there else [])
    _write(out)
    assert [path.name for path in out.iterdir()] == ["one.csv"]


def test_empty_folder_is_filled_and_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be a mounted disk, which cannot be removed or renamed."""
    out = tmp_path / "out"
    out.mkdir()
    before = out.stat().st_ino
    monkeypatch.chdir(out)
    _write(Path())
    assert (out.stat().st_ino, [path.name for path in out.iterdir()]) == (before, ["one.csv"])


def test_files_replace_those_of_the_same_names_or_none_of_them(tmp_path: Path) -> None:
    for name in ("one.csv", "mine.csv"):
        (tmp_path / name).write_text("before")
    with pytest.raises(OSError, match="No space left") as failed, new_files(tmp_path) as half:  # noqa: PT012 - one story
        (half / "one.csv").write_text("half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(half / "one.csv"))
    assert failed.value.filename == str(tmp_path)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"one.csv": "before", "mine.csv": "before"}
    with new_files(tmp_path) as half:
        (half / "one.csv").write_text("after")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"one.csv": "after", "mine.csv": "before"}
